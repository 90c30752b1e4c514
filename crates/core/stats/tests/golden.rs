//! Values computed by other means: with SciPy 1.17 and NumPy 2.4, unless stated otherwise.

mod support;

use cupel_stats::dependence::inefficiency;
use cupel_stats::eprocess::{confidence_sequence, ln_e_value};
use cupel_stats::line::fit;
use cupel_stats::quantile::{median, median_interval, quantile};
use cupel_stats::size::{iterations, stretch};
use cupel_stats::steadiness::{Steadiness, steadiness, steadiness_within};
use cupel_stats::verdict::{ENOUGH_FORKS, verdict};
use cupel_stats::warmup::{Detector, State};
use cupel_stats::{Interval, Side};
use cupel_stats::{Pair, Prior, compare};
use support::Random;

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

/// Forks at 0, 0.1 and 0.05: the mean is 0.05, the variance 0.0025 with two degrees; with the prior
/// (3 * 0.001 + 2 * 0.0025) / 5 = 0.0016 with five, but not below the pair's own.
/// `scipy.stats.t.ppf(1 - 0.0025, 5)`.
#[test]
fn a_comparison_is_a_t_interval_with_a_moderated_variance() {
    let pair = Pair { forks: vec![0.0, 0.1, 0.05], rounds: 60 };
    let compared = compare(&pair, 0.005, &Prior { variance: 0.001, df: 3.0 }, 1.0);
    near(compared.estimate, 0.05);
    near(compared.sd, 0.05);
    near(compared.interval.half_width(), T_5 * 0.05 / 3_f64.sqrt());
    assert_eq!((compared.forks, compared.rounds, compared.levels), (3, 60, None));

    // A prior above the pair's own variance: (3 * 0.01 + 2 * 0.0025) / 5.
    let compared = compare(&pair, 0.005, &Prior { variance: 0.01, df: 3.0 }, 1.0);
    near(compared.sd, 0.007_f64.sqrt());
}

const T_5: f64 = 4.773340605;

#[test]
fn one_fork_says_nothing_about_others() {
    let prior = Prior { variance: 4.0, df: 4.0 };
    let only = compare(&Pair { forks: vec![0.3], rounds: 20 }, 0.05, &prior, 1.0);
    assert_eq!((only.estimate, only.interval), (0.3, Interval::EVERYTHING));
    let none = compare(&Pair::default(), 0.05, &prior, 1.0);
    assert!(none.estimate.is_nan() && none.interval == Interval::EVERYTHING);
}

/// Two levels, of four forks and of two, 0.1 apart: the variance within them is 4e-6 with four
/// degrees. `scipy.stats.t.ppf(0.975, 4)`.
#[test]
fn two_levels_have_an_interval_each() {
    let forks = vec![0.001, 0.101, 0.005, 0.003, 0.105, 0.003];
    let compared = compare(&Pair { forks, rounds: 120 }, 0.05, &Prior::NOTHING, 1.0);
    let [low, high] = compared.levels.unwrap();
    near(compared.estimate, 0.003);
    near(low.estimate, 0.003);
    near(high.estimate, 0.103);
    near(compared.sd, 0.002);
    near(compared.interval.low, 0.003 - T_4 * 0.002 / 2.0);
    near(compared.interval.high, 0.103 + T_4 * 0.002 / 2_f64.sqrt());
    assert_eq!((low.forks, high.forks), (4, 2));
}

const T_4: f64 = 2.7764451052;

