//! Levels: speeds that the processes of one program have for their whole life, because a compiler
//! decided differently in some of them, or because their memory is laid out differently.

use crate::change::{Change, change};
use crate::quantile::{median, squares};

/// Two neighbouring processes whose times differ by more than this (a ratio minus one) are on
/// different levels. Processes of native code differ by 1 to 3 %, processes of a JIT by up to 5 %.
pub const APART: f64 = 0.15;

/// The levels of processes with these logarithms of time, the fastest first: for each level, the
/// positions of its processes. There is one level if no two neighbours differ by more than
/// [`APART`], and none without processes. Values that are not finite are ignored.
pub fn levels(processes: &[f64]) -> Vec<Vec<usize>> {
    let mut sorted: Vec<usize> = (0..processes.len()).collect();
    sorted.retain(|&at| processes[at].is_finite());
    sorted.sort_by(|&a, &b| processes[a].total_cmp(&processes[b]));
    let is_same = |a: &usize, b: &usize| processes[*b] - processes[*a] <= APART.ln_1p();
    sorted.chunk_by(is_same).map(<[usize]>::to_vec).collect()
}

/// Fewer forks do not show whether there are two levels: the largest gap of three exceeds half of
/// their range in any case.
const ENOUGH_TO_SPLIT: usize = 6;

/// Levels of a pair that are closer than this (a ratio minus one) are no matter: half a tie zone.
const CLOSE: f64 = 0.01;

/// Forks in two groups: processes of two levels, or the forks before and after a change.
#[derive(Clone, Debug, PartialEq)]
pub struct Groups {
    /// For each fork, whether it is in the group with the larger values.
    pub is_high: Vec<bool>,
    /// The change, if the groups differ in time.
    pub change: Option<Change>,
}

impl Groups {
    /// The values of the lower and of the upper group, each in the given order.
    pub fn split(&self, forks: &[f64]) -> [Vec<f64>; 2] {
        [false, true].map(|high| {
            let members = forks.iter().zip(&self.is_high).filter(|(_, is_high)| **is_high == high);
            members.map(|(fork, _)| *fork).collect()
        })
    }
}

/// With this probability, forks that do not depend on time seem to. Then their interval is wider
/// than it need be.
const CHANGED_BY_CHANCE: f64 = 0.01;

/// The two groups of forks with these log-ratios, which are in the order of time: the levels of
/// [`split`], or the two sides of a change ([`change`]) by over 1 %. `None` if they are all alike.
pub fn groups(forks: &[f64]) -> Option<Groups> {
    if let Some([low, _]) = split(forks) {
        let bound = low.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let is_high = forks.iter().map(|fork| *fork > bound).collect();
        return Some(Groups { is_high, change: None });
    }
    let change = change(forks, CHANGED_BY_CHANCE)?;
    if (change.inside - change.outside).abs() <= CLOSE.ln_1p() {
        return None;
    }
    let is_high_inside = change.inside > change.outside;
    let is_high = (0..forks.len()).map(|fork| change.contains(fork) == is_high_inside).collect();
    Some(Groups { is_high, change: Some(change) })
}

/// From this number of forks on, two groups that leave little of the variance are levels, even if a
/// fork lies between them: a change came while it ran. Fewer normal values are too often so
/// divided.
const ENOUGH_TO_DIVIDE: usize = 11;

/// The share of the variance that two levels leave. Chance so divides eleven normal values in 1 %
/// of cases.
const LEFT_BY_LEVELS: f64 = 0.1;

/// The two levels of forks with these log-ratios: `None` if no gap between neighbours is over half
/// of their range, nor a division leaves less than a tenth of their variance, or if the gap is not
/// over 1 %. Chance splits eleven normal values in 2.5 % of cases, which widens their interval a
/// little.
pub fn split(forks: &[f64]) -> Option<[Vec<f64>; 2]> {
    if forks.len() < ENOUGH_TO_SPLIT {
        return None;
    }
    let mut sorted = forks.to_vec();
    sorted.sort_by(f64::total_cmp);
    let range = sorted[sorted.len() - 1] - sorted[0];
    let gaps = sorted.windows(2).map(|pair| pair[1] - pair[0]).enumerate();
    let (below, widest) = gaps.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let above = if widest > range / 2.0 { below + 1 } else { division(&sorted)? };
    if sorted[above] - sorted[above - 1] <= CLOSE.ln_1p() {
        return None;
    }
    let high = sorted.split_off(above);
    Some([sorted, high])
}

