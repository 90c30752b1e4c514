//! The speeds that a contender's processes have, each for its whole life.
//!
//! A level is a statement about processes: this many of them take this time. So it is made of their
//! own times and of nothing else. A change of the whole machine in some forks divides the times of
//! a contender, too. It has levels only if most other libraries that ran in the same forks do not
//! show the same.

use super::Processes;
use super::library::library;
use super::series::Series;
use cupel_plan::Plan;
use cupel_stats::quantile::median;
use std::collections::BTreeMap;

/// The share of a difference between levels that ratios to another library must show, too.
const SHOWN: f64 = 0.5;

/// The times of one cell, or its ratios to another cell, in logarithms, by fork.
type ByFork = BTreeMap<i64, f64>;

/// For each cell of the comparison with this number, the levels of its processes, the fastest
/// first, if it has more than one.
pub(super) fn levels(
    plan: &Plan,
    series: &Series,
    comparison: usize,
) -> BTreeMap<usize, Vec<Processes>> {
    let witnesses = witnesses(plan, series, comparison);
    let mut found = BTreeMap::new();
    for &cell in &plan.comparisons[comparison].cells {
        let times = series.by_fork(cell);
        let levels = divided(&times);
        if plan.cells[cell].control || levels.len() < 2 {
            continue;
        }
        let own = library(plan, cell);
        let others = witnesses.iter().filter(|(of, _)| **of != own);
        let ratios: Vec<ByFork> = others.map(|(_, other)| ratios(series, cell, *other)).collect();
        if are_own(&times, &levels, &ratios) {
            let levels = levels.iter().filter_map(|forks| series.processes(cell, forks));
            found.insert(cell, levels.collect());
        }
    }
    found
}

/// The forks of each level of these times.
fn divided(times: &ByFork) -> Vec<Vec<i64>> {
    let forks: Vec<i64> = times.keys().copied().collect();
    let values: Vec<f64> = times.values().copied().collect();
    let mut levels = Vec::new();
    for positions in cupel_stats::levels::levels(&values) {
        let mut level: Vec<i64> = positions.into_iter().map(|at| forks[at]).collect();
        level.sort_unstable();
        levels.push(level);
    }
    levels
}

/// The logarithm of the ratio of two cells in each fork: the median over rounds, because a machine
/// that is slow in a part of a fork may move the medians of the two apart.
fn ratios(series: &Series, cell: usize, other: usize) -> ByFork {
    series.ratios(cell, other).into_iter().map(|ratio| (ratio.fork, ratio.median)).collect()
}

/// A cell of each library that is measured in the comparison, so that each has one vote.
fn witnesses(plan: &Plan, series: &Series, comparison: usize) -> BTreeMap<String, usize> {
    let cells = plan.comparisons[comparison].cells.iter().copied();
    let measured = cells.filter(|&cell| !plan.cells[cell].control && series.forks(cell) > 0);
    let mut witnesses = BTreeMap::new();
    for cell in measured {
        witnesses.entry(library(plan, cell)).or_insert(cell);
    }
    witnesses
}

/// Whether more of the others show these levels than do not, given the ratios to each. One that has
/// no fork of a level does not count.
fn are_own(times: &ByFork, levels: &[Vec<i64>], ratios: &[ByFork]) -> bool {
    let votes: Vec<bool> =
        ratios.iter().filter_map(|ratios| shows(times, levels, ratios)).collect();
    let shown = votes.iter().filter(|vote| **vote).count();
    2 * shown > votes.len()
}

/// Whether the ratios to another cell show these levels.
fn shows(times: &ByFork, levels: &[Vec<i64>], ratios: &ByFork) -> Option<bool> {
    let mut known: Vec<(f64, f64)> = Vec::new();
    for level in levels {
        let own: Vec<f64> = level.iter().map(|fork| times[fork]).collect();
        let ratios: Vec<f64> = level.iter().filter_map(|fork| ratios.get(fork)).copied().collect();
        if ratios.is_empty() {
            return None;
        }
        known.push((median(&own), median(&ratios)));
    }
    let is_shown = |pair: &[(f64, f64)]| pair[1].1 - pair[0].1 > SHOWN * (pair[1].0 - pair[0].0);
    Some(known.windows(2).all(is_shown))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(ns: &[f64]) -> ByFork {
        ns.iter().enumerate().map(|(fork, ns)| (fork as i64, ns.ln())).collect()
    }

    fn has_levels(own: &[f64], others: &[&[f64]]) -> bool {
        let own = times(own);
        let levels = divided(&own);
        let mut ratios: Vec<ByFork> = Vec::new();
        for other in others {
            let other = times(other).into_iter();
            ratios.push(other.map(|(fork, ln)| (fork, own[&fork] - ln)).collect());
        }
        levels.len() > 1 && are_own(&own, &levels, &ratios)
    }

    #[test]
    fn levels_are_those_that_other_libraries_do_not_have() {
        let two = [10.0, 20.0, 10.0, 20.0];
        let steady = [5.0, 5.1, 5.0, 4.9];
        let slow_with_it = [5.0, 10.0, 5.1, 9.9];
        assert!(has_levels(&two, &[&steady]));
        assert!(!has_levels(&two, &[&slow_with_it]), "the machine was slow in two forks");
        assert!(!has_levels(&two, &[&steady, &slow_with_it]), "one says this, one says that");
        assert!(has_levels(&two, &[&steady, &slow_with_it, &steady]));
        assert!(!has_levels(&two, &[]), "nothing tells a slow machine from a slow process");
        assert!(!has_levels(&steady, &[&two]), "the other's levels are not its own");
        assert!(!has_levels(&two, &[&[5.0]]), "it has no fork of the slower level");
    }
}
