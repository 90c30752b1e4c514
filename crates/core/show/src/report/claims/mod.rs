//! Decided claims in words and as JSON. A factor is shown as it is claimed: how many times as fast,
//! or how many times as long.

pub mod of_run;

use crate::report::document::{Colour, Emphasis};
use crate::report::number::{ends, finite};
use crate::report::print;
use cupel_analyse::Ratio;
use cupel_base::text::{self, plain, quoted};
use cupel_decide::claims::{Answered, Decision, Point};
use cupel_protocol::workload::{Bytes, Completion};
use cupel_suite::{Claim, Relation, Unclaimed};
use serde_json::{Value, json};

/// How sure intervals are that are joint at `1 - alpha`.
pub fn joint(intervals: usize, alpha: f64) -> String {
    let sure = (1.0 - alpha) * 100.0;
    match intervals {
        0 => "There is no interval.".to_string(),
        1 => format!("The interval holds at {sure:.0} %."),
        n => format!("The {n} intervals are joint at {sure:.0} %."),
    }
}

/// The number of claims by decision.
pub fn total(answered: &[Answered]) -> String {
    let [held, refuted, undecided] = counts(answered);
    let claims = text::count(answered.len(), "claim");
    format!("{claims}: {held} held, {refuted} refuted, {undecided} undecided")
}

/// How many are held, refuted and undecided.
pub fn counts<'a>(answered: impl IntoIterator<Item = &'a Answered>) -> [usize; 3] {
    let decisions: Vec<Decision> = answered.into_iter().map(Answered::decision).collect();
    [Decision::Held, Decision::Refuted, Decision::Undecided]
        .map(|wanted| decisions.iter().filter(|decision| **decision == wanted).count())
}

/// The colour of a decision.
pub fn colour(decision: Decision) -> Colour {
    match decision {
        Decision::Held => Colour::Green,
        Decision::Refuted => Colour::Red,
        Decision::Undecided => Colour::Yellow,
    }
}

/// The word of a decision, in its colour.
pub fn emphasis(decision: Decision) -> Emphasis {
    Emphasis::Word(decision.word(), colour(decision))
}

/// A claim in words.
pub fn sentence(claim: &Claim) -> String {
    format!("{} ({})", said(claim), work(claim))
}

/// What a claim says of two contenders, without the work that it is about.
pub fn said(claim: &Claim) -> String {
    claim.relation.sentence(&plain(&claim.a), &plain(&claim.b))
}

/// The work that a claim is about.
pub fn work(claim: &Claim) -> String {
    let about = format!("{} {}", claim.primitive, claim.operation);
    let bytes = match claim.contract.bytes {
        Bytes::Any => "",
        Bytes::SevenBit => ", 7-bit bytes",
    };
    let result = match claim.contract.result {
        Completion::Returned => "",
        Completion::Awaited => ", result awaited",
    };
    let threads = match claim.contract.threads {
        1 => String::new(),
        threads => format!(", on {threads} threads"),
    };
    let prefix = match claim.contract.prefix {
        0 => String::new(),
        prefix => format!(", after a copied state of {prefix} B"),
    };
    format!("{about}, {}{bytes}{result}{threads}{prefix}", claim.shape)
}

/// The figures for a claim at one size, and the reason why it is decided or open.
pub fn found(claim: &Claim, point: &Point) -> String {
    let (size, verdict) = (size_of(claim, point), point.decision().word());
    let why = point.why(claim).map(|why| plain(&why));
    let Ok(measured) = &point.measured else {
        return format!("{size}: {}", why.unwrap_or_default());
    };
    let Some(ratio) = measured.ratio else {
        return format!("{size}: {verdict}: {}", why.unwrap_or_else(|| "-".to_string()));
    };
    let times = if claim.relation.is_of_speed() { "times as fast" } else { "times as long" };
    let Ratio { estimate, low, high } = as_claimed(claim, &ratio);
    let (ratio, interval) = (text::ratio_digits(estimate), text::interval(low, high));
    let why = why.map_or(String::new(), |why| format!(", {why}"));
    format!("{size}: {verdict}: {ratio} {times} [{interval}]{why}; run {}", measured.run)
}

