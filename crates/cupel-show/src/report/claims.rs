//! Decided claims, for a terminal of 80 columns and as JSON. A factor is shown as it is claimed:
//! how many times as fast, or how many times as long.

use super::joint;
use super::style::Style;
use cupel_analyse::Ratio;
use cupel_base::text::{self, folded, plain, quoted};
use cupel_decide::claims::{Answered, Decision, Measured, Point};
use cupel_protocol::workload::{Bytes, Completion};
use cupel_suite::{Claim, Relation, Unclaimed};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Writes claims for a terminal.
pub fn draw(answered: &[Answered], intervals: usize, alpha: f64, style: Style) -> String {
    let mut out = String::new();
    let mut last = None;
    let mut said: BTreeSet<(&String, &str)> = BTreeSet::new();
    for one in answered {
        if last != Some(&one.suite) {
            let gap = if last.is_some() { "\n" } else { "" };
            let _ = writeln!(out, "{gap}{}", folded("", &plain(&one.suite)));
            last = Some(&one.suite);
        }
        match unmeasured(one).filter(|reason| !style.verbose && many(answered, one, reason)) {
            None => claim(&mut out, one, style),
            // Printed once, at the first of them.
            Some(reason) => {
                if said.insert((&one.suite, reason)) {
                    let alike = text::count(alike(answered, one, reason).count(), "claim");
                    let line = format!("{:<9} {alike}: {}", "undecided", plain(reason));
                    let _ = writeln!(out, "{}", folded("  ", &line));
                }
            }
        }
    }
    foot(&mut out, answered, intervals, alpha);
    format!("{}\n\n{out}", total(answered))
}

/// How many claims there are of each decision.
pub(super) fn total(answered: &[Answered]) -> String {
    let count = |wanted| answered.iter().filter(|a| a.decision() == wanted).count();
    let (held, refuted, undecided) =
        (count(Decision::Held), count(Decision::Refuted), count(Decision::Undecided));
    let claims = text::count(answered.len(), "claim");
    format!("{claims}: {held} held, {refuted} refuted, {undecided} undecided")
}

/// Up to this many claims that are undecided for the same reason are listed one by one.
const FEW: usize = 3;

/// The reason that no run covers a claim at any size, if it is the same at all of them.
pub(super) fn unmeasured(one: &Answered) -> Option<&str> {
    let mut reasons = one.points.iter().map(|p| p.measured.as_ref().err().map(|u| &u.reason));
    let first = reasons.next()??;
    reasons.all(|other| other == Some(first)).then_some(first)
}

fn alike<'a>(
    answered: &'a [Answered],
    one: &Answered,
    reason: &str,
) -> impl Iterator<Item = &'a Answered> {
    answered.iter().filter(move |a| a.suite == one.suite && unmeasured(a) == Some(reason))
}

fn many(answered: &[Answered], one: &Answered, reason: &str) -> bool {
    alike(answered, one, reason).count() > FEW
}

fn claim(out: &mut String, one: &Answered, style: Style) {
    let decision = one.decision();
    let word = format!("{:<9}", decision.word());
    let word = match decision {
        _ if !style.colour => word,
        Decision::Held => format!("\u{1b}[32m{word}\u{1b}[0m"),
        Decision::Refuted => format!("\u{1b}[31m{word}\u{1b}[0m"),
        Decision::Undecided => format!("\u{1b}[33m{word}\u{1b}[0m"),
    };
    // Folded before it is coloured, because colour codes have no width.
    let line = folded("  ", &format!("{:<9} {}", decision.word(), sentence(&one.claim)));
    let _ = writeln!(out, "{}", line.replacen(&format!("{:<9}", decision.word()), &word, 1));
    for point in &one.points {
        let _ = writeln!(out, "{}", folded("            ", &found(&one.claim, point)));
    }
    if style.verbose || decision == Decision::Refuted {
        let said = format!("{}: \"{}\"", plain(&one.claim.source), plain(&one.claim.quote));
        let _ = writeln!(out, "{}", folded("            ", &said));
        if let Some(note) = &one.claim.note {
            let _ = writeln!(out, "{}", folded("            ", &plain(note)));
        }
    }
}

/// A claim in words.
pub fn sentence(claim: &Claim) -> String {
    let (a, b) = (plain(&claim.a), plain(&claim.b));
    let about = format!("{} {}", claim.primitive, claim.operation);
    let said = claim.relation.sentence(&a, &b);
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
    format!("{said} ({about}, {}{bytes}{result}{threads})", claim.shape)
}

/// What was measured for a claim at one size.
pub fn found(claim: &Claim, point: &Point) -> String {
    let size = size_of(claim, point);
    let measured = match &point.measured {
        Ok(measured) => measured,
        Err(uncovered) => return format!("{size}: {}", plain(&uncovered.reason)),
    };
    let verdict = measured.decided.decision().word();
    if let Some(reason) = &measured.reason {
        return format!("{size}: {verdict}: {}", plain(reason));
    }
    let figure = match measured.ratio.map(|r| as_claimed(claim, &r)) {
        Some(ratio) => {
            format!(
                "{} [{}]",
                text::ratio_digits(ratio.estimate),
                text::interval(ratio.low, ratio.high)
            )
        }
        None => "-".to_string(),
    };
    format!("{size}: {verdict}: {figure}{}; run {}", why(measured), measured.run)
}

/// The size of a point, with what the claim says there if that is not the same at every size.
pub(super) fn size_of(claim: &Claim, point: &Point) -> String {
    let size = text::bytes(point.size);
    match claim.relation {
        Relation::Overtakes(_) => format!("{size} ({})", claim.relation_at(point.size).word()),
        _ => size,
    }
}

