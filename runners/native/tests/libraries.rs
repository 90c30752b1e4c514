//! Every C contender of this repository answers correctly: known answers, the same in chunks as in
//! one piece and in a timed slice as in verification, and no output for an altered message.

mod common;

use common::{Family, Runner, Subject, case, families, ok};
use cupel_protocol::message::{Answer, Case, Input, Prepare, Slice};
use cupel_protocol::workload::{Contract, Key, Operation, Shape, Workload};
use cupel_protocol::{bytes, fold};

/// Runs a check on every offer of every contender, with the key prepared and with the key per call,
/// each contender in a process of its own.
fn for_every_offer(check: impl Fn(&mut Runner, &Subject)) {
    for name in families() {
        let family = Family::read(&name);
        let object = family.build();
        for contender in &family.contender {
            let mut runner = Runner::start(&[&object]);
            // As in `cupel conform`: listing must not initialise a library with the wrong mask.
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

/// OpenSSL's functions without a kept context take the key in every call.
fn takes_key(of: &Subject) -> bool {
    of.key != Key::Prepared
        || !["openssl-fetched", "openssl-oneshot", "openssl-fetch"].contains(&of.contender.as_str())
}

/// Whether the contender streams this primitive in these chunks.
fn takes_chunks(of: &Subject, chunks: &[u32]) -> bool {
    match (of.contender.as_str(), of.primitive.as_str()) {
        ("openssl-oneshot", _) | ("libsodium", "siphash-2-4" | "aes-256-gcm") => false,
        ("mbedtls", "aes-256-gcm") => chunks.iter().all(|n| n % 16 == 0),
        _ => true,
    }
}

fn key_of(primitive: &str) -> Vec<u8> {
    match primitive {
        "hmac-sha256" => bytes::stream(101, 20),
        "siphash-2-4" => bytes::stream(102, 16),
        "aes-256-gcm" => bytes::stream(103, 32),
        _ => vec![],
    }
}

/// A case of this offer: a message, and whatever else the operation needs.
fn any_case(of: &Subject) -> Case {
    let aead = of.primitive == "aes-256-gcm";
    Case {
        key: key_of(&of.primitive),
        nonce: if aead { bytes::nonce(9).to_vec() } else { vec![] },
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

/// FIPS 180-4's examples for "abc" and "", RFC 4231's test cases 1, 2 and 6 (a key longer than a
/// block), and the example of the SipHash paper, appendix A.
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
            "siphash-2-4" => vec![(with_key(counted(16), &counted(15)), "e545be4961ca29a1")],
            "aes-256-gcm" => return, // the next test
            other => panic!("{other}: add a published answer here"),
        };
        for (case, expected) in known {
            assert_eq!(hex::encode(runner.output(of, case.clone())), expected, "{of:?} {case:?}");
        }
    });
}

/// A test case of McGrew and Viega, "The Galois/Counter Mode of Operation (GCM)", appendix B.
struct Gcm {
    key: &'static str,
    nonce: &'static str,
    ad: &'static str,
    plain: &'static str,
    sealed: &'static str,
}

const ZERO_KEY: &str = "0000000000000000000000000000000000000000000000000000000000000000";
const KEY: &str = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308";
const PLAIN: &str = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
                     1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39";

/// Test cases 13, 14, 16 and, with a nonce of 8 bytes, 17.
const GCM: [Gcm; 4] = [
    Gcm {
        key: ZERO_KEY,
        nonce: "000000000000000000000000",
        ad: "",
        plain: "",
        sealed: "530f8afbc74536b9a963b4f1c4cb738b",
    },
    Gcm {
        key: ZERO_KEY,
        nonce: "000000000000000000000000",
        ad: "",
        plain: "00000000000000000000000000000000",
        sealed: "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919",
    },
    Gcm {
        key: KEY,
        nonce: "cafebabefacedbaddecaf888",
        ad: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
        plain: PLAIN,
        sealed: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa\
                 8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662\
                 76fc6ece0f4e1768cddf8853bb2d551b",
    },
    Gcm {
        key: KEY,
        nonce: "cafebabefacedbad",
        ad: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
        plain: PLAIN,
        sealed: "c3762df1ca787d32ae47c13bf19844cbaf1ae14d0b976afac52ff7d79bba9de0\
                 feb582d33934a4f0954cc2363bc73f7862ac430e64abe499f47c9b1f\
                 3a337dbf46a792c45e454913fe2ea8f2",
    },
];

#[test]
fn aes_256_gcm_seals_and_opens_the_cases_of_its_authors() {
    for_every_offer(|runner, of| {
        if of.primitive != "aes-256-gcm" {
            return;
        }
        for known in GCM {
            let (input, expected) = match of.operation {
                Operation::Seal => (hex(known.plain), hex(known.sealed)),
                _ => (hex(known.sealed), hex(known.plain)),
            };
            let nonce = hex(known.nonce);
            let unsupported = of.contender == "libsodium" && nonce.len() != 12;
            let case = Case { key: hex(known.key), nonce, ad: hex(known.ad), ..case(input) };
            match runner.compute(of, vec![case]).remove(0) {
                Answer::Output(output) => assert_eq!(output, expected, "{of:?}"),
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
        let good = Case {
            key: hex(KEY),
            nonce: hex(GCM[2].nonce),
            ad: hex(GCM[2].ad),
            ..case(hex(GCM[2].sealed))
        };
        let with = |input: Vec<u8>| Case { input: Input::Hex(input), ..good.clone() };
        let flipped = |at: usize| {
            let mut sealed = hex(GCM[2].sealed);
            sealed[at] ^= 1;
            with(sealed)
        };
        let sealed = hex(GCM[2].sealed);
        let bad = vec![
            flipped(0),
            flipped(59),
            flipped(60),
            flipped(75),
            with(sealed[..75].to_vec()),
            with(sealed[..15].to_vec()),
            with(vec![]),
            Case { ad: vec![], ..good.clone() },
            Case { nonce: vec![0; 12], ..good.clone() },
            Case { key: vec![0; 32], ..good.clone() },
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
        if matches!(of.primitive.as_str(), "siphash-2-4" | "aes-256-gcm") {
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
        offset: 13,
        key: key_of(&of.primitive),
        ad,
        file: None,
    }));
    let sliced = ok(runner.slice(SLICE));
    assert_eq!(sliced.iterations, SLICE.iterations);
    sliced.fold
}

/// The case for call `index`: the first bytes of its message are mixed with `last`.
fn call(of: &Subject, index: u64, size: u64, last: u64) -> Case {
    let mut message = bytes::stream(SEED + index % u64::from(POOL), size as usize);
    for (byte, mixed) in message.iter_mut().zip(last.to_le_bytes()) {
        *byte ^= mixed;
    }
    let nonce = any_case(of).nonce;
    let nonce = if nonce.is_empty() { nonce } else { bytes::nonce(index).to_vec() };
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
    let object = Family::read("libgcrypt").build();
    let features = |contender: &str| {
        let mut runner = Runner::start(&[&object]);
        runner.list();
        let workload = Workload {
            primitive: "sha256".to_string(),
            operation: Operation::Digest,
            size: 8,
            contract: Contract::of(Operation::Digest),
            shape: Shape::Throughput,
        };
        let prepared = ok(runner.prepare(Prepare {
            cell: 1,
            contender: contender.to_string(),
            workload,
            seed: 1,
            pool: 1,
            offset: 0,
            key: vec![],
            ad: vec![],
            file: None,
        }));
        prepared.code_path
    };
    let all = features("libgcrypt");
    let generic = features("libgcrypt-generic");
    assert!(all.contains("intel-ssse3"), "{all}");
    assert!(!generic.contains("intel"), "{generic}");
    if all.contains("intel-avx2") {
        let avx = features("libgcrypt-avx");
        assert!(avx.contains("intel-avx:") && !avx.contains("intel-avx2"), "{avx}");
        let ssse3 = features("libgcrypt-ssse3");
        assert!(ssse3.contains("intel-ssse3") && !ssse3.contains("intel-avx"), "{ssse3}");
    }
}
