//! Claims over several machines, for a terminal of 80 columns and as JSON.

use super::BELOW;
use crate::{Across, Everywhere, Fact, OnMachine, Place};
use cupel_base::text;
use cupel_decide::claims::Decision;
use cupel_print::Style;
use cupel_print::document::Document;
use cupel_print::print;
use cupel_show::report::claims::{claimed, found, joint, sentence};
use serde_json::{Value, json};

/// The verdicts in the order in which they are counted.
const VERDICTS: [Everywhere; 4] =
    [Everywhere::Held, Everywhere::Refuted, Everywhere::Depends, Everywhere::Undecided];

/// Writes claims for a terminal. The first line is the answer.
pub fn draw(places: &[Place], claims: &[Across], intervals: usize, alpha: f64) -> String {
    let mut document = Document::default();
    let counts = VERDICTS.map(|verdict| format!("{} {}", count(claims, verdict), verdict.word()));
    document.paragraph(format!(
        "{} on {}: {}.",
        text::count(claims.len(), "claim"),
        text::count(places.len(), "machine"),
        counts.join(", "),
    ));
    for of_suite in claims.chunk_by(|a, b| a.suite == b.suite) {
        document.heading(2, &of_suite[0].suite);
        for one in of_suite {
            claim(&mut document, one);
        }
    }
    if !places.is_empty() {
        document.heading(2, "Machines:");
    }
    for (number, place) in places.iter().enumerate() {
        document.note(format!("{}: {}", label(number), place.machine.line()));
    }
    document.gap();
    document.paragraph(if places.is_empty() {
        "No run in the store measured any of it: `cupel run SUITE` on each machine, then `cupel \
         import` its store."
            .to_string()
    } else {
        covered(intervals, alpha)
    });
    print::text(&document, Style::default())
}

/// How sure the intervals of all machines are.
fn covered(intervals: usize, alpha: f64) -> String {
    let sure = joint(intervals, alpha);
    if intervals > 1 { format!("{sure} They cover all machines.") } else { sure }
}

fn count(claims: &[Across], verdict: Everywhere) -> usize {
    claims.iter().filter(|claim| claim.verdict() == verdict).count()
}

/// A machine's short name in this output.
fn label(place: usize) -> String {
    format!("m{}", place + 1)
}

fn claim(document: &mut Document, one: &Across) {
    let verdict = one.verdict();
    document.note(format!("{:<9} {}", verdict.word(), sentence(&one.claim)));
    if verdict == Everywhere::Depends {
        let [held, refuted] = [Decision::Held, Decision::Refuted].map(|decision| {
            let on = one.each.iter().filter(|on| on.answered.decision() == decision);
            on.map(|on| label(on.place)).collect::<Vec<_>>().join(" ")
        });
        document.item(BELOW, format!("held on {held}; refuted on {refuted}"));
        for fact in &one.separating {
            document.item(BELOW, format!("{}: {}", fact.name, values(fact)));
        }
        document.item(BELOW, conclusion(one.separating.len()));
    }
    for on in &one.each {
        let decision = on.answered.decision().word();
        document.item(BELOW, format!("{} {decision}", label(on.place)));
        for point in &on.answered.points {
            document.item(BELOW + 1, found(&one.claim, point));
        }
    }
}

fn values(fact: &Fact) -> String {
    let refuted: Vec<&str> = fact.refuted.iter().map(|value| &**value).collect();
    format!("{} where held; {} where refuted", fact.held, refuted.join(", "))
}

/// The conclusion from the facts.
fn conclusion(facts: usize) -> String {
    match facts {
        0 => "no recorded fact separates them".to_string(),
        1 => "this one recorded fact separates them; that it is the cause is not shown".to_string(),
        n => format!("these {n} facts separate them; the data cannot tell which"),
    }
}

/// Writes claims as one JSON document.
pub fn json(places: &[Place], claims: &[Across], intervals: usize, alpha: f64) -> String {
    let document = json!({
        "held": count(claims, Everywhere::Held),
        "refuted": count(claims, Everywhere::Refuted),
        "depends": count(claims, Everywhere::Depends),
        "undecided": count(claims, Everywhere::Undecided),
        "intervals_are_joint": intervals,
        "alpha": alpha,
        "machines": places.iter().map(|place| json!({
            "fingerprint": place.fingerprint,
            "node": place.machine.node,
            "machine": place.machine.line(),
        })).collect::<Vec<_>>(),
        "claims": claims.iter().map(of_claim).collect::<Vec<_>>(),
    });
    print::json(&document)
}

fn of_claim(one: &Across) -> Value {
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

fn on_machine(on: &OnMachine) -> Value {
    let mut value = claimed(&on.answered);
    let (verdict, sizes) = (value["verdict"].take(), value["sizes"].take());
    json!({ "machine": on.place, "verdict": verdict, "sizes": sizes })
}

#[cfg(test)]
mod tests {
    use super::covered;

    #[test]
    fn only_several_intervals_cover_all_machines() {
        assert_eq!(covered(0, 0.05), "There is no interval.");
        assert_eq!(covered(1, 0.05), "The interval holds at 95 %.");
        assert_eq!(covered(2, 0.05), "The 2 intervals are joint at 95 %. They cover all machines.");
    }
}
