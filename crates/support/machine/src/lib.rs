//! The description of this machine, and the few things that only some systems can do. Everything
//! that depends on the system is in this crate. A fact that a system cannot report is
//! [`Reading::NotAvailable`].

#[cfg(target_os = "linux")]
mod cpuinfo;
#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod sandbox;
#[cfg(target_os = "linux")]
use linux as system;

#[cfg(not(target_os = "linux"))]
mod other;
#[cfg(not(target_os = "linux"))]
use other as system;

mod company;
mod confine;
mod places;
mod room;

pub use company::{Company, Look, Mapped, mapped, probers};
pub use confine::{
    allow_many_files, await_input, await_room, confine, end_without_memory, lack, never_block,
    outlive_file_limit,
};
pub use room::Room;

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

/// A fact about the machine, or the reason why it is unknown: unknown is not the same as zero.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reading<T> {
    /// The fact.
    Known(T),
    /// Why it is not available here.
    NotAvailable(String),
}

impl<T> Reading<T> {
    /// The fact, if there is one.
    pub fn known(&self) -> Option<&T> {
        match self {
            Reading::Known(fact) => Some(fact),
            Reading::NotAvailable(_) => None,
        }
    }

    fn from_fact(fact: Option<T>, why_not: &str) -> Reading<T> {
        match fact {
            Some(fact) => Reading::Known(fact),
            None => Reading::NotAvailable(why_not.to_string()),
        }
    }
}

/// The facts about a machine. The fingerprint covers those that figures depend on; the rest is only
/// stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Architecture: `x86_64`, `aarch64`.
    pub architecture: String,
    /// Operating system and its release.
    pub system: Reading<String>,
    /// Kernel release.
    pub kernel: Reading<String>,
    /// Processor model as it names itself.
    pub cpu: Reading<String>,
    /// Family, model and stepping, or implementer, part and revision.
    pub stepping: Reading<String>,
    /// Microcode revision.
    pub microcode: Reading<String>,
    /// Instruction set extensions, as the kernel lists them.
    pub flags: Reading<Vec<String>>,
    /// Processors that this process may run on.
    pub cpus: usize,
    /// Processors that the machine has, whether or not this process may use them.
    pub processors: Reading<usize>,
    /// Cores that have at least one of the processors that this process may run on: fewer than
    /// these if two processors are threads of one core.
    pub cores: Reading<usize>,
    /// Last-level cache in bytes.
    pub last_level_cache: Reading<u64>,
    /// Frequency governor.
    pub governor: Reading<String>,
    /// Hypervisor, if this is a virtual machine.
    pub hypervisor: Reading<String>,
    /// Memory in bytes.
    pub memory: Reading<u64>,
    /// The name that a fleet has for this machine; absent outside of a fleet. Two machines of one
    /// kind have one fingerprint, and this distinguishes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// The variables of the environment that hide features of the processor from some contenders:
    /// this machine then stands in for another. Absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub masked_by: Option<String>,
    /// The differences of the measuring processor, if this machine has others of another kind.
    /// Absent if all are alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uneven: Option<Uneven>,
}

/// The measuring processor of a machine with processors of several kinds. Facts such as the
/// stepping and the cache describe this one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Uneven {
    /// Its number.
    pub processor: usize,
    /// The system's words about its kind besides the other facts; it may be empty: `1800 MHz`.
    pub kind: String,
    /// The processors of other kinds: `0-3,7`.
    pub others: String,
}

/// The variable with the name that a fleet has for a machine.
pub const NODE: &str = "CUPEL_NODE";

/// Variables that hide features of the processor: from our kernels and from OpenSSL.
const MASKS: [&str; 3] = ["CUPEL_CPU", "OPENSSL_ia32cap", "OPENSSL_armcap"];

