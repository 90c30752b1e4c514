//! A format that any program can write: lines of `name value unit`, or JSON with these three, as
//! the charts of github-action-benchmark have it.
//!
//! A result line is a name, a number and a unit, and nothing else. A line that nearly is one, such
//! as a time with its deviation, is refused with its number: it would be misread.

use super::pattern::{Found, Pattern};
use super::text::{
    CALLS, NOT_A_TIME, Separators, is_in_figure, is_rate, number, per_call, rate_of_bytes, unit,
};
use super::{BREAKS_OFF, Content, Input, Measured};
use serde_json::Value;

/// The most characters of a line that is refused.
const LONGEST_QUOTE: usize = 100;

pub fn read(input: &Input) -> Option<Result<Content, String>> {
    let mut results = Vec::new();
    let mut objects: Vec<Object> = Vec::new();
    for value in &input.json.values {
        objects.extend(value.as_array().into_iter().flatten().filter_map(Object::parse));
        objects.extend(Object::parse(value));
        for (suite, list) in value["entries"].as_object().into_iter().flatten() {
            for entry in list.as_array().into_iter().flatten() {
                let rows = entry["benches"].as_array().into_iter().flatten();
                let commit = entry["commit"]["id"].as_str().unwrap_or_default();
                let rows = rows.filter_map(Object::parse);
                objects.extend(rows.map(|row| Object { commit: Some(commit), suite, ..row }));
            }
        }
    }
    let separators = Separators::used_in(objects.iter().filter_map(|row| row.value.as_str()));
    for row in objects {
        match row.measured(separators) {
            Ok(row) => results.push(row),
            Err(why) => return Some(Err(why)),
        }
    }
    let has_json = !results.is_empty();
    let lines = input.text.lines().zip(1..);
    let lines: Vec<(&str, usize)> =
        lines.filter(|(line, _)| !line.trim().is_empty() && !is_comment(line)).collect();
    let rows: Vec<Option<Row>> = lines.iter().map(|(line, _)| Row::parse(line)).collect();
    let may_group = !rows.iter().flatten().any(Row::shows_no_groups);
    let is_clear = |row: &Row| !(may_group && row.may_be_cut());
    let rows: Vec<Option<Row>> = rows.into_iter().map(|row| row.filter(is_clear)).collect();
    // It is recognised by having a time, and nothing else.
    let timed = rows.iter().flatten().any(|row| in_unit(row.name, 1.0, row.unit).ns.is_some());
    if input.chosen || (timed && rows.iter().all(Option::is_some)) {
        let separators = Separators::used_in(rows.iter().flatten().map(|row| row.value));
        let last = if input.is_whole { 0 } else { input.text.lines().count() };
        let units: Vec<&str> = rows.iter().flatten().map(|row| row.unit).collect();
        let is_cut = |unit: &str| {
            let is_only = units.iter().filter(|one| **one == unit).count() == 1;
            is_only && may_be_longer(unit, &units)
        };
        for ((line, number), row) in lines.into_iter().zip(rows) {
            if input.chosen
                && row.is_none()
                && let Some(unit) = misspelt_unit(line)
            {
                return Some(Err(format!("line {number}: {}", unknown_unit(unit))));
            }
            match row {
                Some(row) if number == last && is_cut(row.unit) => {
                    results.push(Measured::failed(row.name, BREAKS_OFF));
                }
                Some(row) => match separators.value(row.value) {
                    Some(Ok(value)) => results.push(in_unit(row.name, value, row.unit)),
                    Some(Err(why)) => return Some(Err(format!("line {number}: {why}"))),
                    None => {}
                },
                None if !has_json && has_time(line) => {
                    let line: String = line.trim().chars().take(LONGEST_QUOTE).collect();
                    return Some(Err(format!(
                        "line {number} has a time and is not only a name, a number and a unit: \
                         \"{line}\""
                    )));
                }
                None => {}
            }
        }
    }
    (!results.is_empty()).then(|| Ok(Content { results, ..Content::default() }))
}

