//! Which runs of the store can answer a question, in which order they are asked, and the figures of
//! those that were not chosen.

use super::{Question, remedy};
use cupel_base::chart::ChartKey;
use cupel_base::name::ContenderName;
use cupel_base::primitives;
use cupel_protocol::workload::{Bytes, Completion, Workload};
use cupel_store::Planned;
use std::collections::BTreeSet;

/// The runs of the store for a question.
#[derive(Default)]
pub(super) struct Known<'a> {
    /// The charts that finished runs of this machine have.
    pub charts: Vec<ChartRuns<'a>>,
    /// The figures of other machines' runs.
    elsewhere: Vec<Elsewhere<'a>>,
    /// Why there is no advice on other workloads, whichever machine measured them.
    restricted: BTreeSet<String>,
}

/// A chart, and the runs of this machine that have it.
pub(super) struct ChartRuns<'a> {
    key: ChartKey,
    /// The workload, at one of its sizes.
    pub work: &'a Workload,
    /// Newest first.
    pub runs: Vec<&'a Planned>,
}

/// A workload that a run of another machine has.
struct Elsewhere<'a> {
    work: &'a Workload,
    planned: &'a Planned,
}

impl<'a> Known<'a> {
    /// Looks through the plans of all runs, newest first.
    pub fn search(plans: &'a [Planned], question: &Question, fingerprint: &str) -> Known<'a> {
        let mut known = Known::default();
        for planned in plans.iter().filter(|planned| planned.run.finished.is_some()) {
            for comparison in planned.plan.comparisons.iter().filter(|c| !c.overhead) {
                if is_about(question, &comparison.workload) {
                    known.add(planned, &comparison.workload, question, fingerprint);
                }
            }
        }
        known
    }

    fn add(
        &mut self,
        planned: &'a Planned,
        work: &'a Workload,
        question: &Question,
        fingerprint: &str,
    ) {
        if primitives::is_choice(&work.primitive) {
            self.restricted.insert(is_a_choice(planned, work, question));
            return;
        }
        if let Some(why) = left_out_of(work) {
            self.restricted.insert(why);
            return;
        }
        if planned.fingerprint != fingerprint {
            self.elsewhere.push(Elsewhere { work, planned });
            return;
        }
        let key = ChartKey::for_workload(work);
        match self.charts.iter_mut().find(|chart| chart.key == key) {
            // Another size of the same run.
            Some(chart) if chart.runs.last().is_some_and(|r| r.run.id == planned.run.id) => {}
            Some(chart) => chart.runs.push(planned),
            None => self.charts.push(ChartRuns { key, work, runs: vec![planned] }),
        }
    }

    /// Why each chart that is not one of [`Known::charts`] has no advice.
    pub fn left_out(&self) -> Vec<String> {
        let mut left_out = Vec::new();
        let mut seen: Vec<ChartKey> = Vec::new();
        for Elsewhere { work, planned } in &self.elsewhere {
            let key = ChartKey::for_workload(work);
            // Runs are in order, the newest first, and a chart has several sizes.
            if self.charts.iter().any(|chart| chart.key == key) || seen.contains(&key) {
                continue;
            }
            let Workload { primitive, operation, .. } = work;
            left_out.push(format!(
                "{primitive} {operation}: run {} is from another machine, or from this one before it \
                 changed; this measures it here: {}",
                planned.run.id,
                measure_again(planned, work, work)
            ));
            seen.push(key);
        }
        left_out.extend(self.restricted.iter().cloned());
        left_out
    }
}

/// Whether a question is about a workload, or about one of those that it chooses between.
fn is_about(question: &Question, work: &Workload) -> bool {
    let primitives = primitives::choice(&work.primitive);
    question.primitive.as_ref().is_none_or(|asked| primitives.contains(&asked.as_str()))
        && question.operation.is_none_or(|operation| operation == work.operation)
}

/// Why the comparison of a choice gives no advice, and the command that measures one primitive.
fn is_a_choice(planned: &Planned, work: &Workload, question: &Question) -> String {
    let first = primitives::choice(&work.primitive)[0];
    let one = question.primitive.as_deref().unwrap_or(first);
    let asked = Workload { primitive: one.to_string(), ..work.clone() };
    format!(
        "{} {} in run {}: a choice between primitives, which do not replace each other in a \
         program; advice is about one: {}",
        primitives::in_words(&work.primitive),
        work.operation,
        planned.run.id,
        measure_again(planned, work, &asked),
    )
}

/// The command that measures the asked work at the sizes at which a run has a workload.
fn measure_again(planned: &Planned, work: &Workload, asked: &Workload) -> String {
    let key = ChartKey::for_workload(work);
    let own =
        planned.plan.comparisons.iter().filter(|c| ChartKey::for_workload(&c.workload) == key);
    let sizes: Vec<u64> = own.map(|c| c.workload.size).collect();
    remedy::measure((&planned.run, &planned.plan), asked, &sizes, [], "")
}

/// Why there is no advice on a workload of one primitive by itself, if there is none.
fn left_out_of(work: &Workload) -> Option<String> {
    let Workload { primitive, operation, contract, shape, .. } = work;
    let what = format!("{primitive} {operation}, {contract}");
    if contract.lengths.drawn().is_some() {
        return Some(format!("{what}: the mix of one program; cupel advise --mix FILE"));
    }
    if contract.result != Completion::Returned {
        // The cost of an awaited call depends on the program's other work meanwhile.
        return Some(format!("{what}, {shape}: advice is for calls that return their result"));
    }
    if contract.bytes != Bytes::Any {
        // A contender may be there because it is wrong for other messages.
        return Some(format!("{what}, {shape}: advice is for messages of any bytes"));
    }
    None
}

/// The runs of a chart in the order in which they are asked, newest first. A run of a part, such as
/// one repeated cell or a question about a few contenders, comes after an older run of the whole.
pub(super) fn whole_first<'a>(
    runs: &[&'a Planned],
    work: &Workload,
    question: &Question,
) -> Vec<&'a Planned> {
    let scopes: Vec<_> = runs.iter().map(|run| Measured::find(run, work, question)).collect();
    let (parts, mut order): (Vec<usize>, Vec<usize>) = (0..runs.len()).partition(|&index| {
        scopes[index + 1..].iter().any(|older| older.is_whole_of(&scopes[index], question))
    });
    order.extend(parts);
    order.into_iter().map(|index| runs[index]).collect()
}

