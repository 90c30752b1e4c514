//! Runs whose beginning and end differ: something slows a contender, the baseline, or a library for
//! a part of the run, from a random moment on. No verdict may contradict a truth that holds in
//! three forks or more, and a step must be named.

use crate::law::{at_least, at_most, few_runs};
use crate::scenario::{Scenario, shared_machine};
use cupel_analyse::{Answer, Row, Verdict};
use cupel_sham::script::{Alteration, World};
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::time::Duration;

/// The true ratios of the contenders to the baseline, apart from changes.
const RATIOS: [f64; 5] = [1.0, 1.16, 1.5, 0.9, 3.0];

/// The length of a run, in simulated seconds.
const RUN_S: f64 = 6.0;

/// A truth in fewer of the 24 forks may be overlooked.
const LASTING: usize = 3;

/// The side that changes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Victim {
    Contender,
    Baseline,
    /// The baseline and the contender that ties with it: they call one library.
    Library,
}

/// How it is changed.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// From a moment on, or until it, calls take this many times as long.
    Step(f64),
    /// They take ever longer, from the beginning to the end of the run.
    Trend(f64),
    /// They take longer for a tenth to a half of the run.
    Burst(f64),
}

/// A run with a change at a random time.
struct Changed {
    scenario: Scenario,
    victims: Vec<usize>,
    change: Alteration,
}

fn uniform(random: &mut Xoshiro256PlusPlus, low: f64, high: f64) -> f64 {
    low + (high - low) * (random.next_u64() as f64 / u64::MAX as f64)
}

fn changed(world: &World, victim: Victim, kind: Kind, seed: u64) -> Changed {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed ^ 0x00c4_a46e);
    let mut scenario = Scenario::with_ratios(&RATIOS);
    scenario.world = world.clone();
    scenario.options.forks = 24;
    scenario.options.budget = Duration::from_secs_f64(RUN_S);
    // No comparison is over before its time, so the change comes in the run.
    scenario.options.precision = 0.0;
    scenario.libraries = vec!["of the baseline", "of the baseline", "two", "three", "four", "five"];
    let victims = match victim {
        Victim::Contender => vec![1 + (random.next_u64() % RATIOS.len() as u64) as usize],
        Victim::Baseline => vec![0],
        Victim::Library => vec![0, 1],
    };
    let moment = uniform(&mut random, 0.0, RUN_S);
    let change = match kind {
        Kind::Step(factor) if random.next_u64() % 2 == 0 => {
            Alteration { factor, from_s: moment, ..Alteration::default() }
        }
        Kind::Step(factor) => Alteration { factor, until_s: Some(moment), ..Alteration::default() },
        Kind::Trend(factor) => Alteration { factor, gradual_s: RUN_S, ..Alteration::default() },
        Kind::Burst(factor) => {
            let length = uniform(&mut random, 0.1 * RUN_S, 0.5 * RUN_S);
            let from_s = uniform(&mut random, 0.0, RUN_S - length);
            Alteration { factor, from_s, until_s: Some(from_s + length), gradual_s: 0.0 }
        }
    };
    for &victim in &victims {
        scenario.contenders[victim].change = Some(change.clone());
    }
    Changed { scenario, victims, change }
}

impl Changed {
    /// The ratio of a contender to the baseline at a moment of the run, in seconds.
    fn truth(&self, name: &str, moment: f64) -> f64 {
        let number = self.scenario.contenders.iter().position(|c| c.name == name);
        let number = number.expect("a contender of this");
        let factor = |victim: usize| {
            if self.victims.contains(&victim) { self.change.factor_at(moment) } else { 1.0 }
        };
        self.scenario.truth(name) * factor(number) / factor(0)
    }

    /// Whether a row's verdict contradicts the ratio that held in the middle of at least
    /// [`LASTING`] of the forks.
    fn is_false(&self, row: &Row, middles: &[f64]) -> bool {
        let truths = middles.iter().map(|&moment| self.truth(&row.contender, moment));
        let against = match row.verdict {
            Verdict::Faster => truths.filter(|truth| *truth >= 1.0).count(),
            Verdict::Slower => truths.filter(|truth| *truth <= 1.0).count(),
            _ => return false,
        };
        against >= LASTING
    }

    /// Whether the answer names a step of a victim, or of the contender that stands for its
    /// library.
    fn is_named(&self, answer: &Answer) -> bool {
        let is_victim = |name: &str| {
            self.victims.iter().any(|&victim| self.scenario.contenders[victim].name == name)
        };
        answer.changes.iter().any(|change| is_victim(&change.contender))
    }
}

/// The results of many runs.
#[derive(Clone, Debug, Default)]
struct Counts {
    runs: usize,
    false_verdicts: usize,
    named: usize,
    /// Runs that say that something else changed.
    accused: usize,
}

