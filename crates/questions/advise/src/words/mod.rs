//! Advice, for a terminal of 80 columns and as JSON. The first line of each answer is the advice.

pub mod mix;

use crate::advise::{Advice, Open, Range, Scope, Size, Switch, Terms};
use cupel_analyse::Ratio;
use cupel_base::chart;
use cupel_base::name::ContenderName;
use cupel_base::text::{self, plain};
use cupel_findings::answer::{faster, may_be};
use cupel_findings::subject::distinction;
use cupel_findings::subject::{named, subject_with};
use cupel_print::Style;
use cupel_print::document::Document;
use cupel_print::number::{ends, finite};
use cupel_print::print;
use cupel_protocol::workload::Workload;
use cupel_store::{LeakVerdict, NOT_TESTED};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Writes advice for a terminal. With `verbose`, every contender that is not recommended has a line
/// that says why.
pub fn draw(advice: &[Advice], left_out: &[String], verbose: bool) -> String {
    let mut document = Document::default();
    write(&mut document, advice, left_out, verbose);
    print::text(&document, Style::default())
}

/// Writes advice into a document.
pub(super) fn write(
    document: &mut Document,
    advice: &[Advice],
    left_out: &[String],
    verbose: bool,
) {
    for one in advice {
        chart(document, one, advice, verbose);
    }
    for line in left_out {
        document.paragraph(format!("no advice for {line}"));
    }
    if !advice.is_empty() {
        document.paragraph(
            "The advice is for this machine as it is now: ask again on another processor, after an \
             update of microcode or system, and for other library versions.",
        );
    }
}

fn chart(document: &mut Document, one: &Advice, all: &[Advice], verbose: bool) {
    document.paragraph(answer(one, all));
    if let Some(open) = &one.open {
        document.note(undecided(one, open));
        document.command(2, open.command.clone());
    }
    if !one.tied.is_empty() {
        document
            .note("not certainly slower than the fastest (docs/trust/bias.md: in which order):");
    }
    for name in &one.tied {
        document.item(2, terms(one, name));
    }
    if let Some(choice) = &one.choice {
        document.note(format!("what it costs: {}", terms(one, &choice.contender)));
    }
    if let Some(not_here) = &one.not_here {
        document.note(not_here.line());
    }
    ranges(document, one);
    for warning in &one.warnings {
        // A run that was passed over is not a fault of the advice.
        let word = if warning.starts_with("run ") { "note" } else { "WARNING" };
        document.note(format!("{word}: {warning}"));
    }
    why_not(document, one, verbose);
    if one.interpolates() {
        document.note(
            "sizes that were not measured are interpolated between their measured neighbours",
        );
    }
    document.note(among(&one.scope));
    document.note(format!("contract: {}, {}", one.workload.contract, one.workload.shape));
    document.note(format!(
        "evidence: run {} of {}; {}, fingerprint {}",
        one.run, one.started, one.machine, one.fingerprint
    ));
    document.gap();
}

/// The fastest in each range of sizes, if it differs between ranges.
fn ranges(document: &mut Document, one: &Advice) {
    if one.ranges.len() < 2 {
        return;
    }
    document.note("if you could choose for each size:");
    for range in &one.ranges {
        let keep = if one.had && range.contender == one.have { "keep " } else { "" };
        document.note(format!("{}: {keep}{}", sizes(range.from, range.to), range.contender));
        if let Some((_, next)) = crossovers(one).find(|(before, _)| *before == range) {
            let (from, to) = (text::bytes(range.to), text::bytes(next.from));
            document.note(format!("crossover between {from} and {to}"));
        }
    }
    if let Some(switch) = &one.switch {
        document.note(switching(one, switch));
    }
}

/// The neighbouring ranges whose contenders' times certainly cross.
fn crossovers(one: &Advice) -> impl Iterator<Item = (&Range, &Range)> {
    let pairs = one.ranges.iter().zip(one.ranges.iter().skip(1));
    pairs.filter(|(_, after)| after.crosses)
}

