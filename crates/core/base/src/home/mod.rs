//! The folders of Cupel's own files, and of the files that it creates.

mod bundle;

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// The folders that one invocation works with.
#[derive(Clone, Debug)]
pub struct Home {
    /// Holds `suites/`, `contenders/` and `runners/`.
    pub root: PathBuf,
    /// Folders of the user that may hold `suites/` and `contenders/` too.
    pub own: Vec<PathBuf>,
    /// Built objects and generated files; may be deleted at any time.
    pub cache: PathBuf,
    /// The store of runs.
    pub store: PathBuf,
}

impl Home {
    /// Finds the folders. The root is `$CUPEL_HOME`, else the nearest checkout above the working
    /// directory or the program, else the files that the program embeds, which are unpacked into
    /// the cache. The user's own folders are the working directory and `$CUPEL_CONFIG`, or `cupel`
    /// in the configuration folder.
    ///
    /// # Errors
    /// If there is no root, with what to set.
    pub fn find(store: Option<&Path>) -> Result<Home> {
        // Builds run in other folders than the user.
        let cache = std::path::absolute(folder("CUPEL_CACHE", "XDG_CACHE_HOME", ".cache")?)?;
        let root = match std::env::var_os("CUPEL_HOME") {
            Some(root) => {
                let root = PathBuf::from(root);
                if !root.join("contenders").is_dir() {
                    bail!("CUPEL_HOME is {}, which has no folder contenders/", root.display());
                }
                root
            }
            None => above().map_or_else(|| bundle::unpacked(&cache), Ok)?,
        };
        let root =
            root.canonicalize().with_context(|| format!("cannot open {}", root.display()))?;
        let own = own(&root);
        Ok(Home { root, own, cache, store: Home::store(store)? })
    }

    /// The home for commands that only read the store. They unpack nothing: without a checkout, the
    /// working directory takes its place.
    ///
    /// # Errors
    /// If the store's folder is not known.
    pub fn of_store(store: Option<&Path>) -> Result<Home> {
        let has_checkout = std::env::var_os("CUPEL_HOME").is_some() || above().is_some();
        if has_checkout && let Ok(home) = Home::find(store) {
            return Ok(home);
        }
        let cache = folder("CUPEL_CACHE", "XDG_CACHE_HOME", ".cache")?;
        Ok(Home { root: PathBuf::from("."), own: vec![], cache, store: Home::store(store)? })
    }

    /// Whether this program brings its own files. A debug build does not.
    pub fn is_embedded() -> bool {
        bundle::is_there()
    }

    fn store(given: Option<&Path>) -> Result<PathBuf> {
        match given {
            Some(path) => Ok(path.to_path_buf()),
            None => Ok(folder("CUPEL_DATA", "XDG_DATA_HOME", ".local/share")?.join("runs.sqlite")),
        }
    }

    /// The folders with contenders that were found in or above the working directory. Whoever
    /// filled it filled them, perhaps not the user.
    pub fn chanced_upon(&self) -> impl Iterator<Item = &Path> {
        let configured = configuration().and_then(|folder| Ok(folder.canonicalize()?)).ok();
        let own = self.own.iter().filter(move |folder| Some(*folder) != configured.as_ref());
        let root = Some(&self.root).filter(|root| is_chanced_upon(root));
        root.into_iter().chain(own).map(PathBuf::as_path)
    }

    /// The folders that may hold `suites/` and `contenders/`: Cupel's, then the user's own.
    pub fn roots(&self) -> impl Iterator<Item = &Path> {
        [&self.root].into_iter().chain(&self.own).map(PathBuf::as_path)
    }

    /// Where the root was found, in words.
    pub fn origin(&self) -> &'static str {
        let unpacked = bundle::above(&self.cache).canonicalize();
        if std::env::var_os("CUPEL_HOME").is_some() {
            "given by CUPEL_HOME"
        } else if unpacked.is_ok_and(|unpacked| self.root.starts_with(unpacked)) {
            "embedded in this program, and unpacked"
        } else {
            "a checkout"
        }
    }

    /// The folder of the user that holds a file, if it is one of theirs.
    pub fn owner(&self, file: &Path) -> Option<&Path> {
        self.own.iter().map(PathBuf::as_path).find(|own| file.starts_with(own))
    }

    /// The path of the suite that a user names: a path, or a name below a folder `suites/`.
    pub fn suite(&self, name: &str) -> PathBuf {
        let plain = PathBuf::from(name);
        if plain.is_file() {
            return plain;
        }
        self.suites_named(name).into_iter().next().unwrap_or(plain)
    }

    /// The suites of this name, in the order of [`Home::roots`]. Two are a mistake of the user.
    pub fn suites_named(&self, name: &str) -> Vec<PathBuf> {
        let known = self.roots().map(|root| root.join("suites").join(format!("{name}.toml")));
        known.filter(|path| path.is_file()).collect()
    }

    /// The name by which [`Home::suite`] finds a suite again, however it was given.
    pub fn suite_name(&self, given: &str) -> String {
        let path = self.suite(given);
        let shipped = path.canonicalize().ok().and_then(|path| {
            let below =
                self.roots().find_map(|root| path.strip_prefix(root.join("suites")).ok())?;
            Some(below.with_extension("").to_string_lossy().into_owned())
        });
        shipped.unwrap_or_else(|| given.to_string())
    }

    /// The names of the suites that come with Cupel and of the user's own, as [`Home::suite`] takes
    /// them.
    pub fn suites(&self) -> Vec<String> {
        let mut names = Vec::new();
        for top in self.roots().map(|root| root.join("suites")) {
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
        }
        names.sort();
        names.dedup();
        names
    }
}

/// The folder of the user's own contenders and suites, which are read wherever the tool runs.
pub fn configuration() -> Result<PathBuf> {
    folder("CUPEL_CONFIG", "XDG_CONFIG_HOME", ".config")
}

/// Whether this folder is a checkout that was found above the working directory, and neither named
/// nor the program's own.
fn is_chanced_upon(root: &Path) -> bool {
    let program = std::env::current_exe().and_then(|program| program.canonicalize());
    std::env::var_os("CUPEL_HOME").is_none()
        && is_checkout(root)
        && std::env::current_dir().is_ok_and(|here| here.starts_with(root))
        && !program.is_ok_and(|program| program.starts_with(root))
}

fn above() -> Option<PathBuf> {
    let starts = [std::env::current_dir().ok(), std::env::current_exe().ok()];
    starts.into_iter().flatten().find_map(|start| {
        start.ancestors().find(|folder| is_checkout(folder)).map(Path::to_path_buf)
    })
}

/// A user's folder may have `contenders/` and `suites/` too, but not the protocol.
fn is_checkout(folder: &Path) -> bool {
    ["contenders", "suites", "protocol"].iter().all(|name| folder.join(name).is_dir())
}

/// The user's own folders, if they have contenders or suites.
fn own(root: &Path) -> Vec<PathBuf> {
    let configured = configuration().ok();
    let places = [std::env::current_dir().ok(), configured].into_iter().flatten();
    let mut own: Vec<PathBuf> = places
        .filter_map(|place| place.canonicalize().ok())
        .filter(|place| place != root && !is_checkout(place))
        .filter(|place| place.join("contenders").is_dir() || place.join("suites").is_dir())
        .collect();
    own.dedup();
    own
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
