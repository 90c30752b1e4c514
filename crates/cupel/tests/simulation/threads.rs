//! The cost of threads: on machines of up to 64 simulated processors, the analysis finds how much
//! of its speed per processor a contender keeps, and a contender that shares nothing is not said to
//! lose any.

use crate::law::{at_least, at_most, runs};
use crate::scenario::Scenario;
use cupel_analyse::{Scaling, Verdict, analyse};
use std::time::Duration;

/// The last contender shares something: each further thread costs 5 % of a call on one thread.
const CONTENTION: f64 = 0.05;

/// Two contenders that scale and one that does not.
fn scenario() -> Scenario {
    let mut scenario = Scenario::with_ratios(&[1.3, 1.0]);
    scenario.threads = vec![1, 2, 4, 16, 64];
    scenario.contenders[2].contention = CONTENTION;
    scenario.options.forks = 11;
    scenario.options.first_forks = None;
    scenario.options.budget = Duration::from_secs(5);
    scenario
}

fn truth(one: &Scaling, scenario: &Scenario) -> f64 {
    let own = scenario.contenders.iter().find(|c| c.name == *one.contender).expect("scripted");
    own.true_efficiency(one.workload.contract.threads)
}

/// Whether the share of the best contender's efficiency is in its interval, whichever contender the
/// times of the run make the best.
fn holds_of_best(one: &Scaling, all: &[Scaling], scenario: &Scenario) -> bool {
    let alike = all.iter().filter(|other| other.workload == one.workload);
    let best =
        alike.max_by(|a, b| a.efficiency.estimate.total_cmp(&b.efficiency.estimate)).unwrap();
    let Some(of_best) = &one.of_best else { return best.cell == one.cell };
    let truth = truth(one, scenario) / truth(best, scenario);
    of_best.low <= truth && truth <= of_best.high
}

#[test]
fn what_threads_cost_is_found_and_nobody_else_is_said_to_lose() {
    let scenario = scenario();
    let all = scenario.each(runs(100), |seed| analyse(&scenario.recorded(seed)).scaling);
    let runs = all.len();
    let (mut held, mut relative, mut accused, mut found) = (0, 0, 0, 0);
    for scaling in &all {
        assert_eq!(scaling.len(), 12, "three contenders on four numbers of threads");
        let holds = |one: &&Scaling| {
            let truth = truth(one, &scenario);
            one.efficiency.low <= truth && truth <= one.efficiency.high
        };
        held += usize::from(scaling.iter().filter(holds).count() == 12);
        relative += usize::from(scaling.iter().all(|one| holds_of_best(one, scaling, &scenario)));
        let shares = |one: &Scaling| *one.contender == *scenario.contenders[2].name;
        let loses = |one: &Scaling| one.verdict == Verdict::Slower;
        let gains = scaling.iter().any(|one| one.verdict == Verdict::Faster);
        accused += usize::from(gains || scaling.iter().any(|one| loses(one) && !shares(one)));
        // It keeps 57 % on 16 threads and 24 % on 64.
        let many = |one: &&Scaling| shares(one) && one.workload.contract.threads >= 16;
        found += usize::from(scaling.iter().filter(many).all(loses));
    }
    println!(
        "{runs} runs: {held} hold all, {relative} of the best's, {accused} accuse one that scales, {found} find the other"
    );
    assert!(held >= at_least(0.95, runs), "{held} of {runs} hold all twelve");
    assert!(relative >= at_least(0.95, runs), "{relative} of {runs} hold the shares of the best");
    assert!(accused <= at_most(0.005, runs), "{accused} of {runs} accuse one that scales");
    assert!(found >= at_least(0.99, runs), "{found} of {runs} find the loss");
}

/// Rounds of one work follow each other, so each has its pair.
#[test]
fn rounds_on_few_and_many_threads_follow_each_other() {
    let mut scenario = scenario();
    // No comparison has enough rounds.
    scenario.options.precision = 1e-6;
    let recorded = scenario.recorded(1);
    let order: Vec<(i64, usize)> =
        recorded.rounds.iter().map(|round| (round.fork, round.comparison)).collect();
    for fork in order.chunk_by(|one, next| one.0 == next.0) {
        // When the time is over, only those that lack rounds continue.
        for turn in fork.chunks_exact(5).take(8) {
            let mut seen: Vec<usize> = turn.iter().map(|(_, comparison)| *comparison).collect();
            seen.sort_unstable();
            assert_eq!(seen, [0, 1, 2, 3, 4], "{fork:?}");
        }
    }
}
