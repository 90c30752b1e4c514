//! The folds that slices must return, computed by the reference on its own thread while the
//! contenders run, or after them: for `seal` and for the latency shape the reference has to make
//! every call too.

use cupel_base::draws;
use cupel_plan::Plan;
use cupel_verify::expect::Expected;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// The calls of one slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Calls {
    /// The index of the first call.
    pub first: u64,
    /// The number of untimed calls, which come first.
    pub preroll: u64,
    /// The number of timed calls.
    pub iterations: u64,
}

/// The pre-roll is at least this part of the timed calls: it removes the traces of another
/// contender's slice in caches and predictors. [`crate::measure::state::CellState::calls`] makes it
/// longer if calls are short.
const PREROLL: u64 = 16;

/// A slice of fewer calls has no pre-roll, which would be a large part of it.
const FEWEST: u64 = 4;

impl Calls {
    /// A slice of this many timed calls, with its pre-roll.
    pub fn new(first: u64, iterations: u64) -> Calls {
        let preroll = if iterations >= FEWEST { iterations.div_ceil(PREROLL) } else { 0 };
        Calls { first, preroll, iterations }
    }

    /// Makes at least this many untimed calls first.
    #[must_use]
    pub fn after(self, preroll: u64) -> Calls {
        Calls { preroll: self.preroll.max(preroll), ..self }
    }

    /// Moves the calls on, if needed, until the timed ones begin with a block of this length.
    #[must_use]
    pub fn aligned(self, block: u64) -> Calls {
        let timed = (self.first + self.preroll).next_multiple_of(block);
        Calls { first: timed - self.preroll, ..self }
    }

    /// The calls of both kinds.
    pub fn all(self) -> u64 {
        self.preroll + self.iterations
    }
}

/// The thread is waited for until a job has taken this many times as long as the slices did, and at
/// least as long as this. A reference is hardly that slow, so it has no processor.
const SLOWEST: u32 = 4;
const SHORTEST_WAIT: Duration = Duration::from_millis(50);

/// The computation of cells: a comparison, and one of its alternatives if it is a choice.
pub type Computed = (usize, Option<usize>);

/// Slices of cells that compute the same. If a call depends on the one before, they share their
/// first call.
type Slices = (Arc<Expected>, Vec<Calls>);

/// Where a test sees the slices that are begun.
#[cfg(test)]
pub type Begun = Receiver<Vec<Slices>>;

/// The thread that computes folds, in order. Every other thread goes first: a JVM's collector that
/// waited for this one took four times as long, in the time of the contender. If it finds no
/// processor, whoever asks for the folds computes them.
pub struct Expectation {
    expected: HashMap<Computed, Arc<Expected>>,
    /// `None` once it was too slow.
    thread: Option<Thread>,
    /// The slices begun last.
    job: Vec<Slices>,
    began: Instant,
}

struct Thread {
    jobs: Sender<Vec<Slices>>,
    folds: Receiver<Vec<u64>>,
}

impl Expectation {
    /// Prepares the comparisons of one fork, whose messages start at `seeds`. The thread keeps off
    /// the `measuring` processor.
    ///
    /// # Errors
    /// The reason of the reference, if it cannot compute a workload.
    pub fn new(
        plan: &Plan,
        seeds: &[u64],
        cache: &Path,
        measuring: Option<usize>,
    ) -> Result<Expectation, String> {
        let mut expected = HashMap::new();
        for (number, comparison) in plan.comparisons.iter().enumerate() {
            let file = plan.file(number, cache);
            let count = comparison.alternatives.len();
            let alternatives = (0..count).map(Some).chain((count == 0).then_some(None));
            for alternative in alternatives {
                let drawn = draws::lengths(&comparison.workload.contract.lengths, seeds[number]);
                let made = Expected::new(
                    comparison.workload_of(alternative),
                    seeds[number],
                    (comparison.pool, &drawn),
                    &plan.key(number, alternative, seeds[number]),
                    &comparison.ad,
                    file.as_deref(),
                );
                let made = Arc::new(made.map_err(|refusal| refusal.reason)?);
                expected.insert((number, alternative), made);
            }
        }
        let (jobs, todo) = channel::<Vec<Slices>>();
        let (done, folds) = channel();
        std::thread::spawn(move || {
            if let Some(measuring) = measuring {
                cupel_machine::step_aside(measuring);
                cupel_machine::let_others_go_first();
            }
            for job in todo {
                if done.send(folds_of(&job)).is_err() {
                    return;
                }
            }
        });
        let thread = Some(Thread { jobs, folds });
        Ok(Expectation { expected, thread, job: Vec::new(), began: Instant::now() })
    }

    /// One that computes nothing: begun slices arrive at the receiver, and the next folds are
    /// these.
    #[cfg(test)]
    pub fn observed(self, folds: Vec<u64>) -> (Expectation, Begun) {
        let (jobs, begun) = channel();
        let (done, next) = channel();
        done.send(folds).expect("its receiver lives");
        (Expectation { thread: Some(Thread { jobs, folds: next }), ..self }, begun)
    }

    /// Begins to compute the folds of a round's slices. The common part of slices of several
    /// lengths is computed once.
    pub fn begin(&mut self, slices: Vec<(Computed, Vec<Calls>)>) {
        let slices = slices.into_iter();
        let job = slices.map(|(computed, calls)| (Arc::clone(&self.expected[&computed]), calls));
        self.job = job.collect();
        self.began = Instant::now();
        if let Some(thread) = &self.thread {
            thread.jobs.send(self.job.clone()).expect("the thread lives as long as this");
        }
    }

    /// The folds that were begun last, in the order of their slices. Waits for them, or computes
    /// them.
    pub fn folds(&mut self) -> Vec<u64> {
        if let Some(thread) = &self.thread {
            let patience = SHORTEST_WAIT.max(SLOWEST * self.began.elapsed());
            match thread.folds.recv_timeout(patience) {
                Ok(folds) => return folds,
                Err(RecvTimeoutError::Timeout) => self.thread = None,
                Err(RecvTimeoutError::Disconnected) => panic!("the thread of the folds has ended"),
            }
        }
        folds_of(&self.job)
    }
}

fn folds_of(job: &[Slices]) -> Vec<u64> {
    let mut folds = Vec::new();
    for (expected, slices) in job {
        let first = slices.iter().map(|calls| calls.first).min().unwrap_or(0);
        let parts: Vec<(u64, u64)> = slices
            .iter()
            .map(|calls| (calls.first - first + calls.preroll, calls.iterations))
            .collect();
        folds.extend(expected.folds(first, &parts));
    }
    folds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::fixture;

    #[test]
    fn a_thread_without_a_processor_is_not_waited_for() {
        let plan = fixture::plan(&["one", "two"], &[64]);
        let fresh = || Expectation::new(&plan, &[7], Path::new(""), None).unwrap();
        let slices = || vec![((0, None), vec![Calls::new(2, 100), Calls::new(2, 7)])];
        let mut by_thread = fresh();
        by_thread.begin(slices());
        let folds = by_thread.folds();
        assert_eq!(folds.len(), 2);
        // Its jobs lie there without an answer.
        let (jobs, _todo) = channel();
        let (_done, answers) = channel();
        let mut starved = fresh();
        starved.thread = Some(Thread { jobs, folds: answers });
        for _ in 0..2 {
            starved.begin(slices());
            assert_eq!(starved.folds(), folds);
            assert!(starved.thread.is_none(), "nor is it asked again");
        }
    }
}
