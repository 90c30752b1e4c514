//! The options of the verbs that print a run's tables.

use crate::report::Style;

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
