//! The script as a runner: correct answers at simulated times, except where the script says
//! otherwise.

use crate::clock::SharedClock;
use crate::edit::{Edit, NextEdit};
use crate::misbehave::misbehave;
use crate::model::{Machine, RESOLUTION_NS};
use crate::primitive::Primitive;
use crate::script::{Contender, Fault, FaultKind, Script, Stage};
use cupel_protocol::bytes;
use cupel_protocol::fold;
use cupel_protocol::message::{
    Answer, Case, Clock, Compute, Computed, Hello, Input, List, Listed, Outcome, Prepare, Prepared,
    Refusal, Slice, Sliced,
};
use cupel_protocol::serve::Runner;
use cupel_protocol::workload::{Bytes, Contract, Operation, Output, Shape, Shared, Workload};
use std::collections::HashMap;

/// A runner that follows a script.
pub struct Sham {
    script: Script,
    machine: Machine,
    clock: Option<SharedClock>,
    chosen: Option<usize>,
    /// The number of the fork.
    fork: u64,
    cells: HashMap<u32, Cell>,
    /// The requests that the current fault could have affected so far.
    asked: u64,
    /// The fate of the next answer.
    next: NextEdit,
}

/// A prepared cell.
struct Cell {
    ask: Prepare,
    contender: usize,
    primitive: Primitive,
    /// The fold words of the pool's messages by their number, or by their length if that is drawn,
    /// computed when needed.
    words: HashMap<u64, u64>,
}

/// The reply of a contender that supports no mix.
const ONE_LENGTH: &str = "every message must have one length, says the script";

/// A request that is not fulfilled.
enum Refused {
    Unsupported(String),
    Missing(String),
    Failed(String),
}

impl Refused {
    fn outcome<T>(self) -> Outcome<T> {
        match self {
            Refused::Unsupported(reason) => Outcome::Unsupported(Refusal::because(reason)),
            Refused::Missing(reason) => Outcome::Missing(Refusal::because(reason)),
            Refused::Failed(reason) => Outcome::Failed(Refusal::because(reason)),
        }
    }
}

impl Sham {
    /// A runner for this script, with the contender `empty` that every runner has. Without a shared
    /// clock the process has its own time.
    pub fn new(mut script: Script, fork_seed: u64, clock: Option<SharedClock>) -> Sham {
        if script.find("empty").is_none() {
            script.contenders.push(Contender {
                name: "empty".to_string(),
                primitives: vec![Primitive::Empty],
                fixed_ns: 2.0,
                per_byte_ns: 0.0,
                ..Contender::default()
            });
        }
        let machine = Machine::new(&script, fork_seed);
        Sham {
            script,
            machine,
            clock,
            fork: fork_seed,
            chosen: None,
            cells: HashMap::new(),
            asked: 0,
            next: NextEdit::default(),
        }
    }

    /// The fault that affects this request. A fault of the process is carried out here. Before a
    /// contender is chosen, a fault of any contender counts if it names the request: the runner
    /// cannot know yet which contender it was started for.
    fn fault(&mut self, stage: Stage) -> Option<Fault> {
        let unchosen = matches!(stage, Stage::Hello | Stage::List);
        let fault = match (unchosen, self.chosen) {
            (false, Some(chosen)) => self.script.contenders[chosen].fault.as_ref(),
            (false, None) => None,
            (true, _) => {
                let mut faults = self.script.contenders.iter().filter_map(|c| c.fault.as_ref());
                faults.find(|fault| fault.at == Some(stage))
            }
        };
        let fault =
            fault.filter(|fault| fault.spoils(stage) && self.fork >= fault.from_fork)?.clone();
        if self.now_s() < fault.from_s {
            return None;
        }
        self.asked += 1;
        if self.asked <= fault.after
            || fault.often.is_some_and(|often| self.asked > fault.after.saturating_add(often))
        {
            return None;
        }
        misbehave(&fault);
        match fault.kind {
            FaultKind::AnswersTwice => self.next.set(Edit::Twice),
            FaultKind::Alters => self.next.set(Edit::Field {
                name: fault.field.clone(),
                text: fault.text.repeat(fault.repeat).chars().map(|c| c as u8).collect(),
            }),
            _ => {}
        }
        Some(fault)
    }

