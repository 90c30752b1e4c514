//! From stored slices to intervals and verdicts. Pure: the same store gives the same answer on any
//! machine, years later.
//!
//! The verdicts are given in `verdicts.rs`. The formulas are in `cupel-stats`, the conclusions from
//! a verdict in `cupel-decide`, and its words below a table are in `cupel-show`.

mod across;
mod carry_over;
mod changes;
mod collection;
mod copies;
mod crossing;
mod evidence;
mod impossible;
mod lead;
pub mod leaders;
mod levels;
mod library;
mod pairs;
mod scaling;
mod secondary;
mod series;
mod verdicts;

use cupel_base::chart::ChartKey;
use cupel_base::name::ContenderName;
use cupel_contender::State;
use cupel_plan::{FailureKind, NotRanked};
use cupel_protocol::message::Refusal;
use cupel_protocol::workload::Workload;
use cupel_stats::{Interval, Line, Shape, Side, Steadiness};
use cupel_store::{Recorded, Store, StoreError, WarmUpRow};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};
use verdicts::Rules;

pub use across::{Across, Both, Change, NotCompared, across};
pub use collection::with_and_without;
pub use copies::least_width;
pub use crossing::{Crossing, crossings};
pub use evidence::{Evidence, Part};
pub use lead::{Ahead, Behind, Lagging, Lead, Order, PartOf, order};
pub use pairs::{Between, PairTable, Pairs};
pub use scaling::Scaling;
pub use verdicts::UNTRUSTED;

/// The results of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Analysis {
    /// The comparisons in the plan's order, without the one of empty operations.
    pub comparisons: Vec<Answer>,
    /// The harness overheads: the contender of the empty operation and its time in ns per call.
    pub overheads: Vec<(ContenderName, f64)>,
    /// How many ratios to a baseline have an interval, in all tables together. The intervals of
    /// each table are joint at `1 - alpha`.
    pub intervals: usize,
    /// The factor by which the controls widen all standard errors of the run; at least 1.
    pub calibration: f64,
    /// The cost of threads, if some cells have several.
    pub scaling: Vec<Scaling>,
}

/// The results of one comparison.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// The measured workload.
    pub workload: Workload,
    /// The baseline's name, if there is one.
    pub baseline: Option<ContenderName>,
    /// Its cells: first the ranked ones, the fastest first, then the rest.
    pub rows: Vec<Row>,
    /// The control: the ratio of the baseline's second copy to the baseline.
    pub control: Option<Ratio>,
    /// The smallest difference that its forks can show, as a share: 0, 15 % if they are too few
    /// ([`cupel_stats::floor_of`]), and infinite without a control. No verdict is given below it.
    pub floor: f64,
    /// How many intervals of this table are joint at `1 - alpha`.
    pub intervals: usize,
    /// Whether the control makes this comparison untrusted.
    pub untrusted: bool,
    /// The fastest contender and its lead over the runner-up.
    pub lead: Option<Lead>,
    /// Rounds measured, and how many of them lost at least one slice.
    pub rounds: usize,
    /// Rounds in which at least one slice was disturbed.
    pub disturbed: usize,
    /// The changes during the run.
    pub changes: Vec<Changed>,
}

/// A change during a run: from some fork on, the time of a contender is different.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Changed {
    /// The contender.
    pub contender: ContenderName,
    /// Its cell.
    pub cell: usize,
    /// The kind of change.
    pub shape: Shape,
    /// The first fork after the change, from 1.
    pub from_fork: u32,
    /// The last fork of a burst.
    pub to_fork: Option<u32>,
    /// How many forks the run was to have.
    pub forks: u32,
    /// When that fork began, UTC.
    pub at: Option<String>,
    /// The times of its processes in the other forks; in the first quarter of its forks, if it
    /// changed all the time.
    pub before: Processes,
    /// Their times from the change on, or in the burst, or in the last quarter of its forks.
    pub after: Processes,
}

