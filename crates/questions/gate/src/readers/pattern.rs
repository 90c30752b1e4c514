//! A pattern of lines: `{name}: {time} +/- {}`. It names the lines that count, and where in them the
//! name and the time stand.

use super::text::per_call;

/// Longer lines match no pattern: each `{}` is tried at each place.
const LONGEST: usize = 2000;

/// The most placeholders of any text.
const MOST_ANY: usize = 3;

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
                let end = rest.find(|c: char| !c.is_ascii_digit() && !"+-.,eE".contains(c))?;
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
