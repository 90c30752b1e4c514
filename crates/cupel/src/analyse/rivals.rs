//! Every two contenders of a comparison against each other: whichever a reader takes for the
//! baseline, the interval and the verdict are the tool's.

use super::compare::Comparer;
use super::{Analysis, Answer, Ratio, Verdict};
use rayon::prelude::*;

/// The pairs of a run that [`super::Row::ratio`] does not answer: those without the baseline.
#[derive(Clone, Debug)]
pub struct Rivals {
    /// By comparison, as in [`Analysis::comparisons`].
    pub comparisons: Vec<Vec<Between>>,
    /// Intervals that hold together at `1 - alpha`, as a family of their own: all pairs that could
    /// have been looked at.
    pub intervals: usize,
}

/// Two contenders that were measured in the same rounds.
#[derive(Clone, Debug)]
pub struct Between {
    /// Place of the one among the rows of its comparison.
    pub row: usize,
    /// Place of the other, which comes later.
    pub other: usize,
    /// The one's time over the other's.
    pub ratio: Ratio,
    /// What is to be said of the one against the other. The other way round it is the opposite: all
    /// that an interval is made of changes its sign with the log-ratios.
    pub verdict: Verdict,
}

impl Rivals {
    /// Compares them. `zone` is the run's tie zone.
    pub(super) fn of(analysis: &Analysis, comparer: &Comparer<'_>, zone: f64) -> Rivals {
        let pairs = |answer: &Answer| {
            let mut pairs = Vec::new();
            for (row, one) in answer.rows.iter().enumerate().filter(|(_, r)| r.ranked()) {
                for (other, two) in answer.rows.iter().enumerate().skip(row + 1) {
                    let answered = [one.verdict, two.verdict].contains(&Verdict::Baseline);
                    if answered || !two.ranked() {
                        continue;
                    }
                    let compared = comparer.between(one.cell, two.cell);
                    if compared.rounds == 0 {
                        continue;
                    }
                    let verdict = if answer.untrusted {
                        Verdict::NotSeparated
                    } else {
                        cupel_stats::verdict(&compared.interval, zone, answer.floor.ln_1p()).into()
                    };
                    pairs.push(Between { row, other, ratio: compared.into(), verdict });
                }
            }
            pairs
        };
        Rivals {
            comparisons: analysis.comparisons.par_iter().map(pairs).collect(),
            intervals: comparer.leads,
        }
    }
}