/// The variables that are set and hide features of the processor. Go's variable has other settings
/// too, which hide nothing.
fn masks(variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    let go = variable("GODEBUG").filter(|value| value.contains("cpu."));
    let set = MASKS.iter().filter_map(|name| Some((*name, variable(name)?)));
    let all: Vec<String> = set
        .chain(go.map(|value| ("GODEBUG", value)))
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    (!all.is_empty()).then(|| all.join(" "))
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

impl Machine {
    /// Looks at this machine.
    pub fn look() -> Machine {
        Machine { node: variable(NODE), masked_by: masks(variable), ..system::machine() }
    }

    /// A digest of the facts that figures depend on and that a reboot does not change. If it
    /// changes, advice is void.
    ///
    /// It covers the processor with its microcode, which changes speed; the extensions, which
    /// decide which code runs; the system, whose libraries and compilers contenders are built from;
    /// and whether the tool may use one processor or several, because a JVM chooses its collector
    /// by that.
    ///
    /// On a machine with processors of several kinds it covers the kind that measures: figures of
    /// one do not hold for another, even if both have the same model.
    ///
    /// It covers the variables that hide features of the processor, because contenders then take
    /// other code paths. It leaves out the name in a fleet: two machines of one kind are one to
    /// advice. It also leaves out the kernel's release, because timed code hardly enters the kernel
    /// and a machine gets a new one every few weeks; the governor, which slows both sides of a
    /// ratio; the memory, which differs a little with each boot; and the reason why a fact is
    /// unknown. All of these are stored, and `cupel show A B` names those that differ.
    ///
    /// If you change this, stores hold fingerprints of two kinds, so the schema needs a new
    /// version.
    pub fn fingerprint(&self) -> String {
        use sha2::Digest;
        let facts = (
            &self.architecture,
            self.system.known(),
            self.cpu.known(),
            self.stepping.known(),
            self.microcode.known(),
            self.extensions(),
            // If the system does not say how many there are: nearly always, all are allowed.
            self.processors.known().unwrap_or(&self.cpus),
            self.cpus > 1,
            self.last_level_cache.known(),
            self.hypervisor.known(),
        );
        let mut text = serde_json::to_vec(&facts).unwrap_or_default();
        text.extend(self.masked_by.iter().flat_map(|masks| masks.bytes()));
        text.extend(self.uneven.iter().flat_map(|uneven| uneven.kind.bytes()));
        hex::encode(&sha2::Sha256::digest(text)[..8])
    }

    /// The flags that show which instructions programs may use, sorted. On x86 the kernel also
    /// lists its own findings (`pti`, `rep_good`), which differ from release to release.
    pub fn extensions(&self) -> Option<Vec<&str>> {
        const OF_X86: &[&str] = &[
            "abm", "adx", "aes", "amx", "avx", "bmi", "erms", "f16c", "fma", "fsrm", "gfni",
            "movbe", "pclmul", "pni", "popcnt", "sha", "sm3", "sm4", "sse", "ssse3", "vaes",
            "vpclmul",
        ];
        let x86 = self.architecture.starts_with("x86");
        let mut flags: Vec<&str> = self.flags.known()?.iter().map(String::as_str).collect();
        flags.retain(|flag| !x86 || OF_X86.iter().any(|start| flag.starts_with(start)));
        flags.sort_unstable();
        Some(flags)
    }

    /// The measuring processor, in one sentence, if others have another kind.
    pub fn unevenness(&self) -> Option<String> {
        let Uneven { processor, others, .. } = self.uneven.as_ref()?;
        Some(format!("measured on processor {processor}, which is of another kind than {others}"))
    }

    /// One line for the foot of a table.
    pub fn line(&self) -> String {
        let mut parts = vec![self.cpu.known().unwrap_or(&self.architecture).clone()];
        parts.push(format!("{} cpus", self.cpus));
        if let Some(hypervisor) = self.hypervisor.known() {
            parts.push(format!("virtual ({hypervisor})"));
        }
        if let Some(kernel) = self.kernel.known() {
            parts.push(format!("Linux {kernel}"));
        }
        if let Some(node) = &self.node {
            parts.push(format!("node {node}"));
        }
        if let Some(masks) = &self.masked_by {
            parts.push(format!("STANDS IN FOR ANOTHER CPU: code paths are masked by {masks}"));
        }
        parts.extend(self.unevenness());
        parts.join(", ")
    }
}

/// The processor that contenders are pinned to: the last one that this process may use, because the
/// first ones serve most interrupts. `None` if the system cannot pin a process.
pub fn measuring_cpu() -> Option<usize> {
    system::cpus()?.last().copied()
}

/// The processors on which the threads of a workload make their calls, in order: the first thread
/// has the measuring processor. Those on cores of their own come before those that share a core
/// with one before them, and those with the same last-level cache before the rest. Empty if the
/// system cannot pin a thread.
pub fn places() -> Vec<usize> {
    static PLACES: OnceLock<Vec<usize>> = OnceLock::new();
    let places = PLACES.get_or_init(|| {
        let Some(measuring) = measuring_cpu() else { return vec![] };
        let near = neighbours(measuring);
        let far = system::cpus().into_iter().flatten().filter(|cpu| !near.contains(cpu));
        // Within each group the last ones first: the first ones serve most interrupts.
        let mut far: Vec<usize> = far.collect();
        far.reverse();
        let mut candidates = near.clone();
        candidates[1..].reverse();
        candidates.extend(far);
        places::spread(&candidates, system::siblings)
    });
    places.clone()
}

/// How many threads can have their own processor, of those that this process may use.
pub fn processors() -> usize {
    match places().len() {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        places => places,
    }
}

/// Returns large pieces of memory to the system when they are freed. By default the allocator keeps
/// pieces of up to 32 MiB.
pub fn give_memory_back() {
    system::give_memory_back();
}

/// Lets the calling thread share the measuring processor with the contenders, and keeps all other
/// threads of this process off it. The calling thread sleeps while a slice runs. Between slices,
/// waking a thread on the same processor takes a tenth of the time that waking another processor
/// takes.
pub fn take(measuring: usize) {
    system::take(measuring);
}

/// Keeps the calling thread off the measuring processor, so that its work disturbs no measurement.
/// Does nothing on a machine with one processor.
pub fn step_aside(measuring: usize) {
    system::step_aside(measuring);
}

/// Lets every thread of other programs, and of contenders, go before the calling one: it runs only
/// on processors that would be idle otherwise. Cannot be undone.
pub fn let_others_go_first() {
    system::let_others_go_first();
}

/// Pins the calling thread, and its children, to a processor. If another thread there wakes it, it
/// lets that one finish first: a runner that has answered is asleep before the next one is asked.
pub fn go_to(cpu: usize) {
    system::go_to(cpu);
}

/// The processors that share this one's last-level cache, this one first, as far as this process
/// may use them. Data prepared on one of them is in the right memory for another.
pub fn neighbours(cpu: usize) -> Vec<usize> {
    system::neighbours(cpu)
}

/// Pins a live process to a processor. If the runner reported which thread makes the calls
/// (`caller`), only that one is pinned, otherwise all of its threads. The other threads of a
/// runtime need room: a compiler that shares the processor with the code that waits for it finishes
/// late.
pub fn move_process(process: u32, caller: Option<u32>, cpu: usize) {
    system::move_process(process, caller, cpu);
}

/// Pins a thread of another process to a processor.
pub fn place(thread: u32, cpu: usize) {
    system::place(thread, cpu);
}

/// The processors that a thread of another process may run on, if the system says so.
pub fn allowed(thread: u32) -> Option<Vec<usize>> {
    system::allowed(thread)
}

/// How a thread of another process competes for processors, if the system says so: how it is
/// scheduled, and how important it is.
pub fn priority(thread: u32) -> Option<[i64; 2]> {
    system::priority(thread)
}

/// The bytes that a process and its children have written so far, to files and elsewhere, if the
/// system says so.
pub fn written(process: u32) -> Option<u64> {
    system::written(process)
}

/// Lets a command start on all the processors that this process was allowed, whatever the calling
/// thread is pinned to.
pub fn set_free(command: &mut Command) {
    system::set_free(command);
}

/// Lets a command start on the processors to which the calling thread is pinned, whichever thread
/// starts it.
pub fn set_as_here(command: &mut Command) {
    system::set_as_here(command);
}

/// Lets a command's program and libraries be at the same addresses whenever it is started, if the
/// system can do that. Where it forbids that, the command does not start.
pub fn fix_addresses(command: &mut Command) {
    system::fix_addresses(command);
}

/// Keeps a command, and its children, from the network and from writing elsewhere than in temporary
/// folders and, if one is given, in this `folder`, as far as the system can do that
/// ([`sandboxing`]). Its children gain no privileges.
pub fn sandbox(command: &mut Command, folder: Option<&Path>) {
    #[cfg(target_os = "linux")]
    sandbox::enter(command, folder);
    #[cfg(not(target_os = "linux"))]
    let _ = (command, folder);
}

/// In words, the access that [`sandbox`] takes from a command on this machine: the network, and
/// files.
pub fn sandboxing() -> [Reading<String>; 2] {
    #[cfg(target_os = "linux")]
    return sandbox::means();
    #[cfg(not(target_os = "linux"))]
    ["the network", "files"]
        .map(|what| Reading::NotAvailable(format!("{what}: not on this system")))
}

/// The folders below which a command may write in spite of [`sandbox`]; none if it may write
/// wherever you may.
pub fn open_to_sandboxed() -> Vec<std::path::PathBuf> {
    #[cfg(target_os = "linux")]
    return sandbox::open();
    #[cfg(not(target_os = "linux"))]
    vec![]
}

/// Lets the system kill a command's children when the thread that starts it ends, if the system can
/// do that. So that thread must last as long as this process.
pub fn end_with_this_process(command: &mut Command) {
    system::end_with_this_process(command);
}

/// Kills a process group, by the number of the process that leads it.
pub fn kill_group(leader: u32) {
    #[cfg(unix)]
    if let Ok(group) = i32::try_from(leader)
        && group > 1
    {
        // SAFETY: kill() takes two numbers and touches no memory.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
    #[cfg(not(unix))]
    let _ = leader;
}

/// Whether a process that this one has started has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It runs.
    NotYet,
    /// It has ended. Until the caller waits for it, no other process gets its number.
    Unread,
    /// It has ended and was waited for. Its number may belong to another process.
    Read,
}

/// Whether a process that this one has started has ended, without waiting for it.
pub fn end_of(child: &mut std::process::Child) -> End {
    #[cfg(unix)]
    {
        // SAFETY: a zeroed siginfo_t is valid, and waitid() may write to it.
        let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
        let how = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        // SAFETY: as above.
        if unsafe { libc::waitid(libc::P_PID, child.id(), &raw mut info, how) } != 0 {
            return End::Read;
        }
        // One that a thread of this process traces is shown while it has stopped, too.
        match info.si_code {
            libc::CLD_EXITED | libc::CLD_KILLED | libc::CLD_DUMPED => End::Unread,
            _ => End::NotYet,
        }
    }
    #[cfg(not(unix))]
    {
        if matches!(child.try_wait(), Ok(None)) { End::NotYet } else { End::Read }
    }
}

/// Waits until a process that this one has started has ended, and leaves its end unread.
pub fn await_end(child: &std::process::Child) {
    #[cfg(unix)]
    {
        // SAFETY: a zeroed siginfo_t is valid, and waitid() may write to it.
        let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
        // SAFETY: as above.
        unsafe {
            libc::waitid(libc::P_PID, child.id(), &raw mut info, libc::WEXITED | libc::WNOWAIT)
        };
    }
    #[cfg(not(unix))]
    let _ = child;
}

/// Waits a moment for the children of this process that are in a group that was killed.
pub fn await_group(leader: u32) {
    #[cfg(unix)]
    if let Ok(group) = i32::try_from(leader)
        && group > 1
    {
        for _ in 0..100 {
            // SAFETY: waitpid() takes two numbers and a pointer that may be null.
            match unsafe { libc::waitpid(-group, std::ptr::null_mut(), libc::WNOHANG) } {
                0 => std::thread::sleep(std::time::Duration::from_millis(1)),
                n if n > 0 => {}
                _ => return,
            }
        }
    }
    #[cfg(not(unix))]
    let _ = leader;
}

/// Makes this process the parent of its children's orphans, if the system can do that.
pub fn adopt_orphans() {
    system::adopt_orphans();
}

/// Whether a process, or one that it comes from, was given to a [`sandbox`] or to [`confine`], as
/// far as the system says so.
pub fn is_of_a_runner(process: u32) -> bool {
    system::is_of_a_runner(process)
}

/// Kills the children of this process that belong to a runner, or have a variable of this name in
/// their environment, and are not among the `known` ones. Where the system cannot tell, nothing is
/// killed.
pub fn end_orphans(variable: &str, known: &BTreeSet<u32>) {
    system::end_orphans(variable, known);
}

/// The time that the hypervisor gave to others while this processor wanted to run, in ns since
/// boot.
pub fn stolen_ns(cpu: Option<usize>) -> Reading<u64> {
    system::stolen_ns(cpu)
}

/// The use of the system by a process so far, as the system counts it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usage {
    /// Time that its threads ran, in ns.
    pub cpu_ns: u64,
    /// Times that the thread which makes the calls went to sleep, to wait for something.
    pub sleeps: u64,
}

