//! The chain of known.c, for Criterion. The environment says how many steps, so that one program
//! is measured with each count.

use criterion::{Criterion, black_box};

fn chain(mut x: u64, steps: u64) -> u64 {
    for _ in 0..steps {
        x = (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    }
    x
}

fn main() {
    let steps = std::env::var("KNOWN_STEPS").ok().and_then(|text| text.parse().ok());
    let steps: u64 = steps.expect("KNOWN_STEPS is the number of steps");
    let mut criterion = Criterion::default().configure_from_args();
    criterion.bench_function("chain", |b| b.iter(|| chain(black_box(1), black_box(steps))));
    criterion.final_summary();
}
