//! Counts a program's own calls of cryptographic libraries. The program is started with the tracers
//! of `tracer/` preloaded, and its JVMs with an agent; each process writes a file for each library
//! into a private folder, and their counts are added here.
//!
//! `verb` reads the command line of `cupel trace`, `words` has its output, and `mix` the file that
//! it writes. The command lists [`VERB`].

mod calls;
mod file;
mod list;
mod mix;
mod outliving;
mod program;
mod uncounted;
mod verb;
mod words;

pub use verb::VERB;

use anyhow::{Context, Result, bail};
use calls::Calls;
use cupel_base::strange;
use cupel_toolchain::cc::located;
use cupel_toolchain::{Absent, Agent, Tracer};
use list::List;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use tempfile::TempDir;

/// The calls of a program.
#[derive(Clone, Debug)]
struct Traced {
    /// The command line.
    pub program: String,
    /// The day, as 2026-11-23.
    pub date: String,
    /// How it ended.
    pub status: ExitStatus,
    /// Processor time of the program and of the children that it waited for, in seconds.
    pub cpu_seconds: f64,
    /// Processor time inside calls of the catalogue, in seconds.
    pub call_seconds: f64,
    /// Processor time inside other calls that are traced, in seconds.
    pub other_seconds: f64,
    /// The calls.
    pub calls: Calls,
    /// How many processes loaded a tracer, and how many of them called a library.
    pub processes: usize,
    /// How many of them called a function of a library.
    pub callers: usize,
    /// If no process called a library: the part of the program's file that explains it.
    pub why_not: Option<String>,
    /// Other cryptographic code in the processes, whose calls cannot be counted:
    /// `OpenSSL inside node`.
    pub uncounted: Vec<String>,
    /// The cost of tracing a call, in ns, by tracer: `openssl`, `libgcrypt`, `java`.
    pub added: Vec<(String, f64)>,
    /// Why the calls inside JVMs are not counted.
    pub without_jvms: Option<String>,
    /// Files of processes that cannot be read, with the reason.
    pub damaged: Vec<String>,
}

/// The most that a process writes of its calls, whose sizes the tracers bound.
const MOST_TRACE: u64 = 64 << 20;

/// The list of the files that the processes loaded and started.
const OBJECTS: &str = "objects";
/// More of it, after four bytes: by processes that could not write to the list.
const PAGE: &str = "page";

/// The tracer that counts the calls of a library: the libraries inside a JVM have one together.
fn tracer_of(library: &str) -> &str {
    match library {
        "openssl" | "libgcrypt" => library,
        _ => "java",
    }
}

impl Traced {
    /// The cost of tracing a call of the library that was called most often, in ns.
    fn added_ns(&self) -> Option<f64> {
        let (_, added) = self.added.iter().max_by_key(|(tracer, _)| {
            let all = self.calls.entries();
            let own = all.filter(|(kind, _)| tracer_of(&kind.library) == tracer);
            own.map(|(_, sizes)| calls::total(sizes)).sum::<u64>()
        })?;
        Some(added.max(0.0))
    }

    /// The program's exit status as a shell gives it: 128 and the signal's number if one ended it.
    fn exit(&self) -> u8 {
        let signal = self.status.signal().map(|signal| 128 + signal);
        self.status.code().or(signal).and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
    }
}

/// Runs a program and counts its calls.
///
/// # Errors
/// If it cannot be started, or there is no folder for the counts.
fn trace(tracer: &Tracer, command: &[OsString], date: &str) -> Result<Traced> {
    let objects = preload(&tracer.objects, std::env::var_os("LD_PRELOAD").as_deref())?;
    let folder = private()?;
    let folder = folder.path();
    let agent = match &tracer.agent {
        Ok(agent) => jvm_option(agent, folder).map(|option| (agent, option)),
        Err(Absent::Unbuilt) => Err(None),
        Err(Absent::Missing(why) | Absent::Failed(why)) => Err(Some(why.to_string())),
    };
    let jvm_option = agent.as_ref().ok().map(|(_, option)| option.as_str());
    let ended = program::run(command, &objects, jvm_option, folder)?;
    let mut calls = Calls::default();
    let (mut processes, mut callers) = (BTreeSet::new(), BTreeSet::new());
    let mut damaged = Vec::new();
    let mut with_agent = BTreeSet::new();
    // Before the counts are read: later calls of such a process are missing.
    let outliving = outliving::outliving(folder);
    for entry in std::fs::read_dir(folder)?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == OBJECTS || name == PAGE {
            continue;
        }
        // A process has a file for each library.
        let process = name.rsplit_once('.').map_or(name.as_str(), |(process, _)| process);
        let process = process.to_string();
        if name.ends_with(".java") {
            with_agent.extend(process.split('.').next().and_then(|id| id.parse::<u32>().ok()));
        }
        let bytes = strange::bytes(&entry.path(), MOST_TRACE).map_err(|e| e.to_string());
        match bytes.and_then(|bytes| file::read(&bytes, &mut calls)) {
            Ok(called) => {
                processes.insert(process.clone());
                callers.extend(called.then_some(process));
            }
            Err(why) => damaged.push(format!("process {process}: {why}")),
        }
    }
    let (processes, callers) = (processes.len(), callers.len());
    let first = command.first().map_or(OsStr::new(""), OsString::as_os_str);
    let path = located(Path::new(first)).and_then(|path| path.canonicalize().ok());
    let path = path.unwrap_or(PathBuf::from(first));
    let list = format!("X {} {}\n{}", ended.id, path.display(), listed(folder));
    let own = tracer.objects.first().and_then(|object| object.parent()).unwrap_or(folder);
    calls.limit_ads(mix::ADS);
    calls.limit_sizes(mix::SIZES);
    let words: Vec<_> = command.iter().map(|word| word.to_string_lossy()).collect();
    Ok(Traced {
        program: words.join(" "),
        date: date.to_string(),
        status: ended.status,
        cpu_seconds: ended.cpu_seconds,
        call_seconds: calls::seconds(&calls.time),
        other_seconds: calls::seconds(&calls.other_time),
        uncounted: uncounted::uncounted(&List::of(&list, &with_agent), own)
            .into_iter()
            .chain(outliving)
            .chain((calls.lost > 0 && calls.total() > 0).then(|| words::lost(calls.lost)))
            .collect(),
        why_not: program::why_not(first, processes > 0).filter(|_| callers == 0),
        added: match &agent {
            _ if callers == 0 => Vec::new(),
            Ok((agent, _)) if !with_agent.is_empty() => {
                let in_jvm = added_in_jvm(agent, folder);
                added(tracer, &objects, folder).into_iter().chain(in_jvm).collect()
            }
            _ => added(tracer, &objects, folder),
        },
        without_jvms: agent.err().flatten(),
        calls,
        processes,
        callers,
        damaged,
    })
}

