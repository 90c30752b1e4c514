//! The runner for everything that can be called as a Rust value: the pool of messages, the timed
//! loop, the fold. The native and the Rust runner differ only in their [`Library`].

use crate::batch::{Batch, Batches};
use crate::bytes;
use crate::fold;
use crate::message::{
    Answer, Case, Clock, Compute, Computed, Hello, Input, List, Listed, Outcome, Prepare, Prepared,
    Refusal, Slice, Sliced,
};
use crate::noise::Meter;
use crate::serve::Runner;
use crate::workload::{Contract, Lengths, MAX_BATCH, Operation, Output, Shape};
use std::collections::HashMap;
use std::time::Instant;

/// The contenders that a runner hosts.
pub trait Library {
    /// One contender, prepared for one task.
    type Cell: Call;
    /// Everything that is known, including what is missing here.
    fn list(&mut self) -> Vec<Listed>;
    /// Prepares a contender for a task.
    ///
    /// # Errors
    /// A refusal of the protocol.
    fn open(&mut self, contender: &str, task: &Task) -> Result<Self::Cell, Refused>;
}

/// What a cell is prepared for.
#[derive(Clone, Debug)]
pub struct Task {
    /// The primitive's standard name.
    pub primitive: String,
    /// The operation on it.
    pub operation: Operation,
    /// What is inside the timed call.
    pub contract: Contract,
    /// The key; empty if the operation has none.
    pub key: Vec<u8>,
    /// Stream each message in chunks of these lengths, repeated; empty for one call.
    pub chunks: Vec<u32>,
    /// The file to read, for `digest-file`.
    pub file: Option<String>,
}

/// Why a library rejects a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It cannot do it by its nature.
    Unsupported(Refusal),
    /// Not installed here.
    Missing(Refusal),
    /// It should have worked but did not.
    Failed(Refusal),
}

impl Refused {
    /// The contender cannot do this by its nature.
    pub fn unsupported(reason: impl Into<String>) -> Refused {
        Refused::Unsupported(Refusal::because(reason))
    }

    /// It should have worked but did not.
    pub fn failed(reason: impl Into<String>) -> Refused {
        Refused::Failed(Refusal::because(reason))
    }

    fn outcome<T>(self) -> Outcome<T> {
        match self {
            Refused::Unsupported(r) => Outcome::Unsupported(r),
            Refused::Missing(r) => Outcome::Missing(r),
            Refused::Failed(r) => Outcome::Failed(r),
        }
    }
}

/// The inputs of one call.
#[derive(Clone, Copy, Debug)]
pub struct Io<'a> {
    /// The nonce; empty if the operation has none.
    pub nonce: &'a [u8],
    /// The associated data.
    pub ad: &'a [u8],
    /// The message: plaintext for `seal`, ciphertext followed by the tag for `open`.
    pub input: &'a [u8],
}

/// A contender prepared for one task: what is timed.
pub trait Call {
    /// Computes one output into `output` and returns its length in bytes.
    ///
    /// # Errors
    /// [`CallError::Refused`] if `open` finds that the input is not authentic. `output` then has no
    /// plaintext.
    fn call(&mut self, io: &Io<'_>, output: &mut [u8]) -> Result<usize, CallError>;

    /// Computes the digests of a batch into `output`, one after the other, and returns their total
    /// length in bytes. By default it computes one message after the other.
    ///
    /// # Errors
    /// The error of the first message without a digest.
    #[inline(always)]
    fn call_many(&mut self, batch: &Batch<'_>, output: &mut [u8]) -> Result<usize, CallError> {
        self.one_by_one(batch, output)
    }

    /// Computes the digests of a batch with one call for each.
    ///
    /// # Errors
    /// The error of the first message without a digest.
    #[inline(always)]
    fn one_by_one(&mut self, batch: &Batch<'_>, output: &mut [u8]) -> Result<usize, CallError> {
        let mut made = 0;
        for input in batch.messages() {
            let room = output.get_mut(made..).ok_or(LONGER)?;
            made += self.call(&Io { nonce: &[], ad: &[], input }, room)?;
        }
        Ok(made)
    }

    /// The selected code path, in the library's own words if it reports it.
    fn code_path(&self) -> String;
}

impl Call for Box<dyn Call> {
    #[inline(always)]
    fn call(&mut self, io: &Io<'_>, output: &mut [u8]) -> Result<usize, CallError> {
        (**self).call(io, output)
    }

