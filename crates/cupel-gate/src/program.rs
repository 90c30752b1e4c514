//! One execution of a command, and the values read from it.

use anyhow::{Context, Result, bail};
use cupel_base::machine;
use cupel_base::problem::Problem;
use cupel_base::text::tell;
use cupel_readers::{Document, Format, Measured, parse};
use cupel_stats::quantile::median;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::str::FromStr;
use std::time::Instant;

/// The variable whose length differs from execution to execution. It moves the stack, and with it
/// everything that depends on addresses: otherwise the lengths of two paths could make the
/// difference.
const PADDING: &str = "CUPEL_PADDING";

/// How many lines of a program's errors are repeated.
const LINES: usize = 12;

/// The format of an execution's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// Its output, in this format, or in the one that it is recognised as.
    Output(Option<Format>),
    /// The time of the whole command.
    Time,
}

impl FromStr for Reads {
    type Err = String;

    fn from_str(text: &str) -> Result<Reads, String> {
        if text == "time" {
            return Ok(Reads::Time);
        }
        text.parse().map(|format| Reads::Output(Some(format)))
    }
}

/// The result of one execution.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Executed {
    /// How long it took, in s.
    pub seconds: f64,
    /// The time of each benchmark in ns, by name.
    pub values: BTreeMap<String, f64>,
    /// Why others have no time, by name.
    pub errors: BTreeMap<String, String>,
    /// The name of the format, or `time`.
    pub reads: String,
}

/// The exit status of a shell that does not find a program: POSIX, 2.8.2.
const NOT_FOUND: i32 = 127;

/// Runs a command once, by a shell.
///
/// # Errors
/// If it fails, or its output has no time.
pub fn execute(command: &str, folder: &Path, padding: usize, reads: Reads) -> Result<Executed> {
    let mut shell = shell(command, folder);
    shell.env(PADDING, "x".repeat(padding));
    let (began, before) = (Instant::now(), machine::children_ns());
    let done = shell.output();
    let (seconds, after) = (began.elapsed().as_secs_f64(), machine::children_ns());
    let done = done.with_context(|| format!("cannot run `{command}` in {}", folder.display()))?;
    if !done.status.success() {
        repeat(&[&done.stdout[..], &done.stderr].concat());
        if done.status.code() == Some(NOT_FOUND) {
            bail!("`{command}` in {} was not found: {}", folder.display(), remedy(command, folder));
        }
        bail!("`{command}` in {} failed ({})", folder.display(), done.status);
    }
    let Reads::Output(format) = reads else {
        let mut values = BTreeMap::from([("wall time".to_string(), seconds * 1e9)]);
        if let (Some(before), Some(after)) = (before, after) {
            let ns = after.saturating_sub(before).max(1) as f64;
            values.insert("processor time".to_string(), ns);
        }
        return Ok(Executed { seconds, values, reads: "time".to_string(), ..Executed::default() });
    };
    let document = parse(&done.stdout, format).map_err(|problem| {
        repeat(&done.stdout);
        let what = format!("cannot read what `{command}` printed: {}", problem.what);
        let help = if format.is_none() && has_lines(&done.stdout) {
            let help =
                "--reads lines takes its lines of `name value unit` and leaves out the others";
            Some(help.to_string())
        } else {
            problem.help
        };
        Problem { what, help, ..problem }
    })?;
    let Document { format, results, .. } = document;
    let executed = Executed { seconds, reads: format.name().to_string(), ..of(results) };
    if executed.values.is_empty() {
        repeat(&done.stdout);
        let first = executed.errors.first_key_value();
        let why = first.map_or(String::new(), |(name, why)| format!(": {name}: {why}"));
        bail!("`{command}` printed no time{why}");
    }
    Ok(executed)
}

/// What to do if a shell does not find a command's program.
fn remedy(command: &str, folder: &Path) -> String {
    let program = command.split_whitespace().next().unwrap_or_default();
    let is_bare = Path::new(program).components().count() == 1;
    if is_bare && folder.join(program).is_file() {
        return format!("the file {program} is there, so write ./{program}");
    }
    "with --base-rev, --build COMMAND can make it".to_string()
}

/// Whether some lines of an output, but not all, are a name, a time and its unit.
fn has_lines(output: &[u8]) -> bool {
    let read = parse(output, Some(Format::Lines));
    read.is_ok_and(|document| document.results.iter().any(|one| one.ns.is_some()))
}

/// One value for each benchmark, or why there is none.
pub fn of(results: Vec<Measured>) -> Executed {
    let mut times: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut executed = Executed::default();
    for Measured { name, parameters, ns, error, .. } in results {
        let name = match parameters.as_str() {
            "" => name,
            parameters => format!("{name} ({parameters})"),
        };
        match ns {
            Some(ns) => times.entry(name).or_default().push(ns),
            None => drop(executed.errors.insert(name, error.unwrap_or_default())),
        }
    }
    executed.errors.retain(|name, _| !times.contains_key(name));
    executed.values = times.into_iter().map(|(name, times)| (name, median(&times))).collect();
    executed
}

/// A shell that runs a command in a folder, without input, and that ends with this process.
pub(crate) fn shell(command: &str, folder: &Path) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", command]).current_dir(folder).stdin(Stdio::null());
    machine::end_with_this_process(&mut shell);
    shell
}

/// Prints the last lines of an output on standard error.
pub(crate) fn repeat(output: &[u8]) {
    let text = String::from_utf8_lossy(output);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    for line in &lines[lines.len().saturating_sub(LINES)..] {
        tell(&format!("  | {line}"));
    }
}
