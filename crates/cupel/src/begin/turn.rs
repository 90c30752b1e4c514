//! One run at a time: two runs on one machine take processor time, cache and memory bandwidth from
//! each other. A run holds a lock on a file in the cache while it builds, verifies and measures.
//! The system releases it when the process ends, however it ends.

use crate::text::plain;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The right to measure on this machine, until it is dropped.
#[derive(Debug)]
pub struct Turn {
    lock: File,
    holder: Holder,
}

/// Another run has the turn.
#[derive(Debug)]
pub struct Busy {
    lock: File,
    path: PathBuf,
    suite: String,
}

/// Who has the turn, as it stands in the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Holder {
    suite: String,
    /// Its number in its store; none while it builds and verifies.
    run: Option<i64>,
    /// The number of its process.
    process: u32,
    /// When it took the turn, in seconds since 1970.
    since: u64,
}

impl Turn {
    /// Takes the turn for a run of this suite, unless another run has it. `cache` is Cupel's cache
    /// folder: all runs that use it share the turn.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn take(cache: &Path, suite: &str) -> io::Result<Result<Turn, Busy>> {
        std::fs::create_dir_all(cache)?;
        let path = cache.join("measuring.json");
        // Not truncated: the file says who has the turn.
        let mut open = OpenOptions::new();
        let lock = open.read(true).write(true).create(true).truncate(false).open(&path)?;
        match lock.try_lock() {
            Ok(()) => Turn::of(lock, suite).map(Ok),
            Err(TryLockError::WouldBlock) => Ok(Err(Busy { lock, path, suite: suite.to_string() })),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn of(lock: File, suite: &str) -> io::Result<Turn> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let process = std::process::id();
        let holder = Holder { suite: suite.to_string(), run: None, process, since };
        let mut turn = Turn { lock, holder };
        turn.write()?;
        Ok(turn)
    }

    /// Says which run it is, once it has a number.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn measures(&mut self, run: i64) -> io::Result<()> {
        self.holder.run = Some(run);
        self.write()
    }

    fn write(&mut self) -> io::Result<()> {
        let text = serde_json::to_vec(&self.holder)?;
        self.lock.set_len(0)?;
        self.lock.rewind()?;
        self.lock.write_all(&text)
    }
}

impl Busy {
    /// The run that has the turn, in words: `run 7 of sha256 (process 4711, since 21:30 UTC)`.
    pub fn holder(&self) -> String {
        // It may be writing at this moment.
        for _ in 0..20 {
            let text = std::fs::read(&self.path).unwrap_or_default();
            if let Ok(holder) = serde_json::from_slice::<Holder>(&text) {
                return holder.words();
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        "another run".to_string()
    }

    /// Waits until the other run has ended, and takes the turn.
    ///
    /// # Errors
    /// If the system cannot wait for the file, or the file cannot be written.
    pub fn wait(self) -> io::Result<Turn> {
        loop {
            match self.lock.lock() {
                Ok(()) => return Turn::of(self.lock, &self.suite),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Holder {
    fn words(&self) -> String {
        let suite = plain(&self.suite);
        let run = match self.run {
            Some(run) => format!("run {run} of {suite}"),
            None => format!("a run of {suite}, which is being prepared"),
        };
        let minutes = self.since / 60;
        let (hour, minute) = (minutes / 60 % 24, minutes % 60);
        format!("{run} (process {}, since {hour:02}:{minute:02} UTC)", self.process)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_the_turn_and_the_other_learns_who() {
        let cache = tempfile::tempdir().unwrap();
        let mut first = Turn::take(cache.path(), "a").unwrap().unwrap();
        let busy = Turn::take(cache.path(), "b").unwrap().unwrap_err();
        assert!(busy.holder().starts_with("a run of a, which is being prepared (process "));
        first.measures(7).unwrap();
        let process = std::process::id();
        assert!(busy.holder().starts_with(&format!("run 7 of a (process {process}, since ")));
        let waiting = std::thread::spawn(|| busy.wait().unwrap());
        assert!(Turn::take(cache.path(), "c").unwrap().is_err());
        drop(first);
        let second = waiting.join().unwrap();
        let busy = Turn::take(cache.path(), "c").unwrap().unwrap_err();
        assert!(busy.holder().starts_with("a run of b"), "{}", busy.holder());
        drop(second);
        assert!(Turn::take(cache.path(), "c").unwrap().is_ok());
    }

    #[test]
    fn since_is_a_time_of_day() {
        let holder =
            Holder { suite: "q".to_string(), run: Some(3), process: 9, since: 86_400 + 61 };
        assert_eq!(holder.words(), "run 3 of q (process 9, since 00:01 UTC)");
    }
}
