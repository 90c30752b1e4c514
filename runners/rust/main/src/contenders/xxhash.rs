//! XXH3 of xxhash-rust: a mark of speed without a key.

use cupel_rust_contender::hash::{Hash, digest, put};
use cupel_rust_contender::{Contender, locked};
use xxhash_rust::xxh3::{Xxh3Default, xxh3_64};

pub const XXHASH: Contender = Contender {
    name: "xxhash-rust",
    library: "xxhash-rust",
    version: locked("xxhash-rust", "0"),
    licence: "BSL-1.0",
    summary: "xxh3_64, Xxh3Default where streamed; output little-endian",
    fixed_key: None,
    missing: || None,
    code_path: |_| "what the crate was compiled for".to_string(),
    offers: &[digest::<Xxh3>("xxh3-64")],
};

#[derive(Clone)]
struct Xxh3(Xxh3Default);

impl Hash for Xxh3 {
    #[inline(always)]
    fn new() -> Self {
        Xxh3(Xxh3Default::new())
    }

    #[inline(always)]
    fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    #[inline(always)]
    fn finish(self, output: &mut [u8]) -> usize {
        put(&self.0.digest().to_le_bytes(), output)
    }

    #[inline(always)]
    fn digest(message: &[u8], output: &mut [u8]) -> usize {
        put(&xxh3_64(message).to_le_bytes(), output)
    }
}
