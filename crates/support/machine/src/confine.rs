//! The limits of a program that the tool starts, and the tool's own behaviour at such limits.

use std::io;
use std::process::{ChildStdin, Command};
use std::time::Duration;

/// The largest file that a runner may write, in bytes. Some write archives of classes, or compiled
/// code.
#[cfg(unix)]
const LARGEST_FILE: u64 = 1 << 30;

/// Leaves a command no descriptor but its standard ones, no memory beyond the machine's, no file
/// without end and no core dump; and again as many descriptors as the tool was started with
/// ([`allow_many_files`]). The orphans of its children are its own children while it lives, so their
/// work counts as its own (Linux).
#[cfg(unix)]
pub fn confine(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    let memory = memory();
    // SAFETY: the calls take numbers, and pointers to the data that they read and write. Nothing is
    // allocated, as is required between fork and exec.
    unsafe {
        command.pre_exec(move || {
            #[cfg(target_os = "linux")]
            libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
            close_others();
            limit(libc::RLIMIT_CORE, 0);
            limit(libc::RLIMIT_FSIZE, LARGEST_FILE);
            if let Some(memory) = memory {
                limit(libc::RLIMIT_DATA, memory);
            }
            if let Some(before) = DESCRIPTORS.get() {
                libc::setrlimit(libc::RLIMIT_NOFILE, before);
            }
            Ok(())
        });
    }
}

/// The memory of the machine, in bytes.
#[cfg(unix)]
fn memory() -> Option<u64> {
    // SAFETY: the calls take a number.
    let (pages, size) =
        unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    u64::try_from(pages).ok()?.checked_mul(u64::try_from(size).ok()?)
}

/// Lowers a limit of this process. A lower one stays.
#[cfg(unix)]
fn limit(which: Resource, most: u64) {
    let mut now = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `now` is valid for reads and writes.
    unsafe {
        if libc::getrlimit(which, &raw mut now) == 0 {
            now.rlim_cur = now.rlim_cur.min(most as libc::rlim_t);
            now.rlim_max = now.rlim_max.min(most as libc::rlim_t);
            libc::setrlimit(which, &raw const now);
        }
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
type Resource = libc::__rlimit_resource_t;
#[cfg(all(unix, not(all(target_os = "linux", target_env = "gnu"))))]
type Resource = libc::c_int;

/// Lets the descriptors that whatever started the tool has left open end with exec(). The tool's
/// own do so anyway.
#[cfg(unix)]
fn close_others() {
    #[cfg(target_os = "linux")]
    // SAFETY: the call takes numbers. A kernel that does not know it refuses it.
    unsafe {
        let (first, last) = (3 as libc::c_uint, libc::c_uint::MAX);
        libc::syscall(libc::SYS_close_range, first, last, libc::CLOSE_RANGE_CLOEXEC);
    }
}

/// The limit with which the tool was started.
#[cfg(unix)]
static DESCRIPTORS: std::sync::OnceLock<libc::rlimit> = std::sync::OnceLock::new();

/// Allows this process as many open files as the system permits: each live runner needs three, and
/// a compiler matrix has hundreds of runners.
#[cfg(unix)]
pub fn allow_many_files() {
    let mut now = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `now` and its copy are valid for reads and writes.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut now) == 0 && DESCRIPTORS.set(now).is_ok() {
            let most =
                libc::rlimit { rlim_cur: now.rlim_max.min(1 << 16).max(now.rlim_cur), ..now };
            libc::setrlimit(libc::RLIMIT_NOFILE, &raw const most);
        }
    }
}

/// Makes a write that the limit of a file forbids an error, and not the end of this process. Its
/// child processes are not affected.
#[cfg(unix)]
pub fn outlive_file_limit() {
    extern "C" fn nothing(_: libc::c_int) {}
    // SAFETY: the handler does nothing. exec() replaces it by the default, which it would not do
    // with SIG_IGN.
    unsafe { libc::signal(libc::SIGXFSZ, nothing as extern "C" fn(libc::c_int) as usize) };
}

/// Says something and ends this process with status 3, without memory for either.
#[cfg(unix)]
pub fn end_without_memory(text: &'static str) -> ! {
    // SAFETY: the text has the given length.
    unsafe {
        libc::write(2, text.as_ptr().cast(), text.len());
        libc::_exit(3)
    }
}

/// Makes writes to a pipe return at once if it is full, and reads if it is empty.
#[cfg(unix)]
pub fn never_block(pipe: &impl std::os::fd::AsRawFd) {
    // SAFETY: the descriptor is open as long as `pipe` lives. Its other end has flags of its own.
    unsafe {
        let flags = libc::fcntl(pipe.as_raw_fd(), libc::F_GETFL);
        libc::fcntl(pipe.as_raw_fd(), libc::F_SETFL, flags | libc::O_NONBLOCK);
    }
}

/// Waits until a pipe has something to read, its writers are gone, or this much time has passed:
/// `None` is for ever.
#[cfg(unix)]
pub fn await_input(pipe: &impl std::os::fd::AsRawFd, patience: Option<Duration>) {
    let mut asked = libc::pollfd { fd: pipe.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let ms = patience.map_or(-1, in_ms);
    // SAFETY: the descriptor is open as long as `pipe` lives.
    unsafe { libc::poll(&raw mut asked, 1, ms) };
}

/// A time for `poll`, which must not be zero: then it would not wait.
#[cfg(unix)]
fn in_ms(patience: Duration) -> libc::c_int {
    patience.as_millis().clamp(1, 60_000) as libc::c_int
}

/// Waits until a pipe has room, its reader is gone, or this much time has passed.
#[cfg(unix)]
pub fn await_room(pipe: &ChildStdin, patience: Duration) {
    use std::os::fd::AsRawFd;
    let mut asked = libc::pollfd { fd: pipe.as_raw_fd(), events: libc::POLLOUT, revents: 0 };
    // SAFETY: `asked` is one element, valid for reads and writes.
    unsafe { libc::poll(&raw mut asked, 1, in_ms(patience)) };
}

#[cfg(not(unix))]
mod elsewhere {
    use super::{ChildStdin, Command, Duration};

    pub fn confine(_: &mut Command) {}
    pub fn allow_many_files() {}
    pub fn outlive_file_limit() {}
    pub fn end_without_memory(_: &'static str) -> ! {
        std::process::abort()
    }
    pub fn never_block<Pipe>(_: &Pipe) {}
    pub fn await_input<Pipe>(_: &Pipe, _: Option<Duration>) {}
    pub fn await_room(_: &ChildStdin, _: Duration) {}
}

#[cfg(not(unix))]
pub use elsewhere::*;

/// The resource that the system lacked, if something could not be started for this reason, with the
/// limit to raise.
pub fn lack(error: &io::Error) -> Option<&'static str> {
    #[cfg(unix)]
    return match error.raw_os_error()? {
        libc::EMFILE => Some("descriptors for this process (`ulimit -n`)"),
        libc::ENFILE => Some("descriptors for all processes (sysctl fs.file-max)"),
        libc::EAGAIN => {
            Some("processes and threads for this user (`ulimit -u`, or the container's)")
        }
        libc::ENOMEM => Some("memory"),
        _ => None,
    };
    #[cfg(not(unix))]
    return (error.kind() == io::ErrorKind::OutOfMemory).then_some("memory");
}
