//! Text as programs, shells and logs of CI write it: encodings, numbers and units.

use std::borrow::Cow;

/// The text of bytes in UTF-8, in UTF-16 (as PowerShell's `>` writes), or else in Latin-1; without
/// the colours of a terminal and the times that a log of CI puts before each line.
pub fn decode(bytes: &[u8]) -> String {
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => wide(rest, u16::from_be_bytes),
        [_, 0, _, 0, ..] => wide(bytes, u16::from_le_bytes),
        [0, _, 0, _, ..] => wide(bytes, u16::from_be_bytes),
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_string(),
            Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
        },
    };
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<Cow<str>> = text.lines().map(plain).collect();
    if lines.iter().all(|line| line.is_empty() || without_time(line).is_some()) {
        let lines: Vec<&str> = lines.iter().map(|l| without_time(l).unwrap_or_default()).collect();
        return lines.join("\n");
    }
    lines.join("\n")
}

fn wide(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// A line without the escape sequences of a terminal.
fn plain(line: &str) -> Cow<'_, str> {
    let mut parts = line.split("\u{1b}[");
    let Some(first) = parts.next().filter(|first| first.len() < line.len()) else {
        return Cow::Borrowed(line);
    };
    let rest = parts.map(|part| {
        let end = part.find(|c: char| c.is_ascii_alphabetic()).map_or(part.len(), |end| end + 1);
        &part[end..]
    });
    Cow::Owned(std::iter::once(first).chain(rest).collect())
}

/// The text after a time such as `2026-10-02T09:11:40.1234567Z`.
fn without_time(line: &str) -> Option<&str> {
    let (time, rest) = line.split_once('Z')?;
    let is_time = time.len() > 18 && time.as_bytes()[10] == b'T';
    let known = time.chars().all(|c| c.is_ascii_digit() || "-:T.".contains(c));
    (is_time && known).then(|| rest.strip_prefix(' ').unwrap_or(rest))
}

/// A unit of time in ns.
pub fn unit(name: &str) -> Option<f64> {
    Some(match name {
        "ps" => 1e-3,
        "ns" => 1.0,
        "us" | "µs" | "μs" => 1e3,
        "ms" => 1e6,
        "s" | "sec" | "second" | "seconds" => 1e9,
        "min" => 60e9,
        "hr" | "h" => 3600e9,
        "day" => 86_400e9,
        _ => return None,
    })
}

/// A number, which may have commas between thousands.
pub fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let whole = text.split('.').next().unwrap_or_default();
    let mut groups = whole.split(',').skip(1).peekable();
    if groups.peek().is_some() && groups.any(|group| group.len() != 3) {
        return None;
    }
    text.replace(',', "").parse().ok()
}

/// A number and its unit, with or without a space between them: `4.61 µs`, `98ns`.
pub fn quantity(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && !"+-.,".contains(c)).unwrap_or(text.len());
    Some((number(&text[..end])?, text[end..].trim()))
}

/// A time in ns.
pub fn time(text: &str) -> Option<f64> {
    let (value, name) = quantity(text)?;
    Some(value * unit(name)?)
}

/// The time of a call in ns from a figure in this unit: a time (`ns`, `ns/op`), or a rate of calls
/// (`ops/s`) of this number of threads together.
pub fn per_call(value: f64, name: &str, threads: u64) -> Result<f64, String> {
    let calls = ["op", "ops", "iter", "iterations", "call", "calls", "run", "Op"];
    let scale = match name.split_once('/') {
        None => unit(name).map(|scale| scale * value),
        Some((time, call)) if calls.contains(&call) => unit(time).map(|scale| scale * value),
        Some((call, time)) if calls.contains(&call) => {
            unit(time).map(|scale| scale * threads as f64 / value)
        }
        Some(_) => None,
    };
    scale.ok_or_else(|| format!("{value} {name} is not a time per call"))
}

/// By how much a printed number may be off: half of its last digit.
pub fn half_a_digit(text: &str) -> f64 {
    let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    0.5 * 0.1f64.powi(decimals as i32)
}

/// The only whole number within this share of a figure.
pub fn whole(figure: f64, share: f64) -> Option<u64> {
    let [low, high] = [figure * (1.0 - share), figure * (1.0 + share)];
    (low.ceil() == high.floor()).then_some(high.floor() as u64)
}
