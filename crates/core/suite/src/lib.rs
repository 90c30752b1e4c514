//! A suite: a TOML file that asks one question, as contenders times workloads, and makes claims
//! about the answer.
//!
//! Reading it is strict. Every mistake is reported with file, line and the nearest valid name, and
//! nothing is run. If a misspelt contender were silently left out, the answer would be wrong.
//!
//! A suite names contenders by patterns; `cupel-plan` finds which of them are here. When a claim is
//! held or refuted is in [`rule`]; `cupel-decide` has the runs that decide it.

mod again;
pub mod asked;
mod build;
mod claim;
mod find;
mod parse;
mod parse_claim;
mod quantity;
mod reader;
pub mod rule;
pub mod said;
mod words;

pub use again::{MIX, again};
pub use asked::Asked;
pub use build::{NewSuite, NewWorkload};
pub use claim::{Claim, Factor, Relation, Unclaimed};
pub use parse::most_bytes;
pub use quantity::{
    duration, duration_with_unit, is_meant_as_size, percent, percent_with_unit, size,
};
pub use said::Said;

use cupel_base::name::Pattern;
use cupel_protocol::workload::{Contract, Operation, Shape, Shared};
use std::path::PathBuf;
use std::time::Duration;

/// One question, ready to be planned.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The file's stem: `quickstart`.
    pub name: String,
    /// The path of its file.
    pub path: PathBuf,
    /// Its text, stored with the run.
    pub text: String,
    /// Its question, in one sentence.
    pub question: String,
    /// Among which contenders it asks, if a command line named them: names and patterns, sorted.
    /// Empty for all that the workloads mean.
    pub among: Vec<String>,
    /// How it is measured.
    pub options: Options,
    /// The workloads to measure.
    pub workloads: Vec<Group>,
    /// The claims about it.
    pub claims: Vec<Claim>,
    /// Statements that cannot be written as claims.
    pub unclaimed: Vec<Unclaimed>,
}

/// How a suite is measured.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Options {
    /// Sets of fresh processes, one after the other.
    pub forks: u32,
    /// After this many forks, contenders whose answers are clear run in few of the others
    /// ([`Options::returning`]). `None`: all contenders run in all forks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_forks: Option<u32>,
    /// Contenders whose code is compiled at run time have no more forks than this: each costs
    /// seconds. `None`: as many as the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jit_forks: Option<u32>,
    /// After this many of their forks, contenders with a JIT, or with an interpreter, have no more if
    /// they are surely far slower than the fastest ([`Options::look`]). `None`: they have all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jit_first_forks: Option<u32>,
    /// Time for measuring, warm-up included, in all forks together.
    pub budget: Duration,
    /// The time from the command to the answer, if it is limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Duration>,
    /// The rest of it for measuring, after contenders were found and verified: no fork begins that
    /// would end later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Duration>,
    /// A comparison gets no more rounds once its intervals are this narrow to each side (0.01 is 1
    /// %).
    pub precision: f64,
    /// Two contenders closer than this are not separated, however certain the difference is.
    pub tie_zone: f64,
    /// The probability that any interval of a table misses the true ratio.
    pub alpha: f64,
    /// The cells that share a process.
    pub isolation: Isolation,
    /// By how much a build may be slower than the other, if the run has two (`--against`).
    pub margin: Option<f64>,
    /// No interval is narrower than this to either side, in logarithms: the differences of copies
    /// of one program on this machine, in earlier runs, beyond their intervals.
    pub least_width: f64,
    /// The run next to which this one was begun, in words, if it did not wait (`--anyway`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beside: Option<String>,
}

/// The cells that share a process. Two contenders never do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Isolation {
    /// All cells of a contender, as the sizes and operations of an application do.
    #[default]
    Contender,
    /// None: each cell has its own process, as in JMH, so that a JIT sees one size only.
    Cell,
}

impl Isolation {
    /// The name in suites.
    pub fn name(self) -> &'static str {
        match self {
            Isolation::Contender => "contender",
            Isolation::Cell => "cell",
        }
    }
}

/// The share of the error that the intervals of contenders have whose answers were clear after the
/// first forks, if there are more.
const FIRST_SHARE: f64 = 0.2;

/// The share of the error of a table that its intervals from the forks before a look have
/// ([`Options::look`]): so few forks need more of it than many.
const LOOK_SHARE: f64 = 0.4;

/// The share of that for the second look, which has more forks: [`SECOND_FORKS`].
const SECOND_LOOK_SHARE: f64 = 0.25;

