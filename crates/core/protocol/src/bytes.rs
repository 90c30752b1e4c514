//! The deterministic byte stream from which the tool and the runner create the same messages: a
//! request names a message of 16 MiB by two numbers.

use std::ops::Deref;

/// Fills `out` with the stream of `seed`: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), each output
/// as eight little-endian bytes, the last one truncated.
pub fn fill(seed: u64, out: &mut [u8]) {
    let mut state = seed;
    for chunk in out.chunks_mut(8) {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        chunk.copy_from_slice(&z.to_le_bytes()[..chunk.len()]);
    }
}

/// The first `len` bytes of the stream of `seed`.
pub fn stream(seed: u64, len: usize) -> Vec<u8> {
    let mut out = vec![0; len];
    fill(seed, &mut out);
    out
}

/// Bytes of the longest nonce.
const LONGEST: usize = 24;

/// Bytes of a primitive's nonces. 12 for every AEAD of RFC 5116's form, and 24 for XChaCha20
/// (draft-irtf-cfrg-xchacha-03, section 2). The value means nothing for a primitive without nonces.
pub fn nonce_length(primitive: &str) -> usize {
    if primitive == "xchacha20-poly1305" { LONGEST } else { 12 }
}

/// The nonce of a call: zeros, and in the last eight bytes the call's index, big-endian. With 12
/// bytes, this is the form that RFC 5116, section 3.2 recommends.
#[derive(Clone, Copy, Debug)]
pub struct CallNonce {
    bytes: [u8; LONGEST],
    length: usize,
}

impl CallNonce {
    /// The nonce of the call with this index, of 8 to 24 bytes.
    #[inline]
    pub fn new(index: u64, length: usize) -> CallNonce {
        let mut bytes = [0; LONGEST];
        bytes[LONGEST - 8..].copy_from_slice(&index.to_be_bytes());
        CallNonce { bytes, length }
    }
}

impl Deref for CallNonce {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.bytes[LONGEST - self.length..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_of_seed_zero_is_the_published_splitmix64_sequence() {
        let expected = [0xe220a8397b1dcdaf_u64, 0x6e789e6aa1b965f4, 0x06c45d188009454f];
        let got = stream(0, 24);
        for (i, value) in expected.iter().enumerate() {
            assert_eq!(got[i * 8..i * 8 + 8], value.to_le_bytes());
        }
    }

    #[test]
    fn a_shorter_stream_is_a_prefix_of_a_longer_one() {
        let long = stream(7, 100);
        for len in 0..100 {
            assert_eq!(stream(7, len), long[..len]);
        }
    }

    #[test]
    fn nonces_of_successive_calls_differ_in_the_last_byte_first() {
        assert_eq!(*CallNonce::new(1, 12), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!(CallNonce::new(256, 12)[10..], [1, 0]);
        let long = CallNonce::new(0x0102_0304_0506_0708, nonce_length("xchacha20-poly1305"));
        assert_eq!(long[..16], [0; 16]);
        assert_eq!(long[16..], [1, 2, 3, 4, 5, 6, 7, 8]);
    }
}
