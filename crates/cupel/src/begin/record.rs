//! From a plan to a run in the store.

use super::Proven;
use crate::machine::Machine;
use crate::store::{Store, StoreError};

impl Proven {
    /// Begins a run of it, and records what was proved; returns the run's number. `suite_text` is
    /// the suite's, and `command` the command line that began it.
    ///
    /// # Errors
    /// Where the store cannot be written.
    pub fn record(
        &self,
        store: &mut Store,
        suite_text: &str,
        machine: &Machine,
        command: &str,
    ) -> Result<i64, StoreError> {
        let Proven { plan, proofs } = self;
        // All in one: a run of which it is not known who was wrong must not be there to go on with.
        store.at_once(|store| {
            let run = store.begin(plan, suite_text, machine, command)?;
            for proof in proofs {
                let failure = proof.failure.as_deref();
                store.verified(run, proof.contender, proof.cases, &proof.notes, failure)?;
                let Some(reason) = failure else { continue };
                for cell in (0..plan.cells.len()).filter(|&c| proof.concerns(plan, c)) {
                    store.cell_failed(run, cell, "failed", reason)?;
                }
            }
            Ok(run)
        })
    }
}
