//! The reference: every primitive that the tool can check, computed mostly by the RustCrypto
//! crates. Its speed matters only where a run would wait for it.

use super::aead::Aead;
use crate::primitives::{self, EMPTY, TAG};
use aes::Aes128;
use aes_gcm::{Aes128Gcm, Aes256Gcm};
use aes_gcm_siv::Aes256GcmSiv;
use blake2::{Blake2b512, Blake2s256};
use chacha20poly1305::{ChaCha20Poly1305, XChaCha20Poly1305};
use cmac::Cmac;
use cupel_protocol::bytes::nonce_length;
use cupel_protocol::message::Refusal;
use cupel_protocol::workload::Operation;
use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512, Sha512_256};
use sha3::Sha3_256;
use shake::{ExtendableOutput as _, Shake128, Update as _, XofReader as _};
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
pub struct Ready {
    kind: Kind,
    /// Bytes of its nonces.
    nonce_length: usize,
}

enum Kind {
    Hash(Hash),
    Mac(Box<Tag>),
    Aead(Box<dyn Aead>),
}

/// A function without a key.
struct Hash {
    message: fn(&[u8]) -> Vec<u8>,
    /// Of all that can be read. Marks are not made for files.
    file: Option<OfFile>,
}

type OfFile = fn(File) -> io::Result<Vec<u8>>;

/// From a message to its tag, under the key that it has.
type Tag = dyn Fn(&[u8]) -> Vec<u8> + Send + Sync;

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
        // HMAC takes keys of any length.
        if !primitive.starts_with("hmac-") && key.len() != known.key {
            let (want, got) = (known.key, key.len());
            return Err(Refusal::because(format!(
                "{primitive} takes a key of {want} bytes, not {got}"
            )));
        }
        let kind = kind(primitive, key).map_err(|WrongKey| {
            Refusal::because(format!("{primitive} takes no key of {} bytes", key.len()))
        })?;
        let kind = kind.ok_or_else(|| {
            Refusal::because(format!(
                "the tool has no reference for the primitive {primitive}, although its catalogue \
                 lists it"
            ))
        })?;
        Ok(Ready { kind, nonce_length: nonce_length(primitive) })
    }

    /// Bytes of the nonce that sealing and opening take.
    pub fn nonce_length(&self) -> usize {
        self.nonce_length
    }

    /// The digest or tag of a message; empty if the primitive has neither.
    pub fn hash(&self, message: &[u8]) -> Vec<u8> {
        match &self.kind {
            Kind::Hash(hash) => (hash.message)(message),
            Kind::Mac(mac) => mac(message),
            Kind::Aead(_) => vec![],
        }
    }

    /// The digest of a file's content, which is never completely in memory.
    ///
    /// # Errors
    /// A file that cannot be read; a primitive that is not a hash.
    pub fn hash_file(&self, path: &Path) -> Result<Vec<u8>, Refusal> {
        let Kind::Hash(Hash { file: Some(hash), .. }) = &self.kind else {
            return Err(Refusal::because("this primitive has no digest of a file"));
        };
        File::open(path).and_then(hash).map_err(|e| Refusal {
            reason: format!("cannot read {}: {e}", path.display()),
            remedy: Some("give a file that this user may read".to_string()),
        })
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
    /// A nonce of the wrong length, a primitive that does not seal.
    pub fn seal_in_place(
        &self,
        nonce: &[u8],
        ad: &[u8],
        text: &mut Vec<u8>,
    ) -> Result<(), Refusal> {
        self.aead()?.seal(nonce, ad, text)
    }

    /// The plaintext of a ciphertext followed by its tag.
    ///
    /// # Errors
    /// An input that is not authentic, and the errors of [`Ready::seal_in_place`].
    pub fn open(&self, nonce: &[u8], ad: &[u8], sealed: &[u8]) -> Result<Vec<u8>, Refusal> {
        let mut text = sealed.to_vec();
        self.aead()?.open(nonce, ad, &mut text)?;
        Ok(text)
    }

    fn aead(&self) -> Result<&dyn Aead, Refusal> {
        match &self.kind {
            Kind::Aead(aead) => Ok(&**aead),
            _ => Err(Refusal::because("this primitive neither seals nor opens")),
        }
    }
}

/// A key whose length a primitive does not take.
struct WrongKey;

