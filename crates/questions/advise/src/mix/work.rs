//! From a mix to the workloads that measure it, as a suite.

use super::{Calls, Doubt, Mix, Pieces, Unsaid};
use cupel_base::draws;
use cupel_base::problem::Problem;
use cupel_base::text;
use cupel_protocol::histogram::Histogram;
use cupel_protocol::workload::{Contract, Key, Lengths, Operation, Shape, Workload};
use cupel_stats::ENOUGH_FORKS;
use cupel_suite::{MAX_AD, MIX, NewSuite, NewWorkload, Suite, most_bytes};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The forks of a mix, as of a question on the command line.
const FORKS: u32 = 24;

/// The share of a mix's work that may be left out, so that no time is spent on calls that change
/// nothing: such as calls that a program makes once as it starts.
const RARE: f64 = 0.02;

/// The cost of a call in addition to its bytes, and of each byte, in bytes of the fastest
/// primitive, if all is as cheap as can be: a hash for tables, a cipher with instructions of its
/// own.
const CHEAP: (f64, f64) = (100.0, 1.0);

/// The costs if all is as dear as can be: a cipher that is looked up and gets a new key, SHA-3.
const DEAR: (f64, f64) = (10_000.0, 32.0);

/// The groups of one kind of call that are measured: calls with the same associated data and
/// pieces. Each is a workload, and takes its time.
const GROUPS: usize = 4;

/// GHASH and Poly1305 take associated data in blocks of this many bytes, so as many blocks are the
/// same work.
const AD_BLOCK: u32 = 16;

/// Calls that are measured as one workload: one operation of one library, at sizes that are drawn
/// as the program asks for them.
#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    /// The workload.
    pub workload: Workload,
    /// The library that the program calls, if the mix names it.
    pub library: Option<String>,
    /// The language of the caller, if the mix names it.
    pub language: Option<String>,
    /// The number of calls.
    pub calls: u64,
    /// The parts that the mix does not describe, so that they are not measured as the program makes
    /// them.
    pub unknown: Vec<Unsaid>,
}

impl Work {
    /// The functions of the library that the calls are: one for each piece of a message, and two
    /// around them.
    pub fn functions(&self) -> f64 {
        self.load().pieces + 2.0 * self.calls as f64
    }

    fn load(&self) -> Load {
        let Contract { ad, chunk, lengths, .. } = &self.workload.contract;
        let sizes = lengths.drawn().map(Histogram::sizes).unwrap_or_default();
        // The numbers of a histogram are in proportion only.
        let weight = lengths.drawn().map_or(1, Histogram::weight) as f64;
        let pieces = if *chunk == 0 { Pieces::One } else { Pieces::Of(*chunk) };
        Load::of_sizes(sizes, *ad, pieces).times(self.calls as f64 / weight)
    }
}

/// The measured and the unmeasured part of a mix.
#[derive(Clone, Debug, PartialEq)]
pub struct Works {
    /// The measured work.
    pub works: Vec<Work>,
    /// The unmeasured work, in sentences.
    pub notes: Vec<String>,
    /// The work that is measured otherwise than the program does it, or left out although it
    /// matters: its part of the program's time would be added to the others.
    pub doubts: Vec<Doubt>,
    /// The largest share of the time of all calls that the work left out may take, if known.
    pub rest: f64,
}

/// The number of all calls.
fn total<'a>(counts: impl IntoIterator<Item = &'a u64>) -> u64 {
    counts.into_iter().fold(0, |sum, count| sum.saturating_add(*count))
}

fn calls_of(sizes: &[(u64, u64)]) -> u64 {
    total(sizes.iter().map(|(_, count)| count))
}

/// The calls of each operation by each library, with the key set or kept, in groups.
struct Kind<'a> {
    /// Any of the entries.
    calls: &'a Calls,
    groups: Vec<Group>,
}

/// Calls of one kind with the same associated data and pieces.
struct Group {
    /// Lengths of associated data with their number of calls; empty if it is unknown.
    ad: BTreeMap<u32, u64>,
    pieces: Pieces,
    /// Sizes with their number of calls.
    sizes: BTreeMap<u64, u64>,
}

impl Group {
    /// The associated data of most of its calls.
    fn ad(&self) -> u32 {
        self.ad.iter().max_by_key(|(_, count)| **count).map_or(0, |(ad, _)| *ad)
    }

