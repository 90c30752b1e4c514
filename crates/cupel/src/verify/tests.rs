//! Verification of contenders with known faults, and the expected fold compared with the runner's.

use super::expect::Expected;
use super::reference::Ready;
use super::*;
use cupel_protocol::histogram::Histogram;
use cupel_protocol::host::{Call, CallError, Host, Io, Library, Refused, Task};
use cupel_protocol::message::{Input, Listed, Prepare, Slice};
use cupel_protocol::serve::Runner;
use cupel_protocol::workload::{Bytes, Shape, Shared, Workload};
use std::convert::Infallible;
use std::path::Path;

/// A library that answers like the reference.
struct Honest;

/// A library that decrypts before it verifies the tag, and leaves the plaintext of what it refuses.
struct Leaky;

struct LeakyCell {
    honest: Cell,
    key: Vec<u8>,
}

impl Library for Leaky {
    type Cell = LeakyCell;

    fn list(&mut self) -> Vec<Listed> {
        vec![]
    }

    fn open(&mut self, name: &str, task: &Task) -> Result<LeakyCell, Refused> {
        Ok(LeakyCell { honest: Honest.open(name, task)?, key: task.key.clone() })
    }
}

impl Call for LeakyCell {
    fn call(&mut self, io: &Io<'_>, output: &mut [u8]) -> Result<usize, CallError> {
        self.honest.call(io, output).inspect_err(|error| {
            if *error == CallError::Refused {
                let plaintext = unauthenticated(&self.key, io.nonce, io.ad, io.input);
                output[..plaintext.len()].copy_from_slice(&plaintext);
            }
        })
    }

    fn code_path(&self) -> String {
        self.honest.code_path()
    }
}

struct Cell {
    ready: Ready,
    operation: Operation,
    file: Option<String>,
}

impl Library for Honest {
    type Cell = Cell;

    fn list(&mut self) -> Vec<Listed> {
        vec![]
    }

    fn open(&mut self, _: &str, task: &Task) -> Result<Cell, Refused> {
        let ready = Ready::new(&task.primitive, task.operation, &task.key)
            .map_err(|r| Refused::failed(r.reason))?;
        Ok(Cell { ready, operation: task.operation, file: task.file.clone() })
    }
}

impl Call for Cell {
    fn call(&mut self, io: &Io<'_>, output: &mut [u8]) -> Result<usize, CallError> {
        let made = match self.operation {
            Operation::Digest | Operation::DigestMany | Operation::Mac => self.ready.hash(io.input),
            Operation::DigestFile => {
                let file = self.file.as_deref().ok_or(CallError::Failed("no file"))?;
                self.ready.hash_file(Path::new(file)).map_err(|_| CallError::Failed("file"))?
            }
            operation if operation.is_aead() && io.nonce.len() != self.ready.nonce_length() => {
                return Err(CallError::Unsupported("nonces of the usual length only"));
            }
            Operation::Seal => self
                .ready
                .seal(io.nonce, io.ad, io.input)
                .map_err(|_| CallError::Failed("cannot seal"))?,
            Operation::SealOpen => self
                .ready
                .seal_open(io.nonce, io.ad, io.input)
                .map_err(|_| CallError::Failed("cannot seal"))?,
            Operation::Open => {
                self.ready.open(io.nonce, io.ad, io.input).map_err(|_| CallError::Refused)?
            }
        };
        output[..made.len()].copy_from_slice(&made);
        Ok(made.len())
    }

    fn code_path(&self) -> String {
        "reference".to_string()
    }
}

fn offer(primitive: &str, operation: Operation) -> Offer {
    Offer::new(primitive, operation)
}

/// Verifies a contender that is honest except for `fault`, which may change an answer.
impl Verified {
    /// What was wrong, if anything was; what is missing is not.
    fn failure(&self) -> Option<Failure> {
        match &self.unfit {
            Some(Unfit::Wrong(failure)) => Some(failure.clone()),
            Some(Unfit::Unasked(why)) => panic!("{why}"),
            Some(Unfit::Missing(_)) | None => None,
        }
    }
}

fn with_fault(
    offer: &Offer,
    depth: Depth,
    measured: &[u64],
    fault: impl Fn(&Case, &mut Answer),
) -> Verified {
    let contract = Contract::of(offer.operation);
    let Ok(verified) = verify(&mut answering(fault), "honest", offer, &contract, depth, measured);
    verified
}

fn answering(
    fault: impl Fn(&Case, &mut Answer),
) -> impl FnMut(Compute) -> Result<Outcome<Computed>, Infallible> {
    let mut host = Host::new("test", "0", Honest);
    move |compute| {
        let Outcome::Ok(mut computed) = host.compute(&compute) else {
            panic!("the honest library answers");
        };
        for (case, answer) in compute.cases.iter().zip(&mut computed.answers) {
            fault(case, answer);
        }
        Ok(Outcome::Ok(computed))
    }
}

