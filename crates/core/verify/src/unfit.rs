//! Why an offer is not measured.

use super::failure::Failure;
use cupel_plan::FailureKind;
use cupel_protocol::message::Refusal;
use cupel_runner::Fault;

/// Why an offer is not measured. A wrong verdict accuses somebody's code, so an offer that is only
/// missing, or could not be asked, is distinguished from a wrong answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// An answer is wrong, or is not given although it was promised.
    Wrong(Failure),
    /// It could not be asked: its runner ended, or there is nothing to ask.
    Unasked(String),
    /// This machine lacks something, and so it answered nothing: a feature of the CPU, or a part
    /// that the library was built without.
    Missing(Refusal),
    /// The machine had too little time or memory for it, or something ended it.
    Unmeasured(String),
}

impl From<Fault> for Unfit {
    fn from(fault: Fault) -> Unfit {
        let why = fault.as_reason();
        if fault.is_of_machine() { Unfit::Unmeasured(why) } else { Unfit::Unasked(why) }
    }
}

impl Unfit {
    /// The wrong answer, if one was given.
    pub fn wrong_answer(&self) -> Option<&Failure> {
        match self {
            Unfit::Wrong(failure) => Some(failure).filter(|failure| failure.answered),
            Unfit::Unasked(_) | Unfit::Missing(_) | Unfit::Unmeasured(_) => None,
        }
    }

    /// The kind of the reason in the store.
    pub fn kind(&self) -> FailureKind {
        match self {
            Unfit::Missing(_) => FailureKind::Missing,
            Unfit::Unmeasured(_) => FailureKind::NotMeasured,
            Unfit::Wrong(failure) if failure.answered => FailureKind::Wrong,
            Unfit::Wrong(_) | Unfit::Unasked(_) => FailureKind::Failed,
        }
    }

    /// The reason in a word: `WRONG` only if it gave a wrong answer.
    pub fn word(&self) -> &'static str {
        match self {
            Unfit::Wrong(failure) if failure.error.is_none() => "WRONG",
            Unfit::Wrong(_) | Unfit::Unasked(_) => "FAILED",
            Unfit::Missing(_) => "missing",
            Unfit::Unmeasured(_) => "not measured",
        }
    }

    /// The reason as a sentence.
    pub fn in_words(&self) -> String {
        match self {
            Unfit::Wrong(failure) => failure.in_words(),
            Unfit::Unasked(why) | Unfit::Unmeasured(why) => why.clone(),
            Unfit::Missing(refusal) => refusal.to_string(),
        }
    }

    /// Whether it is the contender's own fault.
    pub fn is_failure(&self) -> bool {
        matches!(self, Unfit::Wrong(_) | Unfit::Unasked(_))
    }
}
