//! Which cells share their code: a change of a library changes all of them.

use cupel_base::primitives::EMPTY;
use cupel_plan::Plan;

/// The library whose code a cell shares with others. The empty calls of all runners are one
/// library.
pub(super) fn library(plan: &Plan, cell: usize) -> String {
    let contender = plan.contender_of(cell);
    if plan.workload_of(cell).primitive == EMPTY
        && plan.comparisons[plan.cells[cell].comparison].overhead
    {
        return String::new();
    }
    match contender.library.as_str() {
        "" => contender.name.to_string(),
        library => library.to_string(),
    }
}
