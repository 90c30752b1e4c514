//! Two compared runs, for a terminal of 80 columns and as JSON.

use super::joint;
use super::label::distinction;
use cupel_analyse::{Across, Both, Ratio, Verdict};
use cupel_base::chart;
use cupel_base::machine::{Machine, Reading};
use cupel_base::text::{self, folded, plain};
use cupel_store::Recorded;
use serde_json::{Value, json};
use std::fmt::Write;

/// How two machines differ, in words; empty if they are the same.
pub fn differences(a: &Machine, b: &Machine) -> Vec<String> {
    fn known(reading: &Reading<String>) -> &str {
        reading.known().map_or("unknown", String::as_str)
    }
    let facts = |m: &Machine| {
        [
            ("architecture", m.architecture.clone()),
            ("processor", known(&m.cpu).to_string()),
            ("stepping", known(&m.stepping).to_string()),
            ("microcode", known(&m.microcode).to_string()),
            (
                "kind of processor",
                m.uneven.as_ref().map_or("not recorded", |u| u.kind.as_str()).to_string(),
            ),
            ("processors", m.processors.known().unwrap_or(&m.cpus).to_string()),
            ("processors for the tool", m.cpus.to_string()),
            ("kernel", known(&m.kernel).to_string()),
            ("system", known(&m.system).to_string()),
            ("governor", known(&m.governor).to_string()),
            ("hypervisor", known(&m.hypervisor).to_string()),
        ]
    };
    let mut differ: Vec<String> = facts(a)
        .into_iter()
        .zip(facts(b))
        .filter(|(x, y)| x.1 != y.1)
        .map(|((name, x), (_, y))| format!("{name}: {x} / {y}"))
        .collect();
    if differ.is_empty() && a.fingerprint() != b.fingerprint() {
        differ.push("instruction set extensions or cache".to_string());
    }
    differ
}

/// What changed, in one sentence.
fn answer(first: &Recorded, second: &Recorded, across: &Across) -> String {
    const NAMED: usize = 4;
    let all =
        || across.workloads.iter().flat_map(|both| both.changes.iter().map(move |c| (both, c)));
    let certain: Vec<String> = all()
        .filter(|(_, change)| matches!(change.verdict, Verdict::Faster | Verdict::Slower))
        .map(|(both, change)| {
            let work = &both.workload;
            let all = across.workloads.iter().map(|other| &other.workload);
            let distinction = distinction(work, &[work.size], all);
            let (word, size) = (change.verdict.words(), chart::size(work));
            let ratio = text::ratio_digits(change.change.estimate);
            format!("{} is {word} at {size}{distinction} ({ratio})", change.contender)
        })
        .collect();
    let (first, second) = (first.run.id, second.run.id);
    if all().next().is_none() {
        return format!("nothing in runs {first} and {second} can be compared");
    }
    let asked = text::count(all().count(), "comparison");
    if certain.is_empty() {
        return format!("from run {first} to run {second}, no change is certain in {asked}");
    }
    let more = match certain.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let some = certain[..certain.len().min(NAMED)].join("; ");
    format!("from run {first} to run {second}, {} of {asked} changed: {some}{more}", certain.len())
}

/// Writes compared runs for a terminal.
pub fn draw(first: &Recorded, second: &Recorded, across: &Across) -> String {
    let mut out = format!("{}\n", folded("", &plain(&answer(first, second, across))));
    for recorded in [first, second] {
        let run = &recorded.run;
        let line = format!("run {} of {}, {}", run.id, run.started, recorded.machine.line());
        let _ = writeln!(out, "{}", folded("", &plain(&line)));
    }
    let differ = differences(&first.machine, &second.machine);
    if !differ.is_empty() {
        let line = format!(
            "THE MACHINES DIFFER, so a change may come from the machine: {}",
            differ.join("; ")
        );
        let _ = writeln!(out, "{}", folded("", &plain(&line)));
    }
    for both in &across.workloads {
        workload(&mut out, both);
    }
    if !across.left_out.is_empty() {
        let _ = writeln!(out, "\nnot compared");
        for line in &across.left_out {
            let _ = writeln!(out, "{}", folded("  ", &plain(line)));
        }
    }
    let legend = format!(
        "Times of two runs are not compared, because they depend on the moment. Ratios to the \
         reference are: the first run's, the second's, and the change with its interval. {}",
        joint(across.intervals, first.plan.options.alpha)
    );
    let _ = writeln!(out, "\n{}", folded("", &legend));
    out
}

fn workload(out: &mut String, both: &Both) {
    let work = &both.workload;
    let head = format!(
        "{} {}, {}, {}; against {}{}",
        work.primitive,
        work.operation,
        chart::size(work),
        work.shape,
        both.reference,
        if both.floor > 0.0 {
            format!("; nothing below {:.0} % is decided", both.floor * 100.0)
        } else {
            String::new()
        }
    );
    let _ = writeln!(out, "\n{}", folded("", &plain(&head)));
    let _ = writeln!(out, "{}", folded("", &format!("contract: {}", work.contract)));
    for change in &both.changes {
        let versions = match &change.versions {
            (old, new) if old == new => String::new(),
            (old, new) => format!(" (version {old}, then {new})"),
        };
        let line = format!(
            "{:<13} {}{versions}: {} then {}, change {} [{}]",
            change.verdict.words(),
            change.contender,
            text::ratio_digits(change.before.estimate),
            text::ratio_digits(change.after.estimate),
            text::ratio_digits(change.change.estimate),
            text::interval(change.change.low, change.change.high)
        );
        let _ = writeln!(out, "{}", folded("  ", &plain(&line)));
    }
}

/// Writes compared runs as one JSON document.
///
/// # Errors
/// None in practice; those of the writer.
pub fn json(first: &Recorded, second: &Recorded, across: &Across) -> anyhow::Result<String> {
    let side = |recorded: &Recorded| {
        json!({
            "run": recorded.run.id,
            "suite": recorded.run.suite,
            "started": recorded.run.started,
            "fingerprint": recorded.machine.fingerprint(),
        })
    };
    let document = json!({
        "first": side(first),
        "second": side(second),
        "machines_differ_in": differences(&first.machine, &second.machine),
        "intervals_are_joint": across.intervals,
        "workloads": across.workloads.iter().map(both).collect::<Vec<_>>(),
        "not_compared": across.left_out,
    });
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

fn both(both: &Both) -> Value {
    let finite = |x: f64| x.is_finite().then_some(x);
    let ratio = |r: &Ratio| json!({ "ratio": finite(r.estimate), "low": finite(r.low).filter(|l| *l > 0.0), "high": finite(r.high) });
    let work = &both.workload;
    json!({
        "primitive": work.primitive,
        "operation": work.operation.name(),
        "contract": work.contract.to_string(),
        "shape": work.shape.name(),
        "size": work.size,
        "reference": both.reference,
        "floor": finite(both.floor),
        "changes": both.changes.iter().map(|change| json!({
            "contender": change.contender,
            "versions": [change.versions.0, change.versions.1],
            "first": ratio(&change.before),
            "second": ratio(&change.after),
            "change": ratio(&change.change),
            "verdict": change.verdict.words(),
        })).collect::<Vec<_>>(),
    })
}
