//! The results of many runs of a scenario.

use crate::scenario::Scenario;
use cupel_analyse::{Answer, Row, Verdict};
use std::fmt;

/// Counts over runs. A run counts if at least one of its contenders qualifies.
#[derive(Default)]
pub struct Tally {
    /// All of them.
    pub runs: usize,
    /// Every interval contains its true ratio.
    pub covered: usize,
    /// The contenders' intervals that contain their true ratio, counted singly.
    pub intervals_covered: f64,
    /// A contender was called faster or slower.
    pub verdicts: usize,
    /// It was called so wrongly: the wrong direction.
    pub wrong: usize,
    /// Every contender was called faster or slower.
    pub all_separated: usize,
    /// The control makes the run untrusted.
    pub untrusted: usize,
    /// The leader was separated from the runner-up.
    pub leads: usize,
    /// A contender's interval is unbounded, because there were too few rounds.
    pub unbounded: usize,
    /// The mean half-width of the contenders' bounded intervals, of ratios.
    pub half_width: f64,
    /// The mean number of rounds.
    pub rounds: f64,
    /// The mean share of the rounds with a disturbed slice.
    pub disturbed: f64,
}

impl Tally {
    /// Counts the runs of a scenario.
    pub fn count(scenario: &Scenario, answers: &[Answer]) -> Tally {
        let mut tally = Tally { runs: answers.len(), ..Tally::default() };
        let part = 1.0 / answers.len() as f64;
        let mut widths: Vec<f64> = Vec::new();
        for answer in answers {
            let rows: Vec<&Row> = contenders(answer).collect();
            let held = |row: &&&Row| holds(row, scenario.truth(&row.contender));
            let separated = |row: &&Row| matches!(row.verdict, Verdict::Faster | Verdict::Slower);
            let against = |row: &&Row| match row.verdict {
                Verdict::Faster => scenario.truth(&row.contender) > 1.0,
                Verdict::Slower => scenario.truth(&row.contender) < 1.0,
                _ => false,
            };
            let each = part / rows.len() as f64;
            tally.covered += usize::from(rows.iter().filter(held).count() == rows.len());
            tally.intervals_covered += rows.iter().filter(held).count() as f64 * each;
            tally.verdicts += usize::from(rows.iter().any(&separated));
            tally.wrong += usize::from(rows.iter().any(&against));
            tally.all_separated += usize::from(rows.iter().all(&separated));
            tally.untrusted += usize::from(answer.untrusted);
            tally.leads += usize::from(answer.lead.as_ref().is_some_and(|lead| lead.separated));
            tally.unbounded += usize::from(rows.iter().any(|r| half_width(r).is_infinite()));
            widths.extend(rows.iter().map(|r| half_width(r)).filter(|half| half.is_finite()));
            tally.rounds += answer.rounds as f64 * part;
            tally.disturbed += answer.disturbed as f64 / answer.rounds as f64 * part;
        }
        tally.half_width = widths.iter().sum::<f64>() / widths.len() as f64;
        tally
    }
}

/// The rows that are compared with the baseline.
pub fn contenders(answer: &Answer) -> impl Iterator<Item = &Row> {
    answer.rows.iter().filter(|row| row.verdict != Verdict::Baseline)
}

/// Whether a row's interval contains this ratio.
pub fn holds(row: &Row, truth: f64) -> bool {
    row.ratio.is_some_and(|ratio| ratio.low <= truth && truth <= ratio.high)
}

fn half_width(row: &Row) -> f64 {
    row.ratio.map_or(f64::INFINITY, |ratio| (ratio.high - ratio.low) / 2.0)
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} runs: {} covered ({:.2} % of intervals), {} with a verdict, {} all separated, \
             {} wrong, {} leads, {} untrusted, {} unbounded, half-width {:.2} %, {:.0} rounds, \
             {:.1} % disturbed",
            self.runs,
            self.covered,
            100.0 * self.intervals_covered,
            self.verdicts,
            self.all_separated,
            self.wrong,
            self.leads,
            self.untrusted,
            self.unbounded,
            100.0 * self.half_width,
            self.rounds,
            100.0 * self.disturbed
        )
    }
}
