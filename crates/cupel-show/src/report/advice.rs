//! Advice, for a terminal of 80 columns and as JSON. The first line of each answer is the advice.

use super::label::distinction;
use super::sentence::{faster, may_be, named, subject_with};
use cupel_base::chart;
use cupel_base::name::ContenderName;
use cupel_base::text::{self, folded, plain};
use cupel_decide::advise::{Advice, Open, Range, Scope};
use cupel_protocol::workload::Workload;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Writes advice for a terminal. With `verbose`, every contender that is not recommended has a line
/// that says why.
pub fn draw(advice: &[Advice], left_out: &[String], verbose: bool) -> String {
    let mut out = String::new();
    for one in advice {
        chart(&mut out, one, advice, verbose);
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

fn chart(out: &mut String, one: &Advice, all: &[Advice], verbose: bool) {
    let work = &one.workload;
    let _ = writeln!(out, "{}", folded("", &plain(&answer(one, all))));
    if let Some(open) = &one.open {
        let _ = writeln!(out, "{}", folded("  ", &plain(&undecided(one, open))));
        let _ = writeln!(out, "{}", text::command("    ", &open.command));
    }
    let mut say = |line: String| {
        let _ = writeln!(out, "{}", folded("  ", &plain(&line)));
    };
    if !one.tied.is_empty() {
        say("as fast, as far as this run shows; docs/bias.md has the order among them:".to_string());
        for name in &one.tied {
            say(format!("  {}", terms(one, name)));
        }
    }
    if let Some(choice) = &one.choice {
        say(format!("what it costs: {}", terms(one, &choice.contender)));
    }
    if let [_, _, ..] = one.ranges[..] {
        say("if you could choose for each size:".to_string());
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
        // A run that was passed over is not a fault of the advice.
        let word = if warning.starts_with("run ") { "note" } else { "WARNING" };
        say(format!("{word}: {warning}"));
    }
    let is_forced = |why: &&(ContenderName, String)| why.1.starts_with("a forced path");
    for (name, why) in one.unfit.iter().filter(|why| verbose || !is_forced(why)) {
        say(format!("why not {name}: {why}"));
    }
    let forced = one.unfit.iter().filter(is_forced).count();
    if forced > 0 && !verbose {
        say(format!(
            "{} left out, which no program takes by itself",
            text::count(forced, "forced path")
        ));
    }
    if verbose {
        for (name, why) in &one.slower {
            say(format!("why not {name}: {why}"));
        }
    } else if !one.slower.is_empty() {
        say(format!("{} slower: --verbose lists them", counted(one.slower.len())));
    }
    if one.interpolates() {
        say("sizes that were not measured are interpolated between their measured neighbours"
            .into());
    }
    say(among(&one.scope));
    say(format!("contract: {}, {}", work.contract, work.shape));
    say(format!(
        "evidence: run {} of {}; {}, fingerprint {}",
        one.run, one.started, one.machine, one.fingerprint
    ));
    let _ = writeln!(out);
}

/// Among which contenders advice chose, and which languages it left out.
fn among(Scope { contenders, languages, left_out }: &Scope) -> String {
    let listed =
        |names: &BTreeSet<String>| names.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let chosen =
        format!("chosen among {} in {}", text::count(*contenders, "contender"), listed(languages));
    if left_out.is_empty() {
        return chosen;
    }
    format!("{chosen}; left out: {} (--language all)", listed(left_out))
}

/// One of several pieces of advice in one sentence.
fn answer(one: &Advice, all: &[Advice]) -> String {
    let all: Vec<&Workload> = all.iter().map(|other| &other.workload).collect();
    let subject = subject_among(&one.workload, &all, &one.sizes);
    let name = |name: &ContenderName| {
        let version = one.terms.get(name).map_or("", |terms| terms.version.as_str());
        named(name, version)
    };
    match &one.choice {
        Some(choice) => {
            let (gain, low, high) = choice.gain_ms;
            let times = faster(choice.ratio.estimate);
            format!(
                "{subject}: use {}, {times} as fast as {}; a million calls save {} [{} .. {}]",
                name(&choice.contender),
                name(&one.have),
                text::time(gain * 1e6),
                text::time(low * 1e6),
                text::time(high * 1e6)
            )
        }
        None if one.had => {
            format!("{subject}: keep {}; nothing is certainly faster", name(&one.have))
        }
        None => format!(
            "{subject}: any that is not slower than {}; no contender of that language is certainly \
             faster; name yours with --have",
            name(&one.have)
        ),
    }
}

/// What one of several pieces of advice is about, given the workloads of all of them.
pub(super) fn subject_among(
    work: &Workload,
    all: &[&Workload],
    sizes: &[(u64, f64, Vec<u64>)],
) -> String {
    // Each is about a chart, whatever its sizes are.
    let any: Vec<u64> = all.iter().map(|other| other.size).collect();
    let distinction = distinction(work, &any, all.iter().copied());
    subject_with(work, &distinction, &of_sizes(work, sizes))
}

/// The sizes of a question about a workload, in words: each with its share, and the measured sizes
/// that represent it.
fn of_sizes(work: &Workload, sizes: &[(u64, f64, Vec<u64>)]) -> String {
    match sizes {
        [_] if work.contract.lengths.drawn().is_some() => chart::size(work),
        [(size, ..)] => text::bytes(*size),
        [first, .., last] => {
            let equal = sizes.iter().all(|(_, share, _)| (share - first.1).abs() < 1e-9);
            let all = format!("{} to {}", text::bytes(first.0), text::bytes(last.0));
            if equal { format!("{all}, as often each") } else { format!("your mix of {all}") }
        }
        [] => String::new(),
    }
}

fn undecided(one: &Advice, open: &Open) -> String {
    format!("open: {} {} {}; to decide it:", open.contender, may_be(open.ratio.low), one.have)
}

fn terms(one: &Advice, name: &ContenderName) -> String {
    match one.terms.get(name) {
        Some(terms) => {
            format!("{}: {}; {}", named(name, &terms.version), terms.cost, terms.licence)
        }
        None => name.to_string(),
    }
}

fn counted(contenders: usize) -> String {
    match contenders {
        1 => "1 contender is".to_string(),
        n => format!("{n} contenders are"),
    }
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
        "advice": advice.iter().map(|one| self::one(one, advice)).collect::<Vec<_>>(),
        "no_advice": left_out,
    });
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

pub(super) fn one(one: &Advice, all: &[Advice]) -> Value {
    let finite = |x: f64| x.is_finite().then_some(x);
    let work = &one.workload;
    let whys = one.unfit.iter().chain(&one.slower);
    json!({
        "answer": plain(&answer(one, all)),
        "primitive": work.primitive,
        "operation": work.operation.name(),
        "contract": work.contract.to_string(),
        "shape": work.shape.name(),
        "have": one.had.then_some(&one.have),
        "compared_with": one.have,
        "use": one.choice.as_ref().map(|c| &c.contender).or(one.had.then_some(&one.have)),
        "ns_per_call_now": finite(one.now_ns),
        "keep": one.had.then_some(one.choice.is_none()),
        "ratio": one.choice.as_ref().map(|c| c.ratio.estimate),
        "ratio_low": one.choice.as_ref().and_then(|c| finite(c.ratio.low)),
        "ratio_high": one.choice.as_ref().and_then(|c| finite(c.ratio.high)),
        "gain_ms_per_million_calls": one.choice.as_ref().map(|c| json!({
            "estimate": c.gain_ms.0, "low": finite(c.gain_ms.1), "high": finite(c.gain_ms.2),
        })),
        "tied": one.tied,
        "open": one.open.as_ref().map(|open| json!({
            "contender": open.contender,
            "ratio_low": finite(open.ratio.low),
            "ratio_high": finite(open.ratio.high),
            "command": open.command,
        })),
        "ranges": one.ranges.iter().map(|r| json!({
            "from": r.from, "to": r.to, "contender": r.contender,
        })).collect::<Vec<_>>(),
        "sizes": one.sizes.iter().map(|(size, share, stand)| json!({
            "size": size, "share": share, "measured": stand,
        })).collect::<Vec<_>>(),
        "why_not": whys.map(|(name, why)| json!({
            "contender": name, "reason": why,
        })).collect::<Vec<_>>(),
        "terms": one.terms.iter().map(|(name, terms)| (name.to_string(), json!({
            "version": terms.version, "licence": terms.licence, "cost": terms.cost,
        }))).collect::<serde_json::Map<_, _>>(),
        "warnings": one.warnings,
        "contenders": one.scope.contenders,
        "languages": one.scope.languages,
        "languages_left_out": one.scope.left_out,
        "run": one.run,
        "started": one.started,
        "machine": one.machine,
        "fingerprint": one.fingerprint,
    })
}
