//! rscrypto: hashes and AEADs in Rust, with code for the vectors of many CPUs.

use ::rscrypto::aead::expert::AeadWithNonce;
use ::rscrypto::aead::{Nonce96, Nonce192};
use ::rscrypto::{Digest, Xof};
use cupel_protocol::host::CallError;
use cupel_rust_contender::aead::{Aead, NONCE, TAG, XNONCE, open, seal};
use cupel_rust_contender::hash::{Hash, digest, put};
use cupel_rust_contender::key::Keyed;
use cupel_rust_contender::mac::{Mac, mac};
use cupel_rust_contender::{Contender, locked};

pub const RSCRYPTO: Contender = Contender {
    name: "rscrypto",
    library: "rscrypto",
    version: locked("rscrypto", "0"),
    licence: "MIT OR Apache-2.0",
    summary: "Digest::digest, update and finalize where streamed; AEADs in place after a copy of the \
              input to the output",
    fixed_key: None,
    missing: || None,
    code_path: |_| "unknown: selected by rscrypto, which does not report it".to_string(),
    offers: &[
        digest::<Hashed<::rscrypto::Sha256>>("sha256"),
        digest::<Hashed<::rscrypto::Sha512>>("sha512"),
        digest::<Hashed<::rscrypto::Sha512_256>>("sha512-256"),
        digest::<Hashed<::rscrypto::Sha3_256>>("sha3-256"),
        digest::<Shake128>("shake128"),
        digest::<Hashed<::rscrypto::Blake2b512>>("blake2b"),
        digest::<Hashed<::rscrypto::Blake2s256>>("blake2s"),
        digest::<Hashed<::rscrypto::Blake3>>("blake3"),
        mac::<Blake3Keyed>("blake3-keyed"),
        seal::<NONCE, Aes128Gcm>("aes-128-gcm"),
        open::<NONCE, Aes128Gcm>("aes-128-gcm"),
        seal::<NONCE, Aes256Gcm>("aes-256-gcm"),
        open::<NONCE, Aes256Gcm>("aes-256-gcm"),
        seal::<NONCE, Aes256GcmSiv>("aes-256-gcm-siv"),
        open::<NONCE, Aes256GcmSiv>("aes-256-gcm-siv"),
        seal::<NONCE, ChaCha20Poly1305>("chacha20-poly1305"),
        open::<NONCE, ChaCha20Poly1305>("chacha20-poly1305"),
        seal::<XNONCE, XChaCha20Poly1305>("xchacha20-poly1305"),
        open::<XNONCE, XChaCha20Poly1305>("xchacha20-poly1305"),
    ],
};

#[derive(Clone)]
struct Hashed<D>(D);

impl<D: Digest + 'static> Hash for Hashed<D> {
    #[inline(always)]
    fn new() -> Self {
        Hashed(D::new())
    }

    #[inline(always)]
    fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    #[inline(always)]
    fn finish(self, output: &mut [u8]) -> usize {
        put(self.0.finalize().as_ref(), output)
    }

    #[inline(always)]
    fn digest(message: &[u8], output: &mut [u8]) -> usize {
        put(D::digest(message).as_ref(), output)
    }
}

#[derive(Clone)]
struct Shake128(::rscrypto::Shake128);

/// Bytes of SHAKE128's output.
const SHAKE128: usize = 32;

impl Hash for Shake128 {
    #[inline(always)]
    fn new() -> Self {
        Shake128(::rscrypto::Shake128::new())
    }

    #[inline(always)]
    fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    #[inline(always)]
    fn finish(self, output: &mut [u8]) -> usize {
        self.0.finalize_xof().squeeze(&mut output[..SHAKE128]);
        SHAKE128
    }
}

/// The key is its own schedule.
struct Blake3Keyed([u8; 32]);

impl Keyed for Blake3Keyed {
    #[inline(always)]
    fn new(key: &[u8]) -> Result<Self, &'static str> {
        key.try_into().map(Blake3Keyed).map_err(|_| "takes keys of 32 bytes only")
    }
}

impl Mac for Blake3Keyed {
    #[inline(always)]
    fn tag_pieces<'a>(&self, pieces: impl Iterator<Item = &'a [u8]>, output: &mut [u8]) -> usize {
        let mut hasher = ::rscrypto::Blake3::new_keyed(&self.0);
        pieces.for_each(|piece| hasher.update(piece));
        put(hasher.finalize().as_ref(), output)
    }

    #[inline(always)]
    fn tag(&self, message: &[u8], output: &mut [u8]) -> usize {
        put(::rscrypto::Blake3::keyed_digest(&self.0, message).as_bytes(), output)
    }
}

/// An AEAD of the crate, with the type of its nonces and their length.
macro_rules! aead {
    ($name:ident, $nonce:ident, $length:ident) => {
        struct $name(::rscrypto::$name);

        impl Keyed for $name {
            #[inline(always)]
            fn new(key: &[u8]) -> Result<Self, &'static str> {
                let key = key.try_into().map_err(|_| "takes keys of another length")?;
                let key = <::rscrypto::$name as ::rscrypto::Aead>::Key::from_bytes(key);
                Ok($name(::rscrypto::$name::new(&key)))
            }
        }

        impl Aead<$length> for $name {
            #[inline(always)]
            fn seal(
                &self,
                nonce: &[u8; $length],
                ad: &[u8],
                plaintext: &[u8],
                ciphertext: &mut [u8],
                tag: &mut [u8; TAG],
            ) -> Result<(), CallError> {
                ciphertext.copy_from_slice(plaintext);
                let nonce = $nonce::from_bytes(*nonce);
                let made = self.0.encrypt_in_place(&nonce, ad, ciphertext);
                tag.copy_from_slice(made.map_err(|_| REFUSED)?.as_ref());
                Ok(())
            }

            #[inline(always)]
            fn open(
                &self,
                nonce: &[u8; $length],
                ad: &[u8],
                ciphertext: &[u8],
                tag: &[u8; TAG],
                plaintext: &mut [u8],
            ) -> Result<(), CallError> {
                plaintext.copy_from_slice(ciphertext);
                let nonce = $nonce::from_bytes(*nonce);
                let tag = ::rscrypto::$name::tag_from_slice(tag).map_err(|_| REFUSED)?;
                let opened = self.0.decrypt_in_place(&nonce, ad, plaintext, &tag);
                opened.map_err(|_| CallError::Refused)
            }
        }
    };
}

const REFUSED: CallError = CallError::Failed("rscrypto refused the lengths");

aead!(Aes128Gcm, Nonce96, NONCE);
aead!(Aes256Gcm, Nonce96, NONCE);
aead!(Aes256GcmSiv, Nonce96, NONCE);
aead!(ChaCha20Poly1305, Nonce96, NONCE);
aead!(XChaCha20Poly1305, Nonce192, XNONCE);
