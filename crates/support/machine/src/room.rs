//! How much memory there is for a run.

use std::fs;

/// The memory that a run may take, in bytes; `None` where nothing limits it or nothing is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// For all processes together.
    pub free: Option<u64>,
    /// For this process alone: the rest of its limit of address space.
    pub of_process: Option<u64>,
}

impl Room {
    /// The room at this moment.
    pub fn now() -> Room {
        let available = read("/proc/meminfo").and_then(|text| kib(&text, "MemAvailable:"));
        let free = [available, of_group()].into_iter().flatten().min();
        Room { free, of_process: of_process() }
    }
}

fn read(path: &str) -> Option<String> {
    fs::read_to_string(path).ok()
}

/// A field in KiB, as bytes.
fn kib(text: &str, field: &str) -> Option<u64> {
    let value = text.lines().find_map(|line| line.strip_prefix(field))?;
    Some(value.split_ascii_whitespace().next()?.parse::<u64>().ok()? << 10)
}

/// The memory that the control group of this process may still take. Its cache of files can be
/// given back.
fn of_group() -> Option<u64> {
    let groups = read("/proc/self/cgroup")?;
    let (folder, files, cache) =
        groups.lines().find_map(|line| match line.splitn(3, ':').collect::<Vec<_>>()[..] {
            ["0", "", path] => {
                let files = ["memory.max", "memory.current"];
                Some((format!("/sys/fs/cgroup{path}"), files, "inactive_file "))
            }
            [_, "memory", path] => {
                let files = ["memory.limit_in_bytes", "memory.usage_in_bytes"];
                Some((format!("/sys/fs/cgroup/memory{path}"), files, "total_inactive_file "))
            }
            _ => None,
        })?;
    let [most, used] =
        files.map(|file| read(&format!("{folder}/{file}"))?.trim().parse::<u64>().ok());
    let stat = read(&format!("{folder}/memory.stat")).unwrap_or_default();
    let cached = stat.lines().find_map(|line| line.strip_prefix(cache)?.trim().parse().ok());
    Some((most? + cached.unwrap_or(0)).saturating_sub(used?))
}

#[cfg(unix)]
fn of_process() -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the call gets a valid structure.
    let read_it = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) } == 0;
    if !read_it || limit.rlim_cur == libc::RLIM_INFINITY {
        return None;
    }
    let used = read("/proc/self/status").and_then(|text| kib(&text, "VmSize:")).unwrap_or(0);
    Some(limit.rlim_cur.saturating_sub(used))
}

#[cfg(not(unix))]
fn of_process() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_in_kib_is_found() {
        let text = "MemTotal:  100 kB\nMemAvailable:    2048 kB\n";
        assert_eq!(kib(text, "MemAvailable:"), Some(2 << 20));
        assert_eq!(kib(text, "SwapFree:"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_machine_has_some() {
        assert!(Room::now().free.is_some_and(|free| free > 1 << 20));
    }
}
