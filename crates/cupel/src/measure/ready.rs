//! Makes the processes of a fork ready: started, every cell prepared and warmed up, and verified while
//! warm. One process on each processor at a time, for none of these times is compared with another;
//! when it is ready, each goes to the measuring processor.

use super::clock::{self, Timed};
use super::warm_up::{Aim, WarmUp, warm_up};
use super::{Fresh, Stage};
use crate::contender::{Contender, State};
use crate::machine;
use crate::runner::{Fault, Host, expect_ok};
use crate::verify::{self, Depth};
use cupel_protocol::message::{Outcome, Prepare, Refusal, Slice};
use cupel_protocol::workload::Workload;
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
}

/// How it goes.
pub enum Told {
    /// The warm-up of a cell begins.
    Warming(usize),
    /// A process is done with.
    Done(Readied),
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

/// What is known of a process's cells.
#[derive(Default)]
pub struct Found {
    /// The code path that the runner named, for cells that were prepared.
    pub code_paths: Vec<(usize, String)>,
    /// Cells that are warm.
    pub warm: Vec<(usize, WarmUp)>,
    /// Cells that are not measured.
    pub failures: Vec<(usize, Failure)>,
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
    /// Works a list off, on as many processors as the stage allows, while `listen` hears how it goes.
    pub fn work_off<T>(&self, work: Vec<Work<'_>>, listen: impl FnOnce(Receiver<Told>) -> T) -> T {
        let open = Mutex::new(work.into_iter());
        let next = || open.lock().ok()?.next().filter(|_| !self.stop.load(Ordering::Relaxed));
        let (tell, told) = channel();
        std::thread::scope(|scope| {
            for cpu in self.stage.lanes() {
                let (tell, next) = (tell.clone(), &next);
                scope.spawn(move || {
                    // Beside the process that it talks to: waking up is quickest there.
                    if let Some(cpu) = cpu {
                        machine::go_to(cpu);
                    }
                    while let Some(work) = next() {
                        let done = Told::Done(self.ready(&work, cpu, &tell));
                        // Nobody listens any more where the store failed.
                        if tell.send(done).is_err() {
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
            self.verify(host.as_mut(), work, &mut found)?;
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
            match self.warmed(host, work, *cell, aim, first, &mut found.elapsed_ns)? {
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
        elapsed_ns: &mut f64,
    ) -> Result<Result<WarmUp, Failure>, Fault> {
        let resolution = work.contender.resolution_ns();
        let warm =
            warm_up(host, cell as u32, aim, first, &mut |ns| *elapsed_ns += ns).and_then(|warm| {
                match aim {
                    Aim::Settle => Ok((warm, None)),
                    _ => self.audited(host, cell as u32, warm, resolution),
                }
            });
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
        resolution: f64,
    ) -> Result<(WarmUp, Option<String>), Fault> {
        if !self.audit || self.stage.clock().is_none() {
            return Ok((warm, None));
        }
        let mut slice = |iterations: u64| {
            // One call before the time, as slices of rounds have some; it is the same for few as for many.
            let ask = Slice { cell, first: warm.next_call, preroll: 1, iterations };
            warm.next_call += 1 + iterations;
            let asked = self.stage.clock();
            let sliced = expect_ok(host.slice(&ask)?, "slice")?;
            let waited = asked.map_or(f64::INFINITY, |asked| asked.elapsed().as_nanos() as f64);
            Ok(Timed { reported: sliced.elapsed_ns, waited })
        };
        let doubt = clock::audit(&mut slice, warm.ns_per_call, resolution)?;
        Ok((warm, doubt))
    }

    /// Verifies the contender again, now that it is warm, at every size that it is measured at.
    fn verify(&self, host: &mut dyn Host, work: &Work<'_>, found: &mut Found) -> Result<(), Fault> {
        for (workload, cells) in kinds(work, found) {
            if self.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            let Workload { primitive, operation, contract, .. } = workload;
            let Some(offer) = work.contender.offer(primitive, *operation, contract) else {
                continue;
            };
            let sizes: Vec<u64> = cells.iter().map(|(_, workload)| workload.size).collect();
            let verified = verify::verify(
                &mut |ask| host.compute(ask),
                &work.contender.implementation,
                offer,
                contract,
                Depth::Warm,
                &sizes,
            )?;
            if let Some(failure) = verified.failure {
                let reason = format!("answers wrongly once warm: {failure}");
                found.failures.extend(cells.iter().map(|(cell, _)| {
                    let reason = reason.clone();
                    (*cell, Failure { kind: "failed", reason, at_all_sizes: false })
                }));
            }
        }
        Ok(())
    }

    /// Warms every cell up again where code is compiled while it runs, this time until it is steady:
    /// verification went ways that the timed calls do not go, for which a JIT takes back what it had
    /// compiled. (JDK 25's SHA-256 of 1 KiB was 685 ns before and 1000 ns after, for the next ten slices.)
    fn settle(&self, host: &mut dyn Host, work: &Work<'_>, found: &mut Found) -> Result<(), Fault> {
        if !jit(work) {
            return Ok(());
        }
        let wrong: Vec<usize> = found.failures.iter().map(|(cell, _)| *cell).collect();
        for place in 0..found.warm.len() {
            if self.stop.load(Ordering::Relaxed) {
                // What was not warmed up to the end is not told of.
                found.warm.truncate(place);
                return Ok(());
            }
            let (cell, first) = (found.warm[place].0, found.warm[place].1.next_call);
            if wrong.contains(&cell) || doubted(work, &found.failures, cell) {
                continue;
            }
            match self.warmed(host, work, cell, Aim::Settle, first, &mut found.elapsed_ns)? {
                Ok(steady) => found.warm[place].1 = joined(&found.warm[place].1, &steady),
                Err(failure) => found.failures.push((cell, failure)),
            }
        }
        Ok(())
    }
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

/// How a cell warmed up in two parts.
fn joined(first: &WarmUp, second: &WarmUp) -> WarmUp {
    WarmUp {
        first_call_ns: first.first_call_ns,
        slices: first.slices + second.slices,
        elapsed_ns: first.elapsed_ns + second.elapsed_ns,
        ..*second
    }
}

/// The cells of a process that are warm, rising, by the work that they are sizes of.
fn kinds<'a>(work: &'a Work<'_>, found: &Found) -> Vec<(&'a Workload, Vec<(usize, &'a Workload)>)> {
    let mut warm: Vec<(usize, &Workload)> = work
        .cells
        .iter()
        .filter(|(cell, _)| found.warm.iter().any(|(warm, _)| warm == cell))
        .map(|(cell, ask)| (*cell, &ask.workload))
        .collect();
    warm.sort_unstable_by_key(|(cell, _)| *cell);
    let mut kinds: Vec<(&Workload, Vec<(usize, &Workload)>)> = Vec::new();
    for (cell, workload) in warm {
        match kinds.iter_mut().find(|(kind, _)| kind.same_work(workload)) {
            Some((_, cells)) => cells.push((cell, workload)),
            None => kinds.push((workload, vec![(cell, workload)])),
        }
    }
    kinds
}
