//! ring.

use cupel_rust_contender::aead::{NONCE, TAG};
use cupel_rust_contender::{Contender, cpu, file, locked};
use ring::aead::{Aad, LessSafeKey, Nonce};
use ring::error::Unspecified;

pub const RING: Contender = Contender {
    name: "ring",
    library: "ring",
    version: locked("ring", "0"),
    licence: "Apache-2.0 AND ISC",
    summary: "one-shot functions, Context where streamed; LessSafeKey in place after a copy of \
              the input to the output",
    fixed_key: None,
    missing: || None,
    code_path: |_| cpu::unreported(),
    offers: OFFERS,
};

pub const READ_1K: Contender = Contender {
    name: "ring-read-1k",
    summary: "BufReader<File>, read into 1 KiB, Context::update",
    offers: &[file::read_1k::<Sha256>("sha256")],
    ..RING
};

pub const COPY: Contender = Contender {
    name: "ring-copy",
    summary: "BufReader<File>, io::copy into a Write around Context",
    offers: &[file::copy::<Sha256>("sha256")],
    ..RING
};

super::ring_like::ring_like!(ring, open);

#[cfg(not(feature = "ring_016"))]
#[inline(always)]
fn open(
    key: &LessSafeKey,
    nonce: &[u8; NONCE],
    ad: &[u8],
    ciphertext: &[u8],
    tag: &[u8; TAG],
    plaintext: &mut [u8],
) -> Result<(), Unspecified> {
    plaintext.copy_from_slice(ciphertext);
    let nonce = Nonce::assume_unique_for_key(*nonce);
    key.open_in_place_separate_tag(nonce, Aad::from(ad), (*tag).into(), plaintext, 0..).map(|_| ())
}

/// This release opens only messages with their tag at the end.
#[cfg(feature = "ring_016")]
#[inline(always)]
fn open(
    key: &LessSafeKey,
    nonce: &[u8; NONCE],
    ad: &[u8],
    ciphertext: &[u8],
    tag: &[u8; TAG],
    plaintext: &mut [u8],
) -> Result<(), Unspecified> {
    let nonce = Nonce::assume_unique_for_key(*nonce);
    let mut whole = [ciphertext, tag].concat();
    plaintext.copy_from_slice(key.open_in_place(nonce, Aad::from(ad), &mut whole)?);
    Ok(())
}
