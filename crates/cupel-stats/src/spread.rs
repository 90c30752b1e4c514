//! How far forks differ beyond what their rounds explain.
//!
//! Two to five forks give a poor estimate of their own spread, but a run has many pairs. As in
//! limma for genes, the pairs share information: a prior variance `s0^2` with `d0` degrees of
//! freedom is fitted to all of them, and each pair's own `s^2` with `d` degrees is moderated to
//! `(d0 s0^2 + d s^2) / (d0 + d)` (Smyth, "Linear models and empirical Bayes methods for assessing
//! differential expression", 2004, sections 4 to 6).
//!
//! Unlike a gene's variance, ours is observed with noise: fork medians also differ because each
//! comes from few rounds. That part can be estimated within the forks, and is subtracted.
//!
//! The estimate is the median of all rounds. A fork moves a median by the signs of its rounds, not
//! by their distance. So the effect of a fork is the mean sign of its rounds about the middle,
//! times `s sqrt(pi / 2)`, where `s` is the robust scale of all rounds together (the influence
//! function of the median, clustered by forks; Huber, "Robust Statistics", 1981, section 3.2; Datta
//! & Satten, "A signed-rank test for clustered data", 2008). If forks differ by less than their
//! rounds, this is the distance of their medians. If they differ by more, `s` is as wide as they
//! are, and one distant fork among fourteen or more that agree counts as far as it can move the
//! median. If more than one is distant, or if forks are few or of unequal length, the distance of
//! medians counts.

use crate::dependence::inefficiency;
use crate::pair::Pair;
use crate::quantile::{median, robust_sd};
use rayon::prelude::*;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};
use statrs::function::gamma::digamma;
use std::f64::consts::FRAC_PI_2;

/// Forks with fewer kept rounds are not used for the spread: their median is mostly noise, and they
/// cannot show how noisy it is.
pub(crate) const ENOUGH_ROUNDS: usize = 4;

/// With fewer forks it is unknown which of them is the stray: of two levels that processes reach at
/// random, all but one of eight forks are on the same one in one run of sixteen, of fifteen in one
/// of a thousand.
const ENOUGH_FORKS: usize = 15;

/// The forks have similar length if Kish's effective number divided by their number is at least
/// this. Otherwise they share the longest one's scale.
const ALIKE: f64 = 0.75;

/// A variance between forks (of log-ratios), with its degrees of freedom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Variance of the fork effect.
    pub variance: f64,
    /// Degrees of freedom; 0 means that nothing is known.
    pub df: f64,
}

/// What the forks of one pair show.
pub(crate) struct Between {
    /// The variance of the effects of the forks.
    total: f64,
    /// The part of it that comes from having few rounds in each fork.
    sampling: f64,
    /// The degrees of freedom of `total`: forks minus one.
    df: f64,
}

impl Between {
    /// `inefficiency`: how many rounds of this pair count as one.
    pub(crate) fn of(pair: &Pair, inefficiency: f64) -> Between {
        let counted = pair.forks.iter().filter(|rounds| rounds.len() >= ENOUGH_ROUNDS);
        let forks: Vec<&[f64]> = counted.copied().collect();
        let df = forks.len().saturating_sub(1) as f64;
        if df == 0.0 {
            return Between { total: 0.0, sampling: 0.0, df };
        }
        let all = pair.forks.concat();
        let (middle, reach) = (median(&all), FRAC_PI_2.sqrt() * robust_sd(&all));
        let lies_off = |rounds: &&&[f64]| {
            let noise = (inefficiency * median_variance(rounds)).sqrt();
            (median(rounds) - middle).abs() > reach.max(3.0 * noise)
        };
        let lengths: Vec<usize> = forks.iter().map(|rounds| rounds.len()).collect();
        let by_signs = forks.len() >= ENOUGH_FORKS
            && effective(&lengths) >= ALIKE * forks.len() as f64
            && forks.iter().filter(lies_off).count() <= 1
            // If over half of all rounds are exactly equal, there is no scale.
            && reach > 0.0;
        let (effects, sampling): (Vec<f64>, Vec<f64>) = forks
            .iter()
            .map(|rounds| {
                if !by_signs {
                    return (median(rounds) - middle, inefficiency * median_variance(rounds));
                }
                let sign = mean_sign(rounds, middle);
                let noise = reach * reach * (1.0 - sign * sign) / rounds.len() as f64;
                (reach * sign, inefficiency * noise)
            })
            .unzip();
        Between { total: variance(&effects), sampling: mean(&sampling), df }
    }

    fn alone(pair: &Pair) -> Between {
        Between::of(pair, inefficiency(&pair.forks))
    }

    /// The pair's own excess, moderated by the prior, but never below its own excess or the
    /// moderated value. A contender that differs from fork to fork (a JIT among native code) keeps
    /// what it shows itself, and takes from its quiet neighbours only what it cannot show.
    pub(crate) fn moderated(&self, prior: &Spread) -> Spread {
        // Two forks agree by chance too often for their one difference to show the excess.
        // Subtracting the sampling part would leave nothing in a third of the cases, and the
        // interval would miss more often than allowed (observed in simulation at a spread of half a
        // round's).
        let known = if self.df < 2.0 { 0.0 } else { self.sampling };
        let own = (self.total - known).max(0.0);
        let df = prior.df + self.df;
        if df == 0.0 {
            return Spread { variance: 0.0, df };
        }
        let moderated = if prior.df.is_infinite() {
            prior.variance
        } else {
            (prior.df * prior.variance + self.df * own) / df
        };
        Spread { variance: moderated.max(own), df }
    }
}

