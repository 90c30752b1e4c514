//! Which rows of forced paths a table leaves out: no application has the choice between them, so
//! they would only stand between the contenders that it has.

use super::style::Style;
use crate::analyse::{Answer, Row, Verdict};
use crate::plan::Plan;
use crate::text::{count, folded};
use std::fmt::Write;

/// Whether a table leaves a row out. It keeps forced paths that were asked for, fail or are the
/// baseline, and those whose contender that selects its code path has no figure: nothing
/// would stand for them.
pub fn out(plan: &Plan, answer: &Answer, row: &Row, style: Style) -> bool {
    let forced = plan.contender_of(row.cell).forced_path.as_ref();
    let Some(path) = forced.filter(|path| !path.asked_for && !style.all) else { return false };
    let has_figure = |row: &Row| row.ns.is_some() && row.verdict != Verdict::Failed;
    let stands_for_it = |other: &Row| other.contender == path.of && has_figure(other);
    has_figure(row) && row.verdict != Verdict::Baseline && answer.rows.iter().any(stands_for_it)
}

/// Says below a table how many rows it leaves out, and which of them has the shortest time of all, if
/// one has: its library might choose a better path.
pub fn note(out: &mut String, rows: usize, ahead: Option<&str>) {
    if rows > 0 {
        let ahead = ahead.map_or(String::new(), |name| format!("; {name} has the shortest time"));
        let line = format!("not shown: {} (--all shows them){ahead}", count(rows, "forced path"));
        let _ = writeln!(out, "{}", folded("  ", &line));
    }
}
