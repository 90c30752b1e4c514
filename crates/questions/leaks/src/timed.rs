//! Times calls with some secrets against calls with others, alternately in the same process
//! (`by_time` decides).
//!
//! A block prepares every cell again: its objects are in other places then, and which secret has
//! which slot is drawn again, so that no secret keeps a place in memory.

use crate::by_time::{self, Block, Class, STAGES, Timed};
use crate::secrets::Question;
use cupel_machine::Scheduled;
use cupel_protocol::message::{Refusal, Slice};
use cupel_run::measure::disturbance;
use cupel_run::measure::steady::{self, CompilerState, Outcome, Quiet, Warming};
use cupel_run::measure::warm_up::{Aim, WarmCell, warm_up};
use cupel_run::measure::{Fresh, Stage};
use cupel_runner::{Fault, Host, expect_ok};
use cupel_stats::quantile::{median, middle_mean, quantile};
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How many processes of a contender a stage times. A difference in the first half of all must be
/// seen again in the second.
const PROCESSES: u64 = 2;

/// The time of all blocks of a process.
const PROCESS: Duration = Duration::from_secs(16);

/// The most blocks of a process.
const BLOCKS: usize = 640;

/// The length of a slice in ns: of few calls, so that slow calls show in the percentiles, and not
/// shorter than the wake-up of a process.
const SLICE_NS: f64 = 20_000.0;

/// How many slices of each secret a block has, and how many single calls with cold caches: more of
/// them show little more, because blocks differ mostly in where things lie in memory. If calls are
/// long, it has as many as take this time in ns.
const ROUNDS: (usize, usize, f64) = (10, 16, 3e6);

/// The fewest slices that have a median.
const FEWEST: usize = 5;

/// How many slices of a process show which threads run, and their length in ns: a request takes
/// less than a tenth of it, and the calls of a handed-over work are many.
const LOOKS: usize = 9;
const LOOK_NS: f64 = 5e6;

/// The untimed calls at the start of a slice: the earlier work has left its own data in the caches.
const PREROLL: u64 = 2;

/// This many bytes fill more than the caches next to a processor: its second level has 2 MiB at
/// most.
const NEAR: usize = 3 << 20;

/// The bytes of a cache line.
const LINE: usize = 64;

/// The number of the key and the message of the calls between: no class has them.
const BETWEEN: u64 = 9;

/// Times a contender in several processes. `questions` is how many are asked in all: they share the
/// error.
///
/// # Errors
/// Why it cannot be timed.
pub fn time(question: &Question<'_>, stage: &dyn Stage, questions: usize) -> Result<Timed, String> {
    let classes = by_time::classes(question);
    if classes.len() < 3 {
        return Err("it has neither a key that it can take nor a message".to_string());
    }
    let (mut processes, mut ran) = (Vec::new(), Vec::new());
    loop {
        for _ in 0..PROCESSES {
            let fork = processes.len() as u64 + 1;
            processes.push(blocks(question, &classes, stage, fork, &mut ran)?);
        }
        let mut timed = by_time::compare(&classes, &processes, questions);
        let share = |of: fn(&Ran) -> f64| {
            let shares: Vec<f64> = ran.iter().map(of).collect();
            (!shares.is_empty()).then(|| median(&shares))
        };
        (timed.ran, timed.others_ran) = (share(|ran| ran.caller), share(|ran| ran.others));
        if timed.is_settled() || processes.len() as u64 == STAGES * PROCESSES {
            return Ok(timed);
        }
    }
}

/// Times a process, as fork number `fork`.
fn blocks(
    question: &Question<'_>,
    classes: &[Class],
    stage: &dyn Stage,
    fork: u64,
    ran: &mut Vec<Ran>,
) -> Result<Vec<Block>, String> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(question.seed ^ fork << 32);
    let padding = (random.next_u64() % 4096) as usize;
    let fresh = Fresh { fork, padding, layout: fork as usize };
    let cpu = stage.measuring_cpu();
    let mut host = stage.start(question.contender, fresh, cpu).map_err(|e| e.to_string())?;
    let mut process = Process {
        question,
        classes,
        host: host.as_mut(),
        stage,
        random,
        compiler: CompilerState::default(),
        near: if cpu.is_some() { vec![1; NEAR / size_of::<u64>()] } else { vec![] },
        next_call: 1,
        ns_per_call: f64::NAN,
        ran,
    };
    process.blocks().map_err(|e| e.to_string())
}

