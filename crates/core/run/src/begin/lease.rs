//! One process for each run. A run that began with `--anyway` does without the turn of the machine
//! (`turn.rs`), so the turn does not show which process measures a run: its lease does. Both are
//! locks on files in the cache, and a run that is measured holds them to its end.

use anyhow::{Context, Result, bail};
use cupel_base::disk::Lock;
use cupel_base::home::Home;
use cupel_store::Store;
use sha2::{Digest, Sha256};

/// The right to measure a run, until it is dropped.
///
/// # Errors
/// If another process has it, or the cache cannot be written.
pub fn lease(home: &Home, store: &Store, run: i64) -> Result<Lock> {
    // Not a lock on the store itself: closing a second descriptor of it would drop SQLite's locks.
    let path = std::fs::canonicalize(store.path())?;
    let digest = hex::encode(&Sha256::digest(path.as_os_str().as_encoded_bytes())[..8]);
    let file = home.cache.join("leases").join(format!("{digest}-{run}"));
    match Lock::try_take(&file).with_context(|| format!("cannot lock {}", file.display()))? {
        Some(lock) => Ok(lock),
        None => bail!(
            "run {run} is being measured by another process; wait for it, or leave out --resume"
        ),
    }
}
