//! Google Benchmark's `--benchmark_format=json`: a context, and a row for each repetition and
//! aggregate.

use crate::text::unit;
use crate::{Content, Input, Measured};
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;

/// The newest of its schemas that is known here; older versions write none.
const SCHEMA: u64 = 1;

/// The fields that are used; there are more.
#[derive(Deserialize)]
struct Row {
    name: String,
    run_name: Option<String>,
    run_type: Option<String>,
    aggregate_name: Option<String>,
    #[serde(default)]
    iterations: u64,
    real_time: Option<f64>,
    cpu_time: Option<f64>,
    time_unit: Option<String>,
    bytes_per_second: Option<f64>,
    #[serde(default)]
    error_occurred: bool,
    /// Since 1.8, instead of an error: whether it was, or why.
    skipped: Option<Value>,
    #[serde(alias = "skip_message")]
    error_message: Option<String>,
}

impl Row {
    fn benchmark(&self) -> &str {
        self.run_name.as_deref().unwrap_or(&self.name)
    }

    fn scale(&self) -> Option<f64> {
        unit(self.time_unit.as_deref().unwrap_or("ns"))
    }

    fn ns(&self) -> Option<f64> {
        Some(self.real_time? * self.scale()?)
    }

    /// Rates are per processor time, unless the benchmark asked for another clock.
    fn bytes(&self) -> Option<u64> {
        let wall =
            self.benchmark().split('/').any(|part| ["real_time", "manual_time"].contains(&part));
        let time = if wall { self.real_time } else { self.cpu_time };
        Some((self.bytes_per_second? * time? * self.scale()? / 1e9).round() as u64)
    }

    /// Why it has no time.
    fn error(&self) -> Option<String> {
        let skipped = self.skipped.as_ref().is_some_and(|skipped| *skipped != Value::Bool(false));
        let why = self.skipped.as_ref().and_then(Value::as_str);
        (self.error_occurred || skipped)
            .then(|| self.error_message.as_deref().or(why).unwrap_or("it failed").to_string())
    }
}

pub fn read(input: &Input) -> Option<Result<Content, String>> {
    let files = input.json.values.iter();
    let mut files =
        files.filter(|v| v["context"].is_object() && v["benchmarks"].is_array()).peekable();
    files.peek()?;
    let mut content = Content::default();
    for file in files {
        if let Err(what) = add(file, &mut content) {
            return Some(Err(what));
        }
    }
    Some(Ok(content))
}

fn add(file: &Value, content: &mut Content) -> Result<(), String> {
    let context = &file["context"];
    if let Some(schema) = context["json_schema_version"].as_u64().filter(|s| *s > SCHEMA) {
        return Err(format!(
            "it has Google Benchmark's schema {schema}; this cupel knows {SCHEMA}: use a newer cupel"
        ));
    }
    let text = |key: &str| context[key].as_str().unwrap_or_default().to_string();
    content.version = text("library_version");
    let (host, cpus, mhz) = (text("host_name"), &context["num_cpus"], &context["mhz_per_cpu"]);
    let machine = format!("{host}, {cpus} CPUs of {mhz} MHz");
    let mut names: Vec<String> = Vec::new();
    let mut by_name: HashMap<String, Vec<Row>> = HashMap::new();
    for row in file["benchmarks"].as_array().into_iter().flatten() {
        // The fit of a complexity is not a benchmark.
        if ["BigO", "RMS"].iter().any(|name| row["aggregate_name"] == *name) {
            continue;
        }
        match Row::deserialize(row) {
            Ok(row) => {
                let name = row.benchmark().to_string();
                if !by_name.contains_key(&name) {
                    names.push(name.clone());
                }
                by_name.entry(name).or_default().push(row);
            }
            Err(e) => content.results.push(Measured {
                name: row["name"].as_str().unwrap_or("a row without a name").to_string(),
                error: Some(e.to_string()),
                ..Measured::default()
            }),
        }
    }
    content.results.extend(names.into_iter().map(|name| {
        let rows = &by_name[&name];
        Measured { machine: machine.clone(), ..measured(name, rows) }
    }));
    Ok(())
}

/// The result of one benchmark's rows: the median of the repetitions, or the aggregate if they were
/// omitted.
fn measured(name: String, rows: &[Row]) -> Measured {
    let mut result = Measured { name, ..Measured::default() };
    result.error = rows.iter().find_map(Row::error);
    if result.error.is_some() {
        return result;
    }
    for row in rows.iter().filter(|row| row.run_type.as_deref() != Some("aggregate")) {
        result.values.extend(row.ns());
        result.samples = result.samples.saturating_add(row.iterations);
        result.bytes = result.bytes.or(row.bytes());
    }
    if !result.values.is_empty() {
        result.statistic = if result.values.len() == 1 { "mean" } else { "median" }.to_string();
        result.ns = Some(cupel_stats::quantile::median(&result.values));
        return result;
    }
    for statistic in ["median", "mean"] {
        let mut rows = rows.iter();
        if let Some(row) = rows.find(|r| r.aggregate_name.as_deref() == Some(statistic)) {
            result.statistic = statistic.to_string();
            result.ns = row.ns();
            result.samples = row.iterations;
            return result;
        }
    }
    result.error = Some("it has neither a repetition nor a median".to_string());
    result
}
