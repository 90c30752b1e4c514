//! Compares a contender with the baseline: the ratio of their times, with an interval.
//!
//! The sample is the fork (Kalibera & Jones, "Rigorous benchmarking in reasonable time", 2013;
//! Georges et al., "Statistically rigorous Java performance evaluation", 2007). A fork's value is
//! the median log-ratio of its rounds. The estimate is the mean of these values, and the interval is
//! one t interval on them. What the rounds leave open moves the values too, so it needs no part of
//! its own.
//!
//! - The variance is moderated by what other tables show about the contender ([`crate::prior`]), and
//!   is never below what the pair itself shows.
//! - If the processes fall into two levels ([`crate::levels::split`]), there is an interval for each
//!   level, and the interval of the pair reaches from one to the other; a level of a single fork
//!   counts with that fork's value. So a verdict on the pair needs both levels on one side. The estimate is then that of the level with more processes.
//!
//! The number of rounds of a fork may depend on the data; the number of forks must not.

use crate::interval::Interval;
use crate::levels::split;
use crate::pair::Pair;
use crate::prior::Prior;
use crate::scatter::{Scatter, mean};
use crate::student::quantile as t_quantile;

/// From this number of forks on, one of them that has a level of its own does not widen the
/// interval. With two equally frequent levels, all processes but one of sixteen have the same level
/// with probability `17 / 2^15`, one in two thousand.
pub const ENOUGH_FOR_A_STRAY: usize = 16;

/// What the forks show about a pair. All but the counts are natural logarithms of time ratios.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The mean over the forks, or over those of the more frequent level; NaN if there is no fork.
    pub estimate: f64,
    /// Contains the true ratio with the error that was asked for; always contains the estimate.
    pub interval: Interval,
    /// Forks that have a value.
    pub forks: usize,
    /// The rounds behind these values.
    pub rounds: usize,
    /// The standard deviation of a fork, as used in the interval.
    pub sd: f64,
    /// The levels of the processes, ascending, if there are two.
    pub levels: Option<[PairLevel; 2]>,
    /// If the estimate includes garbage collection: the same without. The interval then reaches
    /// from one to the other, so a verdict needs both on one side.
    pub without: Option<Without>,
}

/// A comparison of times with garbage collection, next to that of times without.
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
    /// The comparison of the pair in the opposite direction.
    #[must_use]
    pub fn inverse(self) -> Comparison {
        let turned = |level: PairLevel| PairLevel {
            estimate: -level.estimate,
            interval: level.interval.negated(),
            ..level
        };
        let without = |one: Without| Without {
            with: one.with.negated(),
            estimate: -one.estimate,
            interval: one.interval.negated(),
        };
        Comparison {
            estimate: -self.estimate,
            interval: self.interval.negated(),
            levels: self.levels.map(|[low, high]| [turned(high), turned(low)]),
            without: self.without.map(without),
            ..self
        }
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

/// Compares a pair. `error` is the probability with which the interval may miss. `prior` is what
/// other tables show about how much the contender's processes differ. `calibration` multiplies the
/// standard errors, as the negative controls ask ([`crate::placebo`]); at least 1.
///
/// A single fork cannot show its own effect, so its interval is unbounded.
pub fn compare(pair: &Pair, error: f64, prior: &Prior, calibration: f64) -> Comparison {
    let forks = pair.forks.len();
    let scatter = Scatter::of(&pair.forks);
    let moderated = prior.moderate(&scatter);
    let reach = if scatter.df > 0.0 {
        t_quantile(1.0 - error / 2.0, moderated.df) * moderated.variance.sqrt() * calibration
    } else {
        f64::INFINITY
    };
    let level = |forks: &[f64]| {
        let (estimate, reach) = (mean(forks), reach / (forks.len() as f64).sqrt());
        let interval = Interval { low: estimate - reach, high: estimate + reach };
        PairLevel { estimate, interval, forks: forks.len() }
    };
    let all = level(&pair.forks);
    let levels = split(&pair.forks).map(|[low, high]| [level(&low), level(&high)]);
    let (estimate, interval) = match levels {
        None if forks == 0 => (f64::NAN, Interval::EVERYTHING),
        None => (all.estimate, all.interval),
        Some([low, high]) => between(&low, &high, all.estimate),
    };
    Comparison {
        estimate,
        interval,
        forks,
        rounds: pair.rounds,
        sd: moderated.variance.sqrt(),
        levels,
        without: None,
    }
}

/// The estimate and the interval of a pair with two levels.
fn between(low: &PairLevel, high: &PairLevel, middle: f64) -> (f64, Interval) {
    let (most, least) = if low.forks > high.forks { (low, high) } else { (high, low) };
    if least.forks == 1 && most.forks + 1 >= ENOUGH_FOR_A_STRAY {
        return (most.estimate, most.interval);
    }
    // Of two levels that are equally frequent, neither is typical.
    let estimate = if least.forks == most.forks { middle } else { most.estimate };
    // A level of one fork is that fork.
    let of = |level: &PairLevel| match level.forks {
        1 => Interval { low: level.estimate, high: level.estimate },
        _ => level.interval,
    };
    let (low, high) = (of(low), of(high));
    (estimate, Interval { low: low.low.min(high.low), high: low.high.max(high.high) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Prior = Prior { variance: 0.0, df: 0.0 };

    fn of(forks: &[f64]) -> Comparison {
        compare(&Pair { forks: forks.to_vec(), rounds: 0 }, 0.05, &NOTHING, 1.0)
    }

    /// Eleven processes, `fast` of which are 5 % faster than the others, which are 5 % slower than
    /// the baseline.
    fn two_levels(fast: usize, forks: usize) -> Comparison {
        let value = |fork: usize| {
            let level = if fork < fast { -0.05 } else { 0.05 };
            level + 0.001 * (fork % 3) as f64
        };
        of(&(0..forks).map(value).collect::<Vec<f64>>())
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

    #[test]
    fn one_stray_does_not_widen_from_sixteen_forks_on() {
        for forks in [11, 15] {
            assert!(two_levels(1, forks).interval.low < -0.04, "{forks} forks");
        }
        let many = two_levels(1, 16);
        assert!(many.interval.low > 0.04, "{many:?}");
        assert_eq!(many.levels.map(|[stray, _]| stray.forks), Some(1), "but it is shown");
        assert!(two_levels(2, 20).interval.low < -0.04, "two are no stray");
    }

    #[test]
    fn a_pair_turned_round_is_the_same_interval_from_the_other_side() {
        for forks in [vec![0.1, 0.12, 0.11], vec![0.0, 0.01, 0.002, 0.2, 0.21, 0.005, 0.003]] {
            let turned: Vec<f64> = forks.iter().map(|fork| -fork).collect();
            let (one, other) = (of(&forks), of(&turned).inverse());
            assert!((one.interval.low - other.interval.low).abs() < 1e-12, "{one:?} {other:?}");
            assert!((one.interval.high - other.interval.high).abs() < 1e-12, "{one:?} {other:?}");
            assert!((one.estimate - other.estimate).abs() < 1e-12, "{one:?} {other:?}");
        }
    }

    #[test]
    fn an_error_that_all_forks_share_widens_by_its_square() {
        let alone = of(&[0.1, 0.12, 0.11, 0.09]);
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
