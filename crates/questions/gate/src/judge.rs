//! From a record to an answer.
//!
//! The intervals of all benchmarks are joint, and so are all looks': with probability 95 % all of
//! them contain the truth, so about one gate of equal builds in twenty, or fewer, has any interval
//! that excludes 1. A benchmark is slower if its whole interval is above 1 and its estimate is beyond
//! the margin. The margin does not have to be excluded: then a slowdown of 3 % would need an
//! interval of 1 %, which hardly any program gives (docs/internals/decisions/0076).

use crate::readers::NOT_A_TIME;
use crate::record::{Execution, Record};
use cupel_stats::quantile::median;
use cupel_stats::shares::{self, Flagged, Flags, ShareChange};
use cupel_stats::turns::{Looks, Round, Shift, step};
use std::collections::{BTreeMap, BTreeSet};

/// The probability with which a control may differ by chance, over all benchmarks.
const CONTROL_ERROR: f64 = 0.01;

/// The verdict on a benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It takes longer, by more than the margin.
    Slower,
    /// The rounds do not decide it.
    Undecided,
    /// It takes less time, by more than the margin.
    Faster,
    /// It does not take longer by more than the margin.
    NoSlowdown,
}

/// One benchmark of both builds.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// Its name.
    pub name: String,
    /// The median time of the base, in ns.
    pub base_ns: f64,
    /// The median time of the new build, in ns.
    pub new_ns: f64,
    /// The ratio of the new build's time to the base's, as a logarithm.
    pub shift: Shift,
    /// The ratio of a copy to the same build's other execution: its truth is 0.
    pub control: Shift,
    /// The executions that take far longer than the others, if there are some.
    pub levels: Option<ShareChange>,
    /// The step of the clock that the times come from, in ns; the time itself if all are equal.
    /// None if it is finer than the times differ.
    pub step_ns: Option<f64>,
    /// Whether each build has one time in all executions.
    pub repeats: bool,
    /// Whether a build lacks too many of its times for a verdict.
    pub is_biased: bool,
    /// The rounds in which all sides had a time.
    pub rounds: usize,
    /// The answer.
    pub verdict: Verdict,
}

/// The result of a record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judged {
    /// The benchmarks that both builds have.
    pub compared: Vec<Compared>,
    /// The benchmarks that only the base has.
    pub only_base: Vec<String>,
    /// The benchmarks that only the new build has.
    pub only_new: Vec<String>,
    /// The benchmarks that have no time in some executions, or in all.
    pub missing: Vec<Missing>,
    /// The executions without any result, if there are some.
    pub failures: Option<Failures>,
    /// Whether the builds were measured in different states, so that nothing has a verdict.
    pub is_unequal: bool,
}

/// Executions that gave no result: they failed, took too long, or printed something that cannot be
/// read.
#[derive(Clone, Debug, PartialEq)]
pub struct Failures {
    /// The failures of the base, with the executions before the first round.
    pub base: Failed,
    /// The failures of the new build.
    pub new: Failed,
    /// By how much their share differs in the rounds.
    pub change: ShareChange,
}

/// The executions of one build without a result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failed {
    /// How many.
    pub executions: usize,
    /// The number of executions.
    pub of: usize,
    /// The rounds in which they were, from 1; 0 is before the first one.
    pub rounds: Vec<usize>,
    /// The most frequent reason.
    pub why: String,
}

/// How a gate ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Something is slower, or fails more often.
    Worse,
    /// Something is undecided, was not compared although it may not differ, or fails at times.
    Open,
    /// Nothing is slower.
    Well,
}

/// A benchmark without a time in some executions of a build that has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Its name.
    pub name: String,
    /// How many executions have no time of it.
    pub executions: usize,
    /// How many of those have the new build.
    pub of_new: usize,
    /// How many executions of the builds that have it there were.
    pub of: usize,
    /// How many of these belong to the new build.
    pub new_of: usize,
    /// The most frequent reason.
    pub why: String,
}

