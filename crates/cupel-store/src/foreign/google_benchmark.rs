//! Google Benchmark's `--benchmark_format=json`: a context, and a row for each repetition and
//! aggregate.

use super::{Content, Measured, not_as, unit};
use serde::Deserialize;
use std::collections::HashMap;

/// The newest of its schemas that is known here; older versions write none.
const SCHEMA: u64 = 1;

#[derive(Deserialize)]
struct File {
    context: Context,
    benchmarks: Vec<Row>,
}

#[derive(Deserialize)]
struct Context {
    #[serde(default)]
    host_name: String,
    num_cpus: u64,
    #[serde(default)]
    mhz_per_cpu: u64,
    #[serde(default)]
    library_version: String,
    json_schema_version: Option<u64>,
}

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
    /// Since 1.8, instead of an error.
    skipped: Option<String>,
    error_message: Option<String>,
}

impl Row {
    fn benchmark(&self) -> &str {
        self.run_name.as_deref().unwrap_or(&self.name)
    }

    fn ns(&self) -> Result<Option<f64>, String> {
        let scale = unit(self.time_unit.as_deref().unwrap_or("ns"))?;
        Ok(self.real_time.map(|time| time * scale))
    }

    /// Rates are per processor time, unless the benchmark asked for wall time.
    fn bytes(&self) -> Result<Option<u64>, String> {
        let wall = self.benchmark().ends_with("/real_time");
        let time = if wall { self.real_time } else { self.cpu_time };
        let scale = unit(self.time_unit.as_deref().unwrap_or("ns"))?;
        let bytes = self.bytes_per_second.zip(time).map(|(rate, time)| rate * time * scale / 1e9);
        Ok(bytes.map(|bytes| bytes.round() as u64))
    }
}

pub fn read(text: &str) -> Result<Content, String> {
    let file: File = serde_json::from_str(text)
        .map_err(|e| not_as("JMH, Criterion or Google Benchmark (--benchmark_format=json)", &e))?;
    let context = &file.context;
    if let Some(schema) = context.json_schema_version.filter(|&s| s > SCHEMA) {
        return Err(format!(
            "it has Google Benchmark's schema {schema}; this cupel knows {SCHEMA}: use a newer cupel"
        ));
    }
    let machine =
        format!("{}, {} CPUs of {} MHz", context.host_name, context.num_cpus, context.mhz_per_cpu);
    let mut names: Vec<&str> = Vec::new();
    let mut by_name: HashMap<&str, Vec<&Row>> = HashMap::new();
    for row in &file.benchmarks {
        let rows = by_name.entry(row.benchmark()).or_insert_with(|| {
            names.push(row.benchmark());
            Vec::new()
        });
        rows.push(row);
    }
    let results = names.into_iter().map(|name| measured(name, &by_name[name]));
    let results = results.collect::<Result<_, _>>()?;
    Ok(Content { version: context.library_version.clone(), machine, results })
}

/// The result of one benchmark's rows: the median of the repetitions, or the aggregate if they were
/// omitted.
fn measured(name: &str, rows: &[&Row]) -> Result<Measured, String> {
    let mut result = Measured { name: name.to_string(), ..Measured::default() };
    if let Some(row) = rows.iter().find(|row| row.error_occurred || row.skipped.is_some()) {
        let why = row.error_message.clone().or_else(|| row.skipped.clone());
        result.error = Some(why.unwrap_or_else(|| "it failed".to_string()));
        return Ok(result);
    }
    let mut times = Vec::new();
    for row in rows.iter().filter(|row| row.run_type.as_deref() != Some("aggregate")) {
        times.extend(row.ns()?);
        result.samples = result.samples.saturating_add(row.iterations);
        result.bytes = result.bytes.or(row.bytes()?);
    }
    if times.is_empty() {
        for statistic in ["median", "mean"] {
            let mut rows = rows.iter();
            if let Some(row) = rows.find(|r| r.aggregate_name.as_deref() == Some(statistic)) {
                result.statistic = statistic.to_string();
                result.ns = row.ns()?;
                result.samples = row.iterations;
                return Ok(result);
            }
        }
        result.error = Some("it has neither a repetition nor a median".to_string());
        return Ok(result);
    }
    result.statistic = if times.len() == 1 { "mean" } else { "median" }.to_string();
    result.ns = Some(cupel_stats::quantile::median(&times));
    Ok(result)
}
