//! .NET's BenchmarkDotNet: its JSON, CSV, or the table that it prints.

use super::table::{Row, Table};
use super::text::{time, unit};
use super::{Content, Input, Measured};
use serde_json::Value;

pub fn read(input: &Input) -> Option<Result<Content, String>> {
    let mut content = Content::default();
    for file in input.json.values.iter().filter(|file| file["Benchmarks"].is_array()) {
        let host = &file["HostEnvironmentInfo"];
        content.version = host["BenchmarkDotNetVersion"].as_str().unwrap_or_default().to_string();
        for what in
            [&host["ProcessorName"], &host["RuntimeVersion"]].into_iter().filter_map(Value::as_str)
        {
            content.add_to_machine(what);
        }
        content.results.extend(file["Benchmarks"].as_array().into_iter().flatten().map(of_json));
    }
    let mut tables = Table::drawn(&input.text);
    tables.extend(Table::csv(&input.text, "Method"));
    tables.retain(|table| table.has(&["Method", "Mean"]));
    for table in &tables {
        content
            .results
            .extend(table.rows().filter(|row| !row.get("Method").is_empty()).map(of_row));
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

fn of_row(row: Row<'_>) -> Measured {
    // The median has a column only if some distribution is skewed, which may be chance.
    let figure = row.get("Mean");
    let mut result = Measured::new(row.get("Method"), "mean");
    let scale = unit(row.unit("Mean"));
    result.ns = time(figure).or_else(|| Some(super::text::number(figure)? * scale?));
    if result.ns.is_none() {
        result.error = Some(format!("its time is \"{figure}\""));
    }
    let before =
        row.cells().take_while(|(column, _)| !FIGURES.iter().any(|f| column.starts_with(f)));
    for (column, value) in
        before.filter(|(column, value)| *column != "Method" && !USUAL.contains(value))
    {
        result.add(column, value);
    }
    result
}

/// The settings of a job that were not chosen.
const USUAL: [&str; 4] = ["", "Default", "DefaultJob", "?"];
