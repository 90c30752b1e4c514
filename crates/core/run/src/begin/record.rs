//! From a plan to a run in the store.

use super::Proven;
use cupel_machine::Machine;
use cupel_plan::FailureKind;
use cupel_store::{Store, StoreError};
use cupel_verify::Unfit;
use cupel_verify::contenders::Proof;

impl Proven {
    /// Stores the plan as a new run, with its proofs, and returns the run's number. `suite_text` is
    /// the text of the suite, and `command` the command line that began the run.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn record(
        &self,
        store: &mut Store,
        suite_text: &str,
        machine: &Machine,
        command: &str,
    ) -> Result<i64, StoreError> {
        let Proven { plan, proofs, .. } = self;
        // In one transaction: a run without its proofs must not be there to be resumed.
        store.at_once(|store| {
            let run = store.begin(plan, suite_text, machine, command)?;
            for proof in proofs {
                let unfit = proof.unfit.as_ref();
                let failure = unfit.filter(|u| u.is_failure()).map(Unfit::in_words);
                let Proof { contender, cases, notes, .. } = proof;
                store.verified(run, *contender, *cases, notes, failure.as_deref())?;
                let Some(unfit) = unfit else { continue };
                for cell in (0..plan.cells.len()).filter(|&c| proof.concerns(plan, c)) {
                    store.cell_failed(run, cell, unfit.kind(), &unfit.in_words())?;
                }
            }
            // Cells that have their own reason keep it.
            for (wrong, failure) in proofs.iter().filter_map(Proof::wrong_answer) {
                for cell in wrong.cells(plan) {
                    store.cell_failed(run, cell, FailureKind::Wrong, &failure.elsewhere())?;
                }
            }
            Ok(run)
        })
    }
}
