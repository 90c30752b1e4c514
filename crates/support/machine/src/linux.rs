//! Linux: /proc, /sys and processor affinity.

use super::cpuinfo::{self, CpuInfo};
use super::{Machine, Reading, Scheduled, Usage};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::str::FromStr;
use std::sync::OnceLock;

pub fn machine() -> Machine {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    machine_on(super::measuring_cpu().unwrap_or(0), &info, &|cpu, file| {
        line(&format!("/sys/devices/system/cpu/cpu{cpu}/{file}"))
    })
}

/// The machine as the processor `measuring` finds it: figures depend on this one, and the first one
/// may have another kind. `of_cpu` reads a file in the folder of a processor.
fn machine_on(
    measuring: usize,
    info: &str,
    of_cpu: &dyn Fn(usize, &str) -> Option<String>,
) -> Machine {
    let own = CpuInfo::for_cpu(info, measuring);
    let flags = own.field("flags").or_else(|| own.field("Features"));
    let virtual_machine = flags.is_some_and(|f| f.split(' ').any(|f| f == "hypervisor"));
    Machine {
        architecture: std::env::consts::ARCH.to_string(),
        system: Reading::from_fact(release(), "no /etc/os-release"),
        kernel: Reading::from_fact(
            line("/proc/sys/kernel/osrelease"),
            "no /proc/sys/kernel/osrelease",
        ),
        cpu: Reading::from_fact(joined(&own, &["model name"]), "/proc/cpuinfo names no model"),
        stepping: Reading::from_fact(
            joined(&own, &["cpu family", "model", "stepping"])
                .or_else(|| joined(&own, &["CPU implementer", "CPU part", "CPU revision"])),
            "/proc/cpuinfo has no stepping",
        ),
        microcode: Reading::from_fact(
            joined(&own, &["microcode"]),
            "/proc/cpuinfo has no microcode revision",
        ),
        flags: Reading::from_fact(
            flags.map(|flags| flags.split_whitespace().map(str::to_string).collect()),
            "/proc/cpuinfo lists no flags",
        ),
        cpus: cpus().map_or(1, |c| c.len()),
        processors: Reading::from_fact(
            line("/sys/devices/system/cpu/present").map(|text| list(&text).len()),
            "no /sys/devices/system/cpu/present",
        ),
        cores: Reading::from_fact(cores(), "no /sys/devices/system/cpu/cpu*/topology"),
        last_level_cache: Reading::from_fact(
            last_level_cache(&|file| of_cpu(measuring, file)),
            "/sys has no cache sizes",
        ),
        governor: Reading::from_fact(
            of_cpu(measuring, "cpufreq/scaling_governor"),
            "no frequency scaling in /sys (usual in a virtual machine)",
        ),
        hypervisor: Reading::from_fact(
            hypervisor(virtual_machine),
            "the processor does not report one",
        ),
        memory: Reading::from_fact(memory(), "no /proc/meminfo"),
        node: None,
        masked_by: None,
        uneven: cpuinfo::uneven(info, measuring, &|cpu, file| of_cpu(cpu, file)?.parse().ok()),
    }
}

/// The values of the fields that exist.
fn joined(own: &CpuInfo<'_>, names: &[&str]) -> Option<String> {
    let values: Vec<&str> = names.iter().filter_map(|name| own.field(name)).collect();
    (!values.is_empty()).then(|| values.join("/"))
}

fn line(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_string())
}

fn release() -> Option<String> {
    let text = fs::read_to_string("/etc/os-release").ok()?;
    let value = text.lines().find_map(|l| l.strip_prefix("PRETTY_NAME="))?;
    Some(value.trim_matches('"').to_string())
}

/// The hypervisor, if the machine is virtual.
fn hypervisor(processor_says_so: bool) -> Option<String> {
    let vendor = line("/sys/class/dmi/id/sys_vendor");
    let product = line("/sys/class/dmi/id/product_name");
    let virtual_machine = processor_says_so
        || is_virtual(vendor.as_deref().unwrap_or(""), product.as_deref().unwrap_or(""));
    line("/sys/hypervisor/type")
        .or_else(|| vendor.filter(|_| virtual_machine))
        .or_else(|| processor_says_so.then(|| "unnamed".to_string()))
}

