//! The interface of ring, which aws-lc-rs shares: one source for both crates.

/// Defines `Sha1`, `Sha256`, `Sha512`, `HmacSha256` and `Aes256Gcm` with the crate of this name,
/// and their `OFFERS`. `$open` is where the crates differ: it takes the key, the nonce, the associated
/// data, the ciphertext, its tag and a buffer for the plaintext.
macro_rules! ring_like {
    ($library:ident, $open:ident) => {
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
            mac::<HmacSha256>("hmac-sha256"),
            aead::seal::<Aes256Gcm>("aes-256-gcm"),
            aead::open::<Aes256Gcm>("aes-256-gcm"),
        ];

        super::ring_like::hash!($library, Sha1, SHA1_FOR_LEGACY_USE_ONLY);
        super::ring_like::hash!($library, Sha256, SHA256);
        super::ring_like::hash!($library, Sha512, SHA512);

        struct HmacSha256($library::hmac::Key);

        impl Keyed for HmacSha256 {
            #[inline(always)]
            fn new(key: &[u8]) -> Result<Self, &'static str> {
                use $library::hmac::{HMAC_SHA256, Key};
                Ok(HmacSha256(Key::new(HMAC_SHA256, key)))
            }
        }

        impl Mac for HmacSha256 {
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

        struct Aes256Gcm($library::aead::LessSafeKey);

        impl Keyed for Aes256Gcm {
            #[inline(always)]
            fn new(key: &[u8]) -> Result<Self, &'static str> {
                use $library::aead::{AES_256_GCM, LessSafeKey, UnboundKey};
                let key = UnboundKey::new(&AES_256_GCM, key)
                    .map_err(|_| "takes keys of 32 bytes only")?;
                Ok(Aes256Gcm(LessSafeKey::new(key)))
            }
        }

        impl Aead for Aes256Gcm {
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

pub(super) use hash;
pub(super) use ring_like;
