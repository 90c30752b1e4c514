//! Starts the program that is traced, waits for it, and finds out why nothing was counted.

use anyhow::{Context, Result};
use cupel_host::toolchain::cc::located;
use object::Endianness;
use object::elf::PT_INTERP;
use object::read::ReadCache;
use object::read::elf::{ElfFile64, ProgramHeader};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
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
    let child = start.spawn().map_err(|e| not_started(program, &e))?;
    supervised(child.id())
}

fn not_started(program: &OsStr, error: &std::io::Error) -> anyhow::Error {
    let shown = Path::new(program).display();
    match error.kind() {
        ErrorKind::NotFound => anyhow::anyhow!("there is no program {shown}"),
        _ => anyhow::anyhow!("{shown} cannot be started: {error}"),
    }
}

/// Runs a program, but first calls `prepared` with the number that its process will have: the
/// process is there already, and waits.
///
/// # Errors
/// If it cannot be started, or `prepared` fails: then it is not.
pub fn run_when(command: &[OsString], prepared: impl FnOnce(u32) -> Result<()>) -> Result<Ended> {
    let (program, arguments) = command.split_first().context("there is no program to trace")?;
    let mut start = Command::new(program);
    start.args(arguments);
    let (mut number, mut own) = std::io::pipe()?;
    let (mut wait, go) = std::io::pipe()?;
    let own_go = go.as_raw_fd();
    // SAFETY: between fork and exec it only writes, closes and reads.
    unsafe {
        start.pre_exec(move || {
            own.write_all(&std::process::id().to_ne_bytes())?;
            libc::close(own_go);
            wait.read_exact(&mut [0])
        });
    }
    // Starting returns when the program has begun, so another thread does that.
    let starting = std::thread::spawn(move || start.spawn());
    let mut id = [0; 4];
    let mut go = Some(go);
    let is_prepared = match number.read_exact(&mut id) {
        Ok(()) => prepared(u32::from_ne_bytes(id)),
        // It says below why it did not start.
        Err(_) => Ok(()),
    };
    if let (Ok(()), Some(go)) = (&is_prepared, &mut go) {
        go.write_all(&[1])?;
    }
    drop(go);
    let child = starting.join().map_err(|_| anyhow::anyhow!("a thread ended"))?;
    is_prepared?;
    supervised(child.map_err(|e| not_started(program, &e))?.id())
}

/// Waits for the program, to which signals are passed on.
fn supervised(id: u32) -> Result<Ended> {
    let id = id as libc::pid_t;
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
    let [user, system] =
        [usage.ru_utime, usage.ru_stime].map(|time| time.tv_sec as f64 + time.tv_usec as f64 / 1e6);
    Ok(Ended { status: ExitStatus::from_raw(status), cpu_seconds: user + system })
}

/// Why a program was not traced at all, as far as its file says.
pub fn why_not(program: &OsStr) -> String {
    let name = Path::new(program).file_name().unwrap_or(program).to_string_lossy().into_owned();
    let Some(path) = located(Path::new(program)) else {
        return format!("{name} was not traced");
    };
    let is_raised = std::fs::metadata(&path).is_ok_and(|meta| meta.mode() & 0o6000 != 0);
    if is_raised {
        format!(
            "{name} has the rights of its owner or group (setuid, setgid): nothing can be preloaded"
        )
    } else if matches!(loader(&path), Ok(None)) {
        format!(
            "{name} is a static program: it has its libraries inside, and nothing can be preloaded"
        )
    } else {
        format!("{name} did not load the tracer")
    }
}

/// The loader that a 64-bit ELF program asks for: none if it is static.
///
/// # Errors
/// If it is no such program.
pub fn loader(program: &Path) -> Result<Option<PathBuf>> {
    let cache = ReadCache::new(File::open(program)?);
    let elf = ElfFile64::<Endianness, _>::parse(&cache)?;
    let part = elf.elf_program_headers().iter().find(|part| part.p_type(elf.endian()) == PT_INTERP);
    let path = part.and_then(|part| part.data(elf.endian(), &cache).ok());
    Ok(path.map(|bytes| String::from_utf8_lossy(bytes).trim_end_matches('\0').into()))
}
