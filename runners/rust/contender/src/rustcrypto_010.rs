//! RustCrypto's hashes of `digest` 0.10. Both runners host them: one in portable Rust, the other
//! with the feature `asm`.

use crate::hash::{Hash, put};
use crate::key::Keyed;
use crate::mac::Mac;
use digest_010::Digest;
pub use hmac_012::Hmac;
use hmac_012::digest::KeyInit;

/// A hash of `digest` 0.10, called as its documentation shows: `new`, `update`, `finalize`.
#[derive(Clone)]
pub struct Hash010<D>(D);

impl<D: Digest + Clone + 'static> Hash for Hash010<D> {
    #[inline(always)]
    fn new() -> Self {
        Hash010(D::new())
    }

    #[inline(always)]
    fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    #[inline(always)]
    fn finish(self, output: &mut [u8]) -> usize {
        put(&self.0.finalize(), output)
    }
}

/// A MAC of `digest` 0.10; its keyed state is cloned for each message.
pub struct Mac010<M>(M);

impl<M: KeyInit + Send + Sync + 'static> Keyed for Mac010<M> {
    #[inline(always)]
    fn new(key: &[u8]) -> Result<Self, &'static str> {
        M::new_from_slice(key).map(Mac010).map_err(|_| "takes no key of this length")
    }
}

impl<M: hmac_012::Mac + KeyInit + Clone + Send + Sync + 'static> Mac for Mac010<M> {
    #[inline(always)]
    fn tag_pieces<'a>(&self, pieces: impl Iterator<Item = &'a [u8]>, output: &mut [u8]) -> usize {
        let mut mac = self.0.clone();
        pieces.for_each(|piece| mac.update(piece));
        put(&mac.finalize().into_bytes(), output)
    }
}