/// The lines of a pattern, and no others.
pub fn matching(input: &Input, pattern: &str) -> Option<Result<Content, String>> {
    let pattern = match Pattern::parse(pattern) {
        Ok(pattern) => pattern,
        Err(why) => return Some(Err(why)),
    };
    let lines = input.text.lines().zip(1..);
    let row = |line| {
        let Found { name, value, unit } = pattern.find(line)?;
        Some(Row { name, value, unit, after_number: ends_in_digits(name) })
    };
    let rows: Vec<(Row, usize)> =
        lines.filter_map(|(line, number)| Some((row(line)?, number))).collect();
    let may_group = !rows.iter().any(|(row, _)| row.shows_no_groups());
    let separators = Separators::used_in(rows.iter().map(|(row, _)| row.value));
    let mut results = Vec::new();
    for (row, number) in rows {
        let name = row.name.trim_end_matches(|c: char| ":=|".contains(c) || c.is_whitespace());
        match separators.value(row.value) {
            // The pattern may take one of several figures.
            _ if is_figures(name) || has_time(name) || may_group && row.may_be_cut() => {
                let name = before_figures(name);
                if !name.is_empty() {
                    results.push(Measured::failed(&name, "its name may hold a figure, too"));
                }
            }
            Some(Ok(value)) => results.push(in_unit(name, value, row.unit)),
            Some(Err(why)) => return Some(Err(format!("line {number}: {why}"))),
            None => results.push(Measured::failed(name, format!("{} is no number", row.value))),
        }
    }
    (!results.is_empty()).then(|| Ok(Content { results, ..Content::default() }))
}

/// An object of JSON with a result, perhaps of one commit in the history of a suite.
struct Object<'a> {
    name: &'a str,
    value: &'a Value,
    unit: &'a str,
    commit: Option<&'a str>,
    suite: &'a str,
}

impl<'a> Object<'a> {
    fn parse(row: &'a Value) -> Option<Object<'a>> {
        let (name, value, unit) = (row["name"].as_str()?, row.get("value")?, row["unit"].as_str()?);
        Some(Object { name, value, unit, commit: None, suite: "" })
    }

    fn measured(&self, separators: Separators) -> Result<Measured, String> {
        let text = self.value.as_str().and_then(|text| separators.value(text.trim()));
        let mut row = match (self.value.as_f64(), text) {
            (Some(value), _) | (None, Some(Ok(value))) => in_unit(self.name, value, self.unit),
            (None, Some(Err(why))) => return Err(format!("{}: {why}", self.name)),
            // JavaScript writes null for a value that is no number.
            (None, None) => Measured::failed(self.name, format!("its value is {}", self.value)),
        };
        if let Some(commit) = self.commit {
            row.add("commit", commit.chars().take(7).collect::<String>());
        }
        Ok(row.from("suite", self.suite))
    }
}

/// Whether a unit may be the beginning of another: one of these, such as `ns` for `ns/byte`, or a usual
/// one, such as `ns/o`.
fn may_be_longer(unit: &str, all: &[&str]) -> bool {
    let other = unit.split_once('/').map_or("-", |(_, other)| other);
    let begins = |known: &&str| known.starts_with(other) && *known != other;
    let is_begun = per_call(1.0, unit, 1).is_err() && CALLS.iter().chain(&["byte"]).any(begins);
    is_begun || all.iter().any(|one| *one != unit && one.starts_with(unit))
}

/// A line that is a name, a number and a unit.
struct Row<'a> {
    name: &'a str,
    value: &'a str,
    unit: &'a str,
    /// Whether the word before the value is a number of up to three digits, as in `1 234`.
    after_number: bool,
}

