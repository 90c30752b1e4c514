//! JMH's `-rf json`: an array of benchmarks, each with a mode, parameters and a primary metric.

use super::{Content, Measured, not_as, unit};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The fields that are used; JMH writes more.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Benchmark {
    jmh_version: String,
    benchmark: String,
    mode: String,
    #[serde(default)]
    params: BTreeMap<String, String>,
    forks: u64,
    measurement_iterations: u64,
    #[serde(default)]
    jdk_version: String,
    #[serde(default)]
    vm_name: String,
    primary_metric: Metric,
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

pub fn read(text: &str) -> Result<Content, String> {
    let all: Vec<Benchmark> =
        serde_json::from_str(text).map_err(|e| not_as("JMH (-rf json)", &e))?;
    let Some(first) = all.first() else { return Err("it is an empty list".to_string()) };
    if let Some(other) = all.iter().find(|b| !b.jmh_version.starts_with("1.")) {
        let version = &other.jmh_version;
        return Err(format!("it is from JMH {version}; this cupel knows JMH 1: use a newer cupel"));
    }
    let version = first.jmh_version.clone();
    let machine = format!("{} {}", first.vm_name, first.jdk_version).trim().to_string();
    let results = all.into_iter().map(measured).collect::<Result<_, _>>()?;
    Ok(Content { version, machine, results })
}

fn measured(benchmark: Benchmark) -> Result<Measured, String> {
    let metric = &benchmark.primary_metric;
    let name = benchmark.benchmark;
    let score = metric.score.as_f64();
    let [low, high] = [0, 1].map(|end| metric.score_confidence.get(end).and_then(Value::as_f64));
    // "ns/op", or for throughput "ops/ns".
    let [ns, low, high] = match metric.score_unit.split_once('/') {
        Some(("ops", per)) => {
            let per = unit(per)?;
            [score, high, low].map(|rate| rate.filter(|rate| *rate > 0.0).map(|rate| per / rate))
        }
        Some((time, "op")) => {
            let time = unit(time)?;
            // The interval of a mean of few iterations may extend below zero.
            let [low, high] = [low, high].map(|end| end.filter(|end| *end >= 0.0));
            [score, low, high].map(|score| score.map(|score| score * time))
        }
        _ => return Err(format!("{name} is measured in \"{}\"", metric.score_unit)),
    };
    Ok(Measured {
        error: ns.is_none().then(|| "JMH gives no score".to_string()),
        parameters: benchmark
            .params
            .iter()
            .map(|(key, value)| format!("{key}={value}"))
            .collect::<Vec<_>>()
            .join(", "),
        statistic: if benchmark.mode == "avgt" {
            "mean".to_string()
        } else {
            format!("mean ({})", benchmark.mode)
        },
        name,
        ns,
        low,
        high,
        samples: benchmark.forks.max(1).saturating_mul(benchmark.measurement_iterations),
        bytes: None,
    })
}
