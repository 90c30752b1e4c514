//! The catalogue of primitives that Cupel can check, with their keys and outputs.
//! The crate `cupel-reference` computes them.

mod names;
mod security;

pub use cupel_reference::aead::TAG;
pub use names::{instead_of, meant};
pub use security::security;

use cupel_protocol::workload::Operation;

/// The primitive that does nothing. It is called like all others.
pub const EMPTY: &str = "empty";

/// A primitive that the tool can check.
#[derive(Debug)]
pub struct Primitive {
    /// Its standard name.
    pub name: &'static str,
    /// Its name in sentences.
    pub title: &'static str,
    /// The operations on it.
    pub operations: &'static [Operation],
    /// Bytes of the key that it is measured with; 0 if it has none. HMAC takes any length.
    pub key: usize,
    /// Bytes of the nonce of its AEAD operations; 0 if it has none.
    pub nonce: usize,
    /// Bytes of the digest or tag. For a function with an output of any length, the measured
    /// length.
    pub output: usize,
    /// The document that defines it.
    pub standard: &'static str,
}

const HASH: &[Operation] = &[Operation::Digest, Operation::DigestMany, Operation::DigestFile];
const MAC: &[Operation] = &[Operation::Mac];
const AEAD: &[Operation] = &[Operation::Seal, Operation::Open, Operation::SealOpen];
const BLAKE3: &str = "O'Connor et al.: BLAKE3, 2020";
const SIPHASH: &str = "Aumasson, Bernstein: SipHash, INDOCRYPT 2012";

/// Unkeyed, with no security: they show the speed that is possible.
const MARK: &[Operation] = &[Operation::Digest];

static PRIMITIVES: [Primitive; 29] = [
    hash("sha1", "SHA-1", 20, "FIPS 180-4"),
    hash("sha256", "SHA-256", 32, "FIPS 180-4"),
    hash("sha512", "SHA-512", 64, "FIPS 180-4"),
    hash("sha512-256", "SHA-512/256", 32, "FIPS 180-4"),
    hash("sha3-256", "SHA3-256", 32, "FIPS 202"),
    // 32 bytes of output have all of its strength, 128 bits (FIPS 202, table 4).
    hash("shake128", "SHAKE128", 32, "FIPS 202"),
    hash("blake2b", "BLAKE2b-512", 64, "RFC 7693"),
    hash("blake2s", "BLAKE2s-256", 32, "RFC 7693"),
    hash("blake3", "BLAKE3", 32, BLAKE3),
    mac("hmac-sha256", "HMAC-SHA-256", 32, 32, "RFC 2104, FIPS 198-1"),
    mac("hmac-sha512", "HMAC-SHA-512", 64, 64, "RFC 2104, FIPS 198-1"),
    mac("aes-cmac", "AES-128-CMAC", 16, 16, "NIST SP 800-38B, RFC 4493"),
    mac("blake3-keyed", "keyed BLAKE3", 32, 32, BLAKE3),
    mac("siphash-1-3", "SipHash-1-3", 16, 8, SIPHASH),
    mac("siphash-2-4", "SipHash-2-4", 16, 8, SIPHASH),
    mac("siphash-1-3-128", "SipHash-1-3-128", 16, 16, SIPHASH),
    mac("siphash-2-4-128", "SipHash-2-4-128", 16, 16, SIPHASH),
    aead("aes-128-gcm", "AES-128-GCM", 16, 12, "NIST SP 800-38D"),
    aead("aes-256-gcm", "AES-256-GCM", 32, 12, "NIST SP 800-38D"),
    aead("aes-256-gcm-siv", "AES-256-GCM-SIV", 32, 12, "RFC 8452"),
    aead("chacha20-poly1305", "ChaCha20-Poly1305", 32, 12, "RFC 8439"),
    aead("xchacha20-poly1305", "XChaCha20-Poly1305", 32, 24, "draft-irtf-cfrg-xchacha-03"),
    mark("murmur3-32", "MurmurHash3-32", 4, "Appleby: MurmurHash3_x86_32, 2011"),
    mark("murmur3-128", "MurmurHash3-128", 16, "Appleby: MurmurHash3_x64_128, 2011"),
    mark("xxh3-64", "XXH3-64", 8, "Collet: XXH3, xxHash 0.8"),
    mark("wyhash-final-4", "wyhash final 4", 8, "Wang Yi: wyhash, final version 4"),
    mark("komihash-5-0", "komihash 5.0", 8, "Vaneev: komihash 5"),
    mark("rapidhash-3", "rapidhash 3", 8, "De Carli: rapidhash, version 3"),
    // The harness itself: the same calls, no work, no output.
    mark(EMPTY, "no work", 0, "Cupel: the overhead of a call"),
];

