//! Which contenders a word means, where `openssl` means all that OpenSSL has here. Unlike in
//! `cupel ask`, where a word means one contender.

use cupel_base::name::{ContenderName, Pattern};
use cupel_contender::Contender;

/// How closely a word has to name a contender, which has this name and this library.
pub type Closeness = fn(&str, &ContenderName, &str) -> bool;

/// From the closest: a contender that a word names exactly is meant alone.
pub const CLOSENESS: [Closeness; 3] = [is_name, is_first_part, is_library];

/// A contender's name, with or without its family and its toolchain, or a pattern.
fn is_name(word: &str, name: &ContenderName, _: &str) -> bool {
    let bare = [name.as_str(), name.code(), name.implementation()];
    bare.contains(&word) || Pattern::new(word).fits(name)
}

/// A name up to its first hyphen: `openssl`, `c/openssl`.
fn is_first_part(word: &str, name: &ContenderName, _: &str) -> bool {
    let asked = ContenderName::from(word);
    let first = name.implementation().split('-').next();
    asked.family().is_none_or(|family| name.family() == Some(family))
        && asked.toolchain().is_none_or(|toolchain| name.toolchain() == Some(toolchain))
        && first == Some(asked.implementation())
}

fn is_library(word: &str, _: &ContenderName, library: &str) -> bool {
    library.eq_ignore_ascii_case(word)
}

/// The contenders that a word means most closely.
pub fn contenders_meant<'a>(word: &str, all: &[&'a Contender]) -> Vec<&'a Contender> {
    let by = |is: &Closeness| -> Vec<&'a Contender> {
        all.iter().copied().filter(|c| is(word, &c.name, &c.library)).collect()
    };
    CLOSENESS.iter().map(by).find(|found| !found.is_empty()).unwrap_or_default()
}

/// Whether a word may mean a contender.
pub fn may_mean(word: &str, name: &ContenderName, library: &str) -> bool {
    CLOSENESS.iter().any(|is| is(word, name, library))
}
