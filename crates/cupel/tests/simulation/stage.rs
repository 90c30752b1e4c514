//! A stage whose processes are simulated by the sham. The whole measuring core runs on it as on
//! real processes, but no time passes.

use cupel_contender::Contender;
use cupel_protocol::bytes;
use cupel_protocol::message::{
    Answer, Case, Compute, Computed, Input, Outcome, Prepare, Prepared, Slice, Sliced,
};
use cupel_run::measure::{Fresh, Stage};
use cupel_runner::{Fault, Host};
use cupel_sham::model::Machine;
use cupel_sham::primitive::Primitive;
use cupel_sham::script::{self, Script};
use cupel_verify::expect::Expected;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// The machine on which all processes of a run live, one slice at a time.
pub struct Simulated {
    script: Script,
    after: f64,
    two_speeds: f64,
    layouts: Vec<f64>,
    cold_ns: Vec<f64>,
    core: Arc<Mutex<Core>>,
}

/// How fast a cold start fades: after each such time in ns, 37 % of the rest is left.
const FADES_NS: f64 = 150_000.0;

/// The core that the processes share.
struct Core {
    now_ns: f64,
    /// The factor by which the next slice is slowed because of the previous one.
    left_behind: f64,
    /// The process that ran last, and the time in ns since it took over from another.
    running: (u64, f64),
    /// The processes so far.
    started: u64,
    /// By fork: when its first process started, in ns.
    forks: BTreeMap<u64, f64>,
}

fn lock(core: &Mutex<Core>) -> MutexGuard<'_, Core> {
    core.lock().expect("no thread panics while holding it")
}

impl Simulated {
    /// A machine of this script. The slice after one of the script's last contender is slowed by
    /// the factor `after`, as by a core that lowers its frequency for wide vectors. That contender
    /// takes `layouts` times as long, depending on the layout with which it is started, and each of
    /// its processes is by `two_speeds` faster or slower. After another process had the processor,
    /// one of contender `n` takes `cold_ns[n]` longer, most of it at once.
    pub fn new(
        script: Script,
        after: f64,
        two_speeds: f64,
        layouts: &[f64],
        cold_ns: &[f64],
    ) -> Simulated {
        let core = Core {
            now_ns: 0.0,
            left_behind: 1.0,
            running: (0, 0.0),
            started: 0,
            forks: BTreeMap::new(),
        };
        Simulated {
            script,
            after,
            two_speeds,
            layouts: layouts.to_vec(),
            cold_ns: cold_ns.to_vec(),
            core: Arc::new(Mutex::new(core)),
        }
    }

    /// The middle of each fork so far, in seconds.
    #[allow(dead_code, reason = "programs that only make stores include this file, too")]
    pub fn middles(&self) -> Vec<f64> {
        let core = lock(&self.core);
        let starts = core.forks.values().copied();
        let ends = core.forks.values().skip(1).copied().chain([core.now_ns]);
        starts.zip(ends).map(|(start, end)| (start + end) / 2e9).collect()
    }
}

impl Stage for Simulated {
    fn start(
        &self,
        contender: &Contender,
        fresh: Fresh,
        _cpu: Option<usize>,
    ) -> Result<Box<dyn Host>, Fault> {
        let place = self.script.find(&contender.implementation).expect("planned from this script");
        let last = place + 1 == self.script.contenders.len();
        let layouts = &self.layouts[..];
        let laid_out =
            if last && !layouts.is_empty() { layouts[fresh.layout % layouts.len()] } else { 1.0 };
        let seed = (self.script.seed << 16) | fresh.fork;
        let slow = Xoshiro256PlusPlus::seed_from_u64(seed).next_u64() >> 63 == 1;
        let speed = match (last, slow) {
            (false, _) => 1.0,
            (true, true) => 1.0 + self.two_speeds,
            (true, false) => 1.0 / (1.0 + self.two_speeds),
        };
        let mut core = lock(&self.core);
        core.started += 1;
        let now_ns = core.now_ns;
        core.forks.entry(fresh.fork).or_insert(now_ns);
        Ok(Box::new(Process {
            number: core.started,
            cold_ns: self.cold_ns.get(place).copied().unwrap_or(0.0),
            laid_out: laid_out * speed,
            machine: Machine::new(&self.script, fresh.fork),
            core: Arc::clone(&self.core),
            contender: self.script.contenders[place].clone(),
            place,
            leaves_behind: if last { self.after } else { 1.0 },
            works: HashMap::new(),
        }))
    }