/// The failure of an opener at full depth, without the sizes that take a debug build minutes.
fn failure_to_open(fault: impl Fn(&Case, &mut Answer)) -> Failure {
    let primitive = primitives::named(OPEN.0).unwrap();
    let contract = Contract::of(OPEN.1);
    let mut questions = cases::questions(primitive, OPEN.1, None, &contract, Depth::Full, &[]);
    questions.retain(|question| question.size() <= 1024);
    let key = bytes::stream(1, primitive.key);
    let examiner = Examiner::new(primitive, OPEN.1, key, &contract).unwrap();
    let (ask, contender) = (&mut answering(fault), "honest");
    let (operation, contract, promised) = (OPEN.1, &contract, contract.clone());
    let exam = Exam { ask, contender, primitive, operation, contract, promised, examiner };
    let Ok(verified) = exam.verified(&offer(OPEN.0, OPEN.1), &questions);
    verified.failure().expect("a fault was put in")
}

fn size_of(case: &Case) -> u64 {
    match &case.input {
        Input::Hex(bytes) => bytes.len() as u64,
        Input::Stream { size, .. } => *size,
        Input::File(path) => std::fs::metadata(path).unwrap().len(),
    }
}

fn spoil(answer: &mut Answer) {
    if let Answer::Output(output) = answer
        && let Some(last) = output.last_mut()
    {
        *last ^= 1;
    }
}

const MAC: (&str, Operation) = ("siphash-2-4", Operation::Mac);
const OPEN: (&str, Operation) = ("aes-256-gcm", Operation::Open);
const MANY: (&str, Operation) = ("sha256", Operation::DigestMany);

fn failure_of(
    (primitive, operation): (&str, Operation),
    depth: Depth,
    fault: impl Fn(&Case, &mut Answer),
) -> Failure {
    with_fault(&offer(primitive, operation), depth, &[], fault)
        .failure()
        .expect("a fault was put in")
}

#[test]
fn an_honest_contender_passes_everything_that_the_tool_can_check() {
    for primitive in primitives::all() {
        for &operation in primitive.operations {
            for depth in [Depth::Warm, Depth::Full] {
                // A debug build would need minutes to hash these; siphash represents all of them at
                // `Full`.
                if depth == Depth::Full && primitive.name != "siphash-2-4" {
                    continue;
                }
                let verified =
                    with_fault(&offer(primitive.name, operation), depth, &[777], |_, _| {});
                assert_eq!(verified.failure(), None, "{} {operation}", primitive.name);
                assert!(verified.cases > 30, "{} {operation}", primitive.name);
            }
        }
    }
}

#[test]
fn the_smallest_wrong_size_between_two_that_were_asked_is_found() {
    let failure = failure_of(MAC, Depth::Full, |case, answer| {
        if size_of(case) > 4096 {
            spoil(answer);
        }
    });
    assert_eq!(failure.size, 4097, "{failure}");
    assert_eq!(failure.common, None);
    assert!(failure.wrong < failure.of);
}

#[test]
fn a_fault_at_one_size_only_is_found_warm_and_cold() {
    for depth in [Depth::Full, Depth::Warm] {
        let failure = failure_of(MAC, depth, |case, answer| {
            if size_of(case) == 56 {
                spoil(answer);
            }
        });
        assert_eq!(failure.size, 56, "{depth:?}: {failure}");
    }
}

#[test]
fn a_wrong_byte_in_the_middle_of_a_long_output_is_found_and_located() {
    let failure = failure_of(("aes-256-gcm", Operation::Seal), Depth::Warm, |case, answer| {
        if let Answer::Output(output) = answer
            && size_of(case) >= 2000
        {
            output[1500] ^= 1;
        }
    });
    assert_eq!(failure.size, 2000, "{failure}");
    assert!(failure.got.ends_with("wrong from byte 1500 on"), "{failure}");
}

#[test]
fn a_measured_size_that_is_wrong_once_warm_is_found() {
    let mac = offer(MAC.0, MAC.1);
    let fault = |case: &Case, answer: &mut Answer| {
        if size_of(case) == 100_003 {
            spoil(answer);
        }
    };
    assert_eq!(with_fault(&mac, Depth::Warm, &[], fault).failure(), None);
    let failure = with_fault(&mac, Depth::Warm, &[100_003], fault).failure().unwrap();
    assert_eq!(failure.size, 100_003, "{failure}");
}

#[test]
fn a_fault_of_unaligned_messages_is_found_and_named() {
    let failure = failure_of(MAC, Depth::Full, |case, answer| {
        if case.offset == 31 && size_of(case) >= 64 {
            spoil(answer);
        }
    });
    assert_eq!(failure.size, 64, "{failure}");
    assert!(failure.case.contains("offset 31 in one call"), "{failure}");
    assert_eq!(failure.common, Some("all are unaligned to a cache line"));
}

