//! The names of toolchains of one kind: as short as they are unique.

use std::collections::BTreeMap;

/// Given the short and the full name of each, the short one where no other has it, and the full one
/// elsewhere.
pub fn unique(names: impl Iterator<Item = (String, String)>) -> Vec<String> {
    let names: Vec<_> = names.collect();
    let mut count = BTreeMap::new();
    for (short, _) in &names {
        *count.entry(short.clone()).or_insert(0) += 1;
    }
    names.into_iter().map(|(short, full)| if count[&short] == 1 { short } else { full }).collect()
}

/// The numbers of a version: `1.26.8` is 1, 26 and 8.
pub fn numbers(version: &str) -> Vec<u32> {
    version.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect()
}
