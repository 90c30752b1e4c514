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
        primitive: "xxh3-64",
        output: "c294d3380580062d",
        source: "xxHash's sanity test, no message",
        ..NONE
    },
    Known {
        primitive: "wyhash-final-4",
        output: "59e4bde28e630904",
        source: "wyhash's test_vector.cpp, no message, seed 0",
        ..NONE
    },
    Known {
        primitive: "komihash-5-0",
        message: "54686520636174206973206f7574206f662074686520626167",
        output: "b1373c1d522357d1",
        source: "komihash's README, The cat is out of the bag",
        ..NONE
    },
    Known {
        primitive: "rapidhash-3",
        output: "aecdcee24bdc3803",
        source: "rapidhash.h, computed by hand for no message: its author publishes no answers",
        ..NONE
    },
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
        primitive: "sha512-256",
        message: "616263",
        output: "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23",
        source: "NIST's examples of SHA-512/256, one block",
        ..NONE
    },
    Known {
        primitive: "sha3-256",
        message: "616263",
        output: "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532",
        source: "SHA-3 reference, the message abc",
        ..NONE
    },
    Known {
        primitive: "shake128",
        message: "cc",
        output: "4dd4b0004a7d9e613a0f488b4846f804015f0f8ccdba5f7c16810bbc5a1c6fb2",
        source: "ShortMsgKAT_SHAKE128, length 8",
        ..NONE
    },
    Known {
        primitive: "blake2b",
        message: "616263",
        output: "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1\
                 7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923",
        source: "RFC 7693, appendix A",
        ..NONE
    },
    Known {
        primitive: "blake2s",
        message: "616263",
        output: "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982",
        source: "RFC 7693, appendix B",
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
        primitive: "blake3-keyed",
        key: "77686174732074686520456c7669736820776f726420666f7220667269656e64",
        message: "00",
        output: "6d7878dfff2f485635d39013278ae14f1454b8c0a3a2d34bc1ab38228a80c95b",
        source: "BLAKE3 test_vectors.json, input_len 1, keyed_hash",
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
        primitive: "hmac-sha512",
        key: "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b",
        message: "4869205468657265",
        output: "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde\
                 daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854",
        source: "RFC 4231, section 4.2",
        ..NONE
    },
    Known {
        primitive: "hmac-sha512",
        key: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\
                 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\
                 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\
                 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\
                 aaaaaa",
        message: "54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a\
                 65204b6579202d2048617368204b6579204669727374",
        output: "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352\
                 6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598",
        source: "RFC 4231, section 4.7",
        ..NONE
    },
    Known {
        primitive: "aes-cmac",
        key: "2b7e151628aed2a6abf7158809cf4f3c",
        message: "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
                 30c81c46a35ce411",
        output: "dfa66747de9ae63030ca32611497c827",
        source: "RFC 4493, section 4, example 3",
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
        primitive: "aes-128-gcm",
        key: "feffe9928665731c6d6a8f9467308308",
        nonce: "cafebabefacedbaddecaf888",
        ad: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
        message: "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
                 1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
        output: "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e\
                 21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e0915bc94fbc\
                 3221a5db94fae95ae7121a47",
        source: "The Galois/Counter Mode of Operation, appendix B, test case 4",
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
    Known {
        primitive: "aes-256-gcm-siv",
        key: "0100000000000000000000000000000000000000000000000000000000000000",
        nonce: "030000000000000000000000",
        ad: "01",
        message: "0200000000000000",
        output: "1de22967237a813291213f267e3b452f02d01ae33e4ec854",
        source: "RFC 8452, appendix C.2",
    },
    Known {
        primitive: "chacha20-poly1305",
        key: "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
        nonce: "070000004041424344454647",
        ad: "50515253c0c1c2c3c4c5c6c7",
        message: "4c616469657320616e642047656e746c656d656e206f662074686520636c6173\
                 73206f66202739393a204966204920636f756c64206f6666657220796f75206f\
                 6e6c79206f6e652074697020666f7220746865206675747572652c2073756e73\
                 637265656e20776f756c642062652069742e",
        output: "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6\
                 3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36\
                 92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc\
                 3ff4def08e4b7a9de576d26586cec64b61161ae10b594f09e26a7e902ecbd060\
                 0691",
        source: "RFC 8439, section 2.8.2",
    },
    Known {
        primitive: "xchacha20-poly1305",
        key: "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
        nonce: "404142434445464748494a4b4c4d4e4f5051525354555657",
        ad: "50515253c0c1c2c3c4c5c6c7",
        message: "4c616469657320616e642047656e746c656d656e206f662074686520636c6173\
                 73206f66202739393a204966204920636f756c64206f6666657220796f75206f\
                 6e6c79206f6e652074697020666f7220746865206675747572652c2073756e73\
                 637265656e20776f756c642062652069742e",
        output: "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb\
                 731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b452\
                 2f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9\
                 21f9664c97637da9768812f615c68b13b52ec0875924c1c7987947deafd8780a\
                 cf49",
        source: "draft-irtf-cfrg-xchacha-03, appendix A.3.1",
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
