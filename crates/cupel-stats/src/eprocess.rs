//! The sign-test e-process, and the confidence sequence of a median that it gives.
//!
//! Under the null every round is positive with probability one half, whatever the rounds before it
//! were. A gambler who spreads the stake evenly over all constant bets then holds
//! `M = 2^t B(S + 1, t - S + 1)` after `S` of `t` positive rounds. `M` is a martingale of mean 1, so
//! it ever reaches `1 / alpha` with probability at most `alpha` (Ville): one may look after every
//! round and stop at will. Howard & Ramdas, "Sequential estimation of quantiles with applications to
//! A/B testing and best-arm identification", Bernoulli 28(3), 2022; Robbins, "Statistical methods
//! related to the law of the iterated logarithm", 1970.

use crate::interval::Interval;
use crate::quantile::without_extremes;
use statrs::function::beta::ln_beta;

/// Natural logarithm of the e-value of `positive` among `total` signs. `positive` above `total` is
/// taken as `total`.
pub fn ln_e_value(positive: u64, total: u64) -> f64 {
    ln_e(positive.min(total) as f64, total as f64)
}

fn ln_e(positive: f64, total: f64) -> f64 {
    total * std::f64::consts::LN_2 + ln_beta(positive + 1.0, total - positive + 1.0)
}

/// All shifts whose e-value stays below `1 / alpha`: they hold the median with probability at least
/// `1 - alpha` at every time of stopping at once. Infinite ends while the values are too few.
///
/// `inefficiency` says how many values count as one ([`crate::dependence`]), at least 1: both counts
/// of signs are divided by it. At 1 the sequence is exact; above, as good as the estimate is.
///
/// A value equal to the shift is neither above nor below it. It is counted on the side that brings
/// the e-value down. That is valid, and dropping it or halving it is not: a median may carry weight
/// itself (0.1 below, 0.5 on, 0.4 above), and then the remaining signs are no fair coin. But there is
/// always a way to throw ties to the sides that makes the coin fair; its martingale is never below
/// the least value over all ways. The set is therefore closed: it ends on values, not before them.
pub fn confidence_sequence(xs: &[f64], alpha: f64, inefficiency: f64) -> Interval {
    let n = xs.len();
    let enough = -alpha.ln();
    let surprising =
        |outside: usize| ln_e(outside as f64 / inefficiency, n as f64 / inefficiency) >= enough;
    // The e-value falls as the signs come into balance, so the rejected counts are 0..outside.
    let outside = (0..n.div_ceil(2)).take_while(|&s| surprising(s)).count();
    without_extremes(xs, outside)
}
