//! The store: one SQLite file with every run, down to its raw slices. A round is a transaction, so
//! a kill loses at most the round in flight. Analysis and reports read only this.

pub mod boot;
mod boots;
mod circumstances;
mod code_paths;
mod doubt;
mod extent;
mod foreign;
mod garbage;
mod gates;
mod genuine;
mod import;
mod leak_tests;
mod read;
mod remember;
mod same;
mod schema;
mod slices;
mod write;

pub use boots::BootRow;
pub use circumstances::Circumstances;
pub use code_paths::CodePaths;
pub use extent::Extent;
pub use foreign::{ForeignFile, ForeignResult, ForeignRow};
pub use garbage::{Garbage, Heap};
pub use import::Imported;
pub use leak_tests::{LeakTest, LeakTests, LeakVerdict, NOT_TESTED, SeenLeak};
pub use read::{ForkRow, Planned, Recorded, RoundRow, RunRow, SliceRow, WarmUpRow};
pub use slices::Field;
pub use write::{RoundRecord, SliceRecord, WarmUpRecord};

use cupel_base::text::{tell, utc};
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// How long another process may keep a store locked before this one gives up.
const PATIENCE: Duration = Duration::from_secs(10);

/// Refuses to overwrite a store: every run in it would be lost.
///
/// # Errors
/// A sentence, if the file begins like SQLite's files.
pub fn spare(path: &Path) -> anyhow::Result<()> {
    let mut head = [0; 16];
    let read = cupel_base::strange::open(path).and_then(|mut file| file.read_exact(&mut head));
    anyhow::ensure!(
        read.is_err() || head != *b"SQLite format 3\0",
        "{} is a store and would be overwritten: name another file",
        path.display()
    );
    Ok(())
}

/// An open store. It is not shared between threads; several processes may open one file.
pub struct Store {
    db: Connection,
    path: PathBuf,
    /// Which file it was when it was opened, if it is one.
    file: Option<(u64, u64)>,
    /// The parts that were reported as left out.
    left_out: RefCell<BTreeSet<String>>,
}

/// Why the store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// An error from SQLite.
    #[error("the store {}: {error}; {}", .path.display(), remedy(.error))]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// SQLite's error. It is no `source`: a chain would print each message twice.
        error: rusqlite::Error,
    },
    /// The disk is full.
    #[error(
        "the disk of the store {} is full: free some space on it; finished forks are safe, and \
         `cupel run SUITE --resume` goes on. To begin again on another disk, give a file there with \
         --store",
        .path.display()
    )]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// The file comes from another version of Cupel.
    #[error(
        "the store {} has schema {found}, and this cupel reads schema {known} only: use the cupel \
         that made it, or name another file with --store",
        .path.display()
    )]
    OtherSchema {
        /// The file.
        path: PathBuf,
        /// The number of its schema.
        found: i64,
        /// The number of the schema that is known here.
        known: i64,
    },
    /// The file is a database of another program.
    #[error(
        "{} is a database, but not a store of cupel: name another file with --store",
        .path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file is not a database.
    #[error(
        "{} is not a store of cupel, or it is damaged: move it away, or name another file with --store",
        .path.display()
    )]
    NoDatabase {
        /// The file.
        path: PathBuf,
    },
    /// A folder is named.
    #[error("{} is a folder: name a file with --store, such as {}", .path.display(), .path.join("runs.sqlite").display())]
    IsFolder {
        /// The folder.
        path: PathBuf,
    },
    /// The file cannot be written, and may change while it is read, or is not all that was written.
    #[error(
        "the store {} cannot be read where you cannot write: copy it, and what lies next to it under its \
         name, to a folder of yours, and name the copy with --store",
        .path.display()
    )]
    Unwritable {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be read.
    #[error("the store {} cannot be read: {error}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The folder cannot be created.
    #[error(
        "cannot make the folder of the store {}: {error}; name a file elsewhere with --store",
        .path.display()
    )]
    Folder {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// There is no such run.
    #[error("{0}")]
    NoRun(String),
    /// The file is no longer where it was.
    #[error(
        "the store {} was moved or deleted while it was written: put it back, or run this again; what \
         was written since may be lost",
        .path.display()
    )]
    Gone {
        /// Where it was.
        path: PathBuf,
    },
    /// A run was measured by a method that this program does not know.
    #[error(
        "run {run} of the store {} was measured by method {found}, and this cupel knows the methods up \
         to {known}: read it with the cupel that measured it, or a newer one",
        .path.display()
    )]
    LaterMethod {
        /// The file.
        path: PathBuf,
        /// The number of the run.
        run: i64,
        /// The method of the run.
        found: u32,
        /// The last method that is known here.
        known: u32,
    },
    /// The stored data cannot be understood.
    #[error(
        "the store {} is damaged: {what}; use a copy of it, or move it away and begin a new one",
        .path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The fault, in words.
        what: String,
    },
}

