//! Criterion: one folder for each benchmark (`target/criterion/**/new/` with `benchmark.json`,
//! `estimates.json` and `sample.json`), the lines of `cargo criterion --message-format=json`, or
//! the output of `cargo bench`.

use super::text::{NOT_A_TIME, number, quantity, unit, whole};
use super::{
    Content, DID_NOT_END, File, Format, Input, Measured, cargo, checked, digest, file, problem,
};
use cupel_base::problem::Problem;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::Path;

/// The file that every benchmark's folder has.
pub const ABOUT: &str = "benchmark.json";

/// The folder of the newest run of a benchmark, next to the baselines'.
pub const NEWEST: &str = "new";

/// All that are read.
const FILES: [&str; 3] = [ABOUT, "estimates.json", "sample.json"];

/// Whether a path names one of a benchmark's files.
pub fn is_file(path: &Path) -> bool {
    path.file_name().is_some_and(|name| FILES.iter().any(|file| name == *file))
}

#[derive(Deserialize)]
struct Benchmark {
    #[serde(default)]
    throughput: Value,
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
    let mut result = Measured::new(&about.full_id, "");
    estimates.fill(&mut result);
    result.samples = sample.times.len() as u64;
    result.bytes = throughput(&about.throughput);
    result.values = sample.times.iter().zip(&sample.iters).map(|(time, n)| time / n).collect();
    // Anything else is the name of a baseline.
    let baseline = folder.file_name().filter(|name| *name != NEWEST);
    if let Some(baseline) = baseline {
        result.add("baseline", baseline.to_string_lossy());
    }
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

impl Estimates {
    /// Criterion's own reports use the slope if there is one.
    fn fill(self, row: &mut Measured) {
        row.mean = Some(self.mean.point_estimate).filter(|mean| *mean > 0.0);
        let (statistic, estimate) = match self.slope {
            Some(slope) => ("slope", slope),
            None => ("mean", self.mean),
        };
        row.statistic = statistic.to_string();
        row.ns = Some(estimate.point_estimate);
        row.low = Some(estimate.confidence_interval.lower_bound);
        row.high = Some(estimate.confidence_interval.upper_bound);
    }
}

/// Fills a row with estimates that are inside another file.
pub fn estimate(estimates: &Value, row: &mut Measured) {
    match Estimates::deserialize(estimates) {
        Ok(estimates) => estimates.fill(row),
        Err(e) => row.error = Some(e.to_string()),
    }
}

/// Reads `{"Bytes": 64}` among several kinds of throughput.
pub fn throughput(value: &Value) -> Option<u64> {
    let bytes = ["Bytes", "BytesDecimal"].iter().find_map(|kind| value[kind].as_u64());
    bytes.or(value["ElementsAndBytes"]["bytes"].as_u64()).or(value["Bits"].as_u64().map(|n| n / 8))
}

/// Why a file of Criterion's has no results.
pub fn hint(path: &Path) -> Option<&'static str> {
    let is_change = path.parent().and_then(Path::file_name).is_some_and(|name| name == "change");
    if is_change && is_file(path) {
        return Some(
            "it is Criterion's difference to an earlier run: import target/criterion, whose folders \
             new/ have the times",
        );
    }
    path.extension().filter(|ending| *ending == "cbor").map(|_| {
        "it is cargo-criterion's own data: import what `cargo criterion --message-format=json` writes"
    })
}

#[derive(Deserialize)]
struct Message {
    id: String,
    typical: Typical,
    #[serde(default)]
    iteration_count: Vec<f64>,
    /// The total of all iterations of a sample.
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

pub fn read(input: &Input) -> Option<Result<Content, String>> {
    let done = input.json.values.iter().filter(|value| value["reason"] == "benchmark-complete");
    let mut results: Vec<Measured> = done.map(message).collect();
    // A long name has its own line.
    let (mut name, mut binary) = ("", "");
    let mut running = "";
    let mut ended = Vec::new();
    for line in input.text.lines() {
        let begun = line.strip_prefix("Benchmarking ").map(without_state);
        if !running.is_empty()
            && (cargo::running(line).is_some() || begun.is_some_and(|begun| begun != running))
        {
            ended.push(Measured::failed(running, DID_NOT_END).from("bench", binary));
            running = "";
        }
        running = begun.unwrap_or(running);
        binary = cargo::running(line).unwrap_or(binary);
        if let Some((before, figures)) = line.split_once("time:   [") {
            let own = before.trim();
            let row = printed(if own.is_empty() { name } else { own }, figures);
            results.extend(row.map(|row| row.from("bench", binary)));
            running = "";
        } else if let Some((_, figures)) = line.split_once("thrpt:  [")
            && let Some(last) = results.last_mut()
        {
            last.bytes = last.bytes.or(last.ns.and_then(|ns| bytes(figures, ns)));
        } else if !line.trim().is_empty() && !line.starts_with("Benchmarking ") {
            name = line.trim();
        }
    }
    if !running.is_empty() {
        ended.push(Measured::failed(running, DID_NOT_END).from("bench", binary));
    }
    // It may only have listed or tested its benchmarks.
    if !results.is_empty() {
        results.extend(ended);
    }
    (!results.is_empty()).then(|| Ok(Content { results, ..Content::default() }))
}

/// The name in `Benchmarking sha256/64: Warming up for 3.0000 s`.
fn without_state(text: &str) -> &str {
    let states = [": Warming up", ": Collecting", ": Analyzing", ": Complete"];
    let end = states.iter().find_map(|state| text.rfind(state)).unwrap_or(text.len());
    text[..end].trim()
}

/// `997.56 µs 1.0021 ms 1.0113 ms]`: each figure has its own unit.
fn printed(name: &str, figures: &str) -> Option<Measured> {
    let words: Vec<&str> = figures.split(']').next()?.split_whitespace().collect();
    let mut row = Measured::new(name, "slope or mean");
    let [low, unit_of_low, mid, unit_of_mid, high, unit_of_high] = words[..] else {
        // The change to an earlier run.
        let is_change = words.iter().any(|word| word.ends_with('%'));
        row.error = Some("its times cannot be read".to_string());
        return (!is_change).then_some(row);
    };
    if unit(unit_of_mid).is_none() {
        row.error = Some(format!("{mid} {unit_of_mid} {NOT_A_TIME}"));
        return Some(row);
    }
    let figures = [(low, unit_of_low), (mid, unit_of_mid), (high, unit_of_high)];
    [row.low, row.ns, row.high] = figures.map(|(figure, name)| Some(number(figure)? * unit(name)?));
    Some(row)
}

/// The bytes of a call, from `983.04 MiB/s 985.10 MiB/s 990.30 MiB/s]`.
fn bytes(figures: &str, ns: f64) -> Option<u64> {
    let words: Vec<&str> = figures.split_whitespace().collect();
    let rate = words.get(2..4)?.concat();
    let (rate, prefix) = quantity(&rate)?;
    let power =
        ["B/s", "KiB/s", "MiB/s", "GiB/s", "TiB/s"].iter().position(|name| *name == prefix)?;
    whole(rate * 1024f64.powi(power as i32) * ns / 1e9, 2e-4)
}

fn message(value: &Value) -> Measured {
    let message = match Message::deserialize(value) {
        Ok(message) => message,
        Err(e) => {
            let name = value["id"].as_str().unwrap_or("a message without an id");
            return Measured::failed(name, e.to_string());
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
