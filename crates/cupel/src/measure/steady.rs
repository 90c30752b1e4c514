//! When the code of a process is steady: its compiler has nothing more to do, as the compiler itself
//! says where the runner passes that on. A time that has stopped falling may be the plateau of a
//! lower compilation level; how long it lasts depends on the machine, and no test on times tells it
//! from the end.

use super::clock;
use super::disturbance;
use crate::runner::{Fault, Host, expect_ok};
use cupel_protocol::message::{Compilation, Refusal, Slice, Sliced};
use cupel_stats::quantile::median;
use std::sync::atomic::{AtomicBool, Ordering};

/// How much a cell must run without an event of the compiler before its code counts as final.
///
/// HotSpot compiles a method for its highest level after 5000 calls of it, and a loop after 40000
/// turns (`Tier4InvocationThreshold`, `Tier4BackEdgeThreshold`). What a call does more than once is
/// compiled sooner, so where calls are long, those that matter are fewer.
#[derive(Clone, Copy, Debug)]
pub struct Quiet {
    /// So many calls are enough,
    calls: u64,
    /// if they took so long, in ns: a compilation may wait for a processor that long.
    least_ns: f64,
    /// So are fewer ones that took so long together, in ns inside slices.
    few: (u64, f64),
    /// And so is this time, whatever was called in it, in ns.
    ns: f64,
}

impl Quiet {
    /// Of work that has not run in this process, or whose code was discarded.
    pub const FIRST: Quiet = Quiet { calls: 60_000, least_ns: 10e6, few: (6_000, 300e6), ns: 1e9 };

    /// Of another size of work that has run, and of all cells of a process together: what they
    /// share is compiled.
    pub const AGAIN: Quiet = Quiet { calls: 10_000, least_ns: 3e6, few: (0, 50e6), ns: 50e6 };

    /// So many times as much.
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

/// How long the compiler of a process may go on, in ns inside slices and of waiting for it: so long,
/// or twice as long as all of its cells have to be quiet, if that is longer. Only an event ends it.
const LONGEST_NS: f64 = 8e9;

/// Length of a slice while cells become steady, in ns.
const SLICE_NS: f64 = 300_000.0;

/// A cell this much slower than the fastest process of it so far may be at a lower level of which
/// its compiler does not tell: it must stay quiet [`DOUBTED`] times as long.
const SLOWER: f64 = 1.25;

/// See [`SLOWER`].
const DOUBTED: u64 = 4;

/// Slices of which the median is a cell's time.
const RECENT: usize = 9;

/// What the compiler of one process was last seen to have done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Account {
    last: Option<Compilation>,
}

/// What a reply says of the compiler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Code was installed or discarded since the reply before.
    pub any: bool,
    /// Code of the highest level was, or is about to be.
    pub highest: bool,
    /// Code of the highest level was discarded.
    pub discarded: bool,
}

