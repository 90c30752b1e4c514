//! Whether the beginning of a run and its end differ: steps, bursts and trends in the times of its
//! cells, from fork to fork and within a fork.
//!
//! Times are absolute, so what befalls the whole machine is subtracted first: per fork, the median
//! over libraries. One of them is the empty call, which runs in every fork and shares no code with any
//! of the others. A library has one vote, so a change of the library of most cells does not look like
//! a change of all others.

use super::Changed;
use super::series::Series;
use cupel_base::primitives::EMPTY;
use cupel_plan::Plan;
use cupel_stats::levels::without_forks;
use cupel_stats::quantile::median;
use cupel_stats::{Change, Shape, change, step};
use cupel_store::Recorded;
use std::collections::{BTreeMap, BTreeSet};

/// The probability that a run in which nothing changes says that something did.
const ERROR: f64 = 0.05;

/// Smaller changes than this (a ratio minus one) are not reported.
const SMALLEST: f64 = 0.05;

/// With fewer libraries that ran in all forks, their median says nothing about the machine.
const ENOUGH_LIBRARIES: usize = 3;

/// The forks at either end of a run that are too few to show a step by themselves.
const END: usize = 4;

/// The probability that slices of one speed, within one fork, seem to have a step.
const STEP_BY_CHANCE: f64 = 0.001;

/// Both sides of a step within a fork are as near as this to what the other forks show, as a share
/// of the step.
const NEAR: f64 = 0.35;

/// The changes of a run, by comparison: only of cells that did not fail.
pub(super) fn changes(
    recorded: &Recorded,
    series: &Series,
    failed: &dyn Fn(usize) -> bool,
) -> BTreeMap<usize, Vec<Changed>> {
    let plan = &recorded.plan;
    let times = Times::of(plan, series, failed);
    let tested = times.by_cell.keys().filter(|&&cell| !plan.cells[cell].control).count();
    let error = ERROR / tested.max(1) as f64;
    let mut found: BTreeMap<usize, Vec<OfCell>> = BTreeMap::new();
    for &cell in times.by_cell.keys().filter(|&&cell| !plan.cells[cell].control) {
        let Some(change) = times.change(series, cell, error) else { continue };
        found.entry(plan.cells[cell].comparison).or_default().push(OfCell { cell, change });
    }
    let words = |of: Vec<OfCell>| reported(recorded, &times, of);
    found.into_iter().map(|(comparison, of)| (comparison, words(of))).collect()
}

/// The change of one cell. Its numbers are those of the forks in [`Times::forks`].
struct OfCell {
    cell: usize,
    change: Change,
}

/// The size of a change, in logarithms. The ends of a trend are twice as far apart as its halves.
fn size(change: &Change) -> f64 {
    let apart = (change.inside - change.outside).abs();
    if change.shape == Shape::Trend { 2.0 * apart } else { apart }
}

/// The times of a run's cells by fork.
struct Times {
    /// The numbers of the forks in the store, in the order in which they ran.
    forks: Vec<i64>,
    /// By cell: the logarithm of its time in each of these forks.
    by_cell: BTreeMap<usize, Vec<Option<f64>>>,
    /// What befell the whole machine in each of them, as a logarithm; 0 if too few libraries tell.
    machine: Vec<f64>,
}

impl Times {
    fn of(plan: &Plan, series: &Series, failed: &dyn Fn(usize) -> bool) -> Times {
        let cells = (0..plan.cells.len()).filter(|&cell| !failed(cell));
        let known: BTreeMap<usize, BTreeMap<i64, f64>> =
            cells.map(|cell| (cell, series.by_fork(cell))).collect();
        let forks: BTreeSet<i64> = known.values().flat_map(|of| of.keys().copied()).collect();
        let forks: Vec<i64> = forks.into_iter().collect();
        let row =
            |of: &BTreeMap<i64, f64>| forks.iter().map(|fork| of.get(fork).copied()).collect();
        let by_cell: BTreeMap<usize, Vec<Option<f64>>> =
            known.iter().map(|(&cell, of)| (cell, row(of))).collect();
        let machine = machine(plan, &by_cell, forks.len());
        Times { forks, by_cell, machine }
    }

    /// How a cell changed, if it did.
    fn change(&self, series: &Series, cell: usize, error: f64) -> Option<Change> {
        let times = self.by_cell[&cell].iter().enumerate();
        let known: Vec<(usize, f64)> =
            times.filter_map(|(fork, ln)| Some((fork, (*ln)? - self.machine[fork]))).collect();
        let values: Vec<f64> = known.iter().map(|(_, value)| *value).collect();
        let is_large = |found: &Change| size(found) >= SMALLEST.ln_1p();
        let found = change(&values, error).filter(is_large).or_else(|| {
            let ends =
                (0..values.len().min(END)).chain(values.len().saturating_sub(END)..values.len());
            let within = |at: usize| self.step_within(series, cell, &known, at);
            ends.filter_map(within).find(is_large)
        })?;
        // In forks of the run, where a cell may have left and returned.
        let number = |at: usize| known.get(at).map_or(self.forks.len(), |(fork, _)| *fork);
        Some(Change { first: number(found.first), end: number(found.end), ..found })
    }

