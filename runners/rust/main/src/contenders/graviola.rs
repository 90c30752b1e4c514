//! graviola.

use cupel_protocol::host::CallError;
use cupel_protocol::message::Refusal;
use cupel_rust_contender::aead::{Aead, NONCE, TAG, XNONCE, open, seal};
use cupel_rust_contender::hash::{self, digest, digest_without_copies, put};
use cupel_rust_contender::key::Keyed;
use cupel_rust_contender::mac::{Mac, mac};
use cupel_rust_contender::{Contender, cpu, locked};
use graviola::aead::{AesGcm, ChaCha20Poly1305, XChaCha20Poly1305};
use graviola::hashing::sha3::Sha3_256Context;
use graviola::hashing::{HashContext, Sha256, Sha512, hmac};

pub const GRAVIOLA: Contender = Contender {
    name: "graviola",
    library: "graviola",
    version: locked("graviola", "0.4"),
    licence: "Apache-2.0 OR ISC OR MIT-0",
    summary: "one-shot functions, context where streamed and for SHA-3; HMAC cloned after the \
              key; AEADs in place after a copy of the input to the output",
    fixed_key: None,
    missing,
    code_path: |_| cpu::unreported(),
    offers: &[
        digest::<Hash<Sha256>>("sha256"),
        digest::<Hash<Sha512>>("sha512"),
        digest_without_copies::<Sha3>("sha3-256"),
        mac::<Hmac<Sha256>>("hmac-sha256"),
        mac::<Hmac<Sha512>>("hmac-sha512"),
        seal::<NONCE, Aes128Gcm>("aes-128-gcm"),
        open::<NONCE, Aes128Gcm>("aes-128-gcm"),
        seal::<NONCE, Aes256Gcm>("aes-256-gcm"),
        open::<NONCE, Aes256Gcm>("aes-256-gcm"),
        seal::<NONCE, ChaCha>("chacha20-poly1305"),
        open::<NONCE, ChaCha>("chacha20-poly1305"),
        seal::<XNONCE, XChaCha>("xchacha20-poly1305"),
        open::<XNONCE, XChaCha>("xchacha20-poly1305"),
    ],
};

/// The CPU features that graviola asserts on its first call (src/low/*/cpu.rs).
fn missing() -> Option<Refusal> {
    const NEEDS: &[&str] = if cfg!(target_arch = "aarch64") {
        &["neon", "aes", "pmull", "sha2"]
    } else {
        &["aes", "pclmulqdq", "bmi1", "adx", "avx", "avx2"]
    };
    let lacks: Vec<&str> = NEEDS.iter().filter(|f| !cpu::offers(&[f])).copied().collect();
    let reason = || format!("graviola ends the process on a CPU without {}", lacks.join(", "));
    (!lacks.is_empty()).then(|| Refusal::because(reason()))
}

struct Hash<H: graviola::hashing::Hash>(H::Context);

// A derived one would demand that H be Clone.
impl<H: graviola::hashing::Hash> Clone for Hash<H>
where
    H::Context: Clone,
{
    #[inline(always)]
    fn clone(&self) -> Self {
        Hash(self.0.clone())
    }
}

impl<H: graviola::hashing::Hash + 'static> hash::Hash for Hash<H> {
    #[inline(always)]
    fn new() -> Self {
        Hash(H::new())
    }

    #[inline(always)]
    fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    #[inline(always)]
    fn finish(self, output: &mut [u8]) -> usize {
        put(self.0.finish().as_ref(), output)
    }

    #[inline(always)]
    fn digest(message: &[u8], output: &mut [u8]) -> usize {
        put(H::hash(message).as_ref(), output)
    }
}

struct Hmac<H: graviola::hashing::Hash>(hmac::Hmac<H>);

impl<H: graviola::hashing::Hash + 'static> Keyed for Hmac<H>
where
    hmac::Hmac<H>: Send + Sync,
{
    #[inline(always)]
    fn new(key: &[u8]) -> Result<Self, &'static str> {
        Ok(Hmac(hmac::Hmac::new(key)))
    }
}

impl<H: graviola::hashing::Hash + 'static> Mac for Hmac<H>
where
    hmac::Hmac<H>: Clone + Send + Sync,
{
    #[inline(always)]
    fn tag_pieces<'a>(&self, pieces: impl Iterator<Item = &'a [u8]>, output: &mut [u8]) -> usize {
        let mut hmac = self.0.clone();
        pieces.for_each(|piece| hmac.update(piece));
        put(hmac.finish().as_ref(), output)
    }
}

struct Sha3(Sha3_256Context);

impl hash::Hash for Sha3 {
    #[inline(always)]
    fn new() -> Self {
        Sha3(Sha3_256Context::new())
    }

    #[inline(always)]
    fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    #[inline(always)]
    fn finish(self, output: &mut [u8]) -> usize {
        put(&self.0.finish(), output)
    }
}

/// An AEAD, made by `$new` from a key of `$key` bytes, with nonces of `$nonce` bytes.
macro_rules! in_place {
    ($name:ident, $type:ty, $new:expr, $key:literal, $nonce:ident) => {
        struct $name($type);

        impl Keyed for $name {
            #[inline(always)]
            fn new(key: &[u8]) -> Result<Self, &'static str> {
                // AesGcm::new takes keys of two lengths; each length is its own primitive.
                let key: &[u8; $key] =
                    key.try_into().map_err(|_| concat!("takes keys of ", $key, " bytes only"))?;
                Ok($name($new(key)))
            }
        }

        impl Aead<$nonce> for $name {
            #[inline(always)]
            fn seal(
                &self,
                nonce: &[u8; $nonce],
                ad: &[u8],
                plaintext: &[u8],
                ciphertext: &mut [u8],
                tag: &mut [u8; TAG],
            ) -> Result<(), CallError> {
                ciphertext.copy_from_slice(plaintext);
                self.0.encrypt(nonce, ad, ciphertext, tag);
                Ok(())
            }

            #[inline(always)]
            fn open(
                &self,
                nonce: &[u8; $nonce],
                ad: &[u8],
                ciphertext: &[u8],
                tag: &[u8; TAG],
                plaintext: &mut [u8],
            ) -> Result<(), CallError> {
                plaintext.copy_from_slice(ciphertext);
                self.0.decrypt(nonce, ad, plaintext, tag).map_err(|_| CallError::Refused)
            }
        }
    };
}

in_place!(Aes128Gcm, AesGcm, |key: &[u8; 16]| AesGcm::new(key), 16, NONCE);
in_place!(Aes256Gcm, AesGcm, |key: &[u8; 32]| AesGcm::new(key), 32, NONCE);
in_place!(ChaCha, ChaCha20Poly1305, |key: &[u8; 32]| ChaCha20Poly1305::new(*key), 32, NONCE);
in_place!(XChaCha, XChaCha20Poly1305, |key: &[u8; 32]| XChaCha20Poly1305::new(*key), 32, XNONCE);
