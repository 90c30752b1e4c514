//! Results of other programs. They are shown apart from all runs, and nothing is computed from
//! them.

use super::markup::escaped;
use super::style::Format;
use anyhow::Result;
use cupel_base::text::{self, folded, plain};
use cupel_store::ForeignRow;
use std::fmt::Write;

/// Applies to all of them.
const WARNING: &str = "Results of other programs, measured in sequence and without a control. They decide no \
claim and are part of no comparison.";

/// Writes them in the given format.
///
/// # Errors
/// Those of the format's writer; none for a table.
pub fn present(rows: &[ForeignRow], format: Format) -> Result<String> {
    match format {
        Format::Table => Ok(table(rows)),
        Format::Json => {
            let document = serde_json::json!({
                "foreign": true, "sequential": true, "control": false, "results": rows,
            });
            Ok(serde_json::to_string_pretty(&document)? + "\n")
        }
        Format::Markdown => Ok(markdown(rows)),
        _ => anyhow::bail!(
            "results of other programs have no intervals, so there is no picture or page of them"
        ),
    }
}

fn table(rows: &[ForeignRow]) -> String {
    if rows.is_empty() {
        return "there are none; `cupel import FILE` reads results of JMH, Criterion or Google Benchmark\n"
            .to_string();
    }
    let mut out = folded("", WARNING) + "\n";
    let mut last = None;
    for row in rows {
        if last.replace(row.file) != Some(row.file) {
            let about = [row.tool.as_str(), &row.version, &row.machine];
            let about: Vec<&str> = about.into_iter().filter(|text| !text.is_empty()).collect();
            let line = format!("{}, imported {}", row.name_of_file, row.imported);
            let _ = writeln!(out, "\n{}", folded("", &plain(&line)));
            let _ = writeln!(out, "{}", folded("", &plain(&about.join(", "))));
        }
        let _ = writeln!(out, "{}", folded("  ", &plain(&name(row))));
        let _ = writeln!(out, "{}", folded("      ", &plain(&figure(row))));
    }
    out
}

fn markdown(rows: &[ForeignRow]) -> String {
    let mut out =
        format!("{WARNING}\n\n| program | file | benchmark | per call |\n|:--|:--|:--|:--|\n");
    for row in rows {
        let fields = [row.tool.clone(), row.name_of_file.clone(), name(row), figure(row)];
        let fields: Vec<String> = fields.iter().map(|text| escaped(text)).collect();
        let _ = writeln!(out, "| {} |", fields.join(" | "));
    }
    out
}

fn name(row: &ForeignRow) -> String {
    let found = &row.measured;
    if found.parameters.is_empty() {
        return found.name.clone();
    }
    format!("{} ({})", found.name, found.parameters)
}

/// A time with everything that the program reports about it.
fn figure(row: &ForeignRow) -> String {
    let found = &row.measured;
    let Some(ns) = found.ns else {
        return format!("failed: {}", found.error.as_deref().unwrap_or("unknown reason"));
    };
    let mut out = format!("{} ({}", text::time(ns), found.statistic);
    if let (Some(low), Some(high)) = (found.low, found.high) {
        let _ = write!(out, "; {} .. {}", text::time(low), text::time(high));
    }
    if let Some(rate) = found.bytes.and_then(|bytes| text::gigabytes(bytes as f64, ns)) {
        let _ = write!(out, "; {} GB/s", text::digits(rate));
    }
    out + &format!("; of {} samples)", found.samples)
}
