//! SipHash-c-d (Aumasson and Bernstein 2012), 64 and 128 bits, of one message or of many at once.

use crate::{ffi, parts, wipe};
use std::ffi::c_uint;

/// SipHash under one key; the key is cleared when it is dropped.
#[derive(Clone)]
pub struct SipHash {
    key: [u8; 16],
    c: c_uint,
    d: c_uint,
}

impl SipHash {
    /// SipHash-2-4, which the paper proposes.
    pub fn new_2_4(key: [u8; 16]) -> SipHash {
        SipHash { key, c: 2, d: 4 }
    }

    /// SipHash-1-3, which hash tables use.
    pub fn new_1_3(key: [u8; 16]) -> SipHash {
        SipHash { key, c: 1, d: 3 }
    }

    /// With `c` rounds a word and `d` at the end; `None` where either is 0.
    pub fn with_rounds(key: [u8; 16], c: u32, d: u32) -> Option<SipHash> {
        (c > 0 && d > 0).then_some(SipHash { key, c, d })
    }

    /// The tag of 64 bits, as a little-endian number.
    pub fn hash(&self, message: &[u8]) -> u64 {
        u64::from_le_bytes(self.tag(message))
    }

    /// The tag of 128 bits.
    pub fn hash_128(&self, message: &[u8]) -> [u8; 16] {
        self.tag(message)
    }

    /// The tags of 64 bits of messages of any lengths, computed side by side; in their order.
    pub fn hash_many<M: AsRef<[u8]>>(&self, messages: &[M]) -> Vec<u64> {
        self.tags(messages).into_iter().map(u64::from_le_bytes).collect()
    }

    /// The same with 128 bits.
    pub fn hash_many_128<M: AsRef<[u8]>>(&self, messages: &[M]) -> Vec<[u8; 16]> {
        self.tags(messages)
    }

    fn tag<const N: usize>(&self, message: &[u8]) -> [u8; N] {
        let mut tag = [0; N];
        // SAFETY: all are as long as is said.
        let status = unsafe {
            ffi::cupel_siphash(
                tag.as_mut_ptr(),
                N,
                self.c,
                self.d,
                self.key.as_ptr(),
                message.as_ptr().cast(),
                message.len(),
            )
        };
        assert_eq!(status, 0, "8 or 16 bytes, and rounds above 0");
        tag
    }

    fn tags<const N: usize>(&self, messages: &[impl AsRef<[u8]>]) -> Vec<[u8; N]> {
        let (starts, lengths) = parts(messages);
        let mut tags = vec![[0; N]; messages.len()];
        // SAFETY: all have as many entries as is said, and each message its length.
        let status = unsafe {
            ffi::cupel_siphash_many(
                tags.as_mut_ptr().cast(),
                N,
                self.c,
                self.d,
                self.key.as_ptr(),
                starts.as_ptr(),
                lengths.as_ptr(),
                messages.len(),
            )
        };
        assert_eq!(status, 0, "8 or 16 bytes, and rounds above 0");
        tags
    }
}

impl Drop for SipHash {
    fn drop(&mut self) {
        // SAFETY: integers alone.
        unsafe { wipe(&mut self.key) };
    }
}
