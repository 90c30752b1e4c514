//! Every pair of a run compared, with one correction for all of them: the intervals of a run hold
//! together.

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
    pub leader: ContenderName,
    /// The second.
    pub runner_up: ContenderName,
    /// The runner-up's time over the leader's.
    pub ratio: Ratio,
    /// Whether the two are separated.
    pub separated: bool,
    /// All that follow the fastest without a surely slower one between, by their rank; the runner-up is the
    /// first of them where it is not separated.
    pub tied: Vec<ContenderName>,
    /// Those further behind that are not surely slower all the same, because their times scatter.
    pub unclear: Vec<ContenderName>,
}

impl<'a> Comparer<'a> {
    /// Gathers every pair of a cell with its baseline. What a cell showed before it failed says nothing
    /// of the others.
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

    /// A row's time over the leader's. Where one of them is the baseline, that is what the table says
    /// of the other: one pair has one interval. Else it is their own pair's, unless what the table says of
    /// both of them keeps them further apart: a line below it must not leave open what it decides.
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
        // The rows are in the order of their ratios to the baseline. Where the two lost different rounds, their
        // own pair knows better.
        let zone_and_floor = |c: &Comparison| cupel_stats::verdict(&c.interval, zone, floor);
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
