//! Counts calls by uprobes: in a process that already runs, and in programs that have their
//! libraries inside. bpftrace attaches them (decision 58); what it counts are lengths.

mod elf;
mod gcrypt;
mod golang;
mod names;
mod openssl;
mod overhead;
mod permitted;
mod process;
mod script;
mod session;

pub use permitted::Means;

use super::calls::{Calls, Kind, Pieces, language_of};
use super::program;
use super::{Traced, Way, mix};
use anyhow::{Result, bail};
use cupel_base::text::plain;
use elf::Object;
use process::Process;
use script::{KEYS, Script};
use session::{Maps, Session};
use std::ffi::OsString;
use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::{Duration, Instant};

/// What is counted in.
struct Targets {
    objects: Vec<Object>,
    libraries: Vec<String>,
}

impl Targets {
    fn new() -> Targets {
        Targets { objects: Vec::new(), libraries: Vec::new() }
    }

    /// Takes a file if something in it can be counted.
    fn add(&mut self, file: File, name: &str) -> Result<()> {
        let object = Object::read(file, name)?;
        if library_of(&object).is_some() && !self.objects.iter().any(|one| one.name == object.name)
        {
            self.objects.push(object);
        }
        Ok(())
    }

    /// The program for bpftrace.
    fn script(&mut self, process: u32) -> Script {
        let mut script = Script::new(process);
        for object in &self.objects {
            if let Some(inside) = openssl::inside(object) {
                openssl::probes(&mut script, object, self.libraries.len(), inside);
                self.libraries.push(host(object).to_string());
            }
            if let Some(inside) = gcrypt::inside(object) {
                gcrypt::probes(&mut script, object, self.libraries.len(), inside);
                self.libraries.push("libgcrypt".to_string());
            }
            if object.is_go {
                golang::probes(&mut script, object, self.libraries.len());
                self.libraries.push("go".to_string());
            }
        }
        script
    }
}

/// What a file has inside that can be counted.
fn library_of(object: &Object) -> Option<&'static str> {
    if openssl::inside(object).is_some() {
        Some("OpenSSL")
    } else if gcrypt::inside(object).is_some() {
        Some("libgcrypt")
    } else {
        object.is_go.then_some("Go's own packages")
    }
}

/// By which library its callers know the OpenSSL in a file: what they could replace.
fn host(object: &Object) -> &'static str {
    if object.function("node_module_register").is_some() {
        "node"
    } else if object.name.contains("/cryptography/") {
        "cryptography"
    } else {
        "openssl"
    }
}

/// What a program has inside, for the hint that uprobes would count it.
pub fn inside(program: &Path) -> Option<&'static str> {
    let object = Object::read(File::open(program).ok()?, &program.to_string_lossy()).ok()?;
    library_of(&object)
}