/// The figures of other runs that the chosen one lacks: newer figures of a few of its contenders,
/// or more contenders. Each run that matters is named in a sentence.
pub(super) fn other_runs(
    runs: &[&Planned],
    chosen: &Planned,
    work: &Workload,
    question: &Question,
    passed_over: Option<i64>,
) -> Vec<String> {
    let own = Measured::find(chosen, work, question);
    let others = runs.iter().filter(|run| {
        let is_other = run.run.id != chosen.run.id && Some(run.run.id) != passed_over;
        is_other && Measured::find(run, work, question).answers(question)
    });
    let others: Vec<(i64, Measured<'_>)> =
        others.map(|run| (run.run.id, Measured::find(run, work, question))).collect();
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

/// The part of a question's subject that a run measured for a chart.
#[derive(PartialEq)]
struct Measured<'a> {
    names: BTreeSet<&'a ContenderName>,
    sizes: BTreeSet<u64>,
}

impl<'a> Measured<'a> {
    fn find(planned: &'a Planned, work: &Workload, question: &Question) -> Measured<'a> {
        let (plan, key) = (&planned.plan, ChartKey::for_workload(work));
        let of_chart = plan
            .comparisons
            .iter()
            .filter(|c| !c.overhead && ChartKey::for_workload(&c.workload) == key);
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

    /// Whether another run measured a part of this one: some of its contenders, at some of its
    /// sizes or at others that the question does not need.
    fn is_whole_of(&self, other: &Measured<'_>, question: &Question) -> bool {
        if self == other || !self.names.is_superset(&other.names) {
            return false;
        }
        let has_more = self.names.len() > other.names.len();
        self.sizes.is_superset(&other.sizes) || (has_more && self.answers(question))
    }
}
