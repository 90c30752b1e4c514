//! A document for a terminal. Prose has 80 columns, a table as many as the terminal.

use super::fitting::tables;
use super::notes::Notes;
use crate::document::{Block, Colour, Document, Emphasis, Line};
use crate::style::Style;
use cupel_base::text::{self, folded, plain};

/// Writes a document for a terminal.
pub fn text(document: &Document, style: Style) -> String {
    let mut out = String::new();
    let mut notes = Notes::default();
    for block in &document.blocks {
        match block {
            Block::Heading(level, text) => {
                if *level > 1 && !out.is_empty() {
                    out.push('\n');
                }
                out += &folded("", &plain(text));
            }
            Block::Line(line) => out += &prose(line, style),
            Block::Command { depth, command } => {
                out += &text::command(&indent(*depth), &plain(command));
            }
            Block::Table(table) => {
                let tables = tables(table, style, &mut notes);
                let drawn = tables.iter().map(|table| format!("\n{}", table.trim_fmt()));
                out += &drawn.collect::<Vec<_>>().join("\n");
            }
            Block::Gap => {}
            Block::Reading => {
                for line in notes.reading(style) {
                    out += &(folded("", line) + "\n");
                }
                continue;
            }
        }
        out.push('\n');
    }
    if style.all {
        out += &notes.names();
    }
    out
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth)
}

fn prose(line: &Line, style: Style) -> String {
    let folded = folded(&indent(line.item.unwrap_or(0)), &plain(&line.text));
    match line.emphasis {
        // Coloured after it is folded, because colour codes have no width.
        Emphasis::Word(word, colour) if style.colour => {
            let coloured = format!("\u{1b}[{}m{word}\u{1b}[0m", code(colour));
            folded.replacen(word, &coloured, 1)
        }
        _ => folded,
    }
}

fn code(colour: Colour) -> u8 {
    match colour {
        Colour::Red => 31,
        Colour::Green => 32,
        Colour::Yellow => 33,
        Colour::Magenta => 35,
    }
}
