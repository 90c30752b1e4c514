//! The script: the machine, the contenders and what is wrong with them. Every field has a default,
//! which is the quiet and honest one.

use crate::primitive::Primitive;
use serde::{Deserialize, Serialize};

/// Everything that a simulated run depends on, but for the fork's number.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Script {
    /// Seed of all chance: equal seeds give equal runs.
    pub seed: u64,
    /// The machine on which the contenders run.
    pub world: World,
    /// The contenders.
    pub contenders: Vec<Contender>,
}

/// What a machine does to the times of everything that runs on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct World {
    /// Standard deviation of the logarithm of the noise factor of a slice; the median factor is 1.
    pub noise_sd: f64,
    /// Correlation of the logarithms of the noise factors of successive slices of one contender,
    /// 0 to below 1.
    pub autocorrelation: f64,
    /// Relative change of all times per simulated second, compounded.
    pub drift_per_s: f64,
    /// A slow swing of all times.
    pub swing: Swing,
    /// Times at which a neighbour slows the machine.
    pub bursts: Bursts,
    /// Probability that a slice is preempted: it reports an involuntary context switch and the
    /// time that it waited, and its elapsed time holds that wait.
    pub contamination: f64,
    /// Simulated time that passes after each slice, in microseconds.
    pub overhead_us: f64,
    /// Whether the simulated times also pass: each slice keeps the processor busy for as long, with its untimed
    /// calls, and the clock is said to be real.
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
    /// Largest change of the logarithm of all times.
    pub amplitude: f64,
    /// Length of one swing, in simulated seconds.
    pub period_s: f64,
}

impl Default for Swing {
    fn default() -> Self {
        Swing { amplitude: 0.0, period_s: 10.0 }
    }
}

/// Bursts of a neighbour on the same core, as they are seen on shared machines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Bursts {
    /// Bursts that begin per second of quiet time.
    pub per_s: f64,
    /// Mean length of a burst, in ms; the lengths are exponentially distributed.
    pub mean_ms: f64,
    /// The least factor by which a burst slows.
    pub factor_low: f64,
    /// The greatest factor by which a burst slows; between the two the factors are uniform.
    pub factor_high: f64,
}

impl Default for Bursts {
    fn default() -> Self {
        Bursts { per_s: 0.0, mean_ms: 300.0, factor_low: 1.6, factor_high: 2.0 }
    }
}

/// One contender: its true cost, how a process of it departs from that, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Contender {
    /// The name, unique in the script.
    pub name: String,
    /// What it offers, with every operation of each.
    pub primitives: Vec<Primitive>,
    /// True cost of a call of length 0, in ns.
    pub fixed_ns: f64,
    /// True cost of each byte of the message, in ns.
    pub per_byte_ns: f64,
    /// Standard deviation of the logarithm of a factor that each process (fork) draws once.
    pub fork_sd: f64,
    /// The beginning of a process's life, when it is slow.
    pub warm_up: WarmUp,
    /// A compiler that works while it runs.
    pub jit: Option<Jit>,
    /// Relative change of its times per simulated second since its process's first slice,
    /// compounded: below 0 it warms without end, above 0 it slows.
    pub drift_per_s: f64,
    /// Bytes that it says a call allocated.
    pub allocated_per_call: Option<f64>,
    /// What is wrong with it.
    pub fault: Option<Fault>,
    /// Why it cannot be had here.
    pub missing: Option<String>,
}

impl Default for Contender {
    fn default() -> Self {
        Contender {
            name: "sham".to_string(),
            primitives: vec![Primitive::Sha256],
            fixed_ns: 100.0,
            per_byte_ns: 1.0,
            fork_sd: 0.0,
            warm_up: WarmUp::default(),
            jit: None,
            drift_per_s: 0.0,
            allocated_per_call: None,
            fault: None,
            missing: None,
        }
    }
}

impl Contender {
    /// The true cost of one call on a message of `size` bytes, in ns: what a measurement should
    /// find, and what its interval should hold.
    pub fn true_ns(&self, size: u64) -> f64 {
        self.fixed_ns + self.per_byte_ns * size as f64
    }
}

