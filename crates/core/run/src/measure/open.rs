//! Which cells have further forks. All cells run in the first forks. After them many answers are
//! clear: no one needs to know whether a contender takes 3.1 or 3.2 times as long. The remaining
//! forks are for the answers that are not. But a baseline that changes in mid-run would then be
//! another one for those that left than for those that stayed. So all cells return in some of them
//! ([`cupel_suite::Options::returning`]).
//!
//! The choice depends on the times, so the two stages share the error of a run: an interval of a
//! cell that left has a fifth of it ([`cupel_suite::Options::error`]). The number of further forks
//! does not depend on the times. Contenders whose code is compiled at run time may have fewer of
//! them ([`cupel_suite::Options::jit_forks`]): for one such fork, ten of the others can be had.

use super::leave::{self, Seen};
use super::values::{Values, difference};
use super::{INTERPRETED_FORK, JIT_FORK};
use cupel_plan::{Comparison, Plan, starts_late};
use cupel_stats::verdict::FEW_FORKS_ZONE;
use cupel_stats::{Pair, Prior, compare, verdict};
use cupel_suite::rule::{self, Decision, Evidence};
use cupel_suite::{Isolation, Turn};
use std::collections::{BTreeMap, BTreeSet};

/// A clear ratio is known to within this share of its distance from 1 (in logarithms), as a
/// comparison that gets no more rounds: a factor of 2 to within 2.3 %.
const PRECISE: f64 = 1.0 / 30.0;

/// That share if the contender's code is compiled at run time. Each of its forks costs seconds, and
/// its processes differ more: a factor of 2 to within 7 %.
const PRECISE_IF_COMPILED: f64 = 0.1;

/// The cells that run in a fork.
pub struct Runs {
    /// The cells; `None` if all do.
    pub cells: Option<BTreeSet<usize>>,
    /// Whether they only have their fewest rounds, because no answer is open any more.
    pub briefly: bool,
}

/// The work of a fork, by which its time is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// It takes about as long as this many forks of code that starts at once.
    pub weight: u32,
    /// The weight of those of its cells that do not start at once.
    pub late: u32,
}

impl Runs {
    /// Its load.
    pub fn load(&self, plan: &Plan) -> Load {
        let mut load = Load { weight: 1, late: 0 };
        for cell in 0..plan.cells.len() {
            let of_cell = match plan.contender_of(cell) {
                _ if self.cells.as_ref().is_some_and(|cells| !cells.contains(&cell)) => continue,
                contender if contender.is_jit() => JIT_FORK,
                _ if plan.has_few_forks(cell) => INTERPRETED_FORK,
                _ => continue,
            };
            load.weight = load.weight.max(of_cell);
            load.late += of_cell;
        }
        load
    }

    /// Whether no cell runs.
    pub fn are_none(&self) -> bool {
        self.cells.as_ref().is_some_and(BTreeSet::is_empty)
    }

    /// The same without code that has a JIT: none, if nothing else is compared.
    pub fn without_jit(&self, plan: &Plan) -> Runs {
        let all = 0..plan.contenders.len();
        let with_jit = all.filter(|&one| plan.contenders[one].is_jit()).collect();
        let cells = self.cells.clone().unwrap_or_else(|| (0..plan.cells.len()).collect());
        Runs { cells: Some(without(plan, cells, &with_jit)), briefly: self.briefly }
    }
}

/// The cells that run in a fork of the plan. `values` returns the figures of some forks.
pub fn of_fork(plan: &Plan, ordinal: u32, values: impl Fn(&dyn Fn(u32) -> bool) -> Values) -> Runs {
    let options = &plan.options;
    let first = options.first_forks();
    let (mut cells, mut briefly) = (None, false);
    if ordinal >= first {
        let left = left(plan, ordinal, &values);
        let mut open = open(plan, &values(&|fork| fork < first), &left);
        briefly = open.is_empty();
        if options.look().is_some() {
            open = without(plan, open, &left);
        }
        if !open.is_empty() || !options.asks_for_fastest() {
            return_to(plan, ordinal, &mut open);
        }
        cells = Some(open);
    }
    if let Some(look) = options.look().filter(|look| look.first < ordinal && ordinal < look.at) {
        cells = Some(after_first(plan, look.first, values));
    }
    let may_run = |cell: usize| plan.may_run_in(cell, ordinal);
    if !(0..plan.cells.len()).all(may_run) {
        let all = cells.unwrap_or_else(|| (0..plan.cells.len()).collect());
        cells = Some(only(plan, all, may_run));
    }
    Runs { cells, briefly }
}