/// The position at which sorted values fall into two groups that leave little of their variance.
fn division(sorted: &[f64]) -> Option<usize> {
    if sorted.len() < ENOUGH_TO_DIVIDE {
        return None;
    }
    let divisions = (1..sorted.len())
        .map(|above| (above, squares(&sorted[..above]) + squares(&sorted[above..])));
    let (above, left) = divisions.min_by(|a, b| a.1.total_cmp(&b.1))?;
    (left < LEFT_BY_LEVELS * squares(sorted)).then_some(above)
}

/// Removes the effect of each fork on all cells: a machine that was slow during a fork does not
/// make a level. Rows are cells, columns are forks; `None` if a fork has too few rounds of a cell.
/// This is a few iterations of Tukey's median polish.
pub fn without_forks(table: &[Vec<Option<f64>>]) -> Vec<Vec<Option<f64>>> {
    let forks = table.iter().map(Vec::len).max().unwrap_or(0);
    let mut left = table.to_vec();
    let mut taken = vec![0.0; table.len()];
    for _ in 0..5 {
        for (row, taken) in left.iter_mut().zip(&mut taken) {
            let known: Vec<f64> = row.iter().flatten().copied().collect();
            if known.is_empty() {
                continue;
            }
            let middle = median(&known);
            *taken += middle;
            row.iter_mut().flatten().for_each(|ln| *ln -= middle);
        }
        for fork in 0..forks {
            let known: Vec<f64> =
                left.iter().filter_map(|row| row.get(fork).copied().flatten()).collect();
            // The middle of two cells is the mean: each would get half of the other's level.
            if known.len() < 3 {
                continue;
            }
            let middle = median(&known);
            let cells = left.iter_mut().filter_map(|row| row.get_mut(fork)?.as_mut());
            cells.for_each(|ln| *ln -= middle);
        }
    }
    for (row, taken) in left.iter_mut().zip(taken) {
        row.iter_mut().flatten().for_each(|ln| *ln += taken);
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(times: &[f64]) -> Vec<(f64, usize)> {
        let logs: Vec<f64> = times.iter().map(|t| t.ln()).collect();
        let first = |level: &Vec<usize>| (times[level[0]], level.len());
        levels(&logs).iter().map(first).collect()
    }

    #[test]
    fn processes_far_apart_are_on_levels_and_a_spread_is_none() {
        assert_eq!(found(&[34.0, 52.0, 34.0, 34.0, 33.0, 34.0]), [(33.0, 5), (52.0, 1)]);
        assert_eq!(found(&[100.0, 109.0, 118.0, 128.0]), [(100.0, 4)], "each near the next");
        assert_eq!(found(&[46.0, 35.0, 42.0, 31.0, 47.0, 32.0]), [(31.0, 3), (42.0, 3)]);
        assert_eq!(found(&[]), []);
        assert_eq!(levels(&[f64::NAN, 1.0]).len(), 1);
    }

    #[test]
    fn levels_are_split_although_a_fork_lies_between_them() {
        let values = |between: f64| {
            let of = |fork: usize| if fork < 5 { 0.0 } else { 1.0 } + 0.01 * (fork % 3) as f64;
            let mut values: Vec<f64> = (0..12).map(of).collect();
            values[5] = between;
            values
        };
        for between in [0.3, 0.5, 0.7] {
            let [low, high] = split(&values(between)).expect("two levels");
            assert_eq!(low.len() + high.len(), 12);
            assert!(low.len() >= 5 && high.len() >= 6, "{low:?} {high:?}");
        }
        let spread: Vec<f64> = (0..12).map(|fork| 0.1 * f64::from(fork)).collect();
        assert_eq!(split(&spread), None);
    }

    #[test]
    fn a_fork_that_was_slow_for_all_makes_no_level() {
        let times = [[10.0, 10.0, 16.0], [20.0, 20.0, 32.0], [5.0, 7.5, 8.0], [1.0, 1.0, 1.6]];
        let table: Vec<Vec<Option<f64>>> = times
            .iter()
            .map(|row| row.iter().map(|t: &f64| Some(t.ln())).chain([None]).collect())
            .collect();
        let clean = without_forks(&table);
        let spread =
            |row: &[Option<f64>]| levels(&row.iter().flatten().copied().collect::<Vec<_>>());
        assert_eq!(spread(&clean[0]).len(), 1, "{clean:?}");
        assert_eq!(spread(&clean[3]).len(), 1);
        assert_eq!(spread(&clean[2]).len(), 2, "its own level stays: {clean:?}");
        assert!((clean[0][0].unwrap().exp() - 10.0).abs() < 1e-9, "times keep their place");
    }
}
