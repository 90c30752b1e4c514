//! The findings about a run: a closed set. Each holds the contenders, the forks and the figures
//! that it speaks of, so that a sentence is tied to the measurement. Whatever prints a run prints
//! findings, and `scripts/audit` derives each kind from the raw slices.
//!
//! `gather.rs` makes the findings of a comparison, `of_run.rs` the ones about the whole run, `threads.rs`
//! the ones about threads, and `because.rs` finds why something is open. `words.rs` has the sentences
//! below a table, and `answer.rs` the answer above all tables.

pub mod answer;
mod because;
mod gather;
mod leaks;
mod of_run;
pub mod subject;
mod threads;
pub mod words;

use cupel_analyse::leaders::NotHere;
use cupel_analyse::{Processes, Verdict};
use cupel_base::name::ContenderName;
use cupel_protocol::workload::Workload;
use cupel_stats::{ENOUGH_FORKS, Shape};
use serde::Serialize;

pub use because::Because;
pub use gather::{all, of_comparison};
pub use of_run::{forks, of_run};

/// One finding of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// The number of the comparison in the plan; absent if it is about the whole run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<usize>,
    /// The measured work of the comparison.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work: Option<Work>,
    /// The finding.
    #[serde(flatten)]
    pub said: Said,
}

impl Finding {
    fn of_run(said: Said) -> Finding {
        Finding { comparison: None, work: None, said }
    }

    fn of_work(comparison: usize, work: &Workload, said: Said) -> Finding {
        Finding { comparison: Some(comparison), work: Some(Work::from_workload(work)), said }
    }
}

/// The work of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Work {
    /// The primitive's standard name, or the names of a choice.
    pub primitive: String,
    /// The operation's name.
    pub operation: &'static str,
    /// The work inside the timed call, in words.
    pub contract: String,
    /// `throughput` or `latency`.
    pub shape: &'static str,
    /// Message length in bytes.
    pub size: u64,
}

impl Work {
    fn from_workload(work: &Workload) -> Work {
        Work {
            primitive: work.primitive.clone(),
            operation: work.operation.name(),
            contract: work.contract.to_string(),
            shape: work.shape.name(),
            size: work.size,
        }
    }
}

/// A contender of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Contender {
    /// Its name, with its primitive in a choice.
    pub name: ContenderName,
    /// Its library's version.
    pub version: String,
    /// The number of its cell in the plan.
    pub cell: usize,
}

/// How far a contender is behind another.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Behind {
    /// The contender.
    pub contender: Contender,
    /// Its time divided by the other's: the mean over the forks that both have, or over the more
    /// frequent level's.
    pub times: f64,
    /// The low end of its interval; absent if it has none.
    #[serde(serialize_with = "above_zero")]
    pub low: f64,
    /// The high end of its interval; absent if it has none.
    #[serde(serialize_with = "finite")]
    pub high: f64,
    /// The forks that both have, from 1.
    pub forks: Vec<u32>,
    /// The result of these forks: one part, or two if the ratio has two levels or changed.
    pub parts: Vec<Part>,
    /// The first fork after the change between the parts, if it is the one of the two that changed.
    pub changed_at: Option<u32>,
    /// The contender's time per call, in ns.
    pub ns: f64,
    /// The time of the harness in it, in ns, if that is over a twentieth.
    pub harness_ns: Option<f64>,
    /// Whether it had only the few forks after which it was surely far slower than the fastest:
    /// then its interval is said, and not a figure, unless both share a single fork.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub left_early: bool,
}

/// How the contenders of a comparison stand.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standing {
    /// How far each of the others is behind the first, by rank.
    pub others: Vec<Behind>,
    /// The languages, or in a choice the primitives, of which every contender is certainly slower.
    pub groups: Vec<Group>,
    /// The cell of the baseline.
    pub baseline: Option<usize>,
    /// The contenders with which the fastest is compared.
    pub among: Among,
    /// How many were compared, without those that a forced path or a way of calling adds.
    pub compared: usize,
    /// Their languages, as names of contenders begin, in alphabetical order.
    pub languages: Vec<String>,
}

/// The contenders of one language, or of one primitive of a choice.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// The language or the primitive.
    pub group: String,
    /// The cell of the one with the shortest time.
    pub best: usize,
    /// Whether all others of the group are certainly slower than that one.
    pub sole: bool,
}