impl Store {
    /// Opens a store, and creates it if needed.
    ///
    /// # Errors
    /// If the file cannot be opened, is not a store, or has another schema.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        if path.is_dir() {
            return Err(StoreError::IsFolder { path: path.into() });
        }
        if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)
                .map_err(|error| StoreError::Folder { path: path.into(), error })?;
        }
        let db = Connection::open(path).map_err(wrap(path))?;
        Store::over(db, path)
    }

    /// Opens an existing store for reading: a misspelt path must not create one. A store that
    /// cannot be written is read as it is.
    ///
    /// # Errors
    /// If there is no such file; otherwise as [`Store::open`].
    pub fn existing(path: &Path) -> Result<Store, StoreError> {
        if !path.exists() {
            let path = path.display();
            let what =
                format!("there are no runs yet; start one with `cupel run` (no store {path})");
            return Err(StoreError::NoRun(what));
        }
        match Store::open(path) {
            Err(StoreError::Sqlite { error, .. }) if cannot_write(&error) => {
                Store::unwritable(path)
            }
            opened => opened,
        }
    }

    /// Opens a store where nothing can be written, without the locks and logs that SQLite would
    /// make. Whoever can write it has no run under way, because that would have a log.
    fn unwritable(path: &Path) -> Result<Store, StoreError> {
        let real = std::fs::File::open(path).and_then(|_| path.canonicalize());
        let path = &real.map_err(|error| StoreError::Unreadable { path: path.into(), error })?;
        let has_logs = ["-wal", "-journal"].iter().any(|end| {
            let mut log = path.as_os_str().to_owned();
            log.push(end);
            std::fs::metadata(log).is_ok_and(|file| file.len() > 0)
        });
        if has_logs || path.to_str().is_none() {
            return Err(StoreError::Unwritable { path: path.into() });
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let name = path.to_string_lossy();
        let name = name.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
        let uri = format!("file:{name}?immutable=1");
        let db = Connection::open_with_flags(uri, flags).map_err(wrap(path))?;
        if !schema::exists(&db, path)? {
            return Err(StoreError::NoDatabase { path: path.to_path_buf() });
        }
        Ok(Store::with_connection(db, path))
    }

    fn with_connection(db: Connection, path: &Path) -> Store {
        let (path, file) = (path.to_path_buf(), file_at(path));
        Store { db, path, file, left_out: RefCell::default() }
    }

    /// Creates a store in memory, for simulations.
    ///
    /// # Errors
    /// If SQLite cannot create one.
    pub fn in_memory() -> Result<Store, StoreError> {
        let path = Path::new(":memory:");
        let db = Connection::open_in_memory().map_err(wrap(path))?;
        Store::over(db, path)
    }

    fn over(mut db: Connection, path: &Path) -> Result<Store, StoreError> {
        db.busy_timeout(PATIENCE).map_err(wrap(path))?;
        schema::exists(&db, path)?;
        // Write-ahead log with NORMAL: a commit survives the death of the process. A power cut can
        // lose only the last rounds, never the file.
        write_ahead(&db).map_err(wrap(path))?;
        db.pragma_update(None, "synchronous", "normal").map_err(wrap(path))?;
        db.pragma_update(None, "foreign_keys", "on").map_err(wrap(path))?;
        schema::create(&mut db, path)?;
        Ok(Store::with_connection(db, path))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The rows of a query that can be understood. A broken run or test does not keep the others
    /// from their reader, who hears of it.
    fn readable<T>(
        &self,
        what: &str,
        sql: &str,
        params: impl rusqlite::Params,
        mut read: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let rows = self.all(sql, params, |row| match read(row) {
            Err(error) if is_broken(&error) => {
                let id = row.get::<_, i64>(0).map_or("?".to_string(), |id| id.to_string());
                self.leave_out(&format!("{what} {id}"), &error);
                Ok(None)
            }
            read => read.map(Some),
        })?;
        Ok(rows.into_iter().flatten().collect())
    }

    /// Says, once for each, that a part of the store is left out because it cannot be understood.
    fn leave_out(&self, part: &str, why: &dyn std::fmt::Display) {
        if self.left_out.borrow_mut().insert(part.to_string()) {
            let path = self.path.display();
            tell(&format!("cupel: {part} of the store {path} is damaged and left out: {why}"));
        }
    }

    /// Whether the file is still where it was opened: data written to a deleted one are lost with
    /// this process.
    fn is_there(&self) -> Result<(), StoreError> {
        if self.file.is_none() || file_at(&self.path) == self.file {
            return Ok(());
        }
        Err(StoreError::Gone { path: self.path.clone() })
    }

    /// All rows of a query.
    fn all<T>(
        &self,
        sql: &str,
        params: impl rusqlite::Params,
        read: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let mut select = self.db.prepare(sql).map_err(wrap(&self.path))?;
        let rows = select.query_map(params, read);
        rows.and_then(Iterator::collect).map_err(wrap(&self.path))
    }

    fn change(&self, sql: &str, params: impl rusqlite::Params) -> Result<(), StoreError> {
        self.db.execute(sql, params).map(drop).map_err(wrap(&self.path))
    }

    fn wrap(&self, error: rusqlite::Error) -> StoreError {
        wrap(&self.path)(error)
    }

    fn damaged(&self, what: impl Into<String>) -> StoreError {
        damaged(&self.path, what)
    }
}

/// Switches the file to write-ahead logging, and waits while another process does the same. SQLite
/// ignores its busy timeout during this change, because two connections that both read and want to
/// write would wait for each other.
fn write_ahead(db: &Connection) -> rusqlite::Result<()> {
    let begun = Instant::now();
    loop {
        match db.pragma_update(None, "journal_mode", "wal") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && begun.elapsed() < PATIENCE =>
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            changed => return changed,
        }
    }
}

