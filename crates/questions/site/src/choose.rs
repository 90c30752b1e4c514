//! Which runs a site shows: for each machine and question, the newest of those that measured the
//! same contenders in the same versions on the same workloads. The others are older evidence of the
//! same.

use super::asked::Asked;
use anyhow::{Result, ensure};
use cupel_machine::Machine;
use cupel_plan::Plan;
use cupel_store::{Planned, Store};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// The runs of a site.
#[derive(Default)]
pub struct Chosen {
    /// By question.
    pub questions: BTreeMap<Asked, Vec<Shown>>,
    /// The machines, each as the newest of its runs saw it, with its fingerprint.
    pub machines: BTreeMap<Identity, (String, Machine)>,
    /// Finished runs that a newer one stands for.
    pub older: usize,
    /// Unfinished runs.
    pub unfinished: usize,
}

/// The identity of a machine: the fingerprint, and the name in a fleet, because two nodes of one
/// model have one fingerprint.
pub type Identity = String;

fn identity(planned: &Planned) -> Identity {
    match &planned.machine.node {
        Some(node) => format!("{} {node}", planned.fingerprint),
        None => planned.fingerprint.clone(),
    }
}

/// A run that is shown.
pub struct Shown {
    /// Its number in the store.
    pub id: i64,
    /// Its machine.
    pub place: Identity,
    /// When it began, by its machine's clock.
    pub started: String,
}

/// Chooses the runs of a store. Only runs of one machine are put in order, because clocks of
/// several machines may disagree.
///
/// # Errors
/// If the store cannot be read, or has no finished run.
pub fn runs(store: &Store) -> Result<Chosen> {
    let mut chosen = Chosen::default();
    let mut known = std::collections::BTreeSet::new();
    for row in store.runs()? {
        if row.finished.is_none() {
            chosen.unfinished += 1;
            continue;
        }
        // One plan at a time: all plans of a large store are too many.
        for planned in store.plans(Some(row.id))? {
            let place = identity(&planned);
            let Planned { run, plan, machine, fingerprint } = planned;
            let asked = Asked::from_plan(&plan);
            let key = (asked.clone(), place.clone(), measured(&plan)?);
            chosen.machines.entry(place.clone()).or_insert((fingerprint, machine));
            if !known.insert(key) {
                chosen.older += 1;
                continue;
            }
            let shown = Shown { id: run.id, place, started: run.started };
            chosen.questions.entry(asked).or_default().push(shown);
        }
    }
    ensure!(
        !chosen.questions.is_empty(),
        "there is no finished run in {}: start one with `cupel run`, or add some with `cupel import`",
        store.path().display()
    );
    Ok(chosen)
}

/// A digest of a run's work: contenders with their versions, and workloads.
fn measured(plan: &Plan) -> Result<[u8; 32]> {
    let contenders: Vec<_> = plan.contenders.iter().map(|c| (&c.name, &c.version)).collect();
    let comparisons = plan.comparisons.iter().filter(|comparison| !comparison.overhead);
    let workloads: Vec<_> = comparisons.map(|comparison| &comparison.workload).collect();
    Ok(Sha256::digest(serde_json::to_vec(&(contenders, workloads))?).into())
}
