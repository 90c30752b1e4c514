//! hyperfine: its JSON, CSV and Markdown, or its output. A call is an execution of the command.

use super::table::{Row, Table};
use super::text::{Separators, time, unit};
use super::{BREAKS_OFF, Content, Input, Measured};
use cupel_base::text::count;
use serde_json::Value;

pub fn read(input: &Input) -> Option<Result<Content, String>> {
    let files = input.json.values.iter().flat_map(|value| value["results"].as_array());
    let rows = files.flatten().filter(|row| row["command"].is_string());
    let mut results: Vec<Measured> = rows.map(of_json).collect();
    for table in Table::csv(&input.text, "command").iter().filter(|table| table.has(&["mean"])) {
        let separators = Separators::used_in(table.figures(&FIGURES));
        results.extend(table.rows().map(|row| of_row(row, "command", "median", "s", separators)));
    }
    for table in Table::drawn(&input.text).iter().filter(|t| t.has(&["Command", "Mean"])) {
        let separators = Separators::used_in(table.figures(&["Mean", "Min", "Max"]));
        let rows = table.rows();
        results.extend(rows.map(|r| of_row(r, "Command", "Mean", r.unit("Mean"), separators)));
    }
    printed(&input.text, &mut results);
    (!results.is_empty()).then(|| Ok(Content { results, ..Content::default() }))
}

/// Adds the results of its output. A command that failed ends it, unless failures are ignored.
fn printed(text: &str, results: &mut Vec<Measured>) {
    let mut name = "";
    let mut waits = false;
    let mut ended = Vec::new();
    for line in text.lines() {
        if let Some((_, command)) = line.strip_prefix("Benchmark ").and_then(|l| l.split_once(": "))
        {
            ended.extend(waits.then_some(name));
            (name, waits) = (command, true);
        } else if let Some(figures) = line.trim().strip_prefix("Time (") {
            let mut row = Measured::new(name, "mean");
            row.ns = figures.split_once("):").and_then(|(_, mean)| {
                let words: Vec<&str> = mean.split_whitespace().take(2).collect();
                time(&words.concat())
            });
            results.push(row);
            waits = false;
        } else if let Some((_, runs)) =
            line.trim_end().strip_suffix(" runs").and_then(|l| l.rsplit_once(' '))
            && let Some(last) = results.last_mut()
        {
            last.samples = runs.parse().unwrap_or(0);
        } else if line.trim() == "Warning: Ignoring non-zero exit code."
            && let Some(last) = results.last_mut()
        {
            let what = "the command failed in some executions; --export-json says in which";
            last.error = Some(what.to_string());
        }
    }
    ended.extend(waits.then_some(name));
    // Other programs number their benchmarks, too.
    if !results.is_empty() {
        let failed = ended.iter().map(|name| Measured::failed(name, "it has no time: it failed"));
        results.extend(failed);
    }
}

fn of_json(row: &Value) -> Measured {
    let mut result = Measured::new(row["command"].as_str().unwrap_or_default(), "median");
    result.ns = row["median"].as_f64().map(|s| s * 1e9);
    let times = row["times"].as_array().into_iter().flatten();
    result.values = times.filter_map(Value::as_f64).map(|s| s * 1e9).collect();
    result.samples = result.values.len() as u64;
    for (name, value) in row["parameters"].as_object().into_iter().flatten() {
        result.add(name, value.as_str().map_or_else(|| value.to_string(), str::to_string));
    }
    let codes = row["exit_codes"].as_array().into_iter().flatten();
    let failed = codes.filter(|code| **code != 0).count();
    if failed > 0 {
        result.error = Some(format!("the command failed in {}", count(failed, "execution")));
    }
    result
}

/// The figures of CSV, which a spreadsheet may have written again.
const FIGURES: [&str; 7] = ["mean", "stddev", "median", "user", "system", "min", "max"];

fn of_row(
    row: Row<'_>,
    name: &str,
    figure: &str,
    name_of_unit: &str,
    separators: Separators,
) -> Measured {
    let statistic = if figure == "median" { "median" } else { "mean" };
    let mut result = Measured::new(row.get(name), statistic);
    let value = row.get(figure).split('±').next().and_then(|mean| separators.value(mean.trim()));
    if let Some((value, scale)) = value.zip(unit(name_of_unit)) {
        result.set(value.map(|value| value * scale));
    }
    for (column, value) in row.cells().filter(|(column, _)| column.starts_with("parameter_")) {
        result.add(column.trim_start_matches("parameter_"), value);
    }
    if row.lacks_parameter() && result.ns.is_some() {
        result.error = Some(BREAKS_OFF.to_string());
    }
    result
}
