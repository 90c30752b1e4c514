//! What a run shows about any two of its cells. Tables, claims, advice, gates and pages are queries
//! of it.

use super::collection::{self, Collection};
use super::series::Series;
use super::{Ratio, Time};
use crate::plan::Plan;
use crate::store::Recorded;
use crate::suite::Options;
use cupel_stats::placebo::{calibration, surprise};
use cupel_stats::{Comparison, Interval, Pair, Prior, Without, compare};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The evidence of one run.
pub struct Evidence {
    pub(super) series: Series,
    /// What garbage collection adds to the times of the series.
    pub(super) collection: Collection,
    /// By cell: its second copy, if it has one.
    controls: BTreeMap<usize, usize>,
    /// By cell: what it shows against the baseline of its comparison.
    table: BTreeMap<usize, Sample>,
    /// By cell: how much the processes of its contender differ, as all tables of the run show.
    priors: BTreeMap<usize, Prior>,
    /// The factor for all standard errors, from the controls; at least 1.
    pub calibration: f64,
    options: Options,
    /// How many tables beside those of this run the intervals are joint with, and this one; 1 alone.
    joint: usize,
    /// By comparison: how many of its cells are compared with the baseline.
    families: HashMap<usize, usize>,
    /// By cell: its comparison.
    comparisons: Vec<usize>,
    /// By comparison: its baseline, if that was measured.
    baselines: HashMap<usize, usize>,
}

/// The values of a pair, by fork.
struct Sample {
    forks: BTreeMap<i64, f64>,
    rounds: usize,
    /// If garbage collection is a part of the values.
    collected: Option<Collected>,
}

/// What is particular to values that include garbage collection.
struct Collected {
    /// The values without it.
    without: BTreeMap<i64, f64>,
    /// The standard error that all forks share, because collections are few.
    error: f64,
}

impl Sample {
    fn pair(&self) -> Pair {
        Pair { forks: self.forks.values().copied().collect(), rounds: self.rounds }
    }

    /// The values without garbage collection.
    fn without(&self) -> &BTreeMap<i64, f64> {
        self.collected.as_ref().map_or(&self.forks, |collected| &collected.without)
    }

    fn error(&self) -> f64 {
        self.collected.as_ref().map_or(0.0, |collected| collected.error)
    }
}

impl Evidence {
    /// Gathers a run's slices. A cell that failed is no evidence.
    pub fn of(recorded: &Recorded) -> Evidence {
        let plan = &recorded.plan;
        let failed = |cell: usize| super::failure(recorded, cell).is_some();
        let series = Series::gather(recorded);
        let mut evidence = Evidence {
            collection: Collection::of(plan, &recorded.garbage, &series),
            series,
            controls: BTreeMap::new(),
            table: BTreeMap::new(),
            priors: BTreeMap::new(),
            calibration: 1.0,
            options: plan.options.clone(),
            joint: 1,
            families: HashMap::new(),
            comparisons: plan.cells.iter().map(|cell| cell.comparison).collect(),
            baselines: HashMap::new(),
        };
        let mut asked: Vec<(usize, usize)> = Vec::new();
        for (number, comparison) in plan.comparisons.iter().enumerate() {
            let usable = comparison.baseline.filter(|&b| !comparison.overhead && !failed(b));
            let Some(baseline) = usable else { continue };
            evidence.baselines.insert(number, baseline);
            let measured = comparison.cells.iter().copied().filter(|&cell| !failed(cell));
            for cell in measured.filter(|&cell| cell != baseline) {
                // A control is a question of its own only if it is the baseline's.
                if !plan.cells[cell].control || comparison.control == Some(cell) {
                    asked.push((cell, baseline));
                }
            }
            let copies = comparison.cells.iter().filter(|&&cell| !failed(cell));
            let copies = copies.filter_map(|&cell| Some((cell, plan.control_of(cell)?)));
            evidence.controls.extend(copies);
        }
        evidence.table = asked
            .into_par_iter()
            .map(|(cell, baseline)| (cell, evidence.sample(cell, baseline)))
            .filter(|(_, sample)| !sample.forks.is_empty())
            .collect();
        for &cell in evidence.table.keys() {
            *evidence.families.entry(evidence.comparisons[cell]).or_default() += 1;
        }
        evidence.priors = priors(plan, &evidence.table);
        evidence.calibration = evidence.calibrated();
        evidence
    }

    /// The same evidence as one of so many runs, or kinds of calls, whose intervals are all joint. A
    /// control is judged as before: whether a run is trusted does not depend on who reads it.
    pub fn joint_over(mut self, all: usize) -> Evidence {
        self.joint = all.max(1);
        self
    }

