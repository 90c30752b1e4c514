//! The contenders that advice considers, by their language: a program can change its library more
//! easily than its language.

use cupel_base::name::{ContenderName, LANGUAGES};
use std::collections::BTreeSet;

/// The word for contenders of every language.
pub const EVERY: &str = "all";

/// The languages whose contenders are candidates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Languages {
    /// Every one.
    #[default]
    Every,
    /// The one that the user names.
    Only(String),
    /// The language of the contender in use now. A user's own families count too: their names do
    /// not say in which language they are.
    Of(String),
}

impl Languages {
    /// The languages that the user wants: the one that they name, else the language of their
    /// contender.
    pub fn wanted(named: Option<&str>, have: Option<&ContenderName>) -> Languages {
        match (named, have) {
            (Some(EVERY), _) => Languages::Every,
            (Some(language), _) => Languages::Only(language.to_string()),
            (None, Some(have)) => Languages::from_name(have),
            (None, None) => Languages::Every,
        }
    }

    /// The language of a contender; every language if its name does not have it.
    pub fn from_name(name: &ContenderName) -> Languages {
        let language = name.language();
        if LANGUAGES.contains(&language) {
            Languages::Of(language.to_string())
        } else {
            Languages::Every
        }
    }

    /// Whether a contender is a candidate: `rust` includes `rust/ring` and `rust-asm/sha2`.
    pub fn have(&self, name: &ContenderName) -> bool {
        match self {
            Languages::Every => true,
            Languages::Only(wanted) => is_in(name, wanted),
            Languages::Of(wanted) => is_in(name, wanted) || !LANGUAGES.contains(&name.language()),
        }
    }

    /// The one that the user names.
    pub fn named(&self) -> Option<&str> {
        match self {
            Languages::Only(language) => Some(language),
            Languages::Every | Languages::Of(_) => None,
        }
    }
}

fn is_in(name: &ContenderName, language: &str) -> bool {
    let (family, wanted) = (family(name), family_of(language));
    let rest = family.strip_prefix(wanted.as_str());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// The part of names that stands for a language as people call it: `jvm` for Java.
pub fn family_of(language: &str) -> String {
    match language.to_ascii_lowercase().as_str() {
        "java" | "kotlin" | "scala" => "jvm".to_string(),
        "javascript" | "typescript" | "js" => "node".to_string(),
        other => other.to_string(),
    }
}

/// The languages of some contenders, as parts of their names.
pub fn languages<'a>(names: impl IntoIterator<Item = &'a ContenderName>) -> BTreeSet<String> {
    names.into_iter().map(|name| name.language().to_string()).collect()
}

/// The part of a name that names the family; without one, the whole name.
pub(super) fn family(name: &ContenderName) -> &str {
    name.family().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_decides_unless_the_user_does_and_own_families_take_part() {
        let name = |name: &str| ContenderName::from(name);
        let have = name("rust-asm/sha2");
        let of_have = Languages::wanted(None, Some(&have));
        assert_eq!(of_have, Languages::Of("rust".into()));
        let among = |languages: &Languages| {
            let all = ["rust/ring", "rust-asm/sha2", "rustic/x", "mine/x", "c/openssl", "jvm/jdk"];
            all.into_iter().filter(|one| languages.have(&name(one))).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(among(&of_have), "rust/ring rust-asm/sha2 rustic/x mine/x");
        assert_eq!(among(&Languages::wanted(Some("java"), Some(&have))), "jvm/jdk");
        let all = Languages::Every;
        assert_eq!(Languages::wanted(Some(EVERY), Some(&have)), all);
        assert_eq!(Languages::wanted(None, Some(&name("mine/x"))), all, "it is not known");
        assert_eq!(Languages::wanted(None, None), all);
        let all = [name("rust-asm/sha2"), name("rust/ring"), name("my-own/x"), name("c/openssl")];
        assert_eq!(Vec::from_iter(languages(&all)), ["c", "my-own", "rust"]);
    }
}
