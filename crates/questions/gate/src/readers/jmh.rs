//! JMH: an array of benchmarks (`-rf json`), each with a mode, parameters and a primary metric;
//! CSV; or the table that it prints.

use super::table::Table;
use super::text::{NOT_A_TIME, per_call};
use super::{BREAKS_OFF, Content, Input, Measured, join};
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
            Ok(one) => {
                join(&mut content.version, &one.jmh_version);
                let of = |result: Measured| {
                    // Two builds of one JDK, or one JDK with other options.
                    let keys = ["mode", "vmVersion", "jvm", "jvmArgs"];
                    keys.into_iter().fold(result, |result, key| {
                        let value = row[key].as_str().map(str::to_string);
                        result.from(key, &value.unwrap_or_else(|| row[key].to_string()))
                    })
                };
                content.results.push(of(measured(&one, "", &one.primary_metric)));
                for (label, metric) in &one.secondary_metrics {
                    let other = measured(&one, label, metric);
                    match of_group(other, &metric.score_unit, Some(one.threads), None) {
                        Some(other) => content.results.push(of(other)),
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
            return Err(format!("{score} {} {NOT_A_TIME}", self.name));
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
#[derive(Default)]
struct Row<'a> {
    name: &'a str,
    parameters: Vec<(&'a str, &'a str)>,
    mode: &'a str,
    /// The threads, if they are known.
    threads: Option<u64>,
    /// Those that its method has of a group.
    own_threads: Option<u64>,
    /// The calls of an operation, if it has several.
    batch: u64,
    /// Why one of these is not known.
    unclear: Option<&'static str>,
    machine: &'a str,
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
                parameters: parameters.collect(),
                mode: row.get("Mode"),
                threads: row.get("Threads").parse().ok(),
                unclear: row.lacks_parameter().then_some(BREAKS_OFF),
                samples: row.get("Samples"),
                score: row.get("Score"),
                error: row.get("Score Error"),
                unit: row.get("Unit"),
                ..Row::default()
            };
            single |= row.mode == "ss";
            add(&row, content, left_out);
        }
    }
    if single {
        let what = "CSV does not say how many calls a batch has: a single shot is read as one call";
        content.notes.push(what.to_string());
    }
    let mut described = Described::default();
    let mut machine = "";
    let mut header: Option<Vec<&str>> = None;
    let mut is_unknown = false;
    let (mut running, mut parameters) = ("", "");
    for line in input.text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        // JMH continues after that, unless it got `-foe true`, and its table has no such row.
        let is_failure = line.ends_with("<failure>") || line.starts_with("<forked VM failed");
        if is_failure && !running.is_empty() {
            content.results.push(failed(std::mem::take(&mut running), parameters, machine));
        }
        if let Some((mark, what)) = line.strip_prefix("# ").and_then(|line| line.split_once(": ")) {
            // After a table, another run begins.
            if DESCRIPTION.contains(&mark) && header.take().is_some() {
                (described, machine) = (Described::default(), "");
            }
            if mark == "Benchmark" {
                (running, parameters) = (what, "");
            }
            match mark {
                "JMH version" => join(&mut content.version, what),
                "VM version" => machine = what,
                "Parameters" => parameters = what,
                _ => described.add(mark, what),
            }
        } else if words.first() == Some(&"Benchmark") && words.contains(&"Mode") {
            let names = words[1..].iter().take_while(|word| **word != "Mode");
            header = Some(names.map(|name| name.trim_matches(['(', ')'])).collect());
        } else if let Some(names) = header.as_ref()
            && let Some(row) = of_line(&words, names, &described, machine)
        {
            is_unknown |= row.threads.is_none() && row.unit.starts_with("ops/");
            add(&row, content, left_out);
        }
    }
    if is_unknown {
        let what =
            "the table does not say on how many threads: a throughput is read as that of one";
        content.notes.push(what.to_string());
    }
}

/// A benchmark that failed, with the name that its row would have: without its package.
fn failed(name: &str, parameters: &str, machine: &str) -> Measured {
    let start = name.rmatch_indices('.').nth(1).map_or(0, |(at, _)| at + 1);
    let mut row = Measured::failed(&name[start..], "it failed");
    row.machine = machine.to_string();
    let all = parameters.strip_prefix('(').and_then(|all| all.strip_suffix(')'));
    for (key, value) in all.unwrap_or("").split(", ").filter_map(|one| one.split_once(" = ")) {
        row.add(key, value);
    }
    row.from("mode", "")
}

/// The marks of lines that describe a benchmark before it runs.
const DESCRIPTION: [&str; 4] = ["JMH version", "VM version", "Threads", "Measurement"];

/// The descriptions of a run's benchmarks, before its table.
#[derive(Default)]
struct Described<'a> {
    all: Settings,
    of: BTreeMap<&'a str, Settings>,
    /// The lines before the next name.
    lines: Vec<(&'a str, &'a str)>,
}

