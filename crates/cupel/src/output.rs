//! The file of `-o`, which a verb writes once it has measured.

use anyhow::{Result, bail};
use std::path::Path;

/// Finds out before the work begins whether the file can be written after it. `what` names its
/// content in the message.
pub fn check(file: &Path, what: &str) -> Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    if file.is_dir() || file.file_name().is_none() {
        bail!("{} is a folder: name a file with -o", file.display());
    }
    if !folder.is_dir() {
        bail!(
            "there is no folder {} for the {what}: make it, or name another file with -o",
            folder.display()
        );
    }
    Ok(())
}
