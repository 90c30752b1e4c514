//! What is printed below the figures of a comparison, a line for each remark.

use cupel_analyse::{Answer, Changed, Row};
use cupel_base::name::ContenderName;
use cupel_base::primitives;
use cupel_base::text::{self, count, plain};
use cupel_plan::Plan;
use cupel_stats::ENOUGH_FORKS;
use cupel_stats::Steadiness;

/// What the control shows, and the rounds.
pub fn control(plan: &Plan, answer: &Answer) -> String {
    let rounds = format!("{}, {} disturbed", count(answer.rounds, "round"), answer.disturbed);
    match answer.control {
        Some(control) if answer.floor.is_finite() => format!(
            "control {} [{}]; {rounds}",
            text::ratio_digits(control.estimate),
            text::interval(control.low, control.high),
        ),
        Some(_) if answer.rows.iter().any(|r| plan.lacks_layouts(r.cell).is_some()) => {
            format!("fewer forks than layouts, so no verdicts; {rounds}")
        }
        _ if answer.baseline.is_some() => {
            format!("too few rounds that count, so no verdicts; {rounds}")
        }
        _ => format!("the baseline has no time, so there is no control and no verdict; {rounds}"),
    }
}

/// All other remarks: which is the fastest or ties, then what is special about the contenders whose
/// rows are shown.
pub fn below(answer: &Answer, shows: &dyn Fn(&Row) -> bool) -> Vec<String> {
    let rows: Vec<&Row> = answer.rows.iter().filter(|row| shows(row) && row.ranked()).collect();
    let mut lines = lead(answer);
    lines.extend(answer.changes.iter().map(changed));
    lines.extend(limits(&rows));
    lines.extend(levels(answer, &rows));
    lines.extend(carried_over(&rows));
    lines.extend(given_up(&rows));
    lines.extend(unsteady(&rows));
    lines.extend(collecting(&rows));
    lines
}

/// Which is the fastest, and what is too noisy to rule out a tie. If nothing can be separated,
/// naming all as the fastest says nothing.
fn lead(answer: &Answer) -> Vec<String> {
    let Some(lead) = answer.lead.as_ref().filter(|_| answer.floor.is_finite()) else {
        return vec![];
    };
    let (leader, second) = (&lead.leader, &lead.runner_up);
    let of = answer.timeless().next().map_or("", |_| " of those with a time");
    let leads = if lead.unclear.is_empty() { "fastest" } else { "shortest time" };
    // Few forks may all have the same of two speeds, so they show no tie.
    let few = answer.rows.iter().any(|row| {
        (row.contender == lead.leader || lead.tied.contains(&row.contender))
            && row.forks < ENOUGH_FORKS
    });
    let tied = if few { "not told apart" } else { "tied for fastest" };
    let interval = text::interval(lead.ratio.low, lead.ratio.high);
    let mut lines = vec![if lead.separated {
        let times = text::ratio_digits(lead.ratio.estimate);
        format!("{leads}{of}: {leader}; {second} takes {times} times as long [{interval}]")
    } else if let [_] = lead.tied[..] {
        format!("{tied}{of}: {leader} and {second} [{interval}]")
    } else {
        format!("{tied}{of}: {leader}, {}", listed(&lead.tied))
    }];
    if !lead.unclear.is_empty() {
        let names = listed(&lead.unclear);
        lines.push(format!("slower median, but too noisy to rule out a tie: {names}"));
    }
    lines
}

fn listed(names: &[ContenderName]) -> String {
    names.iter().map(ContenderName::as_str).collect::<Vec<_>>().join(", ")
}

/// What differs in security between the primitives of a choice, a line for each; none if there is one
/// primitive: if you choose by speed, you see what else you choose.
pub fn security(primitive: &str) -> Vec<String> {
    let all = primitives::choice(primitive);
    let lines = all.iter().filter(|_| primitives::is_choice(primitive)).map(|one| {
        let differs = primitives::security(one).unwrap_or("no promise of security at all");
        format!("security of {one}: {differs}")
    });
    lines.collect()
}

/// What changed while the run went on.
pub fn changed(change: &Changed) -> String {
    let name = plain(&change.contender);
    let others = match change.also.len() {
        0 => String::new(),
        1 => format!(" and {}", plain(&change.also[0])),
        more => format!(" and {more} more of its library"),
    };
    let (before, after) = (text::time(change.ns_otherwise), text::time(change.ns));
    let at = change.at.as_deref().map(|at| format!(" ({})", plain(at))).unwrap_or_default();
    let (from, forks) = (change.from_fork, change.forks);
    match (change.shape.as_str(), change.to_fork) {
        ("trend", _) => {
            format!("changed: {name}{others} drifted from {before} at first to {after} at the end")
        }
        (_, Some(to)) => {
            format!(
                "changed: {name}{others} took {after} from fork {from}{at} to {to} of {forks}, otherwise {before}"
            )
        }
        _ => format!(
            "changed: {name}{others} took {before}, and {after} from fork {from} of {forks} on{at}"
        ),
    }
}

