//! The trace of calls: every instruction in its order, the memory that it touches, and the operands
//! that its time depends on. What the traces of the same work with two secrets do not have in common
//! depends on the secrets.
//!
//! Two processes are alike but for what they are asked: each is fresh, at the same addresses, and
//! gets the same requests. The calls that are traced are those of the pre-roll of its first slice:
//! the runner has read no clock yet, which would differ from one process to the next, and it reads
//! its clock as soon as they are made. Where it does so, a slice without a pre-roll shows.

use super::Unseen;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
use super::record::run;
pub use super::step::{Clock, Step, Touched, Trace};
use crate::runner::Start;
use cupel_protocol::message::{Prepare, Slice};

/// Finds the clock, by a slice without a pre-roll of a cell that is prepared in a fresh process. Also
/// returns how many instructions the runner needs for a request without calls; more than `most` are
/// too many.
///
/// # Errors
/// See [`Unseen`].
pub fn clock(start: &Start, ask: &Prepare, most: u64) -> Result<(Clock, u64), Unseen> {
    let (trace, clock) = run(start, ask, &slice(ask, 0), None, most)?;
    Ok((clock, trace.steps.len() as u64))
}

/// Traces the first calls of a cell that is prepared in a fresh process, up to the clock.
///
/// # Errors
/// See [`Unseen`].
pub fn calls(
    start: &Start,
    ask: &Prepare,
    calls: u64,
    clock: Clock,
    most: u64,
) -> Result<Trace, Unseen> {
    run(start, ask, &slice(ask, calls), Some(clock), most).map(|(trace, _)| trace)
}

fn slice(ask: &Prepare, preroll: u64) -> Slice {
    Slice { cell: ask.cell, first: 0, preroll, iterations: 1 }
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
fn run(
    _: &Start,
    _: &Prepare,
    _: &Slice,
    _: Option<Clock>,
    _: u64,
) -> Result<(Trace, Clock), Unseen> {
    Err(Unseen::Elsewhere)
}
