//! `botan speed`: its JSON, or the lines that it prints.
//!
//! Written by `src/cli/speed.cpp` (`JSON_Output`, `format_timer`) of randombit/botan at 081417e4. The
//! summary of `--format=table` has the same figures, which it prints as lines before.

use super::text::{number, rate_of_bytes};
use super::{Content, Input, Measured, join};
use serde_json::Value;

pub fn read(input: &Input) -> Option<Result<Content, String>> {
    let mut content = Content::default();
    for row in input.json.values.iter().filter_map(Value::as_array).flatten() {
        if row["algo"].is_string() && row["nanos"].is_number() {
            content.results.push(of_json(row));
        } else if row["arch"].is_string() && row["compiler"].is_string() {
            join(&mut content.version, row["version"].as_str().unwrap_or_default());
        }
    }
    content.results.extend(input.text.lines().filter_map(|line| of_line(line.trim())));
    (!content.results.is_empty()).then_some(Ok(content))
}

/// A result of `events` that took this long together. In messages, each byte is an event.
fn from_events(name: &str, events: f64, ns: f64, bytes: Option<u64>) -> Measured {
    let mut row = Measured::new(name.trim(), "mean");
    let per_call = bytes.map_or(1.0, |bytes| bytes as f64);
    row.samples = (events / per_call) as u64;
    row.bytes = bytes;
    row.add_size();
    if events > 0.0 {
        row.ns = Some(ns * per_call / events);
    } else {
        row.error = Some("it did nothing in its time".to_string());
    }
    row
}

fn of_json(row: &Value) -> Measured {
    let [algorithm, operation] = ["algo", "op"].map(|key| row[key].as_str().unwrap_or_default());
    let [events, ns] = ["events", "nanos"].map(|key| row[key].as_f64().unwrap_or(0.0));
    from_events(
        &format!("{algorithm} {operation}"),
        events,
        ns,
        row["buf_size"].as_u64().filter(|n| *n > 0),
    )
}

/// `AES-256/GCM encrypt buffer size 1024 bytes: 3128.234 MiB/sec 0.92 cycles/byte (1564.12 MiB in
/// 500.00 ms)`, or `RSA-2048 1523 sign/sec; 0.66 ms/op 1970 cycles/op (762 ops in 500.30 ms)`
fn of_line(line: &str) -> Option<Measured> {
    let (before, total) = line.strip_suffix(" ms)")?.rsplit_once('(')?;
    let (total, ms) = total.split_once(" in ")?;
    let ns = number(ms)? * 1e6;
    if let Some((name, rest)) = before.split_once(" buffer size ") {
        let (bytes, rate) = rest.split_once(" bytes: ")?;
        let bytes = Some(bytes.parse().ok()?);
        let mut words = rate.split_whitespace();
        let rate = words.next()?;
        if rate == "N/A" {
            return Some(from_events(name, 0.0, ns, bytes));
        }
        // The rate has more digits than the total.
        let rate = number(rate)? * rate_of_bytes(words.next()?)?;
        let mut row = from_events(name, rate * ns / 1e9, ns, bytes);
        row.samples = 0;
        return Some(row);
    }
    let (events, ops) = total.split_once(' ')?;
    let (head, _) = before.split_once("/sec; ").filter(|_| ["op", "ops"].contains(&ops))?;
    let (name, operation) = head.rsplit_once(' ')?;
    let (name, _rate) = name.rsplit_once(' ')?;
    Some(from_events(&format!("{name} {operation}"), number(events)?, ns, None))
}