#[test]
fn a_fault_of_streamed_messages_is_found_and_named() {
    for broken in [vec![1], vec![3, 61, 7], vec![64], vec![127, 1], vec![4096, 13]] {
        let failure = failure_of(MAC, Depth::Full, |case, answer| {
            if case.chunks == broken && size_of(case) > 0 {
                spoil(answer);
            }
        });
        assert_eq!(failure.size, 1, "{failure}");
        assert!(failure.case.contains(&format!("{broken:?}")), "{failure}");
        assert_eq!(failure.common, Some("all are streamed"));
    }
}

#[test]
fn not_streaming_is_noted_and_is_not_a_failure() {
    let verified = with_fault(&offer(MAC.0, MAC.1), Depth::Full, &[], |case, answer| {
        if !case.chunks.is_empty() {
            *answer = Answer::Unsupported("one call only".to_string());
        }
    });
    assert_eq!(verified.failure(), None);
    assert_eq!(verified.unsupported, ["one call only"]);
}

#[test]
fn an_offer_that_is_not_kept_is_a_failure() {
    let failure = failure_of(MAC, Depth::Warm, |_, answer| {
        *answer = Answer::Unsupported("not today".to_string());
    });
    assert!(failure.got.contains("not today"), "{failure}");
    let failure = failure_of(("aes-256-gcm", Operation::Seal), Depth::Warm, |case, answer| {
        if case.nonce.len() == 12 && size_of(case) == 0 {
            *answer = Answer::Unsupported("no empty messages".to_string());
        }
    });
    assert_eq!(failure.size, 0, "{failure}");
}

#[test]
fn a_contract_that_a_contender_does_not_do_leaves_no_case_and_no_failure() {
    leaves_nothing(MAC, Contract { chunk: 64, ..Contract::of(MAC.1) });
    // Some of its cases must be refused, and this is a refusal of them, too.
    let open = ("aes-256-gcm", Operation::Open);
    leaves_nothing(open, Contract { chunk: 64, ..Contract::of(open.1) });
    let shared = Contract { threads: 2, shared: Shared::Context, ..Contract::of(open.1) };
    leaves_nothing(open, shared);
}

#[track_caller]
fn leaves_nothing(of: (&str, Operation), contract: Contract) {
    let offer = offer(of.0, of.1);
    let mut asked = 0;
    let mut ask = |compute: Compute| -> Result<_, Infallible> {
        asked += 1;
        assert_eq!(compute.contract, contract);
        let answer = Answer::Unsupported("one call only".to_string());
        Ok(Outcome::Ok(Computed { answers: vec![answer; compute.cases.len()] }))
    };
    let Ok(verified) = verify(&mut ask, "x", &offer, &contract, Depth::Warm, &[]);
    let unsupported = vec!["one call only".to_string()];
    assert_eq!(verified, Verified { cases: 0, unsupported, unfit: None });
    assert!(asked > 0);
}

#[test]
fn what_this_machine_lacks_is_no_failure_unless_something_was_answered() {
    let offer = offer(MAC.0, MAC.1);
    let contract = Contract::of(MAC.1);
    let lacking = || Outcome::Missing(Refusal::because("the CPU lacks it"));
    let mut asked = 0;
    let mut ask = |_| -> Result<_, Infallible> {
        asked += 1;
        Ok(lacking())
    };
    let Ok(verified) = verify(&mut ask, "x", &offer, &contract, Depth::Full, &[]);
    let unfit = Some(Unfit::Missing(Refusal::because("the CPU lacks it")));
    assert_eq!(verified, Verified { cases: 0, unsupported: vec![], unfit });
    assert_eq!(asked, 1, "nothing more is asked");

    let mut honest = answering(|_, _| {});
    let mut asked = 0;
    let mut ask = |compute| {
        asked += 1;
        if asked == 1 { honest(compute) } else { Ok(lacking()) }
    };
    let Ok(verified) = verify(&mut ask, "honest", &offer, &contract, Depth::Full, &[]);
    let failure = verified.failure().expect("it answered at first").to_string();
    assert!(failure.contains("missing: the CPU lacks it"), "{failure}");
}

#[test]
fn digests_that_change_places_in_a_batch_are_found() {
    let failure = failure_of(MANY, Depth::Warm, |case, answer| {
        if let Answer::Output(output) = answer
            && case.lengths.len() >= 16
        {
            let (first, rest) = output.split_at_mut(32);
            first.swap_with_slice(&mut rest[14 * 32..15 * 32]);
        }
    });
    // Equal messages of one length would hide it, but at size 1 two differ.
    assert_eq!(failure.size, 1, "{failure}");
    assert!(failure.case.contains("64 messages of "), "{failure}");
}

#[test]
fn a_fault_of_messages_of_many_lengths_is_found_where_batches_are_of_one() {
    for depth in [Depth::Full, Depth::Warm] {
        let failure = failure_of(MANY, depth, |case, answer| {
            if case.lengths.iter().any(|n| *n != case.lengths[0] && *n >= 64) {
                spoil(answer);
            }
        });
        assert!(failure.case.contains("messages of 0 to "), "{failure}");
    }
}

