//! Times that no reader took: a line with a name, a number and a unit of time, or such an object of
//! JSON. Otherwise a benchmark that a program prints in another form would vanish.

use super::text::{duration, is_in_figure, number, per_call, unit};
use super::{Document, Input, checked, content};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::rc::Rc;

/// The most characters of an entry that is quoted.
const LONGEST_QUOTE: usize = 80;

/// How often an output is read again without some of its lines, and how many bytes that may take.
const MOST_READ: usize = 64;
const MOST_BYTES: usize = 16 << 20;

/// Entries with a time that are part of no result.
#[derive(Clone, Debug, PartialEq)]
pub struct Unread {
    /// How many there are.
    pub entries: usize,
    /// Whether there may be more.
    pub at_least: bool,
    /// The first of them.
    pub first: String,
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Unread { entries, at_least, first } = self;
        f.write_str(if *at_least { "at least " } else { "" })?;
        let (entries, were) = if *entries == 1 {
            ("1 entry".to_string(), "was")
        } else {
            (format!("{entries} entries"), "were")
        };
        write!(f, "{entries} with a time {were} not read, the first: {first}")
    }
}

/// The entries of an input that are part of none of these results. If a pattern says which lines
/// count, only the last one may be such an entry: it may have been cut off.
pub fn find(input: &Input, found: &[Document], is_by_pattern: bool) -> Option<Unread> {
    let known = Known::of(found);
    let mut unread: Vec<String> = Vec::new();
    for value in input.json.values.iter().filter(|_| !is_by_pattern) {
        add_objects(value, &known, &mut unread);
    }
    let lines: Vec<&str> = input.text.lines().collect();
    let may_be_cut =
        |at: usize| !input.is_whole && at + 1 == lines.len() && may_be_cut(lines[at].trim());
    let open: Vec<usize> = (0..lines.len())
        .filter(|at| !is_by_pattern && is_open(lines[*at], &known) || may_be_cut(*at))
        .collect();
    let (certain, at_least) = without_context(&lines, open, input, found);
    unread.extend(certain.into_iter().map(|at| {
        let end = if may_be_cut(at) { ", where the output breaks off" } else { "" };
        quote(lines[at]) + end
    }));
    let first = unread.first()?.clone();
    Some(Unread { entries: unread.len(), at_least, first })
}

/// Whether a line may be the beginning of a result, and is not a sentence or the end of a document.
fn may_be_cut(line: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    let ends = line.ends_with(['.', '!', '?', ';', '}', ']', '>']);
    let is_whole = ends && !line.trim_end_matches('.').ends_with(is_digit);
    let is_told = is_talk(line) && (!line.contains(is_digit) || !times(line).is_empty());
    line.contains(char::is_alphabetic) && !is_whole && !is_told && !is_comment(line)
}

fn quote(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(LONGEST_QUOTE).collect()
}

/// The names and times that were read.
#[derive(Default)]
struct Known {
    /// The words of each name, with a space between them.
    names: HashSet<String>,
    /// The part of each name before its first `/`: Google Benchmark names a fit so.
    groups: HashSet<String>,
    /// The numbers of words that names have.
    lengths: BTreeSet<usize>,
    /// The words of the names that have a time.
    times: HashMap<String, HashSet<String>>,
}

impl Known {
    fn of(found: &[Document]) -> Known {
        let mut known = Known::default();
        for row in found.iter().flat_map(|document| &document.results) {
            let words = words(&row.name);
            known.lengths.insert(words.len());
            known.names.insert(words.join(" "));
            known.groups.extend(row.name.split_once('/').map(|(group, _)| group.to_string()));
            let figures = [row.ns, row.low, row.high].into_iter().flatten();
            for ns in figures.chain(row.values.iter().copied()) {
                let of_time = known.times.entry(key(ns)).or_default();
                of_time.extend(parts(&row.name).chain(parts(&row.parameters)));
            }
        }
        known
    }

    /// Whether a time belongs to a name which shares a word with a text. Another benchmark may take as
    /// long.
    fn has_time(&self, time: &Time, text: &str) -> bool {
        let names = self.times.get(&key(time.ns));
        names.is_some_and(|names| parts(text).any(|part| names.contains(&part)))
    }

    /// Whether a text has one of the names.
    fn names(&self, text: &str) -> bool {
        let words = words(text);
        let has = |length: &usize| {
            words.windows((*length).max(1)).any(|some| self.names.contains(&some.join(" ")))
        };
        self.lengths.iter().any(has)
    }
}

/// A time as it is compared: one that was computed from another unit may differ in its last digit.
fn key(ns: f64) -> String {
    format!("{ns:.8e}")
}

