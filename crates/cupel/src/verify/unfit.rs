//! Why an offer is not measured.

use super::failure::Failure;
use cupel_protocol::message::Refusal;

/// Why an offer is not measured. A wrong verdict accuses somebody's code, so what is only missing, or
/// could not be asked, is told apart from a wrong answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// An answer is wrong, or is not given although it was promised.
    Wrong(Failure),
    /// It could not be asked: its runner ended, or there is nothing to ask.
    Unasked(String),
    /// This machine lacks something, and so it answered nothing: a feature of the CPU, or what the
    /// library was built without.
    Missing(Refusal),
}

impl Unfit {
    /// The kind of the reason in the store: `missing` or `failed`.
    pub fn kind(&self) -> &'static str {
        match self {
            Unfit::Missing(_) => "missing",
            Unfit::Wrong(_) | Unfit::Unasked(_) => "failed",
        }
    }

    /// The same in a word: `WRONG` only if it gave a wrong answer.
    pub fn word(&self) -> &'static str {
        match self {
            Unfit::Wrong(failure) if failure.error.is_none() => "WRONG",
            Unfit::Wrong(_) | Unfit::Unasked(_) => "FAILED",
            Unfit::Missing(_) => "missing",
        }
    }

    /// The reason as a sentence.
    pub fn in_words(&self) -> String {
        match self {
            Unfit::Wrong(failure) => failure.in_words(),
            Unfit::Unasked(why) => why.clone(),
            Unfit::Missing(refusal) => refusal.to_string(),
        }
    }

    /// Whether it is something else than missing.
    pub fn is_failure(&self) -> bool {
        !matches!(self, Unfit::Missing(_))
    }
}