impl Verdict {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Slower => "slower",
            Verdict::Faster => "faster",
            Verdict::NoSlowdown => "no slowdown",
            Verdict::Undecided => "undecided",
        }
    }

    fn from_shift(shift: &Shift, margin: f64) -> Verdict {
        let zone = margin.ln_1p();
        if shift.interval.low > 0.0 && shift.estimate > zone {
            Verdict::Slower
        } else if shift.interval.high < 0.0 && shift.estimate < -zone {
            Verdict::Faster
        } else if shift.interval.high < zone {
            Verdict::NoSlowdown
        } else {
            Verdict::Undecided
        }
    }
}

impl Compared {
    /// Whether two executions of one build differ: then the rounds are not to be trusted.
    pub fn is_untrusted(&self) -> bool {
        self.control.interval.excludes(0.0).is_some()
    }
}

impl Judged {
    /// How many benchmarks have this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.compared.iter().filter(|one| one.verdict == verdict).count()
    }

    /// Whether more rounds would hardly change the answer: every benchmark has one, or cannot get
    /// it, and no build is likely to be slow or to fail in a larger share of its executions.
    pub fn is_settled(&self) -> bool {
        if self.is_unequal {
            return true;
        }
        let is_open = |one: &&Compared| one.verdict == Verdict::Undecided && !one.is_biased;
        if self.compared.is_empty() || self.compared.iter().any(|one| is_open(&one)) {
            return false;
        }
        // A slower one needs no further rounds.
        let others = self.compared.iter().filter(|one| one.verdict != Verdict::Slower);
        let changes = others.filter_map(|one| one.levels.as_ref());
        let mut changes = changes.chain(self.failures.as_ref().map(|failures| &failures.change));
        !changes.any(ShareChange::may_grow)
    }

    fn has_answers(&self) -> bool {
        !self.compared.is_empty() && self.count(Verdict::Undecided) == 0
    }

    /// Whether something is slower, or fails more often.
    pub fn is_worse(&self) -> bool {
        let fails = self.failures.as_ref().is_some_and(|failures| failures.change.grew());
        fails || self.count(Verdict::Slower) > 0
    }

    /// The benchmarks that were not compared, or not in all executions, although they have times.
    pub fn lost(&self) -> impl Iterator<Item = &Missing> {
        let is_alone =
            |one: &Missing| self.only_base.contains(&one.name) || self.only_new.contains(&one.name);
        self.missing.iter().filter(move |one| !is_alone(one) && !one.is_no_time())
    }

    /// Whether a benchmark was not compared in every execution.
    pub fn is_incomplete(&self) -> bool {
        let is_alone = !self.only_base.is_empty() || !self.only_new.is_empty();
        is_alone || self.lost().next().is_some()
    }

    /// How the gate ends.
    pub fn outcome(&self, record: &Record) -> Outcome {
        if self.is_worse() {
            return Outcome::Worse;
        }
        let is_whole = record.may_differ || !self.is_incomplete() && record.unread.is_empty();
        let is_well = is_whole && self.failures.is_none() && self.has_answers();
        if is_well { Outcome::Well } else { Outcome::Open }
    }
}

