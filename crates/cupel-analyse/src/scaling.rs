//! What threads cost: the work per processor and second on several threads, as a share of that on
//! one.

use super::evidence::Evidence;
use super::{Answer, Ratio, Verdict};
use cupel_base::name::ContenderName;
use cupel_plan::Plan;
use cupel_protocol::workload::Workload;
use cupel_stats::Interval;
use serde::{Deserialize, Serialize};

/// A contender on several threads.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Scaling {
    /// What was measured, with its threads.
    pub workload: Workload,
    /// The contender.
    pub contender: ContenderName,
    /// Its library's version.
    pub version: String,
    /// The number of the cell.
    pub cell: usize,
    /// The time per call of all threads together, in ns.
    pub ns: f64,
    /// The efficiency: the time per call on one thread, divided by the number of threads and the
    /// time per call of all of them. Its interval is joint with all others of this work and size.
    pub efficiency: Ratio,
    /// The forks that have pairs of rounds.
    pub forks: usize,
    /// `Slower` if it certainly does less work per processor than on one thread, `Faster` if it does
    /// more, otherwise `NotSeparated`.
    pub verdict: Verdict,
    /// Whether the controls of both numbers of threads allow a verdict.
    pub trusted: bool,
}

/// The contenders that were measured on one thread and on several, in the order of the answers.
pub(super) fn scaling(plan: &Plan, evidence: &Evidence, answers: &[Answer]) -> Vec<Scaling> {
    let mut found: Vec<(Scaling, (usize, usize))> = Vec::new();
    for many in answers.iter().filter(|answer| answer.workload.contract.threads > 1) {
        let work = many.workload.on_one_thread();
        let Some(one) = answers.iter().find(|answer| answer.workload == work) else { continue };
        let trusted =
            [one, many].iter().all(|answer| !answer.untrusted && answer.floor.is_finite());
        for row in many.rows.iter().filter(|row| row.ranked() && !row.aside) {
            let alone = one.rows.iter().find(|other| other.contender == row.contender);
            let Some((alone, time)) = alone.filter(|alone| alone.ranked()).zip(row.ns) else {
                continue;
            };
            let scaling = Scaling {
                workload: many.workload.clone(),
                contender: row.contender.clone(),
                version: row.version.clone(),
                cell: row.cell,
                ns: time.median,
                efficiency: Ratio { estimate: f64::NAN, low: 0.0, high: f64::INFINITY },
                forks: 0,
                verdict: Verdict::NotSeparated,
                trusted,
            };
            found.push((scaling, (alone.cell, row.cell)));
        }
    }
    let works: Vec<Workload> = found.iter().map(|(s, _)| s.workload.on_one_thread()).collect();
    let mut all = Vec::with_capacity(found.len());
    for (at, (scaling, (alone, cell))) in found.into_iter().enumerate() {
        // The intervals of one work and size are joint, whichever of them a reader picks.
        let family = works.iter().filter(|work| **work == works[at]).count();
        let kin = plan.comparisons.iter().filter(|c| c.workload.on_one_thread() == works[at]);
        let Some(compared) = evidence.in_turn(alone, cell, kin.count(), family) else { continue };
        // The ratio of the times per call of one thread's processor.
        let threads = f64::from(scaling.workload.contract.threads).ln();
        let Interval { low, high } = compared.interval;
        let interval = Interval { low: low - threads, high: high - threads };
        let efficiency = Ratio::of(compared.estimate - threads, &interval);
        let taken = interval.negated();
        let zone = plan.options.tie_zone;
        let side = cupel_stats::verdict(&taken, compared.forks, zone);
        let verdict = Verdict::from(side.filter(|_| scaling.trusted));
        all.push(Scaling { efficiency, forks: compared.forks, verdict, ..scaling });
    }
    all
}