/// Whether the firmware's names show a virtual machine. Bare metal has a vendor too, so the vendor
/// alone is not enough. On Arm no processor flag shows it either.
fn is_virtual(vendor: &str, product: &str) -> bool {
    match vendor {
        "QEMU" | "KVM" | "Xen" | "VMware, Inc." | "innotek GmbH" | "Parallels" => true,
        "Microsoft Corporation" => product == "Virtual Machine",
        "Amazon EC2" => !product.contains("metal"),
        "OpenStack Foundation" | "Alibaba Cloud" => true,
        "Hetzner" => product == "vServer",
        "Google" => product == "Google Compute Engine",
        "Apple Inc." => product.contains("Virtualization"),
        _ => product.contains("KVM Virtual Machine") || product.contains("Standard PC ("),
    }
}

fn last_level_cache(of_cpu: &dyn Fn(&str) -> Option<String>) -> Option<u64> {
    (0..8)
        .filter_map(|i| of_cpu(&format!("cache/index{i}/size")))
        .filter_map(|text| {
            let (number, factor) = match text.strip_suffix('K') {
                Some(number) => (number.to_string(), 1 << 10),
                None => (text.strip_suffix('M')?.to_string(), 1 << 20),
            };
            Some(number.parse::<u64>().ok()? * factor)
        })
        .max()
}

fn memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let kib: u64 = text.lines().next()?.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

pub fn give_memory_back() {
    // SAFETY: sets a number of the allocator.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 20)
    };
}

/// The processors that this process was allowed to use when first asked, ascending. Threads that
/// are pinned to one of them later, and their children, still know the others.
pub fn cpus() -> Option<Vec<usize>> {
    static ALLOWED: OnceLock<Option<Vec<usize>>> = OnceLock::new();
    ALLOWED.get_or_init(|| allowed_to(0)).clone()
}

/// Number 0 means the calling thread.
fn allowed_to(thread: libc::pid_t) -> Option<Vec<usize>> {
    // SAFETY: a zeroed set is an empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: `set` has the size that is passed.
    if unsafe { libc::sched_getaffinity(thread, size_of::<libc::cpu_set_t>(), &mut set) } != 0 {
        return None;
    }
    let mut cpus: Vec<usize> = (0..libc::CPU_SETSIZE as usize).collect();
    // SAFETY: every index is below the set's capacity.
    cpus.retain(|cpu| unsafe { libc::CPU_ISSET(*cpu, &set) });
    (!cpus.is_empty()).then_some(cpus)
}

pub fn allowed(thread: u32) -> Option<Vec<usize>> {
    let thread @ 1.. = libc::pid_t::try_from(thread).ok()? else { return None };
    allowed_to(thread)
}

pub fn written(process: u32) -> Option<u64> {
    let through_calls = written_through_calls(process)?;
    let mut shared = Shared::default();
    shared.add(process);
    Some(through_calls.saturating_add(shared.bytes()))
}

fn written_through_calls(process: u32) -> Option<u64> {
    // The bytes that went through calls, and those that went to disks, for which maps of files
    // count, too.
    let text = match fs::read_to_string(format!("/proc/{process}/io")) {
        Ok(text) => text,
        // A program that no one may read hides it. One of another user, which is not confined, does
        // so by its nature.
        Err(e) if e.kind() == std::io::ErrorKind::PermissionDenied => {
            return is_confined(process).then_some(u64::MAX);
        }
        Err(_) => return None,
    };
    let counts = text.lines().filter_map(|line| line.split_once(": "));
    let counts = counts.filter(|(name, _)| matches!(*name, "wchar" | "write_bytes"));
    let own = counts.filter_map(|(_, count)| count.trim().parse::<u64>().ok()).max()?;
    // The count of a child that has ended is in its parent's.
    Some(children(process).filter_map(written_through_calls).fold(own, u64::saturating_add))
}

/// The memory that processes may have written through maps, which no call shows.
#[derive(Default)]
struct Shared {
    /// The bytes of the files without a name that they have open, as `memfd_create` makes them, by
    /// device and number: processes share them.
    unnamed: BTreeMap<(u64, u64), u64>,
    /// The bytes of the shared maps of the process that has most of them.
    mapped: u64,
}