    /// A cell's time per call, with the garbage collection that belongs to it.
    pub(super) fn time(&self, cell: usize) -> Option<Time> {
        let time = self.series.time(cell)?;
        Some(match self.collection.ns(cell) {
            Some(ns) => Time { median: time.median + ns, low: time.low + ns, high: time.high + ns },
            None => time,
        })
    }

    /// How many intervals of ratios to a baseline the run has.
    pub fn intervals(&self) -> usize {
        self.table.len().max(1)
    }

    /// How many intervals are joint in the table of a comparison.
    pub fn in_table(&self, comparison: usize) -> usize {
        self.families.get(&comparison).copied().unwrap_or(1)
    }

    /// The comparison of a cell.
    pub(super) fn comparison_of(&self, cell: usize) -> usize {
        self.comparisons[cell]
    }

    /// How many pairs of a comparison somebody may look at, whatever the baseline.
    pub fn pairs(&self, comparison: usize) -> usize {
        let others = self.in_table(comparison);
        (others + 1) * others / 2
    }

    /// Compares a cell with its baseline, in the family of its table.
    pub fn ratio(&self, cell: usize) -> Option<Comparison> {
        self.to_baseline(cell, self.in_table(self.comparisons[cell]))
    }

    /// Compares a cell with its baseline, in the family of all tables of the run.
    pub fn ratio_in_run(&self, cell: usize) -> Option<Comparison> {
        self.to_baseline(cell, self.intervals())
    }

    /// Compares the control of the baseline with the baseline. Its own interval is not calibrated:
    /// it is what calibrates the others.
    pub fn control(&self, comparison: usize) -> Option<Comparison> {
        let control = self.controls.get(self.baselines.get(&comparison)?)?;
        let pair = self.table.get(control)?.pair();
        let error = self.options.error(pair.forks.len()) / self.in_table(comparison) as f64;
        Some(compare(&pair, error, &self.prior(*control), 1.0))
    }

    /// Whether a control makes its comparison untrusted: it is off by more than 1 %, and by more
    /// than its own interval allows. Then the other intervals are wrong too. If processes of one
    /// program differ, the control is off by chance, and the calibration accounts for that.
    pub fn is_off(control: &Comparison) -> bool {
        control.estimate.abs() > 0.01_f64.ln_1p() && !control.interval.contains(0.0)
    }

    /// Compares any two cells of one comparison, as one of `family` questions whose intervals are to
    /// be joint. The number and the choice of the questions must not depend on the times. `None` if
    /// no fork has both.
    pub fn between(&self, cell: usize, other: usize, family: usize) -> Option<Comparison> {
        let baseline = self.baselines.get(&self.comparisons[cell]);
        if baseline == Some(&other) {
            return self.to_baseline(cell, family);
        }
        if baseline == Some(&cell) {
            return self.to_baseline(other, family).map(Comparison::inverse);
        }
        let sample = self.sample(cell, other);
        if sample.forks.is_empty() {
            return None;
        }
        let prior = stricter(self.prior(cell), self.prior(other));
        Some(self.judged(&sample, family, &prior))
    }

    /// Compares two cells of comparisons whose rounds follow each other in turn, `turns` of them, as
    /// one of `family` questions whose intervals are to be joint. `None` if no fork has both.
    pub fn in_turn(
        &self,
        cell: usize,
        other: usize,
        turns: usize,
        family: usize,
    ) -> Option<Comparison> {
        let found = self.series.ratios_in_turn(cell, other, turns);
        let rounds = found.iter().map(|fork| fork.rounds).sum();
        let without = found.iter().map(|fork| (fork.fork, fork.median)).collect();
        let added = |fork: i64| self.collection.added(cell, other, fork);
        let sample = self.collected(without, added, rounds, (cell, other));
        // How processes differ from those of the baseline says nothing about two cells of one.
        (!sample.forks.is_empty()).then(|| self.judged(&sample, family, &Prior::NOTHING))
    }

    /// Compares any two cells of one comparison for readers who choose the two by their times. If one
    /// of them is the baseline, this is the other's ratio in the table: one pair has one interval.
    /// Otherwise it is the interval of the pair itself, one of all pairs, unless the two intervals in
    /// the table separate the two further: a line below the table must not leave open what the table
    /// decides.
    pub fn rivals(&self, cell: usize, other: usize) -> Option<Comparison> {
        let comparison = self.comparisons[cell];
        let baseline = self.baselines.get(&comparison);
        if baseline == Some(&other) {
            return self.ratio(cell);
        }
        if baseline == Some(&cell) {
            return self.ratio(other).map(Comparison::inverse);
        }
        let own = self.between(cell, other, self.pairs(comparison))?;
        let both = self.ratio(cell).zip(self.ratio(other));
        let told = both.map(|(one, two)| Interval {
            low: one.interval.low - two.interval.high,
            high: one.interval.high - two.interval.low,
        });
        Some(further(own, told))
    }

