//! What a run was asked besides its figures: the claims of its suite, and the gate between two
//! builds. Both are stored with the run, so their verdicts are there wherever the run is shown.

use super::cover::cells;
use super::{Claimant, Decisions, Scope, decide, gate};
use cupel_plan::Plan;
use cupel_store::{Store, StoreError};
use cupel_suite::{Claim, Suite};
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
        let planned = store.plans(Some(run))?.remove(0);
        let name = &planned.run.suite;
        let suite = Suite::parse(Path::new(name), store.suite_text(run)?).ok();
        let suite = suite.map(|suite| Suite { name: name.clone(), ..suite });
        let asked: Vec<Claim> = suite
            .iter()
            .flat_map(|suite| &suite.claims)
            .filter(|claim| is_asked(&planned.plan, claim))
            .cloned()
            .collect();
        if asked.is_empty() && planned.plan.options.margin.is_none() {
            return Ok(Verdicts::default());
        }
        // What another run or a leak test finds out about a contender changes them.
        let key = format!("verdicts with {}", store.besides(run)?);
        let (_, verdicts) = store.remembered(Some(run), &key, |recorded| {
            let claims = match &suite {
                Some(suite) => {
                    let claimant = Claimant { claims: &asked, ..Claimant::from(suite) };
                    claims(store, run, &claimant)?
                }
                None => Decisions::default(),
            };
            Ok(Verdicts { claims, gate: gate(store, recorded)? })
        })?;
        Ok(verdicts)
    }

    /// Whether nothing was asked but figures.
    pub fn is_empty(&self) -> bool {
        self.claims.answered.is_empty() && self.gate.answered.is_empty()
    }
}

/// Decides claims by a run alone.
fn claims(store: &Store, run: i64, claimant: &Claimant<'_>) -> Result<Decisions, StoreError> {
    let scope = Scope { run: Some(run), ..Scope::default() };
    let (answered, intervals) = decide(store, std::slice::from_ref(claimant), &scope)?;
    Ok(Decisions { answered, intervals })
}

/// Whether both contenders of a claim take part at one of its sizes, present or not.
fn is_asked(plan: &Plan, claim: &Claim) -> bool {
    claim.sizes.iter().any(|&size| !matches!(cells(plan, claim, size), Ok(None)))
}
