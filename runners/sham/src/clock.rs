//! The simulated time that the processes of one run share: a file of eight bytes. The tool runs one
//! slice at a time, so no lock is needed.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;

/// The file that holds the time in ns, as a little-endian `f64`.
pub struct SharedClock(PathBuf);

impl SharedClock {
    /// The clock in this file, which need not exist yet.
    pub fn new(file: impl Into<PathBuf>) -> SharedClock {
        SharedClock(file.into())
    }

    /// The time in ns; 0 if nobody has written it yet.
    ///
    /// # Errors
    /// Those of the file, and a file that is not a clock.
    pub fn read(&self) -> io::Result<f64> {
        match std::fs::read(&self.0) {
            Ok(bytes) if bytes.is_empty() => Ok(0.0),
            Ok(bytes) => bytes.try_into().map(f64::from_le_bytes).map_err(|bytes: Vec<u8>| {
                let reason = format!("{}: {} bytes are not a clock", self.0.display(), bytes.len());
                io::Error::new(io::ErrorKind::InvalidData, reason)
            }),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(0.0),
            Err(e) => Err(e),
        }
    }

    /// Sets the time. The file is overwritten and never truncated: ext4 treats a file that is
    /// truncated and rewritten as a replacement, and writes it to the disk when it is closed. That
    /// takes milliseconds, and there is a write for each slice.
    ///
    /// # Errors
    /// Those of the file.
    pub fn write(&self, now_ns: f64) -> io::Result<()> {
        let mut options = OpenOptions::new();
        let mut file = options.write(true).create(true).truncate(false).open(&self.0)?;
        file.write_all(&now_ns.to_le_bytes())
    }
}
