//! `@newest` after a contender's name: the newest JDK of this machine. A suite that must run
//! anywhere cannot name a vendor.

use super::{Kind, families, jdk, jvm};
use crate::home::Home;
use crate::name::Pattern;
use std::cell::LazyCell;

/// Replaces `@newest` in a pattern. The JDK is looked up once, at the first pattern that needs it.
pub fn namer(home: &Home) -> impl Fn(Pattern) -> Pattern {
    namer_of(|| toolchain(home))
}

/// The patterns of a filter, with `@newest` replaced.
pub fn named(home: &Home, patterns: &[String]) -> Vec<String> {
    let on_newest = namer(home);
    patterns.iter().map(|pattern| on_newest(Pattern::new(pattern)).text).collect()
}

fn namer_of(search: impl FnOnce() -> Option<String>) -> impl Fn(Pattern) -> Pattern {
    let found = LazyCell::new(search);
    move |pattern: Pattern| {
        let toolchain = if pattern.names_newest() { found.as_deref() } else { None };
        match toolchain {
            Some(toolchain) => pattern.on_newest(toolchain),
            None => pattern,
        }
    }
}

/// The newest JDK that can run the runner. If there is none, the newest that is missing, so that
/// its contenders are reported as missing. Nothing if no family is hosted on a JDK.
fn toolchain(home: &Home) -> Option<String> {
    // A mistake in a family's file is reported when the contenders are collected.
    let families = families(home).ok()?;
    let majors = families.iter().filter_map(|family| match &family.kind {
        Kind::Jvm(jvm) => Some(jvm.majors.iter().copied().max()),
        _ => None,
    });
    let missed = majors.max()?;
    let found = jdk::found(home).into_iter().rfind(|(_, jdk)| jdk.major >= jvm::OLDEST);
    found.map(|(name, _)| name).or(missed.map(jvm::missing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jdk_is_looked_up_only_if_a_pattern_needs_it() {
        let pattern = namer_of(|| panic!("a search"))(Pattern::new("jvm/*"));
        assert_eq!(pattern.text, "jvm/*");
    }
}
