//! The filter of system calls of a confined process. It is made of the table `calls.tsv`, which has
//! every call of Linux on x86-64 and on 64-bit Arm with its class. A call that is not in the table
//! does not exist for a confined process, so none gets through because no one thought of it.
//!
//! The table judges a call by its harm to others, and not by whether contenders happen to make it:
//! their calls differ between releases of a runtime (docs/internals/decisions/0092).

use std::mem::offset_of;

/// Each line has a name, the number on x86-64, the number on 64-bit Arm (`-` for none) and a class.
const CALLS: &str = include_str!("calls.tsv");

/// An architecture of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Architecture {
    /// The number by which the kernel tells it to a filter.
    audit: u32,
    /// The column with the numbers of its calls.
    column: usize,
}

const X86_64: Architecture = Architecture { audit: 0xc000_003e, column: 1 };
const ARM_64: Architecture = Architecture { audit: 0xc000_00b7, column: 2 };

/// The architecture of this program, if the table has it.
pub const HERE: Option<Architecture> = if cfg!(target_arch = "x86_64") {
    Some(X86_64)
} else if cfg!(target_arch = "aarch64") {
    Some(ARM_64)
} else {
    None
};

/// The other guards that keep the process from others.
#[derive(Clone, Copy, Debug, Default)]
pub struct Guards {
    /// It can trace, and read the memory of, its own processes only.
    pub traces: bool,
    /// It can send signals to its own processes only.
    pub signals: bool,
}

/// The filter's treatment of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// Passes: the call acts on the process itself, on objects that it has made, or on files.
    Free,
    /// Passes or fails by its arguments.
    Examined(&'static [Step]),
    /// Fails with `EPERM`: it acts on other processes or on the whole system.
    Refused,
    /// Fails as on a kernel without it. Programs then take another call, whose arguments a filter
    /// can read, or do without: its effect outlives the process.
    Absent,
    /// Fails as on a file system without it. Programs then write, which is counted.
    Unsupported,
}

/// A step of looking at arguments. The last one decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Takes the lower half of an argument. The kernel ignores the upper half of a number.
    Low(u32),
    /// Takes the upper half.
    High(u32),
    /// Keeps these bits of it.
    Mask(u32),
    /// If it is this, the call passes.
    Pass(u32),
    /// If it is this, the call fails.
    Fail(u32),
    /// Unless it is this, the call fails.
    Need(u32),
    /// If it has one of these bits, the call fails.
    Lack(u32),
    /// Unless it is this, the call passes.
    Only(u32),
    /// The call passes.
    PassElse,
    /// The call fails.
    FailElse,
}

use Step::{Fail, FailElse, High, Lack, Low, Mask, Need, Only, Pass, PassElse};

/// Stands for the number of the process, which is known after the fork only.
const OWN: u32 = 0xdead_beef;

/// Signals that end no process, unless it wants to. Go's runtime interrupts its threads by one.
const URG: Step = Pass(libc::SIGURG as u32);
const CHLD: Step = Pass(libc::SIGCHLD as u32);
const CONT: Step = Pass(libc::SIGCONT as u32);
const WINCH: Step = Pass(libc::SIGWINCH as u32);

