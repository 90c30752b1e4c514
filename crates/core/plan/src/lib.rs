//! The plan: a suite's workloads times this machine's contenders, as numbered cells. It is stored
//! with its run, so that a resumed run measures the same work, whatever has changed since.
//!
//! A suite is laid out as a [`Draft`]. [`Draft::elect`] makes a [`Plan`] of it, given which
//! contenders were proved correct. Neither of them ever changes.

pub mod against;
mod asked;
mod code;
mod draft;
mod failure;
mod filter;
mod known;
mod lay_out;
mod members;
mod overhead;
mod pool;
mod stored;
pub mod watch;
mod wrong;

pub use code::Code;
pub use draft::{Draft, DraftComparison, Judged, Member};
pub use failure::{FailureKind, NotRanked};
pub use filter::Filter;
pub use known::must_be_known;
pub use lay_out::lay_out;
pub use stored::StoredPlan;
pub use wrong::WrongAnswer;

use cupel_base::name::ContenderName;
use cupel_contender::Contender;
use cupel_protocol::bytes;
use cupel_protocol::workload::{Completion, Operation, Workload};
use cupel_stats::{FEWEST_ROUNDS, FEWEST_ROUNDS_IF_COMPILED};
use cupel_suite::{Options, Relation, Turn};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The number of the method: of how times are measured and decided. Raise it when one question, asked
/// again on a machine that stands still, could get another time, interval or verdict. Each number has
/// a row in docs/trust/method.md, and `scripts/figures` lists the figures that an earlier one measured.
pub const METHOD: u32 = 12;

/// Everything that a run will do. A plan cannot be changed: its parts are accessible only through a
/// shared reference.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "StoredPlan", into = "StoredPlan")]
pub struct Plan(PlanParts);

/// The parts of a plan.
#[derive(Clone, Debug)]
pub struct PlanParts {
    /// The suite's name.
    pub suite: String,
    /// Its question.
    pub question: String,
    /// The [`METHOD`] that it is measured by; 0 in runs of earlier programs.
    pub method: u32,
    /// Among which contenders, if a command line named them: names and patterns, sorted. Empty for
    /// all that the suite means; then the answer stands for its primitives.
    pub among: Vec<String>,
    /// How it is measured.
    pub options: Options,
    /// Seed of everything random in the run.
    pub seed: u64,
    /// The contenders that take part or are missing. A cell refers to one by its position in this
    /// list.
    pub contenders: Vec<Contender>,
    /// The comparisons of the plan.
    pub comparisons: Vec<Comparison>,
    /// Every cell. Its number is its position in this list.
    pub cells: Vec<Cell>,
    /// The digest of each program when the run began, by path.
    pub programs: BTreeMap<String, String>,
}

/// One workload and the cells that are compared on it.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The measured workload. In a choice, its primitive names all of them
    /// ([`cupel_base::primitives::choice`]).
    pub workload: Workload,
    /// In a choice: the workloads of its cells; empty if all measure the workload.
    pub alternatives: Vec<Alternative>,
    /// Whether this is the comparison of empty operations, which shows the harness overhead.
    pub overhead: bool,
    /// Contenders in the order in which they were candidates for the baseline.
    pub baselines: Vec<usize>,
    /// The numbers of its cells, ascending; the control's is one of them.
    pub cells: Vec<usize>,
    /// The cell that the others are divided by; `None` if no contender may be the baseline.
    pub baseline: Option<usize>,
    /// The control of the baseline. There is one if there is a baseline.
    pub control: Option<usize>,
    /// The suite's claims here.
    pub claimed: Vec<Claimed>,
    /// Length of its key in bytes; 0 if it has none.
    pub key_len: usize,
    /// The key of all its cells, if a contender accepts only this key; empty if each fork may have
    /// its own key.
    pub fixed_key: Vec<u8>,
    /// The associated data of all its cells.
    pub ad: Vec<u8>,
    /// How many distinct messages; a power of two.
    pub pool: u32,
}

/// One of the primitives of a choice. Everything but the primitive is the question's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alternative {
    /// The workload of its cells.
    pub workload: Workload,
    /// Length of its key in bytes; 0 if it has none.
    pub key_len: usize,
    /// The key of all its cells, if a contender accepts only this key; empty if each fork may have
    /// its own key.
    #[serde(with = "hex::serde", default, skip_serializing_if = "Vec::is_empty")]
    pub fixed_key: Vec<u8>,
}

