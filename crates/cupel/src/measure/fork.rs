//! One fork: every contender in a fresh process, prepared in random order, warmed up, verified while
//! warm, and then measured round by round until the fork's share of the budget is spent.

use super::clock::{self, Timed};
use super::expectation::Expectation;
use super::round::{self, Round, siblings};
use super::schedule::{FEWEST_ROUNDS, Progress};
use super::warm_up::{Code, WarmUp, warm_up};
use super::{Ending, Estimate, Fresh, Session, Stage, next};
use crate::contender::State;
use crate::plan::Plan;
use crate::runner::{Fault, Host, expect_ok};
use crate::store::WarmUpRecord;
use crate::verify::{self, Depth};
use anyhow::{Result, anyhow};
use cupel_protocol::message::{Outcome, Prepare, Slice};
use cupel_protocol::workload::{Align, Contract, Operation};
use cupel_stats::order::williams;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How long a slice of the fastest cell lasts, in ns.
const SLICE_NS: f64 = 500_000.0;

/// The live processes of a fork and what they are ready for.
pub struct Fork {
    /// Its number in the store.
    pub id: i64,
    /// Its place in the run, from 0.
    ordinal: u32,
    /// Processes; a cell's `seat` is a place here.
    pub seats: Vec<Seat>,
    /// By cell: its seat, and whether it takes part in rounds.
    pub places: HashMap<usize, Place>,
    /// Cells that are warm.
    warm: HashSet<usize>,
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
        let mut fork = Fork {
            id,
            ordinal,
            seats: Vec::new(),
            places: HashMap::new(),
            warm: HashSet::new(),
            live,
            expectation,
        };
        fork.take_seats(plan, failed);
        // Each fork runs another layout, and one that stands in for a killed one the same; which comes
        // first is by lot.
        let layout = (plan.seed % 1024) as usize + ordinal as usize;
        fork.start(session, Fresh { fork: number, padding, layout }, failed)?;
        let mut order: Vec<usize> = fork.places.keys().copied().collect();
        order.sort_unstable();
        order.shuffle(random);
        let mut calls: HashMap<usize, f64> = HashMap::new();
        for (done, &cell) in order.iter().enumerate() {
            if failed[cell] || session.stop.load(Ordering::Relaxed) {
                continue;
            }
            session.watch.warming(done, order.len(), &plan.contender_of(cell).name);
            let number = plan.cells[cell].comparison;
            if let Some(ns) = fork.ready(session, cell, seeds[number], offsets[number], failed)? {
                calls.insert(cell, ns);
            }
        }
        fork.verify_warm(session, failed)?;
        fork.size_slices(plan, &calls, failed);
        Ok(fork)
    }

    /// One seat a contender, and one of its own for each control.
    fn take_seats(&mut self, plan: &Plan, failed: &[bool]) {
        for (number, cell) in plan.cells.iter().enumerate() {
            let ready = matches!(plan.contenders[cell.contender].state, State::Ready { .. });
            if failed[number] || !ready {
                continue;
            }
            let mine = |s: &Seat| s.contender == cell.contender && s.twin == cell.twin;
            let seat = self.seats.iter().position(mine).unwrap_or_else(|| {
                let (contender, twin) = (cell.contender, cell.twin);
                self.seats.push(Seat { contender, twin, host: None });
                self.seats.len() - 1
            });
            self.places.insert(number, Place { seat, live: true, parts: 1 });
        }
    }

    fn start(
        &mut self,
        session: &mut Session<'_>,
        fresh: Fresh,
        failed: &mut [bool],
    ) -> Result<()> {
        for seat in 0..self.seats.len() {
            let Seat { contender, twin, .. } = self.seats[seat];
            let contender = &session.plan.contenders[contender];
            // A control is the same code elsewhere: half of the layouts further on, so that over all
            // forks the two change places and what a layout does is in the noise floor.
            let layout = fresh.layout + if twin { contender.layouts.len() / 2 } else { 0 };
            match session.stage.start(contender, Fresh { layout, ..fresh }) {
                Ok(host) => self.seats[seat].host = Some(host),
                Err(fault) => self.lose(session, seat, &fault, failed)?,
            }
        }
        Ok(())
    }

    /// Prepares a cell and warms it up; returns the time of a call in ns.
    fn ready(
        &mut self,
        session: &mut Session<'_>,
        cell: usize,
        seed: u64,
        offset: u32,
        failed: &mut [bool],
    ) -> Result<Option<f64>> {
        let plan = session.plan;
        let number = plan.cells[cell].comparison;
        let comparison = &plan.comparisons[number];
        let contender = plan.contender_of(cell);
        let seat = self.places[&cell].seat;
        let code = match contender.state {
            State::Ready { jit: true, .. } if self.warmed(plan, cell) => Code::JitAgain,
            State::Ready { jit: true, .. } => Code::Jit,
            _ => Code::Native,
        };
        let Some(host) = self.seats[seat].host.as_mut() else { return Ok(None) };
        let ask = Prepare {
            cell: cell as u32,
            contender: contender.implementation.clone(),
            workload: comparison.workload.clone(),
            seed,
            pool: comparison.pool,
            offset,
            key: plan.key(number, seed),
            ad: comparison.ad.clone(),
            file: plan.file(number, session.cache).map(|p| p.to_string_lossy().into_owned()),
        };
        match host.prepare(&ask) {
            Ok(Outcome::Ok(prepared)) => {
                session.store.code_path(
                    session.run,
                    plan.cells[cell].contender,
                    &comparison.workload.name(),
                    &prepared.code_path,
                )?;
            }
            Ok(Outcome::Unsupported(refusal)) => {
                self.fail(session, cell, "unsupported", &refusal.reason, failed)?;
                return Ok(None);
            }
            Ok(Outcome::Missing(refusal)) => {
                self.fail(session, cell, "missing", &refusal.reason, failed)?;
                return Ok(None);
            }
            Ok(Outcome::Failed(refusal)) => {
                self.fail(session, cell, "failed", &refusal.reason, failed)?;
                return Ok(None);
            }
            Err(fault) => {
                self.lose(session, seat, &fault, failed)?;
                return Ok(None);
            }
        }
        // The inputs of `open` were sealed with the nonces below the pool's size.
        let first = u64::from(comparison.pool);
        let stage = &mut *session.stage;
        let warm = warm_up(host.as_mut(), cell as u32, code, first, &mut |ns| stage.elapsed(ns));
        // Once a run: units and what is inside the time do not change from process to process.
        let warm = match warm {
            Ok(warm) if self.ordinal == 0 => {
                audited(host.as_mut(), cell as u32, warm, contender.resolution_ns(), stage)
            }
            other => other.map(|warm| (warm, None)),
        };
        match warm {
            Ok((_, Some(reason))) => {
                // Whose time is false at one size is not believed at another.
                for cell in siblings(plan, cell) {
                    self.fail(session, cell, "failed", &reason, failed)?;
                }
                Ok(None)
            }
            Ok((warm, None)) => {
                session.store.warmed(
                    self.id,
                    &WarmUpRecord {
                        cell,
                        first_call_ns: warm.first_call_ns,
                        slices: warm.slices,
                        elapsed_ns: warm.elapsed_ns,
                        settled: warm.settled,
                        ns_per_call: warm.ns_per_call,
                        offset,
                    },
                )?;
                let live = &mut self.live[number];
                live.next_call = live.next_call.max(warm.next_call);
                self.warm.insert(cell);
                Ok(Some(warm.ns_per_call))
            }
            Err(Fault::Refused { refusal, .. }) => {
                self.fail(session, cell, "failed", &refusal.reason, failed)?;
                Ok(None)
            }
            Err(fault) => {
                self.lose(session, seat, &fault, failed)?;
                Ok(None)
            }
        }
    }

    /// Whether the cell's process is warm at another size of the same work.
    fn warmed(&self, plan: &Plan, cell: usize) -> bool {
        let seat = self.places[&cell].seat;
        siblings(plan, cell).iter().any(|c| {
            self.warm.contains(c) && self.places.get(c).is_some_and(|place| place.seat == seat)
        })
    }

    /// Verifies every contender again, now that it is warm, at every measured size.
    fn verify_warm(&mut self, session: &mut Session<'_>, failed: &mut [bool]) -> Result<()> {
        let plan = session.plan;
        for seat in 0..self.seats.len() {
            for work in work_of(plan, &self.places, seat) {
                if session.stop.load(Ordering::Relaxed) {
                    return Ok(());
                }
                let contender = &plan.contenders[self.seats[seat].contender];
                let Some(offer) = contender.offer(&work.primitive, work.operation, &work.contract)
                else {
                    continue;
                };
                let Some(host) = self.seats[seat].host.as_mut() else { break };
                let verified = verify::verify(
                    &mut |ask| host.compute(ask),
                    &contender.implementation,
                    offer,
                    &work.contract,
                    Depth::Warm,
                    &work.sizes,
                );
                match verified {
                    Ok(verified) => {
                        if let Some(failure) = verified.failure {
                            let reason = format!("answers wrongly once warm: {failure}");
                            for cell in work.cells {
                                self.fail(session, cell, "failed", &reason, failed)?;
                            }
                        }
                    }
                    Err(fault) => self.lose(session, seat, &fault, failed)?,
                }
            }
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
                if let Some(place) = self.places.get_mut(&cell) {
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
        let mut cells: Vec<usize> =
            self.places.iter().filter(|(_, p)| p.seat == seat).map(|(&c, _)| c).collect();
        cells.sort_unstable();
        let reason = format!("its runner {fault}");
        for cell in cells {
            self.fail(session, cell, "failed", &reason, failed)?;
        }
        Ok(())
    }
}

/// A warm cell, held to the tool's own clock where there is one, and what is wrong with its time.
fn audited(
    host: &mut dyn Host,
    cell: u32,
    mut warm: WarmUp,
    resolution: f64,
    stage: &mut dyn Stage,
) -> Result<(WarmUp, Option<String>), Fault> {
    if stage.clock().is_none() {
        return Ok((warm, None));
    }
    let mut slice = |iterations: u64| {
        let ask = Slice { cell, first: warm.next_call, preroll: 0, iterations };
        warm.next_call += iterations;
        let asked = stage.clock();
        let sliced = expect_ok(host.slice(&ask)?, "slice")?;
        let waited = asked.map_or(f64::INFINITY, |asked| asked.elapsed().as_nanos() as f64);
        Ok(Timed { reported: sliced.elapsed_ns, waited })
    };
    let doubt = clock::audit(&mut slice, warm.ns_per_call, resolution)?;
    Ok((warm, doubt))
}

fn offset(contract: &Contract, random: &mut Xoshiro256PlusPlus) -> u32 {
    match contract.align {
        Align::Varied => (next(random) % 64) as u32,
        Align::Line => 0,
    }
}

/// What one seat is verified for: its cells that differ only in size.
struct Work {
    primitive: String,
    operation: Operation,
    contract: Contract,
    sizes: Vec<u64>,
    cells: Vec<usize>,
}

fn work_of(plan: &Plan, places: &HashMap<usize, Place>, seat: usize) -> Vec<Work> {
    let mut works: Vec<Work> = Vec::new();
    let mut cells: Vec<usize> =
        places.iter().filter(|(_, p)| p.seat == seat && p.live).map(|(&c, _)| c).collect();
    cells.sort_unstable();
    for cell in cells {
        let workload = &plan.comparisons[plan.cells[cell].comparison].workload;
        let same = |w: &&mut Work| {
            (&w.primitive, w.operation, &w.contract)
                == (&workload.primitive, workload.operation, &workload.contract)
        };
        match works.iter_mut().find(same) {
            Some(work) => {
                work.sizes.push(workload.size);
                work.cells.push(cell);
            }
            None => works.push(Work {
                primitive: workload.primitive.clone(),
                operation: workload.operation,
                contract: workload.contract.clone(),
                sizes: vec![workload.size],
                cells: vec![cell],
            }),
        }
    }
    works
}
