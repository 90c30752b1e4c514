//! The comparison of empty operations: what the harness itself costs.

use super::draft::DraftComparison;
use crate::contender::Contender;
use crate::name::ContenderName;
use crate::primitives::EMPTY;
use crate::suite::Group;
use cupel_protocol::workload::{Contract, Operation, Shape};
use std::collections::BTreeSet;

/// Bytes of a message that nothing is done with.
pub const SIZE: u64 = 16;

/// The group of all empty operations whose runners host something that is compared, and its
/// members; nothing where there is none.
pub fn of(
    contenders: &[Contender],
    comparisons: &[DraftComparison],
) -> Option<(Group, Vec<usize>)> {
    let used: BTreeSet<&ContenderName> =
        comparisons.iter().flat_map(|c| &c.members).map(|&m| &contenders[m].name).collect();
    let contract = Contract::of(Operation::Digest);
    let takes_part = |&member: &usize| {
        let contender = &contenders[member];
        contender.offer(EMPTY, Operation::Digest, &contract).is_some()
            && contender.is_ready()
            && hosts_any(&contender.name, &used)
    };
    let members: Vec<usize> = (0..contenders.len()).filter(takes_part).collect();
    let group = Group {
        primitive: EMPTY.to_string(),
        operation: Operation::Digest,
        sizes: vec![SIZE],
        contract: Contract::of(Operation::Digest),
        shape: Shape::Throughput,
        contenders: vec![],
        baseline: vec![],
        line: 0,
    };
    (!members.is_empty()).then_some((group, members))
}

/// Whether the runner that hosts this empty operation also hosts something that is used: each JDK's
/// is its own, and what would warm up for nothing is left out.
fn hosts_any(empty: &ContenderName, used: &BTreeSet<&ContenderName>) -> bool {
    used.iter().any(|name| empty.has_the_runner_of(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_overhead_is_that_of_the_runners_that_are_used_and_of_no_other() {
        let names = ["c/cupel@gcc-12-O2", "jvm/jdk@temurin-25"].map(ContenderName::from);
        let used = names.iter().collect();
        for (empty, expected) in [
            ("c/empty", true),
            ("jvm/empty@temurin-25", true),
            ("jvm/empty@debian-17", false),
            ("rust/empty", false),
        ] {
            assert_eq!(hosts_any(&empty.into(), &used), expected, "{empty}");
        }
    }
}
