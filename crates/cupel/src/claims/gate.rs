//! What is to be said of two builds that were measured in one run.

use super::{Answered, Claimant, Scope, decide};
use crate::against;
use crate::store::{Recorded, Store, StoreError};

/// Decides by a run whether one of its contenders is slower than its other build by more than a
/// share; nothing where the run has not two builds. The number of intervals that are joint comes
/// with it.
///
/// # Errors
/// Where the store cannot be read.
pub fn gate(
    store: &Store,
    recorded: &Recorded,
    margin: f64,
) -> Result<Option<(Vec<Answered>, usize)>, StoreError> {
    let claims = against::claims(&recorded.plan, margin);
    if claims.is_empty() {
        return Ok(None);
    }
    let (name, options) = (recorded.run.suite.as_str(), &recorded.plan.options);
    let claimant = Claimant { name, options, claims: &claims };
    let scope = Scope { run: Some(recorded.run.id), ..Scope::default() };
    decide(store, &[claimant], &scope).map(Some)
}
