//! The required answers to `compute`.

use crate::known::{hex, key, known};
use crate::talk::{Talk, What, copies_states, message, offers, takes_pieces};
use cupel_protocol::bytes;
use cupel_protocol::message::{Answer, Case, Input};
use cupel_protocol::workload::{Contract, Key, Operation, Output};
use std::path::Path;

/// The contracts of an operation that differ in where the key schedule is; one if it has no key.
pub fn contracts(operation: Operation) -> Vec<Contract> {
    let plain = Contract::usual(operation);
    match plain.key {
        Key::None => vec![plain],
        _ => vec![Contract { key: Key::PerCall, ..plain.clone() }, plain],
    }
}

/// Every contender gives the published answers under every contract.
pub fn known_answers_are_given(program: &str) {
    let offers = offers(program);
    for what in offers.iter().filter(|w| w.offer.operation != Operation::DigestFile) {
        let mut talk = Talk::start(program);
        for (known, contract) in known(what)
            .into_iter()
            .flat_map(|k| contracts(what.offer.operation).into_iter().map(move |c| (k, c)))
        {
            let (plain, sealed) = (hex(known.message), hex(known.output));
            let (input, expected) = match what.offer.operation {
                Operation::Open => (sealed, plain),
                _ => (plain, sealed),
            };
            let case = Case {
                key: hex(known.key),
                nonce: hex(known.nonce),
                ad: hex(known.ad),
                ..message(&input)
            };
            let got = talk.output(what, &contract, case);
            assert_eq!(::hex::encode(got), ::hex::encode(expected), "{what}, {}", known.source);
        }
    }
}

/// A streamed message has the same digest and tag as a whole one; `seal`, `open` and `digest-many`
/// cannot stream.
pub fn chunks_change_nothing(program: &str) {
    for what in &offers(program) {
        let mut talk = Talk::start(program);
        let operation = what.offer.operation;
        for contract in contracts(operation) {
            for size in [0, 1, 7, 8, 63, 64, 65, 127, 128, 129, 1000] {
                let whole = Case {
                    key: if contract.key == Key::None { vec![] } else { key(what) },
                    ..message(&bytes::stream(11, size))
                };
                let cut = |chunks: &[u32]| Case { chunks: chunks.to_vec(), ..whole.clone() };
                if !takes_pieces(what) {
                    let answer = talk.answer(what, &contract, cut(&[7]));
                    assert!(matches!(answer, Answer::Unsupported(_)), "{what}: {answer:?}");
                    continue;
                }
                let expected = talk.output(what, &contract, whole.clone());
                for chunks in [&[1][..], &[7, 64, 3], &[0, 5], &[2000]] {
                    let got = talk.output(what, &contract, cut(chunks));
                    assert_eq!(got, expected, "{what}: {size} bytes in {chunks:?}");
                }
                let streamed = Contract { chunk: 9, ..contract.clone() };
                assert_eq!(talk.output(what, &streamed, whole.clone()), expected, "{what}");
                let answer = talk.answer(what, &contract, cut(&[0, 0]));
                assert!(matches!(answer, Answer::Unsupported(_)), "{what}: {answer:?}");
            }
        }
    }
}

/// A digest after a prefix covers the prefix and the message, whole or streamed, and every time.
pub fn a_prefix_comes_before_every_message(program: &str) {
    let offers = offers(program);
    let whole = Contract::usual(Operation::Digest);
    for what in offers.iter().filter(|w| w.offer.operation == Operation::Digest) {
        let mut talk = Talk::start(program);
        for prefix in [1, 64, 200] {
            let prefixed = Contract { prefix, ..whole.clone() };
            for size in [0, 1, 55, 64, 1000] {
                let rest = bytes::stream(12, size);
                let all = [prefixed.prefix(), rest.clone()].concat();
                let expected = talk.output(what, &whole, message(&all));
                for chunks in [vec![], vec![7, 0, 64]] {
                    let case = Case { chunks, ..message(&rest) };
                    let answer = talk.answer(what, &prefixed, case);
                    if !copies_states(what) {
                        assert!(matches!(answer, Answer::Unsupported(_)), "{answer:?}");
                        continue;
                    }
                    let right = Answer::Output(expected.clone());
                    assert_eq!(answer, right, "{what}: {size} bytes after {prefix}");
                }
            }
        }
    }
}