    /// The edit of the next answer, for the output of this runner ([`crate::edit::Edited`]).
    pub fn next_edit(&self) -> NextEdit {
        self.next.clone()
    }

    /// The machine's time, in simulated seconds.
    fn now_s(&self) -> f64 {
        let shared = self.clock.as_ref().and_then(|clock| clock.read().ok());
        shared.unwrap_or(self.machine.now_ns()) / 1e9
    }

    /// Rejects a second contender: each process hosts only one.
    fn choose(&mut self, name: &str) -> Result<usize, Refused> {
        let at = self.script.find(name);
        let at =
            at.ok_or_else(|| Refused::Failed(format!("the script has no contender {name}")))?;
        if let Some(chosen) = self.chosen.filter(|&chosen| chosen != at) {
            let other = &self.script.contenders[chosen].name;
            let reason = format!("this process already hosts {other}; start another for {name}");
            return Err(Refused::Failed(reason));
        }
        self.chosen = Some(at);
        let Contender { missing, lacking, .. } = &self.script.contenders[at];
        match missing.as_ref().or(lacking.as_ref()) {
            Some(reason) => Err(Refused::Missing(reason.clone())),
            None => Ok(at),
        }
    }

    fn primitive(
        &self,
        contender: usize,
        name: &str,
        operation: Operation,
    ) -> Result<Primitive, Refused> {
        let contender = &self.script.contenders[contender];
        let offered = contender.primitives.iter().find(|p| p.name() == name);
        offered.copied().filter(|p| p.operations().contains(&operation)).ok_or_else(|| {
            Refused::Unsupported(format!("{} has no {operation} of {name}", contender.name))
        })
    }

    fn try_prepare(&mut self, ask: &Prepare) -> Result<Prepared, Refused> {
        let contender = self.choose(&ask.contender)?;
        let fault = self.fault(Stage::Prepare).map(|fault| fault.kind);
        if fault == Some(FaultKind::Fails) {
            return Err(Refused::Failed("the script says so".to_string()));
        }
        let work = &ask.workload;
        let primitive = self.primitive(contender, &work.primitive, work.operation)?;
        if !ask.pool.is_power_of_two() {
            return Err(Refused::Failed(format!("pool {} is not a power of two", ask.pool)));
        }
        if ask.offset >= 64 {
            return Err(Refused::Failed(format!("offset {} is not below 64", ask.offset)));
        }
        if work.shape == Shape::Latency && (work.size == 0 || !work.operation.has_latency()) {
            let (operation, size) = (work.operation, work.size);
            let reason = format!("latency is not defined for {operation} of {size} bytes");
            return Err(Refused::Unsupported(reason));
        }
        if let Some(reason) = work.contract.undefined_bytes(work.operation, work.shape) {
            return Err(Refused::Unsupported(reason));
        }
        if let Some(reason) = work.contract.undefined_threads(work.operation, work.shape) {
            return Err(Refused::Unsupported(reason));
        }
        if let Some(reason) = work.contract.undefined_forgery(work.operation) {
            return Err(Refused::Unsupported(reason));
        }
        if work.contract.shared != Shared::None {
            return Err(Refused::Unsupported("nothing is prepared, so nothing is shared".into()));
        }
        if work.contract.threads > 1 && self.script.world.real {
            return Err(Refused::Unsupported(
                "on the real clock this runner has one thread".into(),
            ));
        }
        if work.operation != Operation::DigestMany && work.contract.batch != 1 {
            let reason = format!("{} takes one message per call", work.operation);
            return Err(Refused::Unsupported(reason));
        }
        if let Some(reason) = work.contract.undefined_lengths(work.operation, work.shape) {
            return Err(Refused::Unsupported(reason));
        }
        if work.contract.lengths.drawn().is_some() {
            if self.script.contenders[contender].one_length {
                return Err(Refused::Unsupported(ONE_LENGTH.to_string()));
            }
            let (lengths, pool) = (ask.lengths.len(), ask.pool);
            if lengths != pool as usize {
                return Err(Refused::Failed(format!("{lengths} lengths for a pool of {pool}")));
            }
        }
        if work.contract.output == Output::InPlace {
            return Err(Refused::Unsupported("this runner has no in-place operation".to_string()));
        }
        if let Some(reason) = primitive.refuses_key(&ask.key) {
            return Err(Refused::Failed(reason));
        }
        if work.operation == Operation::DigestFile {
            let file =
                ask.file.as_ref().ok_or(Refused::Failed("digest-file without a file".into()))?;
            std::fs::metadata(file).map_err(|e| Refused::Failed(format!("{file}: {e}")))?;
        }
        let mut ask = ask.clone();
        if fault == Some(FaultKind::IgnoresBytes) {
            ask.workload.contract.bytes = Bytes::Any;
        }
        let code_path = self.script.contenders[contender].code_path.clone();
        self.cells.insert(ask.cell, Cell { ask, contender, primitive, words: HashMap::new() });
        Ok(Prepared { code_path, threads: vec![] })
    }

