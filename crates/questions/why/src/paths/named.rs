//! Which pairs the words of a question mean.

use super::Pair;
use cupel_base::name::ContenderName;
use cupel_verb::meant::CLOSENESS;

/// The pairs that a word means by the name of the default or of the forced path, or by the library
/// of the default, which `library` returns.
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
