//! Every C contender of this repository answers correctly: known answers, the same in chunks as in
//! one piece and in a timed slice as in verification, and no output for an altered message.

mod common;

use common::{Family, Runner, Subject, case, families, ok};
use cupel_protocol::message::{
    Answer, Ask, Case, Compute, Computed, Input, Outcome, Prepare, Slice,
};
use cupel_protocol::workload::{Contract, Key, Operation, Shape, Workload};
use cupel_protocol::{bytes, fold};
use std::path::Path;

/// Runs a check on every offer of every contender, with the key prepared and with the key per call,
/// each contender in its own process.
fn for_every_offer(check: impl Fn(&mut Runner, &Subject)) {
    for name in families() {
        let family = Family::read(&name);
        let object = family.build();
        for contender in &family.contender {
            let mut runner = Runner::start_for(contender, &object);
            // As in `cupel verify --protocol`: listing must not initialise a library with the wrong
            // mask.
            runner.list();
            for offer in &contender.offers {
                let offer: cupel_protocol::message::Offer = offer.parse().expect("an offer");
                let (primitive, operation) = (&offer.primitive, offer.operation);
                if operation == Operation::DigestMany {
                    continue; // batches.rs
                }
                let keys: &[Key] = match operation {
                    Operation::Digest => &[Key::None],
                    _ => &[Key::Prepared, Key::PerCall],
                };
                for &key in keys {
                    let contender = contender.name.clone();
                    let primitive = primitive.to_string();
                    let subject = Subject { contender, primitive, operation, key };
                    if takes_key(&subject) {
                        check(&mut runner, &subject);
                    } else {
                        let refused = runner.compute(&subject, vec![any_case(&subject)]);
                        assert!(matches!(refused[..], [Answer::Unsupported(_)]), "{subject:?}");
                    }
                }
            }
        }
    }
}

/// OpenSSL's functions without a kept context take the key in every call, and so do wolfSSL's CMAC
/// and Botan's SipHash, which clear the key at the end of a message.
fn takes_key(of: &Subject) -> bool {
    let per_call = match of.contender.as_str() {
        "openssl-fetched" | "openssl-oneshot" | "openssl-fetch" => true,
        "wolfssl" => of.primitive == "aes-cmac",
        "botan" => of.primitive.starts_with("siphash-"),
        _ => false,
    };
    of.key != Key::Prepared || !per_call
}

/// Whether the contender streams this primitive in these chunks.
fn takes_chunks(of: &Subject, chunks: &[u32]) -> bool {
    match (of.contender.as_str(), of.primitive.as_str()) {
        ("openssl-oneshot", _) | (_, "aes-256-gcm-siv") => false,
        ("libsodium", "siphash-2-4" | "aes-256-gcm") => false,
        ("wolfssl", "siphash-2-4" | "siphash-2-4-128") => false,
        ("libsodium", "chacha20-poly1305" | "xchacha20-poly1305") => false,
        ("ipsec-mb-jobs", _) => false,
        ("ipsec-mb" | "ipsec-mb-avx2" | "ipsec-mb-sse", primitive) => !primitive.starts_with("sha"),
        ("bearssl" | "bearssl-portable", "chacha20-poly1305") => false,
        ("botan" | "gnutls" | "wolfssl", _)
            if matches!(of.operation, Operation::Seal | Operation::Open) =>
        {
            false
        }
        ("mbedtls" | "nettle", "aes-128-gcm" | "aes-256-gcm") => chunks.iter().all(|n| n % 16 == 0),
        ("nettle", "chacha20-poly1305") => chunks.iter().all(|n| n % 64 == 0),
        _ => true,
    }
}

