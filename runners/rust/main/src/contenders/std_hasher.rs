//! The standard library's `DefaultHasher`: SipHash-1-3 with a key of zeros.

use cupel_rust_contender::hash::put;
use cupel_rust_contender::key::Keyed;
use cupel_rust_contender::mac::{Mac, mac};
use cupel_rust_contender::{Contender, RUSTC};
use std::hash::{DefaultHasher, Hasher};

pub const STD_DEFAULT_HASHER: Contender = Contender {
    name: "std-default-hasher",
    library: "std",
    version: RUSTC,
    licence: "MIT OR Apache-2.0",
    summary: "DefaultHasher::new, write, finish; output little-endian",
    fixed_key: Some("00000000000000000000000000000000"),
    missing: || None,
    code_path: |_| "portable Rust".to_string(),
    offers: &[mac::<ZeroKeyed>("siphash-1-3")],
};

/// `new` is both the key schedule and the start of a message, so no state is kept.
struct ZeroKeyed;

impl Keyed for ZeroKeyed {
    #[inline(always)]
    fn new(key: &[u8]) -> Result<Self, &'static str> {
        if key == [0; 16] { Ok(ZeroKeyed) } else { Err("takes no key but 16 zero bytes") }
    }
}

impl Mac for ZeroKeyed {
    #[inline(always)]
    fn tag_pieces<'a>(&self, pieces: impl Iterator<Item = &'a [u8]>, output: &mut [u8]) -> usize {
        let mut hasher = DefaultHasher::new();
        pieces.for_each(|piece| hasher.write(piece));
        put(&hasher.finish().to_le_bytes(), output)
    }
}
