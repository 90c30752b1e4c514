//! Which pairs the words of a question mean. Unlike in `cupel ask`, where a word means one
//! contender, `openssl` means all that OpenSSL has here.

use super::Pair;
use cupel_base::name::{ContenderName, Pattern};
use cupel_host::contender::Contender;

/// How closely a word has to name a contender.
type Closeness = fn(&str, &ContenderName, &str) -> bool;

/// From the closest: a contender that a word names exactly is meant alone.
const CLOSENESS: [Closeness; 3] = [is_name, is_first_part, is_library];

/// A contender's name, with or without its family and its toolchain, or a pattern.
fn is_name(word: &str, name: &ContenderName, _: &str) -> bool {
    let bare = [name.as_str(), name.code(), name.implementation()];
    bare.contains(&word) || Pattern::new(word).fits(name)
}

/// A name up to its first hyphen: `openssl`, `c/openssl`.
fn is_first_part(word: &str, name: &ContenderName, _: &str) -> bool {
    let asked = ContenderName::from(word);
    let first = name.implementation().split('-').next();
    asked.family().is_none_or(|family| name.family() == Some(family))
        && asked.toolchain().is_none_or(|toolchain| name.toolchain() == Some(toolchain))
        && first == Some(asked.implementation())
}

fn is_library(word: &str, _: &ContenderName, library: &str) -> bool {
    library.eq_ignore_ascii_case(word)
}

/// The contenders that a word means most closely.
pub fn contenders_meant<'a>(word: &str, all: &[&'a Contender]) -> Vec<&'a Contender> {
    let by = |is: &Closeness| -> Vec<&'a Contender> {
        all.iter().copied().filter(|c| is(word, &c.name, &c.library)).collect()
    };
    CLOSENESS.iter().map(by).find(|found| !found.is_empty()).unwrap_or_default()
}

/// Whether a word may mean a contender.
pub fn may_mean(word: &str, name: &ContenderName, library: &str) -> bool {
    CLOSENESS.iter().any(|is| is(word, name, library))
}

/// The pairs that a word means by the name of the default or of the forced path, or by the library
/// of the default, which `library` knows.
pub fn meant<'a>(
    word: &str,
    pairs: &[&'a Pair],
    library: impl Fn(&str) -> &'a str,
) -> Vec<&'a Pair> {
    for is_meant in CLOSENESS {
        let mut found = pairs.to_vec();
        found.retain(|pair| {
            [&pair.default, &pair.forced].into_iter().any(|name| {
                is_meant(word, &ContenderName::from(name.as_str()), library(&pair.default))
            })
        });
        if !found.is_empty() {
            return found;
        }
    }
    vec![]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_means_what_it_names_most_closely() {
        let of = |(default, forced, _): &(&str, &str, &str)| Pair {
            default: default.to_string(),
            forced: forced.to_string(),
        };
        let known = [
            ("c/openssl-reused", "c/openssl-nosha", "OpenSSL"),
            ("c/openssl-reused", "c/openssl-noavx512", "OpenSSL"),
            ("rust/ring", "rust/ring-nosha", "ring"),
            ("jvm/jdk@temurin-25", "jvm/jdk-nosha@temurin-25", "JDK"),
            ("c/cupel", "c/cupel-avx2", "Cupel"),
            ("c/cupel-many", "c/cupel-many-avx2", "Cupel"),
            ("jvm/conscrypt@temurin-25", "jvm/conscrypt-nosha@temurin-25", "Conscrypt"),
        ];
        let pairs = known.each_ref().map(of);
        let all: Vec<&Pair> = pairs.iter().collect();
        let library = |name: &str| known.iter().find(|(own, ..)| *own == name).unwrap().2;
        for (word, places) in [
            ("openssl", &[0, 1][..]),
            ("c/openssl", &[0, 1]),
            ("OpenSSL", &[0, 1]),
            ("openssl-nosha", &[0]),
            ("rust/openssl", &[]),
            ("ring", &[2]),
            ("rust/*", &[2]),
            ("jdk", &[3]),
            ("jvm/jdk", &[3]),
            ("jdk@temurin-25", &[3]),
            ("jdk@temurin-21", &[]),
            ("cupel", &[4]),
            ("Cupel", &[4, 5]),
            ("rnig", &[]),
        ] {
            let expected: Vec<&Pair> = places.iter().map(|&place| all[place]).collect();
            assert_eq!(meant(word, &all, library), expected, "{word}");
        }
    }
}