impl Shared {
    /// Adds a process with its children.
    fn add(&mut self, process: u32) {
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        let kib = status.lines().find_map(|line| line.strip_prefix("RssShmem:"));
        let kib = kib.and_then(|kib| kib.split_whitespace().next()?.parse::<u64>().ok());
        self.mapped = self.mapped.max(1024 * kib.unwrap_or(0));
        let open = fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
        let open = open.filter_map(|file| fs::metadata(file.path()).ok());
        for file in open.filter(|file| file.is_file() && file.nlink() == 0) {
            self.unnamed.insert((file.dev(), file.ino()), 512 * file.blocks());
        }
        for child in children(process) {
            self.add(child);
        }
    }

    /// A file without a name may be mapped, too.
    fn bytes(&self) -> u64 {
        self.mapped.max(self.unnamed.values().sum())
    }
}

pub fn priority(thread: u32) -> Option<[i64; 2]> {
    // Number 0 would mean the calling thread.
    let thread @ 1.. = libc::pid_t::try_from(thread).ok()? else { return None };
    // SAFETY: the calls take numbers. The functions of musl's C library know no scheduling.
    let found = unsafe {
        [
            libc::syscall(libc::SYS_sched_getscheduler, thread),
            libc::syscall(libc::SYS_getpriority, libc::PRIO_PROCESS, thread),
        ]
    };
    found.iter().all(|&value| value >= 0).then_some(found)
}

pub fn take(measuring: usize) {
    for thread in threads(std::process::id()) {
        keep_off(measuring, thread);
    }
    go_to(measuring);
}

/// The threads of a process.
fn threads<T: FromStr>(process: u32) -> impl Iterator<Item = T> {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    tasks.filter_map(|task| task.file_name().to_str()?.parse().ok())
}

pub fn step_aside(measuring: usize) {
    keep_off(measuring, 0);
}

fn keep_off(measuring: usize, thread: libc::pid_t) {
    let others: Vec<usize> = cpus().into_iter().flatten().filter(|&c| c != measuring).collect();
    if !others.is_empty() {
        set_affinity(thread, &others);
    }
}

pub fn let_others_go_first() {
    schedule_as(libc::SCHED_IDLE);
}

pub fn go_to(cpu: usize) {
    set_affinity(0, &[cpu]);
    schedule_as(libc::SCHED_BATCH);
}

/// Sets how the calling thread competes for processors. If that is refused, nothing changes.
fn schedule_as(policy: libc::c_int) {
    // The `struct sched_param` of Linux. The function of musl's C library sets nothing.
    let no_priority: libc::c_int = 0;
    // SAFETY: the number lives as long as the call.
    unsafe { libc::syscall(libc::SYS_sched_setscheduler, 0, policy, &raw const no_priority) };
}

pub fn neighbours(cpu: usize) -> Vec<usize> {
    let caches = fs::read_dir(format!("/sys/devices/system/cpu/cpu{cpu}/cache"));
    let shared = caches
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|cache| {
            let level = fs::read_to_string(cache.path().join("level")).ok()?;
            let shared = fs::read_to_string(cache.path().join("shared_cpu_list")).ok()?;
            Some((level.trim().parse::<u32>().ok()?, list(shared.trim())))
        })
        .max_by_key(|(level, _)| *level);
    let shared = shared.map_or(Vec::new(), |(_, shared)| shared);
    let others = cpus().into_iter().flatten().filter(|c| *c != cpu && shared.contains(c));
    [cpu].into_iter().chain(others).collect()
}

/// The numbers of a list such as `0-3,8`.
fn list(text: &str) -> Vec<usize> {
    let ranges = text.split(',').filter_map(|part| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse().ok()?..=last.parse().ok()?)
    });
    ranges.flatten().collect()
}

/// The processors of this one's core, itself among them; none if the system does not say.
pub fn siblings(cpu: usize) -> Vec<usize> {
    let file = format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
    line(&file).map_or(Vec::new(), |text| list(&text))
}

