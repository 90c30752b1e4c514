//! The script: the machine, the contenders and their faults. Every field has a default: quiet and
//! honest.

use crate::primitive::Primitive;
use cupel_protocol::workload::Contract;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Everything that a simulated run depends on, except the fork's number.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Script {
    /// The seed of all randomness: equal seeds give equal runs.
    pub seed: u64,
    /// The machine on which the contenders run.
    pub world: World,
    /// The contenders.
    pub contenders: Vec<Contender>,
}

/// How a machine affects the times of everything that runs on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct World {
    /// The standard deviation of the logarithm of a slice's noise factor; the median factor is 1.
    pub noise_sd: f64,
    /// The correlation of the logarithms of the noise factors of successive slices of one
    /// contender, 0 to below 1.
    pub autocorrelation: f64,
    /// The relative change of all times per simulated second, compounded.
    pub drift_per_s: f64,
    /// A slow swing of all times.
    pub swing: Swing,
    /// The times at which a neighbour slows the machine.
    pub bursts: Bursts,
    /// Interrupts of the processor at regular moments.
    pub ticks: Vec<Tick>,
    /// The probability that a slice is preempted. It then reports an involuntary context switch and
    /// the time that it waited, and its elapsed time includes that wait.
    pub contamination: f64,
    /// The simulated time that passes after each slice, in microseconds.
    pub overhead_us: f64,
    /// Whether the simulated times also pass in reality: each slice, with its untimed calls, keeps
    /// the processor busy for as long, and the clock is reported as real.
    pub real: bool,
}

impl Default for World {
    fn default() -> Self {
        World {
            noise_sd: 0.0,
            autocorrelation: 0.0,
            drift_per_s: 0.0,
            swing: Swing::default(),
            bursts: Bursts::default(),
            ticks: vec![],
            contamination: 0.0,
            overhead_us: 50.0,
            real: false,
        }
    }
}

/// A sine over the machine's time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Swing {
    /// The largest change of the logarithm of all times.
    pub amplitude: f64,
    /// The length of one swing, in simulated seconds.
    pub period_s: f64,
}

impl Default for Swing {
    fn default() -> Self {
        Swing { amplitude: 0.0, period_s: 10.0 }
    }
}

/// Bursts that take the processor again and again: a timer's interrupt, or a program that the
/// system lets run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tick {
    /// The time from one to the next, in ms.
    pub every_ms: f64,
    /// How long it takes the processor, in microseconds.
    pub takes_us: f64,
    /// Whether another program has the processor meanwhile, so that a slice waits for it and the
    /// system says so. An interrupt counts as the slice's own time.
    pub preempts: bool,
}

impl Default for Tick {
    fn default() -> Self {
        Tick { every_ms: 4.0, takes_us: 0.0, preempts: false }
    }
}

/// Bursts of a neighbour on the same core, as on shared machines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Bursts {
    /// Bursts that begin per second of quiet time.
    pub per_s: f64,
    /// Mean length of a burst, in ms; the lengths are exponentially distributed.
    pub mean_ms: f64,
    /// The smallest factor by which a burst slows.
    pub factor_low: f64,
    /// The largest factor by which a burst slows. The factors are uniform between the two.
    pub factor_high: f64,
}

impl Default for Bursts {
    fn default() -> Self {
        Bursts { per_s: 0.0, mean_ms: 300.0, factor_low: 1.6, factor_high: 2.0 }
    }
}