#[test]
fn a_fault_of_a_row_that_is_not_full_is_found() {
    for count in [1, 7, 17, 33] {
        let failure = failure_of(MANY, Depth::Full, |case, answer| {
            if case.lengths.len() == count && size_of(case) > 0 {
                spoil(answer);
            }
        });
        let phrase =
            if count == 1 { " of 1 bytes".into() } else { format!(" of {count} messages") };
        assert!(failure.case.contains(&phrase), "{failure}");
    }
}

#[test]
fn another_batch_than_the_contract_has_may_be_declined_and_the_contracts_own_may_not() {
    let declines = |which: fn(&Case) -> bool| {
        with_fault(&offer(MANY.0, MANY.1), Depth::Full, &[], move |case, answer| {
            if which(case) {
                *answer = Answer::Unsupported("no such batch".to_string());
            }
        })
    };
    let uneven = |case: &Case| case.lengths.iter().any(|n| *n != case.lengths[0]);
    let verified = declines(|case| case.lengths.len() != 64);
    assert_eq!((verified.failure(), verified.unsupported.len()), (None, 1));
    assert_eq!(declines(uneven).failure(), None);
    assert!(declines(|case| case.lengths.len() == 64).failure().is_some());
}

/// Opens without checking the tag.
fn plaintext_of(case: &Case) -> Vec<u8> {
    let Input::Hex(sealed) = &case.input else { panic!("a sealed message") };
    unauthenticated(&case.key, &case.nonce, &case.ad, sealed)
}

fn unauthenticated(key: &[u8], nonce: &[u8], ad: &[u8], sealed: &[u8]) -> Vec<u8> {
    // CTR mode is its own inverse: sealing the ciphertext gives the plaintext.
    let ciphertext = &sealed[..sealed.len().saturating_sub(16)];
    let ready = Ready::new("aes-256-gcm", Operation::Seal, key).unwrap();
    let mut plaintext = ready.seal(nonce, ad, ciphertext).unwrap();
    plaintext.truncate(ciphertext.len());
    plaintext
}

/// Answers with the plaintext if the honest answer is a refusal and `when` is true.
fn accepts(when: impl Fn(&Case) -> bool) -> impl Fn(&Case, &mut Answer) {
    move |case, answer| {
        if matches!(answer, Answer::Refused(_)) && case.nonce.len() == 12 && when(case) {
            *answer = Answer::Output(plaintext_of(case));
        }
    }
}

#[test]
fn plaintext_despite_a_bad_tag_is_found() {
    for failure in
        [failure_of(OPEN, Depth::Warm, accepts(|_| true)), failure_to_open(accepts(|_| true))]
    {
        assert_eq!(failure.expected, "a refusal", "{failure}");
        assert!(failure.wrong > 30, "{failure}");
    }
}

/// Whether the tag is correct except for its last four bytes, as a library that compares too few
/// bytes would accept.
fn tag_begins_right(case: &Case) -> bool {
    let Input::Hex(sealed) = &case.input else { return false };
    if sealed.len() < 16 {
        return false;
    }
    let ready = Ready::new("aes-256-gcm", Operation::Seal, &case.key).unwrap();
    let right = ready.seal(&case.nonce, &case.ad, &plaintext_of(case)).unwrap();
    let n = sealed.len();
    sealed[..n - 4] == right[..n - 4]
}

#[test]
fn a_tag_compared_in_part_is_found() {
    let failure = failure_to_open(accepts(tag_begins_right));
    assert_eq!(failure.expected, "a refusal", "{failure}");
    // Official forgeries and our own: the last 32 bits of one message alone are 32 cases.
    assert!(failure.wrong >= 32, "{failure}");
}

#[test]
fn plaintext_left_behind_by_a_refusal_is_found() {
    let mut host = Host::new("test", "0", Leaky);
    let mut ask = |compute: Compute| -> Result<_, Infallible> { Ok(host.compute(&compute)) };
    let (offer, contract) = (offer(OPEN.0, OPEN.1), Contract::of(OPEN.1));
    let Ok(verified) = verify(&mut ask, "leaky", &offer, &contract, Depth::Warm, &[]);
    let failure = verified.failure().expect("it leaves plaintext");
    assert!(failure.got.contains("left bytes in its output"), "{failure}");
    assert!(failure.wrong > 30, "{failure}");
}

/// Whether the input is a ciphertext and the first `length` bytes of its tag.
fn ends_in_a_tag_of(length: usize, case: &Case) -> bool {
    let Input::Hex(sealed) = &case.input else { return false };
    if sealed.len() < length || case.nonce.len() != 12 {
        return false;
    }
    let whole = [&sealed[..], &[0; 16][..16 - length]].concat();
    let plaintext = unauthenticated(&case.key, &case.nonce, &case.ad, &whole);
    let ready = Ready::new("aes-256-gcm", Operation::Seal, &case.key).unwrap();
    ready.seal(&case.nonce, &case.ad, &plaintext).unwrap().starts_with(sealed)
}

