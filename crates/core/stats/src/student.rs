//! Student's t.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// The quantile of Student's t, or of the normal distribution if `df` is infinite.
pub(crate) fn quantile(p: f64, df: f64) -> f64 {
    if df.is_infinite() {
        return Normal::standard().inverse_cdf(p);
    }
    StudentsT::new(0.0, 1.0, df).map_or(f64::INFINITY, |t| t.inverse_cdf(p))
}

/// The standard normal value that is exceeded as rarely as `t`, on both sides; at most 8.
pub(crate) fn as_normal(t: f64, df: f64) -> f64 {
    const MOST: f64 = 8.0;
    let tail = StudentsT::new(0.0, 1.0, df).map_or(1.0, |s| s.cdf(-t.abs()));
    (-Normal::standard().inverse_cdf(tail)).clamp(0.0, MOST)
}
