//! Values computed by other means: with SciPy 1.17 and NumPy 2.4, unless stated otherwise.

mod support;

use cupel_stats::dependence::inefficiency;
use cupel_stats::eprocess::{confidence_sequence, ln_e_value};
use cupel_stats::line::{Line, crossover, fit};
use cupel_stats::quantile::{median, median_interval, quantile};
use cupel_stats::size::{iterations, stretch};
use cupel_stats::spread::{Spread, pool};
use cupel_stats::steadiness::{Steadiness, steadiness, steadiness_within};
use cupel_stats::verdict::{ENOUGH_FORKS, Verdict, verdict};
use cupel_stats::warmup::{Detector, State};
use cupel_stats::{Interval, Side};
use cupel_stats::{Pair, compare};
use support::{Random, alone};

fn near(got: f64, expected: f64) {
    let scale = expected.abs().max(1.0);
    assert!((got - expected).abs() <= 1e-9 * scale, "got {got}, expected {expected}");
}

fn count(n: u32) -> Vec<f64> {
    (1..=n).map(f64::from).collect()
}

/// `numpy.quantile`, whose default is type 7.
#[test]
fn quantiles_are_of_type_7() {
    let xs = [2.3, -1.0, 0.5, 7.25, 3.5, 0.5, 10.0];
    for (q, expected) in
        [(0.0, -1.0), (0.1, -0.1), (0.25, 0.5), (0.5, 2.3), (0.9, 8.35), (1.0, 10.0)]
    {
        near(quantile(&xs, q), expected);
    }
    near(median(&[4.0, 1.0, 2.0, 8.0]), 3.0);
    assert!(median(&[]).is_nan());
}

/// Ranks of the ends by `scipy.stats.binom.cdf(k - 1, n, 0.5) <= alpha / 2`.
#[test]
fn median_intervals_end_on_the_binomial_ranks() {
    for (n, alpha, rank) in
        [(6, 0.05, 1), (20, 0.05, 6), (40, 0.05, 14), (100, 0.05, 40), (180, 0.025, 75)]
    {
        let expected = Interval { low: f64::from(rank), high: f64::from(n + 1 - rank) };
        assert_eq!(median_interval(&count(n), alpha), expected);
    }
    assert_eq!(median_interval(&count(5), 0.05), Interval::EVERYTHING);
    assert_eq!(median_interval(&[], 0.05), Interval::EVERYTHING);
}

/// `total * log(2) + scipy.special.betaln(positive + 1, total - positive + 1)`.
#[test]
fn e_values_are_those_of_the_beta_mixture() {
    near(ln_e_value(0, 0), 0.0);
    near(ln_e_value(8, 8), 3.347952867143343);
    near(ln_e_value(3, 20), 3.779637632086942);
    near(ln_e_value(90, 180), -2.3748383714313377);
    near(ln_e_value(500, 2000), 257.9052516494128);
}

#[test]
fn eight_one_sided_rounds_suffice_and_seven_do_not() {
    assert!(ln_e_value(8, 8) >= 20_f64.ln());
    assert!(ln_e_value(7, 7) < 20_f64.ln());
    assert_eq!(confidence_sequence(&count(7), 0.05, 1.0), Interval::EVERYTHING);
    assert_eq!(confidence_sequence(&count(8), 0.05, 1.0), Interval { low: 1.0, high: 8.0 });
}

/// Ranks found by stepping through the e-values in Python.
#[test]
fn confidence_sequences_end_on_the_ranks_of_the_e_process() {
    for (n, alpha, rank) in
        [(20, 0.05, 4), (40, 0.025, 10), (100, 0.05, 35), (180, 0.025, 67), (180, 0.05 / 240.0, 59)]
    {
        let expected = Interval { low: f64::from(rank), high: f64::from(n + 1 - rank) };
        assert_eq!(confidence_sequence(&count(n), alpha, 1.0), expected, "{n} values at {alpha}");
    }
}