/// Lines for contenders that answer correctly only the messages of this workload.
fn limits(rows: &[&Row]) -> Vec<String> {
    let limited = rows.iter().filter_map(|row| Some((row, row.limit.as_deref()?)));
    limited.map(|(row, limit)| format!("{}: {limit}", row.contender)).collect()
}

/// Lines for contenders whose processes have several speeds: one figure would hide that. If most
/// ratios have two levels, the processes that differ are the baseline's, and one line says so.
fn levels(answer: &Answer, rows: &[&Row]) -> Vec<String> {
    let all = answer.rows.iter().filter(|row| row.ratio.is_some()).count();
    let split = answer.rows.iter().filter(|row| !row.ratio_levels.is_empty()).count();
    let of_baseline = all > 2 && 2 * split > all;
    let common = of_baseline.then(|| {
        let baseline = answer.baseline.as_deref().unwrap_or_default();
        format!(
            "levels: {split} of {all} ratios have two, so it is the baseline, {baseline}, whose \
             processes differ; intervals reach from one to the other"
        )
    });
    let rows = rows.iter().filter(|row| !of_baseline || !row.levels.is_empty());
    common.into_iter().chain(rows.filter_map(|row| levels_of(row))).collect()
}

/// The speeds of one contender's processes, or else the levels of its ratio.
fn levels_of(row: &Row) -> Option<String> {
    let (does, levels): (_, Vec<(String, usize)>) = if row.levels.is_empty() {
        let ratios = row.ratio_levels.iter();
        let levels = ratios.map(|one| (text::ratio_digits(one.ratio.estimate), one.forks));
        ("has a ratio of", levels.collect())
    } else {
        ("takes", row.levels.iter().map(|level| (text::time(level.ns), level.forks)).collect())
    };
    let all: usize = levels.iter().map(|(_, forks)| forks).sum();
    let words: Vec<String> =
        levels.iter().map(|(figure, forks)| format!("{figure} in {forks}")).collect();
    let processes = if all == 1 { "process" } else { "processes" };
    let line =
        format!("levels: {} {does} {} of {all} {processes}", row.contender, words.join(", "));
    (all > 0).then_some(line)
}

/// Lines for contenders that slow the slice after theirs, or speed it up, by a hundredth or more.
fn carried_over(rows: &[&Row]) -> Vec<String> {
    const SHOWN: f64 = 0.01;
    let rows = rows.iter().filter(|row| row.slows_next.ln().abs() >= SHOWN.ln_1p());
    rows.map(|row| {
        let percent = 100.0 * (row.slows_next - 1.0).abs();
        let does = if row.slows_next > 1.0 { "slows" } else { "speeds up" };
        let name = &row.contender;
        format!("{name} {does} the slice after it by {percent:.1} %; removed from all times")
    })
    .collect()
}

/// Lines for forks that do not count because code was still being compiled.
fn given_up(rows: &[&Row]) -> Vec<String> {
    rows.iter()
        .filter_map(|row| {
            let unsteady = &row.compiled.as_ref()?.unsteady;
            let reason = unsteady.first()?;
            let forks = count(unsteady.len() + row.forks, "fork");
            let number = unsteady.len();
            Some(format!("{}: {number} of {forks} do not count: {reason}", row.contender))
        })
        .collect()
}

/// Names the contenders whose times still moved in half of their forks or more: their median
/// depends on when it was taken.
fn unsteady(rows: &[&Row]) -> Option<String> {
    let names: Vec<String> = rows
        .iter()
        .filter_map(|row| {
            let moving = row.steadiness.iter().filter(|s| **s != Steadiness::Flat).count();
            (moving > 0 && 2 * moving >= row.steadiness.len()).then(|| {
                let forks = count(row.steadiness.len(), "fork");
                format!("{} ({moving} of {forks})", row.contender)
            })
        })
        .collect();
    (!names.is_empty()).then(|| format!("not steady while measured: {}", names.join(", ")))
}

/// Garbage collection, if its share could change a verdict: the times include it.
fn collecting(rows: &[&Row]) -> Option<String> {
    const SHARE: f64 = 0.01;
    let words = rows.iter().filter_map(|row| {
        let (bytes, ns, time) = (row.allocated_per_call?, row.collecting_ns_per_call?, row.ns?);
        let without = time.median - ns;
        let ratio = row.ratio_without_collecting;
        let ratio = ratio.map(|ratio| format!(", ratio {}", text::ratio_digits(ratio.estimate)));
        (ns >= SHARE * without).then(|| {
            format!(
                "{} {} for {bytes:.0} B (without it {}{})",
                row.contender,
                text::time(ns),
                text::time(without),
                ratio.unwrap_or_default()
            )
        })
    });
    let words: Vec<String> = words.collect();
    (!words.is_empty())
        .then(|| format!("garbage collection, which \"per call\" includes: {}", words.join("; ")))
}
