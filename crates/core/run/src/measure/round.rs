//! One round: one slice of every live cell of a comparison, in balanced random order, every fold
//! checked. All cells have the same number of timed calls, or about a half, a quarter (and so on)
//! of it if a cell is that much slower. A round asks its processes, and returns the result. It
//! stores nothing and fails no cell.

use super::audit::clock::{self, Timed};
use super::audit::expectation::{Calls, Computed, Expectation};
use super::pieces::{self, Piece};
use super::ready::steady::{Change, CompilerState};
use super::state::HostedProcess;
use super::{Stage, audit::disturbance};
use cupel_plan::Plan;
use cupel_protocol::message::{Slice, Sliced};
use cupel_runner::{Fault, expect_ok};
use cupel_store::{RoundRecord, SliceRecord};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Why a slice does not count if the code of its process was compiled again in it.
const RECOMPILED: &str = "its code was compiled again";

/// A round that is about to run.
pub struct Round<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The stage, for its clocks.
    pub stage: &'a dyn Stage,
    /// Computes the folds that the slices must return.
    pub expectation: &'a mut Expectation,
    /// The processes of the fork.
    pub processes: &'a mut [HostedProcess],
    /// The position of the comparison in the plan.
    pub comparison: usize,
    /// Its number in the fork and comparison, from 0.
    pub ordinal: u64,
    /// The cells in the order in which they run.
    pub cells: Vec<RoundCell>,
    /// When the fork's rounds began, by the run's clock.
    pub began: Duration,
    /// The end of the round before, by the run's clock.
    pub last: Duration,
}

/// A cell that takes part in a round.
#[derive(Clone, Copy, Debug)]
pub struct RoundCell {
    /// Its number in the plan.
    pub cell: usize,
    /// The position of its process in the fork.
    pub process: usize,
    /// The calls of its slice. All cells of a round start with the same call, unless sizes
    /// are drawn.
    pub calls: Calls,
    /// In how many pieces they are timed.
    pub pieces: u64,
}

/// The result of a round.
pub struct RoundResult {
    /// The record to store: the slices of all cells that answered correctly.
    pub record: RoundRecord,
    /// The failures, in the order in which they were noticed.
    pub failures: Vec<RoundFailure>,
    /// By process: the new state of its compiler, and its changes in this round.
    pub compilers: BTreeMap<usize, (CompilerState, Change)>,
    /// The index after all calls that were made.
    pub next_call: u64,
    /// The end of the round, by the run's clock.
    pub ended: Duration,
}

/// A failure in a round.
#[derive(Debug)]
pub enum RoundFailure {
    /// A wrong fold: one of the answers is wrong.
    Wrong {
        /// The cell that answered.
        cell: usize,
        /// The fault, in words for the table.
        reason: String,
    },
    /// A wrong number of calls or a false time.
    Lie {
        /// The cell that lied.
        cell: usize,
        /// The lie, in words for the table.
        reason: String,
    },
    /// The runner refused a slice.
    Refusal {
        /// The cell whose slice it was.
        cell: usize,
        /// The runner's reason.
        reason: String,
    },
    /// A process no longer answers.
    Lost {
        /// Its position in the fork.
        process: usize,
        /// How it was lost.
        fault: Fault,
    },
}

