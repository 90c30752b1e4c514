//! What a trace consists of.

use super::places::Places;

/// One instruction that was executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// Its address.
    pub at: u64,
    /// What it touched.
    pub touched: Touched,
}

/// Numbers that stand for what an instruction touched: equal if it is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Touched {
    /// The address in memory, if there is one; of several, a hash.
    pub addresses: u64,
    /// A hash of the operands, if the time of the instruction depends on them.
    pub operands: u64,
}

/// What was executed from a request on to the end of its pre-roll.
#[derive(Debug)]
pub struct Trace {
    /// The instructions.
    pub steps: Vec<Step>,
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
