//! Moves the code of this process to pages of its own.
//!
//! The code of a program and of its libraries lies in the page cache, and all processes share it
//! there. Some of these pages make code slower than the same bytes elsewhere, for as long as the
//! cache holds them (docs/evidence/text-pages.md). With pages of its own, each process is one sample
//! of that, so that a run's intervals contain it.

/// Moves all code that still lies in a file's pages to anonymous memory, at the addresses where it
/// is. Other threads may run it meanwhile. Returns the bytes that were moved: 0 if there was nothing
/// left to move.
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
    use std::io;
    use std::ops::Range;
    use std::ptr;

    pub(super) fn own_pages() -> Result<usize, String> {
        let maps = std::fs::read_to_string("/proc/self/maps")
            .map_err(|e| format!("/proc/self/maps: {e}"))?;
        let mut moved = 0;
        for code in maps.lines().filter_map(code_of_a_file) {
            // SAFETY: the range is a whole mapping that may be read and executed, and is not written.
            unsafe { own(&code) }.map_err(|(call, e)| format!("{call}: {e}"))?;
            moved += code.len();
        }
        Ok(moved)
    }

    /// The addresses of a mapping, if it is code of a file: private, readable, executable and not
    /// writable, with a path. (`[vdso]` is no file.)
    pub(super) fn code_of_a_file(line: &str) -> Option<Range<usize>> {
        let mut words = line.split_ascii_whitespace();
        let (addresses, permissions) = (words.next()?, words.next()?);
        let path = words.nth(3)?;
        if permissions != "r-xp" || !path.starts_with('/') {
            return None;
        }
        let (start, end) = addresses.split_once('-')?;
        let address = |hex: &str| usize::from_str_radix(hex, 16).ok();
        Some(address(start)?..address(end)?)
    }

    /// Puts a copy in the place of some code. The kernel exchanges the pages while it holds the lock
    /// that every page fault needs, so a thread which runs this code waits for a moment; this thread
    /// goes on in the copy.
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
    }

    #[test]
    fn only_code_of_files_is_moved() {
        let is = |line: &str| linux::code_of_a_file(line);
        assert_eq!(
            is("1000-3000 r-xp 00001000 fe:00 12   /usr/lib/libc.so.6"),
            Some(0x1000..0x3000)
        );
        for other in [
            "1000-3000 r--p 00001000 fe:00 12   /usr/lib/libc.so.6",
            "1000-3000 rwxp 00001000 fe:00 12   /usr/lib/libc.so.6",
            "1000-3000 r-xs 00001000 fe:00 12   /usr/lib/libc.so.6",
            "1000-3000 r-xp 00000000 00:00 0    [vdso]",
            "1000-3000 r-xp 00000000 00:00 0 ",
            "--- gibberish",
        ] {
            assert_eq!(is(other), None, "{other}");
        }
    }
}