/// Some processes of a contender, and how long a call took in them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Processes {
    /// The median time per call, in ns, of one of them: as many of the others took less as took
    /// more. For an even number it is the lower of the two in the middle, because a mean is the
    /// time of no process.
    pub ns: f64,
    /// Their forks, from 1.
    pub forks: Vec<u32>,
}

/// One cell's row.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The cell's number in the plan.
    pub cell: usize,
    /// The contender's name, with its primitive in a choice.
    pub contender: ContenderName,
    /// Its library's version.
    pub version: String,
    /// The code path that it selected.
    pub code_path: String,
    /// The time per call, if it was measured: with the garbage collection that belongs to it.
    pub ns: Option<Time>,
    /// The ratio of its time to the baseline's, with an interval that is joint with all others of
    /// its table.
    pub ratio: Option<Ratio>,
    /// The ratio with an interval that is joint with all others of the run.
    pub ratio_in_run: Option<Ratio>,
    /// If the processes of the two have two levels: the ratio at each.
    pub ratio_levels: Vec<RatioLevel>,
    /// The verdict on it.
    pub verdict: Verdict,
    /// For everything that is not ranked, the reason and what to do.
    pub reason: Option<String>,
    /// The contender's fault outside the messages of this workload, if any.
    pub limit: Option<String>,
    /// The forks with enough rounds that count.
    pub forks: usize,
    /// The rounds that count.
    pub rounds: usize,
    /// The rounds that do not count because this cell or the baseline was disturbed.
    pub dropped: usize,
    /// How many slices it has.
    pub slices: usize,
    /// How many of its slices do not count because they were disturbed.
    pub disturbed: usize,
    /// How the time developed in each fork while it was measured.
    pub steadiness: Vec<Steadiness>,
    /// The speeds of its processes, ascending, if they have several.
    pub levels: Vec<Processes>,
    /// The factor by which it slows the slice after it, relative to most cells; 1 if no effect is
    /// certain. It is removed from all times and ratios.
    pub slows_next: f64,
    /// The work of its compiler, if its code is compiled at run time and the runner reports it.
    pub compiled: Option<Compiled>,
    /// The forks whose warm-up did not settle.
    pub unsettled_warm_ups: usize,
    /// The cell's first call in a fresh process, in ns: the median over the forks.
    pub first_call_ns: Option<f64>,
    /// Bytes allocated per call: the mean over the slices that count, if the runner can know.
    pub allocated_per_call: Option<f64>,
    /// The time of garbage collection, in ns per call, if any was seen. The time per call and the
    /// ratio include it.
    pub collecting_ns_per_call: Option<f64>,
    /// The ratio without it, if it is a part of the contender's time or of the baseline's.
    pub ratio_without_collecting: Option<Ratio>,
    /// The fixed cost and the cost per byte over all sizes of its chart.
    pub line: Option<Line>,
    /// The forks that it has in common with the baseline, from 1.
    pub shared: Vec<u32>,
    /// How it compares with the row before it, and with the one that stands before it in a table
    /// that leaves contenders out ([`Row::aside`]): those with a time and a fork in common.
    pub after: Vec<After>,
    /// Whether another contender stands for it: it cannot be the answer, and tables leave it out.
    pub aside: bool,
    /// Whether it left the run after a look, because it is far slower than the fastest
    /// ([`cupel_suite::Options::look`]).
    pub left_early: bool,
}

/// How a row compares with one before it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct After {
    /// The cell of the row before it.
    pub cell: usize,
    /// Its time divided by that row's: the middle of the forks that both have.
    pub times: f64,
    /// These forks, from 1.
    pub forks: Vec<u32>,
}

/// One of two levels of a ratio: some processes have this one for their whole life.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatioLevel {
    /// The ratio, with the interval of this level alone.
    pub ratio: Ratio,
    /// Its forks, from 1.
    pub forks: Vec<u32>,
}

impl Answer {
    /// The rows that did not fail, and have no time: how fast they are is not known.
    pub fn timeless(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| match row.verdict {
            Verdict::NotSeparated => row.ns.is_none(),
            verdict => verdict == Verdict::Unmeasured,
        })
    }
}