/// Values on one side of a shift do not rule it out if other values lie on it.
#[test]
fn ties_do_not_rule_out_a_median() {
    let mut xs = vec![0.0; 60];
    xs.extend([1.0; 40]);
    assert!(confidence_sequence(&xs, 0.05, 1.0).contains(0.0));
    assert_eq!(confidence_sequence(&[0.0; 10], 0.05, 1.0), Interval { low: 0.0, high: 0.0 });
}

/// `scipy.stats.rankdata`; autocovariances, their pairs and the sum by hand in Python.
#[test]
fn the_inefficiency_is_that_of_ranks() {
    let xs = [3.0, 1.0, 4.0, 2.0, 5.0, 9.0, 7.0, 6.0, 8.0, 10.0, 12.0, 11.0];
    near(inefficiency(&[xs]), INEFFICIENCY);
    let burst = xs.map(|x| if x == 12.0 { 1200.0 } else { x });
    near(inefficiency(&[burst]), INEFFICIENCY);
    // A step between two forks is not a dependence within either.
    near(inefficiency(&[xs, xs.map(|x| x + 50.0)]), INEFFICIENCY);
}

const INEFFICIENCY: f64 = 3.370629370629371;

#[test]
fn what_is_equal_alternates_or_is_not_there_counts_singly() {
    let alternating: Vec<f64> = (0..30).map(|i| f64::from(i % 2)).collect();
    for xs in [vec![], vec![4.0], vec![1.0; 9], alternating] {
        near(inefficiency(&[xs]), 1.0);
    }
    near(inefficiency::<Vec<f64>>(&[]), 1.0);
}

/// Five times as many rounds, of which five count as one, give the same quantiles as bounds.
#[test]
fn rounds_that_count_as_one_widen_the_sequence_as_if_they_were_fewer() {
    let bounds = confidence_sequence(&count(100), 0.05, 5.0);
    assert_eq!(bounds, Interval { low: 18.0, high: 83.0 });
    assert_eq!(confidence_sequence(&count(20), 0.05, 1.0), Interval { low: 4.0, high: 17.0 });
}

/// Forks at 0 and at 0.1 without noise: the spread is 0.005 (the variance of 0 and 0.1) with one
/// degree, and with the prior (3 * 0.001 + 0.005) / 4 = 0.002 with four, but not below the pair's
/// own. At alpha 0.05 for 10 comparisons, half of it: `scipy.stats.t.ppf(1 - 0.00125, 4)`. Twenty
/// values in each fork: the e-process at 0.0025 contains both levels.
#[test]
fn a_comparison_adds_the_moderated_spread_of_forks() {
    let (a, b) = ([0.0; 20], [0.1; 20]);
    let pair = Pair { forks: vec![&a, &b] };
    let compared = compare(&pair, 0.05, 10, &Spread { variance: 0.001, df: 3.0 });
    near(compared.estimate, 0.05);
    near(compared.between_sd, 0.005_f64.sqrt());
    near(compared.interval.low, -T_4 * (0.005_f64 / 2.0).sqrt());
    near(compared.interval.high, 0.1 + T_4 * (0.005_f64 / 2.0).sqrt());
    assert_eq!((compared.forks, compared.rounds, compared.inefficiency), (2, 40, 1.0));

    // A prior above the pair's own spread: (3 * 0.01 + 0.005) / 4.
    let compared = compare(&pair, 0.05, 10, &Spread { variance: 0.01, df: 3.0 });
    near(compared.between_sd, 0.008_75_f64.sqrt());
}

const T_4: f64 = 6.758252832704313;

#[test]
fn one_fork_rests_on_the_prior_alone() {
    let only: Vec<f64> = (0..50).map(|i| f64::from(i * 17 % 50)).collect();
    let pair = Pair { forks: vec![&only[..]] };
    let unknown = compare(&pair, 0.05, 1, &Spread { variance: 0.0, df: 0.0 });
    assert_eq!(unknown.interval, Interval::EVERYTHING);
    let known = compare(&pair, 0.05, 1, &Spread { variance: 4.0, df: 4.0 });
    near(known.between_sd, 2.0);
    assert!(known.interval.half_width().is_finite());
    assert!(
        compare(&Pair::default(), 0.05, 1, &Spread { variance: 1.0, df: 9.0 }).estimate.is_nan()
    );
}

