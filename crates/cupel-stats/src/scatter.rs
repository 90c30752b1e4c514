//! How much the forks of a pair differ.

use crate::levels::split;

/// A variance between forks (of log-ratios), with its degrees of freedom. If the forks fall into two
/// levels, it is the variance within them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scatter {
    /// What each fork is off by, from the mean of its level, in the given order.
    pub off: Vec<f64>,
    /// The variance; 0 if there are too few forks.
    pub variance: f64,
    /// Forks less levels; 0 if there are too few forks.
    pub df: f64,
}

impl Scatter {
    /// The scatter of forks with these values, within their levels.
    pub(crate) fn of(forks: &[f64]) -> Scatter {
        Scatter::about(forks, split(forks))
    }

    /// The scatter of forks with these values, about their common mean.
    pub(crate) fn of_one_level(forks: &[f64]) -> Scatter {
        Scatter::about(forks, None)
    }

    fn about(forks: &[f64], levels: Option<[Vec<f64>; 2]>) -> Scatter {
        let off: Vec<f64> = match &levels {
            None => {
                let middle = mean(forks);
                forks.iter().map(|fork| fork - middle).collect()
            }
            Some([low, high]) => {
                let bound = low.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let (low, high) = (mean(low), mean(high));
                forks.iter().map(|f| f - if *f <= bound { low } else { high }).collect()
            }
        };
        let known = forks.len().saturating_sub(if levels.is_some() { 2 } else { 1 });
        let df = known as f64;
        let sum: f64 = off.iter().map(|x| x * x).sum();
        Scatter { variance: if known == 0 { 0.0 } else { sum / df }, df, off }
    }
}

pub(crate) fn mean(xs: &[f64]) -> f64 {
    xs.iter().sum::<f64>() / xs.len() as f64
}
