//! The raw slices of a run for the page, from which it draws every round. Whole rounds are left out
//! where there are too many: never one side of a round.

use crate::analyse::Analysis;
use crate::store::Recorded;
use serde::Serialize;
use std::collections::HashMap;

/// Slices in one page: beyond these it would be megabytes that no screen has dots for.
const MOST: usize = 200_000;

/// The slices of one comparison.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Slices {
    /// One round in so many is here.
    pub every: usize,
    /// By round: its fork, from 0.
    pub fork: Vec<usize>,
    /// By row, and last the control, by round: time of a call in ns, negative where the slice was
    /// disturbed, `null` where there is none.
    pub ns: Vec<Vec<Option<f64>>>,
}

/// Gathers them, by comparison of the analysis.
pub fn gather(recorded: &Recorded, analysis: &Analysis) -> Vec<Slices> {
    let total: usize = recorded.rounds.iter().map(|r| r.slices.len()).sum();
    let every = one_in(total);
    let plan = &recorded.plan;
    let forks: HashMap<i64, usize> =
        recorded.forks.iter().enumerate().map(|(place, f)| (f.id, place)).collect();
    let mut all = Vec::new();
    // By cell its column, and by comparison of the plan its place in the analysis.
    let mut columns: HashMap<usize, usize> = HashMap::new();
    let mut places: HashMap<usize, usize> = HashMap::new();
    for (place, answer) in analysis.comparisons.iter().enumerate() {
        for (column, row) in answer.rows.iter().enumerate() {
            columns.insert(row.cell, column);
        }
        let number = answer.rows.first().map(|row| plan.cells[row.cell].comparison);
        if let Some(number) = number {
            places.insert(number, place);
            if let Some(twin) = plan.cells_of(number).into_iter().find(|&c| plan.cells[c].twin) {
                columns.insert(twin, answer.rows.len());
            }
        }
        all.push(Slices { every, fork: Vec::new(), ns: vec![Vec::new(); answer.rows.len() + 1] });
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
        slices.fork.push(forks.get(&round.fork).copied().unwrap_or_default());
        for column in &mut slices.ns {
            column.push(None);
        }
        for slice in &round.slices {
            if let Some(&column) = columns.get(&(slice.cell as usize)) {
                let ns = five_digits(slice.ns_per_call);
                let last = slices.ns[column].last_mut().expect("a round was just begun");
                *last = Some(if slice.counts { ns } else { -ns });
            }
        }
    }
    all
}

/// So that at most `MOST` of so many slices are left.
fn one_in(total: usize) -> usize {
    total.div_ceil(MOST).max(1)
}

/// A dot of a chart needs no more.
fn five_digits(x: f64) -> f64 {
    format!("{x:.4e}").parse().unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use super::{MOST, five_digits, one_in};

    #[test]
    fn a_page_is_thinned_only_where_it_must_be() {
        assert_eq!([one_in(0), one_in(MOST), one_in(MOST + 1)], [1, 1, 2]);
        assert_eq!(one_in(10_000_000), 50);
    }

    #[test]
    fn a_dot_keeps_five_digits() {
        assert_eq!(five_digits(1234.5678), 1234.6);
        assert_eq!(five_digits(0.000_123_456_7), 0.000_123_46);
        assert_eq!(five_digits(f64::INFINITY), f64::INFINITY);
    }
}