/// One contender: its true cost, how its processes deviate from it, and its fault.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Contender {
    /// The name, unique in the script.
    pub name: String,
    /// The primitives that it offers, with every operation of each.
    pub primitives: Vec<Primitive>,
    /// The true cost of a call of length 0, in ns.
    pub fixed_ns: f64,
    /// The true cost of each byte of the message, in ns.
    pub per_byte_ns: f64,
    /// How much longer a call takes if its message has another size than the one before, in ns: the
    /// loss of a processor that expected the same branches again.
    pub changed_ns: f64,
    /// The true cost of each byte of associated data, in ns.
    pub per_ad_byte_ns: f64,
    /// The true cost of each piece of a message after the first, in ns.
    pub per_piece_ns: f64,
    /// How many times as long a call of a primitive takes, by its name; 1 for those that are not
    /// here.
    pub factors: BTreeMap<String, f64>,
    /// The code path that it reports.
    pub code_path: String,
    /// How much longer a call takes for each further thread that makes calls at the same time, as a
    /// share of the time on one thread: 0 for a contender that scales.
    pub contention: f64,
    /// The standard deviation of the logarithm of a factor that each process (fork) draws once.
    pub fork_sd: f64,
    /// The slow beginning of a process's life.
    pub warm_up: WarmUp,
    /// A compiler that works at run time.
    pub jit: Option<Jit>,
    /// The relative change of its times per simulated second since its process's first slice,
    /// compounded: below 0 it keeps getting faster, above 0 slower.
    pub drift_per_s: f64,
    /// Changes of its speed for a part of the run.
    pub change: Option<Alteration>,
    /// Bytes that it reports as allocated per call.
    pub allocated_per_call: Option<f64>,
    /// The heap that it shares with no one, if that is collected.
    pub heap: Option<Heap>,
    /// Whether it refuses sizes that are drawn for each call.
    pub one_length: bool,
    /// Its fault.
    pub fault: Option<Fault>,
    /// Why it is not available here.
    pub missing: Option<String>,
    /// Its lack here, such as a feature of the CPU: it is listed, but refuses all work.
    pub lacking: Option<String>,
}

impl Default for Contender {
    fn default() -> Self {
        Contender {
            name: "sham".to_string(),
            primitives: vec![Primitive::Sha256],
            fixed_ns: 100.0,
            per_byte_ns: 1.0,
            changed_ns: 0.0,
            per_ad_byte_ns: 0.0,
            per_piece_ns: 0.0,
            factors: BTreeMap::new(),
            code_path: "simulated".to_string(),
            contention: 0.0,
            fork_sd: 0.0,
            warm_up: WarmUp::default(),
            jit: None,
            drift_per_s: 0.0,
            change: None,
            allocated_per_call: None,
            heap: None,
            one_length: false,
            fault: None,
            missing: None,
            lacking: None,
        }
    }
}

impl Contender {
    /// The true cost of one call on a message of `size` bytes, in ns: the value that a measurement
    /// should find, and its interval contain.
    pub fn true_ns(&self, size: u64) -> f64 {
        self.fixed_ns + self.per_byte_ns * size as f64
    }

    /// The true mean cost of `count` calls from number `first` on, in ns, if call `i` has the
    /// length at place `i mod n` of these `n`.
    pub fn true_ns_of(&self, lengths: &[u32], first: u64, count: u64) -> f64 {
        let length = |call: u64| lengths[(call % lengths.len() as u64) as usize];
        let cost = |call: u64| {
            let changed = call > 0 && length(call) != length(call - 1);
            self.true_ns(length(call).into()) + if changed { self.changed_ns } else { 0.0 }
        };
        (first..first + count).map(cost).sum::<f64>() / count.max(1) as f64
    }

    /// The contract's addition to the cost of a call on a message of `size` bytes, in ns: its
    /// associated data, and the pieces in which it comes.
    pub fn added_ns(&self, contract: &Contract, size: u64) -> f64 {
        let pieces = size.checked_div(contract.chunk.into()).map_or(1, |whole| {
            (whole + u64::from(!size.is_multiple_of(contract.chunk.into()))).max(1)
        });
        self.per_ad_byte_ns * f64::from(contract.ad) + self.per_piece_ns * (pieces - 1) as f64
    }

    /// The mean of that over these calls, with lengths as in [`Contender::true_ns_of`].
    pub fn added_ns_of(&self, contract: &Contract, lengths: &[u32], first: u64, count: u64) -> f64 {
        let length = |call: u64| lengths[(call % lengths.len() as u64) as usize];
        let added = |call| self.added_ns(contract, length(call).into());
        (first..first + count).map(added).sum::<f64>() / count.max(1) as f64
    }

