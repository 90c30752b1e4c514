//! What a person or a program sees of a run. Everything here reads an [`Analysis`] and nothing else.

pub mod advice;
pub mod boot;
pub(crate) mod cells;
pub mod claims;
pub mod claims_markdown;
pub mod compare;
mod csv;
pub mod foreign;
mod heat;
mod json;
mod markdown;
pub mod page;
pub mod progress;
mod table;
mod text;

pub use table::folded;
pub use text::{bytes, plain, time};

use crate::analyse::Analysis;
use crate::store::Recorded;
use anyhow::Result;

/// Says something on standard error, line by line, without what could steer a terminal. That nobody
/// listens any more (`2>&1 | head`) is no error.
pub fn tell(text: &str) {
    use std::io::Write;
    let mut err = std::io::stderr().lock();
    for line in text.lines() {
        if writeln!(err, "{}", plain(line)).is_err() {
            return;
        }
    }
}

/// A form of output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For a terminal of 80 columns.
    #[default]
    Table,
    /// One JSON document: the run, and a row for each cell.
    Json,
    /// One line for each cell, with a header.
    Csv,
    /// Tables for a document.
    Markdown,
}

/// How a table is drawn.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// Colours, on a terminal.
    pub colour: bool,
    /// Also what is usually of no interest: versions, code paths, first calls, steadiness.
    pub verbose: bool,
}

/// Writes a run in the form wanted.
///
/// # Errors
/// Those of the writer of the form; none for a table.
pub fn present(
    recorded: &Recorded,
    analysis: &Analysis,
    format: Format,
    style: Style,
) -> Result<String> {
    match format {
        Format::Table => Ok(table::draw(recorded, analysis, style)),
        Format::Json => json::write(recorded, analysis),
        Format::Csv => csv::write(analysis),
        Format::Markdown => Ok(markdown::write(recorded, analysis)),
    }
}
