//! The measuring core: forks of live processes, rounds of slices in balanced random order, every
//! output checked, every round stored as it comes. The rules and their sources are in docs/method.md.

mod clock;
mod disturbance;
mod expectation;
mod fork;
mod ready;
mod round;
mod schedule;
mod stage;
mod steady;
mod warm_up;

pub use schedule::FEWEST_ROUNDS;
pub use stage::{Fresh, Live, Stage, make_log_folder};

use crate::plan::Plan;
use crate::store::{Recorded, Store};
use anyhow::Result;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Who is told how it goes. Called between slices, so it must be quick.
pub trait Watch {
    /// A fork begins.
    fn fork(&mut self, _ordinal: u32, _of: u32) {}
    /// A cell is being warmed up: `done` of `all`.
    fn warming(&mut self, _done: usize, _all: usize, _cell: &str) {}
    /// A round is over. `used` is the part of the budget that is spent, 0 to 1.
    fn round(
        &mut self,
        _plan: &Plan,
        _comparison: usize,
        _estimate: Option<Estimate>,
        _used: f64,
        _left: Duration,
    ) {
    }
    /// A cell of a contender is not measured; `kind` is `failed`, `missing` or `unsupported`.
    fn failed(&mut self, _contender: &str, _kind: &str, _reason: &str) {}
}

/// The current leader of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Estimate {
    /// The leading cell.
    pub leader: usize,
    /// Its time a call, in ns.
    pub ns: f64,
}

/// A watch that looks away.
pub struct Unwatched;
impl Watch for Unwatched {}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// As planned.
    Finished,
    /// At a person's wish; it can be resumed.
    Interrupted,
}

/// What measuring works with.
pub struct Session<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The run's number in the store.
    pub run: i64,
    /// Where rounds go.
    pub store: &'a mut Store,
    /// Where contenders are started.
    pub stage: &'a dyn Stage,
    /// Who is told.
    pub watch: &'a mut dyn Watch,
    /// Set when a person wants it to end.
    pub stop: &'a AtomicBool,
    /// Where generated files are.
    pub cache: &'a Path,
}

/// Measures what is not measured yet, fork by fork.
///
/// # Errors
/// Where the store cannot be written; whatever goes wrong with a contender becomes a failed cell.
pub fn run(session: &mut Session<'_>, before: Option<&Recorded>) -> Result<Ending> {
    let plan = session.plan;
    let mut failed: Vec<bool> = vec![false; plan.cells.len()];
    let mut done = 0_u32;
    let mut begun = 0_u64;
    let mut spent = Duration::ZERO;
    let mut progress = schedule::Progress::new(plan);
    if let Some(before) = before {
        for &cell in before.failures.keys() {
            if let Some(failed) = failed.get_mut(cell) {
                *failed = true;
            }
        }
        done = before.forks.iter().filter(|f| f.finished).map(|f| f.ordinal + 1).max().unwrap_or(0);
        begun = before.forks.len() as u64;
        // Processes warmed up side by side, one in each lane.
        let lanes = session.stage.lanes().len().max(1) as f64;
        let warming = before.warm_ups.iter().map(|w| w.elapsed_ns).sum::<f64>() / lanes;
        spent = Duration::from_nanos(before.run.measured_ns + warming as u64);
        progress.recall(before);
    }
    // By cell: the least that a process of it came to, in ns a call.
    let mut reached: HashMap<usize, f64> = HashMap::new();
    for warm_up in before.iter().flat_map(|before| &before.warm_ups) {
        let least = reached.entry(warm_up.cell).or_insert(warm_up.ns_per_call);
        *least = least.min(warm_up.ns_per_call);
    }
    let started = session.stage.now();
    for ordinal in done..plan.options.forks {
        // Another seed for every process group, also for one that stands in for a killed one.
        let mut random = Xoshiro256PlusPlus::seed_from_u64(plan.seed ^ (begun << 32));
        begun += 1;
        let began = session.stage.now();
        let gone = spent + (began - started);
        let left = plan.options.budget.saturating_sub(gone);
        let until = began + left / (plan.options.forks - ordinal);
        session.watch.fork(ordinal, plan.options.forks);
        let fork =
            fork::Fork::begin(session, ordinal, begun, &mut failed, &mut reached, &mut random)?;
        // A fork's share pays for its own warm-up: otherwise the first forks spend the time of the
        // last, and a fork of few rounds hardly counts.
        let share = until.saturating_sub(session.stage.now());
        if fork.measure(session, share, &mut failed, &mut progress, &mut random)?
            == Ending::Interrupted
        {
            return Ok(Ending::Interrupted);
        }
    }
    session.store.finish(session.run)?;
    Ok(Ending::Finished)
}

fn next(random: &mut Xoshiro256PlusPlus) -> u64 {
    random.next_u64()
}