/// The contenders that have no further forks from this one on, after a look.
fn left(
    plan: &Plan,
    ordinal: u32,
    values: impl Fn(&dyn Fn(u32) -> bool) -> Values,
) -> BTreeSet<usize> {
    let Some(look) = plan.options.look() else { return BTreeSet::new() };
    let leaving = |turn: Turn, at: u32| {
        let seen = Seen {
            turn,
            before: values(&|fork| fork < look.first),
            own: values(&|fork| plan.options.is_jit_fork(fork) && fork < at),
            all: values(&|fork| fork < at),
        };
        leave::early(plan, &seen)
    };
    let mut left = leaving(Turn::First, look.at);
    if ordinal >= look.again {
        left.extend(leaving(Turn::Second, look.again));
    }
    if ordinal >= look.end {
        let all = 0..plan.contenders.len();
        left.extend(all.filter(|&one| starts_late(&plan.options, &plan.contenders[one])));
    }
    left
}

/// The cells that run after the first fork with code that is compiled at run time, and before the
/// look: all, if nothing else is compared with the baseline. One empty call of each such runner is
/// enough.
fn after_first(
    plan: &Plan,
    first: u32,
    values: impl Fn(&dyn Fn(u32) -> bool) -> Values,
) -> BTreeSet<usize> {
    let only = || values(&|fork| fork == first);
    let before = values(&|fork| fork < first);
    let left = leave::early(plan, &Seen { turn: Turn::First, before, own: only(), all: only() });
    let is_overhead = |cell: usize| plan.comparisons[plan.cells[cell].comparison].overhead;
    let mut open: BTreeSet<usize> = (0..plan.cells.len()).collect();
    open.retain(|&cell| !is_overhead(cell) || !plan.has_few_forks(cell));
    let stay = without(plan, open.clone(), &left);
    if stay.is_empty() { open } else { stay }
}

/// Adds the cells that return in this fork. A process whose code is compiled at run time returns
/// with all its cells.
fn return_to(plan: &Plan, ordinal: u32, open: &mut BTreeSet<usize>) {
    let returns = |cell: &usize| plan.options.returning(ordinal, plan.has_few_forks(*cell));
    open.extend((0..plan.cells.len()).filter(returns));
    with_baselines(plan, open);
}

/// Without the contenders that have left, and without cells that only they needed: none, if no other
/// contender has an open answer.
fn without(plan: &Plan, mut open: BTreeSet<usize>, left: &BTreeSet<usize>) -> BTreeSet<usize> {
    open.retain(|&cell| !left.contains(&plan.cells[cell].contender));
    let is_compared = |cell: usize| {
        let is_copy = plan.is_baseline(cell) || plan.cells[cell].control;
        !is_copy && !plan.comparisons[plan.cells[cell].comparison].overhead
    };
    let compared: Vec<usize> = open.iter().copied().filter(|&cell| is_compared(cell)).collect();
    if compared.is_empty() {
        return BTreeSet::new();
    }
    if compared.iter().any(|&cell| plan.has_few_forks(cell)) {
        with_baselines(plan, &mut open);
        return open;
    }
    only(plan, open, |cell| !plan.has_few_forks(cell))
}

/// Only these cells, without those that only the others are compared with.
fn only(plan: &Plan, mut open: BTreeSet<usize>, these: impl Fn(usize) -> bool) -> BTreeSet<usize> {
    open.retain(|&cell| {
        let is_copy = plan.is_baseline(cell) || plan.cells[cell].control;
        !is_copy && these(cell)
    });
    with_baselines(plan, &mut open);
    open
}

/// The cells that have further forks. Contenders that have `left` compete with none.
fn open(plan: &Plan, values: &Values, left: &BTreeSet<usize>) -> BTreeSet<usize> {
    let priors = Prior::of_each(values, |cell| plan.cells[cell].owner());
    let mut open = BTreeSet::new();
    let claims: usize = plan.comparisons.iter().map(|c| c.claimed.len()).sum();
    for comparison in plan.comparisons.iter().filter(|c| !c.overhead) {
        if claims > 0 {
            open.extend(undecided(plan, comparison, values, claims));
        } else {
            open.extend(of_comparison(plan, comparison, values, (&priors, left)));
        }
    }
    if open.is_empty() {
        return open;
    }
    with_processes(plan, &mut open);
    with_baselines(plan, &mut open);
    open.extend(second_controls(plan));
    open
}