/// The clock of a thread of another process, which advances only while that thread runs. It counts
/// neither other processes nor other threads of its process.
pub struct ThreadClock(system::ThreadClock);

impl ThreadClock {
    /// The clock of this thread, if its system has one. It ends with the process.
    pub fn open(process: u32, thread: u32) -> Option<ThreadClock> {
        system::ThreadClock::open(process, thread).map(ThreadClock)
    }

    /// The clock of the calling thread, if its system has one.
    pub fn of_this_thread() -> Option<ThreadClock> {
        system::ThreadClock::of_this_thread().map(ThreadClock)
    }

    /// The time for which the thread has run, in ns. It is exact while the thread does not run.
    pub fn ns(&self) -> Option<u64> {
        self.0.ns()
    }

    /// The time for which the thread was ready to run and had no processor, in ns. A wait is in it
    /// once it is over.
    pub fn queued_ns(&self) -> Option<u64> {
        self.0.queued_ns()
    }
}

/// By number of the thread: the time for which each thread of a process was ready to run and had no
/// processor, in ns. Empty if the system does not report it.
pub fn queued_ns(process: u32) -> BTreeMap<u32, u64> {
    system::queued_ns(process)
}

/// The times of a thread so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scheduled {
    /// For which it ran, in ns.
    pub ran_ns: u64,
    /// For which it was ready to run and had no processor, in ns.
    pub queued_ns: u64,
}