    #[inline(always)]
    fn call_many(&mut self, batch: &Batch<'_>, output: &mut [u8]) -> Result<usize, CallError> {
        (**self).call_many(batch, output)
    }

    fn code_path(&self) -> String {
        (**self).code_path()
    }
}

/// Why a call gave no output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallError {
    /// Not authentic.
    Refused,
    /// The library cannot take this input by its nature (for example, a nonce length).
    Unsupported(&'static str),
    /// The library reported an error.
    Failed(&'static str),
}

/// How much larger every output buffer is than the message: tag, digest, and slack.
const ROOM: usize = 192;
const LINE: usize = 64;

/// The longest digest, in bytes.
const DIGEST: usize = 64;

const LONGER: CallError = CallError::Failed("output longer than its buffer");

/// The bytes of output space for an operation: both outputs of a round trip, the digests of a whole
/// batch.
fn room(operation: Operation, message: usize, batch: u32) -> usize {
    ROOM + match operation {
        Operation::SealOpen => 2 * message,
        Operation::DigestMany => message + batch as usize * DIGEST,
        _ => message,
    }
}

/// Why a contract's batch is undefined for this operation, if it is.
fn undefined_batch(operation: Operation, contract: &Contract) -> Option<String> {
    let Contract { batch, lengths, chunk, .. } = *contract;
    if operation != Operation::DigestMany {
        let plain = batch == 1 && lengths == Lengths::Equal;
        return (!plain).then(|| format!("{operation} takes one message per call"));
    }
    if !(1..=MAX_BATCH).contains(&batch) {
        return Some(format!("a batch has 1 to {MAX_BATCH} messages, not {batch}"));
    }
    (chunk != 0).then(|| NOT_STREAMED.to_string())
}

const NOT_STREAMED: &str = "the messages of a batch are not streamed";

/// Serves a [`Library`] through the protocol.
pub struct Host<L: Library> {
    name: &'static str,
    version: &'static str,
    library: L,
    chosen: Option<String>,
    cells: HashMap<u32, Cell<L::Cell>>,
    meter: Meter,
}

/// A prepared cell: the contender and its memory.
struct Cell<C> {
    contender: C,
    shape: Shape,
    /// The nonces of the pool for `open`, whose inputs were sealed once; empty for every other
    /// operation, where call `i` has nonce `i`.
    sealed_with: Vec<[u8; 12]>,
    has_nonce: bool,
    /// The batches of `digest-many`, which point into the pool.
    batches: Option<Batches>,
    pool: Pool,
    ad: Vec<u8>,
    output: Vec<u8>,
    output_at: usize,
    /// The output of the last call, for the `latency` shape.
    last: u64,
}

/// Messages of one length in one block of memory, each at the same distance from a cache line.
struct Pool {
    memory: Vec<u8>,
    start: usize,
    stride: usize,
    len: usize,
    mask: u64,
    /// The original first bytes of each message, for the `latency` shape.
    heads: Vec<u64>,
}

impl Pool {
    fn new(count: u32, len: usize, offset: usize) -> Pool {
        let stride = (len + LINE).next_multiple_of(LINE);
        let memory = vec![0; stride * count as usize + 2 * LINE];
        let start = memory.as_ptr().align_offset(LINE) + offset;
        Pool { memory, start, stride, len, mask: u64::from(count) - 1, heads: Vec::new() }
    }

    #[inline(always)]
    fn at(&self, index: u64) -> std::ops::Range<usize> {
        let start = self.start + (index & self.mask) as usize * self.stride;
        start..start + self.len
    }

    /// Batches of the first `count` messages, which are `length(j)` bytes long. The pool must
    /// outlive them and must not be written to again. Moving it does not move its memory.
    fn batches(&self, count: u32, length: impl Fn(u64) -> usize, batch: u32) -> Batches {
        let message = |j| {
            let from = self.at(j).start;
            &self.memory[from..from + length(j)]
        };
        let messages: Vec<&[u8]> = (0..u64::from(count)).map(message).collect();
        // SAFETY: both users keep the pool as long as the batches, and write to it only before.
        unsafe { Batches::new(&messages, batch as usize) }
    }

    fn remember_heads(&mut self) {
        self.heads = (0..=self.mask).map(|j| fold::head(&self.memory[self.at(j)])).collect();
    }
}

impl<L: Library> Host<L> {
    /// A host for this library, with a runner's name and version.
    pub fn new(name: &'static str, version: &'static str, library: L) -> Host<L> {
        let (chosen, cells) = (None, HashMap::new());
        Host { name, version, library, chosen, cells, meter: Meter::new() }
    }

    /// A contender never shares its process with another.
    fn choose(&mut self, contender: &str) -> Result<(), Refused> {
        match &self.chosen {
            Some(other) if other != contender => Err(Refused::failed(format!(
                "this process hosts {other} already; {contender} needs a process of its own"
            ))),
            _ => {
                self.chosen = Some(contender.to_string());
                Ok(())
            }
        }
    }

    fn try_prepare(&mut self, ask: &Prepare) -> Result<Prepared, Refused> {
        self.choose(&ask.contender)?;
        let work = &ask.workload;
        if !ask.pool.is_power_of_two() {
            return Err(Refused::failed(format!("pool {} is not a power of two", ask.pool)));
        }
        if ask.offset as usize >= LINE {
            return Err(Refused::failed(format!("offset {} is not below {LINE}", ask.offset)));
        }
        let size = usize::try_from(work.size)
            .ok()
            .filter(|size| size.checked_mul(ask.pool as usize).is_some_and(|all| all < 1 << 34))
            .ok_or_else(|| {
                Refused::failed(format!("{} bytes do not fit into memory", work.size))
            })?;
        if work.shape == Shape::Latency && (size == 0 || !work.operation.has_latency()) {
            return Err(Refused::unsupported(format!(
                "latency is not defined for {} of {size} bytes",
                work.operation
            )));
        }
        let task = Task {
            primitive: work.primitive.clone(),
            operation: work.operation,
            contract: work.contract.clone(),
            key: ask.key.clone(),
            chunks: if work.contract.chunk == 0 { vec![] } else { vec![work.contract.chunk] },
            file: ask.file.clone(),
        };
        if let Some(why) = undefined_batch(work.operation, &work.contract) {
            return Err(Refused::unsupported(why));
        }
        if work.contract.output == Output::InPlace {
            return Err(Refused::unsupported("this runner has no in-place operation"));
        }
        let contender = self.library.open(&ask.contender, &task)?;
        let offset = ask.offset as usize;
        let mut batches = None;
        let (pool, sealed_with) = match work.operation {
            Operation::DigestFile => (Pool::new(1, 0, offset), vec![]),
            Operation::Open => self.sealed_pool(ask, &task, size)?,
            Operation::DigestMany => {
                let length = |j| work.contract.lengths.of(j, work.size) as usize;
                let mut pool = Pool::new(ask.pool, size, offset);
                for j in 0..u64::from(ask.pool) {
                    let from = pool.at(j).start;
                    bytes::fill(ask.seed + j, &mut pool.memory[from..from + length(j)]);
                }
                batches = Some(pool.batches(ask.pool, length, work.contract.batch));
                (pool, vec![])
            }
            _ => {
                let mut pool = Pool::new(ask.pool, size, offset);
                for j in 0..u64::from(ask.pool) {
                    let at = pool.at(j);
                    bytes::fill(ask.seed + j, &mut pool.memory[at]);
                }
                pool.remember_heads();
                (pool, vec![])
            }
        };
        // A digest is short whatever the file. Every other output may be as long as its message,
        // and a C contender relies on the space. The third line is for the tag that an input of
        // open has.
        let longest = if work.operation == Operation::DigestFile { 0 } else { size };
        let output = vec![0; room(work.operation, longest, work.contract.batch) + 3 * LINE];
        let output_at = output.as_ptr().align_offset(LINE) + offset;
        let code_path = contender.code_path();
        let cell = Cell {
            contender,
            shape: work.shape,
            sealed_with,
            has_nonce: work.operation.seals(),
            batches,
            pool,
            ad: ask.ad.clone(),
            output,
            output_at,
            last: 0,
        };
        self.cells.insert(ask.cell, cell);
        Ok(Prepared { code_path })
    }

    /// The pool of `open`: message `j` of the stream, sealed with nonce `j` by the contender
    /// itself. By then the contender has been verified to seal correctly, and the fold is of the
    /// plaintext.
    fn sealed_pool(
        &mut self,
        ask: &Prepare,
        task: &Task,
        size: usize,
    ) -> Result<(Pool, Vec<[u8; 12]>), Refused> {
        let task = Task { operation: Operation::Seal, ..task.clone() };
        let mut sealer = self.library.open(&ask.contender, &task)?;
        let mut sealed = vec![0; size + ROOM];
        let mut pool = None;
        let mut nonces = Vec::with_capacity(ask.pool as usize);
        for j in 0..u64::from(ask.pool) {
            let plaintext = bytes::stream(ask.seed + j, size);
            let nonce = bytes::nonce(j);
            let io = Io { nonce: &nonce, ad: &ask.ad, input: &plaintext };
            let n = sealer
                .call(&io, &mut sealed)
                .map_err(|e| Refused::failed(format!("sealing the inputs of open: {e:?}")))?;
            let pool = pool.get_or_insert_with(|| Pool::new(ask.pool, n, ask.offset as usize));
            let at = pool.at(j);
            if n != at.len() {
                return Err(Refused::failed(format!(
                    "sealed {size} bytes to {n} and {}",
                    at.len()
                )));
            }
            pool.memory[at].copy_from_slice(&sealed[..n]);
            nonces.push(nonce);
        }
        let pool = pool.ok_or_else(|| Refused::failed("an empty pool"))?;
        Ok((pool, nonces))
    }

    fn try_compute(&mut self, ask: &Compute) -> Result<Computed, Refused> {
        self.choose(&ask.contender)?;
        if let Some(why) = undefined_batch(ask.operation, &ask.contract) {
            return Err(Refused::unsupported(why));
        }
        let answers = ask.cases.iter().map(|case| self.answer(ask, case)).collect();
        Ok(Computed { answers })
    }

    fn answer(&mut self, ask: &Compute, case: &Case) -> Answer {
        let mut file = None;
        let input = match &case.input {
            Input::Hex(bytes) => bytes.clone(),
            Input::Stream { seed, size } => bytes::stream(*seed, *size as usize),
            Input::File(path) => {
                file = Some(path.clone());
                vec![]
            }
        };
        let chunk = ask.contract.chunk;
        let chunks = match (&case.chunks[..], chunk) {
            ([], 0) => vec![],
            ([], n) => vec![n],
            (own, _) => own.to_vec(),
        };
        let task = Task {
            primitive: ask.primitive.clone(),
            operation: ask.operation,
            contract: ask.contract.clone(),
            key: case.key.clone(),
            chunks,
            file,
        };
        let mut contender = match self.library.open(&ask.contender, &task) {
            Ok(contender) => contender,
            Err(Refused::Unsupported(r)) => return Answer::Unsupported(r.reason),
            Err(Refused::Missing(r) | Refused::Failed(r)) => return Answer::Failed(r.reason),
        };
        if ask.operation == Operation::DigestMany {
            if !case.chunks.is_empty() {
                return Answer::Unsupported(NOT_STREAMED.to_string());
            }
            return answer_many(&mut contender, case, &input);
        }
        let mut memory = vec![0; input.len() + 2 * LINE];
        let start = memory.as_ptr().align_offset(LINE) + (case.offset as usize % LINE);
        memory[start..start + input.len()].copy_from_slice(&input);
        let shown = start..start + input.len();

        let room = room(ask.operation, input.len(), 1);
        let mut output = vec![CANARY; room + LINE];
        let io = Io { nonce: &case.nonce, ad: &case.ad, input: &memory[shown.clone()] };
        let made = contender.call(&io, &mut output[..room]);
        match made {
            Err(CallError::Refused) if left_after_refusing(&output[..room], &input) => {
                Answer::Failed(LEFT.to_string())
            }
            made => judged(made, output, room, memory[shown] == input[..]),
        }
    }
}

/// Fills outputs before an untimed call. Together with the copy of the input it detects what a
/// digest cannot.
const CANARY: u8 = 0xa5;

/// What is wrong with a contender that refuses a message and shows it all the same.
const LEFT: &str = "refused the message and left bytes in its output: a caller who looks there sees plaintext \
     that nobody authenticated";

/// Whether a call that refused `input` left something of its own in `output`. It may leave it as it was, hold a
/// copy of the input as code that decrypts in place makes it, or be filled with one byte.
fn left_after_refusing(output: &[u8], input: &[u8]) -> bool {
    let mut own = output
        .iter()
        .enumerate()
        .filter(|&(i, byte)| *byte != CANARY && input.get(i) != Some(byte))
        .map(|(_, byte)| byte);
    let first = own.next();
    own.any(|byte| Some(byte) != first)
}

/// The answer to a case of `digest-many`.
fn answer_many(contender: &mut impl Call, case: &Case, input: &[u8]) -> Answer {
    let lengths: Vec<usize> = match &case.lengths[..] {
        [] => vec![input.len()],
        lengths => lengths.iter().map(|&n| n as usize).collect(),
    };
    if lengths.iter().sum::<usize>() != input.len() || lengths.len() > MAX_BATCH as usize {
        return Answer::Failed(format!(
            "{} messages of {} bytes in an input of {}",
            lengths.len(),
            lengths.iter().sum::<usize>(),
            input.len()
        ));
    }
    let count = lengths.len() as u32;
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let offset = case.offset as usize % LINE;
    let mut pool = Pool::new(count.next_power_of_two(), longest, offset);
    let mut rest = input;
    for (j, &length) in lengths.iter().enumerate() {
        let (message, others) = rest.split_at(length);
        let from = pool.at(j as u64).start;
        pool.memory[from..from + length].copy_from_slice(message);
        rest = others;
    }
    let before = pool.memory.clone();
    let length = |j: u64| lengths.get(j as usize).copied().unwrap_or(0);
    let batches = pool.batches(count.next_power_of_two(), length, count);
    let room = room(Operation::DigestMany, longest, count);
    let mut output = vec![CANARY; room + LINE];
    let made = contender.call_many(&batches.of(0), &mut output[..room]);
    judged(made, output, room, pool.memory == before)
}

/// Judges the result of a call that got `output`, of which it may use `room` bytes.
fn judged(
    made: Result<usize, CallError>,
    mut output: Vec<u8>,
    room: usize,
    input_unchanged: bool,
) -> Answer {
    match made {
        Ok(n) if n > room => Answer::Failed(format!("{n} bytes of output for a buffer of {room}")),
        Ok(n) if output[n..].iter().any(|&b| b != CANARY) => {
            Answer::Failed(format!("wrote beyond the {n} bytes of its output"))
        }
        Ok(_) if !input_unchanged => Answer::Failed("changed its input".to_string()),
        Ok(n) => {
            output.truncate(n);
            Answer::Output(output)
        }
        Err(CallError::Refused) => Answer::Refused("not authentic".to_string()),
        Err(CallError::Unsupported(why)) => Answer::Unsupported(why.to_string()),
        Err(CallError::Failed(why)) => Answer::Failed(why.to_string()),
    }
}

impl<C: Call> Cell<C> {
    /// Makes calls `first` to `first + count - 1` and returns the sum of the words of their
    /// outputs.
    ///
    /// Not inlined, so that pre-roll and timed calls are the same machine code.
    #[inline(never)]
    fn calls(&mut self, first: u64, count: u64) -> Result<u64, CallError> {
        if let Some(batches) = &self.batches {
            let output = &mut self.output[self.output_at..];
            return run_many(&mut self.contender, batches, output, first, count);
        }
        match (self.shape, self.sealed_with.is_empty(), self.has_nonce) {
            (Shape::Throughput, true, false) => self.run::<false, 0>(first, count),
            (Shape::Throughput, true, true) => self.run::<false, 1>(first, count),
            (Shape::Throughput, false, _) => self.run::<false, 2>(first, count),
            (Shape::Latency, _, false) => self.run::<true, 0>(first, count),
            (Shape::Latency, _, true) => self.run::<true, 1>(first, count),
        }
    }

    /// `NONCE` is 0 for none, 1 for the call's index, 2 for the nonce with which the message was
    /// sealed.
    #[inline(always)]
    fn run<const LATENCY: bool, const NONCE: u8>(
        &mut self,
        first: u64,
        count: u64,
    ) -> Result<u64, CallError> {
        let mut sum = 0_u64;
        let output = &mut self.output[self.output_at..];
        for index in first..first.wrapping_add(count) {
            let at = self.pool.at(index);
            if LATENCY {
                let head = self.pool.heads[(index & self.pool.mask) as usize] ^ self.last;
                let input = &mut self.pool.memory[at.clone()];
                let n = input.len().min(8);
                if n == 8 {
                    input[..8].copy_from_slice(&head.to_le_bytes());
                } else {
                    input[..n].copy_from_slice(&head.to_le_bytes()[..n]);
                }
            }
            let counted;
            let nonce: &[u8] = match NONCE {
                0 => &[],
                1 => {
                    counted = bytes::nonce(index);
                    &counted
                }
                _ => &self.sealed_with[(index & self.pool.mask) as usize],
            };
            let io = Io { nonce, ad: &self.ad, input: &self.pool.memory[at] };
            let n = self.contender.call(&io, output)?;
            let made = output.get(..n).ok_or(LONGER)?;
            sum = sum.wrapping_add(fold::word(made));
            if LATENCY {
                self.last = fold::head(made);
            }
        }
        Ok(sum)
    }
}

/// The calls of `digest-many`: the words of all digests of a batch are summed.
#[inline(always)]
fn run_many(
    contender: &mut impl Call,
    batches: &Batches,
    output: &mut [u8],
    first: u64,
    count: u64,
) -> Result<u64, CallError> {
    let mut sum = 0_u64;
    for index in first..first.wrapping_add(count) {
        let batch = batches.of(index);
        let n = contender.call_many(&batch, output)?;
        let made = output.get(..n).ok_or(LONGER)?;
        let digest = n / batch.count();
        if digest * batch.count() != n {
            return Err(CallError::Failed(
                "expected one digest for each message, all of one length",
            ));
        }
        for one in made.chunks_exact(digest.max(1)) {
            sum = sum.wrapping_add(fold::word(one));
        }
    }
    Ok(sum)
}

impl<L: Library> Runner for Host<L> {
    fn hello(&mut self) -> Hello {
        Hello {
            protocol: crate::PROTOCOL,
            runner: self.name.to_string(),
            version: self.version.to_string(),
            clock: Clock {
                name: "CLOCK_MONOTONIC".to_string(),
                resolution_ns: resolution_ns(),
                simulated: false,
            },
            jit: false,
            thread: None,
        }
    }

    fn list(&mut self) -> Outcome<List> {
        Outcome::Ok(List { contenders: self.library.list() })
    }

    fn prepare(&mut self, ask: &Prepare) -> Outcome<Prepared> {
        self.try_prepare(ask).map_or_else(Refused::outcome, Outcome::Ok)
    }

    fn compute(&mut self, ask: &Compute) -> Outcome<Computed> {
        self.try_compute(ask).map_or_else(Refused::outcome, Outcome::Ok)
    }

    fn slice(&mut self, ask: &Slice) -> Outcome<Sliced> {
        let Some(cell) = self.cells.get_mut(&ask.cell) else {
            let reason = format!("cell {} was not prepared", ask.cell);
            return Outcome::Failed(Refusal::because(reason));
        };
        cell.last = 0;
        let failed = |e| Outcome::Failed(Refusal::because(format!("in a timed slice: {e:?}")));
        if let Err(e) = cell.calls(ask.first, ask.preroll) {
            return failed(e);
        }
        let before = self.meter.read();
        let start = Instant::now();
        let sum = cell.calls(ask.first + ask.preroll, ask.iterations);
        let elapsed = start.elapsed();
        let noise = self.meter.read().since(&before);
        match sum {
            Ok(fold) => Outcome::Ok(Sliced {
                iterations: ask.iterations,
                elapsed_ns: elapsed.as_nanos() as f64,
                fold,
                noise,
                allocated_per_call: None,
                compilation: None,
            }),
            Err(e) => failed(e),
        }
    }
}

/// The smallest step between two different readings of the clock, over a thousand of them, in ns.
pub fn resolution_ns() -> f64 {
    let mut smallest = f64::INFINITY;
    for _ in 0..1000 {
        let start = Instant::now();
        let mut step = start.elapsed();
        while step.is_zero() {
            step = start.elapsed();
        }
        smallest = smallest.min(step.as_nanos() as f64);
    }
    smallest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plaintext_is_left_after_refusing() {
        let input: Vec<u8> = (0..40).collect();
        let untouched = vec![CANARY; 232];
        assert!(!left_after_refusing(&untouched, &input));
        let mut wiped = untouched.clone();
        wiped[..24].fill(0);
        assert!(!left_after_refusing(&wiped, &input), "wiped");
        let mut copied = untouched.clone();
        copied[..24].copy_from_slice(&input[..24]);
        assert!(!left_after_refusing(&copied, &input), "never decrypted in place");
        let mut leaked = untouched;
        for (byte, sealed) in leaked.iter_mut().zip(&input[..24]) {
            *byte = sealed ^ 0x5c;
        }
        assert!(left_after_refusing(&leaked, &input), "decrypted before it was authenticated");
        leaked[2..24].fill(0);
        assert!(left_after_refusing(&leaked, &input), "two bytes are enough");
    }
}