/// The second look comes after this many further forks. An interval of three forks is three times as
/// wide as one of five that scatter as much.
const SECOND_FORKS: u32 = 2;

/// The forks before a look are this far apart if there are enough, and others lie between them:
/// something that changes for a moment is not in all of them.
const APART: u32 = 2;

/// Contenders whose answers are clear run in each third of the further forks.
const EACH: u32 = 3;

/// And in this many of the last ones. Two: one of them may be disturbed.
const LAST: u32 = 2;

impl Options {
    /// The number of forks in which all contenders run.
    pub fn first_forks(&self) -> u32 {
        self.first_forks.map_or(self.forks, |first| first.min(self.forks))
    }

    /// The budget as a suite or the user gave it. If it is the rest of the user's, that is as long as
    /// `limit`.
    pub fn given_budget(&self) -> Duration {
        let is_rest = self.limit.is_none_or(|limit| limit <= self.budget);
        self.within.filter(|_| is_rest).unwrap_or(self.budget)
    }

    /// The number of forks in which contenders run whose code is compiled at run time.
    pub fn jit_forks(&self) -> u32 {
        self.jit_forks.map_or(self.forks, |most| most.min(self.forks))
    }

    /// When contenders whose code is compiled at run time are looked at: those that are surely far
    /// slower than the fastest have no more forks. It is when all others are looked at, too, and if
    /// no answer is open then, the run ends. Their forks are among the last of the first ones, when
    /// the fastest of the others is known, and the next ones after the look, if one of them is left.
    /// These are looked at again after two forks.
    pub fn look(&self) -> Option<Look> {
        let forks = self.jit_first_forks?;
        let at = self.first_forks();
        let end = at + self.jit_forks().checked_sub(forks).filter(|further| *further > 0)?;
        let apart = if at > APART * (forks - 1) + 1 { APART } else { 1 };
        let first = at.checked_sub(apart * (forks - 1) + 1)?;
        let again = end.min(at + SECOND_FORKS);
        (first > 0 && end <= self.forks).then_some(Look { first, apart, forks, at, again, end })
    }

    /// Whether the question is only who is the fastest. A contender that surely is not needs no
    /// precise figure, and the run ends after the first forks if no other one may be.
    pub fn asks_for_fastest(&self) -> bool {
        self.jit_first_forks.is_some()
    }

    /// Whether contenders whose answers are clear run in this fork, after the first ones: in each
    /// third, and in the last two. A run may end on another machine than it began on, because
    /// something else came or went, and must not judge them by its beginning. If their code is
    /// compiled at run time, where a fork takes seconds, they only return in the very last one.
    pub fn returning(&self, ordinal: u32, is_jit: bool) -> bool {
        let first = self.first_forks();
        if ordinal < first {
            return false;
        }
        if is_jit {
            return ordinal + 1 >= self.forks && self.look().is_none();
        }
        (ordinal - first) % EACH == EACH - 1 || ordinal + LAST >= self.forks
    }

    /// Whether contenders whose code is compiled at run time have this fork among theirs: the first
    /// ones, and up to two at the end of the run, for the same reason. With a look, they are those
    /// before it and the next ones after it.
    pub fn is_jit_fork(&self, ordinal: u32) -> bool {
        if let Some(look) = self.look() {
            return look.is_before(ordinal) || (look.at..look.end).contains(&ordinal);
        }
        let jit = self.jit_forks();
        let last = LAST.min(jit / 2);
        jit >= self.forks || ordinal < jit - last || ordinal + last >= self.forks
    }

    /// Whether contenders with an interpreter have this fork among theirs. Before a look, they run in
    /// every second one from the first on, as their processes take less time than those with a JIT.
    pub fn is_interpreted_fork(&self, ordinal: u32) -> bool {
        let Some(look) = self.look() else { return true };
        let is_early = ordinal < look.first && ordinal.is_multiple_of(APART);
        is_early || self.is_jit_fork(ordinal)
    }

    /// The error that the intervals of a table may have together, if they are from this many forks.
    /// The times decide which contenders run in all forks, so a run with two stages splits its
    /// error between them: by the union bound, the intervals of both stages together hold at `1 -
    /// alpha`.
    pub fn error(&self, forks: usize) -> f64 {
        let first = self.first_forks();
        let of_looks: f64 =
            [Turn::First, Turn::Second].map(|turn| self.error_of_look(turn)).iter().sum();
        let all = self.alpha - of_looks;
        if first >= self.forks {
            return all;
        }
        let returning = (first..self.forks).filter(|&fork| self.returning(fork, false));
        let of_clear = first as usize + returning.count();
        let share = if forks <= of_clear { FIRST_SHARE } else { 1.0 - FIRST_SHARE };
        share * all
    }