/// The computation of a primitive; `None` for one that is not here. This is the one place that
/// names the crate behind a primitive.
fn kind(primitive: &str, key: &[u8]) -> Result<Option<Kind>, WrongKey> {
    Ok(Some(match primitive {
        "sha1" => digest::<Sha1>(),
        "sha256" => digest::<Sha256>(),
        "sha512" => digest::<Sha512>(),
        "sha512-256" => digest::<Sha512_256>(),
        "sha3-256" => digest::<Sha3_256>(),
        "shake128" => Kind::Hash(Hash {
            message: |message| shake128(message).expect("memory is read without errors"),
            file: Some(shake128),
        }),
        "blake2b" => digest::<Blake2b512>(),
        "blake2s" => digest::<Blake2s256>(),
        "blake3" => Kind::Hash(Hash {
            message: |message| blake3::hash(message).as_bytes().to_vec(),
            file: Some(|file| {
                let mut hasher = blake3::Hasher::new();
                hasher.update_reader(file)?;
                Ok(hasher.finalize().as_bytes().to_vec())
            }),
        }),
        "hmac-sha256" => mac::<Hmac<Sha256>>(key)?,
        "hmac-sha512" => mac::<Hmac<Sha512>>(key)?,
        "aes-cmac" => mac::<Cmac<Aes128>>(key)?,
        "blake3-keyed" => {
            let key = key.try_into().map_err(|_| WrongKey)?;
            keyed(move |message| blake3::keyed_hash(&key, message).as_bytes().to_vec())
        }
        "siphash-1-3" => {
            let sip = sip::SipHasher13::new_with_key(sip_key(key)?);
            keyed(move |message| sip.hash(message).to_le_bytes().to_vec())
        }
        "siphash-2-4" => {
            let sip = sip::SipHasher24::new_with_key(sip_key(key)?);
            keyed(move |message| sip.hash(message).to_le_bytes().to_vec())
        }
        "siphash-1-3-128" => {
            let sip = sip128::SipHasher13::new_with_key(sip_key(key)?);
            keyed(move |message| sip.hash(message).as_bytes().to_vec())
        }
        "siphash-2-4-128" => {
            let sip = sip128::SipHasher24::new_with_key(sip_key(key)?);
            keyed(move |message| sip.hash(message).as_bytes().to_vec())
        }
        "aes-128-gcm" => aead::<Aes128Gcm>(key)?,
        "aes-256-gcm" => aead::<Aes256Gcm>(key)?,
        "aes-256-gcm-siv" => aead::<Aes256GcmSiv>(key)?,
        "chacha20-poly1305" => aead::<ChaCha20Poly1305>(key)?,
        "xchacha20-poly1305" => aead::<XChaCha20Poly1305>(key)?,
        "murmur3-32" => mark(|m| murmur3_32(m, 0).to_le_bytes().to_vec()),
        "murmur3-128" => mark(|m| murmur3_128(m, 0).to_le_bytes().to_vec()),
        "xxh3-64" => mark(|m| xxhash_rust::xxh3::xxh3_64(m).to_le_bytes().to_vec()),
        "wyhash-final-4" => mark(|m| wyhash(m, 0).to_le_bytes().to_vec()),
        "komihash-5-0" => mark(|m| komihash::komihash(m, 0).to_le_bytes().to_vec()),
        "rapidhash-3" => mark(|m| rapidhash::v3::rapidhash_v3(m).to_le_bytes().to_vec()),
        EMPTY => mark(|_| vec![]),
        _ => return Ok(None),
    }))
}

fn digest<D: Digest>() -> Kind {
    Kind::Hash(Hash {
        message: |message| D::digest(message).to_vec(),
        file: Some(|file| hash_reader::<D>(file)),
    })
}

/// A hash without security, with the seed 0.
fn mark(message: fn(&[u8]) -> Vec<u8>) -> Kind {
    Kind::Hash(Hash { message, file: None })
}

fn mac<M: Mac + KeyInit + Clone + Send + Sync + 'static>(key: &[u8]) -> Result<Kind, WrongKey> {
    let ready = <M as KeyInit>::new_from_slice(key).map_err(|_| WrongKey)?;
    Ok(keyed(move |message| {
        let mut mac = ready.clone();
        Mac::update(&mut mac, message);
        mac.finalize().into_bytes().to_vec()
    }))
}

fn keyed(mac: impl Fn(&[u8]) -> Vec<u8> + Send + Sync + 'static) -> Kind {
    Kind::Mac(Box::new(mac))
}

fn sip_key(key: &[u8]) -> Result<&[u8; 16], WrongKey> {
    key.try_into().map_err(|_| WrongKey)
}

fn aead<A: Aead + KeyInit + 'static>(key: &[u8]) -> Result<Kind, WrongKey> {
    Ok(Kind::Aead(Box::new(A::new_from_slice(key).map_err(|_| WrongKey)?)))
}

fn shake128(from: impl Read) -> io::Result<Vec<u8>> {
    let mut hasher = Shake128::default();
    pieces(from, |piece| hasher.update(piece))?;
    let mut out = vec![0; 32];
    hasher.finalize_xof().read(&mut out);
    Ok(out)
}

fn hash_reader<D: Digest>(from: impl Read) -> io::Result<Vec<u8>> {
    let mut digest = D::new();
    pieces(from, |piece| digest.update(piece))?;
    Ok(digest.finalize().to_vec())
}

/// Reads to the end, in pieces.
fn pieces(mut from: impl Read, mut take: impl FnMut(&[u8])) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 16];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(n) => take(&buffer[..n]),
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
            let (name, key, nonce) =
                (primitive.name, vec![7; primitive.key], vec![1; primitive.nonce]);
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