/// The empty calls of code that is not compiled at run time run in every fork. They share no code
/// with any library, so they show whether a library changed or the machine.
fn second_controls(plan: &Plan) -> impl Iterator<Item = usize> {
    let overheads = plan.comparisons.iter().filter(|comparison| comparison.overhead);
    let cells = overheads.flat_map(|comparison| comparison.cells.iter().copied());
    cells.filter(|&cell| !plan.has_few_forks(cell))
}

/// The cells of a comparison whose answers are not clear, of a suite without claims.
fn of_comparison(
    plan: &Plan,
    comparison: &Comparison,
    values: &Values,
    (priors, left): (&BTreeMap<usize, Prior>, &BTreeSet<usize>),
) -> Vec<usize> {
    let Some(baseline) = comparison.baseline else { return vec![] };
    let others: Vec<usize> =
        comparison.cells.iter().copied().filter(|&cell| cell != baseline).collect();
    let options = &plan.options;
    let forks = options.first_forks() as usize;
    let error = options.error(forks) / others.len().max(1) as f64;
    let mut known: BTreeMap<usize, cupel_stats::Comparison> = BTreeMap::new();
    let stays =
        |&cell: &usize| !plan.cells[cell].control && !left.contains(&plan.cells[cell].contender);
    for &cell in others.iter().filter(|cell| stays(cell)) {
        let forks: Vec<f64> = values.get(&cell).into_iter().flatten().flatten().copied().collect();
        let pair = Pair { forks, rounds: 0 };
        let prior = priors.get(&cell).copied().unwrap_or(Prior::NOTHING);
        known.insert(cell, compare(&pair, error, &prior, 1.0));
    }
    let leads = may_lead(baseline, values, &known, error);
    let mut open = Vec::new();
    for (&cell, compared) in &known {
        let competes = leads.len() > 1 && leads.contains(&cell);
        if competes || !is_clear(plan, cell, compared) {
            open.push(cell);
        }
    }
    open
}

/// The leader of a comparison, and all that may be level with it. Each is compared with the leader in
/// the forks that both have: ratios to a baseline that changes say less.
fn may_lead(
    baseline: usize,
    values: &Values,
    known: &BTreeMap<usize, cupel_stats::Comparison>,
    error: f64,
) -> BTreeSet<usize> {
    let measured = known.iter().filter(|(_, compared)| compared.forks > 0);
    let estimates = measured.map(|(&cell, compared)| (cell, compared.estimate));
    let leader = estimates.chain([(baseline, 0.0)]).min_by(|one, other| one.1.total_cmp(&other.1));
    let Some((leader, _)) = leader else { return BTreeSet::new() };
    let may_be_level = |&cell: &usize| {
        let pair = difference(values, (cell, leader), baseline);
        let compared = compare(&pair, error, &Prior::NOTHING, 1.0);
        cell == leader || compared.interval.low <= FEW_FORKS_ZONE.ln_1p()
    };
    known.keys().copied().chain([baseline]).filter(may_be_level).collect()
}

/// Whether no more needs to be known of a cell that does not compete for the lead.
fn is_clear(plan: &Plan, cell: usize, compared: &cupel_stats::Comparison) -> bool {
    let (options, contender) = (&plan.options, plan.contender_of(cell));
    // Each build must run in all its layouts. Three processes of a JIT may all have the same one of
    // two speeds, so only the look decides who leaves of them.
    if compared.forks < contender.layouts.len()
        || (plan.has_few_forks(cell) && options.look().is_some())
    {
        return false;
    }
    if options.asks_for_fastest() {
        return true;
    }
    let share = if contender.is_jit() { PRECISE_IF_COMPILED } else { PRECISE };
    let precise = options.precision.max(share * compared.estimate.abs());
    let decided = verdict(&compared.interval, compared.forks, options.tie_zone);
    decided.is_some() && compared.interval.half_width() <= precise
}

