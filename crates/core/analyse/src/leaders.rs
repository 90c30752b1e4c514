//! The contender that led on another machine, if it is not here. A reader takes "the fastest" for
//! the whole field, and a missing contender may be faster. Its figure comes from another machine,
//! so it is never a part of a ratio of this one.

use crate::{Answer, Verdict};
use cupel_base::name::ContenderName;
use cupel_base::text;
use cupel_contender::{Contender, State};
use cupel_protocol::workload::Workload;
use cupel_store::Recorded;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// The table that `scripts/evidence/leaders.py` drew from the runs in `record/`.
static LEADERS: LazyLock<Table> =
    LazyLock::new(|| toml::from_str(include_str!("leaders.toml")).expect("leaders.toml"));

/// A size that was measured stands for others up to this factor away.
const NEAR: f64 = 2.0;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    /// The extensions of the instruction set that tell classes of processors apart.
    classes_differ_in: Vec<String>,
    leader: Vec<Leader>,
}

impl Table {
    /// The leaders on processors of the same class as one with these extensions. A leader with
    /// fewer of them may be slower than others with more.
    fn of_class(&self, flags: &[String]) -> impl Iterator<Item = &Leader> {
        let class = self.classes_differ_in.iter().filter(|name| flags.contains(name));
        let class: BTreeSet<&String> = class.collect();
        self.leader.iter().filter(move |one| one.flags.iter().collect::<BTreeSet<_>>() == class)
    }
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
    /// The next one of another library.
    next: ContenderName,
    /// The extensions among these that the machine has, as Linux names them.
    flags: Vec<String>,
    machine: String,
    /// The day of the run.
    day: String,
}

/// A contender that led on another machine with such a processor, and is not here.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NotHere {
    /// The contender.
    pub contender: ContenderName,
    /// How many times as long as it the next one took there.
    pub times: f64,
    /// The next one.
    pub next: ContenderName,
    /// At which message length, in bytes.
    pub size: u64,
    /// On which machine.
    pub machine: String,
    /// The day of that run.
    pub day: String,
    /// The command that installs it, if one is known.
    pub remedy: Option<String>,
}

impl NotHere {
    fn of(contender: &Contender, leader: &Leader) -> NotHere {
        let remedy = match &contender.state {
            State::Missing(refusal) | State::Failed(refusal) => refusal.remedy.clone(),
            State::Ready { .. } | State::Unbuilt => None,
        };
        NotHere {
            contender: contender.name.clone(),
            times: leader.times,
            next: leader.next.clone(),
            size: leader.size,
            machine: leader.machine.clone(),
            day: leader.day.clone(),
            remedy,
        }
    }

    /// One line for the reader.
    pub fn line(&self) -> String {
        let NotHere { contender, times, next, size, machine, day, remedy } = self;
        let (times, size) = (text::digits(*times), text::bytes(*size));
        let remedy = remedy.as_ref().map_or(String::new(), |command| format!(" ({command})"));
        text::plain(&format!(
            "not here: {contender}, {times} times as fast as {next} at {size} on {machine}, \
             {day}{remedy}"
        ))
    }
}

/// The leader that is missing in a comparison, if one is known for a processor such as this one.
pub fn missing(recorded: &Recorded, answer: &Answer) -> Option<NotHere> {
    let flags = recorded.machine.flags.known()?;
    let missing = answer.rows.iter().filter(|row| row.verdict == Verdict::Missing);
    let known = missing
        .filter_map(|row| Some((row, nearest(&LEADERS, &row.contender, &answer.workload, flags)?)));
    let (row, leader) = known.max_by(|a, b| a.1.times.total_cmp(&b.1.times))?;
    let contender = recorded.plan.contender_of(row.cell);
    Some(NotHere { contender: row.contender.clone(), ..NotHere::of(contender, leader) })
}

/// The leaders that are missing on a machine with these extensions of the instruction set, by
/// primitive and operation: the one with the greatest lead.
pub fn missing_here(contenders: &[Contender], flags: &[String]) -> BTreeMap<String, NotHere> {
    let mut greatest: BTreeMap<String, NotHere> = BTreeMap::new();
    for contender in contenders.iter().filter(|one| matches!(one.state, State::Missing(_))) {
        let name = contender.name.as_str();
        for leader in LEADERS.of_class(flags).filter(|one| one.contender == name) {
            let led = format!("{} {}", leader.primitive, leader.operation);
            if greatest.get(&led).is_none_or(|known| known.times < leader.times) {
                greatest.insert(led, NotHere::of(contender, leader));
            }
        }
    }
    greatest
}

/// The known figure of a contender at the size nearest to a workload's.
fn nearest<'a>(
    leaders: &'a Table,
    contender: &ContenderName,
    work: &Workload,
    flags: &[String],
) -> Option<&'a Leader> {
    let primitive = contender.primitive().unwrap_or(&work.primitive);
    let fits = leaders.of_class(flags).filter(|one| {
        one.contender.as_str() == contender.contender()
            && one.primitive == primitive
            && one.operation == work.operation.name()
            && one.contract == work.contract.to_string()
            && one.shape == work.shape.name()
            && away(one.size, work.size) <= NEAR
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
        for one in &LEADERS.leader {
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
        let classes = "classes_differ_in = [\"aes\", \"vaes\", \"avx512f\"]\n";
        let table: Table = toml::from_str(&format!("{classes}{small}{large}")).unwrap();
        let known = |contender: &str, size: u64, flags: &[&str]| {
            let work = Workload {
                primitive: "aes-256-gcm".into(),
                operation: Operation::Seal,
                size,
                contract: Contract::default(),
                shape: Shape::Throughput,
            };
            let flags: Vec<String> = flags.iter().map(|flag| flag.to_string()).collect();
            let found = nearest(&table, &ContenderName::from(contender), &work, &flags);
            found.map(|one| one.times)
        };
        assert_eq!(known("c/ipsec-mb", 100, &["aes", "vaes", "avx2"]), Some(1.55));
        assert_eq!(known("c/ipsec-mb", 2048, &["aes", "vaes"]), Some(1.62));
        assert_eq!(known("c/ipsec-mb", 256, &["aes", "vaes"]), None, "no size is near");
        assert_eq!(known("c/ipsec-mb", 64, &["aes"]), None, "a processor with less");
        assert_eq!(known("c/ipsec-mb", 64, &["aes", "vaes", "avx512f"]), None, "with more");
        assert_eq!(known("c/ipsec", 64, &["aes", "vaes"]), None, "another contender");
    }

    #[test]
    fn sizes_are_apart_by_a_factor() {
        assert_eq!((away(64, 32), away(32, 64), away(0, 1)), (2.0, 2.0, 1.0));
    }
}
