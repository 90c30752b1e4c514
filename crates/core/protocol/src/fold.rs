//! The check value of a slice: a sum that costs two loads per call and that the tool can compute
//! itself. A contender that skips work or answers wrongly is detected in the very slice that was
//! timed.

/// The part of one output in the fold: the sum of its first and its last eight bytes as
/// little-endian numbers, zero-padded if it is shorter. The tag is last and depends on every byte,
/// so a sealed message is covered without being read again.
#[inline(always)]
pub fn word(output: &[u8]) -> u64 {
    let n = output.len();
    if n >= 8 {
        let head: [u8; 8] = output[..8].try_into().expect("eight bytes");
        let tail: [u8; 8] = output[n - 8..].try_into().expect("eight bytes");
        u64::from_le_bytes(head).wrapping_add(u64::from_le_bytes(tail))
    } else {
        let short = head(output);
        short.wrapping_add(short)
    }
}

/// The first eight bytes of `output` as a little-endian number, zero-padded: the `latency` shape
/// mixes it into the next input.
#[inline(always)]
pub fn head(output: &[u8]) -> u64 {
    if let Some(whole) = output.first_chunk() {
        return u64::from_le_bytes(*whole);
    }
    // Byte by byte: a copy of unknown length would call memcpy inside the timed loop.
    output.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_an_output_up_to_sixteen_bytes_changes_the_word() {
        for len in 1..=16 {
            let base = vec![0x5a; len];
            for at in 0..len {
                let mut other = base.clone();
                other[at] ^= 1;
                assert_ne!(word(&base), word(&other), "byte {at} of {len}");
            }
        }
    }

    #[test]
    fn an_empty_output_adds_nothing() {
        assert_eq!(word(&[]), 0);
    }
}