/// The variance of the median of independent values that are normal near their middle: `pi/2 s^2 /
/// n`. The scale comes from the median deviation, so that bursts do not count as scale.
fn median_variance(xs: &[f64]) -> f64 {
    FRAC_PI_2 * robust_sd(xs).powi(2) / xs.len() as f64
}

/// The equivalent number of forks of equal length: `(sum n)^2 / sum n^2` (Kish 1965).
fn effective(rounds: &[usize]) -> f64 {
    let sum: f64 = rounds.iter().map(|&n| n as f64).sum();
    let squares: f64 = rounds.iter().map(|&n| (n as f64).powi(2)).sum();
    sum * sum / squares
}

/// From -1 (all rounds below the middle) to 1 (all above).
fn mean_sign(rounds: &[f64], middle: f64) -> f64 {
    let above = rounds.iter().filter(|&&x| x > middle).count() as f64;
    let below = rounds.iter().filter(|&&x| x < middle).count() as f64;
    (above - below) / rounds.len() as f64
}

fn mean(xs: &[f64]) -> f64 {
    xs.iter().sum::<f64>() / xs.len() as f64
}

fn variance(xs: &[f64]) -> f64 {
    let mean = mean(xs);
    xs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (xs.len() - 1) as f64
}

impl Spread {
    /// How far the mean effect of the forks may be from zero, with a two-sided error of `alpha`.
    /// `rounds` has the number of kept rounds of each fork. A fork with few rounds hardly moves the
    /// median of all, so the forks count as `(sum n)^2 / sum n^2` (Kish 1965). Infinite if the
    /// spread is unknown.
    pub(crate) fn half_width(&self, alpha: f64, rounds: &[usize]) -> f64 {
        if self.df <= 0.0 || rounds.is_empty() {
            return f64::INFINITY;
        }
        t_quantile(1.0 - alpha / 2.0, self.df) * (self.variance / effective(rounds)).sqrt()
    }
}

/// The squared correlation of what two pairs with a common baseline show about the spread: half of
/// each pair's fork effect is the baseline's, and variances correlate by its square.
const SHARED: f64 = 0.25;

/// The spread between forks over all pairs of a run, as the prior for each of them. Pairs that
/// share a baseline are grouped. `df` is 0 if fewer than two pairs have two forks of at least four
/// kept rounds.
pub fn pool(baselines: &[&[Pair]]) -> Spread {
    let (mut shown, mut worth) = (Vec::new(), 0.0);
    for pairs in baselines {
        let of: Vec<Between> =
            pairs.par_iter().map(Between::alone).filter(|b| b.df > 0.0).collect();
        // The number of pairs with separate baselines that would show as much.
        let alone = 1.0 / (1.0 + SHARED * of.len().saturating_sub(1) as f64);
        worth += alone * of.iter().map(|b| b.df).sum::<f64>();
        shown.extend(of);
    }
    let largest = shown.iter().map(|b| b.df).fold(0.0, f64::max);
    if shown.len() < 2 {
        return Spread { variance: 0.0, df: 0.0 };
    }
    // A pair's variance of medians is modelled as (s0^2 + its sampling part) times F(d, d0). The
    // larger s0^2, the smaller the ratios: bisect for the s0^2 at which their mean logarithm is
    // that of F.
    let top = shown.iter().map(|b| b.total).fold(0.0, f64::max);
    let (mut low, mut high) = (0.0, top);
    if fit(&shown, 0.0).surplus > 0.0 {
        for _ in 0..48 {
            let middle = f64::midpoint(low, high);
            if fit(&shown, middle).surplus > 0.0 { low = middle } else { high = middle }
        }
    }
    // The prior cannot have more weight than the data it comes from, without the pair that it is
    // applied to. This also prevents one pair from being its own evidence (like limma's cap on the
    // total df).
    Spread { variance: low, df: fit(&shown, low).df.min(worth - largest).max(0.0) }
}

/// How well a prior variance fits.
struct Fit {
    /// The mean logarithm of the ratios, beyond that of F(d, d0).
    surplus: f64,
    /// `d0`, from the scatter of the ratios beyond a chi-square; infinite if there is none.
    df: f64,
}

/// Smyth 2004, section 6.2, with each pair's expected variance instead of one for all.
fn fit(shown: &[Between], variance: f64) -> Fit {
    let ratios: Vec<f64> =
        shown.iter().map(|b| b.total / (variance + b.sampling).max(f64::MIN_POSITIVE)).collect();
    // Exactly equal fork medians would give a logarithm of minus infinity.
    let least = (1e-5 * median(&ratios)).max(f64::MIN_POSITIVE);
    let logs: Vec<f64> = ratios
        .iter()
        .zip(shown)
        .map(|(ratio, b)| ratio.max(least).ln() - digamma(b.df / 2.0) + (b.df / 2.0).ln())
        .collect();
    let n = logs.len() as f64;
    let mean = logs.iter().sum::<f64>() / n;
    let scatter = logs.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let expected = shown.iter().map(|b| trigamma(b.df / 2.0)).sum::<f64>() / n;
    if scatter <= expected {
        return Fit { surplus: mean, df: f64::INFINITY };
    }
    let half = trigamma_inverse(scatter - expected);
    Fit { surplus: mean + digamma(half) - half.ln(), df: 2.0 * half }
}

/// The quantile of Student's t; of the normal distribution if `df` is infinite.
pub(crate) fn t_quantile(p: f64, df: f64) -> f64 {
    if df.is_infinite() {
        return Normal::standard().inverse_cdf(p);
    }
    StudentsT::new(0.0, 1.0, df).map_or(f64::INFINITY, |t| t.inverse_cdf(p))
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
