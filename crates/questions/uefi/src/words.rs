//! A boot of the UEFI image for people and programs: always with the unit, and with a note that it
//! is not a time.

use cupel_base::text::{self, digits, plain};
use cupel_print::document::{Document, Fit, Table, left, right};
use cupel_print::{Style, print};
use cupel_store::BootRow;
use cupel_store::boot::{Boot, Cell, Counter};
use serde_json::json;

/// Draws the tables of a boot.
pub fn draw(row: &BootRow, style: Style) -> String {
    let (boot, head) = (&row.boot, &row.boot.head);
    let mut document = Document::default();
    document.paragraph(match head.counter {
        Counter::Instructions => {
            "Without an operating system: instructions per byte, counted by QEMU's emulation. \
             These are not times: fewer instructions may be slower."
        }
        Counter::Cycles => {
            "Without an operating system: cycles per byte of this CPU, by a chain of dependent \
             multiplications around each slice. Do not compare them with times."
        }
        Counter::None => "Without an operating system: verified, and nothing was counted.",
    });
    if head.counter == Counter::None {
        document.paragraph(format!("reason: {}", head.why));
    }
    let mut charts: Vec<(&str, u64)> = Vec::new();
    for cell in boot.cells.iter().filter(|cell| !cell.is_empty()) {
        let chart = (cell.primitive.as_str(), cell.size);
        if !charts.contains(&chart) {
            charts.push(chart);
            document.table(table(boot, chart));
        }
    }
    document.gap();
    for one in &boot.failed {
        document.paragraph(format!("FAILED uefi/{}, {}: {}", one.name, one.primitive, one.reason));
    }
    for one in &boot.missing {
        document
            .paragraph(format!("missing: uefi/{}, {}: {}", one.name, one.primitive, one.reason));
    }
    let checked = boot.verified.iter().map(|one| one.cases).fold(0, u64::saturating_add);
    let vectors = boot.verified.iter().map(|one| one.vectors).fold(0, u64::saturating_add);
    document.paragraph(format!(
        "{} verified: {checked} answers correct, {vectors} of them official vectors",
        boot.verified.len()
    ));
    for cell in boot.cells.iter().filter(|c| c.is_empty()) {
        let (per_call, unit) = (digits(boot.count(cell).0), head.counter.unit());
        document.paragraph(format!("included in every figure: {per_call} {unit} per call"));
    }
    document.paragraph(machine(row));
    document.paragraph(format!(
        "boot {} of {}, kernels {}, {} {}",
        row.id, row.added, head.version, head.compiler, head.flags
    ));
    print::text(&document, style)
}

/// The counts of one primitive at one size.
fn table(boot: &Boot, (primitive, size): (&str, u64)) -> Table {
    let at = format!("{primitive} at {}", text::bytes(size));
    let median = format!("{}/byte", boot.head.counter.unit());
    let columns = [left(at), right(median), right("least"), right("slices")];
    let mut table = Table::new(Fit::Whole, columns);
    for cell in boot.cells.iter().filter(|c| c.primitive == primitive && c.size == size) {
        let [median, least] = if boot.has_failed(cell) {
            ["FAILED".to_string(), "-".to_string()]
        } else {
            let (median, least) = boot.count(cell);
            // Three decimals: counts repeat exactly.
            [median, least].map(|count| format!("{count:.3}"))
        };
        table.row([contender(cell), median, least, cell.slices().to_string()].map(Into::into));
    }
    table
}

/// A line that identifies the boot.
pub fn line(row: &BootRow) -> String {
    let unit = row.boot.head.counter.unit();
    plain(&format!("{:>5}  {}  {unit:<12}  {}", row.id, row.added, machine(row)))
}

/// A boot as one JSON document.
pub fn json(row: &BootRow) -> String {
    let boot = &row.boot;
    let cells: Vec<_> = boot
        .cells
        .iter()
        .filter(|cell| !boot.has_failed(cell))
        .map(|cell| {
            let (median, least) = boot.count(cell);
            let per = if cell.is_empty() { "call" } else { "byte" };
            json!({
                "contender": contender(cell),
                "primitive": cell.primitive,
                "size": cell.size,
                "unit": format!("{}/{per}", boot.head.counter.unit()),
                "median": median,
                "least": least,
                "slices": cell.slices(),
            })
        })
        .collect();
    let document = json!({
        "boot": row.id,
        "added": row.added,
        "machine": boot.head,
        "verified": boot.verified,
        "failed": boot.failed,
        "missing": boot.missing,
        "cells": cells,
    });
    print::json(&document)
}

fn contender(cell: &Cell) -> String {
    plain(&format!("uefi/{}", cell.implementation))
}

fn machine(row: &BootRow) -> String {
    let head = &row.boot.head;
    let mut parts = vec![head.cpu.clone()];
    if !head.hypervisor.is_empty() {
        parts.push(format!("virtual ({})", head.hypervisor));
    }
    parts.push(format!("firmware {}", head.firmware));
    parts.push(format!("{} (AVX: {})", head.features.join(" "), head.avx));
    parts.join(", ")
}