fn key_of(primitive: &str) -> Vec<u8> {
    match primitive {
        "hmac-sha256" | "hmac-sha512" => bytes::stream(101, 20),
        "siphash-1-3" | "siphash-2-4" | "siphash-2-4-128" => bytes::stream(102, 16),
        "aes-cmac" | "aes-128-gcm" => bytes::stream(102, 16),
        "aes-256-gcm" | "aes-256-gcm-siv" | "chacha20-poly1305" | "xchacha20-poly1305" => {
            bytes::stream(103, 32)
        }
        _ => vec![],
    }
}

/// A case of this offer: a message, and whatever else the operation needs.
fn any_case(of: &Subject) -> Case {
    let aead = matches!(of.operation, Operation::Seal | Operation::Open);
    Case {
        key: key_of(&of.primitive),
        nonce: if aead {
            bytes::CallNonce::new(9, bytes::nonce_length(&of.primitive)).to_vec()
        } else {
            vec![]
        },
        ad: if aead { b"associated".to_vec() } else { vec![] },
        ..case(bytes::stream(104, 40))
    }
}

fn hex(text: &str) -> Vec<u8> {
    hex::decode(text).expect("hex")
}

#[test]
fn the_family_file_says_what_the_object_lists() {
    for name in ["empty".to_string()].into_iter().chain(families()) {
        let family = Family::read(&name);
        assert_eq!(family.runner, "native");
        let listed = Runner::start(&[family.build()]).list();
        assert_eq!(listed.len(), family.contender.len());
        for (listed, in_file) in listed.iter().zip(&family.contender) {
            assert_eq!(listed.missing, None);
            assert_eq!(listed.name, in_file.name);
            assert_eq!(listed.library, in_file.library);
            assert_eq!(listed.licence, in_file.licence);
            assert_eq!(listed.summary, in_file.summary);
            let offers: Vec<String> = listed.offers.iter().map(ToString::to_string).collect();
            assert_eq!(offers, in_file.offers, "{}", in_file.name);
            assert!(listed.version.starts_with(|c: char| c.is_ascii_digit()), "{listed:?}");
        }
    }
}

#[test]
fn the_empty_contender_gives_an_empty_output() {
    let empty = Subject {
        contender: "empty".to_string(),
        primitive: "empty".to_string(),
        operation: Operation::Digest,
        key: Key::None,
    };
    let mut runner = Runner::start(&[Family::read("empty").build()]);
    assert!(runner.output(&empty, case("abc")).is_empty());
}