    fn try_compute(&mut self, ask: &Compute) -> Result<Computed, Refused> {
        let contender = self.choose(&ask.contender)?;
        let fault = self.fault(Stage::Compute);
        if matches!(fault, Some(Fault { kind: FaultKind::Fails, .. })) {
            return Err(Refused::Failed("the script says so".to_string()));
        }
        let primitive = self.primitive(contender, &ask.primitive, ask.operation)?;
        let drawn = ask.contract.lengths.drawn().is_some();
        if drawn && self.script.contenders[contender].one_length {
            return Err(Refused::Unsupported(ONE_LENGTH.to_string()));
        }
        let bytes = match fault {
            Some(Fault { kind: FaultKind::IgnoresBytes, .. }) => Bytes::Any,
            _ => ask.contract.bytes,
        };
        let prefix = ask.contract.prefix();
        let warm = self.machine.is_warm(contender);
        let mut answers = Vec::with_capacity(ask.cases.len());
        // How a message is passed makes no difference here, and the longest come in two ways.
        let mut last: Option<(&Case, Vec<u8>, Answer)> = None;
        for case in &ask.cases {
            if last.as_ref().is_none_or(|(other, ..)| !is_same_call(case, other)) {
                let (input, answer) = match input(case, bytes) {
                    Ok(input) => {
                        let whole = [&prefix[..], &input].concat();
                        let answer = answer(primitive, ask.operation, case, &whole);
                        (input, answer)
                    }
                    Err(reason) => (vec![], Answer::Failed(reason)),
                };
                last = Some((case, input, answer));
            }
            let (_, input, answer) = last.as_ref().expect("it was just answered");
            let mut answer = answer.clone();
            if let Some(fault) = &fault {
                match &mut answer {
                    Answer::Output(output)
                        if spoils(fault, input.len() as u64, !input.is_ascii(), warm) =>
                    {
                        spoil(output);
                    }
                    Answer::Refused(_) if fault.kind == FaultKind::AcceptsBadTag => {
                        let length = input.len().saturating_sub(16);
                        answer = Answer::Output(input[..length].to_vec());
                    }
                    _ => {}
                }
            }
            answers.push(answer);
        }
        self.machine.take_back(contender);
        Ok(Computed { answers })
    }

