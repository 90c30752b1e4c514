//! How precise this machine is: how far copies of one program differ beyond their intervals.

use super::{Analysis, Ratio};
use cupel_stats::quantile::quantile;
use cupel_store::{Store, StoreError};
use cupel_suite::LEAST_WIDTH;

/// The newest runs of the machine that are asked.
const RUNS: u32 = 20;

/// The share of the controls that must be within the least width.
const SHARE: f64 = 0.95;

/// The quantile of fewer controls is too uncertain.
const ENOUGH: usize = 20;

/// The half-width, in logarithms, below which no interval of a run may be: the quantile over the
/// controls of earlier runs on this machine, and never less than [`LEAST_WIDTH`].
///
/// # Errors
/// If the store cannot be read.
pub fn least_width(store: &Store, fingerprint: &str) -> Result<f64, StoreError> {
    let earlier: Vec<Analysis> = store.all_remembered(fingerprint, "analysis", RUNS)?;
    let answers = earlier.iter().flat_map(|analysis| &analysis.comparisons);
    let trusted = answers.filter(|answer| !answer.untrusted);
    let misses: Vec<f64> = trusted.filter_map(|answer| answer.control).map(miss).collect();
    Ok(width(&misses))
}

fn width(misses: &[f64]) -> f64 {
    if misses.len() < ENOUGH {
        return LEAST_WIDTH;
    }
    quantile(misses, SHARE).max(LEAST_WIDTH)
}

/// How far the interval of a control is from 1, in logarithms; 0 if it contains it.
fn miss(control: Ratio) -> f64 {
    control.low.ln().max(-control.high.ln()).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_width_is_what_copies_are_off_by_beyond_their_intervals() {
        let control = |low: f64, high: f64| miss(Ratio { estimate: 1.0, low, high });
        assert_eq!(control(0.999, 1.001), 0.0);
        assert!((control(1.002, 1.004) - 0.002_f64.ln_1p()).abs() < 1e-12);
        assert!((control(0.99, 0.999) - (1.0 / 0.999_f64).ln()).abs() < 1e-12);
        // One of ten is off by 0.3 %.
        let misses: Vec<f64> = (0..40).map(|n| if n % 10 == 0 { 0.003 } else { 0.0 }).collect();
        assert_eq!(width(&misses), 0.003);
        assert_eq!(width(&misses[..10]), LEAST_WIDTH, "too few");
        assert_eq!(width(&[0.0; 40]), LEAST_WIDTH);
    }
}
