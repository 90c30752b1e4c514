//! Text as programs write it: encodings, control characters of a terminal, numbers and units.

use std::borrow::Cow;
use std::str::Chars;

/// The text of bytes in UTF-8, in UTF-16 (as PowerShell's `>` writes), or else in Latin-1, as a
/// terminal shows it in the end; without the times that a log of CI puts before each line, and
/// without spaces between thousands.
pub fn decode(bytes: &[u8]) -> String {
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => wide(rest, u16::from_be_bytes),
        [_, 0, _, 0, ..] => wide(bytes, u16::from_le_bytes),
        [0, _, 0, _, ..] => wide(bytes, u16::from_be_bytes),
        // One line may be in another encoding: a digest that a program prints as it is.
        _ => bytes.split_inclusive(|byte| *byte == b'\n').map(narrow).collect(),
    };
    let text = without_groups(text);
    // Files that were put together have the mark in their middle, too.
    let text = text.replace('\u{feff}', "").replace("\r\n", "\n").replace("\r\n", "\n");
    // Until 2001, a Mac ended lines so. Else it is a progress bar, which writes over itself.
    let text = if text.contains('\n') { text } else { text.replace('\r', "\n") };
    let end = if text.ends_with('\n') { "\n" } else { "" };
    let mut lines: Vec<Cow<str>> = seen(&text);
    if lines.iter().all(|line| line.is_empty() || without_time(line).is_some()) {
        for line in &mut lines {
            *line = Cow::Owned(without_time(line).unwrap_or_default().to_string());
        }
    }
    lines.join("\n") + end
}

/// A line in UTF-8, which may break off in a character, or in Latin-1.
fn narrow(line: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(line) {
        Ok(text) => Cow::Borrowed(text),
        Err(e) if e.error_len().is_none() => String::from_utf8_lossy(&line[..e.valid_up_to()]),
        Err(_) => line.iter().map(|byte| char::from(*byte)).collect(),
    }
}

/// The spaces that divide thousands in most languages of Europe. They divide no words.
const GROUPING: [char; 4] = ['\u{a0}', '\u{2007}', '\u{2009}', '\u{202f}'];

/// A text without the spaces that divide the thousands of its numbers: `1 234` with one of these is
/// `1234`.
fn without_groups(text: String) -> String {
    if !text.contains(GROUPING) {
        return text;
    }
    let mut kept = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let after = text[at..].chars().skip(1).take(4).map(|c| c.is_ascii_digit());
        let is_group = after.take_while(|is_digit| *is_digit).count() == 3;
        let divides =
            GROUPING.contains(&c) && is_group && kept.ends_with(|c: char| c.is_ascii_digit());
        if !divides {
            kept.push(c);
        }
    }
    kept
}

fn wide(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// A text from inside a document, such as a name, as a terminal shows it.
pub fn shown(text: &str) -> String {
    if text.contains(steers) { seen(text).join("\n") } else { text.to_string() }
}

/// Whether a character moves the cursor or is none that can be seen.
fn steers(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
}

/// The lines that a terminal shows in the end.
fn seen(text: &str) -> Vec<Cow<'_, str>> {
    if !text.contains(steers) {
        return text.lines().map(Cow::Borrowed).collect();
    }
    let mut screen = Screen::default();
    for line in text.lines() {
        if line.contains(steers) || screen.row < screen.lines.len() {
            screen.show(line);
            screen.move_to(screen.row + 1);
        } else {
            screen.lines.push(Cow::Borrowed(line));
            screen.row += 1;
        }
        screen.at = 0;
    }
    screen.lines
}

/// A terminal without an end: all lines, and the cursor.
#[derive(Default)]
struct Screen<'a> {
    lines: Vec<Cow<'a, str>>,
    row: usize,
    at: usize,
    /// The characters of the cursor's line, once they change.
    changed: Option<Vec<char>>,
}

