//! Decides the claims about two builds that were measured in one run.

use super::{Claimant, Decisions, Scope, decide};
use cupel_plan::against;
use cupel_store::{Recorded, Store, StoreError};

/// Decides from a run whether one of its contenders is slower than its other build by more than the
/// run's margin; no decisions if the run does not have two builds.
///
/// # Errors
/// If the store cannot be read.
pub fn gate(store: &Store, recorded: &Recorded) -> Result<Decisions, StoreError> {
    let Some(margin) = recorded.plan.options.margin else { return Ok(Decisions::default()) };
    let claims = against::claims(&recorded.plan, margin);
    let (name, options) = (recorded.run.suite.as_str(), &recorded.plan.options);
    let claimant = Claimant { name, options, claims: &claims };
    let scope = Scope { run: Some(recorded.run.id), ..Scope::default() };
    let (answered, intervals) = decide(store, &[claimant], &scope)?;
    Ok(Decisions { answered, intervals })
}
