//! Claims over every machine of a store: one verdict for all of them, and the facts that separate
//! those where a claim is held from those where it is refuted.

use crate::facts::{Fact, Facts, separating};
use cupel_decide::claims::{Answered, Claimant, Decision, Scope, decide_each};
use cupel_machine::Machine;
use cupel_store::{Planned, Store, StoreError};
use cupel_suite::Claim;
use serde::Serialize;
use std::collections::BTreeMap;

/// A machine of a store.
#[derive(Clone, Debug)]
pub struct Place {
    /// Its record in its newest run.
    pub machine: Machine,
    /// Its fingerprint.
    pub fingerprint: String,
}

/// A claim on every machine.
#[derive(Clone, Debug)]
pub struct Across {
    /// Name of its suite.
    pub suite: String,
    /// The claim.
    pub claim: Claim,
    /// The verdict of each machine, in their order.
    pub each: Vec<OnMachine>,
    /// The facts that separate the machines, if the claim depends on them; the nearest to the code
    /// first.
    pub separating: Vec<Fact>,
}

/// A claim on one machine.
#[derive(Clone, Debug)]
pub struct OnMachine {
    /// The machine's position among all of them.
    pub place: usize,
    /// The decision by its own runs.
    pub answered: Answered,
}

/// The verdict on a claim over all machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Everywhere {
    /// It is held on every machine.
    Held,
    /// It is refuted on every machine.
    Refuted,
    /// It is held on one machine and refuted on another.
    Depends,
    /// Neither of these is shown.
    Undecided,
}

impl Everywhere {
    /// The verdict over all machines.
    pub fn decide(decisions: impl IntoIterator<Item = Decision>) -> Everywhere {
        let all: Vec<Decision> = decisions.into_iter().collect();
        match (all.contains(&Decision::Held), all.contains(&Decision::Refuted)) {
            (true, true) => Everywhere::Depends,
            _ if all.contains(&Decision::Undecided) => Everywhere::Undecided,
            (true, false) => Everywhere::Held,
            (false, true) => Everywhere::Refuted,
            (false, false) => Everywhere::Undecided,
        }
    }

    /// The word for tables and files.
    pub fn word(self) -> &'static str {
        match self {
            Everywhere::Held => "held",
            Everywhere::Refuted => "refuted",
            Everywhere::Depends => "depends",
            Everywhere::Undecided => "undecided",
        }
    }
}

impl Across {
    /// The verdict over all machines.
    pub fn verdict(&self) -> Everywhere {
        Everywhere::decide(self.decisions())
    }

    /// The verdict over all machines at one of the claim's sizes, by its position.
    pub fn verdict_at(&self, point: usize) -> Everywhere {
        Everywhere::decide(self.each.iter().map(|one| one.answered.points[point].decision()))
    }

    /// The decision of each machine.
    pub fn decisions(&self) -> impl Iterator<Item = Decision> {
        self.each.iter().map(|one| one.answered.decision())
    }
}

/// Decides every claim of the claimants on every machine of the store, by the newest finished runs
/// of each. Returns the machines, the claims, and the number of intervals, which are joint over all
/// machines: no interval is computed as if its machine were the only one.
///
/// A machine has one fingerprint and one name in a fleet. The machines of a store count that have a
/// run with a workload of one of the claims, finished or not.
///
/// # Errors
/// If the store cannot be read.
pub fn on_every_machine(
    store: &Store,
    claimants: &[Claimant<'_>],
) -> Result<(Vec<Place>, Vec<Across>, usize), StoreError> {
    // Newest first within each machine, as the store returns them. The clocks of two machines are
    // never compared.
    let mut runs: BTreeMap<(Option<String>, String), Vec<Planned>> = BTreeMap::new();
    for planned in store.plans(None)? {
        let key = (planned.machine.node.clone(), planned.fingerprint.clone());
        runs.entry(key).or_default().push(planned);
    }
    let workloads: Vec<_> = claimants
        .iter()
        .flat_map(|claimant| claimant.claims)
        .flat_map(|claim| claim.sizes.iter().map(|&size| claim.workload(size)))
        .collect();
    runs.retain(|_, plans| {
        let mut comparisons = plans.iter().flat_map(|planned| &planned.plan.comparisons);
        comparisons.any(|c| !c.overhead && workloads.contains(&c.workload))
    });
    let groups: Vec<&[Planned]> = runs.values().map(Vec::as_slice).collect();
    let (answered, intervals) = decide_each(store, claimants, &groups, &Scope::default())?;

    let claims = claimants.iter().flat_map(|c| c.claims.iter().map(move |claim| (c.name, claim)));
    let mut across: Vec<Across> = claims
        .map(|(suite, claim)| Across {
            suite: suite.to_string(),
            claim: claim.clone(),
            each: vec![],
            separating: vec![],
        })
        .collect();
    for (place, answered) in answered.into_iter().enumerate() {
        for (one, answered) in across.iter_mut().zip(answered) {
            one.each.push(OnMachine { place, answered });
        }
    }
    for one in &mut across {
        if one.verdict() == Everywhere::Depends {
            let mut each = Vec::new();
            for OnMachine { place, answered } in &one.each {
                let facts = Facts::gather(answered, |run| machine_of(groups[*place], run));
                each.extend(facts.map(|facts| (answered.decision(), facts)));
            }
            one.separating = separating(&each);
        }
    }
    let machines = groups.iter().map(|plans| Place {
        machine: plans[0].machine.clone(),
        fingerprint: plans[0].fingerprint.clone(),
    });
    Ok((machines.collect(), across, intervals))
}

/// The machine's record in one of its runs.
fn machine_of(plans: &[Planned], run: i64) -> Machine {
    let planned = plans.iter().find(|planned| planned.run.id == run);
    planned.expect("a run of this machine decided").machine.clone()
}

#[cfg(test)]
mod tests {
    use super::Everywhere;
    use cupel_decide::claims::Decision::{Held, Refuted, Undecided};

    #[test]
    fn one_verdict_follows_from_those_of_all_machines() {
        for (decisions, verdict) in [
            (vec![Held, Held], "held"),
            (vec![Refuted, Refuted], "refuted"),
            (vec![Held, Refuted], "depends"),
            (vec![Undecided, Refuted, Held], "depends"),
            // It may be refuted on the second, or held there.
            (vec![Held, Undecided], "undecided"),
            (vec![Refuted, Undecided], "undecided"),
            (vec![Undecided], "undecided"),
            // No machine has measured it.
            (vec![], "undecided"),
        ] {
            assert_eq!(Everywhere::decide(decisions.clone()).word(), verdict, "{decisions:?}");
        }
    }
}
