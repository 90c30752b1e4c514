//! Differences whose signs a fair coin would decide, if the inputs made no difference.
//!
//! Two inputs are given to two slots that are alike, by a coin. If the time does not depend on the
//! input, the other throw would have given the negative difference, whatever the noise is: steps,
//! drifts, neighbours, places in memory. So under equality the signs are fair and independent,
//! given the sizes of the differences (Fisher, "The Design of Experiments", 1935), and the sum of
//! signed ranks (Wilcoxon 1945) is beyond `c` with probability at most `2 exp(-c^2 / (2 V))`, `V`
//! being the sum of the squared ranks (Hoeffding 1963). That holds for every number of differences,
//! and far out in the tail, where a normal approximation of it would not be checked by anybody.
//!
//! The interval has all shifts that this does not reject. Its ends are means of two differences
//! (Hodges & Lehmann 1963).

use crate::interval::Interval;

/// By how much one input takes longer than another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// The median of the means of two differences; NaN if there are none.
    pub estimate: f64,
    /// All shifts that are not rejected. Everything if there are too few differences.
    pub interval: Interval,
}

/// The shift of these differences. If it is 0, the interval does not contain it with probability
/// `alpha` at most.
pub fn shift(differences: &[f64], alpha: f64) -> Shift {
    let n = differences.len();
    let mut means = Vec::with_capacity(n * (n + 1) / 2);
    for (i, one) in differences.iter().enumerate() {
        means.extend(differences[i..].iter().map(|other| (one + other) / 2.0));
    }
    let estimate = crate::quantile::median(&means);
    let count = n as f64;
    let squares = count * (count + 1.0) * (2.0 * count + 1.0) / 6.0;
    let limit = (2.0 * squares * (2.0 / alpha).ln()).sqrt();
    // The sum of signed ranks at a shift is the number of means above it less the number below.
    let outside = (means.len() as f64 - limit) / 2.0;
    if n == 0 || outside < 0.0 {
        return Shift { estimate, interval: Interval::EVERYTHING };
    }
    let outside = outside as usize;
    let last = means.len() - 1 - outside;
    let low = *means.select_nth_unstable_by(outside, f64::total_cmp).1;
    let high = *means.select_nth_unstable_by(last, f64::total_cmp).1;
    Shift { estimate, interval: Interval { low, high } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::Random;

    #[test]
    fn too_few_differences_decide_nothing() {
        assert_eq!(shift(&[], 0.05).interval, Interval::EVERYTHING);
        assert_eq!(shift(&[1.0; 4], 1e-6).interval, Interval::EVERYTHING);
        let many = shift(&[1.0; 60], 1e-6);
        assert_eq!((many.estimate, many.interval), (1.0, Interval { low: 1.0, high: 1.0 }));
    }

    /// Noise as on a busy machine: mostly small, now and then a hundred times as large.
    fn noise(random: &mut Random) -> f64 {
        let uniform = (random.next() >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
        if random.next().is_multiple_of(10) { 100.0 * uniform } else { uniform }
    }

    /// How many of a thousand intervals of 200 differences, each with this shift, have the given
    /// value.
    fn contain(value: f64, by: f64, alpha: f64) -> usize {
        let mut random = Random::new(1);
        let contains = |_: &usize| {
            let differences: Vec<f64> = (0..200).map(|_| by + noise(&mut random)).collect();
            shift(&differences, alpha).interval.contains(value)
        };
        (0..1000).filter(contains).count()
    }

    #[test]
    fn the_interval_has_the_shift_as_often_as_promised_and_not_another_one() {
        let right = contain(0.0, 0.0, 0.05);
        assert!(right >= 950, "{right}");
        assert!(contain(0.4, 0.4, 0.05) >= 950);
        let wrong = contain(0.0, 0.4, 0.05);
        assert!(wrong < 20, "{wrong}");
    }

    #[test]
    fn the_ends_are_those_of_the_test() {
        // The test of a shift, by its definition: signs and ranks.
        let differences = [3.1, -0.4, 1.7, 2.2, 0.9, 5.0, -1.1, 2.9, 4.4, 1.2, 0.3, 2.5];
        let sum = |at: f64| {
            let mut rest: Vec<f64> = differences.iter().map(|d| d - at).collect();
            rest.sort_unstable_by(|a, b| a.abs().total_cmp(&b.abs()));
            rest.iter().zip(1..).map(|(d, rank)| d.signum() * f64::from(rank)).sum::<f64>()
        };
        let alpha = 0.2;
        let found = shift(&differences, alpha).interval;
        let limit = (2.0 * 650.0 * (2.0f64 / alpha).ln()).sqrt();
        for (inside, outside) in [(1e-6, -1e-6), (-1e-6, 1e-6)] {
            let end = if inside > 0.0 { found.low } else { found.high };
            assert!(sum(end + inside).abs() <= limit && sum(end + outside).abs() > limit);
        }
    }
}
