//! Batches, in timed slices and in verification: through the call that takes many messages if an
//! object has one, otherwise with one call for each message.

mod common;

use common::{Family, Runner, Subject, build, case, families, ok};
use cupel_protocol::message::{Answer, Case, Offer, Outcome, Prepare, Slice};
use cupel_protocol::workload::{Contract, Key, Lengths, Operation, Shape, Workload};
use cupel_protocol::{bytes, fold};
use std::path::{Path, PathBuf};

const LENGTHS: [u32; 5] = [3, 0, 100, 64, 1];

fn lengths(macros: &[&str]) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/batches.c");
    let flags: Vec<String> = macros.iter().map(|m| format!("-D{m}")).collect();
    build("batches", &source, &flags).unwrap_or_else(|e| panic!("{e}"))
}

fn subject(contender: &str, primitive: &str, operation: Operation) -> Subject {
    let (contender, primitive) = (contender.to_string(), primitive.to_string());
    Subject { contender, primitive, operation, key: Key::None }
}

fn prepare(of: &Subject, size: u64, batch: u32, lengths: Lengths, pool: u32) -> Prepare {
    let contract = Contract { batch, lengths, ..of.contract() };
    let workload = Workload {
        primitive: of.primitive.clone(),
        operation: of.operation,
        size,
        contract,
        shape: Shape::Throughput,
    };
    let contender = of.contender.clone();
    let (key, ad, file) = (vec![], vec![], None);
    Prepare {
        cell: 1,
        contender,
        workload,
        seed: 9,
        pool,
        lengths: vec![],
        offset: 13,
        key,
        ad,
        file,
    }
}

fn batch() -> Case {
    let input = bytes::stream(5, LENGTHS.iter().sum::<u32>() as usize);
    Case { lengths: LENGTHS.to_vec(), offset: 7, ..case(input) }
}

#[test]
fn an_object_is_given_batches_by_its_call_for_many_or_one_message_a_call() {
    let expected: Vec<u8> = LENGTHS.iter().flat_map(|&n| u64::from(n).to_le_bytes()).collect();
    let all: [(&[&str], &str); 2] = [(&[], "digest-many"), (&["ONE_BY_ONE"], "digest")];
    for (macros, opened_for) in all {
        let mut runner = Runner::start(&[lengths(macros)]);
        let of = subject("batches", "sha256", Operation::DigestMany);
        assert_eq!(runner.output(&of, batch()), expected);
        for (batch, how, pool) in [(3, Lengths::Equal, 8), (5, Lengths::Spread, 4)] {
            let prepared = ok(runner.prepare(prepare(&of, 40, batch, how.clone(), pool)));
            assert_eq!(prepared.code_path, opened_for);
            let sliced = ok(runner.slice(Slice { cell: 1, first: 6, preroll: 2, iterations: 11 }));
            // A digest of eight bytes is read as its first and as its last.
            let messages = 8 * u64::from(batch)..19 * u64::from(batch);
            let sum: u64 = messages.map(|m| 2 * how.length(m % u64::from(pool), 40)).sum();
            assert_eq!(sliced.fold, sum, "{batch} {how:?}");
        }
    }
}

#[test]
fn more_output_than_room_is_a_failure() {
    let mut runner = Runner::start(&[lengths(&["LONG_OUTPUT"])]);
    let of = subject("batches", "sha256", Operation::DigestMany);
    let answers = runner.compute(&of, vec![batch()]);
    assert!(
        matches!(&answers[..], [Answer::Failed(why)] if why.contains("cupel_call_many claims")),
        "{answers:?}"
    );
    ok(runner.prepare(prepare(&of, 40, 3, Lengths::Equal, 8)));
    let sliced = runner.slice(Slice { cell: 1, first: 0, preroll: 0, iterations: 1 });
    assert!(matches!(sliced, Outcome::Failed(_)), "{sliced:?}");
}

#[test]
fn batches_that_are_not_defined_are_refused() {
    let mut runner = Runner::start(&[lengths(&[])]);
    let of = subject("batches", "sha256", Operation::DigestMany);
    for batch in [0, 5000] {
        let outcome = runner.prepare(prepare(&of, 40, batch, Lengths::Equal, 8));
        assert!(matches!(outcome, Outcome::Unsupported(_)), "{batch}: {outcome:?}");
    }
    let short = Case { lengths: vec![3, 4], ..case("abc") };
    let streamed = Case { chunks: vec![1], ..batch() };
    let answers = runner.compute(&of, vec![short, streamed]);
    assert!(matches!(answers[..], [Answer::Failed(_), Answer::Unsupported(_)]), "{answers:?}");
    let mut digest = subject("batches", "sha256", Operation::Digest);
    digest.operation = Operation::Digest;
    let outcome = runner.prepare(prepare(&digest, 40, 2, Lengths::Equal, 8));
    assert!(
        matches!(&outcome, Outcome::Unsupported(r) if r.reason.contains("one message per call")),
        "{outcome:?}"
    );
}

/// Every contender of this repository gives the same digests for a batch as for its messages alone.
#[test]
fn a_batch_is_digested_as_its_messages_are() {
    let mut checked = 0;
    for name in families() {
        let family = Family::read(&name);
        let object = family.build();
        for contender in &family.contender {
            let mut runner = Runner::start(&[&object]);
            for offer in &contender.offers {
                let offer: Offer = offer.parse().expect("an offer");
                if offer.operation != Operation::DigestMany {
                    continue;
                }
                let many = subject(&contender.name, &offer.primitive, Operation::DigestMany);
                // One that takes only batches takes a batch of one message.
                let plain = format!("{}:digest", offer.primitive);
                let alone = |runner: &mut Runner, message: &[u8]| {
                    if contender.offers.contains(&plain) {
                        let one = Subject { operation: Operation::Digest, ..many.clone() };
                        return runner.output(&one, case(message));
                    }
                    let lengths = vec![message.len() as u32];
                    runner.output(&many, Case { lengths, ..case(message) })
                };
                let input = bytes::stream(5, LENGTHS.iter().sum::<u32>() as usize);
                let mut rest = &input[..];
                let mut expected = Vec::new();
                for length in LENGTHS {
                    let (message, others) = rest.split_at(length as usize);
                    expected.extend(alone(&mut runner, message));
                    rest = others;
                }
                assert_eq!(runner.output(&many, batch()), expected, "{many:?}");

                let digests: Vec<u64> = (0..8)
                    .map(|j| fold::word(&alone(&mut runner, &bytes::stream(9 + j, 40))))
                    .collect();
                ok(runner.prepare(prepare(&many, 40, 3, Lengths::Equal, 8)));
                let sliced =
                    ok(runner.slice(Slice { cell: 1, first: 6, preroll: 2, iterations: 11 }));
                let sum = (24..57).fold(0_u64, |sum, m| sum.wrapping_add(digests[m % 8]));
                assert_eq!(sliced.fold, sum, "{many:?}");
                checked += 1;
            }
        }
    }
    assert!(checked > 0 || families().is_empty());
}