impl<'a> Described<'a> {
    fn add(&mut self, mark: &'a str, what: &'a str) {
        if mark == "Benchmark" {
            let of = self.of.entry(what).or_default();
            self.lines.drain(..).for_each(|(mark, what)| of.add(mark, what));
        } else if DESCRIPTION.contains(&mark) {
            self.all.add(mark, what);
            self.lines.push((mark, what));
        }
    }

    /// The settings of the benchmark with this name, or of all if none or several may be it: the table
    /// abbreviates the package.
    fn of(&self, name: &str) -> &Settings {
        let end: Vec<&str> = name.rsplit('.').take(2).collect();
        let ends_so = |full: &&str| full.rsplit('.').take(2).eq(end.iter().copied());
        let mut known = self.of.iter().filter(|(full, _)| ends_so(full));
        let one = known.next().filter(|_| known.next().is_none());
        one.map_or(&self.all, |(_, settings)| settings)
    }
}

/// The settings of a benchmark, or of several.
#[derive(Default)]
struct Settings {
    threads: BTreeSet<u64>,
    /// The threads of each method of a group.
    groups: BTreeMap<String, BTreeSet<u64>>,
    /// Whether an iteration is a single shot, and the calls of its operation.
    batches: BTreeSet<(bool, u64)>,
}

impl Settings {
    fn add(&mut self, mark: &str, what: &str) {
        if mark == "Threads" {
            self.threads.extend(what.split(' ').next().and_then(|n| n.parse::<u64>().ok()));
            self.add_group(what);
        } else if mark == "Measurement" {
            let batch = what.strip_suffix(" calls per op");
            let batch = batch.and_then(|before| before.rsplit(' ').next()?.parse().ok());
            self.batches.insert((what.contains("single-shot"), batch.unwrap_or(1)));
        }
    }

    /// `8 threads (2 groups; 3x "reader", 1x "writer" in each group), will synchronize`
    fn add_group(&mut self, threads: &str) {
        let Some((_, group)) = threads.split_once('(') else { return };
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

    /// The calls of an operation, of which there may be several numbers.
    fn batches(&self, is_single: bool) -> Vec<u64> {
        let of_kind = self.batches.iter().filter(|(single, _)| *single == is_single);
        of_kind.map(|(_, batch)| *batch).collect()
    }
}

/// `Gcm.seal  1024  avgt  15  702.914 ± 3.007  ns/op`
fn of_line<'a>(
    words: &[&'a str],
    names: &[&'a str],
    described: &Described<'_>,
    machine: &'a str,
) -> Option<Row<'a>> {
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
    let (name, label) = words[0].split_once(':').unwrap_or((words[0], ""));
    let settings = described.of(name);
    let batches = settings.batches(words[mode] == "ss");
    let unclear = match (settings.threads.len(), batches.len()) {
        _ if own.len() > names.len() => {
            Some("a parameter has spaces, so its parameters are not known: use -rf json")
        }
        (2.., _) => Some("the benchmarks differ in their threads: use -rf json"),
        (_, 2..) => Some("the benchmarks differ in the calls of a batch: use -rf json"),
        _ => None,
    };
    Some(Row {
        name: words[0],
        parameters: parameters
            .filter(|(_, value)| *value != "N/A" && own.len() <= names.len())
            .collect(),
        mode: words[mode],
        threads: settings.threads.last().copied(),
        own_threads: settings.of_group(label),
        batch: batches.first().copied().unwrap_or(1),
        unclear,
        machine,
        samples: figures.first().copied().filter(|_| !approximate).unwrap_or("1"),
        score: if approximate { "≈" } else { score },
        error,
        unit,
    })
}

fn add(row: &Row<'_>, content: &mut Content, left_out: &mut BTreeSet<String>) {
    let (name, label) = row.name.split_once(':').unwrap_or((row.name, ""));
    let mut result = Measured::new(row.name, &statistic(row.mode));
    result.machine = row.machine.to_string();
    for (key, value) in &row.parameters {
        result.add(key, value);
    }
    let threads = row.own_threads.or(row.threads).unwrap_or(1);
    if threads > 1 {
        result.add("threads", threads);
    }
    result.samples = row.samples.parse().unwrap_or(0);
    let of = Unit { name: row.unit, threads, scale: 1.0 / row.batch.max(1) as f64 };
    match decimal(row.score) {
        Some(score) => result.set(of.ns(score)),
        None if row.score == "≈" => {
            result.error = Some("its score is too small for its unit: use -tu ns".to_string());
        }
        None => result.error = Some("JMH gives no score".to_string()),
    }
    if label.contains("p0.50") || label.contains("p1.00") || label.contains("p0.") {
        // The percentiles of a sample; its median is the better figure.
        let mut known = content.results.iter_mut().rev();
        let sample =
            known.find(|known| known.name == name && known.parameters == result.parameters);
        if let Some(sample) = sample.filter(|_| label.ends_with("p0.50")) {
            sample.ns = result.ns;
            sample.statistic = "median (sample)".to_string();
            (sample.low, sample.high) = (None, None);
        }
        return;
    }
    if let Some(why) = row.unclear {
        result.error = Some(why.to_string());
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
