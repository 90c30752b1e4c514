//! Decides the claims about two builds that were measured in one run.

use super::{Answered, Claimant, Scope, decide};
use crate::against;
use crate::store::{Recorded, Store, StoreError};

/// Decides from a run whether one of its contenders is slower than its other build by more than the
/// run's margin. Returns `None` if the run does not have two builds, otherwise the decisions and
/// the number of joint intervals. A run of an older version does not have its margin: `given`
/// applies then, or else [`against::MARGIN`].
///
/// # Errors
/// If the store cannot be read.
pub fn gate(
    store: &Store,
    recorded: &Recorded,
    given: Option<f64>,
) -> Result<Option<(Vec<Answered>, usize)>, StoreError> {
    let margin = recorded.plan.options.margin.or(given).unwrap_or(against::MARGIN);
    let claims = against::claims(&recorded.plan, margin);
    if claims.is_empty() {
        return Ok(None);
    }
    let (name, options) = (recorded.run.suite.as_str(), &recorded.plan.options);
    let claimant = Claimant { name, options, claims: &claims };
    let scope = Scope { run: Some(recorded.run.id), ..Scope::default() };
    decide(store, &[claimant], &scope).map(Some)
}
