//! The cost of adopting a contender, and which of several that tie is recommended.

use cupel_contender::Contender;
use std::cmp::Reverse;

/// Libraries that come with a language, so that using them adds nothing.
const BUILT_IN: [&str; 2] = ["JDK", "std"];

/// The work that these libraries leave to their callers, and others do themselves.
const LEFT_TO_YOU: [(&str, &str); 3] = [
    (
        "intel-ipsec-mb",
        "you allocate its manager, align keys and contexts to 64 bytes, and compare tags",
    ),
    ("Intel Cryptography Primitives", "you allocate its contexts, and compare tags"),
    ("BearSSL", "its AEADs work in place, and you compare tags"),
];

/// The obligations that come with a contender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The version of its library.
    pub version: String,
    /// The licence of its library, as an SPDX expression.
    pub licence: String,
    /// The cost of adopting it, in words.
    pub cost: String,
    /// The results of its leak tests at the sizes in question, in words.
    pub leaks: &'static str,
}

/// The order in which contenders that tie are recommended (docs/trust/bias.md): your own contender,
/// then the code of others before ours, then your language's own library, then the closest to your
/// own contender. A code path that you would have to force is not a candidate at all.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Preference {
    not_in_use: bool,
    ours: bool,
    other_language: bool,
    not_built_in: bool,
    other_library: bool,
    place: usize,
    older: Reverse<Vec<u64>>,
    position: usize,
}

/// A contender as a candidate for a user of `have`.
pub struct Candidate<'a> {
    /// The contender.
    pub own: &'a Contender,
    /// The contender in use now.
    pub have: &'a Contender,
    /// The place of its library in the suite. It decides where nothing else does: times would be
    /// chance.
    pub place: usize,
    /// Its own place in the suite, for contenders of one library.
    pub position: usize,
    /// Whether the user has `have`: otherwise it is only the baseline.
    pub had: bool,
}

impl Candidate<'_> {
    /// Its place among contenders that tie: the smallest is recommended.
    pub fn preference(&self) -> Preference {
        Preference {
            not_in_use: self.own.name != self.have.name,
            ours: self.own.is_ours(),
            other_language: !self.same_language(),
            not_built_in: !self.is_built_in(),
            other_library: self.own.library != self.have.library,
            place: self.place,
            older: Reverse(numbers(&self.own.version)),
            position: self.position,
        }
    }

    /// The cost of adopting it, and the results of its leak tests.
    pub fn terms(&self, leaks: &'static str) -> Terms {
        Terms {
            leaks,
            version: self.own.version.clone(),
            licence: self.own.licence.clone(),
            cost: self.cost(),
        }
    }

    fn cost(&self) -> String {
        let (own, have) = (&self.own.name, &self.have.name);
        if !self.had && self.is_built_in() {
            format!("built in: nothing to add in {}", own.language())
        } else if !self.had {
            format!("a dependency in {}{}", own.language(), self.obligations())
        } else if own == have {
            "in use".to_string()
        } else if own.code() == have.code() {
            format!("the same code on {}", own.toolchain().unwrap_or_default())
        } else if self.own.library == self.have.library && self.own.version != self.have.version {
            format!("your library in version {}", self.own.version)
        } else if self.own.library == self.have.library {
            format!("your library, called in another way: {}", self.own.summary)
        } else if self.is_built_in() && self.same_language() {
            "built in: nothing to add".to_string()
        } else if self.same_language() {
            format!("a new dependency{}", self.obligations())
        } else {
            let (language, obligations) = (own.language(), self.obligations());
            format!("a new dependency in another language ({language}){obligations}")
        }
    }

    fn obligations(&self) -> String {
        let left = LEFT_TO_YOU.iter().find(|(library, _)| *library == self.own.library);
        let left = left.map(|(_, what)| *what);
        let words = left.into_iter().chain(Copyleft::of(&self.own.licence).words());
        words.map(|what| format!("; {what}")).collect()
    }

    fn same_language(&self) -> bool {
        self.own.name.language() == self.have.name.language()
    }

    fn is_built_in(&self) -> bool {
        BUILT_IN.contains(&self.own.library.as_str())
    }
}

/// How far a licence reaches beyond the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Copyleft {
    None,
    /// To changes of the library.
    Weak,
    /// To the program that contains it.
    Strong,
}

impl Copyleft {
    /// The reach of an SPDX expression: you choose among its alternatives.
    fn of(licence: &str) -> Copyleft {
        licence.split(" OR ").map(Copyleft::of_one).min().unwrap_or(Copyleft::None)
    }

    fn of_one(licence: &str) -> Copyleft {
        // The exception is for programs that use the library.
        if licence.contains("WITH Classpath-exception") {
            return Copyleft::None;
        }
        let words = licence.split([' ', '(', ')']);
        let reach = words.map(|word| match word.split_once('-') {
            Some(("GPL" | "AGPL", _)) => Copyleft::Strong,
            Some(("LGPL" | "MPL", _)) => Copyleft::Weak,
            _ => Copyleft::None,
        });
        reach.max().unwrap_or(Copyleft::None)
    }

