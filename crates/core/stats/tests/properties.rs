//! Properties that are true for any data.

mod support;

use cupel_stats::Interval;
use cupel_stats::dependence::inefficiency;
use cupel_stats::eprocess::{confidence_sequence, ln_e_value};
use cupel_stats::line::fit;
use cupel_stats::order::williams;
use cupel_stats::quantile::{median, median_interval};
use cupel_stats::steadiness::steadiness;
use cupel_stats::{Comparison, Pair, Prior, compare};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::{BTreeSet, HashMap};
use support::Random;

fn near(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()))
}

fn alike(a: &Interval, b: &Interval) -> bool {
    near(a.low, b.low) && near(a.high, b.high)
}

fn series(length: std::ops::Range<usize>) -> impl Strategy<Value = Vec<f64>> {
    vec(prop_oneof![-0.5..0.5, Just(0.0), Just(0.1)], length)
}

/// The values of forks, two levels and equal values among them.
fn forks(most: usize) -> impl Strategy<Value = Vec<f64>> {
    vec(prop_oneof![-0.05..0.05, Just(0.0), Just(0.2)], 1..most)
}

fn comparison_of(forks: &[f64], error: f64, prior: &Prior) -> Comparison {
    compare(&Pair { forks: forks.to_vec(), rounds: 0 }, error, prior, 1.0)
}

const PRIOR: Prior = Prior { variance: 1e-5, df: 6.0 };

