//! The work that would be run: `cupel run --dry-run`.

use cupel_base::{chart, primitives, text};
use cupel_contender::State;
use cupel_findings::subject::distinction;
use cupel_plan::{Draft, DraftComparison};
use cupel_print::document::Document;
use cupel_print::{Style, print};
use cupel_run::forecast::{Forecast, Need};
use std::collections::BTreeSet;
use std::time::Duration;

/// The size of a draft, in words, and the time until its answer, if it is limited.
pub fn outline(
    draft: &Draft,
    forecast: &Forecast,
    need: &Need,
    within: Option<Duration>,
) -> String {
    let mut document = Document::default();
    document.paragraph(draft.question());
    for comparison in draft.comparisons() {
        document.paragraph(workload(draft, comparison));
    }
    let budget = match draft.options().budget.as_secs_f64() {
        0.0 => "the fewest rounds".to_string(),
        seconds => format!("{seconds} s of measuring"),
    };
    let limit =
        within.map_or(String::new(), |all| format!(", at most {} s in all", all.as_secs_f64()));
    document.paragraph(format!(
        "{}, {}, {budget}{limit}",
        text::count(draft.cells(), "cell"),
        text::count(draft.options().forks as usize, "fork")
    ));
    let unbuilt = draft.contenders().iter().filter(|c| c.state == State::Unbuilt);
    let languages: BTreeSet<&str> = unbuilt.map(|contender| contender.name.language()).collect();
    if !languages.is_empty() {
        let languages = Vec::from_iter(languages).join(", ");
        document.paragraph(format!("builds first, which can take minutes: {languages}"));
    }
    document.paragraph(forecast.words());
    document.paragraph(need.words());
    print::text(&document, Style::default())
}

/// A workload and its contenders.
fn workload(draft: &Draft, comparison: &DraftComparison) -> String {
    let work = &comparison.workload;
    let rows = comparison.members.chunk_by(|a, b| a.contender == b.contender);
    let names = rows.map(|rows| {
        let name = &draft.contenders()[rows[0].contender].name;
        match comparison.alternatives.len() {
            0 => name.to_string(),
            of => format!("{name} ({} of {of})", rows.len()),
        }
    });
    let threads = match work.contract.threads {
        1 => String::new(),
        threads => format!(" on {threads} threads"),
    };
    let all = draft.comparisons().iter().map(|comparison| &comparison.workload);
    format!(
        "{} {} {} {}{threads}{}: {}",
        primitives::in_words(&work.primitive),
        work.operation,
        chart::size(work),
        work.shape,
        distinction(work, &[work.size], all),
        names.collect::<Vec<_>>().join(", ")
    )
}
