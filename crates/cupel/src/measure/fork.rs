//! One fork: every contender in a fresh process, made ready in random order, and then measured round by round until the fork's share of the budget is spent.

use super::expectation::Expectation;
use super::ready::{Bench, Readied, Told, Work};
use super::round::{self, Round, siblings};
use super::schedule::{FEWEST_ROUNDS, Progress};
use super::{Ending, Estimate, Fresh, Session, next};
use crate::contender::State;
use crate::plan::Plan;
use crate::runner::{Fault, Host};
use crate::store::WarmUpRecord;
use crate::suite::Isolation;
use anyhow::{Result, anyhow};
use cupel_protocol::message::Prepare;
use cupel_protocol::workload::{Align, Contract, Lengths};
use cupel_stats::order::williams;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How long a slice of the fastest cell lasts, in ns.
const SLICE_NS: f64 = 500_000.0;

/// The live processes of a fork and what they are ready for.
pub struct Fork {
    /// Its number in the store.
    pub id: i64,
    /// Processes; a cell's `seat` is a place here.
    pub seats: Vec<Seat>,
    /// By cell: its seat, and whether it takes part in rounds.
    pub places: HashMap<usize, Place>,
    /// By comparison.
    pub live: Vec<Live>,
    /// Computes the folds that slices must return.
    pub expectation: Expectation,
}

/// A process with its contender.
pub struct Seat {
    /// Place of the contender in the plan.
    contender: usize,
    /// Whether it hosts the control.
    twin: bool,
    /// The process; `None` once it is lost.
    pub host: Option<Box<dyn Host>>,
}

/// Where a cell lives.
pub struct Place {
    /// Its seat.
    pub seat: usize,
    /// Whether it takes part in the fork's further rounds.
    pub live: bool,
    /// Its slice is one of so many equal parts of the round's calls.
    pub parts: u64,
}

/// A comparison in this fork.
#[derive(Default)]
pub struct Live {
    /// Calls of a slice, before stretching.
    pub iterations: u64,
    /// Index of the next call; shared by its cells.
    pub next_call: u64,
    /// Rounds so far.
    pub rounds: u64,
    /// Orders still to be used, as places in the list of its live cells.
    pub orders: Vec<Vec<usize>>,
}

impl Fork {
    /// Starts, prepares, warms up and verifies everything that has not failed yet.
    pub fn begin(
        session: &mut Session<'_>,
        ordinal: u32,
        number: u64,
        failed: &mut [bool],
        random: &mut Xoshiro256PlusPlus,
    ) -> Result<Fork> {
        let plan = session.plan;
        let padding = (next(random) % 4097) as usize;
        let id = session.store.begin_fork(session.run, ordinal, padding)?;
        let seeds: Vec<u64> = plan.comparisons.iter().map(|_| next(random) >> 16).collect();
        // One offset for all cells of a comparison: it varies from fork to fork, not between sides.
        let offsets: Vec<u32> =
            plan.comparisons.iter().map(|c| offset(&c.workload.contract, random)).collect();
        let expectation =
            Expectation::new(plan, &seeds, session.cache, session.stage.measuring_cpu())
                .map_err(|e| anyhow!(e))?;
        let live = plan.comparisons.iter().map(|_| Live::default()).collect();
        let mut fork = Fork { id, seats: Vec::new(), places: HashMap::new(), live, expectation };
        fork.take_seats(plan, failed);
        // Each fork runs another layout, and one that stands in for a killed one the same; which comes
        // first is by lot.
        let layout = (plan.seed % 1024) as usize + ordinal as usize;
        let fresh = Fresh { fork: number, padding, layout };
        let mut work = Vec::new();
        for seat in 0..fork.seats.len() {
            let cells = fork.cells_of(seat).into_iter();
            let mut cells: Vec<(usize, Prepare)> = cells
                .map(|cell| {
                    let number = plan.cells[cell].comparison;
                    (cell, preparation(plan, session.cache, cell, seeds[number], offsets[number]))
                })
                .collect();
            cells.shuffle(random);
            work.push(fork.work(plan, seat, fresh, cells));
        }
        work.shuffle(random);
        // What takes longest first: at the end all processors are done at about the same time.
        work.sort_by_key(|work| !matches!(work.contender.state, State::Ready { jit: true, .. }));
        fork.make_ready(session, ordinal == 0, work, &offsets, failed)?;
        Ok(fork)
    }

