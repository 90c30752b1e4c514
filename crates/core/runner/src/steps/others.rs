//! Others that could do the work of a call instead of the stepped thread: other threads and
//! processes of the runner, and the kernel.

use std::collections::BTreeMap;
use std::fs;

/// How long each other thread of a process and of its descendants has run, in ns.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Others(BTreeMap<String, String>);

impl Others {
    /// The other threads of a process, without this one.
    pub fn find(process: u32, thread: u32) -> Others {
        let mut others = Others::default();
        others.add(process, Some(thread));
        others
    }

    fn add(&mut self, process: u32, but: Option<u32>) {
        for task in fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten() {
            let (path, name) = (task.path(), task.file_name().to_string_lossy().into_owned());
            let children = fs::read_to_string(path.join("children")).unwrap_or_default();
            for child in children.split_ascii_whitespace().filter_map(|id| id.parse().ok()) {
                self.add(child, None);
            }
            if but.is_some_and(|thread| thread.to_string() == name) {
                continue;
            }
            let spent = fs::read_to_string(path.join("schedstat")).unwrap_or_default();
            let spent = spent.split_ascii_whitespace().next().unwrap_or_default().to_string();
            self.0.insert(name, spent);
        }
    }
}

/// Whether a process has memory that others may write to: then one that is not its child may work
/// for it.
pub fn shares_memory(process: u32) -> bool {
    let maps = fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
    maps.lines().any(|line| {
        line.split_ascii_whitespace().nth(1).is_some_and(|may| {
            let mut may = may.chars();
            may.nth(1) == Some('w') && may.nth(1) == Some('s')
        })
    })
}

/// The system calls of a thread that concern only its own process, with the number of their
/// arguments that matter. All others may hand on work. A thread that a lock or a signal wakes has
/// run.
const OWN: [(i64, usize); 16] = [
    (libc::SYS_brk, 1),
    (libc::SYS_mmap, 6),
    (libc::SYS_munmap, 2),
    (libc::SYS_mprotect, 3),
    (libc::SYS_mremap, 5),
    (libc::SYS_madvise, 3),
    (libc::SYS_futex, 4),
    (libc::SYS_getpid, 0),
    (libc::SYS_gettid, 0),
    // Its numbers include the process, which no other has.
    (libc::SYS_tgkill, 0),
    (libc::SYS_rt_sigaction, 4),
    (libc::SYS_rt_sigprocmask, 4),
    (libc::SYS_rt_sigreturn, 0),
    (libc::SYS_sigaltstack, 2),
    (libc::SYS_sched_yield, 0),
    (libc::SYS_getrandom, 3),
];

/// Whether a system call concerns the own process alone, by the flags that `mmap` gets.
pub fn is_own(call: u64, flags: u64) -> bool {
    let shares = call == libc::SYS_mmap as u64 && flags & libc::MAP_SHARED as u64 != 0;
    arguments(call).is_some() && !shares
}

/// How many arguments such a system call has.
pub fn arguments(call: u64) -> Option<usize> {
    let own = OWN.iter().find(|(number, _)| i64::try_from(call) == Ok(*number));
    own.map(|(_, arguments)| *arguments)
}

/// The name of a system call that hands on work, if it is a usual one.
pub fn name(call: u64) -> String {
    const NAMES: [(i64, &str); 17] = [
        (libc::SYS_read, "read"),
        (libc::SYS_write, "write"),
        (libc::SYS_readv, "readv"),
        (libc::SYS_writev, "writev"),
        (libc::SYS_pread64, "pread64"),
        (libc::SYS_pwrite64, "pwrite64"),
        (libc::SYS_sendto, "sendto"),
        (libc::SYS_recvfrom, "recvfrom"),
        (libc::SYS_sendmsg, "sendmsg"),
        (libc::SYS_recvmsg, "recvmsg"),
        (libc::SYS_accept, "accept"),
        (libc::SYS_clone, "clone"),
        (libc::SYS_clone3, "clone3"),
        (libc::SYS_vfork, "vfork"),
        (libc::SYS_fork, "fork"),
        (libc::SYS_nanosleep, "nanosleep"),
        (libc::SYS_clock_nanosleep, "clock_nanosleep"),
    ];
    let known = NAMES.iter().find(|(number, _)| i64::try_from(call) == Ok(*number));
    known.map_or_else(|| format!("system call {call}"), |(_, name)| name.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_do_shows_in_the_time_that_they_have_run() {
        let me = std::process::id();
        // SAFETY: gettid has no preconditions.
        let thread = u32::try_from(unsafe { libc::syscall(libc::SYS_gettid) }).unwrap();
        let before = Others::find(me, thread);
        assert!(!before.0.contains_key(&thread.to_string()));
        std::thread::spawn(|| std::hint::black_box(1)).join().unwrap();
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let with_child = Others::find(me, thread);
        assert!(with_child.0.contains_key(&child.id().to_string()), "{with_child:?}");
        child.kill().and_then(|()| child.wait()).unwrap();
    }

    #[test]
    fn a_write_hands_on_and_more_memory_does_not() {
        assert!(!is_own(libc::SYS_write as u64, 0) && !is_own(libc::SYS_io_uring_enter as u64, 0));
        let maps = [libc::MAP_PRIVATE, libc::MAP_SHARED, libc::MAP_SHARED_VALIDATE];
        let own = maps.map(|flags| is_own(libc::SYS_mmap as u64, flags as u64));
        assert_eq!(own, [true, false, false]);
        assert_eq!(arguments(libc::SYS_munmap as u64), Some(2));
        assert_eq!(name(libc::SYS_write as u64), "write");
        assert_eq!(name(9999), "system call 9999");
    }
}
