//! Published answers, and keys for other cases.

use crate::talk::What;

/// A published answer, all in hex but the source.
pub struct Known {
    pub primitive: &'static str,
    pub key: &'static str,
    pub nonce: &'static str,
    pub ad: &'static str,
    pub message: &'static str,
    pub output: &'static str,
    /// Where it is published.
    pub source: &'static str,
}

const NONE: Known =
    Known { primitive: "", key: "", nonce: "", ad: "", message: "", output: "", source: "" };

/// The message of the SipHash paper's test values, and its key.
const FIFTEEN: &str = "000102030405060708090a0b0c0d0e";
const SIXTEEN: &str = "000102030405060708090a0b0c0d0e0f";

/// The published answers.
pub const KNOWN: &[Known] = &[
    Known { primitive: "empty", source: "its definition", ..NONE },
    Known {
        primitive: "sha1",
        message: "616263",
        output: "a9993e364706816aba3e25717850c26c9cd0d89d",
        source: "FIPS 180-2, appendix A.1",
        ..NONE
    },
    Known {
        primitive: "sha256",
        message: "616263",
        output: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        source: "FIPS 180-2, appendix B.1",
        ..NONE
    },
    Known {
        primitive: "sha512",
        message: "616263",
        output: "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
                 2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
        source: "FIPS 180-2, appendix C.1",
        ..NONE
    },
    Known {
        primitive: "blake3",
        message: "00",
        output: "2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213",
        source: "BLAKE3 test_vectors.json, input_len 1",
        ..NONE
    },
    Known {
        primitive: "hmac-sha256",
        key: "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b",
        message: "4869205468657265",
        output: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
        source: "RFC 4231, section 4.2",
        ..NONE
    },
    Known {
        primitive: "hmac-sha256",
        key: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\
              aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\
              aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        message: "54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a\
                  65204b6579202d2048617368204b6579204669727374",
        output: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
        source: "RFC 4231, section 4.7",
        ..NONE
    },
    Known {
        primitive: "siphash-2-4",
        key: SIXTEEN,
        message: FIFTEEN,
        output: "e545be4961ca29a1",
        source: "SipHash paper, appendix A",
        ..NONE
    },
    Known {
        primitive: "siphash-1-3",
        key: SIXTEEN,
        output: "dcc40f055801acab",
        source: "Rust's core, test_siphash_1_3, length 0",
        ..NONE
    },
    Known {
        primitive: "siphash-1-3",
        key: "00000000000000000000000000000000",
        message: FIFTEEN,
        output: "eac991bb25b70ef3",
        source: "an independent implementation that gives the paper's value for 2-4",
        ..NONE
    },
    Known {
        primitive: "siphash-2-4-128",
        key: SIXTEEN,
        output: "a3817f04ba25a8e66df67214c7550293",
        source: "SipHash reference code, vectors_sip128[0]",
        ..NONE
    },
    Known {
        primitive: "siphash-1-3-128",
        key: SIXTEEN,
        message: FIFTEEN,
        output: "c17e5505b2bd526c2921cdec1e7e0109",
        source: "an independent implementation that gives the reference's value for 2-4-128",
        ..NONE
    },
    Known {
        primitive: "aes-256-gcm",
        key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
        nonce: "cafebabefacedbaddecaf888",
        ad: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
        message: "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
                  1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
        output: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa\
                 8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662\
                 76fc6ece0f4e1768cddf8853bb2d551b",
        source: "The Galois/Counter Mode of Operation, appendix B, test case 16",
    },
];

/// The published answers for this offer.
pub fn known(what: &What) -> Vec<&'static Known> {
    let fixed = what.offer.fixed_key.as_deref();
    let fits = |k: &&Known| {
        k.primitive == what.offer.primitive && fixed.is_none_or(|fixed| fixed == k.key)
    };
    let found: Vec<_> = KNOWN.iter().filter(fits).collect();
    assert!(!found.is_empty(), "{what}: no published answer is known here");
    found
}

/// A key of the length that the primitive takes.
pub fn key(what: &What) -> Vec<u8> {
    let len = known(what)[0].key.len() / 2;
    match &what.offer.fixed_key {
        Some(fixed) => hex(fixed),
        None => cupel_protocol::bytes::stream(3, len),
    }
}

pub fn hex(digits: &str) -> Vec<u8> {
    ::hex::decode(digits).expect("hex")
}
