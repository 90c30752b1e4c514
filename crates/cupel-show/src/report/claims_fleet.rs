//! Claims over several machines, for a terminal of 80 columns and as JSON.

use super::claims::{FIGURE, claimed, found, sentence};
use super::joint;
use cupel_base::text::{self, folded, plain};
use cupel_decide::claims::{Across, Decision, Everywhere, Fact, Place};
use serde_json::{Value, json};
use std::fmt::Write;

/// The verdicts in the order in which they are counted.
const VERDICTS: [Everywhere; 4] =
    [Everywhere::Held, Everywhere::Refuted, Everywhere::Depends, Everywhere::Undecided];

/// Writes claims for a terminal. The first line is the answer.
pub fn draw(places: &[Place], claims: &[Across], intervals: usize, alpha: f64) -> String {
    let mut out = String::new();
    let count = |wanted: Everywhere| {
        let n = claims.iter().filter(|claim| claim.verdict() == wanted).count();
        format!("{n} {}", wanted.word())
    };
    let summary = format!(
        "{} on {}: {}.",
        text::count(claims.len(), "claim"),
        text::count(places.len(), "machine"),
        VERDICTS.map(count).join(", "),
    );
    let _ = writeln!(out, "{}", folded("", &summary));
    let mut last = None;
    for one in claims {
        if last != Some(&one.suite) {
            let _ = writeln!(out, "\n{}", folded("", &plain(&one.suite)));
            last = Some(&one.suite);
        }
        claim(&mut out, one);
    }
    if !places.is_empty() {
        let _ = writeln!(out, "\nMachines:");
    }
    for (number, place) in places.iter().enumerate() {
        let line = format!("{}: {}", label(number), plain(&place.machine.line()));
        let _ = writeln!(out, "{}", folded("  ", &line));
    }
    let foot = match places.is_empty() {
        true => "No run in the store measured any of it: `cupel run SUITE` on each machine, then \
                 `cupel import` its store."
            .to_string(),
        false => format!("{FIGURE} {} They cover all machines.", joint(intervals, alpha)),
    };
    let _ = writeln!(out, "\n{}", folded("", &foot));
    out
}

/// A machine's short name in this output.
fn label(place: usize) -> String {
    format!("m{}", place + 1)
}

fn claim(out: &mut String, one: &Across) {
    let mut line = |indent: &str, text: &str| {
        let _ = writeln!(out, "{}", folded(indent, text));
    };
    let verdict = one.verdict();
    line("  ", &format!("{:<9} {}", verdict.word(), sentence(&one.claim)));
    if verdict == Everywhere::Depends {
        let on = |wanted| {
            let of = one.each.iter().filter(|on| on.answered.decision() == wanted);
            of.map(|on| label(on.place)).collect::<Vec<_>>().join(" ")
        };
        let (held, refuted) = (on(Decision::Held), on(Decision::Refuted));
        line("            ", &format!("held on {held}; refuted on {refuted}"));
        for fact in &one.separating {
            line("            ", &format!("{}: {}", plain(&fact.name), values(fact)));
        }
        line("            ", &conclusion(one.separating.len()));
    }
    for on in &one.each {
        let decision = on.answered.decision().word();
        line("            ", &format!("{} {decision}", label(on.place)));
        for point in &on.answered.points {
            line("              ", &found(&one.claim, point));
        }
    }
}

fn values(fact: &Fact) -> String {
    let refuted: Vec<String> = fact.refuted.iter().map(|value| plain(value)).collect();
    format!("{} where held; {} where refuted", plain(&fact.held), refuted.join(", "))
}

/// What the facts allow to say.
fn conclusion(facts: usize) -> String {
    match facts {
        0 => "no recorded fact separates them".to_string(),
        1 => "this one recorded fact separates them; that it is the cause is not shown".to_string(),
        n => format!("these {n} facts separate them; the data cannot tell which"),
    }
}

/// Writes claims as one JSON document.
///
/// # Errors
/// None in practice; those of the writer.
pub fn json(
    places: &[Place],
    claims: &[Across],
    intervals: usize,
    alpha: f64,
) -> anyhow::Result<String> {
    let count = |wanted| claims.iter().filter(|claim| claim.verdict() == wanted).count();
    let document = json!({
        "held": count(Everywhere::Held),
        "refuted": count(Everywhere::Refuted),
        "depends": count(Everywhere::Depends),
        "undecided": count(Everywhere::Undecided),
        "intervals_are_joint": intervals,
        "alpha": alpha,
        "machines": places.iter().map(|place| json!({
            "fingerprint": place.fingerprint,
            "node": place.machine.node,
            "machine": place.machine.line(),
        })).collect::<Vec<_>>(),
        "claims": claims.iter().map(of_claim).collect::<Vec<_>>(),
    });
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

fn of_claim(one: &Across) -> Value {
    let on_machine = |on: &cupel_decide::claims::OnMachine| {
        let mut value = claimed(&on.answered);
        let (verdict, sizes) = (value["verdict"].take(), value["sizes"].take());
        json!({ "machine": on.place, "verdict": verdict, "sizes": sizes })
    };
    json!({
        "suite": one.suite,
        "line": one.claim.line,
        "source": one.claim.source,
        "quote": one.claim.quote,
        "claim": sentence(&one.claim),
        "verdict": one.verdict(),
        "sizes": one.claim.sizes.iter().enumerate().map(|(point, size)| json!({
            "size": size, "verdict": one.verdict_at(point),
        })).collect::<Vec<_>>(),
        "separating": one.separating.iter().map(|fact| json!({
            "fact": fact.name, "held": fact.held, "refuted": fact.refuted,
        })).collect::<Vec<_>>(),
        "machines": one.each.iter().map(on_machine).collect::<Vec<_>>(),
    })
}
