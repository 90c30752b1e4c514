//! Advice: what to use at your sizes, or whether to keep what you have. For each chart it uses the
//! newest run of this machine that can answer. A changed fingerprint makes it void.
//!
//! A candidate is recommended if its answers are correct, it is not known to leak here, and the
//! interval of its lead over what you have lies beyond the tie zone. All
//! candidates at all sizes share the error that the run allows, so the best may be chosen after the
//! times are known.

pub mod fitness;

use crate::analyse::{Analysis, Answer, Evidence, Ratio, Row, Verdict, analyse_with};
use crate::chart::ChartKey;
use crate::contender::Contender;
use crate::name::ContenderName;
use crate::problem::{Written, did_you_mean};
use crate::store::{Planned, Recorded, Store, StoreError};
use cupel_protocol::workload::{Bytes, Workload};
use cupel_stats::Interval;
use std::collections::{BTreeMap, BTreeSet};

/// The library that is Cupel's own.
const OURS: &str = "cupel";

/// A user's question.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// Only this primitive.
    pub primitive: Option<String>,
    /// Only contenders of this language: the part of the name before `/`, or before a `-` in it.
    pub language: Option<String>,
    /// Message lengths in bytes, with the share of the calls that each has; empty for all measured
    /// sizes.
    pub sizes: Vec<(u64, f64)>,
    /// What is used now; by default the chart's baseline.
    pub have: Option<String>,
}

/// The answer for one chart: one primitive, operation, contract and shape.
#[derive(Clone, Debug)]
pub struct Advice {
    /// The workload, at the first of its sizes.
    pub workload: Workload,
    /// What is used now; if the user did not say, the contender that the others are compared with.
    pub have: ContenderName,
    /// Whether `have` is in use: the user named it, or did not ask about one language.
    pub had: bool,
    /// What to use for all of the user's calls; `None` means: keep what you have.
    pub choice: Option<Choice>,
    /// The best contender for each range of sizes, ascending; `have` if none is certainly faster.
    pub ranges: Vec<Range>,
    /// Every contender that is not recommended, with the reason.
    pub why_not: Vec<(ContenderName, String)>,
    /// Warnings that apply to any choice.
    pub warnings: Vec<String>,
    /// The user's sizes with their shares, and the measured sizes that represent each.
    pub sizes: Vec<(u64, f64, Vec<u64>)>,
    /// The smallest difference that the forks can show, as a share.
    pub floor: f64,
    /// The run that the advice is based on.
    pub run: i64,
    /// When it began, UTC.
    pub started: String,
    /// The machine, in one line.
    pub machine: String,
    /// Its fingerprint.
    pub fingerprint: String,
    /// The versions of what is used now and of what is recommended.
    pub versions: BTreeMap<ContenderName, String>,
    /// How many intervals are joint.
    pub intervals: usize,
}

/// The recommended contender.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The contender.
    pub contender: ContenderName,
    /// Its time divided by the time of what is used now, over all calls of the user.
    pub ratio: Ratio,
    /// The time saved by a million calls, in ms, with its interval.
    pub gain_ms: (f64, f64, f64),
}

/// Sizes at which one contender is the best.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// The smallest measured size.
    pub from: u64,
    /// The largest measured size. The crossover lies between it and the `from` of the next range.
    pub to: u64,
    /// The contender.
    pub contender: ContenderName,
    /// Whether its time crosses that of the range before, certainly: that one is faster there, and
    /// this one here.
    pub crosses: bool,
}

/// Rejects a name that no run of any machine has: without this, the answer would be empty and would
/// not say why.
///
/// # Errors
/// A sentence with the known names; or the store cannot be read.
pub fn must_be_known(store: &Store, question: &Question) -> anyhow::Result<()> {
    let plans = store.plans(None)?;
    let names: BTreeSet<&ContenderName> =
        plans.iter().flat_map(|p| &p.plan.contenders).map(|c| &c.name).collect();
    if names.is_empty() {
        return Ok(()); // The caller reports that nothing was measured.
    }
    if let Some(have) = &question.have
        && !names.iter().any(|name| *name == have.as_str())
    {
        let help = did_you_mean(have, names.iter().map(|name| name.as_str()), Written::Word)
            .unwrap_or_else(|| "`cupel list` lists the names".to_string());
        anyhow::bail!("no run has a contender called {have}; {help}");
    }
    if question.language.is_some()
        && !names.iter().any(|n| is_of_language(n, question.language.as_ref()))
    {
        let prefixes: BTreeSet<&str> = names.iter().map(|name| language(name)).collect();
        let known: Vec<&str> = prefixes.into_iter().collect();
        anyhow::bail!(
            "no contender of that language was measured: {}; the known ones are {}",
            question.language.as_deref().unwrap_or_default(),
            known.join(", ")
        );
    }
    Ok(())
}

