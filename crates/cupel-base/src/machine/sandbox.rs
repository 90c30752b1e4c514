//! What a runner is kept from: the network, and files that it has no reason to write. Landlock
//! (Linux 5.13) and a filter of system calls (Linux 4.17) take that from a process and from all that
//! it starts, for good, and need no privilege. What a kernel cannot take, a runner keeps.
//!
//! Each system call of a confined process takes longer, and opening a file longer still
//! (docs/decisions/0085). So processes whose calls are timed with a system call in them are not
//! confined.

use super::Reading;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{io, mem, ptr};

/// See [`super::sandbox`]. What has to be allocated is allocated here, before the fork.
pub fn enter(command: &mut Command, folder: Option<&Path>) {
    let ruleset = ruleset(folder);
    let filters = knows_filters();
    // SAFETY: what is called takes numbers, and pointers to constants. Nothing is allocated, as is
    // required between fork and exec.
    unsafe {
        command.pre_exec(move || {
            if ruleset.is_some() || filters {
                done(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0).into())?;
            }
            if let Some(ruleset) = &ruleset {
                done(libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0))?;
            }
            if filters {
                let filter = FILTER.as_ptr().cast_mut();
                let program = libc::sock_fprog { len: FILTER.len() as u16, filter };
                let set = libc::SECCOMP_SET_MODE_FILTER;
                // Otherwise older kernels slow every load of memory in what is measured: they take a
                // filter for a sign of code that must not speculate.
                let flag = libc::SECCOMP_FILTER_FLAG_SPEC_ALLOW;
                done(libc::syscall(libc::SYS_seccomp, set, flag, &raw const program))?;
            }
            Ok(())
        });
    }
}

/// See [`super::sandboxing`].
pub fn means() -> [Reading<String>; 2] {
    let network = knows_filters().then(|| "no network".to_string());
    let folders = folders().map(|folder| folder.display().to_string()).collect::<Vec<_>>();
    let files = (version() > 0).then(|| format!("write only below {}", folders.join(", ")));
    [
        Reading::of(network, "use the network: this system has no filters of system calls"),
        Reading::of(files, "write wherever you may: this system has no Landlock (Linux 5.13)"),
    ]
}

/// The folders below which runners write: runtimes unpack libraries there, whatever the environment
/// says, and share memory.
fn folders() -> impl Iterator<Item = PathBuf> {
    let fixed = [P_TMPDIR, "/dev/shm"].map(PathBuf::from);
    let own = Some(std::env::temp_dir()).filter(|own| !fixed.contains(own));
    fixed.into_iter().chain(own).filter(|folder| folder.is_dir())
}

/// C's own temporary folder.
const P_TMPDIR: &str = "/tmp";

/// The devices that programs write to.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// Landlock's rights, by the version that knows them. They are all that change a file system, the
/// control of devices, and signals and abstract sockets of processes outside.
mod right {
    pub const WRITE: u64 = 1 << 1;
    pub const REMOVE_AND_MAKE: u64 = 0x1ff << 4;
    pub const REFER: u64 = 1 << 13;
    pub const TRUNCATE: u64 = 1 << 14;
    pub const CONTROL_DEVICE: u64 = 1 << 15;
    pub const SCOPES: u64 = 0b11;
}

/// The kernel's `struct landlock_ruleset_attr`.
#[repr(C)]
struct Handled {
    files: u64,
    ports: u64,
    scopes: u64,
}

/// The kernel's `struct landlock_path_beneath_attr`.
#[repr(C, packed)]
struct Beneath {
    allowed: u64,
    parent: i32,
}

/// The version of Landlock; 0 or less if there is none.
fn version() -> i64 {
    const VERSION: u32 = 1;
    // SAFETY: the call takes numbers, and a pointer that may be null.
    unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, ptr::null::<Handled>(), 0_usize, VERSION)
    }
}

