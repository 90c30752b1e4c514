//! Rust's divan: a tree of groups and benchmarks, with six columns next to it. A benchmark that
//! counts bytes has its rates in a second line, and one that counts allocations has more lines;
//! those have no branch of the tree before them.
//!
//! Written by `src/tree_painter.rs` of nvzqz/divan at bca5c967; its `src/util/fmt.rs` cuts figures
//! off after four digits.

use super::text::{number, quantity, rate_of_bytes, unit};
use super::{BREAKS_OFF, Content, Input, Measured, cargo};

/// The columns after the first, `fastest`.
const COLUMNS: [&str; 5] = ["slowest", "median", "mean", "samples", "iters"];

/// How many of the six columns are times, and the place of the median among them.
const TIMES: usize = 4;
const MEDIAN: usize = 2;

/// A time in ns.
fn time(text: &str) -> Option<f64> {
    let (value, name) = quantity(text)?;
    let name = match name {
        "m" => "min",
        "d" => "day",
        name => name,
    };
    Some(value * unit(name)?)
}

/// Figures are cut off after this number of digits.
const DIGITS: i32 = 4;

pub fn read(input: &Input) -> Option<Result<Content, String>> {
    let mut content = Content::default();
    // The names from the root to the last line.
    let mut names: Vec<&str> = Vec::new();
    let mut times: Vec<&str> = Vec::new();
    let mut binary = "";
    for line in input.text.lines() {
        binary = cargo::running(line).unwrap_or(binary);
        let mut cells: Vec<&str> = line.split('│').map(str::trim).collect();
        if let Some(root) = cells[0].strip_suffix("fastest").filter(|_| cells[1..] == COLUMNS) {
            names = vec![root.trim()];
            times.clear();
            continue;
        }
        if let Some((depth, rest)) = branch(line).filter(|_| !names.is_empty()) {
            let name;
            (name, cells) = row(rest);
            names.truncate(depth);
            names.push(name);
            times.clear();
        }
        // A benchmark that prints separates its name from its figures.
        if times.is_empty() && names.len() > 1 {
            if let Some(row) = measured(&names, &cells) {
                content.results.push(row.from("bench", binary));
                times = cells;
            }
        } else if let Some(last) = content.results.last_mut().filter(|_| !times.is_empty()) {
            let rates = &cells[cells.len().saturating_sub(COLUMNS.len() + 1)..];
            last.bytes = last.bytes.or_else(|| bytes(&times, rates, &last.name));
        }
    }
    (!content.results.is_empty()).then_some(Ok(content))
}

/// The depth of a line of the tree, and the text after its branch.
fn branch(line: &str) -> Option<(usize, &str)> {
    let mut depth = 1;
    let mut rest = line;
    loop {
        let end = rest.char_indices().nth(3).map(|(at, _)| at)?;
        let (part, after) = rest.split_at(end);
        match part {
            "│  " | "   " => depth += 1,
            "├─ " | "╰─ " => return Some((depth, after)),
            _ => return None,
        }
        rest = after;
    }
}

/// The name of a line of the tree, and its cells. At least two spaces divide them.
fn row(text: &str) -> (&str, Vec<&str>) {
    let mut cells: Vec<&str> = text.split('│').map(str::trim).collect();
    let (name, first) = cells[0].rsplit_once("  ").unwrap_or((cells[0], ""));
    if first != "(ignored)" && time(first).is_none() {
        return (cells[0].split("  ").next().unwrap_or_default(), cells);
    }
    cells[0] = first;
    (name.trim(), cells)
}

/// The result in these cells, if they have one.
fn measured(names: &[&str], cells: &[&str]) -> Option<Measured> {
    let mut row = Measured::new(&names.join("/"), "median");
    row.ns = cells.get(MEDIAN).and_then(|median| time(median));
    row.samples = cells.get(TIMES).and_then(|n| n.parse().ok()).unwrap_or(0);
    let is_whole = cells.len() > COLUMNS.len();
    row.error = match cells[0] {
        "(ignored)" => Some("it was ignored".to_string()),
        // The beginning of `1.25 ms` is `1.25 m`.
        _ => (!is_whole).then(|| BREAKS_OFF.to_string()).filter(|_| row.ns.is_some()),
    };
    (row.ns.is_some() || row.error.is_some()).then_some(row)
}

/// The only number of bytes that explains all rates; among several, one that is in the name.
fn bytes(times: &[&str], rates: &[&str], name: &str) -> Option<u64> {
    let (mut low, mut high) = (0.0f64, f64::INFINITY);
    for (taken, rate) in times.iter().zip(rates).take(TIMES) {
        let (rate, unit) = quantity(rate)?;
        let scale = rate_of_bytes(unit)? * time(taken)? / 1e9;
        let (figure, _) = quantity(taken)?;
        let [most_rate, most_time] = [rate, figure].map(|figure| figure + last_digit(figure));
        low = low.max(rate * scale);
        high = high.min(most_rate * scale * (most_time / figure));
    }
    let (first, last) = ((low * (1.0 - 1e-9)).ceil(), high.floor());
    if first == last {
        return Some(first as u64);
    }
    let mut parts = name.split(|c: char| !c.is_ascii_digit()).rev().filter_map(number);
    parts.find(|part| (first..=last).contains(part)).map(|part| part as u64)
}

/// The last digit of a figure that was cut off, as it may have been larger by that.
fn last_digit(figure: f64) -> f64 {
    let whole = figure.abs().max(1.0).log10().floor() as i32 + 1;
    10f64.powi((whole - DIGITS).min(0))
}
