//! What the foot of the tables has to explain: shortened names, drawn intervals.

use super::style::Style;
use cupel_base::name::labels;
use cupel_base::text::folded;
use std::collections::BTreeSet;
use std::fmt::Write;

/// What the tables above have used.
#[derive(Default)]
pub struct Notes {
    /// Each shortened name with its full name.
    shortened: BTreeSet<(String, String)>,
    /// Whether intervals are drawn.
    pub drawn: bool,
}

impl Notes {
    /// Shortens names to a column of this width, and remembers those that are shortened.
    pub fn labels(&mut self, names: &[String], width: usize) -> Vec<String> {
        let labels = labels(names, width);
        self.remember(names, &labels);
        labels
    }

    /// Remembers those of these names whose labels are shorter.
    pub fn remember(&mut self, names: &[String], labels: &[String]) {
        let cut = labels.iter().zip(names).filter(|(label, name)| label != name);
        self.shortened.extend(cut.map(|(label, name)| (label.clone(), name.clone())));
    }

    /// Explains the drawings, and how to see the names in full.
    pub fn explain(&self, out: &mut String, style: Style) {
        let mut tell = |line: &str| {
            let _ = writeln!(out, "{}", folded("", line));
        };
        if self.drawn {
            tell(
                "Last column: the interval on a logarithmic scale, from the ratio at the left of \
                 its head to that at the right; o is the ratio, : the baseline's 1, and < or > an \
                 end beyond the scale.",
            );
        }
        match (style.names, self.shortened.is_empty()) {
            (false, false) => tell("Names with … are shortened; --names prints them in full."),
            (true, true) => tell("No name is shortened."),
            (false, true) | (true, false) => {}
        }
    }

    /// The full names of those that are shortened, each on one line, so that it can be copied.
    pub fn names(&self, out: &mut String) {
        let widest = self.shortened.iter().map(|(label, _)| label.chars().count()).max();
        let Some(widest) = widest else { return };
        let _ = writeln!(out, "\nnames in full");
        for (label, name) in &self.shortened {
            let _ = writeln!(out, "  {label:<widest$}  {name}");
        }
    }
}
