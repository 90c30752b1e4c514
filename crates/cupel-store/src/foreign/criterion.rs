//! Criterion: one folder for each benchmark (`target/criterion/**/new/` with `benchmark.json`,
//! `estimates.json` and `sample.json`), or the lines of `cargo criterion --message-format=json`.

use super::{Content, Document, ForeignError, Measured, bytes, check, damaged, digest, not_as};
use super::{unit, unreadable};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// How deep folders are searched: Criterion nests group, function and value.
const DEEPEST: usize = 8;

#[derive(Deserialize)]
struct Benchmark {
    throughput: Option<Value>,
    full_id: String,
}

#[derive(Deserialize)]
struct Estimates {
    mean: Estimate,
    /// Only if iteration counts rose from sample to sample.
    slope: Option<Estimate>,
}

#[derive(Deserialize)]
struct Estimate {
    confidence_interval: Confidence,
    point_estimate: f64,
}

#[derive(Deserialize)]
struct Confidence {
    lower_bound: f64,
    upper_bound: f64,
}

#[derive(Deserialize)]
struct Sample {
    iters: Vec<f64>,
    times: Vec<f64>,
}

/// Every benchmark below a folder, sorted by name.
pub fn folder(path: &Path) -> Result<Vec<Document>, ForeignError> {
    let mut found = Vec::new();
    search(path, DEEPEST, &mut found)?;
    found.sort();
    if found.is_empty() {
        let what = "it contains no new/benchmark.json: name Criterion's folder, such as \
                    target/criterion";
        return Err(damaged(path, what));
    }
    found.iter().map(|folder| benchmark(folder)).collect()
}

/// The folders with a `benchmark.json`, without those of a baseline that is stored next to `new`.
/// Links are not followed.
fn search(path: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<(), ForeignError> {
    if path.join("benchmark.json").is_file() {
        found.push(path.to_path_buf());
        return Ok(());
    }
    let newest = path.join("new/benchmark.json");
    if newest.is_file() {
        found.push(path.join("new"));
        return Ok(());
    }
    if depth == 0 {
        return Ok(());
    }
    for entry in std::fs::read_dir(path).map_err(unreadable(path))? {
        let entry = entry.map_err(unreadable(path))?;
        if entry.file_type().map_err(unreadable(path))?.is_dir() {
            search(&entry.path(), depth - 1, found)?;
        }
    }
    Ok(())
}

/// The folder of one benchmark.
pub fn benchmark(folder: &Path) -> Result<Document, ForeignError> {
    let paths = ["benchmark.json", "estimates.json", "sample.json"].map(|name| folder.join(name));
    let files = [bytes(&paths[0])?, bytes(&paths[1])?, bytes(&paths[2])?];
    let about: Benchmark = parsed(&paths[0], &files[0])?;
    let estimates: Estimates = parsed(&paths[1], &files[1])?;
    let sample: Sample = parsed(&paths[2], &files[2])?;
    if sample.iters.len() != sample.times.len() {
        let what = format!("{} counts and {} times", sample.iters.len(), sample.times.len());
        return Err(damaged(&paths[2], what));
    }
    // Criterion's own reports use the slope if there is one.
    let (statistic, estimate) = match estimates.slope {
        Some(slope) => ("slope", slope),
        None => ("mean", estimates.mean),
    };
    check(Document {
        path: folder.to_path_buf(),
        digest: digest(&[&files[0], &files[1], &files[2]]),
        tool: "criterion",
        version: String::new(),
        machine: String::new(),
        results: vec![Measured {
            name: about.full_id,
            parameters: String::new(),
            statistic: statistic.to_string(),
            ns: Some(estimate.point_estimate),
            low: Some(estimate.confidence_interval.lower_bound),
            high: Some(estimate.confidence_interval.upper_bound),
            samples: sample.times.len() as u64,
            bytes: about.throughput.as_ref().and_then(throughput),
            error: None,
        }],
    })
}

fn parsed<T: DeserializeOwned>(path: &Path, file: &[u8]) -> Result<T, ForeignError> {
    serde_json::from_slice(file).map_err(|e| damaged(path, not_as("Criterion", &e)))
}

/// Reads `{"Bytes": 64}` among several kinds of throughput.
fn throughput(value: &Value) -> Option<u64> {
    ["Bytes", "BytesDecimal"].iter().find_map(|kind| value[kind].as_u64())
}

#[derive(Deserialize)]
struct Message {
    id: String,
    typical: Typical,
    #[serde(default)]
    measured_values: Vec<f64>,
    #[serde(default)]
    throughput: Vec<PerIteration>,
}

#[derive(Deserialize)]
struct Typical {
    estimate: f64,
    lower_bound: f64,
    upper_bound: f64,
    unit: String,
}

#[derive(Deserialize)]
struct PerIteration {
    per_iteration: u64,
    unit: String,
}

/// Whether the first line is a message of cargo-criterion.
pub fn is_messages(text: &str) -> bool {
    let first = text.trim_start().lines().next().unwrap_or_default();
    serde_json::from_str::<Value>(first).is_ok_and(|value| value["reason"].is_string())
}

/// Reads the lines that report a finished benchmark, and skips the others.
pub fn messages(text: &str) -> Result<Content, String> {
    let mut results = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let value: Result<Value, _> = serde_json::from_str(line);
        if value.as_ref().is_ok_and(|value| value["reason"] != "benchmark-complete") {
            continue;
        }
        let message = value
            .and_then(serde_json::from_value::<Message>)
            .map_err(|e| format!("line {}: {}", number + 1, not_as("cargo-criterion", &e)))?;
        let scale = unit(&message.typical.unit)?;
        let bytes = message.throughput.iter().find(|t| t.unit == "bytes");
        results.push(Measured {
            name: message.id,
            statistic: "typical".to_string(),
            ns: Some(message.typical.estimate * scale),
            low: Some(message.typical.lower_bound * scale),
            high: Some(message.typical.upper_bound * scale),
            samples: message.measured_values.len() as u64,
            bytes: bytes.map(|t| t.per_iteration),
            ..Measured::default()
        });
    }
    Ok(Content { results, ..Content::default() })
}
