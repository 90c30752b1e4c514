//! Other programs on the machine while it measures: other programs, probes in the code that is
//! measured, and files that change. It is read from Linux's /proc; elsewhere nothing is known.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Clock ticks per second in /proc/*/stat. Every Linux reports a hundred to programs.
const TICKS: f64 = 100.0;

/// A program is named from this share of a processor on.
const HEAVY: f64 = 0.05;

/// Shares of a shorter time than this, in s, are imprecise: a tick is a hundredth of it.
const SHORTEST: f64 = 1.0;

/// Other programs on the machine during a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Company {
    /// The time over which other programs were observed, in s.
    pub seconds: f64,
    /// By name of the program: the time that it had a processor, in s.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub programs: BTreeMap<String, f64>,
    /// The processor time of programs that ended before they were seen, or cannot be seen from
    /// here, in s.
    pub unseen: f64,
    /// The time for which the quota of a control group took the processors away, in s.
    pub throttled: f64,
    /// By file: the programs that may have changed its code in memory, such as by a probe.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub altered: BTreeMap<String, String>,
    /// The files of measured code that were replaced during the run.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub replaced: BTreeSet<String>,
}

impl Company {
    /// The programs that used much of a processor, each with its share of one, the busiest first.
    pub fn heavy(&self) -> Vec<(&str, f64)> {
        if self.seconds < SHORTEST {
            return vec![];
        }
        let shares = self.programs.iter().map(|(name, time)| (name.as_str(), time / self.seconds));
        let mut heavy: Vec<(&str, f64)> = shares.filter(|(_, share)| *share >= HEAVY).collect();
        heavy.sort_by(|a, b| b.1.total_cmp(&a.1));
        heavy
    }

    /// The share of a processor of all programs that were not seen, if it is much.
    pub fn heavy_unseen(&self) -> Option<f64> {
        let share = self.unseen / self.seconds;
        (self.seconds >= SHORTEST && share >= HEAVY).then_some(share)
    }

    /// Adds the work of other processes than `own` and its descendants between two looks.
    pub fn add(&mut self, before: &Look, now: &Look, own: u32) {
        let ours = (before.ours(own), now.ours(own));
        let by_us = now.ticks_of(&ours.1).saturating_sub(before.ticks_of(&ours.0));
        let mut by_others = 0;
        for (id, process) in now.processes.iter().filter(|(id, _)| !ours.1.contains(id)) {
            let same = before.processes.get(id).filter(|other| other.started == process.started);
            // A process of ours may be no one's child any more.
            if ours.0.contains(id) && same.is_some() {
                continue;
            }
            let ticks = process.ticks.saturating_sub(same.map_or(0, |before| before.ticks));
            by_others += ticks;
            if ticks > 0 {
                *self.programs.entry(process.name.clone()).or_default() += ticks as f64 / TICKS;
            }
        }
        self.seconds += now.at.duration_since(before.at).as_secs_f64();
        if let (Some(before), Some(now)) = (before.busy, now.busy) {
            let all = now.saturating_sub(before);
            self.unseen += all.saturating_sub(by_us + by_others) as f64 / TICKS;
        }
        if let (Some(before), Some(now)) = (before.throttled, now.throttled) {
            self.throttled += now.saturating_sub(before) as f64 / 1e6;
        }
    }
}

/// One look at all processes.
#[derive(Clone, Debug)]
pub struct Look {
    at: Instant,
    processes: BTreeMap<u32, Seen>,
    /// The ticks for which processors were busy, all together.
    busy: Option<u64>,
    /// The time for which the quota of our control group held us, in us.
    throttled: Option<u64>,
}

/// A process.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    parent: u32,
    name: String,
    /// When it started, in ticks since boot: a number may be used again.
    started: u64,
    /// The time that it ran, in ticks.
    ticks: u64,
    /// The ticks that its children ran that have ended.
    reaped: u64,
}

