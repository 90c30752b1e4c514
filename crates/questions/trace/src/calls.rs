//! The calls of all traced processes together.

use std::collections::{BTreeMap, BTreeSet};

/// A kind of call, without its size.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind {
    /// The name in the catalogue.
    pub primitive: String,
    /// The operation's name.
    pub operation: &'static str,
    /// In how many pieces the message came.
    pub pieces: Pieces,
    /// The bytes of its associated data; `None` if that is not known, or if it cannot have any.
    pub ad: Option<u32>,
    /// `per-call` if the key was set for this message, else `kept`; `None` without a key.
    pub key: Option<&'static str>,
    /// The library that was called: `openssl`, `libgcrypt`, or a provider of a JVM such as `jdk`.
    pub library: String,
    /// The language of the calling program, if it differs from the library's: `python`.
    pub language: Option<&'static str>,
}

/// In which pieces a message came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pieces {
    /// Their number is not known.
    Unknown,
    /// In several with this many bytes on average, and less than twice as many: a power of two.
    From(u64),
    /// In one.
    One,
}

impl Pieces {
    /// The pieces of a message that came in `count` of them; 0 if their number is not known.
    pub fn from_count(bytes: u64, count: u64) -> Pieces {
        match count {
            0 => Pieces::Unknown,
            1 => Pieces::One,
            _ => Pieces::From(bytes.div_ceil(count).checked_ilog2().map_or(1, |power| 1 << power)),
        }
    }

    /// The contract's name in a mix.
    pub fn contract(self) -> &'static str {
        match self {
            Pieces::Unknown => "unknown",
            Pieces::One => "one-shot",
            Pieces::From(_) => "chunks",
        }
    }
}

/// The language of a program, by the name of its file: known for interpreters and JVMs. For all
/// others it is unknown, and they call a library of C as programs in C do.
pub fn language_of(program: &str) -> Option<&'static str> {
    const KNOWN: [(&str, &str); 9] = [
        ("python", "python"),
        ("pypy", "python"),
        ("node", "node"),
        ("java", "jvm"),
        ("ruby", "ruby"),
        ("perl", "perl"),
        ("php", "php"),
        ("lua", "lua"),
        ("Rscript", "r"),
    ];
    KNOWN.iter().find_map(|(name, language)| {
        // `python3.11`, `php8.2`: a version follows.
        let mut version = program.strip_prefix(name)?.chars();
        version.all(|c| c.is_ascii_digit() || "._-".contains(c)).then_some(*language)
    })
}

/// How long one thread's calls took. If they are not `exact`, only some were timed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Time {
    /// Processor time of the calls that were all timed, in ns.
    pub exact_ns: u64,
    /// Time of the samples, in ns.
    pub sampled_ns: u64,
    /// How many there are.
    pub samples: u64,
    /// The calls of which the samples are some.
    pub calls: u64,
}

