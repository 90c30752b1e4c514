//! How much the forks of a pair differ.

use crate::levels::{Groups, groups};
use crate::quantile::mean;

/// A variance between forks (of log-ratios), with its degrees of freedom. If the forks fall into
/// two groups, it is the variance within them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scatter {
    /// The deviation of each fork from the mean of its group, in the given order.
    pub off: Vec<f64>,
    /// The variance; 0 if there are too few forks.
    pub variance: f64,
    /// Forks less groups; 0 if there are too few forks.
    pub df: f64,
}

impl Scatter {
    /// The scatter of forks with these values, within their groups.
    pub(crate) fn estimate(forks: &[f64]) -> Scatter {
        Scatter::within(forks, groups(forks).as_ref())
    }

    /// The scatter of forks with these values, about their common mean.
    pub(crate) fn of_one_level(forks: &[f64]) -> Scatter {
        Scatter::within(forks, None)
    }

    /// The scatter of forks that fall into these groups.
    pub(crate) fn within(forks: &[f64], groups: Option<&Groups>) -> Scatter {
        let off: Vec<f64> = match groups {
            None => {
                let middle = mean(forks);
                forks.iter().map(|fork| fork - middle).collect()
            }
            Some(groups) => {
                let [low, high] = groups.split(forks).map(|values| mean(&values));
                let forks = forks.iter().zip(&groups.is_high);
                forks.map(|(fork, is_high)| fork - if *is_high { high } else { low }).collect()
            }
        };
        let known = forks.len().saturating_sub(if groups.is_some() { 2 } else { 1 });
        let df = known as f64;
        let sum: f64 = off.iter().map(|x| x * x).sum();
        Scatter { variance: if known == 0 { 0.0 } else { sum / df }, df, off }
    }
}
