//! Others that could do the work of a call instead of the stepped thread: other threads and
//! processes of the runner, and the kernel.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// How long each other thread of a process, of its descendants, and of orphans has run, in ns;
/// `None` if the system does not say so.
#[derive(Debug, Default)]
pub struct Others(BTreeMap<String, Option<u64>>);

impl Others {
    /// The other threads of a process, without this one. Orphans are children of the tool, and may
    /// see that something steps the process.
    pub fn find(process: u32, thread: u32) -> Others {
        let mut others = Others::default();
        others.add(process, Some(thread));
        for task in tasks(std::process::id()) {
            let orphans = children(&task).into_iter().filter(|&child| child != process);
            for orphan in orphans.filter(|&child| cupel_machine::is_of_a_runner(child)) {
                others.add(orphan, None);
            }
        }
        others
    }

    /// Whether certainly none of them has run since.
    pub fn have_rested(&self, now: &Others) -> bool {
        self.0 == now.0 && self.0.values().all(Option::is_some)
    }

    fn add(&mut self, process: u32, but: Option<u32>) {
        for task in tasks(process) {
            for child in children(&task) {
                self.add(child, None);
            }
            let name = task.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if but.is_some_and(|thread| thread.to_string() == name) {
                continue;
            }
            let spent = fs::read_to_string(task.join("schedstat")).unwrap_or_default();
            self.0.insert(name, ran_ns(&spent));
        }
    }
}

/// The first number of `schedstat`. Without statistics of the scheduler, the file is not there, or
/// has zeros only.
fn ran_ns(schedstat: &str) -> Option<u64> {
    let ns: u64 = schedstat.split_ascii_whitespace().next()?.parse().ok()?;
    (ns > 0).then_some(ns)
}

/// The threads of a process, by their folders.
fn tasks(process: u32) -> Vec<PathBuf> {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten();
    tasks.flatten().map(|task| task.path()).collect()
}