/// A part of the forks of two contenders, and its ratios.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    /// The mean ratio of the two times in these forks.
    pub times: f64,
    /// The forks, from 1.
    pub forks: Vec<u32>,
}

/// The contenders with which the fastest is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Among {
    /// All that were asked.
    All,
    /// Only contenders without a JIT: the budget was too short for the others.
    WithoutJit,
}

/// The speed of a contender on several threads.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Keeps {
    /// The contender.
    pub contender: Contender,
    /// The number of threads.
    pub threads: u32,
    /// Its cell on one thread.
    pub alone: usize,
    /// Its work per processor and second, as a share of that on one thread.
    #[serde(flatten)]
    pub share: Share,
    /// This share, divided by the share of the contender that keeps most; absent for that one.
    pub of_best: Option<OfBest>,
    /// The forks that have both.
    pub forks: usize,
    /// `slower` if it certainly does less work than on one thread, `faster` if it does more.
    pub verdict: Verdict,
    /// Whether the controls of both numbers of threads allow a verdict.
    pub trusted: bool,
}

/// A share with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Share {
    /// The share.
    pub share: f64,
    /// The low end of its interval; absent if it has none.
    #[serde(serialize_with = "above_zero")]
    pub low: f64,
    /// The high end; absent if it has none.
    #[serde(serialize_with = "finite")]
    pub high: f64,
}

/// A share of the speed that the best one keeps.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OfBest {
    /// The contender that keeps most.
    pub than: Contender,
    /// The share.
    #[serde(flatten)]
    pub share: Share,
}

/// Another program on the machine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Program {
    /// Its name.
    pub name: String,
    /// The time that it had a processor, as a share of the time in which it was watched.
    pub share: f64,
}