/// Processor time of all threads, in seconds. A thread without a sample takes the mean of the
/// others.
pub fn seconds(times: &[Time]) -> f64 {
    let sampled: f64 = times.iter().map(|time| time.sampled_ns as f64).sum();
    let samples: f64 = times.iter().map(|time| time.samples as f64).sum();
    let mean = sampled / samples.max(1.0);
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
    /// All bytes and pieces of messages in several pieces.
    pieces: BTreeMap<Kind, (u64, u64)>,
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
    fn add(&mut self, kind: Kind, size: u64, count: u64) {
        let counted = self.known.entry(kind).or_default().entry(size).or_default();
        *counted = counted.saturating_add(count).min(i64::MAX as u64);
    }

    /// Adds calls of one size that came in this many pieces each.
    pub fn add_in_pieces(&mut self, kind: Kind, size: u64, pieces: u64, count: u64) {
        if let Pieces::From(_) = kind.pieces {
            let all = self.pieces.entry(kind.clone()).or_default();
            all.0 = all.0.saturating_add(size.saturating_mul(count));
            all.1 = all.1.saturating_add(pieces.saturating_mul(count));
        }
        self.add(kind, size, count);
    }

    /// The typical size of a piece, in bytes, of messages that came in several.
    pub fn chunk(&self, kind: &Kind) -> Option<u32> {
        let (bytes, pieces) = self.pieces.get(kind)?;
        // More than a piece of this size cannot be written down, nor measured.
        Some(u32::try_from(bytes.div_ceil(*pieces).max(1)).unwrap_or(u32::MAX))
    }

    /// Leaves each kind of call at most `limit` lengths of associated data. The rarer ones are
    /// afterwards unknown.
    pub fn limit_ads(&mut self, limit: usize) {
        let mut lengths: BTreeMap<Kind, Vec<(u64, u32)>> = BTreeMap::new();
        for (kind, sizes) in &self.known {
            if let Some(ad) = kind.ad {
                let whole = Kind { ad: None, pieces: Pieces::Unknown, ..kind.clone() };
                let all = lengths.entry(whole).or_default();
                match all.iter_mut().find(|(_, known)| *known == ad) {
                    Some((count, _)) => *count = count.saturating_add(total(sizes)),
                    None => all.push((total(sizes), ad)),
                }
            }
        }
        for (whole, mut all) in lengths {
            all.sort_unstable_by(|a, b| b.cmp(a));
            let rare: BTreeSet<u32> = all.iter().skip(limit).map(|(_, ad)| *ad).collect();
            let mut moved: Vec<Kind> = self.known.keys().cloned().collect();
            moved.retain(|kind| {
                kind.ad.is_some_and(|ad| rare.contains(&ad))
                    && whole == Kind { ad: None, pieces: Pieces::Unknown, ..kind.clone() }
            });
            for kind in moved {
                let to = Kind { ad: None, ..kind.clone() };
                for (size, count) in self.known.remove(&kind).unwrap_or_default() {
                    self.add(to.clone(), size, count);
                }
                if let Some((bytes, pieces)) = self.pieces.remove(&kind) {
                    let all = self.pieces.entry(to).or_default();
                    *all = (all.0.saturating_add(bytes), all.1.saturating_add(pieces));
                }
            }
        }
    }

    /// Adds calls of something that is not in the catalogue.
    pub fn unknown(&mut self, library: &str, name: &str, count: u64) {
        let counted = self.unknown.entry((name.to_string(), library.to_string())).or_default();
        *counted = counted.saturating_add(count).min(i64::MAX as u64);
    }

    /// The kinds of calls, with counts by size.
    pub fn entries(&self) -> impl Iterator<Item = (&Kind, &Sizes)> {
        self.known.iter()
    }

    /// Library, name and count of the calls that are not in the catalogue.
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
        let one = Time { exact_ns: 1000, sampled_ns: 3000, samples: 30, calls: 2000 };
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
            pieces: Pieces::One,
            ad: None,
            key: None,
            library: "openssl".into(),
            language: None,
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

    #[test]
    fn of_too_many_lengths_of_associated_data_the_rare_ones_are_unknown_and_no_call_is_lost() {
        let mut calls = Calls::default();
        let kind = |ad: u32| Kind {
            primitive: "aes-256-gcm".into(),
            operation: "seal",
            pieces: Pieces::from_count(1000, 3),
            ad: Some(ad),
            key: Some("kept"),
            library: "openssl".into(),
            language: None,
        };
        for ad in 0..10 {
            calls.add_in_pieces(kind(ad), 1000, 3, 100 - u64::from(ad));
        }
        calls.limit_ads(4);
        let ads: Vec<Option<u32>> = calls.entries().map(|(kind, _)| kind.ad).collect();
        assert_eq!(ads, [None, Some(0), Some(1), Some(2), Some(3)]);
        assert_eq!(calls.total(), 955);
        assert!(calls.entries().all(|(kind, _)| calls.chunk(kind) == Some(334)));
    }

    #[test]
    fn pieces_of_about_one_size_are_one_kind_and_keep_their_mean() {
        assert_eq!(Pieces::from_count(4096, 4096), Pieces::From(1));
        assert_eq!(Pieces::from_count(1000, 2), Pieces::From(256));
        assert_eq!(
            [Pieces::from_count(0, 2), Pieces::from_count(9, 1), Pieces::from_count(9, 0)]
                .map(Pieces::contract),
            ["chunks", "one-shot", "unknown"]
        );
    }

    #[test]
    fn a_program_that_runs_scripts_says_their_language() {
        let of = |program| language_of(program).unwrap_or("-");
        let all = ["python3.11", "python", "node", "java", "ruby2.7", "curl", "pythonic", "nodejs"];
        assert_eq!(all.map(of).join(" "), "python python node jvm ruby - - -");
    }

    /// The traced program could have written anything into its counts.
    #[test]
    fn numbers_beyond_all_that_can_be_counted_are_no_panic() {
        let mut calls = Calls::default();
        let kind = || Kind {
            primitive: "sha256".into(),
            operation: "digest",
            pieces: Pieces::One,
            ad: None,
            key: None,
            library: "openssl".into(),
            language: None,
        };
        for size in 4097..4197 {
            calls.add(kind(), size, u64::MAX);
        }
        calls.limit_sizes(50);
        let (_, sizes) = calls.entries().next().unwrap();
        assert_eq!(sizes[&4096], i64::MAX as u64);
    }
}
