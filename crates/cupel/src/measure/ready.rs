//! Makes the processes of a fork ready: started, every cell prepared, looked at and warmed up. And
//! verifies them when their rounds are over. One process on each processor at a time, for none of
//! these times is compared with another; when it is ready, each goes to the measuring processor.

use super::clock::{self, Sample, Timed};
use super::steady::{self, Account, Outcome as Came, Quiet, Warming};
use super::warm_up::{Aim, WarmUp, warm_up};
use super::{Fresh, Stage};
use crate::contender::{Contender, State};
use crate::machine;
use crate::runner::{Fault, Host, expect_ok};
use crate::verify::{self, Depth};
use cupel_protocol::message::{Outcome, Prepare, Refusal, Slice};
use cupel_protocol::workload::Workload;
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

/// What there is to do for one process.
pub struct Work<'a> {
    /// Its seat in the fork.
    pub seat: usize,
    /// Whom it hosts.
    pub contender: &'a Contender,
    /// How it is started.
    pub fresh: Fresh,
    /// Its cells and what to ask for each, in the order in which they are warmed up.
    pub cells: Vec<(usize, Prepare)>,
    /// By cell: the least that an earlier process of it came to, in ns a call.
    pub reached: HashMap<usize, f64>,
}

/// How it goes.
pub enum Told {
    /// The warm-up of a cell begins.
    Warming(usize),
    /// A process is done with.
    Done(Box<Readied>),
}

/// What came of a process.
pub struct Readied {
    /// The seat.
    pub seat: usize,
    /// The process, or why there is none.
    pub host: Result<Box<dyn Host>, Fault>,
    /// What is known of its cells: all of them, unless it was lost.
    pub found: Found,
}

/// A process whose rounds are over, and what it was measured on.
pub struct Exam<'a> {
    /// Its seat in the fork.
    pub seat: usize,
    /// Whom it hosts.
    pub contender: &'a Contender,
    /// The process; it ends with this.
    pub host: Box<dyn Host>,
    /// Each work with the sizes at which it was measured.
    pub work: Vec<(&'a Workload, Vec<u64>)>,
}

/// What came of it.
pub struct Examined {
    /// The seat.
    pub seat: usize,
    /// What is wrong with its answers, or why it could not be asked.
    pub wrong: Result<Option<String>, Fault>,
}

/// What is known of a process's cells.
#[derive(Default)]
pub struct Found {
    /// The code path that the runner named, for cells that were prepared.
    pub code_paths: Vec<(usize, String)>,
    /// Cells that are warm.
    pub warm: Vec<(usize, WarmUp)>,
    /// Cells that are not measured.
    pub failures: Vec<(usize, Failure)>,
    /// Cells whose code was still being compiled when they were given up, and why their rounds
    /// would not count.
    pub unsteady: Vec<(usize, String)>,
    /// What its compiler has done.
    pub account: Account,
    /// Time inside the slices, in ns.
    pub elapsed_ns: f64,
}

/// Why a cell is not measured.
pub struct Failure {
    /// `failed`, `missing` or `unsupported`.
    pub kind: &'static str,
    /// In words.
    pub reason: String,
    /// Whether the contender is not believed at other sizes of the same work either.
    pub at_all_sizes: bool,
}

impl Failure {
    fn of(kind: &'static str, refusal: Refusal) -> Failure {
        Failure { kind, reason: refusal.reason, at_all_sizes: false }
    }
}

/// Where processes are made ready.
pub struct Bench<'a> {
    /// Where processes start.
    pub stage: &'a dyn Stage,
    /// Set when a person wants it to end.
    pub stop: &'a AtomicBool,
    /// Whether reported times are held to the tool's own clock.
    pub audit: bool,
}

