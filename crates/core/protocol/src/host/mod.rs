//! The runner for everything that can be called as a Rust value. The native and the Rust runner
//! differ only in their [`Library`].
//!
//! [`Host`] answers the requests. `prepare` fills a cell's memory (`pool`), `cell` has the timed
//! loop, and `compute` answers verification. If a contract has several threads, `crew` has those
//! besides the first one, and `together` is a slice of all of them.

mod call;
mod cell;
mod compute;
mod crew;
mod library;
mod pool;
mod prepare;
mod together;

pub use call::{Call, CallError, Io};
pub use library::{Common, Library, Refused, Task};

use crate::message::{
    Clock, Compute, Computed, Hello, List, Outcome, Prepare, Prepared, Refusal, Slice, Sliced,
};
use crate::noise::Meter;
use crate::own_pages::own_pages;
use crate::serve::Runner;
use crate::workload::{Contract, MAX_BATCH, Operation, Shape, Shared};
use cell::Cell;
use crew::Crew;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use together::Together;

/// Serves a [`Library`] through the protocol.
pub struct Host<L: Library> {
    name: &'static str,
    version: &'static str,
    /// Every thread opens its contenders itself.
    library: Arc<Mutex<L>>,
    /// The only contender of this process, once a request has named it.
    chosen: Option<String>,
    /// Without a random hash: where a cell is in memory must depend on nothing else.
    cells: BTreeMap<u32, Cell<L::Cell>>,
    /// The threads besides this one.
    crew: Crew,
    meter: Meter,
    /// Whether a reply has reported that the code stays in pages which other processes share.
    shares_code: bool,
}

/// The library. A thread that panics ends the process, so nothing is ever left half done.
fn lock<L>(library: &Mutex<L>) -> MutexGuard<'_, L> {
    library.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<L: Library> Host<L> {
    /// A host for this library, with a runner's name and version.
    pub fn new(name: &'static str, version: &'static str, library: L) -> Host<L> {
        let library = Arc::new(Mutex::new(library));
        let (chosen, cells, crew) = (None, BTreeMap::new(), Crew::default());
        Host {
            name,
            version,
            library,
            chosen,
            cells,
            crew,
            meter: Meter::new(),
            shares_code: false,
        }
    }

    /// Rejects requests that no contender can fulfil, and sharing that this one cannot do.
    fn check(
        &self,
        contender: &str,
        primitive: &str,
        operation: Operation,
        contract: &Contract,
        shape: Shape,
    ) -> Result<(), Refused> {
        let undefined = undefined_batch(operation, contract)
            .or_else(|| contract.undefined_lengths(operation, shape))
            .or_else(|| contract.undefined_bytes(operation, shape))
            .or_else(|| contract.undefined_threads(operation, shape))
            .or_else(|| contract.undefined_forgery(operation))
            .or_else(|| contract.undefined_prefix(operation))
            .or_else(|| contract.awaits().map(str::to_string));
        if let Some(why) = undefined {
            return Err(Refused::unsupported(why));
        }
        let shares = || lock(&self.library).shares(contender, primitive, operation, contract);
        if contract.shared == Shared::Context && !shares() {
            return Err(Refused::unsupported(format!(
                "{contender} has nothing prepared that threads may share"
            )));
        }
        Ok(())
    }

    /// Rejects a second contender: each process hosts only one.
    fn choose(&mut self, contender: &str) -> Result<(), Refused> {
        match &self.chosen {
            Some(other) if other != contender => Err(Refused::failed(format!(
                "this process hosts {other} already; {contender} needs its own process"
            ))),
            Some(_) => Ok(()),
            None => {
                self.chosen = Some(contender.to_string());
                self.own_pages();
                Ok(())
            }
        }
    }

    /// Moves the code to pages of this process, so that each fork is a sample of where code lies.
    fn own_pages(&mut self) {
        if let Err(why) = own_pages()
            && !std::mem::replace(&mut self.shares_code, true)
        {
            eprintln!("the code stays in pages that all processes share: {why}");
        }
    }
}

/// Why a contract's batch is undefined for this operation, if it is.
fn undefined_batch(operation: Operation, contract: &Contract) -> Option<String> {
    let Contract { batch, chunk, .. } = *contract;
    if operation != Operation::DigestMany {
        return (batch != 1).then(|| format!("{operation} takes one message per call"));
    }
    if !(1..=MAX_BATCH).contains(&batch) {
        return Some(format!("a batch has 1 to {MAX_BATCH} messages, not {batch}"));
    }
    (chunk != 0).then(|| NOT_STREAMED.to_string())
}

const NOT_STREAMED: &str = "the messages of a batch are not streamed";

impl<L: Library> Runner for Host<L> {
    fn hello(&mut self) -> Hello {
        Hello {
            protocol: crate::PROTOCOL,
            runner: self.name.to_string(),
            version: self.version.to_string(),
            clock: Clock {
                name: "CLOCK_MONOTONIC".to_string(),
                resolution_ns: resolution_ns(),
                simulated: false,
            },
            jit: false,
            thread: None,
        }
    }

    fn list(&mut self) -> Outcome<List> {
        Outcome::Ok(List { contenders: lock(&self.library).list() })
    }

    fn prepare(&mut self, ask: &Prepare) -> Outcome<Prepared> {
        self.try_prepare(ask).map_or_else(Refused::outcome, Outcome::Ok)
    }

    fn compute(&mut self, ask: &Compute) -> Outcome<Computed> {
        self.try_compute(ask).map_or_else(Refused::outcome, Outcome::Ok)
    }

    fn slice(&mut self, ask: &Slice) -> Outcome<Sliced> {
        let Some(cell) = self.cells.get_mut(&ask.cell) else {
            let reason = format!("cell {} was not prepared", ask.cell);
            return Outcome::Failed(Refusal::because(reason));
        };
        cell.last = 0;
        let failed = |e| Outcome::Failed(Refusal::because(format!("in a timed slice: {e:?}")));
        if cell.threads > 1 {
            let together = Arc::new(Together::new(ask, cell.threads));
            let others = self.crew.begin(ask.cell, &together);
            return together.lead(cell, &self.meter, &others).map_or_else(failed, Outcome::Ok);
        }
        if let Err(e) = cell.calls(ask.first, ask.preroll) {
            return failed(e);
        }
        let before = self.meter.read();
        let start = Instant::now();
        let sum = cell.calls(ask.first + ask.preroll, ask.iterations);
        let elapsed = start.elapsed();
        let noise = self.meter.read().since(&before);
        match sum {
            Ok(fold) => Outcome::Ok(Sliced {
                iterations: ask.iterations,
                elapsed_ns: elapsed.as_nanos() as f64,
                fold,
                noise,
                allocated_per_call: None,
                compilation: None,
            }),
            Err(e) => failed(e),
        }
    }
}

/// The smallest step between two different readings of the clock, over a thousand of them, in ns.
pub fn resolution_ns() -> f64 {
    let mut smallest = f64::INFINITY;
    for _ in 0..1000 {
        let start = Instant::now();
        let mut step = start.elapsed();
        while step.is_zero() {
            step = start.elapsed();
        }
        smallest = smallest.min(step.as_nanos() as f64);
    }
    smallest
}
