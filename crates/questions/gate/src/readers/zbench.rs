//! Zig's zBench: the JSON of each result, in ns, or the table that it prints.
//!
//! Written by `src/result.zig` (`writeJSON`, `prettyPrint`) and `statistics.zig` of
//! hendriknielaender/zBench at f12a2262. Until 2026 the table has no columns of rates.

use super::text::{duration, whole};
use super::{Content, Input, Measured};
use cupel_stats::quantile::median;
use serde_json::Value;

pub fn read(input: &Input) -> Option<Result<Content, String>> {
    let mut content = Content::default();
    let lists = input.json.values.iter().filter_map(Value::as_array).flatten();
    for row in lists.chain(&input.json.values).filter(|row| row["timing_statistics"].is_object()) {
        content.results.push(of_json(row));
    }
    let mut is_table = false;
    for line in input.text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.first() == Some(&"benchmark") && line.contains("(avg ± σ)") {
            is_table = words.get(1) == Some(&"runs");
        } else if is_table {
            content.results.extend(of_line(line));
        }
    }
    (!content.results.is_empty()).then_some(Ok(content))
}

fn of_json(row: &Value) -> Measured {
    let mut result = Measured::new(row["name"].as_str().unwrap_or_default(), "median");
    let statistics = &row["timing_statistics"];
    if statistics["units"] != "nanoseconds" {
        result.error = Some(format!("it is measured in {}", statistics["units"]));
        return result;
    }
    let values = row["timings"].as_array().into_iter().flatten();
    result.values = values.filter_map(Value::as_f64).collect();
    result.samples = result.values.len() as u64;
    result.ns = Some(&result.values).filter(|values| !values.is_empty()).map(|all| median(all));
    let rate = row["throughput"]["bytes_per_second"].as_f64();
    let total: f64 = result.values.iter().sum();
    let bytes = rate.map(|rate| rate * total / 1e9 / result.values.len() as f64);
    result.bytes = bytes.and_then(|bytes| whole(bytes, 1e-3));
    result
}

/// `sha256 64   1000   1.2ms   1.234us ± 10ns   -   -   (1us ... 2us)   1.1us   1.9us   1.95us`
fn of_line(line: &str) -> Option<Measured> {
    let (before, after) = line.split_once(" ± ")?;
    let mut words: Vec<&str> = before.split_whitespace().collect();
    let mean = duration(words.pop()?)?;
    let mut runs = words.pop()?;
    // Newer versions have the total time between them.
    if duration(runs).is_some() {
        runs = words.pop()?;
    }
    let samples = runs.parse().ok()?;
    let is_row = !words.is_empty() && after.contains(" ... ");
    is_row.then(|| Measured { ns: Some(mean), samples, ..Measured::new(&words.join(" "), "mean") })
}
