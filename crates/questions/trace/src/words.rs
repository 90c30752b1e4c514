//! The calls of a program, as text: the answer, a table, and its limits.

use crate::calls::{Calls, Kind, Sizes, total};
use crate::{Traced, tracer_of};
use cupel_base::text::{self, plain};
use cupel_print::document::{Cell, Document, Fit, Table, left, right};
use cupel_print::{Style, print};
use std::collections::BTreeSet;

/// The first line: the most frequent calls, and their share of the processor time.
pub fn answer(traced: &Traced) -> String {
    let calls = &traced.calls;
    let all = calls.total();
    let Some((kind, sizes)) = calls.entries().max_by_key(|(_, sizes)| total(sizes)) else {
        return nothing(traced);
    };
    let most = sizes.iter().max_by_key(|(_, count)| **count).map_or((0, 0), |(s, c)| (*s, *c));
    let (of, count) = if most.1.saturating_mul(2) >= total(sizes) {
        (text::bytes(most.0), most.1)
    } else {
        (format!("{} to {}", text::bytes(least(sizes)), text::bytes(greatest(sizes))), total(sizes))
    };
    let what = match kind.operation {
        "digest" => "digests",
        "mac" => "MACs",
        "seal" => "seals",
        _ => "opens",
    };
    let share = share(traced, traced.call_seconds);
    let share = share.unwrap_or_else(|| "an unknown share".to_string());
    format!(
        "{} {what} of {of} are {} of {}; {share} of the processor time is inside them{}",
        plain(&kind.primitive),
        percent(count as f64 / all as f64),
        format_args!(
            "{}{} {}",
            grouped(all),
            if traced.uncounted.is_empty() { "" } else { " counted" },
            if all == 1 { "call" } else { "calls" }
        ),
        uncounted(&traced.uncounted),
    )
}

/// The most that the first line names.
const NAMED: usize = 3;

/// The program's other cryptographic code, at the end of a sentence.
fn uncounted(all: &[String]) -> String {
    let some: Vec<String> = all.iter().take(NAMED).map(|what| plain(what)).collect();
    match all.len().saturating_sub(NAMED) {
        _ if all.is_empty() => String::new(),
        0 => format!("; not counted: {}", some.join(", ")),
        n => format!("; not counted: {} and {n} more", some.join(", ")),
    }
}

/// The share of the program's processor time, if it took any.
fn share(traced: &Traced, seconds: f64) -> Option<String> {
    let all = traced.cpu_seconds;
    (all > 0.0).then(|| percent((seconds / all).min(1.0)))
}

/// What to do about calls that cannot be counted.
const BY_HAND: &str =
    "write its mix by hand for `cupel advise --mix` (docs/reference/suites.md#mixes)";

/// Why there is nothing to count.
fn nothing(traced: &Traced) -> String {
    if let Some(why) = &traced.why_not {
        return format!("no call was counted: {}; {BY_HAND}", plain(why));
    }
    let all = &traced.uncounted;
    if traced.callers == 0 && !all.is_empty() {
        let all = plain(&all.join(", "));
        return format!("no call was counted, and none can be of {all}; {BY_HAND}");
    }
    let why = if traced.calls.lost > 0 {
        "none could be recorded".to_string()
    } else if traced.callers == 0 {
        format!(
            "{} called no digest, MAC or cipher of libcrypto 3, libgcrypt or a JVM; if a program \
             contains its library, {BY_HAND}",
            plural(traced.processes, "traced process", "traced processes")
        )
    } else if traced.calls.others().next().is_some() {
        let why = "what the program calls is not in the catalogue";
        match share(traced, traced.other_seconds) {
            Some(share) => format!("{why}; {share} of the processor time is inside that"),
            None => why.to_string(),
        }
    } else {
        "the program finished no message itself, and what a library calls inside itself is not counted"
            .to_string()
    };
    format!("no call was counted: {why}{}", uncounted(all))
}

/// Everything after the first line.
pub fn table(traced: &Traced) -> String {
    let mut document = Document::default();
    let mut entries: Vec<(&Kind, &Sizes)> = traced.calls.entries().collect();
    entries.sort_by_key(|(_, sizes)| std::cmp::Reverse(total(sizes)));
    let columns = [
        right("calls"),
        right("share"),
        left("what"),
        left("contract"),
        left("key"),
        left("bytes"),
        right("median"),
        left("library"),
    ];
    let mut table = Table::new(Fit::Whole, columns);
    for (kind, sizes) in entries {
        table.row(row(&traced.calls, kind, sizes).map(Cell::from));
    }
    if !table.rows.is_empty() {
        document.table(table);
    }
    for line in notes(traced) {
        document.note(line);
    }
    print::text(&document, Style::default())
}

/// The cells of one kind of call.
fn row(calls: &Calls, kind: &Kind, sizes: &Sizes) -> [String; 8] {
    let (count, low, high) = (total(sizes), least(sizes), greatest(sizes));
    let what = format!("{} {}", kind.primitive, kind.operation);
    [
        grouped(count),
        percent(count as f64 / calls.total() as f64),
        match kind.ad {
            Some(ad) if ad > 0 => format!("{what}, ad {ad}"),
            _ => what,
        },
        match calls.chunk(kind) {
            Some(bytes) => format!("chunks of {bytes}"),
            None => kind.pieces.contract().to_string(),
        },
        kind.key.unwrap_or("-").to_string(),
        if low == high { low.to_string() } else { format!("{low} .. {high}") },
        median(sizes).to_string(),
        kind.library.clone(),
    ]
}

