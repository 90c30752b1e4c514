//! The values of cells in the forks so far, during a run.

use cupel_stats::Pair;
use std::collections::BTreeMap;

/// By cell: the log-ratio in each of some forks of it and the baseline of its comparison.
pub type Values = BTreeMap<usize, Vec<Option<f64>>>;

/// The forks' log-ratios of two cells of a comparison.
pub fn difference(values: &Values, (a, b): (usize, usize), baseline: usize) -> Pair {
    let count = values.values().map(Vec::len).max().unwrap_or(0);
    let mut forks = Vec::new();
    for fork in 0..count {
        let [one, other] = [a, b]
            .map(|cell| if cell == baseline { Some(0.0) } else { *values.get(&cell)?.get(fork)? });
        forks.extend(one.zip(other).map(|(one, other)| one - other));
    }
    Pair { forks, rounds: 0 }
}
