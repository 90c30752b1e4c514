//! Checks one contender: prepares cells, runs slices, verifies outputs, ends the process.

use super::{Finding, Program, Section, Verdict, fold};
use cupel_base::primitives::{self, TAG};
use cupel_protocol::bytes;
use cupel_protocol::histogram::Histogram;
use cupel_protocol::message::{Listed, Offer, Outcome, Prepare, Refusal, Slice, Sliced};
use cupel_protocol::workload::{Contract, Lengths, Operation, Shape, Workload};
use cupel_runner::{Fault, Host, Process};
use cupel_verify::expect::Expected;
use cupel_verify::{self as verify, Depth, Files, Unfit};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Message lengths that cells are prepared for: none, less than a word, one block, several.
const SIZES: [u64; 4] = [0, 1, 64, 1024];

/// The length for checks that need only one.
const SIZE: u64 = 64;

/// Bytes of a prefix: a whole block of most hash functions, and a part of the next.
const PREFIX: u32 = 100;

/// The number of distinct messages of a cell.
const POOL: u32 = 4;

/// The stream of the first message, and of the key.
const SEED: u64 = 0x63_7570_656c;

/// `first`, `preroll` and `iterations` of the slices of a cell. Each slice starts elsewhere in the
/// pool and is not a whole number of rounds through it, so that wrongly numbered calls are
/// detected. The first number needs more than 32 bits.
const SLICES: [(u64, u64, u64); 2] = [(5_000_000_001, 3, 5), (5_000_000_009, 2, 7)];

/// The numbers of a slice whose time is audited, after those.
const AUDITED: (u64, u64, u64) = (5_000_000_018, 2, 7);

/// The number of threads of the check that has several.
const THREADS: u32 = 3;

/// The most calls of a slice whose time is compared.
const MOST_CALLS: u64 = 1 << 18;

/// All checks of every contender that is installed.
pub fn examine(program: &Program, listed: &[Listed]) -> Vec<Finding> {
    let mut here: Vec<(&Listed, Vec<&Offer>)> = Vec::new();
    for contender in listed.iter().filter(|c| c.missing.is_none()) {
        let mut offers: Vec<&Offer> = contender.offers.iter().collect();
        offers.retain(|o| primitives::knows(&o.primitive, o.operation));
        if !offers.is_empty() {
            here.push((contender, offers));
        }
    }
    let mut findings = Vec::new();
    let mut is_first = true;
    for (index, (contender, offers)) in here.iter().enumerate() {
        let mut checks: Vec<(String, Result<Verdict, Stop>)> = Vec::new();
        let mut answered = Vec::new();
        for offer in offers {
            let trial = Trial { program, contender: &contender.name, offer };
            let name = format!("{} {}", offer.primitive, offer.operation);
            let outputs = trial.outputs();
            // Work that needs a feature that this machine lacks is refused here and everywhere
            // else.
            if !matches!(outputs, Ok(Verdict::Skipped(_))) {
                let slices = trial.slices(Shape::Throughput, &SIZES);
                checks.push((format!("{name}: throughput"), slices));
                checks.push((format!("{name}: latency"), trial.latency()));
                checks.push((format!("{name}: time"), trial.time()));
                answered.push(*offer);
            }
            checks.push((format!("{name}: outputs"), outputs));
        }
        if let Some(offer) = answered.first() {
            let first = Trial { program, contender: &contender.name, offer };
            if std::mem::take(&mut is_first) {
                let other = here.get(index + 1).map(|(contender, offers)| Trial {
                    program,
                    contender: &contender.name,
                    offer: offers[0],
                });
                checks.push(("unknown fields".to_string(), first.unknown_fields()));
                checks.push(("pool".to_string(), first.pool()));
                checks.push(("another contender".to_string(), first.refuses(other)));
            }
            checks.push(("threads".to_string(), first.threads()));
            // Differences between operations, such as sealing for `open`, do not depend on the
            // primitive.
            let mut operations = BTreeSet::new();
            for offer in answered {
                let Offer { primitive, operation, .. } = offer;
                let is_single = !matches!(operation, Operation::DigestMany | Operation::DigestFile);
                if is_single && operations.insert(operation.name()) {
                    let trial = Trial { program, contender: &contender.name, offer };
                    checks.push((format!("{primitive} {operation}: drawn lengths"), trial.drawn()));
                }
                if *operation == Operation::Digest && operations.insert("prefix") {
                    let trial = Trial { program, contender: &contender.name, offer };
                    checks.push((format!("{primitive} {operation}: prefix"), trial.prefix()));
                }
                if *operation == Operation::Open && operations.insert("forged tags") {
                    let trial = Trial { program, contender: &contender.name, offer };
                    checks.push((format!("{primitive} {operation}: forged tags"), trial.forged()));
                }
            }
            checks.push(("end".to_string(), first.end()));
        }
        let section = Section::Contender(contender.name.clone());
        for (check, came) in checks {
            findings.push(Finding::new(&section, check, came.or_else(Stop::into_result)));
        }
    }
    findings
}