    fn words(self) -> Option<&'static str> {
        match self {
            Copyleft::None => None,
            Copyleft::Weak => Some("weak copyleft: changes of it fall under its licence"),
            Copyleft::Strong => {
                Some("copyleft: a program that you distribute with it falls under its licence")
            }
        }
    }
}

/// The numbers of a version, so that `0.10` is later than `0.9`.
fn numbers(version: &str) -> Vec<u64> {
    version.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_base::name::ContenderName;
    use cupel_contender::State;

    fn contender(name: &str, library: &str) -> Contender {
        let name = ContenderName::from(name);
        Contender {
            family: name.language().to_string(),
            library: library.to_string(),
            version: "1".to_string(),
            licence: "MIT".to_string(),
            summary: "one-shot".to_string(),
            ..Contender::new(name, State::Unbuilt)
        }
    }

    #[test]
    fn of_those_that_tie_the_house_comes_last() {
        let have = contender("jvm/bouncycastle@temurin-21", "BouncyCastle");
        let ordered = [
            contender("jvm/bouncycastle@temurin-21", "BouncyCastle"),
            contender("jvm/jdk@temurin-21", "JDK"),
            contender("jvm/bouncycastle-jce@temurin-21", "BouncyCastle"),
            contender("jvm/conscrypt@temurin-21", "Conscrypt"),
            contender("c/openssl-reused", "OpenSSL"),
            contender("jvm/cupel@temurin-21", "dev.cupel:cupel"),
            contender("c/cupel", "Cupel"),
        ];
        let place = |own: &Contender| {
            (
                Candidate { own, have: &have, place: 0, position: 0, had: true }.preference(),
                own.name.clone(),
            )
        };
        let places: Vec<_> = ordered.iter().map(place).collect();
        assert!(places.is_sorted_by(|a, b| a.0 < b.0), "{places:#?}");
    }

    #[test]
    fn a_licence_binds_you_if_every_alternative_does() {
        let of = |licence: &str| Copyleft::of(licence);
        for strong in ["GPL-2.0-or-later", "GPL-3.0-or-later", "MIT AND AGPL-3.0-only"] {
            assert_eq!(of(strong), Copyleft::Strong, "{strong}");
        }
        for weak in ["LGPL-2.1-or-later", "LGPL-3.0-or-later OR GPL-2.0-or-later"] {
            assert_eq!(of(weak), Copyleft::Weak, "{weak}");
        }
        for none in [
            "Apache-2.0 OR GPL-2.0-or-later",
            "GPL-2.0-only WITH Classpath-exception-2.0",
            "(Apache-2.0 OR ISC) AND BSD-3-Clause",
            "",
        ] {
            assert_eq!(of(none), Copyleft::None, "{none}");
        }
        let have = contender("c/openssl-reused", "OpenSSL");
        let own = contender("c/wolfssl", "wolfSSL");
        let own = Contender { licence: "GPL-2.0-or-later".to_string(), ..own };
        let cost = Candidate { own: &own, have: &have, place: 0, position: 0, had: true }.cost();
        let copyleft = "copyleft: a program that you distribute with it falls under its licence";
        assert_eq!(cost, format!("a new dependency; {copyleft}"));
    }

    #[test]
    fn what_the_user_did_not_name_is_not_theirs() {
        let have = contender("c/openssl-reused", "OpenSSL");
        let cost = |name: &str, library: &str| {
            let own = contender(name, library);
            Candidate { own: &own, have: &have, place: 0, position: 0, had: false }.cost()
        };
        assert_eq!(cost("c/openssl-reused", "OpenSSL"), "a dependency in c");
        assert_eq!(cost("c/openssl-oneshot", "OpenSSL"), "a dependency in c");
        assert_eq!(cost("go/std", "std"), "built in: nothing to add in go");
    }

    #[test]
    fn each_says_what_it_costs() {
        let have = contender("rust/ring", "ring");
        let cost = |name: &str, library: &str| {
            Candidate {
                own: &contender(name, library),
                have: &have,
                place: 0,
                position: 0,
                had: true,
            }
            .terms("")
            .cost
        };
        assert_eq!(cost("rust/ring", "ring"), "in use");
        assert!(cost("rust/ring-copy", "ring").starts_with("your library, called in"));
        assert_eq!(cost("rust/sha2-0.11", "sha2"), "a new dependency");
        assert_eq!(cost("rust-asm/sha2-0.10-asm", "sha2"), "a new dependency");
        assert_eq!(cost("rust/std-default-hasher", "std"), "built in: nothing to add");
        assert!(cost("c/openssl-reused", "OpenSSL").ends_with("another language (c)"));
        assert!(cost("c/ipsec-mb", "intel-ipsec-mb").ends_with(
            "(c); you allocate its manager, align keys and contexts to 64 bytes, and compare tags"
        ));
    }
}
