//! The sign-test e-process, and the confidence sequence of a median that follows from it.
//!
//! Under the null, every round is positive with probability one half, whatever the earlier rounds
//! were. A gambler who spreads the stake evenly over all constant bets then holds `M = 2^t B(S + 1,
//! t - S + 1)` after `S` of `t` positive rounds. `M` is a martingale of mean 1, so the probability
//! that it ever reaches `1 / alpha` is at most `alpha` (Ville). One may therefore look after every
//! round and stop at any time. Howard & Ramdas, "Sequential estimation of quantiles with
//! applications to A/B testing and best-arm identification", Bernoulli 28(3), 2022; Robbins,
//! "Statistical methods related to the law of the iterated logarithm", 1970.

use crate::interval::Interval;
use crate::quantile::without_extremes;
use statrs::function::beta::ln_beta;

/// The natural logarithm of the e-value of `positive` among `total` signs. If `positive` is above
/// `total`, it counts as `total`.
pub fn ln_e_value(positive: u64, total: u64) -> f64 {
    ln_e(positive.min(total) as f64, total as f64)
}

fn ln_e(positive: f64, total: f64) -> f64 {
    total * std::f64::consts::LN_2 + ln_beta(positive + 1.0, total - positive + 1.0)
}

/// All shifts whose e-value stays below `1 / alpha`. With probability at least `1 - alpha` they
/// contain the median at all stopping times simultaneously. The ends are infinite while there are
/// too few values.
///
/// `inefficiency` is the number of values that count as one ([`crate::dependence`]), at least 1.
/// Both counts of signs are divided by it. At 1 the sequence is exact; above 1 it is as good as the
/// estimate.
///
/// A value equal to the shift is neither above nor below it. It is counted on the side that lowers
/// the e-value. This is valid; dropping or halving it is not: a median may itself have weight (0.1
/// below, 0.5 on it, 0.4 above), and then the remaining signs are not a fair coin. But ties can
/// always be assigned to sides such that the coin is fair, and its martingale is never below the
/// smallest value over all assignments. The set is therefore closed: its ends are values.
pub fn confidence_sequence(xs: &[f64], alpha: f64, inefficiency: f64) -> Interval {
    let n = xs.len();
    let enough = -alpha.ln();
    // The e-value falls as the signs become balanced, so the rejected counts are 0..outside.
    let rejected = (0..n.div_ceil(2)).take_while(|&outside| {
        ln_e(outside as f64 / inefficiency, n as f64 / inefficiency) >= enough
    });
    without_extremes(xs, rejected.count())
}
