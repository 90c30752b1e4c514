//! Python's pytest-benchmark: its JSON, in seconds, or the table that it prints.
//!
//! Written by `src/pytest_benchmark/stats.py` (`as_dict`) and `table.py` of
//! ionelmc/pytest-benchmark at 47d66c88.

use super::text::{number, unit};
use super::{BREAKS_OFF, Content, Input, Machine, Measured, join, pyperf};
use serde_json::Value;

pub fn read(input: &Input) -> Option<Result<Content, String>> {
    let mut content = Content::default();
    for file in input.json.values.iter().filter(|file| file["machine_info"].is_object()) {
        join(&mut content.version, file["version"].as_str().unwrap_or_default());
        let machine = &file["machine_info"];
        let name = pyperf::python_of(machine["python_implementation"].as_str().unwrap_or_default());
        let python = machine["python_version"].as_str();
        let python = Value::from(python.map(|version| format!("{name} {version}")));
        let mut machine = Machine::of([&python, &machine["cpu"]["brand_raw"]]);
        let rows = file["benchmarks"].as_array().into_iter().flatten().map(of_json);
        content.results.extend(rows.map(|row| machine.with(row)));
    }
    printed(&input.text, &mut content);
    (!content.results.is_empty()).then_some(Ok(content))
}

fn of_json(one: &Value) -> Measured {
    let name = one["name"].as_str().unwrap_or_default();
    let mut row = Measured::new(name, "median");
    // `tests/test_aead.py::TestGcm::test_seal[1024]`: files and classes may have tests of one name.
    let file = one["fullname"].as_str().and_then(|full| full.strip_suffix(name));
    row = row.from("file", file.map_or("", |file| file.trim_end_matches(':')));
    let stats = &one["stats"];
    row.ns = stats["median"].as_f64().map(|s| s * 1e9);
    row.samples = stats["rounds"].as_u64().unwrap_or(0);
    let values = stats["data"].as_array().into_iter().flatten();
    row.values = values.filter_map(Value::as_f64).map(|s| s * 1e9).collect();
    if stats.is_null() {
        row.error = Some("it has no statistics: the test failed".to_string());
    }
    row
}

/// Adds the rows of the printed tables, which have the columns that the user chose.
fn printed(text: &str, content: &mut Content) {
    let mut table: Option<(Vec<&str>, f64)> = None;
    for line in text.lines() {
        if let Some((name, columns)) =
            line.strip_prefix("Name (time in ").and_then(|line| line.split_once(')'))
        {
            let columns = columns.split_whitespace().filter(|word| !word.starts_with('('));
            table = unit(name).map(|scale| (columns.collect(), scale));
        } else if line.starts_with("platform ") && line.contains(" -- Python ") {
            content.machine = line.to_string();
        } else if line.trim().is_empty() {
            table = None;
        } else if let Some((columns, scale)) = &table {
            content.results.extend(of_line(line, columns, *scale));
        }
    }
}

/// `test_seal[1024]   1.3929 (1.0)   88.2140 (1.51)   311;2216   32514   20`
fn of_line(line: &str, columns: &[&str], scale: f64) -> Option<Measured> {
    let mut words: Vec<&str> = line.split_whitespace().collect();
    let mut figure = None;
    let mut statistic = "";
    let mut samples = 0;
    for column in columns.iter().rev() {
        let mut word = words.pop()?;
        // How many times the best it is.
        if word.starts_with('(') && word.ends_with(')') {
            word = words.pop()?;
        }
        // A row that lacks its last columns would have the figures of others in these.
        if number(word.split_once(';').map_or(word, |(first, _)| first)).is_none()
            || word.contains(';') != (*column == "Outliers")
        {
            let first =
                line.split_whitespace().next().filter(|n| n.contains(char::is_alphabetic))?;
            return Some(Measured::failed(first, BREAKS_OFF));
        }
        match *column {
            "Median" => (figure, statistic) = (number(word), "median"),
            "Mean" if figure.is_none() => (figure, statistic) = (number(word), "mean"),
            "Rounds" => samples = word.parse().unwrap_or(0),
            _ => {}
        }
    }
    if words.is_empty() || figure.is_none() {
        return None;
    }
    let mut row = Measured::new(&words.join(" "), statistic);
    (row.ns, row.samples) = (figure.map(|figure| figure * scale), samples);
    Some(row)
}
