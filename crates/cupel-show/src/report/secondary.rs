//! Which rows of secondary contenders a table leaves out: they would only stand between the
//! contenders among which an application has to choose.

use super::style::Style;
use cupel_analyse::{Answer, Row, Verdict};
use cupel_base::text::{count, folded};
use cupel_host::toolchain::SecondaryKind;
use cupel_plan::Plan;
use std::fmt::Write;

/// Whether a table leaves a row out. It keeps those that were asked for, fail or are the baseline,
/// second styles that are faster than the usual one, and those whose usual contender has no figure:
/// nothing would stand for them.
pub fn out(plan: &Plan, answer: &Answer, row: &Row, style: Style) -> bool {
    let stood_for = plan.contender_of(row.cell).stood_for().filter(|_| row.aside && !style.all);
    let Some(secondary) = stood_for else { return false };
    let has_figure = |row: &Row| row.ns.is_some() && row.verdict != Verdict::Failed;
    let stands_for_it = |other: &Row| other.is_of(&secondary.of, row) && has_figure(other);
    has_figure(row) && row.verdict != Verdict::Baseline && answer.rows.iter().any(stands_for_it)
}

/// Says below a table how many rows of each kind it leaves out, and which of them has the shortest
/// time of all, if one has: its library might choose a better path.
pub fn note<'a>(
    out: &mut String,
    plan: &Plan,
    rows: impl Iterator<Item = &'a Row>,
    ahead: Option<&str>,
) {
    let kinds: Vec<SecondaryKind> =
        rows.filter_map(|row| Some(plan.contender_of(row.cell).secondary.as_ref()?.kind)).collect();
    let counted = [SecondaryKind::ForcedPath, SecondaryKind::SecondStyle].map(|kind| {
        let number = kinds.iter().filter(|other| **other == kind).count();
        (number > 0).then(|| count(number, kind.words()))
    });
    let counted: Vec<String> = counted.into_iter().flatten().collect();
    if !counted.is_empty() {
        let ahead = ahead.map_or(String::new(), |name| format!("; {name} has the shortest time"));
        let line = format!("not shown: {} (--all shows them){ahead}", counted.join(" and "));
        let _ = writeln!(out, "{}", folded("  ", &line));
    }
}
