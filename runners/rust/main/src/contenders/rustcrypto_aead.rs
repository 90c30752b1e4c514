//! RustCrypto's AEADs: AES-GCM, AES-GCM-SIV and ChaCha20-Poly1305, with the traits of `aead` 0.6.
//! The runner of builds with wider vectors hosts them too.

use aead::array::ArraySize;
use aead::inout::InOutBuf;
use aead::{AeadCore, AeadInOut, KeyInit};
use aes_gcm::{Aes128Gcm, Aes256Gcm};
use aes_gcm_siv::Aes256GcmSiv;
use chacha20poly1305::{ChaCha20Poly1305, XChaCha20Poly1305};
use cupel_protocol::host::CallError;
use cupel_rust_contender::aead::{Aead, NONCE, TAG, XNONCE, open, seal};
use cupel_rust_contender::key::Keyed;
use cupel_rust_contender::{Contender, cpu, locked};

pub const AES_GCM: Contender = Contender {
    name: "aes-gcm",
    library: "aes-gcm",
    version: locked("aes-gcm", "0.11"),
    licence: "Apache-2.0 OR MIT",
    summary: "AeadInOut with a detached tag, from buffer to buffer",
    fixed_key: None,
    missing: || None,
    code_path: |_| format!("{}, {}", cpu::rustcrypto_aes(), cpu::rustcrypto_polyval()),
    offers: &[
        seal::<NONCE, Detached<Aes128Gcm>>("aes-128-gcm"),
        open::<NONCE, Detached<Aes128Gcm>>("aes-128-gcm"),
        seal::<NONCE, Detached<Aes256Gcm>>("aes-256-gcm"),
        open::<NONCE, Detached<Aes256Gcm>>("aes-256-gcm"),
    ],
};

pub const AES_GCM_SIV: Contender = Contender {
    name: "aes-gcm-siv",
    library: "aes-gcm-siv",
    licence: "MIT OR Apache-2.0",
    version: locked("aes-gcm-siv", "0.12"),
    offers: &[
        seal::<NONCE, Detached<Aes256GcmSiv>>("aes-256-gcm-siv"),
        open::<NONCE, Detached<Aes256GcmSiv>>("aes-256-gcm-siv"),
    ],
    ..AES_GCM
};

pub const CHACHA20POLY1305: Contender = Contender {
    name: "chacha20poly1305",
    library: "chacha20poly1305",
    version: locked("chacha20poly1305", "0.11"),
    code_path: |_| cpu::rustcrypto_chacha20_poly1305(),
    offers: &[
        seal::<NONCE, Detached<ChaCha20Poly1305>>("chacha20-poly1305"),
        open::<NONCE, Detached<ChaCha20Poly1305>>("chacha20-poly1305"),
        seal::<XNONCE, Detached<XChaCha20Poly1305>>("xchacha20-poly1305"),
        open::<XNONCE, Detached<XChaCha20Poly1305>>("xchacha20-poly1305"),
    ],
    ..AES_GCM
};

/// An AEAD called from buffer to buffer.
struct Detached<A>(A);

impl<A: KeyInit + Send + Sync + 'static> Keyed for Detached<A> {
    #[inline(always)]
    fn new(key: &[u8]) -> Result<Self, &'static str> {
        A::new_from_slice(key).map(Detached).map_err(|_| "takes no key of this length")
    }
}

impl<A, const N: usize> Aead<N> for Detached<A>
where
    A: AeadInOut + KeyInit + Send + Sync + 'static,
    <A as AeadCore>::NonceSize: ArraySize<ArrayType<u8> = [u8; N]>,
    <A as AeadCore>::TagSize: ArraySize<ArrayType<u8> = [u8; TAG]>,
{
    #[inline(always)]
    fn seal(
        &self,
        nonce: &[u8; N],
        ad: &[u8],
        plaintext: &[u8],
        ciphertext: &mut [u8],
        tag: &mut [u8; TAG],
    ) -> Result<(), CallError> {
        let made = InOutBuf::new(plaintext, ciphertext)
            .ok()
            .and_then(|text| self.0.encrypt_inout_detached(nonce.into(), ad, text).ok())
            .ok_or(CallError::Failed("encrypt_inout_detached"))?;
        *tag = made.into();
        Ok(())
    }

    #[inline(always)]
    fn open(
        &self,
        nonce: &[u8; N],
        ad: &[u8],
        ciphertext: &[u8],
        tag: &[u8; TAG],
        plaintext: &mut [u8],
    ) -> Result<(), CallError> {
        let text = InOutBuf::new(ciphertext, plaintext)
            .map_err(|_| CallError::Failed("buffers of two lengths"))?;
        self.0
            .decrypt_inout_detached(nonce.into(), ad, text, tag.into())
            .map_err(|_| CallError::Refused)
    }
}