impl Screen<'_> {
    fn show(&mut self, line: &str) {
        let mut rest = line.chars();
        while let Some(c) = rest.next() {
            match c {
                '\r' => self.at = 0,
                '\u{8}' => self.at = self.at.saturating_sub(1),
                '\u{1b}' => self.escape(&mut rest),
                '\u{9b}' => self.control(&mut rest),
                c if steers(c) => {}
                c => self.write(c),
            }
        }
        self.line();
    }

    /// The characters of the cursor's line.
    fn line(&mut self) -> &mut Vec<char> {
        let there = self.lines.get(self.row).map_or("", |line| line);
        self.changed.get_or_insert_with(|| there.chars().collect())
    }

    fn write(&mut self, c: char) {
        let at = self.at;
        let line = self.line();
        // Columns are divided by two spaces, however far apart they are.
        let at = at.min(line.len() + 2);
        line.resize(line.len().max(at), ' ');
        match line.get_mut(at) {
            Some(there) => *there = c,
            None => line.push(c),
        }
        self.at = at + 1;
    }

    /// Moves the cursor to another line, at most the one after the last.
    fn move_to(&mut self, row: usize) {
        if let Some(line) = self.changed.take() {
            let line = Cow::Owned(line.into_iter().collect());
            match self.lines.get_mut(self.row) {
                Some(there) => *there = line,
                None => self.lines.push(line),
            }
        }
        self.row = row.min(self.lines.len());
    }

    /// The text after an escape: `[` begins a control sequence, `]` and some others a text for the
    /// terminal, such as the title of its window.
    fn escape(&mut self, rest: &mut Chars<'_>) {
        match rest.next() {
            Some('[') => self.control(rest),
            Some(']' | 'P' | 'X' | '^' | '_') => {
                while let Some(c) = rest.next() {
                    match c {
                        '\u{7}' | '\u{9c}' => return,
                        '\u{1b}' => {
                            rest.next();
                            return;
                        }
                        _ => {}
                    }
                }
            }
            Some(' '..='/') => {
                rest.next();
            }
            _ => {}
        }
    }

    /// A control sequence, as ECMA-48 has it: parameters, and a letter that names the command.
    fn control(&mut self, rest: &mut Chars<'_>) {
        let all = rest.as_str();
        let end = all.find(|c: char| !matches!(c, ' '..='?')).unwrap_or(all.len());
        let n = all[..end].split(';').next().and_then(|n| n.parse::<usize>().ok());
        let steps = n.unwrap_or(1).max(1);
        *rest = all[end..].chars();
        let at = self.at;
        match rest.next() {
            Some('K') if n.unwrap_or(0) == 0 => self.line().truncate(at),
            Some('K') if n == Some(1) => {
                let line = self.line();
                let end = (at + 1).min(line.len());
                line[..end].fill(' ');
            }
            Some('K') => self.line().clear(),
            Some('J') if n.unwrap_or(0) == 0 => {
                self.line().truncate(at);
                self.lines.truncate(self.row + 1);
            }
            Some('G' | '`') => self.at = steps - 1,
            Some('C') => self.at = at.saturating_add(steps),
            Some('D') => self.at = at.saturating_sub(steps),
            Some('A') => self.move_to(self.row.saturating_sub(steps)),
            Some('B') => self.move_to(self.row.saturating_add(steps)),
            Some('F') => {
                self.move_to(self.row.saturating_sub(steps));
                self.at = 0;
            }
            Some('E') => {
                self.move_to(self.row.saturating_add(steps));
                self.at = 0;
            }
            _ => {}
        }
    }
}

/// The text after a time such as `2026-10-02T09:11:40.1234567Z`, before which `gh run view --log` has
/// the job and its step.
fn without_time(line: &str) -> Option<&str> {
    let (before, rest) = line.split_once('Z')?;
    let time = before.rsplit('\t').next().unwrap_or_default();
    let is_time = time.len() > 18 && time.as_bytes()[10] == b'T';
    let known = time.chars().all(|c| c.is_ascii_digit() || "-:T.".contains(c));
    (is_time && known).then(|| rest.strip_prefix(' ').unwrap_or(rest))
}

/// A unit of time in ns.
pub fn unit(name: &str) -> Option<f64> {
    Some(match name {
        "ps" => 1e-3,
        "ns" | "nsec" | "nanoseconds" => 1.0,
        "us" | "µs" | "μs" | "usec" | "microseconds" => 1e3,
        "ms" | "msec" | "milliseconds" => 1e6,
        "s" | "sec" | "secs" | "second" | "seconds" => 1e9,
        "min" | "mins" | "minute" | "minutes" => 60e9,
        "hr" | "h" | "hour" | "hours" => 3600e9,
        "day" => 86_400e9,
        _ => return None,
    })
}

/// What divides thousands and nothing else: in Switzerland and older versions of mitata, and in Rust
/// and Python.
const BETWEEN_THOUSANDS: [char; 3] = ['\'', '’', '_'];

/// Whether a figure may have this character besides its digits.
pub fn is_in_figure(c: char) -> bool {
    c == '.' || c == ',' || BETWEEN_THOUSANDS.contains(&c)
}

