//! Which rows of secondary contenders a table leaves out: they would only stand between the
//! contenders among which an application has to choose.

use crate::report::document::Document;
use crate::report::style::Style;
use cupel_analyse::{Answer, Row, Verdict};
use cupel_base::text;
use cupel_findings::{Finding, Said};
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

/// Says below a comparison how many rows it leaves out, and which of them has the shortest time of
/// all, if one has: its library might choose a better path.
pub fn note(
    document: &mut Document,
    plan: &Plan,
    answer: &Answer,
    findings: &[Finding],
    style: Style,
) {
    let hidden: Vec<&Row> =
        answer.rows.iter().filter(|row| out(plan, answer, row, style)).collect();
    let is_hidden = |cell: usize| hidden.iter().any(|row| row.cell == cell);
    let first = findings.iter().find_map(|finding| match &finding.said {
        Said::ShortestAside { contender, .. } if is_hidden(contender.cell) => Some(contender),
        _ => None,
    });
    let ahead = first.map(|one| format!("; of them, {} has the shortest time", one.name));
    count(document, hidden.len(), &ahead.unwrap_or_default());
}

/// How many rows a table leaves out.
pub fn count(document: &mut Document, hidden: usize, ahead: &str) {
    if hidden > 0 {
        document.note(format!("{} hidden (--all){ahead}", text::count(hidden, "variant")));
    }
}