    /// One seat a contender, and one of its own for each control; or one a cell, where the suite wants
    /// them apart.
    fn take_seats(&mut self, plan: &Plan, failed: &[bool]) {
        for (number, cell) in plan.cells.iter().enumerate() {
            let ready = matches!(plan.contenders[cell.contender].state, State::Ready { .. });
            if failed[number] || !ready {
                continue;
            }
            let shared = plan.options.isolation == Isolation::Contender;
            let mine = |s: &Seat| shared && s.contender == cell.contender && s.twin == cell.twin;
            let seat = self.seats.iter().position(mine).unwrap_or_else(|| {
                let (contender, twin) = (cell.contender, cell.twin);
                self.seats.push(Seat { contender, twin, host: None });
                self.seats.len() - 1
            });
            self.places.insert(number, Place { seat, live: true, parts: 1 });
        }
    }

    /// What there is to do for a seat's process.
    fn work<'a>(
        &self,
        plan: &'a Plan,
        seat: usize,
        fresh: Fresh,
        cells: Vec<(usize, Prepare)>,
    ) -> Work<'a> {
        let Seat { contender, twin, .. } = self.seats[seat];
        let contender = &plan.contenders[contender];
        // A control is the same code elsewhere: half of the layouts further on, so that over all forks
        // the two change places and what a layout does is in the noise floor.
        let layout = fresh.layout + if twin { contender.layouts.len() / 2 } else { 0 };
        Work { seat, contender, fresh: Fresh { layout, ..fresh }, cells }
    }

    /// Has the work done, and records what comes of it.
    fn make_ready(
        &mut self,
        session: &mut Session<'_>,
        audit: bool,
        work: Vec<Work<'_>>,
        offsets: &[u32],
        failed: &mut [bool],
    ) -> Result<()> {
        let plan = session.plan;
        let all = self.places.len();
        let bench = Bench { stage: session.stage, stop: session.stop, audit };
        let mut calls: HashMap<usize, f64> = HashMap::new();
        bench.work_off(work, |told| -> Result<()> {
            let mut begun = 0;
            for told in told {
                match told {
                    Told::Warming(cell) => {
                        session.watch.warming(begun, all, &plan.contender_of(cell).name);
                        begun += 1;
                    }
                    Told::Done(done) => {
                        session.stage.elapsed(done.found.elapsed_ns);
                        self.record(session, done, offsets, &mut calls, failed)?;
                    }
                }
            }
            Ok(())
        })?;
        self.size_slices(plan, &calls, failed);
        Ok(())
    }

    /// Stores what came of a process, and seats it.
    fn record(
        &mut self,
        session: &mut Session<'_>,
        done: Readied,
        offsets: &[u32],
        calls: &mut HashMap<usize, f64>,
        failed: &mut [bool],
    ) -> Result<()> {
        let plan = session.plan;
        let Readied { seat, host, found } = done;
        for (cell, code_path) in found.code_paths {
            let workload = plan.comparisons[plan.cells[cell].comparison].workload.name();
            let contender = plan.cells[cell].contender;
            session.store.code_path(session.run, contender, &workload, &code_path)?;
        }
        for (cell, warm) in found.warm {
            let number = plan.cells[cell].comparison;
            session.store.warmed(
                self.id,
                &WarmUpRecord {
                    cell,
                    first_call_ns: warm.first_call_ns,
                    slices: warm.slices,
                    elapsed_ns: warm.elapsed_ns,
                    settled: warm.settled,
                    ns_per_call: warm.ns_per_call,
                    offset: offsets[number],
                },
            )?;
            let live = &mut self.live[number];
            live.next_call = live.next_call.max(warm.next_call);
            calls.insert(cell, warm.ns_per_call);
        }
        for (cell, failure) in found.failures {
            let cells = if failure.at_all_sizes { siblings(plan, cell) } else { vec![cell] };
            for cell in cells {
                self.fail(session, cell, failure.kind, &failure.reason, failed)?;
            }
        }
        match host {
            Ok(host) => self.seats[seat].host = Some(host),
            Err(fault) => self.lose(session, seat, &fault, failed)?,
        }
        Ok(())
    }

    /// One number of calls for all cells of a comparison, long enough for its fastest. A cell that
    /// takes at least twice as long makes a half of them, a quarter, an eighth: its slice is then still
    /// the longer one, and does not eat the time of all others.
    fn size_slices(&mut self, plan: &Plan, calls: &HashMap<usize, f64>, failed: &[bool]) {
        let resolution = plan.contenders.iter().map(|c| c.resolution_ns()).fold(1.0, f64::max);
        for number in 0..plan.comparisons.len() {
            let mut cells = plan.cells_of(number);
            cells.retain(|&cell| !failed[cell] && calls.contains_key(&cell));
            let fastest = cells.iter().map(|cell| calls[cell]).fold(f64::INFINITY, f64::min);
            if cells.is_empty() {
                continue;
            }
            let iterations = cupel_stats::size::iterations(fastest, resolution, SLICE_NS);
            self.live[number].iterations = iterations;
            for &cell in &cells {
                // A control is sized as what it is a copy of.
                let same = |&&c: &&usize| plan.cells[c].contender == plan.cells[cell].contender;
                let ns = cells.iter().filter(same).map(|c| calls[c]).fold(f64::INFINITY, f64::min);
                // Of messages of many lengths, a part of the calls would have other lengths than all.
                let equal = plan.comparisons[number].workload.contract.lengths == Lengths::Equal;
                if let Some(place) = self.places.get_mut(&cell).filter(|_| equal) {
                    place.parts = cupel_stats::size::parts(ns / fastest, iterations);
                }
            }
        }
    }

    /// Measures until the share of the budget is spent, or all that is open is settled.
    pub fn measure(
        mut self,
        session: &mut Session<'_>,
        share: Duration,
        failed: &mut [bool],
        progress: &mut Progress,
        random: &mut Xoshiro256PlusPlus,
    ) -> Result<Ending> {
        let plan = session.plan;
        progress.begin_fork();
        let began = session.stage.now();
        let mut last = began;
        loop {
            if session.stop.load(Ordering::Relaxed) {
                return Ok(Ending::Interrupted);
            }
            let spent = session.stage.now().saturating_sub(began);
            let Some(comparison) =
                self.next_comparison(plan, progress, spent >= share, failed, random)
            else {
                session.store.finish_fork(self.id)?;
                return Ok(Ending::Finished);
            };
            let mut round = Round { fork: &mut self, comparison, random, failed, began };
            let record = round.run(session, &mut last)?;
            session.store.round(session.run, self.id, &record)?;
            let counted = round::counted(&record);
            progress.add(plan, comparison, &counted);
            let rounds = self.live[comparison].rounds;
            if rounds >= FEWEST_ROUNDS && rounds.is_multiple_of(4) {
                for cell in progress.judge(plan, comparison) {
                    self.leave_out(cell);
                }
            }
            let used = spent.as_secs_f64() / share.as_secs_f64().max(1e-9);
            let estimate = progress.leader(comparison).map(|(leader, ns)| Estimate { leader, ns });
            let left = share.saturating_sub(spent);
            session.watch.round(plan, comparison, estimate, used.min(1.0), left);
        }
    }

    /// The comparison with the fewest rounds among those that are open; ties by lot. Once the time
    /// is over, only those that lack their fewest rounds are open.
    fn next_comparison(
        &self,
        plan: &Plan,
        progress: &Progress,
        over: bool,
        failed: &[bool],
        random: &mut Xoshiro256PlusPlus,
    ) -> Option<usize> {
        let open = |&number: &usize| {
            let rounds = self.live[number].rounds;
            let wanted = rounds < FEWEST_ROUNDS || (!over && !progress.settled(number));
            wanted
                && self.live[number].iterations > 0
                && plan.cells_of(number).iter().any(|c| !failed[*c] && self.places.contains_key(c))
        };
        let candidates: Vec<usize> = (0..plan.comparisons.len()).filter(open).collect();
        let fewest = candidates.iter().map(|&n| self.live[n].rounds).min()?;
        let ties: Vec<usize> =
            candidates.into_iter().filter(|&n| self.live[n].rounds == fewest).collect();
        Some(ties[(next(random) % ties.len() as u64) as usize])
    }

    /// The cells of a comparison that take part in the next round, in its order.
    pub fn order(
        &mut self,
        plan: &Plan,
        comparison: usize,
        failed: &[bool],
        random: &mut Xoshiro256PlusPlus,
    ) -> Vec<usize> {
        let mut cells = plan.cells_of(comparison);
        cells.retain(|c| !failed[*c] && self.places.get(c).is_some_and(|place| place.live));
        let orders = &mut self.live[comparison].orders;
        if orders.last().is_none_or(|order| order.len() != cells.len()) {
            *orders = williams(cells.len(), &mut || next(random));
        }
        match orders.pop() {
            Some(order) => order.into_iter().map(|place| cells[place]).collect(),
            None => cells,
        }
    }

    /// The cells of a seat, rising.
    fn cells_of(&self, seat: usize) -> Vec<usize> {
        let mut cells: Vec<usize> =
            self.places.iter().filter(|(_, p)| p.seat == seat).map(|(&c, _)| c).collect();
        cells.sort_unstable();
        cells
    }

    fn leave_out(&mut self, cell: usize) {
        if let Some(place) = self.places.get_mut(&cell) {
            place.live = false;
        }
    }

    /// Records that a cell failed; the others go on.
    pub fn fail(
        &mut self,
        session: &mut Session<'_>,
        cell: usize,
        kind: &str,
        reason: &str,
        failed: &mut [bool],
    ) -> Result<()> {
        if !failed[cell] {
            failed[cell] = true;
            session.store.cell_failed(session.run, cell, kind, reason)?;
            session.watch.failed(&session.plan.contender_of(cell).name, reason);
        }
        self.leave_out(cell);
        Ok(())
    }

    /// A process is lost: all its cells fail, for its reason.
    pub fn lose(
        &mut self,
        session: &mut Session<'_>,
        seat: usize,
        fault: &Fault,
        failed: &mut [bool],
    ) -> Result<()> {
        self.seats[seat].host = None;
        let cells = self.cells_of(seat);
        let reason = format!("its runner {fault}");
        for cell in cells {
            self.fail(session, cell, "failed", &reason, failed)?;
        }
        Ok(())
    }
}

/// What to ask for a cell.
fn preparation(plan: &Plan, cache: &Path, cell: usize, seed: u64, offset: u32) -> Prepare {
    let number = plan.cells[cell].comparison;
    let comparison = &plan.comparisons[number];
    Prepare {
        cell: cell as u32,
        contender: plan.contender_of(cell).implementation.clone(),
        workload: comparison.workload.clone(),
        seed,
        pool: comparison.pool,
        offset,
        key: plan.key(number, seed),
        ad: comparison.ad.clone(),
        file: plan.file(number, cache).map(|p| p.to_string_lossy().into_owned()),
    }
}

fn offset(contract: &Contract, random: &mut Xoshiro256PlusPlus) -> u32 {
    match contract.align {
        Align::Varied => (next(random) % 64) as u32,
        Align::Line => 0,
    }
}
