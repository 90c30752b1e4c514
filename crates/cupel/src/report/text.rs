//! Numbers and names as a person reads them.

use crate::analyse::Ratio;
use std::collections::BTreeSet;

/// A text from outside without control characters and without characters that turn the direction of
/// writing, end a line or have no width: a contender's name must not steer the terminal.
pub fn plain(text: &str) -> String {
    let turns = |c: char| matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
    text.chars()
        .map(|c| if c == '\n' || c == '\t' { ' ' } else { c })
        .flat_map(|c| -> Box<dyn Iterator<Item = char>> {
            if c.is_control() || turns(c) {
                Box::new(c.escape_unicode())
            } else {
                Box::new([c].into_iter())
            }
        })
        .collect()
}

/// The first characters of a text, marked where it was cut, and what follows its last @, which tells builds
/// and toolchains apart.
pub fn short(text: &str, most: usize) -> String {
    cut(text, most, |room| (room, 0))
}

/// Names in a column of this width. Where two that are cut would look alike, they are cut in the middle, or
/// else at their beginning, if that tells them apart.
pub fn labels(names: &[String], most: usize) -> Vec<String> {
    let mut labels: Vec<String> = names.iter().map(|name| short(name, most)).collect();
    let ways: [fn(usize) -> (usize, usize); 2] =
        [|room| (room - room / 2, room / 2), |room| (0, room)];
    for way in ways {
        let alike = |label: &String| labels.iter().filter(|other| *other == label).count() > 1;
        let other: Vec<String> = names
            .iter()
            .zip(&labels)
            .map(|(name, label)| if alike(label) { cut(name, most, way) } else { label.clone() })
            .collect();
        let different = |labels: &[String]| labels.iter().collect::<BTreeSet<_>>().len();
        if different(&other) > different(&labels) {
            labels = other;
        }
    }
    labels
}

/// A text of at most so many characters. `way` says how many of those that there is room for are the first
/// and the last of what stands before its last @; what follows that stays, up to two thirds of the room.
fn cut(text: &str, most: usize, way: impl Fn(usize) -> (usize, usize)) -> String {
    let all: Vec<char> = text.chars().collect();
    if all.len() <= most {
        return text.to_string();
    }
    let room = most.saturating_sub(1);
    let tail = all.iter().rposition(|c| *c == '@').map_or(0, |at| all.len() - at);
    let tail = if 3 * tail <= 2 * room { tail } else { 0 };
    let (stem, tail) = all.split_at(all.len() - tail);
    let (first, last) = way(room - tail.len());
    let (first, last) = (&stem[..first], &stem[stem.len() - last..]);
    first.iter().chain(['…'].iter()).chain(last).chain(tail).collect()
}

/// A time with three or four digits and its unit.
pub fn time(ns: f64) -> String {
    let (value, unit) = match ns {
        ns if ns < 10_000.0 => (ns, "ns"),
        ns if ns < 10_000_000.0 => (ns / 1e3, "us"),
        ns if ns < 10_000_000_000.0 => (ns / 1e6, "ms"),
        ns => (ns / 1e9, "s"),
    };
    format!("{} {unit}", digits(value))
}

/// A number with three or four digits.
pub fn digits(value: f64) -> String {
    match value.abs() {
        v if v < 10.0 => format!("{value:.2}"),
        v if v < 100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// A number of bytes: in binary units where that is exact.
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

/// Gigabytes (10^9) a second; nothing below 64 bytes, where it would be a figure about calls.
pub fn gigabytes(bytes: f64, ns: f64) -> Option<f64> {
    (bytes >= 64.0).then(|| bytes / ns)
}

/// The interval of a ratio.
pub fn interval(ratio: &Ratio) -> String {
    if ratio.high.is_finite() && ratio.low > 0.0 {
        format!("{} .. {}", ratio_digits(ratio.low), ratio_digits(ratio.high))
    } else {
        "too few rounds".to_string()
    }
}

/// A ratio with the digits that its interval can bear.
pub fn ratio_digits(ratio: f64) -> String {
    match ratio {
        r if r < 10.0 => format!("{r:.3}"),
        r if r < 100.0 => format!("{r:.2}"),
        r if r < 1000.0 => format!("{r:.1}"),
        r if r < 1e6 => format!("{r:.0}"),
        r => format!("{r:.2e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_cut_keeps_the_toolchain_that_tells_it_from_others() {
        assert_eq!(short("jvm/bouncycastle@temurin-17", 24), "jvm/bouncyca…@temurin-17");
        assert_eq!(short("jvm/bouncycastle@temurin-17", 27), "jvm/bouncycastle@temurin-17");
        assert_eq!(short("c/a-name-of-many-letters", 8), "c/a-nam…");
        assert_eq!(short("c/x@a-toolchain-of-many-letters", 10), "c/x@a-too…");
    }

    #[test]
    fn names_that_would_look_alike_are_cut_where_they_differ() {
        let cut = |names: &[&str], most| {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            labels(&names, most)
        };
        let engines = [
            "jvm/jdk@temurin-25",
            "jvm/cupel-aead-jdk@temurin-25",
            "jvm/cupel-aead-accp@temurin-25",
            "jvm/cupel-aead-accp@temurin-21",
        ];
        let labels = ["jvm/jdk@temurin-25", "jvm/cu…ad-jdk@temurin-25"];
        let accp = ["jvm/cu…d-accp@temurin-25", "jvm/cupel-ae…@temurin-21"];
        assert_eq!(cut(&engines, 24), [labels, accp].concat());
        // Too narrow for the whole toolchain: their ends tell them apart.
        let narrow = ["…-jdk@temurin-25", "…accp@temurin-25", "jvm/cupe…urin-21"];
        assert_eq!(cut(&engines, 16)[1..], narrow);
        // What nothing tells apart stays as it is.
        let names = ["abcdefghijklmnop1qrstuvwxyzabcdef", "abcdefghijklmnop2qrstuvwxyzabcdef"];
        assert_eq!(cut(&names, 8), ["abcdefg…", "abcdefg…"]);
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
    fn sizes_are_exact_in_whatever_unit_they_are_shown() {
        assert_eq!(bytes(64), "64 B");
        assert_eq!(bytes(1025), "1025 B");
        assert_eq!(bytes(16384), "16 KiB");
        assert_eq!(bytes(100_000_000), "100 MB");
    }
}
