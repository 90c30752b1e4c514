//! Prepares a cell: opens its contender, fills its pool of messages, and reserves its output. If
//! its contract has several threads, each of them does so.

use super::call::{Call, Io};
use super::cell::Cell;
use super::library::{Common, Library, Refused, Task};
use super::pool::{LINE, Pool, ROOM, room};
use super::{Host, lock};
use crate::bytes::{self, CallNonce};
use crate::message::{Prepare, Prepared};
use crate::noise::thread_number;
use crate::workload::{Operation, Output, Shape, TAG};
use std::collections::HashMap;
use std::sync::Arc;

/// Why the inputs of `open` cannot be used.
const SEALED_TOO_LONG: &str = "sealing the inputs of open: output longer than its buffer";

/// A cell that is to be prepared, by each of its threads.
pub(super) struct Order {
    pub(super) ask: Prepare,
    task: Task,
    /// The length of a message in bytes.
    size: usize,
    /// The inputs of `open`, once a thread has sealed them: no nonce is used twice.
    sealed: Option<(Pool, Vec<CallNonce>)>,
}

impl<L: Library> Host<L> {
    pub(super) fn try_prepare(&mut self, ask: &Prepare) -> Result<Prepared, Refused> {
        self.choose(&ask.contender)?;
        let mut order = self.order(ask)?;
        let (cell, code_path) = order.build(&mut *lock(&self.library))?;
        // Some libraries load others when they are first used.
        self.own_pages();
        let mut threads = vec![];
        if cell.threads > 1 {
            let sealed = !cell.sealed_with.is_empty();
            order.sealed = sealed.then(|| (cell.pool.copy(), cell.sealed_with.clone()));
            threads = self.crew.prepare(&self.library, &Arc::new(order))?;
            threads.insert(0, thread_number());
        }
        self.cells.insert(ask.cell, cell);
        Ok(Prepared { code_path, threads })
    }

    /// Checks a request.
    fn order(&self, ask: &Prepare) -> Result<Order, Refused> {
        let work = &ask.workload;
        if !ask.pool.is_power_of_two() {
            return Err(Refused::failed(format!("pool {} is not a power of two", ask.pool)));
        }
        if ask.offset as usize >= LINE {
            return Err(Refused::failed(format!("offset {} is not below {LINE}", ask.offset)));
        }
        let drawn = work.contract.lengths.drawn().is_some();
        if drawn && ask.lengths.len() != ask.pool as usize {
            let (lengths, pool) = (ask.lengths.len(), ask.pool);
            return Err(Refused::failed(format!("{lengths} lengths for a pool of {pool}")));
        }
        if let Some(length) = ask.lengths.iter().find(|&&length| u64::from(length) > work.size) {
            return Err(Refused::failed(format!("length {length} is above size {}", work.size)));
        }
        // If lengths are drawn, all messages are the beginning of one.
        let messages = if drawn { 1 } else { ask.pool as usize };
        let size = usize::try_from(work.size)
            .ok()
            .filter(|size| size.checked_mul(messages).is_some_and(|all| all < 1 << 34))
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
            common: Common::default(),
        };
        let (primitive, contract) = (&work.primitive, &work.contract);
        self.check(&ask.contender, primitive, work.operation, contract, work.shape)?;
        if work.contract.output == Output::InPlace {
            return Err(Refused::unsupported("this runner has no in-place operation"));
        }
        Ok(Order { ask: ask.clone(), task, size, sealed: None })
    }
}

impl Order {
    /// Makes the cell for the calling thread, and names its code path.
    pub(super) fn build<L: Library>(
        &self,
        library: &mut L,
    ) -> Result<(Cell<L::Cell>, String), Refused> {
        let Order { ask, task, size, .. } = self;
        let (work, size) = (&ask.workload, *size);
        let contender = library.open(&ask.contender, task)?;
        let offset = ask.offset as usize;
        let mut batches = None;
        let (pool, sealed_with) = match work.operation {
            Operation::DigestFile => (Pool::new(1, 0, offset), vec![]),
            Operation::Open => match &self.sealed {
                Some((pool, nonces)) => (pool.copy(), nonces.clone()),
                None if work.contract.lengths.drawn().is_some() => self.sealed_lengths(library)?,
                None => self.sealed_pool(library)?,
            },
            Operation::DigestMany => {
                let length = |j| work.contract.lengths.length(j, work.size) as usize;
                let mut pool = Pool::new(ask.pool, size, offset);
                for j in 0..u64::from(ask.pool) {
                    let from = pool.at(j).start;
                    let message = &mut pool.memory[from..from + length(j)];
                    work.contract.bytes.fill(ask.seed + j, message);
                }
                batches = Some(pool.batches(ask.pool, length, work.contract.batch));
                (pool, vec![])
            }
            _ if work.contract.lengths.drawn().is_some() => {
                let message = work.contract.bytes.stream(ask.seed, size);
                (Pool::of_one(&message, &ask.lengths, offset), vec![])
            }
            _ => {
                let mut pool = Pool::new(ask.pool, size, offset);
                for j in 0..u64::from(ask.pool) {
                    let at = pool.at(j);
                    work.contract.bytes.fill(ask.seed + j, &mut pool.memory[at]);
                }
                pool.remember_heads();
                (pool, vec![])
            }
        };
        // The digest of a file is short. Every other output may be as long as its message, and C
        // contenders rely on that space. Two cache lines are for the alignment and the offset; the
        // third is for the tag at the end of an input of `open`.
        let longest = if work.operation == Operation::DigestFile { 0 } else { size };
        let output = vec![0; room(work.operation, longest, work.contract.batch) + 3 * LINE];
        let output_at = output.as_ptr().align_offset(LINE) + offset;
        let code_path = contender.code_path();
        let cell = Cell {
            contender,
            threads: work.contract.threads,
            shape: work.shape,
            sealed_with,
            is_forged: work.contract.forged.is_some(),
            nonce: work.operation.seals().then(|| bytes::nonce_length(&work.primitive)),
            batches,
            pool,
            ad: ask.ad.clone(),
            output,
            output_at,
            last: 0,
        };
        Ok((cell, code_path))
    }

