//! JavaScript's mitata and tinybench.

use crate::table::Table;
use crate::text::{number, time, unit};
use crate::{Content, Input, Measured};
use serde_json::Value;

pub fn mitata(input: &Input) -> Option<Result<Content, String>> {
    let mut content = Content::default();
    for file in &input.json.values {
        let all = file["benchmarks"].as_array().into_iter().flatten();
        for one in all.filter(|one| one["runs"].is_array() && one["alias"].is_string()) {
            for run in one["runs"].as_array().into_iter().flatten() {
                content.results.push(of_run(run, one["alias"].as_str().unwrap_or_default()));
            }
            let context = &file["context"];
            let known = [&context["runtime"], &context["version"], &context["cpu"]["name"]];
            for what in known.into_iter().filter_map(Value::as_str) {
                content.add_to_machine(what);
            }
        }
    }
    for line in input.text.lines() {
        if let Some(("cpu" | "runtime", value)) = line.split_once(": ") {
            content.add_to_machine(value);
        }
        content.results.extend(of_line(line));
    }
    (!content.results.is_empty()).then_some(Ok(content))
}

fn of_run(run: &Value, alias: &str) -> Measured {
    let mut row = Measured::new(run["name"].as_str().unwrap_or(alias), "median");
    let stats = &run["stats"];
    if !run["error"].is_null() || stats.is_null() {
        let why = run["error"].as_str().or(run["error"]["message"].as_str());
        row.error = Some(why.unwrap_or("it failed").to_string());
        return row;
    }
    row.ns = stats["p50"].as_f64().or(stats["avg"].as_f64());
    let samples = stats["samples"].as_array().into_iter().flatten();
    row.values = samples.filter_map(Value::as_f64).collect();
    row.samples = row.values.len() as u64;
    for (name, value) in run["args"].as_object().into_iter().flatten() {
        row.add(name, value);
    }
    row
}

/// `new Array(512)               509.42 ns/iter 536.53 ns`
fn of_line(line: &str) -> Option<Measured> {
    let (before, _) = line.split_once("/iter")?;
    let mut words: Vec<&str> = before.split_whitespace().collect();
    let (name_of_unit, value) = (words.pop()?, words.pop()?);
    // Rust's tests print `bench: 98 ns/iter`.
    if words.is_empty() || words.last()?.ends_with(':') {
        return None;
    }
    let mut row = Measured::new(&words.join(" "), "mean");
    row.ns = Some(number(value)? * unit(name_of_unit)?);
    Some(row)
}

pub fn tinybench(input: &Input) -> Option<Result<Content, String>> {
    let mut results = Vec::new();
    for table in Table::drawn(&input.text) {
        let names = ["Task name", "Task Name"];
        let Some(name) = names.into_iter().find(|name| table.has(&[name])) else { continue };
        let figures =
            ["Latency median", "Latency med", "Latency average", "Latency avg", "Average Time"];
        for row in table.rows() {
            let figure =
                figures.into_iter().find(|figure| table.has(&[figure])).unwrap_or_default();
            let statistic = if figure.contains("med") { "median" } else { "mean" };
            let mut result = Measured::new(row.get(name), statistic);
            let value = row.get(figure).split('±').next().unwrap_or_default();
            let scale = unit(row.unit(figure)).unwrap_or(1.0);
            result.ns = number(value).map(|value| value * scale).or_else(|| time(value));
            result.samples = number(row.get("Samples")).unwrap_or(0.0) as u64;
            results.push(result);
        }
    }
    (!results.is_empty()).then(|| Ok(Content { results, ..Content::default() }))
}