impl Class {
    /// The class that the table calls by this word.
    fn named(word: &str, guards: Guards) -> Option<Class> {
        // PRIO_PROCESS and its like of `ioprio_set`.
        const PROCESS: u32 = 0;
        const IO_PROCESS: u32 = 1;
        // Requests that name whoever gets a signal when a socket has data.
        const FIOSETOWN: u32 = 0x8901;
        const SIOCSPGRP: u32 = 0x8902;
        // The kind of requests that only terminals have, or all descriptors.
        const KIND: u32 = 0xff00;
        const OF_TERMINALS: u32 = 0x5400;
        // These only read, or act on the descriptor alone.
        const TCGETS: u32 = 0x5401;
        const TCGETS2: u32 = 0x802c_542a;
        const TIOCGPGRP: u32 = 0x540f;
        const TIOCOUTQ: u32 = 0x5411;
        const TIOCGWINSZ: u32 = 0x5413;
        const FIONREAD: u32 = 0x541b;
        const FIONBIO: u32 = 0x5421;
        const TIOCGSID: u32 = 0x5429;
        const FIONCLEX: u32 = 0x5450;
        const FIOCLEX: u32 = 0x5451;
        const F_SETOWN: u32 = 8;
        const F_SETOWN_EX: u32 = 15;
        // Of a terminal, it names the terminal's group, whose processes SIGIO ends.
        const F_SETFL: u32 = 4;
        const O_ASYNC: u32 = 0x2000;
        // Whoever opens the file then waits until the lease is given back, 45 s at most.
        const F_SETLEASE: u32 = 1024;
        const PR_SCHED_CORE: u32 = 62;
        // It hides from the tool of an ordinary user how much a process writes.
        const PR_SET_DUMPABLE: u32 = 4;
        // With 0, it hides the work of the orphans of its children.
        const PR_SET_CHILD_SUBREAPER: u32 = 36;
        // The flags that make a namespace, in which a process has privileges.
        const NAMESPACES: u32 = 0x7e02_0080;
        let steps: &[Step] = match word {
            "free" => return Some(Class::Free),
            "refused" => return Some(Class::Refused),
            "absent" => return Some(Class::Absent),
            "reserve" => return Some(Class::Unsupported),
            "trace" if guards.traces => return Some(Class::Free),
            "signal" | "thread-signal" | "descriptor-signal" if guards.signals => {
                return Some(Class::Free);
            }
            "own" => &[Low(0), Pass(0), Pass(OWN), FailElse],
            "priority" => &[Low(0), Need(PROCESS), Low(1), Pass(0), Pass(OWN), FailElse],
            "io-priority" => &[Low(0), Need(IO_PROCESS), Low(1), Pass(0), Pass(OWN), FailElse],
            // Without new limits it reads them.
            "limits" => &[Low(0), Pass(0), Pass(OWN), Low(2), Need(0), High(2), Need(0), PassElse],
            "memory" => &[Low(0), Pass(OWN), FailElse],
            // PTRACE_TRACEME.
            "trace" => &[Low(0), Pass(0), FailElse],
            "signal" => {
                &[Low(0), Pass(0), Pass(OWN), Low(1), Pass(0), URG, CHLD, CONT, WINCH, FailElse]
            }
            "thread-signal" => {
                &[Low(0), Pass(OWN), Low(2), Pass(0), URG, CHLD, CONT, WINCH, FailElse]
            }
            // A descriptor of any process may have any number.
            "descriptor-signal" => &[Low(1), Pass(0), URG, CHLD, CONT, WINCH, FailElse],
            // A signal to the own group passes, so the group must be the own one or a new one. A
            // terminal stops the whole group of a process that reads from it in the background:
            // Landlock does not guard against signals of the kernel.
            "group" => &[Low(1), Pass(0), Pass(OWN), FailElse],
            // The kernel's own cryptography is behind a socket.
            "socket" => &[Low(0), Pass(libc::AF_ALG as u32), FailElse],
            // A pair of other types can be connected to somebody else.
            "pair" => &[
                Low(1),
                Mask(0xf),
                Pass(libc::SOCK_STREAM as u32),
                Pass(libc::SOCK_SEQPACKET as u32),
                FailElse,
            ],
            // Without an address.
            "send" => &[Low(4), Need(0), High(4), Need(0), PassElse],
            // Whoever may read from a terminal could stop its output, and so all that write there;
            // put characters into its input; or have it send signals.
            "device" => &[
                Low(1),
                Fail(FIOSETOWN),
                Fail(SIOCSPGRP),
                Mask(KIND),
                Only(OF_TERMINALS),
                Low(1),
                Pass(TCGETS),
                Pass(TCGETS2),
                Pass(TIOCGPGRP),
                Pass(TIOCOUTQ),
                Pass(TIOCGWINSZ),
                Pass(FIONREAD),
                Pass(FIONBIO),
                Pass(TIOCGSID),
                Pass(FIONCLEX),
                Pass(FIOCLEX),
                FailElse,
            ],
            "descriptor" => &[
                Low(1),
                Fail(F_SETOWN),
                Fail(F_SETOWN_EX),
                Fail(F_SETLEASE),
                Only(F_SETFL),
                Low(2),
                Lack(O_ASYNC),
                PassElse,
            ],
            "process" => &[
                Low(0),
                Fail(PR_SCHED_CORE),
                Fail(PR_SET_DUMPABLE),
                Only(PR_SET_CHILD_SUBREAPER),
                Low(1),
                Need(1),
                PassElse,
            ],
            "clone" => &[Low(0), Lack(NAMESPACES), PassElse],
            _ => return None,
        };
        Some(Class::Examined(steps))
    }