/// A number, which may have commas, apostrophes or underscores between thousands, or a decimal comma.
/// `1,250` has thousands: for a program whose numbers may have either, see [`Separators`].
pub fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    if text.contains(BETWEEN_THOUSANDS) {
        return number(&text.replace(BETWEEN_THOUSANDS, ",")).filter(|_| is_in_groups(text));
    }
    if !text.contains(',') && text.matches('.').count() < 2 {
        return text.parse().ok();
    }
    let point = match separator(text)? {
        Separator::Decimal(point) => Some(point),
        Separator::Thousands(_) | Separator::Either(_) => None,
    };
    value(text, point)
}

/// Whether such signs divide a number's thousands, and a point its decimals.
fn is_in_groups(text: &str) -> bool {
    let whole = text.trim_start_matches(['+', '-']).split('.').next().unwrap_or_default();
    let mut groups = whole.split(BETWEEN_THOUSANDS);
    let first = groups.next().unwrap_or_default();
    (1..4).contains(&first.len())
        && groups.all(|group| group.len() == 3 && group.bytes().all(|b| b.is_ascii_digit()))
}

/// The value of a number with this decimal separator, in which any other is one of thousands.
fn value(text: &str, point: Option<char>) -> Option<f64> {
    let (whole, decimals) = match point {
        Some(point) => text.split_once(point)?,
        None => (text, ""),
    };
    let groups: Vec<&str> = whole.trim_start_matches(['+', '-']).split(['.', ',']).collect();
    let is_grouped = groups[1..].iter().all(|group| group.len() == 3)
        && (groups.len() == 1 || (1..4).contains(&groups[0].len()));
    if !is_grouped || decimals.contains(['.', ',']) {
        return None;
    }
    format!("{}.{decimals}", whole.replace(['.', ','], "")).parse().ok()
}

/// The kind of the separators of one number.
enum Separator {
    /// This one is decimal.
    Decimal(char),
    /// This one divides thousands.
    Thousands(char),
    /// This one, of which there is one with three digits after it, may be either.
    Either(char),
}

/// The kind of the separators of a number, if it has any.
fn separator(text: &str) -> Option<Separator> {
    let last = text.rfind(['.', ','])?;
    let point = text[last..].chars().next()?;
    let other = if point == ',' { '.' } else { ',' };
    let count = text.matches(point).count();
    let whole = text.split(point).next()?.trim_start_matches(['+', '-']);
    let digits = text[last + 1..].bytes().take_while(u8::is_ascii_digit).count();
    Some(if text.contains(other) {
        Separator::Decimal(point)
    } else if count > 1 {
        Separator::Thousands(point)
    } else if digits != 3 || !(1..4).contains(&whole.len()) || whole.starts_with('0') {
        Separator::Decimal(point)
    } else {
        Separator::Either(point)
    })
}

/// The meaning of commas and points in one program's numbers, as far as they show it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Separators {
    /// Some number has a decimal comma, or points between thousands.
    comma: bool,
    /// Some number has a decimal point, or commas between thousands.
    point: bool,
}

impl Separators {
    /// The separators of all these numbers.
    pub fn used_in<'a>(numbers: impl Iterator<Item = &'a str>) -> Separators {
        let mut all = Separators::default();
        for text in numbers.filter(|text| text.parse::<f64>().is_ok() || number(text).is_some()) {
            match separator(text) {
                Some(Separator::Decimal(',') | Separator::Thousands('.')) => all.comma = true,
                Some(Separator::Decimal('.') | Separator::Thousands(',')) => all.point = true,
                _ => {}
            }
        }
        all
    }

    /// The value of a number, or why it may be two; nothing if it is no number.
    pub fn value(self, text: &str) -> Option<Result<f64, String>> {
        let either = match separator(text) {
            Some(Separator::Either(either)) => either,
            _ => return number(text).map(Ok),
        };
        let decimal = value(text, Some(either))?;
        // `1.500e3` is not a group of three.
        let Some(thousands) = value(text, None) else { return Some(Ok(decimal)) };
        Some(match (either, self.comma, self.point) {
            (_, true, true) | (',', false, false) => Err(format!(
                "{text} may be {decimal} or {thousands}: write a decimal point, and no other \
                 separator"
            )),
            (',', true, _) | ('.', false, _) => Ok(decimal),
            _ => Ok(thousands),
        })
    }
}

/// The number at the beginning of a text, and the rest, such as its unit.
pub fn split_figure(text: &str) -> (&str, &str) {
    let text = text.trim();
    let is_other = |c: char| !c.is_ascii_digit() && !is_in_figure(c) && c != '+' && c != '-';
    let end = text.find(is_other).unwrap_or(text.len());
    (&text[..end], text[end..].trim())
}