/// One offer of a contender, tried in processes of its own.
struct Trial<'a> {
    program: &'a Program,
    contender: &'a str,
    offer: &'a Offer,
}

/// A prepared cell and the expected fold of its slices.
struct Cell {
    number: u32,
    size: u64,
    expected: Expected,
    /// For the latency shape, the fold of the throughput shape.
    unchained: Option<Expected>,
    /// The sum of the folds so far, all of which were correct.
    before: u64,
}

/// Why a trial ended early.
enum Stop {
    Verdict(Verdict),
    Fault(Fault),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault)
    }
}

impl Stop {
    fn wrong(what: impl Into<String>, remedy: impl Into<String>) -> Stop {
        Stop::Verdict(Verdict::wrong(what, remedy))
    }

    fn into_result(self) -> Result<Verdict, Fault> {
        match self {
            Stop::Verdict(verdict) => Ok(verdict),
            Stop::Fault(fault) => Err(fault),
        }
    }
}

impl Trial<'_> {
    /// Prepares cells of these sizes and runs slices of them in turn, two of each.
    fn slices(&self, shape: Shape, sizes: &[u64]) -> Result<Verdict, Stop> {
        let mut process = self.program.start()?;
        let files = self.files()?;
        let numbered = (0..).zip(sizes);
        let mut cells = numbered
            .map(|(number, &size)| self.prepared(&mut process, number, size, shape, &files))
            .collect::<Result<Vec<Cell>, Stop>>()?;
        for (first, preroll, iterations) in SLICES {
            for cell in &mut cells {
                let ask = Slice { cell: cell.number, first, preroll, iterations };
                cell.sliced(&mut process, &ask)?;
            }
        }
        for cell in &mut cells {
            let (first, preroll, iterations) = AUDITED;
            cell.audited(&mut process, &Slice { cell: cell.number, first, preroll, iterations })?;
        }
        process.bye();
        Ok(Verdict::Well)
    }

    /// Runs slices in the latency shape, and checks that it is refused where it is undefined.
    fn latency(&self) -> Result<Verdict, Stop> {
        let undefined = !self.offer.operation.has_latency();
        let size = if undefined { SIZE } else { 0 };
        let mut process = self.program.start()?;
        let files = self.files()?;
        let outcome = process.prepare(&self.ask(0, size, Shape::Latency, &files)?)?;
        process.bye();
        if !matches!(outcome, Outcome::Unsupported(_)) {
            return Ok(Verdict::wrong(
                format!("prepare of {size} bytes is not answered `unsupported`"),
                "this shape is not defined here (SPEC.md, \"Shapes\")",
            ));
        }
        if undefined {
            return Ok(Verdict::Well);
        }
        self.slices(Shape::Latency, &SIZES[1..])
    }

    /// Divides slices between threads, and checks that every call is still made once. A runner may
    /// have one thread only, and then says so.
    fn threads(&self) -> Result<Verdict, Stop> {
        if self.offer.operation == Operation::DigestFile {
            return Ok(Verdict::Skipped("digest-file has one thread".to_string()));
        }
        let mut process = self.program.start()?;
        let mut cell = self.prepared(&mut process, 0, SIZE, Shape::Throughput, &None)?;
        let mut ask = self.ask(0, SIZE, Shape::Throughput, &None)?;
        ask.workload.contract.threads = THREADS;
        let prepared = match process.prepare(&ask)? {
            Outcome::Ok(prepared) => prepared,
            Outcome::Unsupported(refusal) | Outcome::Failed(refusal) => {
                let why = format!("the runner has one thread: {}", refusal.reason);
                return Ok(Verdict::Skipped(why));
            }
            Outcome::Missing(refusal) => {
                let what = format!("{THREADS} threads are answered missing: {}", refusal.reason);
                return Ok(Verdict::wrong(what, "answer `unsupported`"));
            }
        };
        let numbers: BTreeSet<u32> = prepared.threads.iter().copied().collect();
        if !process.hello.clock.simulated && numbers.len() != THREADS as usize {
            return Ok(Verdict::wrong(
                format!("prepare with {THREADS} threads names {} of them", numbers.len()),
                "name the threads that make the calls in `threads`, as the system numbers them: \
                 the tool gives each a processor (SPEC.md, \"Threads\")",
            ));
        }
        // Fewer calls than threads, and numbers that they do not divide.
        for (first, preroll, iterations) in [(7, 0, 1), (8, 1, 2), (11, 4, 5), (20, 5, 100)] {
            cell.sliced(&mut process, &Slice { cell: 0, first, preroll, iterations })?;
        }
        process.bye();
        Ok(Verdict::Well)
    }

    /// Draws the lengths of messages. A runner may not know them, and then says so.
    fn drawn(&self) -> Result<Verdict, Stop> {
        let mut process = self.program.start()?;
        let mut ask = self.ask(0, SIZE, Shape::Throughput, &None)?;
        ask.lengths = (0..POOL).map(|j| (j * 37 + 3) % (SIZE as u32 + 1)).collect();
        ask.lengths[POOL as usize - 1] = SIZE as u32;
        let mut counts = BTreeMap::new();
        for &length in &ask.lengths {
            *counts.entry(u64::from(length)).or_insert(0) += 1;
        }
        let histogram = Histogram::new(counts.into_iter().collect());
        let histogram = histogram.map_err(|why| Stop::Verdict(Verdict::Skipped(why)))?;
        ask.workload.contract.lengths = Lengths::Drawn(histogram);
        match process.prepare(&ask)? {
            Outcome::Ok(_) => {}
            Outcome::Unsupported(Refusal { reason, .. }) => {
                let why = format!("the runner draws no lengths: {reason}");
                return Ok(Verdict::Skipped(why));
            }
            Outcome::Missing(refusal) | Outcome::Failed(refusal) => {
                let what = format!("drawn lengths are not answered: {}", refusal.reason);
                let remedy = "take the length of each message from `lengths`, or answer \
                              `unsupported` (SPEC.md, \"Lengths that are drawn\")";
                return Ok(Verdict::wrong(what, remedy));
            }
        }
        let expected = expected(&ask, Shape::Throughput)?;
        let mut cell = Cell { number: 0, size: SIZE, expected, unchained: None, before: 0 };
        for (first, preroll, iterations) in [(0, 0, 1), (1, 2, 10), (20, 5, 100)] {
            cell.sliced(&mut process, &Slice { cell: 0, first, preroll, iterations })?;
        }
        // A runner that ignores `lengths` would do so with a pool of other ones, too.
        let short = Prepare { lengths: ask.lengths[1..].to_vec(), ..ask };
        let outcome = process.prepare(&short)?;
        process.bye();
        Ok(match outcome {
            Outcome::Failed(_) => Verdict::Well,
            _ => Verdict::wrong(
                "prepare with fewer lengths than messages is not answered `failed`",
                "`lengths` has one for each message of the pool",
            ),
        })
    }

    /// Has every byte of the tags forged, one after the other: each call must refuse its message. A
    /// runner may not know forged tags, and then says so.
    fn forged(&self) -> Result<Verdict, Stop> {
        let mut process = self.program.start()?;
        for byte in 0..TAG {
            let mut ask = self.ask(0, SIZE, Shape::Throughput, &None)?;
            ask.workload.contract.forged = Some(byte as u8);
            match process.prepare(&ask)? {
                Outcome::Ok(_) => {}
                Outcome::Unsupported(Refusal { reason, .. }) => {
                    let why = format!("the runner forges no tags: {reason}");
                    return Ok(Verdict::Skipped(why));
                }
                Outcome::Missing(refusal) | Outcome::Failed(refusal) => {
                    let what = format!("a forged tag is not answered: {}", refusal.reason);
                    let remedy = "change this byte of each tag, or answer `unsupported` (SPEC.md, \
                                  \"Forged tags\")";
                    return Ok(Verdict::wrong(what, remedy));
                }
            }
            let expected = expected(&ask, Shape::Throughput)?;
            let mut cell = Cell { number: 0, size: SIZE, expected, unchained: None, before: 0 };
            cell.sliced(&mut process, &Slice { cell: 0, first: 3, preroll: 2, iterations: 10 })?;
        }
        process.bye();
        Ok(Verdict::Well)
    }

    /// Puts a prefix before every message, whose state each call copies. A runner may not know
    /// prefixes, and then says so.
    fn prefix(&self) -> Result<Verdict, Stop> {
        let mut process = self.program.start()?;
        let mut ask = self.ask(0, SIZE, Shape::Throughput, &None)?;
        ask.workload.contract.prefix = PREFIX;
        match process.prepare(&ask)? {
            Outcome::Ok(_) => {}
            Outcome::Unsupported(Refusal { reason, .. }) => {
                let why = format!("it copies no state: {reason}");
                return Ok(Verdict::Skipped(why));
            }
            Outcome::Missing(refusal) | Outcome::Failed(refusal) => {
                let what = format!("a prefix is not answered: {}", refusal.reason);
                let remedy = "digest the prefix before each message, or answer `unsupported` \
                              (SPEC.md, \"Prefixes\")";
                return Ok(Verdict::wrong(what, remedy));
            }
        }
        let expected = expected(&ask, Shape::Throughput)?;
        let mut cell = Cell { number: 0, size: SIZE, expected, unchained: None, before: 0 };
        for (first, preroll, iterations) in SLICES {
            cell.sliced(&mut process, &Slice { cell: 0, first, preroll, iterations })?;
        }
        self.verified(process, &ask.workload.contract)
    }

    /// Checks that times are plausible: above 0, in ns, and longer for more calls.
    fn time(&self) -> Result<Verdict, Stop> {
        let mut process = self.program.start()?;
        let files = self.files()?;
        let mut cell = self.prepared(&mut process, 0, SIZE, Shape::Throughput, &files)?;
        let clock = process.hello.clock.clone();
        let (mut first, mut calls) = (0, 16);
        let mut slice = |process: &mut Process, iterations: u64| {
            let ask = Slice { cell: 0, first, preroll: 0, iterations };
            first += iterations;
            cell.sliced(process, &ask)
        };
        while slice(&mut process, calls)?.elapsed_ns < 100.0 * clock.resolution_ns
            && calls < MOST_CALLS
        {
            calls *= 4;
        }
        let (mut once, mut four_times) = (f64::INFINITY, f64::INFINITY);
        let mut waited = Duration::MAX;
        for _ in 0..3 {
            once = once.min(slice(&mut process, calls)?.elapsed_ns);
            let begun = Instant::now();
            four_times = four_times.min(slice(&mut process, 4 * calls)?.elapsed_ns);
            waited = waited.min(begun.elapsed());
        }
        process.bye();
        Ok(plausible(calls, once, four_times, waited, clock.simulated))
    }

    /// Checks that the outputs are correct.
    fn outputs(&self) -> Result<Verdict, Stop> {
        self.verified(self.program.start()?, &self.offer.contract())
    }

    /// Checks that the outputs under a contract are correct, and ends the process.
    fn verified(&self, mut process: Process, contract: &Contract) -> Result<Verdict, Stop> {
        let verified = verify::verify(
            &mut |ask| process.compute(ask),
            self.contender,
            self.offer,
            contract,
            Depth::Warm,
            &[],
        )?;
        let failure = match verified.unfit {
            None => {
                process.leave()?;
                return Ok(Verdict::Well);
            }
            Some(Unfit::Missing(refusal)) => return Ok(Verdict::Skipped(refusal.to_string())),
            Some(Unfit::Unasked(why) | Unfit::Unmeasured(why)) => {
                return Ok(Verdict::wrong(why, OFFER_WHAT_IS_KNOWN));
            }
            Some(Unfit::Wrong(failure)) => failure,
        };
        let remedy = if failure.expected == "a refusal" {
            "check the whole tag before you release any plaintext, and answer `refused`".to_string()
        } else {
            match primitives::named(&self.offer.primitive) {
                Some(primitive) => format!("compute it as {} defines it", primitive.standard),
                None => OFFER_WHAT_IS_KNOWN.to_string(),
            }
        };
        Ok(Verdict::wrong(failure.to_string(), remedy))
    }

    /// Sends fields of a later protocol, which must be ignored everywhere but in a contract.
    fn unknown_fields(&self) -> Result<Verdict, Stop> {
        let files = self.files()?;
        let ask = self.ask(0, SIZE, Shape::Throughput, &files)?;
        let mut request = serde_json::to_value(&ask).unwrap_or_default();
        request["ask"] = "prepare".into();
        let mut process = self.program.start()?;
        for pointer in ["", "/workload"] {
            let outcome = process.ask_freely("prepare", with_later(pointer, request.clone()))?;
            if let Some(refused) = refused(&outcome) {
                let what = format!("prepare with an additional field is {refused}");
                let remedy = "ignore unknown fields: a later tool may send them";
                return Ok(Verdict::wrong(what, remedy));
            }
        }
        let outcome = process.ask_freely("prepare", with_later("/workload/contract", request))?;
        process.bye();
        Ok(match outcome {
            Outcome::Unsupported(_) | Outcome::Failed(_) => Verdict::Well,
            Outcome::Ok(_) | Outcome::Missing(_) => Verdict::wrong(
                "a contract with an unknown field is not refused",
                "answer `unsupported`: a runner must not guess what is inside the timed call",
            ),
        })
    }

    /// Sends a pool size that is not a power of two, so that a mask could not number the calls.
    fn pool(&self) -> Result<Verdict, Stop> {
        let mut process = self.program.start()?;
        let files = self.files()?;
        let ask = self.ask(0, SIZE, Shape::Throughput, &files)?;
        let outcome = process.prepare(&Prepare { pool: 3, ..ask })?;
        process.bye();
        Ok(match outcome {
            Outcome::Failed(_) => Verdict::Well,
            _ => Verdict::wrong(
                "prepare with a pool of 3 messages is not answered `failed`",
                "a pool size is a power of two",
            ),
        })
    }

    /// Checks that a contender does not share its process, and that asking for another does not
    /// disturb the first.
    fn refuses(&self, other: Option<Trial<'_>>) -> Result<Verdict, Stop> {
        let Some(other) = other else {
            return Ok(Verdict::Skipped("there is only one".to_string()));
        };
        let mut process = self.program.start()?;
        let files = self.files()?;
        let mut cell = self.prepared(&mut process, 0, SIZE, Shape::Throughput, &files)?;
        let files = other.files()?;
        let ask = other.ask(1, SIZE, Shape::Throughput, &files)?;
        let outcome = process.prepare(&ask)?;
        if !matches!(outcome, Outcome::Failed(_)) {
            let what = format!(
                "{} is prepared in a process of {}, and the answer is not `failed`",
                other.contender, self.contender
            );
            let remedy = "keep to the contender that is named first: two in one process \
                          disturb each other's times";
            return Ok(Verdict::wrong(what, remedy));
        }
        cell.sliced(&mut process, &Slice { cell: 0, first: 0, preroll: 0, iterations: 5 })?;
        process.bye();
        Ok(Verdict::Well)
    }

    /// Checks that the runner ends properly after work, whatever its contender has started.
    fn end(&self) -> Result<Verdict, Stop> {
        let mut process = self.program.start()?;
        let files = self.files()?;
        let mut cell = self.prepared(&mut process, 0, SIZE, Shape::Throughput, &files)?;
        cell.sliced(&mut process, &Slice { cell: 0, first: 0, preroll: 0, iterations: 5 })?;
        process.leave()?;
        Ok(Verdict::Well)
    }

    fn files(&self) -> Result<Option<Files>, Stop> {
        let is_file = self.offer.operation == Operation::DigestFile;
        is_file.then(Files::new).transpose().map_err(not_written)
    }

    fn ask(
        &self,
        cell: u32,
        size: u64,
        shape: Shape,
        files: &Option<Files>,
    ) -> Result<Prepare, Stop> {
        let Offer { primitive, operation, fixed_key, .. } = self.offer;
        let Some(known) = primitives::named(primitive) else {
            let why = format!("the tool has no reference for {primitive}");
            return Err(Stop::Verdict(Verdict::Skipped(why)));
        };
        let fixed = fixed_key.as_ref().and_then(|key| hex::decode(key).ok());
        let file = files.as_ref().map(|files| files.write(&bytes::stream(SEED, size as usize)));
        Ok(Prepare {
            cell,
            contender: self.contender.to_string(),
            workload: Workload {
                primitive: primitive.clone(),
                operation: *operation,
                size,
                contract: self.offer.contract(),
                shape,
            },
            seed: SEED,
            pool: POOL,
            lengths: vec![],
            offset: 17,
            key: fixed.unwrap_or_else(|| bytes::stream(SEED, known.key)),
            ad: vec![],
            file: file.transpose().map_err(not_written)?,
        })
    }

    /// Prepares a cell. A runner may decline a shape, but not its offers.
    fn prepared(
        &self,
        process: &mut Process,
        number: u32,
        size: u64,
        shape: Shape,
        files: &Option<Files>,
    ) -> Result<Cell, Stop> {
        let ask = self.ask(number, size, shape, files)?;
        let outcome = process.prepare(&ask)?;
        if let (Outcome::Unsupported(Refusal { reason, .. }), Shape::Latency) = (&outcome, shape) {
            let why = format!("the runner calls it unsupported: {reason}");
            return Err(Stop::Verdict(Verdict::Skipped(why)));
        }
        if let Some(refused) = refused(&outcome) {
            return Err(Stop::wrong(
                format!("prepare of {size} bytes is {refused}"),
                "an offer is valid for every size, under the operation's usual contract",
            ));
        }
        if let Outcome::Ok(prepared) = &outcome
            && prepared.code_path.trim().is_empty()
        {
            return Err(Stop::wrong(
                format!("prepare of {size} bytes gives an empty code_path"),
                "report which code the library selected, or why that is unknown",
            ));
        }
        Ok(Cell {
            number,
            size,
            expected: expected(&ask, shape)?,
            unchained: (shape == Shape::Latency)
                .then(|| expected(&ask, Shape::Throughput))
                .transpose()?,
            before: 0,
        })
    }
}

