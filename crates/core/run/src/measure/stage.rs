//! Where contenders are started and time passes: as real processes, or in a simulation.

use anyhow::{Result, anyhow, bail};
use cupel_contender::Contender;
use cupel_runner::{Fault, Host, Process, Start};
use cupel_toolchain::is_jdk;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The values that make each process of a fork different, so that no single layout decides.
#[derive(Clone, Copy, Debug)]
pub struct Fresh {
    /// The number of the process group, from 1. Resuming a run goes on counting.
    pub fork: u64,
    /// The padding in the environment, in bytes.
    pub padding: usize,
    /// The number of its layout, if it is linked in several. It wraps around.
    pub layout: usize,
}

/// Starts contenders, and has the clock that budgets refer to.
pub trait Stage: Sync {
    /// Starts a contender in its own process, on this processor if one is given.
    ///
    /// # Errors
    /// If it does not start or does not greet.
    fn start(
        &self,
        contender: &Contender,
        fresh: Fresh,
        cpu: Option<usize>,
    ) -> Result<Box<dyn Host>, Fault>;
    /// The processors on which processes are prepared, one on each at a time; `None` stands for any
    /// processor. There is at least one.
    fn lanes(&self) -> Vec<Option<usize>>;
    /// The time of the run's clock.
    fn now(&self) -> Duration;
    /// The tool's own clock, with which reported times are compared; `None` if time is simulated.
    fn clock(&self) -> Option<Instant>;
    /// Is called with the time of every slice in ns. A simulated clock advances by it.
    fn elapsed(&self, ns: f64);
    /// The time stolen from the measuring processor since boot, in ns.
    fn stolen_ns(&self) -> Option<u64>;
    /// The measuring processor. Work next to the slices keeps off it.
    fn measuring_cpu(&self) -> Option<usize>;
    /// Whether it is a machine on which other programs run, and not a simulated one.
    fn has_company(&self) -> bool {
        false
    }
    /// How many processors there are for the threads of a cell; `None` if they are simulated.
    fn processors(&self) -> Option<usize> {
        None
    }
}

/// Starts real processes, and measures them on one processor.
pub struct RealProcesses {
    cpu: Option<usize>,
    patience: Duration,
    began: Instant,
    /// The folder in which JVMs log the work of their compilers.
    compilation_logs: Option<PathBuf>,
    /// The limit of each JVM's heap in MiB, if they have one.
    heap_mib: Option<u64>,
    /// How many threads a cell has at most.
    threads: u32,
    /// Whether runners are confined, unless their family's file says otherwise.
    confined: bool,
    /// On a simulated clock, the time of all slices so far, in ns.
    simulated: Option<AtomicU64>,
}

impl RealProcesses {
    /// On how many processors it would prepare processes whose cells have this many threads at
    /// most.
    pub fn lanes_here(simulated: bool, threads: u32) -> usize {
        let cpu = cupel_machine::measuring_cpu().filter(|_| !simulated && threads == 1);
        cpu.map_or(1, |cpu| cupel_machine::neighbours(cpu).len())
    }

    /// A stage on the measuring processor, to which the calling thread moves. On a simulated clock
    /// no time is measured, so processes run on any processor. `patience` is how long a runner may
    /// take to answer.
    pub fn new(patience: Duration, simulated: bool) -> RealProcesses {
        let cpu = cupel_machine::measuring_cpu().filter(|_| !simulated);
        if let Some(cpu) = cpu {
            cupel_machine::take(cpu);
        }
        let simulated = simulated.then(AtomicU64::default);
        RealProcesses {
            cpu,
            patience,
            began: Instant::now(),
            compilation_logs: None,
            heap_mib: None,
            threads: 1,
            confined: true,
            simulated,
        }
    }

    /// Limits the heap of each JVM, if a limit in MiB is given.
    #[must_use]
    pub fn with_heap(mut self, heap_mib: Option<u64>) -> RealProcesses {
        self.heap_mib = heap_mib;
        self
    }