/// A step from slow to fast, as a compiler that works while the program runs makes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WarmUp {
    /// How many times as long a call takes before the step.
    pub slow_factor: f64,
    /// Time that the contender itself must have run before the step, in ms of a quiet machine;
    /// the time of others does not warm it.
    pub for_ms: f64,
    /// The same after every `compute` of a process that has been timed: a compiler takes back what it made
    /// when the code goes another way.
    pub after_compute_ms: f64,
}

impl Default for WarmUp {
    fn default() -> Self {
        WarmUp { slow_factor: 1.0, for_ms: 0.0, after_compute_ms: 0.0 }
    }
}

/// A compiler that works while the code runs, in tiers: it counts calls, compiles beside them, and
/// may have to discard what it made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Jit {
    /// The levels below the highest, from the first on.
    pub tiers: Vec<Tier>,
    /// How often the code of the highest level is discarded, per second of the machine's time: at
    /// random moments, after which the first tier begins again.
    pub discards_per_s: f64,
    /// The code of the highest level is discarded once, after so much of the machine's time in the
    /// process's life, in ms; 0: never.
    pub discard_at_ms: f64,
    /// Whether it does not tell what it does.
    pub silent: bool,
}

/// A level below the highest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tier {
    /// How many times as long a call takes as at the highest level.
    pub slow_factor: f64,
    /// Calls at this level before the next one is compiled.
    pub calls: u64,
    /// How long that takes, in ms of the machine's time.
    pub compile_ms: f64,
}

/// Something wrong with a contender, and when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// What goes wrong.
    pub kind: FaultKind,
    /// At which request; absent: at each that the kind can spoil.
    #[serde(default)]
    pub at: Option<Stage>,
    /// How many such requests are answered honestly first.
    #[serde(default)]
    pub after: u64,
    /// For `wrong-above-size`: the longest message, in bytes, that is answered rightly.
    #[serde(default)]
    pub size: u64,
    /// For `slow-answers`: the delay of each answer, in ms of real time.
    #[serde(default = "one_second")]
    pub delay_ms: u64,
}

fn one_second() -> u64 {
    1000
}

impl Fault {
    /// A fault from the first request that it can spoil.
    pub fn new(kind: FaultKind) -> Fault {
        Fault { kind, at: None, after: 0, size: 0, delay_ms: one_second() }
    }

    /// The same fault at this request only, once `after` of them were answered honestly.
    pub fn at(self, stage: Stage, after: u64) -> Fault {
        Fault { at: Some(stage), after, ..self }
    }

    /// Whether it spoils requests of this stage.
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

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// One bit of every output is wrong.
    WrongOutput,
    /// One bit of the output of every message longer than `size` is wrong.
    WrongAboveSize,
    /// The outputs are right, their fold is not.
    WrongFold,
    /// One bit of every output is wrong once the contender is warm.
    WrongAfterWarmUp,
    /// `open` gives a plaintext for any tag.
    AcceptsBadTag,
    /// Half of the calls are made and timed, and the number asked for is reported.
    SkipsCalls,
    /// All calls are made, and twice their number is reported.
    LiesAboutIterations,
    /// A slice is said to have taken no time.
    TakesNoTime,
    /// Times are given in microseconds.
    CountsMicroseconds,
    /// Times are given in ticks of a processor of 2.6 GHz.
    CountsTicks,
    /// The clock is read when half of the calls are made.
    TimesHalf,
    /// The clock is read when all but a twentieth of the calls are made.
    TimesMost,
    /// The process aborts.
    Crash,
    /// The process stays and never answers.
    Hang,
    /// The answer is a line that is not JSON, nor UTF-8.
    Rubbish,
    /// The process leaves with status 0 in the middle of its answer.
    HalfLine,
    /// A hundred megabytes without a line feed.
    LongLine,
    /// The process leaves with status 0 and no answer.
    EarlyExit,
    /// Every answer takes `delay_ms` of real time.
    SlowAnswers,
    /// The request is answered `failed`.
    Fails,
    /// A line of a library's chatter precedes the answer.
    StdoutNoise,
}