/// The results of a cell that is prepared by this request, in a shape.
fn expected(ask: &Prepare, shape: Shape) -> Result<Expected, Stop> {
    let workload = Workload { shape, ..ask.workload.clone() };
    let file = ask.file.as_deref().map(std::path::Path::new);
    let pool = (ask.pool, &ask.lengths[..]);
    Expected::new(&workload, ask.seed, pool, &ask.key, &ask.ad, file)
        .map_err(|refusal| Stop::Verdict(Verdict::Skipped(refusal.reason)))
}

/// A request with a field of a later protocol in one of its objects.
fn with_later(pointer: &str, mut request: Value) -> Value {
    if let Some(object) = request.pointer_mut(pointer) {
        object["later"] = json!({"a": [1, null]});
    }
    request
}

impl Cell {
    /// Runs a slice whose time is audited. It folds all outputs or the last one.
    fn audited(&self, process: &mut Process, ask: &Slice) -> Result<(), Stop> {
        let Slice { first, preroll, iterations, .. } = *ask;
        let asked = format!("first {first}, preroll {preroll}, iterations {iterations}, last");
        let sliced = match process.audited(ask)? {
            Outcome::Ok(sliced) => sliced,
            other => {
                let refused = refused(&other).unwrap_or_default();
                let remedy = "ignore what you do not know in a request (SPEC.md, \"slice\")";
                return Err(Stop::wrong(format!("a slice ({asked}) is {refused}"), remedy));
            }
        };
        let all = self.expected.fold(first, preroll, iterations);
        let last = all.wrapping_sub(self.expected.fold(first, preroll, iterations - 1));
        if ![all, last].contains(&sliced.fold) {
            let what = format!(
                "fold is {:016x}, expected {last:016x} or, of all outputs, {all:016x} ({asked})",
                sliced.fold
            );
            let remedy = "fold the last output, or all of them (SPEC.md, \"slice\")";
            return Err(Stop::wrong(what, remedy));
        }
        Ok(())
    }

