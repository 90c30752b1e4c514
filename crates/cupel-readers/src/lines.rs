//! A format that any program can write: lines of `name value unit`, or JSON with these three, as
//! the charts of github-action-benchmark have it.

use crate::text::{number, per_call};
use crate::{Content, Input, Measured};
use serde_json::Value;

pub fn read(input: &Input) -> Option<Result<Content, String>> {
    let mut results = Vec::new();
    for value in &input.json.values {
        results.extend(value.as_array().into_iter().flatten().filter_map(of_json));
        for entry in
            value["entries"].as_object().into_iter().flatten().flat_map(|(_, list)| list.as_array())
        {
            results.extend(entry.iter().flat_map(of_commit));
        }
    }
    let lines = input.text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let rows: Vec<Option<Measured>> = lines.map(of_line).collect();
    // It is recognised by having a time, and nothing else.
    let timed = rows.iter().flatten().any(|row| row.ns.is_some());
    if input.chosen || (timed && rows.iter().all(Option::is_some)) {
        results.extend(rows.into_iter().flatten());
    }
    (!results.is_empty()).then(|| Ok(Content { results, ..Content::default() }))
}

fn of_json(row: &Value) -> Option<Measured> {
    let (name, value, unit) = (row["name"].as_str()?, &row["value"], row["unit"].as_str()?);
    let value = value.as_f64().or_else(|| value.as_str().and_then(number))?;
    Some(of(name, value, unit))
}

/// The results of one commit in a history of them.
fn of_commit(entry: &Value) -> Vec<Measured> {
    let commit = entry["commit"]["id"].as_str().unwrap_or_default();
    let rows = entry["benches"].as_array().into_iter().flatten().filter_map(of_json);
    rows.map(|mut row| {
        row.add("commit", commit.chars().take(7).collect::<String>());
        row
    })
    .collect()
}

fn of_line(line: &str) -> Option<Measured> {
    let mut words: Vec<&str> = line.split_whitespace().collect();
    let (unit, value) = (words.pop()?, number(words.pop()?)?);
    let name = words.join(" ");
    let is_unit = !unit.starts_with(|c: char| c.is_ascii_digit());
    (!name.is_empty() && is_unit).then(|| of(name.trim_end_matches([':', '=', ' ']), value, unit))
}

fn of(name: &str, value: f64, unit: &str) -> Measured {
    let mut row = Measured::new(name, "as given");
    row.set(per_call(value, unit, 1));
    row
}
