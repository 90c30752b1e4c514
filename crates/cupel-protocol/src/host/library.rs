//! What a host needs of the contenders: a [`Library`] lists them and prepares one of them for a
//! [`Task`], or says why not.

use super::call::Call;
use crate::message::{Listed, Outcome, Refusal};
use crate::workload::{Contract, Operation};

/// The contenders that a runner hosts.
pub trait Library {
    /// One contender, prepared for one task.
    type Cell: Call;
    /// Everything that is known, including what is missing here.
    fn list(&mut self) -> Vec<Listed>;
    /// Prepares a contender for a task.
    ///
    /// # Errors
    /// A refusal of the protocol.
    fn open(&mut self, contender: &str, task: &Task) -> Result<Self::Cell, Refused>;
}

/// What a cell is prepared for.
#[derive(Clone, Debug)]
pub struct Task {
    /// The primitive's standard name.
    pub primitive: String,
    /// The operation on it.
    pub operation: Operation,
    /// What is inside the timed call.
    pub contract: Contract,
    /// The key; empty if the operation has none.
    pub key: Vec<u8>,
    /// Stream each message in chunks of these lengths, repeated; empty for one call.
    pub chunks: Vec<u32>,
    /// The file to read, for `digest-file`.
    pub file: Option<String>,
}

/// Why a library rejects a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It cannot do it by its nature.
    Unsupported(Refusal),
    /// Not installed here.
    Missing(Refusal),
    /// It should have worked but did not.
    Failed(Refusal),
}

impl Refused {
    /// The contender cannot do this by its nature.
    pub fn unsupported(reason: impl Into<String>) -> Refused {
        Refused::Unsupported(Refusal::because(reason))
    }

    /// It should have worked but did not.
    pub fn failed(reason: impl Into<String>) -> Refused {
        Refused::Failed(Refusal::because(reason))
    }

    pub(super) fn outcome<T>(self) -> Outcome<T> {
        match self {
            Refused::Unsupported(r) => Outcome::Unsupported(r),
            Refused::Missing(r) => Outcome::Missing(r),
            Refused::Failed(r) => Outcome::Failed(r),
        }
    }
}