fn cores() -> Option<usize> {
    let cores: Vec<Vec<usize>> = cpus()?.into_iter().map(siblings).collect();
    let known = cores.iter().all(|core| !core.is_empty());
    known.then(|| cores.into_iter().collect::<BTreeSet<_>>().len())
}

pub fn place(thread: u32, cpu: usize) {
    // Number 0 would mean the calling thread.
    if let Ok(thread @ 1..) = libc::pid_t::try_from(thread) {
        set_affinity(thread, &[cpu]);
    }
}

pub fn move_process(process: u32, caller: Option<u32>, cpu: usize) {
    let rest = cpus().unwrap_or_default();
    let caller = caller.and_then(|caller| libc::pid_t::try_from(caller).ok());
    // A thread that starts meanwhile inherits from the thread that started it, so two passes catch
    // both. The first thread is always moved: all threads that it starts from now on inherit its
    // processor.
    let passes = (0..2).flat_map(|_| threads(process));
    for thread in [process as libc::pid_t].into_iter().chain(passes) {
        match caller {
            Some(caller) if caller != thread && !rest.is_empty() => set_affinity(thread, &rest),
            _ => set_affinity(thread, &[cpu]),
        }
    }
}

pub fn set_free(command: &mut Command) {
    if let Some(cpus) = cpus() {
        start_on(set_of(&cpus), command);
    }
}

pub fn set_as_here(command: &mut Command) {
    // SAFETY: a zeroed set is an empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: `set` has the size that is passed.
    if unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set) } == 0 {
        start_on(set, command);
    }
}

fn start_on(set: libc::cpu_set_t, command: &mut Command) {
    // SAFETY: `set` has the size that is passed. Nothing is allocated, as is required between fork
    // and exec.
    unsafe {
        command.pre_exec(move || {
            libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set);
            // Contenders compete as everywhere else, whatever thread starts them ([`go_to`]).
            if libc::syscall(libc::SYS_sched_getscheduler, 0)
                == libc::c_long::from(libc::SCHED_BATCH)
            {
                schedule_as(libc::SCHED_OTHER);
            }
            Ok(())
        });
    }
}

pub fn fix_addresses(command: &mut Command) {
    // SAFETY: the call takes a number and touches no memory. Nothing is allocated, as is required
    // between fork and exec.
    unsafe {
        command.pre_exec(|| match libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) {
            -1 => Err(std::io::Error::last_os_error()),
            _ => Ok(()),
        });
    }
}

pub fn end_with_this_process(command: &mut Command) {
    let tool = std::process::id();
    // SAFETY: both calls take numbers and touch no memory. Nothing is allocated, as is required
    // between fork and exec.
    unsafe {
        command.pre_exec(move || {
            if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 {
                return Err(std::io::Error::last_os_error());
            }
            // The tool may have ended before it was asked.
            if u32::try_from(libc::getppid()) != Ok(tool) {
                return Err(std::io::Error::from_raw_os_error(libc::ESRCH));
            }
            Ok(())
        });
    }
}

pub fn adopt_orphans() {
    // SAFETY: prctl() takes numbers here and touches no memory.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1) };
}

pub fn end_orphans(variable: &str, known: &BTreeSet<u32>) {
    let is_marked = |child: u32| has_variable(child, variable) || is_of_a_runner(child);
    let is_orphan = |child: &u32| !known.contains(child) && is_marked(*child);
    // The children of a killed one become children in turn.
    let all = || children(std::process::id()).filter(is_orphan);
    while all().filter(|orphan| end_child(*orphan)).count() > 0 {}
}

/// Kills a child of this process and waits for its end. Returns whether it could be killed.
fn end_child(child: u32) -> bool {
    let Ok(child) = libc::pid_t::try_from(child) else { return false };
    // SAFETY: both take numbers, and waitpid() a pointer that may be null.
    unsafe {
        libc::kill(child, libc::SIGKILL) == 0
            && libc::waitpid(child, std::ptr::null_mut(), 0) == child
    }
}

/// The children of a process. Each of its threads has its own.
fn children(process: u32) -> impl Iterator<Item = u32> {
    let lists = threads(process).filter_map(move |thread: u32| {
        fs::read_to_string(format!("/proc/{process}/task/{thread}/children")).ok()
    });
    lists.flat_map(|list| {
        list.split_whitespace().filter_map(|number| number.parse().ok()).collect::<Vec<u32>>()
    })
}

