//! The names of toolchains of one kind: as short as they are unique.

use std::collections::BTreeMap;

/// Given the short and the full name of each, the short one where no other has it, and the full one
/// elsewhere.
pub fn unique(names: &[(String, String)]) -> Vec<String> {
    let mut count = BTreeMap::new();
    for (short, _) in names {
        *count.entry(short).or_insert(0) += 1;
    }
    let name = |(short, full): &(String, String)| match count[short] {
        1 => short.clone(),
        _ => full.clone(),
    };
    names.iter().map(name).collect()
}

/// The numbers of a version: `1.26.8` is 1, 26 and 8.
pub fn numbers(version: &str) -> Vec<u32> {
    version.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect()
}
