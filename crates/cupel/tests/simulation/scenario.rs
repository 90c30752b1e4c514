//! A world, its contenders, and a run of them: planned, measured, stored, loaded and analysed as by
//! the command.

use crate::stage::Simulated;
use cupel_analyse::{Answer, analyse};
use cupel_base::draws::DRAWS;
use cupel_base::name::ContenderName;
use cupel_base::primitives::{self, EMPTY};
use cupel_contender::{Contender, State};
use cupel_machine::Machine;
use cupel_plan::{Alternative, Draft, DraftComparison, Judged, Member, Plan};
use cupel_protocol::histogram::Histogram;
use cupel_protocol::message::Offer;
use cupel_protocol::workload::{Contract, Lengths, Operation, Shape, Workload};
use cupel_run::measure::{self, Session, Unwatched};
use cupel_sham::script::{self, Bursts, Script, Swing, WarmUp, World};
use cupel_store::{Recorded, Store};
use cupel_suite::Options;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The message size in bytes. Nothing depends on it unless sizes are drawn: the scripted contenders
/// cost the same at any length.
pub const SIZE: u64 = 64;

/// A simulated run.
#[derive(Clone)]
pub struct Scenario {
    /// The machine.
    pub world: World,
    /// The contenders.
    pub contenders: Vec<script::Contender>,
    /// Which of them is the baseline.
    pub baseline: usize,
    /// On how many threads they are measured: each number is a comparison.
    pub threads: Vec<u32>,
    /// The primitives between which a choice is made; empty if all are measured on one.
    pub choice: Vec<&'static str>,
    /// The sizes of successive calls, each with how often it comes; empty if all are [`SIZE`].
    pub drawn: Vec<(u64, u64)>,
    /// How it is measured.
    pub options: Options,
    /// By how much the last contender slows the slice after one of its own.
    pub after: f64,
    /// Each process of the last contender is this much faster or slower (a ratio minus one), one as
    /// probable as the other.
    pub two_speeds: f64,
    /// The last contender's time in each layout, as a factor; empty if it has only one.
    pub layouts: Vec<f64>,
    /// By contender: the library that it calls; its own for those that are not listed.
    pub libraries: Vec<&'static str>,
    /// By contender: how much longer a process takes, in ns, because another had the processor
    /// before. It is paid in the first tenths of a millisecond. None for those that are not listed.
    pub cold_ns: Vec<f64>,
    /// How many of the last contenders have an interpreter.
    pub interpreted: usize,
}

/// How much longer code that is compiled ahead takes at most, in ns, because another process had the
/// processor before.
const COLD_IF_COMPILED_NS: f64 = 50_000.0;

/// A shared machine like real ones: 1 % autocorrelated noise, drift, a slow swing, and neighbours
/// that slow by 1.6 to 2 times, for a third of a second on average, a fifth of the time. One slice
/// in fifty is preempted.
pub fn shared_machine() -> World {
    World {
        noise_sd: 0.01,
        autocorrelation: 0.3,
        drift_per_s: 0.05,
        swing: Swing { amplitude: 0.03, period_s: 2.0 },
        bursts: Bursts { per_s: 0.8, mean_ms: 300.0, factor_low: 1.6, factor_high: 2.0 },
        contamination: 0.02,
        ..World::default()
    }
}

fn machine() -> &'static Machine {
    static MACHINE: OnceLock<Machine> = OnceLock::new();
    MACHINE.get_or_init(Machine::look)
}

impl Scenario {
    /// Contenders with these true ratios to the baseline on a [`shared_machine`]. Each process is
    /// 0.3 % off because of its layout, and three times as slow in its first calls.
    pub fn with_ratios(ratios: &[f64]) -> Scenario {
        let contender = |(place, ratio): (usize, &f64)| script::Contender {
            name: format!("contender-{place:02}"),
            fixed_ns: 100.0 * ratio,
            per_byte_ns: 0.0,
            fork_sd: 0.003,
            warm_up: WarmUp { slow_factor: 3.0, for_ms: 0.2, ..WarmUp::default() },
            ..script::Contender::default()
        };
        let all: Vec<f64> = [1.0].iter().chain(ratios).copied().collect();
        Scenario {
            world: shared_machine(),
            contenders: all.iter().enumerate().map(contender).collect(),
            baseline: 0,
            threads: vec![1],
            choice: vec![],
            drawn: vec![],
            options: Options { forks: 3, budget: Duration::from_millis(700), ..Options::default() },
            after: 1.0,
            two_speeds: 0.0,
            layouts: vec![],
            cold_ns: vec![],
            libraries: vec![],
            interpreted: 0,
        }
    }