/// A longer word is neither a figure nor a unit.
const LONGEST_WORD: usize = 64;

/// The last word of a text, and the text before it; nothing if the word is long, as in a line with
/// all of a program's output.
pub fn last_word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_end();
    let mut backward = text.char_indices().rev().take(LONGEST_WORD);
    match backward.find(|(_, c)| c.is_whitespace()) {
        Some((at, c)) => Some((&text[..at], &text[at + c.len_utf8()..])),
        None => (!text.is_empty() && text.len() < LONGEST_WORD).then_some(("", text)),
    }
}

/// A number and its unit, with or without a space between them: `4.61 µs`, `98ns`.
pub fn quantity(text: &str) -> Option<(f64, &str)> {
    let (figure, unit) = split_figure(text);
    Some((number(figure)?, unit))
}

/// A time in ns.
pub fn time(text: &str) -> Option<f64> {
    let (value, name) = quantity(text)?;
    Some(value * unit(name)?)
}

/// A duration in ns as Zig and Go write it: `1.2us`, `1m30.5s`.
pub fn duration(text: &str) -> Option<f64> {
    let mut ns = 0.0;
    let mut rest = text;
    while !rest.is_empty() {
        let (value, after) = quantity(rest)?;
        let end = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
        ns += value
            * match &after[..end] {
                "w" => 7.0 * unit("day")?,
                "d" => unit("day")?,
                "m" => unit("min")?,
                name => unit(name)?,
            };
        rest = &after[end..];
    }
    (!text.is_empty()).then_some(ns)
}

/// The time of a call in ns from a figure in this unit: a time (`ns`, `ns/op`), or a rate of calls
/// (`ops/s`) of this number of threads together.
pub fn per_call(value: f64, name: &str, threads: u64) -> Result<f64, String> {
    let scale = match name.split_once('/') {
        None => unit(name).map(|scale| scale * value),
        Some((time, call)) if CALLS.contains(&call) => unit(time).map(|scale| scale * value),
        Some((call, time)) => {
            calls(call).zip(unit(time)).map(|(many, scale)| scale * threads as f64 / (value * many))
        }
    };
    scale.ok_or_else(|| {
        if is_rate(name) {
            format!("{value} {name} is a rate of something other than calls")
        } else {
            format!("{value} {name} {NOT_A_TIME}")
        }
    })
}

/// The last words of why a row has no time if its figure is of another kind, such as a number of
/// cycles. The error of a failed benchmark may contain similar words, but does not end so.
pub const NOT_A_TIME: &str = "is not a time per call";

/// Whether a unit counts something in a time, so that more is better: `req/Sec`, `rows per second`,
/// `rps`, `Mbps`.
pub fn is_rate(name: &str) -> bool {
    const SHORT: [&str; 7] = ["rps", "qps", "tps", "iops", "fps", "bps", "flops"];
    let name = name.to_lowercase();
    let time = name.rsplit_once('/').or(name.rsplit_once(" per ")).map_or("", |(_, time)| time);
    let is_prefix = |text: &str| text.chars().all(|c| "kmgtib".contains(c));
    unit(time.trim()).is_some()
        || SHORT.iter().any(|short| name.strip_suffix(short).is_some_and(is_prefix))
}

/// The names of one call or of several.
pub const CALLS: [&str; 8] = ["op", "ops", "iter", "iterations", "call", "calls", "run", "Op"];

/// The number of calls in a unit such as `ops`, `kops` or `Mops`.
fn calls(name: &str) -> Option<f64> {
    if CALLS.contains(&name) {
        return Some(1.0);
    }
    let prefixes = [("k", 1e3), ("K", 1e3), ("M", 1e6), ("G", 1e9)];
    let of = |(prefix, many): &(&str, f64)| {
        name.strip_prefix(prefix).filter(|rest| CALLS.contains(rest)).map(|_| *many)
    };
    prefixes.iter().find_map(of)
}

/// The bytes per second of a unit such as `MiB/s`, `GB/s` or `bytes/sec`.
pub fn rate_of_bytes(name: &str) -> Option<f64> {
    let of = name.strip_suffix("/s").or(name.strip_suffix("/sec"))?;
    let Some(prefix) = of.strip_suffix('B') else { return (of == "bytes").then_some(1.0) };
    let base = if prefix.ends_with('i') { 1024f64 } else { 1e3 };
    let prefixes = ["", "k", "M", "G", "T", "P"];
    let prefix = prefix.trim_end_matches('i').replace('K', "k");
    Some(base.powi(prefixes.iter().position(|known| *known == prefix)? as i32))
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
