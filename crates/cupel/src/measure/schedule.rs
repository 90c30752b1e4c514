//! Which comparison has the next round, and which cells still take part. Time goes where the answer
//! is open. Both decisions look at intervals that are valid whenever one stops, so looking is free.

use crate::plan::Plan;
use crate::store::Recorded;
use cupel_stats::dependence::inefficiency;
use cupel_stats::eprocess::confidence_sequence;
use cupel_stats::quantile::median;
use std::collections::HashMap;

/// Rounds of every cell in every fork that count, however sure the answer is: a fork of fewer is no
/// sample of it.
pub const FEWEST_ROUNDS: u64 = cupel_stats::FEWEST_ROUNDS as u64;

/// So many rounds are tried for that. On a machine where most of them are disturbed, the rest is
/// not waited for.
pub const MOST_TRIES: u64 = 10 * FEWEST_ROUNDS;

/// A cell may be left out for the rest of a fork when it is surely this far behind the leader.
const HOPELESS: f64 = 0.05;

/// So many of the leading cells stay in any case, besides baseline and control.
const LEADERS: usize = 3;

/// The least sure that "surely" is, for one cell: the intervals of the report are computed again with
/// the correction for all comparisons, so a wrong omission costs precision and never truth.
const SURELY: f64 = 0.001;

/// What is known so far, from all forks.
pub struct Progress {
    comparisons: Vec<Known>,
    precision: f64,
    /// Error allowed to one interval: never more than the report will allow to its rounds, or what is
    /// settled here would be open there.
    allowed: f64,
}

/// What is known of one comparison.
#[derive(Default)]
struct Known {
    /// Log-ratios to the baseline, by cell and fork, of rounds in which both count.
    ratios: HashMap<usize, Vec<Vec<f64>>>,
    /// Times a call in ns, by cell, of slices that count.
    times: HashMap<usize, Vec<f64>>,
    settled: bool,
    /// Rounds by fork, in the order in which they were begun.
    rounds: Vec<u64>,
}

impl Progress {
    /// Nothing is known.
    pub fn new(plan: &Plan) -> Progress {
        let comparisons = plan.comparisons.iter().map(|_| Known::default()).collect();
        let options = &plan.options;
        let allowed = SURELY.min(options.alpha / plan.cells.len().max(1) as f64 / 2.0);
        Progress { comparisons, precision: options.precision, allowed }
    }

    /// A fork begins.
    pub fn begin_fork(&mut self) {
        self.comparisons.iter_mut().for_each(|known| known.rounds.push(0));
    }

    /// Takes in the rounds of a run that is resumed.
    pub fn recall(&mut self, before: &Recorded) {
        let mut fork = None;
        for round in &before.rounds {
            if fork.replace(round.fork) != Some(round.fork) {
                self.begin_fork();
            }
            let slices: Vec<(usize, f64)> = round
                .slices
                .iter()
                .filter(|slice| slice.counts)
                .map(|slice| (slice.cell as usize, slice.ns_per_call))
                .collect();
            self.add(&before.plan, round.comparison, &slices);
        }
        for comparison in 0..before.plan.comparisons.len() {
            self.judge(&before.plan, comparison);
        }
    }

    /// Takes in one round: the cells that count, with their time a call in ns.
    pub fn add(&mut self, plan: &Plan, comparison: usize, slices: &[(usize, f64)]) {
        let known = &mut self.comparisons[comparison];
        if let Some(rounds) = known.rounds.last_mut() {
            *rounds += 1;
        }
        let is_baseline = |cell: usize| plan.comparisons[comparison].baseline == Some(cell);
        let reference = slices.iter().find(|(cell, _)| is_baseline(*cell)).map(|(_, ns)| ns.ln());
        for &(cell, ns) in slices {
            known.times.entry(cell).or_default().push(ns);
            if let Some(reference) = reference.filter(|_| !is_baseline(cell)) {
                let forks = known.ratios.entry(cell).or_default();
                forks.resize(known.rounds.len().max(1), Vec::new());
                forks.last_mut().expect("at least one").push(ns.ln() - reference);
            }
        }
    }

    /// Forgets what a cell did in the fork at hand: it was of other code.
    pub fn forget(&mut self, plan: &Plan, cell: usize) {
        let number = plan.cells[cell].comparison;
        let known = &mut self.comparisons[number];
        let fork = known.rounds.len();
        let is_baseline = plan.is_baseline(cell);
        for (&other, forks) in &mut known.ratios {
            if (is_baseline || other == cell) && forks.len() == fork {
                forks.last_mut().expect("a fork has begun").clear();
            }
        }
        if let Some(rounds) = known.rounds.last_mut() {
            *rounds = 0;
        }
    }

    /// Looks at a comparison again; returns the cells that need not go on in this fork.
    pub fn judge(&mut self, plan: &Plan, comparison: usize) -> Vec<usize> {
        let (precision, allowed) = (self.precision, self.allowed);
        let known = &mut self.comparisons[comparison];
        let mut intervals: Vec<(usize, f64, cupel_stats::Interval)> = known
            .ratios
            .iter()
            .map(|(&cell, forks)| {
                let all = forks.concat();
                let interval = confidence_sequence(&all, allowed, inefficiency(forks));
                (cell, median(&all), interval)
            })
            .collect();
        intervals.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        // A factor of two needs no interval of 1 %: what is far away may be wider, by a thirtieth of its
        // distance.
        let narrow = |estimate: f64, half: f64| half <= precision.max(estimate.abs() / 30.0);
        known.settled = !intervals.is_empty()
            && intervals
                .iter()
                .all(|(_, estimate, interval)| narrow(*estimate, interval.half_width()));
        let best = intervals.iter().map(|(_, _, i)| i.high).fold(0.0, f64::min);
        intervals
            .iter()
            .enumerate()
            .filter(|(rank, (cell, estimate, interval))| {
                *rank >= LEADERS
                    && !plan.cells[*cell].control
                    && interval.low > best + HOPELESS.ln_1p()
                    && narrow(*estimate, interval.half_width())
            })
            .map(|(_, (cell, _, _))| *cell)
            .collect()
    }

    /// Whether a comparison's intervals are all narrow enough, and the fork at hand has told as much as
    /// those before it: forks are what the report infers from, and one of few rounds hardly counts.
    pub fn settled(&self, comparison: usize) -> bool {
        let known = &self.comparisons[comparison];
        let most = known.rounds.iter().max();
        known.settled && known.rounds.last() == most
    }

    /// The leading cell of a comparison and its time a call, in ns.
    pub fn leader(&self, comparison: usize) -> Option<(usize, f64)> {
        self.comparisons[comparison]
            .times
            .iter()
            .map(|(&cell, times)| (cell, median(times)))
            .min_by(|a, b| a.1.total_cmp(&b.1))
    }
}
