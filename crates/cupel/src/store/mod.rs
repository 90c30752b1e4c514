//! The store: one SQLite file with every run, down to its raw slices. A round is a transaction, so a
//! kill loses at most the round in flight. Analysis and presentation read this and nothing else.

mod boots;
mod code_paths;
mod foreign;
mod garbage;
mod import;
mod lease;
mod read;
mod remember;
mod schema;
mod slices;
mod write;

pub use boots::BootRow;
pub use code_paths::CodePaths;
pub use foreign::ForeignRow;
pub use garbage::Garbage;
pub use import::Imported;
pub use lease::Lease;
pub use read::{ForkRow, Planned, Recorded, RoundRow, RunRow, SliceRow, WarmUpRow};
pub use slices::Field;
pub use write::{RoundRecord, SliceRecord, WarmUpRecord};

use rusqlite::{Connection, ErrorCode};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long one process waits for another that writes.
const PATIENCE: Duration = Duration::from_secs(10);

/// Refuses to write something else over a store: every run in it would be lost.
///
/// # Errors
/// A sentence, where a file begins as SQLite's do.
pub fn spare(path: &Path) -> anyhow::Result<()> {
    let mut head = [0; 16];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut head));
    anyhow::ensure!(
        read.is_err() || head != *b"SQLite format 3\0",
        "{} is a store, which would be lost: name another file",
        path.display()
    );
    Ok(())
}

/// An open store. Not shared between threads; several processes may have one file open.
pub struct Store {
    db: Connection,
    path: PathBuf,
}

/// Why the store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// SQLite says so.
    #[error("the store {}: {source}", .path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// SQLite's words.
        source: rusqlite::Error,
    },
    /// The file is of a later Cupel.
    #[error(
        "the store {} has schema {found}; this cupel knows up to {known}: use a newer cupel",
        .path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// The newest that is known here.
        known: i64,
    },
    /// The file is a database of something else.
    #[error(
        "{} is a database, but none of cupel's: name another file with --store",
        .path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The folder cannot be made.
    #[error("cannot make the folder of the store {}: {source}", .path.display())]
    Folder {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// There is no such run.
    #[error("{0}")]
    NoRun(String),
    /// What was stored cannot be understood.
    #[error("the store {} is damaged: {what}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
}

impl Store {
    /// Opens a store, making or migrating it where needed.
    ///
    /// # Errors
    /// Where the file cannot be opened, is no store, or is of a later Cupel.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)
                .map_err(|source| StoreError::Folder { path: path.into(), source })?;
        }
        let db = Connection::open(path).map_err(|source| wrap(path, source))?;
        Store::over(db, path)
    }

    /// Opens a store that is there, for reading: a misspelt path makes no new one.
    ///
    /// # Errors
    /// Where there is no such file, and as [`Store::open`].
    pub fn existing(path: &Path) -> Result<Store, StoreError> {
        if !path.exists() {
            let path = path.display();
            let what = format!("there is no run yet; `cupel run` makes one (no store {path})");
            return Err(StoreError::NoRun(what));
        }
        Store::open(path)
    }

    /// A store in memory, for simulations.
    ///
    /// # Errors
    /// Where SQLite cannot make one.
    pub fn in_memory() -> Result<Store, StoreError> {
        let path = Path::new(":memory:");
        let db = Connection::open_in_memory().map_err(|source| wrap(path, source))?;
        Store::over(db, path)
    }

    fn over(mut db: Connection, path: &Path) -> Result<Store, StoreError> {
        let sqlite = |source| wrap(path, source);
        db.busy_timeout(PATIENCE).map_err(sqlite)?;
        schema::check(&db, path)?;
        // Write-ahead with NORMAL: a commit survives the death of the process; only a power cut may
        // take the last rounds, and never the file.
        write_ahead(&db).map_err(sqlite)?;
        db.pragma_update(None, "synchronous", "normal").map_err(sqlite)?;
        db.pragma_update(None, "foreign_keys", "on").map_err(sqlite)?;
        schema::migrate(&mut db, path)?;
        Ok(Store { db, path: path.to_path_buf() })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn wrap(&self, source: rusqlite::Error) -> StoreError {
        wrap(&self.path, source)
    }

    fn damaged(&self, what: impl Into<String>) -> StoreError {
        StoreError::Damaged { path: self.path.clone(), what: what.into() }
    }
}

/// Of two processes that make one store at once, SQLite refuses one at this point and does not let it wait.
fn write_ahead(db: &Connection) -> rusqlite::Result<()> {
    let began = Instant::now();
    loop {
        match db.pragma_update(None, "journal_mode", "wal") {
            Err(e)
                if e.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && began.elapsed() < PATIENCE =>
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            done => return done,
        }
    }
}

fn wrap(path: &Path, source: rusqlite::Error) -> StoreError {
    StoreError::Sqlite { path: path.to_path_buf(), source }
}