    /// The error that the intervals of a table may have together that are from the forks before a
    /// look. They belong to code with a JIT or an interpreter.
    pub fn error_of_look(&self, turn: Turn) -> f64 {
        if self.look().is_none() {
            return 0.0;
        }
        let share = match turn {
            Turn::First => 1.0 - SECOND_LOOK_SHARE,
            Turn::Second => SECOND_LOOK_SHARE,
        };
        share * LOOK_SHARE * self.alpha
    }
}

/// One of the two looks at contenders with a JIT or an interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// After the forks in which all run.
    First,
    /// After two more forks of those that stayed.
    Second,
}

/// When contenders with a JIT or an interpreter are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// The first of their forks.
    pub first: u32,
    /// The distance of their forks.
    pub apart: u32,
    /// How many they have before the look.
    pub forks: u32,
    /// The fork before which it comes.
    pub at: u32,
    /// The fork before which those that stay are looked at again.
    pub again: u32,
    /// The fork before which those that stay have had all of theirs.
    pub end: u32,
}

impl Look {
    /// The most forks of a contender before a look.
    pub fn forks_before(&self, turn: Turn, is_jit: bool) -> u32 {
        let early = if is_jit { 0 } else { self.first.div_ceil(APART) };
        let further = if turn == Turn::Second { self.again - self.at } else { 0 };
        early + self.forks + further
    }

    /// Whether a fork is one of theirs before the look.
    pub fn is_before(&self, ordinal: u32) -> bool {
        (self.first..self.at).contains(&ordinal)
            && (ordinal - self.first).is_multiple_of(self.apart)
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            forks: cupel_stats::ENOUGH_FORKS as u32,
            first_forks: Some(5),
            jit_forks: None,
            jit_first_forks: None,
            budget: Duration::from_secs(60),
            within: None,
            limit: None,
            precision: 0.01,
            tie_zone: 0.02,
            alpha: 0.05,
            isolation: Isolation::Contender,
            margin: None,
            least_width: LEAST_WIDTH,
            beside: None,
        }
    }
}

/// Eight copies of one program, on a quiet machine, were up to this far from each other (a
/// logarithm: 0.02 %) in intervals that were narrower.
pub const LEAST_WIDTH: f64 = 0.0002;

/// Workloads that differ only in size: one chart.
#[derive(Clone, Debug)]
pub struct Group {
    /// The primitive's standard name, or those that the workload chooses between
    /// ([`cupel_base::primitives::choosing`]).
    pub primitive: String,
    /// The operation of the primitive.
    pub operation: Operation,
    /// Message lengths in bytes, ascending.
    pub sizes: Vec<u64>,
    /// The work inside the timed call, on one thread.
    pub contract: Contract,
    /// On how many threads it is measured, ascending: each number is a variant of one comparison.
    pub threads: Vec<u32>,
    /// Whether a call waits for the previous one.
    pub shape: Shape,
    /// Patterns of contender names; `*` stands for any characters.
    pub contenders: Vec<Pattern>,
    /// Candidates for the baseline. The first that is here and answers correctly becomes it.
    pub baseline: Vec<Pattern>,
    /// The line of the suite on which the workload begins.
    pub line: usize,
}

impl Group {
    /// The contract on this many threads. One thread shares nothing.
    pub fn contract_on(&self, threads: u32) -> Contract {
        let shared = if threads == 1 { Shared::None } else { self.contract.shared };
        Contract { threads, shared, ..self.contract.clone() }
    }

    /// Checks a size that is not in the suite.
    ///
    /// # Errors
    /// Why it cannot be measured at this size.
    pub fn allows(&self, size: u64) -> Result<(), String> {
        if self.contract.lengths.drawn().is_some() && !self.sizes.contains(&size) {
            return Err("the sizes of its calls are drawn".to_string());
        }
        parse::limits(size, self.operation, self.shape, self.contract.batch)
    }
}

/// The largest message that a suite may ask for, in bytes.
pub const MAX_SIZE: u64 = 1 << 30;

/// The largest batch of `digest-many` that a suite may ask for, in bytes of all its messages.
pub const MAX_SIZE_OF_MANY: u64 = 64 << 20;

/// The longest associated data that a suite may ask for, in bytes.
pub const MAX_AD: u32 = 1 << 20;
