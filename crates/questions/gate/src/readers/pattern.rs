//! A pattern of lines: `{name}: {time} +/- {}`. It names the lines that count, and where in them the
//! name and the time stand.

use super::text::{is_in_figure, per_call};

/// Longer lines match no pattern: each `{}` is tried at each place.
const LONGEST: usize = 2000;

/// The most placeholders of any text.
const MOST_ANY: usize = 3;

/// Words in place of a number. Such a line has no time, but it counts.
const NO_NUMBER: [&str; 6] = ["nan", "infinity", "inf", "n/a", "null", "undefined"];

/// The lines that a pattern matches.
#[derive(Debug)]
pub struct Pattern<'a> {
    parts: Vec<Part<'a>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Part<'a> {
    Text(&'a str),
    /// Some white space.
    Space,
    /// `{name}`. The text next to it belongs to the name.
    Name,
    /// `{time}`: a number and a unit.
    Time,
    /// `{}`.
    Any,
}

/// The parts of a line that a pattern finds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Found<'a> {
    /// The name, with the text next to it.
    pub name: &'a str,
    /// The number.
    pub value: &'a str,
    /// Its unit.
    pub unit: &'a str,
}

/// A place in a line while it is searched.
#[derive(Clone, Copy)]
struct Place<'a> {
    line: &'a str,
    at: usize,
    /// Where the present words began.
    words: usize,
    /// Whether they have the name.
    is_name: bool,
    found: Found<'a>,
}

impl<'a> Pattern<'a> {
    /// Reads a pattern.
    ///
    /// # Errors
    /// If it does not have one name and one time, or too many other places.
    pub fn parse(text: &'a str) -> Result<Pattern<'a>, String> {
        let mut parts = Vec::new();
        let mut rest = text.trim();
        while let Some(c) = rest.chars().next() {
            let known = [("{name}", Part::Name), ("{time}", Part::Time), ("{}", Part::Any)];
            if let Some((text, part)) = known.iter().find(|(text, _)| rest.starts_with(text)) {
                parts.push(*part);
                rest = &rest[text.len()..];
            } else if c.is_whitespace() {
                parts.push(Part::Space);
                rest = rest.trim_start();
            } else {
                let end = rest[c.len_utf8()..]
                    .find(|c: char| c == '{' || c.is_whitespace())
                    .map_or(rest.len(), |end| end + c.len_utf8());
                parts.push(Part::Text(&rest[..end]));
                rest = &rest[end..];
            }
        }
        let [names, times, any] = [Part::Name, Part::Time, Part::Any]
            .map(|part| parts.iter().filter(|one| **one == part).count());
        if names != 1 || times != 1 || any > MOST_ANY {
            return Err(format!(
                "the pattern \"{text}\" needs {{name}} and {{time}} once each, and at most {MOST_ANY} \
                 {{}}: such as '{{name}}: {{time}} +/- {{}}'"
            ));
        }
        Ok(Pattern { parts })
    }

    /// The name and the time in a line, if the whole line matches.
    pub fn find(&self, line: &'a str) -> Option<Found<'a>> {
        let line = line.trim();
        let found = Found::default();
        let place = Place { line, at: 0, words: 0, is_name: false, found };
        if line.len() > LONGEST { None } else { place.matched(&self.parts) }
    }
}

impl<'a> Place<'a> {
    fn matched(mut self, parts: &[Part<'_>]) -> Option<Found<'a>> {
        let Some((part, parts)) = parts.split_first() else {
            self.end_of_words();
            return (self.at == self.line.len()).then_some(self.found);
        };
        let rest = &self.line[self.at..];
        match part {
            Part::Text(text) => {
                self.at += rest.strip_prefix(text).map(|_| text.len())?;
                self.matched(parts)
            }
            Part::Space => {
                self.end_of_words();
                self.at = self.line.len() - rest.trim_start().len();
                self.words = self.at;
                if rest.starts_with(char::is_whitespace) { self.matched(parts) } else { None }
            }
            Part::Time => {
                self.end_of_words();
                let mut end = end_of_figure(rest)?;
                // After a word, the first digits may belong to the name.
                if !self.line[..self.at].trim_end().ends_with(char::is_alphanumeric) {
                    end += length_of_groups(&rest[end..]);
                }
                let after = rest[end..].trim_start();
                let length = after.find(|c: char| !c.is_alphabetic() && c != '/');
                let (unit, after) = after.split_at(length.unwrap_or(after.len()));
                per_call(1.0, unit, 1).ok()?;
                (self.found.value, self.found.unit) = (&rest[..end], unit);
                self.at = self.line.len() - after.len();
                self.words = self.at;
                self.matched(parts)
            }
            Part::Name | Part::Any => {
                let is_name = *part == Part::Name;
                let least = usize::from(is_name);
                let ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
                ends.skip(least).find_map(|end| {
                    let is_name = is_name || self.is_name;
                    Place { at: self.at + end, is_name, ..self }.matched(parts)
                })
            }
        }
    }

    /// The words end here: if they have the name, they are the name.
    fn end_of_words(&mut self) {
        if self.is_name {
            self.found.name = &self.line[self.words..self.at];
            self.is_name = false;
        }
    }
}

/// Where a number at the beginning of a text, or a word in its place, ends.
fn end_of_figure(text: &str) -> Option<usize> {
    let is_other = |c: char| !c.is_ascii_digit() && !is_in_figure(c) && !"+-eE".contains(c);
    let end = text.find(is_other)?;
    if text[..end].contains(|c: char| c.is_ascii_digit()) {
        return Some(end);
    }
    let rest = text.trim_start_matches(['+', '-']);
    let signs = text.len() - rest.len();
    let begins =
        |word: &&str| rest.get(..word.len()).is_some_and(|it| it.eq_ignore_ascii_case(word));
    let is_dash = signs > 0 && rest.starts_with(char::is_whitespace);
    let word = NO_NUMBER.into_iter().find(begins).map(str::len);
    word.or(is_dash.then_some(0)).map(|length| signs + length)
}

/// The length of more digits of a number with spaces between its thousands.
fn length_of_groups(text: &str) -> usize {
    let mut rest = text;
    while let Some(after) = rest.strip_prefix(' ')
        && after.bytes().take_while(u8::is_ascii_digit).count() == 3
    {
        rest = after[3..].trim_start_matches(|c: char| c.is_ascii_digit() || is_in_figure(c));
    }
    text.len() - rest.len()
}

#[cfg(test)]
mod tests {
    use crate::readers::{Format, parse};

    /// A line without a possible number would otherwise vanish from both builds.
    #[test]
    fn a_line_of_a_pattern_counts_whatever_its_number_is() {
        let format: Format = "lines:{name}: {time}".parse().unwrap();
        let of = |figure: &str| {
            let found = parse(format!("open: 5 ns\nseal: {figure}\n").as_bytes(), Some(format));
            let found = found.unwrap();
            let seal = found.results.iter().find(|row| row.name == "seal").cloned();
            seal.map(|seal| (seal.ns, seal.error.is_some()))
        };
        for wrong in ["NaN ns", "inf ns", "-Infinity us", "- ns", "N/A ms", "1-2 ns", "1 234 ns"] {
            assert_eq!(of(wrong), Some((None, true)), "{wrong}");
        }
        assert_eq!(of("1'234 ns"), Some((Some(1234.0), false)));
        assert_eq!(of("1_234.5 ns"), Some((Some(1234.5), false)));
        assert_eq!(of("infosec"), None);
    }
}
