//! The requirements of `slice`: the same work as `compute`, on the messages and nonces that the
//! protocol names.

use crate::answers::contracts;
use crate::known::key;
use crate::talk::{POOL, SEED, Talk, What, copies_states, message, offers, takes_pieces};
use cupel_protocol::bytes::CallNonce;
use cupel_protocol::message::Case;
use cupel_protocol::workload::{Contract, Key, Operation, Shape, Shared};
use cupel_protocol::{bytes, fold};
use std::collections::BTreeSet;

const FIRST: u64 = 5;
const PREROLL: u64 = 20;
const ITERATIONS: u64 = 1000;
const SIZE: usize = 100;
const AD: &[u8] = b"associated";

/// The fold of a slice is the fold of `compute`'s answers for the same calls: both shapes, every
/// operation and contract, in one call and in chunks, on one thread and on several.
pub fn the_fold_of_a_slice_is_that_of_its_outputs(program: &str) {
    let offers = offers(program);
    for what in &offers {
        match what.offer.operation {
            Operation::DigestFile => continue,
            Operation::DigestMany => {
                fold_of_batches(program, what);
                continue;
            }
            _ => {}
        }
        for contract in contracts(what.offer.operation) {
            fold_of(program, what, &contract, Shape::Throughput);
            if what.offer.operation != Operation::Open {
                fold_of(program, what, &contract, Shape::Latency);
            }
            if takes_pieces(what) {
                let streamed = Contract { chunk: 33, ..contract.clone() };
                fold_of(program, what, &streamed, Shape::Throughput);
            }
            if what.offer.operation == Operation::Digest && copies_states(what) {
                let prefixed = Contract { prefix: 100, ..contract };
                fold_of(program, what, &prefixed, Shape::Throughput);
            }
        }
    }
}

fn fold_of(program: &str, what: &What, contract: &Contract, shape: Shape) {
    let mut talk = Talk::start(program);
    let key = if contract.key == Key::None { vec![] } else { key(what) };
    let nonced = matches!(what.offer.operation, Operation::Seal | Operation::Open);
    let length = bytes::nonce_length(&what.offer.primitive);
    let ad = if nonced { AD } else { &[] };

    let (mut sum, mut last) = (0_u64, 0_u64);
    for index in FIRST..FIRST + PREROLL + ITERATIONS {
        let mut input = bytes::stream(SEED + index % u64::from(POOL), SIZE);
        if shape == Shape::Latency {
            let head = fold::head(&input) ^ last;
            input[..8].copy_from_slice(&head.to_le_bytes());
        }
        // The output of `open` is the message itself, so the contender is not asked for it.
        let output = match what.offer.operation {
            Operation::Open => input,
            _ => {
                let nonce = if nonced { CallNonce::new(index, length).to_vec() } else { vec![] };
                let case = Case { key: key.clone(), nonce, ad: ad.to_vec(), ..message(&input) };
                talk.output(what, contract, case)
            }
        };
        last = fold::head(&output);
        if index >= FIRST + PREROLL {
            sum = sum.wrapping_add(fold::word(&output));
        }
    }

    for threaded in on_threads(what, contract, shape) {
        let prepared = talk.prepare(what, (&threaded, shape, SIZE as u64), (&key, ad), None);
        assert!(!prepared.code_path.is_empty(), "{what}");
        let numbers: BTreeSet<u32> = prepared.threads.iter().copied().collect();
        let threads = threaded.threads as usize;
        assert_eq!(numbers.len(), if threads == 1 { 0 } else { threads }, "{what}, {threaded}");
        let sliced = talk.slice(FIRST, PREROLL, ITERATIONS);
        assert_eq!(sliced.iterations, ITERATIONS);
        assert!(sliced.elapsed_ns > 0.0);
        assert_eq!(sliced.fold, sum, "{what}, {shape}, {threaded}");
    }
    if what.offer.operation == Operation::Open {
        let forged = Contract { forged: Some(8), ..contract.clone() };
        talk.prepare(what, (&forged, shape, SIZE as u64), (&key, ad), None);
        assert_eq!(talk.slice(FIRST, PREROLL, ITERATIONS).fold, 0, "{what}: each is refused");
    }
}

/// The contract on one thread and, if the shape has more, on three, which share all that they can.
fn on_threads(what: &What, contract: &Contract, shape: Shape) -> Vec<Contract> {
    let mut all = vec![contract.clone()];
    if shape == Shape::Throughput {
        all.push(Contract { threads: 3, ..contract.clone() });
        if contract.key == Key::Prepared && what.offer.key.is_none() {
            all.push(Contract { threads: 3, shared: Shared::Context, ..contract.clone() });
        }
    }
    all
}

/// The words of all digests of a batch count. `compute` gets each batch as one input.
fn fold_of_batches(program: &str, what: &What) {
    let contract = Contract::usual(Operation::DigestMany);
    let batch = u64::from(contract.batch);
    let mut talk = Talk::start(program);
    let mut sum = 0_u64;
    for index in FIRST + PREROLL..FIRST + PREROLL + ITERATIONS {
        let number = |at: u64| SEED + (index * batch + at) % u64::from(POOL);
        let input: Vec<u8> = (0..batch).flat_map(|at| bytes::stream(number(at), SIZE)).collect();
        let lengths = vec![SIZE as u32; batch as usize];
        let output = talk.output(what, &contract, Case { lengths, ..message(&input) });
        for digest in output.chunks_exact(output.len() / batch as usize) {
            sum = sum.wrapping_add(fold::word(digest));
        }
    }
    talk.prepare(what, (&contract, Shape::Throughput, SIZE as u64), (&[], &[]), None);
    let sliced = talk.slice(FIRST, PREROLL, ITERATIONS);
    assert_eq!(sliced.fold, sum, "{what}");
}

/// Once a cell is prepared, no code of the process lies in pages that other processes share.
#[cfg(target_os = "linux")]
pub fn code_is_moved_to_pages_of_the_process(program: &str) {
    let what = &offers(program)[0];
    let mut talk = Talk::start(program);
    assert!(!talk.shared_code().is_empty(), "before, it is in the file's pages");
    let contract = &contracts(what.offer.operation)[0];
    let key = if contract.key == Key::None { vec![] } else { key(what) };
    talk.prepare(what, (contract, Shape::Throughput, SIZE as u64), (&key, &[]), None);
    assert_eq!(talk.shared_code(), Vec::<String>::new());
}