    fn try_slice(&mut self, ask: &Slice) -> Result<Sliced, Refused> {
        let fault = self.fault(Stage::Slice);
        let kind = fault.as_ref().map(|fault| fault.kind);
        if kind == Some(FaultKind::Fails) {
            return Err(Refused::Failed("the script says so".to_string()));
        }
        let cell = self.cells.get_mut(&ask.cell);
        let cell =
            cell.ok_or_else(|| Refused::Failed(format!("cell {} was not prepared", ask.cell)))?;
        let iterations = match kind {
            Some(FaultKind::SkipsCalls) => ask.iterations / 2,
            _ => ask.iterations,
        };
        let size = cell.ask.workload.size;
        let warm = self.machine.is_warm(cell.contender);

        let clock_failed = |e| Refused::Failed(format!("the shared clock: {e}"));
        if let Some(clock) = &self.clock {
            self.machine.set_now_ns(clock.read().map_err(clock_failed)?);
        }
        // A message in a batch costs as much as a message alone.
        let batch = u64::from(cell.ask.workload.contract.batch);
        let (preroll, messages) = (ask.preroll * batch, iterations * batch);
        let began_ns = self.machine.now_ns();
        let contract = &cell.ask.workload.contract;
        let Contract { threads, lengths, .. } = contract;
        let threads = *threads;
        let longer = self.script.contenders.get(cell.contender);
        let longer = longer.map_or(1.0, |c| c.factor_of(&cell.ask.workload.primitive));
        let machine = &mut self.machine;
        let (elapsed_ns, noise) = match lengths.drawn() {
            None => {
                // The runner's own overhead is no contender of the script.
                let own = self.script.contenders.get(cell.contender);
                let added = own.map_or(0.0, |own| own.added_ns(contract, size) / own.true_ns(size));
                let longer = longer * if added > 0.0 { 1.0 + added } else { 1.0 };
                machine.slice_on(threads, (cell.contender, longer), size, preroll, messages)
            }
            Some(_) => {
                let own = &self.script.contenders[cell.contender];
                let lengths = &cell.ask.lengths;
                let mean = |first: u64, count: u64| {
                    own.true_ns_of(lengths, first, count)
                        + own.added_ns_of(contract, lengths, first, count)
                };
                let untimed = (preroll, mean(ask.first, preroll));
                let timed = (messages, mean(ask.first + preroll, messages));
                machine.slice_of(threads, (cell.contender, longer), untimed, timed)
            }
        };
        let spent_ns = self.machine.now_ns() - began_ns - self.script.world.overhead_us * 1e3;
        if let Some(clock) = &self.clock {
            clock.write(self.machine.now_ns()).map_err(clock_failed)?;
        }

        let begun = processor_ns();
        let share = fault.as_ref().map_or(1.0, |fault| fault.share);
        // Without a restriction, all messages of a pool count as having bytes above 0x7f.
        let above = cell.ask.workload.contract.bytes == Bytes::Any;
        let wrong = fault.is_some_and(|fault| spoils(&fault, size, above, warm));
        let fold = match cell.ask.workload.contract.forged {
            // Each is refused, so there are no outputs.
            Some(_) => 0,
            None => cell.fold(ask.first, ask.preroll, iterations, wrong)?,
        };
        if self.script.world.real {
            // The fold is computed in this time too: an honest contender computes its outputs
            // inside its calls.
            keep_busy_until(begun, spent_ns);
        }
        Ok(Sliced {
            iterations: match kind {
                Some(FaultKind::LiesAboutIterations) => 2 * ask.iterations,
                _ => ask.iterations,
            },
            elapsed_ns: match kind {
                Some(FaultKind::TakesNoTime) => 0.0,
                Some(FaultKind::CountsMicroseconds) => elapsed_ns / 1000.0,
                Some(FaultKind::CountsTicks) => elapsed_ns * 2.6,
                Some(FaultKind::TimesHalf) => elapsed_ns / 2.0,
                Some(FaultKind::TimesMost) => share * elapsed_ns,
                _ => elapsed_ns,
            },
            fold: fold.wrapping_add(u64::from(kind == Some(FaultKind::WrongFold))),
            noise,
            allocated_per_call: self.script.contenders[cell.contender].allocated_per_call,
            compilation: self.machine.compilation(cell.contender),
        })
    }
}

/// Whether two cases differ at most in how the message is passed.
fn is_same_call(a: &Case, b: &Case) -> bool {
    (&a.input, &a.key, &a.nonce, &a.ad, &a.lengths)
        == (&b.input, &b.key, &b.nonce, &b.ad, &b.lengths)
}

/// The bytes of a case's message, or why they cannot be read.
fn input(case: &Case, bytes: Bytes) -> Result<Vec<u8>, String> {
    Ok(match &case.input {
        Input::Hex(bytes) => bytes.clone(),
        Input::Stream { seed, size } => bytes.stream(*seed, *size as usize),
        Input::File(file) => std::fs::read(file).map_err(|e| format!("{file}: {e}"))?,
    })
}

