//! JavaScript's mitata and tinybench, and micro-bmark with its successor jsbt and its model benchmark.
//!
//! Lines are written by `src/index.ts` of paulmillr/micro-bmark at 0473db37, and by `src/benchmark.ts`
//! and `src/benchmark-compare.ts` of paulmillr/jsbt at c138efca; tinybench's JSON by `src/utils.ts` and
//! `src/types.ts` of tinylibs/tinybench at 52fb2be9.

use super::table::Table;
use super::text::{last_word, number, quantity, time, unit};
use super::{Content, Input, Machine, Measured, unread, vitest};
use serde_json::Value;

pub fn mitata(input: &Input) -> Option<Result<Content, String>> {
    let mut content = Content::default();
    for file in &input.json.values {
        let context = &file["context"];
        let mut machine =
            Machine::of([&context["runtime"], &context["version"], &context["cpu"]["name"]]);
        let all = file["benchmarks"].as_array().into_iter().flatten();
        for one in all.filter(|one| one["runs"].is_array() && one["alias"].is_string()) {
            let group = one["group"].as_u64().and_then(|group| file["layout"].get(group as usize));
            let group = group.and_then(|group| group["name"].as_str()).unwrap_or_default();
            for run in one["runs"].as_array().into_iter().flatten() {
                let row = of_run(run, one["alias"].as_str().unwrap_or_default());
                content.results.push(machine.with(row).from("group", group));
            }
        }
    }
    let mut failures = Vec::new();
    let mut machine = Machine::default();
    let mut group = "";
    for line in input.text.lines() {
        if let Some(("cpu" | "runtime", value)) = line.split_once(": ") {
            machine.add(value);
        }
        group = line.strip_prefix("• ").map_or(group, str::trim);
        // In Markdown, bars divide the columns, and times are code.
        let row = line.strip_prefix("| ").map(|row| row.replace(" | ", "  ").replace('`', " "));
        let line = row.as_deref().map_or(line, |row| row.trim_end_matches(['|', ' ']));
        let failed = line.split_once("error: ").filter(|(name, _)| name.ends_with("  "));
        match failed {
            Some((name, why)) => {
                let row = machine.with(Measured::failed(name.trim(), why.trim()));
                failures.push(row.from("group", group));
            }
            None => {
                let row = of_line(line);
                content.results.extend(row.map(|row| machine.with(row).from("group", group)));
            }
        }
    }
    // Other programs have errors, too.
    if content.has_times() {
        content.results.extend(failures.into_iter().filter(|row| !row.name.is_empty()));
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

/// `new Array(512)               509.42 ns/iter 536.53 ns`. A name may have `/iter`, too.
fn of_line(line: &str) -> Option<Measured> {
    line.match_indices("/iter").find_map(|(at, _)| before_iter(&line[..at]))
}

fn before_iter(before: &str) -> Option<Measured> {
    let (before, name_of_unit) = last_word(before)?;
    let (before, value) = last_word(before)?;
    let ns = number(value)? * unit(name_of_unit)?;
    let words: Vec<&str> = before.split_whitespace().collect();
    // Rust's tests print `bench: 98 ns/iter`.
    let is_named = words.last().is_some_and(|last| !last.ends_with(':'));
    is_named.then(|| Measured { ns: Some(ns), ..Measured::new(&words.join(" "), "mean") })
}

/// The time in a cell such as `63768 ± 4.02%`.
fn of_cell(name: &str, column: &str, cell: &str, scale: f64) -> Measured {
    let statistic = if column.contains("med") { "median" } else { "mean" };
    let mut result = Measured::new(name, statistic);
    let value = cell.split('±').next().unwrap_or_default();
    result.ns = number(value).map(|value| value * scale).or_else(|| time(value));
    result
}

/// The names of tinybench's figures, before their unit.
const LATENCIES: [&str; 5] =
    ["Latency median", "Latency med", "Latency average", "Latency avg", "Average Time"];

/// A row of the list that `bench.table()` returns.
fn of_table(row: &Value) -> Option<Measured> {
    let name = row["Task name"].as_str().or(row["Task Name"].as_str())?;
    let mut columns = LATENCIES.iter().map(|name| format!("{name} (ns)"));
    let Some(column) = columns.find(|column| !row[column].is_null()) else {
        let why = row["Error"].as_str().unwrap_or("it has no time");
        return Some(Measured::failed(name, why));
    };
    let cell = row[&column].as_str().map_or_else(|| row[&column].to_string(), str::to_string);
    let mut result = of_cell(name, &column, &cell, 1.0);
    result.samples = row["Samples"].as_u64().unwrap_or(0);
    if let Some(why) = row["Error"].as_str() {
        result.error = Some(why.to_string());
    }
    Some(result)
}

/// A task with its result, in ms: since version 3 with `latency`, before without.
fn of_task(row: &Value) -> Option<Measured> {
    let (name, result) = (row["name"].as_str()?, &row["result"]);
    if !result.is_object() {
        return None;
    }
    let mut measured = Measured::new(name, "");
    let latency = &result["latency"];
    let (stats, median) = if latency.is_object() { (latency, "p50") } else { (result, "") };
    vitest::fill(&mut measured, stats, median);
    let samples = stats["samples"].as_array();
    let count = stats["samplesCount"].as_u64();
    measured.samples = count.or(samples.map(|all| all.len() as u64)).unwrap_or(0);
    let error = &result["error"];
    if !error.is_null() || ["errored", "aborted"].iter().any(|state| result["state"] == *state) {
        let why = error["message"].as_str().or(error.as_str()).unwrap_or("it failed");
        measured.error = Some(why.to_string());
    }
    (measured.ns.is_some() || measured.error.is_some()).then_some(measured)
}

/// Lines such as `sha256 32B x 1,968,503 ops/sec @ 508ns/op`. Rows of a tree have the name of the
/// group above them.
pub fn micro_bmark(input: &Input) -> Option<Result<Content, String>> {
    let mut results = Vec::new();
    let (mut group, mut section) = ("", "");
    let mut waiting = Vec::new();
    for line in input.text.lines() {
        let trimmed = line.trim();
        let own = trimmed.trim_start_matches(['├', '└', '─', '│', ' ']);
        if let Some(title) = trimmed.strip_prefix('#') {
            section = title.trim_start_matches('#').trim();
        } else if let Some(row) = of_rate(own) {
            let is_in_group = own.len() < trimmed.len() && !group.is_empty();
            let before = if is_in_group { format!("{group}/") } else { String::new() };
            let name = before + &row.name;
            results.push(Measured { name, ..row }.from("section", section));
        } else if let Some(row) = once(own) {
            waiting.push((results.len(), row));
        } else if own == trimmed && !trimmed.is_empty() {
            group = trimmed;
        }
    }
    // Other programs print such lines, too.
    if !results.is_empty() {
        waiting.into_iter().rev().for_each(|(at, row)| results.insert(at, row));
    }
    (!results.is_empty()).then(|| Ok(Content { results, ..Content::default() }))
}

/// A function that was called once: `scrypt 94ms`.
fn once(line: &str) -> Option<Measured> {
    let (name, taken) = line.rsplit_once(' ')?;
    let (value, name_of_unit) = quantity(taken)?;
    // `Done in 12s`
    if unread::ends_in_talk(name) {
        return None;
    }
    let is_known = ["min", "s", "ms", "μs", "ns"].contains(&name_of_unit) && value.fract() == 0.0;
    let mut row = Measured::new(name.trim(), "first call");
    row.ns = Some(value * unit(name_of_unit)?);
    (is_known && !taken.contains(['+', '-', '.', ','])).then_some(row)
}

/// The time is rounded to a whole number of its unit, and so is the rate: the one with more digits
/// counts.
fn of_rate(line: &str) -> Option<Measured> {
    let mark = "/sec";
    line.match_indices(mark).find_map(|(at, _)| around_rate(&line[..at], &line[at + mark.len()..]))
}

fn around_rate(before: &str, after: &str) -> Option<Measured> {
    let (before, what) = last_word(before)?;
    let (before, rate) = last_word(before)?;
    let rate = number(rate)?;
    let has_time = after.trim_start().starts_with('·');
    let before = match last_word(before) {
        Some((before, "x")) => before,
        _ if has_time => before,
        _ => return None,
    };
    let words: Vec<&str> = before.split_whitespace().collect();
    let mut row = Measured::new(&words.join(" "), "mean");
    if what != "ops" {
        row.error = Some(format!("{rate} {what}/sec is a rate of something other than calls"));
        return Some(row);
    }
    let time =
        after.split_once("/op").and_then(|(time, _)| quantity(time.trim_matches([' ', '@', '·'])));
    let time = time.and_then(|(value, name)| Some((value, unit(name)?)));
    let by_rate = 1e9 / rate;
    row.ns = match time {
        Some((value, scale)) if value.abs() > rate.abs() => Some(value * scale),
        _ => Some(by_rate),
    };
    if time.is_none() && after.trim_start().starts_with(['@', '·']) {
        row.error = Some("its time cannot be read: is its row cut off?".to_string());
    }
    // In a language whose thousands have points, 968.503 is not a decimal. Both figures are rounded.
    if let Some((value, scale)) = time.filter(|_| rate > 0.0)
        && ((value + 1.0) * scale * 3.0 < 1e9 / (rate + 1.0)
            || rate > 1.0 && (value - 1.0) * scale > 3.0 * 1e9 / (rate - 1.0))
    {
        row.error = Some(format!("its rate, {rate}, and its time, {value}, do not agree"));
    }
    Some(row)
}

pub fn tinybench(input: &Input) -> Option<Result<Content, String>> {
    let mut results = Vec::new();
    for table in Table::drawn(&input.text) {
        let names = ["Task name", "Task Name"];
        let Some(name) = names.into_iter().find(|name| table.has(&[name])) else { continue };
        let figure = LATENCIES.into_iter().find(|figure| table.has(&[figure]));
        for row in table.rows() {
            let Some(figure) = figure.filter(|figure| !row.get(figure).is_empty()) else {
                let why = Some(row.get("Error")).filter(|why| !why.is_empty());
                results.push(Measured::failed(row.get(name), why.unwrap_or("it has no time")));
                continue;
            };
            let scale = unit(row.unit(figure)).unwrap_or(1.0);
            let mut result = of_cell(row.get(name), figure, row.get(figure), scale);
            result.samples = number(row.get("Samples")).unwrap_or(0.0) as u64;
            results.push(result);
        }
    }
    for row in input.json.values.iter().filter_map(Value::as_array).flatten() {
        results.extend(of_table(row).or_else(|| of_task(row)));
    }
    (!results.is_empty()).then(|| Ok(Content { results, ..Content::default() }))
}