/// The work of the compilers of a cell's processes, over all forks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compiled {
    /// The level of the code of the loop that makes the calls, in each fork.
    pub levels: Vec<u32>,
    /// The time inside slices until nothing more was compiled, in ns: the median over the forks.
    pub steady_ns: f64,
    /// How often code was compiled again in rounds.
    pub recompiled: u32,
    /// For each fork without a round that counts, because its code did not settle: the reason.
    pub unsteady: Vec<String>,
}

impl Row {
    /// Whether it is the row of this contender, with the same primitive as another row.
    pub fn is_of(&self, contender: &ContenderName, other: &Row) -> bool {
        self.contender.contender() == contender.as_str()
            && self.contender.primitive() == other.contender.primitive()
    }

    /// Whether it was measured and did not fail.
    pub fn ranked(&self) -> bool {
        self.ns.is_some() && !self.verdict.is_absent()
    }
}

/// A time in ns per call: a contender's own, from its own slices.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Time {
    /// The median over its slices that count.
    pub median: f64,
    /// The low end of its interval over forks.
    pub low: f64,
    /// The high end of its interval over forks.
    pub high: f64,
}

/// A ratio of times with its interval. Below 1 the contender is faster than the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// The typical ratio: the mean over the forks, or over the forks of their more frequent level.
    pub estimate: f64,
    /// The low end; 0 if unbounded.
    pub low: f64,
    /// The high end; infinite if unbounded.
    pub high: f64,
}

impl Ratio {
    /// The ratio of a logarithm with its interval.
    pub fn from_log(estimate: f64, interval: &Interval) -> Ratio {
        let Interval { low, high } = interval.exp();
        Ratio { estimate: estimate.exp(), low, high }
    }
}

/// The answer for a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The others are compared with it.
    Baseline,
    /// Its interval lies entirely below the tie zone.
    Faster,
    /// Its interval lies entirely above the tie zone.
    Slower,
    /// Neither. This is an answer, not a failure.
    NotSeparated,
    /// It answers wrongly, crashes, or violates the protocol.
    Failed,
    /// It is not installed on this machine.
    Missing,
    /// It cannot do this by its nature.
    Unsupported,
    /// The machine had too little time or memory for it, or something ended it.
    Unmeasured,
}

impl Verdict {
    /// The words for tables and files.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Baseline => "baseline",
            Verdict::Faster => "faster",
            Verdict::Slower => "slower",
            Verdict::NotSeparated => "not separated",
            Verdict::Failed => "failed",
            Verdict::Missing => "missing",
            Verdict::Unsupported => "unsupported",
            Verdict::Unmeasured => "not measured",
        }
    }

    /// Whether it is a reason why there is no figure.
    pub fn is_absent(self) -> bool {
        use Verdict::{Failed, Missing, Unmeasured, Unsupported};
        matches!(self, Failed | Missing | Unsupported | Unmeasured)
    }

    /// The verdict of the baseline against the contender.
    #[must_use]
    pub fn opposite(self) -> Verdict {
        match self {
            Verdict::Faster => Verdict::Slower,
            Verdict::Slower => Verdict::Faster,
            other => other,
        }
    }
}

/// On which side of the tie zone the interval of a ratio lies.
impl From<Option<Side>> for Verdict {
    fn from(side: Option<Side>) -> Verdict {
        match side {
            Some(Side::Below) => Verdict::Faster,
            Some(Side::Above) => Verdict::Slower,
            None => Verdict::NotSeparated,
        }
    }
}

/// Analyses a run.
pub fn analyse(recorded: &Recorded) -> Analysis {
    analyse_with(recorded, &Evidence::gather(recorded))
}

/// Loads a stored run without its rounds, with its results, which the store remembers if it can.
///
/// # Errors
/// If there is no such run, or the store cannot be read.
pub fn recall(store: &Store, run: Option<i64>) -> Result<(Recorded, Analysis), StoreError> {
    store.remembered(run, "analysis", |recorded| {
        store.read_rounds(recorded)?;
        Ok(analyse(recorded))
    })
}