/// The size of a point, with the relation there if it differs between sizes.
pub fn size_of(claim: &Claim, point: &Point) -> String {
    let size = text::bytes(point.size);
    match claim.relation {
        Relation::Overtakes(_) => format!("{size} ({})", claim.relation_at(point.size).word()),
        _ => size,
    }
}

/// The time of `a` divided by the time of `b`, in the claim's terms.
pub fn as_claimed(claim: &Claim, ratio: &Ratio) -> Ratio {
    if claim.relation.is_of_speed() {
        Ratio { estimate: 1.0 / ratio.estimate, low: 1.0 / ratio.high, high: 1.0 / ratio.low }
    } else {
        *ratio
    }
}

/// Words as a command line.
pub fn line_of(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// Writes claims as one JSON document.
pub fn json(
    answered: &[Answered],
    unclaimed: &[(String, Unclaimed)],
    intervals: usize,
    alpha: f64,
) -> String {
    print::json(&document(answered, unclaimed, intervals, alpha))
}

/// Claims as JSON.
pub fn document(
    answered: &[Answered],
    unclaimed: &[(String, Unclaimed)],
    intervals: usize,
    alpha: f64,
) -> Value {
    let [held, refuted, undecided] = counts(answered);
    json!({
        "held": held,
        "refuted": refuted,
        "undecided": undecided,
        "intervals_are_joint": intervals,
        "alpha": alpha,
        "claims": answered.iter().map(claimed).collect::<Vec<_>>(),
        "unclaimed": unclaimed.iter().map(|(suite, said)| json!({
            "suite": suite, "source": said.source, "quote": said.quote, "because": said.because,
        })).collect::<Vec<_>>(),
    })
}

/// A claim with its decision, as JSON.
pub fn claimed(one: &Answered) -> Value {
    let claim = &one.claim;
    let relation = claim.relation;
    let (low, high) = relation.range();
    let overtakes_at = match relation {
        Relation::Overtakes(size) => Some(size),
        _ => None,
    };
    json!({
        "suite": one.suite,
        "line": claim.line,
        "source": claim.source,
        "quote": claim.quote,
        "note": claim.note,
        "claim": sentence(claim),
        "a": claim.a,
        "is": relation.word(),
        "b": relation.is_of_times().then_some(&claim.b),
        "primitive": claim.primitive,
        "operation": claim.operation.name(),
        "contract": claim.contract.to_string(),
        "shape": claim.shape.name(),
        "threads": claim.contract.threads,
        "claimed_ratio": relation.ratio(),
        "claimed_low": low,
        "claimed_high": high,
        "tolerance": relation.tolerance(),
        "margin": relation.margin(),
        "overtakes_at": overtakes_at,
        "ratio_of": relation
            .is_of_times()
            .then_some(if relation.is_of_speed() { "speed" } else { "time" }),
        "verdict": one.decision(),
        "sizes": one.points.iter().map(|p| at_size(claim, p)).collect::<Vec<_>>(),
    })
}

fn at_size(claim: &Claim, point: &Point) -> Value {
    let uncovered = point.measured.as_ref().err();
    let measured = point.measured.as_ref().ok();
    let ratio = measured.and_then(|m| m.ratio).map(|r| as_claimed(claim, &r));
    let [ratio, low, high] = ends(ratio);
    json!({
        "size": point.size,
        "is": claim.relation_at(point.size).word(),
        "verdict": point.decision(),
        "direction": measured.map(|m| m.decided.direction),
        "factor": measured.and_then(|m| m.decided.factor),
        "ratio": ratio,
        "ratio_low": low,
        "ratio_high": high,
        "floor": measured.and_then(|m| finite(m.floor)),
        "reason": point.why(claim),
        "reason_kind": point.reason().name(),
        "command": uncovered.map(|u| u.command.clone()),
        "first": uncovered.and_then(|u| u.first.clone()),
        "run": measured.map(|m| m.run),
        "started": measured.map(|m| m.started.clone()),
        "fingerprint": measured.map(|m| m.fingerprint.clone()),
        "machine": measured.map(|m| m.machine.clone()),
        "a_version": measured.map(|m| m.versions.0.clone()),
        "b_version": measured.map(|m| m.versions.1.clone()),
        "rounds": measured.map(|m| m.rounds),
        "forks": measured.map(|m| m.forks),
    })
}
