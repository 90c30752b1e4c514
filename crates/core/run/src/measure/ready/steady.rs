//! When the code of a process is steady: its compiler has nothing more to do. The compiler itself
//! says so, if the runner reports that. A time that has stopped falling may be the plateau of a
//! lower compilation level. How long a plateau lasts depends on the machine, and no test on times
//! distinguishes it from the end.

use crate::measure::audit::clock;
use crate::measure::audit::disturbance;
use cupel_protocol::message::{Compilation, Refusal, Slice, Sliced};
use cupel_runner::{Fault, Host, expect_ok};
use cupel_stats::quantile::median;
use std::sync::atomic::{AtomicBool, Ordering};

/// How much a cell must run without an event of the compiler before its code counts as final. One
/// of three conditions is enough.
///
/// HotSpot compiles a method for its highest level after 5000 calls of it, and a loop after 40000
/// turns (`Tier4InvocationThreshold`, `Tier4BackEdgeThreshold`). Code that a call runs more than
/// once is compiled sooner, so fewer calls are enough where calls are long.
#[derive(Clone, Copy, Debug)]
pub struct Quiet {
    /// First condition: this many calls,
    calls: u64,
    /// which took at least this time, in ns: a compilation may wait for a processor that long.
    least_ns: f64,
    /// Second condition: fewer calls, which took at least this time inside slices, in ns.
    few: (u64, f64),
    /// Third condition: this time inside slices, in ns, with any number of calls.
    ns: f64,
}

impl Quiet {
    /// For work that has not run in this process, or whose code was discarded.
    pub const FIRST: Quiet = Quiet { calls: 60_000, least_ns: 10e6, few: (6_000, 300e6), ns: 1e9 };

    /// For another size of work that has run, and for all cells of a process together: their common
    /// code is compiled.
    pub const AGAIN: Quiet = Quiet { calls: 10_000, least_ns: 3e6, few: (0, 50e6), ns: 50e6 };

    /// This demand for quiet, multiplied by `factor`.
    fn times(self, factor: u64) -> Quiet {
        let long = factor as f64;
        Quiet {
            calls: factor * self.calls,
            least_ns: long * self.least_ns,
            few: (factor * self.few.0, long * self.few.1),
            ns: long * self.ns,
        }
    }
}

/// How long the compiler of a process may go on, in ns inside slices and of waiting for it: this
/// time, or twice as long as all of its cells have to be quiet, whichever is longer. Only an event
/// after that time ends the wait.
const LONGEST_NS: f64 = 8e9;

/// Length of a slice while cells become steady, in ns.
const SLICE_NS: f64 = 300_000.0;

/// A cell that is this much slower than in its fastest process so far may be at a lower level that
/// its compiler does not report. It must stay quiet [`DOUBTED`] times as long.
const SLOWER: f64 = 1.25;

/// See [`SLOWER`].
const DOUBTED: u64 = 4;

/// Why the rounds of a cell would not count if its process stays unsteady.
pub const NEVER_STEADY: &str = "its code was still being compiled when the longest wait was over";

/// The time of a cell is the median of this many slices.
const RECENT: usize = 9;

/// The state of the compiler of one process at the last reply.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompilerState {
    last: Option<Compilation>,
}

/// The report of a reply about the compiler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Code was installed or discarded since the reply before.
    pub any: bool,
    /// Code of the highest level was, or is about to be.
    pub highest: bool,
    /// Code of the highest level was discarded.
    pub discarded: bool,
}

impl Change {
    /// Both changes, one after the other.
    #[must_use]
    pub fn and(self, later: Change) -> Change {
        Change {
            any: self.any || later.any,
            highest: self.highest || later.highest,
            discarded: self.discarded || later.discarded,
        }
    }
}

impl CompilerState {
    /// Updates the state by a reply. Without a report of the runner, nothing has changed.
    pub fn update(&mut self, reported: Option<Compilation>) -> Change {
        let Some(now) = reported else {
            self.last = None;
            return Change::default();
        };
        let before = self.last.replace(now).unwrap_or_default();
        Change {
            any: now.events != before.events || now.pending > 0,
            highest: (now.installed, now.discarded) != (before.installed, before.discarded)
                || now.pending > 0,
            discarded: now.discarded != before.discarded,
        }
    }

    /// Whether the compiler has work to do.
    pub fn pending(&self) -> bool {
        self.last.is_some_and(|last| last.pending > 0)
    }

