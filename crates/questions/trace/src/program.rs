//! Starts the program that is traced, waits for it, and finds out why nothing was counted.

use anyhow::{Context, Result};
use cupel_toolchain::cc::located;
use memchr::memmem;
use object::elf::PT_INTERP;
use object::read::elf::{ElfFile64, ProgramHeader};
use object::{Endianness, Object, ObjectSymbol, ReadCache};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicI32, Ordering};

/// How the program ended, and its time.
#[derive(Clone, Copy, Debug)]
pub struct Ended {
    /// The process.
    pub id: u32,
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
    start.args(arguments).env("CUPEL_TRACE_DIR", folder);
    if !is_foreign(program, objects) {
        start.env("LD_PRELOAD", objects);
    }
    if let Some(option) = jvm_option {
        let mut options = std::env::var_os("JAVA_TOOL_OPTIONS").unwrap_or_default();
        options.push(" ");
        options.push(option);
        start.env("JAVA_TOOL_OPTIONS", options);
    }
    let child = start.spawn().map_err(|e| not_started(program, &e))?;
    supervised(child.id())
}

/// Whether the loader of a program is musl's, and the tracer is for another: musl's would end the
/// program.
fn is_foreign(program: &OsStr, objects: &OsStr) -> bool {
    let interpreter =
        located(Path::new(program)).and_then(|path| interpreter(&path).ok().flatten());
    let is_of_musl = interpreter.is_some_and(|path| memmem::find(&path, b"ld-musl").is_some());
    let object = objects.as_encoded_bytes().split(|byte| *byte == b':').next().unwrap_or_default();
    let object = is_of_musl.then(|| std::fs::read(OsStr::from_bytes(object)));
    object.is_some_and(|bytes| bytes.is_ok_and(|b| memmem::find(&b, b"libc.so.6").is_some()))
}

/// The loader that a program names.
///
/// # Errors
/// If it is not a 64-bit ELF program.
fn interpreter(program: &Path) -> Result<Option<Vec<u8>>> {
    let cache = ReadCache::new(File::open(program)?);
    let elf = ElfFile64::<Endianness, _>::parse(&cache)?;
    let mut parts = elf.elf_program_headers().iter();
    let path = parts.find_map(|p| p.interpreter(elf.endian(), &cache).ok().flatten());
    Ok(path.map(<[u8]>::to_vec))
}

fn not_started(program: &OsStr, error: &std::io::Error) -> anyhow::Error {
    let shown = Path::new(program).display();
    match error.kind() {
        ErrorKind::NotFound => anyhow::anyhow!("there is no program {shown}"),
        _ => anyhow::anyhow!("{shown} cannot be started: {error}"),
    }
}

/// Waits for the program, to which signals are passed on.
fn supervised(id: u32) -> Result<Ended> {
    let id = id as libc::pid_t;
    PROGRAM.store(id, Ordering::Relaxed);
    // An interrupt from the keyboard reaches the program anyway; a signal that ends only the tool
    // is passed on. So the program decides, and the counts are printed.
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
        // SAFETY: this handler was there before.
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
    Ok(Ended {
        id: id.unsigned_abs(),
        status: ExitStatus::from_raw(status),
        cpu_seconds: user + system,
    })
}

/// Why no call of a program was counted, as far as its file shows it. `is_traced`: whether it
/// loaded the tracer.
pub fn why_not(program: &OsStr, is_traced: bool) -> Option<String> {
    let name = Path::new(program).file_name().unwrap_or(program).to_string_lossy();
    let path = located(Path::new(program));
    let is_raised =
        |path: &PathBuf| std::fs::metadata(path).is_ok_and(|meta| meta.mode() & 0o6000 != 0);
    if !is_traced && path.as_ref().is_some_and(is_raised) {
        return Some(format!(
            "{name} has the rights of its owner or group (setuid, setgid): nothing can be preloaded"
        ));
    }
    let inside = path.and_then(|path| inside(&path).ok().flatten());
    match inside {
        Some(library) => Some(format!("{name} has {library} inside, where no call can be counted")),
        None if is_traced => None,
        None => Some(format!("{name} did not load the tracer")),
    }
}

/// A part of a 64-bit ELF program in whose place nothing can be loaded.
///
/// # Errors
/// If it is no such program.
fn inside(program: &Path) -> Result<Option<&'static str>> {
    let cache = ReadCache::new(File::open(program)?);
    let elf = ElfFile64::<Endianness, _>::parse(&cache)?;
    if elf.section_by_name(".go.buildinfo").is_some() {
        return Ok(Some("Go's own packages"));
    }
    let mut own = elf.dynamic_symbols().chain(elf.symbols()).filter(ObjectSymbol::is_definition);
    let library = own.find_map(|symbol| match symbol.name() {
        Ok("EVP_DigestUpdate") => Some("OpenSSL"),
        Ok("gcry_md_write") => Some("libgcrypt"),
        _ => None,
    });
    let has_loader = elf.elf_program_headers().iter().any(|p| p.p_type(elf.endian()) == PT_INTERP);
    Ok(library.or((!has_loader).then_some("its libraries")))
}
