//! The folds that slices must return, computed by the reference on a thread of its own while the
//! contenders run: for `seal` and for the latency shape the reference has to make every call too.

use crate::plan::Plan;
use crate::verify::expect::Expected;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

/// The calls of one round.
#[derive(Clone, Copy, Debug)]
pub struct Calls {
    /// Index of the first call.
    pub first: u64,
    /// Untimed calls.
    pub preroll: u64,
    /// Timed calls.
    pub iterations: u64,
}

/// The thread that computes folds, one at a time, in order.
pub struct Expectation {
    expected: HashMap<usize, Arc<Expected>>,
    jobs: Sender<(Arc<Expected>, Calls)>,
    folds: Receiver<u64>,
}

impl Expectation {
    /// Makes ready for one fork's comparisons, whose messages start at `seeds`.
    ///
    /// # Errors
    /// The words of the reference, where a workload has none.
    pub fn new(plan: &Plan, seeds: &[u64], cache: &Path) -> Result<Expectation, String> {
        let mut expected = HashMap::new();
        for (place, comparison) in plan.comparisons.iter().enumerate() {
            let file = plan.file(place, cache);
            let made = Expected::new(
                &comparison.workload,
                seeds[place],
                comparison.pool,
                &plan.key(place, seeds[place]),
                &comparison.ad,
                file.as_deref(),
            );
            expected.insert(place, Arc::new(made.map_err(|refusal| refusal.reason)?));
        }
        let (jobs, todo) = channel::<(Arc<Expected>, Calls)>();
        let (done, folds) = channel();
        std::thread::spawn(move || {
            for (expected, calls) in todo {
                let fold = expected.fold(calls.first, calls.preroll, calls.iterations);
                if done.send(fold).is_err() {
                    return;
                }
            }
        });
        Ok(Expectation { expected, jobs, folds })
    }

    /// Begins to compute a comparison's fold.
    pub fn begin(&self, comparison: usize, calls: Calls) {
        let expected = Arc::clone(&self.expected[&comparison]);
        self.jobs.send((expected, calls)).expect("the thread lives as long as this");
    }

    /// The fold that was begun.
    pub fn fold(&self) -> u64 {
        self.folds.recv().expect("one answer for each job")
    }
}
