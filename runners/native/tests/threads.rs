//! Slices of several threads: each call is made once, each thread has its own contender, and a
//! failure of one of them ends the slice and not the runner.

mod common;

use common::{Runner, build, ok};
use cupel_protocol::message::{Outcome, Prepare, Prepared, Slice};
use cupel_protocol::workload::{Contract, Operation, Shape, Shared, Workload};
use cupel_protocol::{bytes, fold};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const SIZE: u64 = 40;
const SEED: u64 = 9;
const POOL: u64 = 8;

fn object() -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/threads.c");
    build("threads", &source, &[]).unwrap_or_else(|e| panic!("{e}"))
}

fn prepare(cell: u32, operation: Operation, threads: u32) -> Prepare {
    let contract = Contract { threads, ..Contract::usual(operation) };
    let primitive = "aes-256-gcm".to_string();
    let workload =
        Workload { primitive, operation, size: SIZE, contract, shape: Shape::Throughput };
    let (contender, key, ad, file) = ("threads".to_string(), vec![7; 32], vec![], None);
    let (seed, pool, offset) = (SEED, POOL as u32, 13);
    Prepare { cell, contender, workload, seed, pool, lengths: vec![], offset, key, ad, file }
}

fn message(call: u64) -> Vec<u8> {
    bytes::stream(SEED + call % POOL, SIZE as usize)
}

/// The fold of these calls of `seal`.
fn sealed(calls: std::ops::Range<u64>) -> u64 {
    let word = |call: u64| {
        let mut output = message(call);
        output.extend(0_u64.to_le_bytes());
        output.extend(call.to_le_bytes());
        fold::word(&output)
    };
    calls.map(word).fold(0, u64::wrapping_add)
}

#[test]
fn every_call_is_made_once_and_no_nonce_is_used_twice() {
    let mut runner = Runner::start(&[object()]);
    let mut first = 0;
    for (cell, threads) in [(0, 1), (1, 2), (2, 3), (3, 8)] {
        let Prepared { threads: named, .. } =
            ok(runner.prepare(prepare(cell, Operation::Seal, threads)));
        let distinct: BTreeSet<u32> = named.iter().copied().collect();
        let expected = if threads == 1 { 0 } else { threads as usize };
        assert_eq!((named.len(), distinct.len()), (expected, expected), "{threads} threads");
        // Fewer calls than threads, and numbers that they do not divide.
        for (preroll, iterations) in [(0, 1), (1, 5), (7, 100), (64, 1000)] {
            let sliced = ok(runner.slice(Slice { cell, first, preroll, iterations }));
            let calls = first + preroll..first + preroll + iterations;
            assert_eq!(sliced.fold, sealed(calls.clone()), "{threads} threads, calls {calls:?}");
            assert_eq!(sliced.iterations, iterations);
            assert!(sliced.elapsed_ns > 0.0);
            first = calls.end;
        }
    }
}

/// Libraries' code too, and with threads that run it.
#[test]
#[cfg(target_os = "linux")]
fn code_is_moved_to_pages_of_the_process_before_its_first_slice() {
    let mut runner = Runner::start(&[object()]);
    assert!(runner.shared_code().iter().any(|line| line.ends_with("threads.so")));
    ok(runner.prepare(prepare(0, Operation::Seal, 2)));
    assert_eq!(runner.shared_code(), Vec::<String>::new());
    let sliced = ok(runner.slice(Slice { cell: 0, first: 0, preroll: 1, iterations: 9 }));
    assert_eq!(sliced.fold, sealed(1..10));
}

#[test]
fn the_inputs_of_open_are_sealed_once() {
    let mut runner = Runner::start(&[object()]);
    ok(runner.prepare(prepare(0, Operation::Open, 4)));
    let sliced = ok(runner.slice(Slice { cell: 0, first: 3, preroll: 2, iterations: 50 }));
    let words = (5..55).map(|call| fold::word(&message(call)));
    assert_eq!(sliced.fold, words.fold(0, u64::wrapping_add));
}

#[test]
fn a_failure_of_one_thread_ends_the_slice_and_not_the_runner() {
    let mut runner = Runner::start(&[object()]);
    ok(runner.prepare(prepare(0, Operation::Seal, 4)));
    ok(runner.slice(Slice { cell: 0, first: 90, preroll: 0, iterations: 10 }));
    // The last thread, and then the first one in its untimed calls, would use a nonce again.
    for (first, preroll, iterations) in [(20, 0, 80), (95, 8, 100)] {
        let outcome = runner.slice(Slice { cell: 0, first, preroll, iterations });
        let Outcome::Failed(refusal) = outcome else { panic!("{outcome:?}") };
        assert!(refusal.reason.contains("a nonce was used twice"), "{}", refusal.reason);
    }
    ok(runner.slice(Slice { cell: 0, first: 1000, preroll: 4, iterations: 100 }));
}

/// The time comes from the wall clock, and the processor time covers all threads.
#[test]
fn the_time_is_that_of_the_slice_and_the_processor_time_that_of_its_threads() {
    let mut runner = Runner::start(&[object()]);
    ok(runner.prepare(prepare(0, Operation::Seal, 2)));
    let began = std::time::Instant::now();
    let ask = Slice { cell: 0, first: 0, preroll: 1000, iterations: 400_000 };
    let sliced = ok(runner.slice(ask));
    let waited = began.elapsed().as_nanos() as f64;
    assert!(sliced.elapsed_ns <= waited, "{} in {waited}", sliced.elapsed_ns);
    if let Some(cpu) = sliced.noise.cpu_ns {
        // In addition to the calls, each thread reads its counters once.
        assert!(cpu as f64 <= 2.0 * waited, "{cpu} in {waited}");
        assert!(cpu > 0);
    }
}

#[test]
fn what_threads_cannot_do_is_unsupported() {
    let mut runner = Runner::start(&[object()]);
    let with = |change: &dyn Fn(&mut Workload)| {
        let mut ask = prepare(0, Operation::Seal, 2);
        change(&mut ask.workload);
        ask
    };
    let asks = [
        ("0 threads", with(&|work| work.contract.threads = 0)),
        ("1025 threads", with(&|work| work.contract.threads = 1025)),
        ("latency", with(&|work| work.shape = Shape::Latency)),
        ("nothing prepared", with(&|work| work.contract.shared = Shared::Context)),
    ];
    for (why, ask) in asks {
        let outcome = runner.prepare(ask);
        let Outcome::Unsupported(refusal) = outcome else { panic!("{why}: {outcome:?}") };
        assert!(refusal.reason.contains(why), "{}", refusal.reason);
    }
}
