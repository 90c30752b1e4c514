//! `@newest` behind a contender's name: the newest JDK that is found, whichever that is on this
//! machine. A suite that is to run anywhere cannot name a vendor.

use super::{Kind, families, jdk, jvm};
use crate::home::Home;
use crate::name::Pattern;
use std::cell::LazyCell;

/// Names the JDK in a pattern that asks for it. It is looked for once, at the first such pattern:
/// whoever does not ask is not kept waiting for a search.
pub fn namer(home: &Home) -> impl Fn(Pattern) -> Pattern {
    namer_of(|| toolchain(home))
}

/// The patterns of a filter, the JDK named in them.
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

/// The newest JDK that can run the runner; where there is none, the newest that is missed, so that
/// its contenders are told as missing. Nothing where no family is hosted on a JDK.
fn toolchain(home: &Home) -> Option<String> {
    // A mistake in a family's file is told where contenders are looked for.
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
    fn nobody_looks_for_a_jdk_that_is_not_asked_for() {
        let pattern = namer_of(|| panic!("a search"))(Pattern::new("jvm/*"));
        assert_eq!(pattern.text, "jvm/*");
    }
}
