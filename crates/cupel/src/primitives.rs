//! The catalogue of primitives that Cupel can check, with their keys and outputs.
//! `verify/reference.rs` computes them.

use cupel_protocol::workload::Operation;

/// Bytes of an AES-GCM tag: always the full 128 bits (SP 800-38D, section 5.2.1.2).
pub const TAG: usize = 16;

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
    /// Bytes of the digest or tag.
    pub output: usize,
    /// The document that defines it.
    pub standard: &'static str,
}

const HASH: &[Operation] = &[Operation::Digest, Operation::DigestMany, Operation::DigestFile];
const MAC: &[Operation] = &[Operation::Mac];
const AEAD: &[Operation] = &[Operation::Seal, Operation::Open, Operation::SealOpen];
const SIPHASH: &str = "Aumasson, Bernstein: SipHash, INDOCRYPT 2012";

/// Unkeyed, with no security: they show what speed is possible.
const MARK: &[Operation] = &[Operation::Digest];

static PRIMITIVES: [Primitive; 17] = [
    Primitive {
        name: "sha1",
        title: "SHA-1",
        operations: HASH,
        key: 0,
        output: 20,
        standard: "FIPS 180-4",
    },
    Primitive {
        name: "sha256",
        title: "SHA-256",
        operations: HASH,
        key: 0,
        output: 32,
        standard: "FIPS 180-4",
    },
    Primitive {
        name: "sha512",
        title: "SHA-512",
        operations: HASH,
        key: 0,
        output: 64,
        standard: "FIPS 180-4",
    },
    Primitive {
        name: "hmac-sha256",
        title: "HMAC-SHA-256",
        operations: MAC,
        key: 32,
        output: 32,
        standard: "RFC 2104, FIPS 198-1",
    },
    Primitive {
        name: "siphash-1-3",
        title: "SipHash-1-3",
        operations: MAC,
        key: 16,
        output: 8,
        standard: SIPHASH,
    },
    Primitive {
        name: "siphash-2-4",
        title: "SipHash-2-4",
        operations: MAC,
        key: 16,
        output: 8,
        standard: SIPHASH,
    },
    Primitive {
        name: "siphash-1-3-128",
        title: "SipHash-1-3-128",
        operations: MAC,
        key: 16,
        output: 16,
        standard: SIPHASH,
    },
    Primitive {
        name: "siphash-2-4-128",
        title: "SipHash-2-4-128",
        operations: MAC,
        key: 16,
        output: 16,
        standard: SIPHASH,
    },
    Primitive {
        name: "aes-256-gcm",
        title: "AES-256-GCM",
        operations: AEAD,
        key: 32,
        output: TAG,
        standard: "NIST SP 800-38D",
    },
    Primitive {
        name: "blake3",
        title: "BLAKE3",
        operations: HASH,
        key: 0,
        output: 32,
        standard: "O'Connor et al.: BLAKE3, 2020",
    },
    mark("murmur3-32", "MurmurHash3-32", 4, "Appleby: MurmurHash3_x86_32, 2011"),
    mark("murmur3-128", "MurmurHash3-128", 16, "Appleby: MurmurHash3_x64_128, 2011"),
    mark("xxh3-64", "XXH3-64", 8, "Collet: XXH3, xxHash 0.8"),
    mark("wyhash-final-4", "wyhash final 4", 8, "Wang Yi: wyhash, final version 4"),
    mark("komihash-5-0", "komihash 5.0", 8, "Vaneev: komihash 5"),
    mark("rapidhash-3", "rapidhash 3", 8, "De Carli: rapidhash, version 3"),
    // The harness itself: the same calls, no work, no output.
    Primitive {
        name: EMPTY,
        title: "no work",
        operations: &[Operation::Digest],
        key: 0,
        output: 0,
        standard: "Cupel: the overhead of a call",
    },
];

const fn mark(
    name: &'static str,
    title: &'static str,
    output: usize,
    standard: &'static str,
) -> Primitive {
    Primitive { name, title, operations: MARK, key: 0, output, standard }
}

/// Every primitive that the tool can check.
pub fn all() -> &'static [Primitive] {
    &PRIMITIVES
}

/// The primitive of this name.
pub fn named(name: &str) -> Option<&'static Primitive> {
    PRIMITIVES.iter().find(|p| p.name == name)
}

/// Whether the tool can check this.
pub fn knows(primitive: &str, operation: Operation) -> bool {
    named(primitive).is_some_and(|p| p.operations.contains(&operation))
}