fn count(world: &World, victim: Victim, kind: Kind, all: u64) -> Counts {
    let one = |seed: u64| {
        let changed = changed(world, victim, kind, seed);
        let (answer, middles) = changed.scenario.run_with_forks(seed);
        let of_others = answer.changes.iter().any(|change| {
            let names = changed.victims.iter().map(|&v| &changed.scenario.contenders[v].name);
            !names.into_iter().any(|name| *name == *change.contender)
        });
        let is_false = |row: &&Row| changed.is_false(row, &middles);
        let wrong = answer.rows.iter().any(|row| is_false(&row));
        if wrong && std::env::var_os("CUPEL_SHOW").is_some() {
            println!("seed {seed}: {:?} {:?}; {middles:?}", changed.victims, changed.change);
            for Row { contender, verdict, ratio, forks, .. } in answer.rows.iter().filter(is_false)
            {
                println!("  {contender} {verdict:?} {ratio:?} in {forks} forks");
            }
        }
        (wrong, changed.is_named(&answer), of_others)
    };
    let seen = Scenario::with_ratios(&RATIOS).each(few_runs(all), one);
    let counts = Counts {
        runs: seen.len(),
        false_verdicts: seen.iter().filter(|one| one.0).count(),
        named: seen.iter().filter(|one| one.1).count(),
        accused: seen.iter().filter(|one| one.2).count(),
    };
    println!("{victim:?} {kind:?}: {counts:?}");
    counts
}

fn quiet() -> World {
    World { noise_sd: 0.005, autocorrelation: 0.1, ..World::default() }
}

/// The results for each victim: all are printed, even if a promise about one is missed.
fn of_all_victims(world: &World, kind: Kind, all: u64) -> [(Victim, Counts); 3] {
    [Victim::Contender, Victim::Baseline, Victim::Library]
        .map(|victim| (victim, count(world, victim, kind, all)))
}

#[test]
fn a_step_gives_no_false_verdict_and_is_named() {
    for (victim, counts) in of_all_victims(&quiet(), Kind::Step(1.2), 1000) {
        assert_eq!(counts.false_verdicts, 0, "{victim:?}: {counts:?}");
        assert!(counts.named >= at_least(0.9, counts.runs), "{victim:?}: {counts:?}");
        assert!(counts.accused <= at_most(0.05, counts.runs), "{victim:?}: {counts:?}");
    }
}

#[test]
fn a_large_step_gives_no_false_verdict_and_is_named() {
    for (victim, counts) in of_all_victims(&shared_machine(), Kind::Step(7.0), 1000) {
        assert_eq!(counts.false_verdicts, 0, "{victim:?}: {counts:?}");
        assert!(counts.named >= at_least(0.85, counts.runs), "{victim:?}: {counts:?}");
    }
}

#[test]
fn a_trend_gives_no_false_verdict() {
    for (victim, counts) in of_all_victims(&quiet(), Kind::Trend(1.1), 1000) {
        assert_eq!(counts.false_verdicts, 0, "{victim:?}: {counts:?}");
    }
}

#[test]
fn a_burst_gives_no_false_verdict() {
    let kinds = [1.2, 3.0].map(Kind::Burst);
    let seen = kinds.map(|kind| of_all_victims(&quiet(), kind, 1000));
    for (victim, counts) in seen.concat() {
        assert_eq!(counts.false_verdicts, 0, "{victim:?}: {counts:?}");
    }
}

#[test]
fn on_a_shared_machine_changes_give_no_false_verdict() {
    let kinds = [Kind::Step(1.2), Kind::Trend(1.1), Kind::Burst(1.5)];
    let seen = kinds.map(|kind| of_all_victims(&shared_machine(), kind, 300));
    for (victim, counts) in seen.concat() {
        assert_eq!(counts.false_verdicts, 0, "{victim:?}: {counts:?}");
    }
}

/// Nothing changes but the usual: bursts of neighbours, drift, processes that differ.
#[test]
fn a_run_without_a_change_names_none() {
    for (name, world) in [("quiet", quiet()), ("shared", shared_machine())] {
        let one = |seed: u64| {
            let mut changed = changed(&world, Victim::Contender, Kind::Step(1.0), seed);
            changed.scenario.contenders.iter_mut().for_each(|contender| contender.change = None);
            !changed.scenario.run(seed).changes.is_empty()
        };
        let seen = Scenario::with_ratios(&RATIOS).each(few_runs(500), one);
        let named = seen.iter().filter(|named| **named).count();
        println!("{name}: {named} of {} runs without a change name one", seen.len());
        assert!(named <= at_most(0.05, seen.len()), "{name}: {named} of {}", seen.len());
    }
}
