//! Warm-up of one cell: it ends on a test, not on a constant, and what does not settle is shown as
//! such. It also learns how long a call takes.

use super::disturbance;
use super::steady::{Account, Quiet, Since, warm_slice};
use crate::runner::{Fault, Host};
use cupel_protocol::message::{Refusal, Sliced};
use cupel_stats::quantile::median;
use cupel_stats::warmup::{Detector, State};

/// How long a warm-up slice lasts, in ns: short, because the test needs at least forty. Code that
/// is compiled while it runs needs more of them and may have longer ones.
const SLICE_NS: (f64, f64) = (300_000.0, 100_000.0);

/// Shortest and longest warm-up of code that is compiled while it runs, in ns.
const COMPILE_NS: (f64, f64) = (10e6, 8e9);

/// The same where its compiler does not tell what it does: then time has to stand for knowledge.
const SILENT_NS: f64 = 500e6;

/// How long final code may take to settle, in ns.
const NOISY_NS: f64 = 1e9;

/// The same for code that is compiled ahead: caches, predictors and lazy binding only. What has not
/// settled after a tenth of a second is not warming but has a neighbour, who would otherwise cost a
/// run of many cells all its time.
const NATIVE_NS: (f64, f64) = (4e6, 100e6);

/// A call from this length on is warmed up by a few calls: each of them is longer than everything
/// that has to warm.
const LONG_CALL_NS: f64 = 5e6;

/// So many calls of anything take longer than a slice.
const MOST_CALLS: u64 = 1 << 24;

/// How a cell warmed up.
pub struct WarmUp {
    /// The cell's first call in a fresh process, in ns.
    pub first_call_ns: f64,
    /// Slices until the end.
    pub slices: u64,
    /// Time inside them, in ns.
    pub elapsed_ns: f64,
    /// Whether it settled.
    pub settled: bool,
    /// Whether its compiler had come to rest, where it tells.
    pub quiet: bool,
    /// Time of a call at the end, in ns.
    pub ns_per_call: f64,
    /// Index of the next call.
    pub next_call: u64,
    /// The level of its loop's code, where the runner tells.
    pub level: Option<u32>,
    /// What the compiler of its process had done by then, in events.
    pub events: u64,
}

/// What a warm-up is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// That code compiled ahead is steady.
    Native,
    /// That a JIT compiles what has not run in this process.
    Compile,
    /// That a JIT sees another size of what it has compiled.
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

    /// What the compiler must leave alone for how long.
    fn quiet(self) -> Option<Quiet> {
        match self {
            Aim::Native => None,
            Aim::Compile => Some(Quiet::FIRST),
            Aim::CompileSize => Some(Quiet::AGAIN),
        }
    }
}

/// Warms a prepared cell up from call index `first` on.
///
/// # Errors
/// The runner's fault.
pub fn warm_up(
    host: &mut dyn Host,
    cell: u32,
    aim: Aim,
    first: u64,
    account: &mut Account,
    told: &mut dyn FnMut(f64),
) -> Result<WarmUp, Fault> {
    let mut next = first;
    let mut slice = |iterations: u64, host: &mut dyn Host| -> Result<Sliced, Fault> {
        let sliced = warm_slice(host, cell, next, iterations)?;
        next += iterations;
        told(sliced.elapsed_ns);
        Ok(sliced)
    };
    let first_call_ns = slice(1, host)?.elapsed_ns;
    let jit = aim != Aim::Native;
    let (shortest, longest) = aim.limits();
    let slice_ns = if jit { SLICE_NS.0 } else { SLICE_NS.1 };
    let mut detector = Detector::new(shortest, longest);
    let (mut slices, mut elapsed_ns) = (1, first_call_ns);
    // Grow to a slice's length first: the first calls say little of the later ones.
    let mut iterations = 1_u64;
    let mut ns_per_call = loop {
        let ns = slice(iterations, host)?.elapsed_ns;
        (slices, elapsed_ns) = (slices + 1, elapsed_ns + ns);
        if ns >= slice_ns / 2.0 {
            break ns / iterations as f64;
        }
        if iterations >= MOST_CALLS {
            let reason = format!("reports {ns} ns for {iterations} calls, which is no time");
            return Err(Fault::Refused { during: "slice", refusal: Refusal::because(reason) });
        }
        iterations = (iterations * 4).min((iterations as f64 * slice_ns / ns).ceil() as u64 + 1);
    };
    if !jit && ns_per_call > LONG_CALL_NS {
        let last = slice(1, host)?.elapsed_ns;
        let settled = (last / ns_per_call).ln().abs() < 0.1;
        return Ok(WarmUp {
            first_call_ns,
            slices: slices + 1,
            elapsed_ns: elapsed_ns + last,
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
        let iterations = ((slice_ns / ns_per_call).ceil() as u64).max(1);
        let sliced = slice(iterations, host)?;
        let ns = sliced.elapsed_ns;
        (slices, elapsed_ns) = (slices + 1, elapsed_ns + ns);
        let event = account.take(sliced.compilation).any;
        if account.pending() {
            waited_ns += host.wait();
        }
        since.add(iterations, ns, event);
        if event {
            // Other code runs from here on: what its times were says nothing of what they will be.
            detector = Detector::new(0.0, longest);
        }
        let told = sliced.compilation.is_some();
        let enough = |need| since.holds(need) && (told || elapsed_ns >= SILENT_NS);
        let quiet = aim.quiet().is_none_or(enough);
        // Something else ran: it says nothing of how warm this is, and a wait of ten slices' length
        // would keep the averages apart for the next thirty.
        if disturbance::of(ns, &sliced.noise).is_none() {
            recent.push(ns / iterations as f64);
            ns_per_call = median(&recent[recent.len().saturating_sub(9)..]);
            detector.push(ns / iterations as f64, ns);
        }
        if quiet && detector.state() == State::Settled {
            break (true, quiet);
        }
        // By its clock, or by count where it says that no time passes. Final code whose times do not
        // settle has a neighbour, who need not be waited for.
        let endless = slices as f64 > 4.0 * longest / slice_ns;
        if elapsed_ns + waited_ns >= longest || endless || (jit && quiet && since.ns() >= NOISY_NS)
        {
            break (false, quiet);
        }
    };
    let (level, events) = (account.level(), account.events());
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