impl<'a> Row<'a> {
    fn parse(line: &'a str) -> Option<Row<'a>> {
        let (rest, unit) = line.trim().rsplit_once(char::is_whitespace)?;
        let (name, value) = rest.trim_end().rsplit_once(char::is_whitespace)?;
        let after_number = ends_in_digits(name);
        let name = name.trim_end_matches(|c: char| ":=".contains(c) || c.is_whitespace());
        number(value)?;
        // `1 034` is one number with a space in it.
        let is_rest =
            value.len() == 3 && value.starts_with('0') && value.chars().all(|c| c.is_ascii_digit());
        if is_rest && name.split_whitespace().next_back().is_some_and(|word| number(word).is_some())
        {
            return None;
        }
        let is_row = !name.is_empty() && is_unit(unit) && !is_figures(name) && !has_time(name);
        is_row.then_some(Row { name, value, unit, after_number })
    }

    /// The digits before a separator.
    fn digits(&self) -> usize {
        self.value.bytes().take_while(u8::is_ascii_digit).count()
    }

    /// Whether its value may be the end of a number with a space between thousands.
    fn may_be_cut(&self) -> bool {
        self.after_number && self.digits() == 3
    }

    /// Whether it shows that its program puts no spaces there, or ends names with numbers.
    fn shows_no_groups(&self) -> bool {
        self.digits() > 3 || self.after_number && self.digits() != 3
    }
}

/// Whether the last of several words may be the thousands of a number.
fn ends_in_digits(text: &str) -> bool {
    let mut words = text.split_whitespace().rev();
    let last = words.next().unwrap_or_default();
    let is_number = last.bytes().all(|byte| byte.is_ascii_digit()) && !last.starts_with('0');
    (1..4).contains(&last.len()) && is_number && words.next().is_some()
}

/// The words before the first number, which may differ between executions.
fn before_figures(name: &str) -> String {
    let words = name.split_whitespace().take_while(|word| number(word).is_none());
    words.collect::<Vec<_>>().join(" ").trim_end_matches([':', '=']).to_string()
}

/// Whether a line is a comment: `# text`. `#1-seal` is a name.
fn is_comment(line: &str) -> bool {
    let rest = line.strip_prefix('#');
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
}

/// The last word of a line with a figure before it, if it is a unit of time in other letters.
fn misspelt_unit(line: &str) -> Option<&str> {
    let (rest, last) = line.trim().rsplit_once(char::is_whitespace)?;
    number(rest.split_whitespace().next_back()?)?;
    (is_like_time(last) && unit(last).is_none()).then_some(last)
}

/// Whether a word is a unit of time, perhaps in other letters.
fn is_like_time(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let begins = ["nano", "micro", "milli", "nsec", "usec", "msec"];
    unit(&word).is_some() || begins.iter().any(|begin| word.starts_with(begin))
}

fn unknown_unit(name: &str) -> String {
    format!("the unit \"{name}\" is not known: write ns, us, ms or s")
}

/// Whether a word is a unit, of time or of something else that programs report.
fn is_unit(word: &str) -> bool {
    let others = ["B", "KB", "MB", "GB", "KiB", "MiB", "GiB", "bytes", "cycles", "instructions"];
    let (of, per) = word.split_once('/').unwrap_or((word, ""));
    let is_ratio = !per.is_empty()
        && [of, per].iter().all(|part| !part.is_empty() && part.chars().all(char::is_alphabetic));
    let is_count = others.contains(&word) || CALLS.contains(&word);
    unit(word).is_some() || is_count || is_ratio || is_rate(word)
}

/// Whether a text has a separator of several figures in one row: a deviation, a range, a column, a
/// bar. Or it ends with a sign that makes the figure after it a bound.
fn is_figures(text: &str) -> bool {
    let bounds = ["<", ">", "<=", ">=", "≤", "≥", "~", "≈"];
    text.contains(['±', '|', '│', '…', '%'])
        || text.contains("+/-")
        || text.contains("...")
        || text.split_whitespace().next_back().is_some_and(|last| bounds.contains(&last))
}

/// Whether a line has a time: a number and its unit. Builds and tests end with `in 0.34s`, which is
/// none.
fn has_time(line: &str) -> bool {
    let brackets = ['(', ')', '[', ']', '{', '}', ',', ';'];
    let words: Vec<&str> =
        line.split_whitespace().map(|word| word.trim_matches(brackets)).collect();
    let apart = words
        .windows(2)
        .any(|pair| number(pair[0]).is_some() && is_unit_of_time(pair[1].trim_end_matches(':')));
    // `mean=2.4us`
    apart || words.iter().any(|word| word.split(['=', ':', '|', '(', '[']).any(is_time))
}

/// Whether a word is a number and a unit of time that is shorter than a second.
fn is_time(word: &str) -> bool {
    let end = word.find(|c: char| !c.is_ascii_digit() && !is_in_figure(c)).unwrap_or(0);
    let (figure, name) = word.split_at(end);
    number(figure).is_some() && !["s", "min", "h"].contains(&name) && is_unit_of_time(name)
}

/// Whether a unit is one of time, or of a rate.
fn is_unit_of_time(unit: &str) -> bool {
    per_call(1.0, unit, 1).is_ok() || per_other(1.0, unit).is_some()
}

fn in_unit(name: &str, value: f64, name_of_unit: &str) -> Measured {
    let mut row = Measured::new(name, "as given");
    row.set(per_call(value, name_of_unit, 1));
    if let Some((ns, other)) = per_other(value, name_of_unit).filter(|_| row.ns.is_none()) {
        (row.ns, row.error) = (Some(ns), None);
        row.add("per", other);
    }
    // A figure of another kind is left out, but this is a time.
    let first = name_of_unit.split(['/', ' ']).find(|word| !word.is_empty());
    let is_other = row.error.as_ref().is_some_and(|why| why.ends_with(NOT_A_TIME));
    if is_other && first.is_some_and(is_like_time) {
        row.error = Some(unknown_unit(name_of_unit));
    }
    row
}

/// A time in ns that is not per call, and its divisor: `ns/byte`, or a rate such as `MB/s`.
fn per_other(value: f64, name: &str) -> Option<(f64, &str)> {
    if let Some(bytes) = rate_of_bytes(name) {
        return Some((1e9 / (value * bytes), "byte"));
    }
    // `h/s` are hashes per second.
    let (time, other) = name.split_once('/').filter(|(_, other)| unit(other).is_none())?;
    Some((value * unit(time)?, other))
}

#[cfg(test)]
mod tests {
    use crate::readers::{Format, parse};

