//! News of a run while its plan is carried out.

use crate::{FailureKind, Plan};
use std::time::Duration;

/// Hears how the run goes. It is called between slices, so it must be quick.
pub trait Watch {
    /// A fork begins: number `ordinal`, from 0, `of` all forks of the plan.
    fn fork(&mut self, _ordinal: u32, _of: u32) {}
    /// The warm-up of a cell begins. The warm-ups of `done` of `all` cells have begun before.
    fn warming(&mut self, _done: usize, _all: usize, _cell: &str) {}
    /// A round is over. `used` is the part of the fork's share of the budget that is spent, 0 to 1,
    /// and `left` is the rest.
    fn round(
        &mut self,
        _plan: &Plan,
        _comparison: usize,
        _estimate: Option<Estimate>,
        _used: f64,
        _left: Duration,
    ) {
    }
    /// A cell of a contender is not measured. `kind` is `failed`, `missing` or `unsupported`.
    fn failed(&mut self, _contender: &str, _kind: FailureKind, _reason: &str) {}
}

/// The figures of a comparison so far. It is no answer: no interval says how far it may be off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The number of the cell with the shortest time.
    pub leader: usize,
    /// That time, in ns per call.
    pub ns: f64,
    /// The next one, and how many times as long it takes.
    pub second: Option<(usize, f64)>,
}

/// A watch that ignores everything.
pub struct Unwatched;
impl Watch for Unwatched {}