/// A process whose calls are timed.
struct Process<'a> {
    question: &'a Question<'a>,
    classes: &'a [Class],
    host: &'a mut dyn Host,
    stage: &'a dyn Stage,
    random: Xoshiro256PlusPlus,
    compiler: CompilerState,
    /// The data that fill the near caches; empty if they would fill another processor's.
    near: Vec<u64>,
    /// Index of the next call, of all cells.
    next_call: u64,
    /// About how long a call takes.
    ns_per_call: f64,
    /// Who ran in slices of calls that follow each other, before and after the blocks.
    ran: &'a mut Vec<Ran>,
}

impl Process<'_> {
    fn blocks(&mut self) -> Result<Vec<Block>, Fault> {
        self.warm_up()?;
        self.see_who_runs()?;
        let until = self.stage.now() + PROCESS;
        let mut blocks = Vec::new();
        while self.stage.now() < until && blocks.len() < BLOCKS {
            blocks.extend(self.block()?);
        }
        self.see_who_runs()?;
        Ok(blocks)
    }

    /// Makes the code steady, with all secrets.
    fn warm_up(&mut self) -> Result<(), Fault> {
        let slots = self.prepare()?;
        let jit = self.question.contender.is_jit();
        let mut ready = Vec::new();
        for (cell, &class) in slots.iter().enumerate() {
            // Calls that refuse their messages run other code.
            let has_own_code = cell == 0 || self.classes[class].first == class;
            let aim = match (jit, has_own_code) {
                (false, _) => Aim::Native,
                (true, true) => Aim::Compile,
                (true, false) => Aim::CompileSize,
            };
            let warmed = WarmCell { cell: cell as u32, threads: 1, block: 1 };
            let (first, stage) = (self.next_call, self.stage);
            let compiler = &mut self.compiler;
            let warm =
                warm_up(self.host, warmed, aim, first, compiler, &mut |ns| stage.elapsed(ns))?;
            self.next_call = warm.next_call;
            self.ns_per_call = warm.ns_per_call;
            ready.push(warm.ns_per_call);
        }
        let next_call = self.next_call;
        let cells = ready.iter().enumerate();
        let mut warming: Vec<Warming> = cells
            .map(|(cell, ns)| Warming::new(cell, next_call, *ns, None, Quiet::AGAIN))
            .collect();
        if jit {
            let mut refusal: Option<Refusal> = None;
            let (stop, compiler) = (AtomicBool::new(false), &mut self.compiler);
            let mut refused = |_, because| refusal = Some(because);
            let end = steady::together(self.host, compiler, &mut warming, &stop, &mut refused)?;
            if let Some(refusal) = refusal {
                return Err(Fault::Refused { during: "slice", refusal });
            }
            if end == Outcome::Unsteady {
                let refusal = Refusal::because(steady::NEVER_STEADY.to_string());
                return Err(Fault::Refused { during: "slice", refusal });
            }
        }
        let calls = warming.iter().map(|cell| cell.next_call);
        self.next_call = calls.max().unwrap_or(self.next_call).max(self.next_call);
        self.ns_per_call = median(&warming.iter().map(|cell| cell.ns_per_call).collect::<Vec<_>>());
        Ok(())
    }

    /// Prepares a cell for each class, and one for the calls between them, which has the last slot.
    /// Returns which class has which slot.
    fn prepare(&mut self) -> Result<Vec<usize>, Fault> {
        let slots = self.drawn_order();
        let offset = (self.random.next_u64() % LINE as u64) as u32;
        for (cell, &class) in slots.iter().enumerate() {
            let mut ask = self.question.ask(&self.classes[class].inputs, 1);
            (ask.cell, ask.offset) = (cell as u32, offset);
            expect_ok(self.host.prepare(&ask)?, "prepare")?;
        }
        let mut ask = self.question.ask(&self.question.inputs(BETWEEN), 1);
        (ask.cell, ask.offset) = (slots.len() as u32, offset);
        expect_ok(self.host.prepare(&ask)?, "prepare")?;
        Ok(slots)
    }

    /// The classes in a random order.
    fn drawn_order(&mut self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.classes.len()).collect();
        for last in (1..order.len()).rev() {
            let other = ((u128::from(self.random.next_u64()) * (last as u128 + 1)) >> 64) as usize;
            order.swap(last, other);
        }
        order
    }

    /// One block; `None` if it does not count.
    fn block(&mut self) -> Result<Option<Block>, Fault> {
        let slots = self.prepare()?;
        let (most_hot, most_cold, long) = ROUNDS;
        let enough = ((long / self.ns_per_call) as usize).max(FEWEST);
        let (hot_rounds, cold_rounds) = (most_hot.min(enough), most_cold.min(enough));
        let iterations = ((SLICE_NS / self.ns_per_call).ceil() as u64).max(1);
        let mut hot = vec![Vec::new(); slots.len()];
        let mut cold = hot.clone();
        let mut counts = true;
        // The first slice after `prepare` collects garbage and shows the code the new objects.
        for round in 0..=hot_rounds {
            for cell in self.drawn_order() {
                let sliced = self.slice(cell, PREROLL, iterations)?;
                counts &= round == 0 || !sliced.is_recompiled;
                hot[slots[cell]].extend(sliced.ns.filter(|_| round > 0));
            }
        }
        for _ in 0..if self.near.is_empty() { 0 } else { cold_rounds } {
            for cell in self.drawn_order() {
                // Most classes have the first key. Code that keeps something of the last key would
                // be faster with that one.
                counts &= !self.slice(slots.len(), 0, 1)?.is_recompiled;
                self.fill_near_caches();
                let sliced = self.slice(cell, 0, 1)?;
                counts &= !sliced.is_recompiled;
                cold[slots[cell]].extend(sliced.ns);
            }
        }
        counts &= hot.iter().all(|times| times.len() >= FEWEST);
        let times = hot.iter().zip(&cold).map(|(hot, cold)| {
            let cold = if cold.len() >= FEWEST { middle_mean(cold) } else { f64::NAN };
            [median(hot), quantile(hot, 0.9), cold]
        });
        Ok(counts.then(|| times.collect()))
    }

    fn slice(&mut self, cell: usize, preroll: u64, iterations: u64) -> Result<Taken, Fault> {
        let first = self.next_call;
        self.next_call += preroll + iterations;
        let ask = Slice { cell: cell as u32, first, preroll, iterations };
        let sliced = expect_ok(self.host.slice(&ask)?, "slice")?;
        self.stage.elapsed(sliced.elapsed_ns);
        let is_recompiled = self.compiler.update(sliced.compilation).highest;
        let disturbed = disturbance::reason(sliced.elapsed_ns, 1, &sliced.noise).is_some();
        let is_collecting = sliced.noise.gc_ns.is_some_and(|ns| ns > 0);
        let ns = sliced.elapsed_ns / iterations as f64;
        Ok(Taken { ns: (!disturbed && !is_collecting).then_some(ns), is_recompiled })
    }

    /// Compares the time of some calls with the time for which the runner's threads ran, by the
    /// system's account: a runner need not report any.
    fn see_who_runs(&mut self) -> Result<(), Fault> {
        // Simulated calls take no time of a thread.
        if self.stage.clock().is_none() {
            return Ok(());
        }
        let iterations = ((LOOK_NS / self.ns_per_call).ceil() as u64).max(1);
        for _ in 0..LOOKS {
            let ask = Slice { cell: 0, first: self.next_call, preroll: 0, iterations };
            self.next_call += iterations;
            let (before, named) = self.host.scheduled();
            let sliced = expect_ok(self.host.slice(&ask)?, "slice")?;
            let (after, _) = self.host.scheduled();
            self.stage.elapsed(sliced.elapsed_ns);
            self.ran.extend(Ran::between(&before, &after, named, sliced.elapsed_ns));
        }
        Ok(())
    }

    /// Fills the near caches of the processor, which is this thread's, too, with something else.
    fn fill_near_caches(&mut self) {
        let step = LINE / size_of::<u64>();
        for word in self.near.iter_mut().step_by(step) {
            *word = word.wrapping_add(1);
        }
        black_box(&mut self.near);
    }
}

