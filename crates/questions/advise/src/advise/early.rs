//! A mix of sizes, some of which ran in few forks, because the answer there was clear early.

use cupel_stats::verdict::FEW_FORKS_ZONE;
use cupel_stats::{Comparison, ENOUGH_FORKS, Interval};

/// The figures of one size of a mix.
pub(super) struct AtSize {
    /// The time that the other contender spends there, in any unit.
    time: f64,
    /// The smallest ratio to it that is not excluded.
    low: f64,
    /// The largest one.
    high: f64,
    /// The forks behind both.
    forks: usize,
}

impl AtSize {
    /// A size by the measurements there, or at its neighbours: it may be like any of them.
    pub fn from_comparisons(time: f64, compared: &[Comparison]) -> AtSize {
        AtSize {
            time,
            low: compared.iter().map(|c| c.interval.low.exp()).fold(f64::INFINITY, f64::min),
            high: compared.iter().map(|c| c.interval.high.exp()).fold(0.0, f64::max),
            forks: compared.iter().map(|c| c.forks).min().unwrap_or(0),
        }
    }
}

/// If some sizes have few forks and others have enough: the interval of the logarithm of the ratio
/// of all calls, and the forks of the sizes that have enough.
///
/// So few forks may hide a second speed of either contender, which changes the time at their sizes
/// by up to [`FEW_FORKS_ZONE`], and not the time at the others. Each size counts with its own
/// interval, because all of them together share only the few forks. `None` if all sizes have few
/// forks, or if none has.
pub(super) fn interval(sizes: &[AtSize]) -> Option<(Interval, usize)> {
    let forks = sizes.iter().map(|size| size.forks).filter(|&n| n >= ENOUGH_FORKS).min()?;
    if sizes.iter().all(|size| size.forks >= ENOUGH_FORKS) {
        return None;
    }
    // By how much a time may grow, and by how much it may shrink.
    let (more, less) = (FEW_FORKS_ZONE, 1.0 - 1.0 / (1.0 + FEW_FORKS_ZONE));
    let (other, other_few) = sums(sizes, |s| s.time);
    let (least, least_few) = sums(sizes, |s| s.time * s.low);
    let (most, most_few) = sums(sizes, |s| s.time * s.high);
    let low = ((least - less * least_few) / other).min(least / (other + more * other_few));
    let high = ((most + more * most_few) / other).max(most / (other - less * other_few));
    Some((Interval { low: low.ln(), high: high.ln() }, forks))
}

/// The sum over all sizes, and that over those with few forks.
fn sums(sizes: &[AtSize], value: impl Fn(&AtSize) -> f64) -> (f64, f64) {
    let few = sizes.iter().filter(|size| size.forks < ENOUGH_FORKS);
    (sizes.iter().map(&value).sum(), few.map(&value).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: f64, forks: usize, low: f64, high: f64) -> AtSize {
        AtSize { time, low, high, forks }
    }

    fn ratios(sizes: &[AtSize]) -> (f64, f64) {
        let (interval, _) = interval(sizes).unwrap();
        (interval.low.exp(), interval.high.exp())
    }

    #[test]
    fn few_forks_hide_a_part_of_the_time_at_their_size_only() {
        // The contender spends more of its time at the first size than the other, and then less.
        let (low, high) = ratios(&[at(10.0, 5, 1.2, 1.25), at(90.0, 24, 0.95, 0.96)]);
        assert!((high - (1.15 * 12.5 + 86.4) / 100.0).abs() < 1e-12, "{high}");
        assert!((low - (12.0 / 1.15 + 85.5) / 100.0).abs() < 1e-12, "{low}");
        let (low, high) = ratios(&[at(10.0, 5, 0.6, 0.62), at(90.0, 24, 0.95, 0.96)]);
        assert!((high - 92.6 / (10.0 / 1.15 + 90.0)).abs() < 1e-12, "{high}");
        assert!((low - 91.5 / (1.15 * 10.0 + 90.0)).abs() < 1e-12, "{low}");
        assert_eq!(interval(&[at(1.0, 5, 0.6, 0.7), at(1.0, 24, 0.9, 1.0)]).unwrap().1, 24);
    }

    #[test]
    fn a_second_speed_of_the_other_counts_where_it_has_more_of_its_time() {
        // 15 % of its time, but 1.7 % of the contender's.
        let (_, high) = ratios(&[at(15.0, 5, 0.1, 0.1), at(85.0, 24, 1.13, 1.13)]);
        let truth = (1.5 + 96.05) / (15.0 / 1.15 + 85.0);
        assert!((high - truth).abs() < 1e-12, "{high} and {truth}");
    }

    /// The forks that all sizes share may all have the lower of two levels.
    #[test]
    fn what_one_size_leaves_open_is_not_decided_by_the_forks_that_another_has() {
        let (low, high) = ratios(&[at(10.0, 5, 0.5, 0.5), at(90.0, 24, 0.92, 1.1)]);
        assert!(low < 0.88 && high > 1.02, "{low} .. {high}");
    }

    #[test]
    fn a_size_between_two_may_be_like_the_one_with_few_forks() {
        let compared = |forks, low: f64, high: f64| {
            let interval = Interval { low: low.ln(), high: high.ln() };
            Comparison::from_parts((low * high).ln() / 2.0, interval, forks)
        };
        let between =
            AtSize::from_comparisons(1.0, &[compared(5, 0.895, 0.905), compared(24, 0.79, 0.81)]);
        assert_eq!(between.forks, 5);
        assert!((between.low - 0.79).abs() < 1e-12 && (between.high - 0.905).abs() < 1e-12);
    }

    #[test]
    fn nothing_is_added_where_all_sizes_have_enough_forks_or_none_has() {
        assert!(interval(&[at(1.0, 11, 0.9, 0.9), at(1.0, 24, 0.9, 0.9)]).is_none());
        assert!(interval(&[at(1.0, 5, 0.9, 0.9), at(1.0, 10, 0.9, 0.9)]).is_none());
    }

    #[test]
    fn a_size_of_which_nothing_is_known_leaves_everything_open() {
        let (_, high) = ratios(&[at(1.0, 5, 0.0, f64::INFINITY), at(1.0, 24, 0.9, 0.9)]);
        assert!(high.is_infinite(), "{high}");
    }
}
