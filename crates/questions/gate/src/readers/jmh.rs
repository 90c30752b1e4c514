//! JMH: an array of benchmarks (`-rf json`), each with a mode, parameters and a primary metric;
//! CSV; or the table that it prints.

use super::table::Table;
use super::text::per_call;
use super::{Content, Input, Measured};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The fields that are used; JMH writes more. kotlinx-benchmark leaves out the JVM's.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Benchmark {
    #[serde(default)]
    jmh_version: String,
    benchmark: String,
    mode: String,
    #[serde(default)]
    params: BTreeMap<String, String>,
    #[serde(default = "one")]
    threads: u64,
    #[serde(default = "one")]
    forks: u64,
    #[serde(default = "one")]
    measurement_iterations: u64,
    #[serde(default = "one")]
    measurement_batch_size: u64,
    #[serde(default)]
    jdk_version: String,
    #[serde(default)]
    vm_name: String,
    primary_metric: Metric,
    #[serde(default)]
    secondary_metrics: BTreeMap<String, Metric>,
}

fn one() -> u64 {
    1
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metric {
    /// A number, or the text `NaN`.
    score: Value,
    #[serde(default)]
    score_confidence: Vec<Value>,
    #[serde(default)]
    score_percentiles: BTreeMap<String, Value>,
    score_unit: String,
    #[serde(default)]
    raw_data: Value,
}

pub fn read(input: &Input) -> Option<Result<Content, String>> {
    let mut content = Content::default();
    let mut left_out = BTreeSet::new();
    let lists = input.json.values.iter().filter_map(Value::as_array);
    for row in lists.flatten().filter(|row| row["primaryMetric"].is_object()) {
        match Benchmark::deserialize(row) {
            Ok(row) if !row.jmh_version.is_empty() && !row.jmh_version.starts_with("1.") => {
                let version = &row.jmh_version;
                return Some(Err(format!(
                    "it is from JMH {version}; this cupel knows JMH 1: use a newer cupel"
                )));
            }
            Ok(row) => {
                content.version.clone_from(&row.jmh_version);
                let result = measured(&row, "", &row.primary_metric);
                content.results.push(result.from("mode", &row.mode));
                for (label, metric) in &row.secondary_metrics {
                    let other = measured(&row, label, metric);
                    match other.ns {
                        Some(_) => content.results.push(other),
                        None => drop(left_out.insert(label.trim_start_matches('·').to_string())),
                    }
                }
            }
            Err(e) => {
                let name = row["benchmark"].as_str().unwrap_or("a row without a name");
                content.results.push(Measured::failed(name, e.to_string()));
            }
        }
    }
    printed(input, &mut content, &mut left_out);
    content.leave_out(left_out.iter().map(String::as_str));
    (!content.results.is_empty()).then_some(Ok(content))
}

fn measured(benchmark: &Benchmark, label: &str, metric: &Metric) -> Measured {
    let between = if label.is_empty() { "" } else { ":" };
    let mut result = Measured::new(&format!("{}{between}{label}", benchmark.benchmark), "");
    result.statistic = statistic(&benchmark.mode);
    result.machine = format!("{} {}", benchmark.vm_name, benchmark.jdk_version).trim().to_string();
    result.samples = benchmark.forks.max(1).saturating_mul(benchmark.measurement_iterations);
    for (key, value) in &benchmark.params {
        result.add(key, value);
    }
    if benchmark.threads > 1 {
        result.add("threads", benchmark.threads);
    }
    let Some(score) = metric.score.as_f64() else {
        result.error = Some("JMH gives no score".to_string());
        return result;
    };
    // An operation is a batch of calls.
    let scale = 1.0 / benchmark.measurement_batch_size.max(1) as f64;
    let of = Unit { name: &metric.score_unit, threads: benchmark.threads, scale };
    result.set(of.ns(score));
    let median = metric.score_percentiles.get("50.0").and_then(Value::as_f64);
    if benchmark.mode == "sample"
        && let Some(median) = median
    {
        result.set(of.ns(median));
        result.statistic = "median (sample)".to_string();
        return result;
    }
    let ends = metric.score_confidence.iter().filter_map(Value::as_f64);
    let mut ends: Vec<f64> = ends.filter_map(|end| of.ns(end).ok()).collect();
    if metric.score_unit.starts_with("ops/") {
        ends.reverse();
    }
    if let [low, high] = ends[..] {
        // The interval of a mean of few iterations may extend below zero.
        let below = low < 0.0 || high < 0.0 || !high.is_finite();
        (result.low, result.high) = if below { (None, None) } else { (Some(low), Some(high)) };
    }
    let forks = metric.raw_data.as_array().into_iter().flatten().flat_map(Value::as_array);
    let scores = forks.flatten().filter_map(Value::as_f64);
    result.values = scores.filter_map(|score| of.ns(score).ok()).collect();
    result
}

/// The unit of a score.
struct Unit<'a> {
    name: &'a str,
    threads: u64,
    /// The share of a call in an operation.
    scale: f64,
}

