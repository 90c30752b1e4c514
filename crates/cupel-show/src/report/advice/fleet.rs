//! Advice on a fleet, for a terminal of 80 columns and as JSON. The first line of each answer is the
//! advice.

use crate::report::advice::subject_among;
use crate::report::answer::{faster, may_be};
use crate::report::document::Document;
use crate::report::number::finite;
use crate::report::print;
use crate::report::style::Style;
use cupel_analyse::Ratio;
use cupel_base::text::plain;
use cupel_decide::advise::{FleetAdvice, Joint, OnMachine};
use cupel_protocol::workload::Workload;
use cupel_stats::ENOUGH_FORKS;
use serde_json::{Value, json};

/// Writes advice on a fleet for a terminal.
pub fn draw(advice: &[FleetAdvice], left_out: &[String]) -> String {
    let mut document = Document::default();
    for one in advice {
        document.paragraph(answer(one, advice));
        if let Some(open) = &one.open {
            document.note(undecided(one, open));
        }
        document.note(for_each(one));
        for machine in &one.machines {
            document.note(on_machine(one, machine));
        }
        for note in &one.notes {
            document.note(format!("note: {note}"));
        }
        document.note(format!("contract: {}, {}", one.workload.contract, one.workload.shape));
        document.gap();
    }
    for line in left_out {
        document.paragraph(format!("no advice for {line}"));
    }
    if !advice.is_empty() {
        document.paragraph(
            "What a choice saves was measured on each machine; how many of the calls it makes is in \
             the weights. The intervals of all machines are joint. The advice is for these machines \
             as they were.",
        );
    }
    print::text(&document, Style::default())
}

/// The advice in one sentence.
fn answer(one: &FleetAdvice, all: &[FleetAdvice]) -> String {
    let all: Vec<&Workload> = all.iter().map(|other| &other.workload).collect();
    let subject = subject_among(&one.workload, &all, &one.sizes);
    let all = match one.machines.len() {
        1 => "on the one machine".to_string(),
        machines => format!("on all {machines} machines"),
    };
    match &one.one {
        Some(Joint { contender, ratio }) => format!(
            "{subject}: use {contender} {all}, {} as fast as {} over all calls [{} .. {}]",
            faster(ratio.estimate),
            one.have,
            faster(ratio.high),
            faster(ratio.low)
        ),
        None => format!(
            "{subject}: keep {} {all}; no single choice is certainly faster over all calls",
            one.have
        ),
    }
}

/// What the evidence leaves open.
fn undecided(one: &FleetAdvice, open: &Joint) -> String {
    format!(
        "open: {} {} {} over all calls; {ENOUGH_FORKS} forks or more on each \
         machine, or longer ones, may decide it",
        open.contender,
        may_be(open.ratio.low),
        one.have
    )
}

/// What a choice for each machine would give.
fn for_each(one: &FleetAdvice) -> String {
    let single = one.one.as_ref();
    let estimate = one.each.estimate;
    let choice = single.map_or(&one.have, |single| &single.contender);
    if one.machines.iter().all(|on| on.choice == *choice) {
        return "a choice for each machine is the same".to_string();
    }
    let uniform = single.map_or(1.0, |single| single.ratio.estimate);
    let more = uniform / estimate - 1.0;
    let cost = if more > 0.0005 {
        format!("the single one costs {:.1} % more", 100.0 * more)
    } else {
        "the single one costs no more".to_string()
    };
    format!("a choice for each machine is {} as fast: {cost}", faster(estimate))
}

fn on_machine(one: &FleetAdvice, on: &OnMachine) -> String {
    let choice = if on.choice == one.have {
        format!("keep {}", on.choice)
    } else {
        format!("{}, {} as fast", on.choice, faster(on.ratio))
    };
    format!("{:.0} % of the calls: {choice}; run {}, {}", 100.0 * on.share, on.run, on.machine)
}

/// Writes advice on a fleet as one JSON document.
pub fn json(advice: &[FleetAdvice], left_out: &[String]) -> String {
    let document = json!({
        "advice": advice.iter().map(|one| of_chart(one, advice)).collect::<Vec<_>>(),
        "no_advice": left_out,
    });
    print::json(&document)
}

fn ratio(Ratio { estimate, low, high }: Ratio) -> Value {
    json!({ "estimate": finite(estimate), "low": finite(low), "high": finite(high) })
}

fn of_chart(one: &FleetAdvice, advice: &[FleetAdvice]) -> Value {
    let work = &one.workload;
    json!({
        "answer": plain(&answer(one, advice)),
        "primitive": work.primitive,
        "operation": work.operation.name(),
        "contract": work.contract.to_string(),
        "shape": work.shape.name(),
        "have": one.have,
        "use": one.one.as_ref().map_or(&one.have, |single| &single.contender),
        "keep": one.one.is_none(),
        "ratio": one.one.as_ref().map(|single| ratio(single.ratio)),
        "ratio_each": ratio(one.each),
        "open": one.open.as_ref().map(|open| json!({
            "contender": open.contender, "ratio": ratio(open.ratio),
        })),
        "machines": one.machines.iter().map(|on| json!({
            "machine": on.machine,
            "fingerprint": on.fingerprint,
            "share": on.share,
            "use": on.choice,
            "ratio": on.ratio,
            "run": on.run,
            "open": on.open,
        })).collect::<Vec<_>>(),
        "notes": one.notes,
    })
}