/// The examples of FIPS 180-4, FIPS 202 and RFC 7693 for "abc" and of "", RFC 4231's test cases 1,
/// 2 and 6 (a key longer than a block), the examples of SP 800-38B, appendix D.1, the example of
/// the SipHash paper, appendix A, the first of its reference code's vectors_sip128, and, for
/// SipHash-1-3, the first of Rust's test_siphash_1_3; XXH3 of no message in xxHash's sanity test.
#[test]
fn digests_and_macs_are_those_of_the_standards() {
    let counted = |n: u8| (0..n).collect::<Vec<u8>>();
    let with_key = |key: Vec<u8>, input: &[u8]| Case { key, ..case(input) };
    for_every_offer(|runner, of| {
        let known = match of.primitive.as_str() {
            "sha1" => vec![
                (case("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d"),
                (case(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            ],
            "sha256" => vec![
                (case("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
                (case(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ],
            "sha512" => vec![
                (
                    case("abc"),
                    "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
                     2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
                ),
                (
                    case(""),
                    "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce\
                     47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e",
                ),
            ],
            "hmac-sha256" => vec![
                (
                    with_key(vec![0x0b; 20], b"Hi There"),
                    "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
                ),
                (
                    with_key(b"Jefe".to_vec(), b"what do ya want for nothing?"),
                    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
                ),
                (
                    with_key(
                        vec![0xaa; 131],
                        b"Test Using Larger Than Block-Size Key - Hash Key First",
                    ),
                    "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
                ),
                // An empty key is valid: it is padded to 64 zero bytes.
                (
                    with_key(vec![], b""),
                    "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad",
                ),
            ],
            "sha512-256" => vec![
                (case("abc"), "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
                (case(""), "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"),
            ],
            "sha3-256" => vec![
                (case("abc"), "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"),
                (case(""), "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a"),
            ],
            "shake128" => vec![
                (case("abc"), "5881092dd818bf5cf8a3ddb793fbcba74097d5c526a6d35f97b83351940f2cc8"),
                (case(""), "7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26"),
            ],
            "blake2b" => vec![
                (
                    case("abc"),
                    "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1\
                     7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923",
                ),
                (
                    case(""),
                    "786a02f742015903c6c6fd852552d272912f4740e15847618a86e217f71f5419\
                     d25e1031afee585313896444934eb04b903a685b1448b755d56f701afe9be2ce",
                ),
            ],
            "blake2s" => vec![
                (case("abc"), "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982"),
                (case(""), "69217a3079908094e11121d042354a7c1f55b6482ca1a51e1b250dfd1ed0eef9"),
            ],
            "hmac-sha512" => vec![
                (
                    with_key(vec![0x0b; 20], b"Hi There"),
                    "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde\
                     daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854",
                ),
                (
                    with_key(b"Jefe".to_vec(), b"what do ya want for nothing?"),
                    "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554\
                     9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
                ),
                (
                    with_key(
                        vec![0xaa; 131],
                        b"Test Using Larger Than Block-Size Key - Hash Key First",
                    ),
                    "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352\
                     6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598",
                ),
            ],
            "aes-cmac" => {
                let key = hex("2b7e151628aed2a6abf7158809cf4f3c");
                let message =
                    hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
                     30c81c46a35ce411");
                vec![
                    (with_key(key.clone(), b""), "bb1d6929e95937287fa37d129b756746"),
                    (with_key(key.clone(), &message[..16]), "070a16b46b4d4144f79bdd9dd04a287c"),
                    (with_key(key, &message), "dfa66747de9ae63030ca32611497c827"),
                ]
            }
            "xxh3-64" => vec![(case(""), "c294d3380580062d")],
            "siphash-1-3" => vec![(with_key(counted(16), b""), "dcc40f055801acab")],
            "siphash-2-4" => vec![(with_key(counted(16), &counted(15)), "e545be4961ca29a1")],
            "siphash-2-4-128" => {
                vec![(with_key(counted(16), b""), "a3817f04ba25a8e66df67214c7550293")]
            }
            aead if AEADS.iter().any(|known| known.primitive == aead) => return, // the next test
            other => panic!("{other}: add a published answer here"),
        };
        for (case, expected) in known {
            assert_eq!(hex::encode(runner.output(of, case.clone())), expected, "{of:?} {case:?}");
        }
    });
}

/// A published case of an AEAD.
struct Aead {
    primitive: &'static str,
    key: &'static str,
    nonce: &'static str,
    ad: &'static str,
    plain: &'static str,
    sealed: &'static str,
}

const ZERO_KEY: &str = "0000000000000000000000000000000000000000000000000000000000000000";
const KEY: &str = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308";
const AD: &str = "feedfacedeadbeeffeedfacedeadbeefabaddad2";
const PLAIN: &str = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
                     1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39";
const CHACHA_KEY: &str = "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f";
const SIV_KEY: &str = "0100000000000000000000000000000000000000000000000000000000000000";

/// "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future,
/// sunscreen would be it."
const LADIES: &str = "4c616469657320616e642047656e746c656d656e206f662074686520636c6173\
                      73206f66202739393a204966204920636f756c64206f6666657220796f75206f\
                      6e6c79206f6e652074697020666f7220746865206675747572652c2073756e73\
                      637265656e20776f756c642062652069742e";

/// McGrew and Viega, "The Galois/Counter Mode of Operation (GCM)", appendix B, test cases 1, 2, 4,
/// 13, 14, 16 and, with a nonce of 8 bytes, 17; RFC 8452, appendix C.2; RFC 8439, section 2.8.2;
/// draft-irtf-cfrg-xchacha-03, appendix A.3.1.
const AEADS: [Aead; 11] = [
    Aead {
        primitive: "aes-128-gcm",
        key: ZERO_KEY.split_at(32).0,
        nonce: "000000000000000000000000",
        ad: "",
        plain: "",
        sealed: "58e2fccefa7e3061367f1d57a4e7455a",
    },
    Aead {
        primitive: "aes-128-gcm",
        key: ZERO_KEY.split_at(32).0,
        nonce: "000000000000000000000000",
        ad: "",
        plain: "00000000000000000000000000000000",
        sealed: "0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf",
    },
    Aead {
        primitive: "aes-128-gcm",
        key: KEY.split_at(32).0,
        nonce: "cafebabefacedbaddecaf888",
        ad: AD,
        plain: PLAIN,
        sealed: "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e\
                 21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091\
                 5bc94fbc3221a5db94fae95ae7121a47",
    },
    Aead {
        primitive: "aes-256-gcm",
        key: ZERO_KEY,
        nonce: "000000000000000000000000",
        ad: "",
        plain: "",
        sealed: "530f8afbc74536b9a963b4f1c4cb738b",
    },
    Aead {
        primitive: "aes-256-gcm",
        key: ZERO_KEY,
        nonce: "000000000000000000000000",
        ad: "",
        plain: "00000000000000000000000000000000",
        sealed: "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919",
    },
    Aead {
        primitive: "aes-256-gcm",
        key: KEY,
        nonce: "cafebabefacedbaddecaf888",
        ad: AD,
        plain: PLAIN,
        sealed: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa\
                 8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662\
                 76fc6ece0f4e1768cddf8853bb2d551b",
    },
    Aead {
        primitive: "aes-256-gcm",
        key: KEY,
        nonce: "cafebabefacedbad",
        ad: AD,
        plain: PLAIN,
        sealed: "c3762df1ca787d32ae47c13bf19844cbaf1ae14d0b976afac52ff7d79bba9de0\
                 feb582d33934a4f0954cc2363bc73f7862ac430e64abe499f47c9b1f\
                 3a337dbf46a792c45e454913fe2ea8f2",
    },
    Aead {
        primitive: "aes-256-gcm-siv",
        key: SIV_KEY,
        nonce: "030000000000000000000000",
        ad: "",
        plain: "",
        sealed: "07f5f4169bbf55a8400cd47ea6fd400f",
    },
    Aead {
        primitive: "aes-256-gcm-siv",
        key: SIV_KEY,
        nonce: "030000000000000000000000",
        ad: "",
        plain: "0100000000000000",
        sealed: "c2ef328e5c71c83b843122130f7364b761e0b97427e3df28",
    },
    Aead {
        primitive: "chacha20-poly1305",
        key: CHACHA_KEY,
        nonce: "070000004041424344454647",
        ad: "50515253c0c1c2c3c4c5c6c7",
        plain: LADIES,
        sealed: "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6\
                 3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36\
                 92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc\
                 3ff4def08e4b7a9de576d26586cec64b6116\
                 1ae10b594f09e26a7e902ecbd0600691",
    },
    Aead {
        primitive: "xchacha20-poly1305",
        key: CHACHA_KEY,
        nonce: "404142434445464748494a4b4c4d4e4f5051525354555657",
        ad: "50515253c0c1c2c3c4c5c6c7",
        plain: LADIES,
        sealed: "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb\
                 731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b452\
                 2f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9\
                 21f9664c97637da9768812f615c68b13b52e\
                 c0875924c1c7987947deafd8780acf49",
    },
];

#[test]
fn aeads_seal_and_open_the_published_cases() {
    for_every_offer(|runner, of| {
        for known in AEADS.iter().filter(|known| known.primitive == of.primitive) {
            let (input, expected) = match of.operation {
                Operation::Seal => (hex(known.plain), hex(known.sealed)),
                _ => (hex(known.sealed), hex(known.plain)),
            };
            let nonce = hex(known.nonce);
            let of_twelve_bytes = match of.contender.as_str() {
                "libsodium" | "gnutls" => true,
                "cryptopp" => of.primitive.ends_with("-gcm"),
                _ => false,
            };
            let unsupported = of_twelve_bytes && nonce.len() < 12;
            let case = Case { key: hex(known.key), nonce, ad: hex(known.ad), ..case(input) };
            match runner.compute(of, vec![case]).remove(0) {
                Answer::Output(output) => {
                    assert!(!unsupported, "{of:?} takes a nonce that it should refuse");
                    assert_eq!(output, expected, "{of:?}");
                }
                Answer::Unsupported(_) if unsupported => {}
                other => panic!("{of:?} {}: {other:?}", known.sealed),
            }
        }
    });
}

#[test]
fn open_refuses_every_alteration() {
    for_every_offer(|runner, of| {
        if of.operation != Operation::Open {
            return;
        }
        let seal = Subject { operation: Operation::Seal, ..of.clone() };
        let plain = any_case(of);
        let sealed = runner.output(&seal, plain.clone());
        let with = |input: Vec<u8>| Case { input: Input::Hex(input), ..plain.clone() };
        let good = with(sealed.clone());
        assert_eq!(Input::Hex(runner.output(of, good.clone())), plain.input, "{of:?}");
        let flipped = |at: usize| {
            let mut sealed = sealed.clone();
            sealed[at] ^= 1;
            with(sealed)
        };
        let (tag, end) = (sealed.len() - 16, sealed.len() - 1);
        let bad = vec![
            flipped(0),
            flipped(tag - 1),
            flipped(tag),
            flipped(end),
            with(sealed[..end].to_vec()),
            with(sealed[..15].to_vec()),
            with(vec![]),
            Case { ad: vec![], ..good.clone() },
            Case { nonce: vec![0; good.nonce.len()], ..good.clone() },
            Case { key: vec![0; good.key.len()], ..good.clone() },
        ];
        for (i, answer) in runner.compute(of, bad).into_iter().enumerate() {
            assert!(matches!(answer, Answer::Refused(_)), "{of:?} alteration {i}: {answer:?}");
        }
    });
}

#[test]
fn a_message_in_chunks_gives_the_output_of_the_whole_message() {
    let lists: [&[u32]; 5] = [&[1], &[7, 64, 3], &[0, 5], &[16], &[64, 0, 32]];
    for_every_offer(|runner, of| {
        for size in [0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 1000] {
            let mut whole = Case { input: Input::Stream { seed: 5, size }, ..any_case(of) };
            if of.operation == Operation::Open {
                let seal = Subject { operation: Operation::Seal, ..of.clone() };
                whole.input = Input::Hex(runner.output(&seal, whole.clone()));
            }
            let expected = runner.output(of, whole.clone());
            let chunked =
                lists.map(|chunks| Case { chunks: chunks.to_vec(), ..whole.clone() }).to_vec();
            for (answer, chunks) in runner.compute(of, chunked).into_iter().zip(lists) {
                match answer {
                    Answer::Output(output) => {
                        assert!(takes_chunks(of, chunks), "{of:?} pretends to stream");
                        assert_eq!(output, expected, "{of:?} {size} B in {chunks:?}");
                    }
                    Answer::Unsupported(_) if !takes_chunks(of, chunks) => {}
                    other => panic!("{of:?} {size} B in {chunks:?}: {other:?}"),
                }
            }
        }
    });
}

/// The objects whose contenders copy states, but for those that keep none.
const COPYING: [&str; 7] =
    ["bearssl", "botan", "cupel", "gnutls", "libgcrypt", "nettle", "openssl"];

#[test]
fn a_prefix_comes_before_every_message() {
    for_every_offer(|runner, of| {
        let keeps_none = ["openssl-fetched", "openssl-oneshot", "openssl-fetch"];
        if of.operation != Operation::Digest {
            return;
        }
        let copies = COPYING.iter().any(|name| of.contender.starts_with(name))
            && !keeps_none.contains(&&*of.contender);
        for prefix in [1, 64, 200] {
            let contract = Contract { prefix, ..of.contract() };
            for size in [0, 1, 55, 64, 1000] {
                let rest = bytes::stream(12, size);
                let whole = case([contract.prefix(), rest.clone()].concat());
                for chunks in [vec![], vec![7, 0, 64]] {
                    let one = Case { chunks, ..case(rest.clone()) };
                    let answer = runner.compute_under(&contract, of, vec![one]).remove(0);
                    if !copies {
                        assert!(matches!(answer, Answer::Unsupported(_)), "{of:?}: {answer:?}");
                        continue;
                    }
                    let expected = Answer::Output(runner.output(of, whole.clone()));
                    assert_eq!(answer, expected, "{of:?}: {size} bytes after {prefix}");
                }
            }
        }
    });
}

#[test]
fn chunks_that_are_all_empty_are_unsupported_and_do_not_run_for_ever() {
    for_every_offer(|runner, of| {
        let answers = runner.compute(of, vec![Case { chunks: vec![0, 0], ..any_case(of) }]);
        assert!(matches!(answers[..], [Answer::Unsupported(_)]), "{of:?} {answers:?}");
    });
}

#[test]
fn keys_of_a_wrong_length_are_unsupported() {
    for_every_offer(|runner, of| {
        if of.key != Key::None && !of.primitive.starts_with("hmac-") {
            let answers = runner.compute(of, vec![Case { key: vec![1; 15], ..any_case(of) }]);
            assert!(matches!(answers[..], [Answer::Unsupported(_)]), "{of:?} {answers:?}");
        }
    });
}

#[test]
fn a_mac_whose_contract_has_no_key_is_unsupported() {
    for_every_offer(|runner, of| {
        if of.operation == Operation::Mac {
            let keyless = Subject { key: Key::None, ..of.clone() };
            let answers = runner.compute(&keyless, vec![any_case(of)]);
            assert!(matches!(answers[..], [Answer::Unsupported(_)]), "{of:?} {answers:?}");
        }
    });
}

const POOL: u32 = 8;
const SEED: u64 = 77;
const SLICE: Slice = Slice { cell: 1, first: 5, preroll: 3, iterations: 1000 };

/// The fold that the runner reports for a slice of messages of this length.
fn fold_of_slice(runner: &mut Runner, of: &Subject, size: u64, shape: Shape) -> u64 {
    let ad = any_case(of).ad;
    let workload = Workload {
        primitive: of.primitive.clone(),
        operation: of.operation,
        size,
        contract: Contract { ad: ad.len() as u32, ..of.contract() },
        shape,
    };
    ok(runner.prepare(Prepare {
        cell: SLICE.cell,
        contender: of.contender.clone(),
        workload,
        seed: SEED,
        pool: POOL,
        lengths: vec![],
        offset: 13,
        key: key_of(&of.primitive),
        ad,
        file: None,
    }));
    let Outcome::Ok(sliced) = runner.slice(SLICE) else { panic!("{of:?} fails in a slice") };
    assert_eq!(sliced.iterations, SLICE.iterations);
    sliced.fold
}

/// The case for call `index`: the first bytes of its message are mixed with `last`.
fn call(of: &Subject, index: u64, size: u64, last: u64) -> Case {
    let mut message = bytes::stream(SEED + index % u64::from(POOL), size as usize);
    for (byte, mixed) in message.iter_mut().zip(last.to_le_bytes()) {
        *byte ^= mixed;
    }
    let length = any_case(of).nonce.len();
    let nonce = if length == 0 { vec![] } else { bytes::CallNonce::new(index, length).to_vec() };
    Case { input: Input::Hex(message), nonce, ..any_case(of) }
}

#[test]
fn a_slice_of_independent_calls_folds_the_outputs_that_verification_gives() {
    for_every_offer(|runner, of| {
        for size in [0, 3, 100] {
            let first = SLICE.first + SLICE.preroll;
            let expected = if of.operation == Operation::Open {
                let plain = |i: u64| bytes::stream(SEED + i % u64::from(POOL), size as usize);
                (first..first + SLICE.iterations)
                    .fold(0_u64, |sum, i| sum.wrapping_add(fold::word(&plain(i))))
            } else {
                let cases = (first..first + SLICE.iterations).map(|i| call(of, i, size, 0));
                let answers = runner.compute(of, cases.collect());
                answers.iter().fold(0_u64, |sum, answer| match answer {
                    Answer::Output(output) => sum.wrapping_add(fold::word(output)),
                    other => panic!("{of:?}: {other:?}"),
                })
            };
            let got = fold_of_slice(runner, of, size, Shape::Throughput);
            assert_eq!(got, expected, "{of:?} {size} B");
        }
    });
}

#[test]
fn a_slice_of_dependent_calls_folds_the_outputs_that_verification_gives() {
    for_every_offer(|runner, of| {
        if of.operation == Operation::Open {
            return;
        }
        let size = 100;
        let (mut sum, mut last) = (0_u64, 0);
        for done in 0..SLICE.preroll + SLICE.iterations {
            let output = runner.output(of, call(of, SLICE.first + done, size, last));
            last = fold::head(&output);
            if done >= SLICE.preroll {
                sum = sum.wrapping_add(fold::word(&output));
            }
        }
        assert_eq!(fold_of_slice(runner, of, size, Shape::Latency), sum, "{of:?}");
    });
}

#[test]
fn libgcrypts_masks_hold_although_it_was_listed_before() {
    if !families().iter().any(|name| name == "libgcrypt") || cfg!(not(target_arch = "x86_64")) {
        return;
    }
    let features = |contender: &str| code_path("libgcrypt", contender);
    let all = features("libgcrypt");
    let generic = features("libgcrypt-generic");
    assert!(all.contains("intel-ssse3"), "{all}");
    assert!(!generic.contains("intel"), "{generic}");
    if all.contains("intel-aesni") {
        let without = features("libgcrypt-noaes");
        assert!(!without.contains("aes") && !without.contains("pclmul"), "{without}");
        assert!(without.contains("intel-ssse3"), "{without}");
    }
    if all.contains("intel-avx2") {
        let avx = features("libgcrypt-avx");
        assert!(avx.contains("intel-avx:") && !avx.contains("intel-avx2"), "{avx}");
        let ssse3 = features("libgcrypt-ssse3");
        assert!(ssse3.contains("intel-ssse3") && !ssse3.contains("intel-avx"), "{ssse3}");
    }
}

/// OpenSSL without AES instructions says so, and only where its environment says so: it refuses to
/// pass for a masked one.
#[test]
fn openssl_without_aes_reports_what_its_environment_masks() {
    if !families().iter().any(|name| name == "openssl") || cfg!(not(target_arch = "x86_64")) {
        return;
    }
    let usual = code_path("openssl", "openssl-reused");
    let masked = code_path("openssl", "openssl-noaes");
    let capabilities = |path: &str| {
        let at = path.find("OPENSSL_ia32cap=0x").expect("the capabilities") + 18;
        let digits: String = path[at..].chars().take_while(char::is_ascii_hexdigit).collect();
        u64::from_str_radix(&digits, 16).expect("hex")
    };
    let aes = 1 << 57 | 1 << 33;
    assert!(masked.contains("env:~0x200000200000000"), "{masked}");
    assert!(!usual.contains("env:"), "{usual}");
    assert_eq!(capabilities(&masked), capabilities(&usual) & !aes);
    if capabilities(&usual) & aes != 0 {
        let object = Family::read("openssl").build();
        let unmasked = Runner::start(&[&object]).prepare(aes_cell("openssl-noaes"));
        let Outcome::Failed(refusal) = unmasked else { panic!("{unmasked:?}") };
        assert!(refusal.reason.contains("masks none in this process"), "{}", refusal.reason);
    }
}

/// Offers that libgcrypt refuses in FIPS mode are missing, to verification and to measurement, and
/// the others are there.
#[test]
fn what_libgcrypt_refuses_in_fips_mode_is_missing() {
    if !families().iter().any(|name| name == "libgcrypt") {
        return;
    }
    let object = Family::read("libgcrypt").build();
    let version = Runner::start(&[&object]).list().remove(0).version;
    if version.starts_with("1.9") {
        return; // It does not know the variable.
    }
    let fips = [("LIBGCRYPT_FORCE_FIPS_MODE".to_string(), "1".to_string())].into();
    let mut runner = Runner::start_with(Path::new("."), &[&object], &fips);
    let subject = |primitive: &str, operation| {
        let key = if operation == Operation::Digest { Key::None } else { Key::Prepared };
        let (contender, primitive) = ("libgcrypt".to_string(), primitive.to_string());
        Subject { contender, primitive, operation, key }
    };
    for (primitive, operation) in [
        ("blake2b", Operation::Digest),
        ("chacha20-poly1305", Operation::Open),
        // It allows the cipher for these, but not to seal with a nonce that the caller gives.
        ("aes-128-gcm", Operation::Seal),
        ("aes-256-gcm", Operation::Seal),
    ] {
        let of = subject(primitive, operation);
        let computed: Outcome<Computed> = runner.ask(Ask::Compute(Compute {
            contender: of.contender.clone(),
            primitive: of.primitive.clone(),
            operation,
            contract: of.contract(),
            cases: vec![any_case(&of)],
        }));
        let Outcome::Missing(refusal) = computed else { panic!("{of:?}: {computed:?}") };
        assert!(refusal.reason.contains("FIPS mode"), "{}", refusal.reason);
        let workload = Workload {
            primitive: primitive.to_string(),
            operation,
            size: 8,
            contract: of.contract(),
            shape: Shape::Throughput,
        };
        let prepared =
            runner.prepare(Prepare { workload, key: key_of(primitive), ..aes_cell("libgcrypt") });
        assert!(matches!(prepared, Outcome::Missing(_)), "{of:?}: {prepared:?}");
    }
    runner.output(&subject("sha256", Operation::Digest), case("abc"));
    let mac = subject("hmac-sha256", Operation::Mac);
    runner.output(&mac, any_case(&mac));
    // A property of this key, and not of the algorithm.
    let short = runner.compute(&mac, vec![Case { key: vec![1; 13], ..case("abc") }]);
    assert!(matches!(short[..], [Answer::Unsupported(_)]), "{short:?}");
}

fn aes_cell(contender: &str) -> Prepare {
    let workload = Workload {
        primitive: "aes-128-gcm".to_string(),
        operation: Operation::Seal,
        size: 8,
        contract: Contract::usual(Operation::Seal),
        shape: Shape::Throughput,
    };
    Prepare {
        cell: 1,
        contender: contender.to_string(),
        workload,
        seed: 1,
        pool: 1,
        lengths: vec![],
        offset: 0,
        key: key_of("aes-128-gcm"),
        ad: vec![],
        file: None,
    }
}

/// The code path that a contender reports, in the environment that its family's file gives it.
fn code_path(family: &str, contender: &str) -> String {
    let family = Family::read(family);
    let known = family.contender.iter().find(|known| known.name == contender);
    let mut runner = Runner::start_for(known.expect("a contender"), &family.build());
    runner.list();
    ok(runner.prepare(aes_cell(contender))).code_path
}