impl Unit<'_> {
    fn ns(&self, score: f64) -> Result<f64, String> {
        // A time that is not per operation measures something else, such as garbage collection.
        if !self.name.contains('/') {
            return Err(format!("{score} {} is not a time per call", self.name));
        }
        per_call(score, self.name, self.threads).map(|ns| ns * self.scale)
    }
}

/// The statistic of a mode's score.
fn statistic(mode: &str) -> String {
    match mode {
        "avgt" => "mean".to_string(),
        "ss" => "first call (ss)".to_string(),
        mode => format!("mean ({mode})"),
    }
}

/// A row of CSV or of the printed table.
struct Row<'a> {
    name: &'a str,
    /// Whether it has more words than parameters.
    is_cut: bool,
    parameters: Vec<(&'a str, &'a str)>,
    mode: &'a str,
    threads: u64,
    samples: &'a str,
    score: &'a str,
    error: &'a str,
    unit: &'a str,
}

/// Adds the rows of CSV or the printed table.
fn printed(input: &Input, content: &mut Content, left_out: &mut BTreeSet<String>) {
    for table in Table::csv(&input.text, "Benchmark").iter().filter(|t| t.has(&["Mode", "Score"])) {
        for row in table.rows() {
            let parameters = row.cells().filter_map(|(column, value)| {
                Some((column.strip_prefix("Param: ")?, value))
                    .filter(|(_, value)| !value.is_empty())
            });
            let row = Row {
                name: row.get("Benchmark"),
                is_cut: false,
                parameters: parameters.collect(),
                mode: row.get("Mode"),
                threads: row.get("Threads").parse().unwrap_or(1),
                samples: row.get("Samples"),
                score: row.get("Score"),
                error: row.get("Score Error"),
                unit: row.get("Unit"),
            };
            add(&row, content, left_out);
        }
    }
    let mut threads = BTreeSet::new();
    let mut header: Option<Vec<&str>> = None;
    let mut rates = false;
    for line in input.text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let Some(version) = line.strip_prefix("# JMH version: ") {
            content.version = version.to_string();
        } else if let Some(machine) = line.strip_prefix("# VM version: ") {
            content.machine = machine.to_string();
        } else if line.starts_with("# Threads: ") {
            threads.extend(words.get(2).and_then(|n| n.parse::<u64>().ok()));
        } else if words.first() == Some(&"Benchmark") && words.contains(&"Mode") {
            let names = words[1..].iter().take_while(|word| **word != "Mode");
            header = Some(names.map(|name| name.trim_matches(['(', ')'])).collect());
        } else if let Some(names) = header.as_ref() {
            match of_line(&words, names, &threads) {
                Some(row) if row.is_cut => {
                    let what =
                        "a parameter has spaces, so its parameters are not known: use -rf json";
                    content.results.push(Measured::failed(row.name, what));
                }
                Some(row) => {
                    rates |= row.mode == "thrpt" && row.unit.starts_with("ops/");
                    add(&row, content, left_out);
                }
                None => {}
            }
        }
    }
    if rates && threads.is_empty() {
        let what =
            "the table does not say on how many threads: a throughput is read as that of one";
        content.notes.push(what.to_string());
    } else if rates && threads.len() > 1 {
        let what = "it has several numbers of threads, and a throughput is read as that of the most: \
                    use -rf json";
        content.notes.push(what.to_string());
    }
}