/// Why there is no control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoControl {
    /// A contender has more layouts than the run has forks.
    FewerForksThanLayouts,
    /// Too few rounds of the baseline's second copy count.
    TooFewRounds,
    /// The baseline has no time.
    NoBaseline,
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Said {
    /// One contender is the fastest: all others are certainly slower.
    Fastest {
        /// It.
        contender: Contender,
        /// How the others stand.
        #[serde(flatten)]
        standing: Standing,
    },
    /// Some tie for the fastest: no two of them are far apart.
    Tie {
        /// They, the one with the shortest time first.
        contenders: Vec<Contender>,
        /// How many times as long as another any of them may take.
        within: f64,
        /// How the others stand.
        #[serde(flatten)]
        standing: Standing,
    },
    /// In a choice of primitives: one is the fastest, whichever of its contenders is.
    Choice {
        /// The primitive.
        primitive: String,
        /// The contenders that may be the fastest.
        contenders: Vec<Contender>,
        /// How the others stand.
        #[serde(flatten)]
        standing: Standing,
    },
    /// Any of these may be the fastest, or others have no time.
    Open {
        /// They, the one with the shortest time first.
        contenders: Vec<Contender>,
        /// How the others stand.
        #[serde(flatten)]
        standing: Standing,
        /// Why it is open.
        because: Because,
        /// The options of the command that would decide it, if one would.
        remedy: Option<String>,
    },
    /// Nothing else has a time.
    Alone {
        /// The only one that has.
        contender: Contender,
        /// Its time per call, in ns.
        ns: f64,
        /// Why others have none, if they ran.
        because: Option<Because>,
        /// The options of the command that may give them one.
        remedy: Option<String>,
    },
    /// There is no answer.
    NoAnswer {
        /// Why.
        because: Because,
        /// The options of the command that may give one.
        remedy: Option<String>,
    },
    /// A contender took longer than the first one in every fork that both have, and yet it is not
    /// decided that it is slower.
    SlowerUndecided {
        /// The contender, and the result of the forks.
        #[serde(flatten)]
        behind: Behind,
        /// The one with the shortest time.
        than: Contender,
        /// Why it is not decided.
        because: Because,
    },
    /// The processes of a contender have several speeds, each for its whole life.
    Levels {
        /// The contender.
        contender: Contender,
        /// The speeds, the fastest first.
        levels: Vec<Processes>,
    },
    /// The ratio of a contender to the baseline has two levels, or differs before and after a
    /// change.
    RatioLevels {
        /// The contender.
        contender: Contender,
        /// The baseline.
        than: Contender,
        /// The levels, ascending.
        levels: Vec<Part>,
    },
    /// A contender took another time from some fork on.
    Changed {
        /// The contender.
        contender: Contender,
        /// The kind of change.
        shape: Shape,
        /// The times of its processes otherwise.
        before: Processes,
        /// Their times after it, or while it lasted.
        after: Processes,
        /// The first fork after it.
        from_fork: u32,
        /// The last fork of a burst.
        to_fork: Option<u32>,
        /// How many forks the run was to have.
        forks: u32,
        /// When that fork began, UTC.
        at: Option<String>,
    },
    /// The times per call of two neighbouring rows are in the opposite order.
    Order {
        /// The upper one.
        first: Contender,
        /// The lower one, whose time per call is shorter.
        second: Contender,
        /// How many times as long the lower one takes in the forks that both have; at least 1.
        times: f64,
        /// These forks.
        forks: Vec<u32>,
        /// The times per call of the two, in ns.
        ns: [f64; 2],
    },
    /// The empty call through a contender's runner is over a twentieth of the contender's time.
    Overhead {
        /// The contender.
        contender: Contender,
        /// The time of the empty call, in ns.
        ns: f64,
        /// The time per call of which it is a part, in ns.
        of: f64,
        /// The one divided by the other.
        share: f64,
    },
    /// Garbage collection is over a hundredth of a contender's time.
    Collecting {
        /// The contender.
        contender: Contender,
        /// The time of collection per call, in ns.
        ns: f64,
        /// The allocation of a call, in bytes.
        bytes: f64,
        /// The time per call without it, in ns.
        without: f64,
        /// The ratio to the baseline without it.
        ratio_without: Option<f64>,
    },
    /// A contender takes less time for more bytes than any processor could read them in.
    TooFast {
        /// The contender.
        contender: Contender,
        /// A smaller size of the same work, in bytes; 0 if there is none.
        from: u64,
        /// Its time per call at that size, in ns.
        from_ns: f64,
        /// Its time per call at this size, in ns.
        ns: f64,
    },
    /// A contender slows the slice after its own, or speeds it up.
    SlowsNext {
        /// The contender.
        contender: Contender,
        /// The factor.
        factor: f64,
    },
    /// The times of a contender still moved while it was measured.
    NotSteady {
        /// The contender.
        contender: Contender,
        /// In how many of its forks.
        forks: usize,
        /// All of its forks.
        all: usize,
    },
    /// Some forks of a contender do not count, because its code did not settle.
    GivenUp {
        /// The contender.
        contender: Contender,
        /// How many forks.
        forks: usize,
        /// All of its forks.
        all: usize,
        /// Why.
        reason: String,
    },
    /// A contender answers correctly only the messages of this workload.
    Limit {
        /// The contender.
        contender: Contender,
        /// Its fault on other messages.
        reason: String,
    },
    /// The result of the baseline's second copy.
    Control {
        /// The baseline.
        contender: Contender,
        /// The time of the copy divided by the time of the baseline.
        times: f64,
        /// The low end of its interval; absent if it has none.
        #[serde(serialize_with = "above_zero")]
        low: f64,
        /// The high end; absent if it has none.
        #[serde(serialize_with = "finite")]
        high: f64,
        /// The rounds measured.
        rounds: usize,
        /// The rounds in which a slice was disturbed.
        disturbed: usize,
    },
    /// There is no control that could show that equals are equal, so there are no verdicts.
    NoControl {
        /// Why.
        why: NoControl,
        /// The rounds measured.
        rounds: usize,
        /// The rounds in which a slice was disturbed.
        disturbed: usize,
    },
    /// The verdict of a row of the table.
    Verdict {
        /// The contender.
        contender: Contender,
        /// The baseline.
        than: Contender,
        /// `faster`, `slower` or `not-separated`.
        verdict: Verdict,
        /// Its time divided by the baseline's.
        times: f64,
        /// The low end of the interval; absent if it has none.
        #[serde(serialize_with = "above_zero")]
        low: f64,
        /// The high end; absent if it has none.
        #[serde(serialize_with = "finite")]
        high: f64,
        /// The forks that both have, from 1.
        forks: Vec<u32>,
        /// Why there is no verdict, if there is none for a reason.
        reason: Option<String>,
    },
    /// A leak test found that the execution of a contender depends on a secret.
    Leaks {
        /// The contender.
        contender: Contender,
        /// How.
        how: String,
        /// The day of the test.
        tested: String,
    },
    /// A leak test saw no leak.
    NoneSeen {
        /// The contender.
        contender: Contender,
        /// Which calls and secrets were compared.
        compared: String,
        /// The day of the test.
        tested: String,
    },
    /// A leak test could not decide.
    LeakUndecided {
        /// The contender.
        contender: Contender,
        /// The day of the test.
        tested: String,
    },
    /// Others were tested for leaks, and this one was not.
    NotTested {
        /// The contender.
        contender: Contender,
    },
    /// A contender that is not here led on another machine with such a processor.
    NotHere(NotHere),
    /// Contenders that the budget left out: how fast they are is not known.
    LeftOut {
        /// Their names.
        contenders: Vec<ContenderName>,
        /// The budget, in seconds.
        budget_s: f64,
    },
    /// The row with the shortest time belongs to a forced path or a second way of calling, which a table
    /// may leave out.
    ShortestAside {
        /// The contender.
        contender: Contender,
        /// Its time per call, in ns.
        ns: f64,
    },
    /// How many forks the run has.
    Forks {
        /// Those that were measured to their end.
        forks: usize,
        /// Those that it was to have.
        of: usize,
        /// Whether it ended; otherwise it was killed.
        finished: bool,
        /// The time until its answer, in s, if that was over before all forks were done.
        within_s: Option<f64>,
    },
    /// The meaning of the run's intervals.
    Intervals {
        /// The probability with which all of a table contain the truth.
        joint: f64,
        /// Up to this difference, as a share, there is no verdict.
        tie_zone: f64,
        /// The same if the run has few forks.
        few_forks_zone: Option<f64>,
        /// How many times as wide as the forks alone would make them, because copies of one program
        /// differed.
        wider: f64,
        /// No interval is narrower than this to either side, as a share, if that is more than usual.
        least_width: Option<f64>,
    },
    /// Some contenders ran in few forks, because their answer was clear.
    Retired {
        /// After this many forks it was clear.
        after: u32,
        /// The forks that they ran in.
        forks: usize,
        /// All forks.
        of: usize,
    },
    /// Contenders that take long to start ran in few forks.
    JitForks {
        /// The most forks that one with a JIT ran in; 0 if none had fewer than the others.
        forks: usize,
        /// All forks.
        of: usize,
        /// The most forks that one with an interpreter ran in, if that was not all of them.
        #[serde(skip_serializing_if = "Option::is_none")]
        interpreted: Option<usize>,
        /// Whether one of them is a baseline, which the others need in all forks.
        baseline_in_all: bool,
        /// After how many forks some left, because they were far behind the fastest.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        left_after: Vec<u32>,
        /// The forks that they may have in this run.
        asked: u32,
    },
    /// The run has too few forks to decide small differences, and some are open.
    TooFewForks {
        /// How many are enough.
        enough: usize,
        /// Up to this difference nothing is decided, as a share.
        undecided_below: f64,
        /// The options that would decide them.
        remedy: String,
        /// The time that the forks of the remedy would take, in ns.
        takes_ns: f64,
    },
    /// The time of an empty call through a runner.
    EmptyCall {
        /// The name of the empty call.
        runner: ContenderName,
        /// Its time, in ns.
        ns: f64,
    },
    /// Another run measured at the same time.
    Beside {
        /// That run, in words.
        other: String,
    },
    /// The times of a contender could not be compared with the tool's own clock.
    NotAudited {
        /// The contender.
        contender: Contender,
    },
    /// The code of a loaded file differed from the file while the run measured.
    Probed {
        /// The file.
        file: String,
        /// The programs that may have changed it, if they are known.
        by: Option<String>,
    },
    /// A file changed during the run.
    Replaced {
        /// The file.
        file: String,
    },
    /// A quota took the processors away.
    Throttled {
        /// For how long, in s.
        seconds: f64,
        /// The time of the run, in s.
        of_s: f64,
    },
    /// The heap of each JVM was limited.
    HeapLimit {
        /// To this, in MiB.
        mib: u64,
    },
    /// Other programs used processors.
    OtherPrograms {
        /// Those that used much, the busiest first.
        programs: Vec<Program>,
        /// The share of all that were not seen, if it is much.
        unseen: Option<f64>,
    },
    /// The builds of a matrix were laid out in memory in several ways.
    Layouts {
        /// In how many.
        layouts: usize,
        /// The forks of the run: each has one.
        forks: usize,
    },
    /// The speed that a contender keeps on several threads.
    Keeps(Keeps),
    /// Some threads share a core.
    SharedCores {
        /// From this number of threads on.
        threads: u32,
        /// The processors of the machine.
        processors: usize,
        /// Its cores.
        cores: usize,
    },
}