    /// Compares two contenders over several workloads of the run: the time of all calls of the one
    /// divided by that of the other. In each fork, the ratio is weighed by the time that the other
    /// takes for its share of the calls, so that the mix has one interval and not the sum of many.
    /// The forks are those that have all parts.
    ///
    /// The weights are the typical times of the other, so they hide how much its own times differ
    /// from fork to fork. Weighed by the times of the one, the ratios show that. The interval is the
    /// hull of both. As in [`Evidence::rivals`], neither is wider than what the parts show by
    /// themselves. `None` if there are no parts, or if one of them has no evidence.
    pub fn mix(&self, parts: &[Part]) -> Option<Comparison> {
        if let [only] = parts {
            return self.rivals(only.cell, only.other);
        }
        let there = self.one_way(parts)?;
        let turned = parts.iter().map(|part| {
            let ratio = self.rivals(part.cell, part.other)?.estimate.exp();
            Some(Part { cell: part.other, other: part.cell, weight: part.weight * ratio })
        });
        let back = self.one_way(&turned.collect::<Option<Vec<Part>>>()?)?.inverse();
        Some(collection::reaching(there, &back))
    }

    /// A mix whose ratios are weighed by the times of the other.
    fn one_way(&self, parts: &[Part]) -> Option<Comparison> {
        let whole: f64 = parts.iter().map(|part| part.weight).sum();
        // The logarithm of the weighed mean of ratios, given the logarithm of each.
        let weighed = |value: &dyn Fn(usize) -> Option<f64>| {
            let shares = parts.iter().enumerate();
            let shares = shares.map(|(at, part)| Some(part.weight / whole * value(at)?.exp()));
            Some(shares.sum::<Option<f64>>()?.ln())
        };
        let samples: Vec<Sample> = parts.iter().map(|p| self.sample(p.cell, p.other)).collect();
        let forks: BTreeSet<i64> = samples.iter().flat_map(|s| s.forks.keys().copied()).collect();
        let mixed = |of: &dyn Fn(&Sample) -> &BTreeMap<i64, f64>| -> BTreeMap<i64, f64> {
            let value = |fork: i64| weighed(&|at| of(&samples[at]).get(&fork).copied());
            forks.iter().filter_map(|&fork| Some((fork, value(fork)?))).collect()
        };
        let rounds = samples.iter().map(|sample| sample.rounds).min()?;
        // The errors of the parts may be one, that of a runtime.
        let errors = parts.iter().zip(&samples).map(|(part, s)| part.weight / whole * s.error());
        let collected = samples.iter().any(|sample| sample.collected.is_some());
        let collected =
            collected.then(|| Collected { without: mixed(&Sample::without), error: errors.sum() });
        let sample = Sample { forks: mixed(&|sample| &sample.forks), rounds, collected };
        if sample.forks.is_empty() {
            return None;
        }
        let cells = parts.iter().flat_map(|part| [part.cell, part.other]);
        let known = cells.filter_map(|cell| self.priors.get(&cell).copied());
        let prior = known.reduce(stricter).unwrap_or(Prior::NOTHING);
        let family = parts.iter().map(|part| self.pairs(self.comparisons[part.cell])).max()?;
        let own = self.judged(&sample, family, &prior);
        let each = parts.iter().map(|part| self.rivals(part.cell, part.other));
        let each = each.collect::<Option<Vec<Comparison>>>()?;
        let low = weighed(&|at| Some(each[at].interval.low));
        let high = weighed(&|at| Some(each[at].interval.high));
        Some(further(own, low.zip(high).map(|(low, high)| Interval { low, high })))
    }

    fn to_baseline(&self, cell: usize, family: usize) -> Option<Comparison> {
        Some(self.judged(self.table.get(&cell)?, family, &self.prior(cell)))
    }

    fn judged(&self, sample: &Sample, family: usize, prior: &Prior) -> Comparison {
        let questions = family.max(1) as f64 * self.joint as f64;
        let error = self.options.error(sample.forks.len()) / questions;
        let with = compare(&sample.pair(), error, prior, self.calibration);
        let Some(collected) = &sample.collected else { return with };
        let forks = collected.without.values().copied().collect();
        let without = Pair { forks, rounds: sample.rounds };
        let without = compare(&without, error, prior, self.calibration);
        collection::both(with, &without, collected.error, error)
    }

