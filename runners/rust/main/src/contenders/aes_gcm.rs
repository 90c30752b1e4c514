//! RustCrypto's AES-GCM.

use aes_gcm::aead::inout::InOutBuf;
use aes_gcm::{AeadInOut, Aes256Gcm, KeyInit};
use cupel_protocol::host::CallError;
use cupel_rust_contender::aead::{self, Aead, NONCE, TAG};
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
    code_path,
    offers: &[aead::seal::<Gcm>("aes-256-gcm"), aead::open::<Gcm>("aes-256-gcm")],
};

/// The crates select the code for AES and for the hash separately: aes 0.9 (src/lib.rs) and
/// polyval 0.7 (src/backend/intrinsics).
fn code_path(_primitive: &str) -> String {
    let aes = match aes_gcm::aes::hardware_accelerated() {
        true if cfg!(target_arch = "aarch64") => "Arm aes instructions",
        true => "aes-ni",
        false => "soft",
    };
    let polyval = match () {
        () if cpu::offers(&["avx", "pclmulqdq"]) => "pclmulqdq",
        () if cfg!(target_arch = "aarch64") && cpu::offers(&["aes"]) => "Arm pmull instruction",
        () => "soft",
    };
    format!("aes: {aes}, polyval: {polyval}")
}

struct Gcm(Aes256Gcm);

impl Keyed for Gcm {
    #[inline(always)]
    fn new(key: &[u8]) -> Result<Self, &'static str> {
        Aes256Gcm::new_from_slice(key).map(Gcm).map_err(|_| "takes keys of 32 bytes only")
    }
}

impl Aead for Gcm {
    #[inline(always)]
    fn seal(
        &self,
        nonce: &[u8; NONCE],
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
        nonce: &[u8; NONCE],
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
