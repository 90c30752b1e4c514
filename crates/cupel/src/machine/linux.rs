//! Linux: /proc, /sys and processor affinity.

use super::{Machine, Reading};
use std::fs;
use std::os::unix::process::CommandExt;
use std::os::unix::thread::JoinHandleExt;
use std::process::Command;
use std::sync::OnceLock;

pub fn machine() -> Machine {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        info.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            (key.trim() == name).then(|| value.trim().to_string())
        })
    };
    let fields = |names: &[&str]| {
        let values: Vec<String> = names.iter().filter_map(|name| field(name)).collect();
        (!values.is_empty()).then(|| values.join("/"))
    };
    let flags = field("flags").or_else(|| field("Features"));
    let split = |text: String| text.split_whitespace().map(str::to_string).collect::<Vec<_>>();
    let virtual_machine = flags.as_ref().is_some_and(|f| f.split(' ').any(|f| f == "hypervisor"));
    Machine {
        architecture: std::env::consts::ARCH.to_string(),
        system: Reading::of(release(), "no /etc/os-release"),
        kernel: Reading::of(line("/proc/sys/kernel/osrelease"), "no /proc/sys/kernel/osrelease"),
        cpu: Reading::of(field("model name"), "/proc/cpuinfo names no model"),
        stepping: Reading::of(
            fields(&["cpu family", "model", "stepping"])
                .or_else(|| fields(&["CPU implementer", "CPU part", "CPU revision"])),
            "/proc/cpuinfo has no stepping",
        ),
        microcode: Reading::of(field("microcode"), "/proc/cpuinfo has no microcode revision"),
        flags: Reading::of(flags.map(split), "/proc/cpuinfo lists no flags"),
        cpus: cpus().map_or(1, |c| c.len()),
        last_level_cache: Reading::of(last_level_cache(), "/sys has no cache sizes"),
        governor: Reading::of(
            line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            "no frequency scaling in /sys (usual in a virtual machine)",
        ),
        hypervisor: Reading::of(
            hypervisor().or_else(|| virtual_machine.then(|| "unnamed".to_string())),
            "the processor does not report one",
        ),
        memory: Reading::of(memory(), "no /proc/meminfo"),
    }
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

fn hypervisor() -> Option<String> {
    line("/sys/hypervisor/type").or_else(|| line("/sys/class/dmi/id/sys_vendor"))
}

fn last_level_cache() -> Option<u64> {
    (0..8)
        .filter_map(|i| line(&format!("/sys/devices/system/cpu/cpu0/cache/index{i}/size")))
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

/// The processors that this process was allowed when it was first asked, rising: threads that are
/// held to one of them later, and what they start, still know of the others.
pub fn cpus() -> Option<Vec<usize>> {
    static ALLOWED: OnceLock<Option<Vec<usize>>> = OnceLock::new();
    ALLOWED.get_or_init(allowed).clone()
}

fn allowed() -> Option<Vec<usize>> {
    // SAFETY: a zeroed set is an empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: `set` has the size that is passed.
    if unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set) } != 0 {
        return None;
    }
    // SAFETY: every index is below the set's capacity.
    let allowed = |cpu: &usize| unsafe { libc::CPU_ISSET(*cpu, &set) };
    let cpus: Vec<usize> = (0..libc::CPU_SETSIZE as usize).filter(allowed).collect();
    (!cpus.is_empty()).then_some(cpus)
}

pub fn take(measuring: usize) {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    for task in tasks.filter_map(|task| task.file_name().to_str()?.parse().ok()) {
        keep_off(measuring, task);
    }
    set_affinity(0, &[measuring]);
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

pub fn go_to(cpu: usize) {
    set_affinity(0, &[cpu]);
}

pub fn neighbours(cpu: usize) -> Vec<usize> {
    let caches = fs::read_dir(format!("/sys/devices/system/cpu/cpu{cpu}/cache"));
    let shared = caches
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|cache| {
            let file = |name: &str| fs::read_to_string(cache.path().join(name)).ok();
            let level: u32 = file("level")?.trim().parse().ok()?;
            Some((level, list(file("shared_cpu_list")?.trim())))
        })
        .max_by_key(|(level, _)| *level);
    let shared = shared.map_or(Vec::new(), |(_, shared)| shared);
    let others = cpus().into_iter().flatten().filter(|c| *c != cpu && shared.contains(c));
    [cpu].into_iter().chain(others).collect()
}

