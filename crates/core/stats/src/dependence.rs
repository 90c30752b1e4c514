//! Dependence between neighbouring rounds, and how many rounds then count as one.
//!
//! The variance of a mean of dependent values is the one for independent values times the
//! statistical inefficiency `1 + 2 (r1 + r2 + ...)`, the sum over their autocorrelations. It is
//! estimated by the initial monotone sequence (Geyer, "Practical Markov Chain Monte Carlo",
//! Statistical Science 7(4), 1992): sums of neighbouring pairs of autocorrelations, as long as they
//! are positive and do not grow. The correlations use ranks, because a burst in one slice is an
//! outlier that would determine the correlation of the values, and because the estimate is a median
//! (Vehtari et al., "Rank-normalization, folding, and localization", Bayesian Analysis 16(2),
//! 2021).

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

/// How many rounds count as one; 1 if they are independent, never less.
///
/// There is one figure for several series, the forks of a pair. Each series is ranked by itself,
/// because a step between two forks is not a dependence within either. Each contributes with its
/// length.
pub fn inefficiency<S: AsRef<[f64]>>(series: &[S]) -> f64 {
    let centred: Vec<Vec<f64>> = series.iter().map(|xs| centred_ranks(xs.as_ref())).collect();
    let longest = centred.iter().map(Vec::len).max().unwrap_or(0);
    let variance = autocovariance(&centred, 0);
    if variance <= 0.0 {
        return 1.0;
    }
    let mut pairs = 0.0;
    let mut least = f64::INFINITY;
    for lag in (0..longest).step_by(2) {
        let pair = autocovariance(&centred, lag) + autocovariance(&centred, lag + 1);
        if pair <= 0.0 {
            break;
        }
        least = least.min(pair);
        pairs += least;
    }
    (2.0 * pairs / variance - 1.0).max(1.0)
}

/// Ranks minus their mean, divided by the length, so that long and short series have one scale.
fn centred_ranks(xs: &[f64]) -> Vec<f64> {
    let middle = (xs.len() + 1) as f64 / 2.0;
    ranks(xs).iter().map(|rank| (rank - middle) / xs.len() as f64).collect()
}

/// The sum over all series of the products of values that are `lag` apart.
fn autocovariance(series: &[Vec<f64>], lag: usize) -> f64 {
    let products = series.iter().map(|xs| xs.iter().zip(&xs[lag.min(xs.len())..]));
    products.map(|pairs| pairs.map(|(a, b)| a * b).sum::<f64>()).sum()
}