    fn code(self) -> Vec<libc::sock_filter> {
        match self {
            Class::Free => vec![pass()],
            Class::Refused => vec![fail(libc::EPERM)],
            Class::Absent => vec![fail(libc::ENOSYS)],
            Class::Unsupported => vec![fail(libc::EOPNOTSUPP)],
            Class::Examined(steps) => examine(steps),
        }
    }
}

/// Numbers of calls, from this one to the next, that are treated alike.
struct Range {
    from: u32,
    class: Class,
}

/// The filter, and the positions of the number of the process in it.
pub struct Filter {
    code: Vec<libc::sock_filter>,
    own: Vec<usize>,
}

impl Filter {
    /// The filter of an architecture, for a process with these guards.
    pub fn new(architecture: Architecture, guards: Guards) -> Filter {
        let ranges = ranges(architecture, guards);
        let mut code = vec![
            load(offset_of!(libc::seccomp_data, arch)),
            // Another architecture numbers its system calls in another way.
            jump(libc::BPF_JEQ, architecture.audit, 1, 0),
            answer(libc::SECCOMP_RET_KILL_PROCESS),
            load(offset_of!(libc::seccomp_data, nr)),
        ];
        code.extend(search(&ranges));
        let own = (0..code.len()).filter(|&at| code[at].k == OWN).collect();
        Filter { code, own }
    }

    /// Sets it for this process and its children, for good. Nothing is allocated.
    ///
    /// # Safety
    /// To be called between fork and exec.
    pub unsafe fn set(&mut self) -> libc::c_long {
        // SAFETY: the call takes nothing.
        let own = unsafe { libc::getpid() };
        for &at in &self.own {
            self.code[at].k = own as u32;
        }
        let (len, filter) = (self.code.len() as u16, self.code.as_mut_ptr());
        let program = libc::sock_fprog { len, filter };
        // Otherwise older kernels slow every load of memory in the measured code: they take a
        // filter for a sign of code that must not speculate.
        let flag = libc::SECCOMP_FILTER_FLAG_SPEC_ALLOW;
        // SAFETY: `program` describes `code`, which lives.
        unsafe {
            libc::syscall(
                libc::SYS_seccomp,
                libc::SECCOMP_SET_MODE_FILTER,
                flag,
                &raw const program,
            )
        }
    }
}

/// All numbers by class, ascending. Between calls and after the last one, there are none.
fn ranges(architecture: Architecture, guards: Guards) -> Vec<Range> {
    let mut calls: Vec<(u32, Class)> = CALLS
        .lines()
        .filter_map(|line| {
            let words: Vec<&str> = line.split('\t').collect();
            let number = words.get(architecture.column)?.parse().ok()?;
            // A class without a name here refuses: a test reads the table.
            let class = Class::named(words.get(3)?, guards).unwrap_or(Class::Refused);
            Some((number, class))
        })
        .collect();
    calls.sort_unstable_by_key(|(number, _)| *number);
    let mut ranges: Vec<Range> = Vec::new();
    let mut next = 0;
    for (number, class) in calls {
        if number > next {
            append(&mut ranges, next, Class::Absent);
        }
        append(&mut ranges, number, class);
        next = number + 1;
    }
    append(&mut ranges, next, Class::Absent);
    ranges
}

fn append(ranges: &mut Vec<Range>, from: u32, class: Class) {
    if ranges.last().is_none_or(|last| last.class != class) {
        ranges.push(Range { from, class });
    }
}

