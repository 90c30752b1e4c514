//! Warm-up of one cell. It ends on a test, not after a constant time, and a time that does not
//! settle is shown as such. It also measures how long a call takes.

use super::steady::{CompilerState, Quiet, Since, warm_slice};
use crate::measure::audit::disturbance;
use cupel_protocol::message::{Refusal, Sliced};
use cupel_runner::{Fault, Host};
use cupel_stats::quantile::median;
use cupel_stats::warmup::{Detector, State};

/// The length of a warm-up slice in ns, of code compiled at run time and of code compiled ahead. It
/// is short, because the test needs at least forty slices. Code compiled at run time needs more of
/// them, and may have longer ones.
const SLICE_NS: (f64, f64) = (300_000.0, 100_000.0);

/// Shortest and longest warm-up of code compiled at run time, in ns.
const COMPILE_NS: (f64, f64) = (10e6, 8e9);

/// Shortest warm-up, in ns, if its compiler reports nothing: then only time can tell.
const SILENT_NS: f64 = 500e6;

/// Or this many calls: the compilers that report nothing are done after some ten thousands. The
/// outputs of short calls take far longer to fold than the calls take.
const SILENT_CALLS: u64 = 4_000_000;

/// How long final code may take to settle, in ns, and with how many calls.
const NOISY: (f64, u64) = (1e9, 4 * SILENT_CALLS);

/// Shortest and longest warm-up of code compiled ahead, in ns: caches, predictors and lazy binding
/// only. Code that has not settled after a tenth of a second is not warming but has a neighbour,
/// which would otherwise cost a run of many cells all its time.
const NATIVE_NS: (f64, f64) = (4e6, 100e6);

/// A call of this length in ns or more is warmed up by a few calls: each of them takes longer than
/// everything that has to warm.
const LONG_CALL_NS: f64 = 5e6;

/// This many calls of anything take longer than a slice.
const MOST_CALLS: u64 = 1 << 24;

/// How a cell warmed up.
pub struct WarmUp {
    /// The time of the cell's first call in a fresh process, in ns.
    pub first_call_ns: f64,
    /// The slices until the end.
    pub slices: u64,
    /// The time inside them, in ns.
    pub elapsed_ns: f64,
    /// Whether it settled.
    pub settled: bool,
    /// Whether its compiler was done, if the runner reports that.
    pub quiet: bool,
    /// The time at the end, in ns per call.
    pub ns_per_call: f64,
    /// Index of the next call.
    pub next_call: u64,
    /// The compilation level of its loop, if the runner reports it.
    pub level: Option<u32>,
    /// The number of events of its process's compiler by then.
    pub events: u64,
}

/// The cell that is warmed up.
#[derive(Clone, Copy, Debug)]
pub struct WarmCell {
    /// The number by which its runner knows it.
    pub cell: u32,
    /// How many threads make its calls.
    pub threads: u32,
    /// The calls of a block; 1 unless sizes are drawn.
    pub block: u64,
}

/// The aim of a warm-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// To make code that is compiled ahead steady.
    Native,
    /// To make a JIT compile code that has not run in this process.
    Compile,
    /// To show a JIT another size of compiled work.
    CompileSize,
}

impl Aim {
    /// The length of a slice, in ns.
    fn slice_ns(self) -> f64 {
        match self {
            Aim::Native => SLICE_NS.1,
            Aim::Compile | Aim::CompileSize => SLICE_NS.0,
        }
    }

    /// Shortest and longest time inside slices, in ns.
    fn limits(self) -> (f64, f64) {
        match self {
            Aim::Native => NATIVE_NS,
            Aim::Compile | Aim::CompileSize => COMPILE_NS,
        }
    }

    /// How long the compiler must do nothing.
    fn quiet(self) -> Option<Quiet> {
        match self {
            Aim::Native => None,
            Aim::Compile => Some(Quiet::FIRST),
            Aim::CompileSize => Some(Quiet::AGAIN),
        }
    }
}

/// Warms a prepared cell up from call index `first` on, and calls `elapsed` with the time of each
/// slice in ns. After its first call, slices have whole blocks.
///
/// # Errors
/// The runner's fault.
pub fn warm_up(
    host: &mut dyn Host,
    cell: WarmCell,
    aim: Aim,
    first: u64,
    compiler: &mut CompilerState,
    elapsed: &mut dyn FnMut(f64),
) -> Result<WarmUp, Fault> {
    let mut course = Course { host, cell, elapsed, next: first, slices: 0, elapsed_ns: 0.0 };
    let first_call_ns = course.slice(1)?.elapsed_ns;
    let grown_ns = course.grow(aim.slice_ns())?;
    let end = if aim == Aim::Native && grown_ns > LONG_CALL_NS {
        course.end_after_long_calls(grown_ns)?
    } else {
        course.settle(aim, grown_ns, compiler)?
    };
    Ok(WarmUp {
        first_call_ns,
        slices: course.slices,
        elapsed_ns: course.elapsed_ns,
        settled: end.settled,
        quiet: end.quiet,
        ns_per_call: end.ns_per_call,
        next_call: course.next,
        level: end.level,
        events: end.events,
    })
}