/// A slice that was timed.
struct Taken {
    /// The time in ns per call, if it counts.
    ns: Option<f64>,
    is_recompiled: bool,
}

/// For which share of a slice threads ran.
#[derive(Debug, PartialEq)]
struct Ran {
    /// The one that makes the calls: the busiest one, if the runner names none. The time for which
    /// it waited for a processor does not count.
    caller: f64,
    /// All others of the runner and its children together.
    others: f64,
}

impl Ran {
    /// `None` if the system does not say it.
    fn between(
        before: &BTreeMap<u32, Scheduled>,
        after: &BTreeMap<u32, Scheduled>,
        named: Option<u32>,
        slice_ns: f64,
    ) -> Option<Ran> {
        let since = |(&thread, now): (&u32, &Scheduled)| {
            let then = before.get(&thread).copied().unwrap_or_default();
            let ran_ns = now.ran_ns.saturating_sub(then.ran_ns);
            let queued_ns = now.queued_ns.saturating_sub(then.queued_ns);
            (thread, Scheduled { ran_ns, queued_ns })
        };
        let all = || after.iter().map(since);
        let (_, caller) = match named {
            Some(named) => all().find(|(thread, _)| *thread == named),
            None => all().max_by_key(|(_, spent)| spent.ran_ns),
        }?;
        let others = all().map(|(_, spent)| spent.ran_ns).sum::<u64>() - caller.ran_ns;
        let had_a_processor = slice_ns - caller.queued_ns as f64;
        let caller = caller.ran_ns as f64 / had_a_processor;
        (had_a_processor > 0.0).then_some(Ran { caller, others: others as f64 / slice_ns })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_time::{Decision, Measure};
    use crate::secrets::Secret;
    use cupel_contender::{Contender, State};
    use cupel_protocol::message::{Compute, Computed, Offer, Outcome, Prepare, Prepared, Sliced};
    use cupel_protocol::workload::Operation;
    use std::collections::HashMap;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Instant;

    /// How long a call takes with these secrets, in ns.
    type Takes = fn(&Prepare) -> f64;

    /// A stage on which calls take a function's value, and a little more by chance.
    struct Simulated {
        takes: Takes,
        /// How much longer a call takes if the last one had another key, in ns; the caches are
        /// filled then.
        keeps: Option<f64>,
        ns: AtomicU64,
    }

    struct Told {
        takes: Takes,
        random: Xoshiro256PlusPlus,
        cells: HashMap<u32, (f64, Vec<u8>)>,
        keeps: f64,
        last: Vec<u8>,
        /// How much longer every call takes now: a neighbour.
        neighbour: f64,
    }

    impl Stage for Simulated {
        fn start(
            &self,
            _contender: &Contender,
            fresh: Fresh,
            _cpu: Option<usize>,
        ) -> Result<Box<dyn Host>, Fault> {
            let random = Xoshiro256PlusPlus::seed_from_u64(fresh.fork);
            let (takes, keeps, cells) =
                (self.takes, self.keeps.unwrap_or_default(), HashMap::new());
            Ok(Box::new(Told { takes, random, cells, keeps, last: vec![], neighbour: 0.0 }))
        }

        fn lanes(&self) -> Vec<Option<usize>> {
            vec![None]
        }

        fn now(&self) -> Duration {
            Duration::from_nanos(self.ns.load(Ordering::Relaxed))
        }

        fn clock(&self) -> Option<Instant> {
            None
        }

        fn elapsed(&self, ns: f64) {
            self.ns.fetch_add(ns as u64, Ordering::Relaxed);
        }

        fn stolen_ns(&self) -> Option<u64> {
            None
        }

        fn measuring_cpu(&self) -> Option<usize> {
            self.keeps.map(|_| 0)
        }
    }

    impl Told {
        fn uniform(&mut self) -> f64 {
            (self.random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
        }
    }

    impl Host for Told {
        fn prepare(&mut self, ask: &Prepare) -> Result<Outcome<Prepared>, Fault> {
            // Each place in memory has its own speed, and later ones are slower.
            let place = 1.0 + 0.02 * self.uniform() + 0.005 * f64::from(ask.cell);
            self.cells.insert(ask.cell, (place * (self.takes)(ask), ask.key.clone()));
            Ok(Outcome::Ok(Prepared { code_path: String::new(), threads: vec![] }))
        }

        fn compute(&mut self, _ask: Compute) -> Result<Outcome<Computed>, Fault> {
            Ok(Outcome::Ok(Computed { answers: vec![] }))
        }

        fn slice(&mut self, ask: &Slice) -> Result<Outcome<Sliced>, Fault> {
            if self.uniform() < 0.01 {
                self.neighbour = if self.uniform() < 0.5 { 0.0 } else { 40.0 * self.uniform() };
            }
            let noise = self.neighbour + 3.0 * self.uniform();
            let (takes, key) = &self.cells[&ask.cell];
            let is_other = ask.preroll == 0 && *key != self.last;
            let ns = takes + noise + if is_other { self.keeps } else { 0.0 };
            self.last.clone_from(key);
            Ok(Outcome::Ok(Sliced {
                iterations: ask.iterations,
                elapsed_ns: ns * ask.iterations as f64,
                fold: 0,
                noise: cupel_protocol::noise::Noise::default(),
                allocated_per_call: None,
                compilation: None,
            }))
        }
    }

    fn decided(takes: Takes) -> (Decision, Timed) {
        decided_of(Offer::new("siphash-2-4", Operation::Mac), takes)
    }

    fn decided_of(offer: Offer, takes: Takes) -> (Decision, Timed) {
        let state = State::Ready { command: vec![], simulated: true, jit: false, resolution_ns: 1 };
        let contender = Contender::new("simulated".into(), state);
        let patience = Duration::from_secs(1);
        let question =
            Question { contender: &contender, offer: &offer, size: 64, seed: 5, ad: 0, patience };
        let stage = Simulated { takes, keeps: None, ns: AtomicU64::new(0) };
        let timed = time(&question, &stage, 10).unwrap();
        (timed.decision(), timed)
    }

    #[test]
    fn who_ran_is_known_whether_or_not_the_runner_names_its_thread() {
        let at = |threads: &[(u32, u64, u64)]| -> BTreeMap<u32, Scheduled> {
            let of = |&(thread, ran_ns, queued_ns)| (thread, Scheduled { ran_ns, queued_ns });
            threads.iter().map(of).collect()
        };
        let before = at(&[(1, 500, 0), (2, 900, 7), (3, 0, 0)]);
        let after = at(&[(1, 500, 0), (2, 1300, 507), (3, 50, 0), (4, 50, 300)]);
        let ran = |named| Ran::between(&before, &after, named, 1000.0);
        let busiest = Ran { caller: 0.8, others: 0.1 };
        assert_eq!(ran(None), Some(busiest), "it had a processor for half the time");
        assert_eq!(ran(Some(3)), Some(Ran { caller: 0.05, others: 0.45 }));
        assert_eq!(ran(Some(9)), None);
        assert_eq!(Ran::between(&at(&[]), &at(&[]), None, 1000.0), None, "the system is silent");
    }

    /// Its calls are long, so that few of them are simulated: the caches are filled before each.
    #[test]
    fn a_key_that_is_kept_for_the_next_call_is_no_leak() {
        let state = State::Ready { command: vec![], simulated: true, jit: false, resolution_ns: 1 };
        let contender = Contender::new("keeps".into(), state);
        let offer = Offer::new("siphash-2-4", Operation::Mac);
        let patience = Duration::from_secs(1);
        let question =
            Question { contender: &contender, offer: &offer, size: 64, seed: 5, ad: 0, patience };
        let stage = Simulated { takes: |_| 5e6, keeps: Some(3e6), ns: AtomicU64::new(0) };
        let timed = time(&question, &stage, 10).unwrap();
        assert!(timed.differences.iter().any(|one| one.measure == Measure::Cold));
        assert_ne!(timed.decision(), Decision::Leaks, "{timed:#?}");
    }

    #[test]
    fn calls_that_depend_on_the_key_leak_by_what_they_take_longer() {
        let (decision, timed) = decided(|ask| 100.0 + f64::from(ask.key[0] == 0) * 2.0);
        assert_eq!(decision, Decision::Leaks);
        let leak = timed.leaks()[0].clone();
        assert_eq!(leak.secret, Secret::Key);
        assert_eq!(leak.apart[1].key, vec![0; 16]);
        assert!((leak.shift.estimate - 2.0).abs() < 0.3, "{leak:?}");
        let others = timed.leaks().iter().any(|leak| leak.apart[1].key[0] != 0);
        assert!(!others, "{timed:#?}");
    }

    #[test]
    fn calls_that_depend_on_no_secret_are_bounded_next_to_a_neighbour() {
        let (decision, timed) = decided(|_| 100.0);
        assert!(
            matches!(decision, Decision::NoneAbove { hot, cold: None, refused: None } if hot.ns < 2.0),
            "{timed:?}"
        );
        assert_eq!(timed.blocks, 2 * BLOCKS, "one stage is enough");
        assert!(timed.differences.iter().all(|one| one.measure != Measure::Cold));
    }

    /// The refusal of a message is public, and so is its time.
    #[test]
    fn refusals_are_compared_with_each_other() {
        let offer = || Offer::new("aes-256-gcm", Operation::Open);
        let (decision, timed) = decided_of(offer(), |ask| match ask.workload.contract.forged {
            None => 100.0,
            Some(byte) => 300.0 + f64::from(byte) / 4.0,
        });
        assert_eq!(decision, Decision::Leaks, "{timed:#?}");
        for leak in timed.leaks() {
            assert_eq!(leak.secret, Secret::Tag, "{leak:?}");
            assert!((leak.call - 300.0).abs() < 30.0, "{leak:?}");
        }
        let (decision, timed) = decided_of(offer(), |ask| match ask.workload.contract.forged {
            None => 100.0,
            Some(_) => 300.0,
        });
        let Decision::NoneAbove { hot, refused: Some(refused), .. } = decision else {
            panic!("{timed:#?}");
        };
        assert!(hot.ns < 2.0 && refused.ns < 6.0, "{hot:?} {refused:?}");
    }
}
