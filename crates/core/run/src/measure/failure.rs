//! Why a cell is not measured.

use cupel_base::text;
use cupel_plan::FailureKind;
use cupel_protocol::message::Refusal;
use cupel_protocol::workload::Workload;
use cupel_runner::Fault;
use cupel_verify::Unfit;

/// Why a cell is not measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellFailure {
    /// The cell's number in the plan.
    pub cell: usize,
    /// The kind of the reason.
    pub kind: FailureKind,
    /// The reason, in words for the table.
    pub reason: String,
    /// Where else the contender is not believed.
    pub reach: Reach,
}

/// How far a failure reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Only its cell.
    Cell,
    /// All sizes of the same work.
    Work,
    /// Everything that a wrong answer reaches ([`cupel_plan::WrongAnswer`]).
    Answer,
}

impl CellFailure {
    /// Something went wrong in this cell. The contender's other cells go on.
    pub fn failed(cell: usize, reason: impl Into<String>) -> CellFailure {
        CellFailure { cell, kind: FailureKind::Failed, reason: reason.into(), reach: Reach::Cell }
    }

    /// The process of this cell was lost.
    pub fn lost(cell: usize, fault: &Fault) -> CellFailure {
        let kind =
            if fault.is_of_machine() { FailureKind::NotMeasured } else { FailureKind::Failed };
        CellFailure { cell, kind, reason: fault.as_reason(), reach: Reach::Cell }
    }

    /// The runner refused the cell.
    pub fn refused(cell: usize, kind: FailureKind, refusal: Refusal) -> CellFailure {
        CellFailure { cell, kind, reason: refusal.reason, reach: Reach::Cell }
    }

    /// Its answers say that it is not to be measured.
    pub fn unfit(cell: usize, unfit: &Unfit) -> CellFailure {
        let (kind, reason) = (unfit.kind(), unfit.in_words());
        let reach = if unfit.wrong_answer().is_some() { Reach::Answer } else { Reach::Cell };
        CellFailure { cell, kind, reason, reach }
    }

    /// The contender answered wrongly while it was timed.
    pub fn wrong(work: &Workload, cell: usize, reason: &str) -> CellFailure {
        let lie = CellFailure::lie(work, cell, reason);
        CellFailure { kind: FailureKind::Wrong, reach: Reach::Answer, ..lie }
    }

    /// It reported a false time, or made another number of calls.
    pub fn lie(work: &Workload, cell: usize, reason: &str) -> CellFailure {
        // The reason names the size at which it was seen.
        let reason = format!("{} at {}: {reason}", work.name(), text::bytes(work.size));
        CellFailure { cell, kind: FailureKind::Failed, reason, reach: Reach::Work }
    }
}