impl Bench<'_> {
    /// Makes processes ready, on as many processors as the stage allows, while `listen` hears how
    /// it goes.
    pub fn make_ready<T>(
        &self,
        work: Vec<Work<'_>>,
        listen: impl FnOnce(Receiver<Told>) -> T,
    ) -> T {
        let ready = |work: Work<'_>, cpu, tell: &Sender<Told>| {
            Told::Done(Box::new(self.ready(&work, cpu, tell)))
        };
        self.side_by_side(work, ready, listen)
    }

    /// Verifies processes whose rounds are over: the very code that was timed. Each comes back with
    /// what is wrong with its answers, if anything is.
    pub fn verify(&self, exams: Vec<Exam<'_>>, listen: impl FnOnce(Receiver<Examined>)) {
        let examine = |mut exam: Exam<'_>, cpu: Option<usize>, _: &Sender<Examined>| {
            if let Some(cpu) = cpu {
                exam.host.move_to(cpu);
            }
            let mut wrong = Ok(None);
            for (workload, sizes) in &exam.work {
                let host = exam.host.as_mut();
                wrong = verified(host, exam.contender, workload, Depth::Warm, sizes);
                if !matches!(wrong, Ok(None)) || self.stop.load(Ordering::Relaxed) {
                    break;
                }
            }
            Examined { seat: exam.seat, wrong }
        };
        self.side_by_side(exams, examine, listen);
    }

    /// Works a list off with one thread on each of the stage's lanes.
    fn side_by_side<J: Send, R: Send, T>(
        &self,
        jobs: Vec<J>,
        work: impl Fn(J, Option<usize>, &Sender<R>) -> R + Sync,
        listen: impl FnOnce(Receiver<R>) -> T,
    ) -> T {
        let open = Mutex::new(jobs.into_iter());
        let next = || open.lock().ok()?.next().filter(|_| !self.stop.load(Ordering::Relaxed));
        let (tell, told) = channel();
        std::thread::scope(|scope| {
            for cpu in self.stage.lanes() {
                let (tell, next, work) = (tell.clone(), &next, &work);
                scope.spawn(move || {
                    // Beside the process that it talks to: waking up is quickest there.
                    if let Some(cpu) = cpu {
                        machine::go_to(cpu);
                    }
                    while let Some(job) = next() {
                        // Nobody listens any more where the store failed.
                        if tell.send(work(job, cpu, &tell)).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(tell);
            listen(told)
        })
    }

    fn ready(&self, work: &Work<'_>, cpu: Option<usize>, tell: &Sender<Told>) -> Readied {
        let mut found = Found::default();
        let host = self.stage.start(work.contender, work.fresh, cpu).and_then(|mut host| {
            self.warm(host.as_mut(), work, &mut found, tell)?;
            self.settle(host.as_mut(), work, &mut found)?;
            if let Some(measuring) = self.stage.measuring_cpu() {
                host.move_to(measuring);
            }
            Ok(host)
        });
        Readied { seat: work.seat, host, found }
    }

    /// Prepares every cell and warms it up.
    fn warm(
        &self,
        host: &mut dyn Host,
        work: &Work<'_>,
        found: &mut Found,
        tell: &Sender<Told>,
    ) -> Result<(), Fault> {
        // Work whose code has run in this process.
        let mut compiled: Vec<&Workload> = Vec::new();
        let mut looked_at: Vec<(&Workload, Option<String>)> = Vec::new();
        for (cell, ask) in &work.cells {
            if self.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            if doubted(work, &found.failures, *cell) {
                continue;
            }
            let _ = tell.send(Told::Warming(*cell));
            let failure = match host.prepare(ask)? {
                Outcome::Ok(prepared) => {
                    found.code_paths.push((*cell, prepared.code_path));
                    None
                }
                Outcome::Unsupported(refusal) => Some(Failure::of("unsupported", refusal)),
                Outcome::Missing(refusal) => Some(Failure::of("missing", refusal)),
                Outcome::Failed(refusal) => Some(Failure::of("failed", refusal)),
            };
            let wrong = match (&failure, looked_at.iter().find(|l| l.0.same_work(&ask.workload))) {
                (Some(_), _) => None,
                (None, Some((_, wrong))) => wrong.clone(),
                (None, None) => {
                    let sizes = sizes_of(work, &ask.workload);
                    let wrong =
                        verified(host, work.contender, &ask.workload, Depth::Glance, &sizes)?;
                    looked_at.push((&ask.workload, wrong.clone()));
                    wrong
                }
            };
            let failure = failure.or(wrong.map(|wrong| {
                let reason = format!("answers wrongly: {wrong}");
                Failure { kind: "failed", reason, at_all_sizes: false }
            }));
            if let Some(failure) = failure {
                found.failures.push((*cell, failure));
                continue;
            }
            let aim = match jit(work) {
                true if compiled.iter().any(|other| other.same_work(&ask.workload)) => {
                    Aim::CompileSize
                }
                true => Aim::Compile,
                false => Aim::Native,
            };
            // The inputs of `open` were sealed with the nonces below the pool's size.
            let first = u64::from(ask.pool);
            match self.warmed(host, work, *cell, aim, first, found)? {
                Ok(warm) => {
                    found.warm.push((*cell, warm));
                    compiled.push(&ask.workload);
                }
                Err(failure) => found.failures.push((*cell, failure)),
            }
        }
        Ok(())
    }

    /// Warms a cell up. The first time it is held to the tool's own clock besides, before a false unit makes
    /// the warm-ups of further sizes endless.
    fn warmed(
        &self,
        host: &mut dyn Host,
        work: &Work<'_>,
        cell: usize,
        aim: Aim,
        first: u64,
        found: &mut Found,
    ) -> Result<Result<WarmUp, Failure>, Fault> {
        let resolution = work.contender.resolution_ns();
        let batch = work.cells.iter().find(|(c, _)| *c == cell);
        let batch = batch.map_or(1, |(_, ask)| ask.workload.contract.batch);
        let Found { account, elapsed_ns, .. } = found;
        let warm = warm_up(host, cell as u32, aim, first, account, &mut |ns| *elapsed_ns += ns)
            .and_then(|warm| self.audited(host, cell as u32, warm, batch, resolution));
        match warm {
            Ok((warm, None)) => Ok(Ok(warm)),
            Ok((_, Some(reason))) => {
                Ok(Err(Failure { kind: "failed", reason, at_all_sizes: true }))
            }
            Err(Fault::Refused { refusal, .. }) => Ok(Err(Failure::of("failed", refusal))),
            Err(fault) => Err(fault),
        }
    }

    /// A warm cell, held to the tool's own clock where there is one, and what is wrong with its time.
    fn audited(
        &self,
        host: &mut dyn Host,
        cell: u32,
        mut warm: WarmUp,
        batch: u32,
        resolution: f64,
    ) -> Result<(WarmUp, Option<String>), Fault> {
        if !self.audit || self.stage.clock().is_none() {
            return Ok((warm, None));
        }
        let mut slice = |preroll: u64, iterations: u64| {
            let ask = Slice { cell, first: warm.next_call, preroll, iterations };
            warm.next_call += preroll + iterations;
            let before = host.usage();
            let asked = self.stage.clock();
            let sliced = expect_ok(host.slice(&ask)?, "slice")?;
            let waited = asked.map_or(f64::INFINITY, |asked| asked.elapsed().as_nanos() as f64);
            let timed = Timed { reported: sliced.elapsed_ns, waited };
            Ok(Sample::of(timed, before.zip(host.usage())))
        };
        let doubt = clock::audit(&mut slice, warm.ns_per_call, batch, resolution)?;
        Ok((warm, doubt))
    }

    /// Runs all cells of a process whose code is compiled while it runs by turns, as rounds will,
    /// until nothing is compiled any more. What one of them made the compiler assume, another may
    /// undo.
    fn settle(&self, host: &mut dyn Host, work: &Work<'_>, found: &mut Found) -> Result<(), Fault> {
        if !jit(work) || self.stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        let wrong = |cell: usize| {
            found.failures.iter().any(|(other, _)| *other == cell)
                || doubted(work, &found.failures, cell)
        };
        let mut cells: Vec<Warming> = found
            .warm
            .iter()
            .filter(|(cell, _)| !wrong(*cell))
            .map(|(cell, warm)| {
                let reached = work.reached.get(cell).copied();
                {
                    let need = if warm.quiet { Quiet::AGAIN } else { Quiet::FIRST };
                    Warming::new(*cell, warm.next_call, warm.ns_per_call, reached, need)
                }
            })
            .collect();
        let Found { account, failures, .. } = found;
        let mut refused = |cell, refusal| failures.push((cell, Failure::of("failed", refusal)));
        let came = steady::together(host, account, &mut cells, self.stop, &mut refused)?;
        for warmed in cells {
            let (_, warm) = found
                .warm
                .iter_mut()
                .find(|(cell, _)| *cell == warmed.cell)
                .expect("it was made of these");
            warm.slices += warmed.slices;
            warm.elapsed_ns += warmed.elapsed_ns;
            (warm.next_call, warm.ns_per_call) = (warmed.next_call, warmed.ns_per_call);
            (warm.level, warm.events) = (warmed.level, found.account.events());
            found.elapsed_ns += warmed.elapsed_ns;
            if came == Came::Restless {
                found.unsteady.push((warmed.cell, NEVER_STEADY.to_string()));
            }
        }
        Ok(())
    }
}

/// The sizes at which this work is measured in a process.
fn sizes_of(work: &Work<'_>, workload: &Workload) -> Vec<u64> {
    let same = work.cells.iter().filter(|(_, ask)| ask.workload.same_work(workload));
    same.map(|(_, ask)| ask.workload.size).collect()
}

/// Why the rounds of a cell would say nothing.
pub const NEVER_STEADY: &str = "its code was still being compiled when the longest wait was over";

/// What is wrong with a contender's answers, if anything is.
pub fn verified(
    host: &mut dyn Host,
    contender: &Contender,
    workload: &Workload,
    depth: Depth,
    sizes: &[u64],
) -> Result<Option<String>, Fault> {
    let Workload { primitive, operation, contract, .. } = workload;
    let Some(offer) = contender.offer(primitive, *operation, contract) else {
        return Ok(None);
    };
    let mut ask = |ask| host.compute(ask);
    let name = &contender.implementation;
    let verified = verify::verify(&mut ask, name, offer, contract, depth, sizes)?;
    Ok(verified.failure.map(|failure| failure.to_string()))
}

/// Whether the work's code is compiled while it runs.
fn jit(work: &Work<'_>) -> bool {
    matches!(work.contender.state, State::Ready { jit: true, .. })
}

/// Whether the contender is not believed at this cell's work, for what it did at another size of it.
fn doubted(work: &Work<'_>, failures: &[(usize, Failure)], cell: usize) -> bool {
    let of =
        |cell: usize| work.cells.iter().find(|(c, _)| *c == cell).map(|(_, ask)| &ask.workload);
    let same = |other: usize| of(other).zip(of(cell)).is_some_and(|(a, b)| a.same_work(b));
    failures.iter().any(|(other, failure)| failure.at_all_sizes && same(*other))
}
