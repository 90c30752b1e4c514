//! A process that runs, and the files of a program that is to be started.

use super::super::program;
use anyhow::{Context, Result, bail};
use cupel_host::toolchain::cc::located;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

/// A process.
#[derive(Debug)]
pub struct Process {
    id: u32,
    /// The name of its program.
    pub name: String,
    /// Its command line.
    pub command: String,
}

impl Process {
    /// The process with a number.
    ///
    /// # Errors
    /// If there is none.
    pub fn find(id: u32) -> Result<Process> {
        let name = std::fs::read_to_string(format!("/proc/{id}/comm"));
        let Ok(name) = name else {
            bail!("there is no process {id}: `ps aux` lists those that run");
        };
        let words = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let words = String::from_utf8_lossy(&words).trim_end_matches('\0').replace('\0', " ");
        let name = name.trim().to_string();
        Ok(Process { id, command: if words.is_empty() { name.clone() } else { words }, name })
    }

    /// The files whose code it has mapped, with their paths. They are opened by the mapping, so
    /// that one which was replaced or lies in a container is the right one.
    ///
    /// # Errors
    /// If they cannot be listed.
    pub fn files(&self) -> Result<Vec<(File, String)>> {
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", self.id))
            .with_context(|| format!("what process {} has mapped cannot be read", self.id))?;
        let mut files: Vec<(File, String)> = Vec::new();
        for line in maps.lines() {
            let Some((range, rest)) = line.split_once(' ') else { continue };
            let Some(at) = rest.find('/') else { continue };
            let name = rest[at..].trim_end_matches(" (deleted)");
            let is_code = rest.get(2..3) == Some("x");
            if is_code && !files.iter().any(|(_, known)| known == name) {
                let path = format!("/proc/{}/map_files/{}", self.id, trimmed(range));
                files.extend(File::open(path).ok().map(|file| (file, name.to_string())));
            }
        }
        Ok(files)
    }

    /// Its processor time until now; `None` if it has ended.
    pub fn cpu_seconds(&self) -> Option<f64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.id)).ok()?;
        // The name, in parentheses, may hold anything.
        let fields: Vec<&str> = stat[stat.rfind(')')? + 1..].split_whitespace().collect();
        if matches!(fields.first(), None | Some(&"Z" | &"X")) {
            return None;
        }
        let ticks: u64 =
            fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
        // SAFETY: it only asks for a number.
        let per_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
        Some(ticks as f64 / per_second as f64)
    }
}

/// The folder `map_files` has no leading zeros.
fn trimmed(range: &str) -> String {
    let parts: Vec<&str> = range.split('-').map(|part| part.trim_start_matches('0')).collect();
    parts.join("-")
}

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

extern "C" fn interrupt(_signal: libc::c_int) {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// From now on Ctrl-C and a termination only set what this returns.
pub fn interruption() -> impl Fn() -> bool {
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        let handler = interrupt as extern "C" fn(libc::c_int) as libc::sighandler_t;
        // SAFETY: the handler only stores a value.
        unsafe { libc::signal(signal, handler) };
    }
    || INTERRUPTED.load(Ordering::Relaxed)
}

/// The program's own file, and the shared libraries that it is linked with.
///
/// # Errors
/// If there is no such program, or it is a script.
pub fn files_of(command: &[OsString]) -> Result<Vec<PathBuf>> {
    let program = Path::new(command.first().context("there is no program to trace")?);
    let Some(path) = located(program) else {
        bail!("there is no program {}", program.display());
    };
    let mut start = [0; 2];
    let read = File::open(&path).and_then(|mut file| file.read_exact(&mut start));
    if read.is_ok() && &start == b"#!" {
        bail!(
            "{} is a script: name the program that runs it, as in `cupel trace --uprobes node app.js`",
            program.display()
        );
    }
    let mut files = vec![path.clone()];
    // The loader lists what it would load, and does not start the program.
    if let Ok(Some(loader)) = program::loader(&path) {
        let listed = Command::new(loader).arg("--list").arg(&path).stdin(Stdio::null()).output();
        let text =
            listed.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
        let libraries = text.lines().filter_map(|line| {
            let path = line.split_once("=> ")?.1.rsplit_once(" (")?.0;
            ["libcrypto.so", "libgcrypt.so"]
                .iter()
                .any(|name| path.contains(name))
                .then(|| path.into())
        });
        files.extend(libraries);
    }
    Ok(files)
}
