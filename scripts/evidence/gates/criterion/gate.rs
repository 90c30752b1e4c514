use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;

fn gate(criterion: &mut Criterion) {
    let (numbers, words, rounds) = (gate::numbers(), gate::words(), gate::rounds());
    criterion.bench_function("sort", |b| b.iter(|| gate::sort(black_box(&numbers))));
    criterion.bench_function("count", |b| b.iter(|| gate::count(&words, black_box(rounds))));
}

criterion_group!(benches, gate);
criterion_main!(benches);
