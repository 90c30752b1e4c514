//! Who led where it was measured, if it is not here. A reader takes "the fastest" for the whole field,
//! and what is missing may be faster. Its figure is of another machine, so it is never a part of a
//! ratio of this one.

use crate::Said;
use cupel_analyse::{Answer, Verdict};
use cupel_base::name::ContenderName;
use cupel_protocol::workload::Workload;
use cupel_store::Recorded;
use serde::Deserialize;
use std::sync::LazyLock;

/// What `scripts/evidence/leaders.py` drew from the runs in `record/`.
static LEADERS: LazyLock<Vec<Leader>> = LazyLock::new(|| {
    let table: Table = toml::from_str(include_str!("leaders.toml")).expect("leaders.toml");
    table.leader
});

/// A size that was measured stands for others up to this factor away.
const NEAR: f64 = 2.0;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    leader: Vec<Leader>,
}

/// A contender that was the fastest in a run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Leader {
    contender: ContenderName,
    primitive: String,
    operation: String,
    contract: String,
    shape: String,
    /// Message length in bytes.
    size: u64,
    /// How many times as long the next one of another library took.
    times: f64,
    /// That one.
    next: ContenderName,
    /// The extensions of the instruction set that its code uses, as Linux names them.
    flags: Vec<String>,
    machine: String,
    /// The day of the run.
    day: String,
}

/// The leader that is missing in a comparison, if one is known for a processor such as this one.
pub(crate) fn missing(recorded: &Recorded, answer: &Answer) -> Option<Said> {
    let flags = recorded.machine.flags.known()?;
    let missing = answer.rows.iter().filter(|row| row.verdict == Verdict::Missing);
    let known = missing
        .filter_map(|row| Some((row, nearest(&LEADERS, &row.contender, &answer.workload, flags)?)));
    let (row, leader) = known.max_by(|a, b| a.1.times.total_cmp(&b.1.times))?;
    Some(Said::NotHere {
        contender: row.contender.clone(),
        times: leader.times,
        next: leader.next.clone(),
        size: leader.size,
        machine: leader.machine.clone(),
        day: leader.day.clone(),
        reason: row.reason.clone().unwrap_or_default(),
    })
}

/// What is known of a contender at the size that is nearest to that of a workload.
fn nearest<'a>(
    leaders: &'a [Leader],
    contender: &ContenderName,
    work: &Workload,
    flags: &[String],
) -> Option<&'a Leader> {
    let primitive = contender.primitive().unwrap_or(&work.primitive);
    let fits = leaders.iter().filter(|one| {
        one.contender.as_str() == contender.contender()
            && one.primitive == primitive
            && one.operation == work.operation.name()
            && one.contract == work.contract.to_string()
            && one.shape == work.shape.name()
            && away(one.size, work.size) <= NEAR
            && one.flags.iter().all(|flag| flags.contains(flag))
    });
    fits.min_by(|a, b| away(a.size, work.size).total_cmp(&away(b.size, work.size)))
}

/// By which factor two sizes differ.
fn away(one: u64, other: u64) -> f64 {
    let (one, other) = (one.max(1) as f64, other.max(1) as f64);
    (one / other).max(other / one)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_protocol::workload::{Contract, Operation, Shape};

    #[test]
    fn every_leader_leads_by_what_a_reader_would_notice() {
        for one in LEADERS.iter() {
            assert!(one.times >= 1.05, "{one:?}");
            assert!(one.contender != one.next, "{one:?}");
        }
    }

    #[test]
    fn a_leader_is_known_near_its_size_for_a_processor_that_has_all_that_it_uses() {
        let [small, large] = [(64, 1.55), (1024, 1.62)].map(|(size, times)| {
            format!(
                "[[leader]]\ncontender = \"c/ipsec-mb\"\nprimitive = \"aes-256-gcm\"\n\
                 operation = \"seal\"\ncontract = \"{}\"\nshape = \"throughput\"\nsize = {size}\n\
                 times = {times}\nnext = \"rust/ring\"\nflags = [\"aes\", \"vaes\"]\n\
                 machine = \"AMD EPYC\"\nday = \"2026-11-28\"\n",
                Contract::default()
            )
        });
        let table: Table = toml::from_str(&format!("{small}{large}")).unwrap();
        let known = |contender: &str, size: u64, flags: &[&str]| {
            let work = Workload {
                primitive: "aes-256-gcm".into(),
                operation: Operation::Seal,
                size,
                contract: Contract::default(),
                shape: Shape::Throughput,
            };
            let flags: Vec<String> = flags.iter().map(|flag| flag.to_string()).collect();
            let found = nearest(&table.leader, &ContenderName::from(contender), &work, &flags);
            found.map(|one| one.times)
        };
        assert_eq!(known("c/ipsec-mb", 100, &["aes", "vaes", "avx2"]), Some(1.55));
        assert_eq!(known("c/ipsec-mb", 2048, &["aes", "vaes"]), Some(1.62));
        assert_eq!(known("c/ipsec-mb", 256, &["aes", "vaes"]), None, "no size is near");
        assert_eq!(known("c/ipsec-mb", 64, &["aes"]), None, "another processor");
        assert_eq!(known("c/ipsec", 64, &["aes", "vaes"]), None, "another contender");
    }

    #[test]
    fn sizes_are_apart_by_a_factor() {
        assert_eq!((away(64, 32), away(32, 64), away(0, 1)), (2.0, 2.0, 1.0));
    }
}
