//! Notes for the reader of tables: shortened names, drawn intervals.

use crate::style::Style;
use cupel_base::name::labels;
use std::collections::BTreeSet;

/// The notation that the tables above have used.
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

    /// Remembers the names whose labels are shorter.
    pub fn remember(&mut self, names: &[String], labels: &[String]) {
        let cut = labels.iter().zip(names).filter(|(label, name)| label != name);
        self.shortened.extend(cut.map(|(label, name)| (label.clone(), name.clone())));
    }

    /// Explains the drawings, and how to see the names in full.
    pub fn reading(&self, style: Style) -> Vec<&'static str> {
        let drawings = self.drawn.then_some(
            "Last column: a bar from the baseline's 1 (:) to the ratio (o), and its interval (|--|), \
             on a logarithmic scale between the ratios at its head; < or > is beyond the scale.",
        );
        let is_said = !style.all && !self.shortened.is_empty();
        let names = is_said.then_some("Names with … are shortened; --all prints them in full.");
        drawings.into_iter().chain(names).collect()
    }

    /// The full names of those that are shortened, each on one line, so that it can be copied.
    pub fn names(&self) -> String {
        let widest = self.shortened.iter().map(|(label, _)| label.chars().count()).max();
        let Some(widest) = widest else { return String::new() };
        let lines =
            self.shortened.iter().map(|(label, name)| format!("  {label:<widest$}  {name}\n"));
        format!("\nnames in full\n{}", lines.collect::<String>())
    }
}
