//! Whether the beginning of a run and its end differ: steps, bursts and trends in the times of its
//! cells, from fork to fork and within a fork.
//!
//! Times are absolute, so changes of the whole machine are subtracted first: per fork, the median
//! over libraries. One of them is the empty call, which runs in every fork and shares no code with
//! any of the others. A library has one vote, so a change of the library of most cells does not
//! look like a change of all others.

use super::Changed;
use super::library::library;
use super::series::Series;
use cupel_plan::Plan;
use cupel_stats::levels::without_forks;
use cupel_stats::quantile::median;
use cupel_stats::{Change, Shape, Step, change};
use cupel_store::{ForkRow, Recorded};
use std::collections::{BTreeMap, BTreeSet};

/// The probability that a change is reported in a run without one.
const ERROR: f64 = 0.05;

/// Smaller changes than this (a ratio minus one) are not reported.
const SMALLEST: f64 = 0.05;

/// With fewer libraries that ran in all forks, their median does not show the machine.
const ENOUGH_LIBRARIES: usize = 3;

/// The forks at either end of a run that are too few to show a step by themselves.
const END: usize = 4;

/// The probability that slices of one speed, within one fork, seem to have a step.
const STEP_BY_CHANCE: f64 = 0.001;

/// The share of a change that the times of the processes must show by themselves.
const SHOWN: f64 = 0.5;

/// Both sides of a step within a fork are as near as this to the other forks, as a share of the
/// step.
const NEAR: f64 = 0.35;

/// The changes of a run, by comparison: only of cells that did not fail.
pub(super) fn changes(recorded: &Recorded, series: &Series) -> BTreeMap<usize, Vec<Changed>> {
    let plan = &recorded.plan;
    let times = Times::gather(recorded, series);
    let tested = times.by_cell.keys().filter(|&&cell| !plan.cells[cell].control).count();
    let error = ERROR / tested.max(1) as f64;
    let mut found: BTreeMap<usize, Vec<OfCell>> = BTreeMap::new();
    for &cell in times.by_cell.keys().filter(|&&cell| !plan.cells[cell].control) {
        let Some(change) = times.change(series, cell, error) else { continue };
        found.entry(plan.cells[cell].comparison).or_default().push(OfCell { cell, change });
    }
    let found = found.into_iter();
    found
        .map(|(comparison, cells)| (comparison, reported(recorded, series, &times, cells)))
        .collect()
}

/// The change of one cell. It numbers the forks as [`Times::forks`].
struct OfCell {
    cell: usize,
    change: Change,
}

/// The size of a change, in logarithms. The ends of a trend are twice as far apart as its halves.
fn size(change: &Change) -> f64 {
    let apart = (change.inside - change.outside).abs();
    if change.shape == Shape::Trend { 2.0 * apart } else { apart }
}

fn is_large(change: &Change) -> bool {
    size(change) >= SMALLEST.ln_1p()
}

/// The times of a run's cells by fork.
struct Times {
    /// The numbers of the forks in the store, in the order in which they ran.
    forks: Vec<i64>,
    /// By cell: the logarithm of its time in each of these forks.
    by_cell: BTreeMap<usize, Vec<Option<f64>>>,
    /// The change of the whole machine in each of them, as a logarithm; 0 if too few libraries
    /// tell.
    machine: Vec<f64>,
}

impl Times {
    fn gather(recorded: &Recorded, series: &Series) -> Times {
        let plan = &recorded.plan;
        let cells = (0..plan.cells.len()).filter(|&cell| super::failure(recorded, cell).is_none());
        let known: BTreeMap<usize, BTreeMap<i64, f64>> =
            cells.map(|cell| (cell, series.by_fork(cell))).collect();
        let forks: BTreeSet<i64> = known.values().flat_map(|times| times.keys().copied()).collect();
        let forks: Vec<i64> = forks.into_iter().collect();
        let mut by_cell: BTreeMap<usize, Vec<Option<f64>>> = BTreeMap::new();
        for (cell, times) in known {
            by_cell.insert(cell, forks.iter().map(|fork| times.get(fork).copied()).collect());
        }
        let machine = machine(plan, &by_cell, forks.len());
        Times { forks, by_cell, machine }
    }

