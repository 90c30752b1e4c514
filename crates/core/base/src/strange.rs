//! Reads files that somebody else may have put there. Such a file may be a pipe that never has a
//! writer, a device without end, or larger than the memory: it is read only if it is a regular file
//! of a bounded size, and otherwise refused at once.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;
use std::time::{Duration, Instant};

/// The most that a text is that people write: a suite, a family, a mix.
pub const MOST_TEXT: u64 = 4 << 20;

/// The most that a source or another part of a build is.
pub const MOST_SOURCE: u64 = 256 << 20;

/// Opens a regular file to read it.
///
/// # Errors
/// The system's errors, and one for anything but a regular file.
pub fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    // A pipe without a writer, or a terminal, would otherwise stop the tool here.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        libc::O_NONBLOCK | libc::O_NOCTTY,
    );
    let file = options.open(path)?;
    let kind = file.metadata()?.file_type();
    if kind.is_file() {
        return Ok(file);
    }
    let what = if kind.is_dir() { "a folder" } else { "a pipe, a socket or a device" };
    Err(io::Error::other(format!("it is {what}, and no regular file")))
}

/// For how long a pipe may have no program that writes into it.
const PATIENCE: Duration = Duration::from_secs(3);

/// The content of a file that the user named: a regular one, or a pipe, which can be read only once
/// and may take as long as the program that writes into it.
///
/// # Errors
/// The errors of [`bytes`], and one for a pipe into which no program writes.
#[cfg(unix)]
pub fn once(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::FileTypeExt;
    let kind = std::fs::metadata(path)?.file_type();
    if !kind.is_fifo() {
        return bytes(path, most);
    }
    let mut options = OpenOptions::new();
    options.read(true);
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let mut file = options.open(path)?;
    let began = Instant::now();
    let (mut all, mut part, mut had_writer) = (Vec::new(), vec![0; 1 << 16], false);
    loop {
        match file.read(&mut part) {
            Ok(0) if had_writer => return Ok(all),
            Ok(0) if began.elapsed() > PATIENCE => {
                return Err(io::Error::other("it is a pipe, and no program writes into it"));
            }
            Ok(0) => std::thread::sleep(Duration::from_millis(5)),
            Ok(count) => {
                had_writer = true;
                all.extend_from_slice(&part[..count]);
                if all.len() as u64 > most {
                    let what = format!("it gave more than {} MiB", most >> 20);
                    return Err(io::Error::other(what));
                }
            }
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                had_writer = true;
                let mut waits =
                    libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLIN, revents: 0 };
                // SAFETY: one such structure is there.
                unsafe { libc::poll(&raw mut waits, 1, -1) };
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

/// The content of a regular file that has at most this many bytes.
///
/// # Errors
/// The errors of [`open`], and one for a larger file.
pub fn bytes(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // The bytes read count, not the size that the system reports, which may change.
    open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("it is larger than {} MiB", most >> 20)));
    }
    Ok(bytes)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;

    #[test]
    fn only_regular_files_of_a_bounded_size_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("text"), "text").unwrap();
        std::fs::write(at("large"), vec![b'x'; (1 << 20) + 1]).unwrap();
        std::os::unix::fs::symlink("/dev/zero", at("zero")).unwrap();
        std::os::unix::fs::symlink(at("text"), at("link")).unwrap();
        let pipe = std::ffi::CString::new(at("pipe").to_str().unwrap()).unwrap();
        // SAFETY: the path ends with a NUL.
        assert_eq!(unsafe { libc::mkfifo(pipe.as_ptr(), 0o600) }, 0);
        let said = |name: &str| match bytes(&at(name), 1 << 20) {
            Ok(bytes) => String::from_utf8(bytes).unwrap(),
            Err(error) => error.to_string(),
        };
        assert_eq!([said("text"), said("link")], ["text", "text"]);
        assert_eq!(said("large"), "it is larger than 1 MiB");
        for name in ["zero", "pipe"] {
            assert!(said(name).contains("no regular file"), "{}", said(name));
        }
        let once = |name: &str| match once(&at(name), 1 << 20) {
            Ok(bytes) => String::from_utf8(bytes).unwrap(),
            Err(error) => error.to_string(),
        };
        assert_eq!([once("text"), once("large")], ["text", "it is larger than 1 MiB"]);
        assert!(once("zero").contains("a device"), "{}", once("zero"));
        assert_eq!(once("pipe"), "it is a pipe, and no program writes into it");
        // What is written before it is read waits in the pipe, as this reader keeps it open.
        let mut options = OpenOptions::new();
        let keeps = options.read(true).custom_flags(libc::O_NONBLOCK).open(at("pipe")).unwrap();
        std::fs::write(at("pipe"), "text").unwrap();
        assert_eq!(once("pipe"), "text");
        std::fs::write(at("pipe"), "").unwrap();
        assert_eq!(once("pipe"), "it is a pipe, and no program writes into it");
        let mut writer = OpenOptions::new().write(true).open(at("pipe")).unwrap();
        let writer = std::thread::spawn(move || writer.write_all(&vec![b'x'; (1 << 20) + 1]));
        assert_eq!(once("pipe"), "it gave more than 1 MiB");
        drop(keeps);
        let _ = writer.join().unwrap();
        assert!(said("").contains("a folder"), "{}", said(""));
    }
}
