//! Names for a column: cut to its width, but still distinguishable.

use std::collections::BTreeSet;

/// The first characters of a text, with a mark where it was cut, and the part after its last @,
/// which distinguishes builds and toolchains.
pub fn short(text: &str, most: usize) -> String {
    cut(text, most, |room| (room, 0))
}

/// Shortens names to a column of this width. If two shortened names would look alike, they are cut
/// in the middle, or else at the beginning, if that distinguishes them.
pub fn labels(names: &[String], most: usize) -> Vec<String> {
    let mut labels: Vec<String> = names.iter().map(|name| short(name, most)).collect();
    let ways: [fn(usize) -> (usize, usize); 2] =
        [|room| (room - room / 2, room / 2), |room| (0, room)];
    for way in ways {
        let mut others = labels.clone();
        for (other, name) in others.iter_mut().zip(names) {
            if labels.iter().filter(|label| *label == other).count() > 1 {
                *other = cut(name, most, way);
            }
        }
        if distinct(&others) > distinct(&labels) {
            labels = others;
        }
    }
    labels
}

fn distinct(labels: &[String]) -> usize {
    labels.iter().collect::<BTreeSet<_>>().len()
}

/// Cuts a text to `most` characters. The part after the last @ stays, up to two thirds of the
/// width. Of the part before, `way` says how many characters at its beginning and end are kept.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortened_name_keeps_the_toolchain_that_distinguishes_it() {
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
        // Too narrow for the whole toolchain: the ends distinguish them.
        let narrow = ["…-jdk@temurin-25", "…accp@temurin-25", "jvm/cupe…urin-21"];
        assert_eq!(cut(&engines, 16)[1..], narrow);
        // Names that no cut distinguishes are cut at the end.
        let names = ["abcdefghijklmnop1qrstuvwxyzabcdef", "abcdefghijklmnop2qrstuvwxyzabcdef"];
        assert_eq!(cut(&names, 8), ["abcdefg…", "abcdefg…"]);
    }
}