    /// A step in the middle of the fork at this position of the known ones. So few forks before it, or
    /// after it, may be processes that differ. But no process changes its speed by itself, half-way
    /// through its slices, to that of all others.
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
        let first = step(&slices, STEP_BY_CHANCE)?;
        let (early, late) = (median(&slices[..first]), median(&slices[first..]));
        let size = (late - early).abs();
        let near =
            |level: f64| move |(_, value): &&(usize, f64)| (value - level).abs() < NEAR * size;
        let (before, after) = (&known[..at], &known[at + 1..]);
        let agrees = |forks: &[(usize, f64)], level: f64| {
            // One process in ten may be another one.
            10 * forks.iter().filter(near(level)).count() >= 9 * forks.len()
        };
        (agrees(before, early) && agrees(after, late)).then_some(Change {
            first: at + 1,
            end: known.len(),
            outside: early,
            inside: late,
            shape: Shape::Step,
        })
    }
}

/// What befell all libraries in each fork.
fn machine(plan: &Plan, by_cell: &BTreeMap<usize, Vec<Option<f64>>>, forks: usize) -> Vec<f64> {
    let mut libraries: BTreeMap<String, Vec<Vec<Option<f64>>>> = BTreeMap::new();
    for (&cell, times) in by_cell {
        let known: Vec<f64> = times.iter().flatten().copied().collect();
        let middle = median(&known);
        let off = times.iter().map(|ln| ln.map(|ln| ln - middle)).collect();
        libraries.entry(library(plan, cell)).or_default().push(off);
    }
    let middle_of = |cells: &[Vec<Option<f64>>], fork: usize| {
        let known: Vec<f64> = cells.iter().filter_map(|cell| cell[fork]).collect();
        (!known.is_empty()).then(|| median(&known))
    };
    let rows: Vec<Vec<Option<f64>>> = libraries
        .values()
        .map(|cells| (0..forks).map(|fork| middle_of(cells, fork)).collect::<Vec<_>>())
        .filter(|row| row.iter().all(Option::is_some))
        .collect();
    if rows.len() < ENOUGH_LIBRARIES {
        return vec![0.0; forks];
    }
    let without = without_forks(&rows);
    let removed = |fork: usize| Some(rows[0][fork]? - without[0][fork]?);
    (0..forks).map(|fork| removed(fork).unwrap_or(0.0)).collect()
}

/// What shares its code with other cells. The empty calls of all runners are one.
fn library(plan: &Plan, cell: usize) -> String {
    let contender = plan.contender_of(cell);
    if plan.workload_of(cell).primitive == EMPTY
        && plan.comparisons[plan.cells[cell].comparison].overhead
    {
        return String::new();
    }
    match contender.library.as_str() {
        "" => contender.name.to_string(),
        library => library.to_string(),
    }
}

/// What is said about the changed cells of one comparison: cells of one library that changed at the
/// same time are one change.
fn reported(recorded: &Recorded, times: &Times, mut found: Vec<OfCell>) -> Vec<Changed> {
    let plan = &recorded.plan;
    found.sort_by(|a, b| size(&b.change).total_cmp(&size(&a.change)));
    let mut reported: Vec<(String, Change, Changed)> = Vec::new();
    for OfCell { cell, change } in found {
        let (library, name) = (library(plan, cell), plan.name_of(cell));
        let same = reported.iter_mut().find(|(other, theirs, _)| {
            *other == library
                && theirs.shape == change.shape
                && theirs.first.abs_diff(change.first) <= 1
                && (theirs.inside > theirs.outside) == (change.inside > change.outside)
        });
        if let Some((_, _, changed)) = same {
            changed.also.push(name);
            continue;
        }
        let words = described(recorded, times, cell, &change);
        reported.push((library, change, words));
    }
    reported.into_iter().map(|(_, _, changed)| changed).collect()
}

fn described(recorded: &Recorded, times: &Times, cell: usize, change: &Change) -> Changed {
    let row = |position: usize| {
        let id = times.forks.get(position)?;
        recorded.forks.iter().find(|fork| fork.id == *id)
    };
    // Half of what separates the halves of a trend lies outside either of them.
    let further =
        if change.shape == Shape::Trend { (change.inside - change.outside) / 2.0 } else { 0.0 };
    let number = |position: usize| row(position).map_or(position as u32, |fork| fork.ordinal) + 1;
    Changed {
        contender: recorded.plan.name_of(cell),
        also: vec![],
        shape: match change.shape {
            Shape::Step => "step",
            Shape::Burst => "burst",
            Shape::Trend => "trend",
        }
        .to_string(),
        from_fork: number(change.first),
        to_fork: (change.end < times.forks.len()).then(|| number(change.end - 1)),
        forks: recorded.plan.options.forks,
        at: row(change.first).map(|fork| fork.started.clone()),
        ns_otherwise: (change.outside - further).exp(),
        ns: (change.inside + further).exp(),
    }
}
