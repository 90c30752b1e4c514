//! Contenders with a JIT or an interpreter leave after three or five forks if each of these took over
//! 1.5 times as long as the fastest, and they are surely slower. Who leaves depends on the data, so
//! the error of these looks is divided in advance, and no answer may be false because of it.

use crate::law::{at_least, at_most, runs};
use crate::scenario::{Scenario, shared_machine};
use cupel_analyse::{Answer, Row, Verdict, analyse};
use cupel_findings::Said;
use cupel_sham::script::{Alteration, Jit, Tier, World};
use cupel_store::Recorded;
use cupel_suite::Options;
use std::time::Duration;

/// The true ratios to the baseline of the contenders that are compiled ahead of time.
const NATIVE: [f64; 3] = [0.8, 1.0, 1.6];

/// The fastest of them, by its number.
const FASTEST: usize = 1;

/// A contender that takes less than this many times as long as the fastest stays. All three of its
/// processes would have to be over 1.5 times as slow by chance.
const STAYS: f64 = 1.35;

/// The forks of the run in which code runs that is compiled at run time, before the look.
const BEFORE_LOOK: [usize; 3] = [6, 8, 10];

/// How many forks code with an interpreter has before the look.
const BEFORE_LOOK_IF_INTERPRETED: usize = 6;

/// How many forks come between the two looks.
const BETWEEN_LOOKS: usize = 2;

/// The number of runs of a row.
const RUNS: u64 = 1500;

fn quiet() -> World {
    World { noise_sd: 0.005, autocorrelation: 0.1, ..World::default() }
}

/// A run as of a question from the command line. The contenders with a JIT take
/// this many times as long as the fastest of the others, and each process is off by `fork_sd`.
fn scenario(world: World, compiled: &[f64], fork_sd: f64) -> Scenario {
    let ratios: Vec<f64> =
        NATIVE.iter().copied().chain(compiled.iter().map(|times| times * NATIVE[0])).collect();
    let mut scenario = Scenario::with_ratios(&ratios);
    scenario.world = world;
    for contender in &mut scenario.contenders[1 + NATIVE.len()..] {
        contender.jit = Some(Jit::default());
        contender.fork_sd = fork_sd;
    }
    scenario.options = Options {
        forks: 24,
        first_forks: Some(11),
        jit_forks: Some(11),
        jit_first_forks: Some(3),
        budget: Duration::from_secs(1),
        ..Options::default()
    };
    scenario
}

/// The same with interpreters in place of JITs.
fn interpreted(world: World, times: &[f64], fork_sd: f64) -> Scenario {
    let mut scenario = scenario(world, times, fork_sd);
    for contender in &mut scenario.contenders {
        contender.jit = None;
    }
    scenario.interpreted = times.len();
    scenario
}

/// The results of the runs of a row.
#[derive(Debug, Default)]
struct Counts {
    runs: usize,
    /// Runs in which a contender left that should stay.
    left_wrongly: usize,
    /// Runs in which an interval misses the truth.
    missed: usize,
    /// Runs with a verdict in the wrong direction, or with another leader than the fastest.
    wrong: usize,
    /// Contenders that left, of all with a JIT or an interpreter.
    left: usize,
    late: usize,
}

/// The truth about a contender: how many times as long it takes as the fastest of all.
fn times(scenario: &Scenario, row: &Row) -> f64 {
    let all = scenario.contenders.iter().map(|one| scenario.truth(&one.name));
    scenario.truth(&row.contender) / all.fold(f64::INFINITY, f64::min)
}

fn is_late(scenario: &Scenario, row: &Row) -> bool {
    let has_interpreter = |one| scenario.has_interpreter(one);
    let mut all = scenario.contenders.iter();
    all.any(|one| one.name == *row.contender && (one.jit.is_some() || has_interpreter(one)))
}

fn has_left(scenario: &Scenario, row: &Row) -> bool {
    let most =
        if scenario.interpreted > 0 { BEFORE_LOOK_IF_INTERPRETED } else { BEFORE_LOOK.len() };
    is_late(scenario, row) && row.forks <= most + BETWEEN_LOOKS
}

fn is_wrong(scenario: &Scenario, answer: &Answer) -> bool {
    let false_verdict = answer.rows.iter().any(|row| match row.verdict {
        Verdict::Faster => scenario.truth(&row.contender) >= 1.0,
        Verdict::Slower => scenario.truth(&row.contender) <= 1.0,
        _ => false,
    });
    let leader = answer.lead.as_ref().filter(|lead| lead.separated && lead.lagging.is_empty());
    let row = leader.and_then(|lead| answer.rows.iter().find(|r| r.contender == lead.leader));
    false_verdict || row.is_some_and(|row| times(scenario, row) > 1.0)
}