    /// How many times as long a call of this primitive takes as [`Contender::true_ns`] says.
    pub fn factor_of(&self, primitive: &str) -> f64 {
        self.factors.get(primitive).copied().unwrap_or(1.0)
    }

    /// The true work per processor and second on this many threads, as a share of that on one.
    pub fn true_efficiency(&self, threads: u32) -> f64 {
        1.0 / (1.0 + self.contention * f64::from(threads - 1))
    }
}

/// A change for a part of the run, in the machine's time: an agent's probes in a library, an update
/// of it, a page cache that is dropped. It befalls running processes and those that start later.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Alteration {
    /// How many times as long calls take.
    pub factor: f64,
    /// When it begins, in simulated seconds.
    pub from_s: f64,
    /// When it ends, in simulated seconds; never, if it is absent.
    pub until_s: Option<f64>,
    /// How long it takes to reach its factor, in simulated seconds: 0 for a step.
    pub gradual_s: f64,
}

impl Default for Alteration {
    fn default() -> Self {
        Alteration { factor: 1.0, from_s: 0.0, until_s: None, gradual_s: 0.0 }
    }
}

impl Alteration {
    /// How many times as long calls take at this moment, in simulated seconds.
    pub fn factor_at(&self, now_s: f64) -> f64 {
        if now_s < self.from_s || self.until_s.is_some_and(|until| now_s >= until) {
            return 1.0;
        }
        let reached = ((now_s - self.from_s) / self.gradual_s.max(f64::MIN_POSITIVE)).min(1.0);
        self.factor.powf(reached)
    }
}

/// A step from slow to fast, as a compiler that works at run time causes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WarmUp {
    /// How many times as long a call takes before the step.
    pub slow_factor: f64,
    /// The time that the contender itself must have run before the step, in ms of a quiet machine.
    /// The time of other contenders does not count.
    pub for_ms: f64,
    /// That time after every `compute` of a process that has been timed: a compiler discards its
    /// code when other code runs.
    pub after_compute_ms: f64,
}

impl Default for WarmUp {
    fn default() -> Self {
        WarmUp { slow_factor: 1.0, for_ms: 0.0, after_compute_ms: 0.0 }
    }
}

/// A heap that is collected whenever its calls have filled it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Heap {
    /// The bytes that fill it.
    pub bytes: f64,
    /// How long a collection stops the process, in us.
    pub pause_us: f64,
}

/// A compiler that works at run time, in tiers: it counts calls, compiles while they run, and may
/// discard its code.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Jit {
    /// The levels below the highest, from the first on.
    pub tiers: Vec<Tier>,
    /// How often the code of the highest level is discarded, per second of the machine's time. This
    /// happens at random moments; the first tier then begins again.
    pub discards_per_s: f64,
    /// The code of the highest level is discarded once, when the process is this old in the
    /// machine's time, in ms; 0 means never.
    pub discard_at_ms: f64,
    /// Whether it reports nothing.
    pub silent: bool,
}

/// A level below the highest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tier {
    /// How many times as long a call takes as at the highest level.
    pub slow_factor: f64,
    /// The calls at this level before the next one is compiled.
    pub calls: u64,
    /// How long the compilation takes, in ms of the machine's time.
    pub compile_ms: f64,
}

/// A fault of a contender, and when it happens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// At which request; if absent, at each that the kind can affect.
    #[serde(default)]
    pub at: Option<Stage>,
    /// How many such requests are first answered honestly.
    #[serde(default)]
    pub after: u64,
    /// How many requests it affects; if absent, all from then on.
    #[serde(default)]
    pub often: Option<u64>,
    /// The first fork in which it happens.
    #[serde(default)]
    pub from_fork: u64,
    /// The moment at which it begins, in simulated seconds.
    #[serde(default)]
    pub from_s: f64,
    /// For `wrong-above-size`: the longest message, in bytes, that is answered correctly.
    #[serde(default)]
    pub size: u64,
    /// For `slow-answers`: the delay of each answer, in ms of real time.
    #[serde(default = "one_second")]
    pub delay_ms: u64,
    /// For `times-most`: the share of the calls that is timed.
    #[serde(default = "nineteen_of_twenty")]
    pub share: f64,
    /// For `early-exit`: the exit status.
    #[serde(default)]
    pub status: u8,
    /// For `alters`: the field of the answer.
    #[serde(default)]
    pub field: String,
    /// For `alters`: the text in its place, one byte for each character.
    #[serde(default)]
    pub text: String,
    /// For `alters`: how often it stands there.
    #[serde(default = "once")]
    pub repeat: usize,
}

