//! Levels: speeds that the processes of one program have for all of their lives, because a compiler
//! decided otherwise in some of them or memory lies otherwise.

use crate::quantile::median;

/// Processes whose times are further apart than this (a ratio less one) are on two levels, where no
/// process lies between. Processes of native code differ by 1 to 3 %, those of a JIT by up to 5 %.
pub const APART: f64 = 0.15;

/// A level, and how many processes are on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// The median of its processes, in the logarithms that were given.
    pub ln: f64,
    /// How many they are.
    pub processes: usize,
}

/// The levels of processes whose logarithms of time are these, rising. One where no two neighbours
/// are further apart than [`APART`]; none without processes. Values that are not finite are left out.
pub fn levels(processes: &[f64]) -> Vec<Level> {
    let mut sorted: Vec<f64> = processes.iter().copied().filter(|ln| ln.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    sorted
        .chunk_by(|a, b| b - a <= APART.ln_1p())
        .map(|level| Level { ln: median(level), processes: level.len() })
        .collect()
}

/// What each fork did to all cells at once, removed: a machine that was slow for the length of a fork
/// makes no level. Rows are cells, columns are forks; `None` where a fork is no sample of a cell. By
/// Tukey's median polish, a few turns.
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
            // Of two cells, the middle is the mean: each would have half of the other's level.
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
