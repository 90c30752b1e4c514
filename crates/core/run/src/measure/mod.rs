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
use open::{Load, Runs};
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use schedule::Scheduler;
use std::collections::HashMap;
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
        let planned = open::of_fork(plan, ordinal, |of| scheduler.values(of));
        if planned.are_none() {
            continue;
        }
        let gone = spent + (stage.now() - started);
        let left = plan.options.limit.map(|limit| limit.saturating_sub(gone));
        let whole = planned.load(plan);
        let Some(runs) = costs.fitting(plan, ordinal, planned, left) else {
            ledger.time_is_over()?;
            continue;
        };
        let load = runs.load(plan);
        if load != whole {
            ledger.time_is_over()?;
        }
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
        costs.add(load, (prepared, stage.now() - began), rest);
    }
    ledger.finish_run()?;
    Ok(Ending::Finished)
}

/// How long forks took that had no time to spare, in their order.
#[derive(Default)]
struct Costs(Vec<Cost>);

/// How long a fork took, and its load.
struct Cost {
    load: Load,
    needed: Duration,
}

impl Cost {
    /// How long a fork of the same weight takes, if the cells that start at once take `others`, and
    /// the rest is in proportion to the cells that do not.
    fn scaled(&self, load: Load, others: Duration) -> Duration {
        if self.load.late == 0 {
            return self.needed;
        }
        let late = self.needed.saturating_sub(others);
        self.needed - late + late * load.late / self.load.late
    }
}

impl Costs {
    /// With one fork there is no interval.
    const FEWEST: usize = 2;

    /// Adds a fork that lasted this long, preparations first. `rest` is the time that its rounds
    /// had: they take it all, however little they need.
    fn add(&mut self, load: Load, (prepared, lasted): (Duration, Duration), rest: Duration) {
        let rounds = lasted.saturating_sub(prepared);
        // The round in flight ends a little later.
        let needed = if rounds > rest + rest / 4 { lasted } else { prepared + rounds / 2 };
        self.0.push(Cost { load, needed });
    }

    /// The longest time of the forks of this weight, by the time that `of` returns for each.
    fn longest(&self, weight: u32, of: impl Fn(&Cost) -> Duration) -> Option<Duration> {
        let mut like_it: Vec<&Cost> =
            self.0.iter().filter(|cost| cost.load.weight == weight).collect();
        // The first one compares the times of every cell with other clocks.
        if like_it.len() > 1 {
            like_it.remove(0);
        }
        like_it.into_iter().map(of).max()
    }

    /// The longest time of the forks in which everything starts at once.
    fn of_others(&self) -> Option<Duration> {
        self.longest(1, |cost| cost.needed)
    }

    /// How long a fork takes, by those before it; `None` if they do not show it.
    fn expected(&self, load: Load) -> Option<Duration> {
        let others = self.of_others();
        let base = others.unwrap_or_default();
        let like_it = self.longest(load.weight, |cost| cost.scaled(load, base));
        like_it.or_else(|| Some(load.weight * others?))
    }

    /// Whether another fork may fit into this time, and then `further` forks in which everything
    /// starts at once. The first two are tried in any case.
    fn fits(&self, load: Load, further: u32, left: Duration) -> bool {
        if self.0.len() < Self::FEWEST {
            return true;
        }
        let reserved = further * self.of_others().unwrap_or_default();
        self.expected(load).is_none_or(|expected| expected + reserved <= left)
    }

    /// The part of a fork for which there is time; `None` if there is none. Among the first forks,
    /// code with a JIT leaves the others the time for theirs, and they do without it where it takes
    /// too long: with fewer forks, no small difference is decided.
    fn fitting(
        &self,
        plan: &Plan,
        ordinal: u32,
        runs: Runs,
        left: Option<Duration>,
    ) -> Option<Runs> {
        let Some(left) = left else { return Some(runs) };
        let load = runs.load(plan);
        let first = plan.options.first_forks();
        let further = if load.weight == JIT_FORK { first.saturating_sub(ordinal + 1) } else { 0 };
        if self.fits(load, further, left) {
            return Some(runs);
        }
        if ordinal >= first || load.weight < JIT_FORK {
            return None;
        }
        let others = runs.without_jit(plan);
        let load = others.load(plan);
        // A baseline with a JIT is needed by all that are compared with it.
        let can_run = !others.are_none() && load.weight < JIT_FORK;
        (can_run && self.fits(load, 0, left)).then_some(others)
    }
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
    use cupel_contender::State;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    const NATIVE: Load = Load { weight: 1, late: 0 };
    const PYTHON: Load = Load { weight: INTERPRETED_FORK, late: 9 };

    /// A fork of this many cells with a JIT.
    fn jit(cells: u32) -> Load {
        Load { weight: JIT_FORK, late: JIT_FORK * cells }
    }

