//! tiny-keccak: SHA-3 and SHAKE, as most programs for Ethereum have them.

use cupel_rust_contender::hash::{Hash, digest};
use cupel_rust_contender::{Contender, locked};
use tiny_keccak::{Hasher, Sha3, Shake};

pub const TINY_KECCAK: Contender = Contender {
    name: "tiny-keccak",
    library: "tiny-keccak",
    version: locked("tiny-keccak", "2"),
    licence: "CC0-1.0",
    summary: "v256 or v128, update, finalize",
    fixed_key: None,
    missing: || None,
    code_path: |_| "portable Rust".to_string(),
    offers: &[digest::<Keccak<Sha3>>("sha3-256"), digest::<Keccak<Shake>>("shake128")],
};

/// Bytes of both outputs.
const SIZE: usize = 32;

#[derive(Clone)]
struct Keccak<H>(H);

/// How a hash of this crate begins.
trait Begin: Hasher + Clone + 'static {
    fn begin() -> Self;
}

impl Begin for Sha3 {
    #[inline(always)]
    fn begin() -> Self {
        Sha3::v256()
    }
}

impl Begin for Shake {
    #[inline(always)]
    fn begin() -> Self {
        Shake::v128()
    }
}

impl<H: Begin> Hash for Keccak<H> {
    #[inline(always)]
    fn new() -> Self {
        Keccak(H::begin())
    }

    #[inline(always)]
    fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    #[inline(always)]
    fn finish(self, output: &mut [u8]) -> usize {
        self.0.finalize(&mut output[..SIZE]);
        SIZE
    }
}
