//! Dependence between neighbouring rounds, and the blocks that take it away.

use crate::quantile::median;

/// Lag-1 correlation above which single rounds may not be counted as independent.
const DEPENDENT: f64 = 0.2;
/// Rounds that count as one where they depend on each other (the middle of 4 to 6).
const BLOCK: usize = 5;

/// The ranks of `xs`, from 1; equal values share the mean of their ranks.
pub(crate) fn ranks(xs: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..xs.len()).collect();
    order.sort_by(|&a, &b| xs[a].total_cmp(&xs[b]));
    let mut ranks = vec![0.0; xs.len()];
    let mut start = 0;
    for group in order.chunk_by(|&a, &b| xs[a] == xs[b]) {
        let shared = start as f64 + (group.len() + 1) as f64 / 2.0;
        group.iter().for_each(|&i| ranks[i] = shared);
        start += group.len();
    }
    ranks
}

/// Lag-1 autocorrelation of the ranks (Wald & Wolfowitz 1943; Bartels 1982), from -1 to 1. Ranks,
/// because a burst of one slice is an outlier that would decide the correlation of the values. Zero
/// for fewer than three values, and where all are equal.
pub fn lag1(xs: &[f64]) -> f64 {
    let (products, squares) = rank_products(xs);
    if squares > 0.0 { products / squares } else { 0.0 }
}

/// Sums of the products of neighbouring centred ranks, and of their squares.
fn rank_products(xs: &[f64]) -> (f64, f64) {
    if xs.len() < 3 {
        return (0.0, 0.0);
    }
    let middle = (xs.len() + 1) as f64 / 2.0;
    let centred: Vec<f64> = ranks(xs).iter().map(|r| r - middle).collect();
    let products = centred.windows(2).map(|w| w[0] * w[1]).sum();
    let squares = centred.iter().map(|r| r * r).sum();
    (products, squares)
}

/// The medians of consecutive blocks of at least `block` values, as even in length as can be: every
/// value is used, and none counts for more because it came last. One block where the values are
/// fewer than `block`; `block` 0 is taken as 1.
pub fn block_medians(xs: &[f64], block: usize) -> Vec<f64> {
    if xs.is_empty() {
        return Vec::new();
    }
    let blocks = (xs.len() / block.max(1)).max(1);
    (0..blocks).map(|b| median(&xs[b * xs.len() / blocks..(b + 1) * xs.len() / blocks])).collect()
}

/// How many rounds count as one: 1, or 5 where [`lag1`] passes 0.2.
pub fn block_length(xs: &[f64]) -> usize {
    common_block_length(&[xs])
}

/// One block length for several series. Each is ranked by itself: a step between two forks is no
/// dependence within either, and the longer series have the better say.
pub(crate) fn common_block_length(series: &[&[f64]]) -> usize {
    let (products, squares) = series.iter().fold((0.0, 0.0), |(p, s), xs| {
        let (products, squares) = rank_products(xs);
        // A series' rank products grow with the cube of its length; this leaves its length.
        let scale = (xs.len().max(1) as f64).powi(2);
        (p + products / scale, s + squares / scale)
    });
    if squares > 0.0 && products / squares > DEPENDENT { BLOCK } else { 1 }
}
