//! A contender's name, such as `c/cupel-ssse3@gcc-12-O2`. Only this module builds names and splits
//! them.
//!
//! A name is `FAMILY/IMPLEMENTATION`, then `@TOOLCHAIN` if a toolchain builds or hosts the
//! implementation (`gcc-12-O2`, `1.1.1w`, `temurin-25+1.70`), then `@against` if the program is the
//! second of two builds. The toolchain starts at the *first* `@`: a compiler that a user names by
//! its path may have an `@` in its own name. In a comparison that chooses between primitives, a
//! row's name ends in ` with PRIMITIVE`.

mod label;
mod pattern;

pub use label::{labels, short};
pub use pattern::{NEWEST, Pattern, is_end};

use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;

/// The end of the name of a contender whose program `--against` gave.
const AGAINST: &str = "@against";

/// Between the host of a library's release, and the release.
const RELEASE: char = '+';

/// Between the ends of a range of releases.
const RANGE: &str = "..";

/// Before the primitive, in the name of a row of a choice.
const WITH: &str = " with ";

/// The optimisation levels, as they end a build's toolchain.
const LEVELS: [&str; 6] = ["O0", "O1", "O2", "O3", "Os", "Ofast"];

/// The families that stand for a language. Others belong to a user.
pub const LANGUAGES: [&str; 6] = ["c", "go", "jvm", "node", "python", "rust"];

/// A language's name in a sentence, given the family that stands for it; a user's family is its
/// own.
pub fn language_title(family: &str) -> &str {
    match family {
        "c" => "C",
        "go" => "Go",
        "jvm" => "Java",
        "node" => "Node.js",
        "python" => "Python",
        "rust" => "Rust",
        own => own,
    }
}

/// The end of the toolchain of a build for the processor at hand.
const NATIVE: &str = "-native";

/// A contender's full name. It dereferences to its text. Only the methods here give its parts.
/// Files and stores contain it as plain text.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContenderName(String);

/// A toolchain that is a compiler with flags, split into its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Build<'a> {
    /// `gcc-12`
    pub compiler: &'a str,
    /// `O2`
    pub level: &'a str,
    /// Whether it is built for the processor at hand.
    pub native: bool,
}

impl ContenderName {
    /// Builds a name. `family` is the prefix that the family's file gives to its contenders.
    pub fn new(family: &str, implementation: &str, toolchain: Option<&str>) -> ContenderName {
        let toolchain = toolchain.map(|name| format!("@{name}")).unwrap_or_default();
        ContenderName(format!("{family}/{implementation}{toolchain}"))
    }

    /// The toolchain of a library's release on its host: `temurin-25+1.70`.
    pub fn on_host(host: &str, release: &str) -> String {
        format!("{host}{RELEASE}{release}")
    }

    /// The whole name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part before the `/`, if there is one: `c`, `jvm`, `rust-asm`.
    pub fn family(&self) -> Option<&str> {
        self.contender().split_once('/').map(|(family, _)| family)
    }

    /// The language: `rust` of `rust-asm/sha2`. A user's own family is one by itself.
    pub fn language(&self) -> &str {
        let family = self.family().unwrap_or(self);
        let of =
            |known: &&str| family.strip_prefix(known).is_some_and(|rest| rest.starts_with('-'));
        LANGUAGES.into_iter().find(of).unwrap_or(family)
    }

    /// The pattern of all contenders of its family on its toolchain: `jvm/*@temurin-25`.
    pub fn all_alike(&self) -> Option<ContenderName> {
        Some(ContenderName::new(self.family()?, "*", self.toolchain()))
    }

    /// The implementation with its family, without the toolchain: `c/cupel-ssse3`.
    pub fn code(&self) -> &str {
        self.parts().0
    }

    /// The implementation without its family: `cupel-ssse3`.
    pub fn implementation(&self) -> &str {
        self.code().split_once('/').map_or(self.code(), |(_, implementation)| implementation)
    }

    /// The toolchain: `gcc-12-O2`, `temurin-25`.
    pub fn toolchain(&self) -> Option<&str> {
        self.parts().1
    }

    /// The release of its library, or else its toolchain: `1.70` of `jvm/x@temurin-25+1.70`.
    pub fn release(&self) -> Option<&str> {
        let toolchain = self.toolchain()?;
        Some(toolchain.rsplit_once(RELEASE).map_or(toolchain, |(_, release)| release))
    }

    /// The host of a library's release, if it has one: `temurin-25` of `jvm/x@temurin-25+1.70`.
    pub fn host_of_release(&self) -> Option<&str> {
        Some(self.toolchain()?.rsplit_once(RELEASE)?.0)
    }

    /// Without its release, if that is a range, and the ends of the range: `x@1.1..3.0` gives `x`,
    /// `1.1` and `3.0`. An open end is empty.
    pub fn range_of_releases(&self) -> Option<(ContenderName, [&str; 2])> {
        let (from, to) = self.release()?.split_once(RANGE)?;
        let host = self.host_of_release().map(|host| format!("@{host}")).unwrap_or_default();
        Some((ContenderName(format!("{}{host}", self.code())), [from, to]))
    }