impl Said {
    /// The kinds of findings, as files name them.
    pub const KINDS: &'static [&'static str] = &[
        "alone",
        "beside",
        "changed",
        "choice",
        "collecting",
        "control",
        "empty-call",
        "fastest",
        "forks",
        "given-up",
        "heap-limit",
        "intervals",
        "jit-forks",
        "keeps",
        "layouts",
        "leak-undecided",
        "leaks",
        "left-out",
        "levels",
        "limit",
        "no-answer",
        "no-control",
        "none-seen",
        "not-audited",
        "not-here",
        "not-steady",
        "not-tested",
        "open",
        "order",
        "other-programs",
        "overhead",
        "probed",
        "ratio-levels",
        "replaced",
        "retired",
        "shared-cores",
        "shortest-aside",
        "slower-undecided",
        "slows-next",
        "throttled",
        "tie",
        "too-fast",
        "too-few-forks",
        "verdict",
    ];

    /// The contender that the finding is about, if it is about one that a table has a row of.
    pub fn cell(&self) -> Option<usize> {
        match self {
            Said::SlowerUndecided { behind, .. } => Some(behind.contender.cell),
            Said::Order { second, .. } => Some(second.cell),
            Said::Levels { contender, .. }
            | Said::RatioLevels { contender, .. }
            | Said::Changed { contender, .. }
            | Said::Overhead { contender, .. }
            | Said::Collecting { contender, .. }
            | Said::SlowsNext { contender, .. }
            | Said::TooFast { contender, .. }
            | Said::NotSteady { contender, .. }
            | Said::GivenUp { contender, .. }
            | Said::Limit { contender, .. }
            | Said::Verdict { contender, .. }
            | Said::Leaks { contender, .. }
            | Said::NoneSeen { contender, .. }
            | Said::LeakUndecided { contender, .. }
            | Said::NotTested { contender } => Some(contender.cell),
            _ => None,
        }
    }
}

