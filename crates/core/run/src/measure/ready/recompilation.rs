//! The steps after code was compiled again in the rounds: earlier slices of that process in this
//! fork ran other code and do not count, and its cells run until the code is steady again.

use super::steady::{self, NEVER_STEADY, Outcome, Quiet, Warming};
use crate::measure::Setup;
use crate::measure::failure::CellFailure;
use crate::measure::ledger::Ledger;
use crate::measure::schedule::Scheduler;
use crate::measure::state::{ForkState, HostedProcess};
use anyhow::Result;
use cupel_plan::FailureKind;

/// How often the code of a process may be compiled again in the rounds of a fork. Each time it gets
/// another wait until it is steady.
const RECOMPILATION_LIMIT: u32 = 3;

/// Waits until the code of a process is steady again. `discarded` says that code of the highest
/// level was discarded, which takes longer.
pub fn settle_again(
    state: &mut ForkState<'_>,
    setup: Setup<'_>,
    process: usize,
    discarded: bool,
    scheduler: &mut Scheduler<'_>,
    ledger: &mut Ledger<'_>,
) -> Result<()> {
    let Setup { plan, stage, stop, .. } = setup;
    // A cell that sits out keeps its rounds: its code was steady then.
    let mut cells = state.cells_of(process);
    cells.retain(|&cell| state.takes_part(cell, ledger));
    state.processes[process].recompiled += 1;
    if state.processes[process].recompiled > RECOMPILATION_LIMIT {
        for cell in cells {
            state.give_up(cell, "its code was compiled again and again", ledger)?;
        }
        return Ok(());
    }
    for &cell in &cells {
        ledger.compiled_anew(cell)?;
        scheduler.forget(cell);
        let comparison = state.comparison_of(cell);
        comparison.tries = 0;
        comparison.counted.remove(&cell);
        if plan.is_baseline(cell) {
            comparison.counted.clear();
            // Without the slices of the baseline, nothing is left of the cells that sit out.
            for other in &plan.comparisons[plan.cells[cell].comparison].cells {
                if let Some(other) = state.cells.get_mut(other) {
                    other.sits_out = false;
                }
            }
        }
    }
    let need = if discarded { Quiet::FIRST } else { Quiet::AGAIN };
    let mut warming: Vec<Warming> = Vec::new();
    for cell in cells {
        let next_call = state.comparison_of(cell).next_call;
        if let Some(ns_per_call) = state.cells[&cell].ns_per_call {
            let threads = plan.workload_of(cell).contract.threads;
            let block = state.comparison_of(cell).block;
            let cell = Warming::new(cell, next_call, ns_per_call, None, need);
            warming.push(cell.on(threads, block));
        }
    }
    let HostedProcess { host, compiler, .. } = &mut state.processes[process];
    let Some(host) = host.as_mut() else { return Ok(()) };
    let mut refusals = Vec::new();
    let mut refused =
        |cell, refusal| refusals.push(CellFailure::refused(cell, FailureKind::Failed, refusal));
    let outcome = steady::together(host.as_mut(), compiler, &mut warming, stop, &mut refused);
    for warmed in warming {
        stage.elapsed(warmed.elapsed_ns);
        let comparison = state.comparison_of(warmed.cell);
        comparison.next_call = comparison.next_call.max(warmed.next_call);
        if let Some(cell) = state.cells.get_mut(&warmed.cell) {
            cell.ns_per_call = Some(warmed.ns_per_call);
        }
        // The rounds before do not count, so this is the level of the code that does.
        ledger.level(warmed.cell, warmed.level)?;
        if let Ok(Outcome::Unsteady) = outcome {
            state.give_up(warmed.cell, NEVER_STEADY, ledger)?;
        }
    }
    for refusal in refusals {
        ledger.fail(&refusal)?;
    }
    state.size_slices(ledger);
    match outcome {
        Ok(_) => Ok(()),
        Err(fault) => state.lose(process, &fault, ledger),
    }
}