/// The saving of a switch by size, or that one contender suffices.
fn switching(one: &Advice, switch: &Switch) -> String {
    let alone = one.choice.as_ref().map_or(&one.have, |choice| &choice.contender);
    if switch.is_needless() {
        return format!("one suffices: {alone} alone is within 2 % of the best two");
    }
    let Switch { small, up_to, large, from, ratio } = switch;
    let [saved, low, high] =
        [ratio.estimate, ratio.high, ratio.low].map(|ratio| 100.0 * (1.0 - ratio));
    format!(
        "the best two: {small} up to {}, {large} from {}; against {alone} alone they save {saved:.1} % \
         [{low:.1} .. {high:.1}] of the time",
        text::bytes(*up_to),
        text::bytes(*from)
    )
}

/// Why the others are not recommended.
fn why_not(document: &mut Document, one: &Advice, verbose: bool) {
    let is_forced = |why: &&(ContenderName, String)| why.1.starts_with("a forced path");
    for (name, why) in one.unfit.iter().filter(|why| verbose || !is_forced(why)) {
        document.note(format!("why not {name}: {why}"));
    }
    if verbose {
        for (name, ratio) in &one.slower {
            document.note(format!("why not {name}: {}", behind(one, *ratio)));
        }
        for (name, ratio) in &one.unclear {
            document.note(format!("why not {name}: {}", unclear(one, *ratio)));
        }
        return;
    }
    for (name, _) in &one.unclear {
        document.note(format!("why not {name}: {UNCLEAR}"));
    }
    let forced = one.unfit.iter().filter(is_forced).count();
    if forced > 0 {
        let forced = text::count(forced, "forced path");
        document.note(format!("{forced} left out, which no program takes by itself"));
    }
    match one.slower.len() {
        0 => {}
        1 => document.note("1 contender is slower: --verbose lists it"),
        n => document.note(format!("{n} contenders are slower: --verbose lists them")),
    }
}

/// How far a contender is behind the one in use now.
fn behind(one: &Advice, Ratio { estimate, low, high }: Ratio) -> String {
    let (times, interval) = (text::ratio_digits(estimate), text::interval(low, high));
    format!("takes {times} times as long as {} [{interval}]", one.have)
}

/// Why a contender is not recommended whose rank is open.
const UNCLEAR: &str = "neither certainly slower than the fastest nor certainly close to it";

fn unclear(one: &Advice, ratio: Ratio) -> String {
    format!("{}; {UNCLEAR}", behind(one, ratio))
}

/// Among which contenders advice chose, and which languages it left out.
fn among(Scope { contenders, languages, left_out }: &Scope) -> String {
    let contenders = text::count(*contenders, "contender");
    let chosen = format!("chosen among {contenders} in {}", listed(languages));
    if left_out.is_empty() {
        return chosen;
    }
    format!("{chosen}; left out: {} (--language all)", listed(left_out))
}

