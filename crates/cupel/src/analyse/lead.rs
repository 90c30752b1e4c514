//! The fastest contender of a table, and its lead over the runner-up.

use super::evidence::Evidence;
use super::{Ratio, Row, Verdict};
use crate::name::ContenderName;
use cupel_stats::{Comparison, Interval};
use serde::{Deserialize, Serialize};

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

/// Looks for the lead in the table of one comparison.
pub(super) struct Leads<'a> {
    pub evidence: &'a Evidence,
    /// The number of the comparison.
    pub comparison: usize,
    /// The tie zone, a ratio minus one.
    pub zone: f64,
}

impl Leads<'_> {
    /// A row's time divided by the leader's. If one of them is the baseline, this is the other's
    /// ratio in the table: one pair has one interval. Otherwise it is the interval of the pair
    /// itself, unless the two intervals in the table separate the two further: a line below the
    /// table must not leave open what the table decides.
    fn behind(&self, row: &Row, leader: &Row) -> Option<Comparison> {
        let compared = match (row.verdict, leader.verdict) {
            (_, Verdict::Baseline) => self.evidence.ratio(row.cell)?,
            (Verdict::Baseline, _) => self.evidence.ratio(leader.cell)?.inverse(),
            _ => {
                // The two are chosen by their times, so the interval pays for every pair.
                let pairs = self.evidence.pairs(self.comparison);
                let own = self.evidence.between(row.cell, leader.cell, pairs)?;
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
        Some(compared)
    }

    /// The lead of the first ranked row over the second.
    pub fn lead(&self, rows: &[Row]) -> Option<Lead> {
        let mut ranked = rows.iter().filter(|row| row.ranked());
        let (mut leader, mut second) = (ranked.next()?, ranked.next()?);
        let mut compared = self.behind(second, leader)?;
        // The rows are sorted by their ratios to the baseline. If the two lost different rounds,
        // the ratio of the pair itself is more accurate.
        let verdict = |c: &Comparison| cupel_stats::verdict(&c.interval, c.forks, self.zone);
        if verdict(&compared) == cupel_stats::Verdict::Faster {
            (leader, second) = (second, leader);
            compared = compared.inverse();
        }
        let slower = |compared: &Comparison| verdict(compared) == cupel_stats::Verdict::Slower;
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
