//! Hashes and MACs of `digest` 0.11, RustCrypto's traits, called as their documentation shows.

use cupel_rust_contender::hash::{Hash, put};
use cupel_rust_contender::key::Keyed;
use cupel_rust_contender::mac::Mac;
use hmac_013::KeyInit;
use sha2_011::Digest;
use shake::{ExtendableOutput, Update};

/// A hash: `new`, `update`, `finalize`.
#[derive(Clone)]
pub struct Hash011<D>(D);

impl<D: Digest + Clone + 'static> Hash for Hash011<D> {
    #[inline(always)]
    fn new() -> Self {
        Hash011(D::new())
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

/// A function whose output has any length, of which `N` bytes are taken: `default`, `update`,
/// `finalize_xof_into`.
#[derive(Clone)]
pub struct Xof011<X, const N: usize>(X);

impl<X: ExtendableOutput + Update + Default + Clone + 'static, const N: usize> Hash
    for Xof011<X, N>
{
    #[inline(always)]
    fn new() -> Self {
        Xof011(X::default())
    }

    #[inline(always)]
    fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    #[inline(always)]
    fn finish(self, output: &mut [u8]) -> usize {
        self.0.finalize_xof_into(&mut output[..N]);
        N
    }
}

/// A MAC; its keyed state is cloned for each message.
pub struct Mac011<M>(M);

impl<M: KeyInit + Send + Sync + 'static> Keyed for Mac011<M> {
    #[inline(always)]
    fn new(key: &[u8]) -> Result<Self, &'static str> {
        M::new_from_slice(key).map(Mac011).map_err(|_| "takes no key of this length")
    }
}

impl<M: cmac::Mac + KeyInit + Clone + Send + Sync + 'static> Mac for Mac011<M> {
    #[inline(always)]
    fn tag_pieces<'a>(&self, pieces: impl Iterator<Item = &'a [u8]>, output: &mut [u8]) -> usize {
        let mut mac = self.0.clone();
        pieces.for_each(|piece| mac.update(piece));
        put(&mac.finalize().into_bytes(), output)
    }
}