fn once() -> usize {
    1
}

fn nineteen_of_twenty() -> f64 {
    0.95
}

fn one_second() -> u64 {
    1000
}

impl Fault {
    /// A fault from the first request that it can affect.
    pub fn new(kind: FaultKind) -> Fault {
        let (delay_ms, share) = (one_second(), nineteen_of_twenty());
        Fault {
            kind,
            at: None,
            after: 0,
            often: None,
            from_fork: 0,
            from_s: 0.0,
            size: 0,
            delay_ms,
            share,
            status: 0,
            field: String::new(),
            text: String::new(),
            repeat: once(),
        }
    }

    /// This fault at this request only, after `after` honest answers.
    pub fn at(self, stage: Stage, after: u64) -> Fault {
        Fault { at: Some(stage), after, ..self }
    }

    /// Whether it affects requests of this stage.
    pub fn spoils(&self, stage: Stage) -> bool {
        self.kind.stages().contains(&stage) && self.at.is_none_or(|at| at == stage)
    }
}

/// A kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// `hello`
    Hello,
    /// `list`
    List,
    /// `prepare`
    Prepare,
    /// `compute`
    Compute,
    /// `slice`
    Slice,
}

/// The kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// One bit of every output is wrong.
    WrongOutput,
    /// One bit of the output of every message longer than `size` is wrong.
    WrongAboveSize,
    /// One bit of the output of every message with a byte above 0x7f is wrong.
    WrongBeyondAscii,
    /// Messages have any bytes, whatever the contract says.
    IgnoresBytes,
    /// The outputs are correct, their fold is not.
    WrongFold,
    /// One bit of every output is wrong once the contender is warm.
    WrongAfterWarmUp,
    /// `open` returns a plaintext for any tag.
    AcceptsBadTag,
    /// Half of the calls are made and timed, but the requested number is reported.
    SkipsCalls,
    /// All calls are made, but twice their number is reported.
    LiesAboutIterations,
    /// A slice is reported to have taken no time.
    TakesNoTime,
    /// Times are reported in microseconds.
    CountsMicroseconds,
    /// Times are reported in ticks of a processor of 2.6 GHz.
    CountsTicks,
    /// The clock is read after half of the calls.
    TimesHalf,
    /// The clock is read when `share` of the calls are made.
    TimesMost,
    /// The process aborts.
    Crash,
    /// The process stays but never answers.
    Hang,
    /// The answer is a line that is neither JSON nor UTF-8.
    Rubbish,
    /// The process exits with status 0 in the middle of its answer.
    HalfLine,
    /// 200 MB without a line feed.
    LongLine,
    /// The process exits with `status` and without an answer.
    EarlyExit,
    /// The process stops, as by SIGSTOP.
    Stops,
    /// The answer comes a byte at a time, and never ends.
    Drips,
    /// 20 MB on standard error come before the answer.
    Floods,
    /// A field of the answer has another text.
    Alters,
    /// The answer comes twice.
    AnswersTwice,
    /// Every answer takes `delay_ms` of real time.
    SlowAnswers,
    /// The request is answered `failed`.
    Fails,
    /// A library prints a line before the answer.
    StdoutNoise,
    /// It lowers its own priority.
    StepsAside,
}

