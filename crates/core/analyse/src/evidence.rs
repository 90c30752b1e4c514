//! The evidence of a run about any two of its cells. Tables, claims, advice, gates and pages query
//! it.

use super::collection::{self, Collection, Moves};
use super::impossible;
use super::series::Series;
use super::{PartOf, Ratio, Time};
use cupel_plan::Plan;
use cupel_stats::levels::{Groups, groups};
use cupel_stats::placebo::{calibration, surprise};
use cupel_stats::quantile::{mean, median};
use cupel_stats::{Comparison, Interval, Pair, Prior, Without, compare, shift};
use cupel_store::Recorded;
use cupel_suite::{Options, Turn};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// With this probability, a cell seems to have changed in the forks that a pair lacks although it
/// did not. Then an interval is wider than it need be.
const MOVED_BY_CHANCE: f64 = 0.001;

/// Smaller shifts than this (a ratio minus one) are no matter: half a tie zone.
const SMALL_SHIFT: f64 = 0.01;

/// Forks further apart than this (a ratio minus one) have no figure in common.
const APART: f64 = 0.04;

/// The processes of one of two contenders differ, and the processes of the other do not, if its
/// times differ by more than this many times as much.
const CLEARLY: f64 = 4.0;

/// The evidence of one run.
pub struct Evidence {
    pub(super) series: Series,
    /// The cost of garbage collection in the times of the series.
    pub(super) collection: Collection,
    /// By cell: its second copy, if it has one.
    controls: BTreeMap<usize, usize>,
    /// By cell: its sample against the baseline of its comparison.
    table: BTreeMap<usize, Sample>,
    /// By cell: the difference in the forks that its pair with the baseline lacks
    /// ([`Evidence::unseen`]).
    unseen: BTreeMap<usize, Interval>,
    /// By cell: how much the processes of its contender differ, as all tables of the run show.
    priors: BTreeMap<usize, Prior>,
    /// The factor for all standard errors, from the controls; at least 1.
    pub calibration: f64,
    options: Options,
    /// How many tables besides this run's the intervals are joint with, and this one; 1 alone.
    joint: usize,
    /// By comparison: how many of its cells are compared with the baseline.
    families: HashMap<usize, usize>,
    /// By cell: its comparison.
    comparisons: Vec<usize>,
    /// By comparison: its baseline, if that was measured.
    baselines: HashMap<usize, usize>,
    /// By comparison: the cell with the shortest time.
    leaders: HashMap<usize, usize>,
    /// By cell: why its time cannot be true.
    pub(super) impossible: BTreeMap<usize, String>,
    /// By cell: its contender, and whether it is a control.
    owners: Vec<(usize, bool)>,
    /// By cell: whether it has few forks, as code with a JIT does.
    has_few_forks: Vec<bool>,
    /// By cell: how many of them come before each look at which it may leave.
    before_look: Vec<Option<[usize; 2]>>,
    /// By comparison: how many of the cells that are compared with the baseline are such.
    with_few_forks: HashMap<usize, usize>,
}

/// The values of a pair, by fork.
struct Sample {
    forks: BTreeMap<i64, f64>,
    rounds: usize,
    /// The values of each pair of processes, if one of the two was measured in two copies: a mean
    /// of two copies is between the levels of their processes, and hides them.
    copies: Vec<BTreeMap<i64, f64>>,
    /// If garbage collection is a part of the values.
    collected: Option<Collected>,
    /// Whether a single fork has an interval: one of the two leaves after it if it is far behind. If
    /// both may, both may be off.
    one_is_enough: bool,
}

/// The additional facts about values that include garbage collection.
struct Collected {
    /// The values without it.
    without: BTreeMap<i64, f64>,
    /// The standard error that all forks share, because collections are few.
    error: f64,
    moves: Moves,
}

impl Sample {
    fn pair(&self) -> Pair {
        Pair { forks: self.forks.values().copied().collect(), rounds: self.rounds }
    }

    /// The groups that its forks are in, with the values that show them: its own values, or a
    /// copy's.
    fn groups(&self) -> Option<(&BTreeMap<i64, f64>, Groups)> {
        [&self.forks].into_iter().chain(&self.copies).find_map(|values| {
            let known: Vec<f64> = values.values().copied().collect();
            Some((values, groups(&known)?))
        })
    }

    /// The values without garbage collection.
    fn without(&self) -> &BTreeMap<i64, f64> {
        self.collected.as_ref().map_or(&self.forks, |collected| &collected.without)
    }

    /// Compares some values of it.
    fn compare(&self, forks: Vec<f64>, error: f64, prior: &Prior, calibration: f64) -> Comparison {
        let compared = compare(&Pair { forks, rounds: self.rounds }, error, prior, calibration);
        if self.one_is_enough { compared.bounded_if_single() } else { compared }
    }

    fn error(&self) -> f64 {
        self.collected.as_ref().map_or(0.0, |collected| collected.error)
    }

