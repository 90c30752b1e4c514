//! The reference for AEADs, whichever it is: the crates' own trait is not one that a value can
//! have.

use aes_gcm::aead::{AeadInOut, Nonce};
use cupel_protocol::message::Refusal;

/// Bytes of the tag of an AEAD: always the full 128 bits (SP 800-38D, section 5.2.1.2; RFC 8439,
/// section 2.8; RFC 8452, section 4).
pub const TAG: usize = 16;

/// An AEAD with its key schedule done. Ciphertexts are followed by their tag of 16 bytes.
pub trait Aead: Send + Sync {
    /// Replaces the plaintext in `text` by the ciphertext and its tag.
    ///
    /// # Errors
    /// A nonce of another length than the primitive's, a text longer than it allows.
    fn seal(&self, nonce: &[u8], ad: &[u8], text: &mut Vec<u8>) -> Result<(), Refusal>;

    /// Replaces ciphertext and tag in `text` by the plaintext.
    ///
    /// # Errors
    /// A nonce of another length than the primitive's, and a text that is not authentic.
    fn open(&self, nonce: &[u8], ad: &[u8], text: &mut Vec<u8>) -> Result<(), Refusal>;
}

impl<A: AeadInOut + Send + Sync> Aead for A {
    fn seal(&self, nonce: &[u8], ad: &[u8], text: &mut Vec<u8>) -> Result<(), Refusal> {
        text.reserve_exact(TAG);
        self.encrypt_in_place(sized::<A>(nonce)?, ad, text)
            .map_err(|_| Refusal::because("longer than this AEAD allows"))
    }

    fn open(&self, nonce: &[u8], ad: &[u8], text: &mut Vec<u8>) -> Result<(), Refusal> {
        self.decrypt_in_place(sized::<A>(nonce)?, ad, text)
            .map_err(|_| Refusal::because("not authentic"))
    }
}

fn sized<A: AeadInOut>(nonce: &[u8]) -> Result<&Nonce<A>, Refusal> {
    nonce.try_into().map_err(|_| {
        let (takes, given) = (size_of::<Nonce<A>>(), nonce.len());
        Refusal::because(format!("the reference takes nonces of {takes} bytes, not {given}"))
    })
}
