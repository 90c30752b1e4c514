//! The record of a gate, as the store keeps it.

use crate::program::Executed;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A gate: the compared builds, and every value of every execution.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// When it began: UTC, ISO 8601.
    pub started: String,
    /// The version of Cupel.
    pub tool: String,
    /// The machine, in a line.
    pub machine: String,
    /// The build that the new one is compared with.
    pub base: Build,
    /// The new build.
    pub new: Build,
    /// The format that their output was read in, or `time`.
    pub reads: String,
    /// A slowdown up to this share does not matter.
    pub margin: f64,
    /// The probability with which any interval may be wrong.
    pub error: f64,
    /// The time for executions, in s.
    pub budget: f64,
    /// How long one execution may take, in s, if the user sets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patience: Option<f64>,
    /// Whether the builds may have different benchmarks.
    #[serde(default)]
    pub may_differ: bool,
    /// What to know of how the builds were made, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The times of each side that no reader took, in the first output that had any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<UnreadOf>,
    /// The seed of the orders.
    pub seed: u64,
    /// The names of all benchmarks.
    pub benchmarks: Vec<String>,
    /// The executions before the first round, in their order. Their times do not count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first: Vec<Execution>,
    /// The rounds, in their order.
    pub rounds: Vec<Round>,
    /// When the results were looked at.
    pub looks: Vec<Look>,
}

/// One of the two builds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Build {
    /// The command that runs its benchmarks.
    pub command: String,
    /// The folder in which it runs.
    pub folder: String,
    /// The Git revision, if it was made of one.
    pub revision: Option<String>,
}

/// The side of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The base.
    Base,
    /// The command of the base again: the control.
    Copy,
    /// The new build.
    New,
}

/// The entries of one side's output with a time that no reader took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnreadOf {
    /// Whose output has them.
    pub side: Side,
    /// How many there are, and the first, in words.
    pub what: String,
}

/// One execution of each side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// In the order in which they ran.
    pub executions: [Execution; 3],
}

/// One execution of a command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Execution {
    /// Whose it was.
    pub side: Side,
    /// How long it took, in s.
    pub seconds: f64,
    /// How long its output took to read, in s.
    #[serde(default)]
    pub reading: f64,
    /// The time of each benchmark in ns, in the order of their names; none if it has no time.
    pub ns: Vec<Option<f64>>,
    /// Why benchmarks have no time, by name, if the output has the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub errors: BTreeMap<String, String>,
    /// Why it has no result at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

/// A look at the results.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// After this many rounds.
    pub rounds: usize,
    /// The share of the budget that was spent; 1 at the last look.
    pub share: f64,
}

impl Record {
    /// The time of all executions in rounds, in s, with the time to read their outputs.
    pub fn seconds(&self) -> f64 {
        self.executions().map(|one| one.seconds + one.reading).sum()
    }

    /// All executions in rounds, in their order.
    pub(crate) fn executions(&self) -> impl Iterator<Item = &Execution> + Clone {
        self.rounds.iter().flat_map(|round| &round.executions)
    }

    /// Adds an execution that comes before the rounds.
    pub(crate) fn begin(&mut self, side: Side, executed: &Executed) {
        self.add_unread(side, executed);
        let (ns, errors) = (Vec::new(), BTreeMap::new());
        let failed = executed.failed.as_ref().map(|failed| failed.why.clone());
        let Executed { seconds, reading, .. } = *executed;
        self.first.push(Execution { side, seconds, reading, ns, errors, failed });
    }

    /// Notes the times of one side that no reader took, once.
    fn add_unread(&mut self, side: Side, executed: &Executed) {
        // The copy is the base again.
        let side = if side == Side::New { Side::New } else { Side::Base };
        let Some(unread) = &executed.unread else { return };
        if self.unread.iter().all(|one| one.side != side) {
            self.unread.push(UnreadOf { side, what: unread.to_string() });
        }
    }

    /// Adds a round: the executions in their order.
    pub(crate) fn add(&mut self, executed: [(Side, Executed); 3]) {
        executed.iter().for_each(|(side, one)| self.add_unread(*side, one));
        let known: BTreeSet<&String> = self.benchmarks.iter().collect();
        let names: BTreeSet<&String> =
            executed.iter().flat_map(|(_, one)| one.values.keys()).collect();
        let new: Vec<String> = names.difference(&known).map(|name| (*name).clone()).collect();
        self.benchmarks.extend(new);
        let executions = executed.map(|(side, executed)| {
            let Executed { seconds, reading, values, errors, failed, .. } = executed;
            let ns = self.benchmarks.iter().map(|name| values.get(name).copied()).collect();
            let failed = failed.map(|failed| failed.why);
            Execution { side, seconds, reading, ns, errors, failed }
        });
        self.rounds.push(Round { executions });
    }
}

impl Execution {
    /// Whether it is one of the new build.
    pub(crate) fn is_new(&self) -> bool {
        self.side == Side::New
    }

    /// The time of a benchmark in ns, if there is one.
    pub(crate) fn time(&self, benchmark: usize) -> Option<f64> {
        self.ns.get(benchmark).copied().flatten()
    }
}

impl Round {
    /// The times of a benchmark in ns, in the order of execution. None if one execution has no time
    /// of it: a round counts as a whole.
    pub(crate) fn times(&self, benchmark: usize) -> Option<[f64; 3]> {
        let [a, b, c] = &self.executions;
        Some([a.time(benchmark)?, b.time(benchmark)?, c.time(benchmark)?])
    }

    /// The position at which a side ran.
    pub(crate) fn place(&self, side: Side) -> usize {
        self.executions.iter().position(|one| one.side == side).unwrap_or(0)
    }
}
