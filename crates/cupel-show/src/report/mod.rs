//! What is printed, for people and programs. Each subject has its words in a file or folder of its
//! name, and puts them into a `document`; only `print` knows formats. JSON is the data itself.
//!
//! Whose line is it? What a comparison of a run says below its table is in `run/remarks.rs`, what
//! the whole run says below all tables in `run/foot.rs`. The sentences above them are in `answer`,
//! and verdicts on claims in `claims`. What a table had to shorten is explained by `print`.

pub mod advice;
pub(crate) mod answer;
pub mod boot;
pub mod claims;
pub mod compare;
mod document;
pub mod fleet;
pub mod foreign;
pub mod gate;
mod number;
mod outline;
pub mod page;
pub(crate) mod print;
pub mod progress;
pub(crate) mod run;
mod style;
pub mod toolchains;
pub mod trace;
pub mod why;

pub use number::ends;
pub use outline::outline;
pub use style::{Format, OF_RUN, Style};

use cupel_analyse::Analysis;
use cupel_decide::claims::Verdicts;
use cupel_store::Recorded;
use document::Document;

/// Of a run that was killed, first of all that it was. Empty if it was not.
pub fn unfinished(recorded: &Recorded) -> String {
    print::text(&run::unfinished(recorded), Style::default())
}

/// A run without its answers, for a command that gives another one.
pub fn figures(recorded: &Recorded, analysis: &Analysis, style: Style) -> String {
    let mut document = Document::default();
    run::figures(&mut document, recorded, analysis, style);
    print::text(&document, style)
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