    /// The fork at a position of the known ones.
    fn fork<'a>(&self, recorded: &'a Recorded, position: usize) -> Option<&'a ForkRow> {
        let id = self.forks.get(position)?;
        recorded.forks.iter().find(|fork| fork.id == *id)
    }

    /// The number of that fork in the run, from 1.
    fn number(&self, recorded: &Recorded, position: usize) -> u32 {
        self.fork(recorded, position).map_or(position as u32, |fork| fork.ordinal) + 1
    }

    /// How a cell changed, if it did.
    fn change(&self, series: &Series, cell: usize, error: f64) -> Option<Change> {
        let times = self.by_cell[&cell].iter().enumerate();
        let known: Vec<(usize, f64)> =
            times.filter_map(|(fork, ln)| Some((fork, (*ln)? - self.machine[fork]))).collect();
        let values: Vec<f64> = known.iter().map(|(_, value)| *value).collect();
        let found = change(&values, error).filter(is_large).or_else(|| {
            let ends =
                (0..values.len().min(END)).chain(values.len().saturating_sub(END)..values.len());
            ends.filter_map(|at| self.step_within(series, cell, &known, at)).next()
        })?;
        // In forks of the run, where a cell may have left and returned.
        let [first, end] = [found.first, found.end]
            .map(|at| known.get(at).map_or(self.forks.len(), |(fork, _)| *fork));
        Some(Change { first, end, ..found })
    }

    /// By how much a change moved a cell away from the others of its comparison, by rounds that
    /// they share: the median over libraries. A neighbour that comes or goes in mid-fork meets all
    /// of them in the same rounds, but moves the medians of some of them and not of others. `None`
    /// if there is no one to compare with on both sides of the change.
    fn moved_from_others(
        &self,
        plan: &Plan,
        series: &Series,
        cell: usize,
        change: &Change,
    ) -> Option<f64> {
        let own = library(plan, cell);
        let mut moved: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for &other in self.by_cell.keys() {
            let of = library(plan, other);
            if plan.cells[other].comparison != plan.cells[cell].comparison || of == own {
                continue;
            }
            let ratios = series.ratios(cell, other).into_iter();
            let (inside, outside): (Vec<_>, Vec<_>) = ratios
                .filter_map(|ratio| Some((self.position(ratio.fork)?, ratio.median)))
                .partition(|(at, _)| change.contains(*at));
            if inside.is_empty() || outside.is_empty() {
                continue;
            }
            let level = |side: Vec<(usize, f64)>| {
                median(&side.into_iter().map(|(_, ln)| ln).collect::<Vec<f64>>())
            };
            moved.entry(of).or_default().push(level(inside) - level(outside));
        }
        let moved: Vec<f64> = moved.into_values().map(|cells| median(&cells)).collect();
        (!moved.is_empty()).then(|| median(&moved))
    }

    /// The position of a fork of the store among the known ones.
    fn position(&self, fork: i64) -> Option<usize> {
        self.forks.binary_search(&fork).ok()
    }

    /// A step in the middle of the fork at this position of the known ones. So few forks before it,
    /// or after it, may be processes that differ. But no process changes its speed by itself,
    /// half-way through its slices, to the speed of all others.
    fn step_within(
        &self,
        series: &Series,
        cell: usize,
        known: &[(usize, f64)],
        at: usize,
    ) -> Option<Change> {
        let (fork, _) = known[at];
        let slices = series.in_fork(cell, self.forks[fork]);
        let slices: Vec<f64> = slices.into_values().map(|ln| ln - self.machine[fork]).collect();
        let step = Step::find(&slices)?;
        let first = step.first;
        let (early, late) = (median(&slices[..first]), median(&slices[first..]));
        let near = NEAR * (late - early).abs();
        let (before, after) = (&known[..at], &known[at + 1..]);
        // The fork itself is on the side that most of its slices are on.
        let is_late = (known[at].1 - late).abs() < (known[at].1 - early).abs();
        let change = Change {
            first: if is_late { at } else { at + 1 },
            end: known.len(),
            outside: early,
            inside: late,
            shape: Shape::Step,
        };
        // Whether it is certain takes far longer than all else, so it comes last.
        let fits = is_large(&change) && agree(before, early, near) && agree(after, late, near);
        (fits && step.is_certain(STEP_BY_CHANCE)).then_some(change)
    }
}

/// Whether forks have this level: one process in ten may have another level.
fn agree(forks: &[(usize, f64)], level: f64, near: f64) -> bool {
    let agreeing = forks.iter().filter(|(_, value)| (value - level).abs() < near).count();
    10 * agreeing >= 9 * forks.len()
}

