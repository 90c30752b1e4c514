//! Any two cells of one comparison against each other, from the rounds that both ran in: not by way of
//! the baseline, whose own noise would come in twice.

use super::compare::{Comparer, pair};
use super::series::Series;
use crate::store::Recorded;
use cupel_stats::{Comparison, Spread, compare};

/// Compares whichever cells of a run a question names.
pub struct Pairs {
    series: Series,
    prior: Spread,
    alpha: f64,
}

impl Pairs {
    /// Gathers a run's slices.
    pub fn of(recorded: &Recorded) -> Pairs {
        let series = Series::gather(recorded);
        let prior = Comparer::new(recorded, &series).prior;
        Pairs { series, prior, alpha: recorded.plan.options.alpha }
    }

    /// The log-ratio of `cell` to `other`, for `asked` questions whose intervals are to hold together.
    /// Which pairs are asked about, and how many, must not have been chosen by their times. `None`
    /// where no round has both.
    pub fn ratio(&self, cell: usize, other: usize, asked: usize) -> Option<Comparison> {
        let ratios = self.series.ratios(cell, other);
        if ratios.is_empty() {
            return None;
        }
        Some(compare(&pair(&ratios), self.alpha, asked, &self.prior))
    }
}