    /// How garbage collection moves it, if it does.
    fn moves(&self) -> Option<Moves> {
        self.collected.as_ref().map(|collected| collected.moves)
    }
}

/// The most forks of a cell before each look at which it may leave; `None` if it may not.
fn before_look(plan: &Plan, cell: usize) -> Option<[usize; 2]> {
    let [first, second] =
        [Turn::First, Turn::Second].map(|turn| plan.forks_before_look(cell, turn));
    Some([first?, second?])
}

impl Evidence {
    /// Gathers a run's slices. A cell that failed is not evidence.
    pub fn gather(recorded: &Recorded) -> Evidence {
        let plan = &recorded.plan;
        let series = Series::gather(recorded);
        let impossible = impossible::times(plan, &series);
        let failed: BTreeSet<usize> = (0..plan.cells.len())
            .filter(|&c| super::failure(recorded, c).is_some() || impossible.contains_key(&c))
            .collect();
        let mut evidence = Evidence {
            collection: Collection::estimate(plan, &recorded.garbage, &series),
            series,
            controls: BTreeMap::new(),
            table: BTreeMap::new(),
            unseen: BTreeMap::new(),
            priors: BTreeMap::new(),
            calibration: 1.0,
            options: plan.options.clone(),
            joint: 1,
            families: HashMap::new(),
            comparisons: plan.cells.iter().map(|cell| cell.comparison).collect(),
            baselines: HashMap::new(),
            leaders: HashMap::new(),
            impossible,
            owners: plan.cells.iter().map(|cell| (cell.contender, cell.control)).collect(),
            has_few_forks: (0..plan.cells.len()).map(|cell| plan.has_few_forks(cell)).collect(),
            before_look: (0..plan.cells.len()).map(|cell| before_look(plan, cell)).collect(),
            with_few_forks: HashMap::new(),
        };
        let mut asked: Vec<(usize, usize)> = Vec::new();
        for (number, comparison) in plan.comparisons.iter().enumerate() {
            let usable =
                comparison.baseline.filter(|b| !comparison.overhead && !failed.contains(b));
            let Some(baseline) = usable else { continue };
            evidence.baselines.insert(number, baseline);
            for &cell in comparison.cells.iter().filter(|&cell| !failed.contains(cell)) {
                // A control is its own question only if it is the baseline's.
                let is_question = !plan.cells[cell].control || comparison.control == Some(cell);
                if cell != baseline && is_question {
                    asked.push((cell, baseline));
                }
                if let Some(control) = plan.control_of(cell) {
                    evidence.controls.insert(cell, control);
                }
            }
        }
        evidence.table = asked
            .into_par_iter()
            .map(|(cell, baseline)| (cell, evidence.sample(cell, baseline)))
            .filter(|(_, sample)| !sample.forks.is_empty())
            .collect();
        for &cell in evidence.table.keys() {
            let comparison = evidence.comparisons[cell];
            *evidence.families.entry(comparison).or_default() += 1;
            *evidence.with_few_forks.entry(comparison).or_default() +=
                usize::from(evidence.has_few_forks[cell]);
        }
        for &cell in evidence.table.keys() {
            let baseline = evidence.baselines[&evidence.comparisons[cell]];
            evidence.unseen.insert(cell, evidence.unseen(cell, baseline));
        }
        evidence.priors = priors(plan, &evidence.table);
        evidence.calibration = evidence.calibrated();
        for (number, comparison) in plan.comparisons.iter().enumerate() {
            let ranked = comparison.cells.iter().copied();
            let ranked = ranked.filter(|c| !plan.cells[*c].control && !failed.contains(c));
            let ranked: Vec<usize> = ranked.collect();
            if let Some(leader) = evidence.first_of(&ranked).filter(|_| !comparison.overhead) {
                evidence.leaders.insert(number, leader);
            }
        }
        evidence
    }

    /// This evidence as one of this many runs, or kinds of calls, whose intervals are all joint. A
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

    /// Compares the control of the baseline with the baseline. Its own interval is not calibrated,
    /// because it calibrates the others.
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

