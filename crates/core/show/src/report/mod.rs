//! The output, for people and programs. Each subject has its words in a file or folder of its name,
//! and puts them into a `document`; only `print` knows formats. JSON is the data itself.
//!
//! Whose line is it? The words of a comparison above and below its table are in `cupel-findings`,
//! the words of the whole run below all tables in `run/foot.rs`, and verdicts on claims in
//! `claims`. `print` explains the parts that a table had to shorten.

pub mod claims;
pub mod compare;
pub mod page;
pub mod progress;
pub(crate) mod run;

pub use cupel_print::{Findings, Format, OF_RUN, Style};
pub use run::svg::small as small_chart;

use cupel_analyse::Analysis;
use cupel_decide::claims::Verdicts;
use cupel_print::document::Document;
pub(crate) use cupel_print::{document, number, print, style};
use cupel_store::Recorded;

/// Writes a question's findings and the figures of its run, without the run's own answer. If the
/// run was killed, that comes first.
pub fn after(
    findings: &Findings,
    recorded: &Recorded,
    analysis: &Analysis,
    format: Format,
    style: Style,
) -> String {
    let every = style.every || format == Format::Markdown;
    let style = Style { every, ..style };
    let mut figures = Document::default();
    run::figures(&mut figures, recorded, analysis, style);
    let unfinished = run::unfinished(recorded);
    match format {
        Format::Markdown => {
            let parts = [&unfinished, &findings.0, &figures].map(print::markdown);
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
        }
        _ => {
            let [unfinished, figures] = [&unfinished, &figures].map(|one| print::text(one, style));
            format!("{unfinished}{}\n{figures}", findings.text(style))
        }
    }
}

/// Writes a run in a format of text: its rows are [`crate::export`]'s, and its page is [`page`]'s.
pub fn present(
    recorded: &Recorded,
    analysis: &Analysis,
    verdicts: &Verdicts,
    format: Format,
    style: Style,
) -> String {
    match format {
        Format::Json => run::json::write(recorded, analysis, verdicts),
        Format::Svg => run::svg::write(recorded, analysis, verdicts),
        Format::Markdown => {
            let style = Style { every: true, ..style };
            print::markdown(&run::document(recorded, analysis, verdicts, style))
        }
        _ => on_terminal(recorded, analysis, verdicts, style),
    }
}

/// The findings of a question in a run that the user has ended, and how to resume it.
pub fn so_far(findings: &Findings, recorded: &Recorded, style: Style) -> String {
    print::text(&run::unfinished(recorded), style) + &findings.text(style)
}

/// A run that the user has ended, for a terminal: its verdicts and answers so far, a short table,
/// and how to resume it.
pub fn interrupted(
    recorded: &Recorded,
    analysis: &Analysis,
    verdicts: &Verdicts,
    style: Style,
) -> String {
    print::text(&run::short::document(recorded, analysis, verdicts, style), style)
}

/// A run for a terminal. Where its tables are longer than a screen, it ends with the answers again.
fn on_terminal(
    recorded: &Recorded,
    analysis: &Analysis,
    verdicts: &Verdicts,
    style: Style,
) -> String {
    /// The lines of a large terminal.
    const SCREEN: usize = 60;
    let text = print::text(&run::document(recorded, analysis, verdicts, style), style);
    let answers = print::text(&run::head(recorded, analysis, verdicts), style);
    if text.lines().count() <= SCREEN || answers.is_empty() {
        return text;
    }
    format!("{text}\nonce more, the answer:\n{answers}")
}