/// `open` refuses a sealed message in which one bit differs, and one without a whole tag.
pub fn what_is_not_authentic_is_refused(program: &str) {
    let offers = offers(program);
    for what in offers.iter().filter(|w| w.offer.operation == Operation::Open) {
        let mut talk = Talk::start(program);
        for contract in contracts(Operation::Open) {
            let known = known(what)[0];
            let good = Case {
                key: hex(known.key),
                nonce: hex(known.nonce),
                ad: hex(known.ad),
                ..message(&hex(known.output))
            };
            let sealed = hex(known.output);
            assert_eq!(talk.output(what, &contract, good.clone()), hex(known.message), "{what}");

            let with = |input: &[u8]| Case { input: Input::Hex(input.to_vec()), ..good.clone() };
            let flipped = |bytes: &[u8], at: usize| {
                let mut bytes = bytes.to_vec();
                bytes[at] ^= 0x80;
                bytes
            };
            let bad = [
                with(&flipped(&sealed, sealed.len() - 1)),
                with(&flipped(&sealed, sealed.len() - 16)),
                with(&flipped(&sealed, 0)),
                with(&sealed[..sealed.len() - 1]),
                with(&sealed[..15]),
                with(&[]),
                Case { ad: flipped(&good.ad, 0), ..good.clone() },
                Case { nonce: flipped(&good.nonce, good.nonce.len() - 1), ..good.clone() },
                Case { key: flipped(&good.key, good.key.len() - 1), ..good.clone() },
            ];
            for case in bad {
                let answer = talk.answer(what, &contract, case.clone());
                assert!(matches!(answer, Answer::Refused(_)), "{what}: {answer:?} for {case:?}");
            }
        }
    }
}

/// Keys and nonces of other lengths, a fresh output, another primitive: `unsupported`, and why.
pub fn what_is_not_offered_is_unsupported(program: &str) {
    for what in &offers(program) {
        let mut talk = Talk::start(program);
        let contract = Contract::usual(what.offer.operation);
        let mut unsupported = |what: &What, contract: &Contract, case: Case| {
            let answer = talk.answer(what, contract, case);
            assert!(
                matches!(&answer, Answer::Unsupported(why) if why.len() > 10),
                "{what}: {answer:?}"
            );
        };
        let nonce = bytes::nonce_length(&what.offer.primitive);
        let case = Case { key: key(what), nonce: vec![0; nonce], ..message(&[7; 40]) };
        let fresh = Contract { output: Output::Fresh, ..contract.clone() };
        unsupported(what, &fresh, case.clone());
        let mut other = what.clone();
        other.offer.primitive = "md5".to_string();
        unsupported(&other, &contract, case.clone());
        if contract.key == Key::None {
            continue;
        }
        unsupported(what, &Contract { key: Key::None, ..contract.clone() }, case.clone());
        // HMAC takes keys of any length (RFC 2104 section 3). A key of half the length belongs to
        // another primitive: AES-128 for AES-256.
        if !what.offer.primitive.starts_with("hmac-") {
            for short in [&case.key[1..], &case.key[case.key.len() / 2..]] {
                unsupported(what, &contract, Case { key: short.to_vec(), ..case.clone() });
            }
        }
        if what.offer.fixed_key.is_some() {
            unsupported(what, &contract, Case { key: vec![1; case.key.len()], ..case.clone() });
        }
        if matches!(what.offer.operation, Operation::Seal | Operation::Open) {
            for other in [0, 8, 12, 16, 24].into_iter().filter(|&other| other != nonce) {
                unsupported(what, &contract, Case { nonce: vec![0; other], ..case.clone() });
            }
        }
    }
}

/// The digest of a file is its content's, at many sizes and also the second time; a file that does
/// not exist is a failure.
pub fn files_are_digested_whole_every_time(program: &str, folder: &Path) {
    let offers = offers(program);
    let files = |w: &&What| w.offer.operation == Operation::DigestFile;
    let in_memory = |primitive: &str| {
        let digests =
            |w: &&What| w.offer.operation == Operation::Digest && w.offer.primitive == primitive;
        offers.iter().find(digests).cloned().expect("a contender that digests from memory")
    };
    let contract = Contract::usual(Operation::DigestFile);
    for what in offers.iter().filter(files) {
        let mut talk = Talk::start(program);
        let memory = in_memory(&what.offer.primitive);
        let mut other = Talk::start(program);
        for size in [0, 3, 1023, 1024, 1025, 8192, 100_000] {
            let content = bytes::stream(5, size);
            let path = folder.join(format!("{}-{size}", what.contender));
            std::fs::write(&path, &content).expect("a writable folder");
            let path = path.to_str().expect("a path in UTF-8").to_string();

            let digest =
                other.output(&memory, &Contract::usual(Operation::Digest), message(&content));
            let case = Case { input: Input::File(path.clone()), ..message(&[]) };
            assert_eq!(talk.output(what, &contract, case), digest, "{what}: {size} bytes");

            let workload = (&contract, cupel_protocol::workload::Shape::Throughput, size as u64);
            talk.prepare(what, workload, (&[], &[]), Some(path));
            let one = cupel_protocol::fold::word(&digest);
            assert_eq!(talk.slice(0, 1, 3).fold, one.wrapping_mul(3), "{what}: {size} bytes");
        }
        let gone = folder.join("gone").to_str().expect("a path in UTF-8").to_string();
        let answer =
            talk.answer(what, &contract, Case { input: Input::File(gone), ..message(&[]) });
        assert!(matches!(&answer, Answer::Failed(why) if why.contains("gone")), "{answer:?}");
    }
}
