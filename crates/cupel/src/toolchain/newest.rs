//! `@newest` after a contender's name: the newest JDK of this machine. A suite that must run
//! anywhere cannot name a vendor.

use super::{Kind, families, jdk, jvm};
use crate::home::Home;
use crate::name::Pattern;

/// Replaces `@newest` in the patterns of a suite.
pub fn name_in<'a>(home: &Home, patterns: impl Iterator<Item = &'a mut Pattern>) {
    name(patterns, || toolchain(home));
}

/// The patterns of a filter, with `@newest` replaced.
pub fn named(home: &Home, patterns: &[String]) -> Vec<String> {
    let mut patterns: Vec<Pattern> = patterns.iter().map(Pattern::new).collect();
    name(patterns.iter_mut(), || toolchain(home));
    patterns.into_iter().map(|pattern| pattern.text).collect()
}

fn name<'a>(
    patterns: impl Iterator<Item = &'a mut Pattern>,
    toolchain: impl FnOnce() -> Option<String>,
) {
    let mut meant: Vec<&mut Pattern> = patterns.filter(|p| p.names_newest()).collect();
    if meant.is_empty() {
        return; // Do not search if nobody asks.
    }
    let Some(toolchain) = toolchain() else { return };
    for pattern in &mut meant {
        pattern.on_newest(&toolchain);
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
    fn nobody_looks_for_a_jdk_that_is_not_asked_for() {
        name([&mut Pattern::new("jvm/*")].into_iter(), || panic!("a search"));
    }
}
