//! Names that no contender has, and the contenders that may be meant.

use crate::contender::{Contender, State};
use cupel_base::name::{ContenderName, Pattern};
use cupel_base::problem::{Written, did_you_mean};

/// Rejects a pattern of a command line that matches no contender: it is misspelt.
///
/// # Errors
/// A sentence with the nearest name.
pub fn all_known(patterns: &[String], contenders: &[Contender]) -> Result<(), String> {
    for text in patterns {
        let pattern = Pattern::new(text);
        if !contenders.iter().any(|c| c.is_meant_by(&pattern)) {
            let known = contenders.iter().map(|c| c.name.as_str());
            let help = why_unknown(text, contenders)
                .or_else(|| did_you_mean(text, known, Written::Word))
                .unwrap_or_else(|| "`cupel list` shows the names".to_string());
            return Err(format!("no contender is called {text}; {help}"));
        }
    }
    Ok(())
}

/// The implementation of a contender that stands for a family's contenders which no one can list.
pub const UNLISTED: &str = "?";

/// How many names with a toolchain are shown to a user who left it out.
const SHOWN: usize = 4;

/// Why no contender has this name, although it may be right: it has a name for each toolchain, or
/// the contenders of its family are not known.
pub fn why_unknown(name: &str, contenders: &[Contender]) -> Option<String> {
    let with_toolchain: Vec<&str> = contenders
        .iter()
        .filter(|c| c.name.toolchain().is_some() && c.name.code() == name)
        .map(|c| c.name.as_str())
        .take(SHOWN)
        .collect();
    if !with_toolchain.is_empty() {
        return Some(format!("name its toolchain: {}", with_toolchain.join(", ")));
    }
    let asked = ContenderName::from(name);
    let family = asked.family()?;
    let unlisted = contenders
        .iter()
        .find(|c| c.name.implementation() == UNLISTED && c.name.family() == Some(family))?;
    let (State::Missing(refusal) | State::Failed(refusal)) = &unlisted.state else { return None };
    let remedy = refusal.remedy.as_ref().map(|text| format!("; {text}")).unwrap_or_default();
    Some(format!("those of {family} are not known: {}{remedy}", refusal.reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_without_its_toolchain_is_answered_with_those_that_have_one() {
        let named = |name: &str| Contender::new(name.into(), State::Unbuilt);
        let all = ["jvm/jdk@debian-17", "jvm/jdk@temurin-25", "go/std"].map(named);
        let unknown = |name: &str| all_known(&[name.to_string()], &all);
        assert_eq!(
            unknown("jvm/jdk"),
            Err("no contender is called jvm/jdk; name its toolchain: jvm/jdk@debian-17, \
                 jvm/jdk@temurin-25"
                .to_string())
        );
        assert_eq!(unknown("go/std"), Ok(()));
    }
}