/// Answers a question for every chart that this machine has measured. The second part says for each
/// of the other charts why it has no answer.
///
/// # Errors
/// If the store cannot be read.
pub fn advise(
    store: &Store,
    question: &Question,
    fingerprint: &str,
) -> Result<(Vec<Advice>, Vec<String>), StoreError> {
    let plans = store.plans(None)?;
    // For each chart, its finished runs on this machine, newest first.
    let mut charts: Vec<(ChartKey, Workload, Vec<&Planned>)> = Vec::new();
    let mut left_out = Vec::new();
    let mut restricted = BTreeSet::new();
    for planned in plans.iter().filter(|p| p.run.finished.is_some()) {
        for comparison in planned.plan.comparisons.iter().filter(|c| !c.overhead) {
            let work = &comparison.workload;
            if question.primitive.as_ref().is_some_and(|p| *p != work.primitive) {
                continue;
            }
            if work.contract.bytes != Bytes::Any {
                // A contender may be there because it is wrong for other messages.
                restricted.insert(format!(
                    "{} {}, {}, {}: advice is for messages of any bytes",
                    work.primitive, work.operation, work.contract, work.shape
                ));
                continue;
            }
            if planned.fingerprint != fingerprint {
                left_out.push((work.clone(), planned.run.id));
                continue;
            }
            let key = ChartKey::of(work);
            match charts.iter_mut().find(|(known, ..)| *known == key) {
                Some((.., runs)) if runs.last().is_some_and(|r| r.run.id == planned.run.id) => {}
                Some((.., runs)) => runs.push(planned),
                None => charts.push((key, work.clone(), vec![planned])),
            }
        }
    }
    left_out.retain(|(work, _)| {
        let key = ChartKey::of(work);
        !charts.iter().any(|(known, ..)| *known == key)
    });
    let mut left_out: Vec<String> = left_out
        .into_iter()
        .map(|(work, run)| {
            let Workload { primitive, operation, .. } = work;
            format!(
                "{primitive} {operation}: run {run} is from another machine, or from this one before it changed"
            )
        })
        .collect();
    left_out.dedup();
    left_out.extend(restricted);
    let mut advice = Vec::new();
    for (_, work, runs) in charts {
        // Several charts often share a run, but rarely more than a few.
        let mut unanswered = None;
        let mut found = None;
        for planned in whole_first(&runs, &work) {
            let recorded = store.load(Some(planned.run.id))?;
            match Chart::of(&recorded, &work, question) {
                Ok(chart) => {
                    found = Some(chart.advise(question, fingerprint));
                    break;
                }
                Err(why) => unanswered = unanswered.or(Some((planned.run.id, why))),
            }
        }
        match (found, unanswered) {
            (Some(mut found), first) => {
                found
                    .warnings
                    .extend(first.map(|(run, why)| format!("run {run} cannot answer: {why}")));
                advice.push(found);
            }
            (None, first) => left_out.push(format!(
                "{} {}, {}, {}: {}",
                work.primitive,
                work.operation,
                work.contract,
                work.shape,
                first.map(|(_, why)| why).unwrap_or_default()
            )),
        }
    }
    Ok((advice, left_out))
}

/// The runs of a chart in the order in which they are asked, newest first. A run of a part, such as
/// one repeated cell, comes after an older run of the whole.
fn whole_first<'a>(runs: &[&'a Planned], work: &Workload) -> Vec<&'a Planned> {
    let scopes: Vec<_> = runs.iter().map(|run| scope(run, work)).collect();
    let part = |index: &usize| {
        let (names, sizes) = &scopes[*index];
        scopes[index + 1..].iter().any(|older| {
            *older != scopes[*index] && older.0.is_superset(names) && older.1.is_superset(sizes)
        })
    };
    let (parts, mut order): (Vec<usize>, Vec<usize>) = (0..runs.len()).partition(part);
    order.extend(parts);
    order.into_iter().map(|index| runs[index]).collect()
}

