//! Cupel's C kernels for Rust: SHA-1, SHA-256, HMAC-SHA-256 and SipHash, of one message or of many
//! at once. Every operation uses the fastest code for this CPU. No branch, address or division
//! depends on a key or a message; lengths are public. All functions may be called from any number
//! of threads.
//!
//! ```
//! use cupel_kernels::{Sha256, digest::Digest, sha256, sha256_many};
//!
//! let whole = sha256(b"one message");
//! let pieces = Sha256::new_with_prefix("one ").chain_update("message");
//! assert_eq!(whole[..], pieces.finalize()[..]);
//! assert_eq!(sha256_many(&["one message", "two"])[0], whole);
//! ```

mod ffi;
mod hash;
mod hmac;
pub mod plan;
mod siphash;

pub use digest;
pub use hash::{Sha1, Sha256, sha1, sha1_many, sha256, sha256_code, sha256_many, sha256_many_code};
pub use hmac::HmacSha256;
pub use siphash::SipHash;

use std::ffi::c_void;

/// The addresses and lengths of messages, as the kernels take them.
fn parts<M: AsRef<[u8]>>(messages: &[M]) -> (Vec<*const c_void>, Vec<usize>) {
    messages.iter().map(|m| (m.as_ref().as_ptr().cast(), m.as_ref().len())).unzip()
}

/// Overwrites a value with zeros, even if it is never read again.
///
/// # Safety
/// All bytes zero must be a valid `T`, and the old value must need no drop.
unsafe fn wipe<T>(secret: &mut T) {
    // SAFETY: the memory belongs to the value.
    unsafe { ffi::cupel_wipe(std::ptr::from_mut(secret).cast(), size_of::<T>()) };
}