impl Round<'_> {
    /// Runs the round.
    pub fn run(mut self) -> RoundResult {
        let Round { stage, .. } = self;
        let mut calls: BTreeMap<Computed, BTreeSet<Calls>> = BTreeMap::new();
        for cell in &self.cells {
            let pieces = cell.calls.in_pieces(cell.pieces);
            calls.entry(self.computed(cell.cell)).or_default().extend(pieces);
        }
        let slices: Vec<_> =
            calls.iter().map(|(work, calls)| (*work, calls.iter().copied().collect())).collect();
        // If the slices need several processors, or if there is only one, the reference would
        // disturb them.
        let mut works = self.cells.iter().map(|cell| self.plan.workload_of(cell.cell));
        let waits = stage.processors() == Some(1) || works.any(|work| work.contract.threads > 1);
        let later = if waits {
            Some(slices)
        } else {
            self.expectation.begin(slices);
            None
        };
        let started = stage.now();
        let stolen = stage.stolen_ns();
        let mut failures = Vec::new();
        let mut replies = Vec::with_capacity(self.cells.len());
        for asked in std::mem::take(&mut self.cells) {
            match self.slice(asked) {
                Ok(pieces) => replies.push((asked, pieces)),
                Err(failure) => failures.push(failure),
            }
        }
        if let Some(slices) = later {
            self.expectation.begin(slices);
        }
        let folds = self.folds(calls, &replies);
        let mut next_call = 0;
        let mut slices = Vec::with_capacity(replies.len());
        let mut compilers: BTreeMap<usize, (CompilerState, Change)> = BTreeMap::new();
        for (RoundCell { cell, process, .. }, pieces) in replies {
            let computed = self.computed(cell);
            let ends = pieces.iter().map(|piece| piece.calls.first + piece.calls.all());
            next_call = ends.fold(next_call, u64::max);
            let lies = pieces.iter().find_map(|piece| lie(&piece.sliced, piece.calls));
            if let Some(reason) = lies {
                failures.push(RoundFailure::Lie { cell, reason });
                continue;
            }
            let wrong =
                |piece: &Piece| wrong(&piece.sliced, piece.calls, folds[&(computed, piece.calls)]);
            if let Some(reason) = pieces.iter().find_map(wrong) {
                failures.push(RoundFailure::Wrong { cell, reason });
                continue;
            }
            let Some(sliced) = pieces::sum(&pieces) else { continue };
            let before = (self.processes[process].compiler, Change::default());
            let (compiler, changed) = compilers.entry(process).or_insert(before);
            let mut change = Change::default();
            for piece in &pieces {
                change = change.and(compiler.update(piece.sliced.compilation));
            }
            *changed = changed.and(change);
            let threads = self.plan.workload_of(cell).contract.threads;
            let disturbed = if change.highest {
                Some(RECOMPILED.to_string())
            } else {
                disturbance::reason(sliced.elapsed_ns, threads, &sliced.noise)
            };
            slices.push(SliceRecord {
                cell,
                iterations: sliced.iterations,
                elapsed_ns: sliced.elapsed_ns,
                noise: sliced.noise,
                allocated_per_call: sliced.allocated_per_call,
                disturbed,
            });
        }
        let ended = stage.now();
        let stolen_ns = stolen.and_then(|before| Some(stage.stolen_ns()?.saturating_sub(before)));
        let record = RoundRecord {
            comparison: self.comparison,
            ordinal: self.ordinal,
            stolen_ns,
            started_ns: started.saturating_sub(self.began).as_nanos() as u64,
            spent_ns: ended.saturating_sub(self.last).as_nanos() as u64,
            slices,
        };
        RoundResult { record, failures, compilers, next_call, ended }
    }

    /// The computation of a cell.
    fn computed(&self, cell: usize) -> Computed {
        (self.comparison, self.plan.cells[cell].alternative)
    }

    /// The folds that the reference computed: of the requested slices, and of the pieces that were
    /// timed again.
    fn folds(
        &mut self,
        calls: BTreeMap<Computed, BTreeSet<Calls>>,
        replies: &[(RoundCell, Vec<Piece>)],
    ) -> BTreeMap<(Computed, Calls), u64> {
        let asked =
            calls.into_iter().flat_map(|(work, calls)| calls.into_iter().map(move |n| (work, n)));
        let mut folds: BTreeMap<(Computed, Calls), u64> =
            asked.zip(self.expectation.folds()).collect();
        let made = replies.iter().flat_map(|(cell, pieces)| {
            let computed = self.computed(cell.cell);
            pieces.iter().map(move |piece| (computed, piece.calls))
        });
        let again: BTreeSet<_> = made.filter(|made| !folds.contains_key(made)).collect();
        if !again.is_empty() {
            self.expectation.begin(again.iter().map(|(work, n)| (*work, vec![*n])).collect());
            folds.extend(again.into_iter().zip(self.expectation.folds()));
        }
        folds
    }

    /// Asks for a slice, piece by piece: none without a process. A piece that is disturbed is timed
    /// again, if there are several, until there have been twice as many. Their times are checked,
    /// their folds are not.
    fn slice(&mut self, asked: RoundCell) -> Result<Vec<Piece>, RoundFailure> {
        let planned = asked.calls.in_pieces(asked.pieces);
        let pool = u64::from(self.plan.comparisons[self.comparison].pool);
        let threads = self.plan.workload_of(asked.cell).contract.threads;
        let mut made: Vec<Piece> = Vec::with_capacity(planned.len());
        // By how much the index of a call is larger than planned.
        let mut later = 0;
        for &piece in &planned {
            let mut calls = Calls { first: piece.first + later, ..piece };
            while let Some(sliced) = self.ask(asked, calls)? {
                self.stage.elapsed(sliced.elapsed_ns);
                let again = planned.len() > 1
                    && made.len() < 2 * planned.len()
                    && disturbance::reason(sliced.elapsed_ns, threads, &sliced.noise).is_some();
                made.push(Piece { calls, sliced, repeated: again });
                if !again {
                    break;
                }
                let start = calls.first + calls.preroll;
                calls = calls.again(asked.calls.preroll, pool);
                later += calls.first + calls.preroll - start;
            }
        }
        Ok(made)
    }

    /// Asks for calls; `None` without a process.
    fn ask(&mut self, of: RoundCell, calls: Calls) -> Result<Option<Sliced>, RoundFailure> {
        let RoundCell { cell, process, .. } = of;
        let Calls { first, preroll, iterations } = calls;
        let Some(host) = self.processes[process].host.as_mut() else { return Ok(None) };
        let ask = Slice { cell: cell as u32, first, preroll, iterations };
        let began = self.stage.clock();
        let reply = host.slice(&ask).and_then(|outcome| expect_ok(outcome, "slice"));
        let waited = began.map(|began| began.elapsed().as_nanos() as f64);
        let sliced = reply.map_err(|fault| match fault {
            Fault::Refused { refusal, .. } => {
                RoundFailure::Refusal { cell, reason: refusal.reason }
            }
            fault => RoundFailure::Lost { process, fault },
        })?;
        let timed = waited.map(|waited| Timed { reported: sliced.elapsed_ns, waited });
        let resolution = self.plan.contender_of(cell).resolution_ns();
        let wrong = clock::no_time(sliced.elapsed_ns, iterations)
            .or_else(|| timed.and_then(|timed| timed.impossible(resolution)));
        match wrong {
            Some(reason) => Err(RoundFailure::Lie { cell, reason }),
            None => Ok(Some(sliced)),
        }
    }
}

