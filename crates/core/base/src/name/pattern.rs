//! Patterns of contender names, as suites and filters write them.

/// After a name, it means the newest toolchain of its language on this machine.
pub const NEWEST: &str = "@newest";

/// A pattern of contender names, with its line in the suite.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// The pattern.
    pub text: String,
    /// Its line in the suite, from 1; 0 if it does not come from a suite.
    pub line: usize,
}

impl Pattern {
    /// A pattern from the command line.
    pub fn new(text: impl Into<String>) -> Pattern {
        Pattern { text: text.into(), line: 0 }
    }

    /// Whether a contender's name matches; `*` stands for any characters.
    pub fn fits(&self, name: &str) -> bool {
        fits(&self.text, name)
    }

    /// Whether it names a toolchain, and not only an implementation.
    pub fn names_toolchain(&self) -> bool {
        self.text.contains('@')
    }

    /// Whether the pattern matches `code` on some toolchain.
    pub fn may_name_build_of(&self, code: &str) -> bool {
        self.text.split_once('@').is_some_and(|(before, _)| fits(before, code))
    }

    /// Whether the pattern may match a contender of a family, given the first part of its name.
    pub fn may_name_family(&self, family: &str) -> bool {
        self.text.split_once('/').is_none_or(|(head, _)| fits(head, family))
    }

    /// Whether it names a family, or a pattern of families: it has a `/`.
    pub fn names_family(&self) -> bool {
        self.text.contains('/')
    }

    /// The part after the `@`, if it is one toolchain's name and not a pattern.
    pub fn toolchain(&self) -> Option<&str> {
        let (_, toolchain) = self.text.split_once('@')?;
        (!toolchain.contains('*')).then_some(toolchain)
    }

    /// Whether the part after the `@` means a toolchain; its end is enough, as in `std@1.24`. A
    /// star stands for releases on a host only after a `+`: `jvm/*@*` means the JDKs.
    pub fn may_mean_toolchain(&self, toolchain: &str) -> bool {
        self.text.split_once('@').is_some_and(|(_, asked)| {
            let all = toolchain.contains('+') && asked.contains('*') && !asked.contains('+');
            !all && (fits(asked, toolchain) || is_end(asked, toolchain))
        })
    }

    /// Whether the part before the `@` may be short for an implementation's name.
    pub fn may_shorten(&self, implementation: &str) -> bool {
        let before = self.text.split_once('@').map_or(self.text.as_str(), |(before, _)| before);
        fits(before, implementation) || implementation.contains(&before.to_ascii_lowercase())
    }

    /// Whether it names the newest toolchain.
    pub fn names_newest(&self) -> bool {
        self.text.ends_with(NEWEST)
    }

    /// Puts a toolchain in the place of `@newest`. Other patterns are unchanged.
    #[must_use]
    pub fn on_newest(self, toolchain: &str) -> Pattern {
        match self.text.strip_suffix(NEWEST) {
            Some(code) => Pattern { text: format!("{code}@{toolchain}"), ..self },
            None => self,
        }
    }
}

/// Whether the last parts of a toolchain's name are these: `1.24` of `go-1.24`.
pub fn is_end(asked: &str, toolchain: &str) -> bool {
    toolchain.strip_suffix(asked).is_some_and(|before| before.ends_with(['-', '+']))
}

/// In time that grows with the lengths and no faster, because patterns also come from files of
/// others: the text between two stars is taken where it occurs first.
fn fits(pattern: &str, name: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == name };
    let (middle, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    let Some(mut tail) = name.strip_prefix(head).and_then(|tail| tail.strip_suffix(end)) else {
        return false;
    };
    for part in middle.split('*') {
        let Some(at) = tail.find(part) else { return false };
        tail = &tail[at + part.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, name, expected) in [
            ("*", "c/openssl", true),
            ("c/*", "c/openssl", true),
            ("c/*", "rust/ring", false),
            ("*ssl*", "c/openssl-reused", true),
            ("c/openssl", "c/openssl-reused", false),
            ("c/open*-reused", "c/openssl-reused", true),
            ("c/open*-oneshot", "c/openssl-reused", false),
            ("**", "c", true),
            ("a*a", "a", false),
            ("a*b*b", "ab", false),
            ("a*b*b", "abxb", true),
            ("*b*a*", "ab", false),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} on {name}");
        }
    }

    #[test]
    fn many_stars_are_decided_at_once() {
        let (pattern, name) = ("*a".repeat(5000) + "*b", "a".repeat(20_000));
        assert!(!fits(&pattern, &name));
        assert!(fits(&pattern, &(name + "b")));
    }

    #[test]
    fn a_build_is_named_by_a_pattern_with_a_toolchain() {
        for (pattern, names, may) in [
            ("c/*", false, false),
            ("c/*@gcc-*", true, true),
            ("c/x@*", true, true),
            ("*@*", true, true),
            ("rust/*@*", true, false),
        ] {
            let pattern = Pattern::new(pattern);
            assert_eq!(pattern.names_toolchain(), names, "{pattern:?}");
            assert_eq!(pattern.may_name_build_of("c/x"), may, "{pattern:?}");
        }
    }

    #[test]
    fn a_toolchain_is_named_in_full_by_its_end_or_by_a_pattern() {
        for (pattern, toolchain, means) in [
            ("go/std@go-1.24", Some("go-1.24"), true),
            ("std@1.24", Some("1.24"), true),
            ("go/std@4", Some("4"), false),
            ("go/*@go-*", None, true),
            ("go/std", None, false),
        ] {
            let pattern = Pattern::new(pattern);
            assert_eq!(pattern.toolchain(), toolchain, "{pattern:?}");
            assert_eq!(pattern.may_mean_toolchain("go-1.24"), means, "{pattern:?}");
        }
        for (pattern, means) in [
            ("x@1.70", true),
            ("jvm/x@temurin-25+1.70", true),
            ("jvm/x@*+*", true),
            ("jvm/x@*", false),
            ("jvm/*@temurin-*", false),
        ] {
            let pattern = Pattern::new(pattern);
            assert_eq!(pattern.may_mean_toolchain("temurin-25+1.70"), means, "{pattern:?}");
        }
        assert!(Pattern::new("minio@1.24").may_shorten("minio-sha256-simd"));
        assert!(!Pattern::new("jdk@21").may_shorten("std"));
    }

    #[test]
    fn a_pattern_names_a_family_or_may_name_any() {
        for (pattern, c, rust) in [
            ("c/openssl", true, false),
            ("c/*", true, false),
            ("*", true, true),
            ("ring", true, true),
            ("*/ring", true, true),
            ("rust*/sha2", false, true),
        ] {
            let pattern = Pattern::new(pattern);
            assert_eq!(pattern.may_name_family("c"), c, "{pattern:?}");
            assert_eq!(pattern.may_name_family("rust"), rust, "{pattern:?}");
        }
    }

    #[test]
    fn the_newest_stands_for_a_jdk_behind_any_name_and_nowhere_else() {
        let on_acme = |text: &str| Pattern::new(text).on_newest("acme-99").text;
        assert_eq!(on_acme("jvm/jdk@newest"), "jvm/jdk@acme-99");
        assert_eq!(on_acme("jvm/*@newest"), "jvm/*@acme-99");
        for other in ["jvm/newest", "jvm/jdk@newest-1", "jvm/jdk@acme-98", "@newest/x"] {
            assert_eq!(on_acme(other), other);
        }
    }
}
