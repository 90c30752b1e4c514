//! What a run was asked besides its figures: the claims of its suite, and the gate between two
//! builds. Both are stored with the run, so their verdicts are there wherever the run is shown.

use super::cover::cells;
use super::{Claimant, Decisions, Scope, decide, gate};
use crate::plan::Plan;
use crate::store::{Recorded, Store, StoreError};
use crate::suite::{Claim, Suite};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The verdicts of a run, decided by this run alone.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Verdicts {
    /// On the claims of its suite, or of its command line.
    pub claims: Decisions,
    /// On the claims that this build is not slower than the other one.
    pub gate: Decisions,
}

impl Verdicts {
    /// The verdicts of a run. The store remembers them if it can.
    ///
    /// # Errors
    /// If there is no such run, or the store cannot be read.
    pub fn of(store: &Store, run: i64) -> Result<Verdicts, StoreError> {
        // What another run finds out about a contender changes them.
        let what = format!("verdicts with {} doubts", store.doubts(run)?);
        let decided = |recorded: &mut Recorded| -> Result<Verdicts, StoreError> {
            Ok(Verdicts { claims: claims(store, recorded)?, gate: gate(store, recorded)? })
        };
        Ok(store.remembered(Some(run), &what, decided)?.1)
    }

    /// Whether nothing was asked but figures.
    pub fn is_empty(&self) -> bool {
        self.claims.answered.is_empty() && self.gate.answered.is_empty()
    }
}

/// Decides the claims of the run's own suite that are about what it measures.
fn claims(store: &Store, recorded: &Recorded) -> Result<Decisions, StoreError> {
    let name = &recorded.run.suite;
    let text = store.suite_text(recorded.run.id)?;
    let Ok(suite) = Suite::parse(Path::new(name), text) else { return Ok(Decisions::default()) };
    let asked: Vec<Claim> =
        suite.claims.into_iter().filter(|claim| is_asked(&recorded.plan, claim)).collect();
    if asked.is_empty() {
        return Ok(Decisions::default());
    }
    let claimant = Claimant { name, options: &suite.options, claims: &asked };
    let scope = Scope { run: Some(recorded.run.id), ..Scope::default() };
    let (answered, intervals) = decide(store, &[claimant], &scope)?;
    Ok(Decisions { answered, intervals })
}

/// Whether both contenders of a claim take part at one of its sizes, present or not.
fn is_asked(plan: &Plan, claim: &Claim) -> bool {
    claim.sizes.iter().any(|&size| !matches!(cells(plan, claim, size), Ok(None)))
}