/// The contenders that a run measured for a chart, and the sizes.
fn scope<'a>(
    planned: &'a Planned,
    work: &Workload,
) -> (BTreeSet<&'a ContenderName>, BTreeSet<u64>) {
    let (plan, key) = (&planned.plan, ChartKey::of(work));
    let of_chart =
        plan.comparisons.iter().filter(|c| !c.overhead && ChartKey::of(&c.workload) == key);
    let (mut names, mut sizes) = (BTreeSet::new(), BTreeSet::new());
    for comparison in of_chart {
        sizes.insert(comparison.workload.size);
        names.extend(comparison.cells.iter().map(|&c| &plan.contender_of(c).name));
    }
    (names, sizes)
}

/// Whether a contender is of a language: `rust` has `rust/ring` and `rust-asm/sha2`.
fn is_of_language(name: &ContenderName, language: Option<&String>) -> bool {
    let Some(language) = language else { return true };
    let family = self::language(name);
    let wanted = match language.to_ascii_lowercase().as_str() {
        "java" | "kotlin" | "scala" => "jvm".to_string(),
        "javascript" | "typescript" | "js" => "node".to_string(),
        other => other.to_string(),
    };
    family == wanted || family.strip_prefix(&wanted).is_some_and(|rest| rest.starts_with('-'))
}

/// The part of a name that names the language; without a family, the whole name.
fn language(name: &ContenderName) -> &str {
    name.family().unwrap_or(name)
}

struct Chart<'a> {
    recorded: &'a Recorded,
    evidence: Evidence,
    answers: Vec<Answer>,
    have: ContenderName,
    sizes: Vec<(u64, f64, Vec<u64>)>,
}

/// A candidate's ratio at one measured size.
#[derive(Clone, Copy)]
struct At {
    estimate: f64,
    interval: Interval,
    forks: usize,
}

