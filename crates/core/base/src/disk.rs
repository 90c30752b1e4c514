//! Files that are written whole, temporary files and folders, copies, sizes, locks, and real paths.
//!
//! A reader of a file that is written whole sees the old content or the new one, never a half: in
//! this process or another, and after a kill or a power cut.

use anyhow::{Context, Result};
use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile, TempDir, TempPath};

/// Writes a file whole.
///
/// # Errors
/// If it cannot be written, with its path. An earlier file then stays.
pub fn write_whole(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    fill_whole(path, |file| file.write_all(content.as_ref()).map_err(unwritten(path)))
}

/// Writes content that does not fit into memory whole or not at all: `fill` writes it.
///
/// # Errors
/// The errors of `fill`, or if the file cannot be written, with its path. An earlier file then
/// stays.
pub fn fill_whole<T, E: From<io::Error>>(
    path: &Path,
    fill: impl FnOnce(&mut File) -> Result<T, E>,
) -> Result<T, E> {
    let mut file = temporary(path).map_err(unwritten(path))?;
    let filled = fill(file.as_file_mut())?;
    let stored = file.as_file().sync_all().and_then(|()| Ok(file.persist(path)?));
    stored.map_err(unwritten(path))?;
    Ok(filled)
}

fn unwritten(path: &Path) -> impl Fn(io::Error) -> io::Error {
    move |e| io::Error::new(e.kind(), format!("cannot write {}: {e}", path.display()))
}

/// An empty file next to `path`, for another program to write. Its `persist` moves it there;
/// without that it is deleted.
///
/// # Errors
/// If it cannot be made.
pub fn file_next_to(path: &Path) -> io::Result<TempPath> {
    temporary(path).map(NamedTempFile::into_temp_path)
}

/// An empty folder next to `path` that only this user can enter, deleted when it is dropped. Its
/// content can be moved to `path` in one step.
///
/// # Errors
/// If it cannot be made.
pub fn folder_next_to(path: &Path) -> io::Result<TempDir> {
    std::fs::create_dir_all(above(path))?;
    tempfile::tempdir_in(above(path))
}

/// A file next to `path`, where moving it is one step, with the permissions of any other new file.
fn temporary(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(above(path))
}

fn above(path: &Path) -> &Path {
    let above = path.parent().filter(|above| !above.as_os_str().is_empty());
    above.unwrap_or(Path::new("."))
}

/// A path with all links resolved, or the path itself if nothing is there.
pub fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// Copies a file, and makes the folder that it goes to.
///
/// # Errors
/// If that fails, with both paths.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    let explain = || format!("cannot copy {} to {}", from.display(), to.display());
    std::fs::create_dir_all(above(to)).with_context(explain)?;
    std::fs::copy(from, to).map(|_| ()).with_context(explain)
}

/// Copies a folder, except the entries with these names. The target of a link is copied too: it may
/// not be there where the copy is used.
///
/// # Errors
/// If a file cannot be read or copied, with its path.
pub fn copy_all_but(from: &Path, to: &Path, without: &[&str]) -> Result<()> {
    let unread = || format!("cannot read {}", from.display());
    for entry in std::fs::read_dir(from).with_context(unread)? {
        let name = entry.with_context(unread)?.file_name();
        if without.iter().any(|other| name == *other) {
            continue;
        }
        let (from, to) = (from.join(&name), to.join(&name));
        if from.is_dir() { copy_all_but(&from, &to, without)? } else { copy(&from, &to)? }
    }
    Ok(())
}

/// The bytes of all files below a folder; 0 if it is not there.
pub fn size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let of = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(data) if data.is_dir() => size(&entry.path()),
        Ok(data) => data.len(),
        Err(_) => 0,
    };
    entries.map(of).sum()
}

/// A lock on a file, until it is dropped. The system releases it when the process ends, however it
/// ends.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of a file, which is made with its folder; `None` if another process has it.
    ///
    /// # Errors
    /// If the file cannot be made or locked.
    pub fn try_take(path: &Path) -> io::Result<Option<Lock>> {
        let file = Lock::open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Lock { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Takes the lock, and waits while another process has it.
    ///
    /// # Errors
    /// If the file cannot be made or locked.
    pub fn take(path: &Path) -> io::Result<Lock> {
        let file = Lock::open(path)?;
        loop {
            match file.lock() {
                Ok(()) => return Ok(Lock { _file: file }),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn open(path: &Path) -> io::Result<File> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        File::create(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_is_written_whole_or_stays_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write_whole(&path, "old").unwrap();
        let half = fill_whole(&path, |file| {
            file.write_all(b"ne")?;
            Err::<(), _>(io::Error::other("no more"))
        });
        assert_eq!(half.unwrap_err().to_string(), "no more");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(names(folder.path()), ["file"], "nothing is left next to it");
        write_whole(&path, "new").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
        let refused = write_whole(&folder.path().join("none/file"), "").unwrap_err();
        assert!(refused.to_string().starts_with("cannot write "), "{refused}");
        assert!(refused.to_string().contains("none/file: No such file"), "{refused}");
    }

    #[cfg(unix)]
    #[test]
    fn it_has_the_permissions_of_any_new_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = |name| folder.path().join(name);
        let mode = |name| std::fs::metadata(path(name)).unwrap().permissions().mode();
        std::fs::write(path("usual"), "").unwrap();
        write_whole(&path("whole"), "").unwrap();
        assert_eq!(mode("whole"), mode("usual"));
    }

    #[test]
    fn what_is_not_kept_is_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("made");
        drop(file_next_to(&path).unwrap());
        drop(folder_next_to(&path).unwrap());
        assert!(names(folder.path()).is_empty());
        file_next_to(&path).unwrap().persist(&path).unwrap();
        assert_eq!(names(folder.path()), ["made"]);
    }

    #[test]
    fn one_has_the_lock_until_it_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("below/lock");
        let first = Lock::try_take(&path).unwrap().expect("the lock");
        assert!(Lock::try_take(&path).unwrap().is_none());
        let (taken, takes) = std::sync::mpsc::channel();
        let waiting = std::thread::spawn({
            let path = path.clone();
            move || {
                let lock = Lock::take(&path).unwrap();
                taken.send(()).unwrap();
                lock
            }
        });
        // One that does not wait takes it in this time. If the thread begins later, nothing is
        // shown.
        let early = takes.recv_timeout(std::time::Duration::from_millis(200));
        assert!(early.is_err(), "it does not wait");
        drop(first);
        let second = waiting.join().unwrap();
        assert!(Lock::try_take(&path).unwrap().is_none());
        drop(second);
        assert!(Lock::try_take(&path).unwrap().is_some());
    }
}
