//! The cost of threads: the work per processor and second on several threads, as a share of that on
//! one.

use super::evidence::{Evidence, Turns};
use super::{Answer, Ratio, Verdict};
use cupel_base::name::ContenderName;
use cupel_plan::Plan;
use cupel_protocol::workload::Workload;
use cupel_stats::Interval;
use serde::{Deserialize, Serialize};

/// A contender on several threads.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Scaling {
    /// The measured workload, with its threads.
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
    /// The efficiency, divided by the best efficiency of any contender on as many threads; `None`
    /// for the best, and if no fork has both. The machine's own loss cancels out. The interval is
    /// joint with all pairs of contenders, because the times choose which one is best.
    pub of_best: Option<Ratio>,
    /// The forks that have pairs of rounds.
    pub forks: usize,
    /// `Slower` if it certainly does less work per processor than on one thread, `Faster` if it
    /// does more, otherwise `NotSeparated`.
    pub verdict: Verdict,
    /// Whether the controls of both numbers of threads allow a verdict.
    pub trusted: bool,
}

/// A contender on several threads, before its efficiency is known.
struct Candidate {
    scaling: Scaling,
    /// Its cells on one thread and on several.
    cells: Turns,
}

/// The contenders that were measured on one thread and on several, in the order of the answers.
pub(super) fn scaling(plan: &Plan, evidence: &Evidence, answers: &[Answer]) -> Vec<Scaling> {
    let mut found: Vec<Candidate> = Vec::new();
    for many in answers.iter().filter(|answer| answer.workload.contract.threads > 1) {
        let work = many.workload.on_one_thread();
        let Some(one) = answers.iter().find(|answer| answer.workload == work) else { continue };
        let kin = plan.comparisons.iter().filter(|c| c.workload.on_one_thread() == work).count();
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
                of_best: None,
                forks: 0,
                verdict: Verdict::NotSeparated,
                trusted,
            };
            let cells = Turns { alone: alone.cell, many: row.cell, turns: kin };
            found.push(Candidate { scaling, cells });
        }
    }
    let works: Vec<Workload> =
        found.iter().map(|one| one.scaling.workload.on_one_thread()).collect();
    let mut all = Vec::with_capacity(found.len());
    for (at, Candidate { scaling, cells }) in found.into_iter().enumerate() {
        // The intervals of one work and size are joint, whichever of them a reader picks.
        let family = works.iter().filter(|work| **work == works[at]).count();
        let Some(compared) = evidence.in_turn(cells, family) else { continue };
        // The ratio of the times per call of one thread's processor.
        let threads = f64::from(scaling.workload.contract.threads).ln();
        let Interval { low, high } = compared.interval;
        let interval = Interval { low: low - threads, high: high - threads };
        let efficiency = Ratio::from_log(compared.estimate - threads, &interval);
        let taken = interval.negated();
        let zone = plan.options.tie_zone;
        let side = cupel_stats::verdict(&taken, compared.forks, zone);
        let verdict = Verdict::from(side.filter(|_| scaling.trusted));
        let scaling = Scaling { efficiency, forks: compared.forks, verdict, ..scaling };
        all.push(Candidate { scaling, cells });
    }
    (0..all.len())
        .map(|at| Scaling { of_best: of_best(evidence, &all, at), ..all[at].scaling.clone() })
        .collect()
}

/// The efficiency of one of these contenders as a share of the best one's on as many threads.
fn of_best(evidence: &Evidence, all: &[Candidate], at: usize) -> Option<Ratio> {
    let own = &all[at];
    let work = own.scaling.workload.on_one_thread();
    let mut best = own;
    let mut pairs = 0;
    for (place, one) in all.iter().enumerate() {
        if one.scaling.workload.on_one_thread() != work {
            continue;
        }
        // Each pair on as many threads once.
        let earlier = &all[..place];
        pairs +=
            earlier.iter().filter(|other| other.scaling.workload == one.scaling.workload).count();
        let is_alike = one.scaling.workload == own.scaling.workload;
        if is_alike && one.scaling.efficiency.estimate > best.scaling.efficiency.estimate {
            best = one;
        }
    }
    if best.scaling.cell == own.scaling.cell {
        return None;
    }
    let compared = evidence.in_turn_against(own.cells, best.cells, pairs)?;
    Some(Ratio::from_log(compared.estimate, &compared.interval))
}
