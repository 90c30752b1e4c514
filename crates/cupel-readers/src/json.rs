//! JSON documents in a text that may also have other lines, such as a build's.

use serde_json::Value;

/// The documents of a text.
#[derive(Default)]
pub struct Documents {
    /// Objects and lists, in order.
    pub values: Vec<Value>,
    /// The line at whose end the last one breaks off, if it does.
    pub cut: Option<usize>,
}

/// The deepest document that is read: `serde_json` reads none that is deeper.
const DEEPEST: usize = 128;

/// Every object or list that begins a line, or follows a `=` as in a script.
pub fn documents(text: &str) -> Documents {
    let mut found = Documents::default();
    let mut at = 0;
    while let Some(start) = begin(text, at) {
        at = start + 1;
        match mended(&text[start..]) {
            Found::Document { json, length } => {
                if let Ok(value) = serde_json::from_str(&json) {
                    found.values.push(value);
                    at = start + length;
                }
            }
            Found::Cut => {
                found.cut = Some(text.lines().count());
                break;
            }
            // Each bracket in it would be searched as far.
            Found::TooDeep => break,
            Found::Nothing => {}
        }
    }
    found
}

/// Where the next document may begin.
fn begin(text: &str, from: usize) -> Option<usize> {
    let places = text[from..].match_indices(['{', '[']);
    places.map(|(at, _)| from + at).find(|at| {
        let before = text[..*at].trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with(['\n', '=', '}', ']'])
    })
}

/// The result of a search for a document.
enum Found {
    Document { json: String, length: usize },
    Cut,
    TooDeep,
    Nothing,
}

/// The length of the word at the beginning of a text.
fn word(text: &str) -> usize {
    text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len())
}

/// The document at the beginning of a text. Values that some programs write and JSON does not allow
/// are mended: NaN and infinities become null, and control characters in strings are escaped.
fn mended(text: &str) -> Found {
    let mut json = String::new();
    let mut depth = 0;
    let mut in_string = false;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (taken, after) =
            rest.split_at(if in_string { 0 } else { word(rest) }.max(c.len_utf8()));
        rest = after;
        match taken {
            "\\" if in_string => {
                let next = rest.chars().next().map_or(0, char::len_utf8);
                json.push_str(taken);
                json.push_str(&rest[..next]);
                rest = &rest[next..];
                continue;
            }
            "\"" => in_string = !in_string,
            _ if in_string && c.is_control() => {
                json += &format!("\\u{:04x}", c as u32);
                continue;
            }
            _ if in_string => {}
            "{" | "[" => depth += 1,
            "}" | "]" => depth -= 1,
            "NaN" | "nan" | "Infinity" | "inf" => {
                json.truncate(json.trim_end_matches('-').len());
                json += "null";
                continue;
            }
            "true" | "false" | "null" | "e" | "E" => {}
            _ if c.is_ascii_digit() || c.is_whitespace() || "+-.,:".contains(c) => {}
            _ => return Found::Nothing,
        }
        json.push_str(taken);
        if depth == 0 {
            return Found::Document { json, length: text.len() - rest.len() };
        }
        if depth > DEEPEST {
            return Found::TooDeep;
        }
    }
    Found::Cut
}