/// The fault of a slice's answers, if any. A contender that answers wrongly fails; it is never
/// slow.
fn wrong(sliced: &Sliced, calls: Calls, expected: u64) -> Option<String> {
    let Calls { first, iterations, preroll } = calls;
    (sliced.fold != expected).then(|| {
        format!(
            "answers wrongly while timed: the outputs of calls {} to {} fold to {:016x}, not \
             {expected:016x}",
            first + preroll,
            first + preroll + iterations - 1,
            sliced.fold
        )
    })
}

/// The most bytes that a call can allocate: the addresses of a process.
const MOST_BYTES: f64 = (1_u64 << 47) as f64;

/// The fault of a slice's number of calls, its time or its allocations, if any.
fn lie(sliced: &Sliced, calls: Calls) -> Option<String> {
    let Calls { iterations, .. } = calls;
    if sliced.iterations != iterations {
        return Some(format!(
            "made {} timed calls where {iterations} were asked",
            sliced.iterations
        ));
    }
    if sliced.elapsed_ns <= 0.0 {
        return Some(format!("reports {} ns for {iterations} calls", sliced.elapsed_ns));
    }
    let allocated = sliced.allocated_per_call.filter(|bytes| !(0.0..=MOST_BYTES).contains(bytes));
    allocated
        .map(|bytes| format!("reports {bytes:e} bytes allocated by a call, which cannot be true"))
}