/// Analyses a run, and compares every two contenders of each comparison, for a reader who chooses
/// another baseline.
pub fn analyse_pairs(recorded: &Recorded) -> (Analysis, Pairs) {
    let evidence = Evidence::gather(recorded);
    let analysis = analyse_with(recorded, &evidence);
    let pairs = Pairs::compare(&analysis, &evidence, recorded.plan.options.tie_zone);
    (analysis, pairs)
}

/// Analyses a run whose evidence is gathered.
pub fn analyse_with(recorded: &Recorded, evidence: &Evidence) -> Analysis {
    let mut overheads = Vec::new();
    let mut compared = Vec::new();
    for (number, comparison) in recorded.plan.comparisons.iter().enumerate() {
        if comparison.overhead {
            for &cell in comparison.cells.iter().filter(|&&c| !recorded.plan.cells[c].control) {
                if let Some(time) = evidence.time(cell) {
                    overheads.push((recorded.plan.contender_of(cell).name.clone(), time.median));
                }
            }
            continue;
        }
        compared.push(number);
    }
    let mut comparisons: Vec<Answer> =
        compared.par_iter().map(|&n| answer(recorded, n, evidence)).collect();
    add_lines(&mut comparisons);
    let mut changed = changes::changes(recorded, &evidence.series);
    for (answer, number) in comparisons.iter_mut().zip(&compared) {
        answer.changes = changed.remove(number).unwrap_or_default();
        changes::add_collection(&mut answer.changes, |cell| evidence.collection.ns(cell));
        // A speed that changed at some moment is not one that processes have for their whole life.
        for row in &mut answer.rows {
            if answer.changes.iter().any(|change| change.cell == row.cell) {
                row.levels.clear();
            }
        }
    }
    let scaling = scaling::scaling(&recorded.plan, evidence, &comparisons);
    Analysis {
        scaling,
        comparisons,
        overheads,
        intervals: evidence.intervals(),
        calibration: evidence.calibration,
    }
}

/// The rows of a comparison with their verdicts, and its answer.
fn answer(recorded: &Recorded, number: usize, evidence: &Evidence) -> Answer {
    let plan = &recorded.plan;
    let comparison = &plan.comparisons[number];
    let rules = Rules::for_comparison(recorded, number, evidence);
    let mut levels = levels::levels(plan, &evidence.series, number);
    let mut rows = Vec::new();
    for &cell in comparison.cells.iter().filter(|&&cell| !plan.cells[cell].control) {
        let mut row = row(recorded, cell, evidence);
        row.levels = levels.remove(&cell).unwrap_or_default();
        for level in &mut row.levels {
            level.ns += row.collecting_ns_per_call.unwrap_or_default();
        }
        rules.judge(&mut row);
        rows.push(row);
    }
    sort(&mut rows, evidence);
    secondary::set_aside(plan, evidence, &mut rows, rules.can_decide());
    add_order(&mut rows, evidence);
    let ranked: Vec<&Row> = rows.iter().filter(|row| row.ranked() && !row.aside).collect();
    let zone = plan.options.tie_zone;
    let lead = rules.can_decide().then(|| lead::lead(evidence, &ranked, zone)).flatten();
    let (rounds, disturbed) = evidence.series.disturbed(number);
    Answer {
        workload: comparison.workload.clone(),
        baseline: rules.baseline.map(|cell| plan.name_of(cell)),
        rows,
        control: rules.control.map(Ratio::from),
        floor: rules.floor.exp() - 1.0,
        intervals: evidence.in_table(number),
        untrusted: rules.untrusted,
        lead,
        rounds,
        disturbed,
        changes: vec![],
    }
}

/// Rows that differ by less than this (a ratio minus one) in the forks that both have are in the
/// order of their times per call.
const EQUAL: f64 = 0.01;

