//! rind: hashes, HMAC and AEADs, which come from graviola.

use ::rind::{aead, digest, hmac};
use cupel_protocol::host::CallError;
use cupel_protocol::message::Refusal;
use cupel_rust_contender::aead::{Aead, NONCE, TAG, open, seal};
use cupel_rust_contender::hash::{Hash, digest as hash, put};
use cupel_rust_contender::key::Keyed;
use cupel_rust_contender::mac::{Mac, mac};
use cupel_rust_contender::{Contender, cpu, locked};
use std::marker::PhantomData;

pub const RIND: Contender = Contender {
    name: "rind",
    library: "rind",
    version: locked("rind", "0"),
    licence: "(Apache-2.0 OR ISC OR MIT-0) AND (Apache-2.0 OR ISC OR MIT) AND Apache-2.0 AND ISC",
    summary: "digest and sign, Context where streamed; AEADs in place after a copy of the input to \
              the output",
    fixed_key: None,
    missing: || ::rind::cpu::check().err().map(|lacks| Refusal::because(lacks.to_string())),
    code_path: |_| cpu::unreported(),
    offers: &[
        hash::<Hashed<Sha1>>("sha1"),
        hash::<Hashed<Sha256>>("sha256"),
        hash::<Hashed<Sha512>>("sha512"),
        hash::<Hashed<Sha512_256>>("sha512-256"),
        mac::<Hmac<HmacSha256>>("hmac-sha256"),
        mac::<Hmac<HmacSha512>>("hmac-sha512"),
        seal::<NONCE, Sealed<Aes128Gcm>>("aes-128-gcm"),
        open::<NONCE, Sealed<Aes128Gcm>>("aes-128-gcm"),
        seal::<NONCE, Sealed<Aes256Gcm>>("aes-256-gcm"),
        open::<NONCE, Sealed<Aes256Gcm>>("aes-256-gcm"),
        seal::<NONCE, Sealed<ChaCha20Poly1305>>("chacha20-poly1305"),
        open::<NONCE, Sealed<ChaCha20Poly1305>>("chacha20-poly1305"),
    ],
};

/// A constant of the crate that names an algorithm.
trait Algorithm<A: 'static>: Clone + Send + Sync + 'static {
    const IT: &'static A;
}

macro_rules! algorithms {
    ($($name:ident: $type:ty = $constant:expr;)*) => {
        $(
            #[derive(Clone)]
            struct $name;

            impl Algorithm<$type> for $name {
                const IT: &'static $type = &$constant;
            }
        )*
    };
}

algorithms! {
    Sha1: digest::Algorithm = digest::legacy::SHA1;
    Sha256: digest::Algorithm = digest::SHA256;
    Sha512: digest::Algorithm = digest::SHA512;
    Sha512_256: digest::Algorithm = digest::SHA512_256;
    HmacSha256: hmac::Algorithm = hmac::HMAC_SHA256;
    HmacSha512: hmac::Algorithm = hmac::HMAC_SHA512;
    Aes128Gcm: aead::Algorithm = aead::AES_128_GCM;
    Aes256Gcm: aead::Algorithm = aead::AES_256_GCM;
    ChaCha20Poly1305: aead::Algorithm = aead::CHACHA20_POLY1305;
}

#[derive(Clone)]
struct Hashed<A> {
    context: digest::Context,
    algorithm: PhantomData<A>,
}

impl<A: Algorithm<digest::Algorithm>> Hash for Hashed<A> {
    #[inline(always)]
    fn new() -> Self {
        Hashed { context: digest::Context::new(A::IT), algorithm: PhantomData }
    }

    #[inline(always)]
    fn update(&mut self, piece: &[u8]) {
        self.context.update(piece);
    }

    #[inline(always)]
    fn finish(self, output: &mut [u8]) -> usize {
        put(self.context.finish().as_ref(), output)
    }

    #[inline(always)]
    fn digest(message: &[u8], output: &mut [u8]) -> usize {
        put(digest::digest(A::IT, message).as_ref(), output)
    }
}

struct Hmac<A> {
    key: hmac::Key,
    algorithm: PhantomData<A>,
}

impl<A: Algorithm<hmac::Algorithm>> Keyed for Hmac<A> {
    #[inline(always)]
    fn new(key: &[u8]) -> Result<Self, &'static str> {
        Ok(Hmac { key: hmac::Key::new(A::IT, key), algorithm: PhantomData })
    }
}

impl<A: Algorithm<hmac::Algorithm>> Mac for Hmac<A> {
    #[inline(always)]
    fn tag_pieces<'a>(&self, pieces: impl Iterator<Item = &'a [u8]>, output: &mut [u8]) -> usize {
        let mut context = hmac::Context::with_key(&self.key);
        pieces.for_each(|piece| context.update(piece));
        put(context.sign().as_ref(), output)
    }

    #[inline(always)]
    fn tag(&self, message: &[u8], output: &mut [u8]) -> usize {
        put(hmac::sign(&self.key, message).as_ref(), output)
    }
}

struct Sealed<A> {
    key: aead::Key,
    algorithm: PhantomData<A>,
}

impl<A: Algorithm<aead::Algorithm>> Keyed for Sealed<A> {
    #[inline(always)]
    fn new(key: &[u8]) -> Result<Self, &'static str> {
        let key = aead::Key::new(A::IT, key).map_err(|_| "takes keys of another length")?;
        Ok(Sealed { key, algorithm: PhantomData })
    }
}

impl<A: Algorithm<aead::Algorithm>> Aead<NONCE> for Sealed<A> {
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
        let nonce = aead::Nonce::assume_unique_for_key(*nonce);
        let made = self.key.seal_in_place_separate_tag(nonce, ad, ciphertext);
        tag.copy_from_slice(made.map_err(|_| REFUSED)?.as_ref());
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
        let nonce = aead::Nonce::assume_unique_for_key(*nonce);
        let tag = aead::Tag::try_from(&tag[..]).map_err(|_| REFUSED)?;
        let opened = self.key.open_in_place_separate_tag(nonce, ad, tag, plaintext);
        opened.map(drop).map_err(|_| CallError::Refused)
    }
}

const REFUSED: CallError = CallError::Failed("rind refused the lengths");