#[test]
fn a_shorter_tag_that_is_accepted_is_found_cold_and_warm() {
    for length in [4, 12, 15] {
        let short = move |case: &Case| ends_in_a_tag_of(length, case);
        for failure in
            [failure_to_open(accepts(short)), failure_of(OPEN, Depth::Warm, accepts(short))]
        {
            assert_eq!(failure.expected, "a refusal", "{length}: {failure}");
            assert!(failure.case.contains("cut to"), "{length}: {failure}");
        }
    }
}

#[test]
fn a_wrong_bit_at_a_size_in_no_list_is_found_by_a_seed_that_draws_it() {
    let mac = offer(MAC.0, MAC.1);
    let drawn = cases::drawn(4711);
    let size = *drawn.iter().find(|size| !SIZES.contains(size)).unwrap();
    let fault = |case: &Case, answer: &mut Answer| {
        if size_of(case) == size {
            spoil(answer);
        }
    };
    assert_eq!(with_fault(&mac, Depth::Full, &[], fault).failure(), None);
    let failure = with_fault(&mac, Depth::Full, &drawn, fault).failure().unwrap();
    assert_eq!(failure.size, size, "{failure}");
}

#[test]
fn an_accepted_forgery_is_shown_before_an_error_at_a_shorter_message() {
    let fault = |case: &Case, answer: &mut Answer| {
        if matches!(answer, Answer::Output(_)) && size_of(case) < 24 {
            *answer = Answer::Failed("too short".to_string());
        }
        accepts(|case| size_of(case) == 576 + 12)(case, answer);
    };
    let failure = failure_to_open(fault);
    assert!(failure.case.contains("cut to 588 bytes with the tag"), "{failure}");
    assert_eq!(failure.expected, "a refusal", "{failure}");
}

#[test]
fn ignored_associated_data_is_found() {
    // A sealer that never reads it, and an opener that accepts any.
    let ignoring = |case: &Case, answer: &mut Answer| {
        if let (Input::Stream { seed, size }, 12) = (&case.input, case.nonce.len()) {
            let ready = Ready::new("aes-256-gcm", Operation::Seal, &case.key).unwrap();
            let message = bytes::stream(*seed, *size as usize);
            *answer = Answer::Output(ready.seal(&case.nonce, &[], &message).unwrap());
        }
    };
    let failure = failure_of(("aes-256-gcm", Operation::Seal), Depth::Warm, ignoring);
    assert!(failure.case.contains("of ad"), "{failure}");

    let longer = |case: &Case| case.ad.last() == Some(&0);
    let failure = failure_of(OPEN, Depth::Warm, accepts(longer));
    assert!(failure.case.contains("associated data one byte longer"), "{failure}");
    assert_eq!(failure.common, Some("all are altered messages that must be refused"));
}

#[test]
fn truncation_that_is_accepted_is_found() {
    let shorter_than_a_tag = |case: &Case| size_of(case) < 16;
    let failure = failure_of(OPEN, Depth::Warm, accepts(shorter_than_a_tag));
    assert!(failure.case.contains("cut to"), "{failure}");
}

#[test]
fn refusing_what_is_authentic_is_found() {
    let failure = failure_of(OPEN, Depth::Warm, |case, answer| {
        if case.ad.len() == 20 {
            *answer = Answer::Refused("not authentic".to_string());
        }
    });
    assert!(failure.got.starts_with("a refusal"), "{failure}");
}

#[test]
fn too_few_answers_are_a_failure() {
    let mut host = Host::new("test", "0", Honest);
    let mut ask = |compute: Compute| -> Result<_, Infallible> {
        let Outcome::Ok(mut computed) = host.compute(&compute) else { panic!("honest") };
        computed.answers.pop();
        Ok(Outcome::Ok(computed))
    };
    let (offer, contract) = (offer(MAC.0, MAC.1), Contract::of(MAC.1));
    let Ok(verified) = verify(&mut ask, "x", &offer, &contract, Depth::Warm, &[]);
    let failure = verified.failure().expect("answers are missing");
    assert!(failure.got.contains("answers to"), "{failure}");
}

#[test]
fn a_request_that_fails_fails_its_cases_and_a_dead_runner_is_the_callers_business() {
    let (offer, contract) = (offer(MAC.0, MAC.1), Contract::of(MAC.1));
    let mut failed = |_: Compute| -> Result<Outcome<Computed>, Infallible> {
        Ok(Outcome::Failed(cupel_protocol::message::Refusal::because("no such function")))
    };
    let Ok(verified) = verify(&mut failed, "x", &offer, &contract, Depth::Warm, &[]);
    assert!(verified.failure().unwrap().got.contains("no such function"));
    let mut dead = |_: Compute| Err("the runner died");
    let died = verify(&mut dead, "x", &offer, &contract, Depth::Warm, &[]);
    assert_eq!(died, Err("the runner died"));
}