    /// Compares any two cells of one comparison, as one of `family` questions whose intervals are
    /// to be joint. The number and the choice of the questions must not depend on the times. `None`
    /// if no fork has both.
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
        let error = self.error_of_pair((cell, other), sample.forks.len(), family);
        let judged = self.judged(&sample, error, &prior);
        Some(covering(judged, &self.unseen(cell, other)))
    }

    /// By how much the logarithm of a pair's ratio would differ in the forks that only one of the
    /// two has. If the baseline changes in mid-run, contenders that left are compared with another
    /// baseline than those that stayed. The cells that ran in both parts show how it moved: the
    /// median of their moves counts, or the larger of the two in the middle. The interval contains
    /// 0.
    fn unseen(&self, cell: usize, other: usize) -> Interval {
        // If the other takes less time in the forks that the pair lacks, the ratio is higher there.
        let of_other = self.moved(other, cell);
        let of_cell = -self.moved(cell, other);
        Interval { low: of_other.min(of_cell).min(0.0), high: of_other.max(of_cell).max(0.0) }
    }

    /// By how much the other cells rose against `stayed` in the forks that `left` lacks; 0 if they
    /// did not, or if no other cell ran in both parts.
    fn moved(&self, stayed: usize, left: usize) -> f64 {
        let comparison = self.comparisons[stayed];
        let (own, theirs) = (self.forks_of(stayed), self.forks_of(left));
        let missing: Vec<i64> = own.difference(&theirs).copied().collect();
        let shared: Vec<i64> = own.intersection(&theirs).copied().collect();
        if missing.len() < 2 || shared.len() < 2 {
            return 0.0;
        }
        let mut moved = Vec::new();
        for &witness in self.table.keys().chain(self.baselines.get(&comparison)) {
            let (contender, is_control) = self.owners[witness];
            let is_other = contender != self.owners[stayed].0 && witness != left;
            if self.comparisons[witness] != comparison || is_control || !is_other {
                continue;
            }
            let seen = self.against(witness, stayed, &shared);
            let unseen = self.against(witness, stayed, &missing);
            if seen.len().min(unseen.len()) < 2 {
                continue;
            }
            // The forks of both parts in the order of time, and which of them the pair lacks.
            let forks = own.iter().copied().filter(|&fork| self.value(witness, fork).is_some());
            let forks: Vec<i64> = forks.collect();
            let lacks: Vec<bool> = forks.iter().map(|fork| !theirs.contains(fork)).collect();
            let by = hidden_group(&self.against(witness, stayed, &forks), &lacks)
                .or_else(|| shift(&seen, &unseen, MOVED_BY_CHANCE));
            moved.push(by.filter(|by| by.abs() > SMALL_SHIFT.ln_1p()).unwrap_or(0.0));
        }
        moved.sort_by(f64::total_cmp);
        match moved.len() {
            0 => 0.0,
            n if n % 2 == 1 => moved[n / 2],
            n => {
                let (low, high) = (moved[n / 2 - 1], moved[n / 2]);
                if low.abs() > high.abs() { low } else { high }
            }
        }
    }

    /// The log-ratios of two cells of one comparison in those forks that have both.
    fn against(&self, cell: usize, other: usize, forks: &[i64]) -> Vec<f64> {
        let values =
            forks.iter().map(|&fork| Some(self.value(cell, fork)? - self.value(other, fork)?));
        values.flatten().collect()
    }

    /// The log-ratio of a cell and the baseline of its comparison in a fork.
    fn value(&self, cell: usize, fork: i64) -> Option<f64> {
        if self.baselines.get(&self.comparisons[cell]) == Some(&cell) {
            return Some(0.0);
        }
        self.table.get(&cell)?.forks.get(&fork).copied()
    }

    /// The forks that show something about a cell. For a baseline: about any cell of its
    /// comparison.
    fn forks_of(&self, cell: usize) -> BTreeSet<i64> {
        let comparison = self.comparisons[cell];
        if self.baselines.get(&comparison) != Some(&cell) {
            let forks = self.table.get(&cell).map(|sample| sample.forks.keys().copied());
            return forks.into_iter().flatten().collect();
        }
        let others = self.table.iter().filter(|(other, _)| self.comparisons[**other] == comparison);
        others.flat_map(|(_, sample)| sample.forks.keys().copied()).collect()
    }

    /// Compares a contender on one thread with itself on several, as one of `family` questions
    /// whose intervals are to be joint. `None` if no fork has both.
    pub fn in_turn(&self, cells: Turns, family: usize) -> Option<Comparison> {
        let sample = self.turns(cells);
        // Differences between processes and the baseline's do not concern two cells of one process.
        let error = self.error(sample.forks.len(), family);
        (!sample.forks.is_empty()).then(|| self.judged(&sample, error, &Prior::NOTHING))
    }

    /// Compares the speed that two contenders keep on several threads, fork by fork, as one of
    /// `family` questions whose intervals are to be joint. `None` if no fork has all four cells.
    pub fn in_turn_against(&self, one: Turns, other: Turns, family: usize) -> Option<Comparison> {
        let (one, other) = (self.turns(one), self.turns(other));
        let moves = one.moves().into_iter().chain(other.moves().map(Moves::inverse));
        let collected = moves.reduce(Moves::and).map(|moves| Collected {
            without: difference(one.without(), other.without()),
            error: one.error() + other.error(),
            moves,
        });
        let sample = Sample {
            forks: difference(&one.forks, &other.forks),
            rounds: one.rounds.min(other.rounds),
            copies: vec![],
            collected,
            one_is_enough: false,
        };
        let error = self.error(sample.forks.len(), family);
        (!sample.forks.is_empty()).then(|| self.judged(&sample, error, &Prior::NOTHING))
    }

    /// The figures of each fork for a contender on one thread and on several.
    fn turns(&self, Turns { alone, many, turns }: Turns) -> Sample {
        let found = self.series.ratios_in_turn(alone, many, turns);
        let rounds = found.iter().map(|fork| fork.rounds).sum();
        let without = found.iter().map(|fork| (fork.fork, fork.median)).collect();
        let collected = self.collected((alone, many), without, rounds, |fork| {
            self.collection.added(alone, many, fork)
        });
        Sample { one_is_enough: false, ..collected }
    }

    /// Compares any two cells of one comparison for readers who choose the two by their times. If
    /// one of them is the baseline, this is the other's ratio in the table: one pair has one
    /// interval. Otherwise it is the interval of the pair itself, unless the two intervals in the
    /// table separate the two further: a line below the table must not leave open a pair that the
    /// table decides.
    ///
    /// The interval is joint with all pairs, or, if one of the two leads, with as many as there are
    /// others: only the pairs with the one that is truly the fastest can make a false answer (Hsu,
    /// "Multiple comparisons", 1996, on comparisons with the best). So an answer does not depend on
    /// which contender is the baseline.
    pub fn pair(&self, cell: usize, other: usize) -> Option<Comparison> {
        let comparison = self.comparisons[cell];
        let baseline = self.baselines.get(&comparison);
        if baseline == Some(&other) {
            return self.ratio(cell);
        }
        if baseline == Some(&cell) {
            return self.ratio(other).map(Comparison::inverse);
        }
        let leads = self.leaders.get(&comparison).is_some_and(|one| [cell, other].contains(one));
        let family = if leads { self.in_table(comparison) } else { self.pairs(comparison) };
        let direct = self.between(cell, other, family)?;
        let both = self.ratio(cell).zip(self.ratio(other));
        let indirect = both.map(|(one, two)| Interval {
            low: one.interval.low - two.interval.high,
            high: one.interval.high - two.interval.low,
        });
        Some(sharpened(direct, indirect))
    }

    /// The logarithm of the middle of the forks' ratios of two cells: as many of the forks that
    /// have both are above it as below. `None` if no fork has both.
    pub(super) fn middle(&self, cell: usize, other: usize) -> Option<f64> {
        let values: Vec<f64> = self.sample(cell, other).forks.into_values().collect();
        (!values.is_empty()).then(|| median(&values))
    }

    /// Which of these cells takes the least time: none of the others took less in most of the forks
    /// that both have. If some beat each other in a circle, it is the one of them with the shortest
    /// time, among those that none of them certainly beats.
    pub(super) fn first_of(&self, cells: &[usize]) -> Option<usize> {
        let timed = cells.iter().filter(|cell| self.time(**cell).is_some());
        let mut beats = vec![self.shortest(timed)?];
        loop {
            let first = beats[beats.len() - 1];
            let others = cells.iter().filter(|cell| **cell != first);
            let behind = others.filter_map(|&cell| Some((self.middle(cell, first)?, cell)));
            let faster = behind.filter(|(less, _)| *less < 0.0).min_by(|a, b| a.0.total_cmp(&b.0));
            let Some((_, faster)) = faster else { return Some(first) };
            if let Some(at) = beats.iter().position(|cell| *cell == faster) {
                return self.first_of_circle(&beats[at..]);
            }
            beats.push(faster);
        }
    }

    fn first_of_circle(&self, circle: &[usize]) -> Option<usize> {
        let beats = |one: usize, other: usize| {
            self.pair(one, other).is_some_and(|pair| pair.is_faster(0.0))
        };
        let is_beaten = |cell: usize| circle.iter().any(|&other| beats(other, cell));
        let unbeaten = circle.iter().filter(|cell| !is_beaten(**cell));
        self.shortest(unbeaten).or_else(|| self.shortest(circle.iter()))
    }

    /// The one of these cells with the shortest median time.
    fn shortest<'a>(&self, cells: impl Iterator<Item = &'a usize>) -> Option<usize> {
        let time = |cell: &usize| Some((self.time(*cell)?.median, *cell));
        Some(cells.filter_map(time).min_by(|a, b| a.0.total_cmp(&b.0))?.1)
    }

    /// The ratio of two cells in the forks that have both: each of its parts with its forks,
    /// numbered from 1. There are two parts if their processes have two levels, or if one of the
    /// two changed during the run, and the parts have no fork in common; also if so few forks are
    /// on either side of a gap.
    pub(super) fn parts(&self, cell: usize, other: usize) -> Vec<PartOf> {
        let sample = self.sample(cell, other);
        let groups = sample.groups().map(|(values, groups)| (values, groups.is_high));
        let apart = || Some((&sample.forks, apart(&sample.forks)?));
        let Some((values, is_high)) = groups.or_else(apart) else {
            return self.part(sample.forks).into_iter().collect();
        };
        let mut sides = [BTreeMap::new(), BTreeMap::new()];
        for ((&fork, &value), is_high) in values.iter().zip(is_high) {
            sides[usize::from(is_high)].insert(fork, value);
        }
        let [low, high] = &sides;
        let most = low.values().copied().fold(f64::NEG_INFINITY, f64::max);
        if high.values().any(|value| *value <= most) {
            return self.part(sample.forks).into_iter().collect();
        }
        sides.into_iter().filter_map(|side| self.part(side)).collect()
    }

    /// Which of two cells differs between the two parts of their ratio: its own times do, and the
    /// other's do not. `None` if there is one part, or if the times of both differ, or of neither.
    pub(super) fn differs(&self, cell: usize, other: usize) -> Option<usize> {
        let sample = self.sample(cell, other);
        let (values, groups) = sample.groups()?;
        let [own, others] = [cell, other].map(|cell| {
            let times = self.series.by_fork(cell);
            let mut sides = [vec![], vec![]];
            for (fork, &is_high) in values.keys().zip(&groups.is_high) {
                sides[usize::from(is_high)].extend(times.get(fork).copied());
            }
            let [low, high] = sides.map(|side| median(&side));
            (high - low).abs()
        });
        if own > CLEARLY * others {
            return Some(cell);
        }
        (others > CLEARLY * own).then_some(other)
    }

    /// The part that these values make.
    fn part(&self, values: BTreeMap<i64, f64>) -> Option<PartOf> {
        let forks = self.series.numbers(values.keys());
        let values: Vec<f64> = values.into_values().collect();
        let least = values.iter().copied().reduce(f64::min)?.exp();
        let most = values.iter().copied().reduce(f64::max)?.exp();
        let mean = mean(&values);
        let from_mean = |value: &f64| (value - mean).abs();
        let nearest = values.iter().min_by(|a, b| from_mean(a).total_cmp(&from_mean(b)))?.exp();
        Some(PartOf { times: mean.exp(), low: least, high: most, nearest, forks })
    }

    /// Whether one cell took longer than another by more than a factor in every fork that has both,
    /// with garbage collection and without it.
    pub(super) fn always_behind(&self, cell: usize, other: usize, factor: f64) -> bool {
        let sample = self.sample(cell, other);
        let mut values = sample.forks.values().chain(sample.without().values());
        !sample.forks.is_empty() && values.all(|value| *value > factor.ln())
    }

    /// Compares two contenders over several workloads of the run: the time of all calls of the one
    /// divided by the other's. In each fork, the ratio is weighed by the time that the other takes
    /// for its share of the calls, so that the mix has one interval and not the sum of many. The
    /// forks are those that have all parts.
    ///
    /// The weights are the typical times of the other, so they hide how much its own times differ
    /// from fork to fork. Weighed by the times of the first, the ratios show that. The interval is
    /// the hull of both. As in [`Evidence::pair`], neither is wider than the interval of the parts
    /// themselves. `None` if there are no parts, or if one of them has no evidence.
    pub fn mix(&self, parts: &[Part]) -> Option<Comparison> {
        if let [only] = parts {
            return self.pair(only.cell, only.other);
        }
        let there = self.one_way(parts)?;
        let turned = parts.iter().map(|part| {
            let ratio = self.pair(part.cell, part.other)?.estimate.exp();
            Some(Part { cell: part.other, other: part.cell, weight: part.weight * ratio })
        });
        let back = self.one_way(&turned.collect::<Option<Vec<Part>>>()?)?.inverse();
        Some(collection::reaching(there, &back))
    }

    /// A mix whose ratios are weighed by the times of the other.
    fn one_way(&self, parts: &[Part]) -> Option<Comparison> {
        let samples: Vec<Sample> = parts.iter().map(|p| self.sample(p.cell, p.other)).collect();
        let rounds = samples.iter().map(|sample| sample.rounds).min()?;
        let moves = samples.iter().filter_map(Sample::moves).reduce(Moves::and);
        let collected = moves.map(|moves| {
            let whole: f64 = parts.iter().map(|part| part.weight).sum();
            // The errors of the parts may be one error of their runtime.
            let errors = parts.iter().zip(&samples);
            Collected {
                without: mixed(parts, samples.iter().map(Sample::without).collect()),
                error: errors.map(|(part, s)| part.weight / whole * s.error()).sum(),
                moves,
            }
        });
        let forks = mixed(parts, samples.iter().map(|sample| &sample.forks).collect());
        let one_is_enough = samples.iter().all(|sample| sample.one_is_enough);
        let sample = Sample { forks, rounds, copies: vec![], collected, one_is_enough };
        if sample.forks.is_empty() {
            return None;
        }
        let cells = parts.iter().flat_map(|part| [part.cell, part.other]);
        let known = cells.filter_map(|cell| self.priors.get(&cell).copied());
        let prior = known.reduce(stricter).unwrap_or(Prior::NOTHING);
        let family = parts.iter().map(|part| self.pairs(self.comparisons[part.cell])).max()?;
        let own = self.judged(&sample, self.error(sample.forks.len(), family), &prior);
        let each = parts.iter().map(|part| self.pair(part.cell, part.other));
        let each = each.collect::<Option<Vec<Comparison>>>()?;
        let unseen: Vec<Interval> = parts.iter().map(|p| self.unseen(p.cell, p.other)).collect();
        let estimate = weighed(parts, |at| Some(each[at].estimate))?;
        let hidden = Interval {
            low: weighed(parts, |at| Some(each[at].estimate + unseen[at].low))? - estimate,
            high: weighed(parts, |at| Some(each[at].estimate + unseen[at].high))? - estimate,
        };
        let direct = covering(own, &hidden);
        let low = weighed(parts, |at| Some(each[at].interval.low))?;
        let high = weighed(parts, |at| Some(each[at].interval.high))?;
        Some(sharpened(direct, Some(Interval { low, high })))
    }

    fn to_baseline(&self, cell: usize, family: usize) -> Option<Comparison> {
        let (sample, baseline) = (self.table.get(&cell)?, self.baselines[&self.comparisons[cell]]);
        let error = self.error_of_pair((cell, baseline), sample.forks.len(), family);
        let judged = self.judged(sample, error, &self.prior(cell));
        Some(match self.unseen.get(&cell) {
            Some(unseen) => covering(judged, unseen),
            None => judged,
        })
    }

    /// The error of an interval from this many forks, as one of `family`.
    fn error(&self, forks: usize, family: usize) -> f64 {
        self.options.error(forks) / (family.max(1) as f64 * self.joint as f64)
    }

    /// The same of two cells. The intervals of those that had only their forks before the look have
    /// their own share of the error, and divide it among themselves: they are few.
    fn error_of_pair(&self, pair: (usize, usize), forks: usize, family: usize) -> f64 {
        let comparison = self.comparisons[pair.0];
        let looked_at = self.with_few_forks.get(&comparison).copied().unwrap_or(0);
        let before = [pair.0, pair.1].iter().filter_map(|&cell| self.before_look[cell]).min();
        let turn = match before {
            Some([first, _]) if forks <= first => Turn::First,
            Some([_, second]) if forks <= second => Turn::Second,
            _ => return self.error(forks, family),
        };
        let in_table = self.in_table(comparison);
        // Twice as many of all pairs of a table are with one of them as of its rows.
        let times = if family > in_table { 2 } else { 1 };
        let each = self.options.error_of_look(turn) / (times * looked_at.max(1)) as f64;
        each * in_table as f64 / (family.max(1) as f64 * self.joint as f64)
    }

    fn judged(&self, sample: &Sample, error: f64, prior: &Prior) -> Comparison {
        let with = self.compared(sample, error, prior);
        let judged = match &sample.collected {
            None => with,
            Some(collected) => {
                let forks = collected.without.values().copied().collect();
                let without = sample.compare(forks, error, prior, self.calibration);
                // The interval of a single fork is not computed from errors.
                let is_single = sample.one_is_enough && sample.forks.len() == 1;
                let shared = if is_single { 0.0 } else { collected.error };
                collection::both(with, &without, collected.moves, shared, error)
            }
        };
        let Interval { low, high } = judged.interval;
        let least = self.options.least_width;
        let interval = Interval {
            low: low.min(judged.estimate - least),
            high: high.max(judged.estimate + least),
        };
        Comparison { interval, ..judged }
    }

    /// The comparison of a sample's own values. If only a copy's values have levels, the interval
    /// reaches from one to the other, as it does if the other of the two is the one with two
    /// copies.
    fn compared(&self, sample: &Sample, error: f64, prior: &Prior) -> Comparison {
        let forks = sample.forks.values().copied().collect();
        let mean = sample.compare(forks, error, prior, self.calibration);
        if mean.levels.is_some() {
            return mean;
        }
        let copies = sample.copies.iter().map(|values| {
            sample.compare(values.values().copied().collect(), error, prior, self.calibration)
        });
        let Some(levelled) = copies.into_iter().find(|copy| copy.levels.is_some()) else {
            return mean;
        };
        Comparison {
            levels: levelled.levels,
            change: levelled.change,
            ..collection::reaching(mean, &levelled)
        }
    }

    fn prior(&self, cell: usize) -> Prior {
        self.priors.get(&cell).copied().unwrap_or(Prior::NOTHING)
    }

    /// The forks' log-ratios of two cells. A contender with a control is measured in two copies,
    /// which count as one: its value is the mean of both, which halves the difference of its
    /// processes.
    fn sample(&self, cell: usize, other: usize) -> Sample {
        let mut values: BTreeMap<i64, (f64, f64)> = BTreeMap::new();
        let mut added: BTreeMap<i64, f64> = BTreeMap::new();
        let mut copies: Vec<BTreeMap<i64, f64>> = Vec::new();
        let mut rounds = 0;
        for one in self.copies(cell, other) {
            for two in self.copies(other, cell) {
                let mut shared = 0;
                let mut alone = BTreeMap::new();
                for fork in self.series.ratios(one, two) {
                    let value = values.entry(fork.fork).or_default();
                    *value = (value.0 + fork.median, value.1 + 1.0);
                    let collected = self.collection.added(one, two, fork.fork);
                    *added.entry(fork.fork).or_default() += collected;
                    alone.insert(fork.fork, fork.median + collected);
                    shared += fork.rounds;
                }
                copies.push(alone);
                rounds = rounds.max(shared);
            }
        }
        if copies.len() == 1 {
            copies.clear();
        }
        let without = values.iter().map(|(&fork, (sum, n))| (fork, sum / n)).collect();
        let added = |fork: i64| added[&fork] / values[&fork].1;
        Sample { copies, ..self.collected((cell, other), without, rounds, added) }
    }

    /// A cell and its second copy, unless that is the one that it is compared with.
    fn copies(&self, cell: usize, other: usize) -> impl Iterator<Item = usize> {
        let control = self.controls.get(&cell).copied().filter(|&control| control != other);
        [cell].into_iter().chain(control)
    }

    /// The values of two cells with the garbage collection that belongs to them, if any does.
    fn collected(
        &self,
        (cell, other): (usize, usize),
        without: BTreeMap<i64, f64>,
        rounds: usize,
        added: impl Fn(i64) -> f64,
    ) -> Sample {
        let differ = self.has_few_forks[cell] != self.has_few_forks[other];
        let one_is_enough = differ && self.options.look().is_some();
        let Some(moves) = self.collection.moves(cell, other) else {
            let (forks, copies, collected) = (without, vec![], None);
            return Sample { forks, rounds, copies, collected, one_is_enough };
        };
        let forks = without.iter().map(|(&fork, value)| (fork, value + added(fork))).collect();
        let error = self.collection.error(cell, other);
        let collected = Some(Collected { without, error, moves });
        Sample { forks, rounds, copies: vec![], collected, one_is_enough }
    }

    /// The factor by which the controls of the run are further from their originals than chance
    /// puts them. The controls of an untrusted comparison do not count for the others.
    fn calibrated(&self) -> f64 {
        let mut surprises = Vec::new();
        for (&original, &control) in &self.controls {
            let judge = self.control(self.comparisons[original]);
            if judge.is_none_or(|judge| Evidence::is_off(&judge)) {
                continue;
            }
            let prior = self.priors.get(&control).copied();
            let prior = prior.unwrap_or_else(|| self.prior(original));
            surprises.extend(surprise(&self.sample(control, original).pair(), &prior));
        }
        calibration(&surprises)
    }
}

