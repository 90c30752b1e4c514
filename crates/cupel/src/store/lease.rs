//! Ensures that only one process measures a run.

use std::fs::{File, TryLockError};
use std::path::Path;

/// The right to measure a run. The system releases it when the process ends, however it ends.
#[derive(Debug)]
pub struct Lease {
    _lock: File,
}

impl Lease {
    /// Takes the lease of a run; `None` if another process has it. `folder` is a folder of Cupel's
    /// own on this machine: closing a second descriptor of the store itself would drop SQLite's
    /// locks.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn take(folder: &Path, store: &Path, run: i64) -> std::io::Result<Option<Lease>> {
        use sha2::Digest;
        std::fs::create_dir_all(folder)?;
        let store = std::fs::canonicalize(store)?;
        let digest = sha2::Sha256::digest(store.as_os_str().as_encoded_bytes());
        let file = folder.join(format!("{}-{run}", hex::encode(&digest[..8])));
        let lock = File::create(file)?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Lease { _lock: lock })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}