    /// Its host: its toolchain without a release of its library.
    pub fn host(&self) -> Option<&str> {
        self.host_of_release().or(self.toolchain())
    }

    /// Whether one runner hosts both this contender and `other`: a runner has a whole family, on
    /// one toolchain if this name has one. The runner of a release is the same program.
    pub fn has_the_runner_of(&self, other: &ContenderName) -> bool {
        let alike = self.family().is_some() && self.family() == other.family();
        let own = self.toolchain();
        alike && (own.is_none() || own == other.toolchain() || own == other.host_of_release())
    }

    /// Compiler and flags, if the toolchain is a compiler with flags.
    pub fn build(&self) -> Option<Build<'_>> {
        if self.is_against() {
            return None; // Its compiler and flags are unknown.
        }
        let toolchain = self.toolchain()?;
        let (toolchain, native) = match toolchain.strip_suffix(NATIVE) {
            Some(before) => (before, true),
            None => (toolchain, false),
        };
        let (compiler, level) = toolchain.rsplit_once('-')?;
        let known = !compiler.is_empty() && LEVELS.contains(&level);
        known.then_some(Build { compiler, level, native })
    }

    /// Whether it is the second of two builds.
    pub fn is_against(&self) -> bool {
        self.contender().ends_with(AGAINST)
    }

    /// The name of this contender's row in a choice, where it computes this primitive.
    #[must_use]
    pub fn with_primitive(&self, primitive: &str) -> ContenderName {
        ContenderName(format!("{}{WITH}{primitive}", self.contender()))
    }

    /// The primitive, if it is the name of a row of a choice.
    pub fn primitive(&self) -> Option<&str> {
        self.0.rsplit_once(WITH).map(|(_, primitive)| primitive)
    }

    /// The name of the contender alone, whatever it computes.
    #[must_use]
    pub fn without_primitive(&self) -> ContenderName {
        ContenderName(self.contender().to_string())
    }

    /// The contender's own name, without a primitive.
    pub fn contender(&self) -> &str {
        self.0.rsplit_once(WITH).map_or(&self.0, |(contender, _)| contender)
    }

    /// The name of the second build of this contender.
    #[must_use]
    pub fn against(&self) -> ContenderName {
        self.again(&format!("{}{AGAINST}", self.contender()))
    }

    /// The name of the first build of this contender, given either of the two.
    #[must_use]
    pub fn without_against(&self) -> ContenderName {
        self.again(self.own())
    }

    /// Another contender's name, with the primitive of this one.
    fn again(&self, contender: &str) -> ContenderName {
        let name = ContenderName(contender.to_string());
        self.primitive().map_or(name.clone(), |primitive| name.with_primitive(primitive))
    }

    fn own(&self) -> &str {
        let contender = self.contender();
        contender.strip_suffix(AGAINST).unwrap_or(contender)
    }

    fn parts(&self) -> (&str, Option<&str>) {
        match self.own().split_once('@') {
            Some((code, toolchain)) => (code, Some(toolchain)),
            None => (self.own(), None),
        }
    }
}

impl Deref for ContenderName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for ContenderName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ContenderName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl From<&str> for ContenderName {
    fn from(name: &str) -> ContenderName {
        ContenderName(name.to_string())
    }
}

impl From<String> for ContenderName {
    fn from(name: String) -> ContenderName {
        ContenderName(name)
    }
}