/// Runs a scenario after a change that may depend on when its forks are: that hardly differs from
/// run to run.
fn count(name: &str, scenario: &Scenario, change: impl Fn(&mut Scenario, &[f64])) -> Counts {
    let mut changed = scenario.clone();
    let (_, middles) = scenario.run_with_forks(0);
    change(&mut changed, &middles);
    let one = |seed: u64| {
        let answer = changed.run(seed);
        let misses = |row: &&Row| {
            let truth = scenario.truth(&row.contender);
            row.ratio.is_some_and(|ratio| truth < ratio.low || truth > ratio.high)
        };
        let left = answer.rows.iter().filter(|row| has_left(scenario, row));
        let late = answer.rows.iter().filter(|row| is_late(scenario, row));
        Counts {
            runs: 1,
            left_wrongly: usize::from(left.clone().any(|row| times(scenario, row) < STAYS)),
            missed: usize::from(answer.rows.iter().any(|row| misses(&row))),
            wrong: usize::from(is_wrong(scenario, &answer)),
            left: left.count(),
            late: late.count(),
        }
    };
    let each = scenario.each(runs(RUNS), one);
    let sum = |of: fn(&Counts) -> usize| each.iter().map(of).sum();
    let counts = Counts {
        runs: sum(|c| c.runs),
        left_wrongly: sum(|c| c.left_wrongly),
        missed: sum(|c| c.missed),
        wrong: sum(|c| c.wrong),
        left: sum(|c| c.left),
        late: sum(|c| c.late),
    };
    println!("{name}: {counts:?}");
    counts
}

fn unchanged(_: &mut Scenario, _: &[f64]) {}

/// At the margin it is hardest not to leave by chance; far beyond it, staying is a waste.
#[test]
fn who_takes_less_than_half_as_long_again_stays_and_who_takes_twice_as_long_leaves() {
    for (name, world) in [("quiet", quiet()), ("shared", shared_machine())] {
        for (sd, times) in [(0.003, 1.49), (0.05, 1.49), (0.05, 1.3)] {
            let near = scenario(world.clone(), &[times; 5], sd);
            let name = format!("{name}, {times} times, processes {sd}");
            let near = count(&name, &near, unchanged);
            assert!(near.left_wrongly <= at_most(0.02, near.runs), "{name}, {sd}: {near:?}");
            assert!(near.missed <= at_most(0.05, near.runs), "{name}, {sd}: {near:?}");
            assert_eq!(near.wrong, 0, "{name}, {sd}: {near:?}");
        }
        let far = scenario(world, &[2.2, 2.5, 3.0, 4.0, 7.0], 0.013);
        let far = count(&format!("{name}, 2.2 to 7 times"), &far, unchanged);
        assert!(far.left >= at_least(0.9, far.late), "{name}: {far:?}");
        assert!(far.missed <= at_most(0.05, far.runs), "{name}: {far:?}");
        assert_eq!(far.wrong, 0, "{name}: {far:?}");
    }
}

/// Three processes that scatter by a tenth bound nothing, but five do.
#[test]
fn who_scatters_and_takes_twice_as_long_leaves_after_five_forks() {
    for (name, world) in [("quiet", quiet()), ("shared", shared_machine())] {
        let far = scenario(world.clone(), &[2.2, 2.5, 3.0, 4.0, 7.0], 0.1);
        let far = count(&format!("{name}, 2.2 to 7 times, processes 0.1"), &far, unchanged);
        assert!(far.left >= at_least(0.7, far.late), "{name}: {far:?}");
        assert!(far.missed <= at_most(0.05, far.runs), "{name}: {far:?}");
        assert_eq!(far.wrong, 0, "{name}: {far:?}");
        let near = scenario(world, &[1.3; 5], 0.1);
        let near = count(&format!("{name}, 1.3 times, processes 0.1"), &near, unchanged);
        assert!(near.left_wrongly <= at_most(0.02, near.runs), "{name}: {near:?}");
        assert!(near.missed <= at_most(0.05, near.runs), "{name}: {near:?}");
        assert_eq!(near.wrong, 0, "{name}: {near:?}");
    }
}

