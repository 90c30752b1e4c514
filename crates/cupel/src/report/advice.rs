//! Advice, for a terminal of 80 columns and as JSON.

use crate::advise::{Advice, Range};
use crate::text::{self, folded, plain};
use serde_json::{Value, json};
use std::fmt::Write;

/// Writes advice for a terminal.
pub fn draw(advice: &[Advice], left_out: &[String]) -> String {
    let mut out = String::new();
    for one in advice {
        chart(&mut out, one);
    }
    for line in left_out {
        let _ = writeln!(out, "{}", folded("", &plain(&format!("no advice for {line}"))));
    }
    if !advice.is_empty() {
        let last = "The advice is for this machine as it is. It is void on another processor, after an \
                    update of microcode or system, and for other library versions.";
        let _ = writeln!(out, "{}", folded("", last));
    }
    out
}

fn chart(out: &mut String, one: &Advice) {
    let work = &one.workload;
    let _ = writeln!(out, "{} {}, {}", work.primitive, work.operation, work.shape);
    let _ = writeln!(out, "{}", folded("", &format!("contract: {}", work.contract)));
    let mut say = |line: String| {
        let _ = writeln!(out, "{}", folded("  ", &plain(&line)));
    };
    match &one.choice {
        Some(choice) => {
            let (gain, low, high) = choice.gain_ms;
            say(format!(
                "USE {} {} {}: it takes {} times as long [{}]; a million calls save {} [{} .. {}]",
                choice.contender,
                if one.had { "instead of" } else { "rather than" },
                one.have,
                text::ratio_digits(choice.ratio.estimate),
                text::interval(choice.ratio.low, choice.ratio.high),
                text::time(gain * 1e6),
                text::time(low * 1e6),
                text::time(high * 1e6)
            ));
        }
        None if one.had => {
            say(format!("KEEP what you have, {}: no contender is certainly faster", one.have));
        }
        None => say(format!(
            "ANY that is not slower: no contender of that language is certainly faster than {}; name \
             yours with --have",
            one.have
        )),
    }
    if let [_, _, ..] = one.ranges[..] {
        for (place, range) in one.ranges.iter().enumerate() {
            let keep = if one.had && range.contender == one.have { "keep " } else { "" };
            say(format!("{}: {keep}{}", sizes(range), range.contender));
            if let Some(next) = one.ranges.get(place + 1).filter(|next| next.crosses) {
                say(format!(
                    "crossover between {} and {}",
                    text::bytes(range.to),
                    text::bytes(next.from)
                ));
            }
        }
    }
    for warning in &one.warnings {
        say(format!("WARNING: {warning}"));
    }
    for (name, why) in &one.why_not {
        say(format!("why not {name}: {why}"));
    }
    if one.interpolates() {
        say("sizes that were not measured are interpolated between their measured neighbours"
            .into());
    }
    say(format!(
        "evidence: run {} of {}, {}; {}, fingerprint {}",
        one.run,
        one.started,
        text::count(one.intervals, "joint interval"),
        one.machine,
        one.fingerprint
    ));
    let _ = writeln!(out);
}

fn sizes(range: &Range) -> String {
    if range.from == range.to {
        return text::bytes(range.from);
    }
    format!("{} to {}", text::bytes(range.from), text::bytes(range.to))
}

/// Writes advice as one JSON document.
///
/// # Errors
/// None in practice; those of the writer.
pub fn json(advice: &[Advice], left_out: &[String]) -> anyhow::Result<String> {
    let document = json!({
        "advice": advice.iter().map(one).collect::<Vec<_>>(),
        "no_advice": left_out,
    });
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

fn one(one: &Advice) -> Value {
    let finite = |x: f64| x.is_finite().then_some(x);
    let work = &one.workload;
    json!({
        "primitive": work.primitive,
        "operation": work.operation.name(),
        "contract": work.contract.to_string(),
        "shape": work.shape.name(),
        "have": one.had.then_some(&one.have),
        "compared_with": one.have,
        "use": one.choice.as_ref().map(|c| &c.contender).or(one.had.then_some(&one.have)),
        "keep": one.had.then_some(one.choice.is_none()),
        "ratio": one.choice.as_ref().map(|c| c.ratio.estimate),
        "ratio_low": one.choice.as_ref().and_then(|c| finite(c.ratio.low)),
        "ratio_high": one.choice.as_ref().and_then(|c| finite(c.ratio.high)),
        "gain_ms_per_million_calls": one.choice.as_ref().map(|c| json!({
            "estimate": c.gain_ms.0, "low": finite(c.gain_ms.1), "high": finite(c.gain_ms.2),
        })),
        "ranges": one.ranges.iter().map(|r| json!({
            "from": r.from, "to": r.to, "contender": r.contender,
        })).collect::<Vec<_>>(),
        "sizes": one.sizes.iter().map(|(size, share, stand)| json!({
            "size": size, "share": share, "measured": stand,
        })).collect::<Vec<_>>(),
        "why_not": one.why_not.iter().map(|(name, why)| json!({
            "contender": name, "reason": why,
        })).collect::<Vec<_>>(),
        "warnings": one.warnings,
        "floor": finite(one.floor),
        "intervals_are_joint": one.intervals,
        "run": one.run,
        "started": one.started,
        "machine": one.machine,
        "fingerprint": one.fingerprint,
        "versions": one.versions,
    })
}
