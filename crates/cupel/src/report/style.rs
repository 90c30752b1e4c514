//! Output formats, and how a table is drawn.

/// An output format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For a terminal of 80 columns.
    #[default]
    Table,
    /// One JSON document: the run, and a row for each cell.
    Json,
    /// One line for each cell, with a header.
    Csv,
    /// Markdown tables.
    Markdown,
}

/// How a table is drawn.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// Whether to use colours.
    pub colour: bool,
    /// Whether to print more: versions, code paths, first calls, steadiness.
    pub verbose: bool,
}
