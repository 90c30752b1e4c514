//! The life of a fork: every contender in a fresh process, prepared in random order, then measured
//! round by round until the fork's share of the budget is spent, and verified at the end.

use super::audit::expectation::Expectation;
use super::failure::CellFailure;
use super::ledger::Ledger;
use super::ready::prepare::{PreparationJob, PreparedProcess, Preparer, Update};
use super::ready::recompilation::settle_again;
use super::ready::verification::{self, VerificationJob};
use super::round::{Round, RoundCell, RoundFailure, RoundResult, counted};
use super::schedule::Scheduler;
use super::state::ForkState;
use super::{Ending, Fresh, Learned, Setup, next};
use anyhow::{Result, anyhow};
use cupel_base::draws;
use cupel_plan::{Cell, Plan};
use cupel_protocol::message::Prepare;
use cupel_protocol::workload::{Align, Contract, Workload};
use cupel_stats::size::stretch;
use cupel_store::WarmUpRecord;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// For what a fork has time left.
#[derive(Clone, Copy)]
struct Left {
    /// For rounds that make the answer more precise.
    share: bool,
    /// For the repetition of rounds that were disturbed.
    retries: bool,
}

/// Which fork it is. A fork that replaces a killed one is another process group.
#[derive(Clone, Copy)]
pub struct ForkId {
    /// Its number in the plan, from 0.
    pub planned: u32,
    /// Its number among all groups of processes of the run, from 1.
    pub process_group: u64,
}

/// A fork whose processes are prepared.
pub struct Fork<'a> {
    setup: Setup<'a>,
    state: ForkState<'a>,
    /// Computes the folds that slices must return.
    expectation: Expectation,
    /// By comparison: the first of those that differ from it at most in their threads.
    kin: Vec<usize>,
    /// The same of the last round (`kin`).
    last: Option<usize>,
}

