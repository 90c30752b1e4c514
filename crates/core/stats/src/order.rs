//! Random orders of the cells in a round, balanced over rounds. With a fixed order, identical
//! programs seem to differ.

/// A Williams design with its symbols and rows in random order. It is a Latin square (two stacked
/// ones if `n` is odd) in which each item follows every other item equally often, so that the
/// effect of a slice on the next is spread evenly. It has `n` rows for an even `n`, `2n` for an odd
/// one. Williams, "Experimental designs balanced for the estimation of residual effects of
/// treatments", 1949. `random` gives uniform 64-bit numbers.
pub fn williams(n: usize, random: &mut dyn FnMut() -> u64) -> Vec<Vec<usize>> {
    // 0, 1, n-1, 2, n-2, ...: the steps between neighbours are all different modulo n.
    let zigzag: Vec<usize> =
        (0..n).map(|j| if j % 2 == 1 { j.div_ceil(2) } else { (n - j / 2) % n }).collect();
    if n.is_multiple_of(2) {
        return developed(&[zigzag], n, random);
    }
    // With an odd n, the steps repeat in pairs of one sign; the mirrored rows have the other sign.
    let mirrored = zigzag.iter().rev().copied().collect();
    developed(&[zigzag, mirrored], n, random)
}

/// Shifts each first row by every constant modulo `n`, then shuffles symbols and rows.
fn developed(firsts: &[Vec<usize>], n: usize, random: &mut dyn FnMut() -> u64) -> Vec<Vec<usize>> {
    let mut symbols: Vec<usize> = (0..n).collect();
    shuffle(&mut symbols, random);
    let mut rows: Vec<Vec<usize>> = firsts
        .iter()
        .flat_map(|first| (0..n).map(move |shift| (first, shift)))
        .map(|(first, shift)| first.iter().map(|item| symbols[(item + shift) % n]).collect())
        .collect();
    shuffle(&mut rows, random);
    rows
}

/// Every order with the same probability (Durstenfeld 1964).
fn shuffle<T>(items: &mut [T], random: &mut dyn FnMut() -> u64) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(last as u64 + 1, random) as usize);
    }
}

/// A uniform number below `bound`, without the bias of a remainder (Lemire, "Fast Random Integer
/// Generation in an Interval", 2019).
fn below(bound: u64, random: &mut dyn FnMut() -> u64) -> u64 {
    let biased = bound.wrapping_neg() % bound;
    loop {
        let product = u128::from(random()) * u128::from(bound);
        if product as u64 >= biased {
            return (product >> 64) as u64;
        }
    }
}
