//! Where Cupel's own files are, and where it stores what it creates.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// The folders that one invocation works with.
#[derive(Clone, Debug)]
pub struct Home {
    /// Holds `suites/`, `contenders/` and `runners/`.
    pub root: PathBuf,
    /// Built objects and generated files; may be deleted at any time.
    pub cache: PathBuf,
    /// The store of runs.
    pub store: PathBuf,
}

impl Home {
    /// Finds the folders: `$CUPEL_HOME`, else the nearest folder above the working directory or the
    /// program that has `contenders/` and `suites/`.
    ///
    /// # Errors
    /// If there is no such folder, with what to set.
    pub fn find(store: Option<&Path>) -> Result<Home> {
        let root = match std::env::var_os("CUPEL_HOME") {
            Some(root) => {
                let root = PathBuf::from(root);
                if !root.join("contenders").is_dir() {
                    bail!("CUPEL_HOME is {}, which has no folder contenders/", root.display());
                }
                root
            }
            None => above().context(
                "no folder contenders/ here or above; set CUPEL_HOME to a checkout of Cupel",
            )?,
        };
        let root =
            root.canonicalize().with_context(|| format!("cannot open {}", root.display()))?;
        let cache = folder("CUPEL_CACHE", "XDG_CACHE_HOME", ".cache")?;
        Ok(Home { root, cache, store: Home::store(store)? })
    }

    /// The same for commands that only read the store. Without a checkout, the working directory
    /// takes its place.
    ///
    /// # Errors
    /// If the store's folder is not known.
    pub fn of_store(store: Option<&Path>) -> Result<Home> {
        Home::find(store).or_else(|_| {
            let cache = folder("CUPEL_CACHE", "XDG_CACHE_HOME", ".cache")?;
            Ok(Home { root: PathBuf::from("."), cache, store: Home::store(store)? })
        })
    }

    fn store(given: Option<&Path>) -> Result<PathBuf> {
        match given {
            Some(path) => Ok(path.to_path_buf()),
            None => Ok(folder("CUPEL_DATA", "XDG_DATA_HOME", ".local/share")?.join("runs.sqlite")),
        }
    }

    /// The path of the suite that a user names: a path, or a name below `suites/`.
    pub fn suite(&self, name: &str) -> PathBuf {
        let plain = PathBuf::from(name);
        let known = self.root.join("suites").join(format!("{name}.toml"));
        if !plain.is_file() && known.is_file() { known } else { plain }
    }

    /// The name by which [`Home::suite`] finds a suite again, however it was given.
    pub fn suite_name(&self, given: &str) -> String {
        let path = self.suite(given);
        let shipped = path.canonicalize().ok().and_then(|path| {
            let below = path.strip_prefix(self.root.join("suites")).ok()?;
            Some(below.with_extension("").to_string_lossy().into_owned())
        });
        shipped.unwrap_or_else(|| given.to_string())
    }

    /// The names of the suites that come with Cupel, as [`Home::suite`] takes them.
    pub fn suites(&self) -> Vec<String> {
        let mut names = Vec::new();
        let top = self.root.join("suites");
        for folder in [top.clone(), top.join("seeds"), top.join("pitfalls")] {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.extension().is_some_and(|e| e == "toml")
                    && let Ok(relative) = path.strip_prefix(&top)
                {
                    names.push(relative.with_extension("").to_string_lossy().into_owned());
                }
            }
        }
        names.sort();
        names
    }
}

fn above() -> Option<PathBuf> {
    let starts = [std::env::current_dir().ok(), std::env::current_exe().ok()];
    starts.into_iter().flatten().find_map(|start| {
        start
            .ancestors()
            .find(|folder| folder.join("contenders").is_dir() && folder.join("suites").is_dir())
            .map(Path::to_path_buf)
    })
}

fn folder(own: &str, xdg: &str, below_home: &str) -> Result<PathBuf> {
    if let Some(path) = std::env::var_os(own) {
        return Ok(path.into());
    }
    if let Some(path) = std::env::var_os(xdg).filter(|p| !p.is_empty()) {
        return Ok(PathBuf::from(path).join("cupel"));
    }
    let home = std::env::var_os("HOME").with_context(|| {
        format!("neither {own}, {xdg} nor HOME is set: there is no folder for files")
    })?;
    Ok(PathBuf::from(home).join(below_home).join("cupel"))
}
