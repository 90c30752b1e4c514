//! graviola.

use cupel_protocol::host::CallError;
use cupel_protocol::message::Refusal;
use cupel_rust_contender::aead::{self, Aead, NONCE, TAG};
use cupel_rust_contender::hash::{self, digest, put};
use cupel_rust_contender::key::Keyed;
use cupel_rust_contender::mac::{Mac, mac};
use cupel_rust_contender::{Contender, cpu, locked};
use graviola::aead::AesGcm;
use graviola::hashing::hmac::Hmac;
use graviola::hashing::{HashContext, Sha256, Sha512};

pub const GRAVIOLA: Contender = Contender {
    name: "graviola",
    library: "graviola",
    version: locked("graviola", "0.4"),
    licence: "Apache-2.0 OR ISC OR MIT-0",
    summary: "one-shot functions, context where streamed; HMAC cloned after the key; AesGcm in \
              place after a copy of the input to the output",
    fixed_key: None,
    missing,
    code_path: |_| cpu::undisclosed(),
    offers: &[
        digest::<Hash<Sha256>>("sha256"),
        digest::<Hash<Sha512>>("sha512"),
        mac::<HmacSha256>("hmac-sha256"),
        aead::seal::<Aes256Gcm>("aes-256-gcm"),
        aead::open::<Aes256Gcm>("aes-256-gcm"),
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

struct HmacSha256(Hmac<Sha256>);

impl Keyed for HmacSha256 {
    #[inline(always)]
    fn new(key: &[u8]) -> Result<Self, &'static str> {
        Ok(HmacSha256(Hmac::new(key)))
    }
}

impl Mac for HmacSha256 {
    #[inline(always)]
    fn tag_pieces<'a>(&self, pieces: impl Iterator<Item = &'a [u8]>, output: &mut [u8]) -> usize {
        let mut hmac = self.0.clone();
        pieces.for_each(|piece| hmac.update(piece));
        put(hmac.finish().as_ref(), output)
    }
}

struct Aes256Gcm(AesGcm);

impl Keyed for Aes256Gcm {
    #[inline(always)]
    fn new(key: &[u8]) -> Result<Self, &'static str> {
        // AesGcm::new also takes 16 bytes, but then computes AES-128.
        let key: &[u8; 32] = key.try_into().map_err(|_| "takes keys of 32 bytes only")?;
        Ok(Aes256Gcm(AesGcm::new(key)))
    }
}

impl Aead for Aes256Gcm {
    #[inline(always)]
    fn seal(
        &self,
        nonce: &[u8; NONCE],
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
        nonce: &[u8; NONCE],
        ad: &[u8],
        ciphertext: &[u8],
        tag: &[u8; TAG],
        plaintext: &mut [u8],
    ) -> Result<(), CallError> {
        plaintext.copy_from_slice(ciphertext);
        self.0.decrypt(nonce, ad, plaintext, tag).map_err(|_| CallError::Refused)
    }
}
