//! Warm-up of one cell. It ends on a test, not after a constant time, and what does not settle is
//! shown as such. It also measures how long a call takes.

use super::steady::{CompilerState, Quiet, Since, warm_slice};
use crate::measure::audit::disturbance;
use cupel_host::runner::{Fault, Host};
use cupel_protocol::message::{Refusal, Sliced};
use cupel_stats::quantile::median;
use cupel_stats::warmup::{Detector, State};

/// The length of a warm-up slice in ns, of code compiled at run time and of code compiled ahead. It
/// is short, because the test needs at least forty slices. Code compiled at run time needs more of
/// them, and may have longer ones.
const SLICE_NS: (f64, f64) = (300_000.0, 100_000.0);

/// Shortest and longest warm-up of code compiled at run time, in ns.
const COMPILE_NS: (f64, f64) = (10e6, 8e9);

/// Shortest warm-up, in ns, if its compiler does not report what it does: then only time can tell.
const SILENT_NS: f64 = 500e6;

/// How long final code may take to settle, in ns.
const NOISY_NS: f64 = 1e9;

/// Shortest and longest warm-up of code compiled ahead, in ns: caches, predictors and lazy binding
/// only. What has not settled after a tenth of a second is not warming but has a neighbour, which
/// would otherwise cost a run of many cells all its time.
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

/// What a warm-up is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// To make code that is compiled ahead steady.
    Native,
    /// To make a JIT compile what has not run in this process.
    Compile,
    /// To show a JIT another size of what it has compiled.
    CompileSize,
}

impl Aim {
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
    WarmCell { cell, threads, block }: WarmCell,
    aim: Aim,
    first: u64,
    compiler: &mut CompilerState,
    elapsed: &mut dyn FnMut(f64),
) -> Result<WarmUp, Fault> {
    let mut next = first;
    let mut slice = |iterations: u64, host: &mut dyn Host| -> Result<Sliced, Fault> {
        let first = if iterations < block { next } else { next.next_multiple_of(block) };
        let sliced = warm_slice(host, cell, first, iterations)?;
        next = first + iterations;
        elapsed(sliced.elapsed_ns);
        Ok(sliced)
    };
    let first_call_ns = slice(1, host)?.elapsed_ns;
    let jit = aim != Aim::Native;
    let (shortest, longest) = aim.limits();
    let slice_ns = if jit { SLICE_NS.0 } else { SLICE_NS.1 };
    let mut detector = Detector::new(shortest, longest);
    let (mut slices, mut elapsed_ns) = (1, first_call_ns);
    // Grow to a slice's length first: the first calls say little about the later ones.
    let mut iterations = block;
    let mut ns_per_call = loop {
        let ns = slice(iterations, host)?.elapsed_ns;
        (slices, elapsed_ns) = (slices + 1, elapsed_ns + ns);
        if ns >= slice_ns / 2.0 {
            break ns / iterations as f64;
        }
        if iterations >= MOST_CALLS {
            let reason = format!("reports {ns} ns for {iterations} calls, which cannot be true");
            return Err(Fault::Refused { during: "slice", refusal: Refusal::because(reason) });
        }
        iterations = (iterations * 4).min((iterations as f64 * slice_ns / ns).ceil() as u64 + 1);
        iterations = iterations.next_multiple_of(block);
    };
    if !jit && ns_per_call > LONG_CALL_NS {
        let last = slice(block, host)?.elapsed_ns / block as f64;
        let settled = (last / ns_per_call).ln().abs() < 0.1;
        return Ok(WarmUp {
            first_call_ns,
            slices: slices + 1,
            elapsed_ns: elapsed_ns + last * block as f64,
            settled,
            quiet: true,
            ns_per_call: last.min(ns_per_call),
            next_call: next,
            level: None,
            events: 0,
        });
    }
    let mut recent: Vec<f64> = Vec::new();
    let (mut since, mut waited_ns) = (Since::default(), 0.0);
    let (settled, quiet) = loop {
        let iterations = ((slice_ns / ns_per_call).ceil() as u64).max(1).next_multiple_of(block);
        let sliced = slice(iterations, host)?;
        let ns = sliced.elapsed_ns;
        (slices, elapsed_ns) = (slices + 1, elapsed_ns + ns);
        let event = compiler.update(sliced.compilation).any;
        if compiler.pending() {
            waited_ns += host.wait();
        }
        since.add(iterations, ns, event);
        if event {
            // Other code runs from here on, and the times so far say nothing about its times.
            detector = Detector::new(0.0, longest);
        }
        let may_be_quiet = sliced.compilation.is_some() || elapsed_ns >= SILENT_NS;
        let quiet = aim.quiet().is_none_or(|need| since.holds(need) && may_be_quiet);
        // A disturbed slice says nothing about how warm the cell is, and a wait of ten slices'
        // length would keep the averages apart for the next thirty.
        if disturbance::of(ns, threads, &sliced.noise).is_none() {
            recent.push(ns / iterations as f64);
            ns_per_call = median(&recent[recent.len().saturating_sub(9)..]);
            detector.push(ns / iterations as f64, ns);
        }
        if quiet && detector.state() == State::Settled {
            break (true, quiet);
        }
        // By the runner's clock, or by count if that clock stands still. Final code whose times do
        // not settle has a neighbour, which need not be waited for.
        let endless = slices as f64 > 4.0 * longest / slice_ns;
        if elapsed_ns + waited_ns >= longest || endless || (jit && quiet && since.ns() >= NOISY_NS)
        {
            break (false, quiet);
        }
    };
    let (level, events) = (compiler.level(), compiler.events());
    let next_call = next;
    Ok(WarmUp {
        first_call_ns,
        slices,
        elapsed_ns,
        settled,
        quiet,
        ns_per_call,
        next_call,
        level,
        events,
    })
}
