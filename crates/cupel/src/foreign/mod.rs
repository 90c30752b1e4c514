//! Results of other benchmarking programs: JMH, Criterion and Google Benchmark. They were measured one
//! after the other and without a control, so they are kept apart: they can be looked at, and decide nothing.
//!
//! The files are not trusted: every figure is checked, and a file comes in whole or not at all.

mod criterion;
mod google_benchmark;
mod jmh;

use serde::Serialize;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// More than this no such program writes; a file that is larger is no result.
const MOST_BYTES: u64 = 64 << 20;
/// Longer names than this are a mistake or meant to harm.
const LONGEST_NAME: usize = 100_000;

/// What one file, or one benchmark's folder, says.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// Where it was read.
    pub path: PathBuf,
    /// SHA-256 of its bytes in hex: one file is counted once.
    pub digest: String,
    /// The program that measured: `jmh`, `criterion` or `google-benchmark`.
    pub tool: &'static str,
    /// Its version, where the file says so.
    pub version: String,
    /// What the file says of the machine.
    pub machine: String,
    /// What was measured, in the file's order.
    pub results: Vec<Measured>,
}

/// One benchmark's result.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Measured {
    /// Its full name.
    pub name: String,
    /// Its parameters, `name=value` with commas between.
    pub parameters: String,
    /// What the figure is: `mean`, `median`, `slope`.
    pub statistic: String,
    /// Time of a call in ns; absent where it failed.
    pub ns: Option<f64>,
    /// Low end of the interval that the program gives.
    pub low: Option<f64>,
    /// High end of it.
    pub high: Option<f64>,
    /// Iterations or samples that it comes from.
    pub samples: u64,
    /// Bytes a call, where the file says so.
    pub bytes: Option<u64>,
    /// Why there is no figure.
    pub error: Option<String>,
}

/// Why a file is not taken.
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

/// Whether a path may hold results of another program: a folder, or a file that begins like JSON and not
/// like a record of a boot.
pub fn is_foreign(path: &Path) -> bool {
    let mut head = Vec::new();
    if path.is_dir() {
        return true;
    }
    let read = File::open(path).is_ok_and(|file| file.take(1 << 16).read_to_end(&mut head).is_ok());
    let boot = crate::uefi::boot::BEGIN.as_bytes();
    read && matches!(head.trim_ascii_start().first(), Some(b'[' | b'{'))
        && !head.windows(boot.len()).any(|part| part == boot)
}

/// Reads a file, or every benchmark of a folder of Criterion's.
///
/// # Errors
/// If it cannot be read or is not what one of the three programs writes; it says which and why.
pub fn read(path: &Path) -> Result<Vec<Document>, ForeignError> {
    let damaged = |what: String| ForeignError::Damaged { path: path.to_path_buf(), what };
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
    let text = std::str::from_utf8(&bytes).map_err(|e| damaged(format!("it is no text: {e}")))?;
    let (tool, read) = if text.trim_start().starts_with('[') {
        ("jmh", jmh::read(text))
    } else if criterion::is_messages(text) {
        ("criterion", criterion::messages(text))
    } else {
        ("google-benchmark", google_benchmark::read(text))
    };
    let (version, machine, results) = read.map_err(damaged)?;
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

/// Version, machine and results of one file, or what is wrong with it.
type Content = Result<(String, String, Vec<Measured>), String>;

fn bytes(path: &Path) -> Result<Vec<u8>, ForeignError> {
    let failed = |source| ForeignError::Read { path: path.to_path_buf(), source };
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MOST_BYTES {
        let what = format!("it is larger than {} MiB: no result of a benchmark", MOST_BYTES >> 20);
        return Err(ForeignError::Damaged { path: path.to_path_buf(), what });
    }
    Ok(bytes)
}

/// One digest for all of these bytes, each with its length.
fn digest(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hex::encode(hash.finalize())
}

/// Refuses figures that cannot be.
fn check(document: Document) -> Result<Document, ForeignError> {
    let wrong = |what: String| Err(ForeignError::Damaged { path: document.path.clone(), what });
    if document.results.is_empty() {
        return wrong("there is no result in it".to_string());
    }
    for result in &document.results {
        let name: String = result.name.chars().take(80).collect();
        let length = result.name.len() + result.parameters.len();
        if result.name.is_empty() || length > LONGEST_NAME {
            return wrong(format!("a name of {length} bytes"));
        }
        if result.ns.is_none() && result.error.is_none() {
            return wrong(format!("{name} has no time"));
        }
        let times = [result.ns, result.low, result.high];
        if let Some(ns) = times.into_iter().flatten().find(|ns| !ns.is_finite() || *ns < 0.0) {
            return wrong(format!("{name} takes {ns} ns, which cannot be"));
        }
        if let (Some(low), Some(high)) = (result.low, result.high)
            && low > high
        {
            return wrong(format!("the interval of {name} ends before it begins"));
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
        other => Err(format!("\"{other}\" is no unit of time that is known here")),
    }
}

/// A JSON reader's complaint, with what was expected.
fn not_as(program: &str, error: &serde_json::Error) -> String {
    if error.is_eof() {
        return format!("it ends in the middle (line {}): it was cut off", error.line());
    }
    format!("it is not what {program} writes: {error}")
}
