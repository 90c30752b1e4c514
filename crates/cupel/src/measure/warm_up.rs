//! Warm-up of one cell: it ends on a test, not on a constant, and what does not settle is shown as
//! such. It also learns how long a call takes.

use super::{clock, disturbance};
use crate::runner::{Fault, Host, expect_ok};
use cupel_protocol::message::{Refusal, Slice, Sliced};
use cupel_stats::quantile::median;
use cupel_stats::warmup::{Detector, State};

/// How long a warm-up slice lasts, in ns: short, because the test needs at least forty. Where code
/// is compiled while it runs (the first) it may be longer, as more of them follow; between two slices a JVM takes about as long as the shorter one lasts.
const SLICE_NS: (f64, f64) = (300_000.0, 100_000.0);

/// Shortest and longest warm-up of code that is compiled while it runs, before it is verified, in ns: most of it is
/// compiled by then, and verification undoes a part in any case. What is measured is warmed up again.
const COMPILE_NS: (f64, f64) = (250e6, 1e9);

/// How long another size of the same code is run before it is verified, in ns: what there was to compile is.
const COMPILE_SIZE_NS: f64 = 30e6;

/// Shortest and longest warm-up after that, in ns; the longest is AndroidX WarmupManager's.
const SETTLE_NS: (f64, f64) = (50e6, 8e9);

/// The same for code that is compiled ahead: caches, predictors and lazy binding only. What has not
/// settled after a tenth of a second is not warming but has a neighbour, who would otherwise cost a run
/// of many cells all its time.
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
    /// Time of a call at the end, in ns.
    pub ns_per_call: f64,
    /// Index of the next call.
    pub next_call: u64,
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
    /// That what a JIT compiled is steady.
    Settle,
}

impl Aim {
    /// Shortest and longest time inside slices, in ns.
    fn limits(self) -> (f64, f64) {
        match self {
            Aim::Native => NATIVE_NS,
            Aim::Compile => COMPILE_NS,
            Aim::CompileSize => (COMPILE_SIZE_NS, COMPILE_SIZE_NS),
            Aim::Settle => SETTLE_NS,
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
    told: &mut dyn FnMut(f64),
) -> Result<WarmUp, Fault> {
    let mut next = first;
    let mut slice = |iterations: u64| -> Result<Sliced, Fault> {
        let ask = Slice { cell, first: next, preroll: 0, iterations };
        next += iterations;
        let sliced = expect_ok(host.slice(&ask)?, "slice")?;
        if let Some(reason) = clock::no_time(sliced.elapsed_ns, iterations) {
            return Err(Fault::Refused { during: "slice", refusal: Refusal::because(reason) });
        }
        told(sliced.elapsed_ns);
        Ok(Sliced { elapsed_ns: sliced.elapsed_ns.max(1.0), ..sliced })
    };
    let first_call_ns = slice(1)?.elapsed_ns;
    let jit = aim != Aim::Native;
    let (shortest, longest) = aim.limits();
    let slice_ns = if jit { SLICE_NS.0 } else { SLICE_NS.1 };
    let mut detector = Detector::new(shortest, longest);
    let (mut slices, mut elapsed_ns) = (1, first_call_ns);
    // Grow to a slice's length first: the first calls say little of the later ones.
    let mut iterations = 1_u64;
    let mut ns_per_call = loop {
        let ns = slice(iterations)?.elapsed_ns;
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
        let last = slice(1)?.elapsed_ns;
        let settled = (last / ns_per_call).ln().abs() < 0.1;
        return Ok(WarmUp {
            first_call_ns,
            slices: slices + 1,
            elapsed_ns: elapsed_ns + last,
            settled,
            ns_per_call: last.min(ns_per_call),
            next_call: next,
        });
    }
    let mut recent: Vec<f64> = Vec::new();
    let settled = loop {
        let iterations = ((slice_ns / ns_per_call).ceil() as u64).max(1);
        let sliced = slice(iterations)?;
        let ns = sliced.elapsed_ns;
        (slices, elapsed_ns) = (slices + 1, elapsed_ns + ns);
        // Something else ran: it says nothing of how warm this is, and a wait of ten slices' length
        // would keep the averages apart for the next thirty.
        if disturbance::of(ns, &sliced.noise).is_some() {
            if elapsed_ns >= longest {
                break false;
            }
            continue;
        }
        recent.push(ns / iterations as f64);
        ns_per_call = median(&recent[recent.len().saturating_sub(9)..]);
        match detector.push(ns / iterations as f64, ns) {
            // By its clock, or by count where it says that no time passes.
            State::Warming if slices as f64 > 4.0 * longest / slice_ns => break false,
            State::Warming => {}
            State::Settled => break true,
            State::GaveUp => break false,
        }
    };
    Ok(WarmUp { first_call_ns, slices, elapsed_ns, settled, ns_per_call, next_call: next })
}
