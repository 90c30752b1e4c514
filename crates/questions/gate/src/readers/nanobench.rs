//! C++'s nanobench: the table that it prints, its JSON, or its CSV. Its unit is often a byte.

use super::table::{Row, Table};
use super::text::{number, unit};
use super::{BREAKS_OFF, Content, Input, Measured, json::text};
use serde_json::Value;

pub fn read(input: &Input) -> Option<Result<Content, String>> {
    let files = input.json.values.iter().flat_map(|value| value["results"].as_array());
    let rows = files.flatten().filter(|row| row["median(elapsed)"].is_number());
    let mut results: Vec<Measured> = rows.map(of_json).collect();
    for table in Table::drawn(&input.text) {
        let Some(column) = table
            .header()
            .iter()
            .find(|c| c.split_once('/').is_some_and(|(t, _)| unit(t).is_some()))
        else {
            continue;
        };
        if table.has(&["err%"]) {
            let title = table.header().last().map_or("", String::as_str);
            results.extend(table.rows().map(|row| of_row(row, column, title).from("title", title)));
        }
    }
    for row in Table::csv(&input.text, "title").iter().flat_map(Table::rows) {
        let seconds = number(row.get("elapsed")).zip(number(row.get("batch")));
        let ns = seconds.map(|(s, batch)| s * 1e9 / batch);
        let result = per_unit(row.get("name"), row.get("unit"), ns);
        results.push(result.from("title", row.get("title")));
    }
    (!results.is_empty()).then(|| Ok(Content { results, ..Content::default() }))
}

/// A time for each unit, which is a call unless it is named.
fn per_unit(name: &str, per: &str, ns: Option<f64>) -> Measured {
    let mut row = Measured::new(name.trim(), "median");
    row.ns = ns;
    match per {
        "byte" => row.bytes = Some(1),
        "op" => return row,
        _ => {}
    }
    row.add("per", per);
    row
}

fn of_json(row: &Value) -> Measured {
    let batch = row["batch"].as_f64().unwrap_or(1.0);
    let mut result = per_unit(
        text(row, "name"),
        text(row, "unit"),
        row["median(elapsed)"].as_f64().map(|s| s * 1e9 / batch),
    );
    result.samples = row["epochs"].as_u64().unwrap_or(0);
    result.from("title", text(row, "title"))
}

fn of_row(row: Row<'_>, column: &str, title: &str) -> Measured {
    let (time, per) = column.split_once('/').unwrap_or_default();
    let ns = number(row.get(column)).zip(unit(time)).map(|(value, scale)| value * scale);
    // The last column has the title of the table as its header.
    let name = row.get(title);
    if name.is_empty() {
        return Measured::failed("", BREAKS_OFF);
    }
    // Noise decides whether a row is marked as unstable: its figure is the median in any case.
    let name = name.strip_prefix(":wavy_dash:").unwrap_or(name);
    let name = name.split("` (").next().unwrap_or(name);
    per_unit(name.trim().trim_matches('`'), per, ns)
}