/// The change of all libraries in each fork.
fn machine(plan: &Plan, by_cell: &BTreeMap<usize, Vec<Option<f64>>>, forks: usize) -> Vec<f64> {
    let mut libraries: BTreeMap<String, Vec<Vec<Option<f64>>>> = BTreeMap::new();
    for (&cell, times) in by_cell {
        let known: Vec<f64> = times.iter().flatten().copied().collect();
        let middle = median(&known);
        let off = times.iter().map(|ln| ln.map(|ln| ln - middle)).collect();
        libraries.entry(library(plan, cell)).or_default().push(off);
    }
    let mut rows: Vec<Vec<Option<f64>>> = Vec::new();
    for cells in libraries.values() {
        let row = (0..forks).map(|fork| {
            let known: Vec<f64> = cells.iter().filter_map(|cell| cell[fork]).collect();
            (!known.is_empty()).then(|| median(&known))
        });
        rows.push(row.collect());
    }
    rows.retain(|row| row.iter().all(Option::is_some));
    if rows.len() < ENOUGH_LIBRARIES {
        return vec![0.0; forks];
    }
    let without = without_forks(&rows);
    let removed = rows[0].iter().zip(&without[0]);
    removed.map(|(with, without)| with.zip(*without).map_or(0.0, |(a, b)| a - b)).collect()
}

/// The changes of these cells that their own times show, the largest first.
fn reported(
    recorded: &Recorded,
    series: &Series,
    times: &Times,
    mut found: Vec<OfCell>,
) -> Vec<Changed> {
    found.sort_by(|a, b| size(&b.change).total_cmp(&size(&a.change)));
    let found = found.iter();
    found.filter_map(|of| described(recorded, series, times, of.cell, &of.change)).collect()
}

/// The text about a changed cell: the times of its own processes, before and after. `None` if their
/// times do not show the change, because the machine changed at the same time.
fn described(
    recorded: &Recorded,
    series: &Series,
    times: &Times,
    cell: usize,
    change: &Change,
) -> Option<Changed> {
    let plan = &recorded.plan;
    let known = series.by_fork(cell);
    let own: Vec<Option<f64>> = times.forks.iter().map(|fork| known.get(fork).copied()).collect();
    let change = &change.placed_by(&own);
    let ran: Vec<usize> =
        (0..times.forks.len()).filter(|&at| known.contains_key(&times.forks[at])).collect();
    let (before, after) = sides(&ran, change);
    let [before, after] = [before, after]
        .map(|forks| forks.into_iter().map(|at| times.forks[at]).collect::<Vec<i64>>());
    let before = series.processes(cell, &before)?;
    let after = series.processes(cell, &after)?;
    let apart = change.inside - change.outside;
    let shows = |moved: f64| moved * apart > 0.0 && moved.abs() >= SHOWN * apart.abs();
    let moved = (after.ns / before.ns).ln();
    let is_shown =
        shows(moved) && times.moved_from_others(plan, series, cell, change).is_none_or(shows);
    is_shown.then(|| Changed {
        contender: plan.name_of(cell),
        cell,
        shape: change.shape,
        from_fork: times.number(recorded, change.first),
        to_fork: (change.end < times.forks.len()).then(|| times.number(recorded, change.end - 1)),
        forks: plan.options.forks,
        at: times.fork(recorded, change.first).map(|fork| fork.started.clone()),
        before,
        after,
    })
}

/// Adds the garbage collection that belongs to a call, in ns by cell, as in all times per call. The
/// changes were found without it: it is one figure for all forks.
pub(super) fn add_collection(changes: &mut [Changed], of: impl Fn(usize) -> Option<f64>) {
    for Changed { cell, before, after, .. } in changes {
        let ns = of(*cell).unwrap_or_default();
        before.ns += ns;
        after.ns += ns;
    }
}

/// The positions of forks in which a cell ran, before a change and after it. A burst is over: the
/// values after it are as before. A trend continues all the time, so its first and its last quarter
/// show its size.
fn sides(ran: &[usize], change: &Change) -> (Vec<usize>, Vec<usize>) {
    if change.shape == Shape::Trend {
        let quarter = ran.len().div_ceil(4);
        return (ran[..quarter].to_vec(), ran[ran.len() - quarter..].to_vec());
    }
    let (inside, outside) = ran.iter().partition(|&&at| change.contains(at));
    (outside, inside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Processes;

    #[test]
    fn the_times_of_a_change_include_the_collection_that_belongs_to_a_call() {
        let took = |ns, forks: [u32; 2]| Processes { ns, forks: forks.to_vec() };
        let changed = |cell| Changed {
            contender: "node/crypto".into(),
            cell,
            shape: Shape::Step,
            from_fork: 3,
            to_fork: None,
            forks: 4,
            at: None,
            before: took(940.0, [1, 2]),
            after: took(1880.0, [3, 4]),
        };
        let mut changes = [changed(0), changed(1)];
        add_collection(&mut changes, |cell| (cell == 0).then_some(855.0));
        let times = changes.map(|change| [change.before.ns, change.after.ns]);
        assert_eq!(times, [[1795.0, 2735.0], [940.0, 1880.0]]);
    }
}
