//! Text for people: numbers, names, lines that fit a terminal, and messages on standard error.
//! Every module may use this one, so it uses none.

use std::fmt::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

/// The width of the terminal, in columns.
pub const WIDTH: usize = 80;

/// Prints on standard error, line by line, without control characters. A reader that stops reading
/// (`2>&1 | head`) is not an error.
pub fn tell(text: &str) {
    use std::io::Write;
    let mut err = std::io::stderr().lock();
    for line in text.lines() {
        if writeln!(err, "{}", plain(line)).is_err() {
            return;
        }
    }
}

/// Removes control characters from a text from outside, and characters that change the direction of
/// writing, end a line or have no width: a contender's name must not control the terminal.
pub fn plain(text: &str) -> String {
    let mut plain = String::new();
    for c in text.chars() {
        match c {
            '\n' | '\t' => plain.push(' '),
            c if steers(c) => plain.extend(c.escape_unicode()),
            c => plain.push(c),
        }
    }
    plain
}

/// Whether a character does something else than to be seen.
fn steers(c: char) -> bool {
    let invisible = matches!(
        c,
        '\u{61c}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{feff}'
    );
    invisible || c.is_control()
}

/// JSON with such characters written as JSON writes them in ASCII: its values stay, and nothing of
/// them reaches a terminal.
pub fn inert_json(json: &str) -> String {
    let mut inert = String::with_capacity(json.len());
    for c in json.chars() {
        if c != '\n' && steers(c) {
            // None of them needs two halves.
            let _ = write!(inert, "\\u{:04x}", u32::from(c));
        } else {
            inert.push(c);
        }
    }
    inert
}

/// The characters with which a formula of a spreadsheet may begin.
const FORMULA: &str = "=+-@";

/// A text from outside as a field of a table that a spreadsheet may open: a text that begins like a
/// formula would be computed there. An apostrophe in front marks it as text.
pub fn field(text: &str) -> String {
    let text = plain(text);
    let begins = text.trim_start().starts_with(|first| FORMULA.contains(first));
    if begins && text != "-" { format!("'{text}") } else { text }
}

/// A time with three or four digits and its unit.
pub fn time(ns: f64) -> String {
    TimeUnit::for_shortest([ns]).time(ns)
}

/// A unit of time: times that are read one below the other have the same.
#[derive(Clone, Copy, Debug)]
pub struct TimeUnit {
    name: &'static str,
    ns: f64,
}

impl TimeUnit {
    /// The unit in which the shortest of these times has its digits.
    pub fn for_shortest(times: impl IntoIterator<Item = f64>) -> TimeUnit {
        let (name, ns) = match times.into_iter().fold(f64::INFINITY, f64::min) {
            ns if ns < 10_000.0 => ("ns", 1.0),
            ns if ns < 10_000_000.0 => ("us", 1e3),
            ns if ns < 10_000_000_000.0 => ("ms", 1e6),
            _ => ("s", 1e9),
        };
        TimeUnit { name, ns }
    }

    /// A time in this unit.
    pub fn time(self, ns: f64) -> String {
        format!("{} {}", digits(ns / self.ns), self.name)
    }
}

