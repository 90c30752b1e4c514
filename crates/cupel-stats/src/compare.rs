//! Compares a contender with the baseline: the ratio of their times, with an interval.
//!
//! The log-ratio of a round is `theta + b + e`: the ratio to be estimated, an effect `b` of the
//! fork, and the noise `e` of the round. The interval covers the two errors separately, each with
//! half of the allowed error. Their sum is then an upper bound, even if they depend on each other
//! (Bonferroni).
//!
//! - *Rounds.* The confidence sequence of the median ([`crate::eprocess`]) over the rounds of all
//!   forks together. If every `b` were zero, it would contain `theta` whenever the run stops.
//!   Successive rounds may depend on each other; then several count as one ([`crate::dependence`]).
//!   Given the forks, the rounds are coins with different biases. Their count varies less than that
//!   of equal coins (Hoeffding 1956), so forks that differ make this part conservative.
//! - *Forks.* The median of all rounds still moves with the mean of the `b`, however many rounds
//!   there are. Both ends move outwards by a moderated t quantile times the spread of forks divided
//!   by the root of their number ([`crate::spread`]). Only this part accounts for the fork as the
//!   unit of inference.
//!
//! The number of rounds may depend on the data; the number of forks must not.

use crate::dependence::inefficiency;
use crate::eprocess::confidence_sequence;
use crate::interval::Interval;
use crate::pair::Pair;
use crate::quantile::median;
use crate::spread::{Between, ENOUGH_ROUNDS, Spread};

/// What the rounds show about a pair. All but the counts are natural logarithms of time ratios.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The median over the rounds of all forks; NaN if there is no round.
    pub estimate: f64,
    /// Contains the true ratio, jointly for all comparisons of the run; always contains the
    /// estimate.
    pub interval: Interval,
    /// Forks with at least one kept round.
    pub forks: usize,
    /// Kept rounds, over all forks.
    pub rounds: usize,
    /// How many rounds count as one, because neighbours depend on each other; at least 1.
    pub inefficiency: f64,
    /// The standard deviation between forks that the rounds do not explain, as used in the
    /// interval.
    pub between_sd: f64,
}

impl Comparison {
    /// The comparison of the pair in the opposite direction.
    #[must_use]
    pub fn inverse(self) -> Comparison {
        let Interval { low, high } = self.interval;
        Comparison {
            estimate: -self.estimate,
            interval: Interval { low: -high, high: -low },
            ..self
        }
    }
}

/// Compares a pair. `alpha` is the joint error of all `k` comparisons of the run (Bonferroni).
/// `prior` is the spread between forks, pooled over the run's pairs ([`crate::spread::pool`]).
///
/// A single fork cannot show its own effect, so only the prior represents it. Without a prior (`df`
/// 0) the interval is then unbounded. It is also unbounded while there are too few rounds for
/// `alpha / k`.
pub fn compare(pair: &Pair, alpha: f64, k: usize, prior: &Spread) -> Comparison {
    let all: Vec<f64> = pair.forks.concat();
    let rounds: Vec<usize> = pair.forks.iter().map(|f| f.len()).filter(|&n| n > 0).collect();
    let allowed = alpha / k.max(1) as f64 / 2.0;
    let inefficiency = inefficiency(&pair.forks);
    let between = Between::of(pair, inefficiency).moderated(prior);
    let within = confidence_sequence(&all, allowed, inefficiency);
    // If only one of many forks has enough rounds, it counts as a single fork, which may be the
    // stray.
    let lone = rounds.len() > 1 && rounds.iter().filter(|n| **n >= ENOUGH_ROUNDS).count() < 2;
    let reach = if lone { f64::INFINITY } else { between.half_width(allowed, &rounds) };
    Comparison {
        estimate: median(&all),
        interval: within.widen(reach),
        forks: rounds.len(),
        rounds: rounds.iter().sum(),
        inefficiency,
        between_sd: between.variance.sqrt(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_fork_of_any_length_among_stubs_decides_nothing() {
        let long: Vec<f64> = (0..64).map(|i| 0.1 + 0.001 * f64::from(i % 5)).collect();
        let stub = [-0.07, -0.08];
        let prior = Spread { variance: 1e-6, df: 20.0 };
        let of = |forks: Vec<&[f64]>| compare(&Pair { forks }, 0.05, 1, &prior);
        let lone = of(vec![&stub, &stub, &long]);
        assert_eq!(lone.interval.high, f64::INFINITY, "{lone:?}");
        let two = of(vec![&stub, &long[..32], &long[32..]]);
        assert!(two.interval.half_width() < 0.1, "{two:?}");
    }

    #[test]
    fn a_pair_turned_round_is_the_same_interval_from_the_other_side() {
        let rounds: Vec<f64> = (0..64).map(|i| 0.1 + 0.01 * f64::from(i % 7)).collect();
        let prior = Spread { variance: 1e-6, df: 20.0 };
        let of = |sign: f64| {
            let turned: Vec<f64> = rounds.iter().map(|r| sign * r).collect();
            let forks = turned.chunks(16).collect();
            compare(&Pair { forks }, 0.05, 1, &prior)
        };
        let (one, other) = (of(1.0), of(-1.0).inverse());
        assert!((one.interval.low - other.interval.low).abs() < 1e-9, "{one:?} {other:?}");
        assert!((one.interval.high - other.interval.high).abs() < 1e-9, "{one:?} {other:?}");
    }
}
