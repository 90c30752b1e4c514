//! A compiler that works at run time: no fork is published that was measured in a lower tier.

use crate::law::{at_least, at_most, runs};
use crate::scenario::Scenario;
use cupel_sham::script::{Jit, Tier};
use cupel_stats::FEWEST_ROUNDS_IF_COMPILED;
use cupel_store::Recorded;
use std::collections::HashMap;
use std::time::Duration;

/// The factor by which a lower tier is slower: neighbours slow by 2 at most, tiers by 8.
const WRONG: f64 = 3.5;

/// An interpreter, a plateau of a quick compiler that counts to its threshold and then waits for
/// the slow one, and code that is discarded every few seconds.
fn tiered(discards_per_s: f64) -> Jit {
    Jit {
        tiers: vec![
            Tier { slow_factor: 50.0, calls: 200, compile_ms: 1.0 },
            Tier { slow_factor: 8.0, calls: 5000, compile_ms: 300.0 },
        ],
        discards_per_s,
        ..Jit::default()
    }
}

fn scenario(jit: &Jit, fixed_ns: f64) -> Scenario {
    let mut scenario = Scenario::with_ratios(&[1.0, 1.0]);
    for contender in &mut scenario.contenders {
        contender.jit = Some(jit.clone());
        contender.fixed_ns = fixed_ns;
    }
    scenario.options.budget = Duration::from_secs(6);
    // A machine that slows by 5 % per second looks like a lower tier after half a minute.
    scenario.world.drift_per_s = 0.0;
    scenario
}

/// The result of many runs.
#[derive(Debug, Default)]
struct Published {
    /// The forks of a cell with enough rounds to count.
    forks: usize,
    /// The forks of these whose median comes from a lower tier.
    wrong: usize,
    /// The slices that count, of all forks, and how many of them ran in a lower tier.
    slices: usize,
    wrong_slices: usize,
    /// How often code was compiled again in rounds.
    recompiled: usize,
    /// The forks of a cell that were given up.
    given_up: usize,
}

fn published(scenario: &Scenario, recorded: &Recorded) -> Published {
    let mut forks: HashMap<(i64, u32), Vec<f64>> = HashMap::new();
    for round in &recorded.rounds {
        for slice in round.slices.iter().filter(|slice| slice.counts) {
            forks.entry((round.fork, slice.cell)).or_default().push(slice.ns_per_call);
        }
    }
    let truth = scenario.contenders[0].fixed_ns;
    let wrong = |ns: &&f64| **ns > WRONG * truth;
    let samples = forks.values().filter(|times| times.len() >= FEWEST_ROUNDS_IF_COMPILED);
    let off = |times: &&Vec<f64>| wrong(&&cupel_stats::quantile::median(times));
    Published {
        forks: samples.clone().count(),
        wrong: samples.filter(off).count(),
        slices: forks.values().map(Vec::len).sum(),
        wrong_slices: forks.values().flatten().filter(wrong).count(),
        recompiled: recorded.warm_ups.iter().map(|w| w.recompiled as usize).sum(),
        given_up: recorded.warm_ups.iter().filter(|w| w.unsteady.is_some()).count(),
    }
}

fn all(scenario: &Scenario, runs: u64) -> Published {
    let each = scenario.each(runs, |seed| published(scenario, &scenario.recorded(seed)));
    let sum = |of: fn(&Published) -> usize| each.iter().map(of).sum();
    Published {
        forks: sum(|p| p.forks),
        wrong: sum(|p| p.wrong),
        slices: sum(|p| p.slices),
        wrong_slices: sum(|p| p.wrong_slices),
        recompiled: sum(|p| p.recompiled),
        given_up: sum(|p| p.given_up),
    }
}

#[test]
fn no_fork_is_published_in_a_lower_tier() {
    for (name, jit, ns, all_runs) in [
        ("calls of 0.1 us", tiered(0.0), 100.0, 400),
        ("calls of 2 us", tiered(0.0), 2000.0, 300),
        ("calls of 2 us, discarded at random", tiered(0.2), 2000.0, 300),
    ] {
        let scenario = scenario(&jit, ns);
        let runs = runs(all_runs);
        let published = all(&scenario, runs);
        println!("tiers, {name}, {runs} runs: {published:?}");
        // Four processes (one is a control) in each of three forks.
        let most = 4 * 3 * runs as usize;
        assert!(published.forks >= at_least(0.9, most), "{name}: {published:?}");
        assert_eq!(published.wrong, 0, "{name}: {published:?}");
        assert_eq!(published.wrong_slices, 0, "{name}: {published:?}");
        assert_eq!(published.recompiled > 0, jit.discards_per_s > 0.0, "{name}: {published:?}");
    }
}

/// The test above can fail: without the compiler's reports, the plateau is taken for the end, or
/// code that is compiled in the rounds is measured.
#[test]
fn a_compiler_that_does_not_tell_is_measured_in_a_lower_tier() {
    let jit = Jit { silent: true, ..tiered(0.2) };
    let runs = runs(50);
    let published = all(&scenario(&jit, 2000.0), runs);
    println!("tiers, silent, {runs} runs: {published:?}");
    assert!(published.wrong_slices > 0, "{published:?}");
}

/// Code that is discarded again and again is not a steady state: such a fork is given up, with its
/// reason, and none of its slices counts.
#[test]
fn code_that_never_comes_to_rest_is_given_up() {
    let mut scenario = scenario(&tiered(60.0), 2000.0);
    // Longer than the wait: a comparison without remaining cells must end too.
    scenario.options.budget = Duration::from_secs(90);
    let runs = runs(20);
    let most = 4 * 3 * runs as usize;
    let published = all(&scenario, runs);
    println!("tiers, discarded 60 times a second, {runs} runs: {published:?}");
    assert_eq!(published.wrong_slices, 0, "{published:?}");
    assert!(published.given_up > at_least(0.9, most), "{published:?}");
    // The few without a discard at the wrong moment were in the highest tier.
    assert!(published.forks < at_most(0.1, most), "{published:?}");
}
