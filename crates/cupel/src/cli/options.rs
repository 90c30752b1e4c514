//! The options that several verbs have. Each is declared once, here.

use crate::report::{Format, Style};
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::path::PathBuf;

/// In which form a verb prints what it has found.
#[derive(clap::Args)]
pub struct Printing {
    /// Output format [default: table]
    #[arg(long, value_enum)]
    format: Option<Format>,
}

impl Printing {
    /// The format; a table if none was given.
    pub fn format(&self) -> Format {
        self.format.unwrap_or_default()
    }
}

/// Restricts `--format` to what a verb can write.
pub fn among(format: clap::Arg, known: &[Format]) -> clap::Arg {
    let names = known.iter().filter_map(ValueEnum::to_possible_value);
    let parser = PossibleValuesParser::new(names);
    format.value_parser(parser.map(|name| Format::from_str(&name, false).expect("a known format")))
}

/// What the tables of a run show.
#[derive(clap::Args)]
pub struct Tables {
    /// Also print the rows of secondary contenders: those that make an implementation take one code
    /// path, or call it in a second style. Tables leave them out if the contender that stands for
    /// them is there, unless the suite or --contender asks for them
    #[arg(long)]
    all: bool,
    /// Below the tables, print the full name of each contender whose name is shortened
    #[arg(long)]
    names: bool,
}

impl Tables {
    /// The style with these options.
    pub fn style(&self, style: Style) -> Style {
        Style { all: self.all, names: self.names, ..style }
    }
}

/// Whether a verb prints more than a screen.
#[derive(clap::Args)]
pub struct Length {
    /// Print everything, also what does not fit a screen
    #[arg(long)]
    pub all: bool,
}

/// C compilers that Cupel does not detect.
#[derive(clap::Args)]
pub struct Compilers {
    /// The path of a C compiler, in addition to those that Cupel detects; may be repeated
    #[arg(long = "compiler", value_name = "PATH")]
    pub given: Vec<PathBuf>,
}
