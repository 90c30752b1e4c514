//! A suite: a TOML file that asks one question, as contenders times workloads, and says what is
//! claimed of the answer.
//!
//! Reading it is strict. Whatever is wrong is said with file, line and the nearest valid name, and
//! nothing is run: a misspelt contender that was quietly left out would be a wrong answer.

mod claim;
mod find;
mod parse;
mod parse_claim;
mod quantity;
mod reader;

pub use claim::{Claim, Factor, Relation, Unclaimed};
pub use quantity::{duration, percent, size, told_duration, told_percent};

use crate::name::Pattern;
use cupel_protocol::workload::{Contract, Operation, Shape};
use std::path::PathBuf;
use std::time::Duration;

/// One question, ready to be planned.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The file's stem: `quickstart`.
    pub name: String,
    /// Where it was read.
    pub path: PathBuf,
    /// Its text, kept with the run.
    pub text: String,
    /// What it asks, in one sentence.
    pub question: String,
    /// How it is measured.
    pub options: Options,
    /// What is measured.
    pub workloads: Vec<Group>,
    /// What is claimed of it.
    pub claims: Vec<Claim>,
    /// What is said too, and cannot be claimed.
    pub unclaimed: Vec<Unclaimed>,
}

/// How a suite is measured.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Options {
    /// Fresh processes of each contender, one after the other.
    pub forks: u32,
    /// Time for measuring, warm-up included, in all forks together.
    pub budget: Duration,
    /// A comparison is settled once its intervals are this narrow to each side (0.01 is 1 %).
    pub precision: f64,
    /// Two contenders closer than this are not separated, however sure the difference is.
    pub tie_zone: f64,
    /// Probability that any interval of the run misses.
    pub alpha: f64,
    /// What shares a process. Runs of older stores know one kind.
    #[serde(default)]
    pub isolation: Isolation,
    /// By how much a build may be slower than the other one, where the run has two (`--against`). Runs of
    /// older stores do not say.
    #[serde(default)]
    pub margin: Option<f64>,
}

/// What shares a process. Contenders never do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Isolation {
    /// All cells of a contender, as the sizes and operations of an application do.
    #[default]
    Contender,
    /// Nothing: each cell has a process of its own, as in JMH, so that a JIT sees one size only.
    Cell,
}

impl Isolation {
    /// As suites write it.
    pub fn name(self) -> &'static str {
        match self {
            Isolation::Contender => "contender",
            Isolation::Cell => "cell",
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            forks: 3,
            budget: Duration::from_secs(60),
            precision: 0.01,
            tie_zone: 0.02,
            alpha: 0.05,
            isolation: Isolation::Contender,
            margin: None,
        }
    }
}

/// Workloads that differ only in size: one chart.
#[derive(Clone, Debug)]
pub struct Group {
    /// The primitive's standard name.
    pub primitive: String,
    /// What is done with it.
    pub operation: Operation,
    /// Message lengths in bytes, rising.
    pub sizes: Vec<u64>,
    /// What is inside the timed call.
    pub contract: Contract,
    /// Whether calls wait for each other.
    pub shape: Shape,
    /// Patterns of contender names; `*` stands for any characters.
    pub contenders: Vec<Pattern>,
    /// The baseline: the first of these that is here and right.
    pub baseline: Vec<Pattern>,
    /// The line of the suite that says so.
    pub line: usize,
}

/// The largest message that a suite may ask for, in bytes.
pub const MAX_SIZE: u64 = 1 << 30;

/// The largest batch of `digest-many` that a suite may ask for, in bytes of all its messages.
pub const MAX_SIZE_OF_MANY: u64 = 64 << 20;

/// The longest associated data that a suite may ask for, in bytes.
pub const MAX_AD: u32 = 1 << 20;
