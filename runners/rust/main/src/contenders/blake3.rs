//! BLAKE3, by its own crate.

use blake3::Hasher;
use blake3::platform::Platform;
use cupel_protocol::batch::Batch;
use cupel_rust_contender::hash::{Hash, HashMany, digest, digest_many, put};
use cupel_rust_contender::key::Keyed;
use cupel_rust_contender::mac::{Mac, mac};
use cupel_rust_contender::{Contender, locked};

pub const BLAKE3: Contender = Contender {
    name: "blake3",
    library: "blake3",
    version: locked("blake3", "1"),
    licence: "CC0-1.0 OR Apache-2.0 OR Apache-2.0 WITH LLVM-exception",
    summary: "blake3::hash and keyed_hash on one thread, Hasher where streamed; batches one by one",
    fixed_key: None,
    missing: || None,
    code_path: |_| format!("{:?}", Platform::detect()).to_lowercase(),
    offers: &[
        digest::<Blake3>("blake3"),
        digest_many::<Blake3>("blake3"),
        mac::<Blake3Keyed>("blake3-keyed"),
    ],
};

#[derive(Clone)]
struct Blake3(Hasher);

impl Hash for Blake3 {
    #[inline(always)]
    fn new() -> Self {
        Blake3(Hasher::new())
    }

    #[inline(always)]
    fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    #[inline(always)]
    fn finish(self, output: &mut [u8]) -> usize {
        put(self.0.finalize().as_bytes(), output)
    }

    #[inline(always)]
    fn digest(message: &[u8], output: &mut [u8]) -> usize {
        put(blake3::hash(message).as_bytes(), output)
    }
}

/// The crate's `hash_many` is for the chunks of one message, and not public: a program that hashes
/// many messages has this loop.
impl HashMany for Blake3 {
    #[inline(always)]
    fn digest_many(messages: &Batch<'_>, output: &mut [u8]) -> usize {
        let mut made = 0;
        for message in messages.messages() {
            made += put(blake3::hash(message).as_bytes(), &mut output[made..]);
        }
        made
    }
}

/// The key is its own schedule: `keyed_hash` takes its bytes.
struct Blake3Keyed([u8; blake3::KEY_LEN]);

impl Keyed for Blake3Keyed {
    #[inline(always)]
    fn new(key: &[u8]) -> Result<Self, &'static str> {
        key.try_into().map(Blake3Keyed).map_err(|_| "takes keys of 32 bytes only")
    }
}

impl Mac for Blake3Keyed {
    #[inline(always)]
    fn tag_pieces<'a>(&self, pieces: impl Iterator<Item = &'a [u8]>, output: &mut [u8]) -> usize {
        let mut hasher = Hasher::new_keyed(&self.0);
        pieces.for_each(|piece| {
            hasher.update(piece);
        });
        put(hasher.finalize().as_bytes(), output)
    }

    #[inline(always)]
    fn tag(&self, message: &[u8], output: &mut [u8]) -> usize {
        put(blake3::keyed_hash(&self.0, message).as_bytes(), output)
    }
}
