//! The verdicts of a run on its questions besides figures, before all else: claims and gates.

use crate::report::claims::{self, found};
use crate::report::document::Document;
use cupel_base::text::{self, plain, quoted};
use cupel_contender::Contender;
use cupel_decide::claims::{Answered, Decision, Decisions, Verdicts};
use cupel_findings::subject::distinction;
use cupel_findings::subject::subject_with;
use cupel_plan::Plan;
use cupel_protocol::workload::{Operation, Shape, Workload};
use cupel_stats::ENOUGH_FORKS;
use cupel_store::Recorded;
use cupel_suite::{Claim, again, asked};
use serde_json::Value;

/// Up to this many claims are listed one by one. If there are more, only the refuted ones are.
const LISTED: usize = 8;

/// A verdict with its grounds.
struct Verdict<'a> {
    one: &'a Answered,
    /// `refuted: A is faster than B (SHA-256, 64 B)`.
    line: String,
    /// For each size: verdict, figure and interval, or the reason.
    sizes: Vec<String>,
}

/// A claim as it was read, in a sentence: `A is faster than B (SHA-256, 64 B)`. `all` are the
/// workloads of its suite.
pub fn sentence<'a>(
    claim: &Claim,
    sizes: &[u64],
    all: impl IntoIterator<Item = &'a Workload>,
) -> String {
    let words: Vec<String> = sizes.iter().copied().map(text::bytes).collect();
    let work = claim.workload(claim.sizes[0]);
    let about = subject_with(&work, &distinction(&work, sizes, all), &words.join(", "));
    format!("{} ({about})", claim.relation.sentence(&claim.a, &claim.b))
}

/// Writes the verdicts; nothing if nothing was asked.
pub fn write(document: &mut Document, recorded: &Recorded, verdicts: &Verdicts) {
    for (kind, decisions) in kinds(verdicts) {
        if let Some(total) = total(kind, decisions) {
            document.item(0, total);
        }
        for verdict in listed(&recorded.plan, decisions) {
            let word = claims::emphasis(verdict.one.decision());
            document.line(Some(0), format!("{kind}{}", verdict.line), word);
            for size in &verdict.sizes {
                document.item(1, size);
            }
            if let Some(command) = more_evidence(recorded, verdict.one) {
                document.item(1, "more evidence:");
                document.command(2, command);
            }
        }
        if let Some(rest) = unlisted(recorded, decisions) {
            document.item(0, rest);
        }
    }
}

/// The verdicts as lines without structure: each claim, then its grounds.
pub fn lines(recorded: &Recorded, verdicts: &Verdicts) -> Vec<String> {
    let mut lines = Vec::new();
    for (kind, decisions) in kinds(verdicts) {
        lines.extend(total(kind, decisions));
        let listed = listed(&recorded.plan, decisions).into_iter();
        lines.extend(listed.map(|one| format!("{kind}{}: {}", one.line, one.sizes.join("; "))));
        lines.extend(unlisted(recorded, decisions));
    }
    lines
}

/// Adds the verdicts to a run's document: `claims` and `gate`, each as `cupel check` writes them.
pub fn add(document: &mut Value, recorded: &Recorded, verdicts: &Verdicts) {
    let alpha = recorded.plan.options.alpha;
    for (key, decisions) in [("claims", &verdicts.claims), ("gate", &verdicts.gate)] {
        let Decisions { answered, intervals } = decisions;
        if !answered.is_empty() {
            document[key] = claims::document(answered, &[], *intervals, alpha);
        }
    }
}

/// The kinds of question, each with the word before its verdicts.
fn kinds(verdicts: &Verdicts) -> Vec<(&'static str, &Decisions)> {
    let both = [("gate: ", &verdicts.gate), ("", &verdicts.claims)];
    both.into_iter().filter(|(_, decisions)| !decisions.answered.is_empty()).collect()
}

/// The number of verdicts by decision, if there are several.
fn total(kind: &str, decisions: &Decisions) -> Option<String> {
    let answered = &decisions.answered;
    (answered.len() > 1).then(|| format!("{kind}{}", claims::total(answered)))
}

fn listed<'a>(plan: &Plan, decisions: &'a Decisions) -> Vec<Verdict<'a>> {
    let answered = &decisions.answered;
    let mut listed: Vec<&Answered> = answered.iter().collect();
    if answered.len() > LISTED {
        listed.retain(|one| one.decision() == Decision::Refuted);
    }
    // Refuted claims come first.
    listed.sort_by_key(|one| one.decision() != Decision::Refuted);
    listed.into_iter().map(|one| verdict(plan, one)).collect()
}

fn verdict<'a>(plan: &Plan, one: &'a Answered) -> Verdict<'a> {
    let claim = &one.claim;
    let sizes: Vec<u64> = one.points.iter().map(|point| point.size).collect();
    let said = sentence(claim, &sizes, plan.workloads());
    Verdict {
        one,
        line: plain(&format!("{}: {said}", one.decision().word())),
        sizes: one.points.iter().map(|point| plain(&found(claim, point))).collect(),
    }
}

/// Where the others are, if not all are listed.
fn unlisted(recorded: &Recorded, decisions: &Decisions) -> Option<String> {
    let suite = quoted(&recorded.run.suite);
    (decisions.answered.len() > LISTED)
        .then(|| format!("all of them: cupel check {suite} --run {}", recorded.run.id))
}

/// The command that looks harder at the undecided claims.
fn more_evidence(recorded: &Recorded, one: &Answered) -> Option<String> {
    let Recorded { run, plan, .. } = recorded;
    let claim = &one.claim;
    if !claim.relation.is_of_times() {
        let mut lacking = one.points.iter().filter_map(|point| point.measured.as_ref().err());
        return lacking.find(|l| !l.command.is_empty()).map(|l| claims::line_of(&l.command));
    }
    let mut measured = one.points.iter().filter_map(|point| point.measured.as_ref().ok());
    let is_open = measured.any(|measured| measured.reason.needs_evidence());
    if one.decision() != Decision::Undecided || !is_open || claim.b.is_against() {
        return None;
    }
    let is_jit = plan.contenders.iter().any(Contender::is_jit);
    let had = if is_jit { plan.options.jit_forks() } else { plan.options.forks };
    let forks = (2 * had).max(ENOUGH_FORKS as u32);
    let more = format!("--forks {forks} --first-forks {forks}");
    let sizes: Vec<u64> = one.points.iter().map(|point| point.size).collect();
    let work = claim.workload(sizes[0]);
    if run.suite != asked::NAME {
        let names = [claim.b.as_str(), claim.a.as_str()];
        return Some(again(&run.suite, &work, &sizes, plan.workloads(), names, &more));
    }
    let Workload { primitive, operation, contract, shape, .. } = &work;
    // A hash is digested and a code is computed unless the question says otherwise.
    let operation_word = match operation {
        Operation::Digest | Operation::Mac => String::new(),
        other => format!(" {other}"),
    };
    let sizes: Vec<String> = sizes.iter().map(u64::to_string).collect();
    let contract = asked::contract_in_words(operation, contract)
        .map_or(String::new(), |words| format!(" --contract {words}"));
    let shape = if *shape == Shape::Latency { " --shape latency" } else { "" };
    Some(format!(
        "cupel check {} {primitive}{operation_word} {}{contract}{shape} {more}",
        quoted(&claim.quote),
        sizes.join(",")
    ))
}
