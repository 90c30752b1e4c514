//! `vitest bench`, in ms: the JSON of `--outputJson` until version 3, of the reporter `json` from
//! version 4 on.
//!
//! Written by `packages/vitest/src/node/reporters/benchmark/json-formatter.ts` of vitest-dev/vitest
//! at 070bc4a3, and by `reporters/json.ts` (its types in `runtime/runner/types.ts`) at c3ba16b3.

use super::{Content, Input, Measured, json::text};
use serde_json::Value;

pub fn read(input: &Input) -> Option<Result<Content, String>> {
    let mut content = Content::default();
    for file in &input.json.values {
        for one in list(file, "files") {
            let path = text(one, "filepath");
            for group in list(one, "groups") {
                let all = list(group, "benchmarks");
                content
                    .results
                    .extend(all.iter().map(|row| of_old(row, text(group, "fullName"), path)));
            }
        }
        for one in list(file, "testResults") {
            for test in list(one, "assertionResults") {
                content.results.extend(of_test(test, text(one, "name")));
            }
        }
    }
    (!content.results.is_empty()).then_some(Ok(content))
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn of_old(row: &Value, group: &str, path: &str) -> Measured {
    // The group's name begins with the name of its file.
    let mut result = Measured::new(&format!("{group} > {}", text(row, "name")), "");
    // Until version 1 there is no median.
    fill(&mut result, row, "median");
    result.samples = row["sampleCount"].as_u64().unwrap_or(0);
    result.from("file", path)
}

/// Fills in the median, or else the mean.
pub fn fill(row: &mut Measured, stats: &Value, median: &str) {
    let found = stats[median].as_f64().filter(|median| *median > 0.0);
    row.statistic = if found.is_some() { "median" } else { "mean" }.to_string();
    row.ns = found.or(stats["mean"].as_f64()).map(|ms| ms * 1e6);
}

/// The benchmarks of a test. One that was read from a file was not measured.
fn of_test(test: &Value, path: &str) -> Vec<Measured> {
    let tasks = list(test, "benchmarks").iter().flat_map(|one| list(one, "tasks"));
    let measured = tasks.filter(|task| task["fromStore"] != true).map(|task| {
        let mut row =
            Measured::new(&format!("{} > {}", text(test, "fullName"), text(task, "name")), "");
        fill(&mut row, &task["latency"], "p50");
        row.samples = task["latency"]["samplesCount"].as_u64().unwrap_or(0);
        row.from("file", path)
    });
    measured.collect()
}
