//! The subject of a sentence: the workload, with its difference from others, and contenders with
//! their versions.

use cupel_base::name::ContenderName;
use cupel_base::primitives;
use cupel_protocol::workload::{Operation, Shape, Workload};
use std::collections::BTreeSet;

/// The subject of a sentence: `SHA-256, 64 B`. A hash is digested and a code is computed, so only
/// other operations are named.
pub fn subject(work: &Workload, sizes: &str) -> String {
    subject_with(work, "", sizes)
}

/// The subject with the words that distinguish its workload from others ([`distinction`]).
pub fn subject_with(work: &Workload, distinction: &str, sizes: &str) -> String {
    let title = primitives::title(&work.primitive);
    let operation = match work.operation {
        Operation::Digest | Operation::Mac => String::new(),
        other => format!(" {other}"),
    };
    let shape = match work.shape {
        Shape::Throughput => "",
        Shape::Latency => ", latency",
    };
    let threads = match work.contract.threads {
        1 => String::new(),
        threads => format!(", {threads} threads"),
    };
    let what = format!("{title}{operation}{shape}{threads}{distinction}");
    format!("{}, {sizes}", what.trim_end_matches(','))
}

/// A contender with its version: `c/openssl-reused 3.0.19`. A JDK's name has its version already.
pub fn named(name: &ContenderName, version: &str) -> String {
    // `Eclipse Adoptium 21.0.8+9-LTS, OpenJDK 64-Bit Server VM` is a version, too. So are `20.20.2
    // (OpenSSL 3.0.19)` and `v1.0.1 (go1.26.8)`: the addition stands in brackets.
    let own = version.split([',', '(']).next().map(str::trim_end);
    let short = own.and_then(|words| words.split(' ').next_back());
    let contender = name.contender();
    let versioned = match short.filter(|short| !short.is_empty() && !contender.ends_with(short)) {
        Some(short) => format!("{contender} {short}"),
        None => contender.to_string(),
    };
    match name.primitive() {
        Some(primitive) => ContenderName::from(versioned).with_primitive(primitive).to_string(),
        None => versioned,
    }
}

/// The words of a workload's contract that tell it from the other workloads with the same
/// primitive, operation, shape and threads, if one of them has one of these sizes: `, key per
/// call`. Empty if no other has.
pub fn distinction<'a>(
    work: &Workload,
    sizes: &[u64],
    all: impl IntoIterator<Item = &'a Workload>,
) -> String {
    let alike = all.into_iter().filter(|other| alike(work, other));
    let others = alike.filter(|other| sizes.contains(&other.size)).map(words);
    let Some(common) = others.reduce(|common, other| &common & &other) else {
        return String::new();
    };
    let all = work.contract.to_string();
    let own: Vec<&str> = all.split(", ").filter(|word| !common.contains(*word)).collect();
    // One that only lacks the words of the others is named in full.
    if own.is_empty() { format!(", {all}") } else { format!(", {}", own.join(", ")) }
}

/// Whether only contracts distinguish two workloads.
fn alike(work: &Workload, other: &Workload) -> bool {
    let (own, contract) = (&work.contract, &other.contract);
    (&other.primitive, other.operation, other.shape)
        == (&work.primitive, work.operation, work.shape)
        && own.threads == contract.threads
        // The words for drawn sizes are others already.
        && own.lengths.drawn().is_some() == contract.lengths.drawn().is_some()
        && own != contract
}

fn words(work: &Workload) -> BTreeSet<String> {
    work.contract.to_string().split(", ").map(String::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_protocol::workload::{Contract, Key, Operation, Output, Shape};

    fn work(size: u64, contract: Contract) -> Workload {
        Workload {
            primitive: "aes-128-gcm".to_string(),
            operation: Operation::Seal,
            size,
            contract,
            shape: Shape::Throughput,
        }
    }

    #[test]
    fn only_what_differs_is_named_and_only_where_it_is_needed() {
        let usual = Contract { ad: 20, ..Contract::usual(Operation::Seal) };
        let in_place = work(1200, Contract { output: Output::InPlace, ..usual.clone() });
        let per_call = work(1200, Contract { key: Key::PerCall, ..usual.clone() });
        let elsewhere = work(64, usual.clone());
        let all = [&in_place, &per_call, &elsewhere];
        let of = |one: &Workload| distinction(one, &[one.size], all);
        assert_eq!(of(&in_place), ", key prepared, in place");
        assert_eq!(of(&per_call), ", key per call, output given");
        assert_eq!(of(&elsewhere), "");
        assert_eq!(distinction(&elsewhere, &[64, 1200], all), ", key prepared, output given");
    }

    #[test]
    fn what_only_lacks_words_is_named_in_full() {
        let usual = work(64, Contract::usual(Operation::Digest));
        let many = work(64, Contract { ad: 13, ..Contract::usual(Operation::Digest) });
        let all = [&usual, &many];
        assert_eq!(distinction(&many, &[64], all), ", ad 13 B");
        assert_eq!(distinction(&usual, &[64], all), format!(", {}", usual.contract));
    }

    #[test]
    fn a_contender_is_named_with_its_own_version_and_not_with_what_it_runs_on() {
        for (version, expected) in [
            ("3.0.19", "x/y 3.0.19"),
            ("3.11.7 (OpenSSL 3.0.19)", "x/y 3.11.7"),
            ("0.1.0 (clang 14.0.6, wasmtime 50.0.1, Python 3.11.7)", "x/y 0.1.0"),
            ("Eclipse Adoptium 21.0.8+9-LTS, OpenJDK 64-Bit Server VM", "x/y 21.0.8+9-LTS"),
            ("", "x/y"),
        ] {
            assert_eq!(named(&"x/y".into(), version), expected);
        }
    }
}
