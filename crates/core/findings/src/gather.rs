//! Makes the findings of a run from its analysis.

use crate::because::{self, Forks, Open, contender, contender_of, parts};
use crate::of_run::of_run;
use crate::{
    Among, Because, Behind, Contender, Finding, Group, NoControl, Part, Said, Standing, leaks,
};
use cupel_analyse::leaders;
use cupel_analyse::{Analysis, Answer, Lead, Ratio, Row, Verdict};
use cupel_base::name::ContenderName;
use cupel_stats::Steadiness;
use cupel_store::Recorded;
use std::collections::BTreeSet;

/// Up to this difference a tie is an answer: few programs would notice more precision.
const CLOSE: f64 = 1.05;

/// A harness that takes less than this share of a figure is not worth a word.
const HARNESS_SHARE: f64 = 0.05;

/// The share of collections that could change a verdict.
const COLLECTING_SHARE: f64 = 0.01;

/// The effect of a slice on the next one that needs no word, as a ratio minus one.
const SLOWS_NEXT: f64 = 0.01;

/// The bytes that a thread can read in a ns, and more: two loads of 64 bytes in each cycle are 730
/// at 5.7 GHz, and a computation on them takes several times as long.
const MOST_RATE: f64 = 256.0;

/// Shorter messages, in bytes, show nothing of that: the call takes their time.
const LARGE: u64 = 4096;

/// Sizes are compared if one is this many times the other. Some code is faster at a larger size
/// that is a multiple of its block.
const MUCH: u64 = 16;

/// Times per call in the opposite order of their rows are explained from this difference on, as a
/// ratio minus one.
const OUT_OF_ORDER: f64 = 0.01;

/// The findings of a run, in the order of its comparisons, and then the ones about the whole run.
pub fn all(recorded: &Recorded, analysis: &Analysis) -> Vec<Finding> {
    let mut all = Vec::new();
    for place in 0..analysis.comparisons.len() {
        all.extend(of_comparison(recorded, analysis, place));
    }
    all.extend(of_run(recorded, analysis));
    all
}

/// The number in the plan of the comparison at this place of the analysis, which leaves out the
/// empty calls.
pub(crate) fn number_of(recorded: &Recorded, place: usize) -> usize {
    let comparisons = recorded.plan.comparisons.iter().enumerate();
    let mut compared = comparisons.filter(|(_, comparison)| !comparison.overhead);
    compared.nth(place).map_or(place, |(number, _)| number)
}

/// The findings of the comparison at this place of the analysis. The answer comes first.
pub fn of_comparison(recorded: &Recorded, analysis: &Analysis, place: usize) -> Vec<Finding> {
    let answer = &analysis.comparisons[place];
    let comparison = number_of(recorded, place);
    let mut all = vec![answer_of(recorded, analysis, answer, comparison)];
    all.extend(leaders::missing(recorded, answer).into_iter().map(Said::NotHere));
    all.extend(lagging(analysis, answer));
    all.extend(leaks::tested(recorded, answer));
    all.extend(changed(answer));
    all.extend(out_of_order(answer));
    for row in answer.rows.iter().filter(|row| row.ranked()) {
        all.extend(of_row(analysis, answer, row));
    }
    all.extend(shortest_aside(answer));
    all.push(control(recorded, answer));
    let work = &answer.workload;
    all.into_iter().map(|said| Finding::of_work(comparison, work, said)).collect()
}

/// The answer of a comparison. A run that is not finished is resumed, not repeated.
pub(crate) fn answer_of(
    recorded: &Recorded,
    analysis: &Analysis,
    answer: &Answer,
    number: usize,
) -> Said {
    let mut said = answered(recorded, analysis, answer, number);
    if let Said::Open { remedy, .. } | Said::Alone { remedy, .. } | Said::NoAnswer { remedy, .. } =
        &mut said
        && recorded.run.finished.is_none()
    {
        *remedy = None;
    }
    said
}

