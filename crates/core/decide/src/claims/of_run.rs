//! The questions to a run besides its figures: the claims of its suite, and the gate between two
//! builds. Both are stored with the run, so their verdicts are there wherever the run is shown.

use super::cover::cells;
use super::{Answered, Claimant, Decisions, Scope, decide, gate};
use cupel_plan::Plan;
use cupel_store::{Planned, Store, StoreError};
use cupel_suite::asked::NAME;
use cupel_suite::said::QUESTION;
use cupel_suite::{Claim, Suite};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The verdicts of a run, decided by this run alone.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Verdicts {
    /// On the claims of its suite, or of its command line.
    pub claims: Decisions,
    /// On the claims that this build is not slower than the other.
    pub gate: Decisions,
}

impl Verdicts {
    /// The verdicts of a run. The store remembers them if it can.
    ///
    /// # Errors
    /// If there is no such run, or the store cannot be read.
    pub fn for_run(store: &Store, run: i64) -> Result<Verdicts, StoreError> {
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
        // The findings of another run or a leak test about a contender change them.
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

/// Claims that were asked in one line.
pub struct Asked {
    /// Each as its newest run decides it, the newest first.
    pub answered: Vec<Answered>,
    /// All of them as one suite.
    pub suite: Suite,
}

/// The claims that were asked in one line, in this run or on the machine with this fingerprint.
/// `None` if there are none.
///
/// # Errors
/// If the store cannot be read.
pub fn asked(
    store: &Store,
    run: Option<i64>,
    fingerprint: Option<&str>,
) -> Result<Option<Asked>, StoreError> {
    let mut found: Option<Asked> = None;
    let of_claims = |planned: &&Planned| {
        planned.run.suite == NAME && planned.plan.question.starts_with(QUESTION)
    };
    for planned in store.plans(run)?.iter().filter(of_claims) {
        let id = planned.run.id;
        if fingerprint.is_some_and(|here| here != planned.fingerprint) {
            continue;
        }
        let Ok(suite) = Suite::parse(Path::new(NAME), store.suite_text(id)?) else { continue };
        let question = "Claims that were asked in one line".to_string();
        let suite = Suite { name: NAME.to_string(), question, claims: vec![], ..suite };
        let asked = found.get_or_insert_with(|| Asked { answered: vec![], suite });
        for one in Verdicts::for_run(store, id)?.claims.answered {
            // It may have been asked again, with other numbers of forks.
            let known = asked.suite.claims.iter().any(|claim| {
                *claim
                    == Claim { line: claim.line, quote: claim.quote.clone(), ..one.claim.clone() }
            });
            if !known {
                asked.suite.claims.push(one.claim.clone());
                asked.answered.push(one);
            }
        }
    }
    Ok(found.filter(|asked| !asked.answered.is_empty()))
}

/// Decides claims by a run alone.
fn claims(store: &Store, run: i64, claimant: &Claimant<'_>) -> Result<Decisions, StoreError> {
    let scope = Scope { run: Some(run), ..Scope::default() };
    let (answered, intervals) = decide(store, std::slice::from_ref(claimant), &scope)?;
    Ok(Decisions { answered, intervals })
}

/// Whether the plan has both contenders of a claim at one of its sizes, present or not.
fn is_asked(plan: &Plan, claim: &Claim) -> bool {
    claim.sizes.iter().any(|&size| !matches!(cells(plan, claim, size), Ok(None)))
}