/// The words of a name, or of a line that may have it.
fn words(text: &str) -> Vec<&str> {
    let ends = [',', ';', '"', '\'', '`', '|', '│', '├', '╰', '└', '─', '='];
    let words = text.split(|c: char| c.is_whitespace() || c == ':');
    words.map(|word| word.trim_matches(ends)).filter(|word| !word.is_empty()).collect()
}

/// The words of a text in which signs divide words too.
fn parts(text: &str) -> impl Iterator<Item = String> {
    let parts = text.split(|c: char| !c.is_alphanumeric());
    parts.filter(|part| part.contains(char::is_alphabetic)).map(str::to_lowercase)
}

/// A time in a line, and its place there.
struct Time {
    ns: f64,
    begin: usize,
    end: usize,
}

fn times(line: &str) -> Vec<Time> {
    let divides = |c: char| c.is_whitespace() || "=:|│()[]{}<>±…~@\"`;".contains(c);
    let words: Vec<&str> = line.split(divides).filter(|word| !word.is_empty()).collect();
    let place = |word: &str| word.as_ptr() as usize - line.as_ptr() as usize;
    let mut all = Vec::new();
    for (at, word) in words.iter().enumerate() {
        // All of `1.5e+03` is a number.
        let end = word.find(|c: char| !c.is_ascii_digit() && !is_in_figure(c));
        let end = end.filter(|_| number(word).is_none()).unwrap_or(word.len());
        let (figure, name) = word.split_at(end);
        let own = name.trim_end_matches([',', '.']);
        let next = words.get(at + 1).map_or("", |next| next.trim_end_matches([',', '.']));
        let (name, last) = match own {
            "" | "k" | "K" | "M" | "G" => (next, at + 1),
            own => (own, at),
        };
        let several = Some(own).filter(|own| own.contains(|c: char| c.is_ascii_digit()));
        let several = several.and_then(|_| duration(word));
        if let Some(ns) = number(figure).and_then(|value| in_ns(value, name)).or(several) {
            let end = place(words[last]) + words[last].len();
            all.push(Time { ns, begin: place(word), end });
        }
    }
    all
}

/// The time that a figure in this unit stands for, if it is one or the rate of calls.
fn in_ns(value: f64, name: &str) -> Option<f64> {
    per_call(value, name, 1).ok().or_else(|| {
        let (time, _) = name.split_once('/').filter(|(_, other)| unit(other).is_none())?;
        Some(value * unit(time)?)
    })
}

/// Whether a line has a time and a name for it, and neither was read.
fn is_open(line: &str, known: &Known) -> bool {
    let times = times(line);
    let (Some(first), Some(last)) = (times.first(), times.last()) else { return false };
    let sides = [&line[..first.begin], &line[last.end..]];
    let Some(name) = sides.into_iter().find(|text| text.contains(char::is_alphabetic)) else {
        return false;
    };
    let is_read = times.iter().any(|time| known.has_time(time, name)) || known.names(line);
    !is_read && !is_comment(line) && !is_talk(name)
}

/// Whether a line is a comment, a log's line of Go or a part of XML.
fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    let first = line.split_whitespace().next().unwrap_or_default();
    ["#", "//", "<"].iter().any(|mark| line.starts_with(mark)) || first.contains(".go:")
}

/// Words of lines about a build, a test or a measurement, such as `Finished in 3 s`.
const TALK: &str = "after analyzing budget building built calibrating collecting compiled compiling done \
     downloaded downloading duration elapsed estimated fail failed fetching finished \
     installing iteration iterations linking loaded ok overhead pass passed passing \
     precision ran resolution running sleeping spent timed timeout timeouts took uptime \
     waited waiting warming warmup within ✓";

/// Words that a sentence has before its time, and a name may have elsewhere: `SHA-256 at 64 B`.
const BEFORE_TIME: [&str; 5] = ["and", "at", "every", "for", "in"];

/// Names of the figures of one result, or of a whole benchmark program.
const FIGURES: &str = "abs average avg call ci confidenceinterval cpu dev error gc high iqr limit low mad \
     margin max mean med median min p p50 p75 p90 p95 p99 p995 p999 range real result setup \
     slope std stddev stderr stdev sys system target thrpt time times total user σ";

/// Whether a list of words has this one.
fn has(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| known == word)
}

/// Whether a text ends as a sentence does before its time.
pub fn ends_in_talk(text: &str) -> bool {
    let last = text.split_whitespace().last().unwrap_or_default();
    BEFORE_TIME.contains(&last.to_lowercase().as_str())
}

