//! The estimator of most benchmarks: first all of one side is measured, then all of the other, and
//! the means are compared by their standard deviations. It is here to show that these worlds can
//! mislead it.

use crate::scenario::{SIZE, Scenario};
use cupel_sham::model::Machine;

/// The slices of each side.
const SLICES: usize = 150;

/// The calls of a slice: a millisecond.
const CALLS: u64 = 10_000;

/// The result of many such measurements.
#[derive(Debug, Default)]
pub struct Sequential {
    /// Intervals that contain the true ratio.
    pub covered: usize,
    /// Intervals without 1: they are called a difference.
    pub verdicts: usize,
    /// Intervals without 1, and beyond the tie zone.
    pub beyond_zone: usize,
    /// Verdicts against the truth.
    pub wrong: usize,
    /// Mean half-width of the intervals, of ratios.
    pub half_width: f64,
}

/// Measures the first contender, then the second, of the machines with seeds below `count`.
pub fn sequential(scenario: &Scenario, count: u64) -> Sequential {
    let truth = scenario.truth(&scenario.contenders[1].name);
    let zone = scenario.options.tie_zone;
    let mut tally = Sequential::default();
    for seed in 0..count {
        let mut machine = Machine::new(&scenario.script(seed), 1);
        let [baseline, contender] = [0, 1].map(|place| Side::simulate(&mut machine, place));
        // Welch's interval of the difference of means, divided by the baseline's mean. With 150
        // slices per side, Student's t equals the normal's 1.96 to within a percent.
        let half = 1.96 * (baseline.error_squared + contender.error_squared).sqrt();
        let ratio = |difference: f64| 1.0 + difference / baseline.mean;
        let difference = contender.mean - baseline.mean;
        let (low, high) = (ratio(difference - half), ratio(difference + half));
        tally.covered += usize::from(low <= truth && truth <= high);
        tally.verdicts += usize::from(low > 1.0 || high < 1.0);
        tally.beyond_zone += usize::from(low > 1.0 + zone || high < 1.0 / (1.0 + zone));
        tally.wrong += usize::from((low > 1.0 && truth < 1.0) || (high < 1.0 && truth > 1.0));
        tally.half_width += (high - low) / 2.0 / count as f64;
    }
    tally
}

/// The times of one side, in ns per call.
struct Side {
    mean: f64,
    error_squared: f64,
}

impl Side {
    fn simulate(machine: &mut Machine, place: usize) -> Side {
        while !machine.is_warm(place) {
            machine.slice(place, SIZE, 0, CALLS);
        }
        let times: Vec<f64> = (0..SLICES)
            .map(|_| machine.slice(place, SIZE, CALLS / 20, CALLS).0 / CALLS as f64)
            .collect();
        let n = times.len() as f64;
        let mean = times.iter().sum::<f64>() / n;
        let variance = times.iter().map(|t| (t - mean).powi(2)).sum::<f64>() / (n - 1.0);
        Side { mean, error_squared: variance / n }
    }
}
