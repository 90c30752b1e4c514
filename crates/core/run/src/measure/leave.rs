//! Which contenders leave a run early. A fork of code with a JIT takes seconds, and one with an
//! interpreter half a second for each process. No one needs eleven to know that a contender takes
//! twice as long as the fastest. So these have no more after a look if they are surely far behind
//! ([`cupel_suite::Options::look`]). With a JIT, the first fork is enough if it is further behind
//! than a process of one contender ever was from the others.
//!
//! Each look has a share of the error of a table, which is divided among the contenders that are
//! looked at ([`cupel_suite::Options::error_of_look`]). The fastest is chosen by other forks than
//! those that compare it, so there is one pair for each of them.

use super::values::{Values, difference};
use cupel_plan::{Comparison, Plan};
use cupel_stats::quantile::mean;
use cupel_stats::verdict::FEW_FORKS_ZONE;
use cupel_stats::{Prior, compare};
use cupel_suite::Turn;
use std::collections::BTreeSet;

/// A contender leaves if each of its processes took over this many times as long as the fastest, and
/// if its whole interval is beyond [`FEW_FORKS_ZONE`]: the answer decides nothing below. Processes
/// of one program can differ: those that are to come may be faster by almost this factor, and would
/// not be the fastest.
const FAR_BEHIND: f64 = 1.5;

/// It leaves after a single fork if it took over this many times as long: if its other processes
/// were [`cupel_stats::compare::ONE_PROCESS`] times as fast, it would still be 1.3 times behind.
const FAR_IN_ONE: f64 = 4.0;

/// The figures of the forks before a look.
pub struct Seen {
    /// The look at which contenders may leave.
    pub turn: Turn,
    /// From all forks before the first one with a JIT.
    pub before: Values,
    /// From the forks with a JIT.
    pub own: Values,
    /// From both: code with an interpreter ran in some of either.
    pub all: Values,
}

/// The contenders that leave.
pub fn early(plan: &Plan, seen: &Seen) -> BTreeSet<usize> {
    let mut looked_at = BTreeSet::new();
    let mut stay = BTreeSet::new();
    for comparison in plan.comparisons.iter().filter(|comparison| !comparison.overhead) {
        let late: Vec<usize> = late(plan, comparison).collect();
        let fastest = fastest(plan, comparison, &seen.before);
        for &cell in &late {
            let contender = plan.cells[cell].contender;
            looked_at.insert(contender);
            // The answer has the mean of a contender and its copy.
            let copy = plan.control_of(cell).filter(|copy| seen.own.contains_key(copy));
            let copies = [Some(cell), copy];
            let is_far = fastest.is_some_and(|fastest| {
                let mut copies = copies.into_iter().flatten();
                copies.all(|copy| seen.is_far_behind(plan, comparison, (copy, fastest), late.len()))
            });
            if !is_far {
                stay.insert(contender);
            }
        }
    }
    looked_at.difference(&stay).copied().collect()
}

/// The cells of a comparison that have few forks, without copies.
fn late<'a>(plan: &'a Plan, comparison: &'a Comparison) -> impl Iterator<Item = usize> + 'a {
    let cells = comparison.cells.iter().copied();
    cells.filter(|&cell| {
        let is_copy = plan.is_baseline(cell) || plan.cells[cell].control;
        !is_copy && plan.has_few_forks(cell)
    })
}

/// The cell with the shortest time of those that run in every fork.
fn fastest(plan: &Plan, comparison: &Comparison, values: &Values) -> Option<usize> {
    let baseline = comparison.baseline?;
    let typical = |cell: usize| {
        if cell == baseline {
            return Some(0.0);
        }
        let forks: Vec<f64> = values.get(&cell)?.iter().flatten().copied().collect();
        (!forks.is_empty()).then(|| mean(&forks))
    };
    let ahead = comparison.cells.iter().copied().filter(|&cell| {
        let contender = plan.contender_of(cell);
        !plan.has_few_forks(cell) && !plan.cells[cell].control && contender.stood_for().is_none()
    });
    let timed = ahead.filter_map(|cell| Some((typical(cell)?, cell)));
    timed.min_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, cell)| cell)
}