    /// The true ratio of a row to the first contender, which has the first primitive of a choice.
    pub fn truth(&self, name: &str) -> f64 {
        let name = ContenderName::from(name);
        let ns = |c: &script::Contender, primitive: &str| self.mean_ns(c) * c.factor_of(primitive);
        let found = self.contenders.iter().find(|c| c.name == *name.contender());
        let found = found.expect("a contender of this");
        let first = self.choice.first().copied().unwrap_or(EMPTY);
        ns(found, name.primitive().unwrap_or(EMPTY)) / ns(&self.contenders[0], first)
    }

    /// The true time of a call, in ns; the mean over the mix if sizes are drawn.
    fn mean_ns(&self, contender: &script::Contender) -> f64 {
        let all: u64 = self.drawn.iter().map(|(_, count)| count).sum();
        let part =
            |&(size, count): &(u64, u64)| contender.true_ns(size) * count as f64 / all as f64;
        if all == 0 { contender.true_ns(SIZE) } else { self.drawn.iter().map(part).sum() }
    }

    fn lengths(&self) -> Lengths {
        if self.drawn.is_empty() {
            return Lengths::Equal;
        }
        Lengths::Drawn(Histogram::new(self.drawn.clone()).expect("a mix"))
    }

    /// The script of the run with this seed.
    pub fn script(&self, seed: u64) -> Script {
        Script { seed, world: self.world.clone(), contenders: self.contenders.clone() }
    }

    fn plan(&self, seed: u64) -> Plan {
        let operation = self.operation();
        let workload = |primitive: &str, threads: u32| Workload {
            primitive: primitive.to_string(),
            operation,
            size: self.drawn.iter().map(|(size, _)| *size).max().unwrap_or(SIZE),
            contract: Contract { threads, lengths: self.lengths(), ..Contract::usual(operation) },
            shape: Shape::Throughput,
        };
        let question = if self.choice.is_empty() {
            EMPTY.to_string()
        } else {
            primitives::choosing(self.choice.iter().copied())
        };
        let alternative = |primitive: &&str| Alternative {
            workload: workload(primitive, 1),
            key_len: primitives::named(primitive).map_or(0, |p| p.key),
            fixed_key: vec![],
        };
        let count = self.choice.len();
        let numbers = || (0..count).map(Some).chain((count == 0).then_some(None));
        let members =
            |contender: usize| numbers().map(move |alternative| Member { contender, alternative });
        let comparison = |&threads: &u32| DraftComparison {
            workload: workload(&question, threads),
            alternatives: self.choice.iter().map(alternative).collect(),
            overhead: false,
            members: (0..self.contenders.len()).flat_map(members).collect(),
            baselines: vec![self.baseline],
            key_len: 0,
            fixed_key: vec![],
            ad: vec![],
            claimed: vec![],
            pool: if self.drawn.is_empty() { 2 } else { DRAWS },
        };
        let planned = |(at, contender): (usize, &script::Contender)| Contender {
            library: self.libraries.get(at).map_or(contender.name.clone(), |l| l.to_string()),
            ..self.planned(contender)
        };
        let contenders = self.contenders.iter().enumerate().map(planned).collect();
        let options = self.options.clone();
        let comparisons = self.threads.iter().map(comparison).collect();
        let draft = Draft::new("simulation", "", options, seed, contenders, comparisons);
        draft.elect(&Judged::default(), BTreeMap::new())
    }

    /// One run.
    pub fn run(&self, seed: u64) -> Answer {
        analyse(&self.recorded(seed)).comparisons.pop().expect("one comparison")
    }

