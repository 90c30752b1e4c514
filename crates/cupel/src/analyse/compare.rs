//! Every pair of a run compared, with one correction for all of them: the intervals of a run hold
//! together.

use super::series::Series;
use super::{Ratio, Row};
use crate::plan::Plan;
use cupel_stats::spread::pool;
use cupel_stats::{Comparison, Pair, Spread, compare};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Compares cells of one run.
pub struct Comparer<'a> {
    series: &'a Series,
    /// In order, so that what is pooled over them is added up alike each time, to the last digit.
    pairs: BTreeMap<(usize, usize), Vec<Vec<f64>>>,
    pub(super) prior: Spread,
    alpha: f64,
    /// How many intervals to a baseline hold together.
    pub intervals: usize,
    /// How many pairs could have become leader and runner-up. Which did was not chosen before the
    /// times were seen, so all are paid for; these intervals hold together as a family of their own.
    pub leads: usize,
}

/// The fastest contender's lead over the runner-up.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Lead {
    /// The fastest.
    pub leader: String,
    /// The second.
    pub runner_up: String,
    /// The runner-up's time over the leader's.
    pub ratio: Ratio,
    /// Whether the two are separated.
    pub separated: bool,
}

impl<'a> Comparer<'a> {
    /// Gathers every pair of a cell with its baseline.
    pub fn new(plan: &Plan, series: &'a Series) -> Comparer<'a> {
        let mut pairs = BTreeMap::new();
        let (mut intervals, mut leads) = (0, 0);
        for (number, comparison) in plan.comparisons.iter().enumerate() {
            let cells = plan.cells_of(number);
            let baseline = cells.iter().copied().find(|&c| {
                !plan.cells[c].twin && Some(plan.cells[c].contender) == comparison.baseline
            });
            let Some(baseline) = baseline.filter(|_| !comparison.overhead) else { continue };
            let mut measured = 0;
            for cell in cells.into_iter().filter(|&c| c != baseline) {
                let ratios = series.ratios(cell, baseline);
                if !ratios.is_empty() {
                    measured += 1;
                    pairs.insert((cell, baseline), ratios);
                }
            }
            intervals += measured;
            leads += (measured + 1) * measured / 2;
        }
        let all: Vec<Pair<'_>> = pairs.values().map(|forks| pair(forks)).collect();
        let prior = pool(&all);
        drop(all);
        let alpha = plan.options.alpha;
        Comparer { series, pairs, prior, alpha, intervals: intervals.max(1), leads: leads.max(1) }
    }

    /// A cell against its baseline.
    pub fn ratio(&self, cell: usize, baseline: usize) -> Option<Comparison> {
        let ratios = self.pairs.get(&(cell, baseline))?;
        Some(compare(&pair(ratios), self.alpha, self.intervals, &self.prior))
    }

    /// Any two cells of one comparison. Which two was chosen after the times were seen, so these
    /// intervals pay for every pair.
    pub fn between(&self, cell: usize, other: usize) -> Comparison {
        let ratios = self.series.ratios(cell, other);
        compare(&pair(&ratios), self.alpha, self.leads, &self.prior)
    }

    /// The lead of the first ranked row over the second.
    pub fn lead(&self, rows: &[Row], floor: f64, zone: f64) -> Option<Lead> {
        let mut ranked = rows.iter().filter(|row| row.ranked());
        let (leader, second) = (ranked.next()?, ranked.next()?);
        let compared = self.between(second.cell, leader.cell);
        if compared.rounds == 0 {
            return None;
        }
        let verdict = cupel_stats::verdict(&compared.interval, zone, floor);
        Some(Lead {
            leader: leader.contender.clone(),
            runner_up: second.contender.clone(),
            ratio: compared.into(),
            separated: verdict == cupel_stats::Verdict::Slower,
        })
    }
}

pub(super) fn pair(forks: &[Vec<f64>]) -> Pair<'_> {
    Pair { forks: forks.iter().map(Vec::as_slice).collect() }
}

impl From<Comparison> for Ratio {
    fn from(compared: Comparison) -> Ratio {
        Ratio {
            estimate: compared.estimate.exp(),
            low: compared.interval.low.exp(),
            high: compared.interval.high.exp(),
        }
    }
}