impl Seen {
    /// Whether a cell took far longer than another in all of its forks before the look, or in the
    /// first and only one, and surely takes longer. A fork that was lost says nothing.
    fn is_far_behind(
        &self,
        plan: &Plan,
        comparison: &Comparison,
        pair: (usize, usize),
        looked_at: usize,
    ) -> bool {
        let Some(baseline) = comparison.baseline else { return false };
        let is_jit = plan.contender_of(pair.0).is_jit();
        let values = if is_jit { &self.own } else { &self.all };
        // The answer is more careful: it compares all pairs.
        let error = plan.options.error_of_look(self.turn) / (2 * looked_at) as f64;
        let has_first = |cell: usize| {
            cell == baseline || values.get(&cell).and_then(|forks| *forks.first()?).is_some()
        };
        // A ratio to a baseline that has as few forks has no interval after one. And six forks of an
        // interpreter cost no more than two of a JIT.
        let may_be_single = self.turn == Turn::First
            && has_first(pair.0)
            && has_first(pair.1)
            && is_jit
            && !plan.has_few_forks(baseline);
        let most = plan.forks_before_look(pair.0, self.turn);
        let pair = difference(values, pair, baseline);
        let compared = compare(&pair, error, &Prior::NOTHING, 1.0).bounded_if_single();
        let factor = match compared.forks {
            1 if may_be_single => FAR_IN_ONE,
            forks if Some(forks) == most => FAR_BEHIND,
            _ => return false,
        };
        pair.forks.iter().all(|&ratio| ratio > factor.ln())
            && compared.interval.low > FEW_FORKS_ZONE.ln_1p()
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use cupel_contender::{Contender, State};
    use cupel_suite::Options;

    const OPTIONS: Options = Options {
        forks: 24,
        first_forks: Some(11),
        jit_forks: Some(11),
        jit_first_forks: Some(3),
        budget: std::time::Duration::from_secs(60),
        within: None,
        limit: None,
        precision: 0.01,
        tie_zone: 0.02,
        alpha: 0.05,
        isolation: cupel_suite::Isolation::Contender,
        margin: None,
        least_width: 0.0,
        beside: None,
    };

    /// Which of `one` and `two` leave, whose code is compiled at run time: the forks' ratios of each
    /// to the baseline at each size. `best` takes half of the baseline's time.
    fn left(sizes: &[[&[f64]; 2]]) -> Vec<String> {
        let known = |forks: &[f64]| forks.iter().copied().map(Some).collect::<Vec<_>>();
        left_of(&sizes.iter().map(|[one, two]| [known(one), known(two)]).collect::<Vec<_>>())
    }

    /// The same with forks that were lost.
    fn left_of(sizes: &[[Vec<Option<f64>>; 2]]) -> Vec<String> {
        let mut contenders = ["base", "best", "one", "two"].map(fixture::contender).to_vec();
        for contender in &mut contenders[2..] {
            if let State::Ready { jit, .. } = &mut contender.state {
                *jit = true;
            }
        }
        let forks = sizes.iter().flatten().map(Vec::len).max();
        let turn = if forks > Some(3) { Turn::Second } else { Turn::First };
        left_among(turn, contenders, sizes)
    }

    /// The same of contenders that have an interpreter.
    fn left_interpreted(ratios: [&[f64]; 2]) -> Vec<String> {
        let mut contenders = ["base", "best", "one", "two"].map(fixture::contender).to_vec();
        contenders[2..].iter_mut().for_each(|contender| contender.interpreted = true);
        let known = |forks: &[f64]| forks.iter().copied().map(Some).collect::<Vec<_>>();
        left_among(Turn::First, contenders, &[ratios.map(known)])
    }

    fn left_among(
        turn: Turn,
        contenders: Vec<Contender>,
        sizes: &[[Vec<Option<f64>>; 2]],
    ) -> Vec<String> {
        let lengths: Vec<u64> = (1..=sizes.len() as u64).map(|size| 64 * size).collect();
        let plan = fixture::plan_with(OPTIONS, contenders, &lengths, &[]);
        let values = |forks: usize| -> Values {
            let best = vec![Some(0.5); forks];
            let mut values = Values::new();
            for (comparison, [one, two]) in plan.comparisons.iter().zip(sizes) {
                for (&cell, ratios) in comparison.cells[1..].iter().zip([&best, one, two]) {
                    let forks = ratios.iter().map(|ratio| ratio.map(f64::ln)).collect();
                    values.insert(cell, forks);
                }
            }
            values
        };
        let own = OPTIONS.look().unwrap().forks_before(turn, true) as usize;
        let seen = Seen { turn, before: values(11), own: values(own), all: values(own + 3) };
        let left = early(&plan, &seen);
        left.into_iter().map(|contender| plan.contenders[contender].name.to_string()).collect()
    }

    const FAR: &[f64] = &[1.49, 1.5, 1.51];
    const NEAR: &[f64] = &[0.74, 0.75, 0.76];

    #[test]
    fn who_takes_three_times_as_long_as_the_fastest_leaves() {
        assert_eq!(left(&[[FAR, NEAR]]), ["one"], "the fastest is not the baseline");
        assert_eq!(left(&[[FAR, FAR]]), ["one", "two"]);
        assert_eq!(left(&[[&[2.0, 1.0, 1.5], NEAR]]), [""; 0], "its processes differ");
        assert_eq!(left(&[[&[0.79, 0.76, 0.79], NEAR]]), ["one"], "each is 1.5 times behind");
        assert_eq!(left(&[[&[0.79, 0.74, 0.79], NEAR]]), [""; 0], "one process is not");
        assert_eq!(left(&[[&[0.76, 0.80, 0.83], NEAR]]), [""; 0], "the answer would be open");
    }

    /// Three forks that scatter by a tenth have an interval that reaches a factor of 20 to each side.
    #[test]
    fn who_scatters_leaves_at_the_second_look() {
        let ratios = [1.6, 1.2, 1.4, 1.3, 1.5];
        assert_eq!(left(&[[&ratios[..3], NEAR]]), [""; 0]);
        assert_eq!(left(&[[&ratios, &[0.75; 5]]]), ["one"]);
        assert_eq!(left(&[[&[1.6, 1.2, 1.4, 1.3, 0.74], &[0.75; 5]]]), [""; 0], "one is not far");
        assert_eq!(left(&[[&ratios[..4], &[0.75; 5]]]), [""; 0], "one was lost");
        assert_eq!(left(&[[&[2.1], &[0.75; 5]]]), [""; 0], "a single fork is for the first look");
    }

    #[test]
    fn who_is_near_at_one_size_stays_at_all() {
        assert_eq!(left(&[[FAR, FAR], [NEAR, FAR]]), ["two"]);
    }

    #[test]
    fn who_takes_over_four_times_as_long_leaves_after_one_fork() {
        assert_eq!(left(&[[&[2.1], &[1.9]]]), ["one"], "4.2 and 3.8 times");
        let lost = |forks: [Option<f64>; 3]| left_of(&[[forks.to_vec(), vec![Some(0.75); 3]]]);
        assert_eq!(lost([Some(2.1), None, None]), ["one"]);
        assert_eq!(lost([None, None, Some(2.1)]), [""; 0], "it ran in the others, too");
    }

    #[test]
    fn who_has_an_interpreter_leaves_after_six_forks() {
        let six = |ratios: [f64; 3]| [ratios, ratios].concat();
        let (far, near) = (six([1.49, 1.5, 1.51]), six([0.74, 0.75, 0.76]));
        assert_eq!(left_interpreted([&far, &near]), ["one"]);
        assert_eq!(left_interpreted([&[5.0], &far[..5]]), [""; 0]);
    }

    #[test]
    fn a_lost_fork_is_no_reason_to_leave() {
        assert_eq!(left(&[[&FAR[..2], FAR]]), ["two"]);
    }
}
