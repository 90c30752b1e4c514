//! The findings about a whole run: its forks and intervals, its harness, and other programs on the
//! machine.

use crate::{Contender, Finding, Program, Said, threads};
use cupel_analyse::{Analysis, Row, Verdict};
use cupel_machine::Company;
use cupel_plan::Plan;
use cupel_stats::ENOUGH_FORKS;
use cupel_stats::verdict::FEW_FORKS_ZONE;
use cupel_store::Recorded;
use cupel_suite::{LEAST_WIDTH, Look, Turn};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// A quota that took the processors away for a smaller share of the time is not worth a word.
const THROTTLED: f64 = 0.01;

/// The findings about the whole run.
pub fn of_run(recorded: &Recorded, analysis: &Analysis) -> Vec<Finding> {
    let plan = &recorded.plan;
    let forks = finished(recorded);
    let company = &recorded.circumstances.company;
    let first = [
        Some(self::forks(recorded)),
        Some(intervals(plan, analysis, forks)),
        retired(recorded, analysis),
        jit_forks(recorded, analysis),
        too_few_forks(recorded, analysis, forks),
        plan.options.beside.clone().map(|other| Said::Beside { other }),
        left_out(recorded),
        throttled(company),
        recorded.circumstances.heap_mib.map(|mib| Said::HeapLimit { mib }),
        other_programs(company),
        layouts(plan, forks),
        threads::shared_cores(recorded, analysis),
    ];
    let empty = analysis.overheads.iter();
    let empty = empty.map(|(runner, ns)| Said::EmptyCall { runner: runner.clone(), ns: *ns });
    let probed = company.altered.iter().map(|(file, by)| Said::Probed {
        file: file.clone(),
        by: Some(by.clone()).filter(|by| !by.is_empty()),
    });
    let replaced = company.replaced.iter().map(|file| Said::Replaced { file: file.clone() });
    let all = first.into_iter().flatten().chain(empty).chain(probed).chain(replaced);
    let mut findings: Vec<Finding> = all.map(Finding::of_run).collect();
    findings.extend(not_audited(recorded));
    findings.extend(threads::keeps(recorded, analysis));
    findings
}

/// The forks that were measured to their end.
fn finished(recorded: &Recorded) -> usize {
    recorded.forks.iter().filter(|fork| fork.finished).count()
}

/// How many forks the run has, and whether it was killed.
pub fn forks(recorded: &Recorded) -> Said {
    let options = &recorded.plan.options;
    let is_finished = recorded.run.finished.is_some();
    let circumstances = &recorded.circumstances;
    // An unfinished run has the forks of its plan.
    let asked = circumstances.forks_asked.filter(|_| is_finished);
    let is_over = circumstances.time_over || circumstances.forks_asked.is_some();
    Said::Forks {
        forks: finished(recorded),
        of: asked.unwrap_or(options.forks) as usize,
        finished: is_finished,
        within_s: options.within.filter(|_| is_over).map(|within| within.as_secs_f64()),
    }
}

fn layouts(plan: &Plan, forks: usize) -> Option<Said> {
    let layouts = plan.contenders.iter().map(|contender| contender.layouts.len()).max()?;
    (layouts > 0).then_some(Said::Layouts { layouts, forks })
}

fn intervals(plan: &Plan, analysis: &Analysis, forks: usize) -> Said {
    let options = &plan.options;
    let least_width = Some(options.least_width).filter(|width| *width > LEAST_WIDTH);
    Said::Intervals {
        joint: 1.0 - options.alpha,
        tie_zone: options.tie_zone,
        few_forks_zone: (forks < ENOUGH_FORKS).then_some(FEW_FORKS_ZONE),
        wider: analysis.calibration,
        least_width: least_width.map(f64::exp_m1),
    }
}

/// The run may have ended early, so only forks that were measured count.
fn retired(recorded: &Recorded, analysis: &Analysis) -> Option<Said> {
    let plan = &recorded.plan;
    let after = plan.options.first_forks();
    let forks = measured(recorded, |fork| fork < after || plan.options.returning(fork, false));
    let of = finished(recorded);
    // Code with a JIT may have few forks for another reason.
    let is_late = |row: &Row| plan.has_few_forks(row.cell);
    let mut rows = analysis.comparisons.iter().flat_map(|answer| &answer.rows);
    // Fewer forks may count than it ran in.
    let ran = |row: &Row| prepared(recorded, row.cell);
    let some = rows.any(|row| row.ranked() && ran(row) == forks && forks < of && !is_late(row));
    some.then_some(Said::Retired { after, forks, of })
}

/// After how many forks with a JIT some left: one, or those before a look. A fork may have been lost.
fn ends(look: &Look, left: &BTreeSet<u32>) -> Vec<u32> {
    let [first, second] = [Turn::First, Turn::Second].map(|turn| look.forks_before(turn, true));
    let spans = [1..=1, 2..=first, first + 1..=second];
    let some_left = |span: &RangeInclusive<u32>| left.iter().any(|forks| span.contains(forks));
    spans.into_iter().filter(some_left).map(|span| *span.end()).collect()
}

/// In how many of the measured forks a process of a cell was prepared.
fn prepared(recorded: &Recorded, cell: usize) -> usize {
    let finished = recorded.forks.iter().filter(|fork| fork.finished);
    let own: BTreeSet<i64> =
        recorded.warm_ups.iter().filter(|w| w.cell == cell).map(|w| w.fork).collect();
    finished.filter(|fork| own.contains(&fork.id)).count()
}

