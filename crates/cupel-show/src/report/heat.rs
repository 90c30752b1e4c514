//! The contenders of a compiler matrix as a map: a line for each compiler, a column for each
//! optimisation level. A figure that is not separated from the baseline is marked and has no
//! colour, so a colour never says more than the interval does.

use super::notes::Notes;
use super::style::Style;
use comfy_table::{Cell, Color};
use cupel_analyse::{Answer, Row, Verdict};
use cupel_base::name::ContenderName;
use cupel_base::text::{WIDTH, plain, ratio_digits};
use cupel_host::toolchain::Variant;
use cupel_plan::Plan;

/// The width of a compiler's name and variant in 80 columns.
const NAME: usize = 22;

/// The width of a figure, with the space next to it.
const FIGURE: usize = 9;

/// What follows the name of a compiler that builds for the processor at hand.
const NATIVE: &str = " native";

/// Above this ratio, or below its inverse, a figure gets the strong colour.
const FAR: f64 = 1.25;

/// One map: the builds of one implementation.
pub struct Map<'a> {
    /// The implementation: `c/cupel-ssse3`.
    pub implementation: String,
    flags: Vec<&'a str>,
    lines: Vec<Line<'a>>,
}

struct Line<'a> {
    compiler: &'a str,
    native: bool,
    rows: Vec<Option<&'a Row>>,
}

/// The variant of a row, if it is part of a matrix.
pub fn variant<'a>(plan: &'a Plan, row: &Row) -> Option<&'a Variant> {
    plan.contender_of(row.cell).variant.as_ref()
}

/// What the builds of a map have in common: the implementation, with its primitive in a choice.
fn implementation(name: &ContenderName) -> ContenderName {
    let code = ContenderName::from(name.code());
    name.primitive().map_or(code.clone(), |primitive| code.with_primitive(primitive))
}

/// The maps of a comparison, in the order of its plan; none if it has no matrix.
pub fn maps<'a>(plan: &'a Plan, answer: &'a Answer) -> Vec<Map<'a>> {
    let mut maps: Vec<Map<'a>> = Vec::new();
    let mut rows: Vec<(&Variant, ContenderName, &Row)> = answer
        .rows
        .iter()
        .filter(|row| row.verdict != Verdict::Missing)
        .filter_map(|row| Some((variant(plan, row)?, implementation(&row.contender), row)))
        .collect();
    rows.sort_by_key(|(_, _, row)| row.cell);
    for (variant, name, row) in rows {
        let place = maps.iter().position(|m| name == m.implementation).unwrap_or_else(|| {
            maps.push(Map { implementation: name.to_string(), flags: vec![], lines: vec![] });
            maps.len() - 1
        });
        let map = &mut maps[place];
        let flag = map.flags.iter().position(|f| *f == variant.flag).unwrap_or_else(|| {
            map.flags.push(&variant.flag);
            map.flags.len() - 1
        });
        let (compiler, native) = (variant.compiler.as_str(), variant.native);
        let same = |l: &Line<'_>| (l.compiler, l.native) == (compiler, native);
        let line = map.lines.iter().position(same).unwrap_or_else(|| {
            map.lines.push(Line { compiler, native, rows: vec![] });
            map.lines.len() - 1
        });
        let rows = &mut map.lines[line].rows;
        rows.resize(rows.len().max(flag + 1), None);
        rows[flag] = Some(row);
    }
    maps
}