    /// One run, as stored.
    pub fn recorded(&self, seed: u64) -> Recorded {
        let mut store = Store::in_memory().expect("a store in memory");
        self.record(seed, &mut store, machine());
        let recorded = store.load(None).expect("the run that was stored");
        assert!(recorded.failures.is_empty(), "{:?}", recorded.failures);
        recorded
    }

    /// One run, and the middle of each of its forks, in seconds since it began.
    pub fn run_with_forks(&self, seed: u64) -> (Answer, Vec<f64>) {
        let mut store = Store::in_memory().expect("a store in memory");
        let middles = self.record(seed, &mut store, machine());
        let recorded = store.load(None).expect("the run that was stored");
        (analyse(&recorded).comparisons.pop().expect("one comparison"), middles)
    }

    /// One run, in a store, of this machine: the middle of each of its forks, in seconds.
    pub fn record(&self, seed: u64, store: &mut Store, machine: &Machine) -> Vec<f64> {
        let script = self.script(seed);
        script.check().expect("a possible machine");
        let Scenario { after, two_speeds, layouts, cold_ns, .. } = self;
        let mut stage = Simulated::new(script, *after, *two_speeds, layouts, cold_ns);
        let plan = self.plan(seed);
        let run = store.begin(&plan, "", machine, "simulation").expect("a run");
        let mut session = Session {
            plan: &plan,
            run,
            store,
            stage: &mut stage,
            watch: &mut Unwatched,
            stop: &AtomicBool::new(false),
            cache: Path::new(""),
        };
        measure::run(&mut session, None).expect("a run to its end");
        stage.middles()
    }

    /// Runs with this many seeds, on all processors.
    pub fn runs(&self, count: u64) -> Vec<Answer> {
        self.each(count, |seed| self.run(seed))
    }

    /// The results for this many seeds, on all processors.
    pub fn each<T: Send>(&self, count: u64, run: impl Fn(u64) -> T + Sync) -> Vec<T> {
        let workers = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
        std::thread::scope(|scope| {
            let part = |worker: u64| (worker..count).step_by(workers as usize);
            let run = &run;
            let work = |worker| scope.spawn(move || part(worker).map(run).collect());
            let threads: Vec<_> = (0..workers).map(work).collect();
            let answers = |thread: std::thread::ScopedJoinHandle<'_, Vec<T>>| {
                thread.join().expect("no run panics")
            };
            threads.into_iter().flat_map(answers).collect()
        })
    }

    fn operation(&self) -> Operation {
        if self.choice.is_empty() { Operation::Digest } else { Operation::Mac }
    }

    fn planned(&self, contender: &script::Contender) -> Contender {
        let state = State::Ready {
            command: vec![],
            simulated: true,
            jit: contender.jit.is_some(),
            resolution_ns: cupel_sham::model::RESOLUTION_NS as u64,
        };
        Contender {
            implementation: contender.name.clone(),
            family: "sham".to_string(),
            offers: if self.choice.is_empty() {
                vec![Offer::new(EMPTY, Operation::Digest)]
            } else {
                self.choice.iter().map(|p| Offer::new(*p, self.operation())).collect()
            },
            layouts: self.layouts.iter().map(f64::to_string).collect(),
            managed: contender.jit.is_some() || self.is_slow_at_first(contender),
            interpreted: self.has_interpreter(contender),
            ..Contender::new(contender.name.as_str().into(), state)
        }
    }

    /// Whether an interpreter calls a contender's code.
    pub fn has_interpreter(&self, contender: &script::Contender) -> bool {
        let last = self.contenders.iter().rev().take(self.interpreted);
        last.map(|one| &one.name).any(|name| *name == contender.name)
    }

    /// Whether a contender pays more after another process than code that is compiled ahead does.
    fn is_slow_at_first(&self, contender: &script::Contender) -> bool {
        let place = self.contenders.iter().position(|one| one.name == contender.name);
        let cold_ns = place.and_then(|place| self.cold_ns.get(place));
        cold_ns.is_some_and(|ns| *ns > COLD_IF_COMPILED_NS)
    }
}
