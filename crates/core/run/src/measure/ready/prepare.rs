//! Prepares the processes of a fork: starts them, prepares and verifies every cell, and warms it
//! up. One process on each processor at a time, because none of these times is compared with
//! another. A process that is ready moves to the measuring processor.

use super::steady::{self, CompilerState, NEVER_STEADY, Outcome as SteadyOutcome, Quiet, Warming};
use super::verification;
use super::warm_up::{Aim, WarmCell, WarmUp, warm_up};
use crate::measure::Fresh;
use crate::measure::Stage;
use crate::measure::audit::clock::{self, Finding, Sample, Timed};
use crate::measure::audit::expectation::Calls;
use crate::measure::audit::makeup::Makeup;
use crate::measure::audit::thread_time::{self, Ran};
use crate::measure::failure::{CellFailure, Reach};
use crate::measure::next;
use crate::measure::parallel::side_by_side;
use cupel_base::draws;
use cupel_contender::Contender;
use cupel_plan::FailureKind;
use cupel_protocol::message::{Outcome, Prepare, Prepared, Refusal, Slice};
use cupel_protocol::workload::{Contract, Operation, Workload};
use cupel_runner::{Fault, Host, expect_ok};
use cupel_verify::{Depth, Unfit};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};

/// A process that is to be prepared.
pub struct PreparationJob<'a> {
    /// The position of the process in the fork.
    pub process: usize,
    /// The contender that it hosts.
    pub contender: &'a Contender,
    /// How it is started.
    pub fresh: Fresh,
    /// Its cells and the request for each, in the order in which they are warmed up.
    pub cells: Vec<(usize, Prepare)>,
    /// By cell: the least time of an earlier process of it, in ns per call.
    pub reached: &'a HashMap<usize, f64>,
}

/// A report while processes are prepared.
pub enum Update {
    /// The warm-up of this cell begins.
    WarmUp(usize),
    /// The work on a process is over.
    Prepared(Box<PreparedProcess>),
}

/// A process that was prepared.
pub struct PreparedProcess {
    /// The position of the process in the fork.
    pub process: usize,
    /// The process, or why there is none.
    pub host: Result<Box<dyn Host>, Fault>,
    /// The facts about its cells: all of them, unless it was lost.
    pub cells: PreparedCells,
}

/// The facts about the cells of a prepared process.
#[derive(Default)]
pub struct PreparedCells {
    /// The code path that the runner named, by cell.
    pub code_paths: Vec<(usize, String)>,
    /// The cells that are warm.
    pub warm: Vec<(usize, WarmUp)>,
    /// Why cells are not measured.
    pub failures: Vec<CellFailure>,
    /// The cells whose code was still being compiled when they were given up, and why their rounds
    /// would not count.
    pub unsteady: Vec<(usize, String)>,
    /// The cells whose times were compared with the tool's own clock, and why that showed nothing,
    /// if it did not.
    pub audited: Vec<(usize, Option<String>)>,
    /// The state of the compiler of their process.
    pub compiler: CompilerState,
    /// The time inside the slices, in ns.
    pub elapsed_ns: f64,
}

impl PreparationJob<'_> {
    /// Whether the contender's code is compiled at run time.
    fn jit(&self) -> bool {
        self.contender.is_jit()
    }

    /// The workload that a cell was asked for.
    fn workload(&self, cell: usize) -> Option<&Workload> {
        let asked = self.cells.iter().find(|(other, _)| *other == cell);
        asked.map(|(_, ask)| &ask.workload)
    }

    /// The sizes in bytes at which this work is measured in the process.
    fn sizes_of(&self, workload: &Workload) -> Vec<u64> {
        let same = self.cells.iter().filter(|(_, ask)| ask.workload.same_work(workload));
        same.flat_map(|(_, ask)| ask.workload.some_sizes()).collect()
    }

    /// Whether no other cell of the same work has longer messages. Its calls are the longest, so a
    /// false rate hides least behind the time that passes outside with each call, and the same code
    /// times the others.
    fn is_longest(&self, cell: usize) -> bool {
        let own = self.workload(cell);
        own.is_some_and(|own| self.sizes_of(own).into_iter().all(|size| size <= own.size))
    }

    /// Whether the contender is not believed at this cell, because of its fault at another size of
    /// the same work.
    fn is_doubted(&self, cell: usize, failures: &[CellFailure]) -> bool {
        let Some(own) = self.workload(cell) else { return false };
        let mut far = failures.iter().filter(|failure| failure.reach != Reach::Cell);
        far.any(|failure| self.workload(failure.cell).is_some_and(|work| work.same_work(own)))
    }
}

