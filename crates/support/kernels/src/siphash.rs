//! SipHash-c-d (Aumasson and Bernstein 2012), 64 and 128 bits, of one message or of many at once.

use crate::{ffi, parts, wipe};
use std::ffi::c_uint;

/// SipHash with one key. The key is cleared when it is dropped.
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

    /// SipHash with `c` rounds per word and `d` at the end; `None` if either is 0.
    pub fn with_rounds(key: [u8; 16], c: u32, d: u32) -> Option<SipHash> {
        (c > 0 && d > 0).then_some(SipHash { key, c, d })
    }

    /// The 64-bit tag, as a little-endian number.
    pub fn hash(&self, message: &[u8]) -> u64 {
        u64::from_le_bytes(self.tag(message))
    }

    /// The 128-bit tag.
    pub fn hash_128(&self, message: &[u8]) -> [u8; 16] {
        self.tag(message)
    }

    /// The 64-bit tags of messages of any lengths, computed side by side, in their order.
    pub fn hash_many<M: AsRef<[u8]>>(&self, messages: &[M]) -> Vec<u64> {
        self.tags(messages).into_iter().map(u64::from_le_bytes).collect()
    }

    /// The 128-bit tags of messages of any lengths.
    pub fn hash_many_128<M: AsRef<[u8]>>(&self, messages: &[M]) -> Vec<[u8; 16]> {
        self.tags(messages)
    }

    fn tag<const N: usize>(&self, message: &[u8]) -> [u8; N] {
        let mut tag = [0; N];
        // SAFETY: all have the given lengths.
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
        // SAFETY: all have the given number of entries, and each message its length.
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
        // SAFETY: only integers.
        unsafe { wipe(&mut self.key) };
    }
}
