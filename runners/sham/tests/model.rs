//! The simulated machine follows the script, and the same each time.

use cupel_sham::model::{Machine, RESOLUTION_NS};
use cupel_sham::script::{Bursts, Contender, Script, Swing, WarmUp, World};

/// Two contenders of 1 us per call, on this machine.
fn script(world: World) -> Script {
    let contender =
        |name: &str| Contender { name: name.into(), fixed_ns: 1000.0, ..Contender::default() };
    Script { seed: 5, world, contenders: vec![contender("a"), contender("b")] }
}

/// Relative times of `count` slices of 2 ms, by both contenders in turn.
fn rounds(script: &Script, fork: u64, count: usize) -> Vec<[f64; 2]> {
    let mut machine = Machine::new(script, fork);
    let mut slice = |contender| machine.slice(contender, 0, 10, 2000).0 / 2e6;
    (0..count).map(|_| [slice(0), slice(1)]).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn lag(values: &[f64], by: usize) -> f64 {
    let mean = mean(values);
    let off: Vec<f64> = values.iter().map(|v| v - mean).collect();
    let product = |by: usize| off.iter().zip(&off[by..]).map(|(a, b)| a * b).sum::<f64>();
    product(by) / product(0)
}

#[test]
fn a_quiet_machine_gives_the_true_cost() {
    let contender = Contender { fixed_ns: 100.0, per_byte_ns: 0.5, ..Contender::default() };
    let script = Script { contenders: vec![contender], ..Script::default() };
    let (elapsed_ns, noise) = Machine::new(&script, 1).slice(0, 64, 5, 1000);
    assert_eq!(elapsed_ns, 132_000.0);
    assert_eq!((noise.involuntary, noise.wait_ns, noise.cpu_ns), (Some(0), Some(0), Some(132_000)));
    let (short_ns, _) = Machine::new(&script, 1).slice(0, 0, 0, 1);
    assert_eq!(short_ns % RESOLUTION_NS, 0.0);
}

#[test]
fn pre_roll_and_overhead_pass_and_are_not_timed() {
    let mut machine = Machine::new(&script(World { overhead_us: 7.0, ..World::default() }), 0);
    let (elapsed_ns, _) = machine.slice(0, 0, 10, 20);
    assert_eq!(elapsed_ns, 20_000.0);
    assert_eq!(machine.now_ns(), 10_000.0 + 20_000.0 + 7_000.0);
}

#[test]
fn noise_has_the_spread_and_the_correlation_of_the_script() {
    for autocorrelation in [0.0, 0.6] {
        let world = World { noise_sd: 0.02, autocorrelation, ..World::default() };
        let logs: Vec<f64> =
            rounds(&script(world), 1, 20_000).iter().map(|[a, _]| a.ln()).collect();
        let sd = mean(&logs.iter().map(|x| x * x).collect::<Vec<_>>()).sqrt();
        assert!((sd - 0.02).abs() < 0.001, "sd {sd}");
        assert!(mean(&logs).abs() < 0.001, "the median factor is 1: {}", mean(&logs));
        assert!((lag(&logs, 1) - autocorrelation).abs() < 0.03, "{}", lag(&logs, 1));
        let square = autocorrelation * autocorrelation;
        assert!((lag(&logs, 2) - square).abs() < 0.03, "{}", lag(&logs, 2));
    }
}

#[test]
fn the_two_contenders_of_a_round_have_their_own_noise() {
    let world = World { noise_sd: 0.02, ..World::default() };
    let products: Vec<f64> =
        rounds(&script(world), 1, 20_000).iter().map(|[a, b]| a.ln() * b.ln()).collect();
    assert!(mean(&products).abs() < 0.05 * 0.02 * 0.02, "{}", mean(&products));
}

#[test]
fn equal_seeds_give_equal_runs_and_others_do_not() {
    let world = World {
        noise_sd: 0.02,
        bursts: Bursts { per_s: 5.0, ..Bursts::default() },
        ..World::default()
    };
    let script = script(world);
    assert_eq!(rounds(&script, 1, 500), rounds(&script, 1, 500));
    assert_ne!(rounds(&script, 1, 500), rounds(&script, 2, 500));
    assert_ne!(rounds(&script, 1, 500), rounds(&Script { seed: 6, ..script.clone() }, 1, 500));
}

#[test]
fn bursts_take_their_share_of_the_time_at_their_factors() {
    let bursts = Bursts { per_s: 2.0, mean_ms: 300.0, factor_low: 1.6, factor_high: 2.0 };
    let script = script(World { bursts, overhead_us: 0.0, ..World::default() });
    let slices: Vec<f64> = rounds(&script, 1, 100_000).into_iter().flatten().collect();
    assert!(slices.iter().all(|&t| (0.999..=2.0).contains(&t)));
    // Quiet 500 ms, then 300 ms of a burst: 3/8 of the time.
    let slowed: f64 = slices.iter().filter(|&&t| t > 1.5).sum();
    let share = slowed / slices.iter().sum::<f64>();
    assert!((share - 0.375).abs() < 0.03, "{share}");
    let whole: Vec<f64> = slices.iter().copied().filter(|&t| t >= 1.6).collect();
    assert!((mean(&whole) - 1.8).abs() < 0.02, "{}", mean(&whole));
    let partly = slices.iter().filter(|&&t| t > 1.001 && t < 1.599).count();
    assert!(partly > 100, "a burst begins in the middle of a slice, too: {partly}");
}

#[test]
fn a_burst_slows_the_part_of_a_slice_that_it_covers() {
    let bursts = Bursts { per_s: 1.0, mean_ms: 1e4, factor_low: 2.0, factor_high: 2.0 };
    let script = script(World { bursts, overhead_us: 0.0, ..World::default() });
    // Slices of one call show the moment at which the burst begins.
    let mut machine = Machine::new(&script, 0);
    while machine.slice(0, 0, 0, 1).0 < 2000.0 {}
    let begins_ns = machine.now_ns() - 2000.0;
    let calls = (begins_ns / 1000.0) as u64;
    let mut machine = Machine::new(&script, 0);
    let (elapsed_ns, _) = machine.slice(0, 0, 0, calls + 1000);
    let expected_ns = begins_ns + 1000.0 * 2000.0;
    assert!((elapsed_ns - expected_ns).abs() < 4000.0, "{elapsed_ns} {expected_ns}");
}

#[test]
fn one_long_slice_takes_the_time_of_many_short_ones() {
    let bursts = Bursts { per_s: 20.0, mean_ms: 50.0, ..Bursts::default() };
    let script = script(World { bursts, overhead_us: 0.0, ..World::default() });
    let (mut long, mut short) = (Machine::new(&script, 0), Machine::new(&script, 0));
    long.slice(0, 0, 0, 1_000_000);
    for _ in 0..1000 {
        short.slice(0, 0, 0, 1000);
    }
    assert!(long.now_ns() > 1.2e9, "several bursts lie in it: {}", long.now_ns());
    assert!((long.now_ns() - short.now_ns()).abs() < 1e3, "{} {}", long.now_ns(), short.now_ns());
}

#[test]
fn bursts_belong_to_the_time_and_not_to_the_process_or_the_fork() {
    let bursts = Bursts { per_s: 5.0, mean_ms: 100.0, ..Bursts::default() };
    let script = script(World { bursts, ..World::default() });
    let at_moments = |fork: u64, contender: usize, moments: &mut dyn Iterator<Item = u32>| {
        let mut machine = Machine::new(&script, fork);
        let mut took = vec![0.0; 1000];
        for at in moments {
            machine.set_now_ns(f64::from(at) * 3e6);
            took[at as usize] = machine.slice(contender, 0, 0, 100).0;
        }
        took
    };
    let forward = at_moments(1, 0, &mut (0..1000));
    assert_eq!(forward, at_moments(2, 1, &mut (0..1000)));
    // Also backwards: a clock's file may be set back to the beginning.
    assert_eq!(forward, at_moments(2, 1, &mut (0..1000).rev()));
    let slowed = forward.iter().filter(|&&took| took > 150_000.0).count();
    assert!((100..700).contains(&slowed), "{slowed}");
}

#[test]
fn drift_and_swing_change_all_times_alike() {
    let swing = Swing { amplitude: 0.1, period_s: 40.0 };
    let script = script(World { drift_per_s: 0.01, swing, ..World::default() });
    for (at_s, factor) in [(0.0, 1.0), (10.0, 1.01_f64.powi(10) * 0.1_f64.exp())] {
        for contender in [0, 1] {
            let mut machine = Machine::new(&script, 3);
            machine.set_now_ns(at_s * 1e9);
            let relative = machine.slice(contender, 0, 0, 1000).0 / 1e6;
            assert!((relative / factor - 1.0).abs() < 1e-4, "{at_s} s: {relative}");
        }
    }
}

#[test]
fn a_contender_is_slow_until_it_has_run_long_enough_itself() {
    let mut script = script(World { overhead_us: 0.0, ..World::default() });
    script.contenders[0].warm_up = WarmUp { slow_factor: 3.0, for_ms: 9.0, ..WarmUp::default() };
    let mut machine = Machine::new(&script, 0);
    // The other contender's time does not warm it.
    assert_eq!(machine.slice(1, 0, 0, 50_000).0, 50e6);
    assert_eq!(machine.slice(0, 0, 0, 2000).0, 6e6);
    assert!(!machine.is_warm(0));
    // 3 ms of slowness remain: 1000 calls of 3 us, then 1000 of 1 us.
    assert_eq!(machine.slice(0, 0, 0, 2000).0, 4e6);
    assert!(machine.is_warm(0));
    assert_eq!(machine.slice(0, 0, 0, 2000).0, 2e6);
}

#[test]
fn a_contender_drifts_from_its_own_first_slice() {
    let mut script = script(World { overhead_us: 0.0, ..World::default() });
    script.contenders[0].drift_per_s = 0.05;
    let mut machine = Machine::new(&script, 0);
    machine.set_now_ns(100e9);
    assert_eq!(machine.slice(0, 0, 0, 1000).0, 1e6);
    machine.set_now_ns(102e9);
    let relative = machine.slice(0, 0, 0, 1000).0 / 1e6;
    assert!((relative - 1.05 * 1.05).abs() < 1e-3, "{relative}");
    assert_eq!(machine.slice(1, 0, 0, 1000).0, 1e6);
}

#[test]
fn each_fork_has_an_offset_of_its_own_that_lasts() {
    let mut script = script(World::default());
    script.contenders[0].fork_sd = 0.03;
    let mut logs = Vec::new();
    for fork in 0..2000 {
        let rounds = rounds(&script, fork, 2);
        assert!((rounds[0][0] - rounds[1][0]).abs() < 1e-4);
        assert!((rounds[0][1] - 1.0).abs() < 1e-4);
        logs.push(rounds[0][0].ln());
    }
    let sd = mean(&logs.iter().map(|x| x * x).collect::<Vec<_>>()).sqrt();
    assert!((sd - 0.03).abs() < 0.003, "{sd}");
}

#[test]
fn two_processes_on_one_clock_share_neither_offset_nor_noise() {
    let mut script = script(World { noise_sd: 0.01, ..World::default() });
    script.contenders[0].fork_sd = 0.03;
    let (mut one, mut other) = (Machine::new(&script, 1), Machine::new(&script, 1));
    let first = one.slice(0, 0, 0, 1000).0;
    other.set_now_ns(one.now_ns());
    assert_ne!(first, other.slice(0, 0, 0, 1000).0);
}

#[test]
fn a_contaminated_slice_says_so_and_holds_its_wait() {
    let script = script(World { contamination: 0.2, ..World::default() });
    let mut machine = Machine::new(&script, 0);
    let mut hit = 0;
    for _ in 0..5000 {
        let (elapsed_ns, noise) = machine.slice(0, 0, 0, 2000);
        let wait_ns = noise.wait_ns.unwrap() as f64;
        assert!((elapsed_ns - 2e6 - wait_ns).abs() <= RESOLUTION_NS, "{elapsed_ns} {wait_ns}");
        assert!(noise.cpu_ns.unwrap().abs_diff(2_000_000) <= 1);
        assert_eq!(noise.involuntary.unwrap() > 0, wait_ns > 0.0);
        hit += noise.involuntary.unwrap();
    }
    assert!((900..1100).contains(&hit), "{hit}");
}