fn answered(recorded: &Recorded, analysis: &Analysis, answer: &Answer, number: usize) -> Said {
    if let Some(Open { because, remedy }) = because::of_none(recorded, answer, number) {
        return Said::NoAnswer { because, remedy };
    }
    let forks = Forks::of(recorded);
    let timeless = answer.timeless().next();
    let Some(lead) = &answer.lead else {
        let ranked: Vec<&Row> = compared(answer).collect();
        let (Some(ns), [only]) = (ranked[0].ns, &ranked[..]) else {
            let remedy = Some(format!("--forks {}", forks.asked));
            return Said::NoAnswer { because: Because::NoSharedFork, remedy };
        };
        let open = timeless.map(|row| because::of_timeless(row, forks));
        let (because, remedy) = open.map_or((None, None), |open| (Some(open.because), open.remedy));
        return Said::Alone { contender: contender(only), ns: ns.median, because, remedy };
    };
    let standing = standing(recorded, analysis, answer, lead);
    // A contender without a time is why the answer is open, and is not called one of the fastest.
    let leading = [&lead.leader].into_iter().chain(&lead.tied).chain(&lead.unclear);
    let names: Vec<ContenderName> = leading.cloned().collect();
    let contenders: Vec<Contender> =
        names.iter().filter_map(|name| contender_of(answer, name)).collect();
    // Few forks may all have the same one of two speeds, so they show no tie.
    let within = lead.within.max(1.0 + answer.floor);
    let is_sure = timeless.is_none() && lead.unclear.is_empty() && lead.lagging.is_empty();
    if is_sure && lead.separated {
        return Said::Fastest { contender: contenders[0].clone(), standing };
    }
    if is_sure && contenders.len() > 1 && within <= CLOSE {
        return Said::Tie { contenders, within, standing };
    }
    // One without a time may be the fastest, and have another primitive.
    if timeless.is_none()
        && let Some(primitive) = chosen(answer, lead, &contenders)
    {
        return Said::Choice { primitive, contenders, standing };
    }
    let Open { because, remedy } = match (timeless, &lead.collecting) {
        (Some(row), _) => because::of_timeless(row, forks),
        (None, Some(reason)) => Open {
            because: Because::Collecting {
                contender: contender_of(answer, &lead.runner_up).unwrap_or(contenders[0].clone()),
                why: reason.clone(),
            },
            remedy: None,
        },
        // One that was slower in every fork is why it is open, if nothing else is.
        (None, None) => match lead.lagging.first().filter(|_| contenders.len() == 1) {
            Some(nearest) => because::of_only_lagging(answer, nearest, forks)
                .unwrap_or_else(|| because::of_open(answer, &names, forks.asked)),
            None if contenders.len() == 1 => because::of_open(
                answer,
                &[lead.leader.clone(), lead.runner_up.clone()],
                forks.asked,
            ),
            None => because::of_open(answer, &names, forks.asked),
        },
    };
    Said::Open { contenders, standing, because, remedy }
}

/// How the contenders stand behind the leader.
fn standing(recorded: &Recorded, analysis: &Analysis, answer: &Answer, lead: &Lead) -> Standing {
    let is_whole = recorded.circumstances.left_out.is_empty();
    let cell = |name: &ContenderName| contender_of(answer, name).map(|one| one.cell);
    let groups = lead.ahead.iter().filter_map(|ahead| {
        Some(Group { group: ahead.group.clone(), best: cell(&ahead.best)?, sole: ahead.sole })
    });
    let languages: BTreeSet<&str> = compared(answer).map(|row| row.contender.language()).collect();
    Standing {
        others: lead.others.iter().filter_map(|one| behind(analysis, answer, one)).collect(),
        groups: groups.collect(),
        baseline: answer.baseline.as_ref().and_then(cell),
        among: if is_whole { Among::All } else { Among::WithoutJit },
        compared: compared(answer).count(),
        languages: languages.into_iter().map(str::to_string).collect(),
    }
}

/// The rows that an answer is about.
fn compared(answer: &Answer) -> impl Iterator<Item = &Row> {
    answer.rows.iter().filter(|row| row.ranked() && !row.aside)
}

/// The primitive of a choice that is the fastest, if all that may lead have it and each of the
/// others is certainly slower.
fn chosen(answer: &Answer, lead: &Lead, contenders: &[Contender]) -> Option<String> {
    let own = lead.leader.primitive()?;
    let mut rivals =
        compared(answer).filter_map(|row| row.contender.primitive()).filter(|one| *one != own);
    let all_own = contenders.iter().all(|one| one.name.primitive() == Some(own));
    let is_open = |rival: &str| {
        let mut lagging = lead.lagging.iter().map(|one| one.behind.contender.primitive());
        lagging.any(|primitive| primitive == Some(rival))
    };
    let is_behind =
        |rival: &str| !is_open(rival) && lead.ahead.iter().any(|ahead| ahead.group == rival);
    (all_own && !lead.ahead.is_empty() && rivals.all(is_behind)).then(|| own.to_string())
}

