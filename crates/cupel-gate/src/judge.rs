//! From a record to an answer.
//!
//! The intervals of all benchmarks are joint, and so are all looks': with probability 95 % all of
//! them contain the truth, so at most one gate of equal builds in twenty has any interval that
//! excludes 1. A benchmark is slower if its whole interval is above 1 and its estimate is beyond
//! the margin. The margin does not have to be excluded: then a slowdown of 3 % would need an
//! interval of 1 %, which hardly any program gives (docs/decisions/0076).

use crate::record::{Execution, Record, Side};
use cupel_stats::quantile::median;
use cupel_stats::turns::{Looks, Round, Shift};
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
    /// The median time of the base and its copy, in ns.
    pub base_ns: f64,
    /// The median time of the new build, in ns.
    pub new_ns: f64,
    /// The ratio of the new build's time to the base's, as a logarithm.
    pub shift: Shift,
    /// That of the copy to the base: its truth is 0.
    pub control: Shift,
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
    /// Those that only the base has.
    pub only_base: Vec<String>,
    /// Those that only the new build has.
    pub only_new: Vec<String>,
    /// Those that have no time in some executions, or in all.
    pub missing: Vec<Missing>,
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

    fn of(shift: &Shift, margin: f64) -> Verdict {
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
    /// Whether two copies of the base differ: then the rounds do not show what they should.
    pub fn is_untrusted(&self) -> bool {
        self.control.interval.excludes(0.0).is_some()
    }
}

impl Judged {
    /// How many benchmarks have this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.compared.iter().filter(|one| one.verdict == verdict).count()
    }

    /// Whether every benchmark has an answer.
    pub fn is_decided(&self) -> bool {
        !self.compared.is_empty() && self.count(Verdict::Undecided) == 0
    }
}

/// Judges a record, with the looks that it has.
pub fn judge(record: &Record) -> Judged {
    let has = |side: Side, benchmark: usize| {
        record.executions().any(|one| one.side == side && one.time(benchmark).is_some())
    };
    let mut judged = Judged { missing: missing(record), ..Judged::default() };
    let mut both = Vec::new();
    for (benchmark, name) in record.benchmarks.iter().enumerate() {
        match (has(Side::Base, benchmark) || has(Side::Copy, benchmark), has(Side::New, benchmark))
        {
            (true, true) => both.push(benchmark),
            (true, false) => judged.only_base.push(name.clone()),
            (false, true) => judged.only_new.push(name.clone()),
            (false, false) => {}
        }
    }
    let mut looks = Looks::new(record.error);
    let mut shifts = vec![Shift::UNKNOWN; both.len()];
    for look in &record.looks {
        let upto = |benchmark: &usize| own(record, *benchmark, look.rounds);
        shifts = looks.look(&both.iter().map(upto).collect::<Vec<_>>(), look.share);
    }
    let controls: Vec<Vec<Round>> = both.iter().map(|one| control(record, *one)).collect();
    let controls = Looks::new(CONTROL_ERROR).look(&controls, 1.0);
    for ((benchmark, shift), control) in both.into_iter().zip(shifts).zip(controls) {
        let mut compared = compared(record, benchmark, shift, control);
        let lost = judged.missing.iter().find(|one| one.name == compared.name);
        if compared.is_untrusted() || lost.is_some_and(Missing::is_too_many) {
            compared.verdict = Verdict::Undecided;
        }
        judged.compared.push(compared);
    }
    judged
}

/// The benchmarks that have no time in some executions, with those that never have one last.
fn missing(record: &Record) -> Vec<Missing> {
    let benchmarks = record.benchmarks.iter().enumerate();
    let mut all: Vec<(&String, Option<usize>)> =
        benchmarks.map(|(benchmark, name)| (name, Some(benchmark))).collect();
    let failed: BTreeSet<&String> = record.executions().flat_map(|one| one.errors.keys()).collect();
    let never = failed.into_iter().filter(|name| !record.benchmarks.contains(name));
    all.extend(never.map(|name| (name, None)));
    all.into_iter().filter_map(|(name, benchmark)| Missing::of(record, name, benchmark)).collect()
}

impl Missing {
    /// Nothing if no execution lacks it.
    fn of(record: &Record, name: &String, benchmark: Option<usize>) -> Option<Missing> {
        let has_time = |one: &Execution| benchmark.is_some_and(|at| one.time(at).is_some());
        let known =
            record.executions().filter(|one| has_time(one) || one.errors.contains_key(name));
        let builds: BTreeSet<bool> = known.map(Execution::is_new).collect();
        let all = record.executions().filter(|one| builds.contains(&one.is_new()));
        let without: Vec<&Execution> = all.clone().filter(|one| !has_time(one)).collect();
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for one in &without {
            let why = one.errors.get(name).map_or("their output does not have it", String::as_str);
            *reasons.entry(why).or_default() += 1;
        }
        let (why, _) = reasons.into_iter().max_by_key(|(_, times)| *times)?;
        Some(Missing {
            name: name.clone(),
            executions: without.len(),
            of_new: without.iter().filter(|one| one.is_new()).count(),
            of: all.count(),
            why: why.to_string(),
        })
    }

    /// Whether a build lacks more than a tenth of its times. If those are its slow executions, the
    /// others no longer show the build's time.
    pub fn is_too_many(&self) -> bool {
        // The base runs twice in each round.
        let (of_new, of_base) = (self.of / 3, 2 * self.of / 3);
        10 * self.of_new > of_new || 10 * (self.executions - self.of_new) > of_base
    }

    /// Whether no execution has a time of it.
    pub fn is_always(&self) -> bool {
        self.executions == self.of
    }
}

fn compared(record: &Record, benchmark: usize, shift: Shift, control: Shift) -> Compared {
    let times = |sides: &[Side]| {
        let rounds = record.rounds.iter().filter(|round| round.times(benchmark).is_some());
        let all = rounds.flat_map(|round| &round.executions);
        let wanted = all.filter(|one| sides.contains(&one.side));
        wanted.filter_map(|one| one.ns[benchmark]).collect::<Vec<f64>>()
    };
    let new = times(&[Side::New]);
    Compared {
        name: record.benchmarks[benchmark].clone(),
        base_ns: median(&times(&[Side::Base, Side::Copy])),
        new_ns: median(&new),
        shift,
        control,
        rounds: new.len(),
        verdict: Verdict::of(&shift, record.margin),
    }
}

/// The new build among the others.
fn own(record: &Record, benchmark: usize, rounds: usize) -> Vec<Round> {
    let rounds = record.rounds.iter().take(rounds).enumerate();
    let whole = rounds.filter_map(|(ordinal, round)| {
        let times = round.times(benchmark)?.map(f64::ln).to_vec();
        Some(Round { ordinal, times, own: round.place(Side::New) })
    });
    whole.collect()
}

/// The copy and the base, without the new build.
fn control(record: &Record, benchmark: usize) -> Vec<Round> {
    let whole = record.rounds.iter().enumerate().filter_map(|(ordinal, round)| {
        let times = round.times(benchmark)?;
        let (base, copy) = (round.place(Side::Base), round.place(Side::Copy));
        let order = [base.min(copy), base.max(copy)];
        let times = order.map(|place| times[place].ln()).to_vec();
        Some(Round { ordinal, times, own: usize::from(copy > base) })
    });
    whole.collect()
}