    /// Events so far.
    pub fn events(&self) -> u64 {
        self.last.map_or(0, |last| last.events)
    }

    /// The level of the loop that made the last calls.
    pub fn level(&self) -> Option<u32> {
        self.last.and_then(|last| last.level)
    }
}

/// How long a cell has run since the last event.
#[derive(Clone, Copy, Debug, Default)]
pub struct Since {
    calls: u64,
    ns: f64,
}

impl Since {
    /// Adds a slice of this many calls and this time. After an `event`, counting begins again.
    pub fn add(&mut self, calls: u64, ns: f64, event: bool) {
        if event {
            *self = Since::default();
            return;
        }
        self.calls += calls;
        self.ns += ns;
    }

    /// The time inside slices, in ns.
    pub fn ns(self) -> f64 {
        self.ns
    }

    /// Whether that is enough.
    pub fn holds(self, need: Quiet) -> bool {
        let Quiet { calls, least_ns, few: (fewer, long), ns } = need;
        (self.calls >= calls && self.ns >= least_ns)
            || (self.calls >= fewer && self.ns >= long)
            || self.ns >= ns
    }
}

/// A cell that is to become steady.
pub struct Warming {
    /// Its number.
    pub cell: usize,
    threads: u32,
    block: u64,
    /// Index of its next call.
    pub next_call: u64,
    /// The time in ns per call.
    pub ns_per_call: f64,
    /// The least time of an earlier process of it, in ns per call.
    pub reached: Option<f64>,
    /// The slices so far.
    pub slices: u64,
    /// The time inside these slices, in ns.
    pub elapsed_ns: f64,
    /// The compilation level of its loop.
    pub level: Option<u32>,
    since: Since,
    need: Quiet,
    recent: Vec<f64>,
}

impl Warming {
    /// A cell with this index of its next call and this time in ns per call. It must stay quiet as
    /// long as `need` says.
    pub fn new(
        cell: usize,
        next_call: u64,
        ns_per_call: f64,
        reached: Option<f64>,
        need: Quiet,
    ) -> Warming {
        Warming {
            cell,
            threads: 1,
            block: 1,
            next_call,
            ns_per_call,
            reached,
            slices: 0,
            elapsed_ns: 0.0,
            level: None,
            since: Since::default(),
            need,
            recent: Vec::new(),
        }
    }

    fn need(&self) -> Quiet {
        let doubted = self.reached.is_some_and(|reached| self.ns_per_call > SLOWER * reached);
        if doubted { self.need.times(DOUBTED) } else { self.need }
    }

    /// The warm-up of a cell of several threads, whose slices have whole blocks of this many calls.
    #[must_use]
    pub fn on(mut self, threads: u32, block: u64) -> Warming {
        (self.threads, self.block) = (threads, block);
        self
    }

    fn is_steady(&self) -> bool {
        self.since.holds(self.need())
    }

    fn slice(
        &mut self,
        host: &mut dyn Host,
        compiler: &mut CompilerState,
    ) -> Result<(f64, Change), Fault> {
        let iterations = ((SLICE_NS / self.ns_per_call).ceil() as u64).max(1);
        let iterations = iterations.next_multiple_of(self.block);
        self.next_call = self.next_call.next_multiple_of(self.block);
        let sliced = warm_slice(host, self.cell as u32, self.next_call, iterations)?;
        self.next_call += iterations;
        self.slices += 1;
        self.elapsed_ns += sliced.elapsed_ns;
        if disturbance::reason(sliced.elapsed_ns, self.threads, &sliced.noise).is_none() {
            self.recent.push(sliced.elapsed_ns / iterations as f64);
            let last = self.recent.len().saturating_sub(RECENT);
            self.ns_per_call = median(&self.recent[last..]);
        }
        let change = compiler.update(sliced.compilation);
        self.level = compiler.level();
        self.since.add(iterations, sliced.elapsed_ns, change.highest);
        let waited = if compiler.pending() { host.wait() } else { 0.0 };
        Ok((sliced.elapsed_ns + waited, change))
    }
}

/// One slice of a warm-up.
///
/// # Errors
/// The fault of the runner. A time that no clock shows counts as a refusal.
pub fn warm_slice(
    host: &mut dyn Host,
    cell: u32,
    first: u64,
    iterations: u64,
) -> Result<Sliced, Fault> {
    let sliced = expect_ok(host.slice(&Slice { cell, first, preroll: 0, iterations })?, "slice")?;
    if let Some(reason) = clock::no_time(sliced.elapsed_ns, iterations) {
        return Err(Fault::Refused { during: "slice", refusal: Refusal::because(reason) });
    }
    Ok(Sliced { elapsed_ns: sliced.elapsed_ns.max(1.0), ..sliced })
}