    /// The pool of `open`: message `j` of the stream, sealed with nonce `j` by the contender
    /// itself. It has been verified to seal correctly, and the fold is over the plaintext.
    fn sealed_pool<L: Library>(&self, library: &mut L) -> Result<(Pool, Vec<CallNonce>), Refused> {
        let Order { ask, size, .. } = self;
        let size = *size;
        let mut sealer = self.sealer(library)?;
        let mut sealed = vec![0; size + ROOM];
        let mut pool = None;
        let mut nonces = Vec::with_capacity(ask.pool as usize);
        for j in 0..u64::from(ask.pool) {
            let plaintext = bytes::stream(ask.seed + j, size);
            let nonce = CallNonce::new(j, bytes::nonce_length(&ask.workload.primitive));
            let io = Io { nonce: &nonce, ad: &ask.ad, input: &plaintext };
            let n = sealer
                .call(&io, &mut sealed)
                .map_err(|e| Refused::failed(format!("sealing the inputs of open: {e:?}")))?;
            let made = sealed.get(..n).ok_or_else(|| Refused::failed(SEALED_TOO_LONG))?;
            let pool = pool.get_or_insert_with(|| Pool::new(ask.pool, n, ask.offset as usize));
            let at = pool.at(j);
            if n != at.len() {
                return Err(Refused::failed(format!(
                    "sealed {size} bytes to {n} and {}",
                    at.len()
                )));
            }
            let forged = ask.workload.contract.forged.map(usize::from);
            let tag = at.end.saturating_sub(TAG);
            pool.memory[at].copy_from_slice(made);
            if let Some(byte) = forged {
                pool.memory[tag + byte] ^= 1;
            }
            nonces.push(nonce);
        }
        let pool = pool.ok_or_else(|| Refused::failed("an empty pool"))?;
        Ok((pool, nonces))
    }

    /// Seals for drawn lengths: each different length once, with the number of the first message
    /// that has it as its nonce.
    fn sealed_lengths<L: Library>(
        &self,
        library: &mut L,
    ) -> Result<(Pool, Vec<CallNonce>), Refused> {
        let Order { ask, size, .. } = self;
        let mut sealer = self.sealer(library)?;
        let plaintext = bytes::stream(ask.seed, *size);
        let mut output = vec![0; size + ROOM];
        let mut known: HashMap<u32, usize> = HashMap::new();
        let (mut messages, mut made): (Vec<Vec<u8>>, Vec<CallNonce>) = (vec![], vec![]);
        let mut order = Vec::with_capacity(ask.lengths.len());
        for (j, &length) in ask.lengths.iter().enumerate() {
            let number = match known.get(&length) {
                Some(&number) => number,
                None => {
                    let nonce =
                        CallNonce::new(j as u64, bytes::nonce_length(&ask.workload.primitive));
                    let input = &plaintext[..length as usize];
                    let n = sealer
                        .call(&Io { nonce: &nonce, ad: &ask.ad, input }, &mut output)
                        .map_err(|e| {
                            Refused::failed(format!("sealing the inputs of open: {e:?}"))
                        })?;
                    let sealed = output.get(..n).ok_or_else(|| Refused::failed(SEALED_TOO_LONG))?;
                    messages.push(sealed.to_vec());
                    made.push(nonce);
                    known.insert(length, messages.len() - 1);
                    messages.len() - 1
                }
            };
            order.push(number);
        }
        let nonces = order.iter().map(|&number| made[number]).collect();
        Ok((Pool::of_several(&messages, &order, ask.offset as usize), nonces))
    }

    /// The call that seals the inputs of `open`.
    fn sealer<L: Library>(&self, library: &mut L) -> Result<L::Cell, Refused> {
        // Not the object that the threads share, because that one opens.
        let common = Common::default();
        let task = Task { operation: Operation::Seal, common, ..self.task.clone() };
        library.open(&self.ask.contender, &task)
    }
}
