//! The answers of an honest contender: the real functions, by the RustCrypto crates.

use aes_gcm::Aes256Gcm;
use aes_gcm::aead::{Aead, KeyInit, Payload};
use cupel_protocol::message::{Answer, Offer};
use cupel_protocol::workload::Operation;
use hmac::{Hmac, Mac};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use siphasher::sip::SipHasher24;
use std::hash::Hasher;

/// A primitive that the sham offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Primitive {
    /// Nothing: an output of length 0. Every runner offers it to show its own overhead.
    Empty,
    /// SHA-256, FIPS 180-4.
    Sha256,
    /// HMAC-SHA-256, RFC 2104.
    HmacSha256,
    /// SipHash-2-4 (Aumasson and Bernstein, 2012): eight bytes, little-endian.
    #[serde(rename = "siphash-2-4")]
    Siphash24,
    /// AES-256-GCM, NIST SP 800-38D, with a nonce of 96 bits and a tag of 128.
    #[serde(rename = "aes-256-gcm")]
    Aes256Gcm,
}

impl Primitive {
    /// Every primitive.
    pub const ALL: [Primitive; 5] = [
        Primitive::Empty,
        Primitive::Sha256,
        Primitive::HmacSha256,
        Primitive::Siphash24,
        Primitive::Aes256Gcm,
    ];

    /// Its standard name.
    pub fn name(self) -> &'static str {
        match self {
            Primitive::Empty => "empty",
            Primitive::Sha256 => "sha256",
            Primitive::HmacSha256 => "hmac-sha256",
            Primitive::Siphash24 => "siphash-2-4",
            Primitive::Aes256Gcm => "aes-256-gcm",
        }
    }

    /// The operations on it.
    pub fn operations(self) -> &'static [Operation] {
        match self {
            Primitive::Empty => &[Operation::Digest],
            Primitive::Sha256 => &[Operation::Digest, Operation::DigestMany, Operation::DigestFile],
            Primitive::HmacSha256 | Primitive::Siphash24 => &[Operation::Mac],
            Primitive::Aes256Gcm => &[Operation::Seal, Operation::Open, Operation::SealOpen],
        }
    }

    /// Its offers in a contender's list.
    pub fn offers(self) -> impl Iterator<Item = Offer> {
        let primitive = self.name();
        self.operations().iter().map(move |&operation| Offer::new(primitive, operation))
    }

    /// Why this key is rejected, if it is.
    pub fn refuses_key(self, key: &[u8]) -> Option<String> {
        let wanted = match self {
            Primitive::Siphash24 => 16,
            Primitive::Aes256Gcm => 32,
            Primitive::Empty | Primitive::Sha256 | Primitive::HmacSha256 => return None,
        };
        let (name, got) = (self.name(), key.len());
        (got != wanted).then(|| format!("{name} takes a key of {wanted} bytes, not of {got}"))
    }

    /// The digests of a batch, whose messages fill `input` one after the other; of one message if
    /// there are no lengths.
    pub fn answer_many(self, lengths: &[u32], mut input: &[u8]) -> Answer {
        let mut digests = Vec::new();
        if lengths.is_empty() {
            return self.answer(Operation::DigestMany, &[], &[], &[], input);
        }
        for &length in lengths {
            let Some((message, rest)) = input.split_at_checked(length as usize) else {
                return Answer::Failed("the lengths do not add up to the input".to_string());
            };
            match self.answer(Operation::DigestMany, &[], &[], &[], message) {
                Answer::Output(digest) => digests.extend(digest),
                other => return other,
            }
            input = rest;
        }
        Answer::Output(digests)
    }

    /// The answer to one call. `input` is the file's content for `digest-file`, and one message for
    /// `digest-many`.
    pub fn answer(
        self,
        operation: Operation,
        key: &[u8],
        nonce: &[u8],
        ad: &[u8],
        input: &[u8],
    ) -> Answer {
        if let Some(reason) = self.refuses_key(key) {
            return Answer::Failed(reason);
        }
        match self {
            Primitive::Empty => Answer::Output(vec![]),
            Primitive::Sha256 => Answer::Output(Sha256::digest(input).to_vec()),
            Primitive::HmacSha256 => {
                let mut mac = <Hmac<Sha256> as hmac::KeyInit>::new_from_slice(key)
                    .expect("HMAC takes a key of any length");
                mac.update(input);
                Answer::Output(mac.finalize().into_bytes().to_vec())
            }
            Primitive::Siphash24 => {
                let key = key.try_into().expect("a key of 16 bytes");
                let mut hasher = SipHasher24::new_with_key(key);
                hasher.write(input);
                Answer::Output(hasher.finish().to_le_bytes().to_vec())
            }
            Primitive::Aes256Gcm => {
                let Ok(sized) = nonce.try_into() else {
                    let reason = format!("a nonce of {} bytes: only 12 are taken", nonce.len());
                    return Answer::Unsupported(reason);
                };
                let cipher = Aes256Gcm::new_from_slice(key).expect("a key of 32 bytes");
                let payload = Payload { msg: input, aad: ad };
                if operation.seals() {
                    let sealed = cipher.encrypt(sized, payload).map(|sealed| match operation {
                        Operation::SealOpen => [&sealed[..], input].concat(),
                        _ => sealed,
                    });
                    return sealed.map_or_else(|e| Answer::Failed(e.to_string()), Answer::Output);
                }
                let opened = cipher.decrypt(sized, payload);
                opened.map_or_else(|_| Answer::Refused("not authentic".into()), Answer::Output)
            }
        }
    }
}
