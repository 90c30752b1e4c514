//! Results of other programs. They are shown apart from all runs, and nothing is computed from
//! them.

use anyhow::Result;
use cupel_base::text;
use cupel_print::document::{Cell, Document, Fit, Table, left, right};
use cupel_print::{Format, Style, print};
use cupel_store::ForeignRow;

/// Applies to all of them.
const WARNING: &str = "Results of other programs, measured in sequence and without a control. They decide no \
claim and are part of no comparison. To decide between two programs, let them take turns: cupel gate \
--base COMMAND --new COMMAND.";

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
            "there are none; `cupel import FILE` reads what other benchmarking programs write",
        );
        return document;
    }
    document.paragraph(WARNING);
    for together in rows.chunk_by(|a, b| origin(a) == origin(b)) {
        document.heading(2, format!("{}, imported {}", origin(&together[0]).0, day(&together[0])));
        let mut files: Vec<&str> = together.iter().map(|row| row.name_of_file.as_str()).collect();
        files.dedup();
        if files.len() < 4 {
            document.paragraph(format!("from {}", files.join(", ")));
        }
        let timed: Vec<&ForeignRow> =
            together.iter().filter(|row| row.result.ns.is_some()).collect();
        if let Some(first) = timed.first() {
            let statistic = &first.result.statistic;
            let one = timed.iter().all(|row| row.result.statistic == *statistic);
            document.table(table(&timed, one.then_some(statistic)));
        }
        for row in together {
            if let Some(why) = &row.result.error {
                document.note(name(row));
                document.item(3, format!("failed: {why}"));
            }
        }
    }
    document
}

/// The program that measured it, on which machine; and when it was imported. Results that share it
/// are shown in one table.
fn origin(row: &ForeignRow) -> (String, &str) {
    let about = [row.tool.as_str(), &row.version, &row.machine];
    let about: Vec<&str> = about.into_iter().filter(|text| !text.is_empty()).collect();
    (about.join(", "), day(row))
}

fn day(row: &ForeignRow) -> &str {
    row.imported.split('T').next().unwrap_or_default()
}

/// Times with the program's words about them: without a column that is empty, and with the
/// statistic in the header if they share it.
fn table(rows: &[&ForeignRow], statistic: Option<&String>) -> Table {
    let heads = [statistic.map_or("per call", String::as_str), "interval", "of", "samples", "GB/s"];
    let figures: Vec<[String; 5]> = rows.iter().map(|row| figures(row)).collect();
    let mut columns: Vec<usize> = (0..heads.len()).collect();
    columns.retain(|column| {
        let of_all = *column == 2 && statistic.is_some();
        !of_all && figures.iter().any(|row| row[*column] != "-")
    });
    let titles = columns.iter().map(|column| right(heads[*column]));
    let mut table = Table::new(Fit::Names, std::iter::once(left("benchmark")).chain(titles));
    for (row, figures) in rows.iter().zip(&figures) {
        let cells = columns.iter().map(|column| figures[*column].clone());
        table.row(std::iter::once(name(row)).chain(cells).map(Cell::from));
    }
    table
}

fn figures(row: &ForeignRow) -> [String; 5] {
    let found = &row.result;
    let ns = found.ns.unwrap_or(0.0);
    let interval = found.low.zip(found.high);
    let interval =
        interval.map(|(low, high)| format!("{} .. {}", text::time(low), text::time(high)));
    let rate = found.bytes.and_then(|bytes| text::gigabytes(bytes as f64, ns));
    let samples = Some(found.samples).filter(|samples| *samples > 0);
    [
        text::time(ns),
        interval.unwrap_or_else(|| "-".to_string()),
        found.statistic.clone(),
        samples.map_or_else(|| "-".to_string(), |samples| samples.to_string()),
        rate.map_or_else(|| "-".to_string(), text::digits),
    ]
}

fn name(row: &ForeignRow) -> String {
    let found = &row.result;
    if found.parameters.is_empty() {
        return found.name.clone();
    }
    format!("{} ({})", found.name, found.parameters)
}
