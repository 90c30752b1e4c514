//! The host's answers for verification, and its refusals.

use crate::toy::{SLICE, Toys, digest, host, ok, prepare, refusal, seal};
use cupel_protocol::bytes;
use cupel_protocol::host::Host;
use cupel_protocol::message::{Answer, Case, Compute, Input, Outcome, Prepare};
use cupel_protocol::serve::Runner;
use cupel_protocol::workload::{Completion, Contract, MAX_BATCH, Operation, Output, Shape};

/// The answer of a contender to one case, in a fresh process.
fn answer(contender: &str, operation: Operation, case: Case) -> Answer {
    let ask = compute(contender, operation, case);
    ok(host().compute(&ask)).answers.pop().expect("one answer")
}

fn compute(contender: &str, operation: Operation, case: Case) -> Compute {
    Compute {
        contender: contender.to_string(),
        primitive: "aes-128-gcm".to_string(),
        operation,
        contract: Contract::usual(operation),
        cases: vec![case],
    }
}

fn keyed(input: Vec<u8>) -> Case {
    let (key, nonce, ad) = (b"key".to_vec(), vec![7; 12], b"ad".to_vec());
    Case { key, nonce, ad, offset: 3, ..Case::plain(Input::Hex(input)) }
}

#[test]
fn outputs_are_computed_of_what_the_case_has() {
    let seed = Case::plain(Input::Stream { seed: 3, size: 50 });
    assert_eq!(
        answer("toy", Operation::Digest, seed),
        Answer::Output(digest(&bytes::stream(3, 50)))
    );
    let sealed = seal(b"key", &[7; 12], b"ad", b"message");
    let case = keyed(b"message".to_vec());
    assert_eq!(answer("toy", Operation::Seal, case), Answer::Output(sealed.clone()));
    let case = keyed(sealed);
    assert_eq!(answer("toy", Operation::Open, case), Answer::Output(b"message".to_vec()));
}

/// A copy that is the state itself is correct once.
#[test]
fn a_prefix_is_before_every_message_and_a_state_that_is_not_copied_is_seen() {
    let asked = |contender: &str| {
        let mut ask = compute(contender, Operation::Digest, keyed(b"message".to_vec()));
        ask.contract.prefix = 100;
        let right = digest(&[b"key", &ask.contract.prefix()[..], b"message"].concat());
        (ok(host().compute(&ask)).answers.remove(0), Answer::Output(right))
    };
    let (answer, right) = asked("toy");
    assert_eq!(answer, right);
    let (answer, _) = asked("copies-nothing");
    assert!(matches!(&answer, Answer::Failed(why) if why.contains("differ")), "{answer:?}");
    let mut ask = compute("toy", Operation::Seal, keyed(vec![]));
    ask.contract.prefix = 1;
    assert_eq!(refusal(host().compute(&ask)), "unsupported: seal has no prefix");
}

#[test]
fn a_refusal_of_a_forgery_counts_only_if_no_plaintext_is_left() {
    let mut forged = seal(b"key", &[7; 12], b"ad", &bytes::stream(1, 40));
    *forged.last_mut().unwrap() ^= 1;
    let refused = answer("toy", Operation::Open, keyed(forged.clone()));
    assert_eq!(refused, Answer::Refused("not authentic".to_string()));
    let left = answer("leaves-plaintext", Operation::Open, keyed(forged));
    assert!(matches!(&left, Answer::Failed(why) if why.contains("plaintext")), "{left:?}");
}

/// The state that an opened message leaves in a prepared object.
#[test]
fn a_forgery_is_refused_by_a_state_that_has_opened_its_message() {
    let sealed = || seal(b"key", &[7; 12], b"ad", b"message");
    let mut forged = sealed();
    forged[0] ^= 1;
    let refused = answer("checks-once", Operation::Open, keyed(forged));
    assert_eq!(refused, Answer::Refused("not authentic".to_string()), "a fresh state");
    let accepted = answer("checks-once", Operation::Open, keyed(sealed()));
    assert!(matches!(&accepted, Answer::Failed(why) if why.contains("forged")), "{accepted:?}");
}

#[test]
fn what_an_output_alone_does_not_show_is_a_failure() {
    for (contender, words) in [
        ("writes-beyond", "wrote beyond the 16 bytes of its output"),
        ("too-long", "bytes of output for a buffer of"),
        ("broken", "it does not open"),
    ] {
        let answer = answer(contender, Operation::Digest, keyed(vec![1, 2, 3]));
        assert!(matches!(&answer, Answer::Failed(why) if why.contains(words)), "{answer:?}");
    }
    let by_nature = answer("unsupported", Operation::Digest, keyed(vec![]));
    assert_eq!(by_nature, Answer::Unsupported("by its nature".to_string()));
    let ask = compute("missing", Operation::Digest, keyed(vec![]));
    assert_eq!(refusal(host().compute(&ask)), "missing: not here", "for every case");
}

