//! A run that the user has ended: its results so far, on less than a screen.

use super::{secondary, unfinished};
use crate::report::claims::of_run;
use crate::report::document::{Cell, Document, Fit, Table, left, right};
use crate::report::style::Style;
use cupel_analyse::{Analysis, Answer, Row, Verdict};
use cupel_base::{chart, text};
use cupel_decide::claims::Verdicts;
use cupel_findings::answer;
use cupel_store::Recorded;
use cupel_suite::asked;

/// The most rows and the most answers: a user who ended a run wants to see where it is.
const MOST: usize = 10;

/// How to resume the run, its verdicts and answers so far, and the first rows of its tables. An
/// open answer has no remedy here: to decide it, resume the run.
pub fn document(
    recorded: &Recorded,
    analysis: &Analysis,
    verdicts: &Verdicts,
    style: Style,
) -> Document {
    let mut document = unfinished(recorded);
    let mut answers = of_run::lines(recorded, verdicts);
    if verdicts.claims.answered.is_empty() || recorded.run.suite != asked::NAME {
        answers.extend(answer::lines(recorded, analysis).into_iter().map(|line| line.brief));
    }
    for answer in answers.iter().take(MOST) {
        document.item(0, answer);
    }
    let shown = table(&mut document, recorded, analysis, style);
    let rows = analysis.comparisons.iter().flat_map(|answer| &answer.rows);
    let more = rows.count() - shown + answers.len().saturating_sub(MOST);
    if more > 0 {
        document.paragraph(format!("{} more: cupel show", text::count(more, "line")));
    }
    document
}

/// The first rows of each comparison, and their number.
fn table(document: &mut Document, recorded: &Recorded, analysis: &Analysis, style: Style) -> usize {
    let figures = [right("per call"), right("ratio"), left("interval"), left("verdict")];
    let columns = [left("so far"), left("at")].into_iter().chain(figures);
    let mut table = Table::new(Fit::Intervals, columns);
    let each = (MOST / analysis.comparisons.len().max(1)).max(1);
    for answer in analysis.comparisons.iter().take(MOST) {
        let has_figures = |row: &&Row| {
            let out = secondary::out(&recorded.plan, answer, row, style);
            row.ns.is_some() && row.verdict != Verdict::Failed && !out
        };
        for row in answer.rows.iter().filter(has_figures).take(each) {
            table.row(cells(answer, row));
        }
    }
    let shown = table.rows.len();
    if shown > 0 {
        document.table(table);
    }
    shown
}

fn cells(answer: &Answer, row: &Row) -> [Cell; 6] {
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_string());
    [
        row.contender.to_string(),
        chart::size(&answer.workload),
        or_none(row.ns.map(|ns| text::time(ns.median))),
        or_none(row.ratio.map(|ratio| text::ratio_digits(ratio.estimate))),
        or_none(row.ratio.map(|ratio| text::interval(ratio.low, ratio.high))),
        row.verdict.words().to_string(),
    ]
    .map(Cell::from)
}
