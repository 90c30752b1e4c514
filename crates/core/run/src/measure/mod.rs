//! The measuring core: forks of live processes, rounds of slices in balanced random order, every
//! output checked, every round stored as it comes. docs/trust/method.md has the rules and their
//! sources.

mod audit;
mod failure;
#[cfg(test)]
mod fixture;
mod fork;
mod leave;
mod ledger;
mod open;
mod parallel;
mod pieces;
mod ready;
mod round;
mod schedule;
mod stage;
mod state;
mod values;

pub use audit::disturbance;
pub use cupel_plan::watch::{Estimate, Unwatched, Watch};
pub use fork::preparation;
pub use ready::{steady, warm_up};
pub use stage::{Fresh, RealProcesses, Stage, make_log_folder};

use anyhow::Result;
use cupel_plan::Plan;
use cupel_store::{Recorded, Store};
use cupel_suite::Options;
use fork::{Fork, ForkId};
use ledger::Ledger;
use open::Runs;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use schedule::Scheduler;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Disturbed rounds are repeated until the run has taken this many times its budget. The fewest
/// rounds of a quiet machine are measured in any case: the forecast says how long it takes.
const LONGEST: f64 = 1.5;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// As planned.
    Finished,
    /// The user interrupted it; it can be resumed.
    Interrupted,
}

/// The tools of a measurement.
pub struct Session<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The run's number in the store.
    pub run: i64,
    /// Where rounds go.
    pub store: &'a mut Store,
    /// Where contenders are started.
    pub stage: &'a dyn Stage,
    /// Hears how the run goes.
    pub watch: &'a mut dyn Watch,
    /// Set when the user wants the run to end.
    pub stop: &'a AtomicBool,
    /// The folder of generated files.
    pub cache: &'a Path,
}

/// The part of a [`Session`] that measuring only reads. The rest belongs to the ledger.
#[derive(Clone, Copy)]
struct Setup<'a> {
    plan: &'a Plan,
    stage: &'a dyn Stage,
    stop: &'a AtomicBool,
    cache: &'a Path,
}

/// The forks' findings about cells for later forks.
#[derive(Default)]
struct Learned {
    /// By cell: the least time of a process of it, in ns per call.
    reached: HashMap<usize, f64>,
}

/// Measures the cells that have no figures yet, fork by fork.
///
/// # Errors
/// If the store cannot be written. Whatever goes wrong with a contender becomes a failed cell.
pub fn run(session: &mut Session<'_>, before: Option<&Recorded>) -> Result<Ending> {
    let Session { plan, stage, stop, cache, .. } = *session;
    let setup = Setup { plan, stage, stop, cache };
    let mut ledger = Ledger::new(session, before);
    let mut scheduler = Scheduler::new(plan);
    let mut done = 0_u32;
    let mut begun = 0_u64;
    let mut spent = Duration::ZERO;
    let mut learned = Learned::default();
    if let Some(before) = before {
        done = before.forks.iter().filter(|f| f.finished).map(|f| f.ordinal + 1).max().unwrap_or(0);
        begun = before.forks.len() as u64;
        // Processes warmed up side by side, one on each processor.
        let lanes = stage.lanes().len().max(1) as f64;
        let warming = before.warm_ups.iter().map(|w| w.elapsed_ns).sum::<f64>() / lanes;
        spent = Duration::from_nanos(before.run.measured_ns + warming as u64);
        scheduler.recall(before);
        for warm_up in &before.warm_ups {
            let least = learned.reached.entry(warm_up.cell).or_insert(warm_up.ns_per_call);
            *least = least.min(warm_up.ns_per_call);
        }
    }
    let started = stage.now();
    ledger.look_around(std::iter::empty())?;
    let mut full = None;
    let mut costs = Costs::default();
    for ordinal in done..plan.options.forks {
        let runs = open::of_fork(plan, ordinal, |of| scheduler.values(of));
        let gone = spent + (stage.now() - started);
        let left = plan.options.limit.map(|limit| limit.saturating_sub(gone));
        if runs.cells.as_ref().is_some_and(BTreeSet::is_empty) {
            continue;
        }
        let Some(runs) = costs.fitting(plan, runs, ordinal, left, &mut ledger)? else { continue };
        let weight = runs.weight(plan);
        // Each process group has its own seed, also a group that replaces a killed one.
        let mut random = Xoshiro256PlusPlus::seed_from_u64(plan.seed ^ (begun << 32));
        begun += 1;
        let began = stage.now();
        let gone = spent + (began - started);
        let budget = plan.options.budget;
        if ordinal >= plan.options.first_forks() && full.is_none() {
            full = Some(gone / ordinal.max(1));
        }
        let full = full.unwrap_or_default();
        let until = began + share(&plan.options, ordinal, budget.saturating_sub(gone), full);
        let most = budget.mul_f64(LONGEST).saturating_sub(gone).min(left.unwrap_or(Duration::MAX));
        let longest = share(&plan.options, ordinal, most, full);
        let fork = Fork::begin(
            setup,
            ForkId { planned: ordinal, process_group: begun },
            runs.cells.as_ref(),
            &mut ledger,
            &mut learned,
            &mut random,
        )?;
        scheduler.begin_fork(ordinal);
        let prepared = stage.now() - began;
        // A fork's share pays for its own warm-up. Otherwise the first forks would spend the time
        // of the last, and a fork of few rounds hardly counts.
        let rest = if runs.briefly { began } else { until }.saturating_sub(stage.now());
        // `least` asks for the fewest rounds, however long they take.
        let most = (!budget.is_zero()).then(|| (began + longest).saturating_sub(stage.now()));
        let ending = fork.measure((rest, most), &mut ledger, &mut scheduler, &mut random)?;
        if ending == Ending::Interrupted {
            return Ok(Ending::Interrupted);
        }
        costs.add(weight, (prepared, stage.now() - began), rest);
    }
    ledger.finish_run()?;
    Ok(Ending::Finished)
}