#[test]
fn code_with_an_interpreter_leaves_by_the_same_rule() {
    for (name, world) in [("quiet", quiet()), ("shared", shared_machine())] {
        let near = interpreted(world.clone(), &[1.49; 5], 0.05);
        let near = count(&format!("{name}, interpreters, 1.49 times"), &near, unchanged);
        assert!(near.left_wrongly <= at_most(0.02, near.runs), "{name}: {near:?}");
        assert!(near.missed <= at_most(0.05, near.runs), "{name}: {near:?}");
        assert_eq!(near.wrong, 0, "{name}: {near:?}");
        let far = interpreted(world, &[2.2, 2.5, 3.0, 4.0, 7.0], 0.013);
        let far = count(&format!("{name}, interpreters, 2.2 to 7 times"), &far, unchanged);
        assert!(far.left >= at_least(0.9, far.late), "{name}: {far:?}");
        assert!(far.missed <= at_most(0.05, far.runs), "{name}: {far:?}");
        assert_eq!(far.wrong, 0, "{name}: {far:?}");
    }
}

/// Three processes may all have the same one of two speeds. With speeds that are up to 1.5 times
/// apart, who left is not the fastest with the other speed either.
#[test]
fn processes_with_two_speeds_make_no_answer_false() {
    for middle in [0.9, 1.2, 1.5] {
        let mut two = scenario(quiet(), &[3.0, middle], 0.003);
        two.two_speeds = 0.2;
        let two = count(&format!("two speeds around {middle}"), &two, unchanged);
        assert_eq!(two.wrong, 0, "{middle}: {two:?}");
    }
}

/// The forks from `first` to `last` take this many times as long.
fn slow(factor: f64, middles: &[f64], first: usize, last: usize) -> Option<Alteration> {
    let between = |fork: usize| (middles[fork - 1] + middles[fork]) / 2.0;
    let from_s = if first == 0 { 0.0 } else { between(first) };
    let until_s = middles.get(last + 1).map(|_| between(last + 1));
    Some(Alteration { factor, from_s, until_s, ..Alteration::default() })
}

/// The baseline, or the fastest, takes another time in the first three forks of the run, or from fork 7 to
/// one of the looks.
#[test]
fn a_step_in_the_forks_before_a_look_makes_no_answer_false() {
    let [first, .., last] = BEFORE_LOOK;
    let until_second = last + BETWEEN_LOOKS;
    let spans = [("of the run", 0, 2), ("to 11", first, last), ("to 13", first, until_second)];
    for (forks, from, to) in spans {
        for (whose, victim) in [("baseline", 0), ("fastest", FASTEST)] {
            for factor in [0.5, 7.0] {
                // One of them is as fast as the fastest, and another is faster.
                let scenario = scenario(quiet(), &[0.9, 1.2, 2.5], 0.013);
                let name = format!("{whose} {factor} times in forks {forks}");
                let counts = count(&name, &scenario, |changed, middles| {
                    changed.contenders[victim].change = slow(factor, middles, from, to);
                });
                assert_eq!(counts.wrong, 0, "{name}: {counts:?}");
                assert!(counts.missed <= at_most(0.05, counts.runs), "{name}: {counts:?}");
            }
        }
    }
}

#[test]
fn one_that_is_slow_in_its_first_fork_only_does_not_leave() {
    let scenario = scenario(quiet(), &[2.5, 1.2], 0.013);
    let victim = scenario.contenders.len() - 1;
    for factor in [1.5, 3.0] {
        let name = format!("{factor} times in its first fork");
        let counts = count(&name, &scenario, |changed, middles| {
            let (first, last) = (BEFORE_LOOK[0], BEFORE_LOOK[0]);
            changed.contenders[victim].change = slow(factor, middles, first, last);
        });
        assert_eq!((counts.left_wrongly, counts.wrong), (0, 0), "{name}: {counts:?}");
    }
}

/// The rows of contenders with a JIT or an interpreter, in a run whose forks from this one on are
/// left out.
fn until(scenario: &Scenario, recorded: &Recorded, fork: usize) -> Vec<Row> {
    let mut part = recorded.clone();
    part.forks.retain(|one| (one.ordinal as usize) < fork);
    let forks: Vec<i64> = part.forks.iter().map(|one| one.id).collect();
    part.rounds.retain(|round| forks.contains(&round.fork));
    part.warm_ups.retain(|warm_up| forks.contains(&warm_up.fork));
    let answer = analyse(&part).comparisons.pop().expect("one comparison");
    answer.rows.into_iter().filter(|row| is_late(scenario, row)).collect()
}