/// What decided apart from the interval, if anything did.
fn why(measured: &Measured) -> String {
    match (measured.decided.direction, measured.decided.factor) {
        (Decision::Undecided, _) => too_few_forks(measured),
        (Decision::Held, Some(Decision::Refuted)) => {
            ": the direction is correct, the factor is not".into()
        }
        (Decision::Held, Some(Decision::Undecided)) => {
            format!(
                ": the direction is correct, the factor is undecided{}",
                too_few_forks(measured)
            )
        }
        _ => String::new(),
    }
}

/// That more forks would decide, if they would with this interval; otherwise nothing.
pub fn too_few_forks(measured: &Measured) -> String {
    match measured.too_few_forks && measured.floor.is_finite() {
        true => {
            format!(", too few forks for differences below {:.0} %", measured.floor * 100.0)
        }
        false => String::new(),
    }
}

/// The time of `a` divided by that of `b`, in the claim's terms.
pub fn as_claimed(claim: &Claim, ratio: &Ratio) -> Ratio {
    if claim.relation.is_of_speed() {
        Ratio { estimate: 1.0 / ratio.estimate, low: 1.0 / ratio.high, high: 1.0 / ratio.low }
    } else {
        *ratio
    }
}

/// What the figures of claims say.
pub(super) const FIGURE: &str = "A figure is how many times as fast if the claim says \"fast\", \
     \"faster\" or \"overtakes\", otherwise how many times as long.";

fn foot(out: &mut String, answered: &[Answered], intervals: usize, alpha: f64) {
    if intervals > 0 {
        let summary = format!("{FIGURE} {}", joint(intervals, alpha));
        let _ = writeln!(out, "\n{}", folded("", &summary));
    }
    // What is said of every machine is decided on one.
    let measured = answered.iter().flat_map(|a| &a.points).filter_map(|p| p.measured.as_ref().ok());
    let machines: BTreeSet<&str> = measured.map(|measured| measured.machine.as_str()).collect();
    for machine in machines {
        let line = format!("Decided on {}. Another machine may differ: --fleet.", plain(machine));
        let _ = writeln!(out, "{}", folded("", &line));
    }
    let missing = to_measure(answered);
    if !missing.is_empty() {
        let _ = writeln!(out, "To measure the rest:");
        for command in missing {
            let _ = writeln!(out, "  {command}");
        }
    }
}

/// The commands that would measure what no run covers: first those that install toolchains, then
/// one for each suite, narrowed if the suite lacks only one claim.
pub(super) fn to_measure(answered: &[Answered]) -> Vec<String> {
    let mut first: BTreeSet<String> = BTreeSet::new();
    for uncovered in
        answered.iter().flat_map(|a| &a.points).filter_map(|p| p.measured.as_ref().err())
    {
        first.extend(uncovered.first.iter().map(|command| plain(command)));
    }
    let mut lacking: BTreeMap<&str, Vec<&[String]>> = BTreeMap::new();
    for one in answered {
        for point in &one.points {
            if let Err(uncovered) = &point.measured {
                lacking.entry(&one.suite).or_default().push(&uncovered.command);
            }
        }
    }
    let runs = lacking.into_iter().map(|(suite, commands)| match commands[..] {
        [only] => only.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
        _ => format!("cupel run {}", quoted(suite)),
    });
    first.into_iter().chain(runs).collect()
}

/// Writes claims as one JSON document.
///
/// # Errors
/// None in practice; those of the writer.
pub fn json(
    answered: &[Answered],
    unclaimed: &[(String, Unclaimed)],
    intervals: usize,
    alpha: f64,
) -> anyhow::Result<String> {
    let count = |wanted| answered.iter().filter(|a| a.decision() == wanted).count();
    let document = json!({
        "held": count(Decision::Held),
        "refuted": count(Decision::Refuted),
        "undecided": count(Decision::Undecided),
        "intervals_are_joint": intervals,
        "alpha": alpha,
        "claims": answered.iter().map(claimed).collect::<Vec<_>>(),
        "unclaimed": unclaimed.iter().map(|(suite, said)| json!({
            "suite": suite, "source": said.source, "quote": said.quote, "because": said.because,
        })).collect::<Vec<_>>(),
    });
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

/// A claim with its decision, as JSON.
pub(super) fn claimed(one: &Answered) -> Value {
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
        "b": claim.b,
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
        "ratio_of": if relation.is_of_speed() { "speed" } else { "time" },
        "verdict": one.decision(),
        "sizes": one.points.iter().map(|p| at_size(claim, p)).collect::<Vec<_>>(),
    })
}

fn at_size(claim: &Claim, point: &Point) -> Value {
    let finite = |x: f64| x.is_finite().then_some(x);
    let uncovered = point.measured.as_ref().err();
    let measured = point.measured.as_ref().ok();
    let ratio = measured.and_then(|m| m.ratio).map(|r| as_claimed(claim, &r));
    json!({
        "size": point.size,
        "is": claim.relation_at(point.size).word(),
        "verdict": point.decision(),
        "direction": measured.map(|m| m.decided.direction),
        "factor": measured.and_then(|m| m.decided.factor),
        "ratio": ratio.and_then(|r| finite(r.estimate)),
        "ratio_low": ratio.and_then(|r| finite(r.low)).filter(|low| *low > 0.0),
        "ratio_high": ratio.and_then(|r| finite(r.high)),
        "floor": measured.and_then(|m| finite(m.floor)),
        "reason": measured.and_then(|m| m.reason.clone())
            .or_else(|| uncovered.map(|u| u.reason.clone())),
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