/// The correct answer to a case with this message.
fn answer(primitive: Primitive, operation: Operation, case: &Case, input: &[u8]) -> Answer {
    match operation {
        Operation::DigestMany => primitive.answer_many(&case.lengths, input),
        _ => primitive.answer(operation, &case.key, &case.nonce, &case.ad, input),
    }
}

/// Keeps computing until this thread has run for this much longer, in ns, as calls would. Time in
/// which another program has the processor does not count.
fn keep_busy_until(begun: f64, ns: f64) {
    while processor_ns() - begun < ns {
        std::hint::spin_loop();
    }
}

/// The time for which this thread has run so far, in ns.
#[cfg(unix)]
fn processor_ns() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writes.
    let done = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    assert_eq!(done, 0, "every thread has a clock");
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Without a clock for threads, the time that has passed.
#[cfg(not(unix))]
fn processor_ns() -> f64 {
    static BEGUN: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    BEGUN.elapsed().as_nanos() as f64
}

/// Whether the outputs for messages of this size are wrong, which may have bytes above 0x7f.
fn spoils(fault: &Fault, size: u64, above_7_bit: bool, warm: bool) -> bool {
    match fault.kind {
        FaultKind::WrongOutput => true,
        FaultKind::WrongAboveSize => size > fault.size,
        FaultKind::WrongBeyondAscii => above_7_bit,
        FaultKind::WrongAfterWarmUp => warm,
        _ => false,
    }
}

/// Makes an output wrong by one bit, or by its length if it has none.
fn spoil(output: &mut Vec<u8>) {
    match output.first_mut() {
        Some(byte) => *byte ^= 1,
        None => output.push(1),
    }
}

impl Cell {
    /// The fold of the timed calls of a slice.
    fn fold(
        &mut self,
        first: u64,
        preroll: u64,
        iterations: u64,
        wrong: bool,
    ) -> Result<u64, Refused> {
        let timed = first.wrapping_add(preroll);
        let chained = self.ask.workload.shape == Shape::Latency;
        if chained || self.ask.workload.operation.seals() {
            return self.fold_of_each(first, preroll, iterations, wrong);
        }
        // Every message of the pool is used equally often, except for a remainder.
        let (pool, batch) = (u64::from(self.ask.pool), u64::from(self.ask.workload.contract.batch));
        let (timed, iterations) = (timed.wrapping_mul(batch), iterations * batch);
        let mut sum = 0_u64;
        for step in 0..pool.min(iterations) {
            let times = iterations / pool + u64::from(step < iterations % pool);
            let word = self.word(timed.wrapping_add(step) % pool, wrong)?;
            sum = sum.wrapping_add(word.wrapping_mul(times));
        }
        Ok(sum)
    }

    /// Makes every call: the outputs differ by call, not only by message.
    fn fold_of_each(
        &self,
        first: u64,
        preroll: u64,
        iterations: u64,
        wrong: bool,
    ) -> Result<u64, Refused> {
        let chained = self.ask.workload.shape == Shape::Latency;
        let pool = u64::from(self.ask.pool);
        // Pre-roll calls matter only as the beginning of the chain.
        let skipped = if chained { 0 } else { preroll };
        let (mut sum, mut last) = (0_u64, 0_u64);
        for step in skipped..preroll + iterations {
            let index = first.wrapping_add(step);
            let mut input = self.message(index % pool)?;
            if chained {
                for (byte, mixed) in input.iter_mut().zip(last.to_le_bytes()) {
                    *byte ^= mixed;
                }
            }
            let output = self.output(&bytes::CallNonce::new(index, 12), &input, wrong)?;
            last = fold::head(&output);
            if step >= preroll {
                sum = sum.wrapping_add(fold::word(&output));
            }
        }
        Ok(sum)
    }

