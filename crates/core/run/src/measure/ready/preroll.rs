//! How long each cell runs untimed at the start of its slices. Before a slice, other processes had
//! the processor, and left its caches and predictors to them. Code that is compiled ahead has its
//! own again in microseconds; an interpreter, or a heap that is collected, may take a millisecond,
//! which is longer than a slice.

use crate::measure::Setup;
use crate::measure::audit::expectation::Calls;
use crate::measure::failure::CellFailure;
use crate::measure::ledger::Ledger;
use crate::measure::state::{ForkState, SLICE_NS};
use anyhow::Result;
use cupel_plan::FailureKind;
use cupel_protocol::message::{Slice, Sliced};
use cupel_runner::{Fault, expect_ok};
use cupel_stats::preroll;
use std::collections::HashMap;
use std::sync::atomic::Ordering;

/// The length of a piece in ns: a fifth of a slice.
const PIECE_NS: f64 = SLICE_NS / 5.0;

/// This many pieces of a cell follow one another, or fewer if they would take longer than
/// [`TURN_NS`].
const PIECES: usize = 16;

/// The fewest pieces that tell a slow start from a steady pace.
const FEWEST_PIECES: usize = 4;

/// The longest turn of a cell in ns.
const TURN_NS: f64 = 20e6;

/// The longest pre-roll in ns: of calls that take a millisecond, or blocks of calls that do, few
/// pieces are enough to seem slow by chance, and each would take as long as a slice.
const LONGEST_NS: f64 = 11.0 * PIECE_NS;

/// How often each cell has its turn.
const TURNS: usize = 5;

/// Learns the pre-roll of each cell that is not in `known` yet, in ns, and gives it to the cells of
/// the fork. Alternately, each cell runs several pieces in a row: the first follows another
/// process, as a slice does, and the last show the pace of code that goes on.
///
/// # Errors
/// If the store cannot be written.
pub fn learn(
    state: &mut ForkState<'_>,
    setup: Setup<'_>,
    known: &mut HashMap<usize, f64>,
    ledger: &mut Ledger<'_>,
) -> Result<()> {
    let unknown: Vec<usize> =
        state.cells.keys().copied().filter(|cell| !known.contains_key(cell)).collect();
    let mut turns: HashMap<usize, Vec<Vec<f64>>> = HashMap::new();
    for _ in 0..TURNS {
        for &cell in &unknown {
            if setup.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            if state.takes_part(cell, ledger)
                && let Some(shape) = Shape::for_cell(state, cell)
            {
                match turn(state, setup, cell, shape) {
                    Ok(times) => turns.entry(cell).or_default().push(times),
                    Err(Fault::Refused { refusal, .. }) => {
                        ledger.fail(&CellFailure::refused(cell, FailureKind::Failed, refusal))?;
                    }
                    Err(fault) => {
                        let process = state.cells[&cell].process;
                        state.lose(process, &fault, ledger)?;
                    }
                }
            }
        }
    }
    for (cell, times) in turns {
        if let Some(shape) = Shape::for_cell(state, cell) {
            let pieces = preroll::pieces(&times, shape.slice);
            known.insert(cell, (pieces as f64 * shape.ns).min(LONGEST_NS));
        }
    }
    let cells = &setup.plan.cells;
    for (&cell, state) in &mut state.cells {
        // The control is the same code as its baseline, and must pay the same.
        let copies = known.iter().filter(|(other, _)| cells[**other].is_copy_of(&cells[cell]));
        state.preroll_ns = copies.map(|(_, ns)| *ns).fold(0.0, f64::max);
    }
    Ok(())
}

/// How the pieces of a cell are cut.
#[derive(Clone, Copy)]
struct Shape {
    /// The calls of a piece.
    calls: u64,
    /// Their time in ns.
    ns: f64,
    /// The pieces of a turn.
    pieces: usize,
    /// The pieces that are as long as a slice.
    slice: usize,
    /// The untimed calls before the first piece: those that each slice has.
    preroll: u64,
}

impl Shape {
    /// `None` for a cell that is not warm, and for one whose call is so long that nothing at its
    /// start matters.
    fn for_cell(state: &ForkState<'_>, cell: usize) -> Option<Shape> {
        let asked = &state.cells[&cell];
        let call = asked.ns_per_call?;
        let comparison = &state.comparisons[state.plan.cells[cell].comparison];
        let calls = ((PIECE_NS / call).round().max(1.0) as u64).next_multiple_of(comparison.block);
        let ns = calls as f64 * call;
        let pieces = ((TURN_NS / ns) as usize).min(PIECES);
        let whole = Calls::new(0, asked.timed(comparison.iterations, comparison.part));
        let slice = (whole.iterations as f64 * call / ns).round().max(1.0) as usize;
        (pieces >= FEWEST_PIECES).then_some(Shape {
            calls,
            ns,
            pieces,
            slice: slice.min(pieces / 2),
            preroll: whole.preroll,
        })
    }
}

/// The times of a cell's pieces in ns per call, one piece right after the other.
fn turn(
    state: &mut ForkState<'_>,
    setup: Setup<'_>,
    cell: usize,
    shape: Shape,
) -> Result<Vec<f64>, Fault> {
    let process = state.cells[&cell].process;
    let mut times = Vec::with_capacity(shape.pieces);
    for piece in 0..shape.pieces {
        let preroll = if piece == 0 { shape.preroll } else { 0 };
        let comparison = state.comparison_of(cell);
        let calls = Calls { first: comparison.next_call, preroll, iterations: shape.calls };
        let Calls { first, .. } = calls.aligned(comparison.block);
        let ask = Slice { cell: cell as u32, first, preroll, iterations: shape.calls };
        let Some(host) = state.processes[process].host.as_mut() else { break };
        let Sliced { elapsed_ns, .. } = expect_ok(host.slice(&ask)?, "slice")?;
        state.comparison_of(cell).next_call = first + preroll + shape.calls;
        setup.stage.elapsed(elapsed_ns);
        times.push(elapsed_ns / shape.calls as f64);
    }
    Ok(times)
}