/// How long forks took that had no time to spare: those with contenders that take long to start,
/// and the others.
#[derive(Default)]
struct Costs {
    late: Vec<Duration>,
    others: Vec<Duration>,
}

impl Costs {
    /// With one fork there is no interval.
    const FEWEST: usize = 2;

    /// Adds a fork that lasted this long, preparations first. `rest` is the time that its rounds
    /// had: they take it all, however little they need.
    fn add(&mut self, weight: u32, (prepared, lasted): (Duration, Duration), rest: Duration) {
        let rounds = lasted.saturating_sub(prepared);
        // The round in flight ends a little later.
        let needed = if rounds > rest + rest / 4 { lasted } else { prepared + rounds / 2 };
        let kind = if weight > 1 { &mut self.late } else { &mut self.others };
        kind.push(needed);
    }

    /// The part of a fork that fits into the time that is left: all, or only the code that starts
    /// at once, or nothing. Only a verdict of that code needs eleven forks, so the forks of the other
    /// leave it the time for them.
    fn fitting(
        &self,
        plan: &Plan,
        runs: Runs,
        ordinal: u32,
        left: Option<Duration>,
        ledger: &mut Ledger<'_>,
    ) -> Result<Option<Runs>> {
        let weight = runs.weight(plan);
        let Some(left) = left else { return Ok(Some(runs)) };
        let further = plan.options.first_forks().saturating_sub(ordinal + 1);
        if self.fits(weight, left.saturating_sub(self.reserved(weight, further))) {
            return Ok(Some(runs));
        }
        ledger.time_is_over()?;
        if weight == 1 || !self.fits(1, left) {
            return Ok(None);
        }
        Ok(runs.without_late(plan))
    }

    /// The time that further forks of code that starts at once need after one that is as heavy.
    fn reserved(&self, weight: u32, further: u32) -> Duration {
        let is_known = weight > 1 && !self.late.is_empty();
        let longest = longest(&self.others).filter(|_| is_known);
        longest.map_or(Duration::ZERO, |longest| longest * further)
    }

    /// Whether another fork may fit into this time. The first two are tried in any case.
    fn fits(&self, weight: u32, left: Duration) -> bool {
        if self.late.len() + self.others.len() < Self::FEWEST {
            return true;
        }
        let kind = if weight > 1 { &self.late } else { &self.others };
        if weight > 1 && kind.is_empty() {
            return self.others.iter().max().is_none_or(|&longest| weight * longest <= left);
        }
        longest(kind).is_none_or(|longest| longest <= left)
    }
}

