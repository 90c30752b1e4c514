//! Results of other programs. They are shown apart from all runs, and nothing is computed from
//! them.

use crate::report::document::Document;
use crate::report::print;
use crate::report::style::{Format, Style};
use anyhow::Result;
use cupel_base::text;
use cupel_store::ForeignRow;
use std::fmt::Write;

/// Applies to all of them.
const WARNING: &str = "Results of other programs, measured in sequence and without a control. They decide no \
claim and are part of no comparison.";

/// Writes them in the given format.
///
/// # Errors
/// A format that has intervals or rows.
pub fn present(rows: &[ForeignRow], format: Format) -> Result<String> {
    match format {
        Format::Table => Ok(print::text(&document(rows), Style::default())),
        Format::Markdown => Ok(print::markdown(&document(rows))),
        Format::Json => {
            let document = serde_json::json!({
                "foreign": true, "sequential": true, "control": false, "results": rows,
            });
            Ok(print::json(&document))
        }
        _ => anyhow::bail!(
            "results of other programs have no intervals, so there is no picture or page of them"
        ),
    }
}

fn document(rows: &[ForeignRow]) -> Document {
    let mut document = Document::default();
    if rows.is_empty() {
        document.paragraph(
            "there are none; `cupel import FILE` reads results of JMH, Criterion or Google Benchmark",
        );
        return document;
    }
    document.paragraph(WARNING);
    for of_file in rows.chunk_by(|a, b| a.file == b.file) {
        let ForeignRow { name_of_file, imported, tool, version, machine, .. } = &of_file[0];
        document.heading(2, format!("{name_of_file}, imported {imported}"));
        let about = [tool.as_str(), version, machine];
        let about: Vec<&str> = about.into_iter().filter(|text| !text.is_empty()).collect();
        document.paragraph(about.join(", "));
        for row in of_file {
            document.note(name(row));
            document.item(3, figure(row));
        }
    }
    document
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