/// Judges a record, with the looks that it has.
pub fn judge(record: &Record) -> Judged {
    let has = |is_new: bool, benchmark: usize| {
        record.executions().any(|one| one.is_new() == is_new && one.time(benchmark).is_some())
    };
    let is_unequal = record.has_unequal_state();
    let mut judged = Judged { missing: missing(record), is_unequal, ..Judged::default() };
    let mut both = Vec::new();
    for (benchmark, name) in record.benchmarks.iter().enumerate() {
        match (has(false, benchmark), has(true, benchmark)) {
            (true, true) => both.push(benchmark),
            (true, false) => judged.only_base.push(name.clone()),
            (false, true) => judged.only_new.push(name.clone()),
            (false, false) => {}
        }
    }
    let of_shares = shares::ERROR.min(record.error / 2.0);
    let (mut looks, mut share_looks) =
        (Looks::new(record.error - of_shares), Looks::new(of_shares));
    let mut shifts = vec![Shift::UNKNOWN; both.len()];
    let mut levels = vec![None; both.len()];
    for look in &record.looks {
        let upto = |benchmark: &usize| own(record, *benchmark, look.rounds);
        let rounds: Vec<Vec<Round>> = both.iter().map(upto).collect();
        shifts = looks.look(&rounds, look.share);
        let found: Vec<Option<Flagged>> =
            rounds.iter().map(|rounds| Flagged::levels(rounds)).collect();
        let failing = failing(record, look.rounds);
        let all: Vec<Flagged> = found.iter().flatten().cloned().chain(failing.clone()).collect();
        let mut changes = shares::look(&mut share_looks, &all, look.share).into_iter();
        levels = found.iter().map(|one| one.as_ref().and_then(|_| changes.next())).collect();
        judged.failures = changes.next().map(|change| failures(record, change));
    }
    let controls: Vec<Vec<Round>> = both.iter().map(|one| control(record, *one)).collect();
    let controls = Looks::new(CONTROL_ERROR).look(&controls, 1.0);
    let found = both.into_iter().zip(shifts).zip(levels).zip(controls);
    for (((benchmark, shift), levels), control) in found {
        let mut compared = compared(record, benchmark, shift, control);
        compared.levels = levels;
        let lost = judged.missing.iter().find(|one| one.name == compared.name);
        compared.is_biased = lost.is_some_and(Missing::is_too_many);
        if compared.is_untrusted() || compared.is_biased || is_unequal {
            compared.verdict = Verdict::Undecided;
        } else if levels.is_some_and(|levels| levels.grew()) {
            compared.verdict = Verdict::Slower;
        } else if levels.is_some_and(|levels| levels.is_open())
            && compared.verdict != Verdict::Slower
        {
            compared.verdict = Verdict::Undecided;
        }
        judged.compared.push(compared);
    }
    judged
}

/// The failed executions of these rounds, if there are some.
fn failing(record: &Record, rounds: usize) -> Option<Flagged> {
    if record.first.iter().chain(record.executions()).all(|one| one.failed.is_none()) {
        return None;
    }
    let rounds = record.rounds.iter().take(rounds).enumerate();
    let flags = rounds.map(|(ordinal, round)| Flags {
        ordinal,
        marked: round.executions.iter().map(|one| one.failed.is_some()).collect(),
        own: round.single(),
        is_base: round.has_one_base(),
    });
    Some(Flagged::by(flags.collect()))
}

/// The failed executions of both builds.
fn failures(record: &Record, change: ShareChange) -> Failures {
    let first = record.first.iter().map(|one| (0, one));
    let rounds = record.rounds.iter().zip(1..);
    let rounds = rounds.flat_map(|(round, at)| round.executions.iter().map(move |one| (at, one)));
    let all: Vec<(usize, &Execution)> = first.chain(rounds).collect();
    let of = |is_new: bool| {
        let own = all.iter().filter(|(_, one)| one.is_new() == is_new);
        let failed = own.clone().filter_map(|(at, one)| Some((*at, one.failed.as_deref()?)));
        let rounds: Vec<usize> = failed.clone().map(|(at, _)| at).collect();
        Failed {
            executions: rounds.len(),
            of: own.count(),
            rounds,
            why: most_frequent(failed.map(|(_, why)| why)).unwrap_or_default(),
        }
    };
    Failures { base: of(false), new: of(true), change }
}

/// The most frequent of some reasons.
fn most_frequent<'a>(all: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    all.for_each(|why| *reasons.entry(why).or_default() += 1);
    reasons.into_iter().max_by_key(|(_, times)| *times).map(|(why, _)| why.to_string())
}

/// The benchmarks that have no time in some executions, with those that never have one last.
fn missing(record: &Record) -> Vec<Missing> {
    let benchmarks = record.benchmarks.iter().enumerate();
    let mut all: Vec<(&String, Option<usize>)> =
        benchmarks.map(|(benchmark, name)| (name, Some(benchmark))).collect();
    let failed: BTreeSet<&String> =
        record.first.iter().chain(record.executions()).flat_map(|one| one.errors.keys()).collect();
    let never = failed.into_iter().filter(|name| !record.benchmarks.contains(name));
    all.extend(never.map(|name| (name, None)));
    all.into_iter().filter_map(|(name, benchmark)| Missing::find(record, name, benchmark)).collect()
}