impl Account {
    /// Takes in what a reply says; nothing where the runner does not tell.
    pub fn take(&mut self, said: Option<Compilation>) -> Change {
        let Some(now) = said else {
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
    /// A slice of so many calls took so long; `event` says that it began anew.
    pub fn add(&mut self, calls: u64, ns: f64, event: bool) {
        if event {
            *self = Since::default();
            return;
        }
        self.calls += calls;
        self.ns += ns;
    }

    /// How long, in ns inside slices.
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
    /// Index of its next call.
    pub next_call: u64,
    /// Time of a call, in ns.
    pub ns_per_call: f64,
    /// The least that an earlier process of it came to, in ns a call.
    pub reached: Option<f64>,
    /// Slices, and time inside them in ns.
    pub slices: u64,
    /// See `slices`.
    pub elapsed_ns: f64,
    /// The level of its loop's code.
    pub level: Option<u32>,
    since: Since,
    need: Quiet,
    recent: Vec<f64>,
}

impl Warming {
    /// A cell whose next call and whose time a call are these, and that must stay quiet for so long.
    pub fn new(
        cell: usize,
        next_call: u64,
        ns_per_call: f64,
        reached: Option<f64>,
        need: Quiet,
    ) -> Warming {
        Warming {
            cell,
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

    fn is_steady(&self) -> bool {
        self.since.holds(self.need())
    }

    fn slice(
        &mut self,
        host: &mut dyn Host,
        account: &mut Account,
    ) -> Result<(f64, Change), Fault> {
        let iterations = ((SLICE_NS / self.ns_per_call).ceil() as u64).max(1);
        let sliced = warm_slice(host, self.cell as u32, self.next_call, iterations)?;
        self.next_call += iterations;
        self.slices += 1;
        self.elapsed_ns += sliced.elapsed_ns;
        if disturbance::of(sliced.elapsed_ns, &sliced.noise).is_none() {
            self.recent.push(sliced.elapsed_ns / iterations as f64);
            let last = self.recent.len().saturating_sub(RECENT);
            self.ns_per_call = median(&self.recent[last..]);
        }
        let change = account.take(sliced.compilation);
        self.level = account.level();
        self.since.add(iterations, sliced.elapsed_ns, change.highest);
        let waited = if account.pending() { host.wait() } else { 0.0 };
        Ok((sliced.elapsed_ns + waited, change))
    }
}

/// One slice whose time is used for nothing but to see how it goes.
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

/// How a process came out of [`together`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing is compiled any more.
    Steady,
    /// Its compiler went on until it was given up.
    Restless,
    /// A person wants it to end.
    Stopped,
}

/// Runs the cells of a process by turns, as rounds will, until nothing that they share is compiled
/// any more. An event in one of them is one for all. A cell whose slice is refused leaves `cells`,
/// and is told to `refused`.
///
/// # Errors
/// The fault of a runner that is lost.
pub fn together(
    host: &mut dyn Host,
    account: &mut Account,
    cells: &mut Vec<Warming>,
    stop: &AtomicBool,
    refused: &mut dyn FnMut(usize, Refusal),
) -> Result<Outcome, Fault> {
    let longest = LONGEST_NS.max(2.0 * cells.len() as f64 * Quiet::FIRST.ns);
    let mut spent = 0.0;
    while let Some(first) = cells.iter().position(|cell| !cell.is_steady()) {
        let mut place = first;
        while place < cells.len() {
            if stop.load(Ordering::Relaxed) {
                return Ok(Outcome::Stopped);
            }
            if cells[place].is_steady() {
                place += 1;
                continue;
            }
            let (ns, change) = match cells[place].slice(host, account) {
                Ok(done) => done,
                Err(Fault::Refused { refusal, .. }) => {
                    refused(cells.remove(place).cell, refusal);
                    continue;
                }
                Err(fault) => return Err(fault),
            };
            spent += ns;
            if change.highest {
                if spent >= longest {
                    return Ok(Outcome::Restless);
                }
                for cell in cells.iter_mut() {
                    cell.since = Since::default();
                    // Calls are counted from the beginning again, and longer than others need.
                    if change.discarded {
                        cell.need = Quiet::FIRST;
                    }
                }
            }
            place += 1;
        }
    }
    Ok(Outcome::Steady)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(events: u64, installed: u64, discarded: u64, pending: u64) -> Option<Compilation> {
        Some(Compilation { events, installed, discarded, pending, level: Some(4) })
    }

    #[test]
    fn an_account_sees_what_is_new_and_what_is_to_come() {
        let mut account = Account::default();
        let seen = |any, highest, discarded| Change { any, highest, discarded };
        assert_eq!(account.take(None), Change::default());
        assert_eq!(account.take(said(7, 2, 0, 0)), seen(true, true, false));
        assert_eq!(account.take(said(7, 2, 0, 0)), Change::default());
        assert_eq!(account.take(said(8, 2, 0, 0)), seen(true, false, false));
        assert_eq!(account.take(said(8, 2, 0, 1)), seen(true, true, false));
        assert_eq!(account.take(said(9, 3, 0, 0)), seen(true, true, false));
        assert_eq!(account.take(said(10, 3, 1, 0)), seen(true, true, true));
    }

    #[test]
    fn quiet_is_many_calls_or_a_long_time_without_an_event() {
        let mut since = Since::default();
        since.add(9_999, 3e6, false);
        assert!(!since.holds(Quiet::AGAIN));
        since.add(1, 1.0, false);
        assert!(since.holds(Quiet::AGAIN) && !since.holds(Quiet::FIRST));
        since.add(1, 1.0, true);
        assert!(!since.holds(Quiet::AGAIN), "an event begins it anew");
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
