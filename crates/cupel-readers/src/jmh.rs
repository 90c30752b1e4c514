//! JMH's `-rf json`: an array of benchmarks, each with a mode, parameters and a primary metric.

use crate::text::unit;
use crate::{Content, Input, Measured};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The fields that are used; JMH writes more. kotlinx-benchmark leaves out those of the JVM.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Benchmark {
    #[serde(default)]
    jmh_version: String,
    benchmark: String,
    mode: String,
    #[serde(default)]
    params: BTreeMap<String, String>,
    #[serde(default = "one")]
    threads: u64,
    #[serde(default = "one")]
    forks: u64,
    #[serde(default = "one")]
    measurement_iterations: u64,
    #[serde(default)]
    jdk_version: String,
    #[serde(default)]
    vm_name: String,
    primary_metric: Metric,
}

fn one() -> u64 {
    1
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metric {
    /// A number, or the text `NaN`.
    score: Value,
    #[serde(default)]
    score_confidence: Vec<Value>,
    score_unit: String,
}

pub fn read(input: &Input) -> Option<Result<Content, String>> {
    let lists = input.json.values.iter().filter_map(Value::as_array);
    let rows: Vec<&Value> =
        lists.flatten().filter(|row| row["primaryMetric"].is_object()).collect();
    (!rows.is_empty()).then(|| rows_of(&rows))
}

fn rows_of(rows: &[&Value]) -> Result<Content, String> {
    let mut content = Content::default();
    for row in rows {
        let name = row["benchmark"].as_str().unwrap_or("a row without a name").to_string();
        match Benchmark::deserialize(*row) {
            Ok(row) if !row.jmh_version.is_empty() && !row.jmh_version.starts_with("1.") => {
                let version = &row.jmh_version;
                return Err(format!(
                    "it is from JMH {version}; this cupel knows JMH 1: use a newer cupel"
                ));
            }
            Ok(row) => {
                content.version.clone_from(&row.jmh_version);
                content.results.push(measured(row));
            }
            Err(e) => content.results.push(Measured {
                name,
                error: Some(e.to_string()),
                ..Measured::default()
            }),
        }
    }
    Ok(content)
}

fn measured(benchmark: Benchmark) -> Measured {
    let metric = &benchmark.primary_metric;
    let score = metric.score.as_f64();
    let [low, high] = [0, 1].map(|end| metric.score_confidence.get(end).and_then(Value::as_f64));
    let mut result = Measured {
        name: benchmark.benchmark,
        machine: format!("{} {}", benchmark.vm_name, benchmark.jdk_version).trim().to_string(),
        samples: benchmark.forks.max(1).saturating_mul(benchmark.measurement_iterations),
        statistic: match benchmark.mode.as_str() {
            "avgt" => "mean".to_string(),
            mode => format!("mean ({mode})"),
        },
        ..Measured::default()
    };
    let mut parameters: Vec<String> =
        benchmark.params.iter().map(|(key, value)| format!("{key}={value}")).collect();
    if benchmark.threads > 1 {
        parameters.push(format!("threads={}", benchmark.threads));
    }
    result.parameters = parameters.join(", ");
    // "ns/op", or for throughput "ops/ns".
    let scale = metric.score_unit.split_once('/').and_then(|parts| match parts {
        ("ops", per) => unit(per),
        (time, "op") => unit(time),
        _ => None,
    });
    let Some(scale) = scale else {
        result.error = Some(format!("it is measured in \"{}\"", metric.score_unit));
        return result;
    };
    [result.ns, result.low, result.high] = if metric.score_unit.starts_with("ops/") {
        // The rate is that of all threads together.
        let scale = scale * benchmark.threads as f64;
        [score, high, low].map(|rate| rate.filter(|rate| *rate > 0.0).map(|rate| scale / rate))
    } else {
        // The interval of a mean of few iterations may extend below zero.
        let [low, high] = [low, high].map(|end| end.filter(|end| *end >= 0.0));
        [score, low, high].map(|score| score.map(|score| score * scale))
    };
    result.error = result.ns.is_none().then(|| "JMH gives no score".to_string());
    result
}
