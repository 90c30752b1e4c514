//! The interface of the contenders to a host: a [`Library`] lists them and prepares one of them for
//! a [`Task`], or says why not.

use super::call::Call;
use crate::message::{Listed, Outcome, Refusal};
use crate::workload::{Contract, Operation};
use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// The contenders that a runner hosts. Threads take turns to use it; a cell stays on the thread
/// that opened it.
pub trait Library: Send + 'static {
    /// One contender, prepared for one task.
    type Cell: Call;
    /// All known contenders, including those that are missing here.
    fn list(&mut self) -> Vec<Listed>;
    /// Prepares a contender for a task.
    ///
    /// # Errors
    /// A refusal of the protocol.
    fn open(&mut self, contender: &str, task: &Task) -> Result<Self::Cell, Refused>;
    /// Whether threads may use one prepared object of this contender at the same time. It then lies
    /// in [`Task::common`].
    fn shares(
        &self,
        _contender: &str,
        _primitive: &str,
        _operation: Operation,
        _contract: &Contract,
    ) -> bool {
        false
    }
}

/// The place of an object that the threads of a cell share. The first thread that opens the cell
/// fills it.
#[derive(Clone, Default)]
pub struct Common(Arc<OnceLock<Arc<dyn Any + Send + Sync>>>);

impl Common {
    /// The object; made by the first thread that asks.
    ///
    /// # Errors
    /// The errors of `make`.
    ///
    /// # Panics
    /// If another thread of the cell has put an object of another type here.
    pub fn get<T: Send + Sync + 'static, E>(
        &self,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        let found = match self.0.get() {
            Some(found) => Arc::clone(found),
            None => {
                let made: Arc<dyn Any + Send + Sync> = Arc::new(make()?);
                Arc::clone(self.0.get_or_init(|| made))
            }
        };
        Ok(found.downcast().expect("all threads of a cell share one object"))
    }
}

impl fmt::Debug for Common {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.get().is_some() { "Common(filled)" } else { "Common(empty)" })
    }
}

/// The task of a cell.
#[derive(Clone, Debug)]
pub struct Task {
    /// The primitive's standard name.
    pub primitive: String,
    /// The operation on it.
    pub operation: Operation,
    /// The work inside the timed call.
    pub contract: Contract,
    /// The key; empty if the operation has none.
    pub key: Vec<u8>,
    /// Stream each message in chunks of these lengths, repeated; empty for one call.
    pub chunks: Vec<u32>,
    /// The file to read, for `digest-file`.
    pub file: Option<String>,
    /// The shared context of the threads, if the contract says that they share a context.
    pub common: Common,
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