impl PartialEq<str> for ContenderName {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for ContenderName {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl PartialEq<String> for ContenderName {
    fn eq(&self, other: &String) -> bool {
        self.0 == *other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_a_family_a_body_of_code_and_a_toolchain() {
        for (name, family, code, toolchain, against) in [
            ("rust/ring", Some("rust"), "rust/ring", None, false),
            ("jvm/jdk@temurin-25", Some("jvm"), "jvm/jdk", Some("temurin-25"), false),
            ("rust/ring@against", Some("rust"), "rust/ring", None, true),
            ("c/x@gcc-12-O2@against", Some("c"), "c/x", Some("gcc-12-O2"), true),
            // A compiler that the user named.
            ("c/x@my@cc-O2", Some("c"), "c/x", Some("my@cc-O2"), false),
            ("alone", None, "alone", None, false),
            ("alone@against", None, "alone", None, true),
        ] {
            let name = ContenderName::from(name);
            assert_eq!(name.family(), family, "{name}");
            assert_eq!(name.code(), code, "{name}");
            assert_eq!(name.toolchain(), toolchain, "{name}");
            assert_eq!(name.is_against(), against, "{name}");
        }
    }

    #[test]
    fn a_name_that_was_built_splits_into_its_parts() {
        let name = ContenderName::new("jvm", "jdk", Some("temurin-25"));
        assert_eq!(name, "jvm/jdk@temurin-25");
        assert_eq!((name.code(), name.toolchain()), ("jvm/jdk", Some("temurin-25")));
        assert_eq!(ContenderName::new("rust", "ring", None), "rust/ring");
        let against = name.against();
        assert_eq!(against, "jvm/jdk@temurin-25@against");
        assert_eq!(against.without_against(), name);
        assert_eq!(name.without_against(), name);
    }

    #[test]
    fn a_range_of_releases_has_two_ends_each_of_which_may_be_open() {
        for (name, expected) in [
            ("openssl@1.1.1w..4.0.3", Some(("openssl", ["1.1.1w", "4.0.3"]))),
            ("c/openssl@..", Some(("c/openssl", ["", ""]))),
            ("std@go-1.21..", Some(("std", ["go-1.21", ""]))),
            ("x@temurin-21+1.60..1.80", Some(("x@temurin-21", ["1.60", "1.80"]))),
            ("openssl@1.1.1w", None),
            ("openssl..", None),
        ] {
            let name = ContenderName::from(name);
            let expected = expected.map(|(name, ends)| (ContenderName::from(name), ends));
            assert_eq!(name.range_of_releases(), expected, "{name}");
        }
    }

    #[test]
    fn a_row_of_a_choice_has_its_contenders_parts_and_a_primitive() {
        for name in ["c/x@gcc-12-O2", "c/x@gcc-12-O2@against", "rust/ring", "alone"] {
            let contender = ContenderName::from(name);
            let row = contender.with_primitive("aes-128-gcm");
            assert_eq!(row.primitive(), Some("aes-128-gcm"), "{row}");
            assert_eq!(row.without_primitive(), contender);
            let parts = |name: &ContenderName| {
                let build = name.build().map(|b| b.level.to_string());
                let code = [name.code(), name.implementation()].map(String::from);
                (code, name.toolchain().map(String::from), build, name.is_against())
            };
            assert_eq!(parts(&row), parts(&contender), "{row}");
            assert_eq!(row.family(), contender.family(), "{row}");
            assert_eq!(row.against(), contender.against().with_primitive("aes-128-gcm"));
            assert_eq!(contender.primitive(), None);
            assert_eq!(row.with_primitive("sha1"), contender.with_primitive("sha1"));
        }
    }

    #[test]
    fn a_build_is_a_compiler_with_a_level_of_optimisation() {
        let build = |name: &str| {
            let name = ContenderName::from(name);
            name.build().map(|b| format!("{} {} {}", b.compiler, b.level, b.native))
        };
        assert_eq!(build("c/x@gcc-12-O2").unwrap(), "gcc-12 O2 false");
        assert_eq!(build("c/x@gcc-12.2.0-own-Ofast-native").unwrap(), "gcc-12.2.0-own Ofast true");
        assert_eq!(build("c/x@my@cc-O2").unwrap(), "my@cc O2 false");
        for other in ["c/x", "jvm/jdk@temurin-25", "c/x@O2", "c/x@-O2", "c/x@gcc-12-O2@against"] {
            assert_eq!(build(other), None, "{other}");
        }
    }

    #[test]
    fn a_runner_hosts_a_family_on_one_toolchain() {
        for (empty, other, expected) in [
            ("c/empty", "c/cupel@gcc-12-O2", true),
            ("jvm/empty@temurin-25", "jvm/jdk@temurin-25", true),
            ("jvm/empty@temurin-25", "jvm/jdk@temurin-25@against", true),
            ("jvm/empty@temurin-17", "jvm/jdk@temurin-25", false),
            ("jvm/empty@temurin-25", "jvm/x@temurin-25+1.70", true),
            ("jvm/empty@temurin-17", "jvm/x@temurin-25+1.70", false),
            ("rust/empty", "c/cupel", false),
            ("empty", "cupel", false),
        ] {
            let empty = ContenderName::from(empty);
            assert_eq!(empty.has_the_runner_of(&other.into()), expected, "{empty} and {other}");
        }
    }

    #[test]
    fn a_release_is_what_is_added_to_its_host_or_the_whole_toolchain() {
        for (name, release, host) in [
            ("c/x@1.1.1w", Some("1.1.1w"), None),
            ("jvm/x@temurin-25+1.70", Some("1.70"), Some("temurin-25")),
            ("jvm/x@temurin-25", Some("temurin-25"), None),
            ("c/x", None, None),
        ] {
            let name = ContenderName::from(name);
            assert_eq!((name.release(), name.host_of_release()), (release, host), "{name}");
        }
        let on = ContenderName::on_host("temurin-25", "1.70");
        assert_eq!(ContenderName::new("jvm", "x", Some(&on)), "jvm/x@temurin-25+1.70");
    }

    #[test]
    fn a_file_has_it_as_text() {
        let name = ContenderName::from("c/x@gcc-12-O2");
        let json = serde_json::to_string(&name).unwrap();
        assert_eq!(json, r#""c/x@gcc-12-O2""#);
        assert_eq!(serde_json::from_str::<ContenderName>(&json).unwrap(), name);
    }
}