    fn lanes(&self) -> Vec<Option<usize>> {
        vec![None]
    }

    fn now(&self) -> Duration {
        Duration::from_nanos(lock(&self.core).now_ns as u64)
    }

    fn clock(&self) -> Option<Instant> {
        None
    }

    fn elapsed(&self, _ns: f64) {
        // The machine's own time includes the slices, the pre-rolls and the pauses.
    }

    fn measuring_cpu(&self) -> Option<usize> {
        None
    }

    fn stolen_ns(&self) -> Option<u64> {
        None
    }
}

/// One process. Its copy of the machine draws the same bursts and drift as all others, because
/// these depend only on the seed and the moment.
struct Process {
    number: u64,
    /// The cost of a cold start.
    cold_ns: f64,
    machine: Machine,
    core: Arc<Mutex<Core>>,
    contender: script::Contender,
    place: usize,
    /// The effect of its layout on its times.
    laid_out: f64,
    leaves_behind: f64,
    /// By cell: the request, and the folds of its slices.
    works: HashMap<u32, (Prepare, Expected)>,
}

impl Host for Process {
    fn prepare(&mut self, ask: &Prepare) -> Result<Outcome<Prepared>, Fault> {
        let Prepare { workload, seed, pool, lengths, key, ad, .. } = ask;
        let folds = Expected::new(workload, *seed, (*pool, lengths), key, ad, None);
        let folds = folds.expect("the reference knows what is simulated");
        self.works.insert(ask.cell, (ask.clone(), folds));
        Ok(Outcome::Ok(Prepared { code_path: "simulated".to_string(), threads: vec![] }))
    }

    fn compute(&mut self, ask: Compute) -> Result<Outcome<Computed>, Fault> {
        let known = Primitive::ALL.into_iter().find(|p| p.name() == ask.primitive);
        let known = known.expect("planned with primitives of the sham");
        let answer = |case: &Case| match &case.input {
            Input::Hex(bytes) => bytes.clone(),
            Input::Stream { seed, size } => bytes::stream(*seed, *size as usize),
            Input::File(_) => Vec::new(),
        };
        let answer = |case: &Case| {
            known.answer(ask.operation, &case.key, &case.nonce, &case.ad, &answer(case))
        };
        let answers: Vec<Answer> = ask.cases.iter().map(answer).collect();
        Ok(Outcome::Ok(Computed { answers }))
    }

    fn slice(&mut self, ask: &Slice) -> Result<Outcome<Sliced>, Fault> {
        let (asked, folds) = &self.works[&ask.cell];
        let (size, threads) = (asked.workload.size, asked.workload.contract.threads);
        let fold = folds.fold(ask.first, ask.preroll, ask.iterations);
        let scripted = &self.contender;
        let longer = scripted.factor_of(&asked.workload.primitive);
        let mut core = lock(&self.core);
        self.machine.set_now_ns(core.now_ns);
        let lengths = &asked.lengths;
        let mean = |first: u64, count: u64| {
            if lengths.is_empty() {
                return scripted.true_ns(size);
            }
            scripted.true_ns_of(lengths, first, count)
        };
        let untimed = (ask.preroll, mean(ask.first, ask.preroll));
        let timed = (ask.iterations, mean(ask.first + ask.preroll, ask.iterations));
        let (quiet_ns, mut noise) =
            self.machine.slice_of(threads, (self.place, longer), untimed, timed);
        let slowed = std::mem::replace(&mut core.left_behind, self.leaves_behind);
        let factor = slowed * self.laid_out;
        if core.running.0 != self.number {
            core.running = (self.number, 0.0);
        }
        let warm_ns = quiet_ns * factor;
        let from = core.running.1 + warm_ns * ask.preroll as f64 / ask.iterations.max(1) as f64;
        core.running.1 = from + warm_ns;
        let left = |after: f64| self.cold_ns * (-after / FADES_NS).exp();
        let cold_ns = left(from) - left(core.running.1);
        let elapsed_ns = warm_ns + cold_ns;
        noise.cpu_ns = noise.cpu_ns.map(|ns| (ns as f64 * factor + cold_ns) as u64);
        core.now_ns = self.machine.now_ns() + elapsed_ns - quiet_ns;
        let Slice { iterations, .. } = *ask;
        Ok(Outcome::Ok(Sliced {
            iterations,
            elapsed_ns,
            fold,
            noise,
            allocated_per_call: None,
            compilation: self.machine.compilation(self.place),
        }))
    }
}
