//! The comparison of empty operations, which shows the harness overhead. A suite that asks for the
//! primitive `empty` itself has none: it compares them in a table.

use super::draft::DraftComparison;
use cupel_base::name::ContenderName;
use cupel_base::primitives::EMPTY;
use cupel_contender::Contender;
use cupel_protocol::workload::{Contract, Operation, Shape};
use cupel_suite::Group;
use std::collections::BTreeSet;

/// The size of the message, in bytes. The empty operation does not read it.
pub const SIZE: u64 = 16;

/// The group of the empty operations whose runners host a compared contender, and its members;
/// `None` if there are none.
pub fn empty_operations(
    contenders: &[Contender],
    comparisons: &[DraftComparison],
) -> Option<(Group, Vec<usize>)> {
    let used: BTreeSet<&ContenderName> = comparisons
        .iter()
        .flat_map(|c| &c.members)
        .map(|m| &contenders[m.contender].name)
        .collect();
    let mut members: Vec<usize> =
        (0..contenders.len()).filter(|&member| is_empty(&contenders[member])).collect();
    let empties: Vec<&ContenderName> = members.iter().map(|&m| &contenders[m].name).collect();
    members.retain(|&member| hosts_any(&contenders[member].name, &used, &empties));
    let group = Group {
        primitive: EMPTY.to_string(),
        operation: Operation::Digest,
        sizes: vec![SIZE],
        contract: Contract::usual(Operation::Digest),
        threads: vec![1],
        shape: Shape::Throughput,
        contenders: vec![],
        baseline: vec![],
        line: 0,
    };
    (!members.is_empty()).then_some((group, members))
}

fn is_empty(contender: &Contender) -> bool {
    contender.offer(EMPTY, Operation::Digest, &Contract::usual(Operation::Digest)).is_some()
        // A contender that does other work, too, may cost more than the harness, even if it is
        // empty.
        && contender.offers.iter().all(|offer| offer.primitive == EMPTY)
        && contender.is_ready()
}

/// Whether the runner of this empty operation also hosts a contender that is used. Each JDK has its
/// own empty operation, and so has each version of a language; those that are not needed would only
/// take time to warm up.
fn hosts_any(
    empty: &ContenderName,
    used: &BTreeSet<&ContenderName>,
    empties: &[&ContenderName],
) -> bool {
    used.iter().filter(|name| empty.has_the_runner_of(name)).any(|name| {
        // The empty call of the very version, where there is one.
        let mut of_version = empties.iter().filter(|other| other.toolchain().is_some());
        empty.toolchain().is_some() || !of_version.any(|other| other.has_the_runner_of(name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_overhead_of_used_runners_is_measured() {
        let names = ["c/cupel@gcc-12-O2", "jvm/jdk@temurin-25", "go/std@go-1.24", "node/noble"];
        let names = names.map(ContenderName::from);
        let used = names.iter().collect();
        let empties = ["go/empty", "go/empty@go-1.24", "node/empty", "node/empty@node-22"];
        let empties = empties.map(ContenderName::from);
        let empties: Vec<&ContenderName> = empties.iter().collect();
        for (empty, expected) in [
            ("c/empty", true),
            ("jvm/empty@temurin-25", true),
            ("jvm/empty@debian-17", false),
            ("rust/empty", false),
            ("go/empty@go-1.24", true),
            ("go/empty", false),
            ("node/empty@node-22", false),
            ("node/empty", true),
        ] {
            assert_eq!(hosts_any(&empty.into(), &used, &empties), expected, "{empty}");
        }
    }
}
