//! Moves the code of this process to pages of its own.
//!
//! The code of a program and of its libraries lies in the page cache, and all processes share it
//! there. Some of these pages make code slower than the same bytes elsewhere, for as long as the
//! cache holds them (docs/trust/evidence/text-pages.md). With pages of its own, each process is one
//! sample of that, so that a run's intervals contain it.

/// Moves all code that still lies in a file's pages to anonymous memory, at the addresses where it
/// is. Other threads may run it meanwhile. Returns the bytes that were moved: 0 if there was
/// nothing left to move.
///
/// # Errors
/// Why some code stays where it was, if the system refuses. Everything works as before then.
#[cfg(target_os = "linux")]
pub fn own_pages() -> Result<usize, String> {
    linux::own_pages()
}

/// Moves nothing: this is done on Linux only.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn own_pages() -> Result<usize, String> {
    Err("this system has no mremap".to_string())
}

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::c_void;
    use std::fs::File;
    use std::io;
    use std::ops::Range;
    use std::os::unix::fs::FileExt;
    use std::ptr;

    /// Code of a file: a private mapping that may be read and executed.
    #[derive(Debug, PartialEq)]
    pub(super) struct Code<'a> {
        pub(super) addresses: Range<usize>,
        /// Where it begins in the file.
        pub(super) offset: u64,
        pub(super) path: &'a str,
    }

    pub(super) fn own_pages() -> Result<usize, String> {
        let maps = std::fs::read_to_string("/proc/self/maps")
            .map_err(|e| format!("/proc/self/maps: {e}"))?;
        let mut moved = 0;
        let mut changed = None;
        for code in maps.lines().filter_map(code_of_a_file) {
            // SAFETY: the range is a whole mapping that may be read and executed, and is not
            // written.
            if unsafe { is_changed(&code) } {
                changed.get_or_insert(code.path);
                continue;
            }
            // SAFETY: the same.
            unsafe { own(&code.addresses) }.map_err(|(call, e)| format!("{call}: {e}"))?;
            moved += code.addresses.len();
        }
        match changed {
            None => Ok(moved),
            Some(path) => Err(format!(
                "{path} is not in memory as it is in the file: a tracer has probes in it, or it was replaced"
            )),
        }
    }

    /// The code that a line of `/proc/self/maps` is about, if it is code of a file: private,
    /// readable, executable and not writable, with a path. (`[vdso]` is not a file.)
    pub(super) fn code_of_a_file(line: &str) -> Option<Code<'_>> {
        let mut words = line.split_ascii_whitespace();
        let (addresses, permissions, offset) = (words.next()?, words.next()?, words.next()?);
        if permissions != "r-xp" || !words.nth(2)?.starts_with('/') {
            return None;
        }
        let (start, end) = addresses.split_once('-')?;
        let [start, end] = [start, end].map(|hex| usize::from_str_radix(hex, 16).ok());
        Some(Code {
            addresses: start?..end?,
            offset: u64::from_str_radix(offset, 16).ok()?,
            path: &line[line.find('/')?..],
        })
    }

    /// Whether code differs from its file. The kernel puts a breakpoint of a tracer (a uprobe) into
    /// the pages of a file, and finds it again by its place in the file: a copy of it would end the
    /// process. A file that cannot be read decides nothing.
    ///
    /// # Safety
    /// The addresses are one mapping, readable, and nothing writes to it.
    unsafe fn is_changed(code: &Code<'_>) -> bool {
        let Ok(file) = File::open(code.path) else { return false };
        let mut piece = vec![0; 1 << 16];
        let mut at = 0;
        while at < code.addresses.len() {
            let most = piece.len().min(code.addresses.len() - at);
            let read = match file.read_at(&mut piece[..most], code.offset + at as u64) {
                Ok(0) | Err(_) => return false,
                Ok(read) => read,
            };
            // SAFETY: `at + read` is within the mapping.
            let memory = unsafe {
                std::slice::from_raw_parts((code.addresses.start + at) as *const u8, read)
            };
            if memory != &piece[..read] {
                return true;
            }
            at += read;
        }
        false
    }

    /// Puts a copy in the place of some code. The kernel exchanges the pages while it holds the
    /// lock that every page fault needs, so a thread which runs this code waits for a moment; this
    /// thread continues in the copy.
    ///
    /// # Safety
    /// The range is one mapping, readable, and nothing writes to it.
    unsafe fn own(code: &Range<usize>) -> Result<(), (&'static str, io::Error)> {
        let len = code.len();
        let failed = |call| (call, io::Error::last_os_error());
        let (rw, rx) = (libc::PROT_READ | libc::PROT_WRITE, libc::PROT_READ | libc::PROT_EXEC);
        let anonymous = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: new memory, wherever there is room.
        let copy = unsafe { libc::mmap(ptr::null_mut(), len, rw, anonymous, -1, 0) };
        if copy == libc::MAP_FAILED {
            return Err(failed("mmap"));
        }
        let at = code.start as *mut c_void;
        // SAFETY: `copy` has `len` bytes and is this function's own until mremap gives it the place
        // of the code, which has as many bytes and the same content. A system without huge pages
        // refuses the advice and needs none: pages of a file are small, so these shall be.
        let done = unsafe {
            libc::madvise(copy, len, libc::MADV_NOHUGEPAGE);
            ptr::copy_nonoverlapping(at.cast::<u8>(), copy.cast::<u8>(), len);
            let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
            if libc::mprotect(copy, len, rx) != 0 {
                Err(failed("mprotect"))
            } else if libc::mremap(copy, len, len, flags, at) == libc::MAP_FAILED {
                Err(failed("mremap"))
            } else {
                Ok(())
            }
        };
        if done.is_err() {
            // SAFETY: it is still there, and nothing uses it.
            unsafe { libc::munmap(copy, len) };
        }
        done
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn left() -> Vec<String> {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let left = maps.lines().filter(|line| linux::code_of_a_file(line).is_some());
        left.map(str::to_string).collect()
    }

    /// Threads run the code while it is moved, the other tests of this program among them.
    #[test]
    fn all_code_of_files_is_moved_and_goes_on_running() {
        use std::sync::atomic::{AtomicBool, Ordering};
        static STOP: AtomicBool = AtomicBool::new(false);
        let text = || format!("{:?}", (0..100_u64).map(|n| n.pow(3)).collect::<Vec<_>>());
        let expected = text();
        let busy = std::thread::spawn(move || {
            let mut rounds = 0;
            while !STOP.load(Ordering::Relaxed) || rounds == 0 {
                assert_eq!(text(), expected);
                rounds += 1;
            }
        });
        assert!(!left().is_empty(), "the test's own code is in a file's pages before");
        assert!(own_pages().unwrap() > 100_000);
        assert_eq!(left(), Vec::<String>::new());
        assert_eq!(own_pages(), Ok(0), "there is nothing left to move");
        STOP.store(true, Ordering::Relaxed);
        busy.join().unwrap();

        // In the same test, because it is the same process: another test would find this code left.
        let path = std::env::temp_dir().join(format!("cupel-code-{}", std::process::id()));
        std::fs::write(&path, [0x90; 5000]).unwrap();
        let (plain, probed) = (map(&path, false), map(&path, true));
        let refused = own_pages().unwrap_err();
        assert!(refused.starts_with(path.to_str().unwrap()), "{refused}");
        assert_eq!(left().len(), 1, "only the code with a probe stays where it is");
        for at in [plain, probed] {
            // SAFETY: the mapping is this test's own.
            unsafe { libc::munmap(at, 5000) };
        }
        std::fs::remove_file(path).unwrap();
    }

    /// Maps a file as code, with the instruction of a breakpoint in it if it is `probed`.
    fn map(path: &std::path::Path, probed: bool) -> *mut std::ffi::c_void {
        use std::os::fd::AsRawFd;
        let file = std::fs::File::open(path).unwrap();
        let (rw, rx) = (libc::PROT_READ | libc::PROT_WRITE, libc::PROT_READ | libc::PROT_EXEC);
        // SAFETY: a new mapping, to which nothing else has a pointer.
        unsafe {
            let at =
                libc::mmap(std::ptr::null_mut(), 5000, rw, libc::MAP_PRIVATE, file.as_raw_fd(), 0);
            assert_ne!(at, libc::MAP_FAILED);
            if probed {
                at.cast::<u8>().add(4500).write(0xcc);
            }
            assert_eq!(libc::mprotect(at, 5000, rx), 0);
            at
        }
    }

    #[test]
    fn only_code_of_files_is_moved() {
        let line = "1000-3000 r-xp 00001000 fe:00 12   /usr/lib/a b.so";
        let code = linux::code_of_a_file(line).unwrap();
        assert_eq!((code.addresses, code.offset), (0x1000..0x3000, 0x1000));
        assert_eq!(code.path, "/usr/lib/a b.so");
        for other in [
            "1000-3000 r--p 00001000 fe:00 12   /usr/lib/libc.so.6",
            "1000-3000 rwxp 00001000 fe:00 12   /usr/lib/libc.so.6",
            "1000-3000 r-xs 00001000 fe:00 12   /usr/lib/libc.so.6",
            "1000-3000 r-xp 00000000 00:00 0    [vdso]",
            "1000-3000 r-xp 00000000 00:00 0 ",
            "--- gibberish",
        ] {
            assert_eq!(linux::code_of_a_file(other), None, "{other}");
        }
    }
}
