//! The reference: every primitive that the tool can check, computed mostly by the RustCrypto
//! crates. Its speed matters only where a run would wait for it.

use crate::primitives::{self, EMPTY, TAG};
use aes_gcm::aead::AeadInPlace;
use aes_gcm::{Aes256Gcm, KeyInit as _, Nonce, Tag};
use cupel_protocol::message::Refusal;
use cupel_protocol::workload::Operation;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};
use siphasher::{sip, sip128};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use wyhash_final4::WyHash64;
use wyhash_final4::generics::WyHasher;

/// The correct output: digest, tag, ciphertext followed by the tag, plaintext, or the last two one
/// after the other. `input` is the path of a file for `digest-file`, and one message for
/// `digest-many`.
///
/// # Errors
/// What the primitive does not define (such as the length of a key or nonce), a file that cannot be
/// read, and for `open` an input that is not authentic.
pub fn compute(
    primitive: &str,
    operation: Operation,
    key: &[u8],
    nonce: &[u8],
    ad: &[u8],
    input: &[u8],
) -> Result<Vec<u8>, Refusal> {
    let ready = Ready::new(primitive, operation, key)?;
    match operation {
        Operation::Digest | Operation::DigestMany | Operation::Mac => Ok(ready.hash(input)),
        Operation::DigestFile => {
            let path = std::str::from_utf8(input)
                .map_err(|_| Refusal::because("the path of the file is not UTF-8"))?;
            ready.hash_file(Path::new(path))
        }
        Operation::Seal => ready.seal(nonce, ad, input),
        Operation::Open => ready.open(nonce, ad, input),
        Operation::SealOpen => ready.seal_open(nonce, ad, input),
    }
}

/// A primitive with its key schedule done.
pub struct Ready(Kind);

enum Kind {
    Empty,
    Sha1,
    Sha256,
    Sha512,
    Blake3,
    /// A hash without a key, with the seed 0.
    Mark(fn(&[u8]) -> Vec<u8>),
    HmacSha256(Hmac<Sha256>),
    SipHash13(sip::SipHasher13),
    SipHash24(sip::SipHasher24),
    SipHash13x(sip128::SipHasher13),
    SipHash24x(sip128::SipHasher24),
    Aes256Gcm(Box<Aes256Gcm>),
}

impl Ready {
    /// Prepares a primitive for an operation with a key, which is empty if it has none.
    ///
    /// # Errors
    /// A primitive or operation that the tool does not know, a key of the wrong length.
    pub fn new(primitive: &str, operation: Operation, key: &[u8]) -> Result<Ready, Refusal> {
        let Some(known) = primitives::named(primitive) else {
            let names: Vec<_> = primitives::all().iter().map(|p| p.name).collect();
            return Err(Refusal {
                reason: format!("the tool has no reference for the primitive {primitive}"),
                remedy: Some(format!("name one of {}", names.join(", "))),
            });
        };
        if !known.operations.contains(&operation) {
            return Err(Refusal::because(format!("{primitive} has no operation {operation}")));
        }
        let wrong_key = || {
            let (want, got) = (known.key, key.len());
            Refusal::because(format!("{primitive} takes a key of {want} bytes, not {got}"))
        };
        let sip = || <&[u8; 16]>::try_from(key).map_err(|_| wrong_key());
        let kind = match primitive {
            "hmac-sha256" => Kind::HmacSha256(Hmac::new_from_slice(key).map_err(|_| wrong_key())?),
            "siphash-1-3" => Kind::SipHash13(sip::SipHasher13::new_with_key(sip()?)),
            "siphash-2-4" => Kind::SipHash24(sip::SipHasher24::new_with_key(sip()?)),
            "siphash-1-3-128" => Kind::SipHash13x(sip128::SipHasher13::new_with_key(sip()?)),
            "siphash-2-4-128" => Kind::SipHash24x(sip128::SipHasher24::new_with_key(sip()?)),
            "aes-256-gcm" => {
                Kind::Aes256Gcm(Box::new(Aes256Gcm::new_from_slice(key).map_err(|_| wrong_key())?))
            }
            _ if known.key == 0 && !key.is_empty() => return Err(wrong_key()),
            "sha1" => Kind::Sha1,
            "sha256" => Kind::Sha256,
            "sha512" => Kind::Sha512,
            "blake3" => Kind::Blake3,
            "murmur3-32" => Kind::Mark(|m| murmur3_32(m, 0).to_le_bytes().to_vec()),
            "murmur3-128" => Kind::Mark(|m| murmur3_128(m, 0).to_le_bytes().to_vec()),
            "xxh3-64" => Kind::Mark(|m| xxhash_rust::xxh3::xxh3_64(m).to_le_bytes().to_vec()),
            "wyhash-final-4" => Kind::Mark(|m| wyhash(m, 0).to_le_bytes().to_vec()),
            "komihash-5-0" => Kind::Mark(|m| komihash::komihash(m, 0).to_le_bytes().to_vec()),
            "rapidhash-3" => Kind::Mark(|m| rapidhash::v3::rapidhash_v3(m).to_le_bytes().to_vec()),
            EMPTY => Kind::Empty,
            _ => {
                return Err(Refusal::because(format!(
                    "the tool has no reference for the primitive {primitive}, although its catalogue \
                     lists it"
                )));
            }
        };
        Ok(Ready(kind))
    }

