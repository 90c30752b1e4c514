//! The pairs of a comparison, for another baseline that is chosen on the page.

use super::column::{floats, runs};
use cupel_analyse::{Answer, Between, Verdict};
use serde::Serialize;

/// One row paired with some of the later ones. Rows count from 0 in their comparison.
#[derive(Serialize)]
pub struct PairsOf {
    row: usize,
    /// The later rows, as alternating first and count.
    others: Vec<usize>,
    /// For each of those: estimate, low and high of the ratio.
    ratios: String,
    /// For each of those: the first letter of the verdict.
    verdicts: String,
}

/// Gathers the pairs. `pairs` must be in the order of their rows.
pub fn gather(pairs: &[Between]) -> Vec<PairsOf> {
    pairs
        .chunk_by(|a, b| a.row == b.row)
        .map(|of| PairsOf {
            row: of[0].row,
            others: runs(of.iter().map(|p| p.other)),
            ratios: floats(
                of.iter().flat_map(|p| [p.ratio.estimate, p.ratio.low, p.ratio.high]).map(bound),
            ),
            verdicts: of.iter().map(|p| letter(p.verdict)).collect(),
        })
        .collect()
}

/// The rows that the page offers as a baseline, as alternating first and count.
pub fn offered(answer: &Answer, offered: &[bool]) -> Vec<usize> {
    runs((0..answer.rows.len()).filter(|&row| offered[row]))
}

/// An infinite bound becomes NaN, as it is `null` in a row.
fn bound(x: f64) -> f64 {
    if x.is_finite() && x > 0.0 { x } else { f64::NAN }
}

fn letter(verdict: Verdict) -> char {
    verdict.words().chars().next().expect("a verdict is a word")
}