    /// The part of the output for message `j` of the pool in the fold.
    fn word(&mut self, j: u64, wrong: bool) -> Result<u64, Refused> {
        let drawn = self.ask.workload.contract.lengths.drawn().is_some();
        let key = if drawn { self.ask.lengths[j as usize].into() } else { j };
        if let (Some(word), false) = (self.words.get(&key), wrong) {
            return Ok(*word);
        }
        let message = self.message(j)?;
        let word = if self.ask.workload.operation == Operation::Open {
            // Opening a sealed message returns it.
            let mut plaintext = message;
            if wrong {
                spoil(&mut plaintext);
            }
            fold::word(&plaintext)
        } else {
            fold::word(&self.output(&[], &message, wrong)?)
        };
        if !wrong {
            self.words.insert(key, word);
        }
        Ok(word)
    }

    /// Message `j` of the pool.
    fn message(&self, j: u64) -> Result<Vec<u8>, Refused> {
        match (&self.ask.file, self.ask.workload.operation) {
            (Some(file), Operation::DigestFile) => {
                std::fs::read(file).map_err(|e| Refused::Failed(format!("{file}: {e}")))
            }
            _ => {
                let seed = self.ask.seed.wrapping_add(j);
                let Workload { size, contract, .. } = &self.ask.workload;
                if contract.lengths.drawn().is_some() {
                    let length = self.ask.lengths[j as usize];
                    return Ok(contract.bytes.stream(self.ask.seed, length as usize));
                }
                Ok(contract.bytes.stream(seed, contract.lengths.length(j, *size) as usize))
            }
        }
    }

    fn output(&self, nonce: &[u8], input: &[u8], wrong: bool) -> Result<Vec<u8>, Refused> {
        let Prepare { key, ad, workload, .. } = &self.ask;
        let whole = [&workload.contract.prefix()[..], input].concat();
        match self.primitive.answer(workload.operation, key, nonce, ad, &whole) {
            Answer::Output(mut output) => {
                if wrong {
                    spoil(&mut output);
                }
                Ok(output)
            }
            other => Err(Refused::Failed(format!("in a timed slice: {other:?}"))),
        }
    }
}

impl Runner for Sham {
    fn hello(&mut self) -> Hello {
        self.fault(Stage::Hello);
        Hello {
            protocol: cupel_protocol::PROTOCOL,
            runner: "sham".to_string(),
            version: env!("CARGO_PKG_VERSION").to_string(),
            clock: Clock {
                name: if self.script.world.real { "monotonic" } else { "simulated" }.to_string(),
                resolution_ns: RESOLUTION_NS,
                simulated: !self.script.world.real,
            },
            jit: self.script.contenders.iter().any(|c| c.warm_up.for_ms > 0.0 || c.jit.is_some()),
            thread: None,
        }
    }

    fn list(&mut self) -> Outcome<List> {
        if let Some(Fault { kind: FaultKind::Fails, .. }) = self.fault(Stage::List) {
            return Refused::Failed("the script says so".to_string()).outcome();
        }
        let listed = |contender: &Contender| Listed {
            name: contender.name.clone(),
            library: "sham".to_string(),
            version: match contender.missing {
                Some(_) => String::new(),
                None => env!("CARGO_PKG_VERSION").to_string(),
            },
            licence: env!("CARGO_PKG_LICENSE").to_string(),
            summary: format!(
                "scripted: {} ns per call, {} ns per byte",
                contender.fixed_ns, contender.per_byte_ns
            ),
            offers: contender.primitives.iter().flat_map(|p| p.offers()).collect(),
            missing: contender.missing.as_ref().map(Refusal::because),
        };
        Outcome::Ok(List { contenders: self.script.contenders.iter().map(listed).collect() })
    }

    fn prepare(&mut self, ask: &Prepare) -> Outcome<Prepared> {
        self.try_prepare(ask).map_or_else(Refused::outcome, Outcome::Ok)
    }

    fn compute(&mut self, ask: &Compute) -> Outcome<Computed> {
        self.try_compute(ask).map_or_else(Refused::outcome, Outcome::Ok)
    }

    fn slice(&mut self, ask: &Slice) -> Outcome<Sliced> {
        self.try_slice(ask).map_or_else(Refused::outcome, Outcome::Ok)
    }
}