impl Map<'_> {
    /// The header and lines of each part of the map that fits next to the names.
    pub fn parts(&self, style: Style, notes: &mut Notes) -> Vec<(Vec<String>, Vec<Vec<Cell>>)> {
        let width = self.name_width(style);
        let columns = style.width.saturating_sub(width + 2) / FIGURE;
        let parts = (0..self.flags.len()).step_by(columns.max(1));
        parts.map(|from| self.part(from, columns.max(1), width, style, notes)).collect()
    }

    /// The width of the names: they get the columns beyond 80 that they need.
    fn name_width(&self, style: Style) -> usize {
        let compilers = self.lines.iter().map(|line| plain(line.compiler).chars().count());
        let longest = compilers.map(|length| length + NATIVE.len()).max().unwrap_or(0);
        let longest = longest.max(plain(&self.implementation).chars().count());
        longest.clamp(NAME, NAME + style.width.saturating_sub(WIDTH))
    }

    fn part(
        &self,
        from: usize,
        columns: usize,
        width: usize,
        style: Style,
        notes: &mut Notes,
    ) -> (Vec<String>, Vec<Vec<Cell>>) {
        let to = (from + columns).min(self.flags.len());
        let flags = self.flags[from..to].iter().map(|flag| plain(flag));
        let implementation = notes.labels(&[plain(&self.implementation)], width);
        let head = implementation.into_iter().chain(flags).collect();
        let compilers: Vec<String> = self.lines.iter().map(|line| plain(line.compiler)).collect();
        let names = notes.labels(&compilers, width - NATIVE.len());
        let line = |(line, name): (&Line<'_>, String)| {
            let name = name + if line.native { NATIVE } else { "" };
            let cell = |flag: usize| cell(line.rows.get(flag).copied().flatten(), style);
            [Cell::new(name)].into_iter().chain((from..to).map(cell)).collect()
        };
        (head, self.lines.iter().zip(names).map(line).collect())
    }
}

/// A ratio to the baseline, with `~` if it is not separated from it.
fn cell(row: Option<&Row>, style: Style) -> Cell {
    let Some(row) = row else { return Cell::new("- ") };
    let ratio = row.ratio.map(|ratio| ratio.estimate);
    let (text, colour) = match (row.verdict, ratio) {
        (Verdict::Baseline, _) => ("base ".to_string(), None),
        (Verdict::Failed, _) => ("failed ".to_string(), Some(Color::Magenta)),
        (Verdict::Faster, Some(r)) => (format!("{} ", ratio_digits(r)), Some(Color::Green)),
        (Verdict::Slower, Some(r)) if r < FAR => {
            (format!("{} ", ratio_digits(r)), Some(Color::Yellow))
        }
        (Verdict::Slower, Some(r)) => (format!("{} ", ratio_digits(r)), Some(Color::Red)),
        (_, Some(r)) => (format!("{}~", ratio_digits(r)), None),
        (_, None) => ("- ".to_string(), None),
    };
    match colour.filter(|_| style.colour) {
        Some(colour) => Cell::new(text).fg(colour),
        None => Cell::new(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_analyse::Ratio;
    use cupel_base::name::ContenderName;

    fn row(verdict: Verdict, ratio: f64) -> Row {
        Row {
            cell: 0,
            contender: ContenderName::default(),
            version: String::new(),
            code_path: String::new(),
            ns: None,
            ratio: Some(Ratio { estimate: ratio, low: ratio, high: ratio }),
            ratio_in_run: None,
            ratio_levels: vec![],
            verdict,
            reason: None,
            limit: None,
            forks: 0,
            rounds: 0,
            dropped: 0,
            steadiness: vec![],
            levels: vec![],
            slows_next: 1.0,
            compiled: None,
            aside: false,
            unsettled_warm_ups: 0,
            first_call_ns: None,
            allocated_per_call: None,
            collecting_ns_per_call: None,
            ratio_without_collecting: None,
            line: None,
        }
    }

    #[test]
    fn what_is_not_separated_is_marked_and_has_no_colour() {
        let [plain, colour] = [false, true].map(|colour| Style { colour, ..Style::default() });
        for (verdict, ratio, text, coloured) in [
            (Verdict::Faster, 0.9, "0.900 ", true),
            (Verdict::Slower, 1.1, "1.100 ", true),
            (Verdict::Slower, 12.0, "12.00 ", true),
            // However far it seems to be.
            (Verdict::NotSeparated, 1.4, "1.400~", false),
            (Verdict::Baseline, 1.0, "base ", false),
            (Verdict::Failed, 1.0, "failed ", true),
        ] {
            let row = row(verdict, ratio);
            assert_eq!(cell(Some(&row), plain).content(), text);
            let is_coloured = cell(Some(&row), colour) != cell(Some(&row), plain);
            assert_eq!(is_coloured, coloured, "{verdict:?}");
        }
        assert_eq!(cell(None, plain).content(), "- ");
    }
}