impl<'a> Chart<'a> {
    fn of(
        recorded: &'a Recorded,
        work: &Workload,
        question: &Question,
    ) -> Result<Chart<'a>, String> {
        let evidence = Evidence::of(recorded);
        let analysis: Analysis = analyse_with(recorded, &evidence);
        let key = ChartKey::of(work);
        let of_chart = |a: &Answer| ChartKey::of(&a.workload) == key;
        let mut answers: Vec<Answer> = analysis.comparisons.into_iter().filter(of_chart).collect();
        answers.sort_by_key(|a| a.workload.size);
        let measured: Vec<u64> = answers.iter().map(|a| a.workload.size).collect();
        let mut sizes = Vec::new();
        for &(size, share) in &question.sizes {
            sizes.push((size, share, stand_ins(size, &measured)?));
        }
        let asked = !sizes.is_empty();
        if !asked {
            let share = 1.0 / measured.len() as f64;
            sizes = measured.iter().map(|&s| (s, share, vec![s])).collect();
        }
        answers.retain(|a| sizes.iter().any(|(_, _, nearest)| nearest.contains(&a.workload.size)));
        if answers.iter().any(|a| a.untrusted || !a.floor.is_finite()) {
            return Err(format!("run {} is untrusted; run again", recorded.run.id));
        }
        let have = Chart::have(recorded, &answers, question)?;
        Ok(Chart { recorded, evidence, answers, have, sizes })
    }

    /// What is used now: the user's contender, otherwise the first in the suite's order of
    /// baselines.
    fn have(
        recorded: &Recorded,
        answers: &[Answer],
        question: &Question,
    ) -> Result<ContenderName, String> {
        let here = |name: &ContenderName| answers.iter().all(|a| measured(a, name).is_some());
        if let Some(have) = question.have.as_deref().map(ContenderName::from) {
            return if here(&have) {
                Ok(have)
            } else {
                Err(format!("{have} was not measured there"))
            };
        }
        let first = answers.first().ok_or("nothing was measured")?;
        let plan = &recorded.plan;
        let order = plan
            .comparisons
            .iter()
            .find(|c| !c.overhead && c.workload == first.workload)
            .map(|c| c.baselines.clone())
            .unwrap_or_default();
        first
            .baseline
            .iter()
            .cloned()
            .chain(order.into_iter().map(|index| plan.contenders[index].name.clone()))
            .find(|name| is_of_language(name, question.language.as_ref()) && here(name))
            .ok_or_else(|| "no contender of that language was measured".to_string())
    }

    fn advise(&self, question: &Question, fingerprint: &str) -> Advice {
        let zone = self.recorded.plan.options.tie_zone;
        let mut why_not: Vec<(ContenderName, String)> = Vec::new();
        let mut candidates: Vec<ContenderName> = Vec::new();
        for row in self.answers.iter().flat_map(|a| &a.rows) {
            let known = candidates.contains(&row.contender)
                || why_not.iter().any(|(name, _)| *name == row.contender);
            if known
                || row.contender == self.have
                || !is_of_language(&row.contender, question.language.as_ref())
            {
                continue;
            }
            match self.unfit(&row.contender) {
                Some(why) => why_not.push((row.contender.clone(), why)),
                None => candidates.push(row.contender.clone()),
            }
        }
        let intervals = (candidates.len() * self.answers.len()).max(1);
        let mut ahead: Vec<(ContenderName, Choice)> = Vec::new();
        let mut ratios: BTreeMap<ContenderName, BTreeMap<u64, At>> = BTreeMap::new();
        for name in candidates {
            let Some(at) = self.ratios(&name, &self.have, intervals) else {
                why_not.push((name, "no round has undisturbed slices of both".to_string()));
                continue;
            };
            let choice = self.weigh(&name, &self.have, &at);
            let verdict = verdict(&choice.ratio, &at, zone);
            ratios.insert(name.clone(), at);
            match verdict {
                cupel_stats::Verdict::Faster => ahead.push((name, choice)),
                cupel_stats::Verdict::Slower => {
                    why_not.push((name, reason("slower", &choice.ratio)))
                }
                cupel_stats::Verdict::NotSeparated => {
                    let words = format!("not separated from {}", self.have);
                    why_not.push((name, reason(&words, &choice.ratio)));
                }
            }
        }
        ahead.sort_by(|a, b| a.1.ratio.estimate.total_cmp(&b.1.ratio.estimate));
        // The pick is compared with each of the others, which doubles the number of pairs.
        let beaten = |fastest: &ContenderName, other: &ContenderName| {
            self.ratios(fastest, other, 2 * intervals).is_some_and(|at| {
                let ratio = self.weigh(fastest, other, &at).ratio;
                verdict(&ratio, &at, zone) == cupel_stats::Verdict::Faster
            })
        };
        let tied: Vec<bool> = match ahead.first() {
            Some((fastest, _)) => {
                ahead.iter().map(|(name, _)| name == fastest || !beaten(fastest, name)).collect()
            }
            None => Vec::new(),
        };
        // Of those that tie for the fastest, the smallest estimate is chance.
        let pick = (0..ahead.len())
            .filter(|&place| tied[place])
            .min_by_key(|&place| (self.order(&ahead[place].0), place));
        for (place, (name, other)) in ahead.iter().enumerate().filter(|(p, _)| Some(*p) != pick) {
            let words = match tied[place] {
                true => "also faster, tied with the pick",
                false => "also faster, but slower than the pick",
            };
            why_not.push((name.clone(), reason(words, &other.ratio)));
        }
        let choice = pick.map(|place| ahead.swap_remove(place).1);
        let ranges = self.ranges(&ratios, zone, intervals);
        let mut warnings: Vec<String> = fitness::warning(&self.answers[0].workload.primitive)
            .map(String::from)
            .into_iter()
            .collect();
        if let Some(why) = self.leaks(&self.have) {
            warnings.push(format!("{}, which you use: {why}", self.have));
        }
        let mut versions = BTreeMap::new();
        let named = [Some(&self.have), choice.as_ref().map(|c| &c.contender)];
        for name in named.into_iter().flatten().chain(ranges.iter().map(|r| &r.contender)) {
            let version = self.row(name).map(|r| r.version.clone()).unwrap_or_default();
            versions.insert(name.clone(), version);
        }
        Advice {
            workload: self.answers[0].workload.clone(),
            have: self.have.clone(),
            had: question.have.is_some() || question.language.is_none(),
            choice,
            ranges,
            why_not,
            warnings,
            sizes: self.sizes.clone(),
            floor: self.answers.iter().map(|a| a.floor).fold(0.0, f64::max),
            run: self.recorded.run.id,
            started: self.recorded.run.started.clone(),
            machine: self.recorded.machine.line(),
            fingerprint: fingerprint.to_string(),
            versions,
            intervals,
        }
    }

    fn row(&self, name: &ContenderName) -> Option<&Row> {
        self.answers.iter().find_map(|a| a.rows.iter().find(|r| r.contender == *name))
    }

    fn leaks(&self, name: &ContenderName) -> Option<String> {
        let row = self.row(name)?;
        let contender = self.recorded.plan.contender_of(row.cell);
        fitness::leak(&self.answers[0].workload.primitive, &contender.library, &row.code_path)
    }

    /// Why a contender cannot be recommended, however fast it is.
    fn unfit(&self, name: &ContenderName) -> Option<String> {
        for answer in &self.answers {
            let row = answer.rows.iter().find(|r| r.contender == *name);
            let Some(row) = row else {
                return Some(format!("not measured at {} bytes", answer.workload.size));
            };
            if matches!(row.verdict, Verdict::Failed | Verdict::Missing | Verdict::Unsupported) {
                let reason = row.reason.as_deref().unwrap_or("unknown reason");
                return Some(format!("{}: {reason}", row.verdict.words()));
            }
            if row.ns.is_none() {
                return Some(format!("not measured at {} bytes", answer.workload.size));
            }
        }
        self.leaks(name)
    }

    /// Which of two tied contenders is advised: the smaller. A code path that a user would have to
    /// force comes after its own library's choice, and Cupel's own code after that of others
    /// (docs/bias.md).
    fn order(&self, name: &ContenderName) -> (bool, bool) {
        let contenders = &self.recorded.plan.contenders;
        let Some(own) = contenders.iter().find(|c| c.name == *name) else { return (true, true) };
        let is_default_of_own = |other: &&Contender| {
            let rest = own.implementation.strip_prefix(&other.implementation);
            (&other.family, &other.library) == (&own.family, &own.library)
                && rest.is_some_and(|rest| rest.starts_with('-'))
        };
        (
            own.library.eq_ignore_ascii_case(OURS),
            contenders.iter().any(|other| is_default_of_own(&other)),
        )
    }

    /// The ratio of a contender's time to another's, at each measured size.
    fn ratios(
        &self,
        name: &ContenderName,
        other: &ContenderName,
        intervals: usize,
    ) -> Option<BTreeMap<u64, At>> {
        self.answers
            .iter()
            .map(|answer| {
                let (row, other) = (measured(answer, name)?, measured(answer, other)?);
                let compared = self.evidence.between(row.cell, other.cell, intervals)?;
                let (estimate, interval, forks) =
                    (compared.estimate, compared.interval, compared.forks);
                let at = At { estimate, interval, forks };
                Some((answer.workload.size, at))
            })
            .collect()
    }

    /// Weighs a contender against another over all calls of the user. A size between two measured
    /// ones may behave like either.
    fn weigh(&self, name: &ContenderName, other: &ContenderName, at: &BTreeMap<u64, At>) -> Choice {
        let (mut now, mut then) = (0.0, (0.0, 0.0, 0.0));
        for (size, share, nearest) in &self.sizes {
            let time = self.time_at(other, *size, nearest);
            let over =
                |value: fn(&At) -> f64| nearest.iter().map(move |size| value(&at[size]).exp());
            let mean = over(|a| a.estimate).sum::<f64>() / nearest.len() as f64;
            let low = over(|a| a.interval.low).fold(f64::INFINITY, f64::min);
            let high = over(|a| a.interval.high).fold(0.0, f64::max);
            now += share * time;
            then = (
                then.0 + share * time * mean,
                then.1 + share * time * low,
                then.2 + share * time * high,
            );
        }
        // A million calls of one nanosecond are a millisecond.
        let gain = |then: f64| now - then;
        Choice {
            contender: name.clone(),
            ratio: Ratio { estimate: then.0 / now, low: then.1 / now, high: then.2 / now },
            gain_ms: (gain(then.0), gain(then.2), gain(then.1)),
        }
    }

    /// A contender's time per call, in ns. A size that was not measured is interpolated linearly
    /// between its two measured neighbours.
    fn time_at(&self, name: &ContenderName, size: u64, nearest: &[u64]) -> f64 {
        let ns = |size: u64| self.ns(name, size).unwrap_or(f64::NAN);
        match *nearest {
            [below, above] if below < above => {
                let part = (size - below) as f64 / (above - below) as f64;
                ns(below) + part * (ns(above) - ns(below))
            }
            [only, ..] => ns(only),
            [] => f64::NAN,
        }
    }

    fn ns(&self, name: &ContenderName, size: u64) -> Option<f64> {
        let answer = self.answers.iter().find(|a| a.workload.size == size)?;
        Some(measured(answer, name)?.ns?.median)
    }

    /// The best contender at each measured size, with neighbouring sizes joined into ranges. At each
    /// size of its range, a contender is certainly faster than what is used now. Contenders that are
    /// not separated from each other do not take turns.
    fn ranges(
        &self,
        ratios: &BTreeMap<ContenderName, BTreeMap<u64, At>>,
        zone: f64,
        intervals: usize,
    ) -> Vec<Range> {
        let mut ranges: Vec<Range> = Vec::new();
        let mut before: Option<&Answer> = None;
        for answer in &self.answers {
            let size = answer.workload.size;
            let is_ahead = |name: &ContenderName| {
                ratios.get(name).and_then(|at| at.get(&size)).is_some_and(|at| {
                    cupel_stats::verdict(&at.interval, at.forks, zone)
                        == cupel_stats::Verdict::Faster
                })
            };
            // This doubles the number of pairs that are looked at.
            let beats = |answer: &Answer, one: &ContenderName, other: &ContenderName| {
                let cells = measured(answer, one).zip(measured(answer, other));
                cells
                    .and_then(|(a, b)| self.evidence.between(a.cell, b.cell, 2 * intervals))
                    .is_some_and(|compared| {
                        cupel_stats::verdict(&compared.interval, compared.forks, zone)
                            == cupel_stats::Verdict::Faster
                    })
            };
            let mut ahead: Vec<&ContenderName> =
                ratios.keys().filter(|name| is_ahead(name)).collect();
            ahead.sort_by(|a, b| ratios[*a][&size].estimate.total_cmp(&ratios[*b][&size].estimate));
            let fastest = ahead.first().copied().unwrap_or(&self.have);
            let ties = |name: &ContenderName| name == fastest || !beats(answer, fastest, name);
            // Of those that tie, the first in the order, as for all calls together.
            let tied = ahead.into_iter().filter(|name| ties(name));
            let best = tied.min_by_key(|name| self.order(name)).unwrap_or(&self.have);
            match ranges.last_mut() {
                Some(last)
                    if last.contender == *best
                        || (is_ahead(&last.contender) && ties(&last.contender)) =>
                {
                    last.to = size;
                }
                last => {
                    let crosses = last.zip(before).is_some_and(|(last, before)| {
                        beats(before, &last.contender, best) && beats(answer, best, &last.contender)
                    });
                    let contender = best.clone();
                    ranges.push(Range { from: size, to: size, contender, crosses });
                }
            }
            before = Some(answer);
        }
        ranges
    }
}