fn behind(analysis: &Analysis, answer: &Answer, other: &cupel_analyse::Behind) -> Option<Behind> {
    let row = answer.rows.iter().find(|row| row.cell == other.cell)?;
    Some(Behind {
        contender: contender(row),
        times: other.ratio.estimate,
        low: other.ratio.low,
        high: other.ratio.high,
        forks: other.forks.clone(),
        parts: parts(other),
        changed_at: changed_at(answer, other),
        ns: row.ns?.median,
        harness_ns: harness(analysis, row),
        left_early: row.left_early,
    })
}

/// The fork from which on a contender took another time, if it is the one that changed, and the two
/// parts of its ratio are before that and after it.
fn changed_at(answer: &Answer, other: &cupel_analyse::Behind) -> Option<u32> {
    let moved = because::moved(&answer.changes, other, &[other.cell])?;
    moved.from_fork.filter(|_| moved.cell == Some(other.cell))
}

/// The time of the harness in a row's time, if it is worth a word.
pub(crate) fn harness(analysis: &Analysis, row: &Row) -> Option<f64> {
    let (ns, overhead) = (row.ns?.median, analysis.overhead_of(&row.contender)?);
    (overhead > HARNESS_SHARE * ns).then_some(overhead)
}

/// The contenders that were slower in every fork and are not certainly slower.
fn lagging(analysis: &Analysis, answer: &Answer) -> Vec<Said> {
    let Some(lead) = answer.lead.as_ref().filter(|_| !answer.untrusted) else { return vec![] };
    let mut said = Vec::new();
    for one in &lead.lagging {
        let row = answer.rows.iter().find(|row| row.cell == one.behind.cell);
        let than = contender_of(answer, &one.than);
        let (Some(row), Some(than)) = (row, than) else { continue };
        let Some(behind) = behind(analysis, answer, &one.behind) else { continue };
        let because = because::of_lagging(answer, row, &one.behind);
        said.push(Said::SlowerUndecided { behind, than, because });
    }
    said
}

fn changed(answer: &Answer) -> impl Iterator<Item = Said> {
    answer.changes.iter().filter_map(|change| {
        Some(Said::Changed {
            contender: contender_of(answer, &change.contender)?,
            shape: change.shape,
            before: change.before.clone(),
            after: change.after.clone(),
            from_fork: change.from_fork,
            to_fork: change.to_fork,
            forks: change.forks,
            at: change.at.clone(),
        })
    })
}

/// The neighbouring rows whose times per call are in the opposite order: they did not run in the
/// same forks.
fn out_of_order(answer: &Answer) -> Vec<Said> {
    answer.rows.iter().flat_map(|row| out_of_order_before(answer, row)).collect()
}

fn out_of_order_before<'a>(
    answer: &'a Answer,
    second: &'a Row,
) -> impl Iterator<Item = Said> + use<'a> {
    second.after.iter().filter_map(|order| {
        let first = answer.rows.iter().find(|row| row.cell == order.cell)?;
        let ns = [first.ns?.median, second.ns?.median];
        (ns[0] > (1.0 + OUT_OF_ORDER) * ns[1]).then(|| Said::Order {
            first: contender(first),
            second: contender(second),
            times: order.times,
            forks: order.forks.clone(),
            ns,
        })
    })
}

/// The first row, if a table may leave its contender out.
fn shortest_aside(answer: &Answer) -> Option<Said> {
    let first = answer.rows.first().filter(|row| row.aside && row.ranked())?;
    Some(Said::ShortestAside { contender: contender(first), ns: first.ns?.median })
}

fn control(recorded: &Recorded, answer: &Answer) -> Said {
    let (rounds, disturbed) = (answer.rounds, answer.disturbed);
    let baseline = answer.baseline.as_ref().and_then(|name| contender_of(answer, name));
    let lacks_layouts =
        answer.rows.iter().any(|row| recorded.plan.lacks_layouts(row.cell).is_some());
    let why = match (answer.control, baseline) {
        (Some(control), Some(contender)) if answer.floor.is_finite() => {
            let Ratio { estimate: times, low, high } = control;
            return Said::Control { contender, times, low, high, rounds, disturbed };
        }
        (Some(_), _) if lacks_layouts => NoControl::FewerForksThanLayouts,
        (_, Some(_)) => NoControl::TooFewRounds,
        _ => NoControl::NoBaseline,
    };
    Said::NoControl { why, rounds, disturbed }
}

