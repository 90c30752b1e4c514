//! The changes between two stored runs, as far as they allow: `cupel show RUN_A RUN_B`.

use anyhow::{Result, bail};
use cupel_analyse::{NotCompared, across};
use cupel_show::report::{self, Format};
use cupel_store::Store;
use cupel_verb::which::which;

/// Compares the runs that two words mean, as a table or as JSON.
///
/// # Errors
/// If they are one run, one of them is not finished, or they have nothing in common.
pub fn compared(store: &Store, first: &str, second: &str, format: Format) -> Result<String> {
    let (first, second) = (which(store, first)?, which(store, second)?);
    if first == second {
        bail!("run {first} is compared with itself: name two runs, such as previous and last");
    }
    let (first, second) = (store.load(Some(first))?, store.load(Some(second))?);
    for recorded in [&first, &second] {
        if recorded.run.finished.is_none() {
            let (id, suite) = (recorded.run.id, &recorded.run.suite);
            bail!("run {id} is not finished; `cupel run {suite} --resume` continues it");
        }
    }
    let found = across(&first, &second);
    if found.workloads.is_empty() {
        let why: Vec<String> = found.left_out.iter().map(NotCompared::words).collect();
        bail!("the two runs have nothing in common: {}", why.join("; "));
    }
    Ok(match format {
        Format::Json => report::compare::json(&first, &second, &found),
        _ => report::compare::draw(&first, &second, &found),
    })
}
