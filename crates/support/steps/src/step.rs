//! The steps of a trace.

use super::places::Places;
use cupel_protocol::message::{Ask, Prepare};
use serde_json::Value;

/// One instruction that was executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// Its address.
    pub at: u64,
    /// Which instruction it is: code may be written while it runs.
    pub code: u16,
    /// The memory and operands that it touched.
    pub touched: Touched,
}

/// Numbers that stand for the memory and operands of an instruction: equal if it is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Touched {
    /// The address in memory, if there is one; of several, a hash.
    pub addresses: u64,
    /// A hash of the operands, if the time of the instruction depends on them.
    pub operands: u64,
}

/// The instructions executed from requests on to the ends of their pre-rolls.
#[derive(Debug)]
pub struct Trace {
    /// The instructions, by request.
    pub stretches: Vec<Vec<Step>>,
    /// Whose they are.
    pub places: Places,
}

/// Where the runner begins to read its clock in a slice: before an instruction at this address,
/// with the stack this far down. A contender that reads a clock does so further down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// The address of the instruction.
    pub at: u64,
    /// The stack pointer.
    pub stack: u64,
}

/// Calls of a task that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// How many calls the task has made before.
    pub after: u64,
    /// How many calls these are.
    pub calls: u64,
    /// The index of the first of them, by which it gets its nonce and its message.
    pub first: u64,
}

/// The request that prepares a cell. It has the same length whichever byte of a tag is forged: with
/// a longer request, the runner may have its memory elsewhere. Runners ignore fields that they do
/// not know.
pub fn request(ask: &Prepare) -> Value {
    let mut request = serde_json::to_value(Ask::Prepare(ask.clone())).unwrap_or_default();
    if let Some(byte) = ask.workload.contract.forged {
        request["pad"] = if byte < 10 { 11 } else { 1 }.into();
    }
    request
}
