//! What this machine is, and the few things that only some systems can do. Everything that is
//! particular to a system sits behind this module; elsewhere it is [`Reading::NotAvailable`].

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
use linux as system;

#[cfg(not(target_os = "linux"))]
mod other;
#[cfg(not(target_os = "linux"))]
use other as system;

use serde::{Deserialize, Serialize};
use std::process::Command;

/// A fact about the machine, or that it cannot be had here: not knowing is not the same as zero.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reading<T> {
    /// The fact.
    Known(T),
    /// Why it cannot be had here.
    NotAvailable(String),
}

impl<T> Reading<T> {
    /// The fact, where there is one.
    pub fn known(&self) -> Option<&T> {
        match self {
            Reading::Known(fact) => Some(fact),
            Reading::NotAvailable(_) => None,
        }
    }

    fn of(fact: Option<T>, why_not: &str) -> Reading<T> {
        match fact {
            Some(fact) => Reading::Known(fact),
            None => Reading::NotAvailable(why_not.to_string()),
        }
    }
}

/// Lets this process have as many open files as the system allows: each live runner takes three, and a
/// compiler matrix has hundreds of them.
pub fn allow_many_files() {
    #[cfg(unix)]
    {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: both calls get a valid structure. Where the limit stays, starting says what is wrong.
        unsafe {
            if libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) == 0 {
                limit.rlim_cur = limit.rlim_max.min(1 << 16);
                libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit);
            }
        }
    }
}

/// What a figure is tied to: another machine, another answer.
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
    /// Last-level cache in bytes.
    pub last_level_cache: Reading<u64>,
    /// Frequency governor.
    pub governor: Reading<String>,
    /// Hypervisor, where this is a virtual machine.
    pub hypervisor: Reading<String>,
    /// Memory in bytes.
    pub memory: Reading<u64>,
}

impl Machine {
    /// Looks at this machine.
    pub fn look() -> Machine {
        system::machine()
    }

    /// A digest of everything that a figure is tied to; a changed one voids advice.
    pub fn fingerprint(&self) -> String {
        use sha2::Digest;
        let text = serde_json::to_vec(self).unwrap_or_default();
        hex::encode(&sha2::Sha256::digest(text)[..8])
    }

    /// One line for a table's foot.
    pub fn line(&self) -> String {
        let known = |r: &Reading<String>| r.known().cloned();
        let mut parts = vec![known(&self.cpu).unwrap_or_else(|| self.architecture.clone())];
        parts.push(format!("{} cpus", self.cpus));
        if let Some(hypervisor) = known(&self.hypervisor) {
            parts.push(format!("virtual ({hypervisor})"));
        }
        if let Some(kernel) = known(&self.kernel) {
            parts.push(format!("Linux {kernel}"));
        }
        parts.join(", ")
    }
}

/// The processor that contenders are held to: the last that this process may use, because the first
/// ones carry most interrupts. `None` where the system cannot hold a process.
pub fn measuring_cpu() -> Option<usize> {
    system::cpus()?.last().copied()
}

/// Has large pieces of memory go back to the system when they are freed. Left to itself, the allocator
/// keeps pieces of up to 32 MiB for later.
pub fn give_memory_back() {
    system::give_memory_back();
}

/// Has the calling thread share the measuring processor with the contenders, and all other threads of
/// this process keep off it. The calling thread sleeps while a slice runs; between slices, waking a
/// neighbour on the same processor takes a tenth of the time that waking another processor does.
pub fn take(measuring: usize) {
    system::take(measuring);
}

/// Keeps the calling thread off the measuring processor, so that its work disturbs nothing that is
/// measured. Does nothing on a machine with one processor.
pub fn step_aside(measuring: usize) {
    system::step_aside(measuring);
}

/// Holds the calling thread, and what it starts, to a processor.
pub fn go_to(cpu: usize) {
    system::go_to(cpu);
}

/// The processors, this one first, that share its last cache and so its memory: what is made ready on
/// one of them is where it should be on another. Of those that this process may use.
pub fn neighbours(cpu: usize) -> Vec<usize> {
    system::neighbours(cpu)
}

/// Holds a live process to a processor: its thread `caller` alone, where the runner told which one
/// makes the calls, else all of its threads. A runtime's other threads go where there is room: a
/// compiler that has to share the processor with the code that waits for it comes late.
pub fn move_process(process: u32, caller: Option<u32>, cpu: usize) {
    system::move_process(process, caller, cpu);
}

/// Holds a thread of this process to a processor.
pub fn move_thread(thread: &std::thread::JoinHandle<()>, cpu: usize) {
    system::move_thread(thread, cpu);
}

/// Has a command start on all the processors that this process was allowed, whatever the calling thread is
/// held to.
pub fn set_free(command: &mut Command) {
    system::set_free(command);
}

/// Time that the hypervisor gave to others while this processor wanted to run, in ns since boot.
pub fn stolen_ns(cpu: Option<usize>) -> Reading<u64> {
    system::stolen_ns(cpu)
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
        _ => "",
    }
}
