//! Google Benchmark's `--benchmark_format=json`: a context, and a row for each repetition and
//! aggregate; its CSV; and the table that it prints.

use super::table::Table;
use super::text::{number, per_call, quantity, unit, whole};
use super::{Content, Input, Measured, join, json::text};
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;

/// The newest of its schemas that is known here; older versions write none.
const SCHEMA: u64 = 1;

/// The fields that are used; there are more.
#[derive(Default, Deserialize)]
struct Row {
    name: String,
    run_name: Option<String>,
    run_type: Option<String>,
    aggregate_name: Option<String>,
    #[serde(default)]
    iterations: u64,
    real_time: Option<f64>,
    cpu_time: Option<f64>,
    time_unit: Option<String>,
    bytes_per_second: Option<f64>,
    #[serde(default)]
    error_occurred: bool,
    /// Since 1.8, instead of an error: whether it was, or why.
    skipped: Option<Value>,
    #[serde(alias = "skip_message")]
    error_message: Option<String>,
    #[serde(default = "one")]
    threads: u64,
    /// Its place among the benchmarks: two may have one name.
    family_index: Option<u64>,
    per_family_instance_index: Option<u64>,
    repetition_index: Option<u64>,
    /// Whether it comes from the printed table, whose figures are rounded to three digits.
    #[serde(skip)]
    printed: bool,
}

fn one() -> u64 {
    1
}

impl Row {
    /// A row of CSV and the printed table: its name has the parts that JSON has apart.
    fn named(name: &str) -> Row {
        let threads = name.split('/').find_map(|part| part.strip_prefix("threads:"));
        Row {
            name: name.to_string(),
            threads: threads.and_then(|n| n.parse().ok()).unwrap_or(1),
            ..Row::default()
        }
    }

    fn benchmark(&self) -> &str {
        self.run_name.as_deref().unwrap_or(&self.name)
    }

    fn scale(&self) -> Option<f64> {
        unit(self.time_unit.as_deref().unwrap_or("ns"))
    }

    /// The time of a call as its thread sees it.
    fn ns(&self, is_divided: Option<bool>) -> Option<f64> {
        let threads = if is_divided == Some(true) { self.threads.max(1) } else { 1 };
        Some(self.real_time? * self.scale()? * threads as f64)
    }

    /// Whether its time is less than the processor time of a call, and so was divided.
    fn shows_division(&self) -> bool {
        let is_other = self.uses("process_time") || self.uses("manual_time");
        let times = self.cpu_time.zip(self.real_time).filter(|_| !is_other);
        self.threads > 1 && times.is_some_and(|(cpu, real)| cpu > 1.2 * real)
    }

    /// Whether the benchmark chose this clock.
    fn uses(&self, clock: &str) -> bool {
        self.benchmark().split('/').any(|part| part == clock)
    }

    /// Rates are per processor time, unless the benchmark asked for another clock.
    fn bytes(&self) -> Option<u64> {
        let wall = self.uses("real_time") || self.uses("manual_time");
        let time = if wall { self.real_time } else { self.cpu_time };
        let bytes = self.bytes_per_second? * time? * self.scale()? / 1e9;
        if self.printed { whole(bytes, 0.005) } else { Some(bytes.round() as u64) }
    }

    /// Why it has no time.
    fn error(&self) -> Option<String> {
        let skipped = self.skipped.as_ref().is_some_and(|skipped| *skipped != Value::Bool(false));
        let why = self.skipped.as_ref().and_then(Value::as_str);
        (self.error_occurred || skipped)
            .then(|| self.error_message.as_deref().or(why).unwrap_or("it failed").to_string())
    }
}

