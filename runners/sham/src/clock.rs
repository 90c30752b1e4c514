//! The simulated time that the processes of one run share: a file of eight bytes. The tool runs one
//! slice at a time, so no lock is needed.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The file that holds the time in ns, as a little-endian `f64`. It stays open, because each slice
/// reads and writes it.
pub struct SharedClock {
    path: PathBuf,
    file: OnceLock<File>,
}

impl SharedClock {
    /// The clock in this file, which need not exist yet.
    pub fn new(path: impl Into<PathBuf>) -> SharedClock {
        SharedClock { path: path.into(), file: OnceLock::new() }
    }

    /// The time in ns; 0 if no one has written it yet.
    ///
    /// # Errors
    /// The errors of the file, and a file that is not a clock.
    pub fn read(&self) -> io::Result<f64> {
        let mut bytes = [0; 9];
        match self.file()?.read_at(&mut bytes, 0)? {
            0 => Ok(0.0),
            8 => Ok(f64::from_le_bytes(std::array::from_fn(|i| bytes[i]))),
            _ => {
                let reason = format!("{} is not a clock", self.path.display());
                Err(io::Error::new(io::ErrorKind::InvalidData, reason))
            }
        }
    }

    /// Sets the time. The file is overwritten and never truncated: ext4 treats a file that is
    /// truncated and rewritten as a replacement, and writes it to the disk when it is closed. That
    /// takes milliseconds.
    ///
    /// # Errors
    /// The errors of the file.
    pub fn write(&self, now_ns: f64) -> io::Result<()> {
        self.file()?.write_all_at(&now_ns.to_le_bytes(), 0)
    }

    fn file(&self) -> io::Result<&File> {
        if let Some(file) = self.file.get() {
            return Ok(file);
        }
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(&self.path)?;
        Ok(self.file.get_or_init(|| file))
    }
}
