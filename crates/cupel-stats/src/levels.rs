//! Levels: speeds that the processes of one program have for their whole life, because a compiler
//! decided differently in some of them, or because their memory is laid out differently.

use crate::quantile::median;

/// Two neighbouring processes whose times differ by more than this (a ratio minus one) are on
/// different levels. Processes of native code differ by 1 to 3 %, those of a JIT by up to 5 %.
pub const APART: f64 = 0.15;

/// A level, and how many processes are on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// The median of its processes, in the given logarithms.
    pub ln: f64,
    /// The number of its processes.
    pub processes: usize,
}

/// The levels of processes with these logarithms of time, ascending. There is one level if no two
/// neighbours differ by more than [`APART`], and none without processes. Values that are not finite
/// are ignored.
pub fn levels(processes: &[f64]) -> Vec<Level> {
    let mut sorted: Vec<f64> = processes.iter().copied().filter(|ln| ln.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    sorted
        .chunk_by(|a, b| b - a <= APART.ln_1p())
        .map(|level| Level { ln: median(level), processes: level.len() })
        .collect()
}

/// Fewer forks do not show whether there are two levels: the largest gap of three exceeds half of
/// their range in any case.
const ENOUGH_TO_SPLIT: usize = 6;

/// Levels of a pair that are closer than this (a ratio minus one) are no matter: half a tie zone.
const CLOSE: f64 = 0.01;

/// The two levels of forks with these log-ratios: `None` if no gap between neighbours is over half
/// of their range and over 1 %. Of eleven normal values, 2.5 % are split by chance, which widens
/// their interval a little.
pub fn split(forks: &[f64]) -> Option<[Vec<f64>; 2]> {
    if forks.len() < ENOUGH_TO_SPLIT {
        return None;
    }
    let mut sorted = forks.to_vec();
    sorted.sort_by(f64::total_cmp);
    let range = sorted[sorted.len() - 1] - sorted[0];
    let above = (1..sorted.len())
        .max_by(|&a, &b| (sorted[a] - sorted[a - 1]).total_cmp(&(sorted[b] - sorted[b - 1])))?;
    let gap = sorted[above] - sorted[above - 1];
    if gap <= range / 2.0 || gap <= CLOSE.ln_1p() {
        return None;
    }
    let high = sorted.split_off(above);
    Some([sorted, high])
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
            // Of two cells, the middle is the mean: each would get half of the other's level.
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

    fn of(times: &[f64]) -> Vec<(f64, usize)> {
        let logs: Vec<f64> = times.iter().map(|t| t.ln()).collect();
        levels(&logs).iter().map(|l| (l.ln.exp().round(), l.processes)).collect()
    }

    #[test]
    fn processes_far_apart_are_on_levels_and_a_spread_is_none() {
        assert_eq!(of(&[34.0, 52.0, 34.0, 34.0, 33.0, 34.0]), [(34.0, 5), (52.0, 1)]);
        assert_eq!(of(&[100.0, 109.0, 118.0, 128.0]), [(113.0, 4)], "each near the next");
        assert_eq!(of(&[46.0, 35.0, 42.0, 31.0, 47.0, 32.0]), [(32.0, 3), (46.0, 3)]);
        assert_eq!(of(&[]), []);
        assert_eq!(levels(&[f64::NAN, 1.0]).len(), 1);
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
