//! Output formats, and how a table is drawn.

use cupel_base::text::WIDTH;

/// An output format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For a terminal. Tables are as wide as it is, from 80 to 200 columns; COLUMNS sets another
    /// width.
    #[default]
    Table,
    /// One JSON document.
    Json,
    /// One JSON object for each row.
    Jsonl,
    /// One line for each row, with a header (RFC 4180).
    Csv,
    /// Markdown tables.
    Markdown,
    /// One picture: dots and intervals of every comparison.
    Svg,
    /// A page with charts.
    Html,
    /// Workflow commands of GitHub Actions, which it shows next to the change.
    Github,
}

impl Format {
    /// The names of these formats, as `--format` takes them.
    pub fn names(formats: &[Format]) -> String {
        let values = formats.iter().filter_map(clap::ValueEnum::to_possible_value);
        values.map(|value| value.get_name().to_string()).collect::<Vec<_>>().join(", ")
    }
}

/// The formats in which a run is printed.
pub const OF_RUN: [Format; 6] =
    [Format::Table, Format::Json, Format::Jsonl, Format::Csv, Format::Markdown, Format::Svg];

/// How a table is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Whether to use colours.
    pub colour: bool,
    /// Whether to print more: versions, code paths, first calls, steadiness.
    pub verbose: bool,
    /// The width of a table, in columns. Prose has 80.
    pub width: usize,
    /// Whether to print the rows of secondary contenders that no one asked for.
    pub all: bool,
    /// Whether to print every row, as files have them, with its rounds.
    pub every: bool,
}

impl Default for Style {
    fn default() -> Style {
        Style { colour: false, verbose: false, width: WIDTH, all: false, every: false }
    }
}
