//! From a mix to the workloads that measure it, as the text of a suite.

use super::{Calls, Mix};
use crate::draws;
use crate::problem::Problem;
use crate::suite::{MIX, Suite, most_bytes};
use crate::text;
use cupel_protocol::histogram::Histogram;
use cupel_protocol::workload::{Contract, Key, Lengths, Shape, Workload};
use cupel_stats::ENOUGH_FORKS;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// The forks of a mix, as of a question on the command line.
const FORKS: u32 = 24;

/// The share of a mix's work that may be left out, so that no time is spent on calls that change
/// nothing: what a program calls once as it starts.
const RARE: f64 = 0.02;

/// What a call costs beside its bytes, and what each byte costs, in bytes of the fastest primitive, if
/// all is as cheap as can be: a hash for tables, a cipher with instructions of its own.
const CHEAP: (f64, f64) = (100.0, 1.0);

/// The same if all is as dear as can be: a cipher that is looked up and gets a new key, SHA-3.
const DEAR: (f64, f64) = (10_000.0, 32.0);

/// Calls that are measured as one workload: of one operation, by one library, at sizes that are
/// drawn as the program asks for them.
#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    /// The workload.
    pub workload: Workload,
    /// The library that the program calls, if the mix says it.
    pub library: Option<String>,
    /// The number of calls.
    pub calls: u64,
}

/// What is measured of a mix, and what is not.
#[derive(Clone, Debug, PartialEq)]
pub struct Works {
    /// What is measured.
    pub works: Vec<Work>,
    /// What is not, or not as it is, in sentences.
    pub notes: Vec<String>,
    /// Whether that is all that matters: what is left out because it is too long takes hardly any time.
    /// Otherwise its part of the program's time would be taken for that of the others.
    pub whole: bool,
    /// What is left out takes at most this share of the time of all calls, if that is so.
    pub rest: f64,
}

/// The number of all calls.
fn total<'a>(counts: impl IntoIterator<Item = &'a u64>) -> u64 {
    counts.into_iter().fold(0, |sum, count| sum.saturating_add(*count))
}

/// What is measured of a mix.
///
/// # Errors
/// If there is nothing that can be measured.
pub fn works(mix: &Mix) -> Result<Works, Problem> {
    let mut notes = Vec::new();
    let mut works = Vec::new();
    let mut too_long = 0.0;
    for calls in &mix.calls {
        if calls.chunks {
            let count = total(calls.sizes.iter().map(|(_, count)| count));
            notes.push(format!(
                "{count} calls of {} {} come in several pieces; they are measured in one",
                calls.primitive, calls.operation
            ));
        }
    }
    for (calls, sizes) in joined(mix) {
        let limit = most_bytes(calls.operation, 1);
        let (fit, long): (Vec<_>, Vec<_>) = sizes.into_iter().partition(|(size, _)| *size <= limit);
        if !long.is_empty() {
            let count = total(long.iter().map(|(_, count)| count));
            let bytes = |(size, count): &(u64, u64)| *size as f64 * *count as f64;
            too_long += weight(count, long.iter().map(bytes).sum(), DEAR);
            notes.push(format!(
                "{count} calls of {} {} are above {} and are left out",
                calls.primitive,
                calls.operation,
                text::bytes(limit)
            ));
        }
        let parts = parts(fit);
        if parts.len() > 1 {
            notes.push(format!(
                "the longest messages of {} {} are too rare to be drawn with the others; they are \
                 measured by themselves",
                calls.primitive, calls.operation
            ));
        }
        works.extend(parts.into_iter().map(|(histogram, count)| Work {
            workload: workload(calls, histogram),
            library: calls.library.clone(),
            calls: count,
        }));
    }
    if works.is_empty() {
        return Err(Problem::whole(&mix.path, "the mix has no calls that can be measured"));
    }
    let all: f64 = works.iter().map(|work| weight_of(work, CHEAP)).sum();
    let rare = without_rare(&mut works);
    let rest = RARE * (f64::from(u8::from(rare.is_some())) + f64::from(u8::from(too_long > 0.0)));
    notes.extend(rare);
    Ok(Works { works, notes, whole: too_long <= RARE * all, rest })
}

/// The work of some calls with so many bytes together, at the costs of one end.
fn weight(calls: u64, bytes: f64, (call, byte): (f64, f64)) -> f64 {
    calls as f64 * call + bytes * byte
}

fn weight_of(work: &Work, end: (f64, f64)) -> f64 {
    // The numbers of a histogram are in proportion only.
    let mean = work.workload.contract.lengths.drawn().map_or(0.0, Histogram::mean);
    weight(work.calls, work.calls as f64 * mean, end)
}

/// Takes out the kinds of calls that are together too rare to matter, and says so in a sentence. How
/// long they take is not known before they are measured. So each counts as if it were dear, and all
/// together as if they were cheap.
fn without_rare(works: &mut Vec<Work>) -> Option<String> {
    let cheap = |work: &Work| weight_of(work, CHEAP);
    let dear = |work: &Work| weight_of(work, DEAR);
    let mut left = RARE * works.iter().map(cheap).sum::<f64>();
    let mut ascending: Vec<usize> = (0..works.len()).collect();
    ascending.sort_by(|a, b| dear(&works[*a]).total_cmp(&dear(&works[*b])));
    let mut rare = vec![false; works.len()];
    for place in ascending {
        left -= dear(&works[place]);
        if left < 0.0 {
            break;
        }
        rare[place] = true;
    }
    let mut place = 0..works.len();
    let taken: Vec<Work> =
        works.extract_if(.., |_| place.next().is_some_and(|place| rare[place])).collect();
    let kind = |work: &Work| {
        let Workload { primitive, operation, contract, .. } = &work.workload;
        let new_key = if contract.key == Key::PerCall { " with a new key" } else { "" };
        format!("{} of {primitive} {operation}{new_key}", work.calls)
    };
    let kinds: Vec<String> = taken.iter().map(kind).collect();
    (!kinds.is_empty()).then(|| {
        format!(
            "too rare to matter, and not measured (together under {} of the work): {}",
            text::share(RARE),
            kinds.join(", ")
        )
    })
}