    /// Runs a slice and compares its reply with the expected one.
    fn sliced(&mut self, process: &mut Process, ask: &Slice) -> Result<Sliced, Stop> {
        let Slice { first, preroll, iterations, .. } = *ask;
        let size = self.size;
        let asked =
            format!("{size} bytes, first {first}, preroll {preroll}, iterations {iterations}");
        let sliced = match process.slice(ask)? {
            Outcome::Ok(sliced) => sliced,
            other => {
                let refused = refused(&other).unwrap_or_default();
                let remedy = "a prepared cell must answer any number of slices";
                return Err(Stop::wrong(format!("a slice ({asked}) is {refused}"), remedy));
            }
        };
        if sliced.iterations != iterations {
            let what = format!(
                "iterations is {}, but {iterations} were asked for ({asked})",
                sliced.iterations
            );
            let remedy = "make and time as many calls as are asked for, and report that number";
            return Err(Stop::wrong(what, remedy));
        }
        let right = self.expected.fold(first, preroll, iterations);
        if sliced.fold != right {
            let what = format!("fold is {:016x}, expected {right:016x} ({asked})", sliced.fold);
            let remedy = fold::remedy(
                &self.expected,
                self.unchained.as_ref(),
                ask,
                self.before,
                sliced.fold,
            );
            return Err(Stop::wrong(what, remedy));
        }
        self.before = self.before.wrapping_add(right);
        if sliced.elapsed_ns < 0.0 {
            let what = format!("elapsed_ns is {} ({asked})", sliced.elapsed_ns);
            return Err(Stop::wrong(what, "read a monotonic clock, in ns"));
        }
        if let Some(bytes) = sliced.allocated_per_call.filter(|b| !(0.0..=MOST_BYTES).contains(b)) {
            let what = format!("allocated_per_call is {bytes:e} ({asked})");
            return Err(Stop::wrong(what, "give bytes, or leave it out where they are not known"));
        }
        Ok(sliced)
    }
}

