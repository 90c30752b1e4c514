//! Batches: the messages of one call of `digest-many`. They may lie anywhere in memory. A call gets
//! their addresses and lengths in two arrays, as C takes them.

use std::marker::PhantomData;

/// The messages of one call.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    at: &'a [*const u8],
    lengths: &'a [usize],
    memory: PhantomData<&'a [u8]>,
}

impl<'a> Batch<'a> {
    /// The number of messages.
    pub fn count(&self) -> usize {
        self.at.len()
    }

    /// The address of each message.
    pub fn at(&self) -> &'a [*const u8] {
        self.at
    }

    /// The length of each, in bytes.
    pub fn lengths(&self) -> &'a [usize] {
        self.lengths
    }

    /// The messages, in order.
    pub fn messages(&self) -> impl Iterator<Item = &'a [u8]> {
        // SAFETY: `Batches` is made of slices, which it borrows as long as one of its batches
        // lives.
        let message = |(&at, &length)| unsafe { std::slice::from_raw_parts(at, length) };
        self.at.iter().zip(self.lengths).map(message)
    }
}

/// The batches of all calls: call `i` has the messages `i * size` to `i * size + size - 1` of a
/// pool that repeats.
#[derive(Debug)]
pub struct Batches {
    at: Vec<*const u8>,
    lengths: Vec<usize>,
    size: usize,
    mask: u64,
}

impl Batches {
    /// Batches of `size` messages from a pool whose size is a power of two. The beginning of the
    /// pool is repeated after its end, so that every call finds its batch in one piece.
    ///
    /// # Safety
    /// The messages must neither move nor change as long as one of these batches is used.
    pub unsafe fn new(pool: &[&[u8]], size: usize) -> Batches {
        assert!(pool.len().is_power_of_two() && size > 0, "{} of {size}", pool.len());
        let rolled = || pool.iter().cycle().take(pool.len() + size - 1);
        Batches {
            at: rolled().map(|message| message.as_ptr()).collect(),
            lengths: rolled().map(|message| message.len()).collect(),
            size,
            mask: pool.len() as u64 - 1,
        }
    }

    /// The messages of call `index`.
    #[inline(always)]
    pub fn batch(&self, index: u64) -> Batch<'_> {
        let from = (index.wrapping_mul(self.size as u64) & self.mask) as usize;
        let range = from..from + self.size;
        Batch { at: &self.at[range.clone()], lengths: &self.lengths[range], memory: PhantomData }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_take_the_pool_in_order_and_begin_again_where_it_ends() {
        let pool: [&[u8]; 4] = [b"", b"a", b"bb", b"ccc"];
        for size in [1, 3, 4, 9] {
            // SAFETY: the pool outlives the batches.
            let batches = unsafe { Batches::new(&pool, size) };
            for call in [0, 1, 2, 5, u64::MAX] {
                let batch = batches.batch(call);
                assert_eq!((batch.count(), batch.lengths().len()), (size, size));
                for (k, message) in batch.messages().enumerate() {
                    let index = call.wrapping_mul(size as u64).wrapping_add(k as u64) % 4;
                    assert_eq!(message, pool[index as usize], "call {call}, message {k}");
                }
            }
        }
    }
}