    fn sizes(&self) -> Vec<(u64, u64)> {
        self.sizes.iter().map(|(size, count)| (*size, *count)).collect()
    }

    fn load(&self) -> Load {
        Load::of_sizes(&self.sizes(), self.ad(), self.pieces)
    }

    /// The difference from the others of its kind, in words.
    fn differs(&self, operation: Operation) -> String {
        let mut words = String::new();
        if operation.is_aead() && !self.ad.is_empty() {
            let _ = write!(words, " with {} of associated data", text::bytes(self.ad().into()));
        }
        if let Pieces::Of(bytes) = self.pieces {
            let _ = write!(words, " in pieces of {}", text::bytes(bytes.into()));
        }
        words
    }
}

/// The work of some calls for the library.
#[derive(Clone, Copy, Debug, Default)]
struct Load {
    calls: f64,
    pieces: f64,
    bytes: f64,
}

impl Load {
    fn of_sizes(sizes: &[(u64, u64)], ad: u32, pieces: Pieces) -> Load {
        let mut load = Load::default();
        for &(size, count) in sizes {
            let pieces = match pieces {
                Pieces::Of(bytes) => size.div_ceil(bytes.into()).max(1),
                Pieces::One | Pieces::Unknown => 1,
            };
            load.calls += count as f64;
            load.pieces += count as f64 * pieces as f64;
            load.bytes += count as f64 * (size as f64 + f64::from(ad));
        }
        load
    }

    fn times(self, factor: f64) -> Load {
        let Load { calls, pieces, bytes } = self;
        Load { calls: factor * calls, pieces: factor * pieces, bytes: factor * bytes }
    }

    /// Its work at the costs of one end.
    fn weight(self, (call, byte): (f64, f64)) -> f64 {
        self.pieces * call + self.bytes * byte
    }
}

/// The works to measure for a mix.
///
/// # Errors
/// If there is nothing that can be measured.
pub fn works(mix: &Mix) -> Result<Works, Problem> {
    let (mut notes, mut doubts, mut works) = (Vec::new(), Vec::new(), Vec::new());
    let (mut left_out, mut calls_left_out) = (0.0, 0_u64);
    for kind in kinds(mix) {
        let Calls { primitive, operation, .. } = *kind.calls;
        let limit = most_bytes(operation, 1);
        let mut measured = 0;
        for mut group in kind.groups {
            let long = group.sizes.split_off(&(limit + 1));
            let long: Vec<(u64, u64)> = long.into_iter().collect();
            if !long.is_empty() {
                left_out += Load::of_sizes(&long, group.ad(), group.pieces).weight(DEAR);
                calls_left_out = calls_left_out.saturating_add(calls_of(&long));
                notes.push(format!(
                    "left out: {} of {primitive} {operation} above {}",
                    text::count(calls_of(&long) as usize, "call"),
                    text::bytes(limit)
                ));
            }
            let fit = group.sizes();
            if fit.is_empty() {
                continue;
            }
            let count = calls_of(&fit);
            let differs = group.differs(operation);
            if measured == GROUPS || group.ad() > MAX_AD {
                left_out += group.load().weight(DEAR);
                calls_left_out = calls_left_out.saturating_add(count);
                notes.push(format!(
                    "not measured: {count} calls of {primitive} {operation}{differs}"
                ));
                continue;
            }
            measured += 1;
            let unknown = unknown(operation, &group);
            doubts.extend(unknown.iter().map(|&what| Doubt::Unsaid {
                what,
                primitive: primitive.to_string(),
                operation,
                calls: count,
            }));
            let parts = parts(fit);
            if parts.len() > 1 {
                notes.push(format!(
                    "the longest messages of {primitive} {operation} are too rare to be drawn with the \
                     others; they are measured by themselves"
                ));
            }
            works.extend(parts.into_iter().map(|(histogram, count)| Work {
                workload: workload(kind.calls, &group, histogram),
                library: kind.calls.library.clone(),
                language: kind.calls.language.clone(),
                calls: count,
                unknown: unknown.clone(),
            }));
        }
    }
    if works.is_empty() {
        return Err(Problem::whole(&mix.path, "the mix has no calls that can be measured"));
    }
    let all: f64 = works.iter().map(|work| work.load().weight(CHEAP)).sum();
    let rare = without_rare(&mut works);
    let unmeasured = [rare.is_some(), left_out > 0.0].into_iter().filter(|is| *is).count();
    let rest = RARE * unmeasured as f64;
    notes.extend(rare);
    if left_out > RARE * all {
        doubts.push(Doubt::LeftOut { calls: calls_left_out });
    }
    Ok(Works { works, notes, doubts, rest })
}

