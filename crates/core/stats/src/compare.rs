//! Compares a contender with the baseline: the ratio of their times, with an interval.
//!
//! The sample is the fork (Kalibera & Jones, "Rigorous benchmarking in reasonable time", 2013;
//! Georges et al., "Statistically rigorous Java performance evaluation", 2007). A fork's value is
//! the median log-ratio of its rounds. The estimate is the mean of these values, and the interval
//! is one t interval on them. The noise of the rounds moves the values too, so it needs no part of
//! its own.
//!
//! - The variance is moderated by the evidence of other tables about the contender
//!   ([`crate::prior`]), and is never below the pair's own.
//! - If the processes fall into two levels, or differ before and after some moment
//!   ([`crate::levels::groups`]), there is an interval for each group, and the interval of the pair
//!   reaches from one to the other, and over all forks. So a verdict on the pair needs both groups
//!   on one side. The estimate is then the larger group's.
//!
//! The number of rounds of a fork may depend on the data; the number of forks must not.

use crate::change::Change;
use crate::interval::{Interval, Side};
use crate::levels::groups;
use crate::pair::Pair;
use crate::prior::Prior;
use crate::quantile::mean;
use crate::scatter::Scatter;
use crate::student::quantile as t_quantile;
use crate::verdict::verdict;

/// From this number of forks on, one of them that has its own level does not widen the
/// interval. With two equally frequent levels, all processes but one of sixteen have the same level
/// with probability `17 / 2^15`, one in two thousand.
pub const ENOUGH_FOR_A_STRAY: usize = 16;

/// A process is less than this factor away from the median of its contender's. That is seen, not
/// computed: of 534 processes with a JIT, the furthest was off by a factor of 1.9
/// (docs/internals/decisions/0097).
pub const ONE_PROCESS: f64 = 3.0;

/// The result of the forks for a pair. All but the counts are natural logarithms of time ratios.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The mean over the forks, or over the forks of the more frequent level; NaN if there is no
    /// fork.
    pub estimate: f64,
    /// Contains the true ratio with the error that was asked for; always contains the estimate.
    pub interval: Interval,
    /// Forks that have a value.
    pub forks: usize,
    /// The rounds behind these values.
    pub rounds: usize,
    /// The standard deviation of a fork, as used in the interval.
    pub sd: f64,
    /// The levels of the processes, or the two sides of a change, ascending, if there are two.
    pub levels: Option<[PairLevel; 2]>,
    /// The change, if the ratio differs between two parts of the run.
    pub change: Option<Change>,
    /// If the estimate includes garbage collection: the same without. The interval then reaches
    /// from one to the other, so a verdict needs both on one side.
    pub without: Option<Without>,
}

/// A comparison of times with garbage collection, next to a comparison of times without.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Without {
    /// The interval of the ratio with collection alone.
    pub with: Interval,
    /// The estimate without collection.
    pub estimate: f64,
    /// Its interval.
    pub interval: Interval,
}

/// One of two levels of a pair's processes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairLevel {
    /// The mean of its forks.
    pub estimate: f64,
    /// The interval of this level alone.
    pub interval: Interval,
    /// The number of its forks.
    pub forks: usize,
}

impl Comparison {
    /// A comparison that is computed from others, not from the rounds of a pair.
    pub fn from_parts(estimate: f64, interval: Interval, forks: usize) -> Comparison {
        Comparison {
            estimate,
            interval,
            forks,
            rounds: 0,
            sd: f64::NAN,
            levels: None,
            change: None,
            without: None,
        }
    }

    /// Whether the contender certainly takes less time than the one it is compared with.
    pub fn is_faster(&self, tie_zone: f64) -> bool {
        verdict(&self.interval, self.forks, tie_zone) == Some(Side::Below)
    }

    /// Whether the contender certainly takes more time than the one it is compared with.
    pub fn is_slower(&self, tie_zone: f64) -> bool {
        verdict(&self.interval, self.forks, tie_zone) == Some(Side::Above)
    }

    /// The comparison of the pair in the opposite direction.
    #[must_use]
    pub fn inverse(self) -> Comparison {
        Comparison {
            estimate: -self.estimate,
            interval: self.interval.negated(),
            change: self.change.map(|change| Change {
                outside: -change.outside,
                inside: -change.inside,
                ..change
            }),
            levels: self.levels.map(|[low, high]| {
                [high, low].map(|level| PairLevel {
                    estimate: -level.estimate,
                    interval: level.interval.negated(),
                    ..level
                })
            }),
            without: self.without.map(|without| Without {
                with: without.with.negated(),
                estimate: -without.estimate,
                interval: without.interval.negated(),
            }),
            ..self
        }
    }