/// The result of [`together`] for a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing is compiled any more.
    Steady,
    /// Its compiler went on until it was given up.
    Unsteady,
    /// The user wants the run to end.
    Stopped,
}

/// Runs the cells of a process alternately, as rounds will, until nothing that they share is
/// compiled any more. An event in one of them is an event for all. A cell whose slice is refused
/// leaves `cells`, and `refused` is called with it.
///
/// # Errors
/// The fault of a runner that is lost.
pub fn together(
    host: &mut dyn Host,
    compiler: &mut CompilerState,
    cells: &mut Vec<Warming>,
    stop: &AtomicBool,
    refused: &mut dyn FnMut(usize, Refusal),
) -> Result<Outcome, Fault> {
    let longest = LONGEST_NS.max(2.0 * cells.len() as f64 * Quiet::FIRST.ns);
    let mut spent = 0.0;
    while let Some(first) = cells.iter().position(|cell| !cell.is_steady()) {
        let mut position = first;
        while position < cells.len() {
            if stop.load(Ordering::Relaxed) {
                return Ok(Outcome::Stopped);
            }
            if cells[position].is_steady() {
                position += 1;
                continue;
            }
            let (ns, change) = match cells[position].slice(host, compiler) {
                Ok(done) => done,
                Err(Fault::Refused { refusal, .. }) => {
                    refused(cells.remove(position).cell, refusal);
                    continue;
                }
                Err(fault) => return Err(fault),
            };
            spent += ns;
            if change.highest {
                if spent >= longest {
                    return Ok(Outcome::Unsteady);
                }
                for cell in cells.iter_mut() {
                    cell.since = Since::default();
                    // Its calls are counted from zero again before the code is recompiled.
                    if change.discarded {
                        cell.need = Quiet::FIRST;
                    }
                }
            }
            position += 1;
        }
    }
    Ok(Outcome::Steady)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(events: u64, installed: u64, discarded: u64, pending: u64) -> Option<Compilation> {
        Some(Compilation { events, installed, discarded, pending, level: Some(4) })
    }

    #[test]
    fn the_state_of_a_compiler_shows_what_is_new_and_what_is_pending() {
        let mut compiler = CompilerState::default();
        let change = |any, highest, discarded| Change { any, highest, discarded };
        assert_eq!(compiler.update(None), Change::default());
        assert_eq!(compiler.update(report(7, 2, 0, 0)), change(true, true, false));
        assert_eq!(compiler.update(report(7, 2, 0, 0)), Change::default());
        assert_eq!(compiler.update(report(8, 2, 0, 0)), change(true, false, false));
        assert_eq!(compiler.update(report(8, 2, 0, 1)), change(true, true, false));
        assert_eq!(compiler.update(report(9, 3, 0, 0)), change(true, true, false));
        assert_eq!(compiler.update(report(10, 3, 1, 0)), change(true, true, true));
    }

    #[test]
    fn quiet_is_many_calls_or_a_long_time_without_an_event() {
        let mut since = Since::default();
        since.add(9_999, 3e6, false);
        assert!(!since.holds(Quiet::AGAIN));
        since.add(1, 1.0, false);
        assert!(since.holds(Quiet::AGAIN) && !since.holds(Quiet::FIRST));
        since.add(1, 1.0, true);
        assert!(!since.holds(Quiet::AGAIN), "an event restarts it");
        since.add(10, 300e6, false);
        assert!(!since.holds(Quiet::FIRST), "ten calls reach no threshold");
        since.add(6_000, 1.0, false);
        assert!(since.holds(Quiet::FIRST));
        since.add(0, 0.0, true);
        since.add(10, 1e9, false);
        assert!(since.holds(Quiet::FIRST), "calls of 0.1 s are compiled within");
    }

    #[test]
    fn a_process_slower_than_others_has_to_wait_longer() {
        let need = |ns| Warming::new(0, 0, ns, Some(100.0), Quiet::AGAIN).need();
        assert!(need(200.0).calls > 2 * need(110.0).calls);
        assert!(need(200.0).ns > 2.0 * need(110.0).ns);
    }
}