/// The cells of a comparison that an undecided claim is about. The suite has this many claims: they
/// are what it asks.
fn undecided(plan: &Plan, comparison: &Comparison, values: &Values, claims: usize) -> Vec<usize> {
    let Some(baseline) = comparison.baseline else { return vec![] };
    let options = &plan.options;
    let error = options.error(options.first_forks() as usize) / claims as f64;
    let mut open = Vec::new();
    for claimed in &comparison.claimed {
        let (one, two) = claimed.alternatives.unzip();
        let [a, b] = [(claimed.a, one), (claimed.b, two)].map(|(contender, alternative)| {
            let owner = (contender, alternative, false);
            comparison.cells.iter().copied().find(|&cell| plan.cells[cell].owner() == owner)
        });
        let Some((a, b)) = a.zip(b) else { continue };
        let compared = compare(&difference(values, (a, b), baseline), error, &Prior::NOTHING, 1.0);
        let evidence = Evidence {
            interval: compared.interval,
            floor: cupel_stats::floor_of(compared.forks),
            tie_zone: options.tie_zone,
        };
        if rule::decide(claimed.relation, &evidence).decision() == Decision::Undecided {
            open.extend([a, b]);
        }
    }
    open
}

/// Adds the other cells of processes whose code is compiled at run time: what a compiler does
/// depends on all that the process runs, so the further processes must run what the first ones did.
fn with_processes(plan: &Plan, open: &mut BTreeSet<usize>) {
    if plan.options.isolation == Isolation::Cell {
        return;
    }
    let compiled: BTreeSet<usize> = open
        .iter()
        .map(|&cell| plan.cells[cell].contender)
        .filter(|&contender| plan.contenders[contender].is_jit())
        .collect();
    open.extend((0..plan.cells.len()).filter(|&number| {
        let cell = &plan.cells[number];
        !cell.control && compiled.contains(&cell.contender)
    }));
}

