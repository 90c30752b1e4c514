//! One live process with one contender, real or simulated.

use crate::fault::Fault;
use cupel_machine::{Mapped, Scheduled, Usage};
use cupel_protocol::message::{Compute, Computed, Outcome, Prepare, Prepared, Slice, Sliced};
use std::collections::BTreeMap;

/// One live process with one contender.
pub trait Host: Send {
    /// Prepares a cell.
    fn prepare(&mut self, ask: &Prepare) -> Result<Outcome<Prepared>, Fault>;
    /// Computes outputs.
    fn compute(&mut self, ask: Compute) -> Result<Outcome<Computed>, Fault>;
    /// Runs one timed batch.
    fn slice(&mut self, ask: &Slice) -> Result<Outcome<Sliced>, Fault>;
    /// Runs one whose time is audited. It may fold the last output alone.
    fn audited(&mut self, ask: &Slice) -> Result<Outcome<Sliced>, Fault> {
        self.slice(ask)
    }
    /// Pins the thread that makes the calls to a processor from now on. If several threads make
    /// calls, the others have processors of their own ([`cupel_machine::places`]).
    fn move_to(&mut self, _cpu: usize) {}
    /// Its use of the system so far, if reported.
    fn usage(&mut self) -> Option<Usage> {
        None
    }
    /// The time for which each of the threads that make calls has run, in ns, if its system reports
    /// that. There are more of them after a cell was prepared that needs more.
    fn thread_ns(&mut self) -> Option<Vec<u64>> {
        None
    }
    /// The times of each of its threads and its children's, if its system reports them, and the
    /// thread that it names as the one that makes the calls.
    fn scheduled(&mut self) -> (BTreeMap<u32, Scheduled>, Option<u32>) {
        (BTreeMap::new(), None)
    }
    /// The time that an answer has waited for processors so far, in ns: the threads that make the
    /// calls, and the tool's that wait for the answer, were ready to run and did not. `None` if the
    /// system does not report that.
    fn queued_ns(&mut self) -> Option<u64> {
        None
    }
    /// The time that all other threads of the process together have waited for processors, in ns.
    /// Calls may wait for them.
    fn others_queued_ns(&mut self) -> Option<u64> {
        None
    }
    /// How another program has changed where its calls run or how they compete for processors,
    /// since the tool set that: its times measure something else.
    fn displaced(&mut self) -> Option<String> {
        None
    }
    /// The files whose code it runs.
    fn mapped(&mut self) -> Vec<Mapped> {
        vec![]
    }
    /// Leaves the process alone for a moment, so that its compiler makes progress. Returns the time
    /// in ns.
    fn wait(&mut self) -> f64 {
        0.0
    }
}