/// Six tables of four forks, drawn with standard deviations about 0.02. Many tables give a prior of
/// about that spread (of `s0^2 d0 / (d0 - 2)`, the mean of a scaled inverse chi-square); three give
/// none.
#[test]
fn the_prior_needs_tables_and_finds_their_spread() {
    let mut random = Random(3);
    let tables: Vec<Vec<Option<f64>>> =
        (0..600).map(|_| (0..4).map(|_| Some(0.02 * random.normal())).collect()).collect();
    let prior = Prior::estimate(&tables);
    assert!((0.018..0.022).contains(&prior.variance.sqrt()), "spread {}", prior.variance.sqrt());
    assert_eq!(Prior::estimate(&tables[..3]), Prior::NOTHING);
    // Chance alone correlates tables of four forks by a third: 600 count as about three.
    assert!((1.0..4.0).contains(&prior.df), "degrees {}", prior.df);
    let longer: Vec<Vec<Option<f64>>> =
        (0..50).map(|_| (0..30).map(|_| Some(0.02 * random.normal())).collect()).collect();
    assert!(Prior::estimate(&longer).df > 100.0, "degrees {}", Prior::estimate(&longer).df);

    // Tables that repeat each other are worth one of them: nothing next to a table's own.
    let repeated = vec![longer[0].clone(); 20];
    assert!(Prior::estimate(&repeated).df < 1e-6, "degrees {}", Prior::estimate(&repeated).df);

    // Half of the tables spread fifty times as far: one table then says little about another.
    let mixed: Vec<Vec<Option<f64>>> = longer
        .iter()
        .enumerate()
        .map(|(i, t)| t.iter().map(|x| x.map(|x| if i % 2 == 0 { 50.0 * x } else { x })).collect())
        .collect();
    assert!(Prior::estimate(&mixed).df < 2.0, "degrees {}", Prior::estimate(&mixed).df);
}

#[test]
fn a_verdict_needs_the_whole_interval_beyond_the_tie_zone() {
    let interval = |low, high| Interval { low, high };
    assert_eq!(verdict(&interval(0.021, 0.05), ENOUGH_FORKS, 0.02), Some(Side::Above));
    assert_eq!(verdict(&interval(-0.05, -0.021), ENOUGH_FORKS, 0.02), Some(Side::Below));
    assert_eq!(verdict(&interval(0.019, 0.05), ENOUGH_FORKS, 0.02), None);
    assert_eq!(verdict(&interval(-0.05, 0.05), ENOUGH_FORKS, 0.02), None);
    // ln 1.02 is 0.0198, not 0.02.
    assert_eq!(verdict(&interval(0.0199, 0.05), ENOUGH_FORKS, 0.02), Some(Side::Above));
    assert_eq!(verdict(&interval(f64::NAN, f64::NAN), ENOUGH_FORKS, 0.02), None);
    assert_eq!(verdict(&Interval::EVERYTHING, ENOUGH_FORKS, 0.02), None);
}

#[test]
fn intervals_meet_and_exclude() {
    let a = Interval { low: 1.0, high: 3.0 };
    assert_eq!(
        a.intersect(&Interval { low: 2.0, high: 9.0 }),
        Some(Interval { low: 2.0, high: 3.0 })
    );
    assert_eq!(a.intersect(&Interval { low: 4.0, high: 9.0 }), None);
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

/// OpenSSL and Nettle at sizes that differ by a byte: all of a time could be either cost.
#[test]
fn a_line_needs_sizes_that_span_something() {
    let times = [1300.0, 1301.0, 1302.0];
    let at = |sizes: [f64; 3]| fit(&sizes.into_iter().zip(times).collect::<Vec<_>>());
    assert_eq!(at([8191.0, 8192.0, 8193.0]), None);
    assert_eq!(at([64.0, 128.0, 255.0]), None);
    assert!(at([64.0, 128.0, 256.0]).is_some());
    assert!(at([0.0, 1.0, 2.0]).is_some());
}

#[test]
fn a_cost_that_the_times_do_not_show_is_not_known() {
    let line = fit(&[(10.0, 10.0), (100.0, 103.0), (1000.0, 1100.0)]).unwrap();
    assert_eq!(line.known_fixed_ns(), None, "held at zero");
    near(line.known_per_byte_ns().unwrap(), 1.03);
    let falling = fit(&[(0.0, 12.0), (8.0, 11.0), (16.0, 10.0)]).unwrap();
    assert_eq!((falling.known_fixed_ns(), falling.known_per_byte_ns()), (Some(11.0), None));
    // A fixed cost of 1 % of the shortest call is within its noise; one of 10 % is not.
    for (fixed, known) in [(10.0, None), (110.0, Some(110.0))] {
        let times = [1000.0, 4000.0, 16000.0].map(|n| (n, fixed + n));
        assert_eq!(fit(&times).unwrap().known_fixed_ns(), known);
    }
}