/// A ratio that rises through a whole fork has no meaningful median, however many rounds there are.
/// A fork without rounds does not change that.
#[test]
fn rounds_that_hang_together_are_worth_little() {
    let rising = count(50);
    let prior = Spread { variance: 0.0, df: 5.0 };
    for forks in [vec![&rising[..]], vec![&rising[..], &[]]] {
        let compared = compare(&Pair { forks }, 0.05, 1, &prior);
        assert_eq!(compared.interval, Interval::EVERYTHING);
        assert_eq!((compared.forks, compared.rounds), (1, 50));
        assert!(compared.inefficiency > 10.0);
    }
}

/// Medians 1.5 and 3.5: variance 2 with one degree, from which nothing is subtracted. Three forks
/// have two degrees; medians 1.5, 3.5 and 5.5 have variance 4, minus what eight rounds with a
/// median deviation of 1 explain: `pi / 2 * 1.4826^2 / 8`.
#[test]
fn what_rounds_explain_is_taken_off_from_three_forks_on() {
    let forks: Vec<[f64; 8]> = (0..3)
        .map(|f| [0.0, 3.0, 1.0, 2.0, 0.0, 3.0, 1.0, 2.0].map(|x| x + 2.0 * f64::from(f)))
        .collect();
    let nothing = Spread { variance: 0.0, df: 0.0 };
    let spread = |n: usize| {
        let forks = forks[..n].iter().map(|f| &f[..]).collect();
        compare(&Pair { forks }, 0.05, 1, &nothing).between_sd
    };
    near(spread(2), 2_f64.sqrt());
    near(
        spread(3),
        (4.0 - std::f64::consts::FRAC_PI_2 * 1.482602218505602_f64.powi(2) / 8.0).sqrt(),
    );
}

/// Fourteen forks of 1 to 4, four times, and one of 101 to 104. The scale of all 240 rounds together is
/// 1.4826 (their median is 3, their median deviation 1). The mean signs about 3 are fourteen times
/// -1/4 (two below, one above) and once 1. Their variance is 5/48, with fourteen degrees; the signs
/// themselves explain (1 - 1/16) / 16 in each of the fourteen.
#[test]
fn one_fork_that_lies_far_off_counts_as_far_as_it_moves_the_median() {
    let inside = [1.0, 3.0, 2.0, 4.0, 1.0, 3.0, 2.0, 4.0, 1.0, 3.0, 2.0, 4.0, 1.0, 3.0, 2.0, 4.0];
    let outside = inside.map(|x| x + 100.0);
    let mut forks = vec![&inside[..]; 14];
    forks.push(&outside);
    let nothing = Spread { variance: 0.0, df: 0.0 };
    let spread =
        |forks: &[&[f64]]| compare(&Pair { forks: forks.to_vec() }, 0.05, 1, &nothing).between_sd;
    let unit = std::f64::consts::FRAC_PI_2 * 1.482602218505602_f64.powi(2);
    let expected = (unit * (5.0 / 48.0 - 14.0 / 15.0 * 0.05859375)).sqrt();
    near(spread(&forks), expected);

    // Ten times as distant makes no difference.
    let further = inside.map(|x| x + 1000.0);
    *forks.last_mut().unwrap() = &further;
    near(spread(&forks), expected);

    // Two distant forks are not strays, thirteen forks are too few to tell, and a long fork does not set
    // the scale of others.
    assert!(spread(&[&forks[1..], &[&further]].concat()) > 100.0);
    assert!(spread(&forks[2..]) > 100.0);
    let long = inside.repeat(20);
    *forks.first_mut().unwrap() = &long;
    assert!(spread(&forks) > 100.0);
}

