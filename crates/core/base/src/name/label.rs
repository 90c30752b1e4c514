//! Names for a column: cut to its width, but still distinguishable.

use super::WITH;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The first characters of a text, with a mark where it was cut, and the part after its last @,
/// which distinguishes builds and toolchains.
pub fn short(text: &str, most: usize) -> String {
    cut(text, most, |room| (room, 0))
}

/// Shortens different names to different labels for a column of this width.
pub fn labels(names: &[String], most: usize) -> Vec<String> {
    of_choice(names, most).unwrap_or_else(|| of_contenders(names, most))
}

/// The labels of a choice's rows: a contender's and a primitive's each. `None` if the rows do not
/// belong to a choice, or if the column is too narrow for both.
fn of_choice(names: &[String], most: usize) -> Option<Vec<String>> {
    /// Contenders need this much space before primitives have all that they need.
    const CONTENDER: usize = 18;
    let (contenders, primitives): (Vec<&str>, Vec<&str>) =
        names.iter().map(|name| name.split_once(WITH)).collect::<Option<_>>()?;
    let longest = primitives.iter().map(|primitive| primitive.chars().count()).max()?;
    let room = most.checked_sub(WITH.len() + CONTENDER)?;
    let primitive = longest.min(room.max(most / 3));
    let contenders = unlike(&contenders, most - WITH.len() - primitive);
    let primitives = unlike(&primitives, primitive);
    let mut labels = names.to_vec();
    for ((label, contender), primitive) in labels.iter_mut().zip(contenders).zip(primitives) {
        if label.chars().count() > most {
            *label = format!("{contender}{WITH}{primitive}");
        }
    }
    Some(labels)
}

/// The labels of names that may be there several times.
fn unlike(names: &[&str], most: usize) -> Vec<String> {
    let all: BTreeSet<&str> = names.iter().copied().collect();
    let all: Vec<String> = all.into_iter().map(String::from).collect();
    let labels = of_contenders(&all, most);
    let of: HashMap<&str, &String> = all.iter().map(String::as_str).zip(&labels).collect();
    names.iter().map(|name| of[name].clone()).collect()
}

/// Names that would look alike are cut in the middle, or else at the beginning; or on both sides of
/// their last @; or they are numbered.
fn of_contenders(names: &[String], most: usize) -> Vec<String> {
    let mut labels: Vec<String> = names.iter().map(|name| short(name, most)).collect();
    cut_alike(&mut labels, names, |name| cut(name, most, |room| (room - room / 2, room / 2)));
    cut_alike(&mut labels, names, |name| cut(name, most, |room| (0, room)));
    for end in ENDS {
        for last in LASTS {
            cut_alike(&mut labels, names, |name| cut_twice(name, most, last, end));
        }
    }
    number_alike(&mut labels, names, most);
    labels
}

/// How many characters of a toolchain's end may distinguish it: `17`, `-21`, `2-O2`, `2-O2-native`.
const ENDS: [usize; 4] = [2, 3, 5, 11];

/// How many of those before the @: `jce`, `reused`.
const LASTS: [usize; 3] = [0, 3, 6];

/// Cuts the names that have the label of another, if more labels are then distinct.
fn cut_alike(labels: &mut Vec<String>, names: &[String], cut: impl Fn(&str) -> String) {
    let counts = counts(labels);
    let others = labels
        .iter()
        .zip(names)
        .map(|(label, name)| if counts[label.as_str()] > 1 { cut(name) } else { label.clone() });
    let others: Vec<String> = others.collect();
    if self::counts(&others).len() > counts.len() {
        *labels = others;
    }
}

/// How many have each label.
fn counts(labels: &[String]) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    for label in labels {
        *counts.entry(label.as_str()).or_default() += 1;
    }
    counts
}

/// Ends the labels that different names still share with a number for each name.
fn number_alike(labels: &mut [String], names: &[String], most: usize) {
    let mut of: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (label, name) in labels.iter().zip(names) {
        of.entry(label.clone()).or_default().insert(name);
    }
    let mut taken: BTreeSet<String> = of.keys().cloned().collect();
    let mut numbered: BTreeMap<&str, String> = BTreeMap::new();
    for name in of.values().filter(|alike| alike.len() > 1).flatten() {
        let mut label = (1..).map(|number: usize| {
            let number = number.to_string();
            format!("{}{number}", short(name, most.saturating_sub(number.len())))
        });
        let label = label.find(|label| taken.insert(label.clone()));
        numbered.extend(label.map(|label| (*name, label)));
    }
    for (label, name) in labels.iter_mut().zip(names) {
        if let Some(number) = numbered.get(name.as_str()) {
            label.clone_from(number);
        }
    }
}

