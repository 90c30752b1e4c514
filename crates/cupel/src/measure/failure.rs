//! Why a cell is not measured.

use crate::runner::Fault;
use crate::verify::{UNMEASURED, Unfit};
use cupel_protocol::message::Refusal;

/// Why a cell is not measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellFailure {
    /// The cell's number in the plan.
    pub cell: usize,
    /// `failed`, `missing`, `unsupported` or `not measured`.
    pub kind: &'static str,
    /// The reason, in words for the table.
    pub reason: String,
    /// Whether the contender is not believed at the other sizes of the same work either.
    pub at_all_sizes: bool,
}

impl CellFailure {
    /// Something went wrong in this cell. The contender's other cells go on.
    pub fn failed(cell: usize, reason: impl Into<String>) -> CellFailure {
        CellFailure { cell, kind: "failed", reason: reason.into(), at_all_sizes: false }
    }

    /// The process of this cell was lost.
    pub fn lost(cell: usize, fault: &Fault) -> CellFailure {
        let kind = if fault.is_of_machine() { UNMEASURED } else { "failed" };
        CellFailure { cell, kind, reason: format!("its runner {fault}"), at_all_sizes: false }
    }

    /// The runner refused the cell.
    pub fn refused(cell: usize, kind: &'static str, refusal: Refusal) -> CellFailure {
        CellFailure { cell, kind, reason: refusal.reason, at_all_sizes: false }
    }

    /// Its answers say that it is not to be measured.
    pub fn unfit(cell: usize, unfit: &Unfit) -> CellFailure {
        let (kind, reason) = (unfit.kind(), unfit.in_words());
        CellFailure { cell, kind, reason, at_all_sizes: false }
    }

    /// The contender answered wrongly while it was timed, or reported a false time.
    pub fn lie(cell: usize, reason: String) -> CellFailure {
        CellFailure { cell, kind: "failed", reason, at_all_sizes: true }
    }
}