impl Behind {
    /// The least and the most that the parts show; one figure if they are close. One fork among many
    /// makes no part of the answer: it may be a stray process.
    pub fn range(&self) -> (f64, f64) {
        let are_many = self.forks.len() >= ENOUGH_FORKS;
        self.range_of(self.parts.iter().filter(|part| !are_many || part.forks.len() > 1))
    }

    /// The range over all parts, including parts of a single fork.
    pub fn whole_range(&self) -> (f64, f64) {
        self.range_of(self.parts.iter())
    }

    fn range_of<'p>(&self, parts: impl Iterator<Item = &'p Part> + Clone) -> (f64, f64) {
        const ALIKE: f64 = 1.05;
        let times = parts.map(|part| part.times);
        let low = times.clone().fold(f64::INFINITY, f64::min);
        let high = times.fold(0.0, f64::max);
        if high > ALIKE * low { (low, high) } else { (self.times, self.times) }
    }
}

/// Writes infinity as nothing: JSON does not have it.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn finite<S: serde::Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    value.is_finite().then_some(*value).serialize(serializer)
}

/// Writes zero as nothing, too: no ratio has it.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn above_zero<S: serde::Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    (*value > 0.0).then_some(*value).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_fork_among_many_makes_no_range() {
        let range = |forks: u32| {
            let part = |times, forks: std::ops::RangeInclusive<u32>| Part {
                times,
                forks: forks.collect(),
            };
            let one = Behind {
                contender: Contender { name: "c/b".into(), version: String::new(), cell: 1 },
                times: 1.1,
                low: 1.09,
                high: 1.12,
                forks: (1..=forks).collect(),
                parts: vec![part(0.95, 1..=1), part(1.1, 2..=forks)],
                changed_at: None,
                ns: 100.0,
                harness_ns: None,
                left_early: false,
            };
            one.range()
        };
        assert_eq!(range(24), (1.1, 1.1), "it is a stray");
        assert_eq!(range(5), (0.95, 1.1), "it is a fifth of what was seen");
    }
}
