//! The common answer of many machines about a chart, in one sentence. It has only conclusions that
//! each of them supports by itself: intervals are joint in each table, and not over machines.

use super::Places;
use super::gather::{Chart, Figures};
use cupel_base::text::{bytes, count};
use std::collections::{BTreeMap, BTreeSet};

/// How many contenders a sentence names.
const NAMED: usize = 4;

/// The fastest contenders of one machine at one size.
struct At<'a> {
    machine: &'a str,
    processor: &'a str,
    size: u64,
    fastest: Vec<&'a str>,
    /// Whether there is only one, for certain.
    alone: bool,
    /// Whether the budget of the run left out contenders with a JIT.
    without_jit: bool,
}

/// The common answer of the newest runs of all machines about a chart, and whether they had all
/// contenders.
pub fn together(chart: &Chart, places: &Places) -> String {
    let all = ranked(chart, places);
    let said = said(chart, &all);
    match all.iter().filter(|at| at.without_jit).count() {
        0 => said,
        without if without == all.len() => format!("{said}; contenders with a JIT were left out"),
        without => {
            let all = count(all.len(), "answer");
            format!("{said}; in {without} of {all}, contenders with a JIT were left out")
        }
    }
}

fn said(chart: &Chart, all: &[At<'_>]) -> String {
    let sizes: BTreeSet<u64> = all.iter().map(|at| at.size).collect();
    let machines = all.iter().map(|at| at.machine).collect::<BTreeSet<_>>().len();
    let at = match sizes.first() {
        None => return "no contender could be ranked on any machine".to_string(),
        Some(size) if sizes.len() == 1 => format!("at {}", bytes(*size)),
        _ if all.len() < machines * sizes.len() => {
            "at every size that was ranked there".to_string()
        }
        _ => "at every size".to_string(),
    };
    let known = chart.newest().len();
    let place = match known - machines {
        0 if known == 1 => at,
        0 => format!("on all {} {at}", count(machines, "machine")),
        others => {
            let others = count(others, "other");
            format!("on {} {at}; {others} could not rank any", count(machines, "machine"))
        }
    };
    let everywhere = common(all.iter());
    if let [only] = everywhere[..]
        && all.iter().all(|at| at.alone)
    {
        return format!("{only} is the fastest {place}");
    }
    if !everywhere.is_empty() {
        let names = either(&everywhere);
        return format!("no other is certainly faster than {names} {place}");
    }
    let by_size: Vec<(u64, Vec<&str>)> = sizes
        .iter()
        .map(|size| (*size, common(all.iter().filter(|at| at.size == *size))))
        .collect();
    if by_size.iter().all(|(_, names)| !names.is_empty()) {
        return format!("it depends on the size: {}", ranges(&by_size));
    }
    let what = match (agree_by_processor(all, machines), sizes.len()) {
        (true, 1) => "the processor",
        (true, _) => "processor and size",
        (false, 1) => "the machine",
        (false, _) => "machine and size",
    };
    format!("it depends on {what}: of {}, {}", count(all.len(), "answer"), shares(all))
}

/// The answers that rank anything.
fn ranked<'a>(chart: &'a Chart, places: &'a Places) -> Vec<At<'a>> {
    let mut all = Vec::new();
    for (machine, sizes) in chart.newest() {
        let processor = places.get(machine).map_or("unknown", |place| place.label.as_str());
        for (size, (line, Figures { said, answer })) in sizes {
            let fastest: Vec<&str> = said.fastest.iter().map(|name| name.as_str()).collect();
            let compared = answer.rows.iter().filter(|row| row.ns.is_some() && !row.aside);
            // One that was compared with nothing is not the fastest of anything.
            if !fastest.is_empty() && compared.count() > 1 {
                let alone = said.decided && fastest.len() == 1;
                let without_jit = line.without_jit;
                all.push(At { machine, processor, size, alone, without_jit, fastest });
            }
        }
    }
    all
}

/// Whether machines with the same processor agree at each size, if some have the same.
fn agree_by_processor(all: &[At<'_>], machines: usize) -> bool {
    let mut kinds: BTreeMap<(&str, u64), Vec<&At<'_>>> = BTreeMap::new();
    for at in all {
        kinds.entry((at.processor, at.size)).or_default().push(at);
    }
    let processors: BTreeSet<&str> = all.iter().map(|at| at.processor).collect();
    processors.len() < machines
        && kinds.values().all(|kind| !common(kind.iter().copied()).is_empty())
}

/// How often each contender is the fastest, for certain, and how often none is.
fn shares(all: &[At<'_>]) -> String {
    let mut alone: BTreeMap<&str, usize> = BTreeMap::new();
    for at in all.iter().filter(|at| at.alone) {
        *alone.entry(at.fastest[0]).or_default() += 1;
    }
    let mut alone: Vec<(&str, usize)> = alone.into_iter().collect();
    alone.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let mut parts: Vec<String> =
        alone.iter().take(NAMED).map(|(name, n)| format!("{n} are {name}")).collect();
    let more: usize = alone.iter().skip(NAMED).map(|(_, n)| n).sum();
    if more > 0 {
        parts.push(format!("{more} are others"));
    }
    let alone: usize = alone.iter().map(|(_, n)| n).sum();
    if alone < all.len() {
        parts.push(format!("in {} several tie or may lead", all.len() - alone));
    }
    parts.join(", ")
}

/// The contenders that are among the fastest in all of these.
fn common<'a>(mut all: impl Iterator<Item = &'a At<'a>>) -> Vec<&'a str> {
    let Some(first) = all.next() else { return vec![] };
    let mut names = first.fastest.clone();
    for at in all {
        names.retain(|name| at.fastest.contains(name));
    }
    names.sort_unstable();
    names
}

fn either(names: &[&str]) -> String {
    let shown = names[..names.len().min(NAMED)].join(" or ");
    match names.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown} or {more} others"),
    }
}

/// Neighbouring sizes with the same names, in words.
fn ranges(by_size: &[(u64, Vec<&str>)]) -> String {
    let mut parts: Vec<(u64, u64, &[&str])> = Vec::new();
    for (size, names) in by_size {
        match parts.last_mut() {
            Some((_, last, same)) if *same == &names[..] => *last = *size,
            _ => parts.push((*size, *size, names)),
        }
    }
    let parts = parts.iter().map(|(first, last, names)| {
        let (names, first, last) = (either(names), bytes(*first), bytes(*last));
        if first == last {
            format!("{names} at {first}")
        } else {
            format!("{names} from {first} to {last}")
        }
    });
    parts.collect::<Vec<_>>().join("; ")
}
