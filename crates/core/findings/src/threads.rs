//! The findings about threads: the share of speed that contenders keep on several.

use crate::{Contender, Finding, Keeps, OfBest, Said, Share};
use cupel_analyse::{Analysis, Ratio, Scaling};
use cupel_store::Recorded;

/// The speed that each contender keeps, in the order of the analysis.
pub(crate) fn keeps(recorded: &Recorded, analysis: &Analysis) -> Vec<Finding> {
    let all = &analysis.scaling;
    all.iter().filter_map(|one| finding(recorded, all, one)).collect()
}

fn finding(recorded: &Recorded, all: &[Scaling], one: &Scaling) -> Option<Finding> {
    let plan = &recorded.plan;
    let work = one.workload.on_one_thread();
    let own = &plan.cells[one.cell];
    // The same contender on one thread.
    let alone = plan.cells.iter().position(|cell| {
        (cell.contender, cell.alternative, cell.control) == (own.contender, own.alternative, false)
            && plan.comparisons[cell.comparison].workload == work
    });
    let alike = all.iter().filter(|other| other.workload == one.workload);
    let best = alike.max_by(|a, b| a.efficiency.estimate.total_cmp(&b.efficiency.estimate))?;
    let of_best =
        one.of_best.as_ref().map(|ratio| OfBest { than: contender(best), share: share(ratio) });
    let keeps = Keeps {
        contender: contender(one),
        threads: one.workload.contract.threads,
        alone: alone?,
        share: share(&one.efficiency),
        of_best,
        forks: one.forks,
        verdict: one.verdict,
        trusted: one.trusted,
    };
    Some(Finding::of_work(own.comparison, &one.workload, Said::Keeps(keeps)))
}

fn contender(one: &Scaling) -> Contender {
    Contender { name: one.contender.clone(), version: one.version.clone(), cell: one.cell }
}

fn share(&Ratio { estimate, low, high }: &Ratio) -> Share {
    Share { share: estimate, low, high }
}

/// The number of threads from which on some share a core of this machine.
pub(crate) fn shared_cores(recorded: &Recorded, analysis: &Analysis) -> Option<Said> {
    let cores = recorded.machine.cores.known().copied()?;
    let all = analysis.scaling.iter().map(|one| one.workload.contract.threads);
    let threads = all.filter(|&threads| threads as usize > cores).min()?;
    let simulated = recorded.plan.simulated().unwrap_or(false);
    let processors = recorded.machine.cpus;
    (!simulated).then_some(Said::SharedCores { threads, processors, cores })
}