/// Prepares processes.
pub struct Preparer<'a> {
    /// Where processes start.
    pub stage: &'a dyn Stage,
    /// Set when the user wants the run to end.
    pub stop: &'a AtomicBool,
    /// The cells whose times are compared with the tool's own clock: each in its first fork,
    /// and after it those for which the machine was too busy before. In every fork they are
    /// compared with their threads' times.
    pub audits: &'a BTreeSet<usize>,
}

impl Preparer<'_> {
    /// Prepares processes, on as many processors as the stage allows, while `listen` receives the
    /// updates.
    pub fn prepare_all<T>(
        &self,
        jobs: Vec<PreparationJob<'_>>,
        listen: impl FnOnce(Receiver<Update>) -> T,
    ) -> T {
        side_by_side(
            self.stage,
            self.stop,
            jobs,
            |job, cpu, updates| Update::Prepared(Box::new(self.prepare(&job, cpu, updates))),
            listen,
        )
    }

    fn prepare(
        &self,
        job: &PreparationJob<'_>,
        cpu: Option<usize>,
        updates: &Sender<Update>,
    ) -> PreparedProcess {
        let mut cells = PreparedCells::default();
        let host = self.stage.start(job.contender, job.fresh, cpu).and_then(|mut host| {
            self.warm_up_cells(host.as_mut(), job, &mut cells, updates)?;
            self.settle(host.as_mut(), job, &mut cells)?;
            if let Some(measuring) = self.stage.measuring_cpu() {
                host.move_to(measuring);
            }
            Ok(host)
        });
        PreparedProcess { process: job.process, host, cells }
    }

    /// Prepares every cell, verifies it at a glance, and warms it up.
    fn warm_up_cells(
        &self,
        host: &mut dyn Host,
        job: &PreparationJob<'_>,
        cells: &mut PreparedCells,
        updates: &Sender<Update>,
    ) -> Result<(), Fault> {
        // The work whose code has run in this process.
        let mut compiled: Vec<&Workload> = Vec::new();
        // The verified work, and its fault.
        let mut verified: Vec<(&Workload, Option<Unfit>)> = Vec::new();
        for (cell, ask) in &job.cells {
            if self.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            if job.is_doubted(*cell, &cells.failures) {
                continue;
            }
            let _ = updates.send(Update::WarmUp(*cell));
            if let Some(failure) = self.beyond(*cell, &ask.workload.contract) {
                cells.failures.push(failure);
                continue;
            }
            let refused = |kind, refusal| Some(CellFailure::refused(*cell, kind, refusal));
            let failure = match host.prepare(ask)? {
                Outcome::Ok(prepared) => {
                    let unplaced = self.unplaced(*cell, &ask.workload.contract, &prepared);
                    cells.code_paths.push((*cell, prepared.code_path));
                    unplaced
                }
                Outcome::Unsupported(refusal) => refused(FailureKind::Unsupported, refusal),
                Outcome::Missing(refusal) => refused(FailureKind::Missing, refusal),
                Outcome::Failed(refusal) => refused(FailureKind::Failed, refusal),
            };
            let known = verified.iter().find(|(other, _)| other.same_work(&ask.workload));
            let unfit = match (&failure, known) {
                (Some(_), _) => None,
                (None, Some((_, unfit))) => unfit.clone(),
                (None, None) => {
                    let sizes = job.sizes_of(&ask.workload);
                    let unfit = verification::asked(
                        host,
                        job.contender,
                        &ask.workload,
                        Depth::Glance,
                        &sizes,
                    )?;
                    verified.push((&ask.workload, unfit.clone()));
                    unfit
                }
            };
            if let Some(failure) = failure.or(unfit.map(|unfit| CellFailure::unfit(*cell, &unfit)))
            {
                cells.failures.push(failure);
                continue;
            }
            let aim = if !job.jit() {
                Aim::Native
            } else if compiled.iter().any(|other| other.same_work(&ask.workload)) {
                Aim::CompileSize
            } else {
                Aim::Compile
            };
            if let Some(warm) = self.warm_up_cell(host, job, (*cell, ask), aim, cells)? {
                cells.warm.push((*cell, warm));
                compiled.push(&ask.workload);
            }
        }
        Ok(())
    }

    /// Why a cell cannot be measured, if it has more threads than there are processors.
    fn beyond(&self, cell: usize, contract: &Contract) -> Option<CellFailure> {
        let here = self.stage.processors().filter(|&here| contract.threads as usize > here)?;
        let processors = if here == 1 { "processor" } else { "processors" };
        let reason =
            format!("this machine has {here} {processors} for {} threads", contract.threads);
        Some(CellFailure::refused(cell, FailureKind::Unsupported, Refusal::because(reason)))
    }

    /// Why the threads of a cell cannot have processors of their own, if they cannot: their runner
    /// does not name them.
    fn unplaced(
        &self,
        cell: usize,
        contract: &Contract,
        prepared: &Prepared,
    ) -> Option<CellFailure> {
        let (asked, named) = (contract.threads as usize, prepared.threads.len());
        let pins = self.stage.measuring_cpu().is_some();
        (pins && asked > 1 && named != asked).then(|| {
            CellFailure::failed(
                cell,
                format!(
                    "its runner names {named} threads where {asked} make the calls, so they cannot \
                     have processors of their own"
                ),
            )
        })
    }

    /// Warms a cell up, and audits its times before a false unit makes the warm-ups of further
    /// sizes endless. `None` if the cell fails.
    fn warm_up_cell(
        &self,
        host: &mut dyn Host,
        job: &PreparationJob<'_>,
        (cell, ask): (usize, &Prepare),
        aim: Aim,
        cells: &mut PreparedCells,
    ) -> Result<Option<WarmUp>, Fault> {
        // The inputs of `open` were sealed with the nonces below the pool's size.
        let first = u64::from(ask.pool);
        let PreparedCells { compiler, elapsed_ns, audited, failures, .. } = cells;
        let Contract { threads, lengths, .. } = &ask.workload.contract;
        let block = draws::block(lengths);
        let warmed = WarmCell { cell: cell as u32, threads: *threads, block };
        let warm = warm_up(host, warmed, aim, first, compiler, &mut |ns| *elapsed_ns += ns)
            .and_then(|warm| match self.stage.clock() {
                Some(_) => self.audited(host, job, (cell, ask), warm, audited),
                None => Ok((warm, None)),
            });
        failures.push(match warm {
            Ok((warm, None)) => return Ok(Some(warm)),
            Ok((_, Some(reason))) => CellFailure::lie(&ask.workload, cell, &reason),
            Err(Fault::Refused { refusal, .. }) => {
                CellFailure::refused(cell, FailureKind::Failed, refusal)
            }
            Err(fault) => return Err(fault),
        });
        Ok(None)
    }

    /// Compares the times of a warm cell with other clocks. Returns their fault. The wall clock
    /// comes first: it detects a false unit in few slices.
    fn audited(
        &self,
        host: &mut dyn Host,
        job: &PreparationJob<'_>,
        (cell, ask): (usize, &Prepare),
        mut warm: WarmUp,
        audited: &mut Vec<(usize, Option<String>)>,
    ) -> Result<(WarmUp, Option<String>), Fault> {
        let Contract { batch, threads, .. } = ask.workload.contract;
        let block = draws::block(&ask.workload.contract.lengths);
        let makeup = Makeup { batch, block, kept: kept(job.contender, &ask.workload) };
        let call = warm.ns_per_call;
        let mut timed = |host: &mut dyn Host, preroll: u64, iterations: u64| {
            let calls = Calls { first: warm.next_call, preroll, iterations }.aligned(block);
            let ask = Slice { cell: cell as u32, first: calls.first, preroll, iterations };
            warm.next_call = calls.first + calls.all();
            let began = self.stage.clock();
            let sliced = expect_ok(host.audited(&ask)?, "slice")?;
            let waited = began.map_or(f64::INFINITY, |began| began.elapsed().as_nanos() as f64);
            Ok(Timed { reported: sliced.elapsed_ns, waited })
        };
        let mut doubt = None;
        if self.audits.contains(&cell) {
            let host = std::cell::RefCell::new(&mut *host);
            let mut others = || Some(host.borrow_mut().others_queued_ns()? as f64);
            let mut slice = |preroll: u64, iterations: u64| {
                let mut host = host.borrow_mut();
                // The clock of the process counts all of its threads.
                let before = host.usage().filter(|_| threads == 1);
                let queued = host.queued_ns();
                let timed = timed(&mut **host, preroll, iterations)?;
                Ok(Sample::between(timed, before.zip(host.usage()), queued.zip(host.queued_ns())))
            };
            let resolution = job.contender.resolution_ns();
            match clock::audit(&mut slice, &mut others, call, makeup, resolution)? {
                Finding::Right => audited.push((cell, None)),
                Finding::False(reason) => doubt = Some(reason),
                Finding::TooBusy(reason) => audited.push((cell, Some(reason))),
            }
        }
        // In later forks, the largest size stands for the others: the same code makes their calls.
        let by_thread = job.is_longest(cell) || self.audits.contains(&cell);
        if doubt.is_none() && by_thread && call <= thread_time::LONGEST_CALL_NS {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(ask.seed ^ job.process as u64);
            let mut coin = || next(&mut random).is_multiple_of(2);
            let mut slice = |preroll: u64, iterations: u64| {
                let before = host.thread_ns();
                let Timed { reported, .. } = timed(host, preroll, iterations)?;
                let ran = before.zip(host.thread_ns()).and_then(|(from, to)| longest(&from, &to));
                Ok(ran.map(|ns| Ran { reported, ran: ns as f64 }))
            };
            doubt = thread_time::audit(&mut slice, call, makeup, &mut coin)?;
        }
        Ok((warm, doubt))
    }

    /// Runs all cells of a process alternately, as rounds will, until nothing is compiled any more.
    /// One of them may undo what another made the compiler assume. Code that is compiled ahead
    /// needs none of this.
    fn settle(
        &self,
        host: &mut dyn Host,
        job: &PreparationJob<'_>,
        cells: &mut PreparedCells,
    ) -> Result<(), Fault> {
        if !job.jit() || self.stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        let PreparedCells { warm, failures, unsteady, compiler, elapsed_ns, .. } = cells;
        let mut warming: Vec<Warming> = Vec::new();
        for (cell, warm) in warm.iter() {
            let has_failed = failures.iter().any(|failure| failure.cell == *cell);
            if has_failed || job.is_doubted(*cell, failures) {
                continue;
            }
            let reached = job.reached.get(cell).copied();
            let need = if warm.quiet { Quiet::AGAIN } else { Quiet::FIRST };
            let contract = job.workload(*cell).map(|work| &work.contract);
            let threads = contract.map_or(1, |contract| contract.threads);
            let block = contract.map_or(1, |contract| draws::block(&contract.lengths));
            let cell = Warming::new(*cell, warm.next_call, warm.ns_per_call, reached, need);
            warming.push(cell.on(threads, block));
        }
        let mut refused =
            |cell, refusal| failures.push(CellFailure::refused(cell, FailureKind::Failed, refusal));
        let outcome = steady::together(host, compiler, &mut warming, self.stop, &mut refused)?;
        for warmed in warming {
            let (_, warm) = warm
                .iter_mut()
                .find(|(cell, _)| *cell == warmed.cell)
                .expect("it was made of these");
            warm.slices += warmed.slices;
            warm.elapsed_ns += warmed.elapsed_ns;
            (warm.next_call, warm.ns_per_call) = (warmed.next_call, warmed.ns_per_call);
            (warm.level, warm.events) = (warmed.level, compiler.events());
            *elapsed_ns += warmed.elapsed_ns;
            if outcome == SteadyOutcome::Unsteady {
                unsteady.push((warmed.cell, NEVER_STEADY.to_string()));
            }
        }
        Ok(())
    }
}

/// The bytes of the outputs of a call, if the contender's runner keeps them until the clock has
/// stopped (docs/internals/decisions/0089-outputs-are-folded-while-the-clock-stands.md).
fn kept(contender: &Contender, work: &Workload) -> Option<u64> {
    if !contender.keeps_outputs {
        return None;
    }
    let is_long = matches!(work.operation, Operation::Seal | Operation::Open | Operation::SealOpen);
    Some(if is_long { work.bytes_per_call() as u64 } else { 0 })
}

/// The longest time for which one of some threads ran, by their clocks before and after, in ns: no
/// thread runs longer than the slice. `None` if a clock goes back.
fn longest(from: &[u64], to: &[u64]) -> Option<u64> {
    let ran = from.iter().zip(to).map(|(from, to)| to.checked_sub(*from));
    ran.collect::<Option<Vec<u64>>>()?.into_iter().max()
}
