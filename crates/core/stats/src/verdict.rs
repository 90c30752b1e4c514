//! When two contenders are called different.

use crate::interval::{Interval, Side};

/// From this number of forks on, forks that happen to agree show that the program's processes do.
///
/// Some programs have one of two speeds in each process, and no interval over forks that all have
/// the same one contains the other. Two equally frequent speeds show only one of themselves in `n`
/// forks with probability `2^(1 - n)`: one in four for three forks, one in a thousand for eleven.
pub const ENOUGH_FORKS: usize = 11;

/// With fewer forks, no smaller difference is decided (a ratio minus one): speeds of one program
/// are rarely further apart.
pub const FEW_FORKS_ZONE: f64 = 0.15;

/// The smallest difference, a logarithm, that this many forks can show.
pub fn floor_of(forks: usize) -> f64 {
    if forks < ENOUGH_FORKS { FEW_FORKS_ZONE.ln_1p() } else { 0.0 }
}

/// Whether an interval of `ln t(contender) - ln t(baseline)` from this many forks decides which of
/// the two takes less time: below, the contender. The whole interval must lie beyond the tie zone,
/// and beyond the smallest difference that so few forks can show ([`floor_of`]). `None` is an
/// answer too. `tie_zone` is a ratio minus one (0.02 for 2 %) and applies equally to both sides, as
/// `ln(1 + tie_zone)`.
pub fn verdict(interval: &Interval, forks: usize, tie_zone: f64) -> Option<Side> {
    interval.excludes(tie_zone.ln_1p().max(floor_of(forks)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_few_forks_only_a_large_difference_is_decided() {
        let near = Interval { low: 1.08_f64.ln(), high: 1.12_f64.ln() };
        let far = Interval { low: 1.2_f64.ln(), high: 1.3_f64.ln() };
        let of = |interval: &Interval, forks| verdict(interval, forks, 0.02);
        assert_eq!(of(&near, ENOUGH_FORKS), Some(Side::Above));
        assert_eq!(of(&near, ENOUGH_FORKS - 1), None);
        assert_eq!(of(&far, 3), Some(Side::Above));
    }
}