/// The children of a thread.
fn children(task: &Path) -> Vec<u32> {
    let children = fs::read_to_string(task.join("children")).unwrap_or_default();
    children.split_ascii_whitespace().filter_map(|id| id.parse().ok()).collect()
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

/// The system calls of a thread that concern only its own process, with those of their arguments
/// that the kernel reads whatever the others are: a register beyond them has something else, which
/// may be a secret. All others may hand on work. A thread that a lock or a signal wakes has run.
const OWN: [(i64, Range<usize>); 16] = [
    (libc::SYS_brk, 0..1),
    (libc::SYS_mmap, 0..6),
    (libc::SYS_munmap, 0..2),
    (libc::SYS_mprotect, 0..3),
    (libc::SYS_mremap, 0..4),
    (libc::SYS_madvise, 0..3),
    (libc::SYS_futex, 0..3),
    (libc::SYS_getpid, 0..0),
    (libc::SYS_gettid, 0..0),
    // The process and the thread have numbers that no others have.
    (libc::SYS_tgkill, 2..3),
    (libc::SYS_rt_sigaction, 0..4),
    (libc::SYS_rt_sigprocmask, 0..4),
    (libc::SYS_rt_sigreturn, 0..0),
    (libc::SYS_sigaltstack, 0..2),
    (libc::SYS_sched_yield, 0..0),
    (libc::SYS_getrandom, 0..3),
];

/// The requests of `futex` that wait, which they may do for a time: the fourth argument.
const WAITS: [i32; 5] = [
    libc::FUTEX_WAIT,
    libc::FUTEX_LOCK_PI,
    libc::FUTEX_WAIT_BITSET,
    libc::FUTEX_WAIT_REQUEUE_PI,
    libc::FUTEX_LOCK_PI2,
];

/// Whether a system call concerns the own process alone, and ends as soon as that lets it.
pub fn is_own(registers: &libc::user_regs_struct) -> bool {
    let (call, fourth) = (registers.rax, registers.r10);
    let shares = call == libc::SYS_mmap as u64 && fourth & libc::MAP_SHARED as u64 != 0;
    let request = registers.rsi as i32 & libc::FUTEX_CMD_MASK;
    let sleeps = call == libc::SYS_futex as u64 && WAITS.contains(&request) && fourth != 0;
    arguments(registers).is_some() && !shares && !sleeps
}

/// The arguments of such a system call.
pub fn arguments(registers: &libc::user_regs_struct) -> Option<Vec<u64>> {
    let r = registers;
    let (number, matter) = OWN.iter().find(|(number, _)| i64::try_from(r.rax) == Ok(*number))?;
    let last = named_by_request(*number, r).unwrap_or(matter.end);
    Some([r.rdi, r.rsi, r.rdx, r.r10, r.r8, r.r9][matter.start..last].to_vec())
}

/// How many arguments the kernel reads if the request, which is one of them, needs more than usual:
/// it then touches memory at another address, too.
fn named_by_request(call: i64, registers: &libc::user_regs_struct) -> Option<usize> {
    const ELSEWHERE: libc::c_int = libc::MREMAP_FIXED | libc::MREMAP_DONTUNMAP;
    match call {
        libc::SYS_futex => match registers.rsi as i32 & libc::FUTEX_CMD_MASK {
            libc::FUTEX_REQUEUE | libc::FUTEX_WAIT_REQUEUE_PI => Some(5),
            libc::FUTEX_CMP_REQUEUE | libc::FUTEX_WAKE_OP | libc::FUTEX_CMP_REQUEUE_PI => Some(6),
            _ => None,
        },
        libc::SYS_mremap => (registers.r10 & ELSEWHERE as u64 != 0).then_some(5),
        _ => None,
    }
}

/// Whether a system call shows, or may lead to, a change that a step makes: the kernel lets the
/// signal of a step through, and removes its handler, if a thread holds it back or ignores it.
pub fn shows_steps(registers: &libc::user_regs_struct) -> bool {
    match i64::try_from(registers.rax) {
        Ok(libc::SYS_rt_sigprocmask) => true,
        Ok(libc::SYS_rt_sigaction) => registers.rdi == libc::SIGTRAP as u64,
        _ => false,
    }
}

/// Whether a thread holds back or ignores the signal of a step.
pub fn refuses_steps(process: u32, thread: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/task/{thread}/status"));
    let status = status.unwrap_or_default();
    let sets = status.lines().filter_map(|line| {
        let hex = line.strip_prefix("SigBlk:").or_else(|| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(hex.trim(), 16).ok()
    });
    sets.fold(0_u64, |all, set| all | set) & (1 << (libc::SIGTRAP - 1)) != 0
}

/// The name of a system call that hands on work, if it is a usual one.
pub fn name(call: u64) -> String {
    const NAMES: [(i64, &str); 18] = [
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
        (libc::SYS_futex, "futex, with a time"),
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
        let rested = |before: &str, now: &str| {
            let of = |schedstat| Others([("1".to_string(), ran_ns(schedstat))].into());
            of(before).have_rested(&of(now))
        };
        assert!(rested("70 0 1", "70 0 1") && !rested("70 0 1", "71 0 2"));
        assert!(!rested("", "") && !rested("0 0 0", "0 0 0"), "nothing is known");
    }

    #[test]
    fn a_write_hands_on_and_more_memory_does_not() {
        assert!(!is_own(&asking(libc::SYS_write, [0; 4])));
        assert!(!is_own(&asking(libc::SYS_io_uring_enter, [0; 4])));
        let maps = [libc::MAP_PRIVATE, libc::MAP_SHARED, libc::MAP_SHARED_VALIDATE];
        let own = maps.map(|flags| is_own(&asking(libc::SYS_mmap, [0, 0, 0, flags as u64])));
        assert_eq!(own, [true, false, false]);
        assert_eq!(name(libc::SYS_write as u64), "write");
        assert_eq!(name(9999), "system call 9999");
    }

    /// The registers before a system call with these arguments.
    fn asking(call: i64, [rdi, rsi, rdx, r10]: [u64; 4]) -> libc::user_regs_struct {
        // SAFETY: registers are numbers, for which all zeros is a value.
        let zeros: libc::user_regs_struct = unsafe { std::mem::zeroed() };
        libc::user_regs_struct { rax: call as u64, rdi, rsi, rdx, r10, ..zeros }
    }

    #[test]
    fn a_register_beyond_the_arguments_says_nothing_and_a_time_to_wait_does() {
        let wakes = (libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG) as u64;
        let waits = (libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG) as u64;
        let woken = asking(libc::SYS_futex, [1, wakes, 3, 77]);
        assert!(is_own(&woken) && arguments(&woken) == Some(vec![1, wakes, 3]));
        assert!(is_own(&asking(libc::SYS_futex, [1, waits, 3, 0])));
        assert!(!is_own(&asking(libc::SYS_futex, [1, waits, 3, 77])), "a time");
        let signals = asking(libc::SYS_tgkill, [100, 101, 23, 7]);
        assert_eq!(arguments(&signals), Some(vec![23]));
    }

    #[test]
    fn another_address_that_the_kernel_touches_is_an_argument() {
        let count = |call, request: [u64; 2]| {
            let [second, fourth] = request;
            let registers = asking(call, [1, second, 3, fourth]);
            let registers = libc::user_regs_struct { r8: 5, r9: 6, ..registers };
            arguments(&registers).as_ref().map(Vec::len)
        };
        let operates = (libc::FUTEX_WAKE_OP | libc::FUTEX_PRIVATE_FLAG) as u64;
        assert_eq!(count(libc::SYS_futex, [operates, 4]), Some(6));
        assert_eq!(count(libc::SYS_futex, [libc::FUTEX_REQUEUE as u64, 4]), Some(5));
        assert_eq!(count(libc::SYS_futex, [libc::FUTEX_WAKE as u64, 4]), Some(3));
        let may_move = libc::MREMAP_MAYMOVE;
        assert_eq!(count(libc::SYS_mremap, [2, may_move as u64]), Some(4));
        let fixed = (may_move | libc::MREMAP_FIXED) as u64;
        assert_eq!(count(libc::SYS_mremap, [2, fixed]), Some(5));
    }

    #[test]
    fn what_a_step_does_to_signals_can_be_asked_for() {
        let trap = libc::SIGTRAP as u64;
        assert!(shows_steps(&asking(libc::SYS_rt_sigprocmask, [0, 0, 77, 8])));
        assert!(shows_steps(&asking(libc::SYS_rt_sigaction, [trap, 0, 77, 8])));
        assert!(!shows_steps(&asking(libc::SYS_rt_sigaction, [10, 0, 77, 8])));
        assert!(!shows_steps(&asking(libc::SYS_brk, [trap, 0, 0, 0])));
    }

    #[test]
    fn a_thread_that_refuses_steps_is_known() {
        let thread = || {
            // SAFETY: gettid has no preconditions.
            let thread = u32::try_from(unsafe { libc::syscall(libc::SYS_gettid) }).unwrap();
            refuses_steps(std::process::id(), thread)
        };
        let both = std::thread::spawn(move || {
            let before = thread();
            // SAFETY: all zeros is a set, which the calls change. It is set for this thread, which
            // ends.
            unsafe {
                let mut set: libc::sigset_t = std::mem::zeroed();
                libc::sigaddset(&raw mut set, libc::SIGTRAP);
                libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut());
            }
            [before, thread()]
        });
        assert_eq!(both.join().unwrap(), [false, true]);
    }
}
