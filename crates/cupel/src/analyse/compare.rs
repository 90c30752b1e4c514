//! Compares every pair of a run, with one correction for all of them: the intervals of a run are
//! joint.

use super::series::Series;
use super::{Ratio, Row, Verdict};
use crate::name::ContenderName;
use crate::store::Recorded;
use cupel_stats::spread::pool;
use cupel_stats::{Comparison, Interval, Pair, Spread, compare};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Compares cells of one run.
pub struct Comparer<'a> {
    series: &'a Series,
    /// Sorted, so that values pooled over the pairs are always added in the same order, to the last
    /// digit.
    pairs: BTreeMap<(usize, usize), Vec<Vec<f64>>>,
    pub(super) prior: Spread,
    alpha: f64,
    /// How many intervals to a baseline are joint.
    pub intervals: usize,
    /// How many pairs could have been leader and runner-up. Which pair it is depends on the times,
    /// so the correction counts all of them. These intervals are joint as a family of their own.
    pub leads: usize,
}

/// The fastest contender's lead over the runner-up.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Lead {
    /// The fastest.
    pub leader: ContenderName,
    /// The second.
    pub runner_up: ContenderName,
    /// The runner-up's time divided by the leader's.
    pub ratio: Ratio,
    /// Whether the two are separated.
    pub separated: bool,
    /// All contenders from the second on, by rank, up to the first that is certainly slower than
    /// the fastest; empty if the two fastest are separated.
    pub tied: Vec<ContenderName>,
    /// Contenders further behind that are not certainly slower either, because their times scatter.
    pub unclear: Vec<ContenderName>,
}

impl<'a> Comparer<'a> {
    /// Gathers every pair of a cell and its baseline. A cell that failed does not contribute to the
    /// others' prior.
    pub fn new(recorded: &Recorded, series: &'a Series) -> Comparer<'a> {
        let plan = &recorded.plan;
        let failed = |cell: &usize| super::failure(recorded, *cell).is_some();
        let mut pairs = BTreeMap::new();
        let (mut intervals, mut leads) = (0, 0);
        for comparison in &plan.comparisons {
            let measured = |c: &usize| !comparison.overhead && !failed(c);
            let Some(baseline) = comparison.baseline.filter(measured) else {
                continue;
            };
            let mut measured = 0;
            for &cell in comparison.cells.iter().filter(|c| **c != baseline && !failed(c)) {
                let ratios = series.ratios(cell, baseline);
                if !ratios.is_empty() {
                    measured += 1;
                    pairs.insert((cell, baseline), ratios);
                }
            }
            intervals += measured;
            leads += (measured + 1) * measured / 2;
        }
        let mut baselines: BTreeMap<usize, Vec<Pair<'_>>> = BTreeMap::new();
        for ((_, baseline), forks) in &pairs {
            baselines.entry(*baseline).or_default().push(pair(forks));
        }
        let baselines: Vec<&[Pair<'_>]> = baselines.values().map(Vec::as_slice).collect();
        let prior = pool(&baselines);
        let alpha = plan.options.alpha;
        Comparer { series, pairs, prior, alpha, intervals: intervals.max(1), leads: leads.max(1) }
    }

    /// Compares a cell with its baseline.
    pub fn ratio(&self, cell: usize, baseline: usize) -> Option<Comparison> {
        let ratios = self.pairs.get(&(cell, baseline))?;
        Some(compare(&pair(ratios), self.alpha, self.intervals, &self.prior))
    }

    /// Compares any two cells of one comparison. The two were chosen by their times, so these
    /// intervals pay for every pair.
    pub fn between(&self, cell: usize, other: usize) -> Comparison {
        let ratios = self.series.ratios(cell, other);
        compare(&pair(&ratios), self.alpha, self.leads, &self.prior)
    }

    /// A row's time divided by the leader's. If one of them is the baseline, this is the other's
    /// ratio in the table: one pair has one interval. Otherwise it is the interval of the pair
    /// itself, unless the two intervals in the table separate the two further: a line below the
    /// table must not leave open what the table decides.
    fn behind(&self, row: &Row, leader: &Row) -> Option<Comparison> {
        let compared = match (row.verdict, leader.verdict) {
            (_, Verdict::Baseline) => self.ratio(row.cell, leader.cell)?,
            (Verdict::Baseline, _) => self.ratio(leader.cell, row.cell)?.inverse(),
            _ => {
                let own = self.between(row.cell, leader.cell);
                let told = row.ratio.zip(leader.ratio).map(|(row, leader)| Interval {
                    low: (row.low / leader.high).ln(),
                    high: (row.high / leader.low).ln(),
                });
                match told.filter(|t| t.low > own.interval.low && t.contains(own.estimate)) {
                    Some(interval) => Comparison { interval, ..own },
                    None => own,
                }
            }
        };
        (compared.rounds > 0).then_some(compared)
    }

    /// The lead of the first ranked row over the second.
    pub fn lead(&self, rows: &[Row], floor: f64, zone: f64) -> Option<Lead> {
        let mut ranked = rows.iter().filter(|row| row.ranked());
        let (mut leader, mut second) = (ranked.next()?, ranked.next()?);
        let mut compared = self.behind(second, leader)?;
        // The rows are sorted by their ratios to the baseline. If the two lost different rounds,
        // the ratio of the pair itself is more accurate.
        let zone_and_floor =
            |c: &Comparison| cupel_stats::verdict(&c.interval, c.forks, zone, floor);
        if zone_and_floor(&compared) == cupel_stats::Verdict::Faster {
            (leader, second) = (second, leader);
            compared = compared.inverse();
        }
        let slower =
            |compared: &Comparison| zone_and_floor(compared) == cupel_stats::Verdict::Slower;
        let separated = slower(&compared);
        let level = |row: &&Row| self.behind(row, leader).is_none_or(|c| !slower(&c));
        let name = |row: &Row| row.contender.clone();
        let mut rest = ranked.peekable();
        let mut tied = Vec::new();
        if !separated {
            tied.push(name(second));
            tied.extend(std::iter::from_fn(|| rest.next_if(level)).map(name));
        }
        let unclear = rest.filter(level).map(name).collect();
        Some(Lead {
            leader: leader.contender.clone(),
            runner_up: second.contender.clone(),
            ratio: compared.into(),
            separated,
            tied,
            unclear,
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