/// This moment, in the form of the store: UTC, ISO 8601.
fn now() -> String {
    utc(SystemTime::now())
}

/// Whether a text is a time in the form that stores use. Runs are sorted by these texts, so a time
/// in another form would always or never be the newest.
fn is_time(text: &str) -> bool {
    let form = b"0000-00-00T00:00:00Z";
    text.len() == form.len()
        && text.bytes().zip(form).all(|(byte, form)| match form {
            b'0' => byte.is_ascii_digit(),
            _ => byte == *form,
        })
}

/// Whether the file has a table: stores are older than some.
fn has(db: &Connection, table: &str) -> rusqlite::Result<bool> {
    let sql = "select count(*) from sqlite_master where type = 'table' and name = ?";
    Ok(db.query_row(sql, [table], |row| row.get::<_, i64>(0))? > 0)
}

/// Turns errors of SQLite into errors of a store.
fn wrap(path: &Path) -> impl Fn(rusqlite::Error) -> StoreError {
    |error| match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StoreError::Full { path: path.into() },
        Some(ErrorCode::NotADatabase) => StoreError::NoDatabase { path: path.into() },
        Some(ErrorCode::DatabaseCorrupt) => damaged(path, error.to_string()),
        _ if is_broken(&error) => damaged(path, error.to_string()),
        _ => StoreError::Sqlite { path: path.into(), error },
    }
}

/// Whether a stored value is not one that Cupel stores there: SQLite itself has read it well.
fn is_broken(error: &rusqlite::Error) -> bool {
    use rusqlite::Error::{
        FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error,
    };
    matches!(
        error,
        FromSqlConversionFailure(..)
            | IntegralValueOutOfRange(..)
            | InvalidColumnType(..)
            | Utf8Error(..)
    )
}