impl FaultKind {
    /// Every kind with its name in a script and what it does.
    pub const ALL: [(FaultKind, &'static str, &'static str); 21] = {
        use FaultKind::*;
        [
            (WrongOutput, "wrong-output", "one bit of every output is wrong"),
            (WrongAboveSize, "wrong-above-size", "the same, for messages longer than \"size\""),
            (WrongFold, "wrong-fold", "the outputs are right, their fold is not"),
            (WrongAfterWarmUp, "wrong-after-warm-up", "outputs are wrong once it is warm"),
            (AcceptsBadTag, "accepts-bad-tag", "\"open\" gives a plaintext for any tag"),
            (SkipsCalls, "skips-calls", "makes half of the calls, reports all"),
            (LiesAboutIterations, "lies-about-iterations", "reports twice the calls it made"),
            (TakesNoTime, "takes-no-time", "says that a slice took 0 ns"),
            (CountsMicroseconds, "counts-microseconds", "gives times in microseconds"),
            (CountsTicks, "counts-ticks", "gives times in ticks of a processor of 2.6 GHz"),
            (TimesHalf, "times-half", "makes all calls and times the first half of them"),
            (TimesMost, "times-most", "makes all calls and times the first 95 % of them"),
            (Crash, "crash", "aborts"),
            (Hang, "hang", "stays and never answers"),
            (Rubbish, "rubbish", "answers with a line that is neither JSON nor UTF-8"),
            (HalfLine, "half-line", "leaves in the middle of its answer, with status 0"),
            (LongLine, "long-line", "writes 100 MB without a line feed"),
            (EarlyExit, "early-exit", "leaves without an answer, with status 0"),
            (SlowAnswers, "slow-answers", "answers after \"delay_ms\" of real time"),
            (Fails, "fails", "answers \"failed\""),
            (StdoutNoise, "stdout-noise", "writes a line of chatter before its answer"),
        ]
    };

    /// The requests that this kind can spoil.
    pub fn stages(self) -> &'static [Stage] {
        use FaultKind::*;
        match self {
            WrongOutput | WrongAboveSize | WrongAfterWarmUp => &[Stage::Compute, Stage::Slice],
            AcceptsBadTag => &[Stage::Compute],
            WrongFold | SkipsCalls | LiesAboutIterations | TakesNoTime | CountsMicroseconds
            | CountsTicks | TimesHalf | TimesMost => &[Stage::Slice],
            // A greeting has no `failed`: the tool has not yet asked for anything that could fail.
            Fails => &[Stage::List, Stage::Prepare, Stage::Compute, Stage::Slice],
            Crash | Hang | Rubbish | HalfLine | LongLine | EarlyExit | SlowAnswers
            | StdoutNoise => {
                &[Stage::Hello, Stage::List, Stage::Prepare, Stage::Compute, Stage::Slice]
            }
        }
    }
}

impl Script {
    /// Reads a script from JSON and checks it.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn parse(json: &str) -> Result<Script, String> {
        let script: Script = serde_json::from_str(json).map_err(|e| format!("script: {e}"))?;
        script.check()?;
        Ok(script)
    }

    /// The place of the contender with this name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.contenders.iter().position(|c| c.name == name)
    }

    /// Refuses what no machine could be.
    ///
    /// # Errors
    /// What is wrong, in words.
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
        for (at, contender) in self.contenders.iter().enumerate() {
            let name = &contender.name;
            let demand = |holds, what| demand(holds, what).map_err(|e| format!("{name}: {e}"));
            demand(self.find(name) == Some(at), "the name is taken")?;
            demand(contender.fixed_ns >= 0.0, "fixed_ns is below 0")?;
            demand(contender.per_byte_ns >= 0.0, "per_byte_ns is below 0")?;
            demand(contender.fork_sd >= 0.0, "fork_sd is below 0")?;
            demand(contender.drift_per_s > -1.0, "drift_per_s is not above -1")?;
            demand(contender.warm_up.slow_factor > 0.0, "warm_up.slow_factor is not above 0")?;
            demand(contender.warm_up.for_ms >= 0.0, "warm_up.for_ms is below 0")?;
            let again = contender.warm_up.after_compute_ms;
            demand(again >= 0.0, "warm_up.after_compute_ms is below 0")?;
            for tier in contender.jit.iter().flat_map(|jit| &jit.tiers) {
                demand(tier.slow_factor > 0.0, "jit.tiers.slow_factor is not above 0")?;
                demand(tier.compile_ms >= 0.0, "jit.tiers.compile_ms is below 0")?;
            }
            if let Some(Fault { kind, at: Some(at), .. }) = &contender.fault {
                demand(kind.stages().contains(at), "the fault cannot happen at this request")?;
            }
        }
        Ok(())
    }
}
