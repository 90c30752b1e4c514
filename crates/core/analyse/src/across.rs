//! Two runs compared with each other. Their times cannot be compared: they were measured at
//! different moments, perhaps on different machines. Only ratios can be compared: the ratio of each
//! contender to a reference that both runs measured, in the same version and on the same workload.

use super::{Analysis, Answer, Evidence, Ratio, Row, Verdict, analyse_with};
use cupel_base::name::ContenderName;
use cupel_contender::State;
use cupel_protocol::workload::Workload;
use cupel_stats::Interval;
use cupel_store::Recorded;
use cupel_suite::Isolation;
use serde::Serialize;

/// Two runs, compared.
#[derive(Clone, Debug)]
pub struct Across {
    /// The workloads that both measured, in the first run's order.
    pub workloads: Vec<Both>,
    /// The workloads that are not compared.
    pub left_out: Vec<NotCompared>,
    /// How many intervals are joint.
    pub intervals: usize,
}

/// A workload that is not compared.
#[derive(Clone, Debug)]
pub struct NotCompared {
    /// The workload.
    pub workload: Workload,
    /// Why it is not.
    pub why: Why,
}

/// Why a workload is not compared.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Why {
    /// Only one run measured it.
    OnlyIn {
        /// That run.
        run: i64,
    },
    /// Only one run has times of these contenders.
    ContendersOnlyIn {
        /// That run.
        run: i64,
        /// They.
        contenders: Vec<ContenderName>,
    },
    /// Other cells shared a process.
    Isolation {
        /// Which cells did, in the two runs.
        isolation: [Isolation; 2],
        /// The runs.
        runs: [i64; 2],
    },
    /// Neither run measured the other's baseline.
    NoReference,
    /// The common baseline has another version.
    ReferenceChanged {
        /// It.
        reference: ContenderName,
        /// Its versions in the two runs.
        versions: [String; 2],
    },
}

impl NotCompared {
    /// The workload, and why it is not compared.
    pub fn words(&self) -> String {
        let Workload { primitive, operation, size, shape, contract } = &self.workload;
        let why = self.why.words();
        format!("{primitive} {operation} {size} B, {shape}, {contract}: {why}")
    }
}

impl Why {
    fn words(&self) -> String {
        match self {
            Why::OnlyIn { run } => format!("only in run {run}"),
            Why::ContendersOnlyIn { run, contenders } => {
                format!("only run {run} has times of {}", contenders.join(", "))
            }
            Why::Isolation { isolation: [old, new], runs: [first, second] } => {
                format!("isolation = {} in run {first}, {} in run {second}", old.name(), new.name())
            }
            Why::NoReference => "neither run's baseline was measured in the other".to_string(),
            Why::ReferenceChanged { reference, versions: [old, new] } => {
                format!("the reference {reference} itself changed from version {old} to {new}")
            }
        }
    }
}

/// One workload that both runs measured.
#[derive(Clone, Debug)]
pub struct Both {
    /// The measured workload.
    pub workload: Workload,
    /// The contender that ratios refer to in both.
    pub reference: ContenderName,
    /// Whether its program is not the same in both: then a change of the others may be one of it.
    pub is_rebuilt: bool,
    /// The smallest change that the forks of both can show, as a share; infinite without a control.
    pub floor: f64,
    /// The change of each other contender.
    pub changes: Vec<Change>,
}

/// The change of a contender's ratio to the reference.
#[derive(Clone, Debug)]
pub struct Change {
    /// The contender.
    pub contender: ContenderName,
    /// Its versions in the two runs.
    pub versions: (String, String),
    /// Its ratio to the reference in the first run.
    pub before: Ratio,
    /// Its ratio in the second run.
    pub after: Ratio,
    /// The second ratio divided by the first.
    pub change: Ratio,
    /// `Faster`, `Slower` or `NotSeparated`.
    pub verdict: Verdict,
}

struct Side<'a> {
    recorded: &'a Recorded,
    analysis: Analysis,
    evidence: Evidence,
}

impl Side<'_> {
    fn gather(recorded: &Recorded) -> Side<'_> {
        let evidence = Evidence::gather(recorded);
        Side { recorded, analysis: analyse_with(recorded, &evidence), evidence }
    }

    fn answer(&self, workload: &Workload) -> Option<&Answer> {
        self.analysis.comparisons.iter().find(|a| a.workload == *workload)
    }
}

/// A workload that both runs measured, with the rows of the reference.
struct Common<'a> {
    before: &'a Answer,
    after: &'a Answer,
    old: &'a Row,
    new: &'a Row,
}

