//! Secondary contenders, for which another contender stands: they are measured, but they cannot be
//! the answer.

use super::Row;
use super::evidence::Evidence;
use cupel_plan::Plan;

/// Sets aside the rows for which another row stands. A forced path is always set aside unless it
/// was asked for: no program takes it by itself. A program may choose a second style, so it is set
/// aside only next to the contender that stands for it, and not if it is faster than that one: then
/// that one does not stand for it. If nothing is `trusted`, nothing shows that.
pub(super) fn set_aside(plan: &Plan, evidence: &Evidence, rows: &mut [Row], trusted: bool) {
    for at in 0..rows.len() {
        rows[at].aside = is_aside(plan, evidence, rows, &rows[at], trusted);
    }
}

fn is_aside(plan: &Plan, evidence: &Evidence, rows: &[Row], row: &Row, trusted: bool) -> bool {
    let contender = plan.contender_of(row.cell);
    let Some(secondary) = contender.stood_for() else { return false };
    if contender.forced_path_of().is_some() {
        return true;
    }
    let mut main = rows.iter().filter(|other| other.is_of(&secondary.of, row) && other.ranked());
    let Some(main) = main.next() else { return false };
    let compared = evidence.pair(row.cell, main.cell).filter(|_| trusted);
    !compared.is_some_and(|c| c.is_faster(plan.options.tie_zone))
}