pub fn read(input: &Input) -> Option<Result<Content, String>> {
    let mut content = Content::default();
    let files = input.json.values.iter().filter(|file| file["context"]["num_cpus"].is_number());
    for file in files.filter(|file| file["benchmarks"].is_array()) {
        if let Err(what) = add(file, &mut content) {
            return Some(Err(what));
        }
    }
    for table in Table::csv(&input.text, "name") {
        if table.has(&["iterations", "real_time"]) {
            add_rows(table.rows().map(of_csv).collect(), None, &mut content);
        }
    }
    // Each table is one of another program, or has other counters.
    let lines: Vec<&str> = input.text.lines().collect();
    let tables = lines.split(|line| line.starts_with("Benchmark ") && line.contains(" Iterations"));
    let tables: Vec<Vec<Row>> =
        tables.map(|lines| lines.iter().filter_map(|line| of_line(line)).collect()).collect();
    // Other programs skip tests, too.
    if tables.iter().flatten().any(|row| row.real_time.is_some()) {
        let shows = tables.iter().flatten().any(Row::shows_division).then_some(true);
        tables.into_iter().for_each(|rows| add_rows(rows, shows, &mut content));
    }
    (!content.results.is_empty()).then_some(Ok(content))
}

/// Marks the aggregates among rows that have only a name to tell them by. A benchmark may have
/// such a name itself. But the aggregates of repetitions come together, with their number instead
/// of iterations, and a fit has none.
fn mark_aggregates(rows: &mut [Row]) {
    // By name: how many rows have it, and the iterations of one of them.
    let mut known: HashMap<String, (u64, u64)> = HashMap::new();
    for row in rows.iter() {
        let (count, iterations) = known.entry(row.name.clone()).or_default();
        (*count, *iterations) = (*count + 1, row.iterations);
    }
    for row in rows.iter_mut().filter(|row| row.run_type.is_none() && !row.error_occurred) {
        let Some((name, end)) = row.name.rsplit_once('_') else { continue };
        let (repetitions, _) = known.get(name).copied().unwrap_or_default();
        let is_with = |end: &str| {
            let other = known.get(&format!("{name}_{end}"));
            other.is_some_and(|(_, iterations)| *iterations == row.iterations)
        };
        let are_together = AGGREGATES.iter().all(|end| is_with(end));
        let of_repetitions = are_together || repetitions > 1 && repetitions == row.iterations;
        let is_aggregate = match end {
            end if end == "cv" || AGGREGATES.contains(&end) => of_repetitions,
            end if FIT.contains(&end) => row.iterations == 0,
            _ => false,
        };
        if is_aggregate {
            row.run_type = Some("aggregate".to_string());
            (row.run_name, row.aggregate_name) = (Some(name.to_string()), Some(end.to_string()));
        }
    }
}

/// The aggregates of repetitions that every version has.
const AGGREGATES: [&str; 3] = ["mean", "median", "stddev"];

/// The fit of a complexity, and how far it is off.
const FIT: [&str; 2] = ["BigO", "RMS"];

fn of_csv(row: super::table::Row<'_>) -> Row {
    let error = row.get("error_message");
    Row {
        iterations: row.get("iterations").parse().unwrap_or(0),
        real_time: row.get("real_time").parse().ok(),
        cpu_time: row.get("cpu_time").parse().ok(),
        time_unit: Some(row.get("time_unit").to_string()),
        bytes_per_second: row.get("bytes_per_second").parse().ok(),
        error_occurred: row.get("error_occurred") == "true",
        error_message: Some(error.to_string()).filter(|error| !error.is_empty()),
        ..Row::named(row.get("name"))
    }
}