impl Missing {
    /// Nothing if no execution lacks it.
    fn find(record: &Record, name: &String, benchmark: Option<usize>) -> Option<Missing> {
        let has_time = |one: &Execution| benchmark.is_some_and(|at| one.time(at).is_some());
        let knows = |one: &&Execution| has_time(one) || one.errors.contains_key(name);
        let known = record.first.iter().chain(record.executions()).filter(knows);
        let builds: BTreeSet<bool> = known.map(Execution::is_new).collect();
        // An execution without any result is counted as such.
        let whole = record.executions().filter(|one| one.failed.is_none());
        let all = whole.filter(|one| builds.contains(&one.is_new()));
        let of_new = all.clone().filter(|one| one.is_new()).count();
        let without: Vec<&Execution> = all.clone().filter(|one| !has_time(one)).collect();
        let no_word = if record.executions().any(|one| knows(&one)) {
            "their output does not have it"
        } else {
            "only executions before the first round print it"
        };
        let words = without.iter().map(|one| one.errors.get(name).map_or(no_word, String::as_str));
        let why = most_frequent(words)?;
        Some(Missing {
            name: name.clone(),
            executions: without.len(),
            of_new: without.iter().filter(|one| one.is_new()).count(),
            of: all.count(),
            new_of: of_new,
            why,
        })
    }

    /// Whether a build lacks more than a tenth of its times. If those are its slow executions, the
    /// others no longer show the build's time.
    pub fn is_too_many(&self) -> bool {
        let of_base = self.of - self.new_of;
        10 * self.of_new > self.new_of || 10 * (self.executions - self.of_new) > of_base
    }

    /// Whether it is a figure of another kind, such as a number of cycles, in every execution.
    pub fn is_no_time(&self) -> bool {
        self.is_always() && self.why.ends_with(NOT_A_TIME)
    }

    /// Whether no execution has a time of it.
    pub fn is_always(&self) -> bool {
        self.executions == self.of
    }
}

fn compared(record: &Record, benchmark: usize, shift: Shift, control: Shift) -> Compared {
    let rounds = record.rounds.iter().filter(|round| round.times(benchmark).is_some());
    let times = |is_new: bool| {
        let all = rounds.clone().flat_map(|round| &round.executions);
        let wanted = all.filter(|one| one.is_new() == is_new);
        wanted.filter_map(|one| one.ns[benchmark]).collect::<Vec<f64>>()
    };
    let (base, new) = (times(false), times(true));
    let repeats = [&base, &new].iter().all(|all| all.windows(2).all(|pair| pair[0] == pair[1]));
    let mut sorted = [&base[..], &new].concat();
    sorted.sort_by(f64::total_cmp);
    let step_ns = match (sorted.first(), sorted.last()) {
        (Some(first), Some(last)) if first == last => Some(*first),
        _ => step(&sorted.iter().map(|ns| ns.ln()).collect::<Vec<f64>>()),
    };
    Compared {
        name: record.benchmarks[benchmark].clone(),
        base_ns: median(&base),
        new_ns: median(&new),
        shift,
        control,
        levels: None,
        step_ns,
        repeats,
        is_biased: false,
        rounds: rounds.count(),
        verdict: Verdict::from_shift(&shift, record.margin),
    }
}

/// The executions of a benchmark, by build.
fn own(record: &Record, benchmark: usize, rounds: usize) -> Vec<Round> {
    let rounds = record.rounds.iter().take(rounds).enumerate();
    let whole = rounds.filter_map(|(ordinal, round)| {
        let times = round.times(benchmark)?.map(f64::ln).to_vec();
        Some(Round { ordinal, times, own: round.single(), is_base: round.has_one_base() })
    });
    whole.collect()
}

/// The copies and the executions before or after them of the same build.
fn control(record: &Record, benchmark: usize) -> Vec<Round> {
    let whole = record.rounds.iter().enumerate().filter_map(|(ordinal, round)| {
        let times = round.times(benchmark)?;
        let order: Vec<usize> = (0..3).filter(|place| *place != round.single()).collect();
        let own = order.iter().position(|place| *place == round.copy())?;
        let times = order.iter().map(|place| times[*place].ln()).collect();
        Some(Round { ordinal, times, own, is_base: false })
    });
    whole.collect()
}
