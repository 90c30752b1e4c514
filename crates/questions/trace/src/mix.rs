//! Writes a mix file: how often a program calls which operation, at which sizes.

use super::Traced;
use super::calls::Sizes;
use cupel_base::text::plain;
use std::fmt::Write;

/// The most sizes in one entry.
pub const SIZES: usize = 4096;

/// The most lengths of associated data of one kind of call.
pub const ADS: usize = 32;

/// The text of the mix file; `summary` is its first line, a comment.
pub fn text(traced: &Traced, summary: &str) -> String {
    let mut out = String::new();
    out += &format!("# {}\n", plain(summary));
    out += "# Written by `cupel trace`. Lengths and counts only.\n";
    let calls = &traced.calls;
    if calls.rounded > 0 {
        out += &format!(
            "# There were too many sizes: those of {} calls are rounded down to a power of two.\n",
            calls.rounded
        );
    }
    if calls.lost > 0 {
        out += &format!("# {} more calls could not be recorded.\n", calls.lost);
    }
    out += "format = 1\n";
    out += &format!("program = {}\n", quoted(&traced.program));
    out += &format!("date = {}\n", quoted(&traced.date));
    out += &format!("cpu_seconds = {:.6}\n", traced.cpu_seconds);
    out += &format!("call_seconds = {:.6}\n", traced.call_seconds);
    if let Some(ns) = traced.added_ns() {
        out += &format!("trace_ns_per_call = {ns:.1}\n");
    }
    if !traced.uncounted.is_empty() {
        let all: Vec<String> = traced.uncounted.iter().map(|what| quoted(what)).collect();
        out += &format!("uncounted = [{}]\n", all.join(", "));
    }
    for (kind, sizes) in calls.entries() {
        out += "\n[[calls]]\n";
        out += &format!("primitive = {}\n", quoted(&kind.primitive));
        out += &format!("operation = {}\n", quoted(kind.operation));
        out += &format!("contract = {}\n", quoted(kind.pieces.contract()));
        if let Some(bytes) = calls.chunk(kind) {
            out += &format!("chunk = {bytes}\n");
        }
        if let Some(bytes) = kind.ad {
            out += &format!("ad = {bytes}\n");
        }
        if let Some(key) = kind.key {
            out += &format!("key = {}\n", quoted(key));
        }
        out += &format!("library = {}\n", quoted(&kind.library));
        if let Some(language) = kind.language {
            out += &format!("language = {}\n", quoted(language));
        }
        out += &format!("sizes = {}\n", listed(sizes));
    }
    for (name, count) in merged(traced) {
        out += "\n[[unknown]]\n";
        out += &format!("name = {}\n", quoted(name));
        out += &format!("calls = {count}\n");
    }
    out
}

/// A name that two libraries share is one entry.
fn merged(traced: &Traced) -> Vec<(&str, u64)> {
    let mut all: Vec<(&str, u64)> = Vec::new();
    for (_, name, count) in traced.calls.others() {
        match all.last_mut() {
            Some((last, sum)) if *last == name => *sum = sum.saturating_add(count),
            _ => all.push((name, count)),
        }
    }
    all
}

/// `[[64, 12000], [16384, 345]]`, in lines of eight.
fn listed(sizes: &Sizes) -> String {
    let mut out = String::from("[");
    for (i, (size, count)) in sizes.iter().enumerate() {
        let between = match i {
            0 => "",
            i if i % 8 == 0 => ",\n         ",
            _ => ", ",
        };
        let _ = write!(out, "{between}[{size}, {count}]");
    }
    out + "]"
}

/// A TOML string.
fn quoted(text: &str) -> String {
    toml::Value::String(plain(text)).to_string()
}
