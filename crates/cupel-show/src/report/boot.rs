//! A boot of the UEFI image for people and programs: always with the unit, and with a note that it
//! is not a time.

use super::style::Style;
use super::table::{blank, heads, right};
use cupel_base::text::{self, digits, folded, plain};
use cupel_store::BootRow;
use cupel_store::boot::{Cell, Counter};
use serde_json::json;
use std::fmt::Write;

/// Draws the tables of a boot.
pub fn draw(row: &BootRow, style: Style) -> String {
    let (boot, head) = (&row.boot, &row.boot.head);
    let mut out = String::new();
    let unit = head.counter.unit();
    let title = match head.counter {
        Counter::Instructions => {
            "Without an operating system: instructions per byte, counted by QEMU's emulation. \
             These are not times: fewer instructions may be slower."
        }
        Counter::Cycles => {
            "Without an operating system: cycles per byte of this CPU, by a chain of dependent \
             multiplications around each slice. Do not compare them with times."
        }
        Counter::None => "Without an operating system: verified, and nothing was counted.",
    };
    let _ = writeln!(out, "{}", folded("", title));
    if head.counter == Counter::None {
        let _ = writeln!(out, "{}", folded("", &format!("reason: {}", plain(&head.why))));
    }
    let mut charts: Vec<(&str, u64)> = boot
        .cells
        .iter()
        .filter(|c| !c.is_empty())
        .map(|c| (c.primitive.as_str(), c.size))
        .collect();
    charts.dedup();
    let mut drawn = std::collections::BTreeSet::new();
    for (primitive, size) in charts {
        if !drawn.insert((primitive, size)) {
            continue;
        }
        let mut table = blank(style);
        let at = format!("{} at {}", plain(primitive), text::bytes(size));
        let median = format!("{unit}/byte");
        table.set_header(heads(&[&at, &median, "least", "slices"], style));
        for cell in boot.cells.iter().filter(|c| c.primitive == primitive && c.size == size) {
            let figures = match boot.has_failed(cell) {
                true => ["FAILED".to_string(), "-".to_string()],
                false => {
                    let (median, least) = boot.count(cell);
                    [figure(median), figure(least)]
                }
            };
            let [median, least] = figures;
            table.add_row([contender(cell), median, least, cell.slices().to_string()]);
        }
        right(&mut table, &[1, 2, 3]);
        let _ = writeln!(out, "\n{table}");
    }
    out.push('\n');
    for one in &boot.failed {
        let line = format!("FAILED uefi/{}, {}: {}", one.name, one.primitive, one.reason);
        let _ = writeln!(out, "{}", folded("", &plain(&line)));
    }
    for one in &boot.missing {
        let line = format!("missing: uefi/{}, {}: {}", one.name, one.primitive, one.reason);
        let _ = writeln!(out, "{}", folded("", &plain(&line)));
    }
    let checked = boot.verified.iter().map(|one| one.cases).fold(0, u64::saturating_add);
    let vectors = boot.verified.iter().map(|one| one.vectors).fold(0, u64::saturating_add);
    let line = format!(
        "{} verified: {checked} answers correct, {vectors} of them official vectors",
        boot.verified.len()
    );
    let _ = writeln!(out, "{}", folded("", &line));
    for cell in boot.cells.iter().filter(|c| c.is_empty()) {
        let call = digits(boot.count(cell).0);
        let _ = writeln!(out, "included in every figure: {call} {unit} per call");
    }
    let _ = writeln!(out, "{}", folded("", &plain(&machine(row))));
    let told = format!(
        "boot {} of {}, kernels {}, {} {}",
        row.id, row.added, head.version, head.compiler, head.flags
    );
    let _ = writeln!(out, "{}", folded("", &plain(&told)));
    out
}

/// A line that identifies the boot.
pub fn line(row: &BootRow) -> String {
    let unit = row.boot.head.counter.unit();
    plain(&format!("{:>5}  {}  {unit:<12}  {}", row.id, row.added, machine(row)))
}

/// A boot as one JSON document.
///
/// # Errors
/// None in practice: the types have a form in JSON.
pub fn json(row: &BootRow) -> serde_json::Result<String> {
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
    Ok(serde_json::to_string_pretty(&document)? + "\n")
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

/// Three decimals: counts repeat exactly.
fn figure(count: f64) -> String {
    format!("{count:.3}")
}