impl FaultKind {
    /// Every kind with its name in a script and its description.
    pub const ALL: [(FaultKind, &'static str, &'static str); 29] = {
        use FaultKind::*;
        [
            (WrongOutput, "wrong-output", "one bit of every output is wrong"),
            (WrongAboveSize, "wrong-above-size", "the same, for messages longer than \"size\""),
            (
                WrongBeyondAscii,
                "wrong-beyond-ascii",
                "the same, for messages with a byte above 0x7f",
            ),
            (IgnoresBytes, "ignores-bytes", "messages have any bytes, whatever the contract says"),
            (WrongFold, "wrong-fold", "the outputs are correct, their fold is not"),
            (WrongAfterWarmUp, "wrong-after-warm-up", "outputs are wrong once it is warm"),
            (AcceptsBadTag, "accepts-bad-tag", "\"open\" returns a plaintext for any tag"),
            (SkipsCalls, "skips-calls", "makes half of the calls, reports all"),
            (LiesAboutIterations, "lies-about-iterations", "reports twice the calls it made"),
            (TakesNoTime, "takes-no-time", "reports that a slice took 0 ns"),
            (CountsMicroseconds, "counts-microseconds", "reports times in microseconds"),
            (CountsTicks, "counts-ticks", "reports times in ticks of a processor of 2.6 GHz"),
            (TimesHalf, "times-half", "makes all calls but times only the first half"),
            (TimesMost, "times-most", "makes all calls but times only a \"share\" of them"),
            (Crash, "crash", "aborts"),
            (Hang, "hang", "stays but never answers"),
            (Rubbish, "rubbish", "answers with a line that is neither JSON nor UTF-8"),
            (HalfLine, "half-line", "exits with status 0 in the middle of its answer"),
            (LongLine, "long-line", "writes 200 MB without a line feed"),
            (EarlyExit, "early-exit", "exits with \"status\" (0) without an answer"),
            (Stops, "stops", "stops, as by SIGSTOP"),
            (Drips, "drips", "writes a byte of its answer now and then, without end"),
            (Floods, "floods", "writes 20 MB to standard error before its answer"),
            (Alters, "alters", "its answer has \"text\" as its \"field\", \"repeat\" times"),
            (AnswersTwice, "answers-twice", "gives its answer twice"),
            (SlowAnswers, "slow-answers", "answers after \"delay_ms\" of real time"),
            (Fails, "fails", "answers \"failed\""),
            (StdoutNoise, "stdout-noise", "prints a line of a library before its answer"),
            (StepsAside, "steps-aside", "lowers its own priority"),
        ]
    };

    /// The requests that this kind can affect.
    pub fn stages(self) -> &'static [Stage] {
        use FaultKind::*;
        match self {
            WrongOutput | WrongAboveSize | WrongBeyondAscii | WrongAfterWarmUp => {
                &[Stage::Compute, Stage::Slice]
            }
            IgnoresBytes => &[Stage::Prepare, Stage::Compute],
            AcceptsBadTag => &[Stage::Compute],
            WrongFold | SkipsCalls | LiesAboutIterations | TakesNoTime | CountsMicroseconds
            | CountsTicks | TimesHalf | TimesMost => &[Stage::Slice],
            // A greeting has no `failed`: the tool has not yet asked for anything that could fail.
            Fails => &[Stage::List, Stage::Prepare, Stage::Compute, Stage::Slice],
            Crash | Hang | Rubbish | HalfLine | LongLine | EarlyExit | SlowAnswers | Stops
            | Drips | Floods | Alters | AnswersTwice | StdoutNoise | StepsAside => {
                &[Stage::Hello, Stage::List, Stage::Prepare, Stage::Compute, Stage::Slice]
            }
        }
    }
}

impl Script {
    /// Reads a script from JSON and checks it.
    ///
    /// # Errors
    /// The fault, in words.
    pub fn parse(json: &str) -> Result<Script, String> {
        let script: Script = serde_json::from_str(json).map_err(|e| format!("script: {e}"))?;
        script.check()?;
        Ok(script)
    }

