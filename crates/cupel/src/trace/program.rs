//! Starts the program that is traced, waits for it, and finds out why nothing was counted.

use crate::toolchain::cc::located;
use anyhow::{Context, Result};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicI32, Ordering};

/// How the program ended, and what it took.
#[derive(Clone, Copy, Debug)]
pub struct Ended {
    /// Its status.
    pub status: ExitStatus,
    /// Processor time of it and of its children that it waited for, user and system, in seconds.
    pub cpu_seconds: f64,
}

/// The running program, for the signals that are passed on to it.
static PROGRAM: AtomicI32 = AtomicI32::new(0);

extern "C" fn pass_on(signal: libc::c_int) {
    let program = PROGRAM.load(Ordering::Relaxed);
    if program > 0 {
        // SAFETY: `kill` may be called in a signal handler.
        unsafe { libc::kill(program, signal) };
    }
}

/// Runs a program with these objects preloaded, this option for its JVMs, and this folder for their
/// files.
///
/// # Errors
/// If it cannot be started.
pub fn run(
    command: &[OsString],
    objects: &OsStr,
    jvm_option: Option<&str>,
    folder: &Path,
) -> Result<Ended> {
    let (program, arguments) = command.split_first().context("there is no program to trace")?;
    let mut start = Command::new(program);
    start.args(arguments).env("LD_PRELOAD", objects).env("CUPEL_TRACE_DIR", folder);
    if let Some(option) = jvm_option {
        let mut options = std::env::var_os("JAVA_TOOL_OPTIONS").unwrap_or_default();
        options.push(" ");
        options.push(option);
        start.env("JAVA_TOOL_OPTIONS", options);
    }
    let child = start.spawn().map_err(|e| {
        let shown = Path::new(program).display();
        match e.kind() {
            ErrorKind::NotFound => anyhow::anyhow!("there is no program {shown}"),
            _ => anyhow::anyhow!("{shown} cannot be started: {e}"),
        }
    })?;
    let id = child.id() as libc::pid_t;
    PROGRAM.store(id, Ordering::Relaxed);
    // An interrupt from the keyboard reaches the program anyway; what ends only the tool is passed
    // on. So the program decides, and the counts are printed.
    let quiet = [libc::SIGINT, libc::SIGQUIT].map(|signal| (signal, libc::SIG_IGN));
    let handler = pass_on as extern "C" fn(libc::c_int) as libc::sighandler_t;
    let passed = [libc::SIGTERM, libc::SIGHUP].map(|signal| (signal, handler));
    let before: Vec<_> = quiet
        .iter()
        .chain(&passed)
        .map(|(signal, with)| {
            // SAFETY: the handler only calls `kill`.
            (*signal, unsafe { libc::signal(*signal, *with) })
        })
        .collect();
    let ended = wait(id);
    PROGRAM.store(0, Ordering::Relaxed);
    for (signal, with) in before {
        // SAFETY: this is what was there before.
        unsafe { libc::signal(signal, with) };
    }
    ended
}

fn wait(id: libc::pid_t) -> Result<Ended> {
    let mut status = 0;
    // SAFETY: all zero is a valid value of it.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers are to values of this function.
        let waited = unsafe { libc::wait4(id, &raw mut status, 0, &raw mut usage) };
        if waited == id {
            break;
        }
        let error = std::io::Error::last_os_error();
        if error.kind() != ErrorKind::Interrupted {
            return Err(error).context("cannot wait for the program");
        }
    }
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    let cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    Ok(Ended { status: ExitStatus::from_raw(status), cpu_seconds })
}

/// Why a program was not traced at all, as far as its file says.
pub fn why_not(program: &OsStr) -> String {
    let name = Path::new(program).file_name().unwrap_or(program).to_string_lossy().into_owned();
    let Some(path) = located(Path::new(program)) else {
        return format!("{name} was not traced");
    };
    let is_raised = std::fs::metadata(&path).is_ok_and(|meta| meta.mode() & 0o6000 != 0);
    let mut start = Vec::new();
    let read = File::open(&path).and_then(|file| file.take(1 << 16).read_to_end(&mut start));
    if is_raised {
        format!(
            "{name} has the rights of its owner or group (setuid, setgid): nothing can be preloaded"
        )
    } else if read.is_ok() && is_static(&start) {
        format!(
            "{name} is a static program: it has its libraries inside, and nothing can be preloaded"
        )
    } else {
        format!("{name} did not load the tracer")
    }
}

/// Whether this is the start of a 64-bit ELF program that asks for no loader.
fn is_static(elf: &[u8]) -> bool {
    const LOADER: [u8; 4] = [3, 0, 0, 0];
    let number = |at: usize, length: usize| {
        let bytes = elf.get(at..at + length)?;
        Some(bytes.iter().rev().fold(0usize, |n, byte| n << 8 | usize::from(*byte)))
    };
    if !elf.starts_with(b"\x7fELF\x02\x01") {
        return false;
    }
    let headers = (number(32, 8), number(54, 2), number(56, 2));
    let (Some(first), Some(size), Some(count)) = headers else { return false };
    !(0..count).any(|i| {
        let at = i.checked_mul(size).and_then(|offset| offset.checked_add(first));
        at.and_then(|at| elf.get(at..at.checked_add(4)?)).is_some_and(|kind| kind == LOADER)
    })
}