/// No call of anything takes less than this, in ns.
const LEAST_NS: f64 = 0.001;

/// The most bytes that a call can allocate: the addresses of a process.
const MOST_BYTES: f64 = (1_u64 << 47) as f64;

/// No slice lasts twelve days, in ns.
const MOST_NS: f64 = 1e15;

/// Judges the times of two slices, of `calls` calls and of four times as many, given how long each
/// answer took. Only faults that no disturbance can cause are wrong.
fn plausible(
    calls: u64,
    once_ns: f64,
    four_times_ns: f64,
    waited: Duration,
    simulated: bool,
) -> Verdict {
    let waited_ns = waited.as_nanos() as f64;
    let many = 4 * calls;
    if four_times_ns < LEAST_NS * many as f64 {
        let what = format!("elapsed_ns of {many} calls is {four_times_ns:e}");
        return Verdict::wrong(
            what,
            "time all calls of a slice together, with a clock that advances",
        );
    }
    if four_times_ns > MOST_NS {
        let what = format!("elapsed_ns of {many} calls is {four_times_ns:e}");
        return Verdict::wrong(what, "give the time in ns");
    }
    if !simulated && four_times_ns > 2.0 * waited_ns {
        let what = format!(
            "elapsed_ns of {many} calls is {four_times_ns}, and the answer came after {waited_ns}"
        );
        return Verdict::wrong(what, "give the time in ns");
    }
    if !simulated && waited > Duration::from_millis(5) && four_times_ns < waited_ns / 50.0 {
        return Verdict::Remark(format!(
            "elapsed_ns of {many} calls is {four_times_ns}, and the answer took {waited_ns}: is the \
             time in ns, and does it include all calls?"
        ));
    }
    if four_times_ns < 2.0 * once_ns {
        return Verdict::Remark(format!(
            "{calls} calls took {once_ns} ns, four times as many {four_times_ns} ns: does the \
             time include all calls?"
        ));
    }
    Verdict::Well
}