/// Cuts a text to `most` characters. The part after the last @ stays, up to two thirds of the
/// width. `way` returns how many characters at the beginning and end of the part before are kept.
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

/// Cuts a text twice: its last @ stays, with `last` characters before it and `end` at the end.
fn cut_twice(text: &str, most: usize, last: usize, end: usize) -> String {
    let all: Vec<char> = text.chars().collect();
    let at = all.iter().rposition(|c| *c == '@');
    let kept = last + end + "…@…".chars().count();
    let Some(at) = at.filter(|_| all.len() > most && kept <= most) else {
        return short(text, most);
    };
    let (stem, tail) = (&all[..at], &all[at + 1..]);
    let first = most - kept;
    if first + last >= stem.len() || end >= tail.len() {
        return short(text, most);
    }
    let (first, last) = (&stem[..first], &stem[stem.len() - last..]);
    let end = &tail[tail.len() - end..];
    let parts = [first, &['…'], last, &['@', '…'], end];
    parts.into_iter().flatten().collect()
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
        // Names that no cut distinguishes are numbered. One that is there twice has one number.
        let names = ["abcdefghijklmnop1qrstuvwxyzabcdef", "abcdefghijklmnop2qrstuvwxyzabcdef"];
        assert_eq!(cut(&[names[1], names[0], names[1]], 8), ["abcdef…2", "abcdef…1", "abcdef…2"]);
    }

    /// The names of the families that declare theirs, on some toolchains, and as rows of a choice.
    fn real() -> Vec<Vec<String>> {
        let on = |file: &str, family: &str, toolchains: &[&str]| {
            let path = format!("{}/../../../contenders/{file}.toml", env!("CARGO_MANIFEST_DIR"));
            let text = std::fs::read_to_string(path).unwrap();
            let names = text.lines().filter_map(|line| line.strip_prefix("name = \""));
            let names: Vec<&str> = names.map(|name| name.trim_end_matches('"')).collect();
            assert!(!names.is_empty(), "{file}");
            let all = names
                .iter()
                .flat_map(|name| toolchains.iter().map(move |on| format!("{family}/{name}@{on}")));
            all.collect::<Vec<_>>()
        };
        let jvm = on("jvm", "jvm", &["temurin-17", "temurin-21", "temurin-25"]);
        let others = on("jvm", "jvm", &["amazon-corretto-21", "graalvm-21", "graalvm-25"]);
        let builds = ["gcc-12-O2", "gcc-12-O3-native", "gcc-13-O3-native", "clang-14-O2"];
        let matrix = on("cupel", "c", &builds);
        let choice = |name: &String| {
            ["aes-256-gcm", "aes-128-gcm", "chacha20-poly1305"]
                .map(|with| format!("{name} with {with}"))
        };
        let choices = jvm.iter().flat_map(choice).collect();
        vec![jvm.clone(), [jvm, others].concat(), matrix, choices]
    }

    #[test]
    fn different_names_have_different_labels_at_every_width() {
        for names in real() {
            for most in 8..=64 {
                let labels = labels(&names, most);
                assert_eq!(counts(&labels).len(), names.len(), "{most}: {labels:#?}");
                assert!(labels.iter().all(|label| label.chars().count() <= most), "{labels:#?}");
            }
        }
    }

    #[test]
    fn names_on_several_jdks_show_what_distinguishes_them() {
        let on = |name: &str| ["17", "21", "25"].map(|major| format!("jvm/{name}@temurin-{major}"));
        let names = [on("bouncycastle"), on("bouncycastle-jce"), on("jdk")].concat();
        let labels = labels(&names, 13);
        let bouncycastle = ["jvm/b…tle@…17", "jvm/b…tle@…21", "jvm/b…tle@…25"];
        assert_eq!(labels[..3], bouncycastle);
        assert_eq!(labels[3..6], bouncycastle.map(|label| label.replace("tle", "jce")));
        assert_eq!(labels[6..], ["jvm/jd…rin-17", "jvm/jd…rin-21", "jvm/jd…rin-25"]);
    }
}