proptest! {
    /// Another unit of time on both sides of a comparison, or another baseline, shifts the answer
    /// and does nothing else.
    #[test]
    fn comparisons_move_with_the_data(values in forks(24), shift in -2.0..2.0) {
        let moved: Vec<f64> = values.iter().map(|x| x + shift).collect();
        let (a, b) = (comparison_of(&values, 0.02, &PRIOR), comparison_of(&moved, 0.02, &PRIOR));
        let expected = Interval { low: a.interval.low + shift, high: a.interval.high + shift };
        prop_assert!(alike(&b.interval, &expected), "{a:?} {b:?}");
        prop_assert!(near(b.sd, a.sd) && near(b.estimate, a.estimate + shift));
        prop_assert!(a.interval.contains(a.estimate) && b.interval.contains(b.estimate));
    }

    /// It does not matter which side is called the baseline.
    #[test]
    fn comparisons_are_the_same_seen_from_the_other_side(values in forks(24)) {
        let turned: Vec<f64> = values.iter().map(|x| -x).collect();
        let (a, b) = (comparison_of(&values, 0.02, &PRIOR), comparison_of(&turned, 0.02, &PRIOR).inverse());
        prop_assert!(alike(&a.interval, &b.interval) && near(a.estimate, b.estimate), "{a:?} {b:?}");
    }

    /// Less error can only make an interval wider, and so can a calibration.
    #[test]
    fn a_stricter_comparison_holds_the_laxer_one(values in forks(24), k in 1_u32..50) {
        let lax = comparison_of(&values, 0.05 / f64::from(k), &PRIOR).interval;
        let strict = comparison_of(&values, 0.05 / f64::from(k + 1), &PRIOR).interval;
        prop_assert!(strict.low <= lax.low && lax.high <= strict.high);
        let pair = Pair { forks: values, rounds: 0 };
        let wide = compare(&pair, 0.05 / f64::from(k), &PRIOR, 1.2).interval;
        prop_assert!(wide.low <= lax.low && lax.high <= wide.high);
    }

    #[test]
    fn forks_have_no_order(mut values in forks(24)) {
        let a = comparison_of(&values, 0.02, &PRIOR);
        values.reverse();
        let b = comparison_of(&values, 0.02, &PRIOR);
        prop_assert!(alike(&a.interval, &b.interval) && a.forks == b.forks);
    }

    /// Both levels lie in the interval, unless one of them is a stray among many.
    #[test]
    fn an_interval_holds_its_levels(values in forks(40)) {
        let compared = comparison_of(&values, 0.02, &PRIOR);
        for level in compared.levels.into_iter().flatten().filter(|l| l.forks > 1) {
            prop_assert!(compared.interval.contains(level.estimate), "{compared:?}");
        }
        let counted: usize = compared.levels.into_iter().flatten().map(|l| l.forks).sum();
        prop_assert!(compared.levels.is_none() || counted == values.len());
    }

    /// The prior of a contender has no more weight than its tables.
    #[test]
    fn a_prior_is_worth_no_more_than_its_tables(
        tables in vec(vec(proptest::option::weighted(0.8, -0.5..0.5), 4..12), 0..8),
    ) {
        let prior = Prior::estimate(&tables);
        let degrees: usize = tables.iter().map(|t| t.iter().flatten().count().saturating_sub(1)).sum();
        prop_assert!(prior.df >= 0.0 && prior.df <= degrees as f64);
        prop_assert!(prior.variance >= 0.0 && prior.variance.is_finite());
    }

    /// The sequence depends on the set of rounds, not on their order.
    #[test]
    fn the_order_of_rounds_is_irrelevant_to_the_sequence(xs in series(0..80), seed: u64) {
        let mut shuffled = xs.clone();
        let mut random = Random(seed);
        for i in (1..shuffled.len()).rev() {
            shuffled.swap(i, (random.bits() % (i as u64 + 1)) as usize);
        }
        prop_assert_eq!(confidence_sequence(&xs, 0.05, 2.0), confidence_sequence(&shuffled, 0.05, 2.0));
    }

    /// The sequence is the set of shifts that the e-process does not reject: just outside its ends
    /// it rejects, at its ends it does not, with ties assigned in favour of the shift.
    #[test]
    fn the_sequence_ends_where_the_e_process_begins_to_reject(xs in series(1..80), alpha in 0.001..0.2) {
        let interval = confidence_sequence(&xs, alpha, 1.0);
        let n = xs.len() as u64;
        let rejected = |shift: f64| {
            let below = xs.iter().filter(|&&x| x < shift).count() as u64;
            let above = xs.iter().filter(|&&x| x > shift).count() as u64;
            (above..=n - below).all(|s| ln_e_value(s, n) >= -f64::ln(alpha))
        };
        for end in [interval.low, interval.high].into_iter().filter(|e| e.is_finite()) {
            prop_assert!(!rejected(end));
        }
        prop_assert!(!interval.low.is_finite() || rejected(interval.low.next_down()));
        prop_assert!(!interval.high.is_finite() || rejected(interval.high.next_up()));
        prop_assert!(interval.contains(median(&xs)));
        // An interval that is valid at any time cannot be narrower than one for a single look.
        let once = median_interval(&xs, alpha);
        prop_assert!(interval.low <= once.low && once.high <= interval.high);
    }

    /// One more round multiplies the e-value by at most 2, and by 1 on average over a fair coin.
    #[test]
    fn the_e_process_is_a_martingale(total in 0_u64..2000, part in 0.0..=1.0) {
        let positive = (part * total as f64) as u64;
        let next = |s| (ln_e_value(s, total + 1) - ln_e_value(positive, total)).exp();
        prop_assert!((next(positive) + next(positive + 1) - 2.0).abs() < 1e-8);
        prop_assert!(next(positive) <= 2.0 && next(positive + 1) <= 2.0);
    }

    #[test]
    fn dependence_is_that_of_ranks(xs in series(0..40)) {
        let warped: Vec<f64> = xs.iter().map(|x| (5.0 * x).exp()).collect();
        prop_assert!(near(inefficiency(&[&xs]), inefficiency(&[&warped])));
        prop_assert!((1.0..=40.0).contains(&inefficiency(&[xs])));
    }

    /// Rounds with less weight can only make a sequence wider.
    #[test]
    fn dependence_widens_the_sequence(xs in series(1..80), by in 1.0_f64..9.0) {
        let independent = confidence_sequence(&xs, 0.05, 1.0);
        let dependent = confidence_sequence(&xs, 0.05, by);
        prop_assert!(dependent.low <= independent.low && independent.high <= dependent.high);
    }

    #[test]
    fn in_a_williams_design_each_item_follows_each_other_equally_often(n in 1_usize..20, seed: u64) {
        let mut random = Random(seed);
        let rows = williams(n, &mut || random.bits());
        let times = if n % 2 == 0 { 1 } else { 2 };
        prop_assert_eq!(rows.len(), times * n);
        let mut follows: HashMap<(usize, usize), usize> = HashMap::new();
        let mut places: HashMap<(usize, usize), usize> = HashMap::new();
        for row in &rows {
            prop_assert_eq!(row.iter().collect::<BTreeSet<_>>().len(), n);
            row.windows(2).for_each(|w| *follows.entry((w[0], w[1])).or_default() += 1);
            row.iter().enumerate().for_each(|place| *places.entry((place.0, *place.1)).or_default() += 1);
        }
        prop_assert_eq!(follows.len(), n * (n - 1));
        prop_assert!(follows.values().all(|&c| c == times));
        prop_assert_eq!(places.len(), n * n);
        prop_assert!(places.values().all(|&c| c == times));
    }

    /// No line with non-negative costs has a smaller sum of relative errors.
    #[test]
    fn a_fitted_line_is_the_best(
        times in vec(1.0_f64..1000.0, 3..9), fixed in 0.0..1000.0, per_byte in 0.0..10.0,
    ) {
        let points: Vec<(f64, f64)> =
            times.iter().enumerate().map(|(i, &t)| ((i * i * 16) as f64, t)).collect();
        let error = |a: f64, b: f64| points.iter().map(|&(n, t)| ((a + b * n) / t - 1.0).abs()).sum::<f64>();
        let line = fit(&points).unwrap();
        prop_assert!(line.fixed_ns >= 0.0 && line.per_byte_ns >= 0.0);
        prop_assert!(error(line.fixed_ns, line.per_byte_ns) <= error(fixed, per_byte) + 1e-9);
        // This is not luck with the random line: no small step away is better either.
        for (a, b) in [(1.001, 1.0), (0.999, 1.0), (1.0, 1.001), (1.0, 0.999), (1.01, 0.99), (0.99, 1.01)] {
            let best = error(line.fixed_ns, line.per_byte_ns);
            prop_assert!(best <= error(a * line.fixed_ns, b * line.per_byte_ns) + 1e-9);
        }
    }

    /// Steadiness is about ratios: a slower clock or another reference changes nothing.
    #[test]
    fn steadiness_does_not_move_with_the_level(xs in series(0..80), shift in -3_i32..3) {
        let moved: Vec<f64> = xs.iter().map(|x| x + f64::from(shift)).collect();
        prop_assert_eq!(steadiness(&xs), steadiness(&moved));
    }
}

