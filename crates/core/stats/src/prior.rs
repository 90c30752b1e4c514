//! The evidence of other tables on how much a contender's processes differ.
//!
//! Three to eleven forks give a rough estimate of their variance, and the quantile of t pays for
//! that. But a run has several tables, one for each workload, and a contender's processes differ by
//! about as much in all of them. As in limma for genes, the tables share information: a prior
//! variance `s0^2` with `d0` degrees of freedom is fitted to them, and each table's own `s^2` with
//! `d` degrees is moderated to `(d0 s0^2 + d s^2) / (d0 + d)` (Smyth, "Linear models and empirical
//! Bayes methods for assessing differential expression", 2004, section 6.2).
//!
//! - The tables are one contender's. A quiet neighbour shows nothing about a restless contender.
//! - The degrees of freedom are estimated. One process runs all workloads of a contender, and one
//!   that is slow in one table may be slow in all of them. Then the tables repeat each other: `n`
//!   variances whose forks correlate by `r` show as much as `n / (1 + (n - 1) r^2)` of them.
//! - The moderated variance is never below the pair's own.

use crate::scatter::Scatter;
use statrs::function::gamma::digamma;
use std::collections::BTreeMap;

/// With fewer tables, nothing is learnt from them.
const ENOUGH_TABLES: usize = 4;

/// The share of the other tables' degrees of freedom that counts. The prior comes from a handful of
/// variances, so its own degrees are uncertain. With all of them, tables of six forks missed in 6
/// to 7 % of the simulated runs; with half of them in 5 %, and intervals are 3 % wider.
const TRUSTED: f64 = 0.5;

/// A variance between forks, with its degrees of freedom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    /// The variance of a fork's log-ratio.
    pub variance: f64,
    /// Degrees of freedom; 0 means that nothing is known.
    pub df: f64,
}

impl Prior {
    /// Nothing is known.
    pub const NOTHING: Prior = Prior { variance: 0.0, df: 0.0 };

    /// The prior from a contender's tables. Each table has an entry for each fork of the run, with
    /// the fork's log-ratio if it has one.
    pub fn estimate(tables: &[Vec<Option<f64>>]) -> Prior {
        let shown: Vec<Table> = tables
            .iter()
            .map(|forks| Table::from_forks(forks))
            .filter(|t| t.scatter.df > 0.0)
            .collect();
        if shown.len() < ENOUGH_TABLES {
            return Prior::NOTHING;
        }
        let Fit { variance, df } = fit(&shown);
        let n = shown.len() as f64;
        let alone = n / (1.0 + (n - 1.0) * likeness(&shown));
        let typical = shown.iter().map(|t| t.scatter.df).sum::<f64>() / n;
        // Without the table that it is applied to: no table is its own evidence.
        let others = (alone - 1.0) * typical;
        Prior { variance, df: df.min(TRUSTED * others).max(0.0) }
    }

    /// By table: the prior from all tables with the same owner.
    pub fn of_each<T: Copy + Ord, O: Ord>(
        tables: &BTreeMap<T, Vec<Option<f64>>>,
        owner: impl Fn(T) -> O,
    ) -> BTreeMap<T, Prior> {
        let mut owners: BTreeMap<O, Vec<T>> = BTreeMap::new();
        for &table in tables.keys() {
            owners.entry(owner(table)).or_default().push(table);
        }
        let mut priors = BTreeMap::new();
        for own in owners.into_values() {
            let rows: Vec<_> = own.iter().map(|table| tables[table].clone()).collect();
            let prior = Prior::estimate(&rows);
            priors.extend(own.into_iter().map(|table| (table, prior)));
        }
        priors
    }

    /// The variance of a pair with this scatter: moderated, and not below its own.
    pub(crate) fn moderate(&self, own: &Scatter) -> Prior {
        let df = self.df + own.df;
        if df == 0.0 {
            return Prior::NOTHING;
        }
        let moderated = (self.df * self.variance + own.df * own.variance) / df;
        Prior { variance: moderated.max(own.variance), df }
    }
}

/// One table.
struct Table {
    scatter: Scatter,
    /// The deviation of each fork of the run.
    off: Vec<Option<f64>>,
}

impl Table {
    fn from_forks(forks: &[Option<f64>]) -> Table {
        let known: Vec<f64> = forks.iter().flatten().copied().collect();
        let scatter = Scatter::estimate(&known);
        let mut each = scatter.off.iter().copied();
        let off = forks.iter().map(|fork| fork.and_then(|_| each.next())).collect();
        Table { scatter, off }
    }
}

/// The mean squared correlation of two tables over the forks that both have. Chance adds to it
/// where forks are few, which lowers the degrees of freedom: caution costs little here.
fn likeness(tables: &[Table]) -> f64 {
    let (mut sum, mut pairs) = (0.0, 0.0);
    for (at, one) in tables.iter().enumerate() {
        for other in &tables[at + 1..] {
            let both = one.off.iter().zip(&other.off).filter_map(|(a, b)| Some(((*a)?, (*b)?)));
            let (mut aa, mut bb, mut ab) = (0.0, 0.0, 0.0);
            for (a, b) in both {
                (aa, bb, ab) = (aa + a * a, bb + b * b, ab + a * b);
            }
            sum += if aa * bb > 0.0 { ab * ab / (aa * bb) } else { 1.0 };
            pairs += 1.0;
        }
    }
    sum / pairs
}

struct Fit {
    variance: f64,
    /// Infinite if the variances scatter no more than by chance.
    df: f64,
}

/// The prior whose F distribution has the mean and the variance of the logarithms of these
/// variances.
fn fit(tables: &[Table]) -> Fit {
    let variances: Vec<f64> = tables.iter().map(|t| t.scatter.variance).collect();
    // Forks that agree exactly would have a logarithm of minus infinity.
    let least = (1e-5 * crate::quantile::median(&variances)).max(f64::MIN_POSITIVE);
    let logs: Vec<f64> = tables
        .iter()
        .map(|Table { scatter: Scatter { variance, df, .. }, .. }| {
            variance.max(least).ln() - digamma(df / 2.0) + (df / 2.0).ln()
        })
        .collect();
    let n = logs.len() as f64;
    let mean = logs.iter().sum::<f64>() / n;
    let scatter = logs.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let expected = tables.iter().map(|t| trigamma(t.scatter.df / 2.0)).sum::<f64>() / n;
    if scatter <= expected {
        return Fit { variance: mean.exp(), df: f64::INFINITY };
    }
    let half = trigamma_inverse(scatter - expected);
    Fit { variance: (mean + digamma(half) - half.ln()).exp(), df: 2.0 * half }
}

/// The derivative of digamma, for `x > 0`: recurrence up to 10, then the asymptotic series
/// (Abramowitz & Stegun 6.4.6 and 6.4.12).
fn trigamma(x: f64) -> f64 {
    if x < 10.0 {
        return trigamma(x + 1.0) + 1.0 / (x * x);
    }
    let r = 1.0 / (x * x);
    (1.0 + 0.5 / x + r * (1.0 / 6.0 - r * (1.0 / 30.0 - r * (1.0 / 42.0 - r / 30.0)))) / x
}

/// The `x` whose trigamma is `y > 0`, by bisection over the logarithm. Trigamma falls from infinity
/// to zero, about as `1/x` or `1/x^2`, so the ends enclose the answer.
fn trigamma_inverse(y: f64) -> f64 {
    let (mut low, mut high) = (1e-8_f64, 1e16_f64);
    for _ in 0..64 {
        let middle = (low * high).sqrt();
        if trigamma(middle) > y { low = middle } else { high = middle }
    }
    (low * high).sqrt()
}