impl Look {
    /// A look at this moment; `None` if the system shows no processes.
    pub fn now() -> Option<Look> {
        let entries = fs::read_dir("/proc").ok()?.flatten();
        let seen = entries.filter_map(|entry| {
            let id = entry.file_name().to_str()?.parse().ok()?;
            Some((id, Seen::read(&fs::read_to_string(entry.path().join("stat")).ok()?)?))
        });
        let processes: BTreeMap<u32, Seen> = seen.collect();
        let busy = fs::read_to_string("/proc/stat").ok().and_then(|text| busy(&text));
        (!processes.is_empty()).then(|| Look {
            at: Instant::now(),
            processes,
            busy,
            throttled: throttled_us(),
        })
    }

    /// The ticks for which these processes ran, and their children that have ended.
    fn ticks_of(&self, ids: &BTreeSet<u32>) -> u64 {
        let own = self.processes.iter().filter(|(id, _)| ids.contains(id));
        own.map(|(_, process)| process.ticks + process.reaped).sum()
    }

    /// A process and its descendants.
    fn ours(&self, own: u32) -> BTreeSet<u32> {
        let mut ours = BTreeSet::from([own]);
        loop {
            let children = self.processes.iter().filter(|(_, p)| ours.contains(&p.parent));
            let more: Vec<u32> =
                children.map(|(&id, _)| id).filter(|id| !ours.contains(id)).collect();
            if more.is_empty() {
                return ours;
            }
            ours.extend(more);
        }
    }
}

impl Seen {
    /// Reads the line of /proc/*/stat. The name is in brackets and may itself have some.
    fn read(line: &str) -> Option<Seen> {
        let (before, after) = line.rsplit_once(')')?;
        let (_, name) = before.split_once('(')?;
        Some(Seen {
            parent: u32::try_from(field(after, 4)?).ok()?,
            name: name.to_string(),
            started: field(after, 22)?,
            ticks: field(after, 14)? + field(after, 15)?,
            reaped: field(after, 16)? + field(after, 17)?,
        })
    }
}

/// A field of a line of /proc/*/stat. The text begins after the name, which is the second one.
fn field(text: &str, number: usize) -> Option<u64> {
    text.split_ascii_whitespace().nth(number - 3)?.parse().ok()
}

/// The ticks for which all processors were busy, from the first line of /proc/stat: user, nice,
/// system, irq and softirq. User time includes virtual machines.
fn busy(text: &str) -> Option<u64> {
    let numbers: Vec<u64> = text
        .lines()
        .next()?
        .strip_prefix("cpu ")?
        .split_ascii_whitespace()
        .map_while(|number| number.parse().ok())
        .collect();
    let [user, nice, system, _idle, _waiting, irq, softirq, ..] = numbers[..] else { return None };
    Some(user + nice + system + irq + softirq)
}

/// The time for which the quota of this process's control group held it, in us.
fn throttled_us() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let folder =
        groups.lines().find_map(|line| match line.splitn(3, ':').collect::<Vec<_>>()[..] {
            ["0", "", path] => Some(format!("/sys/fs/cgroup{path}")),
            [_, controllers, path] if controllers.split(',').any(|c| c == "cpu") => {
                Some(format!("/sys/fs/cgroup/{controllers}{path}"))
            }
            _ => None,
        })?;
    let text = fs::read_to_string(Path::new(&folder).join("cpu.stat")).ok()?;
    [("throttled_usec ", 1), ("throttled_time ", 1000)].iter().find_map(|(name, per_us)| {
        let value = text.lines().find_map(|line| line.strip_prefix(name))?;
        Some(value.trim().parse::<u64>().ok()? / per_us)
    })
}

/// A file whose code a process runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapped {
    /// Its path.
    pub path: PathBuf,
    /// Its number in its file system, and when it was changed last.
    pub identity: (u64, Option<std::time::SystemTime>),
    /// Whether its code in memory differs from the file's. Probes of the kernel and debuggers do
    /// that.
    pub altered: bool,
}

/// The files whose code a process runs.
pub fn mapped(process: u32) -> Vec<Mapped> {
    let text = fs::read_to_string(format!("/proc/{process}/smaps")).unwrap_or_default();
    executable(&text)
        .into_iter()
        .map(|(path, (inode, altered))| {
            let changed = fs::metadata(&path).and_then(|file| file.modified()).ok();
            Mapped { path, identity: (inode, changed), altered }
        })
        .collect()
}

