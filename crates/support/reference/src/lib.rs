//! The reference for contenders: every primitive that the tool can check, computed mostly by the
//! RustCrypto crates. Nothing else of the tool is here, so that a debug build can optimise it:
//! without that, tests would compute for minutes.

pub mod aead;

use aead::Aead;
use aes::Aes128;
use aes_gcm::{Aes128Gcm, Aes256Gcm};
use aes_gcm_siv::Aes256GcmSiv;
use blake2::{Blake2b512, Blake2s256};
use chacha20poly1305::{ChaCha20Poly1305, XChaCha20Poly1305};
use cmac::Cmac;
use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512, Sha512_256};
use sha3::Sha3_256;
use shake::{ExtendableOutput as _, Shake128, Update as _, XofReader as _};
use siphasher::{sip, sip128};
use std::fs::File;
use std::io::{self, Read};
use wyhash_final4::WyHash64;
use wyhash_final4::generics::WyHasher;

/// A primitive with its key schedule done.
pub enum Computation {
    /// Without a key.
    Hash(Hash),
    /// With its key.
    Mac(Box<Tag>),
    /// With its key.
    Aead(Box<dyn Aead>),
}

/// A function without a key.
pub struct Hash {
    /// The function of one message.
    pub message: fn(&[u8]) -> Vec<u8>,
    /// The function of a file's whole content; marks have none.
    pub file: Option<OfFile>,
}

/// From an open file to its digest, or why it cannot be read.
pub type OfFile = fn(File) -> io::Result<Vec<u8>>;

/// From a message to its tag, under the key that it has.
pub type Tag = dyn Fn(&[u8]) -> Vec<u8> + Send + Sync;

/// A key whose length a primitive does not take.
#[derive(Debug)]
pub struct WrongKey;

/// The computation of a primitive, with a key, which is empty if it has none; `None` for a
/// primitive that is not here. This is the one place that names the crate behind a primitive.
///
/// # Errors
/// A key of a length that the primitive does not take.
pub fn computation(primitive: &str, key: &[u8]) -> Result<Option<Computation>, WrongKey> {
    Ok(Some(match primitive {
        "sha1" => digest::<Sha1>(),
        "sha256" => digest::<Sha256>(),
        "sha512" => digest::<Sha512>(),
        "sha512-256" => digest::<Sha512_256>(),
        "sha3-256" => digest::<Sha3_256>(),
        "shake128" => Computation::Hash(Hash {
            message: |message| shake128(message).expect("memory is read without errors"),
            file: Some(shake128),
        }),
        "blake2b" => digest::<Blake2b512>(),
        "blake2s" => digest::<Blake2s256>(),
        "blake3" => Computation::Hash(Hash {
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
        "empty" => mark(|_| vec![]),
        _ => return Ok(None),
    }))
}

fn digest<D: Digest>() -> Computation {
    Computation::Hash(Hash {
        message: |message| D::digest(message).to_vec(),
        file: Some(|file| hash_reader::<D>(file)),
    })
}

/// A hash without security, with the seed 0.
fn mark(message: fn(&[u8]) -> Vec<u8>) -> Computation {
    Computation::Hash(Hash { message, file: None })
}

fn mac<M: Mac + KeyInit + Clone + Send + Sync + 'static>(
    key: &[u8],
) -> Result<Computation, WrongKey> {
    let ready = <M as KeyInit>::new_from_slice(key).map_err(|_| WrongKey)?;
    Ok(keyed(move |message| {
        let mut mac = ready.clone();
        Mac::update(&mut mac, message);
        mac.finalize().into_bytes().to_vec()
    }))
}

fn keyed(mac: impl Fn(&[u8]) -> Vec<u8> + Send + Sync + 'static) -> Computation {
    Computation::Mac(Box::new(mac))
}

fn sip_key(key: &[u8]) -> Result<&[u8; 16], WrongKey> {
    key.try_into().map_err(|_| WrongKey)
}

fn aead<A: Aead + KeyInit + 'static>(key: &[u8]) -> Result<Computation, WrongKey> {
    Ok(Computation::Aead(Box::new(A::new_from_slice(key).map_err(|_| WrongKey)?)))
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

    fn mark(name: &str, message: &[u8]) -> u64 {
        let Ok(Some(Computation::Hash(hash))) = computation(name, &[]) else {
            panic!("{name} is not a hash");
        };
        u64::from_le_bytes((hash.message)(message).try_into().unwrap())
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
