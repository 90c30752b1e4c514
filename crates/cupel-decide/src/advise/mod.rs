//! Advice: what to use at your sizes, or whether to keep what you have. For each chart it uses the
//! newest run of this machine that can answer. A changed fingerprint makes it void.
//!
//! A candidate is recommended if its answers are correct, it is not known to leak here, and the
//! interval of its lead over what you have lies beyond the tie zone. The comparisons are those of
//! the run's tables, so advice never contradicts a verdict. Several may tie for the fastest; which of
//! them is recommended is a rule, and not chance (`adopt.rs`).

mod adopt;
mod chart;
mod early;
pub mod fitness;
mod fleet;
mod languages;
mod pick;
pub mod weights;

pub use adopt::Terms;
pub use fleet::{FleetAdvice, Joint, OnMachine, of_fleet};
pub use languages::{EVERY, Languages, family_of, languages};

use chart::Chart;
use cupel_analyse::Ratio;
use cupel_base::chart::ChartKey;
use cupel_base::name::ContenderName;
use cupel_base::primitives;
use cupel_base::problem::{Written, did_you_mean};
use cupel_protocol::workload::{Bytes, Completion, Operation, Workload};
use cupel_store::{Planned, Recorded, Store, StoreError};
use cupel_suite::again;
use std::collections::{BTreeMap, BTreeSet};

/// A user's question.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// Only this primitive.
    pub primitive: Option<String>,
    /// What is done with it; `None` for every operation.
    pub operation: Option<Operation>,
    /// Whose contenders take part.
    pub languages: Languages,
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
    /// The time of one of the user's calls with `have`, in ns.
    pub now_ns: f64,
    /// What to use for all of the user's calls; `None` means: keep what you have.
    pub choice: Option<Choice>,
    /// The others that are not certainly slower than the fastest, the preferred ones first.
    pub tied: Vec<ContenderName>,
    /// If the evidence leaves open whether a change pays: why, and the command that would decide it.
    pub open: Option<Open>,
    /// The best contender for each range of sizes, ascending; `have` if none is certainly faster.
    pub ranges: Vec<Range>,
    /// Every contender that cannot be recommended, however fast it is, with the reason.
    pub unfit: Vec<(ContenderName, String)>,
    /// Every contender that is certainly slower than the fastest, with its figures.
    pub slower: Vec<(ContenderName, String)>,
    /// Warnings that apply to any choice.
    pub warnings: Vec<String>,
    /// The user's sizes.
    pub sizes: Vec<Size>,
    /// The run that the advice is based on.
    pub run: i64,
    /// When it began, UTC.
    pub started: String,
    /// The machine, in one line.
    pub machine: String,
    /// Its fingerprint.
    pub fingerprint: String,
    /// What is known of every contender that is named.
    pub terms: BTreeMap<ContenderName, Terms>,
    /// Among which contenders it chose.
    pub scope: Scope,
}

/// Among which contenders advice chose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// How many they are.
    pub contenders: usize,
    /// Their languages, as parts of their names.
    pub languages: BTreeSet<String>,
    /// The languages of those that were measured and did not take part.
    pub left_out: BTreeSet<String>,
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

