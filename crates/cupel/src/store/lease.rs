//! A run is measured by one process at a time.

use std::fs::{File, TryLockError};
use std::path::Path;

/// The right to measure a run. The system takes it back when the process ends, however it ends.
#[derive(Debug)]
pub struct Lease {
    _lock: File,
}

impl Lease {
    /// Takes a run of a store; `None` where another process measures it. `folder` is Cupel's own, on
    /// this machine: a second descriptor of the store itself, when closed, would drop SQLite's locks.
    ///
    /// # Errors
    /// Where the folder cannot be written.
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