/// By its number, the times of each thread of a process and of its children. Empty if the system
/// does not report them.
pub fn scheduled(process: u32) -> BTreeMap<u32, Scheduled> {
    system::scheduled(process)
}

/// How many processes the system has killed since boot because memory ran out, if it counts them.
pub fn killed_for_memory() -> Option<u64> {
    system::killed_for_memory()
}

/// The use of the system by a live process so far; `None` if the system does not report it.
/// `caller` is the thread that makes the calls, if the runner reported it.
pub fn usage(process: u32, caller: Option<u32>) -> Option<Usage> {
    system::usage(process, caller)
}

/// The processor time of all ended children of this process, with theirs, in ns, if the system
/// reports it.
pub fn children_ns() -> Option<u64> {
    #[cfg(unix)]
    {
        // SAFETY: all zero bits are a valid value of this plain data.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: the call fills the value that it gets.
        if unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) } != 0 {
            return None;
        }
        let ns =
            |time: libc::timeval| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1000;
        Some(ns(usage.ru_utime) + ns(usage.ru_stime))
    }
    #[cfg(not(unix))]
    None
}

/// A signal's name in brackets, or nothing.
pub fn signal_name(signal: i32) -> &'static str {
    match signal {
        4 => " (illegal instruction)",
        6 => " (abort)",
        7 => " (bus error)",
        9 => " (killed)",
        11 => " (segmentation fault)",
        15 => " (terminated)",
        31 => " (bad system call)",
        _ => "",
    }
}

