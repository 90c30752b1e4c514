//! The restrictions of a runner: the network, other processes, and files that it has no reason to
//! write. Landlock (Linux 5.13) and a filter of system calls (Linux 4.17) take that from a process
//! and from all that it starts, for good, and need no privilege. A runner keeps the rights that a
//! kernel cannot take. Privileges that it would have of root are taken, too.
//!
//! Each system call of a confined process takes longer, and opening a file longer still
//! (docs/internals/decisions/0085). So processes whose calls are timed with a system call in them
//! are not confined.

use super::Reading;
use super::filter::{self, Filter, Guards};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{io, mem, ptr};

/// See [`super::sandbox`]. All allocation happens here, before the fork.
pub fn enter(command: &mut Command, folder: Option<&Path>) {
    let ruleset = ruleset(folder);
    let guards = guards(ruleset.is_some());
    let mut filter = filter::HERE.filter(|_| knows_filters()).map(|of| Filter::new(of, guards));
    // SAFETY: the calls take numbers, and pointers to values made before. Nothing is allocated, as
    // is required between fork and exec.
    unsafe {
        command.pre_exec(move || {
            if ruleset.is_some() || filter.is_some() {
                done(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0).into())?;
            }
            drop_privileges();
            if let Some(ruleset) = &ruleset {
                done(libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0))?;
            }
            filter.as_mut().map_or(Ok(()), |filter| done(filter.set()))
        });
    }
}

/// The guards of Landlock, if there is one.
fn guards(there_is_landlock: bool) -> Guards {
    Guards { traces: there_is_landlock, signals: there_is_landlock && version() >= SCOPES }
}

/// Leaves a process of root's the rights that root has as the owner of files, and the reading of
/// others' files, among which the program itself may be.
fn drop_privileges() {
    const DAC_READ_SEARCH: libc::c_ulong = 2;
    const LAST: libc::c_ulong = 63;
    for capability in (0..=LAST).filter(|&capability| capability != DAC_READ_SEARCH) {
        // SAFETY: the calls take numbers. The kernel refuses to take rights that it does not know
        // or has taken already.
        unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) };
    }
    // The rights that the program would inherit. The kernel's `struct __user_cap_header_struct` and
    // its data: effective, permitted and inheritable ones, twice, because a set has two halves.
    let header = [0x2008_0522_u32, 0];
    let kept = [1 << DAC_READ_SEARCH, 1 << DAC_READ_SEARCH, 0, 0, 0, 0_u32];
    // SAFETY: the calls take numbers, and pointers to the data that they read. A process that has
    // no privileges is refused the second one, and inherits none.
    unsafe {
        libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
        libc::syscall(libc::SYS_capset, header.as_ptr(), kept.as_ptr());
    }
}

/// See [`super::sandboxing`].
pub fn means() -> [Reading<String>; 2] {
    let network = knows_filters().then(|| "no network".to_string());
    let folders = folders().map(|folder| folder.display().to_string()).collect::<Vec<_>>();
    let files = (version() > 0).then(|| format!("write only below {}", folders.join(", ")));
    [
        Reading::from_fact(network, "use the network: this system has no filters of system calls"),
        Reading::from_fact(
            files,
            "write wherever you may: this system has no Landlock (Linux 5.13)",
        ),
    ]
}

/// See [`super::open_to_sandboxed`].
pub fn open() -> Vec<PathBuf> {
    if version() <= 0 {
        return vec![];
    }
    folders().filter_map(|folder| folder.canonicalize().ok()).collect()
}

/// The folders below which runners write: runtimes unpack libraries there, whatever the
/// environment, and share memory.
fn folders() -> impl Iterator<Item = PathBuf> {
    let fixed = [P_TMPDIR, "/dev/shm"].map(PathBuf::from);
    let own = Some(std::env::temp_dir()).filter(|own| !fixed.contains(own));
    fixed.into_iter().chain(own).filter(|folder| folder.is_dir())
}

/// C's own temporary folder.
const P_TMPDIR: &str = "/tmp";

/// The devices that programs write to.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// The version of Landlock that keeps signals from processes outside.
const SCOPES: i64 = 6;

/// Landlock's rights, by the version that has them. They are all that change a file system, the
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
    let scopes = if version >= SCOPES { right::SCOPES } else { 0 };
    let handled = Handled { files, ports: 0, scopes };
    let size = mem::size_of::<Handled>();
    // SAFETY: `handled` has the size that is passed. Older kernels accept zeros beyond their own
    // size.
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

/// Allows access below a path, if it is there.
fn allow(ruleset: &OwnedFd, path: &Path, allowed: u64) {
    const BENEATH: i32 = 1;
    let Ok(parent) = std::fs::File::open(path) else { return };
    let rule = Beneath { allowed, parent: parent.as_raw_fd() };
    let ruleset = ruleset.as_raw_fd();
    // SAFETY: `rule` has the layout of a rule of this type.
    unsafe { libc::syscall(libc::SYS_landlock_add_rule, ruleset, BENEATH, &raw const rule, 0) };
}

/// Whether the kernel has filters of system calls that refuse one.
fn knows_filters() -> bool {
    let (ask, refuses) = (libc::SECCOMP_GET_ACTION_AVAIL, libc::SECCOMP_RET_ERRNO);
    // SAFETY: the call reads one number.
    filter::HERE.is_some()
        && unsafe { libc::syscall(libc::SYS_seccomp, ask, 0, &raw const refuses) } == 0
}

/// The return value of a system call, as a result.
fn done(returned: i64) -> io::Result<()> {
    if returned == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