    #[test]
    fn a_space_between_thousands_is_refused_unless_names_end_in_numbers() {
        let read = |text: &str| parse(text.as_bytes(), Some(Format::Lines));
        for text in ["hash/64 1 234 ns", "a 5 ns\nhash: 12 345.6 ns", "a 1 234 567 ns"] {
            let refused = read(text).unwrap_err().to_string();
            assert!(refused.contains("is not only a name, a number and a unit"), "{refused}");
        }
        for text in ["b 64 980 ns\nb 16 98 ns", "aes 128 980 ns\nrsa 20480 ns", "sha 256: 980 ns"] {
            let rows = read(text).unwrap().results;
            assert_eq!(rows[0].ns, Some(980.0), "{text}");
        }
    }

    #[test]
    fn a_pattern_reads_no_end_of_a_number() {
        let format: Format = "lines:{name} {time}".parse().unwrap();
        let read = |text: &str| parse(text.as_bytes(), Some(format)).unwrap().results.remove(0);
        let cut = read("hash/64 1 234 ns\n");
        assert_eq!((cut.name.as_str(), cut.ns), ("hash/64", None));
        assert_eq!(read("aes 128 980 ns\nrsa 20480 ns\n").ns, Some(980.0));
    }

    #[test]
    fn a_number_of_calls_is_no_time_and_is_named() {
        let rows = parse(b"a 5 ns\nseal 7 ops\n", Some(Format::Lines)).unwrap().results;
        let why = rows.iter().find(|row| row.name == "seal").and_then(|row| row.error.clone());
        assert_eq!(why.as_deref(), Some("7 ops is not a time per call"));
    }
}
