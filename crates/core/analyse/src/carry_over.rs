//! Removes from every slice the garbage that the slice before it left behind
//! ([`cupel_stats::carry_over`]).

use cupel_stats::carry_over::{Observation, carry_over};
use cupel_store::{Recorded, RoundRow, SliceRow};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};

/// The most slices of a comparison that the effects are estimated from. They are spread evenly over
/// its rounds; more would only cost time.
const MOST: usize = 20_000;

/// The effect of each cell of a run on the next slice.
#[derive(Default)]
pub struct CarryOver {
    /// By cell: its effect on the logarithm of the time of the slice after it. Only certain
    /// effects.
    effects: HashMap<u32, f64>,
}

impl CarryOver {
    /// Estimates the effects in every comparison.
    pub fn estimate(recorded: &Recorded) -> CarryOver {
        let mut numbers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (number, round) in recorded.rounds.iter().enumerate() {
            numbers.entry(round.comparison).or_default().push(number);
        }
        let effects = numbers
            .into_par_iter()
            .flat_map_iter(|(_, numbers)| of_comparison(&recorded.rounds, &numbers))
            .collect();
        CarryOver { effects }
    }

    /// The effect of a cell on the logarithm of the time of the slice after it.
    pub fn of_cell(&self, cell: u32) -> f64 {
        self.effects.get(&cell).copied().unwrap_or_default()
    }

    /// The garbage carried into the slices of the round with this number.
    pub fn carried(&self, rounds: &[RoundRow], number: usize) -> Carried {
        if self.effects.is_empty() {
            return Carried::default();
        }
        let before = predecessors(rounds, number).into_iter();
        let effects = before.map(|cell| cell.map_or(0.0, |cell| self.of_cell(cell)));
        Carried { by_position: effects.collect() }
    }
}

/// The garbage carried into the slices of one round.
#[derive(Default)]
pub struct Carried {
    /// Empty if it is nothing.
    by_position: Vec<f64>,
}

impl Carried {
    /// The garbage carried into this slice of the round.
    pub fn onto(&self, slice: &SliceRow) -> f64 {
        self.by_position.get(usize::from(slice.position)).copied().unwrap_or_default()
    }
}

/// By position in the round: the cell that ran before. It is unknown for the first slice, unless
/// the round before had the same comparison and fork.
fn predecessors(rounds: &[RoundRow], number: usize) -> Vec<Option<u32>> {
    let round = &rounds[number];
    let length = round.slices.iter().map(|slice| usize::from(slice.position) + 1).max();
    let mut before = vec![None; length.unwrap_or(0)];
    for slice in &round.slices {
        if let Some(next) = before.get_mut(usize::from(slice.position) + 1) {
            *next = Some(slice.cell);
        }
    }
    let previous = number.checked_sub(1).map(|number| &rounds[number]);
    let previous = previous.filter(|p| (p.fork, p.comparison) == (round.fork, round.comparison));
    let last = previous.and_then(|p| p.slices.iter().max_by_key(|slice| slice.position));
    if let Some((first, last)) = before.first_mut().zip(last) {
        *first = Some(last.cell);
    }
    before
}

/// The certain effects in one comparison, whose rounds have these numbers.
fn of_comparison(rounds: &[RoundRow], numbers: &[usize]) -> Vec<(u32, f64)> {
    let slices: usize = numbers.iter().map(|&number| rounds[number].slices.len()).sum();
    let step = slices.div_ceil(MOST).max(1);
    // A cell has a new process in each fork, but leaves the same behind.
    let mut in_fork: HashMap<(i64, u32), usize> = HashMap::new();
    let mut cells: BTreeMap<u32, usize> = BTreeMap::new();
    let mut observations = Vec::with_capacity(slices / step);
    for (observed, &number) in numbers.iter().step_by(step).enumerate() {
        let round = &rounds[number];
        let before = predecessors(rounds, number);
        for slice in round.slices.iter().filter(|slice| slice.counts) {
            let next = cells.len();
            let after =
                before[usize::from(slice.position)].map(|cell| *cells.entry(cell).or_insert(next));
            let next = in_fork.len();
            observations.push(Observation {
                round: observed,
                cell: *in_fork.entry((round.fork, slice.cell)).or_insert(next),
                after,
                ln: slice.ns_per_call.ln(),
            });
        }
    }
    let effects = carry_over(&observations, cells.len());
    let by_cell = cells.into_iter().map(|(cell, known)| (cell, effects[known]));
    by_cell.filter(|(_, effect)| *effect != 0.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(fork: i64, comparison: usize, order: &[u32]) -> RoundRow {
        let slice = |(position, &cell): (usize, &u32)| SliceRow {
            cell,
            position: position as u16,
            ns_per_call: 1.0,
            counts: true,
        };
        let mut slices: Vec<SliceRow> = order.iter().enumerate().map(slice).collect();
        slices.sort_by_key(|slice| slice.cell);
        RoundRow { fork, comparison, slices }
    }

    #[test]
    fn the_first_slice_follows_the_last_of_the_round_before_in_its_own_comparison_only() {
        let rounds = [
            round(1, 0, &[2, 0, 1]),
            round(1, 0, &[0, 1, 2]),
            round(1, 1, &[4, 3]),
            round(1, 0, &[1, 0, 2]),
            round(2, 0, &[1, 0, 2]),
        ];
        assert_eq!(predecessors(&rounds, 0), [None, Some(2), Some(0)]);
        assert_eq!(predecessors(&rounds, 1), [Some(1), Some(0), Some(1)]);
        assert_eq!(predecessors(&rounds, 2), [None, Some(4)]);
        assert_eq!(predecessors(&rounds, 3), [None, Some(1), Some(0)]);
        assert_eq!(predecessors(&rounds, 4), [None, Some(1), Some(0)]);
    }

    #[test]
    fn without_effects_no_slice_is_changed() {
        let carried = CarryOver::default().carried(&[round(1, 0, &[0, 1])], 0);
        let slice = SliceRow { cell: 0, position: 7, ns_per_call: 1.0, counts: true };
        assert_eq!(carried.onto(&slice), 0.0);
    }
}