    /// The digest or tag of a message; empty if the primitive has neither.
    pub fn hash(&self, message: &[u8]) -> Vec<u8> {
        match &self.0 {
            Kind::Empty | Kind::Aes256Gcm(_) => vec![],
            Kind::Sha1 => Sha1::digest(message).to_vec(),
            Kind::Sha256 => Sha256::digest(message).to_vec(),
            Kind::Sha512 => Sha512::digest(message).to_vec(),
            Kind::Blake3 => blake3::hash(message).as_bytes().to_vec(),
            Kind::Mark(hash) => hash(message),
            Kind::HmacSha256(mac) => {
                let mut mac = mac.clone();
                mac.update(message);
                mac.finalize().into_bytes().to_vec()
            }
            Kind::SipHash13(sip) => sip.hash(message).to_le_bytes().to_vec(),
            Kind::SipHash24(sip) => sip.hash(message).to_le_bytes().to_vec(),
            Kind::SipHash13x(sip) => sip.hash(message).as_bytes().to_vec(),
            Kind::SipHash24x(sip) => sip.hash(message).as_bytes().to_vec(),
        }
    }

    /// The digest of a file's content, which is never completely in memory.
    ///
    /// # Errors
    /// A file that cannot be read; a primitive that is not a hash.
    pub fn hash_file(&self, path: &Path) -> Result<Vec<u8>, Refusal> {
        let read = || -> io::Result<Option<Vec<u8>>> {
            let file = File::open(path)?;
            Ok(match &self.0 {
                Kind::Sha1 => Some(hash_reader::<Sha1>(file)?),
                Kind::Sha256 => Some(hash_reader::<Sha256>(file)?),
                Kind::Sha512 => Some(hash_reader::<Sha512>(file)?),
                Kind::Blake3 => {
                    let mut hasher = blake3::Hasher::new();
                    hasher.update_reader(file)?;
                    Some(hasher.finalize().as_bytes().to_vec())
                }
                _ => None,
            })
        };
        read()
            .map_err(|e| Refusal {
                reason: format!("cannot read {}: {e}", path.display()),
                remedy: Some("give a file that this user may read".to_string()),
            })?
            .ok_or_else(|| Refusal::because("this primitive has no digest of a file"))
    }

    /// Ciphertext followed by the tag.
    ///
    /// # Errors
    /// As [`Ready::seal_in_place`].
    pub fn seal(&self, nonce: &[u8], ad: &[u8], plaintext: &[u8]) -> Result<Vec<u8>, Refusal> {
        let mut out = Vec::with_capacity(plaintext.len() + TAG);
        out.extend_from_slice(plaintext);
        self.seal_in_place(nonce, ad, &mut out)?;
        Ok(out)
    }

    /// The result of a round trip: ciphertext, tag, and the plaintext again.
    ///
    /// # Errors
    /// As [`Ready::seal_in_place`].
    pub fn seal_open(&self, nonce: &[u8], ad: &[u8], plaintext: &[u8]) -> Result<Vec<u8>, Refusal> {
        let mut out = self.seal(nonce, ad, plaintext)?;
        out.extend_from_slice(plaintext);
        Ok(out)
    }

    /// Replaces the plaintext in `text` by the ciphertext followed by the tag.
    ///
    /// # Errors
    /// A nonce that does not have 12 bytes, a primitive that does not seal.
    pub fn seal_in_place(
        &self,
        nonce: &[u8],
        ad: &[u8],
        text: &mut Vec<u8>,
    ) -> Result<(), Refusal> {
        let tag = self
            .gcm(nonce)?
            .encrypt_in_place_detached(Nonce::from_slice(nonce), ad, text)
            .map_err(|_| Refusal::because("longer than AES-GCM allows"))?;
        text.extend_from_slice(&tag);
        Ok(())
    }

    /// The plaintext of a ciphertext followed by its tag.
    ///
    /// # Errors
    /// An input that is not authentic, and the errors of [`Ready::seal_in_place`].
    pub fn open(&self, nonce: &[u8], ad: &[u8], sealed: &[u8]) -> Result<Vec<u8>, Refusal> {
        let gcm = self.gcm(nonce)?;
        let forged = || Refusal::because("not authentic");
        let at = sealed.len().checked_sub(TAG).ok_or_else(forged)?;
        let (ciphertext, tag) = sealed.split_at(at);
        let mut out = ciphertext.to_vec();
        gcm.decrypt_in_place_detached(Nonce::from_slice(nonce), ad, &mut out, Tag::from_slice(tag))
            .map_err(|_| forged())?;
        Ok(out)
    }