/// The numbers of a list such as `0-3,8`.
fn list(text: &str) -> Vec<usize> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse().ok()?..=last.parse().ok()?)
    };
    text.split(',').filter_map(range).flatten().collect()
}

pub fn move_process(process: u32, cpu: usize) {
    let tasks = || fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let threads = || tasks().filter_map(|task| task.file_name().to_str()?.parse().ok());
    // A thread that is started meanwhile is where the one that started it was: twice gets both.
    // Its first thread in any case: what it starts from now on is there too.
    set_affinity(process as libc::pid_t, &[cpu]);
    for _ in 0..2 {
        threads().for_each(|thread| set_affinity(thread, &[cpu]));
    }
}

pub fn move_thread(thread: &std::thread::JoinHandle<()>, cpu: usize) {
    // One that has ended stands for the calling thread.
    if thread.is_finished() {
        return;
    }
    let set = set_of(&[cpu]);
    let thread = thread.as_pthread_t();
    // SAFETY: the handle has not been joined, so its thread's number is not another's; `set` has the size
    // that is passed.
    unsafe { libc::pthread_setaffinity_np(thread, size_of::<libc::cpu_set_t>(), &set) };
}

pub fn set_free(command: &mut Command) {
    let Some(cpus) = cpus() else { return };
    let free = move || {
        set_affinity(0, &cpus);
        Ok(())
    };
    // SAFETY: `free` makes one system call and allocates nothing, as is required between fork and
    // exec.
    unsafe { command.pre_exec(free) };
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

/// Holds a thread (0: the calling one) to processors. A refusal is not reported: the measurement is then
/// noisier, and its noise is measured.
fn set_affinity(thread: libc::pid_t, cpus: &[usize]) {
    let set = set_of(cpus);
    // SAFETY: `set` has the size that is passed.
    unsafe { libc::sched_setaffinity(thread, size_of::<libc::cpu_set_t>(), &set) };
}

/// The eighth number of the processor's line in /proc/stat, in clock ticks.
pub fn stolen_ns(cpu: Option<usize>) -> Reading<u64> {
    let name = cpu.map_or("cpu".to_string(), |cpu| format!("cpu{cpu}"));
    let read = || {
        let text = fs::read_to_string("/proc/stat").ok()?;
        let line = text.lines().find(|l| l.split_whitespace().next() == Some(&name))?;
        let ticks: u64 = line.split_whitespace().nth(8)?.parse().ok()?;
        // SAFETY: sysconf has no preconditions.
        let per_second = u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).ok()?;
        Some(ticks * 1_000_000_000 / per_second.max(1))
    };
    Reading::of(read(), "/proc/stat has no steal time")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Stdio;

    #[test]
    fn a_list_of_processors_has_ranges() {
        assert_eq!(list("0-3,8"), [0, 1, 2, 3, 8]);
        assert_eq!(list("5"), [5]);
        assert!(list("").is_empty());
    }

    #[test]
    fn a_process_goes_where_it_is_moved_with_all_its_threads() {
        let Some(&cpu) = cpus().as_deref().and_then(<[usize]>::first) else { return };
        let mut cat = Command::new("cat").stdin(Stdio::piped()).spawn().expect("cat starts");
        move_process(cat.id(), cpu);
        let status = fs::read_to_string(format!("/proc/{}/status", cat.id())).unwrap();
        let allowed = status.lines().find_map(|l| l.strip_prefix("Cpus_allowed_list:")).unwrap();
        assert_eq!(list(allowed.trim()), [cpu]);
        drop(cat.stdin.take());
        cat.wait().expect("cat ends");
    }

    #[test]
    fn a_processor_is_its_own_first_neighbour() {
        let Some(&cpu) = cpus().as_deref().and_then(<[usize]>::last) else { return };
        let neighbours = neighbours(cpu);
        assert_eq!(neighbours[0], cpu);
        assert_eq!(neighbours.iter().filter(|&&c| c == cpu).count(), 1);
    }
}