/// A number with three or four digits.
pub fn digits(value: f64) -> String {
    match value.abs() {
        v if v < 10.0 => format!("{value:.2}"),
        v if v < 100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// A moment in UTC, in the form of stores: 2026-11-23T21:30:00Z.
pub fn utc(at: SystemTime) -> String {
    let seconds = at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    // Years from March, so that a leap day is the last of its year, in cycles of 400 of them.
    let days = seconds / 86_400 + 719_468;
    let (cycle, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, shifted) = (day - (153 * month + 2) / 5 + 1, month >= 10);
    let month = if shifted { month - 9 } else { month + 3 };
    let year = cycle * 400 + year + u64::from(shifted);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// A number of things: `1 claim`, `2 claims`.
pub fn count(n: usize, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}

/// Several things in a sentence: `a, b and c`.
pub fn several(things: &[String]) -> String {
    match things {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A number of bytes, in binary units if that is exact.
pub fn bytes(size: u64) -> String {
    match size {
        0 => "0 B".to_string(),
        n if n % (1 << 20) == 0 => format!("{} MiB", n >> 20),
        n if n % (1 << 10) == 0 => format!("{} KiB", n >> 10),
        n if n % 1_000_000 == 0 => format!("{} MB", n / 1_000_000),
        n if n % 1_000 == 0 => format!("{} kB", n / 1_000),
        n => format!("{n} B"),
    }
}

/// A share as you write it on the command line: `2%`.
pub fn share(share: f64) -> String {
    format!("{}%", (share * 1e6).round() / 1e4)
}

/// Gigabytes (10^9) per second; nothing below 64 bytes, where the overhead of a call dominates.
pub fn gigabytes(bytes: f64, ns: f64) -> Option<f64> {
    (bytes >= 64.0).then(|| bytes / ns)
}

/// The interval of a ratio, given its ends. An interval without information is not printed as
/// figures.
pub fn interval(low: f64, high: f64) -> String {
    if !(high.is_finite() && low > 0.0) {
        "too few rounds".to_string()
    } else if high / low > WIDEST {
        "too few forks".to_string()
    } else {
        format!("{} .. {}", ratio_digits(low), ratio_digits(high))
    }
}

/// How many times its lower end the upper end of an interval may be. Rounds of the worst machine
/// differ less: only the t distribution of two or three forks makes wider ones.
const WIDEST: f64 = 100.0;

/// A ratio with as many digits as its size justifies.
pub fn ratio_digits(ratio: f64) -> String {
    match ratio {
        r if r < 10.0 => format!("{r:.3}"),
        r if r < 100.0 => format!("{r:.2}"),
        r if r < 1000.0 => format!("{r:.1}"),
        r if r < 1e6 => format!("{r:.0}"),
        r => format!("{r:.2e}"),
    }
}

/// Breaks a line to fit the terminal. Later lines are indented by two more. A word that is longer
/// than a line is broken too.
pub fn folded(indent: &str, line: &str) -> String {
    const LIMIT: usize = WIDTH - 2;
    let deeper = format!("{indent}  ");
    let mut out = String::from(indent);
    let mut column = indent.len();
    let mut empty = true;
    for word in line.split(' ') {
        let width = word.chars().count();
        if !empty && column + 1 + width > LIMIT {
            out.push('\n');
            out.push_str(&deeper);
            (column, empty) = (deeper.len(), true);
        }
        if !empty {
            out.push(' ');
            column += 1;
        }
        empty = false;
        for c in word.chars() {
            if column == LIMIT {
                out.push('\n');
                out.push_str(&deeper);
                column = deeper.len();
            }
            out.push(c);
            column += 1;
        }
    }
    out
}

/// Breaks a command to fit the terminal, so that it can be copied as it is: each line but the last
/// ends with a backslash. Nothing within quotes is broken.
pub fn command(indent: &str, command: &str) -> String {
    const LIMIT: usize = WIDTH - 2;
    let mut out = String::from(indent);
    let (mut column, mut open, mut empty) = (indent.len(), false, true);
    for word in command.split(' ') {
        let width = word.chars().count();
        // A backslash needs two columns.
        if !empty && !open && column + 1 + width + 2 > LIMIT {
            out.push_str(" \\\n");
            out.push_str(indent);
            out.push_str("  ");
            (column, empty) = (indent.len() + 2, true);
        }
        if !empty {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        (column, empty) = (column + width, false);
        open ^= word.matches('\'').count() % 2 == 1;
    }
    out
}

/// Quotes a name as one word for a shell, because people copy the line.
pub fn quoted(name: &str) -> String {
    let name = plain(name);
    if name.chars().all(|c| c.is_ascii_alphanumeric() || "/_.@+-%,:".contains(c)) {
        return name;
    }
    format!("'{}'", name.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn days_are_those_of_the_calendar() {
        let at = |seconds: u64| utc(UNIX_EPOCH + Duration::from_secs(seconds));
        let on = |days: u64| at(days * 86_400 + 86_399).replace("T23:59:59Z", "");
        assert_eq!(
            [0, 58, 59, 364, 365].map(on).join(" "),
            "1970-01-01 1970-02-28 1970-03-01 1970-12-31 1971-01-01"
        );
        assert_eq!(
            [11_015, 11_016, 19_782, 20_780].map(on).join(" "),
            "2000-02-28 2000-02-29 2024-02-29 2026-11-23"
        );
        assert_eq!(at(20_780 * 86_400 + 3723), "2026-11-23T01:02:03Z");
    }

    #[test]
    fn nothing_from_outside_steers_the_terminal() {
        let shown = plain("a\u{1b}[31mred\u{202e}\r\nb\u{7}");
        assert!(!shown.chars().any(|c| c.is_control() || c == '\u{202e}'), "{shown:?}");
        assert!(shown.contains("red"));
    }

    #[test]
    fn times_keep_three_digits_and_change_their_unit() {
        assert_eq!(time(2.345), "2.35 ns");
        assert_eq!(time(391.24), "391 ns");
        assert_eq!(time(20_728.0), "20.7 us");
        assert_eq!(time(333_000_000.0), "333 ms");
    }

    #[test]
    fn an_interval_that_says_nothing_has_no_figures() {
        assert_eq!(interval(0.976, 1.019), "0.976 .. 1.019");
        assert_eq!(interval(0.5, 49.0), "0.500 .. 49.00");
        assert_eq!(interval(2.0e-59, 7.44e58), "too few forks");
        assert_eq!(interval(0.09, 9.1), "too few forks");
        assert_eq!(interval(0.0, f64::INFINITY), "too few rounds");
        assert_eq!(interval(1200.0, 1300.0), "1200 .. 1300");
    }

    #[test]
    fn a_command_is_broken_where_a_shell_goes_on() {
        let long =
            format!("cupel run q{} 'c/a b {}'", " --contender c/x".repeat(9), "y z ".repeat(20));
        let broken = command("  ", &long);
        assert_eq!(broken.replace(" \\\n    ", " ").trim(), long, "{broken}");
        let (before, quoted) = broken.split_once('\'').unwrap();
        assert!(before.lines().all(|line| line.chars().count() <= 80), "{broken}");
        assert!(before.contains(" \\\n") && !quoted.contains('\n'), "{broken}");
    }

    #[test]
    fn one_thing_is_singular() {
        assert_eq!([0, 1, 2].map(|n| count(n, "claim")), ["0 claims", "1 claim", "2 claims"]);
    }

    #[test]
    fn sizes_are_exact_in_whatever_unit_they_are_shown() {
        assert_eq!(bytes(64), "64 B");
        assert_eq!(bytes(1025), "1025 B");
        assert_eq!(bytes(16384), "16 KiB");
        assert_eq!(bytes(100_000_000), "100 MB");
    }
}
