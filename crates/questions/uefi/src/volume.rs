//! A disk image with a FAT file system, for QEMU. The files that the program writes there are kept.
//! (QEMU can also show a folder as a disk, but loses or damages files written to it.)

use anyhow::{Context, Result};
use fatfs::{FileSystem, FormatVolumeOptions, FsOptions};
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use tempfile::{Builder, NamedTempFile};

/// Ample space for the program and its results; unused parts are holes in the file.
const SIZE: u64 = 48 << 20;

/// The image. Its file is deleted when this is dropped.
pub struct Volume(NamedTempFile);

impl Volume {
    /// Creates an image with the application and its options.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn make(program: &Path, options: &str) -> Result<Volume> {
        let made = Builder::new().prefix("cupel-").suffix(".img").tempfile();
        made.map_err(anyhow::Error::from)
            .and_then(|file| fill(file.as_file(), program, options).map(|()| Volume(file)))
            .with_context(|| format!("cannot make a disk in {}", std::env::temp_dir().display()))
    }

    /// The image's file.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The program's output in `\cupel\results.jsonl`.
    ///
    /// # Errors
    /// If there is no such file.
    pub fn results(&self) -> Result<Vec<u8>> {
        let files = FileSystem::new(self.0.reopen()?, FsOptions::new())?;
        let mut bytes = Vec::new();
        files
            .root_dir()
            .open_file("cupel/results.jsonl")
            .context("the program wrote no results.jsonl")?
            .read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

fn fill(file: &File, program: &Path, options: &str) -> Result<()> {
    file.set_len(SIZE)?;
    fatfs::format_volume(file, FormatVolumeOptions::new())?;
    let files = FileSystem::new(file, FsOptions::new())?;
    let root = files.root_dir();
    let mut loader = root.create_dir("EFI")?.create_dir("BOOT")?.create_file("BOOTX64.EFI")?;
    loader.write_all(&std::fs::read(program)?)?;
    root.create_dir("cupel")?.create_file("options.txt")?.write_all(options.as_bytes())?;
    Ok(())
}
