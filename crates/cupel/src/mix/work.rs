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
const RARE: f64 = 0.005;

/// What a call of no bytes is taken to cost, in bytes of a long message. It is on the high side of
/// real calls with a new key, so that short calls are not left out too easily.
const CALL: f64 = 1000.0;

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

/// What is measured of a mix, and what is not, in sentences.
///
/// # Errors
/// If there is nothing that can be measured.
pub fn works(mix: &Mix) -> Result<(Vec<Work>, Vec<String>), Problem> {
    let mut notes = Vec::new();
    let mut works = Vec::new();
    for calls in &mix.calls {
        if calls.chunks {
            let count = calls.sizes.iter().map(|(_, count)| count).sum::<u64>();
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
            let count = long.iter().map(|(_, count)| count).sum::<u64>();
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
    notes.extend(without_rare(&mut works));
    Ok((works, notes))
}

/// Takes out the kinds of calls that are together too rare to matter, and says so in a sentence.
fn without_rare(works: &mut Vec<Work>) -> Option<String> {
    let weight = |work: &Work| -> f64 {
        let sizes = work.workload.contract.lengths.drawn().map(Histogram::sizes);
        // The numbers of a histogram are in proportion only.
        let sums = sizes.unwrap_or_default().iter().fold((0.0, 0.0), |(bytes, all), (size, n)| {
            (bytes + *size as f64 * *n as f64, all + *n as f64)
        });
        work.calls as f64 * (CALL + sums.0 / sums.1)
    };
    let mut left = RARE * works.iter().map(weight).sum::<f64>();
    let mut ascending: Vec<usize> = (0..works.len()).collect();
    ascending.sort_by(|a, b| weight(&works[*a]).total_cmp(&weight(&works[*b])));
    let mut rare = vec![false; works.len()];
    for place in ascending {
        left -= weight(&works[place]);
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
        parts.push((histogram, sizes.iter().map(|(_, count)| count).sum()));
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
        let (works, notes) = works(&mix).unwrap();
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
        let (works, notes) = works(&mix).unwrap();
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
        // 1000 records, 17 million bytes of work: 4.5 kB are too few, 10 % of it is not.
        let often = format!("{sealed}sizes = [[16385, 1000]]\n");
        let (some, notes) = works(&mix(&format!("{once}{often}{also}"))).unwrap();
        assert_eq!(some.len(), 1, "{some:?}");
        assert_eq!(some[0].calls, 1000);
        let rare = "too rare to matter, and not measured (together under 0.5% of the work): 2 of \
                    aes-256-gcm seal with a new key, 2 of sha256 digest";
        assert_eq!(notes, [rare]);
        let also = format!("{HASHES}sizes = [[208, 2000]]\n");
        let (some, notes) = works(&mix(&format!("{once}{often}{also}"))).unwrap();
        assert_eq!((some.len(), notes.len()), (2, 1), "{some:?} {notes:?}");
        let (one, notes) = works(&mix(&once)).unwrap();
        assert_eq!((one.len(), notes.len()), (1, 0), "what is all there is does matter");
    }

    #[test]
    fn many_rare_kinds_are_left_out_only_up_to_their_limit() {
        // Four kinds of 0.2 % each: two may go.
        let entry = |primitive: &str, count: u32| {
            format!(
                "[[calls]]\nprimitive = \"{primitive}\"\noperation = \"digest\"\nsizes = [[64, {count}]]\n"
            )
        };
        let rare = ["sha1", "sha512", "sha3-256", "blake2b"].map(|name| entry(name, 2)).concat();
        let (some, _) = works(&mix(&format!("{rare}{}", entry("sha256", 992)))).unwrap();
        assert_eq!(some.len(), 3, "{some:?}");
    }

    #[test]
    fn what_cannot_be_measured_is_said() {
        let sealed = "[[calls]]\nprimitive = \"aes-256-gcm\"\noperation = \"seal\"\n";
        let (all, notes) =
            works(&mix(&format!("{sealed}sizes = [[64, 1], [1073741824, 5]]"))).unwrap();
        assert_eq!(all.len(), 1);
        assert!(notes[0].contains("5 calls of aes-256-gcm seal are above 16 MiB"), "{notes:?}");
        assert!(works(&mix(&format!("{sealed}sizes = [[1073741824, 5]]"))).is_err());
    }

    #[test]
    fn the_suite_has_what_the_mix_has() {
        let mix = mix(&format!("{HASHES}sizes = [[64, 3], [128, 1]]\n"));
        let (works, _) = works(&mix).unwrap();
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
