//! Criterion: one folder for each benchmark (`target/criterion/**/new/` with `benchmark.json`,
//! `estimates.json` and `sample.json`), or the lines of `cargo criterion --message-format=json`.

use crate::text::unit;
use crate::{Content, File, Format, Input, Measured, checked, digest, file, problem};
use cupel_base::problem::Problem;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::Path;

/// The file that every benchmark's folder has.
pub const ABOUT: &str = "benchmark.json";

/// All that are read.
const FILES: [&str; 3] = [ABOUT, "estimates.json", "sample.json"];

/// Whether a path is that of one of a benchmark's files.
pub fn is_file(path: &Path) -> bool {
    path.file_name().is_some_and(|name| FILES.iter().any(|file| name == *file))
}

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

/// The folder of one benchmark.
pub fn benchmark(folder: &Path) -> Result<Vec<File>, Problem> {
    let paths = FILES.map(|name| folder.join(name));
    let files = [file(&paths[0])?, file(&paths[1])?, file(&paths[2])?];
    let about: Benchmark = parsed(&paths[0], &files[0])?;
    let estimates: Estimates = parsed(&paths[1], &files[1])?;
    let sample: Sample = parsed(&paths[2], &files[2])?;
    if sample.iters.len() != sample.times.len() {
        let what = format!("{} counts and {} times", sample.iters.len(), sample.times.len());
        return Err(problem(&paths[2], what));
    }
    // Criterion's own reports use the slope if there is one.
    let (statistic, estimate) = match estimates.slope {
        Some(slope) => ("slope", slope),
        None => ("mean", estimates.mean),
    };
    let result = Measured {
        name: about.full_id,
        statistic: statistic.to_string(),
        ns: Some(estimate.point_estimate),
        low: Some(estimate.confidence_interval.lower_bound),
        high: Some(estimate.confidence_interval.upper_bound),
        samples: sample.times.len() as u64,
        bytes: about.throughput.as_ref().and_then(throughput),
        values: sample.times.iter().zip(&sample.iters).map(|(time, n)| time / n).collect(),
        ..Measured::default()
    };
    let content = Content { results: vec![result], ..Content::default() };
    Ok(vec![File {
        path: folder.to_path_buf(),
        digest: digest(&[&files[0], &files[1], &files[2]]),
        document: checked(Format::Criterion, content),
    }])
}

fn parsed<T: DeserializeOwned>(path: &Path, file: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(file)
        .map_err(|e| problem(path, format!("it is not a file of Criterion: {e}")))
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
    iteration_count: Vec<f64>,
    /// Of all iterations of a sample together.
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

/// Reads the messages of cargo-criterion that report a finished benchmark.
pub fn messages(input: &Input) -> Option<Result<Content, String>> {
    let mut messages = input.json.values.iter().filter(|value| value["reason"].is_string());
    messages.next()?;
    let done = input.json.values.iter().filter(|value| value["reason"] == "benchmark-complete");
    Some(Ok(Content { results: done.map(message).collect(), ..Content::default() }))
}

fn message(value: &Value) -> Measured {
    let message = match Message::deserialize(value) {
        Ok(message) => message,
        Err(e) => {
            let name = value["id"].as_str().unwrap_or("a message without an id").to_string();
            return Measured { name, error: Some(e.to_string()), ..Measured::default() };
        }
    };
    let bytes = message.throughput.iter().find(|t| t.unit == "bytes");
    let mut result = Measured {
        name: message.id,
        statistic: "typical".to_string(),
        samples: message.measured_values.len() as u64,
        bytes: bytes.map(|t| t.per_iteration),
        ..Measured::default()
    };
    let Some(scale) = unit(&message.typical.unit) else {
        result.error = Some(format!("it is measured in \"{}\"", message.typical.unit));
        return result;
    };
    result.ns = Some(message.typical.estimate * scale);
    result.low = Some(message.typical.lower_bound * scale);
    result.high = Some(message.typical.upper_bound * scale);
    let samples = message.measured_values.iter().zip(&message.iteration_count);
    result.values = samples.map(|(time, n)| time * scale / n).collect();
    result
}
