//! Copies of the shared libraries that native contenders load, from before an upgrade of the
//! system. An upgrade replaces a library, and no registry has the old package of the distribution,
//! so a library must be kept before to be compared afterwards.
//!
//! A copy runs with the same object of the contender as today's library does: the loader finds it
//! first, by `LD_LIBRARY_PATH`. So both are called alike, and only the library differs.

use super::loads::loads;
use anyhow::{Context, Result, anyhow, bail};
use cupel_base::disk::{copy, folder_next_to};
use cupel_base::home::Home;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The libraries of a family, as they were on a day.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The family whose contenders load them.
    pub family: String,
    /// When they were kept: `2026-11-27`.
    pub date: String,
    folder: PathBuf,
    libraries: Vec<Library>,
}

/// A copy of a library.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Library {
    /// The name by which it is loaded, and of its file here: `libcrypto.so.3`.
    name: String,
    /// The file that was copied.
    from: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Record {
    date: String,
    libraries: Vec<Library>,
}

/// How the copies of a family compare with today's libraries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compared {
    /// Each is the same file, to the byte.
    Same,
    /// These files have changed.
    Changed(Vec<String>),
    /// This one is loaded today, and there is no copy of it: with today's in its place, the copies
    /// would be compared with themselves in part.
    Another(String),
}

const RECORD: &str = "kept.json";

/// The variable that names folders in which the loader looks first.
const FIRST: &str = "LD_LIBRARY_PATH";

/// Libraries that are part of the system rather than of a family. A process has one of each, and
/// the runner has loaded it before.
const SYSTEM: [&str; 9] = [
    "libc.",
    "libm.",
    "libdl.",
    "libpthread.",
    "librt.",
    "libresolv.",
    "ld-",
    "libgcc_s.",
    "libstdc++.",
];

/// Where the copies are: with the store, because nothing can bring them back.
pub fn folder(home: &Home) -> PathBuf {
    home.store.with_file_name("kept")
}

/// Keeps the libraries that an object of a family loads, in the place of those that were kept
/// before. `None` if it loads none but the system's.
///
/// # Errors
/// If this system cannot list the libraries of an object, or a file cannot be copied.
pub fn keep(home: &Home, family: &str, object: &Path, date: &str) -> Result<Option<Kept>> {
    let libraries = of_family(object)?;
    if libraries.is_empty() {
        return Ok(None);
    }
    let folder = folder(home).join(family);
    let work = folder_next_to(&folder)
        .with_context(|| format!("cannot make a folder next to {}", folder.display()))?;
    let fresh = work.path().join(family);
    for Library { name, from } in &libraries {
        copy(from, &fresh.join(name))?;
    }
    let record = Record { date: date.to_string(), libraries };
    fs::write(fresh.join(RECORD), serde_json::to_string_pretty(&record)?)?;
    // The old copies are deleted with `work`.
    replace(&folder, &fresh, &work.path().join("before"))
        .with_context(|| format!("cannot store {}", folder.display()))?;
    Ok(Some(Kept::from_record(family, folder, record)))
}

/// Moves a folder to the place of another, and that one aside. This takes two steps; if the second
/// fails, the first is undone, because nothing can bring the old copies back.
fn replace(folder: &Path, fresh: &Path, aside: &Path) -> io::Result<()> {
    if !folder.exists() {
        return fs::rename(fresh, folder);
    }
    fs::rename(folder, aside)?;
    if let Err(error) = fs::rename(fresh, folder) {
        fs::rename(aside, folder)?;
        return Err(error);
    }
    Ok(())
}

/// All that is kept, by family.
///
/// # Errors
/// If a copy's record cannot be read.
pub fn all(home: &Home) -> Result<Vec<Kept>> {
    let entries = fs::read_dir(folder(home)).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    folders.retain(|folder| folder.join(RECORD).is_file());
    folders.sort();
    folders.into_iter().map(read).collect()
}

fn read(folder: PathBuf) -> Result<Kept> {
    let path = folder.join(RECORD);
    let text = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let record = serde_json::from_slice(&text)
        .with_context(|| format!("{} is damaged: delete its folder", path.display()))?;
    let family = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Kept::from_record(&family, folder, record))
}

/// The shared libraries that an object loads, without the system's own.
fn of_family(object: &Path) -> Result<Vec<Library>> {
    let loaded = loads(object, None)
        .ok_or_else(|| anyhow!("`ldd` does not say what {} loads", object.display()))?;
    let own = loaded.into_iter().filter(|(name, _)| !SYSTEM.iter().any(|s| name.starts_with(s)));
    Ok(own.map(|(name, from)| Library { name, from }).collect())
}

impl Kept {
    fn from_record(family: &str, folder: PathBuf, Record { date, libraries }: Record) -> Kept {
        Kept { family: family.to_string(), date, folder, libraries }
    }

    /// The names of its libraries.
    pub fn libraries(&self) -> Vec<&str> {
        self.libraries.iter().map(|library| library.name.as_str()).collect()
    }

    /// How they compare with the libraries that an object loads today.
    ///
    /// # Errors
    /// If this system cannot list the libraries of an object, a library of today cannot be read, or
    /// the object does not load the copies.
    pub fn compared(&self, object: &Path) -> Result<Compared> {
        let mut changed = Vec::new();
        for Library { name, from } in of_family(object)? {
            let Ok(copy) = fs::read(self.folder.join(&name)) else {
                return Ok(Compared::Another(name));
            };
            let now = fs::read(&from).with_context(|| format!("cannot read {}", from.display()))?;
            if now != copy {
                changed.push(name);
            }
        }
        // DT_RPATH comes before the variable: today's library would be compared with itself.
        for (name, path) in loads(object, Some(&self.folder)).unwrap_or_default() {
            if changed.contains(&name) && !path.starts_with(&self.folder) {
                bail!("{} loads {} whatever {FIRST} says", object.display(), path.display());
            }
        }
        Ok(if changed.is_empty() { Compared::Same } else { Compared::Changed(changed) })
    }

    /// The variable with which a process loads the copies: `NAME=value`.
    pub fn variable(&self) -> String {
        let folder = self.folder.display();
        match std::env::var(FIRST) {
            Ok(others) if !others.is_empty() => format!("{FIRST}={folder}:{others}"),
            _ => format!("{FIRST}={folder}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_that_cannot_be_replaced_stay() {
        let at = tempfile::tempdir().unwrap();
        let [folder, fresh, aside] = ["family", "fresh", "aside"].map(|name| at.path().join(name));
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("lib.so"), "old").unwrap();
        assert!(replace(&folder, &fresh, &aside).is_err(), "there is nothing fresh");
        assert_eq!(fs::read_to_string(folder.join("lib.so")).unwrap(), "old");
        fs::create_dir(&fresh).unwrap();
        fs::write(fresh.join("lib.so"), "new").unwrap();
        replace(&folder, &fresh, &aside).unwrap();
        assert_eq!(fs::read_to_string(folder.join("lib.so")).unwrap(), "new");
        assert_eq!(fs::read_to_string(aside.join("lib.so")).unwrap(), "old");
    }
}
