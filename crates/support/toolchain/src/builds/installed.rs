//! Folders that Cupel installs as a whole into its cache: toolchains, and releases of libraries.

use anyhow::{Context, Result};
use cupel_base::disk::Lock;
use cupel_base::home::Home;
use std::fs;
use std::path::{Path, PathBuf};

/// Installs a folder, unless it is there. `make` gets an empty folder to work in, and returns the
/// folder below it that becomes the installed one. Returns whether it was installed now.
///
/// # Errors
/// The errors of `make`; if a folder cannot be made. Nothing is left behind then.
pub fn add(home: &Home, folder: &Path, make: &dyn Fn(&Path) -> Result<PathBuf>) -> Result<bool> {
    if folder.is_dir() {
        return Ok(false);
    }
    // It is next to the toolchains, so that a finished one is only renamed.
    let adding = home.cache.join("toolchains/adding");
    // One at a time: other files in this folder were left by an addition that was killed.
    let _alone = Lock::take(&adding.join("lock"))
        .with_context(|| format!("cannot lock a file in {}", adding.display()))?;
    let work = adding.join("new");
    let _ = fs::remove_dir_all(&work);
    // The process that had the lock may have installed it.
    let is_new = !folder.is_dir();
    let done = if is_new { install(&work, folder, make) } else { Ok(()) };
    let _ = fs::remove_dir_all(&work);
    done.map(|()| is_new)
}

fn install(work: &Path, folder: &Path, make: &dyn Fn(&Path) -> Result<PathBuf>) -> Result<()> {
    let new = |folder: &Path| {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))
    };
    new(work)?;
    let made = make(work)?;
    folder.parent().map_or(Ok(()), new)?;
    fs::rename(&made, folder).with_context(|| format!("cannot store {}", folder.display()))
}

/// Deletes a folder that was installed. Returns whether it was there.
///
/// # Errors
/// If it cannot be deleted.
pub fn remove(folder: &Path) -> Result<bool> {
    if !folder.is_dir() {
        return Ok(false);
    }
    fs::remove_dir_all(folder).with_context(|| format!("cannot delete {}", folder.display()))?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;

    #[test]
    fn a_folder_is_installed_whole_or_not_at_all() {
        let cache = tempfile::tempdir().unwrap();
        let at = cache.path();
        let home = Home { root: at.into(), own: vec![], cache: at.into(), store: at.join("store") };
        let folder = at.join("toolchains/x/1.0");
        let half = |work: &Path| -> Result<PathBuf> {
            fs::write(work.join("half"), "")?;
            bail!("no")
        };
        let whole = |work: &Path| {
            assert!(!work.join("half").exists(), "what failed has left nothing");
            fs::create_dir(work.join("made"))?;
            Ok(work.join("made"))
        };
        assert!(add(&home, &folder, &half).is_err() && !folder.exists());
        assert!(add(&home, &folder, &whole).unwrap() && folder.is_dir());
        assert!(!add(&home, &folder, &whole).unwrap(), "it is there");
        assert!(!at.join("toolchains/adding/new").exists());
        assert!(remove(&folder).unwrap() && !remove(&folder).unwrap());
    }
}
