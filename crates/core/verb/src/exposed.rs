//! Says which of Cupel's files lie in the reach of the runners that it measures.

use anyhow::{Result, bail};
use cupel_base::home::{Home, configuration};
use cupel_base::text::{plain, tell};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Says so once of a store, or of a cache, that is below a folder in which every runner may write:
/// any of them could change the figures of others, or their programs. In a pipeline, where no one
/// reads it, that is an error.
///
/// # Errors
/// In a pipeline (`CI` is set), if there is such a file.
pub fn look(home: &Home) -> Result<()> {
    let open = cupel_machine::open_to_sandboxed();
    for (what, path, remedy) in [
        ("store", &home.store, "name a file elsewhere with --store"),
        ("cache", &home.cache, "name a folder elsewhere in CUPEL_CACHE"),
    ] {
        let real = real(path);
        let Some(folder) = open.iter().find(|folder| real.starts_with(folder)) else { continue };
        let line = format!(
            "the {what} {} is below {}, where any runner may change it: {remedy}",
            plain(&path.display().to_string()),
            folder.display()
        );
        if std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false") {
            bail!(line);
        }
        if !is_known(path) {
            tell(&format!("cupel: {line}"));
        }
    }
    Ok(())
}

/// The path that is meant, of a file that may not be there yet.
fn real(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let there = whole.ancestors().find_map(|above| {
        let rest = whole.strip_prefix(above).ok()?;
        Some(above.canonicalize().ok()?.join(rest))
    });
    there.unwrap_or(whole)
}

/// Whether this path was reported before. From now on it counts as reported.
fn is_known(path: &Path) -> bool {
    let Ok(folder) = configuration() else { return false };
    let known = folder.join("exposed");
    let path = path.display().to_string();
    if std::fs::read_to_string(&known).is_ok_and(|text| text.lines().any(|line| line == path)) {
        return true;
    }
    // Where nothing can be remembered, it is reported again.
    let _ = std::fs::create_dir_all(&folder).and_then(|()| {
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&known)?;
        writeln!(file, "{path}")
    });
    false
}
