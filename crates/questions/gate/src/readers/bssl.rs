//! `bssl speed` of BoringSSL and AWS-LC, as lines or as JSON.

use super::text::number;
use super::{Content, Input, Measured};
use serde_json::Value;

pub fn read(input: &Input) -> Option<Result<Content, String>> {
    let lists = input.json.values.iter().filter_map(Value::as_array).flatten();
    let rows = lists.filter(|row| row["numCalls"].is_number());
    let mut results: Vec<Measured> = rows.map(of_json).collect();
    results.extend(input.text.lines().filter_map(|line| of_line(line.trim())));
    (!results.is_empty()).then(|| Ok(Content { results, ..Content::default() }))
}

fn of_json(row: &Value) -> Measured {
    let mut result = Measured::new(row["description"].as_str().unwrap_or_default(), "mean");
    let calls = row["numCalls"].as_f64().unwrap_or(0.0);
    result.ns = row["microseconds"].as_f64().map(|us| us * 1e3 / calls);
    result.samples = calls as u64;
    result.bytes = row["bytesPerCall"].as_u64();
    result.name = without_size(&result.name, result.bytes);
    result.add_size();
    // AWS-LC has it in its lines only as a part of the name.
    if let Some(bits) = row["primeSizePerCall"].as_u64() {
        result.add("bits", bits);
    }
    result
}

/// `Did 8850500 AES-256-GCM (16 bytes) seal operations in 1000061us (8849960.2 ops/sec): 141.6
/// MB/s`
fn of_line(line: &str) -> Option<Measured> {
    let (calls, rest) = line.strip_prefix("Did ")?.split_once(' ')?;
    let (name, rest) = rest.split_once(" operations in ")?;
    let calls = number(calls)?;
    let mut result = Measured::new(name, "mean");
    result.ns = Some(number(rest.split_once("us")?.0)? * 1e3 / calls);
    result.samples = calls as u64;
    let size = name.split_once(" byte").and_then(|(before, _)| before.rsplit_once('('));
    result.bytes = size.and_then(|(_, size)| size.parse().ok());
    result.name = without_size(name, result.bytes);
    result.add_size();
    Some(result)
}

/// A description without the size in it, which is a parameter.
fn without_size(name: &str, bytes: Option<u64>) -> String {
    let Some(bytes) = bytes else { return name.to_string() };
    let plural = if bytes == 1 { "" } else { "s" };
    name.replace(&format!(" ({bytes} byte{plural})"), "")
}
