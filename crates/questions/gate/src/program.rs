//! One execution of a command, and the values read from it.

use crate::child::{self, Ended, Excess, MOST_OUTPUT};
use crate::readers::{self, Document, Format, Measured, UNKNOWN, Unread, parse};
use anyhow::{Context, Result};
use cupel_base::problem::Problem;
use cupel_base::text::{self, tell};
use cupel_stats::quantile::median;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::str::FromStr;
use std::time::{Duration, Instant};

/// The variable whose length differs from execution to execution. It moves the stack, and with it
/// everything that depends on addresses: otherwise the lengths of two paths could make the
/// difference.
pub const PADDING: &str = "CUPEL_PADDING";

/// How many lines of a program's errors are repeated.
const LINES: usize = 12;

/// How many bytes of them are looked at.
const LONGEST: usize = 1 << 14;

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
    /// How long its output took to read, in s.
    pub reading: f64,
    /// The time of each benchmark in ns, by name.
    pub values: BTreeMap<String, f64>,
    /// The statistic that each of them is, by name.
    pub statistics: BTreeMap<String, String>,
    /// Why others have no time, by name.
    pub errors: BTreeMap<String, String>,
    /// The entries with a time that no reader took.
    pub unread: Option<Unread>,
    /// The first line that reports a failure, although the status is 0.
    pub doubt: Option<String>,
    /// The name of the format, or `time`.
    pub reads: String,
    /// The version of the program that measured, and the machine or runtime, as far as it prints them.
    pub measured_by: [String; 2],
    /// Why it has no result at all. Then nothing that it printed counts: a program that fails has
    /// not done its work.
    pub failed: Option<Failed>,
}

/// Why an execution has no result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Failed {
    /// In words, without the side.
    pub why: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The last lines that it printed.
    pub said: Vec<String>,
    /// Whether every other execution would end alike.
    pub is_certain: bool,
}

/// The exit status of a shell that does not find a program: POSIX, 2.8.2.
const NOT_FOUND: i32 = 127;

/// More benchmarks in one output are a mistake of a reader, or of the program.
const MOST_BENCHMARKS: usize = 10_000;

/// The warning of hyperfine if it ignores a failure.
const FAILED: &str = "Ignoring non-zero exit code";

/// How a program is run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct How {
    /// The length of [`PADDING`], in bytes.
    pub padding: usize,
    /// How long it may take.
    pub limit: Duration,
}

/// Runs a command once, by a shell. `expected` is the format in which this gate read an output
/// before: an output that is in no format is read in it.
///
/// # Errors
/// If no shell starts.
pub fn execute(
    command: &str,
    folder: &Path,
    how: How,
    reads: Reads,
    expected: Option<Format>,
) -> Result<Executed> {
    let mut shell = shell(command, folder);
    shell.env(PADDING, "x".repeat(how.padding));
    let excess = match reads {
        Reads::Output(_) => Excess::Ends,
        Reads::Time => Excess::Dropped,
    };
    let ended = child::run(shell, Some(how.limit), excess)
        .with_context(|| format!("cannot run `{command}` in {}", folder.display()))?;
    let mut executed = Executed { seconds: ended.seconds, ..Executed::default() };
    let began = Instant::now();
    match read(command, folder, how, reads, expected, &ended) {
        Ok(read) => {
            let doubt = report_of_failure(&ended.out).or_else(|| report_of_failure(&ended.err));
            executed = Executed { seconds: ended.seconds, doubt, ..read };
        }
        Err(failed) => executed.failed = Some(failed),
    }
    executed.reading = began.elapsed().as_secs_f64();
    Ok(executed)
}

