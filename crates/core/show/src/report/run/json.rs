//! A run as one JSON document.

use super::{cells, circumstances, scaling};
use crate::report::claims::of_run;
use crate::report::number::finite;
use crate::report::print;
use cupel_analyse::{Analysis, Scaling};
use cupel_base::primitives;
use cupel_decide::claims::Verdicts;
use cupel_findings::answer;
use cupel_store::{Circumstances, LeakTest, Recorded};
use serde_json::{Map, Value, json};

/// The document as text.
pub fn write(recorded: &Recorded, analysis: &Analysis, verdicts: &Verdicts) -> String {
    print::json(&document(recorded, analysis, verdicts))
}

/// The verdicts on the questions, the circumstances of the run, and a row for each cell.
pub fn document(recorded: &Recorded, analysis: &Analysis, verdicts: &Verdicts) -> Value {
    let run = &recorded.run;
    let overheads: Map<String, Value> =
        analysis.overheads.iter().map(|(name, ns)| (name.to_string(), json!(ns))).collect();
    let findings = cupel_findings::all(recorded, analysis);
    let mut document = json!({
        "answers": answer::all(recorded, analysis),
        "findings": &findings,
        "run": run.id,
        "suite": run.suite,
        "question": recorded.plan.question,
        "started": run.started,
        "finished": run.finished,
        "command": run.command,
        "cupel": run.tool,
        "method": recorded.plan.method,
        "options": recorded.plan.options,
        "run_intervals": analysis.intervals,
        "calibration": analysis.calibration,
        "measured_ns": run.measured_ns,
        "sliced_ns": run.sliced_ns,
        "machine": recorded.machine,
        "fingerprint": recorded.machine.fingerprint(),
        "harness_overhead_ns": overheads,
        "contenders": contenders(recorded),
        "cells": cells::rows(recorded, analysis),
    });
    if recorded.circumstances != Circumstances::default() {
        let lines = circumstances::left_out(&findings).into_iter();
        document["circumstances"] = json!({
            "lines": lines.chain(circumstances::lines(&findings)).collect::<Vec<_>>(),
            "left_out": recorded.circumstances.left_out,
            "not_audited": recorded.circumstances.not_audited,
            "company": recorded.circumstances.company,
        });
    }
    document["leak_tests"] = recorded.leak_tests.iter().map(leak_test).collect();
    let security = security(analysis);
    if !security.is_empty() {
        document["security"] = security.into();
    }
    // Runs of one thread are as they were before there were more.
    if !analysis.scaling.is_empty() {
        document["scaling"] = analysis.scaling.iter().map(scaled).collect();
        document["scaling_notes"] = scaling::legend(&findings).into();
    }
    of_run::add(&mut document, recorded, verdicts);
    document
}

/// The contenders of the plan, with the run's findings about each.
fn contenders(recorded: &Recorded) -> Vec<Value> {
    let mut all = Vec::new();
    for (place, contender) in recorded.plan.contenders.iter().enumerate() {
        let found = recorded.contenders.get(&place).cloned().unwrap_or_default();
        all.push(json!({
            "name": contender.name,
            "library": contender.library,
            "version": contender.version,
            "built_with": contender.built_with,
            "licence": contender.licence,
            "summary": contender.summary,
            "forced_path_of": contender.forced_path_of(),
            "style_of": contender.style_of(),
            "code_path": found.code_paths.words(),
            "verified_cases": found.verified,
            "not_supported": found.notes,
        }));
    }
    all
}

/// A leak test of one of the contenders, on the run's machine.
fn leak_test(test: &LeakTest) -> Value {
    json!({
        "contender": test.code.contender,
        "version": test.code.version,
        "primitive": test.primitive,
        "operation": test.operation.name(),
        "size": test.size,
        "contract": test.contract.to_string(),
        "method": test.method,
        "seed": test.seed,
        "verdict": test.verdict.words(),
        "reason": test.reason,
        "leaks": test.leaks,
        "compared": test.compared,
        "tested": test.tested,
    })
}

/// The promise of each primitive of the run's choices.
fn security(analysis: &Analysis) -> Map<String, Value> {
    let all = analysis.comparisons.iter().map(|answer| &answer.workload.primitive);
    let choices = all.filter(|primitive| primitives::is_choice(primitive));
    choices
        .flat_map(|primitive| primitives::choice(primitive))
        .filter_map(|one| Some((one.to_string(), primitives::security(one)?.into())))
        .collect()
}

/// The cost of threads to a contender.
fn scaled(one: &Scaling) -> Value {
    json!({
        "contender": one.contender,
        "primitive": one.workload.primitive,
        "operation": one.workload.operation,
        "contract": one.workload.contract.to_string(),
        "size": one.workload.size,
        "threads": one.workload.contract.threads,
        "ns_per_call": one.ns,
        "efficiency": one.efficiency.estimate,
        "efficiency_low": one.efficiency.low,
        "efficiency_high": finite(one.efficiency.high),
        "of_best": one.of_best.map(|ratio| ratio.estimate),
        "of_best_low": one.of_best.map(|ratio| ratio.low),
        "of_best_high": one.of_best.and_then(|ratio| finite(ratio.high)),
        "forks": one.forks,
        "verdict": scaling::words(one.verdict, one.trusted),
    })
}
