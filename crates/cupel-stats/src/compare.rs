//! One contender against the baseline: the ratio of their times, with an interval.
//!
//! The log-ratio of a round is `theta + b + e`: the ratio asked for, an effect `b` of the fork it was
//! measured in, and the noise `e` of the round. The interval answers for the two errors in turn, each
//! with half of the error allowed, so that their sum is an upper bound whatever they have to do with
//! each other (Bonferroni).
//!
//! - *Rounds.* The confidence sequence of the median ([`crate::eprocess`]) over the rounds of all
//!   forks together. Were every `b` zero, it would hold `theta` at any time of stopping. Rounds that
//!   follow each other may depend on each other; then several count as one ([`crate::dependence`]).
//!   With the forks given, the rounds are coins of
//!   differing bias; their count spreads less than that of equal coins (Hoeffding 1956), so forks
//!   that differ make this part cautious, not bold.
//! - *Forks.* The median of all rounds still moves with the mean of the `b`, however many the rounds.
//!   Both ends go outwards by a moderated t quantile times the spread of forks over the root of their
//!   number ([`crate::spread`]). Only this part pays for the unit of inference being a fork.
//!
//! The number of rounds may depend on what was seen; the number of forks must not.

use crate::dependence::inefficiency;
use crate::eprocess::confidence_sequence;
use crate::interval::Interval;
use crate::pair::Pair;
use crate::quantile::median;
use crate::spread::{Between, ENOUGH_ROUNDS, Spread};

/// What the rounds say about a pair. All but the counts are natural logarithms of time ratios.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The median over the rounds of all forks; not a number where there is no round.
    pub estimate: f64,
    /// Holds the true ratio, for all comparisons of the run together; always holds the estimate.
    pub interval: Interval,
    /// Forks with at least one kept round.
    pub forks: usize,
    /// Kept rounds, over all forks.
    pub rounds: usize,
    /// How many rounds were counted as one, because neighbours depend on each other; at least 1.
    pub inefficiency: f64,
    /// Standard deviation between forks beyond what rounds explain, as the interval uses it.
    pub between_sd: f64,
}

impl Comparison {
    /// The same of the pair the other way round.
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

/// Compares a pair. `alpha` is the error of all `k` comparisons of the run together (Bonferroni);
/// `prior` is the spread between forks pooled over the run's pairs ([`crate::spread::pool`]).
///
/// A single fork cannot tell its own effect, so the prior alone stands for it; without a prior
/// (`df` 0) the interval is then unbounded. So it is while the rounds are too few for `alpha / k`.
pub fn compare(pair: &Pair, alpha: f64, k: usize, prior: &Spread) -> Comparison {
    let all: Vec<f64> = pair.forks.concat();
    let rounds: Vec<usize> = pair.forks.iter().map(|f| f.len()).filter(|&n| n > 0).collect();
    let allowed = alpha / k.max(1) as f64 / 2.0;
    let inefficiency = inefficiency(&pair.forks);
    let between = Between::of(pair, inefficiency).moderated(prior);
    let within = confidence_sequence(&all, allowed, inefficiency);
    // Many forks of which one alone has rounds to speak of are one fork, and it may be the stray.
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
