//! C++'s Catch2: the results of its benchmarks, among its test results, in XML and ns.
//!
//! Written by `src/catch2/reporters/catch_reporter_xml.cpp` of catchorg/Catch2 at a6ee7e20.

use super::marked::{Mark, marks};
use super::{Content, DID_NOT_END, Input, Measured, join};

pub fn read(input: &Input) -> Option<Result<Content, String>> {
    if !input.text.contains("<BenchmarkResults") {
        return None;
    }
    let mut content = Content::default();
    // The test case and the sections around a place, and the benchmark at it.
    let mut around: Vec<String> = Vec::new();
    let mut current: Option<Measured> = None;
    let mut program = String::new();
    for mark in marks(&input.text) {
        match (mark.name, mark.is_end) {
            ("Catch2TestRun" | "Catch", false) => {
                let version = mark.attribute("catch2-version").unwrap_or_default();
                join(&mut content.version, &version);
                program = mark.attribute("name").unwrap_or_default();
            }
            ("TestCase" | "Section", false) => {
                around.push(mark.attribute("name").unwrap_or_default());
            }
            ("TestCase" | "Section", true) => drop(around.pop()),
            ("BenchmarkResults", false) => {
                let name = mark.attribute("name").unwrap_or_default();
                let names: Vec<&str> =
                    around.iter().map(String::as_str).chain([name.as_str()]).collect();
                let mut row = Measured::new(&names.join(" > "), "mean");
                row.samples = number(&mark, "samples").unwrap_or(0.0) as u64;
                current = Some(row);
            }
            ("BenchmarkResults", true) => {
                content.results.extend(current.take().map(|row| row.from("program", &program)));
            }
            ("mean", false) => {
                if let Some(row) = &mut current {
                    row.ns = number(&mark, "value");
                    row.low = number(&mark, "lowerBound");
                    row.high = number(&mark, "upperBound");
                }
            }
            ("failed", false) => {
                if let Some(row) = &mut current {
                    row.error = mark.attribute("message").or(Some("it failed".to_string()));
                }
            }
            _ => {}
        }
    }
    // The whole, as version 3 and version 2 name it; each of several.
    for root in ["Catch2TestRun", "Catch"] {
        let [begin, end] = [format!("<{root} "), format!("</{root}>")];
        if input.text.matches(&begin).count() > input.text.matches(&end).count() {
            return Some(Err(format!("it ends before {end}; it was cut off")));
        }
    }
    // The program ended in the middle of it.
    content.results.extend(current.map(|row| Measured::failed(&row.name, DID_NOT_END)));
    (!content.results.is_empty()).then_some(Ok(content))
}

fn number(mark: &Mark<'_>, name: &str) -> Option<f64> {
    mark.attribute(name)?.parse().ok()
}
