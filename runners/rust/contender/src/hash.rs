//! Hash functions: the operations `digest` and `digest-many`.

use crate::chunks::Chunks;
use crate::{Offered, Open, Timed, TimedMany};
use cupel_protocol::batch::Batch;
use cupel_protocol::host::{Refused, Task};
use cupel_protocol::workload::Operation;

/// A hash function, as a crate implements it.
pub trait Hash: Sized + 'static {
    /// A fresh state.
    fn new() -> Self;

    /// Adds a piece of the message.
    fn update(&mut self, piece: &[u8]);

    /// Writes the digest to the start of `output` and returns its length in bytes.
    fn finish(self, output: &mut [u8]) -> usize;

    /// Digests a whole message: with the crate's one-shot function, if it has one.
    #[inline(always)]
    fn digest(message: &[u8], output: &mut [u8]) -> usize {
        let mut hash = Self::new();
        hash.update(message);
        hash.finish(output)
    }
}

/// Offers the digest of a primitive, also with a prefix whose state each call copies.
pub const fn digest<H: Hash + Clone>(primitive: &'static str) -> Offered {
    Offered { primitive, operation: Operation::Digest, open: Open::One(open::<H>), shares: false }
}

/// Offers the digest of a crate that copies no states.
pub const fn digest_without_copies<H: Hash>(primitive: &'static str) -> Offered {
    let open = Open::One(open_without_copies::<H>);
    Offered { primitive, operation: Operation::Digest, open, shares: false }
}

/// A hash function of a crate that is right for whole messages only.
pub trait WholeHash: 'static {
    /// Writes the digest to the start of `output` and returns its length in bytes.
    fn digest(message: &[u8], output: &mut [u8]) -> usize;
}

/// Offers the digest of whole messages.
pub const fn digest_of_whole<H: WholeHash>(primitive: &'static str) -> Offered {
    let open = Open::One(open_whole::<H>);
    Offered { primitive, operation: Operation::Digest, open, shares: false }
}

fn open_whole<H: WholeHash>(task: &Task) -> Result<Timed, Refused> {
    Chunks::none(task)?;
    if task.contract.prefix > 0 {
        return Err(Refused::unsupported("this crate copies no state of this hash function"));
    }
    Ok(Box::new(|io, output| Ok(H::digest(io.input, output))))
}

fn open<H: Hash + Clone>(task: &Task) -> Result<Timed, Refused> {
    if task.contract.prefix > 0 {
        return Ok(from_copies::<H>(&task.contract.prefix(), Chunks::of(task)?));
    }
    open_without_copies::<H>(task)
}

fn open_without_copies<H: Hash>(task: &Task) -> Result<Timed, Refused> {
    if task.contract.prefix > 0 {
        return Err(Refused::unsupported("this crate copies no state of this hash function"));
    }
    Ok(match Chunks::of(task)? {
        None => Box::new(|io, output| Ok(H::digest(io.input, output))),
        Some(chunks) => Box::new(move |io, output| {
            let mut hash = H::new();
            chunks.cut(io.input).for_each(|piece| hash.update(piece));
            Ok(hash.finish(output))
        }),
    })
}

/// The calls that continue with a copy of the prefix's state.
fn from_copies<H: Hash + Clone>(prefix: &[u8], chunks: Option<Chunks>) -> Timed {
    let mut first = H::new();
    first.update(prefix);
    match chunks {
        None => Box::new(move |io, output| {
            let mut hash = first.clone();
            hash.update(io.input);
            Ok(hash.finish(output))
        }),
        Some(chunks) => Box::new(move |io, output| {
            let mut hash = first.clone();
            chunks.cut(io.input).for_each(|piece| hash.update(piece));
            Ok(hash.finish(output))
        }),
    }
}

/// A hash function that computes the digests of several messages in one call.
pub trait HashMany: 'static {
    /// Writes the digests of the messages to `output`, one after the other, and returns their
    /// length in bytes, all together.
    fn digest_many(messages: &Batch<'_>, output: &mut [u8]) -> usize;
}

/// Offers the digests of a batch of messages.
pub const fn digest_many<H: HashMany>(primitive: &'static str) -> Offered {
    Offered {
        primitive,
        operation: Operation::DigestMany,
        open: Open::Many(open_many::<H>),
        shares: false,
    }
}

fn open_many<H: HashMany>(task: &Task) -> Result<TimedMany, Refused> {
    Chunks::none(task)?;
    Ok(Box::new(|messages, output| Ok(H::digest_many(messages, output))))
}

/// Copies a digest to the start of `output` and returns its length, as most `finish` need to.
#[inline(always)]
pub fn put(digest: &[u8], output: &mut [u8]) -> usize {
    output[..digest.len()].copy_from_slice(digest);
    digest.len()
}