/// The remarks on one row.
fn of_row(analysis: &Analysis, answer: &Answer, row: &Row) -> Vec<Said> {
    let own = || contender(row);
    let mut said = Vec::new();
    if let Some(reason) = &row.limit {
        said.push(Said::Limit { contender: own(), reason: reason.clone() });
    }
    if !row.levels.is_empty() {
        said.push(Said::Levels { contender: own(), levels: row.levels.clone() });
    }
    let than = answer.baseline.as_ref().and_then(|name| contender_of(answer, name));
    if let Some(than) = than.filter(|than| than.cell != row.cell) {
        said.extend(to_baseline(row, &than));
    }
    said.extend(too_fast(analysis, answer, row));
    if (row.slows_next - 1.0).abs() >= SLOWS_NEXT {
        said.push(Said::SlowsNext { contender: own(), factor: row.slows_next });
    }
    if let Some(compiled) = row.compiled.as_ref().filter(|one| !one.unsteady.is_empty()) {
        said.push(Said::GivenUp {
            contender: own(),
            forks: compiled.unsteady.len(),
            all: compiled.unsteady.len() + row.forks,
            reason: compiled.unsteady[0].clone(),
        });
    }
    let (moving, all) = (moving(row), row.steadiness.len());
    if moving > 0 && 2 * moving >= all {
        said.push(Said::NotSteady { contender: own(), forks: moving, all });
    }
    said.extend(collecting(row));
    if let Some((ns, time)) = harness(analysis, row).zip(row.ns) {
        let of = time.median;
        said.push(Said::Overhead { contender: own(), ns, of, share: ns / of });
    }
    said
}

/// Whether a contender is faster than its bytes can be read: at one size, or at one compared with a
/// much smaller one. Then it keeps outputs, or skips work that the fold does not show.
fn too_fast(analysis: &Analysis, answer: &Answer, row: &Row) -> Option<Said> {
    let work = &answer.workload;
    let time = row.ns.filter(|_| row.ranked())?;
    if work.size < LARGE || work.contract.lengths.drawn().is_some() {
        return None;
    }
    let rate = MOST_RATE * f64::from(work.contract.threads);
    let smaller = analysis.comparisons.iter().filter(|other| {
        let other = &other.workload;
        other.same_work(work) && other.shape == work.shape && MUCH * other.size <= work.size
    });
    let smaller = smaller.filter_map(|other| {
        let same = other.rows.iter().find(|one| one.contender == row.contender)?;
        Some((&other.workload, same.ns.filter(|_| same.ranked())?))
    });
    // Their own intervals keep noise from being a mark.
    let found = smaller.min_by_key(|(other, _)| other.size).filter(|(other, from)| {
        (time.high - from.low) * rate < work.bytes_per_call() - other.bytes_per_call()
    });
    if let Some((other, from)) = found {
        let (from, from_ns) = (other.size, from.median);
        return Some(Said::TooFast { contender: contender(row), from, from_ns, ns: time.median });
    }
    (time.high * rate < work.bytes_per_call()).then(|| Said::TooFast {
        contender: contender(row),
        from: 0,
        from_ns: 0.0,
        ns: time.median,
    })
}

/// In how many of its forks the times of a row still moved.
fn moving(row: &Row) -> usize {
    row.steadiness.iter().filter(|one| **one != Steadiness::Flat).count()
}

/// The verdict of a row, and the levels of its ratio.
fn to_baseline(row: &Row, than: &Contender) -> Vec<Said> {
    let Some(ratio) = row.ratio.filter(|_| !row.verdict.is_absent()) else { return vec![] };
    let mut said = vec![Said::Verdict {
        contender: contender(row),
        than: than.clone(),
        verdict: row.verdict,
        times: ratio.estimate,
        low: ratio.low,
        high: ratio.high,
        forks: row.shared.clone(),
        reason: row.reason.clone().filter(|_| row.verdict == Verdict::NotSeparated),
    }];
    if !row.ratio_levels.is_empty() {
        let levels = row.ratio_levels.iter();
        let part = |times: f64, forks: &[u32]| Part { times, forks: forks.to_vec() };
        said.push(Said::RatioLevels {
            contender: contender(row),
            than: than.clone(),
            levels: levels.map(|one| part(one.ratio.estimate, &one.forks)).collect(),
        });
    }
    said
}

/// Garbage collection, if its share could change a verdict: the times include it.
fn collecting(row: &Row) -> Option<Said> {
    let (bytes, ns, time) = (row.allocated_per_call?, row.collecting_ns_per_call?, row.ns?);
    let without = time.median - ns;
    (ns >= COLLECTING_SHARE * without).then(|| Said::Collecting {
        contender: contender(row),
        ns,
        bytes,
        without,
        ratio_without: row.ratio_without_collecting.map(|ratio| ratio.estimate),
    })
}