/// `Gcm.seal  1024  avgt  15  702.914 ± 3.007  ns/op`
fn of_line<'a>(words: &[&'a str], names: &[&'a str], threads: &BTreeSet<u64>) -> Option<Row<'a>> {
    let mode = words.iter().position(|word| ["thrpt", "avgt", "sample", "ss"].contains(word))?;
    let mut figures = words.get(mode + 1..)?.to_vec();
    let unit = figures.pop()?;
    let error = match figures[..] {
        [.., "±", error] => {
            figures.truncate(figures.len() - 2);
            error
        }
        _ => "",
    };
    // A score that is too small for its unit is `≈ 10⁻³`.
    let score = figures.pop()?;
    let approximate = figures.last() == Some(&"≈");
    // The program may print other lines between the rows.
    let is_score = decimal(score).is_some() || score.starts_with("10");
    let is_unit = unit.contains('/') || words[0].trim_end_matches(':').contains(':');
    let may_fail = per_call(1.0, unit, 1).is_ok();
    if mode == 0 || !is_unit || !(is_score || may_fail) || figures.len() > 2 {
        return None;
    }
    let own = words.get(1..mode)?;
    let parameters = names.iter().copied().zip(own.iter().copied());
    Some(Row {
        name: words[0],
        is_cut: own.len() > names.len(),
        parameters: parameters.filter(|(_, value)| *value != "N/A").collect(),
        mode: words[mode],
        threads: threads.last().copied().unwrap_or(1),
        samples: figures.first().copied().filter(|_| !approximate).unwrap_or("1"),
        score: if approximate { "≈" } else { score },
        error,
        unit,
    })
}

fn add(row: &Row<'_>, content: &mut Content, left_out: &mut BTreeSet<String>) {
    let (name, label) = row.name.split_once(':').unwrap_or((row.name, ""));
    let mut result = Measured::new(row.name, &statistic(row.mode));
    for (key, value) in &row.parameters {
        result.add(key, value);
    }
    if row.threads > 1 {
        result.add("threads", row.threads);
    }
    result.samples = row.samples.parse().unwrap_or(0);
    let of = Unit { name: row.unit, threads: row.threads, scale: 1.0 };
    match decimal(row.score) {
        Some(score) => result.set(of.ns(score)),
        None if row.score == "≈" => {
            result.error = Some("its score is too small for its unit: use -tu ns".to_string());
        }
        None => result.error = Some("JMH gives no score".to_string()),
    }
    if label.contains("p0.50") || label.contains("p1.00") || label.contains("p0.") {
        // The percentiles of a sample; its median is the better figure.
        let sample = content.results.iter_mut().rev().find(|known| known.name == name);
        if let Some(sample) = sample.filter(|_| label.ends_with("p0.50")) {
            sample.ns = result.ns;
            sample.statistic = "median (sample)".to_string();
            (sample.low, sample.high) = (None, None);
        }
        return;
    }
    if !label.is_empty() && result.ns.is_none() {
        left_out.insert(label.trim_start_matches('·').to_string());
        return;
    }
    if let Some((score, error)) =
        decimal(row.score).zip(decimal(row.error)).filter(|(_, e)| e.is_finite())
    {
        let ends = [score - error, score + error].map(|end| of.ns(end));
        if let [Ok(one), Ok(other)] = ends
            && score > error
        {
            (result.low, result.high) = (Some(one.min(other)), Some(one.max(other)));
        }
    }
    content.results.push(result.from("mode", row.mode));
}

/// A number, which has no commas between thousands, but perhaps a language's decimal comma.
fn decimal(text: &str) -> Option<f64> {
    text.replace(',', ".").parse().ok()
}