/// The first line by which a test or a benchmark reports a failure. A pipe hides the status of all
/// its commands but the last.
fn report_of_failure(output: &[u8]) -> Option<String> {
    const LONGEST: usize = 80;
    let is_one = |line: &&[u8]| {
        let word = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        let is_word = matches!(word, b"FAIL" | b"FAIL:" | b"FAILED" | b"FAILED:");
        let is_panic = line.starts_with(b"thread '") || line.starts_with(b"panicked at");
        is_word
            || line.starts_with(b"--- FAIL:")
            || line.starts_with(b"test result: FAILED")
            || is_panic && line.windows(11).any(|part| part == b"panicked at")
    };
    let line = String::from_utf8_lossy(output.split(|byte| *byte == b'\n').find(is_one)?);
    let words: Vec<&str> = line.split_whitespace().collect();
    Some(words.join(" ").chars().take(LONGEST).collect())
}

/// The values of a command that has ended.
fn read(
    command: &str,
    folder: &Path,
    how: How,
    reads: Reads,
    expected: Option<Format>,
    ended: &Ended,
) -> Result<Executed, Failed> {
    let both = || lines(&[&ended.out[..], &ended.err].concat());
    if ended.is_cut && reads != Reads::Time {
        let help = "let it print only its results".to_string();
        return Err(Failed {
            why: too_much(),
            help: Some(help),
            said: Vec::new(),
            is_certain: false,
        });
    }
    let Some(status) = ended.status else {
        let seconds = (how.limit.as_secs_f64() * 100.0).round() / 100.0;
        let why = format!("did not end within {seconds} s");
        let help =
            "--patience TIME lets an execution take longer; what compiles belongs to --build"
                .to_string();
        return Err(Failed { help: Some(help), said: both(), why, is_certain: false });
    };
    if !status.success() {
        let is_certain = status.code() == Some(NOT_FOUND);
        let why =
            if is_certain { "was not found".to_string() } else { format!("failed ({status})") };
        let help = is_certain.then(|| remedy(command, folder));
        return Err(Failed { why, help, said: both(), is_certain });
    }
    let Reads::Output(format) = reads else {
        let mut values = BTreeMap::from([("wall time".to_string(), ended.seconds * 1e9)]);
        if let Some(ns) = ended.processor_ns {
            values.insert("processor time".to_string(), ns.max(1) as f64);
        }
        return Ok(Executed { values, reads: "time".to_string(), ..Executed::default() });
    };
    if ended.out.trim_ascii().is_empty() {
        let why = "printed nothing on its standard output".to_string();
        let help = "its results must be there: add 2>&1 if it prints them as errors, or read its \
                    time (--reads time)";
        let said = lines(&ended.err);
        return Err(Failed { why, help: Some(help.to_string()), said, is_certain: false });
    }
    let again = |problem: Problem| match (format, expected) {
        (None, Some(_)) => parse(&ended.out, expected).map_err(|_| problem),
        _ => Err(problem),
    };
    let document = parse(&ended.out, format).or_else(again).map_err(|problem| {
        let help = if problem.what == UNKNOWN && has_lines(&ended.out) {
            let help =
                "--reads lines takes its lines of `name value unit` and leaves out the others";
            Some(help.to_string())
        } else {
            problem.help
        };
        let line =
            if problem.line > 0 { format!("line {}: ", problem.line) } else { String::new() };
        let why = format!("printed what cannot be read: {line}{}", problem.what);
        Failed { why, help, said: lines(&ended.out), is_certain: false }
    })?;
    let Document { format, version, machine, results, unread, .. } = document;
    if format == Format::Hyperfine && String::from_utf8_lossy(&ended.err).contains(FAILED) {
        let why = "ran a command that failed, as hyperfine warns".to_string();
        let help = Some("do without its --ignore-failure".to_string());
        return Err(Failed { why, help, said: lines(&ended.err), is_certain: false });
    }
    let version = if version.is_empty() { version } else { format!("version {version}") };
    let measured_by = [version, readers::lasting(&machine).to_string()];
    let reads = format.name().to_string();
    let executed = Executed { reads, unread, measured_by, ..summarised(results) };
    let found = executed.values.len() + executed.errors.len();
    if found > MOST_BENCHMARKS {
        let why = format!("printed {found} benchmarks; a gate compares at most {MOST_BENCHMARKS}");
        let help = "let it run fewer of them".to_string();
        return Err(Failed { why, help: Some(help), said: Vec::new(), is_certain: false });
    }
    if executed.values.is_empty() {
        let first = executed.errors.first_key_value();
        let why = first.map_or(String::new(), |(name, why)| format!(": {name}: {why}"));
        let why = format!("printed no time{why}");
        return Err(Failed { why, help: None, said: lines(&ended.out), is_certain: false });
    }
    Ok(executed)
}

