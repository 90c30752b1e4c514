//! The mistake behind a wrong fold: each of the usual mistakes gives a different fold.

use cupel_protocol::message::Slice;
use cupel_verify::expect::Expected;

/// Names the mistake that gives this fold instead of the correct one, and what to do about it.
/// `before` is the sum of all folds that the cell returned so far; `unchained` is the fold of the
/// same cell in the throughput shape, if it has another.
pub fn remedy(
    expected: &Expected,
    unchained: Option<&Expected>,
    slice: &Slice,
    before: u64,
    got: u64,
) -> String {
    let Slice { first, preroll, iterations, .. } = *slice;
    let right = expected.fold(first, preroll, iterations);
    let mistakes = [
        (
            expected.fold(first, 0, preroll + iterations),
            "do not include the outputs of the pre-roll in the fold",
        ),
        (
            expected.fold(first, 0, iterations),
            "number calls from `first`, pre-roll first: the first timed call is `first + preroll`",
        ),
        (
            expected.fold(0, preroll, iterations),
            "number calls from `first`, not from 0: call i takes message `i mod pool` and nonce i",
        ),
        (expected.fold(0, 0, iterations), "number calls from `first`, pre-roll first, not from 0"),
        (
            expected.fold(u64::from(first as u32), preroll, iterations),
            "keep `first` in 64 bits: a nonce is four zero bytes and the call's number in eight",
        ),
        (before.wrapping_add(right), "begin the fold of every slice at 0"),
        (right.swap_bytes(), "write the fold as a number, most significant digit first"),
        (0, "add up the outputs of all timed calls; none was added"),
    ];
    let made = mistakes.into_iter().find(|&(fold, _)| fold == got && fold != right);
    let (remedy, section) = match (made, unchained) {
        (Some((_, remedy)), _) => (remedy, "slice"),
        (None, Some(unchained)) if unchained.fold(first, preroll, iterations) == got => (
            "mix the first eight bytes of the last output into the first eight of each input",
            "Shapes",
        ),
        (None, Some(_)) => (
            "begin every slice's chain at 0, mix into the original messages, and continue the \
             chain through the pre-roll",
            "Shapes",
        ),
        (None, None) => (
            "add the first and the last 8 bytes of every timed output as little-endian numbers, \
             modulo 2^64",
            "The fold",
        ),
    };
    format!("{remedy} (SPEC.md, \"{section}\")")
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_protocol::workload::{Contract, Operation, Shape, Workload};

    fn expected(shape: Shape) -> Expected {
        let operation = Operation::Seal;
        let contract = Contract::usual(operation);
        let primitive = "aes-256-gcm".to_string();
        let workload = Workload { primitive, operation, size: 64, contract, shape };
        Expected::new(&workload, 5, (4, &[]), &[7; 32], &[], None).unwrap()
    }

    #[test]
    fn each_usual_mistake_is_distinguished_from_the_others() {
        let (first, preroll, iterations) = (5_000_000_001, 3, 5);
        let slice = Slice { cell: 0, first, preroll, iterations };
        let cell = expected(Shape::Throughput);
        let right = cell.fold(first, preroll, iterations);
        let said = |got| remedy(&cell, None, &slice, 99, got);
        let cases = [
            (cell.fold(first, 0, 8), "do not include the outputs of the pre-roll"),
            (cell.fold(first, 0, 5), "the first timed call is `first + preroll`"),
            (cell.fold(0, 3, 5), "not from 0: call i takes"),
            (cell.fold(0, 0, 5), "pre-roll first, not from 0"),
            (cell.fold(first & 0xffff_ffff, 3, 5), "keep `first` in 64 bits"),
            (right.wrapping_add(99), "begin the fold of every slice at 0"),
            (right.swap_bytes(), "most significant digit first"),
            (0, "add up the outputs"),
            (right ^ 1, "add the first and the last 8 bytes"),
        ];
        for (got, words) in cases {
            assert!(said(got).contains(words), "{got:016x}: {}", said(got));
        }
    }

    #[test]
    fn a_missing_chain_is_distinguished_from_a_wrong_one() {
        let slice = Slice { cell: 0, first: 1, preroll: 3, iterations: 5 };
        let (chained, plain) = (expected(Shape::Latency), expected(Shape::Throughput));
        let said = |got| remedy(&chained, Some(&plain), &slice, 0, got);
        let unmixed = said(plain.fold(1, 3, 5));
        assert!(unmixed.contains("mix the first eight bytes of the last output"), "{unmixed}");
        let other = said(chained.fold(1, 3, 5) ^ 1);
        assert!(other.contains("begin every slice's chain at 0"), "{other}");
    }
}
