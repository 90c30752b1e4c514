//! Records a trace, one step after the other.

use super::Unseen;
use super::others::{self, Others};
use super::places::Places;
use super::single::{self, Stop};
use super::step::{Clock, Step, Stretch, Trace, request};
use super::touched::{Asks, Decoded};
use cupel_protocol::message::{Outcome, Prepare, Slice};
use cupel_runner::Host;
use cupel_runner::{Fault, expect_ok};
use cupel_runner::{Process, Start};
use iced_x86::InstructionInfoFactory;
use std::collections::HashMap;
use std::ops::{ControlFlow, Range};

/// Traces slices in a fresh process, each from its request to the clock: to the first one that may
/// be one, if `clock` does not have its place.
///
/// # Errors
/// See [`Unseen`].
pub fn run(
    start: &Start,
    ask: &Prepare,
    stretches: &[Stretch],
    clock: Option<Clock>,
    most: u64,
) -> Result<(Trace, Clock), Unseen> {
    let mut process = Process::start_with(start, cupel_machine::fix_addresses)?;
    // Once a cell is prepared, the runner's code may lie in memory that belongs to no file.
    let before = Places::read(process.id());
    let prepared = process.ask_freely("prepare", request(ask))?;
    expect_ok(prepared, "prepare")?;
    let places = Places::read(process.id()).or(before);
    let traced = slices(&mut process, ask.cell, stretches, clock, most);
    let named_its_threads = process.hello.thread.is_some();
    process.bye();
    match traced {
        Ok((stretches, clock)) => Ok((Trace { stretches, places }, clock)),
        // A language with threads need not hand calls on.
        Err(Unseen::HandedOn(how)) if named_its_threads => Err(Unseen::Threads(how)),
        Err(why) => Err(why),
    }
}

fn slices(
    process: &mut Process,
    cell: u32,
    stretches: &[Stretch],
    clock: Option<Clock>,
    most: u64,
) -> Result<(Vec<Vec<Step>>, Clock), Unseen> {
    let mut recorder = Recorder {
        clock,
        left: most,
        most,
        steps: vec![],
        arrived: None,
        others: Others::default(),
        telling: vec![],
        has_flags: false,
        shows_steps: false,
        decoded: HashMap::new(),
        factory: InstructionInfoFactory::new(),
    };
    let mut traced = Vec::new();
    let mut made = Calls { cell, made: 0, next: 0 };
    for stretch in stretches {
        made.go_on(process, stretch)?;
        traced.push(recorder.stretch(process, &made.slice(stretch.calls))?);
    }
    Ok((traced, recorder.arrived.ok_or(Unseen::NoClock)?))
}

/// The calls that a cell has made.
struct Calls {
    cell: u32,
    made: u64,
    /// The index of the next one.
    next: u64,
}

impl Calls {
    /// Has the runner make the calls between those that were made and a stretch.
    fn go_on(&mut self, process: &mut Process, to: &Stretch) -> Result<(), Fault> {
        let iterations = to.after - self.made;
        if iterations > 0 {
            let slice = Slice { cell: self.cell, first: self.next, preroll: 0, iterations };
            expect_ok(process.slice(&slice)?, "slice")?;
        }
        (self.made, self.next) = (to.after, to.first);
        Ok(())
    }

    /// A slice with these calls before its clock, and one after it.
    fn slice(&mut self, calls: u64) -> Slice {
        let slice = Slice { cell: self.cell, first: self.next, preroll: calls, iterations: 1 };
        self.made += calls + 1;
        self.next += calls + 1;
        slice
    }
}

struct Recorder {
    clock: Option<Clock>,
    /// How many instructions may still follow, and how many may be in all.
    left: u64,
    most: u64,
    steps: Vec<Step>,
    /// The clock at which it ended.
    arrived: Option<Clock>,
    /// Others that could have done the work, before the calls.
    others: Others,
    /// The memory in which the runner may see that it is stepped.
    telling: Vec<Range<u64>>,
    /// Whether a register has the flags of a system call, with the flag of a step.
    has_flags: bool,
    /// Whether it may have seen how a step changes signals.
    shows_steps: bool,
    decoded: HashMap<u64, Decoded>,
    factory: InstructionInfoFactory,
}

