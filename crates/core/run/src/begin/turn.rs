//! One run at a time: two runs on one machine take processor time, cache and memory bandwidth from
//! each other. A run holds a lock in the cache while it builds, verifies and measures, and a file
//! next to the lock says which run it is. Which process measures a given run is another question
//! (`lease.rs`).

use cupel_base::disk::{Lock, write_whole};
use cupel_base::text::{plain, utc};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The locked file, and the file that names its holder.
const LOCK: &str = "measuring.lock";
const HOLDER: &str = "measuring.json";

/// The right to measure on this machine, until it is dropped.
#[derive(Debug)]
pub struct Turn {
    _lock: Lock,
    cache: PathBuf,
    holder: Holder,
}

/// The holder of the turn, as the file names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Holder {
    suite: String,
    /// Its number in its store; none while it builds and verifies.
    run: Option<i64>,
    /// The number of its process.
    process: u32,
    /// When it took the turn, UTC.
    since: String,
}

impl Turn {
    /// Takes the turn for a run of this suite; `None` if another run has it. `cache` is Cupel's
    /// cache folder: all runs that use it share the turn.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn take(cache: &Path, suite: &str) -> io::Result<Option<Turn>> {
        let lock = Lock::try_take(&cache.join(LOCK))?;
        lock.map(|lock| Turn::begin(lock, cache, suite)).transpose()
    }

    /// The run that has the turn, in words: `run 7 of sha256 (process 4711, since 21:30 UTC)`.
    pub fn holder(cache: &Path) -> String {
        let text = std::fs::read(cache.join(HOLDER)).unwrap_or_default();
        match serde_json::from_slice::<Holder>(&text) {
            Ok(holder) => holder.words(),
            Err(_) => "another run".to_string(),
        }
    }

    fn begin(lock: Lock, cache: &Path, suite: &str) -> io::Result<Turn> {
        let holder = Holder {
            suite: suite.to_string(),
            run: None,
            process: std::process::id(),
            since: utc(SystemTime::now()),
        };
        let turn = Turn { _lock: lock, cache: cache.to_path_buf(), holder };
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

    fn write(&self) -> io::Result<()> {
        write_whole(&self.cache.join(HOLDER), serde_json::to_vec(&self.holder)?)
    }
}

impl Holder {
    fn words(&self) -> String {
        let suite = plain(&self.suite);
        let run = match self.run {
            Some(run) => format!("run {run} of {suite}"),
            None => format!("a run of {suite}, which is being prepared"),
        };
        let since = self.since.get(11..16).unwrap_or("?");
        format!("{run} (process {}, since {since} UTC)", self.process)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_the_turn_and_the_other_learns_who() {
        let cache = tempfile::tempdir().unwrap();
        let cache = cache.path();
        let mut first = Turn::take(cache, "a").unwrap().unwrap();
        assert!(Turn::take(cache, "b").unwrap().is_none());
        let holder = Turn::holder(cache);
        assert!(holder.starts_with("a run of a, which is being prepared (process "), "{holder}");
        first.measures(7).unwrap();
        let (holder, process) = (Turn::holder(cache), std::process::id());
        assert!(holder.starts_with(&format!("run 7 of a (process {process}, since ")), "{holder}");
        drop(first);
        let second = Turn::take(cache, "b").unwrap().unwrap();
        assert!(Turn::take(cache, "c").unwrap().is_none());
        assert!(Turn::holder(cache).starts_with("a run of b"), "{}", Turn::holder(cache));
        drop(second);
        assert!(Turn::take(cache, "c").unwrap().is_some());
    }

    #[test]
    fn since_is_a_time_of_day() {
        let since = "2026-11-26T00:01:01Z".to_string();
        let holder = Holder { suite: "q".to_string(), run: Some(3), process: 9, since };
        assert_eq!(holder.words(), "run 3 of q (process 9, since 00:01 UTC)");
    }
}