/// By path: the number of each file that is mapped as code, and whether some of it is a copy. A
/// mapping of code is never written to, so a copy is somebody else's.
fn executable(smaps: &str) -> BTreeMap<PathBuf, (u64, bool)> {
    let mut files: BTreeMap<PathBuf, (u64, bool)> = BTreeMap::new();
    let mut current: Option<PathBuf> = None;
    for line in smaps.lines() {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        match words[..] {
            [range, rights, _offset, _device, inode, ..] if range.contains('-') => {
                let start = line.bytes().position(|byte| byte == b'/');
                let path = start.map(|start| line[start..].trim_end_matches(" (deleted)"));
                let is_code = rights.starts_with("r-x");
                current = path.filter(|_| is_code).map(PathBuf::from);
                if let (Some(path), Ok(inode)) = (&current, inode.parse()) {
                    files.entry(path.clone()).or_insert((inode, false)).0 = inode;
                }
            }
            ["Anonymous:", kb, "kB"] if kb != "0" => {
                if let Some(file) = current.as_ref().and_then(|path| files.get_mut(path)) {
                    file.1 = true;
                }
            }
            _ => {}
        }
    }
    files
}

/// The possible owners of a probe: the programs that hold events of the kernel or programs in it,
/// as far as this user may see that; and the file of probes that names this object.
pub fn probers(object: &Path) -> String {
    let mut names: BTreeSet<String> = BTreeSet::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Ok(files) = fs::read_dir(entry.path().join("fd")) else { continue };
        let holds = files.flatten().any(|file| {
            let link = fs::read_link(file.path()).unwrap_or_default();
            let link = link.to_string_lossy();
            ["anon_inode:[perf_event]", "anon_inode:bpf"].iter().any(|kind| link.starts_with(kind))
        });
        if holds {
            names.extend(
                fs::read_to_string(entry.path().join("comm")).map(|n| n.trim().to_string()),
            );
        }
    }
    let files = ["/sys/kernel/tracing/uprobe_events", "/sys/kernel/debug/tracing/uprobe_events"];
    let probe = format!(" {}:", object.display());
    let mut naming = files.into_iter();
    let naming = naming.find(|f| fs::read_to_string(f).is_ok_and(|text| text.contains(&probe)));
    names.extend(naming.map(str::to_string));
    names.into_iter().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(seconds: u64, busy: u64, processes: &[(u32, u32, &str, u64, u64, u64)]) -> Look {
        let seen =
            |&(id, parent, name, started, ticks, reaped): &(u32, u32, &str, u64, u64, u64)| {
                (id, Seen { parent, name: name.to_string(), started, ticks, reaped })
            };
        let at = *EPOCH.get_or_init(Instant::now) + std::time::Duration::from_secs(seconds);
        let processes = processes.iter().map(seen).collect();
        Look { at, processes, busy: Some(busy), throttled: Some(seconds * 100_000) }
    }

    static EPOCH: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();

    #[test]
    fn other_programs_are_named_and_our_own_are_not() {
        let before = look(
            0,
            1000,
            &[
                (1, 0, "init", 0, 50, 900),
                (10, 1, "cupel", 5, 100, 20),
                (11, 10, "runner", 6, 40, 0),
                (20, 1, "make", 7, 5, 100),
                (30, 1, "bash", 8, 300, 0),
            ],
        );
        // The runner has ended, and a compiler has the number of the shell that ended.
        let now = look(
            10,
            3000,
            &[
                (1, 0, "init", 0, 50, 1200),
                (10, 1, "cupel", 5, 300, 820),
                (12, 10, "runner", 90, 10, 0),
                (20, 1, "make", 7, 6, 500),
                (30, 20, "cc1plus", 95, 350, 0),
            ],
        );
        let mut company = Company::default();
        company.add(&before, &now, 10);
        assert_eq!(company.heavy(), [("cc1plus", 0.35)], "make had a hundredth of a second");
        // 20 s of processors, of which ours had 9.7 and those that were seen 3.51.
        let ours = (300 + 820 + 10) - (100 + 20 + 40);
        let unseen = (2000 - ours - 351) as f64 / 1000.0;
        assert!((company.heavy_unseen().unwrap() - unseen).abs() < 1e-9);
        assert!((company.throttled - 1.0).abs() < 1e-9);
    }

    #[test]
    fn nothing_is_said_of_a_moment() {
        let before = look(0, 0, &[(1, 0, "init", 0, 0, 0)]);
        let mut company = Company::default();
        company.add(&before, &look(0, 90, &[(1, 0, "init", 0, 90, 0)]), 7);
        assert_eq!((company.heavy(), company.heavy_unseen()), (vec![], None));
    }

    #[test]
    fn a_name_may_have_brackets_and_spaces() {
        let line = "42 (a) b (c)) S 7 42 42 0 -1 4194560 1 2 3 4 11 22 33 44 20 0 1 0 555 1 2";
        let seen = Seen::read(line).unwrap();
        assert_eq!((seen.parent, seen.name.as_str(), seen.started), (7, "a) b (c)", 555));
        assert_eq!((seen.ticks, seen.reaped), (33, 77));
        assert_eq!(Seen::read("no process"), None);
    }

    #[test]
    fn a_copy_of_a_page_of_code_is_seen() {
        let mapping = |rights: &str, inode: u64, path: &str, kb: u32| {
            format!(
                "7f0000000000-7f0000001000 {rights} 00000000 fe:01 {inode}    {path}\n\
                 Size:    4 kB\nAnonymous:    {kb} kB\nVmFlags: rd ex\n"
            )
        };
        let text = [
            mapping("r-xp", 7, "/lib/libcrypto.so.3", 4),
            mapping("rw-p", 7, "/lib/libcrypto.so.3", 8),
            mapping("r-xp", 8, "/lib/a b.so (deleted)", 0),
            mapping("r-xp", 0, "[vdso]", 4),
            mapping("rw-p", 9, "/lib/data.so", 4),
        ]
        .concat();
        let files = executable(&text);
        let expected = [("/lib/a b.so", (8, false)), ("/lib/libcrypto.so.3", (7, true))]
            .map(|(p, f)| (p.into(), f));
        assert_eq!(files, BTreeMap::from(expected));
    }

    /// As a probe does it, but by the process itself: a page of code is copied and changed.
    #[cfg(target_os = "linux")]
    #[test]
    fn code_that_is_not_that_of_its_file_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("libx.so");
        fs::write(&path, [0x90; 4096]).unwrap();
        let file = fs::File::open(&path).unwrap();
        let descriptor = std::os::fd::AsRawFd::as_raw_fd(&file);
        let altered = || {
            let files = mapped(std::process::id());
            files.into_iter().find(|file| file.path == path).map(|file| file.altered)
        };
        let (both, code) = (libc::PROT_READ | libc::PROT_WRITE, libc::PROT_READ | libc::PROT_EXEC);
        // SAFETY: the mapping is new, as long as the file, and nothing else has its address.
        unsafe {
            let page =
                libc::mmap(std::ptr::null_mut(), 4096, both, libc::MAP_PRIVATE, descriptor, 0);
            assert_ne!(page, libc::MAP_FAILED);
            libc::mprotect(page, 4096, code);
            assert_eq!(altered(), Some(false));
            libc::mprotect(page, 4096, both);
            page.cast::<u8>().write_volatile(0xcc);
            libc::mprotect(page, 4096, code);
            assert_eq!(altered(), Some(true));
            libc::munmap(page, 4096);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_is_seen_and_runs_its_own_file_unaltered() {
        let look = Look::now().expect("processes");
        assert!(look.processes.contains_key(&std::process::id()));
        assert!(look.busy.is_some());
        let own = std::env::current_exe().unwrap();
        let files = mapped(std::process::id());
        let file = files.iter().find(|file| file.path == own).expect("its own file");
        assert!(!file.altered && file.identity.1.is_some());
    }
}
