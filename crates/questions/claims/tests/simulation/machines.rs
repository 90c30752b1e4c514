//! Claims over machines: a claim that has one truth on all of them is not said to depend on the
//! machine, and one that does is found, with the facts that separate the machines.

use crate::law::{at_least, at_most, few_runs};
use crate::scenario::Scenario;
use cupel_claims::{Across, Everywhere, on_every_machine};
use cupel_decide::claims::Claimant;
use cupel_machine::{Machine, Reading};
use cupel_store::Store;
use cupel_suite::{Claim, Suite};
use std::path::Path;
use std::time::Duration;

/// The machines of a fleet.
const MACHINES: u64 = 8;

/// A fleet: the true time of the second contender on each machine, divided by the first's.
fn fleet(ratios: &[f64], seed: u64) -> Across {
    let mut store = Store::in_memory().expect("a store in memory");
    let here = Machine::look();
    for (place, ratio) in (0..).zip(ratios) {
        let machine = Machine {
            node: Some(format!("node-{place}")),
            // The processor of those on which the second contender is the slower one.
            cpu: Reading::Known(
                if *ratio > 1.0 { "Simulated A" } else { "Simulated B" }.to_string(),
            ),
            kernel: Reading::Known(format!("6.{place}")),
            ..here.clone()
        };
        scenario(*ratio).record(seed * MACHINES + place, &mut store, &machine);
    }
    let (options, claims) = (scenario(1.0).options, vec![claim()]);
    let claimant = Claimant { name: "simulation", options: &options, claims: &claims };
    let (places, mut across, intervals) = on_every_machine(&store, &[claimant]).expect("a store");
    assert_eq!((places.len(), intervals), (ratios.len(), ratios.len()), "joint over all machines");
    across.pop().expect("one claim")
}

fn scenario(ratio: f64) -> Scenario {
    let mut scenario = Scenario::with_ratios(&[ratio]);
    scenario.options.forks = 11;
    scenario.options.first_forks = None;
    scenario.options.budget = Duration::from_secs(2);
    scenario
}

/// The second contender is slower.
fn claim() -> Claim {
    let text = "question = \"?\"\n[[workload]]\nprimitive = \"empty\"\nsizes = [64]\n\
        [[claim]]\nsays = \"contender-01 is slower than contender-00\"\n\
        primitive = \"empty\"\nsource = \"?\"\nquote = \"?\"\n";
    let suite = Suite::parse(Path::new("simulation.toml"), text.to_string()).expect("a suite");
    suite.claims.into_iter().next().expect("a claim")
}

/// At the edge of the tie zone a verdict in either direction is hardest to avoid.
#[test]
fn a_claim_with_one_truth_does_not_depend_on_the_machine() {
    for ratio in [1.0, 1.02, 1.05] {
        let all = Scenario::with_ratios(&[ratio])
            .each(few_runs(100), |seed| fleet(&[ratio; MACHINES as usize], seed).verdict());
        let depends = all.iter().filter(|verdict| **verdict == Everywhere::Depends).count();
        let held = all.iter().filter(|verdict| **verdict == Everywhere::Held).count();
        println!("ratio {ratio}: {} fleets, {held} held, {depends} depends", all.len());
        assert!(depends <= at_most(0.05, all.len()), "{ratio}: {depends} of {}", all.len());
    }
}

/// One machine in four has another truth, and another processor.
#[test]
fn a_claim_that_depends_on_the_machine_is_found_with_what_separates_them() {
    let ratios = [1.15, 1.15, 0.87, 1.15, 1.15, 1.15, 0.87, 1.15];
    let all = Scenario::with_ratios(&[1.15]).each(few_runs(100), |seed| fleet(&ratios, seed));
    let found = all.iter().filter(|one| one.verdict() == Everywhere::Depends).count();
    let separated = |one: &&Across| {
        let named = |wanted: &str| one.separating.iter().any(|fact| fact.name.contains(wanted));
        // Each machine has its own kernel, which separates nothing.
        named("CPU") && !named("kernel")
    };
    let named = all.iter().filter(separated).count();
    println!("{} fleets: {found} depend, {named} name the processor alone", all.len());
    assert!(found >= at_least(0.95, all.len()), "{found} of {} depend", all.len());
    assert!(named >= at_least(0.95, all.len()), "{named} of {} name the processor", all.len());
}
