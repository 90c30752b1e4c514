//! `deno bench`: its JSON, in ns, or the table that it prints.
//!
//! Written by `cli/tools/bench/reporters.rs` and `mitata.rs` of denoland/deno at 98f9507a. Until 2.3
//! the table has no lines between its columns.

use super::text::{last_word, number, unit};
use super::{Content, Input, Machine, Measured};
use serde_json::Value;

pub fn read(input: &Input) -> Option<Result<Content, String>> {
    let mut content = Content::default();
    for file in input.json.values.iter().filter(|file| file["benches"].is_array()) {
        let mut machine = Machine::of([&file["runtime"], &file["cpu"]]);
        for one in file["benches"].as_array().into_iter().flatten() {
            let results = one["results"].as_array().into_iter().flatten();
            content.results.extend(results.map(|result| machine.with(of_json(one, result))));
        }
    }
    printed(&input.text, &mut content);
    (!content.results.is_empty()).then_some(Ok(content))
}

/// A benchmark's name with its group, and the file that it is in.
fn named(group: &str, name: &str, file: &str) -> Measured {
    let between = if group.is_empty() { "" } else { " > " };
    Measured::new(&format!("{group}{between}{name}"), "mean").from("file", file)
}

fn of_json(one: &Value, result: &Value) -> Measured {
    let [group, name, file] =
        ["group", "name", "origin"].map(|key| one[key].as_str().unwrap_or_default());
    let mut row = named(group, name, file);
    row.ns = result["ok"]["avg"].as_f64();
    row.samples = result["ok"]["n"].as_u64().unwrap_or(0);
    let failed = &result["failed"];
    if !failed.is_null() {
        let why = failed["exceptionMessage"].as_str().or(failed["message"].as_str());
        row.error = Some(why.unwrap_or("it failed").to_string());
    }
    row
}

fn printed(text: &str, content: &mut Content) {
    let (mut is_table, mut file, mut group) = (false, "", "");
    let mut machine = Machine::default();
    for line in text.lines() {
        let line = line.trim();
        let words: Vec<&str> = line.split([' ', '|']).filter(|word| !word.is_empty()).collect();
        if let Some((_, value)) =
            line.split_once(" | ").filter(|(key, _)| ["CPU", "Runtime"].contains(key))
        {
            machine.add(value);
        } else if words.starts_with(&["benchmark", "time/iter", "(avg)"]) {
            is_table = true;
        } else if line.starts_with("file://") {
            (is_table, file, group) = (false, line, "");
        } else if !is_table {
            continue;
        } else if let Some(name) = line.strip_prefix("group ") {
            group = name;
        } else if let Some((name, why)) = line.split_once(" error: ") {
            let name = name.trim_matches(['|', ' ']);
            let mut row = named(group, name, file);
            row.error = Some(why.to_string());
            content.results.push(machine.with(row));
        } else if let Some((name, ns)) = of_line(line) {
            let mut row = named(group, &name, file);
            row.ns = Some(ns);
            content.results.push(machine.with(row));
        }
    }
}

/// `| 10 B   |   368.4 ns |   2,714,000 | (341.2 ns …   1.2 µs) | 370.1 ns | 511.7 ns | 640.2 ns |`
fn of_line(line: &str) -> Option<(String, f64)> {
    let mut searched = 0;
    line.match_indices('…').find_map(|(at, _)| {
        let start = line[searched..at].rfind('(').map(|start| searched + start);
        searched = at;
        before_range(&line[..start?])
    })
}

/// The name and the time in ns before the range of a line.
fn before_range(before: &str) -> Option<(String, f64)> {
    let (before, _rate) = last_word(before.trim_end_matches([' ', '|']))?;
    let (before, name_of_unit) = last_word(before.trim_end_matches([' ', '|']))?;
    let (before, value) = last_word(before)?;
    let value = number(value)?;
    // Minutes are `m` here.
    let scale = if name_of_unit == "m" { unit("min") } else { unit(name_of_unit) };
    let words: Vec<&str> = before.split_whitespace().filter(|word| *word != "|").collect();
    (!words.is_empty()).then_some((words.join(" "), value * scale?))
}
