//! Tables for a terminal: names as long as its width allows, a drawing of the intervals next to the
//! figures if there is space for it, and maps in as many parts as they need.

use super::drawing::{Scale, WIDTHS};
use super::notes::Notes;
use crate::document::{Cell, Colour, Fit, Row, Table};
use crate::style::Style;
use comfy_table::{Attribute, CellAlignment, Color, ContentArrangement, presets};
use cupel_base::name::labels;
use cupel_base::text::{WIDTH, plain};
use std::ops::Range;

/// The narrowest column to which names are shortened if the figures need the space.
const SHORTEST: usize = 8;

/// The widest column of names, however wide the terminal is: one monstrous name must not move the
/// figures away from all others.
const LONGEST: usize = 64;

/// From this width on, a table has a drawing.
const DRAWN: usize = 110;

/// The width of a map's names in 80 columns.
const NAME: usize = 22;

/// The width of a map's figure, with the space next to it.
const FIGURE: usize = 9;

/// The tables that show a table within the width of the terminal: several of a map, one of all
/// others.
pub fn tables(table: &Table, style: Style, notes: &mut Notes) -> Vec<comfy_table::Table> {
    let every = 0..table.columns.len();
    match table.fit {
        Fit::Whole => vec![drawn(table, every, &Names::in_table(table), None, style)],
        Fit::Names | Fit::Intervals => vec![fitting(table, style, notes)],
        Fit::Map => parts(table, style, notes),
    }
}

/// The first column as it is shown.
struct Names {
    head: String,
    rows: Vec<String>,
}

impl Names {
    fn in_table(table: &Table) -> Names {
        let rows = table.rows.iter().filter_map(|row| row.cells.first());
        Names {
            head: table.columns.first().map_or(String::new(), |column| plain(&column.title)),
            rows: rows.map(|cell| plain(&cell.text)).collect(),
        }
    }

    fn shortened(&self, most: usize) -> Names {
        Names { head: self.head.clone(), rows: labels(&self.rows, most) }
    }
}

/// The widest table that fits. Names come first: none is shortened for a drawing.
fn fitting(table: &Table, style: Style, notes: &mut Notes) -> comfy_table::Table {
    let every = 0..table.columns.len();
    let names = Names::in_table(table);
    let longest = names.rows.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let fits = |drawn: &comfy_table::Table| width(drawn) <= style.width;
    let shown = (SHORTEST..=longest.clamp(SHORTEST, LONGEST))
        .rev()
        .map(|most| names.shortened(most))
        .find(|names| fits(&drawn(table, every.clone(), names, None, style)))
        .unwrap_or_else(|| names.shortened(SHORTEST));
    notes.remember(&names.rows, &shown.rows);
    let ratios = table.rows.iter().filter_map(|row| row.ratio.as_ref());
    let scale =
        Scale::for_ratios(ratios).filter(|_| table.fit == Fit::Intervals && style.width >= DRAWN);
    let (least, most) = WIDTHS;
    let with_drawing = scale.and_then(|scale| {
        (least..=most)
            .rev()
            .map(|wide| drawn(table, every.clone(), &shown, Some((&scale, wide)), style))
            .find(fits)
    });
    notes.drawn |= with_drawing.is_some();
    with_drawing.unwrap_or_else(|| drawn(table, every, &shown, None, style))
}

/// The parts of a map that fit next to its names, which get the columns beyond 80 that they need.
fn parts(table: &Table, style: Style, notes: &mut Notes) -> Vec<comfy_table::Table> {
    let names = Names::in_table(table);
    let suffix =
        table.rows.iter().filter_map(|row| row.cells.first()).map(|cell| cell.suffix.len());
    let suffix = suffix.max().unwrap_or(0);
    let longest = names.rows.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let width = (longest + suffix)
        .max(names.head.chars().count())
        .clamp(NAME, NAME + style.width.saturating_sub(WIDTH));
    let shown = Names {
        head: notes.labels(&[names.head], width).remove(0),
        rows: notes.labels(&names.rows, width - suffix),
    };
    let columns = (style.width.saturating_sub(width + 2) / FIGURE).max(1);
    let all = table.columns.len();
    (1..all)
        .step_by(columns)
        .map(|from| drawn(table, from..(from + columns).min(all), &shown, None, style))
        .collect()
}

