//! Compares any two cells of one comparison by the rounds that both ran in. A detour through the
//! baseline would add the baseline's noise twice.

use super::compare::{Comparer, pair};
use super::series::Series;
use crate::store::Recorded;
use cupel_stats::{Comparison, Spread, compare};

/// Compares any given cells of a run.
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

    /// The log-ratio of `cell` to `other`, one of `asked` questions whose intervals are to be
    /// joint. The number and the choice of the pairs must not depend on their times. `None` if no
    /// round has both.
    pub fn ratio(&self, cell: usize, other: usize, asked: usize) -> Option<Comparison> {
        let ratios = self.series.ratios(cell, other);
        if ratios.is_empty() {
            return None;
        }
        Some(compare(&pair(&ratios), self.alpha, asked, &self.prior))
    }
}