/// Sorts the rows by their times: by comparison with the fastest in the forks that both have. A
/// ratio to the baseline would change with the baseline, and a time with the machine.
fn sort(rows: &mut [Row], evidence: &Evidence) {
    let ranked: Vec<usize> = rows.iter().filter(|row| row.ranked()).map(|row| row.cell).collect();
    let first = evidence.first_of(&ranked);
    let own = first.and_then(|cell| rows.iter().find(|row| row.cell == cell)?.ns);
    let behind = |row: &Row| match (first, row.ns) {
        (Some(first), Some(_)) if row.cell == first => f64::NEG_INFINITY,
        // In a circle, one may beat the first, too.
        (Some(first), Some(time)) if row.ranked() => evidence
            .middle(row.cell, first)
            .or_else(|| Some((time.median / own?.median).ln()))
            .map_or(f64::MAX, |behind| behind.max(0.0)),
        (None, Some(time)) if row.ranked() => time.median,
        _ if row.verdict.is_absent() => f64::INFINITY,
        _ => f64::MAX,
    };
    let places: HashMap<usize, f64> = rows.iter().map(|row| (row.cell, behind(row))).collect();
    rows.sort_by(|a, b| {
        let by_place = places[&a.cell].total_cmp(&places[&b.cell]);
        by_place.then_with(|| a.contender.cmp(&b.contender))
    });
    // One whose time is shorter comes first, unless it took longer in the forks that both have. Without
    // such a fork, nothing else could explain the order.
    for _ in 0..rows.len() {
        for at in 1..rows.len() {
            let (Some(before), Some(time)) = (rows[at - 1].ns, rows[at].ns) else { continue };
            let middle = evidence.middle(rows[at].cell, rows[at - 1].cell);
            let is_no_slower = middle.is_none_or(|ln| ln < EQUAL.ln_1p());
            if is_no_slower && time.median < before.median && rows[at].ranked() {
                rows.swap(at - 1, at);
            }
        }
    }
}

/// Adds how each row compares with those before it.
fn add_order(rows: &mut [Row], evidence: &Evidence) {
    for at in 1..rows.len() {
        let (before, from) = rows.split_at(at);
        let shown = before.iter().rev().find(|one| !one.aside && !from[0].aside);
        let next = before.last().filter(|next| shown.is_none_or(|one| one.cell != next.cell));
        let compared = next.into_iter().chain(shown).filter(|one| one.ranked() && from[0].ranked());
        rows[at].after = compared.filter_map(|one| after(one, &from[0], evidence)).collect();
    }
}

/// How `row` compares with `before`, if they have a fork in common.
fn after(before: &Row, row: &Row, evidence: &Evidence) -> Option<After> {
    let parts = evidence.parts(row.cell, before.cell).into_iter();
    let mut forks: Vec<u32> = parts.flat_map(|part| part.forks).collect();
    forks.sort_unstable();
    let times = evidence.middle(row.cell, before.cell)?.exp();
    Some(After { cell: before.cell, times, forks })
}

impl Analysis {
    /// The harness overhead of a contender's own runner, in ns per call.
    pub fn overhead_of(&self, contender: &ContenderName) -> Option<f64> {
        let mut hosts =
            self.overheads.iter().filter(|(empty, _)| empty.has_the_runner_of(contender));
        let first = hosts.next();
        let own = hosts.find(|(empty, _)| empty.toolchain().is_some()).or(first);
        own.map(|(_, ns)| *ns)
    }

    /// Why a contender is missing everywhere, if it is: nothing about it is open then.
    pub fn missing(&self, contender: &str) -> Option<String> {
        let rows = self.comparisons.iter().flat_map(|answer| &answer.rows);
        let rows: Vec<&Row> = rows.filter(|row| row.contender.as_str() == contender).collect();
        let first = rows.first()?;
        let all = rows.iter().all(|row| row.verdict == Verdict::Missing);
        all.then(|| first.reason.clone().unwrap_or_default())
    }
}

/// Why a cell is not ranked. A control is a copy of its contender, so a fault of one is a fault of
/// the other.
fn failure(recorded: &Recorded, cell: usize) -> Option<NotRanked> {
    if let Some(why) = recorded.failures.get(&cell) {
        return Some(why.clone());
    }
    let control = recorded.plan.control_of(cell)?;
    let NotRanked { kind, reason } = recorded.failures.get(&control)?;
    Some(NotRanked { kind: *kind, reason: format!("its second copy, the control: {reason}") })
}