fn listed(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

/// One of several pieces of advice in one sentence.
fn answer(one: &Advice, all: &[Advice]) -> String {
    // Each is about a chart, whatever its sizes are.
    let any: Vec<u64> = all.iter().map(|other| other.workload.size).collect();
    let distinction = distinction(&one.workload, &any, all.iter().map(|other| &other.workload));
    let subject = subject_with(&one.workload, &distinction, &of_sizes(&one.workload, &one.sizes));
    let leaks =
        one.terms.get(&one.have).is_some_and(|terms| terms.leaks == LeakVerdict::Leaks.words());
    let have = format!("{}{}", versioned(one, &one.have), if leaks { ", which leaks" } else { "" });
    match &one.choice {
        Some(choice) => {
            let (gain, low, high) = choice.gain_ms;
            format!(
                "{subject}: use {}{}, {} as fast as {have}; a million calls save {} [{} .. {}]",
                versioned(one, &choice.contender),
                if one.faster_but_leaks.is_empty() {
                    ""
                } else {
                    ", the fastest without a known leak"
                },
                faster(choice.ratio.estimate),
                text::time(gain * 1e6),
                text::time(low * 1e6),
                text::time(high * 1e6)
            )
        }
        None if one.had => {
            let nothing = if one.faster_but_leaks.is_empty() {
                "nothing"
            } else {
                "nothing without a known leak"
            };
            format!("{subject}: keep {have}; {nothing} is certainly faster")
        }
        None => format!(
            "{subject}: no contender in {} is certainly faster than {have}; name yours with --have",
            listed(&one.scope.languages)
        ),
    }
}

/// A contender with its version.
fn versioned(one: &Advice, name: &ContenderName) -> String {
    named(name, one.terms.get(name).map_or("", |terms| terms.version.as_str()))
}

/// The sizes of a question about a workload, in words: each with its share, and the measured sizes
/// that represent it.
fn of_sizes(work: &Workload, sizes: &[Size]) -> String {
    match sizes {
        [_] if work.contract.lengths.drawn().is_some() => chart::size(work),
        [only] => text::bytes(only.bytes),
        [first, ..] => {
            let bytes = || sizes.iter().map(|size| size.bytes);
            let (least, most) = (bytes().min().unwrap_or(0), bytes().max().unwrap_or(0));
            let equal = sizes.iter().all(|size| (size.share - first.share).abs() < 1e-9);
            let all = self::sizes(least, most);
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
            let leaks = match terms.leaks {
                NOT_TESTED => String::new(),
                leaks if leaks == LeakVerdict::Leaks.words() => format!("; {leaks}"),
                tested => format!("; leaks: {tested}"),
            };
            let Terms { version, cost, licence, .. } = terms;
            format!("{}: {cost}; {licence}{leaks}", named(name, version))
        }
        None => name.to_string(),
    }
}

fn sizes(from: u64, to: u64) -> String {
    if from == to {
        return text::bytes(from);
    }
    format!("{} to {}", text::bytes(from), text::bytes(to))
}

/// Writes advice as one JSON document.
pub fn json(advice: &[Advice], left_out: &[String]) -> String {
    let document = json!({
        "advice": advice.iter().map(|one| self::one(one, advice)).collect::<Vec<_>>(),
        "no_advice": left_out,
    });
    print::json(&document)
}

fn compared(name: &ContenderName, ratio: Ratio, reason: &str) -> Value {
    let [times, low, high] = ends(Some(ratio));
    json!({
        "contender": name, "reason": reason,
        "ratio": times, "ratio_low": low, "ratio_high": high,
    })
}

pub(super) fn one(one: &Advice, all: &[Advice]) -> Value {
    let work = &one.workload;
    let unfit = one.unfit.iter().map(|(name, why)| json!({ "contender": name, "reason": why }));
    let slower =
        one.slower.iter().map(|(name, ratio)| compared(name, *ratio, &behind(one, *ratio)));
    let unclear =
        one.unclear.iter().map(|(name, ratio)| compared(name, *ratio, &unclear(one, *ratio)));
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
        "crossovers": crossovers(one).map(|(before, after)| json!({
            "after": before.to, "before": after.from,
        })).collect::<Vec<_>>(),
        "best_two": one.switch.as_ref().map(|s| json!({
            "small": s.small, "up_to": s.up_to, "large": s.large, "from": s.from,
            "ratio": finite(s.ratio.estimate), "ratio_low": finite(s.ratio.low),
            "ratio_high": finite(s.ratio.high),
        })),
        "not_here": one.not_here,
        "sizes": one.sizes.iter().map(|size| json!({
            "size": size.bytes, "share": size.share, "measured": size.measured,
        })).collect::<Vec<_>>(),
        "why_not": unfit.chain(slower).collect::<Vec<_>>(),
        "unclear": unclear.collect::<Vec<_>>(),
        "terms": one.terms.iter().map(|(name, terms)| (name.to_string(), json!({
            "version": terms.version, "licence": terms.licence, "cost": terms.cost,
            "leaks": terms.leaks,
        }))).collect::<serde_json::Map<_, _>>(),
        "faster_but_leaks": one.faster_but_leaks,
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