impl Recorder {
    fn stretch(&mut self, process: &mut Process, slice: &Slice) -> Result<Vec<Step>, Unseen> {
        let (id, caller) = (process.id(), process.caller());
        // Nothing before the request is a part of the trace, and everything after it is.
        if !single::awaits_a_request(id, caller).map_err(Unseen::Forbidden)? {
            return Err(Unseen::NoRequest);
        }
        if others::shares_memory(id) {
            return Err(Unseen::HandedOn("it shares memory with other processes".to_string()));
        }
        (self.steps, self.arrived, self.others) = (vec![], None, Others::find(id, caller));
        // The read of the request returns under a step, with the flags in a register.
        (self.telling, self.has_flags) = (Places::clocks(id), true);
        self.shows_steps = others::refuses_steps(id, caller);
        let (answer, seen) =
            single::each(id, caller, || process.slice(slice), |stop| self.see(stop, id, caller));
        seen?;
        let answer: Outcome<_> = answer?;
        expect_ok(answer, "slice")?;
        self.arrived.ok_or(Unseen::NoClock)?;
        self.left -= self.steps.len() as u64;
        Ok(std::mem::take(&mut self.steps))
    }

    fn see(&mut self, stop: &Stop<'_>, id: u32, caller: u32) -> Result<ControlFlow<()>, Unseen> {
        let registers = &stop.registers;
        let here = Clock { at: registers.rip, stack: registers.rsp };
        let bytes = stop.code(here.at);
        if self.steps.is_empty() {
            self.telling.extend(stop.restarts());
        }
        let factory = &mut self.factory;
        let mut is_new = false;
        let decoded = match self.decoded.get(&here.at).filter(|known| known.bytes == bytes) {
            Some(known) => known,
            None => {
                is_new = true;
                self.decoded.insert(here.at, Decoded::at(here.at, bytes, factory));
                &self.decoded[&here.at]
            }
        };
        let asks = decoded.asks(registers);
        let touched = decoded.touches(stop, &self.telling);
        // Without a system call, a clock is read in memory.
        let reads_clock = matches!(asks, Some(Asks::System(_) | Asks::Time))
            || matches!(touched, Err(Unseen::Sees));
        let is_clock = match self.clock {
            Some(clock) => here == clock,
            None => reads_clock && !self.steps.is_empty(),
        };
        if is_clock {
            if !self.others.have_rested(&Others::find(id, caller)) {
                let how =
                    "another thread or process of the runner may have run while it was stepped";
                return Err(Unseen::HandedOn(how.to_string()));
            }
            // Said last: a call that starts a thread holds signals back, too.
            if self.shows_steps {
                return Err(Unseen::Sees);
            }
            self.arrived = Some(here);
            return Ok(ControlFlow::Break(()));
        }
        match asks {
            // The wait for the request, which stepping began in.
            Some(Asks::System(0)) if self.steps.is_empty() => return Ok(ControlFlow::Continue(())),
            Some(Asks::System(call)) if !others::is_own(registers) => {
                return Err(Unseen::HandedOn(format!(
                    "its calls ask the system ({})",
                    others::name(call)
                )));
            }
            Some(Asks::System32) => {
                return Err(Unseen::HandedOn(
                    "its calls ask the system by another door, or run code of 32 bits".to_string(),
                ));
            }
            Some(Asks::Time | Asks::Steps) => return Err(Unseen::Sees),
            Some(Asks::System(_)) => {
                self.has_flags = true;
                self.shows_steps |= others::shows_steps(registers);
            }
            None if self.has_flags && decoded.reads_flags => return Err(Unseen::Sees),
            None => self.has_flags &= !decoded.replaces_flags,
        }
        if is_new && !(decoded.is_known() && stop.shows_code(here.at, decoded.length())) {
            return Err(Unseen::Unreadable);
        }
        if self.steps.len() as u64 == self.left {
            return Err(Unseen::TooLong(self.most));
        }
        self.steps.push(Step { at: here.at, code: decoded.code(), touched: touched? });
        Ok(ControlFlow::Continue(()))
    }
}
