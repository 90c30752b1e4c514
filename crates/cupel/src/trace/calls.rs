//! The calls of all traced processes together.

use std::collections::BTreeMap;

/// What was called, without its size.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind {
    /// The name in the catalogue.
    pub primitive: String,
    /// The operation's name.
    pub operation: &'static str,
    /// `one-shot` if the message came in one piece, `chunks` if in several; `None` if that is not
    /// known.
    pub contract: Option<&'static str>,
    /// `per-call` if the key was set for this message, else `kept`; `None` without a key.
    pub key: Option<&'static str>,
    /// The library that was called: `openssl`, `libgcrypt`, `jdk`, `bouncycastle`, `go`; `node` and
    /// `cryptography` for OpenSSL inside Node.js and inside Python's package.
    pub library: String,
}

/// How long one thread's calls took. Of those that are not `exact`, some were timed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Time {
    /// Processor time of the calls that were all timed, in ns.
    pub exact_ns: u64,
    /// Time of the samples, in ns.
    pub sampled_ns: u64,
    /// How many there are.
    pub samples: u64,
    /// Samples that were interrupted, and left out.
    pub disturbed: u64,
    /// The calls of which the samples are some.
    pub calls: u64,
}

/// Processor time of all threads, in seconds. A thread without a sample takes the mean of the others.
pub fn seconds(times: &[Time]) -> f64 {
    let sum = |field: fn(&Time) -> u64| times.iter().map(|time| field(time) as f64).sum::<f64>();
    let mean = sum(|t| t.sampled_ns) / sum(|t| t.samples).max(1.0);
    let total: f64 = times
        .iter()
        .map(|time| {
            let own = match time.samples {
                0..10 => mean,
                samples => time.sampled_ns as f64 / samples as f64,
            };
            time.exact_ns as f64 + own * time.calls as f64
        })
        .sum();
    total / 1e9
}

/// Counts by size, in bytes.
pub type Sizes = BTreeMap<u64, u64>;

/// The calls of all processes.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    known: BTreeMap<Kind, Sizes>,
    unknown: BTreeMap<(String, String), u64>,
    /// Times of calls of the catalogue, by thread.
    pub time: Vec<Time>,
    /// Times of all other calls.
    pub other_time: Vec<Time>,
    /// Calls that could not be recorded.
    pub lost: u64,
    /// Calls whose size a tracer rounded down to a power of two.
    pub rounded: u64,
}

impl Calls {
    /// Adds calls of one size.
    pub fn add(&mut self, kind: Kind, size: u64, count: u64) {
        let counted = self.known.entry(kind).or_default().entry(size).or_default();
        *counted = counted.saturating_add(count).min(i64::MAX as u64);
    }

    /// Adds calls of something that is not in the catalogue.
    pub fn unknown(&mut self, library: &str, name: &str, count: u64) {
        let counted = self.unknown.entry((name.to_string(), library.to_string())).or_default();
        *counted = counted.saturating_add(count).min(i64::MAX as u64);
    }

    /// What was called, with counts by size.
    pub fn entries(&self) -> impl Iterator<Item = (&Kind, &Sizes)> {
        self.known.iter()
    }

    /// Library, name and count of what is not in the catalogue.
    pub fn others(&self) -> impl Iterator<Item = (&str, &str, u64)> {
        self.unknown
            .iter()
            .map(|((name, library), count)| (library.as_str(), name.as_str(), *count))
    }

    /// The number of calls of the catalogue.
    pub fn total(&self) -> u64 {
        self.known.values().map(total).fold(0, u64::saturating_add)
    }

    /// Leaves each entry at most `limit` sizes: the rarer ones move to the next power of two below
    /// them, where there are at most 42.
    pub fn limit_sizes(&mut self, limit: usize) {
        for sizes in self.known.values_mut().filter(|sizes| sizes.len() > limit) {
            let mut by_count: Vec<(u64, u64)> = sizes.iter().map(|(s, c)| (*c, *s)).collect();
            by_count.sort_unstable_by(|a, b| b.cmp(a));
            let rare = by_count.split_off(limit.saturating_sub(42));
            // All are removed first: one of them may be the power of two of another.
            for (_, size) in &rare {
                sizes.remove(size);
            }
            for (count, size) in rare {
                let below = size.checked_ilog2().map_or(0, |power| 1 << power);
                let counted = sizes.entry(below).or_default();
                *counted = counted.saturating_add(count).min(i64::MAX as u64);
                self.rounded = self.rounded.saturating_add(if below == size { 0 } else { count });
            }
        }
    }
}

/// The number of calls of all sizes.
pub fn total(sizes: &Sizes) -> u64 {
    sizes.values().fold(0, |sum, count| sum.saturating_add(*count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_stand_for_all_calls_of_their_thread() {
        let one = Time { exact_ns: 1000, sampled_ns: 3000, samples: 30, disturbed: 1, calls: 2000 };
        assert!((seconds(&[one]) * 1e9 - 201_000.0).abs() < 1e-3);
        // Ten calls without a sample take the mean of the samples.
        let few = Time { calls: 10, ..Time::default() };
        assert!((seconds(&[one, few]) * 1e9 - 202_000.0).abs() < 1e-3);
        assert!(seconds(&[few]).abs() < 1e-12);
    }

    #[test]
    fn too_many_sizes_are_rounded_down_and_no_call_is_lost() {
        let mut calls = Calls::default();
        let kind = || Kind {
            primitive: "sha256".into(),
            operation: "digest",
            contract: None,
            key: None,
            library: "openssl".into(),
        };
        for size in 0..500 {
            calls.add(kind(), size, if size == 300 { 9 } else { 1 });
        }
        calls.limit_sizes(500);
        assert_eq!((calls.entries().next().unwrap().1.len(), calls.rounded), (500, 0));
        calls.limit_sizes(100);
        let sizes = calls.entries().next().unwrap().1.clone();
        assert!(sizes.len() <= 100 && sizes[&300] == 9, "{sizes:?}");
        assert_eq!(total(&sizes), 508);
        assert!(calls.rounded > 300);
    }

    /// The traced program could have written anything into its counts.
    #[test]
    fn numbers_beyond_all_that_can_be_counted_are_no_panic() {
        let mut calls = Calls::default();
        let kind = || Kind {
            primitive: "sha256".into(),
            operation: "digest",
            contract: None,
            key: None,
            library: "openssl".into(),
        };
        for size in 4097..4197 {
            calls.add(kind(), size, u64::MAX);
        }
        calls.limit_sizes(50);
        let (_, sizes) = calls.entries().next().unwrap();
        assert_eq!(sizes[&4096], i64::MAX as u64);
    }
}
