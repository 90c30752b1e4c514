//! Whether a fork was steady while it was recorded, after Barrett et al., "Virtual Machine Warmup
//! Blows Hot and Cold", OOPSLA 2017.

use crate::dependence::ranks;
use crate::quantile::median;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How the time of a cell developed over the slices of one fork.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Steadiness {
    /// One level throughout.
    Flat,
    /// It started slower and ended at its fastest level.
    Warming,
    /// It ended slower than its fastest level.
    Slowing,
    /// It reached no lasting level: its last change was late, or it left a level and came back.
    Unsettled,
}

impl fmt::Display for Steadiness {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(match self {
            Steadiness::Flat => "flat",
            Steadiness::Warming => "warming",
            Steadiness::Slowing => "slowing",
            Steadiness::Unsettled => "unsettled",
        })
    }
}

/// Levels closer than this (a ratio minus one) count as one: the tie zone of verdicts.
pub const SAME_LEVEL: f64 = 0.02;

/// The last level must have at least this part of the series (Barrett et al.: 500 of 2000
/// iterations).
const LASTING: f64 = 0.25;

/// In a long series this many positions are tried for a change: levels are located to a thousandth
/// of it.
const POSITIONS: usize = 1000;

/// Classifies a fork's recorded series with [`SAME_LEVEL`]. The input is the logarithm of each
/// slice's time minus the effect of its round on all contenders, in time order. A neighbour that
/// slows all of them has thus already cancelled.
pub fn steadiness(series: &[f64]) -> Steadiness {
    steadiness_within(series, SAME_LEVEL)
}

/// Like [`steadiness`], but levels that differ by less than `same_level` (a ratio minus one) count
/// as one. Values that are not finite are ignored. A series that is too short for two segments is
/// flat.
pub fn steadiness_within(series: &[f64], same_level: f64) -> Steadiness {
    let series: Vec<f64> = series.iter().copied().filter(|x| x.is_finite()).collect();
    let near = same_level.ln_1p();
    let segments = levels(&series, near);
    let (Some(&(_, first)), Some(&(length, last))) = (segments.first(), segments.last()) else {
        return Steadiness::Flat;
    };
    let fastest = segments.iter().map(|&(_, level)| level).fold(f64::INFINITY, f64::min);
    if segments.len() == 1 {
        Steadiness::Flat
    } else if (length as f64) < LASTING * series.len() as f64 {
        Steadiness::Unsettled
    } else if last - fastest >= near {
        Steadiness::Slowing
    } else if first - last >= near {
        Steadiness::Warming
    } else {
        Steadiness::Unsettled
    }
}

/// The lengths and medians of the segments of a series, with neighbours closer than `near` merged.
fn levels(series: &[f64], near: f64) -> Vec<(usize, f64)> {
    let mut bounds = vec![0];
    bounds.extend(changepoints(series));
    bounds.push(series.len());
    // The closest neighbours are merged first. A slow slope in small steps then differs from a flat
    // line by the difference of its merged parts.
    while bounds.len() > 2 {
        let steps = bounds
            .windows(3)
            .map(|w| (median(&series[w[0]..w[1]]) - median(&series[w[1]..w[2]])).abs());
        let closest = steps.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        match closest {
            Some((at, step)) if step < near => bounds.remove(at + 1),
            _ => break,
        };
    }
    bounds.windows(2).map(|w| (w[1] - w[0], median(&series[w[0]..w[1]]))).collect()
}

/// The positions at which the mean of the ranks changes: the exact segmentation with the least
/// squared error (optimal partitioning, Jackson et al. 2005). It uses ranks scaled to variance 1,
/// because a burst moves a rank only a little. Each change must gain `3 ln n` (Zhang & Siegmund
/// 2007), which fewer than about five slices cannot, however distant they are. The work grows with
/// the square of the candidate positions, so a long series has only [`POSITIONS`] of them, equally
/// spaced.
fn changepoints(series: &[f64]) -> Vec<usize> {
    let n = series.len();
    if n < 2 {
        return Vec::new();
    }
    let ranks = ranks(series);
    let middle = (n + 1) as f64 / 2.0;
    let variance = ranks.iter().map(|r| (r - middle).powi(2)).sum::<f64>() / n as f64;
    if variance == 0.0 {
        return Vec::new();
    }
    let mut sums = vec![0.0];
    for rank in &ranks {
        sums.push(sums[sums.len() - 1] + (rank - middle) / variance.sqrt());
    }
    let penalty = 3.0 * (n as f64).ln();

    let mut positions: Vec<usize> = (0..n).step_by(n.div_ceil(POSITIONS)).collect();
    positions.push(n);
    let mut best = vec![f64::INFINITY; positions.len()];
    best[0] = -penalty;
    let mut before = vec![0; positions.len()];
    for to in 1..positions.len() {
        for from in 0..to {
            let (start, end) = (positions[from], positions[to]);
            // The squares of the values have the same sum for every segmentation and are omitted.
            let cost = -(sums[end] - sums[start]).powi(2) / (end - start) as f64;
            let total = best[from] + cost + penalty;
            if total < best[to] {
                best[to] = total;
                before[to] = from;
            }
        }
    }
    let mut changes = Vec::new();
    let mut at = before[positions.len() - 1];
    while at > 0 {
        changes.push(positions[at]);
        at = before[at];
    }
    changes.reverse();
    changes
}
