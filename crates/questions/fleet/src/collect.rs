//! Merges the stores of a fleet into one, whether or not their runs are finished.

use super::copy;
use super::state::{self, Fleet};
use anyhow::{Result, anyhow};
use cupel_store::{Imported, Store};
use std::path::Path;

/// The result for one machine's store.
#[derive(Debug)]
pub struct Collected {
    /// The machine's name.
    pub name: String,
    /// The added runs; `None` if there is no store yet.
    pub imported: Result<Option<Imported>>,
}

/// Adds the measurements of every machine so far to a store. A second time adds only new ones. A
/// store that is damaged is left out as a whole, with its reason; the others are added.
pub fn collect(folder: &Path, fleet: &Fleet, store: &mut Store) -> Vec<Collected> {
    let collected = fleet.members.iter().map(|member| Collected {
        name: member.name.clone(),
        imported: import(&state::store(folder, member), store),
    });
    collected.collect()
}

fn import(from: &Path, store: &mut Store) -> Result<Option<Imported>> {
    let Some(copy) = copy::copy(from)? else { return Ok(None) };
    // The message names the reader's store, and not its copy.
    let (own, known) = (copy.path.display().to_string(), from.display().to_string());
    let imported = store.import_parts(&copy.path);
    imported.map(Some).map_err(|e| anyhow!(e.to_string().replace(&own, &known)))
}
