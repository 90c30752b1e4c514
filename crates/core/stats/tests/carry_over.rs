//! The effect of a cell on the next one is found, and nothing is found where there is nothing.

mod support;

use cupel_stats::carry_over::{Observation, carry_over};
use cupel_stats::order::williams;
use support::Random;

/// Rounds of a Williams design in three forks on a machine that swings by 30 %, with 1 % noise, and
/// with bursts in one slice of twenty. `left` is the effect of each cell.
fn simulated(left: &[f64], rounds: usize, seed: u64) -> Vec<Observation> {
    let mut random = Random(seed);
    let cells = left.len();
    let mut all = Vec::new();
    for fork in 0..3 {
        let mut orders: Vec<Vec<usize>> = Vec::new();
        let mut before = None;
        let layouts: Vec<f64> = left.iter().map(|_| 0.01 * random.normal()).collect();
        for round in 0..rounds {
            if orders.is_empty() {
                orders = williams(cells, &mut || random.bits());
            }
            let machine = 0.3 * (round as f64 / 9.0).sin();
            for cell in orders.pop().expect("just filled") {
                let burst = if random.unit() < 0.05 { 0.6 } else { 0.0 };
                let carried = before.map_or(0.0, |before: usize| left[before]);
                let noise = 0.01 * random.normal() + burst;
                all.push(Observation {
                    round: fork * rounds + round,
                    cell: fork * cells + cell,
                    after: before,
                    ln: cell as f64 + layouts[cell] + machine + noise + carried,
                });
                before = Some(cell);
            }
        }
    }
    all
}

#[test]
fn what_a_cell_leaves_behind_is_found() {
    for left in [
        [0.0, 0.0, 0.15].as_slice(),
        &[0.0, 0.06, 0.0, 0.0],
        &[0.0, 0.0, -0.04, 0.0, 0.1],
        &[0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    ] {
        for seed in 0..20 {
            let effects = carry_over(&simulated(left, 120, seed), left.len());
            for (effect, truth) in effects.iter().zip(left) {
                assert!((effect - truth).abs() < 0.006, "{effects:?} for {left:?}, seed {seed}");
            }
        }
    }
}

#[test]
fn where_nothing_is_left_behind_nothing_is_found() {
    for cells in [3, 4, 9] {
        for seed in 0..500 {
            let effects = carry_over(&simulated(&vec![0.0; cells], 60, seed), cells);
            assert_eq!(effects, vec![0.0; cells], "{cells} cells, seed {seed}");
        }
    }
}

/// One of the cells runs in the last fork only, in which times scatter ten times as much.
#[test]
fn a_fork_that_scatters_shows_no_effect_of_who_ran_in_it_alone() {
    for seed in 0..500 {
        let mut random = Random(seed + 1000);
        let mut all = simulated(&[0.0; 5], 60, seed);
        let last = |o: &Observation| o.round >= 120;
        all.retain(|o| last(o) || o.cell % 5 != 4);
        for one in all.iter_mut() {
            if last(one) {
                one.ln += 0.1 * random.normal();
            } else if one.after == Some(4) {
                one.after = None;
            }
        }
        assert_eq!(carry_over(&all, 5), [0.0; 5], "seed {seed}");
    }
}

/// Nearly half of the slices scatter ten times as much as the others, so they are clipped and tell
/// little.
#[test]
fn slices_that_scatter_now_and_then_show_no_effect() {
    for seed in 0..100 {
        let mut random = Random(seed + 2000);
        let mut all = simulated(&[0.0; 60], 22, seed);
        for one in &mut all {
            one.ln += if random.unit() < 0.45 { 0.1 * random.normal() } else { 0.0 };
        }
        assert_eq!(carry_over(&all, 60), [0.0; 60], "seed {seed}");
    }
}

/// With two cells, each always follows the other, and nothing tells an effect from a time.
#[test]
fn two_cells_and_no_slices_show_nothing() {
    assert_eq!(carry_over(&simulated(&[0.0, 0.5], 60, 1), 2), [0.0, 0.0]);
    assert_eq!(carry_over(&[], 4), [0.0; 4]);
    let alone = Observation { round: 0, cell: 0, after: Some(1), ln: 1.0 };
    assert_eq!(carry_over(&[alone], 3), [0.0; 3]);
}
