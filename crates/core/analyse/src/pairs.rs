//! Compares the contenders of a comparison with each other, so that readers can choose any baseline
//! and still get the tool's own intervals and verdicts. All pairs are compared if there are not too
//! many.

use super::evidence::Evidence;
use super::{Analysis, Answer, Ratio, Row, Verdict};
use cupel_base::chart::ChartKey;
use cupel_base::name::ContenderName;
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The most pairs of a run that are compared. The pairs of hundreds of contenders at many sizes
/// grow quadratically, in time and on the page, and no one looks at all of them.
const MOST: usize = 80_000;

/// All pairs of this many of the fastest contenders are compared in any case: a chart of one size
/// draws them, and brackets those that are not separated.
const FASTEST: usize = 64;

/// The pairs of a run that [`super::Row::ratio`] does not have: those without the baseline.
#[derive(Clone, Debug)]
pub struct Pairs {
    /// One entry for each of [`Analysis::comparisons`].
    pub comparisons: Vec<PairTable>,
}

/// The pairs of one comparison.
#[derive(Clone, Debug)]
pub struct PairTable {
    /// For each row, whether it is compared with all others, so that it can be the baseline.
    pub offered: Vec<bool>,
    /// In the order of their rows.
    pub pairs: Vec<Between>,
    /// How many intervals of this comparison are joint at `1 - alpha`, as their own family: all
    /// pairs that could be looked at.
    pub intervals: usize,
}

/// Two contenders that were measured in the same rounds.
#[derive(Clone, Debug)]
pub struct Between {
    /// The position of the first among the rows of its comparison.
    pub row: usize,
    /// The position of the second, which comes later.
    pub other: usize,
    /// The first one's time divided by the second's.
    pub ratio: Ratio,
    /// The verdict on the first against the second. The reverse is its opposite, because everything
    /// in an interval is antisymmetric in the log-ratios.
    pub verdict: Verdict,
}

impl Pairs {
    /// Compares the pairs. `zone` is the run's tie zone.
    pub(super) fn compare(analysis: &Analysis, evidence: &Evidence, zone: f64) -> Pairs {
        let answers = analysis.comparisons.par_iter().zip(offers(analysis, MOST));
        let tables = answers.map(|(answer, offered)| PairTable {
            pairs: pairs(answer, &offered, evidence, zone),
            intervals: joint(answer, evidence),
            offered,
        });
        Pairs { comparisons: tables.collect() }
    }
}

/// How many pairs of a comparison could be looked at.
fn joint(answer: &Answer, evidence: &Evidence) -> usize {
    answer.rows.first().map_or(1, |row| evidence.pairs(evidence.comparison_of(row.cell)))
}

fn pairs(answer: &Answer, offered: &[bool], evidence: &Evidence, zone: f64) -> Vec<Between> {
    let mut pairs = Vec::new();
    for (row, one) in answer.rows.iter().enumerate().filter(|(_, r)| r.ranked()) {
        for (other, two) in answer.rows.iter().enumerate().skip(row + 1) {
            let answered = [one.verdict, two.verdict].contains(&Verdict::Baseline);
            // The rows are in the order of their times.
            let asked = offered[row] || offered[other] || other < FASTEST;
            if answered || !asked || !two.ranked() {
                continue;
            }
            let Some(compared) = evidence.pair(one.cell, two.cell) else { continue };
            let verdict = if answer.untrusted || answer.floor.is_infinite() {
                Verdict::NotSeparated
            } else {
                cupel_stats::verdict(&compared.interval, compared.forks, zone).into()
            };
            pairs.push(Between { row, other, ratio: compared.into(), verdict });
        }
    }
    pairs
}

/// For each comparison and row, whether a contender is offered as a baseline: all of them if this
/// makes at most `most` pairs, otherwise as many of each chart as fit, and at least one.
fn offers(analysis: &Analysis, most: usize) -> Vec<Vec<bool>> {
    let mut offers: Vec<Vec<bool>> = Vec::new();
    let (mut pairs, mut cells) = (0, 0);
    for answer in &analysis.comparisons {
        let ranked = answer.rows.iter().filter(|row| row.ranked()).count();
        pairs += ranked * ranked.saturating_sub(1) / 2;
        cells += ranked;
        offers.push(answer.rows.iter().map(Row::ranked).collect());
    }
    if pairs <= most {
        return offers;
    }
    let each = (most / cells.max(1)).max(1);
    let mut charts: BTreeMap<_, Vec<&Answer>> = BTreeMap::new();
    for answer in &analysis.comparisons {
        charts.entry(ChartKey::for_workload(&answer.workload)).or_default().push(answer);
    }
    let best: BTreeMap<_, HashSet<&ContenderName>> = charts
        .into_iter()
        .map(|(chart, answers)| (chart, fastest_of_each(&answers).into_iter().take(each).collect()))
        .collect();
    for (answer, offered) in analysis.comparisons.iter().zip(&mut offers) {
        let best = &best[&ChartKey::for_workload(&answer.workload)];
        for (row, offered) in answer.rows.iter().zip(offered) {
            let is_baseline = answer.baseline.as_ref() == Some(&row.contender);
            *offered &= is_baseline || best.contains(&row.contender);
        }
    }
    offers
}

