//! Rust's `#[bench]`, and `critcmp`.

use super::text::{number, time, unit, whole};
use super::{Content, DID_NOT_END, Input, Measured, cargo, criterion};
use serde_json::Value;
use std::collections::BTreeMap;

pub fn libtest(input: &Input) -> Option<Result<Content, String>> {
    let mut content = Content::default();
    let mut program = Program::default();
    // Tests fail, too.
    let mut ended: Vec<Measured> = Vec::new();
    let mut started: Vec<Measured> = Vec::new();
    for value in &input.json.values {
        match (value["type"].as_str(), value["event"].as_str()) {
            (Some("suite"), Some("started")) => program.number += 1,
            (Some("bench"), _) => {
                let mut row = Measured::new(value["name"].as_str().unwrap_or_default(), "median");
                row.ns = value["median"].as_f64();
                started.retain(|one| one.name != row.name);
                content.results.push(program.of(row));
            }
            (Some("test"), Some("started")) => {
                let name = value["name"].as_str().unwrap_or_default();
                started.extend(did_not_end(name).map(|row| program.of(row)));
            }
            (Some("test"), Some(event @ ("ok" | "failed" | "ignored"))) => {
                let name = value["name"].as_str().unwrap_or_default();
                started.retain(|one| one.name != name);
                ended.extend((event == "failed").then(|| program.of(failed(name))));
            }
            _ => {}
        }
    }
    ended.extend(started);
    // A benchmark that prints separates its name from its figures.
    let mut waiting = "";
    for line in input.text.lines() {
        program.binary = cargo::running(line).unwrap_or(program.binary);
        if is_beginning(line) {
            ended.extend(did_not_end(waiting).map(|row| program.of(row)));
            waiting = "";
            program.number += 1;
            *program.begun.entry(program.binary).or_default() += 1;
        }
        let named = line.strip_prefix("test ").or(line.trim().strip_prefix("test "));
        let named = named.and_then(|test| test.split_once(" ... "));
        if named.is_some() {
            ended.extend(did_not_end(waiting).map(|row| program.of(row)));
        }
        let (name, rest) = named.unwrap_or((waiting, line));
        let state = rest.split([' ', ',']).next().unwrap_or_default();
        waiting = if ["ok", "ignored"].contains(&state) { "" } else { name };
        if rest.trim() == "FAILED" && !name.is_empty() {
            ended.push(program.of(failed(name)));
            waiting = "";
            continue;
        }
        let Some((_, figures)) = rest.rsplit_once("bench:").filter(|_| !name.is_empty()) else {
            continue;
        };
        let unreadable = || Measured::failed(name, "its figures cannot be read");
        if let Some(row) = bench(name, figures).or_else(|| named.map(|_| unreadable())) {
            content.results.push(program.of(row));
            waiting = "";
        }
    }
    ended.extend(did_not_end(waiting).map(|row| program.of(row)));
    if content.has_times() {
        content.results.extend(ended);
    }
    (!content.results.is_empty()).then_some(Ok(content))
}

fn failed(name: &str) -> Measured {
    Measured::failed(name, "it failed")
}

/// The benchmark that waits for its figures, if there is one.
fn did_not_end(name: &str) -> Option<Measured> {
    (!name.is_empty()).then(|| Measured::failed(name, DID_NOT_END))
}

/// The program whose results follow: two may have benchmarks of one name.
#[derive(Default)]
struct Program<'a> {
    /// Its source, if Cargo's lines are there.
    binary: &'a str,
    /// How many programs have begun.
    number: usize,
    /// How many of each source: with other features, the same names are other benchmarks.
    begun: BTreeMap<&'a str, usize>,
}

impl Program<'_> {
    fn of(&self, row: Measured) -> Measured {
        match (self.binary, self.number) {
            ("", 0) => row.from("program", ""),
            ("", number) => row.from("program", &number.to_string()),
            (binary, _) => match self.begun.get(binary) {
                Some(run @ 2..) => row.from("bench", &format!("{binary} (run {run})")),
                _ => row.from("bench", binary),
            },
        }
    }
}

/// `running 2 tests`
fn is_beginning(line: &str) -> bool {
    let count = line.strip_prefix("running ").and_then(|line| line.split_once(" test"));
    count.is_some_and(|(count, _)| count.parse::<u32>().is_ok())
}

/// `sha256_1k  ... bench:       4,611.27 ns/iter (+/- 301.10) = 222 MB/s`
fn bench(name: &str, figures: &str) -> Option<Measured> {
    let mut row = Measured::new(name.trim(), "median");
    let words: Vec<&str> = figures.split_whitespace().collect();
    row.ns = number(words.first()?);
    let scale = words.get(1)?.strip_suffix("/iter").and_then(unit)?;
    row.ns = row.ns.map(|ns| ns * scale);
    if let [.., "=", rate, "MB/s"] = words[..]
        && let Some(rate) = number(rate)
    {
        // The rate is cut off to a whole number.
        let rate = rate + 0.5;
        row.bytes = row.ns.and_then(|ns| whole(rate * ns / 1e3, 0.5 / rate));
    }
    Some(row)
}

pub fn critcmp(input: &Input) -> Option<Result<Content, String>> {
    let mut content = Content::default();
    let exports = input.json.values.iter().filter(|value| value["benchmarks"].is_object());
    for (_, one) in exports.flat_map(|value| value["benchmarks"].as_object().into_iter().flatten())
    {
        let about = &one["criterion_benchmark_v1"];
        if about.is_object() {
            content.results.push(exported(one, about));
        }
    }
    let mut baselines: Vec<&str> = Vec::new();
    for line in input.text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.first() == Some(&"group") && words.len() > 1 {
            baselines = words[1..].to_vec();
            continue;
        }
        if baselines.is_empty() {
            continue;
        }
        // Missing baselines leave no word, so the place of a figure tells its column.
        let figures: Vec<f64> = words.iter().filter_map(|word| mean(word)).collect();
        // The name may have spaces. Its columns begin with a factor and a time.
        let is_column = |pair: &[&str]| number(pair[0]).is_some() && mean(pair[1]).is_some();
        let Some(first) = words.windows(2).position(is_column).filter(|at| *at > 0) else {
            continue;
        };
        let name = words[..first].join(" ");
        for (ns, place) in figures.iter().zip(0..) {
            let mut row = Measured::new(&name, "mean or slope");
            row.ns = Some(*ns);
            match baselines.get(place).filter(|_| figures.len() == baselines.len()) {
                Some(baseline) => row.add("baseline", baseline),
                None => {
                    row.error = Some("not every baseline has it: use critcmp --export".to_string())
                }
            }
            content.results.push(row);
        }
    }
    (!content.results.is_empty()).then_some(Ok(content))
}

/// `5.4±0.03µs`
fn mean(word: &str) -> Option<f64> {
    let (mean, rest) = word.split_once('±')?;
    let name = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    time(&format!("{mean}{name}"))
}

fn exported(one: &Value, about: &Value) -> Measured {
    let estimates = &one["criterion_estimates_v1"];
    let name = one["fullname"].as_str().or(about["full_id"].as_str()).unwrap_or_default();
    let mut row = Measured::new(name, "mean");
    criterion::estimate(estimates, &mut row);
    row.bytes = criterion::throughput(&about["throughput"]);
    if let Some(baseline) = one["baseline"].as_str() {
        row.add("baseline", baseline);
    }
    row
}
