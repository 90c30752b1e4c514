//! The simulated machine. Drift and bursts belong to its time, so they slow everything that runs at
//! a moment by the same amount. Noise and fork offsets belong to a contender's process.

use crate::burst::Neighbour;
use crate::jit::Tiered;
use crate::random::Random;
use crate::script::{Contender, Script, World};
use crate::tick;
use cupel_protocol::message::Compilation;
use cupel_protocol::noise::Noise;

/// The step of the simulated clock, in ns: every elapsed time is a multiple of it.
pub const RESOLUTION_NS: f64 = 25.0;

/// A machine with one process of each contender, at one moment of simulated time.
#[derive(Clone, Debug)]
pub struct Machine {
    world: World,
    seed: u64,
    fork: u64,
    now_ns: f64,
    neighbour: Neighbour,
    processes: Vec<Process>,
}

/// A contender's process: its random draws and its history.
#[derive(Clone, Debug)]
struct Process {
    contender: Contender,
    /// The moment of its first slice and the factor that it drew then.
    born: Option<(f64, f64)>,
    /// The remaining time for which it runs slowly, in ns of a quiet machine.
    slow_left_ns: f64,
    /// The state of its compiler, if it has one.
    tiered: Option<Tiered>,
    /// The logarithm of the noise factor of its last slice, in standard deviations.
    noise: f64,
    /// The bytes on its heap.
    heap: f64,
}

impl Machine {
    /// The machine of this script at time 0. Forks with different numbers draw different offsets
    /// and noise, but share the drift and the bursts.
    pub fn new(script: &Script, fork_seed: u64) -> Machine {
        let process = |(number, contender): (usize, &Contender)| Process {
            contender: contender.clone(),
            // How full a heap is when the first call is made is chance.
            heap: contender.heap.as_ref().map_or(0.0, |heap| {
                heap.bytes
                    * Random::from_parts(&[script.seed, fork_seed, number as u64, 11]).uniform()
            }),
            born: None,
            slow_left_ns: contender.warm_up.for_ms * 1e6,
            tiered: contender.jit.as_ref().map(Tiered::new),
            noise: 0.0,
        };
        Machine {
            world: script.world.clone(),
            seed: script.seed,
            fork: fork_seed,
            now_ns: 0.0,
            neighbour: Neighbour::new(&script.world.bursts, script.seed),
            processes: script.contenders.iter().enumerate().map(process).collect(),
        }
    }

    /// The simulated time, in ns.
    pub fn now_ns(&self) -> f64 {
        self.now_ns
    }

    /// Sets the simulated time, because something else ran (another process, a pause).
    pub fn set_now_ns(&mut self, now_ns: f64) {
        self.now_ns = now_ns;
    }

    /// Whether the contender at this index has run long enough to be warm.
    pub fn is_warm(&self, contender: usize) -> bool {
        self.processes[contender].slow_left_ns <= 0.0
    }

    /// The work that the compiler of the contender at this index reports.
    pub fn compilation(&self, contender: usize) -> Option<Compilation> {
        self.processes[contender].tiered.as_ref()?.compilation()
    }

    /// The factor by which the code of the contender at this index is slower than at the highest
    /// level; 1 at that level, and without a compiler.
    pub fn tier_factor(&self, contender: usize) -> f64 {
        self.processes[contender].tiered.as_ref().map_or(1.0, Tiered::factor)
    }

    /// Records that the contender at this index ran other code than its slices'. If it has run any
    /// slices, their code is then discarded.
    pub fn take_back(&mut self, contender: usize) {
        let process = &mut self.processes[contender];
        if process.born.is_some() {
            let again_ns = process.contender.warm_up.after_compute_ms * 1e6;
            process.slow_left_ns = process.slow_left_ns.max(again_ns);
        }
    }

    /// Runs `preroll` untimed and `iterations` timed calls on messages of `size` bytes. Returns the
    /// elapsed time of the timed ones in ns, and the system's report about it.
    ///
    /// # Panics If the script has no contender at this index.
    pub fn slice(
        &mut self,
        contender: usize,
        size: u64,
        preroll: u64,
        iterations: u64,
    ) -> (f64, Noise) {
        self.slice_on(1, (contender, 1.0), size, preroll, iterations)
    }

    /// [`Machine::slice`] on this many threads, each of which has its own processor and makes
    /// its part of the calls. The elapsed time ends with the last of them. With the contender comes
    /// how many times as long its calls take.
    ///
    /// # Panics If the script has no contender at this index.
    pub fn slice_on(
        &mut self,
        threads: u32,
        (contender, longer): (usize, f64),
        size: u64,
        preroll: u64,
        iterations: u64,
    ) -> (f64, Noise) {
        let ns = self.processes[contender].contender.true_ns(size);
        self.slice_of(threads, (contender, longer), (preroll, ns), (iterations, ns))
    }

