//! The names of toolchains of one kind: short, and all different.

use std::collections::BTreeMap;

/// Given the short and the full name of each, by ascending version: the short one for the newest of
/// those that share it, so that a suite's `@temurin-25` is here however many updates are, and the
/// full one for the others. `temurin-25` is the full name of 25, so 25.0.1 does not get it.
pub fn unique(names: impl Iterator<Item = (String, String)>) -> Vec<String> {
    let names: Vec<(String, String)> = names.collect();
    let mut by_short: BTreeMap<&str, &str> = BTreeMap::new();
    for (short, full) in &names {
        let newest = by_short.entry(short).or_insert(full);
        if *newest != short {
            *newest = full;
        }
    }
    let mut chosen = Vec::new();
    for (short, full) in &names {
        chosen.push(if by_short[&**short] == full { short.clone() } else { full.clone() });
    }
    chosen
}

/// The numbers of a version: `1.26.8` is 1, 26 and 8.
pub fn numbers(version: &str) -> Vec<u32> {
    version.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect()
}
