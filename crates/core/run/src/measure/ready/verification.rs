//! Verification of live processes: a glance before the warm-up, and after the rounds the very code
//! that was timed.

use crate::measure::Stage;
use crate::measure::parallel::side_by_side;
use cupel_contender::Contender;
use cupel_protocol::workload::Workload;
use cupel_runner::{Fault, Host};
use cupel_verify::{Depth, Unfit};
use std::sync::atomic::{AtomicBool, Ordering};

/// A process whose rounds are over, and its workloads.
pub struct VerificationJob<'a> {
    /// The position of the process in the fork.
    pub process: usize,
    /// The contender that it hosts.
    pub contender: &'a Contender,
    /// The process; it ends with this.
    pub host: Box<dyn Host>,
    /// Each work with the sizes at which it was measured, in bytes.
    pub work: Vec<(&'a Workload, Vec<u64>)>,
}

/// The result of a verification.
pub struct VerifiedProcess {
    /// The position of the process in the fork.
    pub process: usize,
    /// Why it is not believed, if it is not.
    pub unfit: Result<Option<Unfit>, Fault>,
}

/// Verifies processes whose rounds are over.
pub fn after_rounds(
    stage: &dyn Stage,
    stop: &AtomicBool,
    jobs: Vec<VerificationJob<'_>>,
) -> Vec<VerifiedProcess> {
    side_by_side(
        stage,
        stop,
        jobs,
        |job, cpu, _| verify(job, cpu, stop),
        |verified| verified.into_iter().collect(),
    )
}

fn verify(mut job: VerificationJob<'_>, cpu: Option<usize>, stop: &AtomicBool) -> VerifiedProcess {
    if let Some(cpu) = cpu {
        job.host.move_to(cpu);
    }
    let mut unfit = Ok(None);
    for (workload, sizes) in &job.work {
        unfit = asked(job.host.as_mut(), job.contender, workload, Depth::Warm, sizes);
        if !matches!(unfit, Ok(None)) || stop.load(Ordering::Relaxed) {
            break;
        }
    }
    VerifiedProcess { process: job.process, unfit }
}

/// Asks a live process at these sizes in bytes: why its contender is not believed, if it is not.
pub fn asked(
    host: &mut dyn Host,
    contender: &Contender,
    workload: &Workload,
    depth: Depth,
    sizes: &[u64],
) -> Result<Option<Unfit>, Fault> {
    let Workload { primitive, operation, contract, .. } = workload;
    let Some(offer) = contender.offer(primitive, *operation, contract) else {
        return Ok(None);
    };
    let name = &contender.implementation;
    let ask = &mut |ask| host.compute(ask);
    Ok(cupel_verify::verify(ask, name, offer, contract, depth, sizes)?.unfit)
}
