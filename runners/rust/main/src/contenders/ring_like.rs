//! The interface of ring, which aws-lc-rs shares: one source for both crates.

/// Defines the types of the offers of both crates, and their `OFFERS` with the crate of this name,
/// of which `$more` are at the end. `$open` is where the crates differ: it takes the key, the
/// nonce, the associated data, the ciphertext, its tag and a buffer for the plaintext.
macro_rules! ring_like {
    ($library:ident, $open:ident $(, $more:expr)*) => {
        use cupel_protocol::host::CallError;
        use cupel_rust_contender::Offered;
        use cupel_rust_contender::aead::{self, Aead};
        use cupel_rust_contender::hash::{Hash, digest, put};
        use cupel_rust_contender::key::Keyed;
        use cupel_rust_contender::mac::{Mac, mac};

        const OFFERS: &[Offered] = &[
            digest::<Sha1>("sha1"),
            digest::<Sha256>("sha256"),
            digest::<Sha512>("sha512"),
            digest::<Sha512Of256>("sha512-256"),
            mac::<HmacSha256>("hmac-sha256"),
            mac::<HmacSha512>("hmac-sha512"),
            aead::seal::<{ aead::NONCE }, Aes128Gcm>("aes-128-gcm"),
            aead::open::<{ aead::NONCE }, Aes128Gcm>("aes-128-gcm"),
            aead::seal::<{ aead::NONCE }, Aes256Gcm>("aes-256-gcm"),
            aead::open::<{ aead::NONCE }, Aes256Gcm>("aes-256-gcm"),
            aead::seal::<{ aead::NONCE }, ChaCha20Poly1305>("chacha20-poly1305"),
            aead::open::<{ aead::NONCE }, ChaCha20Poly1305>("chacha20-poly1305"),
            $($more),*
        ];

        super::ring_like::hash!($library, Sha1, SHA1_FOR_LEGACY_USE_ONLY);
        super::ring_like::hash!($library, Sha256, SHA256);
        super::ring_like::hash!($library, Sha512, SHA512);
        super::ring_like::hash!($library, Sha512Of256, SHA512_256);
        super::ring_like::hmac!($library, HmacSha256, HMAC_SHA256);
        super::ring_like::hmac!($library, HmacSha512, HMAC_SHA512);
        super::ring_like::less_safe_key!($library, $open, Aes128Gcm, AES_128_GCM);
        super::ring_like::less_safe_key!($library, $open, Aes256Gcm, AES_256_GCM);
        super::ring_like::less_safe_key!($library, $open, ChaCha20Poly1305, CHACHA20_POLY1305);
    };
}

/// HMAC: one-shot if the message is whole, `Context` if it is streamed.
macro_rules! hmac {
    ($library:ident, $name:ident, $algorithm:ident) => {
        struct $name($library::hmac::Key);

        impl Keyed for $name {
            #[inline(always)]
            fn new(key: &[u8]) -> Result<Self, &'static str> {
                Ok($name($library::hmac::Key::new($library::hmac::$algorithm, key)))
            }
        }

        impl Mac for $name {
            #[inline(always)]
            fn tag_pieces<'a>(
                &self,
                pieces: impl Iterator<Item = &'a [u8]>,
                output: &mut [u8],
            ) -> usize {
                let mut context = $library::hmac::Context::with_key(&self.0);
                pieces.for_each(|piece| context.update(piece));
                put(context.sign().as_ref(), output)
            }

            #[inline(always)]
            fn tag(&self, message: &[u8], output: &mut [u8]) -> usize {
                put($library::hmac::sign(&self.0, message).as_ref(), output)
            }
        }
    };
}

/// An AEAD with `LessSafeKey`, which takes the caller's nonces.
macro_rules! less_safe_key {
    ($library:ident, $open:ident, $name:ident, $algorithm:ident) => {
        struct $name($library::aead::LessSafeKey);

        impl Keyed for $name {
            #[inline(always)]
            fn new(key: &[u8]) -> Result<Self, &'static str> {
                use $library::aead::{LessSafeKey, UnboundKey, $algorithm};
                let key =
                    UnboundKey::new(&$algorithm, key).map_err(|_| "takes no key of this length")?;
                Ok($name(LessSafeKey::new(key)))
            }
        }

        impl Aead<{ aead::NONCE }> for $name {
            #[inline(always)]
            fn seal(
                &self,
                nonce: &[u8; aead::NONCE],
                ad: &[u8],
                plaintext: &[u8],
                ciphertext: &mut [u8],
                tag: &mut [u8; aead::TAG],
            ) -> Result<(), CallError> {
                use $library::aead::{Aad, Nonce};
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
                nonce: &[u8; aead::NONCE],
                ad: &[u8],
                ciphertext: &[u8],
                tag: &[u8; aead::TAG],
                plaintext: &mut [u8],
            ) -> Result<(), CallError> {
                $open(&self.0, nonce, ad, ciphertext, tag, plaintext)
                    .map_err(|_| CallError::Refused)
            }
        }
    };
}

/// A hash function: one-shot if the message is whole, `Context` if it is streamed.
macro_rules! hash {
    ($library:ident, $name:ident, $algorithm:ident) => {
        #[derive(Clone)]
        struct $name($library::digest::Context);

        impl Hash for $name {
            #[inline(always)]
            fn new() -> Self {
                $name($library::digest::Context::new(&$library::digest::$algorithm))
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
                let digest = $library::digest::digest(&$library::digest::$algorithm, message);
                put(digest.as_ref(), output)
            }
        }
    };
}

pub(super) use {hash, hmac, less_safe_key, ring_like};
