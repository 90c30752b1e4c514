//! HMAC-SHA-256 (RFC 2104, FIPS 198-1) with a key that is prepared once.

use crate::{ffi, wipe};
use std::mem::MaybeUninit;

/// A prepared key. It is cleared when it is dropped.
#[derive(Clone)]
pub struct HmacSha256(ffi::HmacKey);

impl HmacSha256 {
    /// Prepares a key of any length.
    pub fn new(key: &[u8]) -> HmacSha256 {
        let mut key_state = MaybeUninit::uninit();
        // SAFETY: prepare writes the whole state, and the length is the key's.
        unsafe {
            ffi::cupel_hmac_sha256_prepare(key_state.as_mut_ptr(), key.as_ptr().cast(), key.len());
            HmacSha256(key_state.assume_init())
        }
    }

    /// The tag of a whole message.
    pub fn tag(&self, message: &[u8]) -> [u8; 32] {
        let mut tag = [0; 32];
        // SAFETY: all have the given lengths.
        unsafe {
            ffi::cupel_hmac_sha256(
                tag.as_mut_ptr(),
                &self.0,
                message.as_ptr().cast(),
                message.len(),
            );
        }
        tag
    }

    /// Whether the tag belongs to the message, compared in constant time.
    #[must_use]
    pub fn verify(&self, tag: &[u8; 32], message: &[u8]) -> bool {
        // SAFETY: all have the given lengths.
        unsafe {
            ffi::cupel_hmac_sha256_verify(
                tag.as_ptr(),
                &self.0,
                message.as_ptr().cast(),
                message.len(),
            ) == 1
        }
    }
}

impl Drop for HmacSha256 {
    fn drop(&mut self) {
        // SAFETY: only integers.
        unsafe { wipe(&mut self.0) };
    }
}