/// The identity of a file, which another file in its place lacks.
#[cfg(unix)]
fn file_at(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

#[cfg(not(unix))]
fn file_at(_: &Path) -> Option<(u64, u64)> {
    None
}

/// What to do about an error of SQLite that has no words of its own here.
fn remedy(error: &rusqlite::Error) -> &'static str {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            "another process has it: wait for its end, or name another file with --store"
        }
        _ => {
            "see whether the file, its folder and its disk can be written, or name another file with --store"
        }
    }
}

fn damaged(path: &Path, what: impl Into<String>) -> StoreError {
    StoreError::Damaged { path: path.into(), what: what.into() }
}

/// Whether SQLite could not write the file, or could not make the files that it needs next to it.
fn cannot_write(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    #[test]
    fn a_store_that_cannot_be_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("100%? #1.sqlite");
        let before = || std::fs::read_dir(folder.path()).unwrap().count();
        let mut store = Store::open(&path).unwrap();
        store.db.execute_batch("pragma wal_checkpoint(truncate)").unwrap();
        drop(store);
        assert_eq!(before(), 1);
        let read = Store::unwritable(&path).unwrap();
        assert!(read.runs().unwrap().is_empty());
        assert_eq!(before(), 1, "nothing is made next to it");
        let refused = read.db.execute("delete from run", []).unwrap_err();
        assert!(cannot_write(&refused), "{refused}");

        // Rows that are only in the log would be missing.
        store = Store::open(&path).unwrap();
        store.db.execute_batch("create table more (x)").unwrap();
        let said = Store::unwritable(&path).err().expect("a refusal").to_string();
        assert!(said.contains("to a folder of yours, and name the copy with --store"), "{said}");
        let said =
            Store::unwritable(&folder.path().join("none")).err().expect("a refusal").to_string();
        assert!(said.contains("cannot be read: No such file"), "{said}");
    }

    #[test]
    fn what_is_no_store_is_said_with_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let said = |path: &Path| Store::open(path).err().expect("a refusal").to_string();
        let words = said(folder.path());
        assert!(words.contains("is a folder: name a file with --store"), "{words}");
        let path = folder.path().join("text");
        std::fs::write(
            &path,
            "no database, but a text that is long enough to be looked at".repeat(20),
        )
        .unwrap();
        let words = said(&path);
        assert!(words.contains("is not a store of cupel, or it is damaged"), "{words}");
    }

    #[test]
    fn a_full_disk_is_reported_once_and_with_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("runs.sqlite")).unwrap();
        let pages: i64 = store.db.query_row("pragma page_count", [], |row| row.get(0)).unwrap();
        store.db.pragma_update(None, "max_page_count", pages).unwrap();
        let write = "create table more (x); insert into more values (zeroblob(1000000))";
        let error = store.db.execute_batch(write).map_err(|error| store.wrap(error)).unwrap_err();
        // As the command prints it: with every cause.
        let said = format!("{:#}", anyhow::Error::from(error));
        assert_eq!(said.matches("full").count(), 1, "{said}");
        for words in ["runs.sqlite", "--store", "free some space", "finished forks are safe"] {
            assert!(said.contains(words), "no \"{words}\" in {said}");
        }
    }

    #[test]
    fn what_sqlite_says_is_said_once() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("runs.sqlite")).unwrap();
        let error = store.db.execute_batch("select * from nowhere").map_err(|e| store.wrap(e));
        let said = format!("{:#}", anyhow::Error::from(error.unwrap_err()));
        assert_eq!(said.matches("no such table").count(), 1, "{said}");
    }

    #[test]
    fn many_open_a_new_store_at_once() {
        for _ in 0..100 {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("runs.sqlite");
            let start = Barrier::new(4);
            let open = || {
                start.wait();
                Store::open(&path).map(|_| ()).map_err(|error| error.to_string())
            };
            std::thread::scope(|scope| {
                let threads = [(); 4].map(|()| scope.spawn(open));
                for thread in threads {
                    assert_eq!(thread.join().unwrap(), Ok(()));
                }
            });
        }
    }
}