fn too_much() -> String {
    format!("printed more than {}, which is the most that is read", text::bytes(MOST_OUTPUT as u64))
}

/// What to do if a shell does not find a command's program.
fn remedy(command: &str, folder: &Path) -> String {
    let program = command.split_whitespace().next().unwrap_or_default();
    let is_bare = Path::new(program).components().count() == 1;
    if is_bare && folder.join(program).is_file() {
        return format!("the file {program} is there, so write ./{program}");
    }
    "give the path of a program that is there; with --base-rev, --build COMMAND can make it"
        .to_string()
}

/// Whether some lines of an output, but not all, are a name, a time and its unit.
fn has_lines(output: &[u8]) -> bool {
    let read = parse(output, Some(Format::Lines));
    read.is_ok_and(|document| document.results.iter().any(|one| one.ns.is_some()))
}

/// One value for each benchmark, or why there is none. It is the mean if the program gives that: it
/// may give a slope in one execution, and none in the next.
pub fn summarised(results: Vec<Measured>) -> Executed {
    let mut times: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut executed = Executed::default();
    for Measured { name, parameters, statistic, ns, mean, error, .. } in results {
        let name = match parameters.as_str() {
            "" => name,
            parameters => format!("{name} ({parameters})"),
        };
        match ns {
            Some(ns) => {
                let statistic = if mean.is_some() { "mean".to_string() } else { statistic };
                executed.statistics.insert(name.clone(), statistic);
                times.entry(name).or_default().push(mean.unwrap_or(ns));
            }
            None => drop(executed.errors.insert(name, error.unwrap_or_default())),
        }
    }
    executed.errors.retain(|name, _| !times.contains_key(name));
    executed.values = times.into_iter().map(|(name, times)| (name, median(&times))).collect();
    executed
}

/// A shell that runs a command in a folder.
pub(crate) fn shell(command: &str, folder: &Path) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", command]).current_dir(folder);
    shell
}

/// The last lines of an output.
pub(crate) fn lines(output: &[u8]) -> Vec<String> {
    // The end of it has them; all of it may be large.
    let end = &output[output.len().saturating_sub(LONGEST)..];
    let text = String::from_utf8_lossy(end);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(LINES)..].iter().map(|line| (*line).to_string()).collect()
}

/// Prints the last lines of an output on standard error.
pub(crate) fn repeat(lines: &[String]) {
    lines.iter().for_each(|line| tell(&format!("  | {line}")));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_reports_a_failure_is_seen() {
        let found = |text: &str| report_of_failure(text.as_bytes());
        for line in [
            "FAIL\texample.org/x\t0.01s",
            "FAIL",
            "FAILED tests/test_a.py::test_b - assert 1",
            "--- FAIL: TestA (0.00s)",
            "test result: FAILED. 1 passed; 1 failed",
            "thread 'main' (7) panicked at src/main.rs:2:5:",
        ] {
            let seen = found(&format!("hash 5 ns\n{line}\r\nFAIL later\n"));
            assert_eq!(seen, Some(line.replace('\t', " ")), "{line}");
        }
        for line in
            ["FAILOVER 5 ns", "0 FAILED", "no thread panicked at all", "PASS", "failed 5 ns"]
        {
            assert_eq!(found(line), None, "{line}");
        }
        assert_eq!(found(&format!("FAIL {}", "x".repeat(200))).unwrap().len(), 80);
    }
}
