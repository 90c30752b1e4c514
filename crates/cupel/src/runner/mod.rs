//! Live runners. A [`Host`] is one process with one contender. The measuring core knows nothing
//! more, so that simulated runners can replace it in tests that must take no time.

mod hidden;
mod process;
mod spawn;

pub use process::{Process, Start};
pub use spawn::end_all;

use crate::machine::Usage;
use cupel_protocol::line::LineError;
use cupel_protocol::message::{
    Compute, Computed, Outcome, Prepare, Prepared, Refusal, Slice, Sliced,
};
use std::time::Duration;

/// One live process with one contender.
pub trait Host: Send {
    /// Prepares a cell.
    fn prepare(&mut self, ask: &Prepare) -> Result<Outcome<Prepared>, Fault>;
    /// Computes outputs.
    fn compute(&mut self, ask: Compute) -> Result<Outcome<Computed>, Fault>;
    /// Runs one timed batch.
    fn slice(&mut self, ask: &Slice) -> Result<Outcome<Sliced>, Fault>;
    /// Pins the thread that makes the calls to a processor from now on. If several threads make
    /// calls, the others have processors of their own ([`crate::machine::places`]).
    fn move_to(&mut self, _cpu: usize) {}
    /// What it has done so far, if its system reports that.
    fn usage(&mut self) -> Option<Usage> {
        None
    }
    /// The time for which each of the threads that make calls has run, in ns, if its system reports
    /// that. There are more of them after a cell was prepared that needs more.
    fn thread_ns(&mut self) -> Option<Vec<u64>> {
        None
    }
    /// Leaves the process alone for a moment, so that its compiler makes progress. Returns the time
    /// in ns.
    fn wait(&mut self) -> f64 {
        0.0
    }
}

/// Why a runner no longer answers, in words for the table.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// It could not be started.
    #[error("cannot be started: {0}")]
    Start(String),
    /// It ended.
    #[error("ended {status} during `{during}`{log}")]
    Ended {
        /// How it ended.
        status: String,
        /// The request that it did not answer.
        during: &'static str,
        /// The last line of its log, or nothing.
        log: String,
    },
    /// It gave no answer in time.
    #[error("gave no answer to `{during}` within {} s{log}", .after.as_secs_f64())]
    Silent {
        /// The request.
        during: &'static str,
        /// How long the tool waited.
        after: Duration,
        /// The last line of its log, or nothing.
        log: String,
    },
    /// It answered `bye` but did not exit.
    #[error("is still running {} s after its reply to `bye`", .after.as_secs_f64())]
    Stays {
        /// How long the tool waited.
        after: Duration,
    },
    /// It wrote something that is not a reply.
    #[error("did not answer `{during}` with a reply: {error}")]
    Garbled {
        /// The request.
        during: &'static str,
        /// What is wrong.
        error: LineError,
    },
    /// It answered another request than the one that was sent.
    #[error("answered request {got} instead of {wanted}")]
    OutOfStep {
        /// The number of the request that was sent.
        wanted: u64,
        /// The number in the answer.
        got: u64,
    },
    /// It refused something that every runner must be able to do.
    #[error("refused `{during}`: {}", .refusal.reason)]
    Refused {
        /// The request.
        during: &'static str,
        /// Its reason.
        refusal: Refusal,
    },
}

/// Requires a successful outcome.
///
/// # Errors
/// [`Fault::Refused`] with the runner's reason.
pub fn expect_ok<T>(outcome: Outcome<T>, during: &'static str) -> Result<T, Fault> {
    match outcome {
        Outcome::Ok(value) => Ok(value),
        Outcome::Unsupported(refusal) | Outcome::Missing(refusal) | Outcome::Failed(refusal) => {
            Err(Fault::Refused { during, refusal })
        }
    }
}
