//! The raw slices of a run, from which the page draws every round. If there are too many, whole
//! rounds are left out, never one side of a round.

use super::column::{floats, runs};
use cupel_analyse::Analysis;
use cupel_store::Recorded;
use serde::Serialize;
use std::collections::HashMap;

/// The most slices on one page. More would be megabytes that no screen can show.
const MOST: usize = 200_000;

/// The slices of one comparison.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Slices {
    /// Every n-th round is here.
    pub every: usize,
    /// For each round: its fork, from 0.
    pub fork: Vec<usize>,
    /// One column for each row, and last the control's.
    pub columns: Vec<Column>,
}

/// The slices of one cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Column {
    /// The rounds in which the cell ran, as alternating first and count: in a comparison of
    /// hundreds, most cells sit out most rounds.
    pub rounds: Vec<usize>,
    /// For each of those rounds: ns per call, negative if the slice was disturbed.
    pub ns: String,
}

/// Gathers the slices, by comparison of the analysis.
pub fn gather(recorded: &Recorded, analysis: &Analysis) -> Vec<Slices> {
    let total: usize = recorded.rounds.iter().map(|r| r.slices.len()).sum();
    let every = one_in(total);
    let plan = &recorded.plan;
    let forks: HashMap<i64, usize> =
        recorded.forks.iter().enumerate().map(|(place, f)| (f.id, place)).collect();
    let mut all = Vec::new();
    // The column of each cell, and the position of each of the plan's comparisons in the analysis.
    let mut columns: HashMap<usize, usize> = HashMap::new();
    let mut places: HashMap<usize, usize> = HashMap::new();
    for (place, answer) in analysis.comparisons.iter().enumerate() {
        for (column, row) in answer.rows.iter().enumerate() {
            columns.insert(row.cell, column);
        }
        let number = answer.rows.first().map(|row| plan.cells[row.cell].comparison);
        if let Some(number) = number {
            places.insert(number, place);
            if let Some(control) = plan.comparisons[number].control {
                columns.insert(control, answer.rows.len());
            }
        }
        all.push(Gathered { fork: Vec::new(), ns: vec![Vec::new(); answer.rows.len() + 1] });
    }
    let mut seen: HashMap<usize, usize> = HashMap::new();
    for round in &recorded.rounds {
        let Some(&place) = places.get(&round.comparison) else { continue };
        let before = seen.entry(place).or_default();
        *before += 1;
        if !(*before - 1).is_multiple_of(every) {
            continue;
        }
        let slices = &mut all[place];
        for slice in &round.slices {
            if let Some(&column) = columns.get(&(slice.cell as usize)) {
                let ns = slice.ns_per_call;
                slices.ns[column].push((slices.fork.len(), if slice.counts { ns } else { -ns }));
            }
        }
        slices.fork.push(forks.get(&round.fork).copied().unwrap_or_default());
    }
    all.into_iter().map(|gathered| gathered.finish(every)).collect()
}

/// The slices of one comparison while they are being gathered.
struct Gathered {
    fork: Vec<usize>,
    /// For each column: round and time.
    ns: Vec<Vec<(usize, f64)>>,
}

impl Gathered {
    fn finish(self, every: usize) -> Slices {
        let columns = self.ns.iter().map(|slices| Column {
            rounds: runs(slices.iter().map(|slice| slice.0)),
            ns: floats(slices.iter().map(|slice| slice.1)),
        });
        Slices { every, columns: columns.collect(), fork: self.fork }
    }
}

/// The step that leaves at most `MOST` slices.
fn one_in(total: usize) -> usize {
    total.div_ceil(MOST).max(1)
}

#[cfg(test)]
mod tests {
    use super::{MOST, one_in};

    #[test]
    fn a_page_is_thinned_only_where_it_must_be() {
        assert_eq!([one_in(0), one_in(MOST), one_in(MOST + 1)], [1, 1, 2]);
        assert_eq!(one_in(10_000_000), 50);
    }
}