/// A warm-up so far.
struct Course<'a> {
    host: &'a mut dyn Host,
    cell: WarmCell,
    elapsed: &'a mut dyn FnMut(f64),
    /// Index of the next call.
    next: u64,
    slices: u64,
    /// The time inside them.
    elapsed_ns: f64,
}

/// The state of a cell when its warm-up ends, with the fields of [`WarmUp`].
struct End {
    settled: bool,
    quiet: bool,
    ns_per_call: f64,
    level: Option<u32>,
    events: u64,
}

impl Course<'_> {
    fn slice(&mut self, iterations: u64) -> Result<Sliced, Fault> {
        let WarmCell { cell, block, .. } = self.cell;
        let first = if iterations < block { self.next } else { self.next.next_multiple_of(block) };
        let sliced = warm_slice(self.host, cell, first, iterations)?;
        self.next = first + iterations;
        self.slices += 1;
        self.elapsed_ns += sliced.elapsed_ns;
        (self.elapsed)(sliced.elapsed_ns);
        Ok(sliced)
    }

    /// Makes slices longer until they have at least half of their length: the first calls say
    /// little about the later ones. Returns the ns per call of the last one.
    fn grow(&mut self, slice_ns: f64) -> Result<f64, Fault> {
        let block = self.cell.block;
        let mut iterations = block;
        loop {
            let ns = self.slice(iterations)?.elapsed_ns;
            if ns >= slice_ns / 2.0 {
                return Ok(ns / iterations as f64);
            }
            if iterations >= MOST_CALLS {
                let most = ns.ceil();
                let reason = format!(
                    "reports at most {most} ns for {iterations} calls, which cannot be true"
                );
                return Err(Fault::Refused { during: "slice", refusal: Refusal::because(reason) });
            }
            let enough = (iterations as f64 * slice_ns / ns).ceil() as u64 + 1;
            iterations = (iterations * 4).min(enough).next_multiple_of(block);
        }
    }

    /// Calls this long have settled if the next block takes as long as the last one.
    fn end_after_long_calls(&mut self, grown_ns: f64) -> Result<End, Fault> {
        let block = self.cell.block;
        let last = self.slice(block)?.elapsed_ns / block as f64;
        Ok(End {
            settled: (last / grown_ns).ln().abs() < 0.1,
            quiet: true,
            ns_per_call: last.min(grown_ns),
            level: None,
            events: 0,
        })
    }

    /// Runs slices until their times settle and the compiler is done, or until that takes too long.
    fn settle(
        &mut self,
        aim: Aim,
        grown_ns: f64,
        compiler: &mut CompilerState,
    ) -> Result<End, Fault> {
        let slice_ns = aim.slice_ns();
        let (shortest, longest) = aim.limits();
        let mut detector = Detector::new(shortest, longest);
        let mut ns_per_call = grown_ns;
        let mut recent: Vec<f64> = Vec::new();
        let (mut since, mut waited_ns) = (Since::default(), 0.0);
        let begun = self.next;
        let (settled, quiet) = loop {
            let iterations = ((slice_ns / ns_per_call).ceil() as u64).max(1);
            let iterations = iterations.next_multiple_of(self.cell.block);
            let sliced = self.slice(iterations)?;
            let ns = sliced.elapsed_ns;
            let event = compiler.update(sliced.compilation).any;
            if compiler.pending() {
                waited_ns += self.host.wait();
            }
            since.add(iterations, ns, event);
            if event {
                // Other code runs from here on, and the times so far say nothing about its times.
                detector = Detector::new(0.0, longest);
            }
            let is_long = self.elapsed_ns >= SILENT_NS || self.next - begun >= SILENT_CALLS;
            let may_be_quiet = sliced.compilation.is_some() || is_long;
            let quiet = aim.quiet().is_none_or(|need| since.holds(need) && may_be_quiet);
            // A disturbed slice says nothing about how warm the cell is, and a wait of ten slices'
            // length would keep the averages apart for the next thirty.
            if disturbance::reason(ns, self.cell.threads, &sliced.noise).is_none() {
                recent.push(ns / iterations as f64);
                ns_per_call = median(&recent[recent.len().saturating_sub(9)..]);
                detector.push(ns / iterations as f64, ns);
            }
            if quiet && detector.state() == State::Settled {
                break (true, quiet);
            }
            // By the runner's clock, or by count if that clock stands still.
            let endless = self.slices as f64 > 4.0 * longest / slice_ns;
            // Final code whose times do not settle has a neighbour, which need not be waited for.
            let has_run = since.ns() >= NOISY.0 || self.next - begun >= NOISY.1;
            let noisy = aim != Aim::Native && quiet && has_run;
            if self.elapsed_ns + waited_ns >= longest || endless || noisy {
                break (false, quiet);
            }
        };
        let (level, events) = (compiler.level(), compiler.events());
        Ok(End { settled, quiet, ns_per_call, level, events })
    }
}