#[test]
fn a_fixed_key_is_the_only_one_that_is_asked() {
    let key = "000102030405060708090a0b0c0d0e0f";
    let fixed = Offer { fixed_key: Some(key.to_string()), ..offer(MAC.0, MAC.1) };
    let verified = with_fault(&fixed, Depth::Warm, &[], |case, _| {
        assert_eq!(hex::encode(&case.key), key);
    });
    assert_eq!(verified.failure(), None);
    let vectors = vectors::of(MAC.0, MAC.1).iter().filter(|v| hex::encode(&v.key) == key).count();
    assert!(vectors >= 64 && verified.cases > vectors);
}

#[test]
fn requests_stay_bounded() {
    let mut host = Host::new("test", "0", Honest);
    let mut longest = 0;
    let mut ask = |compute: Compute| -> Result<_, Infallible> {
        let reply = host.compute(&compute);
        let sizes = [serde_json::to_vec(&compute), serde_json::to_vec(&reply)];
        let line = sizes.into_iter().map(|line| line.unwrap().len()).max().unwrap();
        assert!(compute.cases.len() == 1 || line < BATCH + BATCH / 2, "{line}");
        longest = longest.max(line);
        Ok(reply)
    };
    let (offer, contract) = (offer(OPEN.0, OPEN.1), Contract::of(OPEN.1));
    let measured = [1 << 20, 1_000_000];
    let Ok(verified) = verify(&mut ask, "x", &offer, &contract, Depth::Warm, &measured);
    assert_eq!(verified.failure(), None);
    assert!(longest > 1 << 20);
}

/// The usual contract of an operation with messages of 7-bit bytes.
fn restricted(operation: Operation) -> Contract {
    Contract { bytes: Bytes::SevenBit, ..Contract::of(operation) }
}

#[test]
fn messages_of_7_bit_bytes_are_all_that_is_asked_of_a_contract_that_says_so() {
    for (primitive, operation) in [MAC, MANY, ("sha1", Operation::Digest)] {
        let mut ask = answering(|case: &Case, _: &mut Answer| match &case.input {
            Input::Hex(message) => assert!(message.is_ascii(), "{}", hex::encode(message)),
            Input::Stream { .. } => {}
            Input::File(_) => panic!("no files"),
        });
        let (offer, contract) = (offer(primitive, operation), restricted(operation));
        let Ok(verified) = verify(&mut ask, "honest", &offer, &contract, Depth::Warm, &[777]);
        assert_eq!(verified.failure(), None, "{primitive} {operation}");
        assert!(verified.cases > 30, "{primitive} {operation}");
    }
}

#[test]
fn a_runner_that_does_not_restrict_the_messages_is_found() {
    let mut host = Host::new("test", "0", Honest);
    let mut ask = |compute: Compute| -> Result<_, Infallible> {
        let contract = Contract { bytes: Bytes::Any, ..compute.contract };
        Ok(host.compute(&Compute { contract, ..compute }))
    };
    let (offer, contract) = (offer(MAC.0, MAC.1), restricted(MAC.1));
    let Ok(verified) = verify(&mut ask, "x", &offer, &contract, Depth::Warm, &[]);
    assert!(verified.failure().is_some());
}

#[test]
fn a_runner_that_refuses_to_restrict_the_messages_is_not_measured_and_not_wrong() {
    let mut ask = |compute: Compute| -> Result<_, Infallible> {
        let answer = Answer::Unsupported("this runner does not know `bytes`".to_string());
        Ok(Outcome::Ok(Computed { answers: vec![answer; compute.cases.len()] }))
    };
    let (offer, contract) = (offer(MAC.0, MAC.1), restricted(MAC.1));
    let Ok(verified) = verify(&mut ask, "x", &offer, &contract, Depth::Warm, &[]);
    assert_eq!((verified.cases, verified.failure()), (0, None));
}

