#![feature(test)]
extern crate test;
mod work;
use std::hint::black_box;

#[bench]
fn sort(b: &mut test::Bencher) {
    let numbers = work::numbers();
    b.iter(|| work::sort(black_box(&numbers)));
}

#[bench]
fn count(b: &mut test::Bencher) {
    let (words, rounds) = (work::words(), work::rounds());
    b.iter(|| work::count(&words, black_box(rounds)));
}