    /// The comparison of a single fork with the interval that [`ONE_PROCESS`] gives it; others as
    /// they are: a baseline that changes may be further off than a process.
    #[must_use]
    pub fn bounded_if_single(self) -> Comparison {
        if self.forks != 1 {
            return self;
        }
        let reach = ONE_PROCESS.ln();
        let interval = Interval { low: self.estimate - reach, high: self.estimate + reach };
        Comparison { interval, ..self }
    }

    /// The interval of the estimate alone, whatever else a verdict needs.
    pub fn own_interval(&self) -> Interval {
        self.without.map_or(self.interval, |without| without.with)
    }

    /// The comparison with a wider interval, because all forks share an error with this standard
    /// deviation, which their scatter does not show. `miss` is the probability with which the
    /// interval may miss.
    #[must_use]
    pub fn with_shared_error(self, sd: f64, miss: f64) -> Comparison {
        let df = self.forks.saturating_sub(1).max(1) as f64;
        let more = t_quantile(1.0 - miss / 2.0, df) * sd;
        let interval = Interval {
            low: self.estimate - (self.estimate - self.interval.low).hypot(more),
            high: self.estimate + (self.interval.high - self.estimate).hypot(more),
        };
        Comparison { interval, ..self }
    }
}

impl PairLevel {
    /// The level of these forks. `reach` is the reach of a single one's interval.
    fn estimate(forks: &[f64], reach: f64) -> PairLevel {
        let (estimate, reach) = (mean(forks), reach / (forks.len() as f64).sqrt());
        let interval = Interval { low: estimate - reach, high: estimate + reach };
        PairLevel { estimate, interval, forks: forks.len() }
    }
}

/// Compares a pair. `error` is the probability with which the interval may miss. `prior` is the
/// evidence of other tables on how much the contender's processes differ. `calibration` multiplies
/// the standard errors, as the negative controls ask ([`crate::placebo`]); at least 1.
///
/// A single fork cannot show its own effect, so its interval is unbounded.
pub fn compare(pair: &Pair, error: f64, prior: &Prior, calibration: f64) -> Comparison {
    let forks = pair.forks.len();
    let groups = groups(&pair.forks);
    let scatter = Scatter::within(&pair.forks, groups.as_ref());
    let moderated = prior.moderate(&scatter);
    let reach = if scatter.df > 0.0 {
        t_quantile(1.0 - error / 2.0, moderated.df) * moderated.variance.sqrt() * calibration
    } else {
        f64::INFINITY
    };
    let all = PairLevel::estimate(&pair.forks, reach);
    let change = groups.as_ref().and_then(|groups| groups.change);
    let levels = groups
        .map(|groups| groups.split(&pair.forks).map(|forks| PairLevel::estimate(&forks, reach)));
    let (estimate, interval) = match levels {
        None if forks == 0 => (f64::NAN, Interval::EVERYTHING),
        None => (all.estimate, all.interval),
        Some([low, high]) => between(&low, &high, all.estimate, change, &pair.forks),
    };
    Comparison {
        estimate,
        interval,
        forks,
        rounds: pair.rounds,
        sd: moderated.variance.sqrt(),
        levels,
        without: None,
        change,
    }
}

