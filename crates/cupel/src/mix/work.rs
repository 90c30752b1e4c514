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
    Ok((works, notes))
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