impl Advice {
    /// Whether the user named sizes that were not measured.
    pub fn interpolates(&self) -> bool {
        self.sizes.iter().any(|(size, _, nearest)| *nearest != [*size])
    }
}

/// The verdict on a ratio over all calls, which was weighed from ratios at these sizes.
fn verdict(ratio: &Ratio, at: &BTreeMap<u64, At>, zone: f64) -> cupel_stats::Verdict {
    let interval = Interval { low: ratio.low.ln(), high: ratio.high.ln() };
    let forks = at.values().map(|at| at.forks).min().unwrap_or_default();
    cupel_stats::verdict(&interval, forks, zone)
}

fn measured<'a>(answer: &'a Answer, name: &ContenderName) -> Option<&'a Row> {
    answer.rows.iter().find(|r| r.contender == *name && r.ns.is_some())
}

fn reason(words: &str, ratio: &Ratio) -> String {
    format!(
        "{words}: takes {:.3} times as long [{:.3} .. {:.3}]",
        ratio.estimate, ratio.low, ratio.high
    )
}

/// The measured sizes that represent a size of the user's: itself, or else its two neighbours.
fn stand_ins(size: u64, measured: &[u64]) -> Result<Vec<u64>, String> {
    if measured.contains(&size) {
        return Ok(vec![size]);
    }
    let below = measured.iter().copied().filter(|&m| m < size).max();
    let above = measured.iter().copied().filter(|&m| m > size).min();
    match (below, above) {
        (Some(below), Some(above)) => Ok(vec![below, above]),
        _ => Err(format!("{size} bytes is outside the measured sizes")),
    }
}
