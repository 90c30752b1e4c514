//! A copy of a store that another machine may be writing. SQLite's locks and its shared memory work
//! between the processes of one machine only, so the store must not be opened in place.

use anyhow::{Context, Result, bail};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// How often a copy is tried if the store changes its log meanwhile. That happens once in some
/// thousand rounds.
const TRIES: u32 = 20;

/// The part of a log's header that changes whenever it begins again: checkpoint number and salts.
type Salt = Option<[u8; 12]>;

/// A copy, in its own folder that ends with it.
pub struct Copy {
    _folder: TempDir,
    /// The store.
    pub path: PathBuf,
}

/// Copies a store with its write-ahead log. `None` if there is no store.
///
/// The log is copied last. Pages that moved from the log into the file meanwhile are then in both,
/// unless the log began again, which its header shows: then everything is copied again. A last
/// record that is half written has a wrong checksum, and SQLite ignores it.
///
/// # Errors
/// If a file cannot be read or written, or never stays the same for long enough.
pub fn copy(store: &Path) -> Result<Option<Copy>> {
    copy_while(store, || {})
}

/// Copies a store. `between` happens after the file is copied and before its log is.
fn copy_while(store: &Path, mut between: impl FnMut()) -> Result<Option<Copy>> {
    let folder = tempfile::tempdir()?;
    let explain = || format!("cannot copy {}", store.display());
    let copy = folder.path().join("runs.sqlite");
    let (log, log_copy) = (log_of(store), log_of(&copy));
    for _ in 0..TRIES {
        let before = salt(&log).with_context(explain)?;
        match std::fs::copy(store, &copy) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            copied => copied.with_context(explain)?,
        };
        between();
        match std::fs::copy(&log, &log_copy) {
            // There is no log while no one writes.
            Err(e) if e.kind() == ErrorKind::NotFound => {
                let _ = std::fs::remove_file(&log_copy);
            }
            copied => {
                copied.with_context(explain)?;
            }
        }
        if salt(&log).with_context(explain)? == before {
            return Ok(Some(Copy { _folder: folder, path: copy }));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    bail!("{} changes too fast to be copied; try again", store.display())
}

fn log_of(store: &Path) -> PathBuf {
    let mut name = store.as_os_str().to_os_string();
    name.push("-wal");
    name.into()
}

fn salt(log: &Path) -> std::io::Result<Salt> {
    let mut header = [0; 24];
    match File::open(log).and_then(|mut file| file.read_exact(&mut header)) {
        Ok(()) => Ok(header[12..].try_into().ok()),
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::UnexpectedEof) => Ok(None),
        Err(e) => Err(e),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;

    /// Each transaction changes both tables: a copy that is torn has different counts.
    fn writes(db: &Connection) {
        db.execute_batch(
            "begin; insert into a values (randomblob(3000)); insert into b values (randomblob(3000));
             commit",
        )
        .unwrap();
    }

    #[test]
    fn a_copy_of_a_store_whose_log_begins_anew_meanwhile_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.sqlite");
        let db = Connection::open(&path).unwrap();
        db.pragma_update(None, "journal_mode", "wal").unwrap();
        db.execute_batch("create table a (x blob); create table b (x blob);").unwrap();
        writes(&db);
        let mut times = 0;
        let copied = copy_while(&path, || {
            times += 1;
            if times <= 2 {
                // All pages move into the file, and the log begins again with other ones.
                (0..20).for_each(|_| writes(&db));
                db.query_row("pragma wal_checkpoint(restart)", [], |_| Ok(())).unwrap();
                writes(&db);
            } else {
                // Appending changes nothing that was copied.
                writes(&db);
            }
        });
        let kept = copied.unwrap().expect("there is one");
        let copied = Connection::open(&kept.path).unwrap();
        let health: String =
            copied.query_row("pragma quick_check", [], |row| row.get(0)).expect("no torn copy");
        assert_eq!(health, "ok");
        let sql = "select (select count(*) from a), (select count(*) from b)";
        let counts: (i64, i64) =
            copied.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        assert_eq!(counts, (44, 44), "the last transaction is in the copy, too");
        assert_eq!(times, 3);
    }

    #[test]
    fn a_store_that_never_rests_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.sqlite");
        let db = Connection::open(&path).unwrap();
        db.pragma_update(None, "journal_mode", "wal").unwrap();
        db.execute_batch("create table a (x blob); create table b (x blob);").unwrap();
        let copied = copy_while(&path, || {
            writes(&db);
            db.query_row("pragma wal_checkpoint(restart)", [], |_| Ok(())).unwrap();
            writes(&db);
        });
        let error = copied.err().expect("a store that changes").to_string();
        assert!(error.contains("changes too fast to be copied"), "{error}");
    }

    #[test]
    fn what_is_only_in_the_log_is_copied() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.sqlite");
        let db = Connection::open(&path).unwrap();
        db.pragma_update(None, "journal_mode", "wal").unwrap();
        db.execute_batch("create table a (x); insert into a values (1)").unwrap();
        let copied = copy(&path).unwrap().expect("there is one");
        let count: i64 = Connection::open(&copied.path)
            .unwrap()
            .query_row("select count(*) from a", [], |row| row.get(0))
            .unwrap();
        assert_eq!(count, 1);
    }

    #[test]
    fn no_store_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        assert!(copy(&folder.path().join("none")).unwrap().is_none());
    }
}