/// Whether the text around a time does not name a benchmark.
fn is_talk(text: &str) -> bool {
    let parts = text.split(|c: char| !c.is_alphanumeric() && !"/_✓".contains(c));
    let words: Vec<String> = parts
        .filter(|part| part.contains(char::is_alphabetic) || *part == "✓")
        .map(str::to_lowercase)
        .collect();
    let is_told = |word: &String| {
        has(TALK, word) || ["workload", "overhead"].iter().any(|stage| word.starts_with(stage))
    };
    let leads = |word: &String| BEFORE_TIME.contains(&word.as_str());
    words.iter().any(is_told)
        || words.last().is_some_and(leads)
        || words.iter().all(|word| has(FIGURES, word))
}

/// The lines without which the results are the same, among some, and whether others may be such
/// lines. A rate in a line may be the source of a figure.
fn without_context(
    lines: &[&str],
    open: Vec<usize>,
    input: &Input,
    found: &[Document],
) -> (Vec<usize>, bool) {
    let mut budget = MOST_BYTES / lines.iter().map(|line| line.len() + 1).sum::<usize>().max(1);
    budget = budget.min(MOST_READ);
    let mut unread = Vec::new();
    let mut groups: Vec<Vec<usize>> = [open].into_iter().filter(|open| !open.is_empty()).collect();
    while let Some(mut group) = groups.pop() {
        if budget == 0 {
            return (unread, true);
        }
        budget -= 1;
        if is_same_without(lines, &group, input, found) {
            unread.extend(group);
        } else if group.len() > 1 {
            let rest = group.split_off(group.len() / 2);
            groups.extend([rest, group]);
        }
    }
    (unread, false)
}

fn is_same_without(lines: &[&str], left_out: &[usize], input: &Input, found: &[Document]) -> bool {
    let left_out: HashSet<usize> = left_out.iter().copied().collect();
    let is_whole = input.is_whole || left_out.contains(&(lines.len() - 1));
    let kept = lines.iter().enumerate().filter(|(at, _)| !left_out.contains(at));
    let end = if is_whole { "\n" } else { "" };
    let text = kept.map(|(_, line)| *line).collect::<Vec<&str>>().join("\n") + end;
    let input = Input { text, json: Rc::clone(&input.json), is_whole, chosen: input.chosen };
    found.iter().all(|document| {
        let again = content(document.format, &input).and_then(Result::ok);
        again.is_some_and(|again| {
            let again = checked(document.format, again);
            again.results.len() == document.results.len()
                && again.results.iter().zip(&document.results).all(|(a, b)| a.ns == b.ns)
        })
    })
}

/// The names of members that name a result.
const NAMES: [&str; 8] =
    ["name", "id", "benchmark", "title", "fullname", "test", "method", "label"];

/// Adds the objects with a name, a number and a unit of time, at any depth.
fn add_objects(value: &Value, known: &Known, unread: &mut Vec<String>) {
    match value {
        Value::Array(all) => all.iter().for_each(|one| add_objects(one, known, unread)),
        Value::Object(members) => {
            let has_name = members.iter().any(|(key, value)| {
                value.is_string() && NAMES.contains(&key.to_lowercase().as_str())
            });
            let has_number = members.values().any(Value::is_number);
            let has_unit = members.iter().any(|(key, value)| {
                let is_unit = value.as_str().is_some_and(|name| in_ns(1.0, name).is_some());
                is_unit && key.to_lowercase().contains("unit")
                    || value.is_number() && ["_ns", "_us", "_ms"].iter().any(|e| key.ends_with(e))
            });
            let mut texts = members.values().filter_map(Value::as_str);
            let is_known = texts.any(|text| known.names(text) || known.groups.contains(text));
            if has_name && has_number && has_unit && !is_known {
                unread.push(quote(&value.to_string()));
            } else {
                members.values().for_each(|one| add_objects(one, known, unread));
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readers::{Format, parse};

    #[test]
    fn a_search_that_ends_early_says_that_there_may_be_more() {
        let rows = |i: usize| [format!("x{i} 5 ns"), format!("y{i} 2.1s")];
        let lines: Vec<String> = (0..200).flat_map(rows).collect();
        let found = parse(lines.join("\n").as_bytes(), Some(Format::Lines)).unwrap();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let (text, json) = (lines.join("\n"), Rc::default());
        let input = Input { text, json, is_whole: true, chosen: true };
        let (certain, more) = without_context(&lines, (0..400).collect(), &input, &[found]);
        assert!(more && !certain.is_empty() && certain.len() < 200, "{}", certain.len());
        let unread = Unread { entries: 3, at_least: true, first: "y0 2.1s".to_string() };
        let expected = "at least 3 entries with a time were not read, the first: y0 2.1s";
        assert_eq!(unread.to_string(), expected);
    }
}
