//! A run: the verdicts on its questions, its answers, a table for each comparison, and how to read
//! them.

pub(crate) mod cells;
mod circumstances;
mod details;
mod foot;
mod heat;
pub(crate) mod json;
mod scaling;
pub(crate) mod secondary;
pub(crate) mod short;
pub(crate) mod svg;
mod table;

use crate::report::claims::of_run;
use crate::report::document::{Document, Emphasis};
use crate::report::style::Style;
use cupel_analyse::Analysis;
use cupel_base::chart::ChartKey;
use cupel_base::{primitives, text};
use cupel_decide::claims::Verdicts;
use cupel_findings::{Said, answer};
use cupel_store::Recorded;
use cupel_suite::asked;

/// The verdicts on the questions, the answers and every chart of a run, then the notes about the
/// whole run.
pub fn document(
    recorded: &Recorded,
    analysis: &Analysis,
    verdicts: &Verdicts,
    style: Style,
) -> Document {
    let mut document = head(recorded, analysis, verdicts);
    figures(&mut document, recorded, analysis, style);
    document
}

/// The verdicts on the questions, and the answers.
pub fn head(recorded: &Recorded, analysis: &Analysis, verdicts: &Verdicts) -> Document {
    let mut document = unfinished(recorded);
    of_run::write(&mut document, recorded, verdicts);
    if !verdicts.is_empty() {
        document.gap();
    }
    // If a claim was asked, it is the answer. Which contender is the fastest was not asked.
    if verdicts.claims.answered.is_empty() || recorded.run.suite != asked::NAME {
        answers(&mut document, recorded, analysis);
    }
    document
}

/// Says that a run was killed: its answers rest on fewer forks than were asked for.
pub fn unfinished(recorded: &Recorded) -> Document {
    let mut document = Document::default();
    if let Said::Forks { forks, of, finished: false, .. } = cupel_findings::forks(recorded) {
        let asked = text::count(of, "fork");
        let suite = text::quoted(&recorded.run.suite);
        let line = format!(
            "NOT FINISHED: {forks} of {asked} were finished. `cupel run {suite} --resume` goes on \
             with the last run of this name that is not finished."
        );
        document.line(None, line, Emphasis::All);
    }
    document
}

fn answers(document: &mut Document, recorded: &Recorded, analysis: &Analysis) {
    let of_run = cupel_findings::of_run(recorded, analysis);
    for line in scaling::lines(recorded, &of_run) {
        document.item(0, line);
    }
    for line in answer::lines(recorded, analysis) {
        document.item(0, line.answer);
        if let Some(languages) = line.languages {
            document.item(1, languages);
        }
        if let Some(not_here) = line.not_here {
            document.item(1, not_here);
        }
        let Some(cause) = line.open else { continue };
        let then = if line.command.is_some() { "; to decide it:" } else { "" };
        document.item(1, format!("open: {cause}{then}"));
        if let Some(command) = line.command {
            document.command(2, command);
        }
    }
    if let Some(left_out) = circumstances::left_out(&of_run) {
        document.item(0, left_out);
    }
}

/// Writes the figures of a run without the answers, for a command that gives another answer.
pub fn figures(document: &mut Document, recorded: &Recorded, analysis: &Analysis, style: Style) {
    let plan = &recorded.plan;
    let of_run = cupel_findings::of_run(recorded, analysis);
    document.heading(1, format!("question: {}", plan.question));
    let charts = analysis.comparisons.chunk_by(|a, b| {
        ChartKey::for_workload(&a.workload) == ChartKey::for_workload(&b.workload)
    });
    let mut place = 0;
    for answers in charts {
        let work = &answers[0].workload;
        let title = primitives::in_words(&work.primitive);
        document.heading(2, format!("{title} {}, {}", work.operation, work.shape));
        document.paragraph(format!("contract: {}", work.contract));
        for answer in answers {
            let findings = cupel_findings::of_comparison(recorded, analysis, place);
            table::comparison(document, recorded, answer, &findings, style);
            place += 1;
            heat::maps(document, recorded, answer, &of_run);
        }
        table::lines(document, plan, answers, style);
        table::failed(document, plan, answers);
        for line in security(&work.primitive) {
            document.note(line);
        }
    }
    scaling::tables(document, recorded, &of_run);
    table::missing(document, plan, &analysis.comparisons);
    if style.verbose {
        details::write(document, recorded, analysis);
    }
    foot::write(document, recorded, analysis, &of_run, style);
}

/// The differences in security between the primitives of a choice, a line for each; none if there
/// is one primitive: if you choose by speed, you see the security that you choose with it.
fn security(primitive: &str) -> Vec<String> {
    let all = primitives::choice(primitive);
    let lines = all.iter().filter(|_| primitives::is_choice(primitive)).map(|one| {
        let differs = primitives::security(one).unwrap_or("no promise of security at all");
        format!("security of {one}: {differs}")
    });
    lines.collect()
}