/// A fork of three rounds counts in the sequence, but not in the spread.
#[test]
fn a_fork_of_few_rounds_is_not_part_of_the_spread() {
    let (a, b, c) = ([0.0; 20], [0.0; 20], [5.0; 3]);
    let pair = Pair { forks: vec![&a, &b, &c] };
    let compared = compare(&pair, 0.05, 1, &Spread { variance: 0.0, df: 5.0 });
    near(compared.between_sd, 0.0);
    assert_eq!((compared.forks, compared.rounds), (3, 43));
}

/// Fork effects with standard deviation 0.02, and no noise within. Many pairs give a prior of about
/// that spread (of `s0^2 d0 / (d0 - 2)`, the mean of a scaled inverse chi-square); one pair gives
/// none.
#[test]
fn the_prior_needs_pairs_and_finds_their_spread() {
    let mut random = Random(3);
    let forks: Vec<[f64; 8]> = (0..3000).map(|_| [0.02 * random.normal(); 8]).collect();
    let pairs: Vec<Pair> =
        forks.chunks(3).map(|c| Pair { forks: c.iter().map(|f| &f[..]).collect() }).collect();
    let prior = pool(&alone(&pairs));
    let sd = (prior.variance * prior.df / (prior.df - 2.0)).sqrt();
    assert!((0.019..0.021).contains(&sd), "spread {sd}");
    assert!(prior.df > 10.0 && prior.df <= 1998.0, "degrees {}", prior.df);
    assert_eq!(pool(&alone(&pairs[..1])).df, 0.0);
    assert!(pool(&alone(&pairs[..2])).df <= 2.0);

    // Pairs with one baseline repeat its effect: together they show little more than four pairs.
    let shared = pool(&[&pairs]);
    assert_eq!(shared.variance, prior.variance);
    assert!((5.0..6.0).contains(&shared.df), "degrees {}", shared.df);

    // Half of the pairs spread fifty times as far: one pair then says little about another.
    let mixed: Vec<[f64; 8]> = forks
        .iter()
        .enumerate()
        .map(|(i, f)| f.map(|x| if (i / 3) % 2 == 0 { 50.0 * x } else { x }))
        .collect();
    let pairs: Vec<Pair> =
        mixed.chunks(3).map(|c| Pair { forks: c.iter().map(|f| &f[..]).collect() }).collect();
    assert!(pool(&alone(&pairs)).df < 2.0, "degrees {}", pool(&alone(&pairs)).df);
}

#[test]
fn a_verdict_needs_the_whole_interval_beyond_tie_zone_and_floor() {
    let interval = |low, high| Interval { low, high };
    assert_eq!(verdict(&interval(0.021, 0.05), ENOUGH_FORKS, 0.02, 0.0), Verdict::Slower);
    assert_eq!(verdict(&interval(-0.05, -0.021), ENOUGH_FORKS, 0.02, 0.0), Verdict::Faster);
    assert_eq!(verdict(&interval(0.019, 0.05), ENOUGH_FORKS, 0.02, 0.0), Verdict::NotSeparated);
    assert_eq!(verdict(&interval(0.021, 0.05), ENOUGH_FORKS, 0.02, 0.03), Verdict::NotSeparated);
    assert_eq!(verdict(&interval(-0.05, 0.05), ENOUGH_FORKS, 0.02, 0.0), Verdict::NotSeparated);
    // ln 1.02 is 0.0198, not 0.02.
    assert_eq!(verdict(&interval(0.0199, 0.05), ENOUGH_FORKS, 0.02, 0.0), Verdict::Slower);
    assert_eq!(
        verdict(&interval(f64::NAN, f64::NAN), ENOUGH_FORKS, 0.02, 0.0),
        Verdict::NotSeparated
    );
    assert_eq!(verdict(&Interval::EVERYTHING, ENOUGH_FORKS, 0.02, 0.0), Verdict::NotSeparated);
}

