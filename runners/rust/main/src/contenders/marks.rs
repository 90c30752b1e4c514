//! Hashes without a key that are marks of speed: komihash, rapidhash and wyhash. The seed is 0, and
//! the output little-endian. None of the crates copies a state.

use cupel_rust_contender::hash::{Hash, WholeHash, digest_of_whole, digest_without_copies, put};
use cupel_rust_contender::{Contender, locked};
use komihash::v5::StreamedKomihash;
use rapidhash::v3::{DEFAULT_RAPID_SECRETS, RapidStreamHasherV3, rapidhash_v3};
use wyhash_final4::WyHash64;
use wyhash_final4::generics::WyHasher;

pub const KOMIHASH: Contender = Contender {
    name: "komihash",
    library: "komihash",
    version: locked("komihash", "0"),
    licence: "MIT",
    summary: "komihash with seed 0, StreamedKomihash where streamed; output little-endian",
    fixed_key: None,
    missing: || None,
    code_path: |_| "what the crate was compiled for".to_string(),
    offers: &[digest_without_copies::<Komihash>("komihash-5-0")],
};

pub const RAPIDHASH: Contender = Contender {
    name: "rapidhash",
    library: "rapidhash",
    version: locked("rapidhash", "4"),
    licence: "MIT OR Apache-2.0",
    summary: "rapidhash_v3, RapidStreamHasherV3 where streamed; output little-endian",
    fixed_key: None,
    missing: || None,
    code_path: |_| "what the crate was compiled for".to_string(),
    offers: &[digest_without_copies::<Rapidhash>("rapidhash-3")],
};

pub const WYHASH: Contender = Contender {
    name: "wyhash-final4",
    library: "wyhash-final4",
    version: locked("wyhash-final4", "0"),
    licence: "MIT",
    summary: "WyHasher::hash with seed 0, whole messages only; output little-endian",
    fixed_key: None,
    missing: || None,
    code_path: |_| "what the crate was compiled for".to_string(),
    offers: &[digest_of_whole::<Wyhash>("wyhash-final-4")],
};

struct Komihash(StreamedKomihash);

impl Hash for Komihash {
    #[inline(always)]
    fn new() -> Self {
        Komihash(StreamedKomihash::new())
    }

    #[inline(always)]
    fn update(&mut self, piece: &[u8]) {
        self.0.write(piece);
    }

    #[inline(always)]
    fn finish(self, output: &mut [u8]) -> usize {
        put(&self.0.finish().to_le_bytes(), output)
    }

    #[inline(always)]
    fn digest(message: &[u8], output: &mut [u8]) -> usize {
        put(&komihash::komihash(message, 0).to_le_bytes(), output)
    }
}

struct Rapidhash(RapidStreamHasherV3<'static>);

impl Hash for Rapidhash {
    #[inline(always)]
    fn new() -> Self {
        Rapidhash(RapidStreamHasherV3::new(&DEFAULT_RAPID_SECRETS))
    }

    #[inline(always)]
    fn update(&mut self, piece: &[u8]) {
        self.0.write(piece);
    }

    #[inline(always)]
    fn finish(self, output: &mut [u8]) -> usize {
        put(&self.0.finish().to_le_bytes(), output)
    }

    #[inline(always)]
    fn digest(message: &[u8], output: &mut [u8]) -> usize {
        put(&rapidhash_v3(message).to_le_bytes(), output)
    }
}

/// Its `StreamedWyHasher` gives another hash for pieces of a message of 127 B and more (0.2.2).
struct Wyhash;

impl WholeHash for Wyhash {
    #[inline(always)]
    fn digest(message: &[u8], output: &mut [u8]) -> usize {
        put(&WyHasher::<WyHash64>::from_seed(0).hash(message).to_le_bytes(), output)
    }
}