    /// The least time in ms for which such a fork fits.
    fn least(costs: &Costs, load: Load, further: u32) -> u64 {
        (0..100_000).find(|&left| costs.fits(load, further, ms(left))).expect("a time")
    }

    #[test]
    fn a_fork_begins_only_if_one_like_it_fits() {
        let mut costs = Costs::default();
        assert_eq!(least(&costs, jit(1), 0), 0, "there is no interval before the second fork");
        // Its rounds needed more than they had; the other's took all that they had.
        costs.add(jit(1), (ms(3000), ms(4000)), ms(100));
        costs.add(NATIVE, (ms(300), ms(700)), ms(390));
        assert_eq!(least(&costs, jit(1), 0), 4000);
        assert_eq!(least(&costs, NATIVE, 0), 500);
        // The first one of a kind says nothing of the others.
        costs.add(jit(1), (ms(1000), ms(1200)), ms(100));
        assert_eq!(least(&costs, jit(1), 0), 1200);
    }

    #[test]
    fn a_kind_of_fork_that_was_not_seen_is_tried_if_it_may_fit() {
        let mut costs = Costs::default();
        costs.add(NATIVE, (ms(300), ms(500)), ms(100));
        costs.add(NATIVE, (ms(300), ms(500)), ms(100));
        assert_eq!(least(&costs, jit(2), 0), 4000, "eight times as long");
        assert_eq!(least(&costs, PYTHON, 0), 1500, "three times as long");
        let mut costs = Costs::default();
        costs.add(jit(1), (ms(3000), ms(4000)), ms(100));
        costs.add(jit(1), (ms(3000), ms(4000)), ms(100));
        assert_eq!(least(&costs, NATIVE, 0), 0);
    }

    /// Forks of Python say nothing of those with a JIT, whose first one has contenders that leave
    /// after it.
    #[test]
    fn a_fork_with_a_jit_is_as_long_as_its_contenders_take() {
        let mut costs = Costs::default();
        for load in [PYTHON, NATIVE, PYTHON, NATIVE] {
            costs.add(load, (ms(500), ms(1000)), ms(100));
        }
        assert_eq!(least(&costs, jit(15), 0), 8000);
        costs.add(jit(15), (ms(14_000), ms(16_000)), ms(100));
        assert_eq!(least(&costs, jit(5), 0), 6000, "a third of 15 s, and 1 s for the others");
        assert_eq!(least(&costs, jit(5), 3), 9000, "three forks of the others come later");
    }

    /// The contenders that run in a fork of a question about all, if this many ms are left: none if
    /// it does not begin. A fork without a JIT takes 1 s, and none with one was seen.
    fn fitting(left: u64, ordinal: u32, with_jit: &[usize]) -> Vec<String> {
        let mut contenders = ["base", "near", "jit"].map(fixture::contender).to_vec();
        for &position in with_jit {
            if let State::Ready { jit, .. } = &mut contenders[position].state {
                *jit = true;
            }
        }
        let options = Options {
            forks: 24,
            first_forks: Some(11),
            jit_forks: Some(11),
            jit_first_forks: Some(3),
            ..Options::default()
        };
        let plan = fixture::plan_with(options, contenders, &[64], &[]);
        let mut costs = Costs::default();
        costs.add(NATIVE, (ms(500), ms(1000)), ms(100));
        costs.add(NATIVE, (ms(500), ms(1000)), ms(100));
        let runs = Runs { cells: None, briefly: false };
        let Some(runs) = costs.fitting(&plan, ordinal, runs, Some(ms(left))) else {
            return vec![];
        };
        let runs_here = |cell: &usize| runs.cells.as_ref().is_none_or(|all| all.contains(cell));
        let own = (0..plan.cells.len()).filter(runs_here).filter(|&cell| !plan.cells[cell].control);
        own.map(|cell| plan.contender_of(cell).name.to_string()).collect()
    }

    #[test]
    fn code_with_a_jit_leaves_time_for_the_first_forks_of_the_others() {
        let all = ["base", "near", "jit"];
        // Fork 6 is followed by four of the first forks.
        assert_eq!(fitting(12_000, 6, &[2]), all);
        assert_eq!(fitting(11_999, 6, &[2]), all[..2]);
        assert_eq!(fitting(999, 6, &[2]), [""; 0]);
        // Later, the others have all their forks.
        assert_eq!(fitting(8000, 12, &[2]), all);
        assert_eq!(fitting(7999, 12, &[2]), [""; 0]);
        // Nothing is compared without it.
        assert_eq!(fitting(11_999, 6, &[1, 2]), [""; 0]);
        assert_eq!(fitting(11_999, 6, &[0]), [""; 0]);
    }
}