/// The parts of a call that the mix does not describe for a group.
fn unknown(operation: Operation, group: &Group) -> Vec<Unsaid> {
    let ad = operation.is_aead() && group.ad.is_empty();
    let pieces = group.pieces == Pieces::Unknown;
    [(ad, Unsaid::Ad), (pieces, Unsaid::Pieces)]
        .into_iter()
        .filter_map(|(is_unknown, what)| is_unknown.then_some(what))
        .collect()
}

/// Takes out the kinds of calls that are together too rare to matter, and says so in a sentence.
/// How long they take is not known before they are measured. So each counts as if it were dear, and
/// all together as if they were cheap.
fn without_rare(works: &mut Vec<Work>) -> Option<String> {
    let mut left = RARE * works.iter().map(|work| work.load().weight(CHEAP)).sum::<f64>();
    let dear: Vec<f64> = works.iter().map(|work| work.load().weight(DEAR)).collect();
    let mut ascending: Vec<usize> = (0..works.len()).collect();
    ascending.sort_by(|a, b| dear[*a].total_cmp(&dear[*b]));
    let mut rare = vec![false; works.len()];
    for position in ascending {
        left -= dear[position];
        if left < 0.0 {
            break;
        }
        rare[position] = true;
    }
    let mut rare = rare.into_iter();
    let mut kinds = Vec::new();
    for work in works.extract_if(.., |_| rare.next() == Some(true)) {
        let Workload { primitive, operation, contract, .. } = &work.workload;
        let new_key = if contract.key == Key::PerCall { " with a new key" } else { "" };
        kinds.push(format!("{} of {primitive} {operation}{new_key}", work.calls));
    }
    (!kinds.is_empty()).then(|| {
        format!(
            "too rare to matter, and not measured (together under {} of the work): {}",
            text::share(RARE),
            kinds.join(", ")
        )
    })
}

/// The calls of a mix by kind, and the groups of each by their work, the largest first.
fn kinds(mix: &Mix) -> Vec<Kind<'_>> {
    let mut all: Vec<Kind<'_>> = Vec::new();
    for calls in &mix.calls {
        let kind = match all.iter().position(|kind| is_same_kind(kind.calls, calls)) {
            Some(position) => &mut all[position],
            None => {
                all.push(Kind { calls, groups: Vec::new() });
                all.last_mut().expect("it was added")
            }
        };
        let blocks = calls.ad.map(|ad| ad.div_ceil(AD_BLOCK));
        let same = kind.groups.iter().position(|group| {
            let known = group.ad.first_key_value().map(|(ad, _)| ad.div_ceil(AD_BLOCK));
            known == blocks && group.pieces == calls.pieces
        });
        let group = match same {
            Some(position) => &mut kind.groups[position],
            None => {
                let (ad, sizes) = (BTreeMap::new(), BTreeMap::new());
                kind.groups.push(Group { ad, pieces: calls.pieces, sizes });
                kind.groups.last_mut().expect("it was added")
            }
        };
        if let Some(ad) = calls.ad {
            let sum = group.ad.entry(ad).or_default();
            *sum = sum.saturating_add(calls_of(&calls.sizes));
        }
        for (size, count) in &calls.sizes {
            let sum = group.sizes.entry(*size).or_default();
            *sum = sum.saturating_add(*count).min(i64::MAX as u64);
        }
    }
    for kind in &mut all {
        kind.groups.sort_by(|a, b| b.load().weight(CHEAP).total_cmp(&a.load().weight(CHEAP)));
    }
    all
}

fn is_same_kind(one: &Calls, other: &Calls) -> bool {
    one.primitive == other.primitive
        && one.operation == other.operation
        && one.key_per_call == other.key_per_call
        && one.library == other.library
        && one.language == other.language
}

/// Sizes with numbers of calls, divided so that in each part no size is so rare that a block of
/// calls lacks it. Each part has the number of its calls.
fn parts(mut sizes: Vec<(u64, u64)>) -> Vec<(Histogram, u64)> {
    let mut parts = Vec::new();
    while !sizes.is_empty() {
        let mut short = sizes.len();
        let histogram = loop {
            match Histogram::new(sizes[..short].to_vec()) {
                Ok(histogram) if short == 1 || draws::fits(&histogram) => break histogram,
                // More sizes than a histogram has, or calls of long messages that are too rare.
                _ => short -= 1,
            }
        };
        let rest = sizes.split_off(short);
        parts.push((histogram, total(sizes.iter().map(|(_, count)| count))));
        sizes = rest;
    }
    parts
}

