//! Advice: which contender to use at your sizes, or whether to keep yours. For each chart it uses
//! the newest run of this machine that can answer. A changed fingerprint makes it void.
//!
//! A candidate is recommended if its answers are correct, it is not known to leak here, and the
//! interval of its lead over your contender lies beyond the tie zone. The comparisons are also in
//! the run's tables, so advice never contradicts a verdict. Several may tie for the fastest; which
//! of them is recommended is a rule, and not chance (`adopt.rs`).

mod adopt;
mod chart;
mod early;
mod fitness;
mod languages;
mod leaks;
mod pick;
mod remedy;
mod runs;
mod switch;

pub use adopt::Terms;
pub use languages::{EVERY, Languages, family_of, languages};

use chart::Chart;
use cupel_analyse::Ratio;
use cupel_analyse::leaders::NotHere;
use cupel_base::name::ContenderName;
use cupel_base::problem::{Written, did_you_mean};
use cupel_protocol::workload::{Operation, Workload};
use cupel_store::{Recorded, Store, StoreError};
use runs::{ChartRuns, Known, other_runs, whole_first};
use std::collections::{BTreeMap, BTreeSet};

/// A user's question.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// Only this primitive.
    pub primitive: Option<String>,
    /// The operation of the primitive; `None` for every operation.
    pub operation: Option<Operation>,
    /// The languages of the candidates.
    pub languages: Languages,
    /// Message lengths in bytes, with the share of the calls that each has; empty for all measured
    /// sizes.
    pub sizes: Vec<(u64, f64)>,
    /// The contender in use now; by default the chart's baseline.
    pub have: Option<String>,
    /// Whether it is about the calls of a program, which uses a contender that may not be known.
    pub of_program: bool,
}

impl Question {
    /// Whether the contender in use is known: the user named it, or asked neither about a program
    /// nor about one language.
    pub fn had(&self) -> bool {
        self.have.is_some() || (!self.of_program && self.languages.named().is_none())
    }
}

/// The answer for one chart: one primitive, operation, contract and shape.
#[derive(Clone, Debug)]
pub struct Advice {
    /// The workload, at the first of its sizes.
    pub workload: Workload,
    /// The contender in use now; if the user did not name one, the baseline.
    pub have: ContenderName,
    /// Whether `have` is in use ([`Question::had`]).
    pub had: bool,
    /// The time of one of the user's calls with `have`, in ns.
    pub now_ns: f64,
    /// The contender to use for all of the user's calls; `None` means: keep your own.
    pub choice: Option<Choice>,
    /// The others that are not certainly slower than the fastest, the preferred ones first.
    pub tied: Vec<ContenderName>,
    /// If the evidence leaves open whether a change pays: why, and the command that would decide
    /// it.
    pub open: Option<Open>,
    /// The best contender for each range of sizes, ascending; `have` if none is certainly faster.
    pub ranges: Vec<Range>,
    /// The best two, if no contender is the best at all sizes.
    pub switch: Option<Switch>,
    /// The contender that led on another machine, at one of the sizes, and is not here.
    pub not_here: Option<NotHere>,
    /// Every contender that cannot be recommended, however fast it is, with the reason.
    pub unfit: Vec<(ContenderName, String)>,
    /// The contenders that are certainly faster than the recommended one, and known to leak.
    pub faster_but_leaks: Vec<ContenderName>,
    /// Every contender that is certainly slower than the fastest or than the recommended one, with
    /// its time divided by the time of the contender in use now.
    pub slower: Vec<(ContenderName, Ratio)>,
    /// The others that are not recommended: they are neither certainly slower than the fastest nor
    /// certainly close to it.
    pub unclear: Vec<(ContenderName, Ratio)>,
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
    /// The facts about every contender that is named.
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
    /// The languages of the contenders that were measured but are not candidates.
    pub left_out: BTreeSet<String>,
}

/// The recommended contender.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The contender.
    pub contender: ContenderName,
    /// Its time divided by the time of the contender in use now, over all calls of the user.
    pub ratio: Ratio,
    /// The time saved by a million calls, in ms, with its interval.
    pub gain_ms: (f64, f64, f64),
}

