//! The work of the benchmarks in Rust.

use std::collections::HashMap;

/// Numbers to sort.
pub fn numbers() -> Vec<u32> {
    let mut x = 1u64;
    let next = |_| {
        x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (x >> 33) as u32
    };
    (0..1000).map(next).collect()
}

/// Words to count.
pub fn words() -> Vec<String> {
    (0..64).map(|n| format!("word-{}", n * 7919 % 50)).collect()
}

/// How often the words are counted. A slower build has `PER_MILLE` more.
pub fn rounds() -> u64 {
    let more = std::env::var("PER_MILLE").map_or(0, |text| text.parse().unwrap());
    200 + 200 * more / 1000
}

pub fn sort(numbers: &[u32]) -> u32 {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    sorted[numbers.len() / 2]
}

pub fn count(words: &[String], rounds: u64) -> usize {
    let different = |_| {
        let mut counts = HashMap::new();
        for word in words {
            *counts.entry(word.as_str()).or_insert(0) += 1;
        }
        counts.len()
    };
    (0..rounds).map(different).sum()
}
