//! Two compared runs, for a terminal of 80 columns and as JSON.

use crate::report::claims::joint;
use crate::report::document::Document;
use crate::report::number::{ends, finite};
use crate::report::print;
use crate::report::style::Style;
use cupel_analyse::{Across, Both, Change, NotCompared, Ratio, Verdict};
use cupel_base::chart;
use cupel_base::text;
use cupel_findings::subject::distinction;
use cupel_machine::{Machine, Reading};
use cupel_protocol::workload::Workload;
use cupel_store::Recorded;
use serde_json::{Value, json};

/// The differences between machines: the name of each fact, and its value.
fn facts(machine: &Machine) -> [(&'static str, String); 11] {
    let kind = machine.uneven.as_ref().map_or("not recorded", |uneven| uneven.kind.as_str());
    [
        ("architecture", machine.architecture.clone()),
        ("processor", known(&machine.cpu)),
        ("stepping", known(&machine.stepping)),
        ("microcode", known(&machine.microcode)),
        ("kind of processor", kind.to_string()),
        ("processors", machine.processors.known().unwrap_or(&machine.cpus).to_string()),
        ("processors for the tool", machine.cpus.to_string()),
        ("kernel", known(&machine.kernel)),
        ("system", known(&machine.system)),
        ("governor", known(&machine.governor)),
        ("hypervisor", known(&machine.hypervisor)),
    ]
}

fn known(reading: &Reading<String>) -> String {
    reading.known().map_or("unknown", String::as_str).to_string()
}

/// How two machines differ, in words; empty if they are the same.
fn differences(a: &Machine, b: &Machine) -> Vec<String> {
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

/// The change, in one sentence.
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
    let mut document = Document::default();
    document.paragraph(answer(first, second, across));
    for Recorded { run, machine, .. } in [first, second] {
        document.paragraph(format!("run {} of {}, {}", run.id, run.started, machine.line()));
    }
    let differ = differences(&first.machine, &second.machine);
    if !differ.is_empty() {
        document.paragraph(format!(
            "THE MACHINES DIFFER, so a change may come from the machine: {}",
            differ.join("; ")
        ));
    }
    let methods = [first, second].map(|recorded| recorded.plan.method);
    if methods[0] != methods[1] {
        let [first, second] = methods.map(|method| match method {
            0 => "unknown".to_string(),
            method => method.to_string(),
        });
        document.paragraph(format!(
            "THE METHODS DIFFER, so a change may come from Cupel: {first} / {second} \
             (docs/trust/method.md)"
        ));
    }
    for both in &across.workloads {
        workload(&mut document, both);
    }
    if !across.left_out.is_empty() {
        document.heading(2, "not compared");
    }
    for one in &across.left_out {
        document.note(one.words());
    }
    document.gap();
    document.paragraph(format!(
        "Times of two runs are not compared, because they depend on the moment. Ratios to the \
         reference are: the first run's, the second's, and the change with its interval. {}",
        joint(across.intervals, first.plan.options.alpha)
    ));
    print::text(&document, Style::default())
}

fn workload(document: &mut Document, both: &Both) {
    let work = &both.workload;
    let floor = if both.floor > 0.0 {
        format!("; nothing below {:.0} % is decided", both.floor * 100.0)
    } else {
        String::new()
    };
    document.heading(
        2,
        format!(
            "{} {}, {}, {}; against {}{floor}",
            work.primitive,
            work.operation,
            chart::size(work),
            work.shape,
            both.reference
        ),
    );
    document.paragraph(format!("contract: {}", work.contract));
    if both.is_rebuilt {
        document.paragraph(format!(
            "the program of the reference {} is not the same in both runs: a change of the others \
             may be a change of the reference",
            both.reference
        ));
    }
    for change in &both.changes {
        let versions = match &change.versions {
            (old, new) if old == new => String::new(),
            (old, new) => format!(" (version {old}, then {new})"),
        };
        document.note(format!(
            "{:<13} {}{versions}: {} then {}, change {} [{}]",
            change.verdict.words(),
            change.contender,
            text::ratio_digits(change.before.estimate),
            text::ratio_digits(change.after.estimate),
            text::ratio_digits(change.change.estimate),
            text::interval(change.change.low, change.change.high)
        ));
    }
}

/// Writes compared runs as one JSON document.
pub fn json(first: &Recorded, second: &Recorded, across: &Across) -> String {
    let document = json!({
        "answer": answer(first, second, across),
        "first": side(first),
        "second": side(second),
        "machines_differ_in": differences(&first.machine, &second.machine),
        "intervals_are_joint": across.intervals,
        "workloads": across.workloads.iter().map(both).collect::<Vec<_>>(),
        "not_compared": across.left_out.iter().map(not_compared).collect::<Vec<_>>(),
    });
    print::json(&document)
}

/// The reason, with its workload and its words.
fn not_compared(one: &NotCompared) -> Value {
    let mut value = json!(one.why);
    value["work"] = work(&one.workload);
    value["words"] = one.words().into();
    value
}

fn work(work: &Workload) -> Value {
    json!({
        "primitive": work.primitive,
        "operation": work.operation.name(),
        "contract": work.contract.to_string(),
        "shape": work.shape.name(),
        "size": work.size,
    })
}

fn both(both: &Both) -> Value {
    let mut value = work(&both.workload);
    value["reference"] = json!(both.reference);
    value["reference_is_rebuilt"] = both.is_rebuilt.into();
    value["floor"] = json!(finite(both.floor));
    value["changes"] = both.changes.iter().map(change).collect();
    value
}

fn change(change: &Change) -> Value {
    json!({
        "contender": change.contender,
        "versions": [change.versions.0, change.versions.1],
        "first": ratio(change.before),
        "second": ratio(change.after),
        "change": ratio(change.change),
        "verdict": change.verdict.words(),
    })
}

fn side(recorded: &Recorded) -> Value {
    json!({
        "run": recorded.run.id,
        "suite": recorded.run.suite,
        "started": recorded.run.started,
        "fingerprint": recorded.machine.fingerprint(),
        "method": recorded.plan.method,
    })
}

fn ratio(ratio: Ratio) -> Value {
    let [ratio, low, high] = ends(Some(ratio));
    json!({ "ratio": ratio, "low": low, "high": high })
}
