//! Checks that the interval contains the truth as often as it claims, on machines as noisy as real
//! ones.

mod support;

use cupel_stats::quantile::median;
use cupel_stats::spread::pool;
use cupel_stats::verdict::{ENOUGH_FORKS, Verdict, verdict};
use cupel_stats::{Comparison, Pair, compare};
use support::{Machine, Random, alone};

const ALPHA: f64 = 0.05;
const TIE_ZONE: f64 = 0.02;

/// Bursts that hit one slice or both, drift, dependent neighbouring rounds, forks that differ.
const NOISY: Machine =
    Machine { sd: 0.01, ar1: 0.3, between: 0.003, stray: 0.0, burst: 0.1, drift: 0.05 };

/// Only the noise of a round.
const QUIET: Machine =
    Machine { sd: 0.01, ar1: 0.0, between: 0.001, stray: 0.0, burst: 0.0, drift: 0.0 };

struct Design {
    pairs: usize,
    forks: usize,
    rounds: usize,
}

/// One run: every pair is compared, with the prior from all of them.
fn run(machine: &Machine, truth: f64, design: &Design, random: &mut Random) -> Vec<Comparison> {
    let data: Vec<Vec<Vec<f64>>> = (0..design.pairs)
        .map(|_| machine.pair(truth, design.forks, design.rounds, random))
        .collect();
    let pairs: Vec<Pair> = data
        .iter()
        .map(|forks| Pair { forks: forks.iter().map(Vec::as_slice).collect() })
        .collect();
    let prior = pool(&alone(&pairs));
    pairs.iter().map(|pair| compare(pair, ALPHA, pairs.len(), &prior)).collect()
}

/// How many of `runs` had an interval without the truth, a verdict, a verdict in the wrong
/// direction.
fn errors(machine: &Machine, truth: f64, design: &Design, runs: u32) -> [u32; 3] {
    let mut random = Random(20_261_121);
    let mut errors = [0; 3];
    for _ in 0..runs {
        let compared = run(machine, truth, design, &mut random);
        let verdicts: Vec<Verdict> =
            compared.iter().map(|c| verdict(&c.interval, c.forks, TIE_ZONE, 0.0)).collect();
        let wrong = if truth > 0.0 { Verdict::Faster } else { Verdict::Slower };
        errors[0] += u32::from(compared.iter().any(|c| !c.interval.contains(truth)));
        errors[1] += u32::from(verdicts.iter().any(|&v| v != Verdict::NotSeparated));
        errors[2] += u32::from(verdicts.contains(&wrong));
        assert!(compared.iter().all(|c| c.interval.contains(c.estimate)));
    }
    errors
}

const SIX: Design = Design { pairs: 6, forks: 3, rounds: 40 };

/// `1 - alpha` applies to all pairs of a run jointly.
#[test]
fn all_intervals_of_a_run_hold_the_truth() {
    for ratio in [1.0_f64, 1.02, 1.05, 1.5] {
        let [missed, _, wrong] = errors(&NOISY, ratio.ln(), &SIX, 1000);
        assert!(missed <= 50, "{missed} of 1000 runs missed a ratio of {ratio}");
        if ratio != 1.0 {
            assert_eq!(wrong, 0, "verdicts in the wrong direction at {ratio}");
        }
    }
}

#[test]
fn equal_contenders_get_no_verdict() {
    for forks in [3, ENOUGH_FORKS] {
        let [_, verdicts, _] = errors(&NOISY, 0.0, &Design { forks, ..SIX }, 1000);
        assert!(verdicts <= 5, "{forks} forks: {verdicts} of 1000 runs called equals different");
    }
}

/// The interval must not be so wide that it is useless.
#[test]
fn a_difference_of_half_is_always_seen() {
    let mut random = Random(7);
    for _ in 0..200 {
        for compared in run(&NOISY, 1.5_f64.ln(), &SIX, &mut random) {
            assert_eq!(verdict(&compared.interval, ENOUGH_FORKS, TIE_ZONE, 0.0), Verdict::Slower);
        }
    }
}

/// The interval has two parts, one for rounds and one for forks. Together they must cover the truth
/// whichever of the two noises dominates, even with a single pair.
#[test]
fn the_truth_is_held_whether_rounds_or_forks_differ_more() {
    for forks in [2, 3, 5] {
        for between in [0.0, 0.001, 0.003, 0.005, 0.01, 0.03, 0.1] {
            for pairs in [1, 4] {
                let machine = Machine { between, ar1: 0.0, burst: 0.05, ..NOISY };
                let design = Design { pairs, forks, rounds: 40 };
                let [missed, ..] = errors(&machine, 0.0, &design, 400);
                // Three standard errors above 5 % of 400.
                assert!(
                    missed <= 33,
                    "{missed} of 400: {forks} forks, sd {between}, {pairs} pairs"
                );
            }
        }
    }
}

/// Sometimes a whole process runs 15 % slower, on either side. This happens on real machines.
#[test]
fn stray_forks_are_no_difference_and_hide_none() {
    // Also if strays are almost the rule: two levels that processes reach at random.
    for (forks, stray) in
        [(3, 0.1), (5, 0.1), (8, 0.1), (15, 0.1), (5, 0.3), (8, 0.3), (12, 0.3), (15, 0.3)]
    {
        let machine = Machine { stray, ar1: 0.0, ..NOISY };
        let design = Design { pairs: 6, forks, rounds: 40 };
        let [missed, verdicts, _] = errors(&machine, 0.0, &design, 1000);
        assert!(
            missed <= 50 && verdicts <= 5,
            "{forks} forks, {stray} stray: {missed} missed, {verdicts} verdicts"
        );
    }
    let machine = Machine { stray: 0.1, ..NOISY };
    let mut random = Random(5);
    let design = Design { pairs: 6, forks: 15, rounds: 40 };
    let mut seen = 0;
    for _ in 0..100 {
        let compared = run(&machine, 1.2_f64.ln(), &design, &mut random);
        let slower =
            |c: &&Comparison| verdict(&c.interval, ENOUGH_FORKS, TIE_ZONE, 0.0) == Verdict::Slower;
        seen += compared.iter().filter(slower).count();
    }
    assert!(seen >= 570, "a fifth was seen in {seen} of 600 comparisons");
}

/// The fork effects are not in the rounds: a confidence sequence alone gets ever narrower around
/// the effects of these forks.
#[test]
fn many_rounds_do_not_stand_for_many_forks() {
    let machine = Machine { ar1: 0.0, burst: 0.0, between: 0.01, ..NOISY };
    let design = Design { pairs: 4, forks: 3, rounds: 1000 };
    let [missed, ..] = errors(&machine, 0.0, &design, 200);
    assert!(missed <= 19, "{missed} of 200 runs missed");
}

/// A whole suite in one run: 120 comparisons, and still intervals of one percent.
#[test]
fn a_quiet_run_of_120_comparisons_is_precise() {
    let mut random = Random(1);
    let design = Design { pairs: 120, forks: 3, rounds: 60 };
    let compared = run(&QUIET, 0.0, &design, &mut random);
    let widths: Vec<f64> = compared.iter().map(|c| c.interval.half_width()).collect();
    assert!(median(&widths) < 0.01, "typical half-width {}", median(&widths));
    assert!(compared.iter().all(|c| c.interval.contains(0.0)));
}