    /// [`Machine::slice_on`] for calls that differ: with the untimed and the timed ones comes the
    /// true mean time of each, in ns.
    ///
    /// # Panics If the script has no contender at this index.
    pub fn slice_of(
        &mut self,
        threads: u32,
        (contender, longer): (usize, f64),
        (preroll, untimed_ns): (u64, f64),
        (iterations, timed_ns): (u64, f64),
    ) -> (f64, Noise) {
        let (all, preroll) = (iterations, preroll.div_ceil(u64::from(threads)));
        let iterations = iterations.div_ceil(u64::from(threads));
        // Seeded by the moment: the control is its own process, and draws its own noise,
        // although it has the same script and the same fork number.
        let moment = self.now_ns.to_bits();
        let mut random = Random::from_parts(&[self.seed, self.fork, contender as u64, moment]);
        let factor = longer
            * self.world.factor(self.now_ns)
            * self.processes[contender].factor(&self.world, self.now_ns, &mut random)
            / self.processes[contender].contender.true_efficiency(threads);
        let (now_ns, mut chance) =
            (self.now_ns, Random::from_parts(&[self.seed, self.fork, moment, 7]));
        if let Some(tiered) = &mut self.processes[contender].tiered {
            tiered.begin(now_ns, || chance.uniform());
        }

        let before_ns = self.now_ns;
        self.run(contender, untimed_ns, preroll, factor);
        self.now_ns += tick::lost(&self.world.ticks, before_ns, self.now_ns).ns;
        self.now_ns += self.processes[contender].collected_ns(preroll);
        let start_ns = self.now_ns;
        self.run(contender, timed_ns, iterations, factor);
        let lost = tick::lost(&self.world.ticks, start_ns, self.now_ns);
        // The slice's own time has the interrupts, and not the time of other programs.
        self.now_ns += lost.ns - lost.waited_ns;
        // The threads that have a call less end before the last one.
        let each_ns = (self.now_ns - start_ns) / iterations.max(1) as f64;
        let cpu_ns = match threads {
            1 => self.now_ns - start_ns,
            _ => each_ns * all as f64,
        };

        let mut noise = Noise {
            cpu_ns: Some(cpu_ns as u64),
            wait_ns: Some(0),
            involuntary: Some(0),
            faults: Some(0),
            ..Noise::default()
        };
        if self.processes[contender].contender.heap.is_some() {
            let gc_ns = self.processes[contender].collected_ns(all);
            self.now_ns += gc_ns;
            noise.gc_ns = Some(gc_ns as u64);
        }
        let mut wait_ns = lost.waited_ns;
        if random.uniform() < self.world.contamination {
            wait_ns += (1e6 + 3e6 * random.uniform()).floor();
        }
        if wait_ns > 0.0 {
            self.now_ns += wait_ns;
            noise.wait_ns = Some(wait_ns as u64);
            noise.involuntary = Some(1);
        }
        let elapsed_ns = reading_ns(self.now_ns) - reading_ns(start_ns);
        self.now_ns += self.world.overhead_us * 1e3;
        (elapsed_ns, noise)
    }

    /// Makes `calls` calls of this true time in ns, however long they take.
    fn run(&mut self, contender: usize, call_ns: f64, calls: u64, factor: f64) {
        let process = &mut self.processes[contender];
        let mut left = calls;
        loop {
            // Calls that have begun end in their code, whatever the compiler does meanwhile.
            let (part, tier) = match &mut process.tiered {
                Some(tiered) => {
                    tiered.look(self.now_ns);
                    (left.min(tiered.calls_left()), tiered.factor())
                }
                None => (left, 1.0),
            };
            let work_ns = call_ns * part as f64 * tier;
            let work_ns = process.warm(work_ns) * factor;
            self.now_ns = self.neighbour.finish(self.now_ns, work_ns);
            if let Some(tiered) = &mut process.tiered {
                tiered.called(part, self.now_ns);
            }
            left -= part;
            if left == 0 {
                return;
            }
        }
    }
}

/// The reading of the simulated clock at this moment.
fn reading_ns(now_ns: f64) -> f64 {
    (now_ns / RESOLUTION_NS).floor() * RESOLUTION_NS
}

impl World {
    /// The factor by which drift and swing stretch the times at this moment. Applied once per
    /// slice: they change over seconds, a slice lasts milliseconds.
    fn factor(&self, now_ns: f64) -> f64 {
        let now_s = now_ns * 1e-9;
        let phase = std::f64::consts::TAU * now_s / self.swing.period_s;
        (self.drift_per_s.ln_1p() * now_s + self.swing.amplitude * phase.sin()).exp()
    }
}

impl Process {
    /// The factor by which this process deviates from the true cost in the slice that begins now.
    fn factor(&mut self, world: &World, now_ns: f64, random: &mut Random) -> f64 {
        let born = self.born.is_some();
        let (rho, innovation) = (world.autocorrelation, random.normal());
        // The first one is drawn from the stationary distribution, so that no slice is special.
        self.noise = if born {
            rho * self.noise + (1.0 - rho * rho).sqrt() * innovation
        } else {
            innovation
        };
        let fork_sd = self.contender.fork_sd;
        let (born_ns, offset) =
            *self.born.get_or_insert_with(|| (now_ns, (fork_sd * random.normal()).exp()));
        let age_s = (now_ns - born_ns) * 1e-9;
        let drift = (self.contender.drift_per_s.ln_1p() * age_s).exp();
        let change = self.contender.change.as_ref();
        let change = change.map_or(1.0, |change| change.factor_at(now_ns * 1e-9));
        offset * drift * change * (world.noise_sd * self.noise).exp()
    }

    /// How long its collector stops it for the garbage of this many calls, in ns.
    fn collected_ns(&mut self, calls: u64) -> f64 {
        let Some(heap) = &self.contender.heap else { return 0.0 };
        self.heap += calls as f64 * self.contender.allocated_per_call.unwrap_or_default();
        let collections = (self.heap / heap.bytes).floor();
        self.heap -= collections * heap.bytes;
        collections * heap.pause_us * 1e3
    }

    /// The time, in ns of a quiet machine, of work that takes `work_ns` when warm.
    fn warm(&mut self, work_ns: f64) -> f64 {
        let slow = self.contender.warm_up.slow_factor;
        let slow_ns = (work_ns * slow).min(self.slow_left_ns);
        self.slow_left_ns -= slow_ns;
        slow_ns + (work_ns - slow_ns / slow).max(0.0)
    }
}