    fn gcm(&self, nonce: &[u8]) -> Result<&Aes256Gcm, Refusal> {
        match &self.0 {
            Kind::Aes256Gcm(gcm) if nonce.len() == 12 => Ok(gcm),
            Kind::Aes256Gcm(_) => Err(Refusal::because(format!(
                "the reference takes nonces of 12 bytes, not {}",
                nonce.len()
            ))),
            _ => Err(Refusal::because("this primitive neither seals nor opens")),
        }
    }
}

fn hash_reader<D: Digest>(mut from: impl Read) -> io::Result<Vec<u8>> {
    let mut digest = D::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(digest.finalize().to_vec()),
            Ok(n) => digest.update(&buffer[..n]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

fn murmur3_32(mut message: &[u8], seed: u32) -> u32 {
    murmur3::murmur3_32(&mut message, seed).expect("memory is read without errors")
}

fn wyhash(message: &[u8], seed: u64) -> u64 {
    WyHasher::<WyHash64>::from_seed(seed).hash(message)
}

fn murmur3_128(mut message: &[u8], seed: u32) -> u128 {
    murmur3::murmur3_x64_128(&mut message, seed).expect("memory is read without errors")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_digest_and_tag_has_the_length_that_the_catalogue_states() {
        for known in primitives::all() {
            let key = vec![0; known.key];
            for &operation in known.operations {
                if matches!(operation, Operation::Digest | Operation::Mac) {
                    let ready = Ready::new(known.name, operation, &key).unwrap();
                    assert_eq!(ready.hash(b"message").len(), known.output, "{}", known.name);
                }
            }
        }
    }

    /// SMHasher's verification value of a hash: the hash of the hashes of 0, 1, ... 255 bytes, the
    /// first with the seed 256, the next with 255, and so on; its first four bytes.
    fn smhasher(hash: impl Fn(&[u8], u32) -> Vec<u8>) -> u32 {
        let key: Vec<u8> = (0..=255).collect();
        let all: Vec<u8> = (0..256).flat_map(|len| hash(&key[..len], 256 - len as u32)).collect();
        u32::from_le_bytes(hash(&all, 0)[..4].try_into().unwrap())
    }

    #[test]
    fn murmur3_has_the_verification_values_that_its_author_publishes() {
        // SMHasher, main.cpp.
        assert_eq!(smhasher(|m, seed| murmur3_32(m, seed).to_le_bytes().to_vec()), 0xb0f5_7ee3);
        assert_eq!(smhasher(|m, seed| murmur3_128(m, seed).to_le_bytes().to_vec()), 0x6384_ba69);
    }

    /// A primitive without a reference would fail every contender that offers it.
    #[test]
    fn every_operation_of_the_catalogue_has_a_reference() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("message");
        let message = b"message";
        std::fs::write(&path, message).unwrap();
        for primitive in primitives::all() {
            let (name, key, nonce) = (primitive.name, vec![7; primitive.key], [1; 12]);
            for &operation in primitive.operations {
                let reference = |operation: Operation, input: &[u8]| {
                    compute(name, operation, &key, &nonce, b"ad", input)
                        .unwrap_or_else(|refusal| panic!("{name} {operation}: {}", refusal.reason))
                };
                let (input, length) = match operation {
                    Operation::Digest | Operation::DigestMany | Operation::Mac => {
                        (message.to_vec(), primitive.output)
                    }
                    Operation::DigestFile => {
                        (path.to_str().unwrap().as_bytes().to_vec(), primitive.output)
                    }
                    Operation::Seal => (message.to_vec(), message.len() + TAG),
                    Operation::SealOpen => (message.to_vec(), 2 * message.len() + TAG),
                    Operation::Open => (reference(Operation::Seal, message), message.len()),
                };
                assert_eq!(reference(operation, &input).len(), length, "{name} {operation}");
            }
        }
    }

    fn mark(name: &str, message: &[u8]) -> u64 {
        let digest = Ready::new(name, Operation::Digest, &[]).unwrap().hash(message);
        u64::from_le_bytes(digest.try_into().unwrap())
    }

    #[test]
    fn the_other_marks_have_the_values_that_their_authors_publish() {
        // xxHash's sanity test, wyhash's test vectors, komihash's README.
        assert_eq!(mark("xxh3-64", b""), 0x2d06_8005_38d3_94c2);
        assert_eq!(wyhash(b"", 0), 0x0409_638e_e2bd_e459);
        assert_eq!(wyhash(b"abc", 2), 0x32dd_92e4_b291_5153);
        assert_eq!(mark("komihash-5-0", b"The cat is out of the bag"), 0xd157_2352_1d3c_37b1);
    }
}
