//! Numbers that JSON and CSV can hold.

use cupel_analyse::Ratio;

/// A number, unless it is infinite or none.
pub fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}

/// Estimate, low and high of a ratio. An open end of its interval is `None`.
pub fn ends(ratio: Option<Ratio>) -> [Option<f64>; 3] {
    let Some(Ratio { estimate, low, high }) = ratio else { return [None; 3] };
    [estimate, low, high].map(|x| finite(x).filter(|x| *x > 0.0))
}
