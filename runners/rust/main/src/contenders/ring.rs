//! ring.

use cupel_protocol::host::CallError;
use cupel_rust_contender::aead::{self, Aead, NONCE, TAG};
use cupel_rust_contender::hash::{Hash, digest, put};
use cupel_rust_contender::key::Keyed;
use cupel_rust_contender::mac::{Mac, mac};
use cupel_rust_contender::{Contender, cpu, file, locked};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::digest::{self as ring_digest, Context};
use ring::hmac;

pub const RING: Contender = Contender {
    name: "ring",
    library: "ring",
    version: locked("ring", "0.17"),
    licence: "Apache-2.0 AND ISC",
    summary: "one-shot functions, Context where streamed; LessSafeKey in place after a copy of \
              the input to the output",
    fixed_key: None,
    missing: || None,
    code_path: |_| cpu::undisclosed(),
    offers: &[
        digest::<Sha1>("sha1"),
        digest::<Sha256>("sha256"),
        digest::<Sha512>("sha512"),
        mac::<HmacSha256>("hmac-sha256"),
        aead::seal::<Aes256Gcm>("aes-256-gcm"),
        aead::open::<Aes256Gcm>("aes-256-gcm"),
    ],
};

pub const READ_1K: Contender = Contender {
    name: "ring-read-1k",
    summary: "BufReader<File>, read into 1 KiB, Context::update",
    offers: &[file::read_1k::<Sha256>("sha256")],
    ..RING
};

pub const COPY: Contender = Contender {
    name: "ring-copy",
    summary: "BufReader<File>, io::copy into a Write around Context",
    offers: &[file::copy::<Sha256>("sha256")],
    ..RING
};

macro_rules! hash {
    ($name:ident, $algorithm:ident) => {
        struct $name(Context);

        impl Hash for $name {
            #[inline(always)]
            fn new() -> Self {
                $name(Context::new(&ring_digest::$algorithm))
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
                put(ring_digest::digest(&ring_digest::$algorithm, message).as_ref(), output)
            }
        }
    };
}

hash!(Sha1, SHA1_FOR_LEGACY_USE_ONLY);
hash!(Sha256, SHA256);
hash!(Sha512, SHA512);

struct HmacSha256(hmac::Key);

impl Keyed for HmacSha256 {
    #[inline(always)]
    fn new(key: &[u8]) -> Result<Self, &'static str> {
        Ok(HmacSha256(hmac::Key::new(hmac::HMAC_SHA256, key)))
    }
}

impl Mac for HmacSha256 {
    #[inline(always)]
    fn tag_pieces<'a>(&self, pieces: impl Iterator<Item = &'a [u8]>, output: &mut [u8]) -> usize {
        let mut context = hmac::Context::with_key(&self.0);
        pieces.for_each(|piece| context.update(piece));
        put(context.sign().as_ref(), output)
    }

    #[inline(always)]
    fn tag(&self, message: &[u8], output: &mut [u8]) -> usize {
        put(hmac::sign(&self.0, message).as_ref(), output)
    }
}

struct Aes256Gcm(LessSafeKey);

impl Keyed for Aes256Gcm {
    #[inline(always)]
    fn new(key: &[u8]) -> Result<Self, &'static str> {
        let key = UnboundKey::new(&AES_256_GCM, key).map_err(|_| "takes keys of 32 bytes only")?;
        Ok(Aes256Gcm(LessSafeKey::new(key)))
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
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let made = self
            .0
            .seal_in_place_separate_tag(nonce, Aad::from(ad), ciphertext)
            .map_err(|_| CallError::Failed("seal_in_place_separate_tag"))?;
        tag.copy_from_slice(made.as_ref());
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
        let nonce = Nonce::assume_unique_for_key(*nonce);
        self.0
            .open_in_place_separate_tag(nonce, Aad::from(ad), (*tag).into(), plaintext, 0..)
            .map(|_| ())
            .map_err(|_| CallError::Refused)
    }
}
