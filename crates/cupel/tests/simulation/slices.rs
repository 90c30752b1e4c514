//! Slow contenders: their slices are about as long as a fast one's, with fewer calls or in pieces.
//! Nothing that comes at regular moments keeps step with them, and a busy machine leaves them most
//! of their slices.

use crate::law::{at_least, at_most, few_runs, runs};
use crate::scenario::Scenario;
use crate::tally::{Tally, contenders, holds};
use cupel_analyse::{Answer, Row, Verdict};
use cupel_sham::script::{Bursts, Jit, Tick, Tier, World};
use std::time::Duration;

/// The true ratios to the baseline. The slow ones are contenders of Python: a package whose every
/// call passes several layers, and one that runs WebAssembly.
const RATIOS: [f64; 4] = [1.0, 1.02, 9.5, 51.0];

/// A call of the baseline with no bytes, in ns, and each byte.
const CALL_NS: f64 = 500.0;
const BYTE_NS: f64 = 0.8;

/// The calls of a program with short messages.
const SHORT: [(u64, u64); 4] = [(32, 50), (64, 30), (200, 15), (512, 5)];

/// The calls of a program that has a long message now and then, which few calls lack.
const SELDOM_LONG: [(u64, u64); 2] = [(64, 2000), (8192, 10)];

/// A timer, whose interrupts are the slice's own time.
fn timer() -> Tick {
    Tick { every_ms: 4.0, takes_us: 8.0, preempts: false }
}

fn quiet() -> World {
    World { noise_sd: 0.005, autocorrelation: 0.1, ..World::default() }
}

/// A timer, and a neighbour that slows the core every 10 ms. The system reports neither.
fn regular() -> World {
    let burst = Tick { every_ms: 10.0, takes_us: 100.0, preempts: false };
    World { ticks: vec![timer(), burst], ..quiet() }
}

/// The timer, machine-wide steps of 20 to 60 %, and nothing else.
fn steps() -> World {
    let bursts = Bursts { per_s: 2.0, mean_ms: 150.0, factor_low: 1.2, factor_high: 1.6 };
    World { bursts, ticks: vec![timer()], ..quiet() }
}

/// Another program has the processor for 2 ms in every 12: no slice of over 10 ms is without it.
fn busy() -> World {
    let other = Tick { every_ms: 12.0, takes_us: 2000.0, preempts: true };
    World { ticks: vec![timer(), other], ..quiet() }
}

fn scenario(world: World, drawn: &[(u64, u64)]) -> Scenario {
    let mut scenario = Scenario::with_ratios(&RATIOS);
    let all = [1.0].into_iter().chain(RATIOS);
    for (contender, ratio) in scenario.contenders.iter_mut().zip(all) {
        (contender.fixed_ns, contender.per_byte_ns) = (CALL_NS * ratio, BYTE_NS * ratio);
    }
    scenario.world = world;
    scenario.drawn = drawn.to_vec();
    scenario.options.forks = 5;
    scenario.options.budget = Duration::from_secs(3);
    scenario
}

/// The rows of a contender in all answers.
fn rows<'a>(answers: &'a [Answer], name: &'a str) -> impl Iterator<Item = &'a Row> {
    answers.iter().flat_map(contenders).filter(move |row| row.contender == *name)
}

/// By contender: by how much the median estimate is off, in percent; and the share of its rounds
/// that count, in all answers together.
fn each(scenario: &Scenario, answers: &[Answer]) -> Vec<(f64, f64)> {
    let one = |name: &String| {
        let estimates = rows(answers, name).filter_map(|row| Some(row.ratio?.estimate));
        let off: Vec<f64> = estimates.map(|ratio| ratio / scenario.truth(name) - 1.0).collect();
        let counted: usize = rows(answers, name).map(|row| row.rounds).sum();
        let dropped: usize = rows(answers, name).map(|row| row.dropped).sum();
        let share = counted as f64 / (counted + dropped).max(1) as f64;
        println!(
            "  {name} ({}): estimate {:+.2} % off, {:.0} % of its rounds count, intervals hold in {}",
            scenario.truth(name),
            100.0 * cupel_stats::quantile::median(&off),
            100.0 * share,
            rows(answers, name).filter(|row| holds(row, scenario.truth(name))).count()
        );
        (cupel_stats::quantile::median(&off), share)
    };
    scenario.contenders[1..].iter().map(|contender| one(&contender.name)).collect()
}

/// Whether the slow ones are called slower, and no one else anything.
fn is_right(answer: &Answer, scenario: &Scenario) -> bool {
    contenders(answer).all(|row| {
        let slow = scenario.truth(&row.contender) > 2.0;
        (row.verdict == Verdict::Slower) == slow && row.verdict != Verdict::Faster
    })
}

fn check(name: &str, scenario: &Scenario, all: u64) {
    let answers = scenario.runs(all);
    let tally = Tally::count(scenario, &answers);
    println!("{name}: {tally}");
    let right = answers.iter().filter(|answer| is_right(answer, scenario)).count();
    println!("  the verdicts of {right} are right");
    for (off, share) in each(scenario, &answers) {
        assert!(off.abs() < 0.01, "{name}: an estimate is {off} off");
        assert!(share > 0.5, "{name}: only {share} of a contender's rounds count");
    }
    assert!(tally.covered >= at_least(0.95, tally.runs), "{name}: {tally}");
    assert!(tally.runs - right <= at_most(0.01, tally.runs), "{name}: {right} right, {tally}");
}

#[test]
fn what_comes_regularly_keeps_no_step_with_slices_of_few_calls() {
    for (name, world) in [("regular", regular()), ("steps", steps())] {
        check(&format!("{name}, one size"), &scenario(world.clone(), &[]), runs(200));
        check(&format!("{name}, drawn"), &scenario(world, &SHORT), few_runs(100));
    }
}

#[test]
fn a_busy_machine_leaves_slow_contenders_most_of_their_slices() {
    check("busy, one size", &scenario(busy(), &[]), runs(200));
    check("busy, drawn", &scenario(busy(), &SHORT), few_runs(100));
    check("busy, seldom long", &scenario(busy(), &SELDOM_LONG), few_runs(100));
}

#[test]
fn a_busy_machine_leaves_slow_contenders_with_a_jit_most_of_their_slices() {
    let mut scenario = scenario(busy(), &SHORT);
    for contender in &mut scenario.contenders[3..] {
        let tier = Tier { slow_factor: 8.0, calls: 2000, compile_ms: 20.0 };
        contender.jit = Some(Jit { tiers: vec![tier], ..Jit::default() });
    }
    check("busy, drawn, the slow ones with a JIT", &scenario, few_runs(100));
}