/// Finds the range of the number that is loaded: by halves, because a system call takes as much
/// longer as the filter has steps.
fn search(ranges: &[Range]) -> Vec<libc::sock_filter> {
    if let [range] = ranges {
        return range.class.code();
    }
    let (below, above) = ranges.split_at(ranges.len() / 2);
    let first = above[0].from;
    let (below, above) = (search(below), search(above));
    let mut code = match u8::try_from(below.len()) {
        Ok(past) => vec![jump(libc::BPF_JGE, first, past, 0)],
        Err(_) => {
            vec![jump(libc::BPF_JGE, first, 0, 1), jump(libc::BPF_JA, below.len() as u32, 0, 0)]
        }
    };
    code.extend(below.into_iter().chain(above));
    code
}

/// Looks at arguments.
fn examine(steps: &[Step]) -> Vec<libc::sock_filter> {
    let passes = steps.last() == Some(&PassElse);
    // The last step is the answer that it gives, and the other answer follows it.
    let (last, other) = (steps.len() - 1, steps.len());
    let mut code: Vec<libc::sock_filter> = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        let to = |passing: bool| (if passing == passes { last } else { other } - at - 1) as u8;
        let argument = |index: u32| offset_of!(libc::seccomp_data, args) + 8 * index as usize;
        code.push(match *step {
            Low(index) => load(argument(index)),
            High(index) => load(argument(index) + 4),
            Mask(bits) => libc::sock_filter {
                code: (libc::BPF_ALU | libc::BPF_AND | libc::BPF_K) as u16,
                ..answer(bits)
            },
            Pass(value) => jump(libc::BPF_JEQ, value, to(true), 0),
            Fail(value) => jump(libc::BPF_JEQ, value, to(false), 0),
            Need(value) => jump(libc::BPF_JEQ, value, 0, to(false)),
            Lack(bits) => jump(libc::BPF_JSET, bits, to(false), 0),
            Only(value) => jump(libc::BPF_JEQ, value, 0, to(true)),
            PassElse => pass(),
            FailElse => fail(libc::EPERM),
        });
    }
    code.push(if passes { fail(libc::EPERM) } else { pass() });
    code
}

const fn load(offset: usize) -> libc::sock_filter {
    let code = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    libc::sock_filter { code, jt: 0, jf: 0, k: offset as u32 }
}

const fn jump(test: u32, k: u32, jt: u8, jf: u8) -> libc::sock_filter {
    libc::sock_filter { code: (libc::BPF_JMP | libc::BPF_K | test) as u16, jt, jf, k }
}

const fn answer(k: u32) -> libc::sock_filter {
    libc::sock_filter { code: (libc::BPF_RET | libc::BPF_K) as u16, jt: 0, jf: 0, k }
}

const fn pass() -> libc::sock_filter {
    answer(libc::SECCOMP_RET_ALLOW)
}