/// A claim of the suite about two contenders of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claimed {
    /// The position of the first contender.
    pub a: usize,
    /// The position of the second.
    pub b: usize,
    /// How the first compares with the second at the comparison's size.
    pub relation: Relation,
    /// In a choice: the alternatives of the two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alternatives: Option<(usize, usize)>,
}

/// A contender on a workload. The store keeps it in this form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// The position of its comparison in the plan.
    pub comparison: usize,
    /// The position of its contender in the plan.
    pub contender: usize,
    /// In a choice: which of the comparison's alternatives it measures. A contender has a cell for
    /// each that it offers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alternative: Option<usize>,
    /// Whether this is a control: a second copy of its contender in its own process.
    pub control: bool,
    /// The contender's fault outside the messages of its workload, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
}

impl Deref for Plan {
    type Target = PlanParts;

    fn deref(&self) -> &PlanParts {
        &self.0
    }
}

impl Plan {
    /// The plan for a time until the answer, of which this is left for measuring.
    #[must_use]
    pub fn within(self, all: Duration, left: Duration) -> Plan {
        let budget = self.options.budget.min(left);
        let options =
            Options { within: Some(all), limit: Some(left), budget, ..self.options.clone() };
        Plan(PlanParts { options, ..self.0 })
    }

    /// The key of a comparison, or of one of its alternatives, in a fork whose messages start at
    /// `seed`. Every fork has another key, so that no nonce is used twice with one key.
    pub fn key(&self, comparison: usize, alternative: Option<usize>, seed: u64) -> Vec<u8> {
        let comparison = &self.comparisons[comparison];
        let (key_len, fixed_key) = match alternative.map(|number| &comparison.alternatives[number])
        {
            Some(Alternative { key_len, fixed_key, .. }) => (key_len, fixed_key),
            None => (&comparison.key_len, &comparison.fixed_key),
        };
        if fixed_key.is_empty() {
            // A stream that is far from the messages'.
            bytes::stream(seed ^ (1 << 60), *key_len)
        } else {
            fixed_key.clone()
        }
    }

    /// The workload of a cell. In a choice, this is not its comparison's workload, but its
    /// alternative's.
    pub fn workload_of(&self, cell: usize) -> &Workload {
        let Cell { comparison, alternative, .. } = self.cells[cell];
        self.comparisons[comparison].workload_of(alternative)
    }

    /// The name of a cell's row: its contender's, with its primitive in a choice.
    pub fn name_of(&self, cell: usize) -> ContenderName {
        let name = &self.contender_of(cell).name;
        match self.cells[cell].alternative {
            Some(_) => name.with_primitive(&self.workload_of(cell).primitive),
            None => name.clone(),
        }
    }

    /// The control of a cell, if it has one.
    pub fn control_of(&self, cell: usize) -> Option<usize> {
        let own = &self.cells[cell];
        let mut others = self.comparisons[own.comparison].cells.iter().filter(|_| !own.control);
        let control = others.find(|&&c| self.cells[c].control && self.cells[c].is_copy_of(own));
        control.copied()
    }

    /// Whether a cell is its comparison's baseline.
    pub fn is_baseline(&self, cell: usize) -> bool {
        self.comparisons[self.cells[cell].comparison].baseline == Some(cell)
    }

    /// The fewest rounds of a cell that must count in a fork for it to be a sample of the cell.
    pub fn fewest_rounds(&self, cell: usize) -> usize {
        fewest_rounds(self.contender_of(cell).is_jit())
    }

    /// Whether a cell has few forks ([`Options::jit_forks`]), because each of its processes takes
    /// long to start.
    pub fn has_few_forks(&self, cell: usize) -> bool {
        starts_late(&self.options, self.contender_of(cell))
    }

    /// The most forks of a cell before a look at which it may leave; `None` if it may not.
    pub fn forks_before_look(&self, cell: usize, turn: Turn) -> Option<usize> {
        let look = self.options.look().filter(|_| self.has_few_forks(cell))?;
        Some(look.forks_before(turn, self.contender_of(cell).is_jit()) as usize)
    }

