//! Tests the host of a library: the calls of a slice, with which inputs, on which threads. The fold
//! of a slice is compared with one that the test computes itself, call by call.

mod answers;
mod served;
mod toy;

use cupel_protocol::bytes::{self, CallNonce};
use cupel_protocol::fold;
use cupel_protocol::histogram::Histogram;
use cupel_protocol::host::Host;
use cupel_protocol::message::Prepare;
use cupel_protocol::serve::Runner;
use cupel_protocol::workload::{Contract, Lengths, Operation, Shape, Shared};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use toy::{SLICE, Toys, digest, host, ok, prepare, refusal, seal, sliced, timed};

/// The sum of the words of these outputs.
fn sum(outputs: impl Iterator<Item = Vec<u8>>) -> u64 {
    outputs.fold(0, |sum, output| sum.wrapping_add(fold::word(&output)))
}

/// Message `index` of a pool of 4.
fn message(index: u64) -> Vec<u8> {
    bytes::stream(1000 + index % 4, 100)
}

/// The output of a call that seals.
fn sealed(index: u64) -> Vec<u8> {
    seal(b"key", &CallNonce::new(index, 12), b"ad", &message(index))
}

fn digested(index: u64) -> Vec<u8> {
    digest(&[b"key", &message(index)[..]].concat())
}

#[test]
fn a_slice_sums_the_words_of_its_timed_calls_on_any_number_of_threads() {
    let mut host = host();
    // The later cells use threads that the earlier ones have started.
    for threads in [1, 3, 2, 5, 1] {
        let (prepared, slice) = sliced(&mut host, &prepare(Operation::Digest, threads));
        assert_eq!(slice.fold, sum(timed().map(digested)), "{threads} threads");
        let numbers: BTreeSet<u32> = prepared.threads.iter().copied().collect();
        let expected = if threads == 1 { 0 } else { threads as usize };
        assert_eq!((numbers.len(), prepared.threads.len()), (expected, expected), "{prepared:?}");
    }
}

#[test]
fn each_call_has_its_own_nonce_whichever_thread_makes_it() {
    for threads in [1, 2, 7] {
        let toys = Toys::default();
        let seen = Arc::clone(&toys.seen);
        let mut host = Host::new("toys", "1", toys);
        let (_, slice) = sliced(&mut host, &prepare(Operation::Seal, threads));
        assert_eq!(slice.fold, sum(timed().map(sealed)), "{threads} threads");
        let all = SLICE.first..timed().end;
        let once = all.map(|index| (CallNonce::new(index, 12).to_vec(), 1)).collect();
        assert_eq!(seen.lock().unwrap().sealed, once, "{threads} threads");
        let opened: BTreeSet<String> =
            seen.lock().unwrap().threads.iter().map(|id| format!("{id:?}")).collect();
        assert_eq!(opened.len(), threads as usize, "each opens its own");
    }
}

#[test]
fn what_open_gets_is_sealed_once_for_all_threads() {
    for threads in [1, 3] {
        let toys = Toys::default();
        let seen = Arc::clone(&toys.seen);
        let mut host = Host::new("toys", "1", toys);
        let (_, slice) = sliced(&mut host, &prepare(Operation::Open, threads));
        assert_eq!(slice.fold, sum(timed().map(message)), "{threads} threads");
        let once = (0..4).map(|index| (CallNonce::new(index, 12).to_vec(), 1)).collect();
        assert_eq!(seen.lock().unwrap().sealed, once, "{threads} threads");
    }
}

/// The request with these lengths, which are drawn.
fn drawn(ask: Prepare) -> Prepare {
    let histogram = Histogram::new(vec![(9, 1), (40, 2), (100, 1)]).unwrap();
    let mut ask = Prepare { lengths: vec![40, 9, 100, 40], ..ask };
    ask.workload.contract.lengths = Lengths::Drawn(histogram);
    ask
}

#[test]
fn drawn_messages_are_beginnings_of_one_and_each_length_is_sealed_once() {
    let message = |index: u64| {
        let length = [40, 9, 100, 40][index as usize % 4];
        bytes::stream(1000, length)
    };
    let (_, slice) = sliced(&mut host(), &drawn(prepare(Operation::Mac, 1)));
    let expected = timed().map(|index| digest(&[b"key", &message(index)[..]].concat()));
    assert_eq!(slice.fold, sum(expected));

    let (_, slice) = sliced(&mut host(), &drawn(prepare(Operation::Seal, 1)));
    let expected =
        timed().map(|index| seal(b"key", &CallNonce::new(index, 12), b"ad", &message(index)));
    assert_eq!(slice.fold, sum(expected));

    let toys = Toys::default();
    let seen = Arc::clone(&toys.seen);
    let mut host = Host::new("toys", "1", toys);
    let (_, slice) = sliced(&mut host, &drawn(prepare(Operation::Open, 1)));
    assert_eq!(slice.fold, sum(timed().map(message)));
    let once = (0..3).map(|index| (CallNonce::new(index, 12).to_vec(), 1)).collect();
    assert_eq!(seen.lock().unwrap().sealed, once, "three lengths");

    let said = refusal(host.prepare(&drawn(prepare(Operation::Mac, 2))));
    assert!(said.starts_with("unsupported: ") && said.contains("one thread"), "{said}");
    let mut few = drawn(prepare(Operation::Mac, 1));
    few.lengths.pop();
    assert_eq!(refusal(host.prepare(&few)), "failed: 3 lengths for a pool of 4");
}