impl<'a> Fork<'a> {
    /// Starts, prepares and warms up everything that has not failed yet. `learned` has the earlier
    /// forks' findings about cells, and is updated. If there are `open` cells, only these run.
    pub fn begin(
        setup: Setup<'a>,
        ForkId { planned: ordinal, process_group }: ForkId,
        open: Option<&BTreeSet<usize>>,
        ledger: &mut Ledger<'_>,
        learned: &mut Learned,
        random: &mut Xoshiro256PlusPlus,
    ) -> Result<Fork<'a>> {
        let Setup { plan, stage, cache, .. } = setup;
        let padding = (next(random) % 4097) as usize;
        ledger.begin_fork(ordinal, padding)?;
        let seeds: Vec<u64> = plan.comparisons.iter().map(|_| next(random) >> 16).collect();
        // All cells of a comparison have one offset: it varies from fork to fork, not between
        // sides.
        let own: Vec<u32> =
            plan.comparisons.iter().map(|c| offset(&c.workload.contract, random)).collect();
        let kin: Vec<usize> =
            (0..own.len()).map(|comparison| plan.same_but_threads(comparison)).collect();
        let offsets: Vec<u32> = kin.iter().map(|&first| own[first]).collect();
        let expectation =
            Expectation::new(plan, &seeds, cache, stage.measuring_cpu()).map_err(|e| anyhow!(e))?;
        let mut fork =
            Fork { setup, state: ForkState::new(plan, open, ledger), expectation, kin, last: None };
        // Each fork runs another layout, and a fork that replaces a killed one runs the same. The
        // first layout is random.
        let layout = (plan.seed % 1024) as usize + ordinal as usize;
        let fresh = Fresh { fork: process_group, padding, layout };
        let mut jobs = Vec::new();
        for process in 0..fork.state.processes.len() {
            let cells = fork.state.cells_of(process).into_iter();
            let mut cells: Vec<(usize, Prepare)> = cells
                .map(|cell| {
                    let number = plan.cells[cell].comparison;
                    (cell, preparation(plan, cache, cell, seeds[number], offsets[number]))
                })
                .collect();
            cells.shuffle(random);
            jobs.push(fork.job(process, fresh, cells, &learned.reached));
        }
        jobs.shuffle(random);
        // The longest work first: then all processors are done at about the same time.
        jobs.sort_by_key(|job| (!job.contender.is_jit(), !job.contender.interpreted));
        // Code that is compiled at run time may come later than the others.
        let is_new = |cell: &usize| ordinal == 0 || !learned.reached.contains_key(cell);
        let mut audits = ledger.not_audited();
        audits.extend(fork.state.cells.keys().copied().filter(is_new));
        fork.prepare(&audits, jobs, &offsets, ledger)?;
        for (&cell, state) in &fork.state.cells {
            if let Some(ns) = state.ns_per_call {
                let least = learned.reached.entry(cell).or_insert(ns);
                *least = least.min(ns);
            }
        }
        ledger.look_around(fork.state.hosts())?;
        Ok(fork)
    }

    /// The preparation of a process.
    fn job<'j>(
        &self,
        process: usize,
        fresh: Fresh,
        cells: Vec<(usize, Prepare)>,
        reached: &'j HashMap<usize, f64>,
    ) -> PreparationJob<'j>
    where
        'a: 'j,
    {
        let hosted = &self.state.processes[process];
        let contender = &self.setup.plan.contenders[hosted.contender];
        // A control is the same code in another layout, half of the layouts further on. So over all
        // forks the control and its baseline change places, and the effect of layouts is in the
        // intervals.
        let further = if hosted.control { contender.layouts.len() / 2 } else { 0 };
        let fresh = Fresh { layout: fresh.layout + further, ..fresh };
        PreparationJob { process, contender, fresh, cells, reached }
    }

    /// Prepares all processes, and records the results as they come.
    fn prepare(
        &mut self,
        audits: &BTreeSet<usize>,
        jobs: Vec<PreparationJob<'_>>,
        offsets: &[u32],
        ledger: &mut Ledger<'_>,
    ) -> Result<()> {
        let Setup { stage, stop, .. } = self.setup;
        let all = self.state.cells.len();
        let preparer = Preparer { stage, stop, audits };
        preparer.prepare_all(jobs, |updates| -> Result<()> {
            let mut begun = 0;
            for update in updates {
                match update {
                    Update::WarmUp(cell) => {
                        ledger.warming(begun, all, cell);
                        begun += 1;
                    }
                    Update::Prepared(prepared) => {
                        stage.elapsed(prepared.cells.elapsed_ns);
                        self.take_over(*prepared, offsets, ledger)?;
                    }
                }
            }
            Ok(())
        })?;
        self.state.size_slices(ledger);
        Ok(())
    }

    /// Records the facts about a prepared process, and takes it over.
    fn take_over(
        &mut self,
        prepared: PreparedProcess,
        offsets: &[u32],
        ledger: &mut Ledger<'_>,
    ) -> Result<()> {
        let PreparedProcess { process, host, cells } = prepared;
        for (cell, code_path) in cells.code_paths {
            ledger.code_path(cell, &code_path)?;
        }
        for (cell, warm) in cells.warm {
            ledger.warmed_up(&WarmUpRecord {
                cell,
                first_call_ns: warm.first_call_ns,
                slices: warm.slices,
                elapsed_ns: warm.elapsed_ns,
                settled: warm.settled,
                ns_per_call: warm.ns_per_call,
                offset: offsets[self.setup.plan.cells[cell].comparison],
                level: warm.level,
                events: warm.events,
            })?;
            let comparison = self.state.comparison_of(cell);
            comparison.next_call = comparison.next_call.max(warm.next_call);
            if let Some(state) = self.state.cells.get_mut(&cell) {
                state.ns_per_call = Some(warm.ns_per_call);
            }
        }
        for (cell, why_not) in cells.audited {
            ledger.audited(cell, why_not)?;
        }
        for (cell, reason) in cells.unsteady {
            self.state.give_up(cell, &reason, ledger)?;
        }
        self.state.processes[process].compiler = cells.compiler;
        for failure in cells.failures {
            ledger.fail(&failure)?;
        }
        match host {
            Ok(host) => self.state.processes[process].host = Some(host),
            Err(fault) => self.state.lose(process, &fault, ledger)?,
        }
        Ok(())
    }

    /// Measures until the share of the budget is spent, or until everything is settled. Rounds that
    /// were disturbed are repeated until `most` is spent; without it, as often as they may.
    pub fn measure(
        mut self,
        (share, most): (Duration, Option<Duration>),
        ledger: &mut Ledger<'_>,
        scheduler: &mut Scheduler<'_>,
        random: &mut Xoshiro256PlusPlus,
    ) -> Result<Ending> {
        let Setup { stage, stop, .. } = self.setup;
        let began = stage.now();
        let mut last = began;
        loop {
            if stop.load(Ordering::Relaxed) {
                return Ok(Ending::Interrupted);
            }
            let spent = stage.now().saturating_sub(began);
            let left = Left { share: spent < share, retries: most.is_none_or(|most| spent < most) };
            let Some(comparison) = self.next_comparison(left, ledger, scheduler, random) else {
                self.see_who_was_displaced(ledger, scheduler)?;
                return self.end(ledger);
            };
            let result = self.round(comparison, (began, last), ledger, random).run();
            last = result.ended;
            self.evaluate(result, ledger, scheduler)?;
            for cell in scheduler.look(comparison, self.state.comparisons[comparison].tries) {
                // However much is known of a cell, a fork of fewer rounds is not a sample of it.
                if self.state.is_sampled(cell)
                    && let Some(state) = self.state.cells.get_mut(&cell)
                {
                    state.sits_out = true;
                }
            }
            let used = spent.as_secs_f64() / share.as_secs_f64().max(1e-9);
            let left = share.saturating_sub(spent);
            ledger.advance(comparison, scheduler.so_far(comparison), used.min(1.0), left);
        }
    }

    /// The comparison with the fewest rounds among those that are open, chosen at random if several
    /// have as few: if there are any, among those that differ from the last one only in their
    /// threads. Once the time is over, only a comparison that lacks its fewest rounds is open.
    fn next_comparison(
        &self,
        left: Left,
        ledger: &Ledger<'_>,
        scheduler: &Scheduler<'_>,
        random: &mut Xoshiro256PlusPlus,
    ) -> Option<usize> {
        let comparisons = &self.state.comparisons;
        let mut open = Vec::new();
        for (number, comparison) in comparisons.iter().enumerate() {
            let is_wanted = self.state.lacks_rounds(number, left.retries, ledger)
                || (left.share && !scheduler.is_settled(number));
            let can_run = comparison.iterations > 0
                && self.state.participants(number, ledger).next().is_some();
            if is_wanted && can_run {
                open.push(number);
            }
        }
        let fewest = open.iter().map(|&number| comparisons[number].tries).min()?;
        open.retain(|&number| comparisons[number].tries == fewest);
        let kin: Vec<usize> =
            open.iter().copied().filter(|&number| Some(self.kin[number]) == self.last).collect();
        let ties = if kin.is_empty() { open } else { kin };
        Some(ties[(next(random) % ties.len() as u64) as usize])
    }

    /// The next round of a comparison. `began` and `last` are the beginning of the fork's rounds
    /// and the end of the round before, by the run's clock.
    fn round(
        &mut self,
        comparison: usize,
        (began, last): (Duration, Duration),
        ledger: &Ledger<'_>,
        random: &mut Xoshiro256PlusPlus,
    ) -> Round<'_> {
        self.last = Some(self.kin[comparison]);
        let state = &mut self.state.comparisons[comparison];
        let block = state.block;
        // Rounded down or up at random: else a slice of few blocks would have the same number of
        // them in every round, and keep step with a timer.
        let spare = if block > 1 { next(random) % block } else { 0 };
        let iterations = (stretch(state.iterations, next(random)) + spare) / block * block;
        let first = state.next_call;
        let ordinal = state.rounds;
        state.rounds += 1;
        let order = self.state.order(comparison, ledger, random);
        let mut cells = Vec::new();
        for cell in order {
            let state = &self.state.cells[&cell];
            let comparison = &self.state.comparisons[comparison];
            let calls = state.calls(first, iterations, comparison);
            let pieces = state.pieces(calls.iterations, comparison);
            cells.push(RoundCell { cell, process: state.process, calls, pieces });
        }
        Round {
            plan: self.setup.plan,
            stage: self.setup.stage,
            expectation: &mut self.expectation,
            processes: &mut self.state.processes,
            comparison,
            ordinal,
            cells,
            began,
            last,
        }
    }

    /// Records the results of a round, and draws the consequences.
    fn evaluate(
        &mut self,
        result: RoundResult,
        ledger: &mut Ledger<'_>,
        scheduler: &mut Scheduler<'_>,
    ) -> Result<()> {
        let RoundResult { record, failures, compilers, next_call, .. } = result;
        let plan = self.setup.plan;
        let comparison = &mut self.state.comparisons[record.comparison];
        comparison.next_call = comparison.next_call.max(next_call);
        for failure in failures {
            match failure {
                RoundFailure::Wrong { cell, reason } => {
                    ledger.fail(&CellFailure::wrong(plan.workload_of(cell), cell, &reason))?;
                }
                RoundFailure::Lie { cell, reason } => {
                    ledger.fail(&CellFailure::lie(plan.workload_of(cell), cell, &reason))?;
                }
                RoundFailure::Refusal { cell, reason } => {
                    ledger.fail(&CellFailure::failed(cell, reason))?;
                }
                RoundFailure::Lost { process, fault } => {
                    self.state.lose(process, &fault, ledger)?;
                }
            }
        }
        ledger.round(&record)?;
        let counted = counted(&record);
        scheduler.add(record.comparison, &counted);
        self.state.count(record.comparison, &counted, ledger);
        for (&process, (compiler, _)) in &compilers {
            self.state.processes[process].compiler = *compiler;
        }
        for (process, (_, change)) in compilers {
            if change.highest {
                let discarded = change.discarded;
                settle_again(&mut self.state, self.setup, process, discarded, scheduler, ledger)?;
            }
        }
        Ok(())
    }

    /// The rounds of a process do not count that ran elsewhere, or with another priority, than the
    /// tool had set.
    fn see_who_was_displaced(
        &mut self,
        ledger: &mut Ledger<'_>,
        scheduler: &mut Scheduler<'_>,
    ) -> Result<()> {
        for process in 0..self.state.processes.len() {
            let host = self.state.processes[process].host.as_mut();
            let Some(why) = host.and_then(|host| host.displaced()) else { continue };
            for cell in self.state.cells_of(process) {
                if !ledger.has_failed(cell) {
                    scheduler.forget(cell);
                    self.state.give_up(cell, &why, ledger)?;
                }
            }
        }
        Ok(())
    }

    /// The rounds are over: verifies the code that was timed. A fork that the user interrupts is
    /// neither finished nor verified.
    fn end(mut self, ledger: &mut Ledger<'_>) -> Result<Ending> {
        let Setup { plan, stage, stop, .. } = self.setup;
        ledger.look_around(self.state.hosts())?;
        let mut jobs = Vec::new();
        for process in 0..self.state.processes.len() {
            let cells = self.state.cells_of(process);
            let hosted = &mut self.state.processes[process];
            let Some(host) = hosted.host.take() else { continue };
            let contender = &plan.contenders[hosted.contender];
            let mut work: Vec<(&Workload, Vec<u64>)> = Vec::new();
            for cell in cells.into_iter().filter(|&cell| !ledger.has_failed(cell)) {
                let workload = plan.workload_of(cell);
                match work.iter_mut().find(|(other, _)| other.same_work(workload)) {
                    Some((_, sizes)) => sizes.extend(workload.some_sizes()),
                    None => work.push((workload, workload.some_sizes())),
                }
            }
            jobs.push(VerificationJob { process, contender, host, work });
        }
        for verified in verification::after_rounds(stage, stop, jobs) {
            let process = verified.process;
            match verified.unfit {
                Ok(None) => {}
                Ok(Some(unfit)) => {
                    // Its cells at other sizes ran the same code, and so did its control.
                    let contender = self.state.processes[process].contender;
                    let reason = format!(
                        "after its rounds: {}; no figure of it in this run counts",
                        unfit.in_words()
                    );
                    let cells = 0..plan.cells.len();
                    for cell in cells.filter(|&cell| plan.cells[cell].contender == contender) {
                        let kind = unfit.kind();
                        ledger
                            .fail(&CellFailure { kind, ..CellFailure::failed(cell, &*reason) })?;
                    }
                }
                Err(fault) => self.state.lose(process, &fault, ledger)?,
            }
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(Ending::Interrupted);
        }
        ledger.finish_fork()?;
        Ok(Ending::Finished)
    }
}

/// What to ask for a cell: `offset` is the distance of its buffers from the start of a cache line.
pub fn preparation(plan: &Plan, cache: &Path, cell: usize, seed: u64, offset: u32) -> Prepare {
    let Cell { comparison: number, alternative, .. } = plan.cells[cell];
    let comparison = &plan.comparisons[number];
    Prepare {
        cell: cell as u32,
        contender: plan.contender_of(cell).implementation.clone(),
        workload: plan.workload_of(cell).clone(),
        seed,
        pool: comparison.pool,
        lengths: draws::lengths(&comparison.workload.contract.lengths, seed),
        offset,
        key: plan.key(number, alternative, seed),
        ad: comparison.ad.clone(),
        file: plan.file(number, cache).map(|p| p.to_string_lossy().into_owned()),
    }
}

/// The distance of a comparison's buffers from the start of a cache line, in bytes.
fn offset(contract: &Contract, random: &mut Xoshiro256PlusPlus) -> u32 {
    match contract.align {
        Align::Varied => (next(random) % 64) as u32,
        Align::Line => 0,
    }
}
