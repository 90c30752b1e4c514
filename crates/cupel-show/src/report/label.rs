//! What distinguishes comparisons whose labels would be the same: their contracts.

use cupel_protocol::workload::Workload;
use std::collections::BTreeSet;

/// The words of a workload's contract that tell it from the other workloads with the same primitive,
/// operation, shape and threads, if one of them has one of these sizes: `, key per call`. Empty if no
/// other has.
pub fn distinction<'a>(
    work: &Workload,
    sizes: &[u64],
    all: impl IntoIterator<Item = &'a Workload>,
) -> String {
    let alike = |other: &&Workload| {
        let (own, contract) = (&work.contract, &other.contract);
        (&other.primitive, other.operation, other.shape)
            == (&work.primitive, work.operation, work.shape)
            && own.threads == contract.threads
            // The words for drawn sizes are others already.
            && own.lengths.drawn().is_some() == contract.lengths.drawn().is_some()
            && own != contract
    };
    let mut others = all.into_iter().filter(alike).filter(|other| sizes.contains(&other.size));
    let words = work.contract.to_string();
    let parts: Vec<&str> = words.split(", ").collect();
    let Some(first) = others.next() else { return String::new() };
    let of = |other: &Workload| -> BTreeSet<String> {
        other.contract.to_string().split(", ").map(String::from).collect()
    };
    let common = others.fold(of(first), |common, other| &common & &of(other));
    let own: Vec<&str> = parts.iter().copied().filter(|part| !common.contains(*part)).collect();
    // One that only lacks what the others say is named in full.
    let named = if own.is_empty() { parts } else { own };
    format!(", {}", named.join(", "))
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
        let usual = Contract { ad: 20, ..Contract::of(Operation::Seal) };
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
        let usual = work(64, Contract::of(Operation::Digest));
        let many = work(64, Contract { ad: 13, ..Contract::of(Operation::Digest) });
        let all = [&usual, &many];
        assert_eq!(distinction(&many, &[64], all), ", ad 13 B");
        assert_eq!(distinction(&usual, &[64], all), format!(", {}", usual.contract));
    }
}