/// The wrong answers of a contender besides the primitive of a cell, if any.
fn wrong_elsewhere(recorded: &Recorded, cell: usize) -> Option<String> {
    let plan = &recorded.plan;
    let own = &plan.workload_of(cell).primitive;
    let wrong = recorded.failures.iter().filter(|(other, why)| {
        why.kind == FailureKind::Wrong
            && plan.cells[**other].contender == plan.cells[cell].contender
    });
    let primitives: BTreeSet<&String> =
        wrong.map(|(&other, _)| &plan.workload_of(other).primitive).collect();
    let others: Vec<&str> =
        primitives.into_iter().filter(|other| *other != own).map(String::as_str).collect();
    (!others.is_empty()).then(|| format!("answers wrongly for {}", others.join(", ")))
}

/// A cell's row without its ratio. Its verdict is `NotSeparated` if it can get one.
fn row(recorded: &Recorded, cell: usize, evidence: &Evidence) -> Row {
    let series = &evidence.series;
    let plan = &recorded.plan;
    let contender = plan.contender_of(cell);
    let found = recorded.contenders.get(&plan.cells[cell].contender);
    let work = plan.workload_of(cell).name();
    let (verdict, reason) = match (&contender.state, failure(recorded, cell)) {
        (State::Missing(refusal), _) => (Verdict::Missing, Some(with_remedy(refusal))),
        (State::Failed(refusal), _) => (Verdict::Failed, Some(with_remedy(refusal))),
        (State::Unbuilt, _) => (Verdict::Missing, Some("not built; `cupel run` builds it".into())),
        (State::Ready { .. }, Some(NotRanked { kind, reason })) => {
            let verdict = match kind {
                FailureKind::Missing => Verdict::Missing,
                FailureKind::Unsupported => Verdict::Unsupported,
                FailureKind::NotMeasured => Verdict::Unmeasured,
                FailureKind::Failed | FailureKind::Wrong => Verdict::Failed,
            };
            (verdict, Some(reason))
        }
        (State::Ready { .. }, None) => match without_rounds(recorded, cell, series) {
            Some(why) => (Verdict::Unmeasured, Some(why.to_string())),
            None => (Verdict::NotSeparated, None),
        },
    };
    let warm_ups: Vec<_> = recorded.warm_ups.iter().filter(|w| w.cell == cell).collect();
    let first: Vec<f64> = warm_ups.iter().map(|w| w.first_call_ns).collect();
    Row {
        cell,
        contender: plan.name_of(cell),
        version: contender.version.clone(),
        code_path: found.map_or_else(String::new, |f| f.code_paths.path(&work).to_string()),
        ns: evidence.time(cell).filter(|_| verdict == Verdict::NotSeparated),
        ratio: None,
        ratio_in_run: None,
        ratio_levels: Vec::new(),
        verdict,
        reason,
        limit: plan.cells[cell].limit.clone().or_else(|| wrong_elsewhere(recorded, cell)),
        forks: series.forks(cell),
        rounds: series.counting(cell),
        dropped: series.rounds(cell) - series.counting(cell),
        slices: series.rounds(cell),
        disturbed: series.rounds(cell) - series.counting(cell),
        steadiness: series.steadiness(cell),
        levels: Vec::new(),
        slows_next: series.slows_next(cell),
        compiled: compiled(&warm_ups),
        shared: Vec::new(),
        after: vec![],
        aside: false,
        left_early: left_early(recorded, cell) && series.forks(cell) > 0,
        unsettled_warm_ups: warm_ups.iter().filter(|w| !w.settled).count(),
        first_call_ns: (!first.is_empty()).then(|| cupel_stats::quantile::median(&first)),
        allocated_per_call: evidence.collection.allocated(cell),
        collecting_ns_per_call: evidence.collection.ns(cell),
        ratio_without_collecting: None,
        line: None,
    }
}