/// The time of the longest fork of a kind. The first one compares the times of every cell with other
/// clocks.
fn longest(kind: &[Duration]) -> Option<Duration> {
    let like_it = if kind.len() > 1 { &kind[1..] } else { kind };
    like_it.iter().max().copied()
}

/// A fork with code that is compiled at run time takes as long as this many others.
const JIT_FORK: u32 = 8;

/// The same with code that has an interpreter, and none with a JIT.
const INTERPRETED_FORK: u32 = 3;

/// The share of a fork in the time that is left: an equal one, after a fork in which all cells
/// return has as much as one of the first forks took (`full`). Before a look, the forks of code that
/// is compiled at run time have more, so that the others leave time for them.
fn share(options: &Options, ordinal: u32, left: Duration, full: Duration) -> Duration {
    if let Some(look) = options.look().filter(|look| ordinal < look.at) {
        let weight = |fork: u32| if look.is_before(fork) { JIT_FORK } else { 1 };
        let all: u32 = (ordinal..options.forks).map(weight).sum();
        return left * weight(ordinal) / all;
    }
    let further = ordinal..options.forks;
    let count = further.len() as u32;
    if all_return(options, ordinal) {
        return left / count;
    }
    let returning = further.filter(|&fork| all_return(options, fork)).count() as u32;
    // Never more than a half, so that the open answers have their time.
    let reserved = (full * returning).min(left / 2);
    (left - reserved) / (count - returning)
}

fn all_return(options: &Options, ordinal: u32) -> bool {
    options.returning(ordinal, true) || options.returning(ordinal, false)
}

fn next(random: &mut Xoshiro256PlusPlus) -> u64 {
    random.next_u64()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn a_fork_begins_only_if_one_like_it_fits() {
        let mut costs = Costs::default();
        assert!(costs.fits(JIT_FORK, ms(0)), "there is no interval before the second fork");
        // Its rounds needed more than they had; the other's took all that they had.
        costs.add(JIT_FORK, (ms(3000), ms(4000)), ms(100));
        costs.add(1, (ms(300), ms(700)), ms(390));
        assert!(costs.fits(JIT_FORK, ms(4000)) && !costs.fits(JIT_FORK, ms(3999)));
        assert!(costs.fits(1, ms(500)) && !costs.fits(1, ms(499)));
        // The first one of a kind says nothing of the others.
        costs.add(JIT_FORK, (ms(1000), ms(1200)), ms(100));
        assert!(costs.fits(JIT_FORK, ms(1200)) && !costs.fits(JIT_FORK, ms(1199)));
    }

    #[test]
    fn forks_of_code_that_starts_late_leave_time_for_the_first_ones_of_the_other() {
        let mut costs = Costs::default();
        costs.add(1, (ms(300), ms(500)), ms(100));
        costs.add(1, (ms(300), ms(600)), ms(200));
        assert_eq!(costs.reserved(JIT_FORK, 4), ms(0), "the first one is tried");
        costs.add(JIT_FORK, (ms(3000), ms(4000)), ms(100));
        assert_eq!(costs.reserved(JIT_FORK, 2), 2 * costs.others[1]);
        assert_eq!(costs.reserved(1, 2), ms(0));
    }

    #[test]
    fn a_kind_of_fork_that_was_not_seen_is_tried_if_it_may_fit() {
        let mut costs = Costs::default();
        costs.add(1, (ms(300), ms(500)), ms(100));
        costs.add(1, (ms(300), ms(500)), ms(100));
        assert!(
            costs.fits(JIT_FORK, ms(4000)) && !costs.fits(JIT_FORK, ms(3999)),
            "eight times as long"
        );
        let of_python = |left: u64| costs.fits(INTERPRETED_FORK, ms(left));
        assert!(of_python(1500) && !of_python(1499), "three times as long");
        let mut costs = Costs::default();
        costs.add(JIT_FORK, (ms(3000), ms(4000)), ms(100));
        costs.add(JIT_FORK, (ms(3000), ms(4000)), ms(100));
        assert!(costs.fits(1, ms(1)));
    }
}
