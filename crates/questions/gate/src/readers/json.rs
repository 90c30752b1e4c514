//! JSON documents in a text that may also have other lines, such as a build's.

use serde_json::Value;
use std::ops::Range;

/// The documents of a text.
#[derive(Default)]
pub struct Documents {
    /// Objects and lists, in order.
    pub values: Vec<Value>,
    /// The line at whose end the last one breaks off, if it does.
    pub cut: Option<usize>,
    /// Whether that one has strings, as no other text has that only begins with a bracket.
    pub is_surely_cut: bool,
    /// Where the first one that is not JSON goes wrong.
    pub invalid: Option<Invalid>,
    /// Where those that were read stand.
    places: Vec<Range<usize>>,
}

/// A place that is not JSON, in a text that begins like it.
#[derive(Debug)]
pub struct Invalid {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// The fault there.
    pub what: String,
}

/// The deepest document that is read: `serde_json` reads none that is deeper.
const DEEPEST: usize = 128;

/// Every object or list that begins a line, or follows a `=` as in a script.
pub fn documents(text: &str) -> Documents {
    let mut found = Documents::default();
    let mut at = 0;
    while let Some(start) = begin(text, at) {
        at = start + 1;
        let mended = mended(&text[start..]);
        let wrong = match mended.found {
            Found::Document { length } => match serde_json::from_str(&mended.json) {
                Ok(value) => {
                    found.values.push(value);
                    found.places.push(start..start + length);
                    at = start + length;
                    None
                }
                Err(e) => {
                    at = start + length;
                    let wrong = mended.place(e.line(), e.column());
                    let what = e.to_string();
                    let what = what.split(" at line ").next().unwrap_or_default().to_string();
                    Some((start + wrong, what))
                }
            },
            Found::Cut => {
                found.cut = Some(text.lines().count());
                found.is_surely_cut = mended.has_strings;
                break;
            }
            // Each bracket in it would be searched as far.
            Found::TooDeep => break,
            Found::Nothing { length } if mended.has_strings => {
                let rest = &text[start + length..];
                let end = word(rest).max(rest.chars().next().map_or(0, char::len_utf8));
                Some((start + length, format!("\"{}\" is not a value of JSON", &rest[..end])))
            }
            Found::Nothing { .. } => None,
        };
        if let Some((wrong, what)) = wrong {
            found.note(text, wrong, what);
        }
    }
    found
}

/// The text of a member; empty if it has none.
pub fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

impl Documents {
    /// The text without the documents that end their line. The other lines keep their numbers.
    pub fn without(&self, text: &str) -> String {
        let (mut kept, mut at) = (String::new(), 0);
        for place in &self.places {
            let after = text[place.end..].trim_start_matches([' ', '\t']);
            if after.is_empty() || after.starts_with(['\n', ';', ',', '{', '[']) {
                kept += &text[at..place.start];
                kept.extend(text[place.clone()].matches('\n'));
                at = place.end;
            }
        }
        kept + &text[at..]
    }

    /// Notes the first place that is wrong.
    fn note(&mut self, text: &str, at: usize, what: String) {
        let before = text.get(..at).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        self.invalid.get_or_insert(Invalid { line, column, what });
    }
}

/// Where the next document may begin.
fn begin(text: &str, from: usize) -> Option<usize> {
    let places = text[from..].match_indices(['{', '[']);
    places.map(|(at, _)| from + at).find(|at| {
        let before = text[..*at].trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with(['\n', '=', '}', ']'])
    })
}

/// The result of a search for a document, each with the bytes that it read.
#[derive(Default)]
enum Found {
    Document {
        length: usize,
    },
    #[default]
    Cut,
    TooDeep,
    Nothing {
        length: usize,
    },
}

/// A document as `serde_json` can read it.
#[derive(Default)]
struct Mended {
    found: Found,
    json: String,
    /// Whether it has a string, as no other text has that only begins with a bracket.
    has_strings: bool,
    /// The places in `json` and in the text, after each change of a length.
    places: Vec<[usize; 2]>,
}

impl Mended {
    /// The place in the text of a line and column of `json`, both from 1.
    fn place(&self, line: usize, column: usize) -> usize {
        let before: usize = self.json.split_inclusive('\n').take(line - 1).map(str::len).sum();
        let at = (before + column).saturating_sub(1);
        let known = self.places.iter().rev().find(|[mended, _]| *mended <= at);
        let [mended, text] = known.copied().unwrap_or_default();
        text + (at - mended)
    }
}

/// The length of the word at the beginning of a text.
fn word(text: &str) -> usize {
    text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len())
}

/// The document at the beginning of a text. Values that some programs write and JSON does not allow
/// are replaced: NaN and infinities become null, and control characters in strings are escaped.
fn mended(text: &str) -> Mended {
    let mut done = Mended::default();
    let mut depth = 0;
    let mut in_string = false;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (taken, after) =
            rest.split_at(if in_string { 0 } else { word(rest) }.max(c.len_utf8()));
        let length = text.len() - rest.len();
        rest = after;
        match taken {
            "\\" if in_string => {
                let next = rest.chars().next().map_or(0, char::len_utf8);
                done.json.push_str(taken);
                done.json.push_str(&rest[..next]);
                rest = &rest[next..];
                continue;
            }
            "\"" => {
                in_string = !in_string;
                done.has_strings |= !in_string;
            }
            _ if in_string && c.is_control() => {
                done.json += &format!("\\u{:04x}", c as u32);
                done.places.push([done.json.len(), text.len() - rest.len()]);
                continue;
            }
            _ if in_string => {}
            "{" | "[" => depth += 1,
            "}" | "]" => depth -= 1,
            "NaN" | "nan" | "Infinity" | "inf" => {
                done.json.truncate(done.json.trim_end_matches('-').len());
                done.json += "null";
                done.places.push([done.json.len(), text.len() - rest.len()]);
                continue;
            }
            "true" | "false" | "null" | "e" | "E" => {}
            _ if c.is_ascii_digit() || c.is_whitespace() || "+-.,:".contains(c) => {}
            _ => {
                done.found = Found::Nothing { length };
                return done;
            }
        }
        done.json.push_str(taken);
        if depth == 0 {
            done.found = Found::Document { length: text.len() - rest.len() };
            return done;
        }
        if depth > DEEPEST {
            done.found = Found::TooDeep;
            return done;
        }
    }
    done
}
