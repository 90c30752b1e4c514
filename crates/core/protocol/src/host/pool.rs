//! The memory of a cell: the pool of its messages, and the space for its outputs.

use crate::batch::Batches;
use crate::fold;
use crate::workload::Operation;
use std::ops::Range;

/// The length of a cache line in bytes.
pub(super) const LINE: usize = 64;

/// How much larger every output buffer is than the message, in bytes: tag, digest, and slack.
pub(super) const ROOM: usize = 192;

/// The longest digest, in bytes.
const DIGEST: usize = 64;

/// The bytes of output space for an operation: both outputs of a round trip, the digests of a whole
/// batch.
pub(super) fn room(operation: Operation, message: usize, batch: u32) -> usize {
    ROOM + match operation {
        Operation::SealOpen => 2 * message,
        Operation::DigestMany => message + batch as usize * DIGEST,
        _ => message,
    }
}

/// Messages in one block of memory, each at the same distance from a cache line.
pub(super) struct Pool {
    pub(super) memory: Vec<u8>,
    start: usize,
    stride: usize,
    len: usize,
    pub(super) mask: u64,
    /// Where each message lies, from `start` on, if lengths are drawn; otherwise empty, and all
    /// have one length.
    drawn: Vec<Drawn>,
    /// The original first bytes of each message, for the `latency` shape.
    pub(super) heads: Vec<u64>,
}

/// Where a message of a drawn length lies. Short, because the timed loop reads one for each call.
#[derive(Clone, Copy)]
struct Drawn {
    /// In cache lines.
    from: u32,
    /// In bytes.
    len: u32,
}

impl Pool {
    pub(super) fn new(count: u32, len: usize, offset: usize) -> Pool {
        let stride = (len + LINE).next_multiple_of(LINE);
        let memory = vec![0; stride * count as usize + 2 * LINE];
        let start = memory.as_ptr().align_offset(LINE) + offset;
        let (mask, drawn, heads) = (u64::from(count) - 1, Vec::new(), Vec::new());
        Pool { memory, start, stride, len, mask, drawn, heads }
    }

    /// A pool of as many messages as `lengths` has, all of which are the beginning of one.
    pub(super) fn of_one(message: &[u8], lengths: &[u32], offset: usize) -> Pool {
        let mut pool = Pool::new(1, message.len(), offset);
        let at = pool.at(0);
        pool.memory[at].copy_from_slice(message);
        pool.drawn = lengths.iter().map(|&len| Drawn { from: 0, len }).collect();
        pool.mask = lengths.len() as u64 - 1;
        pool
    }

    /// A pool of these messages, each as often and where `order` says.
    pub(super) fn of_several(messages: &[Vec<u8>], order: &[usize], offset: usize) -> Pool {
        let lines = messages.iter().map(|message| (message.len() + LINE).div_ceil(LINE));
        let mut pool = Pool::new(1, lines.clone().sum::<usize>() * LINE, offset);
        let mut from = 0;
        let mut places = Vec::with_capacity(messages.len());
        for (message, lines) in messages.iter().zip(lines) {
            let at = pool.start + from * LINE;
            pool.memory[at..at + message.len()].copy_from_slice(message);
            places.push(Drawn { from: from as u32, len: message.len() as u32 });
            from += lines;
        }
        pool.drawn = order.iter().map(|&number| places[number]).collect();
        pool.mask = order.len() as u64 - 1;
        pool
    }

    /// Whether its messages have lengths that were drawn.
    pub(super) fn is_drawn(&self) -> bool {
        !self.drawn.is_empty()
    }

    /// Where a message of a drawn length lies.
    #[inline(always)]
    pub(super) fn drawn_at(&self, index: u64) -> Range<usize> {
        let Drawn { from, len } = self.drawn[(index & self.mask) as usize];
        let start = self.start + from as usize * LINE;
        start..start + len as usize
    }

    #[inline(always)]
    pub(super) fn at(&self, index: u64) -> Range<usize> {
        let start = self.start + (index & self.mask) as usize * self.stride;
        start..start + self.len
    }

    /// Batches of the first `count` messages, which are `length(j)` bytes long. The pool must
    /// outlive them and must not be written to again. Moving it does not move its memory.
    pub(super) fn batches(&self, count: u32, length: impl Fn(u64) -> usize, batch: u32) -> Batches {
        let messages = (0..u64::from(count)).map(|j| {
            let from = self.at(j).start;
            &self.memory[from..from + length(j)]
        });
        let messages: Vec<&[u8]> = messages.collect();
        // SAFETY: both users keep the pool as long as the batches, and write to it only before.
        unsafe { Batches::new(&messages, batch as usize) }
    }

    /// Copies the messages into other memory, at the same distance from a cache line. Not for drawn
    /// lengths, which one thread has alone.
    pub(super) fn copy(&self) -> Pool {
        let offset = self.start - self.memory.as_ptr().align_offset(LINE);
        let mut copy = Pool::new(self.mask as u32 + 1, self.len, offset);
        for j in 0..=self.mask {
            let to = copy.at(j);
            copy.memory[to].copy_from_slice(&self.memory[self.at(j)]);
        }
        copy.heads.clone_from(&self.heads);
        copy
    }

    pub(super) fn remember_heads(&mut self) {
        self.heads = (0..=self.mask).map(|j| fold::head(&self.memory[self.at(j)])).collect();
    }
}