#[test]
fn a_slice_of_7_bit_bytes_has_the_fold_that_the_specification_gives() {
    let workload = |shape, operation: Operation| Workload {
        primitive: "sha256".to_string(),
        operation,
        size: 64,
        contract: restricted(operation),
        shape,
    };
    let prepare = |workload: &Workload| Prepare {
        cell: 1,
        contender: "x".to_string(),
        workload: workload.clone(),
        seed: 1000,
        pool: 4,
        lengths: vec![],
        offset: 9,
        key: vec![],
        ad: vec![],
        file: None,
    };
    let digest = workload(Shape::Throughput, Operation::Digest);
    let mut host = Host::new("test", "0", Honest);
    let Outcome::Ok(_) = host.prepare(&prepare(&digest)) else { panic!("a cell") };
    let slice = Slice { cell: 1, first: 1, preroll: 2, iterations: 10 };
    let Outcome::Ok(sliced) = host.slice(&slice) else { panic!("a slice") };
    let expected = Expected::new(&digest, 1000, (4, &[]), &[], &[], None).unwrap();
    assert_eq!(sliced.fold, expected.fold(1, 2, 10));
    let said = format!("the fold of the same slice is `{:016x}`", sliced.fold);
    let spec = include_str!(concat!(env!("CUPEL_SOURCES"), "/protocol/SPEC.md"));
    assert!(spec.contains(&said), "the specification does not say: {said}");

    let many = workload(Shape::Throughput, Operation::DigestMany);
    let Outcome::Ok(_) = host.prepare(&prepare(&many)) else { panic!("batches") };
    let Outcome::Ok(sliced) = host.slice(&slice) else { panic!("a slice of batches") };
    let expected = Expected::new(&many, 1000, (4, &[]), &[], &[], None).unwrap();
    assert_eq!(sliced.fold, expected.fold(1, 2, 10));

    for (shape, operation) in
        [(Shape::Latency, Operation::Digest), (Shape::Throughput, Operation::DigestFile)]
    {
        let undefined = workload(shape, operation);
        assert!(Expected::new(&undefined, 1000, (4, &[]), &[], &[], None).is_err());
        assert!(matches!(host.prepare(&prepare(&undefined)), Outcome::Unsupported(_)));
    }
}

#[test]
fn a_slice_of_drawn_lengths_has_the_fold_that_the_specification_gives() {
    let lengths = Lengths::Drawn(Histogram::new(vec![(64, 3), (100, 1)]).unwrap());
    let drawn = vec![64, 100, 64, 64];
    let slice = Slice { cell: 1, first: 1, preroll: 2, iterations: 10 };
    let prepare = |primitive: &str, operation, lengths: &Lengths, drawn: &[u32]| {
        let contract = Contract { lengths: lengths.clone(), ..Contract::of(operation) };
        let shape = Shape::Throughput;
        let primitive = primitive.to_string();
        Prepare {
            cell: 1,
            contender: "x".to_string(),
            key: bytes::stream(3, primitives::named(&primitive).unwrap().key),
            workload: Workload { primitive, operation, size: 100, contract, shape },
            seed: 1000,
            pool: 4,
            lengths: drawn.to_vec(),
            offset: 9,
            ad: vec![],
            file: None,
        }
    };
    let mut host = Host::new("test", "0", Honest);
    let mut folded = |ask: &Prepare| {
        let Outcome::Ok(_) = host.prepare(ask) else { panic!("a cell: {ask:?}") };
        let Outcome::Ok(sliced) = host.slice(&slice) else { panic!("a slice: {ask:?}") };
        sliced.fold
    };
    for (primitive, operation) in [
        ("sha256", Operation::Digest),
        (MAC.0, Operation::Mac),
        ("aes-256-gcm", Operation::Seal),
        ("aes-256-gcm", Operation::Open),
        ("aes-256-gcm", Operation::SealOpen),
    ] {
        let ask = prepare(primitive, operation, &lengths, &drawn);
        let Prepare { workload, key, .. } = &ask;
        let expected = Expected::new(workload, 1000, (4, &drawn), key, &[], None).unwrap();
        let fold = folded(&ask);
        assert_eq!(fold, expected.fold(1, 2, 10), "{operation}");
        // Message 1 is timed twice and is longer, so one that is cut shorter is noticed.
        let shorter = prepare(primitive, operation, &lengths, &[64, 99, 64, 64]);
        assert_ne!(folded(&shorter), fold, "{operation}");
        if operation == Operation::Digest {
            let said = format!("then has the fold `{fold:016x}`");
            let spec = include_str!(concat!(env!("CUPEL_SOURCES"), "/protocol/SPEC.md"));
            assert!(spec.contains(&said), "the specification does not say: {said}");
        }
    }
    for wrong in [&[64, 100, 64][..], &[64, 101, 64, 64], &[]] {
        let ask = prepare("sha256", Operation::Digest, &lengths, wrong);
        assert!(matches!(host.prepare(&ask), Outcome::Failed(_)), "{wrong:?}");
        assert!(Expected::new(&ask.workload, 1000, (4, wrong), &[], &[], None).is_err());
    }
}

