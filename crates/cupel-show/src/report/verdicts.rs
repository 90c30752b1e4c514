//! The verdicts of a run on what it was asked besides figures, before everything else that is shown
//! of it: claims and gates.

use super::claims::found;
use super::label::distinction;
use super::markup::escaped;
use super::sentence::subject_with;
use super::style::Style;
use cupel_base::text::{self, folded, plain, quoted};
use cupel_decide::claims::{Answered, Decision, Decisions, Verdicts};
use cupel_host::contender::Contender;
use cupel_plan::Plan;
use cupel_protocol::workload::{Operation, Shape, Workload};
use cupel_stats::ENOUGH_FORKS;
use cupel_store::Recorded;
use cupel_suite::{Claim, again, asked};
use serde_json::Value;
use std::fmt::Write;

/// Up to this many claims are listed one by one. Of more, those that are refuted are.
const LISTED: usize = 8;

/// A verdict with what it rests on.
struct Verdict<'a> {
    one: &'a Answered,
    /// `refuted: A is faster than B (SHA-256, 64 B)`.
    line: String,
    /// For each size: verdict, figure and interval, or the reason.
    sizes: Vec<String>,
    /// What a figure is.
    figure: String,
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

/// Writes the verdicts for a terminal; nothing if nothing was asked.
pub fn draw(recorded: &Recorded, verdicts: &Verdicts, style: Style) -> String {
    let mut out = String::new();
    for (kind, decisions) in kinds(verdicts) {
        if let Some(total) = total(kind, decisions) {
            let _ = writeln!(out, "{}", folded("", &total));
        }
        for verdict in listed(&recorded.plan, decisions) {
            let word = verdict.one.decision().word();
            let line = folded("", &format!("{kind}{}", verdict.line));
            // Coloured after it is folded, because colour codes have no width.
            let coloured = format!("\u{1b}[{}m{word}\u{1b}[0m", colour(verdict.one.decision()));
            let line = if style.colour { line.replacen(word, &coloured, 1) } else { line };
            let _ = writeln!(out, "{line}");
            for size in &verdict.sizes {
                let _ = writeln!(out, "{}", folded("  ", size));
            }
            let _ = writeln!(out, "{}", folded("  ", &verdict.figure));
            if let Some(command) = more_evidence(recorded, verdict.one) {
                let _ = writeln!(out, "  more evidence:\n{}", text::command("    ", &command));
            }
        }
        if let Some(rest) = unlisted(recorded, decisions) {
            let _ = writeln!(out, "{}", folded("", &rest));
        }
    }
    out
}

/// Writes the verdicts as Markdown; nothing if nothing was asked.
pub fn markdown(recorded: &Recorded, verdicts: &Verdicts) -> String {
    let mut out = String::new();
    for (kind, decisions) in kinds(verdicts) {
        if let Some(total) = total(kind, decisions) {
            let _ = writeln!(out, "- {}", escaped(&total));
        }
        for verdict in listed(&recorded.plan, decisions) {
            let _ = writeln!(out, "- **{}**", escaped(&format!("{kind}{}", verdict.line)));
            for size in &verdict.sizes {
                let _ = writeln!(out, "  - {}", escaped(size));
            }
            let _ = writeln!(out, "  - {}", escaped(&verdict.figure));
        }
        if let Some(rest) = unlisted(recorded, decisions) {
            let _ = writeln!(out, "- {}", escaped(&rest));
        }
    }
    out
}

/// The verdicts as lines without structure: each claim, then what it rests on.
pub fn lines(recorded: &Recorded, verdicts: &Verdicts) -> Vec<String> {
    let of = |(kind, decisions)| {
        let listed = listed(&recorded.plan, decisions).into_iter();
        let each = listed
            .map(move |verdict| format!("{kind}{}: {}", verdict.line, verdict.sizes.join("; ")));
        total(kind, decisions).into_iter().chain(each).chain(unlisted(recorded, decisions))
    };
    kinds(verdicts).into_iter().flat_map(of).collect()
}

/// Adds the verdicts to a run's document: `claims` and `gate`, each as `cupel check` writes them.
///
/// # Errors
/// None in practice; those of the writer.
pub fn add(document: &mut Value, recorded: &Recorded, verdicts: &Verdicts) -> anyhow::Result<()> {
    let alpha = recorded.plan.options.alpha;
    for (key, decisions) in [("claims", &verdicts.claims), ("gate", &verdicts.gate)] {
        let Decisions { answered, intervals } = decisions;
        if !answered.is_empty() {
            let json = super::claims::json(answered, &[], *intervals, alpha)?;
            document[key] = serde_json::from_str(&json)?;
        }
    }
    Ok(())
}

/// What was asked, with the word that is before each verdict.
fn kinds(verdicts: &Verdicts) -> Vec<(&'static str, &Decisions)> {
    let both = [("gate: ", &verdicts.gate), ("", &verdicts.claims)];
    both.into_iter().filter(|(_, decisions)| !decisions.answered.is_empty()).collect()
}

/// How many there are of each decision, if there are several.
fn total(kind: &str, decisions: &Decisions) -> Option<String> {
    let answered = &decisions.answered;
    (answered.len() > 1).then(|| format!("{kind}{}", super::claims::total(answered)))
}

fn listed<'a>(plan: &Plan, decisions: &'a Decisions) -> Vec<Verdict<'a>> {
    let answered = &decisions.answered;
    let mut listed: Vec<&Answered> = answered.iter().collect();
    if answered.len() > LISTED {
        listed.retain(|one| one.decision() == Decision::Refuted);
    }
    // What is refuted comes first.
    listed.sort_by_key(|one| one.decision() != Decision::Refuted);
    listed.into_iter().map(|one| verdict(plan, one)).collect()
}

fn verdict<'a>(plan: &Plan, one: &'a Answered) -> Verdict<'a> {
    let claim = &one.claim;
    let sizes: Vec<u64> = one.points.iter().map(|point| point.size).collect();
    let said = sentence(claim, &sizes, plan.workloads());
    let figure = match claim.relation.is_of_speed() {
        true => format!("a figure is how many times as fast {} is", claim.a),
        false => format!("a figure is how many times as long {} takes", claim.a),
    };
    Verdict {
        one,
        line: plain(&format!("{}: {said}", one.decision().word())),
        sizes: one.points.iter().map(|point| plain(&found(claim, point))).collect(),
        figure: plain(&figure),
    }
}

/// Where the others are, if not all are listed.
fn unlisted(recorded: &Recorded, decisions: &Decisions) -> Option<String> {
    let suite = quoted(&recorded.run.suite);
    (decisions.answered.len() > LISTED)
        .then(|| format!("all of them: cupel check {suite} --run {}", recorded.run.id))
}

/// The command that looks harder at what is undecided.
fn more_evidence(recorded: &Recorded, one: &Answered) -> Option<String> {
    let Recorded { run, plan, .. } = recorded;
    let claim = &one.claim;
    let measured = one.points.iter().any(|point| point.measured.is_ok());
    if one.decision() != Decision::Undecided || !measured || claim.b.is_against() {
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
    // A hash is digested and a code is computed unless somebody says otherwise.
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

fn colour(decision: Decision) -> u8 {
    match decision {
        Decision::Held => 32,
        Decision::Refuted => 31,
        Decision::Undecided => 33,
    }
}
