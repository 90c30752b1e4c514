//! The widths of a table's columns: names as long as the terminal allows, and a drawing of the
//! intervals next to the figures if there is space for it.

use super::drawing::WIDTHS;
use super::notes::Notes;
use super::style::Style;
use comfy_table::Table;
use cupel_base::name::labels;

/// The narrowest column to which names are shortened if the figures need the space.
const SHORTEST: usize = 8;

/// The widest column of names, however wide the terminal is: one monstrous name must not move the
/// figures away from all others.
const LONGEST: usize = 64;

/// From this width on, a table has a drawing.
const DRAWN: usize = 110;

/// The widest table that fits the terminal. `draw` makes a table of the labels of `names`, with a
/// drawing of this width unless that is 0. Only a table of intervals (`intervals`) has one. Names
/// come first: none is shortened for a drawing.
pub fn fitting(
    names: &[String],
    intervals: bool,
    style: Style,
    notes: &mut Notes,
    draw: impl Fn(&[String], usize) -> Table,
) -> Table {
    let fits = |table: &Table| width(table) <= style.width;
    let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let longest = longest.clamp(SHORTEST, LONGEST);
    let drawn = |most: usize| {
        let labels = labels(names, most);
        (draw(&labels, 0), labels)
    };
    let fitting = (SHORTEST..=longest).rev().map(drawn).find(|(table, _)| fits(table));
    let (table, labels) = fitting.unwrap_or_else(|| drawn(SHORTEST));
    notes.remember(names, &labels);
    if !intervals || style.width < DRAWN {
        return table;
    }
    let (least, most) = WIDTHS;
    let with_drawing = (least..=most).rev().map(|wide| draw(&labels, wide)).find(fits);
    notes.drawn |= with_drawing.is_some();
    with_drawing.unwrap_or(table)
}

/// A table's width in columns.
fn width(table: &Table) -> usize {
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
