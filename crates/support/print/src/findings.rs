//! The findings of a question, before the figures of its run.

use crate::document::Document;
use crate::print;
use crate::style::Style;

/// Sentences, notes and tables, for a terminal or in Markdown.
#[derive(Debug, Default)]
pub struct Findings(pub Document);

impl Findings {
    /// Adds a line at this depth in a list.
    pub fn item(&mut self, depth: usize, text: impl Into<String>) {
        self.0.item(depth, text);
    }

    /// For a terminal.
    pub fn text(&self, style: Style) -> String {
        print::text(&self.0, style)
    }

    /// In Markdown.
    pub fn markdown(&self) -> String {
        print::markdown(&self.0)
    }
}
