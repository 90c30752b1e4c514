//! Writes a mix file: how often a program calls what, at which sizes.

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
    let mut line = |text: String| {
        out.push_str(&text);
        out.push('\n');
    };
    line(format!("# {}", plain(summary)));
    line("# Written by `cupel trace`. Lengths and counts only.".into());
    let calls = &traced.calls;
    if calls.rounded > 0 {
        line(format!(
            "# There were too many sizes: those of {} calls are rounded down to a power of two.",
            calls.rounded
        ));
    }
    if calls.lost > 0 {
        line(format!("# {} more calls could not be recorded.", calls.lost));
    }
    line("format = 1".into());
    line(format!("program = {}", quoted(&traced.program)));
    line(format!("date = {}", quoted(&traced.date)));
    line(format!("cpu_seconds = {:.6}", traced.cpu_seconds));
    if let Some(seconds) = traced.call_seconds {
        line(format!("call_seconds = {seconds:.6}"));
    }
    if let Some(ns) = traced.added_ns() {
        line(format!("trace_ns_per_call = {ns:.1}"));
    }
    for (kind, sizes) in calls.entries() {
        line("\n[[calls]]".into());
        line(format!("primitive = {}", quoted(&kind.primitive)));
        line(format!("operation = {}", quoted(kind.operation)));
        line(format!("contract = {}", quoted(kind.pieces.contract())));
        if let Some(bytes) = calls.chunk(kind) {
            line(format!("chunk = {bytes}"));
        }
        if let Some(bytes) = kind.ad {
            line(format!("ad = {bytes}"));
        }
        if let Some(key) = kind.key {
            line(format!("key = {}", quoted(key)));
        }
        line(format!("library = {}", quoted(&kind.library)));
        if let Some(language) = kind.language {
            line(format!("language = {}", quoted(language)));
        }
        line(format!("sizes = {}", listed(sizes)));
    }
    for (_, name, count) in merged(traced) {
        line("\n[[unknown]]".into());
        line(format!("name = {}", quoted(name)));
        line(format!("calls = {count}"));
    }
    out
}

/// A name that two libraries share is one entry.
fn merged(traced: &Traced) -> Vec<(&str, &str, u64)> {
    let mut all: Vec<(&str, &str, u64)> = Vec::new();
    for one in traced.calls.others() {
        match all.last_mut() {
            Some(last) if last.1 == one.1 => last.2 = last.2.saturating_add(one.2),
            _ => all.push(one),
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