    /// Expects cells of this many threads at most. If there are several, processes are prepared one
    /// at a time, because the threads of one need the processors of the others.
    #[must_use]
    pub fn with_threads(mut self, threads: u32) -> RealProcesses {
        self.threads = threads;
        self
    }

    /// Confines no runner if timed calls are system calls, which would take longer.
    #[must_use]
    pub fn with_system_calls(mut self, timed: bool) -> RealProcesses {
        self.confined = !timed;
        self
    }
}

/// Makes the folder in which JVMs log the work of their compilers.
///
/// # Errors
/// If it cannot be made, or if a JVM's command line cannot name it.
pub fn make_log_folder(folder: &Path) -> Result<()> {
    if folder.to_string_lossy().contains(['\'', '"', '%']) {
        bail!(
            "a JVM cannot log to {}: name a folder without quotes and percent signs",
            folder.display()
        );
    }
    std::fs::create_dir_all(folder)
        .map_err(|e| anyhow!("cannot make the folder {}: {e}", folder.display()))
}

impl RealProcesses {
    /// Lets each JVM log the work of its compilers to its own file in this folder.
    #[must_use]
    pub fn with_compilation_logs(mut self, folder: Option<PathBuf>) -> RealProcesses {
        self.compilation_logs = folder;
        self
    }

    /// The file for a contender's process in a fork.
    fn compilation_log(&self, contender: &Contender, fork: u64) -> Option<PathBuf> {
        let folder = self.compilation_logs.as_ref()?;
        let name =
            contender.name.replace(|c: char| !c.is_ascii_alphanumeric() && !"-.@".contains(c), "_");
        contender.is_jit().then(|| folder.join(format!("{name}-fork-{fork}-%p.log")))
    }
}

impl Stage for RealProcesses {
    fn start(
        &self,
        contender: &Contender,
        fresh: Fresh,
        cpu: Option<usize>,
    ) -> Result<Box<dyn Host>, Fault> {
        let mut command = contender
            .command_in(fresh.layout)
            .ok_or_else(|| Fault::Start(format!("{} is not ready", contender.name)))?;
        let is_on_jdk = contender.is_jit() && contender.name.toolchain().is_some_and(is_jdk);
        let heap = self.heap_mib.filter(|_| is_on_jdk);
        if let Some(mib) = heap
            && !command.is_empty()
        {
            command.insert(1, format!("-Xmx{mib}m").into());
        }
        let start = Start {
            command,
            cpu,
            fork: fresh.fork,
            padding: fresh.padding,
            patience: self.patience,
            compilation_log: self.compilation_log(contender, fresh.fork),
            confined: self.confined && !contender.unconfined,
        };
        Ok(Box::new(Process::start(&start)?))
    }

    fn lanes(&self) -> Vec<Option<usize>> {
        match self.cpu {
            Some(measuring) if self.threads > 1 => vec![Some(measuring)],
            Some(measuring) => cupel_machine::neighbours(measuring).into_iter().map(Some).collect(),
            None => vec![None],
        }
    }

    fn now(&self) -> Duration {
        match &self.simulated {
            Some(ns) => Duration::from_nanos(ns.load(Ordering::Relaxed)),
            None => self.began.elapsed(),
        }
    }

    fn clock(&self) -> Option<Instant> {
        self.simulated.is_none().then(Instant::now)
    }

    fn elapsed(&self, ns: f64) {
        if let Some(time) = &self.simulated {
            time.fetch_add(ns.max(0.0) as u64, Ordering::Relaxed);
        }
    }

    fn has_company(&self) -> bool {
        self.simulated.is_none()
    }

    fn processors(&self) -> Option<usize> {
        self.simulated.is_none().then(cupel_machine::processors)
    }

    fn measuring_cpu(&self) -> Option<usize> {
        self.cpu
    }

    fn stolen_ns(&self) -> Option<u64> {
        if self.simulated.is_some() {
            return None;
        }
        cupel_machine::stolen_ns(self.cpu).known().copied()
    }
}