impl<'a> Common<'a> {
    /// If the workload cannot be compared, the reason.
    fn find(a: &Side<'_>, b: &'a Side<'_>, before: &'a Answer) -> Result<Common<'a>, Why> {
        let runs = [a, b].map(|side| side.recorded.run.id);
        let isolation = [a, b].map(|side| side.recorded.plan.options.isolation);
        if isolation[0] != isolation[1] {
            return Err(Why::Isolation { isolation, runs });
        }
        let after = b.answer(&before.workload).ok_or(Why::OnlyIn { run: runs[0] })?;
        let (old, new) = reference(before, after)?;
        Ok(Common { before, after, old, new })
    }

    /// The contenders of which only one of these runs has times.
    fn unshared(&self, [first, second]: [i64; 2]) -> impl Iterator<Item = NotCompared> {
        let Common { before, after, .. } = *self;
        [lone(before, after, first), lone(after, before, second)].into_iter().flatten()
    }

    /// The contenders that both runs measured, without the reference.
    fn shared(&self) -> impl Iterator<Item = (&'a Row, &'a Row)> {
        let Common { before, after, old, .. } = *self;
        let others = before.rows.iter().filter(|r| r.contender != old.contender && r.ns.is_some());
        others.filter_map(|r| Some((r, row(after, &r.contender)?)))
    }

    fn compared(&self, a: &Side<'_>, b: &Side<'_>, intervals: usize) -> Both {
        let Common { before, after, old, new } = *self;
        let floor = before.floor.max(after.floor);
        let zone = a.recorded.plan.options.tie_zone.max(b.recorded.plan.options.tie_zone);
        let trusted = !before.untrusted && !after.untrusted && floor.is_finite();
        let mut changes = Vec::new();
        for (row, later) in self.shared() {
            let r = a.evidence.between(row.cell, old.cell, intervals);
            let s = b.evidence.between(later.cell, new.cell, intervals);
            let Some((r, s)) = r.zip(s) else { continue };
            let change = Interval {
                low: s.interval.low - r.interval.high,
                high: s.interval.high - r.interval.low,
            };
            let side = cupel_stats::verdict(&change, r.forks.min(s.forks), zone);
            changes.push(Change {
                contender: row.contender.clone(),
                versions: (row.version.clone(), later.version.clone()),
                before: r.into(),
                after: s.into(),
                change: Ratio::from_log(s.estimate - r.estimate, &change),
                verdict: Verdict::from(side.filter(|_| trusted)),
            });
        }
        Both {
            workload: before.workload.clone(),
            reference: old.contender.clone(),
            is_rebuilt: rebuilt(a, old) != rebuilt(b, new),
            floor,
            changes,
        }
    }
}

/// Compares the second run with the first.
pub fn across(first: &Recorded, second: &Recorded) -> Across {
    let (a, b) = (Side::gather(first), Side::gather(second));
    let mut left_out = Vec::new();
    let mut all_common = Vec::new();
    for before in &a.analysis.comparisons {
        match Common::find(&a, &b, before) {
            Ok(common) => all_common.push(common),
            Err(why) => left_out.push(NotCompared { workload: before.workload.clone(), why }),
        }
    }
    for after in &b.analysis.comparisons {
        if a.answer(&after.workload).is_none() {
            let why = Why::OnlyIn { run: second.run.id };
            left_out.push(NotCompared { workload: after.workload.clone(), why });
        }
    }
    let runs = [first.run.id, second.run.id];
    left_out.extend(all_common.iter().flat_map(|common| common.unshared(runs)));
    // Each change is computed from two intervals.
    let intervals = all_common.iter().map(|common| 2 * common.shared().count()).sum();
    let workloads = all_common.iter().map(|common| common.compared(&a, &b, intervals)).collect();
    Across { workloads, left_out, intervals }
}

/// The contenders of a run's answer that have no time in the other run's.
fn lone(own: &Answer, other: &Answer, run: i64) -> Option<NotCompared> {
    let timed = own.rows.iter().filter(|row| row.ns.is_some());
    let lone = timed.filter(|timed| row(other, &timed.contender).is_none());
    let contenders: Vec<ContenderName> = lone.map(|row| row.contender.clone()).collect();
    (!contenders.is_empty()).then(|| NotCompared {
        workload: own.workload.clone(),
        why: Why::ContendersOnlyIn { run, contenders },
    })
}

/// The contender that both runs can refer to: the first run's baseline, otherwise the second's.
fn reference<'a>(before: &'a Answer, after: &'a Answer) -> Result<(&'a Row, &'a Row), Why> {
    let mut why = Why::NoReference;
    for name in [&before.baseline, &after.baseline].into_iter().flatten() {
        let (Some(old), Some(new)) = (row(before, name), row(after, name)) else { continue };
        if old.version == new.version {
            return Ok((old, new));
        }
        let versions = [&old.version, &new.version].map(String::clone);
        why = Why::ReferenceChanged { reference: name.clone(), versions };
    }
    Err(why)
}

/// The digests of a contender's files, as far as its run recorded them.
fn rebuilt<'a>(side: &Side<'a>, row: &Row) -> Vec<&'a String> {
    let plan = &side.recorded.plan;
    let words = match &plan.contender_of(row.cell).state {
        State::Ready { command, .. } => command.as_slice(),
        _ => &[],
    };
    words.iter().filter_map(|word| plan.programs.get(word)).collect()
}

fn row<'a>(answer: &'a Answer, name: &str) -> Option<&'a Row> {
    answer.rows.iter().find(|row| row.contender == name && row.ns.is_some())
}
