//! The folder of a site. A file in it names all others, so that a site replaces only a site, and
//! leaves nothing of the one before.

use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The file that makes a folder a site's.
const MARK: &str = ".cupel-site";

/// Its first line.
const HEAD: &str = "cupel site 1";

/// A folder that is being written.
pub struct Folder {
    root: PathBuf,
    /// The files of the site that was here.
    before: BTreeSet<String>,
    written: BTreeSet<String>,
}

impl Folder {
    /// Opens a folder for a site of these files, and creates it if it is not there.
    ///
    /// # Errors
    /// If it has files and is not a site, or cannot be written.
    pub fn open(root: &Path, names: &[String]) -> Result<Folder> {
        let mark = root.join(MARK);
        let before = match fs::read_to_string(&mark) {
            Ok(text) => listed(&text, &mark)?,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if !is_free(root)? {
                    bail!(
                        "{} has files and is not a site of cupel: name another folder, or empty it",
                        root.display()
                    );
                }
                BTreeSet::new()
            }
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", mark.display()));
            }
        };
        for folder in ["questions", "runs"] {
            let folder = root.join(folder);
            fs::create_dir_all(&folder)
                .with_context(|| format!("cannot make {}", folder.display()))?;
        }
        let folder = Folder { root: root.to_path_buf(), before, written: BTreeSet::new() };
        // Before the first file: if this is interrupted, the next site still has the list of all
        // files.
        let all = folder.before.iter().cloned().chain(names.iter().cloned()).collect();
        folder.mark(&all)?;
        Ok(folder)
    }

    /// Writes one file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        let path = self.root.join(name);
        fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
        self.written.insert(name.to_string());
        Ok(())
    }

    /// Removes the rest of the earlier site.
    ///
    /// # Errors
    /// If a file cannot be removed or written.
    pub fn finish(self) -> Result<()> {
        for stale in self.before.difference(&self.written) {
            let path = self.root.join(stale);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(error).with_context(|| format!("cannot remove {}", path.display()));
                }
                _ => {}
            }
        }
        self.mark(&self.written)
    }

    fn mark(&self, names: &BTreeSet<String>) -> Result<()> {
        let path = self.root.join(MARK);
        let names: String = names.iter().map(|name| format!("{name}\n")).collect();
        fs::write(&path, format!("{HEAD}\n{names}"))
            .with_context(|| format!("cannot write {}", path.display()))
    }
}

/// Whether there is nothing in a folder, or no folder.
fn is_free(root: &Path) -> Result<bool> {
    match fs::read_dir(root) {
        Ok(mut inside) => Ok(inside.next().is_none()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", root.display())),
    }
}

/// The files of a site. They are deleted, so each must be one that a site may have.
fn listed(text: &str, mark: &Path) -> Result<BTreeSet<String>> {
    let mut lines = text.lines();
    let known = lines.next() == Some(HEAD);
    let names: BTreeSet<String> = lines.map(String::from).collect();
    match names.iter().find(|name| !is_name(name)) {
        None if known => Ok(names),
        _ => bail!(
            "{} is not the list of a site's files: name another folder, or empty this one",
            mark.display()
        ),
    }
}

/// Whether a site may have a file of this name.
fn is_name(name: &str) -> bool {
    let inside = ["questions", "runs"].iter().find_map(|folder| {
        name.strip_prefix(folder).and_then(|rest| rest.strip_prefix(std::path::is_separator))
    });
    let own = inside.unwrap_or(name);
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    own.strip_suffix(".html")
        .or(own.strip_suffix(".csv"))
        .is_some_and(|stem| !stem.is_empty() && stem.chars().all(plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_deletes_nothing_outside_of_the_site() {
        for good in ["index.html", "questions/sha256-0a1b.csv", "runs/7.html"] {
            assert!(is_name(good), "{good}");
        }
        for bad in [
            "../a.html",
            "runs/../a.html",
            "/a.html",
            "runs//a.html",
            "a.sqlite",
            ".html",
            "runs/.csv",
        ] {
            assert!(!is_name(bad), "{bad}");
        }
    }
}
