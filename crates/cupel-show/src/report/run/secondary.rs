//! Which rows of secondary contenders a table leaves out: they would only stand between the
//! contenders among which an application has to choose.

use crate::report::document::Document;
use crate::report::style::Style;
use cupel_analyse::{Answer, Row, Verdict};
use cupel_base::text;
use cupel_host::toolchain::SecondaryKind;
use cupel_plan::Plan;

/// Whether a table leaves a row out. It keeps those that were asked for, fail or are the baseline,
/// second styles that are faster than the usual one, and those whose usual contender has no figure:
/// nothing would stand for them.
pub fn out(plan: &Plan, answer: &Answer, row: &Row, style: Style) -> bool {
    let shows_it = !row.aside || style.all || style.every;
    let stood_for = plan.contender_of(row.cell).stood_for().filter(|_| !shows_it);
    let Some(secondary) = stood_for else { return false };
    let mut usual = answer.rows.iter().filter(|other| other.is_of(&secondary.of, row));
    has_figure(row) && row.verdict != Verdict::Baseline && usual.any(has_figure)
}

fn has_figure(row: &Row) -> bool {
    row.ns.is_some() && row.verdict != Verdict::Failed
}

/// Says below a comparison how many rows of each kind it leaves out, and which of them has the
/// shortest time of all, if one has: its library might choose a better path.
pub fn note(document: &mut Document, plan: &Plan, answer: &Answer, style: Style) {
    let is_out = |row: &&Row| out(plan, answer, row, style);
    let first = answer.rows.first().filter(is_out);
    let ahead = first.map(|row| format!("; {} has the shortest time", row.contender));
    count(document, plan, answer.rows.iter().filter(is_out), &ahead.unwrap_or_default());
}

/// How many of each kind these are.
pub fn count<'a>(
    document: &mut Document,
    plan: &Plan,
    rows: impl Iterator<Item = &'a Row>,
    ahead: &str,
) {
    let kinds: Vec<SecondaryKind> =
        rows.filter_map(|row| Some(plan.contender_of(row.cell).secondary.as_ref()?.kind)).collect();
    let counted = [SecondaryKind::ForcedPath, SecondaryKind::SecondStyle].map(|kind| {
        let number = kinds.iter().filter(|other| **other == kind).count();
        (number > 0).then(|| text::count(number, kind.words()))
    });
    let counted: Vec<String> = counted.into_iter().flatten().collect();
    if !counted.is_empty() {
        document.note(format!("not shown: {} (--all shows them){ahead}", counted.join(" and ")));
    }
}
