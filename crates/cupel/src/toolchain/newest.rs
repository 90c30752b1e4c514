//! `@newest` behind a contender's name: the newest JDK that is found, whichever that is on this machine. A
//! suite that is to run anywhere cannot name a vendor.

use super::{Kind, families, jdk, jvm};
use crate::home::Home;
use crate::suite::{Pattern, Suite};

/// What stands behind the `@`.
pub const NEWEST: &str = "@newest";

/// Names the JDK in every pattern of a suite's workloads.
pub fn name_in_suite(home: &Home, suite: &mut Suite) {
    let groups = suite.workloads.iter_mut();
    let patterns = groups.flat_map(|g| g.contenders.iter_mut().chain(&mut g.baseline));
    name(patterns.map(|Pattern { text, .. }| text), || toolchain(home));
}

/// The patterns of a filter, the JDK named in them.
pub fn named(home: &Home, patterns: &[String]) -> Vec<String> {
    let mut patterns = patterns.to_vec();
    name(patterns.iter_mut(), || toolchain(home));
    patterns
}

fn name<'a>(
    patterns: impl Iterator<Item = &'a mut String>,
    toolchain: impl FnOnce() -> Option<String>,
) {
    let mut meant: Vec<&mut String> = patterns.filter(|text| text.ends_with(NEWEST)).collect();
    if meant.is_empty() {
        return; // whoever does not ask is not kept waiting for a search
    }
    let Some(toolchain) = toolchain() else { return };
    for text in &mut meant {
        text.truncate(text.len() - NEWEST.len());
        text.push('@');
        text.push_str(&toolchain);
    }
}

/// The newest JDK that can run the runner; where there is none, the newest that is missed, so that its
/// contenders are told as missing. Nothing where no family is hosted on a JDK.
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

    fn on_acme(pattern: &str) -> String {
        let mut text = pattern.to_string();
        name([&mut text].into_iter(), || Some("acme-99".into()));
        text
    }

    #[test]
    fn the_word_stands_for_a_jdk_behind_any_name_and_nowhere_else() {
        assert_eq!(on_acme("jvm/jdk@newest"), "jvm/jdk@acme-99");
        assert_eq!(on_acme("jvm/*@newest"), "jvm/*@acme-99");
        for other in ["jvm/newest", "jvm/jdk@newest-1", "jvm/jdk@acme-98", "@newest/x"] {
            assert_eq!(on_acme(other), other);
        }
    }

    #[test]
    fn nobody_looks_for_a_jdk_that_is_not_asked_for() {
        name([&mut "jvm/*".to_string()].into_iter(), || panic!("a search"));
    }
}