/// Counts in a process that runs, until it ends, `limit` is over, or somebody presses Ctrl-C.
///
/// # Errors
/// If it does not exist, has nothing to count, or uprobes cannot be used.
pub fn running(id: u32, limit: Option<Duration>, date: &str, say: &dyn Fn(&str)) -> Result<Traced> {
    let process = Process::find(id)?;
    Means::here().check(&format!("sudo cupel trace --pid {id}"))?;
    let mut targets = Targets::new();
    for (file, name) in process.files()? {
        // What is mapped may not be a program: fonts, databases.
        let _ = targets.add(file, &name);
    }
    let script = targets.script(id);
    if script.is_empty() {
        bail!(
            "process {id} ({}) has nothing to count: no OpenSSL, no libgcrypt and no Go with symbols; a \
             JVM is traced from its start, by `cupel trace java ...`",
            plain(&process.name)
        );
    }
    let interrupted = process::interruption();
    let session = Session::start(script.text(), KEYS)?;
    let start = Instant::now();
    let before = process.cpu_seconds().unwrap_or(0.0);
    let until = limit.map_or_else(
        || "it ends".to_string(),
        |limit| format!("{} s are over or it ends", limit.as_secs_f64()),
    );
    say(&format!("tracing process {id} ({}) until {until}; Ctrl-C ends it", plain(&process.name)));
    let mut after = before;
    // The last value before its end is that of its end, but for what it did in one turn.
    while let Some(seconds) = process.cpu_seconds() {
        after = seconds;
        if interrupted() || limit.is_some_and(|limit| start.elapsed() >= limit) {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let maps = session.stop()?;
    // It counts until it has given its maps.
    let lasted = start.elapsed();
    let status = ExitStatus::from_raw(0);
    let mut traced =
        traced(process.command, date, status, after - before, &maps, &targets.libraries);
    traced.way = Way::Uprobes { running: Some((process.name, id, lasted)) };
    Ok(traced)
}

/// Starts a program and counts in it; `more` are files that it loads later.
///
/// # Errors
/// If it cannot be started, has nothing to count, or uprobes cannot be used.
pub fn started(command: &[OsString], more: &[PathBuf], date: &str) -> Result<Traced> {
    let words: Vec<_> = command.iter().map(|word| word.to_string_lossy()).collect();
    let words = words.join(" ");
    Means::here().check(&format!("sudo cupel trace --uprobes {}", plain(&words)))?;
    let mut targets = Targets::new();
    for file in process::files_of(command)?.iter().chain(more) {
        let opened = File::open(file)
            .map_err(|e| anyhow::anyhow!("{} cannot be read: {e}", file.display()))?;
        targets.add(opened, &file.to_string_lossy())?;
    }
    if targets.objects.is_empty() {
        bail!(
            "{} has nothing to count: no OpenSSL, no libgcrypt and no Go with symbols; name a file that \
             it loads later with --library",
            plain(&command.first().map_or_else(String::new, |word| word.to_string_lossy().into()))
        );
    }
    let mut session = None;
    let ended = program::run_when(command, |id| {
        let script = targets.script(id);
        session = Some(Session::start(script.text(), KEYS)?);
        Ok(())
    })?;
    let maps = session.map(Session::stop).transpose()?.unwrap_or_default();
    Ok(traced(words, date, ended.status, ended.cpu_seconds, &maps, &targets.libraries))
}

fn traced(
    program: String,
    date: &str,
    status: ExitStatus,
    cpu_seconds: f64,
    maps: &Maps,
    libraries: &[String],
) -> Traced {
    let first = program.split(' ').next().unwrap_or_default();
    let name = Path::new(first).file_name().unwrap_or_default();
    let mut calls = counted(maps, libraries, language_of(&name.to_string_lossy()));
    let callers = usize::from(calls.total() > 0 || calls.others().next().is_some());
    calls.limit_sizes(mix::SIZES);
    let added = match callers {
        0 => Vec::new(),
        _ => overhead::added().map(|ns| ("uprobes".to_string(), ns)).into_iter().collect(),
    };
    Traced {
        program,
        date: date.to_string(),
        status,
        cpu_seconds,
        call_seconds: None,
        other_seconds: None,
        calls,
        processes: 1,
        callers,
        why_not: None,
        inside: None,
        added,
        without_jvms: None,
        damaged: Vec::new(),
        way: Way::Uprobes { running: None },
    }
}

/// The calls, from bpftrace's maps.
fn counted(maps: &Maps, libraries: &[String], language: Option<&'static str>) -> Calls {
    let mut calls = Calls::default();
    let caller = Caller { libraries, language };
    let mut sum = 0u64;
    for (key, count) in maps.get("@calls").into_iter().flatten() {
        let parts: Vec<u64> = key.split(',').filter_map(|part| part.trim().parse().ok()).collect();
        if let [library, kind, id, operation, how, bytes] = parts[..] {
            let name = names::of_number(kind as u32, id);
            take(&mut calls, &caller, (library, name, operation, how, bytes), *count);
            sum += count;
        }
    }
    for (key, count) in maps.get("@named").into_iter().flatten() {
        let parts: Vec<&str> = key.split(',').collect();
        // Names have no commas.
        if let [library, kind, first, second, more, operation, how, bytes] = parts[..]
            && let [Some(library), Some(kind), Some(more), Some(operation), Some(how), Some(bytes)] =
                [library, kind, more, operation, how, bytes].map(|part| part.trim().parse().ok())
        {
            let kind: u64 = kind;
            let name = names::of_text(kind as u32, first, second, more);
            take(&mut calls, &caller, (library, name, operation, how, bytes), *count);
            sum += count;
        }
    }
    // A map that is full takes no further key.
    let all = maps.get("@all").and_then(|all| all.first()).map_or(0, |(_, count)| *count);
    calls.lost = all.saturating_sub(sum);
    calls
}

/// Who makes the calls, and of which libraries.
struct Caller<'a> {
    libraries: &'a [String],
    language: Option<&'static str>,
}

/// Neither the length of associated data nor the number of pieces is known.
fn take(
    calls: &mut Calls,
    caller: &Caller<'_>,
    (library, name, operation, how, bytes): (u64, names::Name, u64, u64, u64),
    count: u64,
) {
    let library = caller.libraries.get(library as usize).map_or("openssl", String::as_str);
    let primitive = match name {
        Ok(primitive) => primitive.to_string(),
        Err(own) => return calls.unknown(library, &plain(&own), count),
    };
    let operation = names::operation(operation);
    let kind = Kind {
        primitive,
        operation,
        pieces: [Pieces::One, Pieces::One, Pieces::Several, Pieces::Unknown]
            [(how >> 1 & 3) as usize],
        ad: None,
        key: match (operation, how & 1) {
            ("digest", _) => None,
            (_, 1) => Some("per-call"),
            _ => Some("kept"),
        },
        library: library.to_string(),
        language: caller.language,
    };
    calls.add(kind, bytes.min(1 << 40), count);
}