#[test]
fn a_slice_folds_to_what_the_tool_expects() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("content");
    std::fs::write(&file, bytes::stream(5, 70_001)).unwrap();
    let file = file.to_str().unwrap();
    let mut checked = 0;
    for primitive in primitives::all() {
        for &operation in primitive.operations {
            for shape in [Shape::Throughput, Shape::Latency] {
                for (size, pool, ad) in [(0, 4, 0), (1, 1, 13), (7, 8, 0), (8, 2, 1), (100, 16, 20)]
                {
                    let workload = Workload {
                        primitive: primitive.name.to_string(),
                        operation,
                        size,
                        contract: Contract::of(operation),
                        shape,
                    };
                    let prepare = Prepare {
                        cell: 1,
                        contender: "x".to_string(),
                        workload: workload.clone(),
                        seed: 99,
                        pool,
                        lengths: vec![],
                        offset: 9,
                        key: bytes::stream(3, primitive.key),
                        ad: bytes::stream(4, ad),
                        file: (operation == Operation::DigestFile).then(|| file.to_string()),
                    };
                    let path = prepare.file.as_deref().map(Path::new);
                    let expected =
                        Expected::new(&workload, 99, (pool, &[]), &prepare.key, &prepare.ad, path);
                    let mut host = Host::new("test", "0", Honest);
                    let Outcome::Ok(_) = host.prepare(&prepare) else {
                        assert!(expected.is_err(), "{workload:?}");
                        continue;
                    };
                    let expected = expected.unwrap();
                    for (first, preroll, iterations) in
                        [(0, 0, 1), (0, 3, 40), (1000, 17, 5), (7, 0, 0), (1 << 40, 1, 33)]
                    {
                        let slice = Slice { cell: 1, first, preroll, iterations };
                        let Outcome::Ok(sliced) = host.slice(&slice) else { panic!("a slice") };
                        let fold = expected.fold(first, preroll, iterations);
                        assert_eq!(sliced.fold, fold, "{workload:?} {slice:?}");
                        checked += 1;
                    }
                }
            }
        }
    }
    // Five slices of five sizes. `latency` is not defined for the size 0, nor for these operations.
    let offers = || primitives::all().iter().flat_map(|primitive| primitive.operations);
    let chained = offers().filter(|operation| {
        use Operation::{DigestFile, DigestMany, Open, SealOpen};
        !matches!(operation, Open | SealOpen | DigestFile | DigestMany)
    });
    assert_eq!(checked, 5 * (offers().count() * 5 + chained.count() * 4));
}

/// The same for batches of every kind: fewer messages than the pool, more, and of different
/// lengths.
#[test]
fn the_fold_of_a_batch_is_the_sum_of_all_its_digests() {
    for (batch, lengths, pool) in [
        (1, Lengths::Equal, 4),
        (3, Lengths::Equal, 4),
        (64, Lengths::Spread, 64),
        (9, Lengths::Spread, 2),
    ] {
        let contract = Contract { batch, lengths: lengths.clone(), ..Contract::of(MANY.1) };
        let workload = Workload {
            primitive: MANY.0.to_string(),
            operation: MANY.1,
            size: 100,
            contract,
            shape: Shape::Throughput,
        };
        let expected = Expected::new(&workload, 7, (pool, &[]), &[], &[], None).unwrap();
        let mut host = Host::new("test", "0", Honest);
        let prepare = Prepare {
            cell: 1,
            contender: "x".to_string(),
            workload,
            seed: 7,
            pool,
            lengths: vec![],
            offset: 9,
            key: vec![],
            ad: vec![],
            file: None,
        };
        let Outcome::Ok(_) = host.prepare(&prepare) else { panic!("batches of {batch}") };
        let digests = Ready::new(MANY.0, MANY.1, &[]).unwrap();
        for (first, preroll, iterations) in [(0, 0, 1), (5, 2, 7), (1 << 40, 1, 33)] {
            let slice = Slice { cell: 1, first, preroll, iterations };
            let Outcome::Ok(sliced) = host.slice(&slice) else { panic!("a slice") };
            assert_eq!(sliced.fold, expected.fold(first, preroll, iterations), "{batch} {slice:?}");
            // By the definition, message by message.
            let from = (first + preroll) * u64::from(batch);
            let words = (from..from + iterations * u64::from(batch)).map(|message| {
                let j = message % u64::from(pool);
                let length = lengths.of(j, 100) as usize;
                cupel_protocol::fold::word(&digests.hash(&bytes::stream(7 + j, length)))
            });
            assert_eq!(sliced.fold, words.fold(0, u64::wrapping_add), "{batch} {slice:?}");
        }
    }
}

#[test]
fn an_expectation_can_move_to_a_worker_thread() {
    fn is_send<T: Send>() {}
    is_send::<Expected>();
}

#[test]
#[ignore = "prints what verification costs; run in release mode"]
fn cost() {
    for primitive in primitives::all() {
        for &operation in primitive.operations {
            for depth in [Depth::Full, Depth::Warm, Depth::Full, Depth::Warm] {
                let start = std::time::Instant::now();
                let verified = with_fault(&offer(primitive.name, operation), depth, &[], |_, _| {});
                let ms = start.elapsed().as_secs_f64() * 1e3;
                let (name, cases) = (primitive.name, verified.cases);
                println!("{name:16} {operation:12} {depth:?} {cases:5} cases {ms:8.1} ms");
            }
        }
    }
}