/// Whether a process was started with a variable of this name in its environment.
fn has_variable(process: u32, name: &str) -> bool {
    let environment = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|one| {
        one.strip_prefix(name.as_bytes()).is_some_and(|rest| rest.first() == Some(&b'='))
    })
}

fn is_confined(process: u32) -> bool {
    filters(process) > filters(std::process::id())
}

pub fn is_of_a_runner(process: u32) -> bool {
    let limits = file_limit(process).zip(file_limit(std::process::id()));
    is_confined(process) || limits.is_some_and(|(its, own)| its < own)
}

/// The largest size to which a process may raise its limit of a file's size. It inherits this, and
/// only root can raise it ([`super::confine`]).
fn file_limit(process: u32) -> Option<u64> {
    let limits = fs::read_to_string(format!("/proc/{process}/limits")).ok()?;
    let sizes = limits.lines().find_map(|line| line.strip_prefix("Max file size"))?;
    let most = sizes.split_whitespace().nth(1)?;
    if most == "unlimited" { Some(u64::MAX) } else { most.parse().ok() }
}

/// How many filters of system calls a process has. It inherits them, and can only add to them.
fn filters(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let count = status.lines().find_map(|line| line.strip_prefix("Seccomp_filters:"))?;
    count.trim().parse().ok()
}

fn set_of(cpus: &[usize]) -> libc::cpu_set_t {
    // SAFETY: a zeroed set is an empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    for &cpu in cpus {
        // SAFETY: `cpu` came from a set of the same capacity.
        unsafe { libc::CPU_SET(cpu, &mut set) };
    }
    set
}

/// Pins a thread (0: the calling one) to processors. A refusal is not reported: the measurement is
/// then noisier, and its noise is measured.
fn set_affinity(thread: libc::pid_t, cpus: &[usize]) {
    let set = set_of(cpus);
    // SAFETY: `set` has the size that is passed.
    unsafe { libc::sched_setaffinity(thread, size_of::<libc::cpu_set_t>(), &set) };
}

/// The eighth number of the processor's line in /proc/stat, in clock ticks.
pub fn stolen_ns(cpu: Option<usize>) -> Reading<u64> {
    Reading::from_fact(steal(cpu), "/proc/stat has no steal time")
}

fn steal(cpu: Option<usize>) -> Option<u64> {
    let name = cpu.map_or("cpu".to_string(), |cpu| format!("cpu{cpu}"));
    let text = fs::read_to_string("/proc/stat").ok()?;
    let line = text.lines().find(|l| l.split_whitespace().next() == Some(&name))?;
    let ticks: u64 = line.split_whitespace().nth(8)?.parse().ok()?;
    // SAFETY: sysconf has no preconditions.
    let per_second = u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).ok()?;
    Some(ticks * 1_000_000_000 / per_second.max(1))
}

pub fn usage(process: u32, caller: Option<u32>) -> Option<Usage> {
    let caller = caller.unwrap_or(process);
    let status = fs::read_to_string(format!("/proc/{process}/task/{caller}/status")).ok()?;
    let sleeps = status.lines().find_map(|l| l.strip_prefix("voluntary_ctxt_switches:"))?;
    Some(Usage { cpu_ns: cpu_ns(process)?, sleeps: sleeps.trim().parse().ok()? })
}

/// The file with the time for which a thread has run, kept open because it is read twice per slice.
pub struct ThreadClock(fs::File);

impl ThreadClock {
    pub fn open(process: u32, thread: u32) -> Option<ThreadClock> {
        fs::File::open(format!("/proc/{process}/task/{thread}/schedstat")).ok().map(ThreadClock)
    }

    pub fn of_this_thread() -> Option<ThreadClock> {
        fs::File::open("/proc/thread-self/schedstat").ok().map(ThreadClock)
    }

    /// The first number of the file. It is exact while the thread does not run.
    pub fn ns(&self) -> Option<u64> {
        self.number(0)
    }

    /// The second number of the file.
    pub fn queued_ns(&self) -> Option<u64> {
        self.number(1)
    }

