//! Python's pyperf: JSON with the values of each process, in seconds.

use super::{Content, Input, Measured, join};
use cupel_stats::quantile::median;
use serde_json::Value;

pub fn read(input: &Input) -> Option<Result<Content, String>> {
    let mut content = Content::default();
    for file in input.json.values.iter().filter(|file| is_pyperf(file)) {
        let shared = &file["metadata"];
        join(&mut content.version, &text(&[shared], "perf_version"));
        for one in file["benchmarks"].as_array().into_iter().flatten() {
            content.results.push(benchmark(one, shared));
        }
    }
    (!content.results.is_empty()).then_some(Ok(content))
}

fn is_pyperf(file: &Value) -> bool {
    let all = file["benchmarks"].as_array();
    all.and_then(|all| all.first()).is_some_and(|one| one["runs"].is_array())
        && file["version"].is_string()
}

/// The value in the first of these metadata that has the key.
fn text(metadata: &[&Value], key: &str) -> String {
    let found = metadata.iter().find_map(|one| one[key].as_str());
    found.unwrap_or_default().to_string()
}

/// The name of an implementation of Python.
pub fn python_of(implementation: &str) -> &str {
    match implementation {
        "" | "cpython" | "CPython" => "Python",
        other => other,
    }
}

fn benchmark(one: &Value, shared: &Value) -> Measured {
    let runs = one["runs"].as_array().into_iter().flatten();
    // A file with a single benchmark may have its name and unit in the runs.
    let metadata = [&one["metadata"], shared, &one["runs"][0]["metadata"]];
    let unit = text(&metadata, "unit");
    let mut row = Measured::new(&text(&metadata, "name"), "median");
    let values = runs.flat_map(|run| run["values"].as_array().into_iter().flatten());
    row.values = values.filter_map(Value::as_f64).map(|s| s * 1e9).collect();
    row.samples = row.values.len() as u64;
    if !["", "second"].contains(&unit.as_str()) {
        row.error = Some(format!("it is measured in {unit}s, which are not times"));
    } else if row.values.is_empty() {
        row.error = Some("it has no values, only warm-up or calibration".to_string());
    } else {
        row.ns = Some(median(&row.values));
    }
    let python = text(&metadata, "python_version");
    if !python.is_empty() {
        let implementation = text(&metadata, "python_implementation");
        let (name, cpu) = (python_of(&implementation), text(&metadata, "cpu_model_name"));
        row.machine = format!("{name} {python} {cpu}").trim().to_string();
    }
    row
}