/// The rules for files and processes, if the kernel has any.
fn ruleset(folder: Option<&Path>) -> Option<OwnedFd> {
    let version = version();
    let mut files = right::WRITE | right::REMOVE_AND_MAKE;
    for (since, right) in [(2, right::REFER), (3, right::TRUNCATE), (5, right::CONTROL_DEVICE)] {
        files |= if version >= since { right } else { 0 };
    }
    let scopes = if version >= 6 { right::SCOPES } else { 0 };
    let handled = Handled { files, ports: 0, scopes };
    let size = mem::size_of::<Handled>();
    // SAFETY: `handled` has the size that is passed. Older kernels accept what is zero beyond theirs.
    let ruleset =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, &raw const handled, size, 0) };
    let ruleset = i32::try_from(ruleset).ok().filter(|fd| *fd >= 0)?;
    // SAFETY: the kernel has just opened it.
    let ruleset = unsafe { OwnedFd::from_raw_fd(ruleset) };
    for folder in folders().chain(folder.map(Path::to_path_buf)) {
        allow(&ruleset, &folder, files);
    }
    for device in DEVICES {
        allow(&ruleset, Path::new(device), files & !right::REMOVE_AND_MAKE & !right::REFER);
    }
    Some(ruleset)
}

/// Allows what is below a path, if it is there.
fn allow(ruleset: &OwnedFd, path: &Path, allowed: u64) {
    const BENEATH: i32 = 1;
    let Ok(parent) = std::fs::File::open(path) else { return };
    let rule = Beneath { allowed, parent: parent.as_raw_fd() };
    let ruleset = ruleset.as_raw_fd();
    // SAFETY: `rule` is what a rule of this type consists of.
    unsafe { libc::syscall(libc::SYS_landlock_add_rule, ruleset, BENEATH, &raw const rule, 0) };
}

/// Whether the kernel has filters of system calls that refuse one.
fn knows_filters() -> bool {
    let (ask, refuses) = (libc::SECCOMP_GET_ACTION_AVAIL, libc::SECCOMP_RET_ERRNO);
    // SAFETY: the call reads one number.
    ARCHITECTURE != 0
        && unsafe { libc::syscall(libc::SYS_seccomp, ask, 0, &raw const refuses) } == 0
}

/// The kernel's number of the architecture; 0 for one that the filter does not know.
const ARCHITECTURE: u32 = if cfg!(target_arch = "x86_64") {
    0xc000_003e
} else if cfg!(target_arch = "aarch64") {
    0xc000_00b7
} else {
    0
};

/// Refuses sockets, but the kernel's own cryptography behind one, and the ring through which the
/// kernel makes them, too. `socketpair` connects only what has both ends.
const FILTER: [libc::sock_filter; 11] = {
    let of = mem::offset_of!(libc::seccomp_data, arch) as u32;
    let number = mem::offset_of!(libc::seccomp_data, nr) as u32;
    let family = mem::offset_of!(libc::seccomp_data, args) as u32;
    [
        load(of),
        // Another architecture numbers its system calls in another way.
        jump(libc::BPF_JEQ, ARCHITECTURE, 0, 8),
        load(number),
        // So do 32-bit pointers on x86-64.
        jump(libc::BPF_JGE, 1 << 30, 4, 0),
        jump(libc::BPF_JEQ, libc::SYS_io_uring_setup as u32, 3, 0),
        jump(libc::BPF_JEQ, libc::SYS_socket as u32, 0, 3),
        load(family),
        jump(libc::BPF_JEQ, libc::AF_ALG as u32, 1, 0),
        answer(libc::SECCOMP_RET_ERRNO | libc::EPERM as u32),
        answer(libc::SECCOMP_RET_ALLOW),
        answer(libc::SECCOMP_RET_KILL_PROCESS),
    ]
};

const fn load(offset: u32) -> libc::sock_filter {
    libc::sock_filter {
        code: (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16,
        jt: 0,
        jf: 0,
        k: offset,
    }
}

const fn jump(test: u32, k: u32, jt: u8, jf: u8) -> libc::sock_filter {
    libc::sock_filter { code: (libc::BPF_JMP | libc::BPF_K | test) as u16, jt, jf, k }
}

const fn answer(k: u32) -> libc::sock_filter {
    libc::sock_filter { code: (libc::BPF_RET | libc::BPF_K) as u16, jt: 0, jf: 0, k }
}

/// What a system call returned, as a result.
fn done(returned: i64) -> io::Result<()> {
    if returned == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
