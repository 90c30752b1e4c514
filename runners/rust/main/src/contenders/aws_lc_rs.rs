//! aws-lc-rs: AWS-LC behind the interface of ring.

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::digest::{self as lc_digest, Context};
use aws_lc_rs::hmac;
use cupel_protocol::host::CallError;
use cupel_rust_contender::aead::{self, Aead, NONCE, TAG};
use cupel_rust_contender::hash::{Hash, digest, put};
use cupel_rust_contender::key::Keyed;
use cupel_rust_contender::mac::{Mac, mac};
use cupel_rust_contender::{Contender, cpu, file, locked};

pub const AWS_LC_RS: Contender = Contender {
    name: "aws-lc-rs",
    library: "aws-lc-rs",
    version: locked("aws-lc-rs", "1"),
    licence: "ISC AND (Apache-2.0 OR ISC)",
    summary: "one-shot functions, Context where streamed; LessSafeKey: seals in place after a \
              copy of the input to the output, opens from buffer to buffer",
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
    name: "aws-lc-rs-read-1k",
    summary: "BufReader<File>, read into 1 KiB, Context::update",
    offers: &[file::read_1k::<Sha256>("sha256")],
    ..AWS_LC_RS
};

macro_rules! hash {
    ($name:ident, $algorithm:ident) => {
        struct $name(Context);

        impl Hash for $name {
            #[inline(always)]
            fn new() -> Self {
                $name(Context::new(&lc_digest::$algorithm))
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
                put(lc_digest::digest(&lc_digest::$algorithm, message).as_ref(), output)
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
        let nonce = Nonce::assume_unique_for_key(*nonce);
        self.0
            .open_separate_gather(nonce, Aad::from(ad), ciphertext, tag, plaintext)
            .map_err(|_| CallError::Refused)
    }
}
