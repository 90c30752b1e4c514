//! .NET's BenchmarkDotNet: its JSON, CSV, or the table that it prints.

use super::table::{Row, Table};
use super::text::{Separators, split_figure, unit};
use super::{Content, Input, Machine, Measured, join};
use serde_json::Value;

pub fn read(input: &Input) -> Option<Result<Content, String>> {
    let mut content = Content::default();
    for file in input.json.values.iter().filter(|file| file["Benchmarks"].is_array()) {
        let host = &file["HostEnvironmentInfo"];
        join(&mut content.version, host["BenchmarkDotNetVersion"].as_str().unwrap_or_default());
        for row in file["Benchmarks"].as_array().into_iter().flatten() {
            // `B.Sha: .NET 9.0(Runtime=.NET 9.0) [N=64]` ran in another runtime than its host.
            let about = row["DisplayInfo"].as_str().unwrap_or_default();
            let job = about.split_once(": ").map_or("", |(_, job)| job);
            let job = job.split_once(" [").map_or(job, |(job, _)| job);
            let job = job
                .split_once('(')
                .filter(|(id, _)| is_generated(id))
                .map_or(job, |(_, job)| job.trim_end_matches(')'));
            let own = job.split_once("Runtime=").and_then(|(_, own)| own.split([',', ')']).next());
            let runtime = own.map_or_else(|| host["RuntimeVersion"].clone(), Value::from);
            let mut machine = Machine::of([&host["ProcessorName"], &runtime]);
            content.results.push(machine.with(of_json(row)).from("job", job));
        }
    }
    let mut lines = input.text.lines().filter_map(|line| line.trim().strip_prefix("[Host]"));
    if let Some((_, runtime)) = lines.next().and_then(|line| line.split_once(": ")) {
        content.machine = runtime.to_string();
    }
    let mut tables = Table::drawn(&input.text);
    tables.extend(Table::csv(&input.text, "Method"));
    tables.retain(|table| table.has(&["Method", "Mean"]));
    let separators = Separators::used_in(tables.iter().flat_map(|table| table.figures(&FIGURES)));
    for row in tables.iter().flat_map(Table::rows).filter(|row| !row.get("Method").is_empty()) {
        content.results.push(of_row(row, separators));
    }
    (!content.results.is_empty()).then_some(Ok(content))
}

fn of_json(row: &Value) -> Measured {
    let name = row["FullName"].as_str().or(row["DisplayInfo"].as_str()).unwrap_or_default();
    let mut result = Measured::new(name, "median");
    let statistics = &row["Statistics"];
    if statistics.is_null() {
        result.error = Some("it has no statistics: the benchmark failed".to_string());
        return result;
    }
    result.ns = statistics["Median"].as_f64();
    if result.ns.is_none() {
        result.ns = statistics["Mean"].as_f64();
        result.statistic = "mean".to_string();
        let interval = &statistics["ConfidenceInterval"];
        let ends = interval["Lower"].as_f64().zip(interval["Upper"].as_f64());
        (result.low, result.high) = ends.unzip();
    }
    result.samples = statistics["N"].as_u64().unwrap_or(0);
    let values = statistics["OriginalValues"].as_array().into_iter().flatten();
    result.values = values.filter_map(Value::as_f64).collect();
    result
}

/// The columns of results; those before them are parameters.
const FIGURES: [&str; 4] = ["Mean", "Error", "StdDev", "Median"];

fn of_row(row: Row<'_>, separators: Separators) -> Measured {
    // The median has a column only if some distribution is skewed, which may be chance.
    let figure = row.get("Mean");
    let mut result = Measured::new(row.get("Method"), "mean");
    let (value, own) = split_figure(figure);
    let scale = unit(if own.is_empty() { row.unit("Mean") } else { own });
    match separators.value(value).zip(scale) {
        Some((value, scale)) => result.set(value.map(|value| value * scale)),
        None => result.error = Some(format!("its time is \"{figure}\"")),
    }
    let before =
        row.cells().take_while(|(column, _)| !FIGURES.iter().any(|f| column.starts_with(f)));
    for (column, value) in before {
        if column != "Method" && !USUAL.contains(&value) && !is_generated(value) {
            result.add(column, value);
        }
    }
    result
}

/// Whether a job has no name of its own but one such as `Job-ABCDEF`, which may differ in each execution.
fn is_generated(job: &str) -> bool {
    let id = job.strip_prefix("Job-").unwrap_or_default();
    id.len() == 6 && id.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// The settings of a job that were not chosen.
const USUAL: [&str; 4] = ["", "Default", "DefaultJob", "?"];