/// Whether a process gets a signal that its own code caused. Others come from outside, as far as
/// anybody can tell.
pub fn is_of_its_own(signal: i32) -> bool {
    #[cfg(unix)]
    return [
        libc::SIGILL,
        libc::SIGTRAP,
        libc::SIGABRT,
        libc::SIGBUS,
        libc::SIGFPE,
        libc::SIGSEGV,
        libc::SIGPIPE,
        libc::SIGXFSZ,
        libc::SIGSYS,
    ]
    .contains(&signal);
    #[cfg(not(unix))]
    return signal != 0;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine() -> Machine {
        let known = |text: &str| Reading::Known(text.to_string());
        let flags = ["fpu", "sse2", "pti", "sha_ni", "avx2"].map(String::from).to_vec();
        Machine {
            architecture: "x86_64".to_string(),
            system: known("Debian GNU/Linux 13"),
            kernel: known("6.12.41"),
            cpu: known("AMD EPYC"),
            stepping: known("25/17/1"),
            microcode: known("0xa101148"),
            flags: Reading::Known(flags),
            cpus: 8,
            processors: Reading::Known(8),
            cores: Reading::Known(4),
            last_level_cache: Reading::Known(32 << 20),
            governor: known("performance"),
            hypervisor: Reading::NotAvailable("none".to_string()),
            memory: Reading::Known(16 << 30),
            node: None,
            masked_by: None,
            uneven: None,
        }
    }

    fn changed(change: impl FnOnce(&mut Machine)) -> bool {
        let mut other = machine();
        change(&mut other);
        other.fingerprint() != machine().fingerprint()
    }

    /// As while a trace is recorded.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_that_a_tracer_has_stopped_has_not_ended() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let stat = format!("/proc/{}/stat", child.id());
        let seen = std::thread::scope(|scope| {
            let (stopped, stop) = std::sync::mpsc::channel();
            let (done, all_seen) = std::sync::mpsc::channel::<()>();
            let id = child.id() as libc::pid_t;
            scope.spawn(move || {
                let none = std::ptr::null_mut::<libc::c_void>();
                // SAFETY: the call takes numbers.
                let attached = unsafe { libc::ptrace(libc::PTRACE_ATTACH, id, none, none) };
                while attached == 0 && !std::fs::read_to_string(&stat).unwrap().contains(") t ") {
                    std::thread::yield_now();
                }
                stopped.send(attached).unwrap();
                let _ = all_seen.recv();
            });
            let attached = stop.recv().unwrap();
            let seen = end_of(&mut child);
            done.send(()).unwrap();
            (attached, seen)
        });
        child.kill().unwrap();
        await_end(&child);
        assert_eq!(seen, (0, End::NotYet));
        assert_eq!(end_of(&mut child), End::Unread);
        child.wait().unwrap();
        assert_eq!(end_of(&mut child), End::Read);
    }

    #[test]
    fn a_reboot_leaves_the_fingerprint_as_it_is() {
        assert!(!changed(|m| m.memory = Reading::Known((16 << 30) - 4096)), "memory");
        assert!(!changed(|m| m.governor = Reading::Known("powersave".to_string())), "governor");
        assert!(!changed(|m| m.kernel = Reading::Known("6.12.48".to_string())), "kernel");
        assert!(!changed(|m| m.cores = Reading::Known(2)), "cores");
        assert!(!changed(|m| m.cpus = 4), "half of the processors are kept from the tool");
        // A newer kernel lists more flags, and in another order.
        let flags = ["avx2", "fpu", "sse2", "rep_good", "sha_ni"].map(String::from).to_vec();
        assert!(!changed(|m| m.flags = Reading::Known(flags)), "flags");
        assert!(!changed(|m| m.node = Some("n1".to_string())), "the name in a fleet");
        let unnamed = Reading::NotAvailable("in other words".to_string());
        assert!(!changed(|m| m.hypervisor = unnamed), "why a fact is not known");
    }

    #[test]
    fn what_changes_speed_changes_the_fingerprint() {
        let other = || Reading::Known("other".to_string());
        assert!(changed(|m| m.architecture = "aarch64".to_string()), "architecture");
        assert!(changed(|m| m.system = other()), "system");
        assert!(changed(|m| m.cpu = other()), "processor");
        assert!(changed(|m| m.stepping = other()), "stepping");
        assert!(changed(|m| m.microcode = other()), "microcode");
        assert!(changed(|m| m.hypervisor = other()), "hypervisor");
        assert!(changed(|m| m.last_level_cache = Reading::Known(16 << 20)), "cache");
        assert!(changed(|m| m.processors = Reading::Known(16)), "processors");
        assert!(changed(|m| m.cpus = 1), "the only processor");
        assert!(changed(|m| m.masked_by = Some("CUPEL_CPU=none".to_string())), "a mask");
        let masked = ["fpu", "sse2", "pti", "avx2"].map(String::from).to_vec();
        assert!(changed(|m| m.flags = Reading::Known(masked)), "an extension");
    }

    #[test]
    fn where_the_processors_are_not_known_those_that_are_allowed_count() {
        let unknown = Reading::NotAvailable("no /proc".to_string());
        assert!(!changed(|m| m.processors = unknown));
    }

    #[test]
    fn a_masked_machine_says_that_it_stands_in_for_another() {
        let variables = |set: &'static [(&'static str, &'static str)]| {
            masks(|name| set.iter().find(|(n, _)| *n == name).map(|(_, v)| v.to_string()))
        };
        assert_eq!(variables(&[("GODEBUG", "gctrace=1")]), None, "it hides nothing");
        assert_eq!(variables(&[("CUPEL_CPU", "")]), None);
        let masked_by = variables(&[("GODEBUG", "cpu.avx2=off"), ("OPENSSL_ia32cap", "~0x20")]);
        assert_eq!(masked_by.as_deref(), Some("OPENSSL_ia32cap=~0x20 GODEBUG=cpu.avx2=off"));
        let line = Machine { masked_by, node: Some("n1".to_string()), ..machine() }.line();
        assert!(line.contains("node n1, STANDS IN FOR ANOTHER CPU"), "{line}");
        assert!(!machine().line().contains("STANDS IN"));
    }

    #[test]
    fn a_machine_with_processors_of_two_kinds_is_another_one_on_each() {
        let uneven = |processor: usize, kind: &str| {
            let (kind, others) = (kind.to_string(), "0-3".to_string());
            Machine { uneven: Some(Uneven { processor, kind, others }), ..machine() }
        };
        let line = uneven(7, "1800 MHz").line();
        assert!(
            line.ends_with("measured on processor 7, which is of another kind than 0-3"),
            "{line}"
        );
        assert!(!machine().line().contains("processor"), "{}", machine().line());
        let slow = uneven(7, "1800 MHz").fingerprint();
        assert_ne!(slow, uneven(7, "2400 MHz").fingerprint());
        assert_eq!(slow, uneven(6, "1800 MHz").fingerprint(), "another one of the same kind");
    }
}
