//! aws-lc-rs: AWS-LC behind the interface of ring.

use aws_lc_rs::aead::{Aad, LessSafeKey, Nonce};
use aws_lc_rs::cmac;
use aws_lc_rs::error::Unspecified;
use cupel_rust_contender::aead::{NONCE, TAG};
use cupel_rust_contender::{Contender, cpu, file, locked};

pub const AWS_LC_RS: Contender = Contender {
    name: "aws-lc-rs",
    library: "aws-lc-rs",
    version: locked("aws-lc-rs", "1"),
    licence: "ISC AND (Apache-2.0 OR ISC)",
    summary: "one-shot functions, Context where streamed; LessSafeKey: seals in place after a \
              copy of the input to the output, opens from buffer to buffer",
    fixed_key: None,
    missing: || None,
    code_path: |_| cpu::unreported(),
    offers: OFFERS,
};

pub const READ_1K: Contender = Contender {
    name: "aws-lc-rs-read-1k",
    summary: "BufReader<File>, read into 1 KiB, Context::update",
    offers: &[file::read_1k::<Sha256>("sha256")],
    ..AWS_LC_RS
};

super::ring_like::ring_like!(
    aws_lc_rs,
    open,
    digest::<Sha3Of256>("sha3-256"),
    mac::<AesCmac>("aes-cmac"),
    aead::seal::<NONCE, Aes256GcmSiv>("aes-256-gcm-siv"),
    aead::open::<NONCE, Aes256GcmSiv>("aes-256-gcm-siv")
);
super::ring_like::hash!(aws_lc_rs, Sha3Of256, SHA3_256);
super::ring_like::less_safe_key!(aws_lc_rs, open, Aes256GcmSiv, AES_256_GCM_SIV);

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
    key.open_separate_gather(nonce, Aad::from(ad), ciphertext, tag, plaintext)
}

struct AesCmac(cmac::Key);

impl Keyed for AesCmac {
    #[inline(always)]
    fn new(key: &[u8]) -> Result<Self, &'static str> {
        let key = cmac::Key::new(cmac::AES_128, key);
        key.map(AesCmac).map_err(|_| "takes keys of 16 bytes only")
    }
}

impl Mac for AesCmac {
    #[inline(always)]
    fn tag_pieces<'a>(&self, pieces: impl Iterator<Item = &'a [u8]>, output: &mut [u8]) -> usize {
        let mut context = cmac::Context::with_key(&self.0);
        pieces.for_each(|piece| context.update(piece).expect("it has memory"));
        put(context.sign().expect("it has memory").as_ref(), output)
    }

    #[inline(always)]
    fn tag(&self, message: &[u8], output: &mut [u8]) -> usize {
        put(cmac::sign(&self.0, message).expect("it has memory").as_ref(), output)
    }
}
