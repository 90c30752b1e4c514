//! The common parts of this folder's unit tests: a plan, a stage without processes, and a scripted
//! host.

use super::{Fresh, Stage};
use cupel_contender::{Contender, State};
use cupel_plan::{Claimed, Draft, DraftComparison, Judged, Member, Plan};
use cupel_protocol::message::{
    Compute, Computed, Offer, Outcome, Prepare, Prepared, Slice, Sliced,
};
use cupel_protocol::workload::{Contract, Lengths, Operation, Shape, Workload};
use cupel_runner::{Fault, Host};
use cupel_suite::Options;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The primitive whose outputs are empty, so that the fold of every slice is zero.
const EMPTY: &str = "empty";

/// A plan in which each of these contenders has a cell at each of these sizes, in bytes. The first
/// contender is the baseline.
pub fn plan(names: &[&str], sizes: &[u64]) -> Plan {
    let contenders = names.iter().map(|name| contender(name)).collect();
    plan_of(contenders, sizes, &[])
}

/// A plan of these contenders, about which this is claimed.
pub fn plan_of(contenders: Vec<Contender>, sizes: &[u64], claimed: &[Claimed]) -> Plan {
    plan_with(Options::default(), contenders, sizes, claimed)
}

/// A plan with these options.
pub fn plan_with(
    options: Options,
    contenders: Vec<Contender>,
    sizes: &[u64],
    claimed: &[Claimed],
) -> Plan {
    let contract = Contract::usual(Operation::Digest);
    let workloads: Vec<Workload> = sizes.iter().map(|&size| workload(size, &contract)).collect();
    elect(options, contenders, &workloads, claimed)
}

/// A plan in which each of these contenders has one cell, with messages of these lengths.
pub fn plan_of_lengths(names: &[&str], lengths: &Lengths) -> Plan {
    plan_of_contenders(names.iter().map(|name| contender(name)).collect(), lengths)
}

/// The same of these contenders.
pub fn plan_of_contenders(contenders: Vec<Contender>, lengths: &Lengths) -> Plan {
    let contract = Contract { lengths: lengths.clone(), ..Contract::usual(Operation::Digest) };
    elect(Options::default(), contenders, &[workload(64, &contract)], &[])
}

fn workload(size: u64, contract: &Contract) -> Workload {
    Workload {
        primitive: EMPTY.to_string(),
        operation: Operation::Digest,
        size,
        contract: contract.clone(),
        shape: Shape::Throughput,
    }
}

fn elect(
    options: Options,
    contenders: Vec<Contender>,
    workloads: &[Workload],
    claimed: &[Claimed],
) -> Plan {
    let comparison = |workload: &Workload| DraftComparison {
        workload: workload.clone(),
        alternatives: vec![],
        overhead: false,
        members: (0..contenders.len()).map(Member::from).collect(),
        baselines: vec![0],
        key_len: 0,
        fixed_key: vec![],
        ad: vec![],
        claimed: claimed.to_vec(),
        pool: 2,
    };
    let comparisons = workloads.iter().map(comparison).collect();
    let draft = Draft::new("fixture", "", options, 7, contenders, comparisons);
    draft.elect(&Judged::default(), BTreeMap::new())
}

/// A contender that is ready.
pub fn contender(name: &str) -> Contender {
    let state = State::Ready { command: vec![], simulated: true, jit: false, resolution_ns: 1 };
    Contender {
        family: "fixture".to_string(),
        offers: vec![Offer::new(EMPTY, Operation::Digest)],
        ..Contender::new(name.into(), state)
    }
}

/// A stage on which no process starts and no time passes.
pub struct Stopped;

impl Stage for Stopped {
    fn start(
        &self,
        contender: &Contender,
        _fresh: Fresh,
        _cpu: Option<usize>,
    ) -> Result<Box<dyn Host>, Fault> {
        Err(Fault::Start(contender.name.to_string()))
    }

    fn lanes(&self) -> Vec<Option<usize>> {
        vec![None]
    }

    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn clock(&self) -> Option<Instant> {
        None
    }

    fn elapsed(&self, _ns: f64) {}

    fn stolen_ns(&self) -> Option<u64> {
        None
    }

    fn measuring_cpu(&self) -> Option<usize> {
        None
    }
}

/// A scripted host's answer to a request for a slice.
pub type Script = fn(&Slice) -> Result<Outcome<Sliced>, Fault>;

/// A host that prepares everything and answers each slice by its script.
pub struct Scripted(pub Script);

impl Host for Scripted {
    fn prepare(&mut self, _ask: &Prepare) -> Result<Outcome<Prepared>, Fault> {
        Ok(Outcome::Ok(Prepared { code_path: "scripted".to_string(), threads: vec![] }))
    }

    fn compute(&mut self, _ask: Compute) -> Result<Outcome<Computed>, Fault> {
        Ok(Outcome::Ok(Computed { answers: vec![] }))
    }

    fn slice(&mut self, ask: &Slice) -> Result<Outcome<Sliced>, Fault> {
        (self.0)(ask)
    }
}

/// A correct slice of 100 ns per call.
pub fn correct(ask: &Slice) -> Sliced {
    Sliced {
        iterations: ask.iterations,
        elapsed_ns: 100.0 * ask.iterations as f64,
        fold: 0,
        noise: cupel_protocol::noise::Noise::default(),
        allocated_per_call: None,
        compilation: None,
    }
}
