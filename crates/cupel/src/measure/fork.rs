//! One fork: every contender in a fresh process, made ready in random order, and then measured round by round until the fork's share of the budget is spent.

use super::expectation::Expectation;
use super::ready::{Bench, Exam, NEVER_STEADY, Readied, Told, Work};
use super::round::{self, Round, siblings};
use super::schedule::{FEWEST_ROUNDS, MOST_TRIES, Progress};
use super::steady::{self, Account, Outcome, Quiet, Warming};
use super::{Ending, Estimate, Fresh, Session, next};
use crate::contender::State;
use crate::plan::Plan;
use crate::runner::{Fault, Host};
use crate::store::WarmUpRecord;
use crate::suite::Isolation;
use anyhow::{Result, anyhow};
use cupel_protocol::message::Prepare;
use cupel_protocol::workload::{Align, Contract, Lengths, Workload};
use cupel_stats::order::williams;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// So often may the code of a process be compiled anew in the rounds of a fork, each time with a
/// wait until it is steady again.
const MOST_RECOMPILED: u32 = 3;

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
    /// By cell: time of a call, in ns.
    pub calls: HashMap<usize, f64>,
}

/// A process with its contender.
pub struct Seat {
    /// Place of the contender in the plan.
    contender: usize,
    /// Whether it hosts the control.
    control: bool,
    /// The process; `None` once it is lost.
    pub host: Option<Box<dyn Host>>,
    /// What its compiler has done.
    pub account: Account,
    /// Times that its code was compiled anew in rounds.
    recompiled: u32,
}

/// Where a cell lives.
pub struct Place {
    /// Its seat.
    pub seat: usize,
    /// Whether it takes part in the fork's further rounds.
    pub live: bool,
    /// Whether its code did not come to rest in this fork.
    given_up: bool,
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
    /// Of these, those since code of one of its cells was compiled anew.
    pub tries: u64,
    /// By cell: rounds in which it counts, and the baseline too.
    pub counted: HashMap<usize, u64>,
    /// Orders still to be used, as places in the list of its live cells.
    pub orders: Vec<Vec<usize>>,
}

