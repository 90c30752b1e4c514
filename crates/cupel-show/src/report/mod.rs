//! What is printed of a run, for people and programs. Everything here reads only an [`Analysis`].

pub mod advice;
pub mod advice_fleet;
pub mod boot;
pub(crate) mod cells;
mod circumstances;
pub mod claims;
pub mod claims_fleet;
pub mod claims_markdown;
pub mod compare;
pub mod coverage;
mod details;
mod drawing;
mod fitting;
pub mod fleet;
mod foot;
pub mod foreign;
mod heat;
mod json;
mod label;
mod live;
mod markdown;
mod markup;
pub mod mix;
mod notes;
mod outline;
pub mod page;
pub mod progress;
mod remarks;
mod scaling;
mod secondary;
pub(crate) mod sentence;
pub mod steered;
mod style;
mod svg;
mod table;
pub mod toolchains;
pub mod trace;
pub mod verdicts;

pub use foot::unfinished;
pub use outline::outline;
pub use sentence::subject;
pub use style::{Format, OF_RUN, Style};
pub use table::figures;

use anyhow::Result;
use cupel_analyse::Analysis;
use cupel_base::text::plain;
use cupel_decide::claims::Verdicts;
use cupel_plan::Plan;
use cupel_store::Recorded;

/// How sure intervals are that are joint at `1 - alpha`.
fn joint(intervals: usize, alpha: f64) -> String {
    let sure = (1.0 - alpha) * 100.0;
    match intervals {
        0 => "There is no interval.".to_string(),
        1 => format!("The interval holds at {sure:.0} %."),
        n => format!("The {n} intervals are joint at {sure:.0} %."),
    }
}

/// The same for the intervals of each table.
fn joint_in_table(alpha: f64) -> String {
    format!("The intervals of each table are joint at {:.0} %.", (1.0 - alpha) * 100.0)
}

/// What the controls have done to the intervals, if it is worth a word.
fn widened(calibration: f64) -> String {
    const SHOWN: f64 = 1.05;
    if calibration < SHOWN {
        return String::new();
    }
    format!(
        " All intervals are {calibration:.2} times as wide as the forks alone would make them, \
         because the controls differ from 1 by more than their forks explain."
    )
}

/// What a reader must know of a run that did not wait for another one.
fn beside(plan: &Plan) -> Option<String> {
    let other = plain(plan.options.beside.as_deref()?);
    Some(format!(
        "measured at the same time as {other}: the two may have disturbed each other (--anyway)"
    ))
}

/// Writes a run in the given format, what was asked of it first.
///
/// # Errors
/// A format that has only rows, or is a page; and those of the format's writer.
pub fn present(
    recorded: &Recorded,
    analysis: &Analysis,
    verdicts: &Verdicts,
    format: Format,
    style: Style,
) -> Result<String> {
    match format {
        Format::Table => Ok(table::draw(recorded, analysis, verdicts, style)),
        Format::Json => json::write(recorded, analysis, verdicts),
        Format::Markdown => Ok(markdown::write(recorded, analysis, verdicts)),
        Format::Svg => Ok(svg::write(recorded, analysis, verdicts)),
        Format::Csv | Format::Jsonl | Format::Html => {
            anyhow::bail!("`export` writes a run's rows, and `page` its page")
        }
    }
}
