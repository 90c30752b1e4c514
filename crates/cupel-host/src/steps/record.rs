//! Records a trace, one step after the other.

use super::Unseen;
use super::places::Places;
use super::single::{self, Stop};
use super::step::{Clock, Step, Trace};
use super::touched::Decoded;
use crate::runner::{Host, Process, Start, expect_ok};
use cupel_base::machine;
use cupel_protocol::message::{Prepare, Slice};
use iced_x86::InstructionInfoFactory;
use std::collections::HashMap;
use std::ops::ControlFlow;

/// Traces a slice in a fresh process, from its request to the clock: to the first one that may be
/// one, if `clock` does not say where it is.
///
/// # Errors
/// See [`Unseen`].
pub fn run(
    start: &Start,
    ask: &Prepare,
    slice: &Slice,
    clock: Option<Clock>,
    most: u64,
) -> Result<(Trace, Clock), Unseen> {
    let mut process = Process::start_with(start, machine::fix_addresses)?;
    // Once a cell is prepared, the runner's code may lie in memory that belongs to no file.
    let before = Places::of(process.id());
    expect_ok(process.prepare(ask)?, "prepare")?;
    let places = Places::of(process.id()).or(before);
    let mut recorder = Recorder {
        clock,
        most,
        steps: vec![],
        arrived: None,
        decoded: HashMap::new(),
        factory: InstructionInfoFactory::new(),
    };
    let (id, caller) = (process.id(), process.caller());
    let (answer, seen) =
        single::each(id, caller, || process.slice(slice), |stop| recorder.see(stop));
    seen?;
    expect_ok(answer?, "slice")?;
    process.bye();
    let arrived = recorder.arrived.ok_or(Unseen::NoClock)?;
    Ok((Trace { steps: recorder.steps, places }, arrived))
}

/// The number of the system call that reads a file, and of the file that has the requests.
const READ: u64 = 0;
const REQUESTS: u64 = 0;

struct Recorder {
    clock: Option<Clock>,
    most: u64,
    steps: Vec<Step>,
    /// The clock at which it ended.
    arrived: Option<Clock>,
    decoded: HashMap<u64, Decoded>,
    factory: InstructionInfoFactory,
}

impl Recorder {
    fn see(&mut self, stop: &Stop<'_>) -> Result<ControlFlow<()>, Unseen> {
        let registers = &stop.registers;
        let here = Clock { at: registers.rip, stack: registers.rsp };
        let factory = &mut self.factory;
        let decode = || Decoded::at(here.at, &stop.code(here.at), factory);
        let decoded = self.decoded.entry(here.at).or_insert_with(decode);
        // How much of the last reply is stepped depends on when the runner was attached to. The
        // request begins after the last time that the runner waited for one.
        let waits = registers.rax == READ && registers.rdi == REQUESTS;
        if decoded.is_system_call() && (waits || self.steps.is_empty()) {
            self.steps.clear();
            return Ok(ControlFlow::Continue(()));
        }
        let is_clock = match self.clock {
            Some(clock) => here == clock,
            None => decoded.may_read_a_clock(),
        };
        if is_clock {
            self.arrived = Some(here);
            return Ok(ControlFlow::Break(()));
        }
        if self.steps.len() as u64 == self.most {
            return Err(Unseen::TooLong(self.most));
        }
        let touched = decoded.touches(stop).map_err(Unseen::Forbidden)?;
        self.steps.push(Step { at: here.at, touched });
        Ok(ControlFlow::Continue(()))
    }
}