#[test]
fn intervals_meet_widen_and_exclude() {
    let a = Interval { low: 1.0, high: 3.0 };
    assert_eq!(
        a.intersect(&Interval { low: 2.0, high: 9.0 }),
        Some(Interval { low: 2.0, high: 3.0 })
    );
    assert_eq!(a.intersect(&Interval { low: 4.0, high: 9.0 }), None);
    assert_eq!(a.widen(0.5), Interval { low: 0.5, high: 3.5 });
    assert_eq!((a.half_width(), a.excludes(0.5), a.excludes(1.0)), (1.0, Some(Side::Above), None));
    assert_eq!(Interval { low: -3.0, high: -1.0 }.excludes(0.5), Some(Side::Below));
    assert!(a.contains(1.0) && a.contains(3.0) && !a.contains(3.1));
    near(Interval { low: 0.0, high: 1.0 }.exp().high, std::f64::consts::E);
}

#[test]
fn a_slice_is_long_for_the_clock_and_for_the_target() {
    assert_eq!(iterations(400.0, 30.0, 2e6), 5000);
    assert_eq!(iterations(400.0, 30_000.0, 2e6), 75_000);
    assert_eq!(iterations(5e9, 30.0, 2e6), 1);
    assert_eq!(iterations(0.0, 30.0, 2e6), 200_000_000);
    assert_eq!(
        (stretch(1000, 0), stretch(1000, u64::MAX / 2), stretch(1000, u64::MAX)),
        (1000, 1100, 1200)
    );
    assert_eq!((stretch(1, u64::MAX), stretch(u64::MAX, u64::MAX)), (1, u64::MAX));
}

/// The averages start together. A constant time settles after 40 comparisons, once the minimum time
/// is over. With a fall from 1.08 to 1 after the first five slices, by hand: fast and slow are `1 +
/// 0.08 * 0.9^n` and `1 + 0.08 * 0.995^n`; their ratio is within 4 % from n = 131 on. A fall from
/// 50 to 1 is remembered as one from 1.1, once the fast average has forgotten it. Two slow slices
/// among the first five are forgotten at once.
#[test]
fn warm_up_ends_when_the_averages_have_met_for_forty_slices() {
    let settled = |times: &mut dyn Iterator<Item = f64>, min, max| {
        let mut detector = Detector::new(min, max);
        times.map(|t| detector.push(t, 1.0)).enumerate().find(|(_, s)| *s != State::Warming)
    };
    assert_eq!(settled(&mut std::iter::repeat_n(5.0, 2000), 0.0, 1e9), Some((40, State::Settled)));
    assert_eq!(
        settled(&mut std::iter::repeat_n(5.0, 2000), 250.0, 1e9),
        Some((249, State::Settled))
    );
    let falling = || std::iter::repeat_n(1.08, 5).chain(std::iter::repeat_n(1.0, 2000));
    let average = |share: f64, n| 1.0 + 0.08 * share.powi(n);
    let met = (0..).find(|&n| average(0.9, n) / average(0.995, n) > 0.96 && n > 40);
    let met = usize::try_from(met.unwrap()).unwrap();
    assert_eq!(settled(&mut falling(), 0.0, 1e9), Some((4 + met + 39, State::Settled)));
    assert_eq!(settled(&mut falling(), 0.0, 150.0), Some((149, State::GaveUp)));
    let mut far = std::iter::repeat_n(50.0, 5).chain(std::iter::repeat_n(1.0, 2000));
    let (slices, state) = settled(&mut far, 0.0, 1e9).unwrap();
    assert!(state == State::Settled && (250..350).contains(&slices), "{slices}");
    let mut hit = [2.0, 2.0].into_iter().chain(std::iter::repeat_n(1.0, 2000));
    assert_eq!(settled(&mut hit, 0.0, 1e9), Some((40, State::Settled)));
    // Forty slices in a row, not forty in total: with a spike in every thirty, it never settles.
    let mut spikes = (0..2000).map(|i| if i % 30 == 29 { 3.0 } else { 1.0 });
    assert_eq!(settled(&mut spikes, 0.0, 2000.0), Some((1999, State::GaveUp)));
}

/// Levels with a small fixed noise added, in percent of time.
fn levels(levels: &[(usize, f64)]) -> Vec<f64> {
    let flat = levels.iter().flat_map(|&(n, percent)| std::iter::repeat_n(percent, n));
    flat.enumerate().map(|(i, p)| p.mul_add(0.01, 0.004 * (i as f64 * 2.4).sin())).collect()
}