/// Every order is equally likely: 6 orders of 3 items, 6000 draws of the first row, and a
/// chi-square with 5 degrees, which exceeds 20.5 for one in a thousand seeds.
#[test]
fn orders_are_uniform() {
    let mut random = Random(5);
    let mut seen: HashMap<Vec<usize>, f64> = HashMap::new();
    for _ in 0..6000 {
        *seen.entry(williams(3, &mut || random.bits())[0].clone()).or_default() += 1.0;
    }
    let chi_square: f64 = seen.values().map(|c| (c - 1000.0_f64).powi(2) / 1000.0).sum();
    assert!(seen.len() == 6 && chi_square < 20.5, "{seen:?}");
}

/// At most 5 % of 500 series that are looked at after every round may ever lose the median. An
/// interval for a single look loses it in about a third.
#[test]
fn looking_after_every_round_is_allowed_with_the_sequence_only() {
    let mut random = Random(11);
    let (mut sequence, mut once) = (0, 0);
    for _ in 0..500 {
        let xs: Vec<f64> = (0..150).map(|_| random.normal()).collect();
        let lost = |f: &dyn Fn(&[f64]) -> Interval| (1..=150).any(|n| !f(&xs[..n]).contains(0.0));
        sequence += u32::from(lost(&|xs| confidence_sequence(xs, 0.05, 1.0)));
        once += u32::from(lost(&|xs| median_interval(xs, 0.05)));
    }
    assert!(sequence <= 25, "{sequence} of 500 lost the median");
    assert!(once > 75, "the test would not see a sequence that is not one: {once}");
}
