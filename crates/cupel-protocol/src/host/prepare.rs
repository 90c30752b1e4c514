//! Prepares a cell: opens its contender, fills its pool of messages, and reserves its output.

use super::call::{Call, Io};
use super::cell::Cell;
use super::library::{Library, Refused, Task};
use super::pool::{LINE, Pool, ROOM, room};
use super::{Host, undefined_batch};
use crate::bytes::{self, CallNonce};
use crate::message::{Prepare, Prepared};
use crate::workload::{Operation, Output, Shape};

impl<L: Library> Host<L> {
    pub(super) fn try_prepare(&mut self, ask: &Prepare) -> Result<Prepared, Refused> {
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
        let undefined = undefined_batch(work.operation, &work.contract)
            .or_else(|| work.contract.undefined_bytes(work.operation, work.shape));
        if let Some(why) = undefined {
            return Err(Refused::unsupported(why));
        }
        if let Some(why) = work.contract.awaits() {
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
                    let message = &mut pool.memory[from..from + length(j)];
                    work.contract.bytes.fill(ask.seed + j, message);
                }
                batches = Some(pool.batches(ask.pool, length, work.contract.batch));
                (pool, vec![])
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
            shape: work.shape,
            sealed_with,
            nonce: work.operation.seals().then(|| bytes::nonce_length(&work.primitive)),
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
    /// itself. It has been verified to seal correctly, and the fold is over the plaintext.
    fn sealed_pool(
        &mut self,
        ask: &Prepare,
        task: &Task,
        size: usize,
    ) -> Result<(Pool, Vec<CallNonce>), Refused> {
        let task = Task { operation: Operation::Seal, ..task.clone() };
        let mut sealer = self.library.open(&ask.contender, &task)?;
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
}