/// The limits of the figures.
fn notes(traced: &Traced) -> Vec<String> {
    let calls = &traced.calls;
    let mut notes: Vec<String> = unknown(traced).into_iter().collect();
    if traced.callers > 0 {
        let inside = if calls.total() == 0 { "it" } else { "the calls above" };
        notes.push(format!(
            "{} of {} called a library; {} of {} processor time is inside {inside}",
            traced.callers,
            plural(traced.processes, "traced process", "traced processes"),
            text::time(traced.call_seconds * 1e9),
            text::time(traced.cpu_seconds * 1e9)
        ));
    }
    notes.extend(added(traced));
    if let Some(why) = &traced.without_jvms {
        notes.push(format!("calls inside a JVM are not counted: {why}"));
    }
    if traced.uncounted.len() > NAMED && calls.total() > 0 {
        notes.push(format!("not counted: {}", plain(&traced.uncounted.join(", "))));
    }
    if calls.rounded > 0 {
        notes.push(format!(
            "there were too many sizes: those of {} calls are rounded down to a power of two",
            grouped(calls.rounded)
        ));
    }
    if calls.lost > 0 {
        notes.push(format!(
            "{} more calls could not be recorded: a process could not write into the folder for the \
             counts, or its disk is full",
            grouped(calls.lost)
        ));
    }
    notes.extend(traced.damaged.iter().map(|why| format!("counts are missing of {why}")));
    notes
}

/// The calls that no primitive stands for.
fn unknown(traced: &Traced) -> Option<String> {
    const SHOWN: usize = 8;
    let mut unknown: Vec<_> = traced.calls.others().collect();
    unknown.sort_by_key(|(_, _, count)| std::cmp::Reverse(*count));
    let some = unknown.iter().take(SHOWN);
    let list: Vec<String> = some
        .map(|(library, name, count)| format!("{} {name} ({library})", grouped(*count)))
        .collect();
    let more = match unknown.len().saturating_sub(SHOWN) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let time = text::time(traced.other_seconds * 1e9);
    (!list.is_empty()).then(|| {
        format!("not in the catalogue, {time} of processor time: {}{more}", list.join(", "))
    })
}

/// The cost of tracing a call, for each tracer that counted some.
fn added(traced: &Traced) -> Vec<String> {
    let entries = traced.calls.entries().map(|(kind, _)| &*kind.library);
    let others = traced.calls.others().map(|(library, _, _)| library);
    let called: BTreeSet<&str> = entries.chain(others).map(tracer_of).collect();
    let added = traced.added.iter().filter(|(tracer, _)| called.contains(&**tracer));
    added
        .map(|(tracer, ns)| {
            let (of, what) = match tracer.as_str() {
                "java" => ("in a JVM".to_string(), "an update and a digest"),
                library => (format!("of {library}"), "a SHA-256 digest in three functions"),
            };
            let time = text::time(ns.max(0.0));
            format!("tracing adds {time} to a call {of} ({what}, measured now)")
        })
        .collect()
}

/// Calls that no process could write down, among what is not counted.
pub fn lost(calls: u64) -> String {
    format!("{} calls that could not be recorded", grouped(calls))
}

fn plural(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

fn least(sizes: &Sizes) -> u64 {
    sizes.first_key_value().map_or(0, |(size, _)| *size)
}

fn greatest(sizes: &Sizes) -> u64 {
    sizes.last_key_value().map_or(0, |(size, _)| *size)
}

/// The size of the middle call.
fn median(sizes: &Sizes) -> u64 {
    let half = total(sizes).div_ceil(2);
    let mut seen = 0u64;
    for (size, count) in sizes {
        seen = seen.saturating_add(*count);
        if seen >= half {
            return *size;
        }
    }
    0
}

fn percent(share: f64) -> String {
    match share * 100.0 {
        p if p > 0.0 && p < 0.1 => "under 0.1 %".to_string(),
        p if p < 10.0 && p > 0.0 => format!("{p:.1} %"),
        // Not all of them.
        p if p > 99.0 && p < 100.0 => format!("{:.1} %", p.min(99.9)),
        p => format!("{p:.0} %"),
    }
}

/// `12,345`.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_shares_are_never_rounded_to_nothing_or_to_all() {
        assert_eq!([1, 999, 1000, 1_234_567].map(grouped), ["1", "999", "1,000", "1,234,567"]);
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(0.0001), "under 0.1 %");
        assert_eq!(percent(0.9999), "99.9 %");
        assert_eq!(percent(1.0), "100 %");
        assert_eq!(percent(0.823), "82 %");
    }

    #[test]
    fn the_median_counts_calls_and_not_sizes() {
        assert_eq!(median(&Sizes::from([(16, 1), (64, 10), (4096, 3)])), 64);
        assert_eq!(median(&Sizes::from([(16, 1), (64, 1)])), 16);
        assert_eq!(median(&Sizes::from([(7, 3)])), 7);
    }
}