/// Why a cell has no round, if time is the reason.
fn without_rounds(
    recorded: &Recorded,
    cell: usize,
    series: &series::Series,
) -> Option<&'static str> {
    if series.rounds(cell) > 0 {
        return None;
    }
    let warm_ups = || recorded.warm_ups.iter().filter(|warm_up| warm_up.cell == cell);
    // Code that is compiled again and again has its own reason.
    if warm_ups().any(|warm_up| warm_up.unsteady.is_some()) {
        return None;
    }
    // If others have rounds, the forks of this one come late, and take long.
    let is_late = warm_ups().next().is_none() && !recorded.rounds.is_empty();
    Some(match (recorded.run.finished.is_some(), is_late) {
        (true, true) => "no time was left for its first fork",
        (true, false) => "no time was left for its first round",
        (false, true) => "its first fork is not measured yet",
        (false, false) => "its first round is not measured yet",
    })
}

/// Whether a cell left at one of the two looks.
fn left_early(recorded: &Recorded, cell: usize) -> bool {
    let plan = &recorded.plan;
    let look = plan.options.look().filter(|_| plan.has_few_forks(cell));
    look.is_some_and(|look| [look.at, look.again].iter().any(|&at| left_at(recorded, cell, at)))
}

/// Whether no process of a cell was prepared after the look before this fork, although the run had
/// more forks, or ended there because no answer was open.
fn left_at(recorded: &Recorded, cell: usize, at: u32) -> bool {
    let plan = &recorded.plan;
    let after = recorded.forks.iter().filter(|fork| fork.ordinal >= at);
    let mut after: Vec<i64> = after.map(|fork| fork.id).collect();
    let prepared = |fork: &i64, is_it: &dyn Fn(usize) -> bool| {
        recorded.warm_ups.iter().any(|one| one.fork == *fork && is_it(one.cell))
    };
    if recorded.circumstances.time_over {
        // A fork without any such contender may be one for which they had no time.
        after.retain(|fork| prepared(fork, &|cell| plan.has_few_forks(cell)));
    }
    let ended = recorded.run.finished.is_some() && !recorded.circumstances.time_over;
    (ended || !after.is_empty()) && !after.iter().any(|fork| prepared(fork, &|own| own == cell))
}

fn with_remedy(refusal: &Refusal) -> String {
    match &refusal.remedy {
        Some(remedy) => format!("{}; {remedy}", refusal.reason),
        None => refusal.reason.clone(),
    }
}

/// The work of the compilers of a cell's processes, if their runner reported it.
fn compiled(warm_ups: &[&WarmUpRow]) -> Option<Compiled> {
    let levels: Vec<u32> = warm_ups.iter().filter_map(|w| w.level).collect();
    let unsteady: Vec<String> = warm_ups.iter().filter_map(|w| w.unsteady.clone()).collect();
    if levels.is_empty() && unsteady.is_empty() {
        return None;
    }
    let elapsed: Vec<f64> = warm_ups.iter().map(|w| w.elapsed_ns).collect();
    Some(Compiled {
        levels,
        steady_ns: cupel_stats::quantile::median(&elapsed),
        recompiled: warm_ups.iter().map(|w| w.recompiled).sum(),
        unsteady,
    })
}

/// Adds the fixed cost and the cost per byte of each contender, over the sizes of each chart.
fn add_lines(answers: &mut [Answer]) {
    let mut points: HashMap<_, Vec<(f64, f64)>> = HashMap::new();
    for answer in answers.iter() {
        for row in &answer.rows {
            if let Some(ns) = row.ns {
                let key = (ChartKey::for_workload(&answer.workload), row.contender.clone());
                let bytes = answer.workload.bytes_per_call();
                points.entry(key).or_default().push((bytes, ns.median));
            }
        }
    }
    for answer in answers {
        for row in &mut answer.rows {
            let key = (ChartKey::for_workload(&answer.workload), row.contender.clone());
            row.line = points.get(&key).and_then(|points| cupel_stats::line::fit(points));
        }
    }
}