fn jit_forks(recorded: &Recorded, analysis: &Analysis) -> Option<Said> {
    let plan = &recorded.plan;
    let allowed = measured(recorded, |fork| plan.options.is_jit_fork(fork));
    let of = finished(recorded);
    // The others are compared with a baseline in all of their forks.
    let own = (0..plan.cells.len()).filter(|&cell| !plan.cells[cell].control);
    let late = own.filter(|&cell| plan.has_few_forks(cell));
    let (baselines, others): (Vec<_>, Vec<_>) = late.partition(|&cell| plan.is_baseline(cell));
    let baseline_in_all = !baselines.is_empty();
    let is_jit = |cell: usize| plan.contender_of(cell).is_jit();
    let most = |jit: bool| {
        let these = others.iter().filter(|&&cell| is_jit(cell) == jit);
        these.map(|&cell| prepared(recorded, cell)).max().unwrap_or(0)
    };
    let rows = analysis.comparisons.iter().flat_map(|answer| &answer.rows);
    let measured_row = |row: &&Row| row.left_early && row.ns.is_some() && is_jit(row.cell);
    let left = rows.filter(measured_row).map(|row| prepared(recorded, row.cell) as u32);
    let left: BTreeSet<u32> = left.collect();
    let left_after = plan.options.look().map_or(vec![], |look| ends(&look, &left));
    // Who ran in none has that as its reason.
    let forks = if allowed < of { most(true) } else { 0 };
    let interpreted = Some(most(false)).filter(|&ran| 0 < ran && ran < of);
    (0 < forks || interpreted.is_some()).then_some(Said::JitForks {
        forks,
        of,
        interpreted,
        baseline_in_all,
        left_after,
        asked: plan.options.jit_forks(),
    })
}

/// How many of the measured forks have such a number.
fn measured(recorded: &Recorded, is_one: impl Fn(u32) -> bool) -> usize {
    recorded.forks.iter().filter(|fork| fork.finished && is_one(fork.ordinal)).count()
}

fn too_few_forks(recorded: &Recorded, analysis: &Analysis, forks: usize) -> Option<Said> {
    let mut rows = analysis.comparisons.iter().flat_map(|answer| &answer.rows);
    let open = rows.any(|row| row.verdict == Verdict::NotSeparated);
    if forks >= ENOUGH_FORKS || !open || recorded.run.finished.is_none() {
        return None;
    }
    // The run may have stopped early: then it was already asked for enough.
    let (wanted, remedy) = match recorded.plan.options.forks as usize {
        asked if asked < ENOUGH_FORKS => (ENOUGH_FORKS, format!("--forks {ENOUGH_FORKS}")),
        asked => (asked, format!("--forks {asked} --first-forks {asked}")),
    };
    Some(Said::TooFewForks {
        enough: ENOUGH_FORKS,
        undecided_below: FEW_FORKS_ZONE,
        remedy,
        takes_ns: time_of(recorded, forks, wanted),
    })
}

/// The time that this many forks of a run would take, in ns, by the time of its own.
fn time_of(recorded: &Recorded, own: usize, forks: usize) -> f64 {
    let warming: f64 = recorded.warm_ups.iter().map(|warm_up| warm_up.elapsed_ns).sum();
    let all = recorded.run.measured_ns as f64 + warming;
    all / own.max(1) as f64 * forks as f64
}

fn left_out(recorded: &Recorded) -> Option<Said> {
    let contenders = recorded.circumstances.left_out.clone();
    let budget_s = recorded.plan.options.given_budget().as_secs_f64();
    (!contenders.is_empty()).then_some(Said::LeftOut { contenders, budget_s })
}

fn throttled(company: &Company) -> Option<Said> {
    let Company { throttled: seconds, seconds: of_s, .. } = *company;
    (seconds > THROTTLED * of_s).then_some(Said::Throttled { seconds, of_s })
}

fn other_programs(company: &Company) -> Option<Said> {
    let programs: Vec<Program> = company
        .heavy()
        .into_iter()
        .map(|(name, share)| Program { name: name.to_string(), share })
        .collect();
    let unseen = company.heavy_unseen();
    (!programs.is_empty() || unseen.is_some()).then_some(Said::OtherPrograms { programs, unseen })
}

/// The cells whose times nothing was compared with, because the machine was too busy.
fn not_audited(recorded: &Recorded) -> Vec<Finding> {
    let plan = &recorded.plan;
    let cells = recorded.circumstances.not_audited.keys().copied();
    let shown =
        cells.filter(|&cell| !plan.cells[cell].control && !recorded.failures.contains_key(&cell));
    let findings = shown.map(|cell| {
        let version = plan.contender_of(cell).version.clone();
        let contender = Contender { name: plan.name_of(cell), version, cell };
        let comparison = plan.cells[cell].comparison;
        Finding::of_work(comparison, plan.workload_of(cell), Said::NotAudited { contender })
    });
    findings.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_quota_is_a_finding_from_a_hundredth_on() {
        let of = |throttled| Company { seconds: 10.0, throttled, ..Company::default() };
        assert_eq!(throttled(&of(0.05)), None);
        assert_eq!(throttled(&of(3.2)), Some(Said::Throttled { seconds: 3.2, of_s: 10.0 }));
    }

    #[test]
    fn programs_are_a_finding_if_they_used_much() {
        let of = |name: &str, time: f64| (name.to_string(), time);
        let programs = BTreeMap::from([of("as", 2.0), of("cc1plus", 8.0), of("d", 0.1)]);
        let company = Company { seconds: 10.0, programs, unseen: 3.0, ..Company::default() };
        let program = |name: &str, share| Program { name: name.to_string(), share };
        let programs = vec![program("cc1plus", 0.8), program("as", 0.2)];
        let found = other_programs(&company);
        assert_eq!(found, Some(Said::OtherPrograms { programs, unseen: Some(0.3) }));
        assert_eq!(other_programs(&Company { seconds: 10.0, ..Company::default() }), None);
    }
}