/// Adds the baselines of all comparisons that have an open cell, and the controls of all open
/// cells. If their code is compiled at run time, they run where they ran before.
fn with_baselines(plan: &Plan, open: &mut BTreeSet<usize>) {
    let mut seen = 0;
    while seen != open.len() {
        seen = open.len();
        let comparisons: BTreeSet<usize> =
            open.iter().map(|&cell| plan.cells[cell].comparison).collect();
        for comparison in comparisons {
            open.extend(plan.comparisons[comparison].baseline);
        }
        let controls: Vec<usize> = open.iter().filter_map(|&cell| plan.control_of(cell)).collect();
        open.extend(controls);
        let shared = plan.options.isolation == Isolation::Contender;
        let baselines: BTreeSet<(usize, bool)> = open
            .iter()
            .map(|&cell| (plan.cells[cell].contender, plan.cells[cell].control))
            .filter(|&(contender, _)| shared && plan.contenders[contender].is_jit())
            .collect();
        open.extend((0..plan.cells.len()).filter(|&number| {
            let cell = &plan.cells[number];
            baselines.contains(&(cell.contender, cell.control))
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use cupel_contender::State;
    use cupel_plan::Claimed;
    use cupel_suite::{Factor, Options, Relation};

    /// The figures of five forks for a cell with this ratio: each is off by up to half a percent.
    fn forks(ratio: f64) -> Vec<Option<f64>> {
        [-0.005, 0.004, 0.0, -0.002, 0.003].iter().map(|off| Some(ratio.ln() + off)).collect()
    }

    /// The names of the open contenders at each size.
    fn open_of(plan: &Plan, ratios: &[&[f64]]) -> Vec<Vec<String>> {
        let mut values = Values::new();
        for (number, ratios) in ratios.iter().enumerate() {
            let Comparison { cells, control, .. } = &plan.comparisons[number];
            for (&cell, &ratio) in cells[1..].iter().zip(*ratios) {
                values.insert(cell, forks(ratio));
            }
            values.extend(control.map(|control| (control, forks(1.0))));
        }
        let open = open(plan, &values, &BTreeSet::new());
        let names = |number: usize| {
            let cells = plan.comparisons[number].cells.iter().filter(|cell| open.contains(cell));
            let own = cells.filter(|&&cell| !plan.cells[cell].control);
            own.map(|&cell| plan.contender_of(cell).name.to_string()).collect()
        };
        (0..plan.comparisons.len()).map(names).collect()
    }

    #[test]
    fn what_is_near_the_baseline_or_the_leader_goes_on_and_what_is_clear_does_not() {
        let plan = fixture::plan(&["base", "near", "far", "first", "second"], &[64]);
        let open = open_of(&plan, &[&[1.05, 2.0, 0.50, 0.51]]);
        assert_eq!(open, [["base", "near", "first", "second"]]);
        let clear = open_of(&plan, &[&[1.5, 2.0, 0.5, 3.0]]);
        assert_eq!(clear, [Vec::<String>::new()], "not even the baseline");
    }

    /// All figures are known to within 4 %.
    #[test]
    fn a_question_about_all_is_about_the_fastest() {
        let open = |jit_first_forks: Option<u32>, ratios: [f64; 3]| {
            let contenders = ["base", "one", "two", "three"].map(fixture::contender).to_vec();
            let options = Options { jit_first_forks, ..Options::default() };
            let plan = fixture::plan_with(options, contenders, &[64], &[]);
            let mut values = Values::new();
            for (&cell, ratio) in plan.comparisons[0].cells[1..].iter().zip(ratios) {
                let off = [-0.02, 0.016, 0.0, -0.008, 0.012];
                values.insert(cell, off.iter().map(|off| Some(ratio.ln() + off)).collect());
            }
            let open = open(&plan, &values, &BTreeSet::new());
            let own = open.into_iter().filter(|&cell| !plan.cells[cell].control);
            own.map(|cell| plan.contender_of(cell).name.to_string()).collect::<Vec<_>>()
        };
        let about_all = |ratios| open(Some(3), ratios);
        // One leads clearly: whether the others are like the baseline is not asked.
        assert_eq!(about_all([0.5, 0.7, 1.0]), [""; 0]);
        assert_eq!(open(None, [0.5, 0.7, 1.0]), ["base", "one", "two", "three"]);
        assert_eq!(about_all([0.5, 0.53, 1.0]), ["base", "one", "two"]);
        assert_eq!(about_all([1.05, 1.5, 1.5]), ["base", "one"], "the baseline may be level");
        assert_eq!(about_all([1.5, 1.5, 1.5]), [""; 0], "the baseline leads");
    }

    /// A contender that surely takes 1.3 times as long as the leader cannot lead, although the ratio
    /// of each to the baseline is known to within a third.
    #[test]
    fn contenders_are_compared_with_the_leader_and_not_by_way_of_the_baseline() {
        let contenders = ["base", "one", "two"].map(fixture::contender).to_vec();
        let options = Options { jit_first_forks: Some(3), ..Options::default() };
        let plan = fixture::plan_with(options, contenders, &[64], &[]);
        let open = |behind: f64| {
            let baseline = [-0.3, 0.25, 0.1, -0.15, 0.2];
            let values = plan.comparisons[0].cells[1..].iter().zip([0.4, 0.4 * behind]);
            let values = values.map(|(&cell, ratio): (&usize, f64)| {
                let own = baseline.iter().zip([0.01, -0.01, 0.0, 0.005, -0.005]);
                let off = own.map(|(shared, own)| Some(ratio.ln() + shared + own * ratio));
                (cell, off.collect())
            });
            open(&plan, &values.collect(), &BTreeSet::new()).len()
        };
        assert_eq!(open(1.3), 0);
        assert!(open(1.1) > 0);
    }

    /// In a question about all, code with an interpreter has the forks of code with a JIT.
    #[test]
    fn code_with_an_interpreter_has_few_forks_in_a_question_about_all() {
        let forks_of = |jit_first_forks: Option<u32>| {
            let mut contenders = ["base", "near", "slow"].map(fixture::contender).to_vec();
            contenders[2].interpreted = true;
            let options = Options {
                forks: 24,
                first_forks: Some(11),
                jit_forks: Some(11),
                jit_first_forks,
                ..Options::default()
            };
            let plan = fixture::plan_with(options, contenders, &[64], &[]);
            let slow = plan.comparisons[0].cells[2];
            let values = |of: &dyn Fn(u32) -> bool| -> Values {
                let ratio = |cell: usize| if cell == slow { 2.0_f64 } else { 1.01 };
                let of_fork = |cell: usize, fork: u32| {
                    let ran = cell != slow || fork.is_multiple_of(2);
                    ran.then(|| ratio(cell).ln() + f64::from(fork % 3) * 0.001)
                };
                let forks = |cell: usize| {
                    (0..24).filter(|&fork| of(fork)).map(|fork| of_fork(cell, fork)).collect()
                };
                (0..plan.cells.len()).map(|cell| (cell, forks(cell))).collect()
            };
            let runs = |ordinal: &u32| {
                let cells = of_fork(&plan, *ordinal, values).cells;
                cells.is_none_or(|cells| cells.contains(&slow))
            };
            (0..24).filter(runs).collect::<Vec<u32>>()
        };
        assert_eq!(forks_of(Some(3)), [0, 2, 4, 6, 8, 10]);
        assert_eq!(forks_of(None).len(), 16, "it is an ordinary contender");
    }

    #[test]
    fn a_question_about_all_without_a_jit_ends_once_the_fastest_is_sure() {
        let contenders = ["base", "far"].map(fixture::contender).to_vec();
        let options = Options { forks: 11, jit_first_forks: Some(3), ..Options::default() };
        let plan = fixture::plan_with(options, contenders, &[64], &[]);
        let values = || (0..plan.cells.len()).map(|cell| (cell, forks(3.0))).collect();
        for ordinal in 5..11 {
            let cells = of_fork(&plan, ordinal, |_| values()).cells;
            assert_eq!(cells, Some(BTreeSet::new()), "fork {ordinal}");
        }
    }

    #[test]
    fn a_comparison_without_open_questions_does_not_go_on() {
        let plan = fixture::plan(&["base", "a"], &[64, 1024]);
        assert_eq!(open_of(&plan, &[&[1.01], &[2.0]]), [vec!["base", "a"], vec![]]);
    }

    #[test]
    fn contenders_go_on_while_a_claim_about_them_is_undecided() {
        let contenders = ["base", "a", "b", "c"].map(fixture::contender).to_vec();
        let open = |claimed: &[Claimed]| {
            let plan = fixture::plan_of(contenders.clone(), &[64], claimed);
            open_of(&plan, &[&[2.0, 4.0, 4.1]])
        };
        let claim =
            |a: usize, b: usize, relation: Relation| Claimed { a, b, relation, alternatives: None };
        let nobody = [Vec::<String>::new()];
        assert_eq!(open(&[]), nobody);
        assert_eq!(open(&[claim(1, 3, Relation::Faster(None))]), nobody, "decided");
        let factor = |ratio: f64| Relation::Faster(Some(Factor { ratio, tolerance: 0.05 }));
        assert_eq!(open(&[claim(1, 2, factor(3.0))]), nobody, "it is two");
        assert_eq!(open(&[claim(1, 2, factor(2.0))]), [["base", "a", "b"]], "it may be two");
        assert_eq!(open(&[claim(2, 3, Relation::Equal(0.05))]), [["base", "b", "c"]]);
        assert_eq!(open(&[claim(2, 0, Relation::Slower(None))]), nobody, "the baseline");
    }

    #[test]
    fn contenders_go_on_while_a_bound_is_inside_the_interval_or_near() {
        let contenders = ["base", "a", "b", "c"].map(fixture::contender).to_vec();
        let open = |relation: Relation| {
            let plan = fixture::plan_of(
                contenders.clone(),
                &[64],
                &[Claimed { a: 1, b: 2, relation, alternatives: None }],
            );
            open_of(&plan, &[&[2.0, 4.0, 4.1]])
        };
        // a is twice as fast as b; five forks decide nothing within 15 % of a bound.
        let nobody = [Vec::<String>::new()];
        let both = [["base", "a", "b"]];
        let between = |low, high| Relation::Between { low, high };
        let about = |ratio| Relation::About(Factor { ratio, tolerance: 0.5 });
        assert_eq!(open(Relation::AtLeast(1.5)), nobody, "held");
        assert_eq!(open(Relation::AtLeast(3.0)), nobody, "refuted");
        assert_eq!(open(Relation::AtLeast(2.0)), both);
        assert_eq!(open(Relation::AtLeast(1.9)), both, "too near for so few forks");
        assert_eq!(open(Relation::AtMost(3.0)), nobody, "held");
        assert_eq!(open(Relation::AtMost(1.5)), nobody, "refuted");
        assert_eq!(open(Relation::AtMost(2.1)), both, "too near for so few forks");
        assert_eq!(open(between(1.5, 3.0)), nobody, "held");
        assert_eq!(open(between(3.0, 4.0)), nobody, "refuted");
        assert_eq!(open(between(1.5, 2.1)), both);
        assert_eq!(open(about(2.0)), nobody, "held");
        assert_eq!(open(about(4.0)), nobody, "refuted");
        assert_eq!(open(about(3.0)), both);
    }

    /// The names of the contenders in a fork after the ones compiled at run time, by size. `jit`
    /// are the positions of these contenders; the first contender is the baseline.
    fn without_jit(jit: &[usize], first_forks: u32) -> Vec<Vec<String>> {
        let mut contenders = ["base", "near", "far"].map(fixture::contender).to_vec();
        for &position in jit {
            if let State::Ready { jit, .. } = &mut contenders[position].state {
                *jit = true;
            }
        }
        let options = Options {
            forks: 20,
            first_forks: Some(first_forks),
            jit_forks: Some(11),
            ..Options::default()
        };
        let plan = fixture::plan_with(options, contenders, &[64], &[]);
        let values = |of: &dyn Fn(u32) -> bool| {
            assert!(of(first_forks - 1) && !of(first_forks), "the first forks");
            let cells = plan.comparisons[0].cells.iter();
            let ratio =
                |cell: usize| if plan.contender_of(cell).name == "far" { 3.0 } else { 1.01 };
            cells.map(|&cell| (cell, forks(ratio(cell)))).collect()
        };
        let names = |ordinal: u32| {
            let open = of_fork(&plan, ordinal, values).cells;
            let runs = |cell: &usize| open.as_ref().is_none_or(|open| open.contains(cell));
            let name = |cell: usize| {
                let copy = if plan.cells[cell].control { " again" } else { "" };
                format!("{}{copy}", plan.contender_of(cell).name)
            };
            // Only the baseline's copy: each kind of runner has one, too.
            let shown =
                |&cell: &usize| !plan.cells[cell].control || plan.cells[cell].contender == 0;
            (0..plan.cells.len()).filter(runs).filter(shown).map(name).collect()
        };
        [0, 8, 9, 19].map(names).to_vec()
    }

    #[test]
    fn code_compiled_at_run_time_has_no_further_forks_than_its_own() {
        let all = vec!["base", "near", "far", "base again"];
        assert_eq!(
            without_jit(&[2], 20),
            [all.clone(), all.clone(), vec!["base", "near", "base again"], all.clone()]
        );
        // Those that are clear after five forks return in the last one.
        let open = vec!["base", "near", "base again"];
        assert_eq!(without_jit(&[2], 5), [all.clone(), open.clone(), open, all.clone()]);
        // A baseline is needed by the contenders compared with it, and is measured with its
        // control.
        assert_eq!(without_jit(&[0], 20), [all.clone(), all.clone(), all.clone(), all.clone()]);
        // Where only they are compared, the forks between have nothing to do.
        assert_eq!(without_jit(&[1, 2], 20), [all.clone(), all.clone(), vec![], all]);
    }

    /// The names of the contenders that run in each of eleven forks, where only `near` is open.
    fn forks_of_eleven(jit: bool) -> Vec<Vec<String>> {
        let mut contenders = ["base", "near", "far"].map(fixture::contender).to_vec();
        if let State::Ready { jit: is_jit, .. } = &mut contenders[2].state {
            *is_jit = jit;
        }
        let options = Options { forks: 11, first_forks: Some(5), ..Options::default() };
        let plan = fixture::plan_with(options, contenders, &[64], &[]);
        let ratio = |cell: usize| if plan.contender_of(cell).name == "far" { 3.0 } else { 1.01 };
        let values = || (0..plan.cells.len()).map(|cell| (cell, forks(ratio(cell)))).collect();
        let runs = |ordinal: u32| {
            let open = of_fork(&plan, ordinal, |_| values()).cells;
            let cells = 0..plan.cells.len();
            let cells = cells.filter(|cell| open.as_ref().is_none_or(|open| open.contains(cell)));
            let own = cells.filter(|&cell| !plan.cells[cell].control);
            own.map(|cell| plan.contender_of(cell).name.to_string()).collect()
        };
        (0..11).map(runs).collect()
    }

    /// A baseline that changes after the first forks must not be another one for those that left.
    #[test]
    fn who_left_returns_now_and_then_and_in_the_last_forks() {
        for (jit, further) in [(false, vec![7, 9, 10]), (true, vec![10])] {
            let forks = forks_of_eleven(jit);
            for (ordinal, names) in forks.iter().enumerate() {
                let runs = ordinal < 5 || further.contains(&ordinal);
                assert_eq!(names.contains(&"far".to_string()), runs, "fork {ordinal}: {names:?}");
                assert!(names.contains(&"near".to_string()), "fork {ordinal}: {names:?}");
            }
        }
    }

    /// If all answers are clear, the run is not over: they may be clear because of what comes and
    /// goes.
    #[test]
    fn a_run_without_open_answers_still_looks_again() {
        let contenders = ["base", "far"].map(fixture::contender).to_vec();
        let options = Options { forks: 11, first_forks: Some(5), ..Options::default() };
        let plan = fixture::plan_with(options, contenders, &[64], &[]);
        let values = || (0..plan.cells.len()).map(|cell| (cell, forks(3.0))).collect();
        for ordinal in 0..11 {
            let Runs { cells, briefly } = of_fork(&plan, ordinal, |_| values());
            assert_eq!(briefly, ordinal >= 5, "fork {ordinal}");
            let runs = cells.is_none_or(|cells| !cells.is_empty());
            assert_eq!(runs, ordinal < 5 || [7, 9, 10].contains(&ordinal), "fork {ordinal}");
        }
    }

    /// The names of the contenders in forks 8, 11, 16 and 23 of a question about all, by their ratios
    /// to the baseline. `jit` has a JIT, and its first forks before fork 8.
    fn after_a_look(far: f64, jit: f64) -> Vec<Vec<String>> {
        // Three forks are clear only if they hardly differ.
        after_a_look_with(far, [jit; 3])
    }

    /// The same with the ratio of each fork with a JIT.
    fn after_a_look_with(far: f64, jit: [f64; 3]) -> Vec<Vec<String>> {
        let mut contenders = ["base", "far", "jit"].map(fixture::contender).to_vec();
        if let State::Ready { jit, .. } = &mut contenders[2].state {
            *jit = true;
        }
        let options = Options {
            forks: 24,
            first_forks: Some(8),
            jit_forks: Some(11),
            jit_first_forks: Some(3),
            ..Options::default()
        };
        let plan = fixture::plan_with(options, contenders, &[64], &[]);
        let ratio = |cell: usize| match plan.contender_of(cell).name.to_string().as_str() {
            "far" => far,
            _ => 1.0,
        };
        let values = |of: &dyn Fn(u32) -> bool| -> Values {
            let has = |cell: usize, fork: u32| {
                of(fork) && (!plan.contender_of(cell).is_jit() || plan.options.is_jit_fork(fork))
            };
            let forks = |cell: usize| {
                let all = if plan.contender_of(cell).is_jit() {
                    jit.map(|ratio| Some(ratio.ln())).to_vec()
                } else {
                    forks(ratio(cell))
                };
                let all = all.into_iter().cycle();
                (0..24).zip(all).filter(|(fork, _)| has(cell, *fork)).map(|(_, of)| of).collect()
            };
            (0..plan.cells.len()).map(|cell| (cell, forks(cell))).collect()
        };
        let names = |ordinal: u32| {
            let cells = of_fork(&plan, ordinal, values).cells.unwrap();
            let own = cells.into_iter().filter(|&cell| !plan.cells[cell].control);
            own.map(|cell| plan.contender_of(cell).name.to_string()).collect()
        };
        [8, 11, 16, 23].map(names).to_vec()
    }

    #[test]
    fn a_question_without_an_open_answer_ends_after_its_look() {
        assert_eq!(after_a_look(3.0, 4.0), [[""; 0]; 4]);
    }

    /// Three forks bound a ratio loosely, and may allow it to be 1.
    #[test]
    fn code_with_a_jit_that_left_keeps_no_other_in_the_run() {
        let ended = after_a_look_with(0.5, [1.0, 1.2, 1.1]);
        assert_eq!(ended, [[""; 0]; 4]);
    }

    /// Its three processes may all have had the same one of two speeds.
    #[test]
    fn code_with_a_jit_that_is_not_far_behind_has_all_its_forks() {
        let alone: [&[&str]; 4] = [&["base", "jit"], &["base", "jit"], &[], &[]];
        assert_eq!(after_a_look(3.0, 1.4), alone);
        let near: [&[&str]; 4] = [&["base", "far"]; 4];
        assert_eq!(after_a_look(1.05, 4.0), near, "the other is open");
    }

    #[test]
    fn a_process_whose_code_is_compiled_at_run_time_runs_all_that_it_ran_before() {
        let mut contenders = ["base", "a"].map(fixture::contender).to_vec();
        if let State::Ready { jit, .. } = &mut contenders[1].state {
            *jit = true;
        }
        let plan = fixture::plan_of(contenders, &[64, 1024], &[]);
        assert_eq!(open_of(&plan, &[&[1.01], &[2.0]]), [["base", "a"], ["base", "a"]]);
    }

    #[test]
    fn each_build_runs_in_all_its_layouts() {
        let mut contenders = ["base", "a"].map(fixture::contender).to_vec();
        contenders[1].layouts = (0..8).map(|layout| layout.to_string()).collect();
        let plan = fixture::plan_of(contenders, &[64], &[]);
        assert_eq!(open_of(&plan, &[&[2.0]]), [["base", "a"]]);
    }
}
