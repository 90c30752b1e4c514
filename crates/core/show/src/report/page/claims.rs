//! The claims on a page: the document of `cupel check --format json`, decided by this run alone.

use crate::report;
use anyhow::Result;
use cupel_decide::claims::{Claimant, Scope, decide};
use cupel_store::Store;
use cupel_suite::{Options, Suite};
use sha2::{Digest, Sha256};
use std::path::Path;

/// Decides the claims of the run's own suite, as the store has it, and of others. `null` if there
/// are none.
pub fn decided(store: &Store, run: i64, others: &[Suite]) -> Result<String> {
    let mut suites: Vec<Suite> = own(store, run)?.into_iter().collect();
    for suite in others {
        suites.retain(|known| known.name != suite.name);
        suites.push(suite.clone());
    }
    suites.retain(|suite| !suite.claims.is_empty());
    if suites.is_empty() {
        return Ok("null".to_string());
    }
    let mut asked = Sha256::new();
    for text in suites.iter().flat_map(|suite| [&suite.name, &suite.text]) {
        asked.update((text.len() as u64).to_le_bytes());
        asked.update(text);
    }
    let asked = hex::encode(&asked.finalize()[..16]);
    let what = format!("claims {asked} with {}", store.besides(run)?);
    let (_, document) = store.remembered(Some(run), &what, |_| {
        let scope = Scope { run: Some(run), ..Scope::default() };
        let claimants: Vec<Claimant<'_>> = suites.iter().map(Claimant::from).collect();
        let (answered, intervals) = decide(store, &claimants, &scope)?;
        let unclaimed: Vec<_> = suites
            .iter()
            .flat_map(|s| s.unclaimed.iter().map(|said| (s.name.clone(), said.clone())))
            .collect();
        let alpha = Options::default().alpha;
        anyhow::Ok(report::claims::json(&answered, &unclaimed, intervals, alpha))
    })?;
    Ok(document)
}

/// The suite that the run measured. `None` if this version cannot read its text, as of a run with a
/// filter or of two builds.
fn own(store: &Store, run: i64) -> Result<Option<Suite>> {
    let text = store.suite_text(run)?;
    let planned = store.plans(Some(run))?.remove(0);
    let suite = Suite::parse(Path::new(&planned.run.suite), text).ok();
    Ok(suite.map(|suite| Suite { name: planned.run.suite, ..suite }))
}