/// A question that the evidence leaves open.
#[derive(Clone, Debug)]
pub struct Open {
    /// A contender that may be faster than the one in use now.
    pub contender: ContenderName,
    /// Its time divided by the time of the contender in use now.
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
    /// Whether its time certainly crosses the time of the range before: that one is faster there,
    /// and this one here.
    pub crosses: bool,
}

/// One contender up to a size and another beyond it.
#[derive(Clone, Debug)]
pub struct Switch {
    /// The one for short messages.
    pub small: ContenderName,
    /// The largest measured size that it is for.
    pub up_to: u64,
    /// The one for long messages.
    pub large: ContenderName,
    /// The smallest measured size that it is for.
    pub from: u64,
    /// The time of the two over all calls of the user, divided by the time of the one contender
    /// that is recommended for all sizes.
    pub ratio: Ratio,
}

impl Switch {
    /// How much longer one contender for all sizes may take and still suffice.
    const SUFFICES: f64 = 0.02;

    /// Whether one contender for all sizes is certainly almost as good.
    pub fn is_needless(&self) -> bool {
        self.ratio.low >= 1.0 - Switch::SUFFICES
    }
}

impl Size {
    /// The measured sizes that represent it, each with its part of the calls: an interpolation
    /// between its two neighbours.
    pub(crate) fn parts(&self) -> Vec<(u64, f64)> {
        if let [below, above] = self.measured[..] {
            let part = (self.bytes - below) as f64 / (above - below) as f64;
            return vec![(below, 1.0 - part), (above, part)];
        }
        self.measured.iter().map(|&size| (size, 1.0)).collect()
    }
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
            .unwrap_or_else(|| match question.commands().first() {
                Some(command) => format!("if `cupel list` has it, this measures it: {command}"),
                None => "`cupel ask` measures it if `cupel list` has it".to_string(),
            });
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

/// Answers a question for every chart that this machine has measured. The second part has, for each
/// of the other charts, the reason why it has no answer.
///
/// # Errors
/// If the store cannot be read.
pub fn advise(
    store: &Store,
    question: &Question,
    fingerprint: &str,
) -> Result<(Vec<Advice>, Vec<String>), StoreError> {
    let plans = store.plans(None)?;
    let known = Known::search(&plans, question, fingerprint);
    let mut answers = Answers { advice: Vec::new(), left_out: known.left_out() };
    for chart in &known.charts {
        answers.add(store, chart, question, fingerprint)?;
    }
    Ok((answers.advice, answers.left_out))
}

/// The answers so far.
struct Answers {
    advice: Vec<Advice>,
    /// Why each of the other charts has none.
    left_out: Vec<String>,
}

impl Answers {
    /// Adds the advice of the chart's first run that can answer, with a warning about its other
    /// runs; or why none of them can.
    fn add(
        &mut self,
        store: &Store,
        chart: &ChartRuns<'_>,
        question: &Question,
        fingerprint: &str,
    ) -> Result<(), StoreError> {
        let ChartRuns { work, runs, .. } = chart;
        let mut unanswered: Option<(i64, String)> = None;
        for planned in whole_first(runs, work, question) {
            // Several charts often share a run, but rarely more than a few.
            let recorded = store.load_with_doubts(planned.run.id)?;
            let chart = match Chart::read(&recorded, work, question, 1) {
                Ok(chart) => chart,
                Err(why) => {
                    unanswered = unanswered.or(Some((planned.run.id, why)));
                    continue;
                }
            };
            let mut advice = chart.advise(question, fingerprint);
            let passed_over = unanswered.as_ref().map(|(run, _)| *run);
            let notes = other_runs(runs, planned, work, question, passed_over);
            let why = unanswered.map(|(run, why)| format!("run {run} cannot answer: {why}"));
            advice.warnings.extend(why.into_iter().chain(notes));
            self.advice.push(advice);
            return Ok(());
        }
        let Workload { primitive, operation, contract, shape, .. } = work;
        let why = unanswered.map(|(_, why)| why).unwrap_or_default();
        self.left_out.push(format!("{primitive} {operation}, {contract}, {shape}: {why}"));
        Ok(())
    }
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
    Ok(Chart::read(recorded, work, question, charts)?.advise(question, fingerprint))
}