/// `BM_EVP_MD5/16   193 ns   193 ns   3611207 bytes_per_second=79.1M/s`. The name of a template has
/// spaces: `BM_seal<int, 64>/16`.
fn of_line(line: &str) -> Option<Row> {
    if let Some((name, why)) = line.split_once("ERROR OCCURRED: ").or(line.split_once("SKIPPED: "))
    {
        let why = Some(why.trim().trim_matches('\'').to_string());
        let named = Row::named(Some(name.trim()).filter(|name| !name.is_empty())?);
        return Some(Row { error_occurred: true, error_message: why, ..named });
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let figures = (1..words.len()).find_map(|at| Some((at, of_figures(&words[at..])?)));
    // The columns of another program would come after its time.
    let is_after = |pair: &[&str]| number(pair[0]).is_some() && per_call(1.0, pair[1], 1).is_ok();
    let (at, row) = figures.filter(|(at, _)| !words[..*at].windows(2).any(is_after))?;
    let end = words[at].as_ptr() as usize - line.as_ptr() as usize;
    let Row { name, run_name, run_type, aggregate_name, threads, .. } =
        Row::named(line[..end].trim());
    Some(Row { name, run_name, run_type, aggregate_name, threads, ..row })
}

/// The words of a line after its name.
fn of_figures(words: &[&str]) -> Option<Row> {
    let [real, unit_of_real, cpu, unit_of_cpu, iterations, ..] = words[..] else { return None };
    unit(unit_of_real).filter(|_| unit_of_real == unit_of_cpu)?;
    let rate = words.iter().find_map(|word| word.strip_prefix("bytes_per_second="));
    Some(Row {
        iterations: iterations.parse().ok()?,
        real_time: Some(number(real)?),
        cpu_time: Some(number(cpu)?),
        time_unit: Some(unit_of_real.to_string()),
        bytes_per_second: rate.and_then(rate_of),
        printed: true,
        ..Row::default()
    })
}

/// `79.1M/s`, with prefixes of 1024, or of 1000 before 1.8.
fn rate_of(text: &str) -> Option<f64> {
    let (value, prefix) = quantity(text.strip_suffix("/s")?)?;
    let power = ["", "k", "M", "G", "T"]
        .iter()
        .position(|p| prefix.trim_end_matches('i').trim_end_matches('B') == *p)?;
    Some(value * 1024f64.powi(power as i32))
}

fn add(file: &Value, content: &mut Content) -> Result<(), String> {
    let context = &file["context"];
    if let Some(schema) = context["json_schema_version"].as_u64().filter(|s| *s > SCHEMA) {
        return Err(format!(
            "it has Google Benchmark's schema {schema}; this cupel knows {SCHEMA}: use a newer cupel"
        ));
    }
    let version = text(context, "library_version");
    join(&mut content.version, version);
    let (host, cpus, mhz) =
        (text(context, "host_name"), &context["num_cpus"], &context["mhz_per_cpu"]);
    let library =
        if text(context, "library_build_type") == "debug" { ", debug library" } else { "" };
    let machine = format!("{host}{library}, {cpus} CPUs of {mhz} MHz");
    let first = content.results.len();
    let mut rows = Vec::new();
    for row in file["benchmarks"].as_array().into_iter().flatten() {
        match Row::deserialize(row) {
            Ok(row) => rows.push(row),
            Err(e) => {
                let name = row["name"].as_str().unwrap_or("a row without a name");
                content.results.push(Measured::failed(name, e.to_string()));
            }
        }
    }
    add_rows(rows, Some(divides(version)), content);
    for row in &mut content.results[first..] {
        row.machine.clone_from(&machine);
        row.origin.push(("executable", text(context, "executable").to_string()));
    }
    Ok(())
}

/// Why a printed row of several threads has no time.
const UNKNOWN_DIVISION: &str =
    "its table does not show whether threads divide its time: use --benchmark_format=json";

/// Whether a version, such as `v1.8.4-4-gabc`, divides the time of several threads by their number:
/// until 1.9 all did. Those before 1.8.4 do not write theirs.
fn divides(version: &str) -> bool {
    let mut parts = version.trim_start_matches('v').split('.').map(str::parse::<u64>);
    version.is_empty() || matches!((parts.next(), parts.next()), (Some(Ok(1)), Some(Ok(..9))))
}

/// Adds the results of one program, of which JSON shows whether it divides times. One row that
/// shows it decides for all, so that no time is once divided and once not.
fn add_rows(mut rows: Vec<Row>, is_divided: Option<bool>, content: &mut Content) {
    mark_aggregates(&mut rows);
    // The fit of a complexity is not a benchmark.
    rows.retain(|row| !row.aggregate_name.as_deref().is_some_and(|name| FIT.contains(&name)));
    let is_divided = if rows.iter().any(Row::shows_division) { Some(true) } else { is_divided };
    let mut order: Vec<(String, [u64; 2])> = Vec::new();
    let mut benchmarks: HashMap<(String, [u64; 2]), Vec<Row>> = HashMap::new();
    for (place, row) in places(&rows).into_iter().zip(rows) {
        let key = (row.benchmark().to_string(), place);
        if !benchmarks.contains_key(&key) {
            order.push(key.clone());
        }
        benchmarks.entry(key).or_default().push(row);
    }
    content.results.extend(order.into_iter().map(|key| {
        let rows = &benchmarks[&key];
        measured(key.0, rows, is_divided)
    }));
}

/// The place of each row's benchmark among all of its name. A program that does not write it prints
/// all repetitions of a benchmark before the next one.
fn places(rows: &[Row]) -> Vec<[u64; 2]> {
    // Aggregates have the number of repetitions.
    let aggregates = rows.iter().filter(|row| row.aggregate_name.is_some());
    let repetitions: HashMap<&str, u64> =
        aggregates.map(|row| (row.benchmark(), row.iterations.max(1))).collect();
    let mut seen: HashMap<(&str, Option<&str>, Option<u64>), u64> = HashMap::new();
    let places = rows.iter().map(|row| {
        if let Some(family) = row.family_index {
            return [family, row.per_family_instance_index.unwrap_or(0)];
        }
        // A failure of one repetition is one of all.
        if row.error().is_some() {
            return [0, 0];
        }
        let name = row.benchmark();
        let before =
            seen.entry((name, row.aggregate_name.as_deref(), row.repetition_index)).or_default();
        let is_known = row.aggregate_name.is_some() || row.repetition_index.is_some();
        let together = repetitions.get(name).filter(|_| !is_known).copied().unwrap_or(1);
        *before += 1;
        [(*before - 1) / together, 0]
    });
    places.collect()
}

/// The result of one benchmark's rows: the median of the repetitions, or the aggregate if they were
/// omitted. Threads that wait do not show whether their time is divided: a slower lock could look
/// faster.
fn measured(name: String, rows: &[Row], is_divided: Option<bool>) -> Measured {
    let mut result = Measured { name, ..Measured::default() };
    let threads = rows.iter().map(|row| row.threads).max().unwrap_or(1);
    if threads > 1 {
        result.add("threads", threads);
    }
    let unknown = (threads > 1 && is_divided.is_none()).then(|| UNKNOWN_DIVISION.to_string());
    result.error = rows.iter().find_map(Row::error).or(unknown);
    if result.error.is_some() {
        return result;
    }
    for row in rows.iter().filter(|row| row.run_type.as_deref() != Some("aggregate")) {
        result.values.extend(row.ns(is_divided));
        result.samples = result.samples.saturating_add(row.iterations);
        result.bytes = result.bytes.or(row.bytes());
    }
    if !result.values.is_empty() {
        result.statistic = if result.values.len() == 1 { "mean" } else { "median" }.to_string();
        result.ns = Some(cupel_stats::quantile::median(&result.values));
        return result;
    }
    for statistic in ["median", "mean"] {
        let mut rows = rows.iter();
        if let Some(row) = rows.find(|r| r.aggregate_name.as_deref() == Some(statistic)) {
            result.statistic = statistic.to_string();
            result.ns = row.ns(is_divided);
            result.samples = row.iterations;
            return result;
        }
    }
    result.error = Some("it has neither a repetition nor a median".to_string());
    result
}