const fn hash(
    name: &'static str,
    title: &'static str,
    output: usize,
    standard: &'static str,
) -> Primitive {
    Primitive { name, title, operations: HASH, key: 0, nonce: 0, output, standard }
}

const fn mac(
    name: &'static str,
    title: &'static str,
    key: usize,
    output: usize,
    standard: &'static str,
) -> Primitive {
    Primitive { name, title, operations: MAC, key, nonce: 0, output, standard }
}

const fn aead(
    name: &'static str,
    title: &'static str,
    key: usize,
    nonce: usize,
    standard: &'static str,
) -> Primitive {
    Primitive { name, title, operations: AEAD, key, nonce, output: TAG, standard }
}

const fn mark(
    name: &'static str,
    title: &'static str,
    output: usize,
    standard: &'static str,
) -> Primitive {
    Primitive { name, title, operations: MARK, key: 0, nonce: 0, output, standard }
}

/// Every primitive that the tool can check.
pub fn all() -> &'static [Primitive] {
    &PRIMITIVES
}

/// The primitive of this name.
pub fn named(name: &str) -> Option<&'static Primitive> {
    PRIMITIVES.iter().find(|p| p.name == name)
}

/// Between the primitives of a choice.
const OR: char = '|';

/// The primitives of a choice, in its order; for a single primitive, only itself.
pub fn choice(primitive: &str) -> Vec<&str> {
    primitive.split(OR).collect()
}

/// Whether this is a choice between primitives.
pub fn is_choice(primitive: &str) -> bool {
    primitive.contains(OR)
}

/// The primitive of a workload that chooses between these: `aes-256-gcm|chacha20-poly1305`.
pub fn choosing<'a>(primitives: impl IntoIterator<Item = &'a str>) -> String {
    primitives.into_iter().collect::<Vec<_>>().join(&OR.to_string())
}

/// The names of a workload's primitives, for titles: `aes-256-gcm or chacha20-poly1305`.
pub fn in_words(primitive: &str) -> String {
    either(&choice(primitive))
}

/// The name of a workload's primitives in sentences: `AES-256-GCM or ChaCha20-Poly1305`; many are
/// counted.
pub fn title(primitive: &str) -> String {
    const MANY: usize = 4;
    let names = choice(primitive);
    if names.len() > MANY {
        return format!("Choice of {} primitives,", names.len());
    }
    let titles = names.into_iter().map(|name| named(name).map_or(name, |p| p.title));
    either(&titles.collect::<Vec<_>>())
}

fn either<T: AsRef<str>>(names: &[T]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match &names[..] {
        [some @ .., last] if !some.is_empty() => format!("{} or {last}", some.join(", ")),
        one => one.concat(),
    }
}

/// Whether the tool can check this.
pub fn knows(primitive: &str, operation: Operation) -> bool {
    named(primitive).is_some_and(|p| p.operations.contains(&operation))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_protocol::bytes::nonce_length;

    #[test]
    fn a_choice_is_made_of_its_primitives_and_taken_apart_again() {
        let two = choosing(["aes-256-gcm", "chacha20-poly1305"]);
        assert_eq!(choice(&two), ["aes-256-gcm", "chacha20-poly1305"]);
        assert!(is_choice(&two) && !is_choice("sha256") && named(&two).is_none());
        assert_eq!(in_words(&two), "aes-256-gcm or chacha20-poly1305");
        assert_eq!(title(&two), "AES-256-GCM or ChaCha20-Poly1305");
        assert_eq!(title("sha256"), "SHA-256");
        let many = choosing(["sha1", "sha256", "sha512", "blake2b", "blake3"]);
        assert_eq!(title(&many), "Choice of 5 primitives,");
        assert!(all().iter().all(|p| !is_choice(p.name)));
    }

    /// Runners take the length from the protocol, the tool from its catalogue.
    #[test]
    fn nonces_have_the_length_that_the_protocol_states() {
        for aead in all().iter().filter(|p| p.nonce > 0) {
            assert_eq!(aead.nonce, nonce_length(aead.name), "{}", aead.name);
        }
    }
}