#[test]
fn forks_are_classed_by_where_they_end() {
    for (expected, series) in [
        (Steadiness::Flat, levels(&[(100, 0.0)])),
        (Steadiness::Flat, levels(&[(50, 0.0), (50, 1.5)])),
        (Steadiness::Flat, levels(&[(50, 0.0), (3, 60.0), (50, 0.0)])),
        (Steadiness::Flat, levels(&[(6, 0.0)])),
        (Steadiness::Flat, Vec::new()),
        (Steadiness::Flat, vec![0.25; 40]),
        (Steadiness::Warming, levels(&[(30, 8.0), (70, 0.0)])),
        (Steadiness::Warming, levels(&[(15, 30.0), (25, 8.0), (60, 0.0)])),
        (Steadiness::Slowing, levels(&[(30, 0.0), (70, 5.0)])),
        (Steadiness::Slowing, levels(&[(20, 20.0), (30, 0.0), (50, 5.0)])),
        (Steadiness::Unsettled, levels(&[(85, 5.0), (15, 0.0)])),
        (Steadiness::Unsettled, levels(&[(40, 0.0), (20, 60.0), (40, 0.0)])),
    ] {
        assert_eq!(steadiness(&series), expected, "{series:?}");
    }
    // A long series has fewer candidate positions for a change, and gives the same answer.
    let long: Vec<f64> = (0..7001).map(|i| if i < 3000 { 0.05 } else { 0.0 }).collect();
    assert_eq!(steadiness(&long), Steadiness::Warming);
    let step = levels(&[(50, 1.5), (50, 0.0)]);
    assert_eq!(steadiness_within(&step, 0.01), Steadiness::Warming);
    assert_eq!(format!("{:>8}", Steadiness::Warming), " warming");
}

#[test]
fn a_line_survives_a_cliff() {
    let mut points: Vec<(f64, f64)> =
        [0.0, 16.0, 64.0, 1024.0, 8192.0, 16384.0].map(|n| (n, 100.0 + 2.5 * n)).to_vec();
    points.push((512.0, 9000.0));
    let line = fit(&points).unwrap();
    near(line.fixed_ns, 100.0);
    near(line.per_byte_ns, 2.5);
}

/// With 10, 103 and 1100 ns at 10, 100 and 1000 bytes, the best lines start below zero. Through the
/// origin, the middle point's 1.03 ns per byte has the least error.
#[test]
fn a_fixed_cost_is_never_negative() {
    let line = fit(&[(10.0, 10.0), (100.0, 103.0), (1000.0, 1100.0)]).unwrap();
    assert!(line.fixed_ns >= 0.0);
    near(line.fixed_ns, 0.0);
    near(line.per_byte_ns, 1.03);
    let falling = fit(&[(0.0, 12.0), (8.0, 11.0), (16.0, 10.0)]).unwrap();
    assert_eq!((falling.fixed_ns, falling.per_byte_ns), (11.0, 0.0));
}

#[test]
fn a_line_needs_three_sizes() {
    assert_eq!(fit(&[(1.0, 5.0), (2.0, 6.0), (2.0, 7.0)]), None);
    assert_eq!(fit(&[(1.0, 5.0), (2.0, 6.0), (3.0, f64::NAN)]), None);
}

#[test]
fn lines_cross_at_a_size_or_not_at_all() {
    let cheap_call = Line { fixed_ns: 50.0, per_byte_ns: 3.0 };
    let cheap_byte = Line { fixed_ns: 450.0, per_byte_ns: 1.0 };
    near(crossover(&cheap_call, &cheap_byte).unwrap(), 200.0);
    near(crossover(&cheap_byte, &cheap_call).unwrap(), 200.0);
    assert_eq!(crossover(&cheap_call, &Line { fixed_ns: 60.0, per_byte_ns: 4.0 }), None);
    assert_eq!(crossover(&cheap_call, &cheap_call), None);
}
