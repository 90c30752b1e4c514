//! Message authentication codes and keyed hashes: the operation `mac`.

use crate::chunks::Chunks;
use crate::key::{self, Keyed};
use crate::{Offered, Open, Timed};
use cupel_protocol::host::{Refused, Task};
use cupel_protocol::workload::Operation;

/// A MAC with its key, as a crate implements it.
pub trait Mac: Keyed {
    /// Writes the tag of a message that comes in pieces to the start of `output`. Returns the tag's
    /// length in bytes.
    fn tag_pieces<'a>(&self, pieces: impl Iterator<Item = &'a [u8]>, output: &mut [u8]) -> usize;

    /// Writes the tag of a whole message: with the crate's one-shot function, if it has one.
    #[inline(always)]
    fn tag(&self, message: &[u8], output: &mut [u8]) -> usize {
        self.tag_pieces(std::iter::once(message), output)
    }
}

/// Offers the tag of a primitive.
pub const fn mac<M: Mac>(primitive: &'static str) -> Offered {
    Offered { primitive, operation: Operation::Mac, open: Open::One(open::<M>), shares: true }
}

fn open<M: Mac>(task: &Task) -> Result<Timed, Refused> {
    match Chunks::of(task)? {
        None => key::with_key_schedule(task, |mac: &M, io, output| Ok(mac.tag(io.input, output))),
        Some(chunks) => key::with_key_schedule(task, move |mac: &M, io, output| {
            Ok(mac.tag_pieces(chunks.cut(io.input), output))
        }),
    }
}