/// The cells of a round that count, with their times in ns per call.
pub fn counted(record: &RoundRecord) -> Vec<(usize, f64)> {
    record
        .slices
        .iter()
        .filter(|slice| slice.disturbed.is_none())
        .map(|slice| (slice.cell, slice.ns_per_call()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::Fresh;
    use super::super::audit::expectation::Begun;
    use super::super::fixture::{self, Script, Scripted, correct};
    use super::*;
    use cupel_contender::Contender;
    use cupel_protocol::message::{Compilation, Outcome, Refusal};
    use cupel_protocol::noise::Noise;
    use cupel_runner::Host;
    use std::path::Path;
    use std::sync::Mutex;
    use std::time::Instant;

    /// Runs one round of contenders whose processes answer by these scripts. Returns the result,
    /// and the processes after it.
    fn round(scripts: &[Script]) -> (RoundResult, Vec<HostedProcess>) {
        round_of(scripts, 1)
    }

    /// Runs a round with slices in this many pieces.
    fn round_of(scripts: &[Script], pieces: u64) -> (RoundResult, Vec<HostedProcess>) {
        let names: Vec<String> = (0..scripts.len()).map(|n| format!("contender-{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let plan = fixture::plan(&names, &[64]);
        let process = |(contender, script): (usize, &Script)| HostedProcess {
            contender,
            control: false,
            host: Some(Box::new(Scripted(*script))),
            compiler: CompilerState::default(),
            recompiled: 0,
        };
        let mut processes: Vec<HostedProcess> = scripts.iter().enumerate().map(process).collect();
        let cell = |cell| RoundCell { cell, process: cell, calls: Calls::new(2, 100), pieces };
        let round = Round {
            plan: &plan,
            stage: &fixture::Stopped,
            expectation: &mut Expectation::new(&plan, &[7], Path::new(""), None).unwrap(),
            processes: &mut processes,
            comparison: 0,
            ordinal: 0,
            cells: (0..scripts.len()).map(cell).collect(),
            began: Duration::ZERO,
            last: Duration::ZERO,
        };
        (round.run(), processes)
    }

    /// A round has neither the store nor the ledger, so nothing can be stored or failed in it.
    #[test]
    fn what_goes_wrong_in_a_round_is_returned_and_changes_no_process() {
        let (result, processes) = round(&[
            |ask| Ok(Outcome::Ok(correct(ask))),
            |ask| Ok(Outcome::Ok(Sliced { fold: 1, ..correct(ask) })),
            |_| Ok(Outcome::Failed(Refusal::because("the script says so"))),
            |_| Err(Fault::OutOfStep { wanted: 7, got: 8 }),
            |ask| Ok(Outcome::Ok(Sliced { elapsed_ns: f64::NAN, ..correct(ask) })),
            |ask| Ok(Outcome::Ok(Sliced { iterations: ask.iterations - 1, ..correct(ask) })),
            |ask| Ok(Outcome::Ok(Sliced { allocated_per_call: Some(1e308), ..correct(ask) })),
        ]);
        let cells: Vec<usize> = result.record.slices.iter().map(|slice| slice.cell).collect();
        assert_eq!(cells, [0]);
        // Folds are compared when all slices are over.
        let [refused, lost, no_time, wrong_fold, wrong_calls, too_much] = &result.failures[..]
        else {
            panic!("six failures: {:?}", result.failures)
        };
        assert!(
            matches!(refused, RoundFailure::Refusal { cell: 2, reason }
                if reason == "the script says so"),
            "{refused:?}"
        );
        assert!(
            matches!(lost, RoundFailure::Lost { process: 3, fault: Fault::OutOfStep { .. } }),
            "{lost:?}"
        );
        for (failure, of, words) in [
            (no_time, 4, "which cannot be true"),
            (wrong_calls, 5, "made 99 timed calls where 100 were asked"),
            (too_much, 6, "reports 1e308 bytes allocated by a call, which cannot be true"),
        ] {
            assert!(
                matches!(failure, RoundFailure::Lie { cell, reason }
                    if *cell == of && reason.contains(words)),
                "{failure:?}"
            );
        }
        assert!(
            matches!(wrong_fold, RoundFailure::Wrong { cell: 1, reason }
                if reason.contains("calls 9 to 108 fold to 0000000000000001")),
            "{wrong_fold:?}"
        );
        assert!(processes.iter().all(|process| process.host.is_some()));
    }

    /// An answer from a processor that something else had, too.
    fn disturbed(ask: &Slice) -> Sliced {
        Sliced { noise: Noise { wait_ns: Some(2_000_000), ..Noise::default() }, ..correct(ask) }
    }

    #[test]
    fn a_piece_that_is_disturbed_is_timed_again_with_later_calls() {
        let (result, _) = round_of(
            &[
                // The calls from 42 on are the second piece, with 7 untimed calls if it is
                // repeated.
                |ask| Ok(Outcome::Ok(if ask.first == 42 { disturbed(ask) } else { correct(ask) })),
                |ask| Ok(Outcome::Ok(disturbed(ask))),
                |ask| {
                    let first = Sliced { fold: 1, ..disturbed(ask) };
                    Ok(Outcome::Ok(if ask.first == 2 { first } else { correct(ask) }))
                },
            ],
            3,
        );
        let [once, always] = &result.record.slices[..] else { panic!("{:?}", result.failures) };
        assert_eq!((once.iterations, once.elapsed_ns), (100, 10_000.0));
        assert_eq!(once.disturbed, None);
        assert_eq!(always.iterations, 100);
        assert!(always.disturbed.is_some(), "it is not repeated without end");
        assert!(
            matches!(&result.failures[..], [RoundFailure::Wrong { cell: 2, .. }]),
            "what is repeated must be right, too: {:?}",
            result.failures
        );
        assert!(result.next_call >= 149, "{}", result.next_call);
    }

    /// A stage with this many processors. It writes down whether the reference had begun when a
    /// slice ended.
    struct Observed<'a> {
        processors: Option<usize>,
        jobs: &'a Mutex<Begun>,
        early: Mutex<Vec<bool>>,
    }

    impl Stage for Observed<'_> {
        fn start(
            &self,
            contender: &Contender,
            fresh: Fresh,
            cpu: Option<usize>,
        ) -> Result<Box<dyn Host>, Fault> {
            fixture::Stopped.start(contender, fresh, cpu)
        }

        fn lanes(&self) -> Vec<Option<usize>> {
            fixture::Stopped.lanes()
        }

        fn now(&self) -> Duration {
            Duration::ZERO
        }

        fn clock(&self) -> Option<Instant> {
            None
        }

        fn elapsed(&self, _ns: f64) {
            let begun = self.jobs.lock().unwrap().try_recv().is_ok();
            self.early.lock().unwrap().push(begun);
        }

        fn stolen_ns(&self) -> Option<u64> {
            None
        }

        fn measuring_cpu(&self) -> Option<usize> {
            None
        }

        fn processors(&self) -> Option<usize> {
            self.processors
        }
    }

    /// For `seal` and latency the reference makes every call. On the processor of the slices it
    /// would disturb all of them, and no comparison would ever be decided.
    #[test]
    fn on_the_only_processor_the_reference_begins_after_the_slices() {
        let plan = fixture::plan(&["one", "two"], &[64]);
        for (processors, early) in [(Some(1), false), (Some(2), true), (None, true)] {
            let expectation = Expectation::new(&plan, &[7], Path::new(""), None).unwrap();
            let (mut expectation, jobs) = expectation.observed(vec![0]);
            let jobs = Mutex::new(jobs);
            let stage = Observed { processors, jobs: &jobs, early: Mutex::default() };
            let process = |contender: usize| HostedProcess {
                contender,
                control: false,
                host: Some(Box::new(Scripted(|ask| Ok(Outcome::Ok(correct(ask)))))),
                compiler: CompilerState::default(),
                recompiled: 0,
            };
            let mut processes: Vec<HostedProcess> = (0..2).map(process).collect();
            let cell =
                |cell| RoundCell { cell, process: cell, calls: Calls::new(2, 100), pieces: 1 };
            let round = Round {
                plan: &plan,
                stage: &stage,
                expectation: &mut expectation,
                processes: &mut processes,
                comparison: 0,
                ordinal: 0,
                cells: (0..2).map(cell).collect(),
                began: Duration::ZERO,
                last: Duration::ZERO,
            };
            let result = round.run();
            // Its job arrives once.
            assert_eq!(*stage.early.lock().unwrap(), [early, false], "{processors:?}");
            assert_eq!(jobs.lock().unwrap().try_recv().is_ok(), !early, "{processors:?}");
            assert_eq!(result.record.slices.len(), 2, "{:?}", result.failures);
        }
    }

    #[test]
    fn a_recompilation_is_returned_and_its_slice_does_not_count() {
        let (result, processes) = round(&[
            |ask| Ok(Outcome::Ok(correct(ask))),
            |ask| {
                let compilation =
                    Compilation { events: 2, installed: 1, discarded: 1, pending: 0, level: None };
                Ok(Outcome::Ok(Sliced { compilation: Some(compilation), ..correct(ask) }))
            },
        ]);
        assert_eq!(counted(&result.record), [(0, 100.0)]);
        assert_eq!(result.record.slices[1].disturbed.as_deref(), Some(RECOMPILED));
        let change = |process| result.compilers[&process].1;
        assert_eq!(change(0), Change::default());
        assert!(change(1).highest && change(1).discarded);
        assert_eq!(result.compilers[&1].0.events(), 2);
        assert_eq!(processes[1].compiler.events(), 0, "the fork takes it over");
    }
}