    fn number(&self, position: usize) -> Option<u64> {
        let mut text = [0; 96];
        let n = self.0.read_at(&mut text, 0).ok()?;
        str::from_utf8(&text[..n]).ok()?.split_ascii_whitespace().nth(position)?.parse().ok()
    }
}

pub fn queued_ns(process: u32) -> BTreeMap<u32, u64> {
    let all = threads(process);
    all.filter_map(|t| Some((t, ThreadClock::open(process, t)?.queued_ns()?))).collect()
}

pub fn scheduled(process: u32) -> BTreeMap<u32, Scheduled> {
    let of = |thread| {
        let clock = ThreadClock::open(process, thread)?;
        Some(Scheduled { ran_ns: clock.ns()?, queued_ns: clock.queued_ns()? })
    };
    let own = threads(process).filter_map(|thread| Some((thread, of(thread)?)));
    own.chain(children(process).flat_map(scheduled)).collect()
}

pub fn killed_for_memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/vmstat").ok()?;
    text.lines().find_map(|l| l.strip_prefix("oom_kill "))?.trim().parse().ok()
}

fn cpu_ns(process: u32) -> Option<u64> {
    let process = libc::pid_t::try_from(process).ok()?;
    let mut clock: libc::clockid_t = 0;
    // SAFETY: `clock` is a number that may be written to.
    if unsafe { libc::clock_getcpuclockid(process, &raw mut clock) } != 0 {
        return None;
    }
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a structure that may be written to.
    if unsafe { libc::clock_gettime(clock, &raw mut time) } != 0 {
        return None;
    }
    let (seconds, ns) = (u64::try_from(time.tv_sec).ok()?, u64::try_from(time.tv_nsec).ok()?);
    Some(seconds * 1_000_000_000 + ns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::{AsRawFd, FromRawFd};
    use std::process::Stdio;

    /// A program that no one may read does not show an ordinary user what it writes.
    #[test]
    fn a_confined_program_cannot_hide_how_much_it_writes() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("hides");
        fs::copy("/bin/sleep", &program).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o111)).unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o711)).unwrap();
        let ordinary = std::thread::spawn(move || {
            become_ordinary();
            let mut command = Command::new(&program);
            crate::sandbox(command.arg("60"), None);
            let mut child = command.spawn().unwrap();
            let written = written(child.id());
            child.kill().and_then(|()| child.wait()).unwrap();
            written
        });
        assert_eq!(ordinary.join().unwrap(), Some(u64::MAX));
    }

    #[test]
    fn memory_that_no_call_writes_counts_as_written() {
        const MUCH: u64 = 1 << 26;
        // The children of other tests write, and end, at the same time.
        const MOST: u64 = MUCH / 2;
        let before = written(std::process::id()).unwrap();
        // SAFETY: the call takes a name that ends, and returns a new descriptor.
        let file = unsafe { fs::File::from_raw_fd(libc::memfd_create(c"unnamed".as_ptr(), 0)) };
        file.set_len(MUCH).unwrap();
        let fill = |flags, fd| {
            // SAFETY: the kernel chooses the place, and all bytes of the map are written to.
            unsafe {
                let rights = libc::PROT_READ | libc::PROT_WRITE;
                let at = libc::mmap(std::ptr::null_mut(), MUCH as usize, rights, flags, fd, 0);
                assert_ne!(at, libc::MAP_FAILED);
                at.cast::<u8>().write_bytes(1, MUCH as usize);
                at
            }
        };
        let map = fill(libc::MAP_SHARED, file.as_raw_fd());
        // SAFETY: nothing refers to the map.
        unsafe { libc::munmap(map, MUCH as usize) };
        let kept = written(std::process::id()).unwrap();
        assert!(kept >= before + MOST, "a file without a name: {before} {kept}");
        drop(file);
        let map = fill(libc::MAP_SHARED | libc::MAP_ANONYMOUS, -1);
        let mapped = written(std::process::id()).unwrap();
        assert!(mapped >= before + MOST, "a shared map: {before} {mapped}");
        // SAFETY: nothing refers to the map.
        unsafe { libc::munmap(map, MUCH as usize) };
    }

    /// A program that wakes it keeps its processor until it sleeps. A runner competes as usual.
    #[test]
    fn a_thread_on_the_measuring_processor_interrupts_no_one() {
        let policy = |thread: u32| priority(thread).unwrap()[0];
        let moved = std::thread::spawn(move || {
            go_to(crate::measuring_cpu().unwrap_or_default());
            let mut command = Command::new("sleep");
            set_as_here(command.arg("60"));
            let mut child = command.spawn().unwrap();
            // SAFETY: the call takes nothing.
            let own = unsafe { libc::gettid() };
            let policies = [policy(own.cast_unsigned()), policy(child.id())];
            child.kill().and_then(|()| child.wait()).unwrap();
            policies
        });
        let policies = [libc::SCHED_BATCH, libc::SCHED_OTHER].map(i64::from);
        assert_eq!(moved.join().unwrap(), policies);
    }

    /// Makes this thread one of a user without privileges.
    fn become_ordinary() {
        const ORDINARY: libc::c_long = 65534;
        // SAFETY: the calls have numbers only. Unlike those of the C library, they change one
        // thread.
        unsafe {
            libc::syscall(libc::SYS_setresgid, ORDINARY, ORDINARY, ORDINARY);
            libc::syscall(libc::SYS_setresuid, ORDINARY, ORDINARY, ORDINARY);
        }
    }

    #[test]
    fn a_process_reports_its_time_and_its_sleeps() {
        let own = std::process::id();
        let before = cpu_ns(own).expect("a clock of this process");
        let begun = std::time::Instant::now();
        while cpu_ns(own).unwrap() < before + 5_000_000 {
            assert!(begun.elapsed().as_secs() < 60, "the clock stands still");
        }
        let mut cat =
            Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (mut to, mut from) = (cat.stdin.take().unwrap(), cat.stdout.take().unwrap());
        let mut answered = || {
            let mut byte = [0];
            std::io::Write::write_all(&mut to, b"x").unwrap();
            std::io::Read::read_exact(&mut from, &mut byte).unwrap();
            usage(cat.id(), None).expect("a process that lives")
        };
        let first = answered();
        std::thread::sleep(std::time::Duration::from_millis(30));
        let second = answered();
        assert!(second.cpu_ns < first.cpu_ns + 20_000_000, "it runs while it waits for input");
        let begun = std::time::Instant::now();
        while usage(cat.id(), None).unwrap().sleeps == first.sleeps {
            assert!(begun.elapsed().as_secs() < 60, "it never waits for input");
        }
        drop(to);
        cat.wait().expect("cat ends");
        assert_eq!(usage(cat.id(), None), None, "a process that has ended");
    }

    #[test]
    fn this_machine_is_the_one_that_the_kernel_describes() {
        let info = fs::read_to_string("/proc/cpuinfo").unwrap();
        let machine = machine();
        let flags = machine.flags.known().expect("every processor has some");
        assert!(info.contains(&flags.join(" ")), "{flags:?}");
    }

    #[test]
    fn the_facts_are_those_of_the_processor_that_measures() {
        let block = |cpu: usize, part: &str| {
            format!(
                "processor\t: {cpu}\nFeatures\t: fp {part}\nCPU implementer\t: 0x41\n\
                 CPU part\t: {part}\nCPU revision\t: 0\n"
            )
        };
        let info = [block(0, "0xd05"), block(1, "0xd0b")].join("\n");
        let of_cpu = |cpu: usize, file: &str| match (cpu, file) {
            (0, "cache/index2/size") => Some("128K".to_string()),
            (1, "cache/index2/size") => Some("512K".to_string()),
            (_, "cpufreq/scaling_governor") => Some(format!("governor of {cpu}")),
            (_, "cpu_capacity") => Some("512".to_string()),
            _ => None,
        };
        for (cpu, part, cache) in [(0, "0xd05", 128 << 10), (1, "0xd0b", 512 << 10)] {
            let machine = machine_on(cpu, &info, &of_cpu);
            assert_eq!(machine.stepping.known(), Some(&format!("0x41/{part}/0")));
            assert_eq!(machine.flags.known().unwrap()[1], part);
            assert_eq!(machine.last_level_cache.known(), Some(&cache));
            assert_eq!(machine.governor.known(), Some(&format!("governor of {cpu}")));
            let uneven = machine.uneven.expect("the other one is of another kind");
            assert_eq!((uneven.processor, uneven.others), (cpu, (1 - cpu).to_string()));
            assert_eq!(uneven.kind, "capacity 512");
        }
    }

    #[test]
    fn a_list_of_processors_has_ranges() {
        assert_eq!(list("0-3,8"), [0, 1, 2, 3, 8]);
        assert_eq!(list("5"), [5]);
        assert!(list("").is_empty());
    }

    #[test]
    fn a_vendor_of_bare_metal_is_not_a_hypervisor() {
        for (vendor, product, expected) in [
            ("Dell Inc.", "PowerEdge R740", false),
            ("LENOVO", "20XW0026GE", false),
            ("Microsoft Corporation", "Surface Laptop 5", false),
            ("Amazon EC2", "c7g.metal", false),
            ("Apple Inc.", "MacBookPro16,1", false),
            ("", "", false),
            ("QEMU", "Standard PC (Q35 + ICH9, 2009)", true),
            ("Amazon EC2", "c7g.large", true),
            ("Microsoft Corporation", "Virtual Machine", true),
            ("Apple Inc.", "Apple Virtualization Generic Platform", true),
        ] {
            assert_eq!(is_virtual(vendor, product), expected, "{vendor} {product}");
        }
    }

    #[test]
    fn a_process_goes_where_it_is_moved_with_all_its_threads() {
        let cpu = cpus().expect("the processors of this process")[0];
        let mut cat = Command::new("cat").stdin(Stdio::piped()).spawn().expect("cat starts");
        move_process(cat.id(), None, cpu);
        let status = fs::read_to_string(format!("/proc/{}/status", cat.id())).unwrap();
        let allowed = status.lines().find_map(|l| l.strip_prefix("Cpus_allowed_list:")).unwrap();
        assert_eq!(list(allowed.trim()), [cpu]);
        drop(cat.stdin.take());
        cat.wait().expect("cat ends");
    }

    #[test]
    fn only_the_calling_thread_of_a_runtime_is_pinned() {
        let all = cpus().expect("the processors of this process");
        // On a machine with one processor, both are the same and nothing can be moved.
        let (first, last) = (&all[0], &all[all.len() - 1]);
        // Two threads: this process has them while its tests run.
        let (sender, receiver) = std::sync::mpsc::channel();
        let (go_on, wait) = std::sync::mpsc::channel::<()>();
        let caller = std::thread::spawn(move || {
            // SAFETY: gettid has no preconditions.
            sender.send(unsafe { libc::gettid() }).unwrap();
            wait.recv().ok();
        });
        let (tid, own) = (receiver.recv().unwrap(), std::process::id());
        let allowed = |thread: libc::pid_t| {
            let status = fs::read_to_string(format!("/proc/{own}/task/{thread}/status")).unwrap();
            let line = status.lines().find_map(|l| l.strip_prefix("Cpus_allowed_list:")).unwrap();
            list(line.trim())
        };
        move_process(own, Some(tid as u32), *last);
        assert_eq!(allowed(tid), [*last]);
        move_process(own, Some(tid as u32), *first);
        assert_eq!(allowed(tid), [*first]);
        assert_eq!(allowed(own as libc::pid_t), all);
        drop(go_on);
        caller.join().unwrap();
    }

    #[test]
    fn only_the_thread_that_asks_lets_others_go_first() {
        // SAFETY: no pointer is passed.
        let policy = || unsafe { libc::syscall(libc::SYS_sched_getscheduler, 0) };
        let asking = std::thread::spawn(move || {
            let_others_go_first();
            policy()
        });
        assert_eq!(asking.join().unwrap(), libc::c_long::from(libc::SCHED_IDLE));
        assert_eq!(policy(), libc::c_long::from(libc::SCHED_OTHER));
    }

    #[test]
    fn a_processor_is_its_own_first_neighbour() {
        let cpu = *cpus().expect("the processors of this process").last().expect("one at least");
        let neighbours = neighbours(cpu);
        assert_eq!(neighbours[0], cpu);
        assert_eq!(neighbours.iter().filter(|&&c| c == cpu).count(), 1);
    }
}
