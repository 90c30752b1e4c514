//! Live runners. A [`Host`] is one process with one contender; the measuring core knows no more, so
//! that simulated ones stand in for it where no time is to pass.

mod process;

pub use process::{Process, Start};

use crate::machine::Usage;
use cupel_protocol::line::LineError;
use cupel_protocol::message::{
    Compute, Computed, Outcome, Prepare, Prepared, Refusal, Slice, Sliced,
};
use std::time::Duration;

/// One live process with one contender.
pub trait Host: Send {
    /// Makes a cell ready.
    fn prepare(&mut self, ask: &Prepare) -> Result<Outcome<Prepared>, Fault>;
    /// Computes outputs.
    fn compute(&mut self, ask: Compute) -> Result<Outcome<Computed>, Fault>;
    /// Runs one timed batch.
    fn slice(&mut self, ask: &Slice) -> Result<Outcome<Sliced>, Fault>;
    /// Holds the thread that makes the calls to a processor from now on.
    fn move_to(&mut self, _cpu: usize) {}
    /// What it has done so far, where its system tells.
    fn usage(&mut self) -> Option<Usage> {
        None
    }
    /// Leaves it alone for a moment, so that its compiler gets on; how long, in ns.
    fn wait(&mut self) -> f64 {
        0.0
    }
}

/// Why a runner can no longer be talked to, in words for the table.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// It could not be started.
    #[error("cannot be started: {0}")]
    Start(String),
    /// It ended.
    #[error("ended {status} during `{during}`{log}")]
    Ended {
        /// How it ended, in words.
        status: String,
        /// The request that it did not answer.
        during: &'static str,
        /// The last words of its log, in brackets, or nothing.
        log: String,
    },
    /// It gave no answer in time.
    #[error("gave no answer to `{during}` within {} s{log}", .after.as_secs_f64())]
    Silent {
        /// The request.
        during: &'static str,
        /// How long was waited.
        after: Duration,
        /// The last words of its log, in brackets, or nothing.
        log: String,
    },
    /// It said good-bye and did not go.
    #[error("is still there {} s after its reply to `bye`", .after.as_secs_f64())]
    Stays {
        /// How long was waited.
        after: Duration,
    },
    /// It said something that is no reply.
    #[error("answered `{during}` with what is no reply: {error}")]
    Garbled {
        /// The request.
        during: &'static str,
        /// What is wrong.
        error: LineError,
    },
    /// It answered another request than the one asked.
    #[error("answered request {got} where {wanted} was asked")]
    OutOfStep {
        /// The number asked.
        wanted: u64,
        /// The number answered.
        got: u64,
    },
    /// It refused what it must be able to do.
    #[error("refused `{during}`: {}", .refusal.reason)]
    Refused {
        /// The request.
        during: &'static str,
        /// Its words.
        refusal: Refusal,
    },
}

/// What an outcome must be for the work to go on.
///
/// # Errors
/// [`Fault::Refused`] with the runner's words.
pub fn expect_ok<T>(outcome: Outcome<T>, during: &'static str) -> Result<T, Fault> {
    match outcome {
        Outcome::Ok(value) => Ok(value),
        Outcome::Unsupported(refusal) | Outcome::Missing(refusal) | Outcome::Failed(refusal) => {
            Err(Fault::Refused { during, refusal })
        }
    }
}