#[test]
fn one_whose_forks_come_late_is_not_measured_yet_or_had_no_time() {
    let scenario = scenario(quiet(), &[2.5], 0.013);
    let mut recorded = scenario.recorded(1);
    let reasons = |recorded: &Recorded, fork: usize| -> Vec<Option<String>> {
        until(&scenario, recorded, fork).into_iter().map(|row| row.reason).collect()
    };
    assert_eq!(reasons(&recorded, BEFORE_LOOK[0] + 1), [None], "it has a fork");
    let late = reasons(&recorded, BEFORE_LOOK[0]);
    assert_eq!(late, [Some("no time was left for its first fork".to_string())]);
    recorded.run.finished = None;
    let late = reasons(&recorded, BEFORE_LOOK[0]);
    assert_eq!(late, [Some("its first fork is not measured yet".to_string())]);
    // Its process is ready, and no round has begun.
    recorded.rounds.clear();
    let late = reasons(&recorded, BEFORE_LOOK[0] + 1);
    assert_eq!(late, [Some("its first round is not measured yet".to_string())]);
}

/// Forks that no contender needs are not lost for lack of time.
#[test]
fn only_forks_that_did_not_fit_into_a_time_are_said_to_be_lost() {
    let mut scenario = scenario(quiet(), &[2.5], 0.013);
    let mut recorded_within = |limit: Option<f64>| {
        scenario.options.within = limit.map(|_| Duration::from_secs(60));
        scenario.options.limit = limit.map(Duration::from_secs_f64);
        scenario.recorded(1)
    };
    let said = |recorded: &Recorded| match cupel_findings::forks(recorded) {
        Said::Forks { forks, within_s, .. } => (forks, within_s),
        other => panic!("{other:?}"),
    };
    let (all, unlimited) = said(&recorded_within(None));
    assert_eq!(unlimited, None);
    assert_eq!(said(&recorded_within(Some(1000.0))), (all, None), "it has the time");
    let (few, short) = said(&recorded_within(Some(0.5)));
    assert!(few < all, "{few} of {all}");
    assert_eq!(short, Some(60.0));
}

/// Every third slice is interrupted, as next to busy loops, and code with a JIT takes seconds until
/// it is warm.
fn busy_with_late_code(compile_ms: f64) -> Scenario {
    let world = World { contamination: 0.3, ..quiet() };
    let mut scenario = scenario(world, &[1.6, 2.5], 0.013);
    let tiers = vec![Tier { slow_factor: 3.0, calls: 1000, compile_ms }];
    for contender in scenario.contenders.iter_mut().filter(|one| one.jit.is_some()) {
        contender.jit = Some(Jit { tiers: tiers.clone(), ..Jit::default() });
    }
    scenario
}

/// The time ends a run in its second fork with a JIT.
fn end_in_second(scenario: &mut Scenario, middles: &[f64]) {
    scenario.options.within = Some(Duration::from_secs(60));
    scenario.options.limit = Some(Duration::from_secs_f64(middles[BEFORE_LOOK[1]]));
}

#[test]
fn where_time_is_short_the_others_have_their_eleven_forks_without_code_with_a_jit() {
    let mut scenario = busy_with_late_code(4000.0);
    let (_, middles) = scenario.run_with_forks(1);
    end_in_second(&mut scenario, &middles);
    let recorded = scenario.recorded(1);
    let forks_of = |place: usize| {
        let own = |cell: usize| {
            let cell = &recorded.plan.cells[cell];
            cell.contender == place && !cell.control
        };
        recorded.warm_ups.iter().filter(|warm_up| own(warm_up.cell)).count()
    };
    let forks: Vec<usize> = (0..scenario.contenders.len()).map(forks_of).collect();
    assert_eq!(forks, [11, 11, 11, 11, 1, 1]);
    assert!(recorded.circumstances.time_over, "it is said");
}

#[test]
fn no_answer_is_false_where_code_with_a_jit_has_too_little_time() {
    let counts = count("busy, no time for a JIT", &busy_with_late_code(300.0), end_in_second);
    assert_eq!(counts.wrong, 0, "{counts:?}");
    assert!(counts.missed <= at_most(0.05, counts.runs), "{counts:?}");
}

#[test]
fn a_run_says_how_many_forks_were_asked_for_once_it_has_ended() {
    let mut recorded = scenario(quiet(), &[2.5], 0.013).recorded(1);
    let of = |recorded: &Recorded| match cupel_findings::forks(recorded) {
        Said::Forks { of, .. } => of,
        other => panic!("{other:?}"),
    };
    assert_eq!(of(&recorded), 24, "the plan's");
    recorded.circumstances.forks_asked = Some(30);
    assert_eq!(of(&recorded), 30, "the budget cut them");
    recorded.run.finished = None;
    assert_eq!(of(&recorded), 24, "it may go on, with the forks of its plan");
}