/// Two cells of one contender whose rounds follow each other in turn.
#[derive(Clone, Copy, Debug)]
pub struct Turns {
    /// The cell on one thread.
    pub alone: usize,
    /// The cell on several threads.
    pub many: usize,
    /// How many numbers of threads take turns.
    pub turns: usize,
}

/// The differences between the values of two cells in the forks that have both.
fn difference(one: &BTreeMap<i64, f64>, other: &BTreeMap<i64, f64>) -> BTreeMap<i64, f64> {
    let shared = one.iter().filter_map(|(fork, value)| Some((*fork, value - other.get(fork)?)));
    shared.collect()
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

/// The logarithm of the weighed mean of ratios, given the logarithm of each part's ratio.
fn weighed(parts: &[Part], ln_ratio: impl Fn(usize) -> Option<f64>) -> Option<f64> {
    let whole: f64 = parts.iter().map(|part| part.weight).sum();
    let shares = parts.iter().enumerate();
    let shares = shares.map(|(at, part)| Some(part.weight / whole * ln_ratio(at)?.exp()));
    Some(shares.sum::<Option<f64>>()?.ln())
}

/// The weighed mean in each fork that has a value of every part.
fn mixed(parts: &[Part], values: Vec<&BTreeMap<i64, f64>>) -> BTreeMap<i64, f64> {
    let forks: BTreeSet<i64> = values.iter().flat_map(|forks| forks.keys().copied()).collect();
    let mean = forks.into_iter().map(|n| (n, weighed(parts, |at| values[at].get(&n).copied())));
    mean.filter_map(|(fork, mean)| Some((fork, mean?))).collect()
}

/// Which values are above a gap that is most of their spread, with two or more on each side: their
/// mean is the value of none. Few forks do not show that processes have two levels, but each
/// printed value must be one that a fork shows.
fn apart(values: &BTreeMap<i64, f64>) -> Option<Vec<bool>> {
    let mut sorted: Vec<f64> = values.values().copied().collect();
    sorted.sort_by(f64::total_cmp);
    let range = sorted.last()? - sorted.first()?;
    let gaps = (2..sorted.len().saturating_sub(1)).map(|at| (sorted[at] - sorted[at - 1], at));
    let (gap, at) = gaps.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let is_wide = gap > APART.ln_1p() && gap > range / 2.0;
    is_wide.then(|| values.values().map(|value| *value >= sorted[at]).collect())
}

/// By how much the values that a pair lacks are off, if they fall into two groups and the pair has
/// seen only one of them.
fn hidden_group(values: &[f64], lacks: &[bool]) -> Option<f64> {
    let groups = groups(values)?;
    // For the low group and the high one: how many values the pair has, and how many it lacks.
    let (mut has, mut lacking) = ([0; 2], [0; 2]);
    for (&is_high, &lacks) in groups.is_high.iter().zip(lacks) {
        let counted = if lacks { &mut lacking } else { &mut has };
        counted[usize::from(is_high)] += 1;
    }
    let [low, high] = groups.split(values).map(|group| mean(&group));
    // One fork may be a stray process.
    if has[1] == 0 && lacking[1] >= 2 {
        return Some(high - low);
    }
    (has[0] == 0 && lacking[0] >= 2).then_some(low - high)
}

/// A comparison whose interval also covers the differences that the pair does not show.
fn covering(judged: Comparison, unseen: &Interval) -> Comparison {
    let Interval { low, high } = judged.interval;
    let interval = Interval { low: low + unseen.low, high: high + unseen.high };
    Comparison { interval, ..judged }
}

/// The prior of two contenders together.
fn stricter(one: Prior, two: Prior) -> Prior {
    Prior { variance: one.variance.max(two.variance), df: one.df.min(two.df) }
}

/// The comparison of a pair, with the interval that other pairs show if that one separates the two
/// further and agrees with the estimate.
fn sharpened(direct: Comparison, indirect: Option<Interval>) -> Comparison {
    let Interval { low, high } = direct.interval;
    let further = indirect.filter(|it| it.low > low.max(0.0) || it.high < high.min(0.0));
    let Some(interval) = further.filter(|it| it.contains(direct.estimate)) else { return direct };
    let without = direct.without.map(|without| Without {
        with: without.with.intersect(&interval).unwrap_or(interval),
        ..without
    });
    Comparison { interval, without, ..direct }
}

/// By cell: the prior of its contender. A control is its own process, and no other contender's.
/// Each alternative of a choice has different code.
fn priors(plan: &Plan, table: &BTreeMap<usize, Sample>) -> BTreeMap<usize, Prior> {
    let forks: BTreeSet<i64> = table.values().flat_map(|s| s.forks.keys().copied()).collect();
    let mut tables = BTreeMap::new();
    for (&cell, sample) in table {
        tables.insert(cell, forks.iter().map(|fork| sample.forks.get(fork).copied()).collect());
    }
    Prior::of_each(&tables, |cell| plan.cells[cell].owner())
}

impl From<Comparison> for Ratio {
    fn from(compared: Comparison) -> Ratio {
        Ratio::from_log(compared.estimate, &compared.own_interval())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forks_on_either_side_of_a_gap_are_two_parts() {
        let of = |ratios: &[f64]| {
            let values = ratios.iter().enumerate();
            apart(&values.map(|(fork, ratio)| (fork as i64, ratio.ln())).collect())
        };
        let high = of(&[1.6, 2.1, 1.65, 2.06, 2.12]).expect("two parts");
        assert_eq!(high, [false, true, false, true, true]);
        assert_eq!(of(&[1.6, 1.65, 1.62, 2.1]), None, "one may be a stray");
        assert_eq!(of(&[1.6, 1.7, 1.8, 1.9, 2.0]), None, "none is apart");
        assert_eq!(of(&[1.6, 1.61, 1.63, 1.64]), None, "they are close");
        assert_eq!(of(&[1.6, 2.1]), None);
    }

    #[test]
    fn a_group_that_a_pair_has_not_seen_is_how_far_its_ratio_may_be_off() {
        let values = |lower: std::ops::Range<usize>| -> Vec<f64> {
            let noise = |n: usize| 0.001 * ((7 * n) % 5) as f64;
            (0..24).map(|n| if lower.contains(&n) { -0.5 } else { noise(n) }).collect()
        };
        let lacks: Vec<bool> = (0..24).map(|n| n >= 5).collect();
        let off = hidden_group(&values(8..16), &lacks).expect("a hidden group");
        assert!((off + 0.502).abs() < 0.001, "{off}");
        assert_eq!(hidden_group(&values(2..10), &lacks), None, "the pair has seen both");
        assert_eq!(hidden_group(&values(8..9), &lacks), None, "one may be a stray process");
        assert_eq!(hidden_group(&values(0..0), &lacks), None, "nothing changed");
    }
}
