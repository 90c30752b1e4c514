//! Quantiles, and the interval of a median that needs no assumption about the distribution.

use crate::interval::Interval;
use statrs::function::gamma::ln_gamma;

/// The median; for an even count, the mean of the two middle values. NaN if empty.
pub fn median(xs: &[f64]) -> f64 {
    quantile(xs, 0.5)
}

/// The quantile of order `q` (0 to 1) by linear interpolation between order statistics: type 7 of
/// Hyndman & Fan, "Sample Quantiles in Statistical Packages", 1996. NaN if empty.
pub fn quantile(xs: &[f64], q: f64) -> f64 {
    if xs.is_empty() {
        return f64::NAN;
    }
    let position = q.clamp(0.0, 1.0) * (xs.len() - 1) as f64;
    let below = position.floor() as usize;
    let mut xs = xs.to_vec();
    let (_, &mut low, above) = xs.select_nth_unstable_by(below, f64::total_cmp);
    if position.fract() == 0.0 {
        return low;
    }
    let high = above.iter().copied().min_by(f64::total_cmp).unwrap_or(low);
    // Equal neighbours are returned as they are, because infinities cannot be interpolated.
    if low == high {
        return low;
    }
    low + (position - below as f64) * (high - low)
}

/// An interval that contains the median of the distribution with probability at least `1 - alpha`,
/// for a number of independent values that was fixed in advance: the order statistics `k` and `n +
/// 1 - k` with the largest `k` for which a fair coin shows fewer than `k` heads in `n` throws with
/// probability at most `alpha / 2` (David & Nagaraja, "Order Statistics", 2003, section 7.1). The
/// ends are infinite if there are too few values. If the number of values depends on the values,
/// use [`crate::eprocess::confidence_sequence`].
pub fn median_interval(xs: &[f64], alpha: f64) -> Interval {
    let n = xs.len();
    let mut tail = 0.0;
    let mut outside = 0;
    while outside < n.div_ceil(2) {
        let ln_weight = ln_gamma(n as f64 + 1.0)
            - ln_gamma(outside as f64 + 1.0)
            - ln_gamma((n - outside) as f64 + 1.0)
            - n as f64 * std::f64::consts::LN_2;
        tail += ln_weight.exp();
        if tail > alpha / 2.0 {
            break;
        }
        outside += 1;
    }
    without_extremes(xs, outside)
}

/// From the smallest to the largest value after `outside - 1` values are removed at either end: the
/// closed interval with fewer than `outside` values outside on each side. Everything if `outside`
/// is 0.
pub(crate) fn without_extremes(xs: &[f64], outside: usize) -> Interval {
    if outside == 0 {
        return Interval::EVERYTHING;
    }
    let sorted = sorted(xs);
    Interval { low: sorted[outside - 1], high: sorted[sorted.len() - outside] }
}

pub(crate) fn sorted(xs: &[f64]) -> Vec<f64> {
    let mut sorted = xs.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

/// The median absolute deviation from the median, times 1.4826: for normal values, the standard
/// deviation.
pub(crate) fn robust_sd(xs: &[f64]) -> f64 {
    let middle = median(xs);
    let deviations: Vec<f64> = xs.iter().map(|x| (x - middle).abs()).collect();
    1.482_602_218_505_602 * median(&deviations)
}

/// The mean, which is not a number if there are none.
pub fn mean(xs: &[f64]) -> f64 {
    xs.iter().sum::<f64>() / xs.len() as f64
}

/// The mean of the middle half: as little affected by outliers as a median, and finer than the
/// steps of the clock that the values come from. NaN if empty.
pub fn middle_mean(xs: &[f64]) -> f64 {
    let sorted = sorted(xs);
    let outside = sorted.len() / 4;
    mean(&sorted[outside..sorted.len() - outside])
}

/// The sum of the squares of the distances from the mean.
pub(crate) fn squares(xs: &[f64]) -> f64 {
    let middle = mean(xs);
    xs.iter().map(|x| (x - middle).powi(2)).sum()
}
