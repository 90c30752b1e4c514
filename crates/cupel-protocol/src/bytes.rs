//! The deterministic byte stream from which the tool and the runner create the same messages: a
//! request names a message of 16 MiB by two numbers.

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

/// The nonce of the call with this index: four zero bytes and the index, big-endian (96 bits, the
/// form that RFC 5116 section 3.2 recommends).
pub fn nonce(index: u64) -> [u8; 12] {
    let mut nonce = [0; 12];
    nonce[4..].copy_from_slice(&index.to_be_bytes());
    nonce
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
        assert_eq!(nonce(1), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!(nonce(256)[10..], [1, 0]);
    }
}
