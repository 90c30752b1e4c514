//! Charts: the workloads that can be compared side by side, because they differ only in size.

use crate::text;
use cupel_protocol::histogram::Histogram;
use cupel_protocol::workload::{Operation, Shape, Workload};

/// All of a workload but its size. Workloads with the same key share a chart, a fit over the sizes,
/// and advice.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChartKey {
    /// The primitive's standard name.
    pub primitive: String,
    /// The operation of the primitive.
    pub operation: Operation,
    /// The work inside the timed call, in words. Two contracts differ exactly if their words do.
    pub contract: String,
    /// Whether a call waits for the previous one.
    pub shape: Shape,
}

impl ChartKey {
    /// The chart that a workload belongs to.
    pub fn for_workload(work: &Workload) -> ChartKey {
        ChartKey {
            primitive: work.primitive.clone(),
            operation: work.operation,
            contract: work.contract.to_string(),
            shape: work.shape,
        }
    }
}

/// The size of a workload's messages, in words: `64 B`, or `a mix of 64 B to 16 KiB`.
pub fn size(work: &Workload) -> String {
    let longest = text::bytes(work.size);
    match work.contract.lengths.drawn().map(Histogram::sizes) {
        None => longest,
        Some([(shortest, _), _, ..]) => format!("a mix of {} to {longest}", text::bytes(*shortest)),
        Some(_) => format!("a mix of {longest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_protocol::workload::{Align, Bytes, Completion, Contract, Inputs, Lengths, Output};

    fn work(size: u64, contract: Contract) -> Workload {
        let primitive = "sha256".to_string();
        Workload { primitive, operation: Operation::Digest, size, contract, shape: Shape::Latency }
    }

    #[test]
    fn sizes_share_a_chart_and_nothing_else_does() {
        let one = ChartKey::for_workload(&work(64, Contract::default()));
        assert_eq!(one, ChartKey::for_workload(&work(1024, Contract::default())));
        let plain = Contract::default;
        for contract in [
            Contract { output: Output::InPlace, ..plain() },
            Contract { inputs: Inputs::Cold, ..plain() },
            Contract { align: Align::Line, ..plain() },
            Contract { lengths: Lengths::Spread, ..plain() },
            Contract { bytes: Bytes::SevenBit, ..plain() },
            Contract { result: Completion::Awaited, ..plain() },
            Contract { chunk: 16, ..plain() },
            Contract { prefix: 64, ..plain() },
            Contract { batch: 8, ..plain() },
            Contract { ad: 13, ..plain() },
        ] {
            assert_ne!(one, ChartKey::for_workload(&work(64, contract.clone())), "{contract}");
        }
        let other = Workload { shape: Shape::Throughput, ..work(64, plain()) };
        assert_ne!(one, ChartKey::for_workload(&other));
    }
}