/// A table with some of its columns next to the names, and with a drawing of this width.
fn drawn(
    table: &Table,
    columns: Range<usize>,
    names: &Names,
    drawing: Option<(&Scale, usize)>,
    style: Style,
) -> comfy_table::Table {
    let mut out = comfy_table::Table::new();
    out.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    if style.colour {
        out.enforce_styling();
    } else {
        out.force_no_tty();
    }
    let columns = columns.start.max(1)..columns.end;
    let titles = table.columns[columns.clone()].iter().map(|column| plain(&column.title));
    let drawn_head = drawing.map(|(scale, wide)| scale.head(wide));
    let titles = [names.head.clone()].into_iter().chain(titles).chain(drawn_head);
    out.set_header(titles.map(|title| head(title, style)));
    for (row, name) in table.rows.iter().zip(&names.rows) {
        let first = row.cells.first().map(|first| format!("{name}{}", first.suffix));
        let first = first.map(comfy_table::Cell::new);
        let cells = columns.clone().map(|column| cell(row, column, style));
        let drawn = drawing.map(|(scale, wide)| scale.draw(row.ratio.as_ref(), wide));
        out.add_row(first.into_iter().chain(cells).chain(drawn.map(comfy_table::Cell::new)));
    }
    for (shown, column) in [0].into_iter().chain(columns).enumerate() {
        if let Some(drawn) = out.column_mut(shown).filter(|_| table.columns[column].right) {
            drawn.set_cell_alignment(CellAlignment::Right);
        }
    }
    out
}

fn head(title: String, style: Style) -> comfy_table::Cell {
    let head = comfy_table::Cell::new(title);
    if style.colour { head.add_attribute(Attribute::Bold) } else { head }
}

fn cell(row: &Row, column: usize, style: Style) -> comfy_table::Cell {
    let Some(Cell { text, colour, .. }) = row.cells.get(column) else {
        return comfy_table::Cell::new("");
    };
    let cell = comfy_table::Cell::new(plain(text));
    match colour.filter(|_| style.colour) {
        Some(Colour::Green) => cell.fg(Color::Green),
        Some(Colour::Yellow) => cell.fg(Color::Yellow),
        Some(Colour::Red) => cell.fg(Color::Red),
        Some(Colour::Magenta) => cell.fg(Color::Magenta),
        None => cell,
    }
}

/// A table's width in columns.
fn width(table: &comfy_table::Table) -> usize {
    let lines = table.lines().map(|line| strip(&line).chars().count());
    lines.max().unwrap_or(0)
}

/// Removes a line's colour codes.
fn strip(line: &str) -> String {
    let mut coloured = false;
    line.chars()
        .filter(|&c| {
            let was = coloured;
            coloured = c == '\u{1b}' || (coloured && c != 'm');
            !was && !coloured
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{left, right};
    use cupel_analyse::Ratio;

    #[test]
    fn a_map_has_as_many_parts_as_it_needs_and_the_end_of_a_name_is_kept() {
        let flags = (0..12).map(|flag| right(format!("-O{flag}")));
        let mut table = Table::new(Fit::Map, [left("c/portable")].into_iter().chain(flags));
        let name = Cell { suffix: " native", ..Cell::from("a-compiler-with-a-long-name-17") };
        table.row([name].into_iter().chain((0..12).map(|figure| Cell::from(format!("{figure}~")))));
        let mut notes = Notes::default();
        let parts = tables(&table, Style::default(), &mut notes);
        let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
        assert_eq!(parts.len(), 2, "{parts:?}");
        assert!(parts[0].contains("-O5") && parts[1].contains("-O11"), "{parts:?}");
        for part in &parts {
            assert!(part.contains("… native ") && part.contains("c/portable"), "{part}");
            assert!(part.lines().all(|line| line.chars().count() <= WIDTH), "{part}");
        }
        assert!(notes.names().contains("a-compiler-with-a-long-name-17"));
    }

    #[test]
    fn a_name_is_not_shortened_for_a_drawing() {
        let mut table = Table::new(Fit::Intervals, [left("at 64 B"), right("ratio")]);
        let ratio = Ratio { estimate: 2.0, low: 1.9, high: 2.1 };
        table.drawn_row(["n".repeat(60).into(), Cell::from("2.000")], Some(ratio));
        for (width, drawn) in [(80, false), (110, true)] {
            let mut notes = Notes::default();
            let style = Style { width, ..Style::default() };
            let text = tables(&table, style, &mut notes)[0].to_string();
            assert!(text.contains(&"n".repeat(60)), "{text}");
            assert_eq!((text.contains(':'), notes.drawn), (drawn, drawn), "{text}");
        }
    }
}