    fn prior(&self, cell: usize) -> Prior {
        self.priors.get(&cell).copied().unwrap_or(Prior::NOTHING)
    }

    /// What the forks say about two cells. A contender with a control is measured in two copies,
    /// which count as one: its value is the mean of both, so that half of what its processes differ by
    /// is gone.
    fn sample(&self, cell: usize, other: usize) -> Sample {
        let copies = |one: usize, against: usize| {
            let control = self.controls.get(&one).filter(|&&control| control != against);
            [Some(one), control.copied()].into_iter().flatten()
        };
        let mut values: BTreeMap<i64, (f64, f64)> = BTreeMap::new();
        let mut added: BTreeMap<i64, f64> = BTreeMap::new();
        let mut rounds = 0;
        for one in copies(cell, other) {
            for two in copies(other, cell) {
                let mut shared = 0;
                for fork in self.series.ratios(one, two) {
                    let value = values.entry(fork.fork).or_default();
                    *value = (value.0 + fork.median, value.1 + 1.0);
                    *added.entry(fork.fork).or_default() +=
                        self.collection.added(one, two, fork.fork);
                    shared += fork.rounds;
                }
                rounds = rounds.max(shared);
            }
        }
        let added = |fork: i64| added[&fork] / values[&fork].1;
        let without = values.iter().map(|(&fork, (sum, n))| (fork, sum / n)).collect();
        self.collected(without, added, rounds, (cell, other))
    }

    /// The values of two cells with the garbage collection that belongs to them, if any does.
    fn collected(
        &self,
        without: BTreeMap<i64, f64>,
        added: impl Fn(i64) -> f64,
        rounds: usize,
        (cell, other): (usize, usize),
    ) -> Sample {
        if !self.collection.moves(cell, other) {
            return Sample { forks: without, rounds, collected: None };
        }
        let forks = without.iter().map(|(&fork, value)| (fork, value + added(fork))).collect();
        let error = self.collection.error(cell, other);
        Sample { forks, rounds, collected: Some(Collected { without, error }) }
    }

    /// The factor by which the controls of the run are further from their originals than chance puts
    /// them. The controls of an untrusted comparison do not count for the others.
    fn calibrated(&self) -> f64 {
        let trusted = |comparison: usize| {
            self.control(comparison).is_some_and(|control| !Evidence::is_off(&control))
        };
        let surprises: Vec<f64> = self
            .controls
            .iter()
            .filter(|(original, _)| trusted(self.comparisons[**original]))
            .filter_map(|(&original, &control)| {
                let prior = self.priors.get(&control).copied();
                let prior = prior.unwrap_or_else(|| self.prior(original));
                surprise(&self.sample(control, original).pair(), &prior)
            })
            .collect();
        calibration(&surprises)
    }
}

/// A part of a mix of calls: two cells of one comparison.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The cell in question.
    pub cell: usize,
    /// The cell that it is compared with.
    pub other: usize,
    /// The time that the other takes for this part of the calls, in any unit.
    pub weight: f64,
}

/// The prior of two contenders together.
fn stricter(one: Prior, two: Prior) -> Prior {
    Prior { variance: one.variance.max(two.variance), df: one.df.min(two.df) }
}

/// The comparison of a pair, with the interval that is told by others if that one separates the two
/// further and agrees with the estimate.
fn further(own: Comparison, told: Option<Interval>) -> Comparison {
    let Interval { low, high } = own.interval;
    let more = |told: &Interval| told.low > low.max(0.0) || told.high < high.min(0.0);
    let Some(interval) = told.filter(|told| told.contains(own.estimate) && more(told)) else {
        return own;
    };
    let without = own.without.map(|without| Without {
        with: without.with.intersect(&interval).unwrap_or(interval),
        ..without
    });
    Comparison { interval, without, ..own }
}

/// By cell: the prior of its contender. A control is a process of its own, and no other contender's.
/// Each alternative of a choice is other code.
fn priors(plan: &Plan, table: &BTreeMap<usize, Sample>) -> BTreeMap<usize, Prior> {
    let forks: BTreeSet<i64> = table.values().flat_map(|s| s.forks.keys().copied()).collect();
    let row = |sample: &Sample| forks.iter().map(|fork| sample.forks.get(fork).copied()).collect();
    let tables = table.iter().map(|(&cell, sample)| (cell, row(sample))).collect();
    Prior::of_each(&tables, |cell| plan.cells[cell].owner())
}

impl From<Comparison> for Ratio {
    fn from(compared: Comparison) -> Ratio {
        let interval = compared.own_interval();
        Ratio {
            estimate: compared.estimate.exp(),
            low: interval.low.exp(),
            high: interval.high.exp(),
        }
    }
}
