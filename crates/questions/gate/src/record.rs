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
    pub unread: Vec<OfSide>,
    /// A line of each side that reports a failure, in an output of a command that ended with status
    /// 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<OfSide>,
    /// The seed of the orders.
    pub seed: u64,
    /// The names of all benchmarks.
    pub benchmarks: Vec<String>,
    /// The executions before the first round, in their order. Their times do not count, but a
    /// benchmark that only they have is missing in all others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first: Vec<Execution>,
    /// The files that executions change, if the builds have two folders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<State>,
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

/// The files and folders that executions change in the folders of the builds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// How many there are.
    pub changing: usize,
    /// One of them, from the top of the folder.
    pub such_as: String,
    /// The first ones that grow or count, and that began otherwise in one folder than in the other.
    pub unequal: Vec<Grown>,
    /// Whether the folders have more files than were looked at.
    pub is_cut: bool,
}

/// A file or folder that grows with the executions, or whose number counts them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Grown {
    /// Its path from the top of the folder.
    pub path: String,
    /// Whether it is a folder: then its size is the number of its entries.
    pub is_folder: bool,
    /// Whether it is about a number in it, in place of its size.
    #[serde(default)]
    pub is_number: bool,
    /// Its size or number in the folder of the base and in the new build's, after two rounds.
    pub began: [u64; 2],
    /// The same at the end.
    pub now: [u64; 2],
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
    /// The command of the new build again.
    #[serde(rename = "copy of new")]
    CopyOfNew,
}

/// Something odd in the output of one side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OfSide {
    /// Whose output has it.
    pub side: Side,
    /// A line of it, or how many entries there are and the first, in words.
    pub what: String,
}

/// Notes it if it is the first of this side.
fn once(all: &mut Vec<OfSide>, side: Side, what: Option<String>) {
    let side = if side.is_new() { Side::New } else { Side::Base };
    if let Some(what) = what.filter(|_| all.iter().all(|one| one.side != side)) {
        all.push(OfSide { side, what });
    }
}

/// How many benchmarks a sentence names.
pub(crate) const NAMED: usize = 3;

/// Some names, and how many more there are.
pub(crate) fn some<T: AsRef<str>>(all: &[T], most: usize) -> String {
    let named: Vec<&str> = all.iter().take(most).map(AsRef::as_ref).collect();
    match all.len() - named.len() {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// Three executions: one of one build, and two of the other.
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

impl Side {
    /// The sides of the round with this number, from 0: the one that runs once comes first. The
    /// builds swap these parts, so that both have run equally often, on average over four rounds:
    /// each may keep something in its folder that decides the time of its next execution.
    pub(crate) fn of_round(round: usize) -> [Side; 3] {
        match round % 4 {
            0 | 3 => [Side::New, Side::Base, Side::Copy],
            _ => [Side::Base, Side::New, Side::CopyOfNew],
        }
    }

    /// Whether it is the new build.
    pub(crate) fn is_new(self) -> bool {
        matches!(self, Side::New | Side::CopyOfNew)
    }

    /// Whether it is the second execution of a build in a round.
    fn is_copy(self) -> bool {
        matches!(self, Side::Copy | Side::CopyOfNew)
    }
}

impl Record {
    /// Whether the builds were measured in different states.
    pub(crate) fn has_unequal_state(&self) -> bool {
        self.state.as_ref().is_some_and(|state| !state.unequal.is_empty())
    }

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
        self.add_odd(side, executed);
        self.know(executed.values.keys());
        let execution = self.execution(side, executed.clone());
        self.first.push(execution);
    }

    /// Notes the times that no reader took, and a reported failure.
    fn add_odd(&mut self, side: Side, executed: &Executed) {
        once(&mut self.unread, side, executed.unread.as_ref().map(ToString::to_string));
        once(&mut self.doubts, side, executed.doubt.clone());
    }

    /// Adds a round: the executions in their order.
    pub(crate) fn add(&mut self, executed: [(Side, Executed); 3]) {
        executed.iter().for_each(|(side, one)| self.add_odd(*side, one));
        self.know(executed.iter().flat_map(|(_, one)| one.values.keys()));
        let executions = executed.map(|(side, executed)| self.execution(side, executed));
        self.rounds.push(Round { executions });
    }

    /// Adds the names of benchmarks that it does not have yet.
    fn know<'a>(&mut self, names: impl Iterator<Item = &'a String>) {
        let known: BTreeSet<&String> = self.benchmarks.iter().collect();
        let names: BTreeSet<&String> = names.collect();
        let new: Vec<String> = names.difference(&known).map(|name| (*name).clone()).collect();
        self.benchmarks.extend(new);
    }

    fn execution(&self, side: Side, executed: Executed) -> Execution {
        let Executed { seconds, reading, values, errors, failed, .. } = executed;
        let ns = self.benchmarks.iter().map(|name| values.get(name).copied()).collect();
        let failed = failed.map(|failed| failed.why);
        Execution { side, seconds, reading, ns, errors, failed }
    }
}

impl Execution {
    /// Whether it is one of the new build.
    pub(crate) fn is_new(&self) -> bool {
        self.side.is_new()
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

    /// Whether the base is the build that ran once.
    pub(crate) fn has_one_base(&self) -> bool {
        self.executions.iter().filter(|one| one.is_new()).count() > 1
    }

    /// The position of the build that ran once.
    pub(crate) fn single(&self) -> usize {
        let is_base = self.has_one_base();
        self.executions.iter().position(|one| one.is_new() != is_base).unwrap_or(0)
    }

    /// The position of the copy.
    pub(crate) fn copy(&self) -> usize {
        self.executions.iter().position(|one| one.side.is_copy()).unwrap_or(0)
    }
}