    /// The index of the contender with this name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.contenders.iter().position(|c| c.name == name)
    }

    /// Rejects an impossible script.
    ///
    /// # Errors
    /// The fault, in words.
    pub fn check(&self) -> Result<(), String> {
        let world = &self.world;
        let bursts = &world.bursts;
        let demand = |holds: bool, what: &str| if holds { Ok(()) } else { Err(what.to_string()) };
        demand(world.noise_sd >= 0.0, "noise_sd is below 0")?;
        demand((0.0..1.0).contains(&world.autocorrelation), "autocorrelation is not 0 to below 1")?;
        demand((0.0..=1.0).contains(&world.contamination), "contamination is not 0 to 1")?;
        demand(world.drift_per_s > -1.0, "drift_per_s is not above -1")?;
        demand(world.overhead_us >= 0.0, "overhead_us is below 0")?;
        demand(world.swing.period_s > 0.0, "swing.period_s is not above 0")?;
        demand(bursts.per_s >= 0.0, "bursts.per_s is below 0")?;
        demand(bursts.mean_ms > 0.0, "bursts.mean_ms is not above 0")?;
        demand(bursts.factor_low >= 1.0, "bursts.factor_low is below 1")?;
        demand(bursts.factor_high >= bursts.factor_low, "bursts.factor_high is below factor_low")?;
        for tick in &world.ticks {
            demand(tick.takes_us >= 0.0, "ticks.takes_us is below 0")?;
            // Else nothing would ever end.
            let rests = tick.takes_us * 2e-3 <= tick.every_ms && tick.every_ms > 0.0;
            demand(rests, "ticks.takes_us is over half of ticks.every_ms")?;
        }
        for (at, contender) in self.contenders.iter().enumerate() {
            let name = &contender.name;
            let demand = |holds, what| demand(holds, what).map_err(|e| format!("{name}: {e}"));
            demand(self.find(name) == Some(at), "the name is taken")?;
            demand(contender.fixed_ns >= 0.0, "fixed_ns is below 0")?;
            demand(contender.per_byte_ns >= 0.0, "per_byte_ns is below 0")?;
            demand(contender.per_ad_byte_ns >= 0.0, "per_ad_byte_ns is below 0")?;
            demand(contender.per_piece_ns >= 0.0, "per_piece_ns is below 0")?;
            demand(contender.factors.values().all(|f| *f > 0.0), "a factor is not above 0")?;
            demand(contender.contention >= 0.0, "contention is below 0")?;
            demand(contender.fork_sd >= 0.0, "fork_sd is below 0")?;
            demand(contender.drift_per_s > -1.0, "drift_per_s is not above -1")?;
            demand(contender.warm_up.slow_factor > 0.0, "warm_up.slow_factor is not above 0")?;
            demand(contender.warm_up.for_ms >= 0.0, "warm_up.for_ms is below 0")?;
            let again = contender.warm_up.after_compute_ms;
            demand(again >= 0.0, "warm_up.after_compute_ms is below 0")?;
            let heap = contender.heap.as_ref();
            demand(heap.is_none_or(|heap| heap.bytes > 0.0), "heap.bytes is not above 0")?;
            demand(heap.is_none_or(|heap| heap.pause_us >= 0.0), "heap.pause_us is below 0")?;
            for tier in contender.jit.iter().flat_map(|jit| &jit.tiers) {
                demand(tier.slow_factor > 0.0, "jit.tiers.slow_factor is not above 0")?;
                demand(tier.compile_ms >= 0.0, "jit.tiers.compile_ms is below 0")?;
            }
            let share = contender.fault.as_ref().map_or(1.0, |fault| fault.share);
            demand((0.0..=1.0).contains(&share), "fault.share is not 0 to 1")?;
            let text = contender.fault.as_ref().map_or("", |fault| &fault.text);
            demand(text.chars().all(|c| c <= '\u{ff}'), "fault.text has more than bytes")?;
            if let Some(Fault { kind, at: Some(at), .. }) = &contender.fault {
                demand(kind.stages().contains(at), "the fault cannot happen at this request")?;
            }
        }
        Ok(())
    }
}