    /// Whether a cell may run in a fork.
    pub fn may_run_in(&self, cell: usize, ordinal: u32) -> bool {
        match self.contender_of(cell) {
            contender if contender.is_jit() => self.options.is_jit_fork(ordinal),
            contender if contender.interpreted => self.options.is_interpreted_fork(ordinal),
            _ => true,
        }
    }

    /// The contender of a cell.
    pub fn contender_of(&self, cell: usize) -> &Contender {
        &self.contenders[self.cells[cell].contender]
    }

    /// The reason for giving no verdict, if the build of a cell has more layouts than the run has
    /// forks: a difference may then be due to layout alone.
    pub fn lacks_layouts(&self, cell: usize) -> Option<String> {
        let layouts = self.contender_of(cell).layouts.len();
        (layouts > self.options.forks as usize).then(|| {
            format!(
                "only {} of its {layouts} layouts were run: --forks {layouts}",
                self.options.forks
            )
        })
    }

    /// Whether the run is on a simulated clock.
    ///
    /// # Errors
    /// If some contenders are and some are not: their times are never compared.
    pub fn simulated(&self) -> Result<bool, String> {
        cupel_contender::simulated(&self.contenders)
    }

    /// The first of the comparisons that differ from this one at most in their threads. They share
    /// the variation from fork to fork, and their rounds follow each other, so that pairs of rounds
    /// show the cost of threads.
    pub fn same_but_threads(&self, comparison: usize) -> usize {
        let work = self.comparisons[comparison].workload.on_one_thread();
        let mut others = self.comparisons.iter();
        others.position(|other| other.workload.on_one_thread() == work).unwrap_or(comparison)
    }

    /// The most threads of a cell.
    pub fn threads(&self) -> u32 {
        self.comparisons.iter().map(|c| c.workload.contract.threads).max().unwrap_or(1)
    }

    /// Whether timed calls are system calls: they read a file, or another thread computes.
    pub fn times_system_calls(&self) -> bool {
        let mut works = self.comparisons.iter().map(|c| &c.workload);
        works.any(|work| {
            work.operation == Operation::DigestFile || work.contract.result == Completion::Awaited
        })
    }

    /// The workloads of its comparisons, without the harness overhead.
    pub fn workloads(&self) -> impl Iterator<Item = &Workload> {
        self.comparisons.iter().filter(|c| !c.overhead).map(|c| &c.workload)
    }

    /// The sizes of the files that its `digest-file` comparisons read.
    pub fn file_sizes(&self) -> impl Iterator<Item = u64> {
        let works = self.comparisons.iter().map(|c| &c.workload);
        works.filter(|w| w.operation == Operation::DigestFile).map(|w| w.size)
    }

    /// The file that a `digest-file` comparison reads, below the cache folder.
    pub fn file(&self, comparison: usize, cache: &Path) -> Option<PathBuf> {
        let work = &self.comparisons[comparison].workload;
        (work.operation == Operation::DigestFile).then(|| cupel_base::files::path(cache, work.size))
    }
}

impl Cell {
    /// The key of the processes that its comparisons share: its contender, the alternative that it
    /// measures in a choice, and whether it is a control.
    pub fn owner(&self) -> (usize, Option<usize>, bool) {
        (self.contender, self.alternative, self.control)
    }

    /// Whether it is the same cell as another one, or its second copy.
    pub fn is_copy_of(&self, other: &Cell) -> bool {
        (self.comparison, self.contender, self.alternative)
            == (other.comparison, other.contender, other.alternative)
    }
}

impl Comparison {
    /// The workload of the cells of an alternative, or of all its cells if it is not a choice.
    pub fn workload_of(&self, alternative: Option<usize>) -> &Workload {
        alternative.map_or(&self.workload, |number| &self.alternatives[number].workload)
    }
}

/// Whether a contender's first fork is not the run's first one: it has a JIT, or in a question about
/// all an interpreter.
pub fn starts_late(options: &Options, contender: &Contender) -> bool {
    contender.is_jit() || (contender.interpreted && options.look().is_some())
}

/// The fewest rounds that must count in a fork for it to be a sample of a cell, by whether the
/// cell's code is compiled at run time.
pub fn fewest_rounds(is_jit: bool) -> usize {
    if is_jit { FEWEST_ROUNDS_IF_COMPILED } else { FEWEST_ROUNDS }
}
