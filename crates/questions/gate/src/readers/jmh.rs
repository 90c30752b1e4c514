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
                    match of_group(other, &metric.score_unit, Some(row.threads), None) {
                        Some(other) => content.results.push(other),
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

/// The result of a method in a group that runs on these threads, of which it may have its own;
/// nothing if it is none. On one thread there is no group, but a counter. A rate counts
/// the calls of all threads of the method.
fn of_group(
    mut row: Measured,
    unit: &str,
    threads: Option<u64>,
    own: Option<u64>,
) -> Option<Measured> {
    if threads == Some(1) || row.ns.is_none() {
        return None;
    }
    if unit.starts_with("ops/") && own.is_none() {
        let what = "JMH does not say here on how many threads of its group it ran: use -bm avgt";
        row.error = Some(what.to_string());
    }
    Some(row)
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
    /// The threads, if they are known.
    threads: Option<u64>,
    /// Those that its method has of a group.
    own_threads: Option<u64>,
    /// The calls of an operation; nothing if they are not known.
    batch: Option<u64>,
    samples: &'a str,
    score: &'a str,
    error: &'a str,
    unit: &'a str,
}

/// Adds the rows of CSV or the printed table.
fn printed(input: &Input, content: &mut Content, left_out: &mut BTreeSet<String>) {
    let mut single = false;
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
                threads: row.get("Threads").parse().ok(),
                own_threads: None,
                batch: Some(1),
                samples: row.get("Samples"),
                score: row.get("Score"),
                error: row.get("Score Error"),
                unit: row.get("Unit"),
            };
            single |= row.mode == "ss";
            add(&row, content, left_out);
        }
    }
    if single {
        let what = "CSV does not say how many calls a batch has: a single shot is read as one call";
        content.notes.push(what.to_string());
    }
    let mut settings = Settings::default();
    let mut header: Option<Vec<&str>> = None;
    let mut rates = false;
    for line in input.text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let Some(version) = line.strip_prefix("# JMH version: ") {
            content.version = version.to_string();
        } else if let Some(machine) = line.strip_prefix("# VM version: ") {
            content.machine = machine.to_string();
        } else if line.starts_with("# Threads: ") {
            settings.threads.extend(words.get(2).and_then(|n| n.parse::<u64>().ok()));
            settings.add_group(line);
        } else if let Some(measurement) = line.strip_prefix("# Measurement: ") {
            let batch = measurement.strip_suffix(" calls per op");
            let batch = batch.and_then(|before| before.rsplit(' ').next()?.parse().ok());
            settings.batches.insert((measurement.contains("single-shot"), batch.unwrap_or(1)));
        } else if words.first() == Some(&"Benchmark") && words.contains(&"Mode") {
            let names = words[1..].iter().take_while(|word| **word != "Mode");
            header = Some(names.map(|name| name.trim_matches(['(', ')'])).collect());
        } else if let Some(names) = header.as_ref() {
            match of_line(&words, names, &settings) {
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
    let threads = settings.threads;
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

/// The settings of all benchmarks that the output names before its table.
#[derive(Default)]
struct Settings {
    threads: BTreeSet<u64>,
    /// The threads of each method of a group.
    groups: BTreeMap<String, BTreeSet<u64>>,
    /// Whether an iteration is a single shot, and the calls of its operation.
    batches: BTreeSet<(bool, u64)>,
}

impl Settings {
    /// `# Threads: 8 threads (2 groups; 3x "reader", 1x "writer" in each group), will synchronize`
    fn add_group(&mut self, line: &str) {
        let Some((_, group)) = line.split_once('(') else { return };
        let Some((groups, methods)) = group.split_once(';') else { return };
        let groups = groups.split(' ').next().and_then(|n| n.parse::<u64>().ok());
        for method in methods.split(',') {
            let Some((many, rest)) = method.trim().split_once("x \"") else { continue };
            let (label, _) = rest.split_once('"').unwrap_or((rest, ""));
            let all =
                groups.zip(many.parse().ok()).map(|(groups, many)| groups.saturating_mul(many));
            self.groups.entry(label.to_string()).or_default().extend(all);
        }
    }

    /// The threads of a method, unless several groups have one of its name.
    fn of_group(&self, label: &str) -> Option<u64> {
        let threads = self.groups.get(label).filter(|threads| threads.len() == 1)?;
        threads.first().copied()
    }

    /// The calls of an operation, unless several benchmarks differ in them.
    fn batch(&self, is_single: bool) -> Option<u64> {
        let mut batches = self.batches.iter().filter(|(single, _)| *single == is_single);
        let batch = batches.next().map_or(1, |(_, batch)| *batch);
        batches.next().is_none().then_some(batch)
    }
}

/// `Gcm.seal  1024  avgt  15  702.914 ± 3.007  ns/op`
fn of_line<'a>(words: &[&'a str], names: &[&'a str], settings: &Settings) -> Option<Row<'a>> {
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
        threads: settings.threads.last().copied(),
        own_threads: words[0].split_once(':').and_then(|(_, label)| settings.of_group(label)),
        batch: settings.batch(words[mode] == "ss"),
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
    let threads = row.own_threads.or(row.threads).unwrap_or(1);
    if threads > 1 {
        result.add("threads", threads);
    }
    result.samples = row.samples.parse().unwrap_or(0);
    let of = Unit { name: row.unit, threads, scale: 1.0 / row.batch.unwrap_or(1).max(1) as f64 };
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
    if row.batch.is_none() {
        let what = "the benchmarks differ in the calls of a batch: use -rf json";
        result.error = Some(what.to_string());
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
    let result = Some(result.from("mode", row.mode));
    let result = match label {
        "" => result,
        _ => result.and_then(|result| of_group(result, row.unit, row.threads, row.own_threads)),
    };
    match result {
        Some(result) => content.results.push(result),
        None => drop(left_out.insert(label.trim_start_matches('·').to_string())),
    }
}

/// A number, which has no commas between thousands, but perhaps a language's decimal comma.
fn decimal(text: &str) -> Option<f64> {
    text.replace(',', ".").parse().ok()
}
