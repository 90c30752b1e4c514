//! A prepared cell and its timed loop. [`Host`](super::Host) times `Cell::calls` as a whole, so
//! nothing here allocates memory or reads a clock.

use super::call::{Call, CallError, Io, LONGER};
use super::pool::Pool;
use crate::batch::Batches;
use crate::bytes::CallNonce;
use crate::fold;
use crate::workload::Shape;

/// A prepared cell: the contender and its memory.
pub(super) struct Cell<C> {
    pub(super) contender: C,
    /// How many threads have such a cell and divide its calls.
    pub(super) threads: u32,
    pub(super) shape: Shape,
    /// The nonces of the pool for `open`, whose inputs were sealed once; empty for every other
    /// operation, where call `i` has nonce `i`.
    pub(super) sealed_with: Vec<CallNonce>,
    /// Whether the messages are forged, and each call must refuse its own.
    pub(super) is_forged: bool,
    /// Bytes of the nonce of a call, if each call has its own.
    pub(super) nonce: Option<usize>,
    /// The batches of `digest-many`, which point into the pool.
    pub(super) batches: Option<Batches>,
    pub(super) pool: Pool,
    pub(super) ad: Vec<u8>,
    pub(super) output: Vec<u8>,
    pub(super) output_at: usize,
    /// The output of the last call, for the `latency` shape.
    pub(super) last: u64,
}

impl<C: Call> Cell<C> {
    /// Makes calls `first` to `first + count - 1` and returns the sum of the words of their
    /// outputs.
    ///
    /// Not inlined, so that pre-roll and timed calls are the same machine code.
    #[inline(never)]
    pub(super) fn calls(&mut self, first: u64, count: u64) -> Result<u64, CallError> {
        if let Some(batches) = &self.batches {
            let output = &mut self.output[self.output_at..];
            return run_many(&mut self.contender, batches, output, first, count);
        }
        if self.is_forged {
            return self.refusals(first, count);
        }
        let nonces = (self.sealed_with.is_empty(), self.nonce.is_some());
        if self.pool.is_drawn() {
            return match nonces {
                (true, false) => self.run::<false, 0, true>(first, count),
                (true, true) => self.run::<false, 1, true>(first, count),
                (false, _) => self.run::<false, 2, true>(first, count),
            };
        }
        match (self.shape, nonces) {
            (Shape::Throughput, (true, false)) => self.run::<false, 0, false>(first, count),
            (Shape::Throughput, (true, true)) => self.run::<false, 1, false>(first, count),
            (Shape::Throughput, (false, _)) => self.run::<false, 2, false>(first, count),
            (Shape::Latency, (_, false)) => self.run::<true, 0, false>(first, count),
            (Shape::Latency, (_, true)) => self.run::<true, 1, false>(first, count),
        }
    }

    /// `NONCE` is 0 for none, 1 for the call's index, 2 for the nonce with which the message was
    /// sealed. `DRAWN`: the messages have lengths that were drawn.
    #[inline(always)]
    fn run<const LATENCY: bool, const NONCE: u8, const DRAWN: bool>(
        &mut self,
        first: u64,
        count: u64,
    ) -> Result<u64, CallError> {
        let mut sum = 0_u64;
        let output = &mut self.output[self.output_at..];
        let nonce_length = self.nonce.unwrap_or(0);
        for index in first..first.wrapping_add(count) {
            let at = if DRAWN { self.pool.drawn_at(index) } else { self.pool.at(index) };
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
                    counted = CallNonce::new(index, nonce_length);
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

impl<C: Call> Cell<C> {
    /// Calls that must refuse their messages: they have no outputs.
    fn refusals(&mut self, first: u64, count: u64) -> Result<u64, CallError> {
        let output = &mut self.output[self.output_at..];
        for index in first..first.wrapping_add(count) {
            let nonce = &self.sealed_with[(index & self.pool.mask) as usize];
            let input = &self.pool.memory[self.pool.at(index)];
            match self.contender.call(&Io { nonce, ad: &self.ad, input }, output) {
                Err(CallError::Refused) => {}
                Ok(_) => return Err(CallError::Failed("a forged message was accepted")),
                Err(error) => return Err(error),
            }
        }
        Ok(0)
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
        let batch = batches.batch(index);
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