#[test]
fn the_input_of_a_latency_call_depends_on_the_output_before_it() {
    for (size, operation) in [(100, Operation::Mac), (5, Operation::Mac), (100, Operation::Seal)] {
        let mut ask = prepare(operation, 1);
        ask.workload.shape = Shape::Latency;
        ask.workload.size = size;
        let (mut last, mut expected) = (0_u64, 0_u64);
        for index in SLICE.first..timed().end {
            let mut message = bytes::stream(1000 + index % 4, size as usize);
            let n = message.len().min(8);
            let mixed = (fold::head(&message[..n]) ^ last).to_le_bytes();
            message[..n].copy_from_slice(&mixed[..n]);
            let output = match operation {
                Operation::Seal => seal(b"key", &CallNonce::new(index, 12), b"ad", &message),
                _ => digest(&[b"key", &message[..]].concat()),
            };
            last = fold::head(&output);
            if index >= timed().start {
                expected = expected.wrapping_add(fold::word(&output));
            }
        }
        let mut host = host();
        let (_, slice) = sliced(&mut host, &ask);
        assert_eq!(slice.fold, expected, "{operation} of {size} bytes");
        assert_eq!(ok(host.slice(&SLICE)).fold, expected, "a slice begins again with no output");
    }
}

#[test]
fn a_batch_takes_the_next_messages_of_the_pool_and_every_digest_counts() {
    for (threads, lengths) in [(1, Lengths::Equal), (1, Lengths::Spread), (3, Lengths::Spread)] {
        let mut ask = prepare(Operation::DigestMany, threads);
        ask.key = vec![];
        ask.workload.contract.batch = 3;
        ask.workload.contract.lengths = lengths.clone();
        let one = |number: u64| {
            let at = number % 4;
            digest(&bytes::stream(1000 + at, lengths.length(at, 100) as usize))
        };
        let all = timed().flat_map(|call| (0..3).map(move |nth| call * 3 + nth));
        let (_, slice) = sliced(&mut host(), &ask);
        assert_eq!(slice.fold, sum(all.map(one)), "{threads} threads, {lengths:?}");
    }
}

#[test]
fn a_file_is_digested_by_its_name() {
    let path = std::env::temp_dir().join(format!("cupel-protocol-{}", std::process::id()));
    std::fs::write(&path, b"content").unwrap();
    let mut ask = prepare(Operation::DigestFile, 1);
    ask.file = Some(path.to_string_lossy().into_owned());
    let (_, slice) = sliced(&mut host(), &ask);
    std::fs::remove_file(path).unwrap();
    assert_eq!(slice.fold, sum(timed().map(|_| digest(b"content"))));
}

#[test]
fn threads_share_one_object_where_the_contender_has_one() {
    let toys = Toys::default();
    let made = Arc::clone(&toys.made);
    let mut host = Host::new("toys", "1", toys);
    let mut ask = prepare(Operation::Seal, 3);
    ask.workload.contract.shared = Shared::Context;
    let (prepared, slice) = sliced(&mut host, &ask);
    assert_eq!(prepared.code_path, "shares object 0");
    assert_eq!(slice.fold, sum(timed().map(sealed)));
    assert_eq!(made.load(Ordering::SeqCst), 1, "one for three threads");
    sliced(&mut host, &ask);
    assert_eq!(made.load(Ordering::SeqCst), 2, "a cell has its own");

    ask.workload.operation = Operation::Open;
    ask.workload.contract =
        Contract { shared: Shared::Context, threads: 3, ..Contract::usual(Operation::Open) };
    assert_eq!(
        refusal(host.prepare(&ask)),
        "unsupported: toy has nothing prepared that threads may share"
    );
}

#[test]
fn forged_messages_must_be_refused_in_every_call() {
    let mut ask = prepare(Operation::Seal, 1);
    ask.workload.contract.forged = Some(0);
    let said = "unsupported: seal takes no forged messages";
    assert_eq!(refusal(host().prepare(&ask)), said);
    ask.workload.operation = Operation::Open;
    for byte in 0..16 {
        ask.workload.contract.forged = Some(byte);
        let (_, slice) = sliced(&mut host(), &ask);
        assert_eq!(slice.fold, 0, "byte {byte}");
    }
    ask.contender = "accepts".to_string();
    let mut host = host();
    ok(host.prepare(&ask));
    let said = r#"failed: in a timed slice: Failed("a forged message was accepted")"#;
    assert_eq!(refusal(host.slice(&SLICE)), said);
}

/// Threads that wait for one that failed would wait for ever.
#[test]
fn a_call_that_fails_on_any_thread_is_the_slice_s_and_the_next_slice_works() {
    for threads in [1, 2, 3, 25] {
        let mut ask = prepare(Operation::Seal, threads);
        ask.contender = "fails-at-40".to_string();
        let mut host = host();
        ok(host.prepare(&ask));
        let said = r#"failed: in a timed slice: Failed("call 40")"#;
        assert_eq!(refusal(host.slice(&SLICE)), said, "timed, {threads} threads");
        let untimed = toy_slice(38, 7);
        assert_eq!(refusal(host.slice(&untimed)), said, "untimed, {threads} threads");
        let after = toy_slice(60, 7);
        let expected = sum((67..92).map(sealed));
        assert_eq!(ok(host.slice(&after)).fold, expected, "{threads} threads");
    }
}

fn toy_slice(first: u64, preroll: u64) -> cupel_protocol::message::Slice {
    cupel_protocol::message::Slice { first, preroll, ..SLICE }
}