/// What the evidence leaves open.
#[derive(Clone, Debug)]
pub struct Open {
    /// Which contender may be faster than what is used now.
    pub contender: ContenderName,
    /// Its time divided by the time of what is used now.
    pub ratio: Ratio,
    /// The command that would decide it.
    pub command: String,
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

impl Advice {
    /// Whether any size is estimated from its measured neighbours.
    pub fn interpolates(&self) -> bool {
        self.sizes.iter().any(|size| size.measured.len() > 1)
    }
}

/// A size of the user's calls.
#[derive(Clone, Debug)]
pub struct Size {
    /// In bytes.
    pub bytes: u64,
    /// Its share of the calls.
    pub share: f64,
    /// The measured sizes that represent it: itself, or else its two neighbours.
    pub measured: Vec<u64>,
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
            .unwrap_or_else(|| "`cupel ask` measures it if `cupel list` has it".to_string());
        anyhow::bail!("no run has a contender called {have}; {help}");
    }
    if let Some(language) = question.languages.named()
        && !names.iter().any(|name| question.languages.have(name))
    {
        let prefixes: BTreeSet<&str> = names.iter().map(|name| languages::family(name)).collect();
        let known: Vec<&str> = prefixes.into_iter().collect();
        anyhow::bail!(
            "no contender of that language was measured: {language}; the known ones are {}",
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
            if primitives::is_choice(&work.primitive) {
                let choice = primitives::choice(&work.primitive);
                if question.primitive.as_ref().is_none_or(|p| choice.contains(&p.as_str()))
                    && question.operation.is_none_or(|operation| operation == work.operation)
                {
                    let one = question.primitive.as_deref().unwrap_or(choice[0]);
                    let asked = Workload { primitive: one.to_string(), ..work.clone() };
                    let key = ChartKey::of(work);
                    let all = planned.plan.comparisons.iter().filter(|c| !c.overhead);
                    let own = all.filter(|c| ChartKey::of(&c.workload) == key);
                    let sizes: Vec<u64> = own.map(|c| c.workload.size).collect();
                    restricted.insert(format!(
                        "{} {} in run {}: a choice between primitives, which do not replace each \
                         other in a program; advice is about one: {}",
                        primitives::in_words(&work.primitive),
                        work.operation,
                        planned.run.id,
                        again(&planned.run.suite, &asked, &sizes, planned.plan.workloads(), [], ""),
                    ));
                }
                continue;
            }
            if question.primitive.as_ref().is_some_and(|p| *p != work.primitive)
                || question.operation.is_some_and(|operation| operation != work.operation)
            {
                continue;
            }
            if let Some(why) = left_out_of(work) {
                restricted.insert(why);
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
        for planned in whole_first(&runs, &work, question) {
            let recorded = store.load_with_doubts(planned.run.id)?;
            match Chart::of(&recorded, &work, question, 1) {
                Ok(chart) => {
                    found = Some((planned, chart.advise(question, fingerprint)));
                    break;
                }
                Err(why) => unanswered = unanswered.or(Some((planned.run.id, why))),
            }
        }
        match (found, unanswered) {
            (Some((chosen, mut found)), first) => {
                let passed_over = first.as_ref().map(|(run, _)| *run);
                let notes = other_runs(&runs, chosen, &work, question, passed_over);
                let first = first.map(|(run, why)| format!("run {run} cannot answer: {why}"));
                found.warnings.extend(first.into_iter().chain(notes));
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

/// Why there is no advice on a workload by itself, if there is none.
fn left_out_of(work: &Workload) -> Option<String> {
    let Workload { primitive, operation, contract, shape, .. } = work;
    let what = format!("{primitive} {operation}, {contract}");
    if primitives::is_choice(primitive) {
        let what = primitives::in_words(primitive);
        return Some(format!("{what} {operation}: a choice between primitives"));
    }
    if contract.lengths.drawn().is_some() {
        return Some(format!("{what}: the mix of one program; cupel advise --mix FILE"));
    }
    if contract.result != Completion::Returned {
        // What an awaited call costs depends on what else the program does meanwhile.
        return Some(format!("{what}, {shape}: advice is for calls that return their result"));
    }
    if contract.bytes != Bytes::Any {
        // A contender may be there because it is wrong for other messages.
        return Some(format!("{what}, {shape}: advice is for messages of any bytes"));
    }
    None
}

/// Answers a question for one of `charts` charts of one run, whose intervals are all joint.
///
/// # Errors
/// Why the run cannot answer it.
pub fn of_run(
    recorded: &Recorded,
    work: &Workload,
    question: &Question,
    fingerprint: &str,
    charts: usize,
) -> Result<Advice, String> {
    Ok(Chart::of(recorded, work, question, charts)?.advise(question, fingerprint))
}

/// The runs of a chart in the order in which they are asked, newest first. A run of a part, such as
/// one repeated cell or a question about a few contenders, comes after an older run of the whole.
fn whole_first<'a>(runs: &[&'a Planned], work: &Workload, question: &Question) -> Vec<&'a Planned> {
    let scopes: Vec<_> = runs.iter().map(|run| Measured::of(run, work, question)).collect();
    let (parts, mut order): (Vec<usize>, Vec<usize>) = (0..runs.len()).partition(|&index| {
        scopes[index + 1..].iter().any(|older| older.is_whole_of(&scopes[index], question))
    });
    order.extend(parts);
    order.into_iter().map(|index| runs[index]).collect()
}

/// What other runs have that the chosen one has not: newer figures of a few of its contenders, or more
/// contenders. Each run that matters is named in a sentence.
fn other_runs(
    runs: &[&Planned],
    chosen: &Planned,
    work: &Workload,
    question: &Question,
    passed_over: Option<i64>,
) -> Vec<String> {
    let own = Measured::of(chosen, work, question);
    let others = runs.iter().filter(|run| {
        let is_other = run.run.id != chosen.run.id && Some(run.run.id) != passed_over;
        is_other && Measured::of(run, work, question).answers(question)
    });
    let others: Vec<(i64, Measured<'_>)> =
        others.map(|run| (run.run.id, Measured::of(run, work, question))).collect();
    let mut notes = Vec::new();
    let newer = others
        .iter()
        .filter(|(run, other)| *run > chosen.run.id && other.names.len() < own.names.len());
    notes.extend(newer.take(1).map(|(run, other)| {
        format!(
            "run {run} is newer, but measured only {} of {} contenders; this is of run {}",
            other.names.len(),
            own.names.len(),
            chosen.run.id
        )
    }));
    let missing = others.iter().map(|(run, other)| (run, &other.names - &own.names));
    let most = missing.max_by_key(|(run, names)| (names.len(), *run));
    notes.extend(most.filter(|(_, names)| !names.is_empty()).map(|(run, names)| {
        const SHOWN: usize = 3;
        let shown: Vec<&str> = names.iter().take(SHOWN).map(|name| name.as_str()).collect();
        let more = names.len().saturating_sub(SHOWN);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        format!(
            "run {run} also measured {}{more}, which this run {} did not",
            shown.join(", "),
            chosen.run.id
        )
    }));
    notes
}

/// What a run measured for a chart, of what a question is about.
#[derive(PartialEq)]
struct Measured<'a> {
    names: BTreeSet<&'a ContenderName>,
    sizes: BTreeSet<u64>,
}

impl<'a> Measured<'a> {
    fn of(planned: &'a Planned, work: &Workload, question: &Question) -> Measured<'a> {
        let (plan, key) = (&planned.plan, ChartKey::of(work));
        let of_chart =
            plan.comparisons.iter().filter(|c| !c.overhead && ChartKey::of(&c.workload) == key);
        let (mut names, mut sizes) = (BTreeSet::new(), BTreeSet::new());
        for comparison in of_chart {
            sizes.insert(comparison.workload.size);
            let all = comparison.cells.iter().map(|&cell| &plan.contender_of(cell).name);
            names.extend(all.filter(|name| question.languages.have(name)));
        }
        Measured { names, sizes }
    }

    /// Whether it has every size that the question is about.
    fn answers(&self, question: &Question) -> bool {
        question.sizes.iter().all(|(size, _)| self.sizes.contains(size))
    }

    /// Whether another run measured a part of this one: some of its contenders, at some of its sizes or
    /// at others that the question does not need.
    fn is_whole_of(&self, other: &Measured<'_>, question: &Question) -> bool {
        if self == other || !self.names.is_superset(&other.names) {
            return false;
        }
        let has_more = self.names.len() > other.names.len();
        self.sizes.is_superset(&other.sizes) || (has_more && self.answers(question))
    }
}