const OFFER_WHAT_IS_KNOWN: &str = "offer only what the tool can verify";

/// Describes an outcome that is not `ok`.
fn refused<T>(outcome: &Outcome<T>) -> Option<String> {
    match outcome {
        Outcome::Ok(_) => None,
        Outcome::Unsupported(r) => Some(format!("answered unsupported: {}", r.reason)),
        Outcome::Missing(r) => Some(format!("answered missing: {}", r.reason)),
        Outcome::Failed(r) => Some(format!("answered failed: {}", r.reason)),
    }
}

fn not_written(error: std::io::Error) -> Stop {
    Stop::Verdict(Verdict::Skipped(format!("cannot write a file for it: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_times_that_no_disturbance_can_cause_are_wrong() {
        let waited = Duration::from_millis(10);
        let wrong = |v: Verdict| matches!(v, Verdict::Wrong { .. });
        let remark = |v: Verdict| matches!(v, Verdict::Remark(_));
        assert_eq!(plausible(16, 2e6, 8e6, waited, false), Verdict::Well);
        assert!(wrong(plausible(16, 0.0, 0.0, waited, false)), "no time");
        assert!(wrong(plausible(16, 2e9, 8e9, waited, false)), "longer than was waited");
        assert_eq!(plausible(16, 2e9, 8e9, waited, true), Verdict::Well, "a simulated clock");
        assert!(remark(plausible(16, 2e3, 8e3, waited, false)), "in microseconds");
        assert!(remark(plausible(16, 8e6, 8e6, waited, false)), "not all calls");
    }
}
