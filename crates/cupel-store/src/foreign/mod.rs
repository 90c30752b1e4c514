//! Results of other benchmarking programs: JMH, Criterion and Google Benchmark. They measure one
//! contender after the other and without a control, so their results are kept apart: they can be
//! looked at, but decide nothing.
//!
//! The files are not trusted: every figure is checked, and a file is added completely or not at
//! all.

mod criterion;
mod google_benchmark;
mod jmh;
pub mod rows;

use serde::Serialize;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// No such program writes more. A larger file is not a result.
const MOST_BYTES: u64 = 64 << 20;
/// A longer name is a mistake or an attack.
const LONGEST_NAME: usize = 100_000;

/// The content of one file, or of one benchmark's folder.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The path that it was read from.
    pub path: PathBuf,
    /// SHA-256 of its bytes in hex: the same file is counted once.
    pub digest: String,
    /// The program that measured it: `jmh`, `criterion` or `google-benchmark`.
    pub tool: &'static str,
    /// Its version, if the file has it.
    pub version: String,
    /// What the file says about the machine.
    pub machine: String,
    /// The results, in the file's order.
    pub results: Vec<Measured>,
}

/// One benchmark's result.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Measured {
    /// Its full name.
    pub name: String,
    /// Its parameters: `name=value`, separated by commas.
    pub parameters: String,
    /// What the figure is: `mean`, `median`, `slope`.
    pub statistic: String,
    /// The time in ns per call; absent if it failed.
    pub ns: Option<f64>,
    /// The low end of the interval that the program reports.
    pub low: Option<f64>,
    /// The high end.
    pub high: Option<f64>,
    /// The number of iterations or samples behind it.
    pub samples: u64,
    /// Bytes per call, if the file has them.
    pub bytes: Option<u64>,
    /// Why there is no figure.
    pub error: Option<String>,
}

/// Why a file is not imported.
#[derive(Debug, thiserror::Error)]
pub enum ForeignError {
    /// It cannot be read.
    #[error("cannot read {}: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is not what it seems to be.
    #[error("{}: {what}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
}

/// Whether a path may hold results of another program: a folder, or a file that begins like JSON
/// but not like a record of a boot.
pub fn is_foreign(path: &Path) -> bool {
    let mut head = Vec::new();
    if path.is_dir() {
        return true;
    }
    let read = File::open(path).is_ok_and(|file| file.take(1 << 16).read_to_end(&mut head).is_ok());
    let boot = crate::boot::BEGIN.as_bytes();
    read && matches!(head.trim_ascii_start().first(), Some(b'[' | b'{'))
        && !head.windows(boot.len()).any(|part| part == boot)
}

/// Reads a file, or every benchmark in a folder of Criterion's.
///
/// # Errors
/// If it cannot be read or none of the three programs writes such files; the error says why.
pub fn read(path: &Path) -> Result<Vec<Document>, ForeignError> {
    let criterion_file = path.file_name().is_some_and(|n| {
        ["benchmark.json", "estimates.json", "sample.json"].iter().any(|f| n == *f)
    });
    if path.is_dir() {
        return criterion::folder(path);
    }
    if criterion_file && let Some(folder) = path.parent() {
        return Ok(vec![criterion::benchmark(folder)?]);
    }
    let bytes = bytes(path)?;
    let text =
        std::str::from_utf8(&bytes).map_err(|e| damaged(path, format!("it is not text: {e}")))?;
    let (tool, read) = if text.trim_start().starts_with('[') {
        ("jmh", jmh::read(text))
    } else if criterion::is_messages(text) {
        ("criterion", criterion::messages(text))
    } else {
        ("google-benchmark", google_benchmark::read(text))
    };
    let Content { version, machine, results } = read.map_err(|what| damaged(path, what))?;
    let document = Document {
        path: path.to_path_buf(),
        digest: digest(&[&bytes]),
        tool,
        version,
        machine,
        results,
    };
    Ok(vec![check(document)?])
}

/// What is in one file.
#[derive(Default)]
struct Content {
    version: String,
    machine: String,
    results: Vec<Measured>,
}

fn damaged(path: &Path, what: impl Into<String>) -> ForeignError {
    ForeignError::Damaged { path: path.to_path_buf(), what: what.into() }
}

fn unreadable(path: &Path) -> impl Fn(std::io::Error) -> ForeignError {
    |source| ForeignError::Read { path: path.to_path_buf(), source }
}

fn bytes(path: &Path) -> Result<Vec<u8>, ForeignError> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable(path))?;
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable(path))?;
    if bytes.len() as u64 > MOST_BYTES {
        let what =
            format!("it is larger than {} MiB, which no benchmark's results are", MOST_BYTES >> 20);
        return Err(damaged(path, what));
    }
    Ok(bytes)
}

/// One digest of all these bytes, each with its length.
fn digest(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hex::encode(hash.finalize())
}

/// Rejects impossible figures.
fn check(document: Document) -> Result<Document, ForeignError> {
    let path = &document.path;
    if document.results.is_empty() {
        return Err(damaged(path, "it contains no results"));
    }
    for result in &document.results {
        let name: String = result.name.chars().take(80).collect();
        let length = result.name.len() + result.parameters.len();
        if result.name.is_empty() || length > LONGEST_NAME {
            return Err(damaged(path, format!("a name has {length} bytes")));
        }
        if result.ns.is_none() && result.error.is_none() {
            return Err(damaged(path, format!("{name} has no time")));
        }
        let times = [result.ns, result.low, result.high];
        if let Some(ns) = times.into_iter().flatten().find(|ns| !ns.is_finite() || *ns < 0.0) {
            return Err(damaged(path, format!("{name} takes {ns} ns, which is impossible")));
        }
        if let (Some(low), Some(high)) = (result.low, result.high)
            && low > high
        {
            return Err(damaged(path, format!("the interval of {name} ends before it begins")));
        }
    }
    Ok(document)
}

/// A unit of time in ns, as all three programs write it.
fn unit(name: &str) -> Result<f64, String> {
    match name {
        "ns" => Ok(1.0),
        "us" => Ok(1e3),
        "ms" => Ok(1e6),
        "s" => Ok(1e9),
        "min" => Ok(60e9),
        "hr" | "h" => Ok(3600e9),
        "day" => Ok(86_400e9),
        other => Err(format!("\"{other}\" is not a known unit of time")),
    }
}

/// A JSON error, with what was expected.
fn not_as(program: &str, error: &serde_json::Error) -> String {
    if error.is_eof() {
        return format!("it ends in the middle (line {}); it was cut off", error.line());
    }
    format!("it is not a file of {program}: {error}")
}
