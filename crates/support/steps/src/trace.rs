//! The trace of calls: every instruction in its order, the memory that it touches, and the operands
//! that its time depends on. Differences between the traces of the same work with two secrets
//! depend on the secrets.
//!
//! Two processes are alike but for their requests: each is fresh, at the same addresses, and gets
//! the same requests. The traced calls are the pre-roll of a slice: the runner reads its clock as
//! soon as they are made, which would differ from one process to the next. Where it does so, a
//! slice without a pre-roll shows. Later calls of the same task are traced in the same way, once
//! the runner has made those between.

use super::Unseen;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
use super::record::run;
pub use super::step::{Clock, Step, Stretch, Touched, Trace, request};
use cupel_protocol::message::Prepare;
use cupel_runner::Start;

/// Finds the clock, by a slice without a pre-roll of a cell that is prepared in a fresh process.
/// Also returns how many instructions the runner needs for a request without calls; more than
/// `most` are too many.
///
/// # Errors
/// See [`Unseen`].
pub fn clock(start: &Start, ask: &Prepare, most: u64) -> Result<(Clock, u64), Unseen> {
    let none = Stretch { after: 0, calls: 0, first: 0 };
    let (trace, clock) = run(start, ask, &[none], None, most)?;
    Ok((clock, trace.stretches.iter().map(Vec::len).sum::<usize>() as u64))
}

/// Traces some calls of a cell that is prepared in a fresh process, each stretch up to the clock.
///
/// # Errors
/// See [`Unseen`].
pub fn calls(
    start: &Start,
    ask: &Prepare,
    stretches: &[Stretch],
    clock: Clock,
    most: u64,
) -> Result<Trace, Unseen> {
    run(start, ask, stretches, Some(clock), most).map(|(trace, _)| trace)
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
fn run(
    _: &Start,
    _: &Prepare,
    _: &[Stretch],
    _: Option<Clock>,
    _: u64,
) -> Result<(Trace, Clock), Unseen> {
    Err(Unseen::Elsewhere)
}
