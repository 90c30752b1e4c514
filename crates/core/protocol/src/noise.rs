//! The disturbances of one slice, as the system reports them. A figure that a system does not
//! report is `None`: unknown is not the same as quiet.

use serde::{Deserialize, Serialize};

/// The disturbances of one slice, each the difference between its end and its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Noise {
    /// The processor time of the measuring thread, in ns. Every field but the last is the sum over
    /// the threads, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_ns: Option<u64>,
    /// The time that the thread was runnable but waited for a processor, in ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_ns: Option<u64>,
    /// Involuntary context switches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub involuntary: Option<u64>,
    /// Page faults, minor and major.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub faults: Option<u64>,
    /// The time of garbage collection, in ns, as precisely as the runtime reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gc_ns: Option<u64>,
    /// The time of compiling, in ns, as precisely as the runtime reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compile_ns: Option<u64>,
    /// With several threads: the longest time for which one of them did not run before it had made
    /// its calls, in ns. Absent if a thread slept, as it does at a lock: the wait is then a part of
    /// the calls' cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub off_ns: Option<u64>,
}

impl Noise {
    /// The difference between two readings.
    pub fn since(&self, start: &Noise) -> Noise {
        Noise {
            cpu_ns: less(self.cpu_ns, start.cpu_ns),
            wait_ns: less(self.wait_ns, start.wait_ns),
            involuntary: less(self.involuntary, start.involuntary),
            faults: less(self.faults, start.faults),
            gc_ns: less(self.gc_ns, start.gc_ns),
            compile_ns: less(self.compile_ns, start.compile_ns),
            off_ns: None,
        }
    }

    /// The noise of threads that ran at the same time: sums, and the longest time off a processor.
    pub fn together(threads: impl IntoIterator<Item = Noise>) -> Noise {
        let all = threads.into_iter().reduce(|a, b| Noise {
            cpu_ns: sum(a.cpu_ns, b.cpu_ns),
            wait_ns: sum(a.wait_ns, b.wait_ns),
            involuntary: sum(a.involuntary, b.involuntary),
            faults: sum(a.faults, b.faults),
            gc_ns: sum(a.gc_ns, b.gc_ns),
            compile_ns: sum(a.compile_ns, b.compile_ns),
            off_ns: a.off_ns.zip(b.off_ns).map(|(a, b)| a.max(b)),
        });
        all.unwrap_or_default()
    }
}

fn less(end: Option<u64>, start: Option<u64>) -> Option<u64> {
    Some(end?.saturating_sub(start?))
}

fn sum(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    Some(a?.saturating_add(b?))
}

/// Reads the counters of the calling thread.
pub struct Meter {
    #[cfg(target_os = "linux")]
    schedstat: Option<std::fs::File>,
}

impl Meter {
    /// Opens the counters that this system offers. The calling thread is the one to be measured.
    pub fn new() -> Meter {
        Meter {
            #[cfg(target_os = "linux")]
            schedstat: std::fs::File::open("/proc/thread-self/schedstat").ok(),
        }
    }

    /// The current counters.
    pub fn read(&self) -> Noise {
        #[cfg(unix)]
        return self.read_unix();
        #[cfg(not(unix))]
        return Noise::default();
    }

    /// How often the calling thread went to sleep so far, if its system reports that.
    pub fn sleeps(&self) -> Option<u64> {
        #[cfg(target_os = "linux")]
        return u64::try_from(usage()?.ru_nvcsw).ok();
        #[cfg(not(target_os = "linux"))]
        return None;
    }

    #[cfg(unix)]
    fn read_unix(&self) -> Noise {
        let mut noise = Noise { wait_ns: self.wait_ns(), ..Noise::default() };
        #[cfg(target_os = "linux")]
        if let Some(usage) = usage() {
            noise.involuntary = u64::try_from(usage.ru_nivcsw).ok();
            noise.faults = u64::try_from(usage.ru_minflt + usage.ru_majflt).ok();
        }
        let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: `now` is valid for writes.
        if unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut now) } == 0 {
            noise.cpu_ns = Some(now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64);
        }
        noise
    }

    /// The second number of schedstat: time spent waiting on a run queue, in ns.
    #[cfg(target_os = "linux")]
    fn wait_ns(&self) -> Option<u64> {
        use std::os::unix::fs::FileExt;
        let mut text = [0; 96];
        let n = self.schedstat.as_ref()?.read_at(&mut text, 0).ok()?;
        std::str::from_utf8(&text[..n]).ok()?.split_ascii_whitespace().nth(1)?.parse().ok()
    }

    #[cfg(all(unix, not(target_os = "linux")))]
    fn wait_ns(&self) -> Option<u64> {
        None
    }
}

/// The system's counts of the calling thread.
#[cfg(target_os = "linux")]
fn usage() -> Option<libc::rusage> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: `usage` is valid for writes, and is read only if the call succeeds.
    let read = unsafe { libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr()) };
    // SAFETY: zeroed, and filled by the call above.
    (read == 0).then(|| unsafe { usage.assume_init() })
}

impl Default for Meter {
    fn default() -> Self {
        Meter::new()
    }
}

/// The system's number of the calling thread; 0 if it has none. The tool finds the
/// thread's clock by it.
pub(crate) fn thread_number() -> u32 {
    #[cfg(target_os = "linux")]
    // SAFETY: gettid has no preconditions.
    return u32::try_from(unsafe { libc::syscall(libc::SYS_gettid) }).unwrap_or(0);
    #[cfg(not(target_os = "linux"))]
    return 0;
}
