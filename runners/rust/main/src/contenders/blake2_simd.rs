//! blake2b_simd and blake2s_simd, two crates of one interface. Both also compute several messages
//! side by side.

use cupel_protocol::batch::Batch;
use cupel_rust_contender::hash::{Hash, HashMany, digest, digest_many, put};
use cupel_rust_contender::{Contender, locked};

pub const BLAKE2B: Contender = Contender {
    name: "blake2b_simd",
    library: "blake2b_simd",
    version: locked("blake2b_simd", "1"),
    licence: "MIT",
    summary: "the one-shot function, State where streamed; batches by many::hash_many",
    fixed_key: None,
    missing: || None,
    // From its src/guts.rs.
    code_path: |_| {
        let path = match blake2b_simd::many::degree() {
            4 => "avx2",
            2 => "portable Rust; batches: sse4.1",
            _ => "portable Rust",
        };
        path.to_string()
    },
    offers: &[digest::<Blake2b>("blake2b"), digest_many::<Blake2b>("blake2b")],
};

pub const BLAKE2S: Contender = Contender {
    name: "blake2s_simd",
    library: "blake2s_simd",
    version: locked("blake2s_simd", "1"),
    // From its src/guts.rs.
    code_path: |_| {
        let path = match blake2s_simd::many::degree() {
            8 => "sse4.1; batches: avx2",
            4 => "sse4.1",
            _ => "portable Rust",
        };
        path.to_string()
    },
    offers: &[digest::<Blake2s>("blake2s"), digest_many::<Blake2s>("blake2s")],
    ..BLAKE2B
};

macro_rules! blake2 {
    ($library:ident, $name:ident, $one_shot:ident) => {
        #[derive(Clone)]
        struct $name($library::State);

        impl Hash for $name {
            #[inline(always)]
            fn new() -> Self {
                $name($library::State::new())
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
                put($library::$one_shot(message).as_bytes(), output)
            }
        }

        impl HashMany for $name {
            #[inline(always)]
            fn digest_many(messages: &Batch<'_>, output: &mut [u8]) -> usize {
                use $library::many::{HashManyJob, hash_many};
                let params = $library::Params::new();
                let job = |message| HashManyJob::new(&params, message);
                let mut jobs: Vec<HashManyJob<'_>> = messages.messages().map(job).collect();
                hash_many(&mut jobs);
                let mut made = 0;
                for job in &jobs {
                    made += put(job.to_hash().as_bytes(), &mut output[made..]);
                }
                made
            }
        }
    };
}

blake2!(blake2b_simd, Blake2b, blake2b);
blake2!(blake2s_simd, Blake2s, blake2s);