/// The estimate and the interval of a pair with two levels, or with two sides of a change.
fn between(
    low: &PairLevel,
    high: &PairLevel,
    middle: f64,
    change: Option<Change>,
    forks: &[f64],
) -> (f64, Interval) {
    let (most, least) = if low.forks > high.forks { (low, high) } else { (high, low) };
    let is_stray = change.is_none() && least.forks == 1;
    if is_stray && most.forks + 1 >= ENOUGH_FOR_A_STRAY {
        return (most.estimate, most.interval);
    }
    // Neither of two equally frequent levels is typical.
    let estimate = if least.forks == most.forks { middle } else { most.estimate };
    // A level of few forks has a wide interval, or none, and a change may have come in one of them.
    // So the interval also reaches from the lowest fork to the highest.
    let bounded = [low, high].into_iter().filter(|level| level.forks > 1);
    let ends = bounded.flat_map(|level| [level.interval.low, level.interval.high]);
    (estimate, Interval::around(ends.chain(forks.iter().copied())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::Shape;

    const NOTHING: Prior = Prior { variance: 0.0, df: 0.0 };

    fn comparison_of(forks: &[f64]) -> Comparison {
        compare(&Pair { forks: forks.to_vec(), rounds: 0 }, 0.05, &NOTHING, 1.0)
    }

    /// Eleven processes, `fast` of which are 5 % faster than the others, which are 5 % slower than
    /// the baseline.
    fn two_levels(fast: usize, forks: usize) -> Comparison {
        let value = |fork: usize| {
            let level = if fork < fast { -0.05 } else { 0.05 };
            level + 0.001 * (fork % 3) as f64
        };
        comparison_of(&(0..forks).map(value).collect::<Vec<f64>>())
    }

    #[test]
    fn an_interval_reaches_from_one_level_to_the_other() {
        for fast in 1..11 {
            let compared = two_levels(fast, 11);
            assert!(compared.interval.low < -0.04 && compared.interval.high > 0.04, "{compared:?}");
            let [low, high] = compared.levels.unwrap();
            assert_eq!((low.forks, high.forks), (fast, 11 - fast));
            assert!(low.interval.half_width() < 0.01, "each level is narrow: {low:?}");
            let typical = if fast > 5 { low.estimate } else { high.estimate };
            assert_eq!(compared.estimate, typical);
        }
        let even = two_levels(6, 12);
        assert!(even.estimate.abs() < 0.01, "neither of two is typical: {even:?}");
        assert_eq!(two_levels(0, 11).levels, None);
    }

    /// A baseline that took longer in the first third of the run, in steps too small for levels.
    #[test]
    fn an_interval_reaches_from_before_a_change_to_after_it() {
        let noise = |fork: usize| 0.012 * ((fork * 7) % 5) as f64 - 0.024;
        let changed = |fork: usize| if fork < 8 { -0.05 } else { 0.02 } + noise(fork);
        let forks: Vec<f64> = (0..24).map(changed).collect();
        assert_eq!(crate::levels::split(&forks), None, "no gap tells them apart");
        let compared = comparison_of(&forks);
        let change = compared.change.expect("a change");
        assert_eq!((change.first, change.end, change.shape), (8, 24, Shape::Step));
        assert!(compared.interval.contains(-0.05) && compared.interval.contains(0.02));
        let any_order: Vec<f64> = (0..24).map(|fork| forks[(fork * 5) % 24]).collect();
        assert_eq!(comparison_of(&any_order).change, None, "the same values in another order");
    }

    #[test]
    fn an_interval_reaches_from_the_beginning_of_a_trend_to_its_end() {
        let noise = |fork: usize| 0.004 * ((fork * 7) % 5) as f64 - 0.008;
        let forks: Vec<f64> = (0..24).map(|fork| 0.1 * fork as f64 / 23.0 + noise(fork)).collect();
        let compared = comparison_of(&forks);
        assert_eq!(compared.change.map(|change| change.shape), Some(Shape::Trend));
        assert!(compared.interval.contains(0.002) && compared.interval.contains(0.098));
        assert!(compared.interval.half_width() < 0.08, "{compared:?}");
    }

    #[test]
    fn one_stray_does_not_widen_from_sixteen_forks_on() {
        for forks in [11, 15] {
            assert!(two_levels(1, forks).interval.low < -0.04, "{forks} forks");
        }
        let many = two_levels(1, 16);
        assert!(many.interval.low > 0.04, "{many:?}");
        assert_eq!(many.levels.map(|[stray, _]| stray.forks), Some(1), "but it is shown");
        assert!(two_levels(2, 20).interval.low < -0.04, "two are not strays");
    }

    #[test]
    fn a_pair_turned_round_is_the_same_interval_from_the_other_side() {
        for forks in [vec![0.1, 0.12, 0.11], vec![0.0, 0.01, 0.002, 0.2, 0.21, 0.005, 0.003]] {
            let turned: Vec<f64> = forks.iter().map(|fork| -fork).collect();
            let (one, other) = (comparison_of(&forks), comparison_of(&turned).inverse());
            assert!((one.interval.low - other.interval.low).abs() < 1e-12, "{one:?} {other:?}");
            assert!((one.interval.high - other.interval.high).abs() < 1e-12, "{one:?} {other:?}");
            assert!((one.estimate - other.estimate).abs() < 1e-12, "{one:?} {other:?}");
        }
    }

    #[test]
    fn an_error_that_all_forks_share_widens_by_its_square() {
        let alone = comparison_of(&[0.1, 0.12, 0.11, 0.09]);
        assert_eq!(alone.with_shared_error(0.0, 0.05), alone);
        // Three degrees of freedom: the quantile is 3.182.
        let wide = alone.with_shared_error(0.01, 0.05).interval.half_width();
        assert!((wide - alone.interval.half_width().hypot(0.03182)).abs() < 1e-5, "{wide}");
    }

    #[test]
    fn a_calibration_widens_by_its_factor() {
        let pair = Pair { forks: vec![0.1, 0.12, 0.11, 0.09], rounds: 80 };
        let (plain, wide) =
            (compare(&pair, 0.05, &NOTHING, 1.0), compare(&pair, 0.05, &NOTHING, 1.5));
        let ratio = wide.interval.half_width() / plain.interval.half_width();
        assert!((ratio - 1.5).abs() < 1e-9, "{ratio}");
    }
}