/// The contenders of a chart: the fastest build of each implementation, then the second fastest of
/// each, and so on. Within a turn they are sorted by their best rank at any size.
fn fastest_of_each<'a>(answers: &[&'a Answer]) -> Vec<&'a ContenderName> {
    let mut ranks: HashMap<&ContenderName, usize> = HashMap::new();
    for answer in answers {
        for (rank, row) in answer.rows.iter().filter(|row| row.ranked()).enumerate() {
            let best = ranks.entry(&row.contender).or_insert(rank);
            *best = rank.min(*best);
        }
    }
    let mut order: Vec<(usize, &ContenderName)> =
        ranks.into_iter().map(|(name, best)| (best, name)).collect();
    order.sort_unstable();
    let mut turns: HashMap<(&str, Option<&str>), usize> = HashMap::new();
    let mut taken: Vec<(usize, usize, &ContenderName)> = order
        .into_iter()
        .map(|(best, name)| {
            let turn = turns.entry((name.code(), name.primitive())).or_default();
            *turn += 1;
            (*turn, best, name)
        })
        .collect();
    taken.sort_unstable();
    taken.into_iter().map(|(_, _, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Time;
    use cupel_protocol::workload::{Contract, Operation, Shape, Workload};

    fn answer(size: u64, names: &[&str]) -> Answer {
        let row = |(cell, name): (usize, &&str)| Row {
            cell,
            contender: (*name).into(),
            version: String::new(),
            code_path: String::new(),
            ns: Some(Time { median: 1.0, low: 1.0, high: 1.0 }),
            ratio: None,
            ratio_in_run: None,
            ratio_levels: vec![],
            verdict: Verdict::NotSeparated,
            reason: None,
            limit: None,
            forks: 0,
            rounds: 0,
            dropped: 0,
            allocated_per_call: None,
            collecting_ns_per_call: None,
            ratio_without_collecting: None,
            steadiness: vec![],
            levels: vec![],
            slows_next: 1.0,
            compiled: None,
            slices: 0,
            disturbed: 0,
            shared: vec![],
            after: vec![],
            aside: false,
            left_early: false,
            unsettled_warm_ups: 0,
            first_call_ns: None,
            line: None,
        };
        Answer {
            workload: Workload {
                primitive: "sha256".into(),
                operation: Operation::Digest,
                size,
                contract: Contract::default(),
                shape: Shape::Throughput,
            },
            baseline: Some("base".into()),
            rows: names.iter().enumerate().map(row).collect(),
            control: None,
            floor: 0.0,
            intervals: 1,
            untrusted: false,
            lead: None,
            rounds: 0,
            disturbed: 0,
            changes: vec![],
        }
    }

    #[test]
    fn everybody_is_offered_where_the_pairs_are_few() {
        let comparisons = vec![answer(1, &["a", "b", "c", "d"]), answer(2, &["a", "b"])];
        let analysis = Analysis {
            comparisons,
            overheads: vec![],
            intervals: 1,
            calibration: 1.0,
            scaling: vec![],
        };
        assert_eq!(offers(&analysis, 7), [vec![true; 4], vec![true; 2]]);
        let fewer = offers(&analysis, 6);
        assert_eq!(fewer.concat().iter().filter(|o| **o).count(), 2, "{fewer:?}");
    }

    #[test]
    fn else_the_fastest_of_each_implementation_and_the_baseline_at_every_size_of_a_chart() {
        let names = ["x@1", "x@2", "x@3", "y@1", "z", "base"];
        let turned = ["x@2", "y@1", "x@1", "x@3", "z", "base"];
        let comparisons = vec![answer(1, &names), answer(2, &turned)];
        let analysis = Analysis {
            comparisons,
            overheads: vec![],
            intervals: 1,
            calibration: 1.0,
            scaling: vec![],
        };
        // 30 pairs and 12 cells: two of the chart. x@1 and x@2 lead; y@1 comes before x@3.
        let offered = |most| {
            let offers = offers(&analysis, most);
            [0, 1].map(|at: usize| {
                let rows = &analysis.comparisons[at].rows;
                let mut names: Vec<&str> = (0..rows.len())
                    .filter(|&i| offers[at][i])
                    .map(|i| rows[i].contender.as_str())
                    .collect();
                names.sort_unstable();
                names
            })
        };
        assert_eq!(offered(29), [["base", "x@1", "y@1"], ["base", "x@1", "y@1"]]);
        assert_eq!(offered(11), [["base", "x@1"], ["base", "x@1"]]);
    }
}