const fn fail(error: libc::c_int) -> libc::sock_filter {
    answer(libc::SECCOMP_RET_ERRNO | error as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const OURS: u32 = 77;

    /// A line of the table.
    struct Call {
        name: &'static str,
        numbers: [Option<u32>; 2],
        word: &'static str,
    }

    fn calls() -> Vec<Call> {
        let call = |line: &'static str| {
            let words: Vec<&str> = line.split('\t').collect();
            let [name, x86, arm, word] = words[..] else { panic!("{line}") };
            let number = |text: &str| (text != "-").then(|| text.parse().expect(line));
            Call { name, numbers: [number(x86), number(arm)], word }
        };
        CALLS.lines().map(call).collect()
    }

    /// The filter's answer to a call: 0, or the error.
    fn answered(filter: &Filter, audit: u32, number: u32, arguments: [u64; 6]) -> i32 {
        let mut data = vec![number, audit, 0, 0];
        data.extend(arguments.iter().flat_map(|a| [*a as u32, (*a >> 32) as u32]));
        let (mut at, mut accumulator) = (0, 0);
        loop {
            let step = filter.code[at];
            let k = if filter.own.contains(&at) { OURS } else { step.k };
            let (code, mut next) = (u32::from(step.code), at + 1);
            match code & 0x07 {
                libc::BPF_LD => accumulator = data[k as usize / 4],
                libc::BPF_ALU => accumulator &= k,
                libc::BPF_RET if k == libc::SECCOMP_RET_ALLOW => return 0,
                libc::BPF_RET if k == libc::SECCOMP_RET_KILL_PROCESS => return -1,
                libc::BPF_RET => return (k & 0xffff) as i32,
                libc::BPF_JMP => {
                    let holds = match code & 0xf0 {
                        libc::BPF_JA => {
                            next += k as usize;
                            at = next;
                            continue;
                        }
                        libc::BPF_JEQ => accumulator == k,
                        libc::BPF_JGE => accumulator >= k,
                        libc::BPF_JSET => accumulator & k != 0,
                        other => panic!("{other}"),
                    };
                    next += usize::from(if holds { step.jt } else { step.jf });
                }
                other => panic!("{other}"),
            }
            at = next;
        }
    }

    fn both() -> [(usize, Architecture, Filter); 2] {
        [(0, X86_64), (1, ARM_64)]
            .map(|(column, of)| (column, of, Filter::new(of, Guards::default())))
    }

    #[test]
    fn every_number_has_the_class_of_its_call() {
        let calls = calls();
        for (column, architecture, filter) in both() {
            let numbers: BTreeSet<u32> = calls.iter().filter_map(|c| c.numbers[column]).collect();
            let all = calls.iter().filter(|call| call.numbers[column].is_some()).count();
            assert_eq!(numbers.len(), all, "a number is named twice");
            assert!(filter.code.len() < 4096, "the kernel takes no longer one");
            for number in (0..2048).chain([1 << 30, (1 << 30) + 59, u32::MAX]) {
                let call = calls.iter().find(|call| call.numbers[column] == Some(number));
                // Arguments that no call may have which looks at them.
                let answer = answered(&filter, architecture.audit, number, [u64::MAX; 6]);
                let right = match call.map(|call| call.word) {
                    Some("free" | "device" | "descriptor" | "process") => 0,
                    Some("reserve") => libc::EOPNOTSUPP,
                    None | Some("absent") => libc::ENOSYS,
                    Some(_) => libc::EPERM,
                };
                let name = call.map(|call| call.name);
                assert_eq!(answer, right, "{name:?}, {number} of {architecture:?}");
            }
            assert_eq!(answered(&filter, 0x4000_0003, 20, [0; 6]), -1, "another architecture");
        }
        let known = |word| Class::named(word, Guards::default()).is_some();
        assert!(calls.iter().all(|call| known(call.word)));
    }

    /// The headers of the system name no call that the table lacks, and no other number.
    #[test]
    #[cfg(target_arch = "x86_64")]
    fn the_table_has_the_calls_of_the_system() {
        let header = "/usr/include/x86_64-linux-gnu/asm/unistd_64.h";
        let Ok(text) = std::fs::read_to_string(header) else { return };
        let calls = calls();
        for line in text.lines().filter_map(|line| line.strip_prefix("#define __NR_")) {
            let (name, number) = line.split_once(' ').expect(line);
            let call = calls.iter().find(|call| call.name == name).expect(name);
            assert_eq!(call.numbers[0], number.trim().parse().ok(), "{name}");
        }
    }

    #[test]
    fn arguments_decide_whom_a_call_is_about() {
        let calls = calls();
        for (column, architecture, filter) in both() {
            let answers = |name: &str, arguments: &[u64]| {
                let call = calls.iter().find(|call| call.name == name).expect(name);
                let mut all = [0; 6];
                all[..arguments.len()].copy_from_slice(arguments);
                answered(&filter, architecture.audit, call.numbers[column].expect(name), all) == 0
            };
            let (own, other) = (u64::from(OURS), 78);
            for name in ["sched_setaffinity", "sched_setscheduler", "sched_setattr", "move_pages"] {
                assert!(answers(name, &[0]) && answers(name, &[own]), "{name}");
                assert!(!answers(name, &[other]), "{name}");
            }
            // A process, its group, a user: PRIO_PROCESS, PRIO_PGRP, PRIO_USER.
            for (which, who, right) in
                [(0, 0, true), (0, own, true), (0, other, false), (1, 0, false), (2, 0, false)]
            {
                assert_eq!(answers("setpriority", &[which, who]), right, "{which} {who}");
                assert_eq!(answers("ioprio_set", &[which + 1, who]), right, "{which} {who}");
            }
            assert!(answers("prlimit64", &[0, 7, 0x1000]) && answers("prlimit64", &[own, 7, 1]));
            assert!(answers("prlimit64", &[other, 7, 0]), "reading is free");
            assert!(!answers("prlimit64", &[other, 7, 0x1000]));
            assert!(!answers("prlimit64", &[other, 7, 1 << 32]), "both halves of a pointer");
            assert!(answers("kill", &[own, 9]) && answers("kill", &[other, 0]));
            assert!(!answers("kill", &[other, 9]) && !answers("kill", &[u64::MAX, 15]));
            assert!(answers("tgkill", &[own, other, 6]) && answers("tgkill", &[other, other, 23]));
            assert!(!answers("tgkill", &[other, other, 6]) && !answers("tkill", &[other, 6]));
            for descriptor in [0, own, other] {
                assert!(!answers("pidfd_send_signal", &[descriptor, 9]), "{descriptor}");
                assert!(answers("pidfd_send_signal", &[descriptor, 0]), "{descriptor}");
            }
            assert!(answers("setpgid", &[0, 0]) && answers("setpgid", &[other, own]));
            assert!(!answers("setpgid", &[0, other]), "kill(0, 9) would end that group");
            assert!(answers("ptrace", &[0]) && !answers("ptrace", &[16, other]));
            assert!(answers("process_vm_readv", &[own]) && !answers("process_vm_readv", &[other]));
            assert!(answers("socket", &[38, 5]) && !answers("socket", &[1, 1]));
            assert!(answers("socketpair", &[1, 0x80001]) && !answers("socketpair", &[1, 2]));
            assert!(answers("sendto", &[3, 1, 1]) && !answers("sendto", &[3, 1, 1, 0, 1 << 40]));
            assert!(answers("ioctl", &[0, 0x5401]) && !answers("ioctl", &[0, 0x5412]));
            assert!(answers("fcntl", &[0, 3]) && !answers("fcntl", &[0, 8, other]));
            // F_SETFL with and without O_ASYNC, F_DUPFD_CLOEXEC and FIOASYNC.
            assert!(answers("fcntl", &[0, 4, 0x800]) && !answers("fcntl", &[0, 4, 0x2800]));
            assert!(answers("fcntl", &[0, 1030, 0x2000]) && !answers("ioctl", &[0, 0x5452]));
            assert!(!answers("fcntl", &[0, 1024, 1]), "a lease");
            // TCSETS, TCXONC, TCFLSH, TIOCSCTTY, TIOCSPGRP, TIOCSWINSZ, TIOCLINUX, TCSETS2.
            for changes in [0x5402, 0x540a, 0x540b, 0x540e, 0x5410, 0x5414, 0x541c, 0x402c_542b] {
                assert!(!answers("ioctl", &[0, changes]), "{changes:x}");
            }
            // TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, TCGETS2, and FICLONE of files.
            for passes in [0x5413, 0x541b, 0x5421, 0x5451, 0x802c_542a, 0x4004_9409] {
                assert!(answers("ioctl", &[0, passes]), "{passes:x}");
            }
            assert!(answers("prctl", &[22]) && !answers("prctl", &[62]));
            assert!(!answers("prctl", &[4, 0]), "it would hide");
            assert!(answers("prctl", &[36, 1]) && !answers("prctl", &[36, 0]), "its orphans, too");
            assert!(answers("clone", &[0x1200011]) && !answers("clone", &[0x1000_0011]));
        }
    }

    #[test]
    fn what_landlock_guards_is_left_to_it() {
        let guarded = Filter::new(X86_64, Guards { traces: true, signals: true });
        let answer = |number| answered(&guarded, X86_64.audit, number, [u64::MAX; 6]);
        for number in [62, 234, 101, 424] {
            assert_eq!(answer(number), 0, "{number}");
        }
        assert_eq!(answer(109), libc::EPERM, "a group of others, which a terminal could stop");
    }
}
