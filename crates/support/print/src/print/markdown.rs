//! A document in Markdown.

use crate::document::{Block, Cell, Colour, Document, Emphasis, Line, Table};
use cupel_base::text::plain;

/// Writes a document in Markdown.
pub fn markdown(document: &Document) -> String {
    let mut out = String::new();
    // The depths of the list that is open.
    let mut list: Vec<usize> = Vec::new();
    for block in &document.blocks {
        let (depth, text) = match block {
            Block::Heading(level, text) => {
                (None, format!("{} {}", "#".repeat(*level), escaped(text)))
            }
            Block::Line(line) => (line.item, prose(line)),
            Block::Command { depth, command } => (Some(*depth), code(command)),
            Block::Table(table) => (None, rows(table)),
            Block::Gap | Block::Reading => continue,
        };
        let in_list = !list.is_empty();
        list.retain(|open| depth.is_some_and(|depth| *open < depth));
        let goes_on = in_list && depth.is_some();
        if !out.is_empty() && !goes_on {
            out.push('\n');
        }
        if let Some(depth) = depth {
            out += &format!("{}- ", "  ".repeat(list.len()));
            list.push(depth);
        }
        out += &(text + "\n");
    }
    out
}

/// A document below a title that opens it, as a comment on a change shows it.
pub fn folded(title: &str, document: &Document) -> String {
    format!(
        "\n<details><summary>{}</summary>\n\n{}\n</details>\n",
        escaped(title),
        markdown(document)
    )
}

fn prose(line: &Line) -> String {
    let text = escaped(&line.text);
    match line.emphasis {
        Emphasis::None => text,
        Emphasis::Word(word, _) => text.replacen(word, &format!("**{word}**"), 1),
        Emphasis::All => format!("**{text}**"),
    }
}

fn rows(table: &Table) -> String {
    let titles = table.columns.iter().map(|column| escaped(&column.title));
    let rule = table.columns.iter().map(|column| if column.right { "--:" } else { ":--" });
    let rows = table.rows.iter().map(|row| line(row.cells.iter().map(cell)));
    let head = [line(titles), format!("|{}|", rule.collect::<Vec<_>>().join("|"))];
    head.into_iter().chain(rows).collect::<Vec<_>>().join("\n")
}

/// A cell. Red text of a terminal is bold.
fn cell(cell: &Cell) -> String {
    let text = escaped(format!("{}{}", cell.text, cell.suffix).trim_end());
    if cell.colour == Some(Colour::Red) { format!("**{text}**") } else { text }
}

fn line(cells: impl Iterator<Item = String>) -> String {
    format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
}

/// A text as code, in which nothing can be escaped.
fn code(text: &str) -> String {
    format!("`{}`", plain(text).replace('`', "'"))
}

/// Escapes a text from outside, so that it cannot end its cell or start markup.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    let plain = plain(text);
    let mut chars = plain.chars().peekable();
    let mut before = None;
    while let Some(c) = chars.next() {
        if "|\\`*_[]<>#&~$".contains(c) {
            out.push('\\');
        }
        out.push(c);
        // A backslash does not keep a name from mentioning an account; this space has no width.
        let begins = before.is_none_or(|before: char| !before.is_alphanumeric());
        if c == '@' && begins && chars.peek().is_some_and(char::is_ascii_alphanumeric) {
            out.push_str("&#8203;");
        }
        before = Some(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Fit, left, right};

    #[test]
    fn a_name_cannot_leave_its_cell() {
        assert_eq!(escaped("a|b<script>`"), "a\\|b\\<script\\>\\`");
        assert_eq!(escaped("~~s~~ $x$"), "\\~\\~s\\~\\~ \\$x\\$");
    }

    #[test]
    fn a_name_mentions_no_account() {
        assert_eq!(escaped("@noble/hashes a@b @"), "@&#8203;noble/hashes a@b @");
    }

    #[test]
    fn lists_nest_by_their_depths_and_all_else_has_space() {
        let mut document = Document::default();
        document.item(0, "answer");
        document.item(6, "open");
        document.command(7, "cupel `run`".to_string());
        document.item(0, "another");
        document.heading(2, "title");
        let mut table = Table::new(Fit::Whole, [left("name"), right("time")]);
        table.row(["a|b", "1 ns"].map(Cell::from));
        table.row(["c".into(), Cell::new("1.300 ", Some(Colour::Red))]);
        document.table(table);
        document.note("below");
        document.line(Some(1), "refuted: c", Emphasis::Word("refuted", Colour::Red));
        assert_eq!(
            markdown(&document),
            "- answer\n  - open\n    - `cupel 'run'`\n- another\n\n## title\n\n| name | time |\n\
             |:--|--:|\n| a\\|b | 1 ns |\n| c | **1.300** |\n\n- below\n- **refuted**: c\n"
        );
    }
}
