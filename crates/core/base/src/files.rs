//! The files that `digest-file` reads. They are written once, into the cache, from the byte stream
//! of their size.

use crate::disk::fill_whole;
use crate::text;
use anyhow::{Context, Result};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes the missing files of these sizes, and reads each once, so that all contenders find it in
/// the page cache.
///
/// # Errors
/// If a file cannot be written or read.
pub fn make(sizes: impl IntoIterator<Item = u64>, cache: &Path, say: &dyn Fn(&str)) -> Result<()> {
    for size in sizes {
        say(&format!("preparing a file of {}", text::bytes(size)));
        let path = ready(cache, size)?;
        let mut file = std::fs::File::open(&path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        std::io::copy(&mut file, &mut std::io::sink())?;
    }
    Ok(())
}

/// The path of the file of this size.
pub fn path(cache: &Path, size: u64) -> PathBuf {
    cache.join("files").join(format!("{size}.bin"))
}

/// The file of this size, written if it is missing.
///
/// # Errors
/// If it cannot be written.
pub fn ready(cache: &Path, size: u64) -> Result<PathBuf> {
    let path = path(cache, size);
    if std::fs::metadata(&path).map(|m| m.len()).ok() != Some(size) {
        write(&path, size)?;
    }
    Ok(path)
}

fn write(path: &Path, size: u64) -> Result<()> {
    const PIECE: u64 = 1 << 20;
    let folder = path.parent().context("no folder")?;
    std::fs::create_dir_all(folder)?;
    fill_whole(path, |file| {
        for piece in 0..size.div_ceil(PIECE) {
            let len = PIECE.min(size - piece * PIECE);
            file.write_all(&cupel_protocol::bytes::stream(size ^ (piece << 32), len as usize))?;
        }
        Ok(())
    })
}
