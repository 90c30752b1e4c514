//! The forms of output, and how a table is drawn.

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