impl Fork {
    /// Starts, prepares and warms up everything that has not failed yet.
    pub fn begin(
        session: &mut Session<'_>,
        ordinal: u32,
        number: u64,
        failed: &mut [bool],
        reached: &mut HashMap<usize, f64>,
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
        let (seats, places, calls) = (Vec::new(), HashMap::new(), HashMap::new());
        let mut fork = Fork { id, seats, places, live, expectation, calls };
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
            let mut work_of_seat = fork.work(plan, seat, fresh, cells);
            work_of_seat.reached.clone_from(reached);
            work.push(work_of_seat);
        }
        work.shuffle(random);
        // What takes longest first: at the end all processors are done at about the same time.
        work.sort_by_key(|work| !matches!(work.contender.state, State::Ready { jit: true, .. }));
        fork.make_ready(session, ordinal == 0, work, &offsets, failed)?;
        for (&cell, &ns) in &fork.calls {
            let least = reached.entry(cell).or_insert(ns);
            *least = least.min(ns);
        }
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
            let mine =
                |s: &Seat| shared && s.contender == cell.contender && s.control == cell.control;
            let seat = self.seats.iter().position(mine).unwrap_or_else(|| {
                let (contender, control) = (cell.contender, cell.control);
                let account = Account::default();
                self.seats.push(Seat { contender, control, host: None, account, recompiled: 0 });
                self.seats.len() - 1
            });
            self.places.insert(number, Place { seat, live: true, given_up: false, parts: 1 });
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
        let Seat { contender, control, .. } = self.seats[seat];
        let contender = &plan.contenders[contender];
        // A control is the same code elsewhere: half of the layouts further on, so that over all forks
        // the two change places and what a layout does is in the noise floor.
        let layout = fresh.layout + if control { contender.layouts.len() / 2 } else { 0 };
        let reached = HashMap::new();
        Work { seat, contender, fresh: Fresh { layout, ..fresh }, cells, reached }
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
        bench.make_ready(work, |told| -> Result<()> {
            let mut begun = 0;
            for told in told {
                match told {
                    Told::Warming(cell) => {
                        session.watch.warming(begun, all, &plan.contender_of(cell).name);
                        begun += 1;
                    }
                    Told::Done(done) => {
                        session.stage.elapsed(done.found.elapsed_ns);
                        self.record(session, *done, offsets, failed)?;
                    }
                }
            }
            Ok(())
        })?;
        self.size_slices(plan, failed);
        Ok(())
    }

    /// Stores what came of a process, and seats it.
    fn record(
        &mut self,
        session: &mut Session<'_>,
        done: Readied,
        offsets: &[u32],
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
                    level: warm.level,
                    events: warm.events,
                },
            )?;
            let live = &mut self.live[number];
            live.next_call = live.next_call.max(warm.next_call);
            self.calls.insert(cell, warm.ns_per_call);
        }
        for (cell, reason) in found.unsteady {
            self.give_up(session, cell, &reason)?;
        }
        self.seats[seat].account = found.account;
        for (cell, failure) in found.failures {
            match failure.at_all_sizes {
                true => self.disbelieve(session, cell, &failure.reason, failed)?,
                false => self.fail(session, cell, failure.kind, &failure.reason, failed)?,
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
    fn size_slices(&mut self, plan: &Plan, failed: &[bool]) {
        let calls = &self.calls;
        let resolution = plan.contenders.iter().map(|c| c.resolution_ns()).fold(1.0, f64::max);
        for number in 0..plan.comparisons.len() {
            let mut cells = plan.comparisons[number].cells.clone();
            cells.retain(|&cell| {
                !failed[cell] && calls.contains_key(&cell) && self.takes_part(cell)
            });
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
                return self.end(session, failed);
            };
            let mut round = Round { fork: &mut self, comparison, random, failed, began };
            let (record, restless) = round.run(session, &mut last)?;
            session.store.round(session.run, self.id, &record)?;
            let counted = round::counted(&record);
            progress.add(plan, comparison, &counted);
            self.count(plan, comparison, &counted);
            for (seat, discarded) in restless {
                self.settle_again(session, seat, discarded, progress, failed)?;
            }
            let rounds = self.live[comparison].tries;
            if rounds >= FEWEST_ROUNDS && rounds.is_multiple_of(4) {
                for cell in progress.judge(plan, comparison) {
                    // Whatever is known of it, a fork of fewer rounds would be no sample of it.
                    let counted = self.live[comparison].counted.get(&cell);
                    if counted.is_some_and(|&counted| counted >= FEWEST_ROUNDS) {
                        self.leave_out(cell);
                    }
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
            let wanted = self.lacks_rounds(plan, number) || (!over && !progress.settled(number));
            wanted
                && self.live[number].iterations > 0
                && plan.comparisons[number].cells.iter().any(|c| !failed[*c] && self.takes_part(*c))
        };
        let candidates: Vec<usize> = (0..plan.comparisons.len()).filter(open).collect();
        let fewest = candidates.iter().map(|&n| self.live[n].tries).min()?;
        let ties: Vec<usize> =
            candidates.into_iter().filter(|&n| self.live[n].tries == fewest).collect();
        Some(ties[(next(random) % ties.len() as u64) as usize])
    }

    /// Whether a cell takes part in the fork's further rounds.
    fn takes_part(&self, cell: usize) -> bool {
        self.places.get(&cell).is_some_and(|place| place.live)
    }

    /// Whether a cell that takes part has not counted often enough for this fork to be a sample of
    /// it. What is disturbed too often is given up.
    fn lacks_rounds(&self, plan: &Plan, comparison: usize) -> bool {
        let Live { tries, counted, .. } = &self.live[comparison];
        let cells = &plan.comparisons[comparison].cells;
        let mut counts = cells.iter().filter(|&&cell| self.takes_part(cell));
        let few = |cell: &usize| counted.get(cell).copied().unwrap_or_default() < FEWEST_ROUNDS;
        *tries < FEWEST_ROUNDS || (*tries < MOST_TRIES && counts.any(few))
    }

    /// Counts a round for the cells that count in it, if the baseline does where it takes part.
    fn count(&mut self, plan: &Plan, comparison: usize, counted: &[(usize, f64)]) {
        let baseline = plan.comparisons[comparison].baseline;
        let compared = baseline.is_some_and(|cell| self.takes_part(cell));
        let live = &mut self.live[comparison];
        live.tries += 1;
        if !compared || counted.iter().any(|(cell, _)| Some(*cell) == baseline) {
            for (cell, _) in counted {
                *live.counted.entry(*cell).or_default() += 1;
            }
        }
    }

    /// Waits until the code of a process is steady again. What its cells did before in this fork was
    /// of other code, and does not count.
    fn settle_again(
        &mut self,
        session: &mut Session<'_>,
        seat: usize,
        discarded: bool,
        progress: &mut Progress,
        failed: &mut [bool],
    ) -> Result<()> {
        let plan = session.plan;
        // One that sits out keeps what it has: its code was steady then.
        let mut cells: Vec<usize> = self.cells_of(seat);
        cells.retain(|&cell| self.takes_part(cell) && !failed[cell]);
        self.seats[seat].recompiled += 1;
        if self.seats[seat].recompiled > MOST_RECOMPILED {
            for cell in cells {
                self.give_up(session, cell, "its code was compiled anew time and again")?;
            }
            return Ok(());
        }
        for &cell in &cells {
            session.store.compiled_anew(self.id, cell)?;
            let number = plan.cells[cell].comparison;
            progress.forget(plan, cell);
            let live = &mut self.live[number];
            live.tries = 0;
            live.counted.remove(&cell);
            if plan.is_baseline(cell) {
                live.counted.clear();
                // Without the baseline's slices nothing is left of those that sit out.
                for other in &plan.comparisons[number].cells {
                    if let Some(place) = self.places.get_mut(other) {
                        place.live |= !place.given_up && !failed[*other];
                    }
                }
            }
        }
        let need = if discarded { Quiet::FIRST } else { Quiet::AGAIN };
        let mut warming: Vec<Warming> = cells
            .into_iter()
            .map(|cell| {
                let next_call = self.live[plan.cells[cell].comparison].next_call;
                Warming::new(cell, next_call, self.calls[&cell], None, need)
            })
            .collect();
        let Seat { host, account, .. } = &mut self.seats[seat];
        let Some(host) = host.as_mut() else { return Ok(()) };
        let mut refusals = Vec::new();
        let mut refused = |cell, refusal| refusals.push((cell, refusal));
        let came =
            steady::together(host.as_mut(), account, &mut warming, session.stop, &mut refused);
        for warmed in warming {
            session.stage.elapsed(warmed.elapsed_ns);
            let live = &mut self.live[plan.cells[warmed.cell].comparison];
            live.next_call = live.next_call.max(warmed.next_call);
            self.calls.insert(warmed.cell, warmed.ns_per_call);
            // Earlier rounds do not count, so this is the level of the code that does.
            session.store.level(self.id, warmed.cell, warmed.level)?;
            if let Ok(Outcome::Restless) = came {
                self.give_up(session, warmed.cell, NEVER_STEADY)?;
            }
        }
        for (cell, refusal) in refusals {
            self.fail(session, cell, "failed", &refusal.reason, failed)?;
        }
        self.size_slices(plan, failed);
        match came {
            Ok(_) => Ok(()),
            Err(fault) => self.lose(session, seat, &fault, failed),
        }
    }

    /// Leaves a cell out of the rest of this fork, whose code never came to rest.
    fn give_up(&mut self, session: &mut Session<'_>, cell: usize, reason: &str) -> Result<()> {
        session.store.unsteady(self.id, cell, reason)?;
        self.leave_out(cell);
        if let Some(place) = self.places.get_mut(&cell) {
            place.given_up = true;
        }
        Ok(())
    }

    /// The rounds are over: verifies the code that was timed. A fork that a person interrupts is not
    /// finished, and not verified either.
    fn end(mut self, session: &mut Session<'_>, failed: &mut [bool]) -> Result<Ending> {
        let plan = session.plan;
        let mut exams = Vec::new();
        for seat in 0..self.seats.len() {
            let cells = self.cells_of(seat);
            let Some(host) = self.seats[seat].host.take() else { continue };
            let mut work: Vec<(&Workload, Vec<u64>)> = Vec::new();
            for cell in cells.into_iter().filter(|&cell| !failed[cell]) {
                let workload = &plan.comparisons[plan.cells[cell].comparison].workload;
                match work.iter_mut().find(|(other, _)| other.same_work(workload)) {
                    Some((_, sizes)) => sizes.push(workload.size),
                    None => work.push((workload, vec![workload.size])),
                }
            }
            let contender = &plan.contenders[self.seats[seat].contender];
            exams.push(Exam { seat, contender, host, work });
        }
        let bench = Bench { stage: session.stage, stop: session.stop, audit: false };
        let mut found = Vec::new();
        bench.verify(exams, |told| found.extend(told));
        for examined in found {
            match examined.wrong {
                Ok(None) => {}
                Ok(Some(wrong)) => {
                    // Its siblings at other sizes ran the same code, and its copy is the same.
                    let contender = self.seats[examined.seat].contender;
                    let reason = format!(
                        "answers wrongly after its rounds: {wrong}; no figure of it in this run counts"
                    );
                    let cells = 0..plan.cells.len();
                    for cell in cells.filter(|&cell| plan.cells[cell].contender == contender) {
                        self.fail(session, cell, "failed", &reason, failed)?;
                    }
                }
                Err(fault) => self.lose(session, examined.seat, &fault, failed)?,
            }
        }
        if session.stop.load(Ordering::Relaxed) {
            return Ok(Ending::Interrupted);
        }
        session.store.finish_fork(self.id)?;
        Ok(Ending::Finished)
    }

    /// The cells of a comparison that take part in the next round, in its order.
    pub fn order(
        &mut self,
        plan: &Plan,
        comparison: usize,
        failed: &[bool],
        random: &mut Xoshiro256PlusPlus,
    ) -> Vec<usize> {
        let mut cells = plan.comparisons[comparison].cells.clone();
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
            session.watch.failed(&session.plan.contender_of(cell).name, kind, reason);
        }
        self.leave_out(cell);
        Ok(())
    }

    /// Records that a contender lied in one cell: it is not believed at the other sizes of that work either, and
    /// the reason names where it was seen.
    pub fn disbelieve(
        &mut self,
        session: &mut Session<'_>,
        cell: usize,
        reason: &str,
        failed: &mut [bool],
    ) -> Result<()> {
        let work = &session.plan.comparisons[session.plan.cells[cell].comparison].workload;
        let reason = format!("{} at {}: {reason}", work.name(), crate::text::bytes(work.size));
        for cell in siblings(session.plan, cell) {
            self.fail(session, cell, "failed", &reason, failed)?;
        }
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