/// The list of the files that the processes loaded and started.
fn listed(folder: &Path) -> String {
    let mut list = strange::bytes(&folder.join(OBJECTS), MOST_TRACE).unwrap_or_default();
    let page = strange::bytes(&folder.join(PAGE), MOST_TRACE).unwrap_or_default();
    list.extend(page.iter().skip(4).filter(|byte| **byte != 0));
    String::from_utf8_lossy(&list).into_owned()
}

/// The variable that has the objects loaded before all others, and its earlier value.
fn preload(objects: &[PathBuf], before: Option<&OsStr>) -> Result<OsString> {
    let mut all = OsString::new();
    for object in objects {
        let text = object.to_string_lossy();
        if text.contains([' ', ':', ';']) || text.contains('\n') {
            bail!(
                "the tracer is in {text}, but the loader separates names by spaces and colons: set \
                 CUPEL_CACHE, or CUPEL_HOME, to a folder without them"
            );
        }
        if !all.is_empty() {
            all.push(":");
        }
        all.push(object);
    }
    if let Some(before) = before.filter(|before| !before.is_empty()) {
        all.push(":");
        all.push(before);
    }
    Ok(all)
}

/// The option that starts a JVM with the agent, or why there is none.
fn jvm_option(agent: &Agent, folder: &Path) -> Result<String, Option<String>> {
    let (jar, folder) = (agent.jar.to_string_lossy(), folder.to_string_lossy());
    if jar.contains(['=', '\'', '\n']) || folder.contains(['\'', '\n']) {
        return Err(Some(format!(
            "their options cannot name {jar} and {folder}: set CUPEL_CACHE and TMPDIR to folders \
             without quotes and equals signs"
        )));
    }
    Ok(format!("'-javaagent:{jar}={folder}'"))
}

/// The agent's cost in a message in a JVM, measured now.
fn added_in_jvm(agent: &Agent, folder: &Path) -> Vec<(String, f64)> {
    let own = folder.join("overhead-java");
    if DirBuilder::new().mode(0o700).create(&own).is_err() {
        return Vec::new();
    }
    let mut option = OsString::from("-javaagent:");
    option.push(&agent.jar);
    option.push("=");
    option.push(&own);
    let mut command = Command::new(&agent.java);
    command.arg(option).arg("-cp").arg(&agent.jar).arg("dev.cupel.tracer.Overhead");
    command.env_remove("JAVA_TOOL_OPTIONS");
    measured(&mut command)
}

/// The tracers' cost in a call, measured now: library and ns.
fn added(tracer: &Tracer, objects: &OsStr, folder: &Path) -> Vec<(String, f64)> {
    let own = folder.join("overhead");
    if DirBuilder::new().mode(0o700).create(&own).is_err() {
        return Vec::new();
    }
    let mut command = Command::new(&tracer.overhead);
    measured(command.env("LD_PRELOAD", objects).env("CUPEL_TRACE_DIR", &own))
}

/// The lines that such a program prints: `openssl 31.2`.
fn measured(command: &mut Command) -> Vec<(String, f64)> {
    let output = command.stdin(Stdio::null()).output();
    let text = output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    lines.filter_map(|(name, ns)| Some((name.to_string(), ns.parse().ok()?))).collect()
}

/// A folder that only this user can enter, removed in the end.
fn private() -> Result<TempDir> {
    tempfile::Builder::new().prefix("cupel-trace-").tempdir().with_context(|| {
        format!(
            "cannot make a folder for the counts in {}; set TMPDIR to a folder that you may write",
            std::env::temp_dir().display()
        )
    })
}
