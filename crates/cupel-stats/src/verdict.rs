//! When two contenders are called different.

use crate::interval::{Interval, Side};
use std::fmt;

/// What an interval of a log-ratio shows about the contender and the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The contender certainly takes less time.
    Faster,
    /// The contender certainly takes more time.
    Slower,
    /// The data do not decide. This is an answer too.
    NotSeparated,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(match self {
            Verdict::Faster => "faster",
            Verdict::Slower => "slower",
            Verdict::NotSeparated => "not separated",
        })
    }
}

/// The verdict on an interval of `ln t(contender) - ln t(baseline)`: the whole interval must lie
/// beyond both the tie zone and the noise floor. `tie_zone` is a ratio minus one (0.02 for 2 %) and
/// applies equally to both sides, as `ln(1 + tie_zone)`. `floor` is the run's noise floor, a
/// logarithm.
pub fn verdict(interval: &Interval, tie_zone: f64, floor: f64) -> Verdict {
    match interval.excludes(tie_zone.ln_1p().max(floor)) {
        Some(Side::Below) => Verdict::Faster,
        Some(Side::Above) => Verdict::Slower,
        None => Verdict::NotSeparated,
    }
}
