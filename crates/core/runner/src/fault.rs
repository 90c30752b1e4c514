//! Why a runner no longer answers.

use cupel_protocol::line::LineError;
use cupel_protocol::message::{Outcome, Refusal};
use std::io;
use std::path::Path;
use std::time::Duration;

/// Why a runner no longer answers, in words for the table.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// It could not be started.
    #[error("cannot be started: {0}")]
    Start(String),
    /// The system has no more of something that it needs.
    #[error("cannot be started: the system has no more {lack}; name fewer contenders")]
    NoRoom {
        /// The resource, and how to get more.
        lack: &'static str,
    },
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
    /// A signal ended it that its code did not cause, and that the tool did not send.
    #[error("is lost: it was ended {status} during `{during}`, which Cupel did not send{log}")]
    Lost {
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
        /// How long the tool waited while the runner had a processor, or wanted none.
        after: Duration,
        /// The last line of its log, or nothing.
        log: String,
    },
    /// The time that the user gave was over before it was asked.
    #[error("was not asked: the time was over")]
    OutOfTime,
    /// It got no processor for so long that it could not answer.
    #[error(
        "could not answer `{during}`: the machine was too busy; for {:.0} of {:.0} s it was ready to \
         run and had no processor",
        .queued.as_secs_f64(), .after.as_secs_f64()
    )]
    Starved {
        /// The request.
        during: &'static str,
        /// How long the tool waited.
        after: Duration,
        /// The part of it for which the runner waited for a processor.
        queued: Duration,
    },
    /// The system killed it because memory ran out.
    #[error(
        "was killed during `{during}` because the machine's memory ran out; name fewer contenders or \
         smaller sizes"
    )]
    OutOfMemory {
        /// The request that it did not answer.
        during: &'static str,
    },
    /// It wrote more than a disk is for, or hid how much.
    #[error(
        "was ended during `{during}` because it had written more than {} GiB, or hid how much",
        .most >> 30
    )]
    Fills {
        /// The request that it did not answer.
        during: &'static str,
        /// The most that it may write, in bytes.
        most: u64,
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
        /// The error in it.
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

impl Fault {
    /// Whether nothing shows that the runner is the cause: the machine had too little memory or the
    /// like, or something ended it.
    pub fn is_of_machine(&self) -> bool {
        matches!(
            self,
            Fault::Starved { .. }
                | Fault::OutOfMemory { .. }
                | Fault::NoRoom { .. }
                | Fault::Lost { .. }
                | Fault::OutOfTime
        )
    }

    /// Why a program did not start. The system says "No such file" also of one that is there, if
    /// the loader that it names is not.
    pub(crate) fn unstarted(program: &Path, error: &io::Error) -> Fault {
        if let Some(lack) = cupel_machine::lack(error) {
            return Fault::NoRoom { lack };
        }
        let shown = program.display();
        if error.kind() == io::ErrorKind::NotFound && program.is_file() {
            return Fault::Start(format!(
                "{shown} names a loader that is not on this system: it was built for another C \
                 library"
            ));
        }
        Fault::Start(format!("{shown}: {error}"))
    }

    /// The fault as the reason for which a contender is not measured, with a remedy for its user.
    pub fn as_reason(&self) -> String {
        let remedy = match self {
            Fault::Start(_) => "`cupel doctor` says what is missing",
            Fault::Ended { .. } | Fault::Fills { .. } => {
                "`cupel verify` shows whether it does so again"
            }
            Fault::Silent { .. } => "--patience gives it longer",
            Fault::Starved { .. } => "run it when less else runs",
            Fault::OutOfTime => "--budget gives it longer",
            Fault::Lost { .. } => "look for what sends signals, and run it again",
            Fault::Stays { .. } | Fault::Garbled { .. } | Fault::OutOfStep { .. } => {
                "`cupel verify --protocol` examines a runner"
            }
            // These have a remedy, or the runner's own words.
            Fault::NoRoom { .. } | Fault::OutOfMemory { .. } | Fault::Refused { .. } => {
                return format!("its runner {self}");
            }
        };
        format!("its runner {self}; {remedy}")
    }
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