fn workload(calls: &Calls, group: &Group, histogram: Histogram) -> Workload {
    let usual = Contract::usual(calls.operation);
    let key = if calls.key_per_call { Key::PerCall } else { usual.key };
    let chunk = match group.pieces {
        Pieces::Of(bytes) => bytes,
        Pieces::One | Pieces::Unknown => 0,
    };
    let size = histogram.longest();
    let (ad, lengths) = (group.ad(), Lengths::Drawn(histogram));
    Workload {
        primitive: calls.primitive.to_string(),
        operation: calls.operation,
        size,
        contract: Contract { key, ad, chunk, lengths, ..usual },
        shape: Shape::Throughput,
    }
}

/// The suite that measures these workloads, each with its contenders; the others are compared with
/// the first one.
///
/// # Errors
/// The fault of the suite, without a file and line.
pub fn suite(mix: &Mix, works: &[(Workload, Vec<String>)]) -> Result<Suite, Problem> {
    let program = mix.program.as_deref().unwrap_or("the program");
    let workloads = works.iter().map(|(work, contenders)| {
        let Contract { key, ad, chunk, lengths, .. } = &work.contract;
        let differs = [
            ("key", (*key == Key::PerCall).then(|| "per-call".to_string())),
            ("ad", (*ad > 0).then(|| ad.to_string())),
            ("chunk", (*chunk > 0).then(|| chunk.to_string())),
        ];
        NewWorkload {
            primitive: work.primitive.clone(),
            operation: Some(work.operation),
            drawn: lengths.drawn().map(Histogram::sizes).unwrap_or_default().to_vec(),
            contract: differs
                .into_iter()
                .filter_map(|(key, value)| Some((key.to_string(), value?)))
                .collect(),
            contenders: contenders.clone(),
            baseline: contenders.first().cloned(),
            ..NewWorkload::default()
        }
    });
    let suite = NewSuite {
        name: MIX,
        question: format!("What suits the calls of {}?", text::plain(program)),
        forks: FORKS,
        first_forks: None,
        jit_forks: Some(ENOUGH_FORKS),
        jit_first_forks: None,
        budget_s: None,
        workloads: workloads.collect(),
    };
    suite.suite()
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;
    use std::path::Path;

    fn mix(calls: &str) -> Mix {
        parse(Path::new("a.mix"), &format!("format = 1\nprogram = \"a \\\"b\\\"\"\n{calls}"))
            .unwrap()
    }

    fn sizes(work: &Work) -> &[(u64, u64)] {
        work.workload.contract.lengths.drawn().unwrap().sizes()
    }

    const HASHES: &str =
        "[[calls]]\nprimitive = \"sha256\"\noperation = \"digest\"\nlibrary = \"openssl\"\n";

    #[test]
    fn calls_that_are_one_work_are_joined_and_others_are_not() {
        let mix = mix(&format!(
            "{HASHES}sizes = [[64, 3], [128, 1]]\n{HASHES}sizes = [[64, 1]]\n\
             [[calls]]\nprimitive = \"sha256\"\noperation = \"digest\"\nlibrary = \"libgcrypt\"\nsizes = [[64, 1]]\n\
             [[calls]]\nprimitive = \"hmac-sha256\"\noperation = \"mac\"\nkey = \"per-call\"\nsizes = [[16, 1]]\n\
             [[calls]]\nprimitive = \"hmac-sha256\"\noperation = \"mac\"\nsizes = [[16, 1]]\n"
        ));
        let Works { works, notes, .. } = works(&mix).unwrap();
        assert_eq!(works.len(), 4);
        assert_eq!((sizes(&works[0]), works[0].calls), (&[(64, 4), (128, 1)][..], 5));
        assert_eq!(works[2].workload.contract.key, Key::PerCall);
        assert_eq!(works[3].workload.contract.key, Key::Prepared);
        assert!(notes.is_empty(), "{notes:?}");
    }

    const SEALS: &str = "[[calls]]\nprimitive = \"aes-256-gcm\"\noperation = \"seal\"\n";

    #[test]
    fn what_calls_have_of_associated_data_and_pieces_is_measured_and_what_is_unknown_is_said() {
        let known = format!(
            "{SEALS}ad = 1400\nsizes = [[0, 9]]\n{SEALS}ad = 1393\nsizes = [[0, 3]]\n\
             {SEALS}ad = 5\nchunk = 16\nsizes = [[64, 9]]\n"
        );
        let all = works(&mix(&known)).unwrap();
        let contracts: Vec<_> = all
            .works
            .iter()
            .map(|work| (work.workload.contract.ad, work.workload.contract.chunk, work.calls))
            .collect();
        // 1393 and 1400 bytes are 88 blocks. A message of 64 bytes has four pieces.
        assert_eq!(contracts, [(1400, 0, 12), (5, 16, 9)]);
        assert!(all.doubts.is_empty(), "{all:?}");
        assert!((all.works[1].functions() - 9.0 * 6.0).abs() < 1e-9);
        let unknown =
            format!("{SEALS}sizes = [[0, 9]]\n{HASHES}contract = \"chunks\"\nsizes = [[64, 9]]\n");
        let all = works(&mix(&unknown)).unwrap();
        let unsaid = |what, primitive: &str, operation| Doubt::Unsaid {
            what,
            primitive: primitive.to_string(),
            operation,
            calls: 9,
        };
        assert_eq!(
            all.doubts,
            [
                unsaid(Unsaid::Ad, "aes-256-gcm", Operation::Seal),
                unsaid(Unsaid::Pieces, "sha256", Operation::Digest)
            ]
        );
        assert!(all.works.iter().all(|work| work.unknown.len() == 1), "{all:?}");
    }

    #[test]
    fn of_many_lengths_of_associated_data_the_largest_groups_are_measured_and_the_rest_is_counted()
    {
        let entry = |ad: u32, calls: u32| format!("{SEALS}ad = {ad}\nsizes = [[64, {calls}]]\n");
        let often: String = (0..4).map(|i| entry(100 * i, 100_000)).collect();
        let all = works(&mix(&format!("{often}{}", entry(900, 90_000)))).unwrap();
        assert_eq!(all.works.len(), 4);
        assert_eq!(all.doubts, [Doubt::LeftOut { calls: 100_000 }]);
        let note = "not measured: 100000 calls of aes-256-gcm seal with 0 B of associated data";
        assert_eq!(all.notes, [note], "900 bytes are more work");
        // One in a million changes nothing.
        assert!(works(&mix(&format!("{often}{}", entry(900, 1)))).unwrap().doubts.is_empty());
        let long = works(&mix(&format!("{often}{}", entry(2_000_000, 1)))).unwrap();
        assert_eq!(long.doubts, [Doubt::LeftOut { calls: 1 }]);
        assert!(long.notes[0].contains("2 MB of associated"), "{long:?}");
    }

    #[test]
    fn rare_long_messages_are_a_work_of_their_own_and_no_call_is_lost() {
        let mix = mix(&format!(
            "{HASHES}sizes = [[64, 1000000], [128, 7], [16777216, 1], [33554432, 1]]\n"
        ));
        let Works { works, notes, doubts, rest } = works(&mix).unwrap();
        assert!(doubts.is_empty() && rest == 0.0, "all are measured");
        assert_eq!(works.len(), 2, "{works:?}");
        assert_eq!((works[0].calls, works[1].calls), (1_000_007, 2));
        assert_eq!(sizes(&works[1]), [(16_777_216, 1), (33_554_432, 1)]);
        assert!(notes[0].contains("too rare"), "{notes:?}");
    }

    #[test]
    fn what_is_too_rare_to_matter_takes_no_time() {
        let sealed = "[[calls]]\nprimitive = \"aes-256-gcm\"\noperation = \"seal\"\n";
        let once = format!("{sealed}key = \"per-call\"\nsizes = [[53, 2]]\n");
        let also = format!("{HASHES}sizes = [[208, 2]]\n");
        // 1000 records, 17 million bytes of work: four calls are too few, 2000 are not.
        let often = format!("{sealed}sizes = [[16385, 1000]]\n");
        let Works { works: some, notes, rest, .. } =
            works(&mix(&format!("{once}{often}{also}"))).unwrap();
        assert_eq!(some.len(), 1, "{some:?}");
        assert_eq!(some[0].calls, 1000);
        assert_eq!(rest, RARE);
        let rare = "too rare to matter, and not measured (together under 2% of the work): 2 of \
                    aes-256-gcm seal with a new key, 2 of sha256 digest";
        assert_eq!(notes, [rare]);
        let also = format!("{HASHES}sizes = [[208, 2000]]\n");
        let Works { works: some, notes, .. } =
            works(&mix(&format!("{once}{often}{also}"))).unwrap();
        assert_eq!((some.len(), notes.len()), (2, 1), "{some:?} {notes:?}");
        let Works { works: one, notes, .. } = works(&mix(&once)).unwrap();
        assert_eq!((one.len(), notes.len()), (1, 0), "what is all there is does matter");
    }

    #[test]
    fn few_bytes_of_a_slow_primitive_are_not_called_rare() {
        // A half of a percent of the bytes; but a byte of SHA-3 may cost thirty times one of
        // AES-GCM.
        let mix = mix(
            "[[calls]]\nprimitive = \"aes-256-gcm\"\noperation = \"seal\"\nsizes = [[16384, 1000]]\n\
             [[calls]]\nprimitive = \"sha3-256\"\noperation = \"digest\"\nsizes = [[8192, 9]]\n",
        );
        let Works { works, notes, .. } = works(&mix).unwrap();
        assert_eq!((works.len(), notes.len()), (2, 0), "{notes:?}");
    }

    #[test]
    fn calls_that_are_left_out_have_no_part_in_what_the_rest_saves() {
        let of = |sizes: &str| works(&mix(&format!("{HASHES}sizes = {sizes}\n"))).unwrap();
        let giants = of("[[64, 1000], [8589934592, 5]]");
        assert_eq!(giants.doubts, [Doubt::LeftOut { calls: 5 }]);
        // One long message among billions of others.
        let one = of("[[65536, 1000000000], [8589934592, 1]]");
        assert!(one.doubts.is_empty() && one.rest == RARE, "{one:?}");
    }

    #[test]
    fn numbers_of_calls_beyond_all_that_can_be_counted_are_no_panic() {
        let most = i64::MAX;
        let one = |size: u64| format!("{HASHES}sizes = [[{size}, {most}]]\n");
        let long = [1_u64 << 33, 1 << 34, 1 << 35, 64, 65, 66].map(one).concat();
        let works = works(&mix(&long)).unwrap();
        assert!(works.works.iter().all(|work| work.calls == most as u64), "{works:?}");
    }

    #[test]
    fn many_rare_kinds_are_left_out_only_up_to_their_limit() {
        // Two of four kinds may go.
        let entry = |primitive: &str, count: u32| {
            format!(
                "[[calls]]\nprimitive = \"{primitive}\"\noperation = \"digest\"\nsizes = [[64, {count}]]\n"
            )
        };
        let rare = ["sha1", "sha512", "sha3-256", "blake2b"].map(|name| entry(name, 12)).concat();
        let mix = mix(&format!("{rare}{}", entry("sha256", 100_000)));
        assert_eq!(works(&mix).unwrap().works.len(), 3);
    }

    #[test]
    fn what_cannot_be_measured_is_said() {
        let sealed = "[[calls]]\nprimitive = \"aes-256-gcm\"\noperation = \"seal\"\n";
        let Works { works: all, notes, .. } =
            works(&mix(&format!("{sealed}sizes = [[64, 1], [1073741824, 5]]"))).unwrap();
        assert_eq!(all.len(), 1);
        assert!(
            notes[0].contains("left out: 5 calls of aes-256-gcm seal above 16 MiB"),
            "{notes:?}"
        );
        assert!(works(&mix(&format!("{sealed}sizes = [[1073741824, 5]]"))).is_err());
    }

    #[test]
    fn the_suite_has_what_the_mix_has() {
        let mix = mix(&format!("{HASHES}sizes = [[64, 3], [128, 1]]\n"));
        let works = works(&mix).unwrap().works;
        let contenders = vec!["c/openssl-reused".to_string(), "c/cupel".to_string()];
        let suite = suite(&mix, &[(works[0].workload.clone(), contenders)]).unwrap();
        assert_eq!((suite.name.as_str(), suite.workloads.len()), (MIX, 1));
        assert_eq!(suite.question, "What suits the calls of a \"b\"?");
        let group = &suite.workloads[0];
        assert_eq!(group.contract, works[0].workload.contract);
        assert_eq!(
            (&group.sizes[..], group.baseline[0].text.as_str()),
            (&[128][..], "c/openssl-reused")
        );
    }
}