/// The calls of each operation by each library, with the key set or kept: sizes with numbers of
/// calls.
fn joined(mix: &Mix) -> Vec<(&Calls, BTreeMap<u64, u64>)> {
    let mut all: Vec<(&Calls, BTreeMap<u64, u64>)> = Vec::new();
    for calls in &mix.calls {
        let kind = |c: &Calls| (c.primitive, c.operation, c.key_per_call, c.library.clone());
        let place = match all.iter().position(|(known, _)| kind(known) == kind(calls)) {
            Some(place) => place,
            None => {
                all.push((calls, BTreeMap::new()));
                all.len() - 1
            }
        };
        for (size, count) in &calls.sizes {
            let sum = all[place].1.entry(*size).or_default();
            *sum = sum.saturating_add(*count).min(i64::MAX as u64);
        }
    }
    all
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

fn workload(calls: &Calls, histogram: Histogram) -> Workload {
    let usual = Contract::of(calls.operation);
    let key = if calls.key_per_call { Key::PerCall } else { usual.key };
    Workload {
        primitive: calls.primitive.to_string(),
        operation: calls.operation,
        size: histogram.longest(),
        contract: Contract { key, lengths: Lengths::Drawn(histogram), ..usual },
        shape: Shape::Throughput,
    }
}

/// The suite that measures these workloads, each with its contenders; the first one is what the
/// others are compared with.
///
/// # Errors
/// What is wrong with it, without a file and line.
pub fn suite(mix: &Mix, works: &[(Workload, Vec<String>)]) -> Result<Suite, Problem> {
    let quoted = |text: &str| toml::Value::from(text).to_string();
    let program = mix.program.as_deref().unwrap_or("the program");
    let question = format!("What suits the calls of {}?", text::plain(program));
    let mut all = format!("question = {}\n", quoted(&question));
    let _ = writeln!(all, "forks = {FORKS}\njit-forks = {ENOUGH_FORKS}");
    for (work, contenders) in works {
        let Workload { primitive, operation, contract, .. } = work;
        let _ = write!(all, "\n[[workload]]\nprimitive = {}\n", quoted(primitive));
        let _ = writeln!(all, "operation = {}", quoted(operation.name()));
        if contract.key == Key::PerCall {
            let _ = writeln!(all, "contract = {{ key = \"per-call\" }}");
        }
        let sizes = contract.lengths.drawn().map(Histogram::sizes).unwrap_or_default();
        let sizes: Vec<String> = sizes.iter().map(|(size, n)| format!("[{size}, {n}]")).collect();
        let _ = writeln!(all, "drawn = [{}]", sizes.join(", "));
        let names: Vec<String> = contenders.iter().map(|name| quoted(name)).collect();
        let _ = writeln!(all, "contenders = [{}]", names.join(", "));
        if let Some(first) = names.first() {
            let _ = writeln!(all, "baseline = {first}");
        }
    }
    let suite = Suite::parse(Path::new(""), all)?;
    Ok(Suite { name: MIX.to_string(), ..suite })
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

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
            "{HASHES}sizes = [[64, 3], [128, 1]]\n{HASHES}contract = \"chunks\"\nsizes = [[64, 2]]\n\
             [[calls]]\nprimitive = \"sha256\"\noperation = \"digest\"\nlibrary = \"libgcrypt\"\nsizes = [[64, 1]]\n\
             [[calls]]\nprimitive = \"hmac-sha256\"\noperation = \"mac\"\nkey = \"per-call\"\nsizes = [[16, 1]]\n\
             [[calls]]\nprimitive = \"hmac-sha256\"\noperation = \"mac\"\nsizes = [[16, 1]]\n"
        ));
        let Works { works, notes, .. } = works(&mix).unwrap();
        assert_eq!(works.len(), 4);
        assert_eq!((sizes(&works[0]), works[0].calls), (&[(64, 5), (128, 1)][..], 6));
        assert_eq!(works[2].workload.contract.key, Key::PerCall);
        assert_eq!(works[3].workload.contract.key, Key::Prepared);
        assert!(notes.len() == 1 && notes[0].contains("2 calls of sha256 digest come in several"));
    }

    #[test]
    fn rare_long_messages_are_a_work_of_their_own_and_no_call_is_lost() {
        let mix = mix(&format!(
            "{HASHES}sizes = [[64, 1000000], [128, 7], [16777216, 1], [33554432, 1]]\n"
        ));
        let Works { works, notes, whole, rest } = works(&mix).unwrap();
        assert!(whole && rest == 0.0, "all are measured");
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
        // A half of a percent of the bytes; but a byte of SHA-3 may cost thirty times one of AES-GCM.
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
        assert!(!of("[[64, 1000], [8589934592, 5]]").whole);
        // One long message among billions of others.
        let one = of("[[65536, 1000000000], [8589934592, 1]]");
        assert!(one.whole && one.rest == RARE, "{one:?}");
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
        // Of four kinds, two may go.
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
        assert!(notes[0].contains("5 calls of aes-256-gcm seal are above 16 MiB"), "{notes:?}");
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