#[test]
fn a_batch_is_answered_message_by_message() {
    let input: Vec<u8> = (0..60).collect();
    let case = |lengths: &[u32], chunks: &[u32]| {
        let (lengths, chunks) = (lengths.to_vec(), chunks.to_vec());
        Case { lengths, chunks, offset: 9, ..Case::plain(Input::Hex(input.clone())) }
    };
    let three = answer("toy", Operation::DigestMany, case(&[10, 0, 50], &[]));
    let digests = [digest(&input[..10]), digest(&[]), digest(&input[10..])].concat();
    assert_eq!(three, Answer::Output(digests));
    let whole = answer("toy", Operation::DigestMany, case(&[], &[]));
    assert_eq!(whole, Answer::Output(digest(&input)));
    let short = answer("toy", Operation::DigestMany, case(&[10, 40], &[]));
    assert_eq!(short, Answer::Failed("2 messages of 50 bytes in an input of 60".to_string()));
    let streamed = answer("toy", Operation::DigestMany, case(&[60], &[8]));
    assert!(matches!(&streamed, Answer::Unsupported(why) if why.contains("not streamed")));
    let beyond = answer("writes-beyond", Operation::DigestMany, case(&[30, 30], &[]));
    assert!(matches!(&beyond, Answer::Failed(_)), "{beyond:?}");
}

#[test]
fn a_case_s_own_chunks_replace_those_of_the_contract() {
    // A toy names its chunks as its code path.
    let mut ask = prepare(Operation::Digest, 1);
    ask.workload.contract.chunk = 16;
    assert_eq!(ok(host().prepare(&ask)).code_path, "chunks [16]");
    ask.workload.contract.chunk = 0;
    assert_eq!(ok(host().prepare(&ask)).code_path, "chunks []");
}

/// The host's refusals without asking the library.
#[test]
fn a_request_that_makes_no_sense_is_refused_with_its_reason() {
    let refused = |operation, change: fn(&mut Prepare), words: &str| {
        let mut ask = prepare(operation, 1);
        change(&mut ask);
        let mut host = host();
        let said = refusal(host.prepare(&ask));
        assert!(said.contains(words), "{said}");
        assert_eq!(refusal(host.slice(&SLICE)), "failed: cell 1 was not prepared");
    };
    let digest = Operation::Digest;
    refused(digest, |ask| ask.pool = 3, "failed: pool 3 is not a power of two");
    refused(digest, |ask| ask.offset = 64, "failed: offset 64 is not below 64");
    refused(digest, |ask| ask.lengths = vec![101], "failed: length 101 is above size 100");
    refused(digest, |ask| ask.workload.size = 1 << 33, "failed: 8589934592 bytes do not fit");
    refused(digest, |ask| ask.workload.size = u64::MAX, "do not fit into memory");
    refused(digest, |ask| ask.workload.contract.batch = 2, "unsupported: digest takes one message");
    let in_place = |ask: &mut Prepare| ask.workload.contract.output = Output::InPlace;
    refused(Operation::Seal, in_place, "unsupported: this runner has no in-place operation");
    let awaited = |ask: &mut Prepare| ask.workload.contract.result = Completion::Awaited;
    refused(digest, awaited, "unsupported: nothing is awaited here");
    let empty = |ask: &mut Prepare| {
        ask.workload.shape = Shape::Latency;
        ask.workload.size = 0;
    };
    refused(digest, empty, "unsupported: latency is not defined for digest of 0 bytes");
    let many = Operation::DigestMany;
    refused(many, |ask| ask.workload.contract.batch = 0, "unsupported: a batch has 1 to");
    refused(many, |ask| ask.workload.contract.batch = MAX_BATCH + 1, "messages, not 4097");
    refused(many, |ask| ask.workload.contract.chunk = 8, "unsupported: the messages of a batch");
    refused(digest, |ask| ask.contender = "broken".to_string(), "failed: it does not open");
    let too_long = |ask: &mut Prepare| ask.contender = "too-long".to_string();
    refused(Operation::Open, too_long, "failed: sealing the inputs of open: output longer");
}

#[test]
fn a_process_hosts_one_contender() {
    let mut host = Host::new("toys", "7", Toys::default());
    let hello = host.hello();
    assert_eq!((&*hello.runner, &*hello.version), ("toys", "7"));
    assert!(hello.clock.resolution_ns > 0.0 && !hello.clock.simulated, "{hello:?}");
    assert!(matches!(host.list(), Outcome::Ok(list) if list.contenders[0].name == "toy"));
    ok(host.prepare(&prepare(Operation::Digest, 1)));
    let mut other = prepare(Operation::Digest, 1);
    other.contender = "second".to_string();
    let said = refusal(host.prepare(&other));
    assert!(said.starts_with("failed: this process hosts toy already"), "{said}");
    let said = refusal(host.compute(&compute("second", Operation::Digest, keyed(vec![]))));
    assert!(said.starts_with("failed: this process hosts toy already"), "{said}");
    ok(host.slice(&SLICE));
}

/// A digest that is one byte longer than its buffer would be read beyond it.
#[test]
fn an_output_that_is_too_long_fails_the_slice() {
    for (operation, threads) in [(Operation::Digest, 1), (Operation::Digest, 2)] {
        let mut ask = prepare(operation, threads);
        ask.contender = "too-long".to_string();
        let mut host = host();
        ok(host.prepare(&ask));
        let said = refusal(host.slice(&SLICE));
        assert!(said.contains("output longer than its buffer"), "{said}");
    }
}
