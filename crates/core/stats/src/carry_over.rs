//! The effect of a slice on the next one: displaced caches, a trained predictor, a lowered
//! frequency.
//!
//! In a Williams design each cell follows each other cell equally often, but never itself. So a
//! contender that slows its successor escapes its own effect and looks faster than it is: among
//! three cells, half of the slices of the other two come after it. The effect must be estimated and
//! removed.
//!
//! The logarithm of a time is modelled as the sum of an effect of the round, one of the cell and
//! one of the cell that ran before. The fit is Huber's M-estimator (Huber, "Robust Statistics",
//! 1981, chapter 7), so that bursts in single slices hardly count. Its loss is convex, so the fit
//! does not depend on where it starts, as a median polish may.

use crate::quantile::{median, robust_sd};

/// One slice.
#[derive(Clone, Copy, Debug)]
pub struct Observation {
    /// The number of its round, over all forks.
    pub round: usize,
    /// The number of its cell in its fork: a cell has one number for each fork.
    pub cell: usize,
    /// The number of the cell that ran before it, which is the same in all forks. `None` if that is
    /// unknown.
    pub after: Option<usize>,
    /// The logarithm of its time per call.
    pub ln: f64,
}

/// Residuals beyond this many standard deviations count as if they were at it. The usual value: 95
/// % as precise as least squares if there are no outliers.
const CLIPPED: f64 = 1.345;

/// An effect is believed if it is this many of its standard errors from zero. There is one for each
/// cell of each comparison, and a wrong one would move a ratio.
const CERTAIN: f64 = 5.0;

/// A smaller effect is left alone, because it moves no ratio by as much as a tenth of a tie zone.
const SMALLEST: f64 = 0.003;

/// Slices scatter if their standard deviation is this many times as large as usual. Nearly all of
/// their residuals are then clipped, so that an effect is little better than a median, and a
/// deviation from few of them is itself uncertain: this factor pays for both.
const SCATTERED: f64 = 2.0;

/// The fit ends when no effect moves by more than this in one pass, or after this many passes.
const STILL: f64 = 1e-6;
const PASSES: usize = 300;

/// For each of `cells` predecessors, its effect on the logarithm of the time of the slice after it,
/// relative to most cells' effect. Exactly 0 if no effect is certain. An effect needs at least
/// three cells: with two, each always follows the other, and nothing tells an effect from a time.
pub fn carry_over(observations: &[Observation], cells: usize) -> Vec<f64> {
    let none = vec![0.0; cells];
    let followed = observations.iter().filter(|o| o.after.is_some()).count();
    if cells < 3 || followed == 0 {
        return none;
    }
    let mut fit = Fit::start(observations, cells);
    for _ in 0..PASSES {
        if fit.improve(observations) < STILL {
            break;
        }
    }
    fit.certain(observations).unwrap_or(none)
}

/// The effects so far.
struct Fit {
    rounds: Vec<f64>,
    cells: Vec<f64>,
    /// By predecessor. The last one stands for all unknown predecessors.
    after: Vec<f64>,
    /// The standard deviation of the residuals.
    sd: f64,
}

impl Fit {
    /// Starts at medians.
    fn start(observations: &[Observation], predecessors: usize) -> Fit {
        let rounds = observations.iter().map(|o| o.round + 1).max().unwrap_or(0);
        let cells = observations.iter().map(|o| o.cell + 1).max().unwrap_or(0);
        let mut fit = Fit {
            rounds: vec![0.0; rounds],
            cells: vec![0.0; cells],
            after: vec![0.0; predecessors + 1],
            sd: 0.0,
        };
        fit.cells = medians(observations.iter().map(|o| (o.cell, o.ln)), cells);
        let left = observations.iter().map(|o| (o.round, o.ln - fit.cells[o.cell]));
        fit.rounds = medians(left, rounds);
        fit
    }

    fn predecessor(&self, observation: &Observation) -> usize {
        observation.after.unwrap_or(self.after.len() - 1)
    }

    fn residual(&self, observation: &Observation) -> f64 {
        observation.ln
            - self.rounds[observation.round]
            - self.cells[observation.cell]
            - self.after[self.predecessor(observation)]
    }

    /// One pass over all effects; returns the largest step of an effect of a predecessor.
    fn improve(&mut self, observations: &[Observation]) -> f64 {
        let residuals: Vec<f64> = observations.iter().map(|o| self.residual(o)).collect();
        self.sd = robust_sd(&residuals);
        let steps = self.steps(observations, self.rounds.len(), |o| o.round);
        add(&mut self.rounds, &steps);
        let steps = self.steps(observations, self.cells.len(), |o| o.cell);
        add(&mut self.cells, &steps);
        let steps = self.steps(observations, self.after.len(), |o| self.predecessor(o));
        add(&mut self.after, &steps);
        steps.iter().fold(0.0, |largest, step| step.abs().max(largest))
    }

    /// By how much the residuals would move each of these effects.
    fn steps(
        &self,
        observations: &[Observation],
        effects: usize,
        effect: impl Fn(&Observation) -> usize,
    ) -> Vec<f64> {
        let reach = CLIPPED * self.sd;
        let clipped = observations.iter().map(|o| self.residual(o).clamp(-reach, reach));
        means(observations.iter().map(effect).zip(clipped), effects)
    }

    /// The effects of known predecessors, relative to the lower median, if any of them is certain.
    fn certain(&self, observations: &[Observation]) -> Option<Vec<f64>> {
        let known = self.after.len() - 1;
        let mut sorted = self.after[..known].to_vec();
        sorted.sort_by(f64::total_cmp);
        let usual = sorted[(known - 1) / 2];
        let in_round = observations.len() as f64 / self.rounds.len() as f64;
        // How much a cell's effect and a round's take of the evidence for a predecessor's.
        let (alone, others) = (in_round / (in_round - 1.0), 1.0 / (in_round - 1.0));
        if !alone.is_finite() || others >= 1.0 {
            return None;
        }
        let shared = alone * (1.0 - others * others).sqrt().recip();
        let all: Vec<f64> = observations.iter().map(|o| self.residual(o)).collect();
        let usual_error = self.error_of_one(&all);
        let mut found = false;
        let effects = (0..known)
            .map(|predecessor| {
                let effect = self.after[predecessor] - usual;
                let followers = observations.iter().filter(|o| o.after == Some(predecessor));
                let residuals: Vec<f64> = followers.map(|o| self.residual(o)).collect();
                if residuals.is_empty() {
                    return 0.0;
                }
                // A predecessor may have run in one fork only, whose slices scatter more than others.
                let own = robust_sd(&residuals);
                let one = if own > SCATTERED * self.sd { SCATTERED * own } else { 0.0 };
                let one = one.max(usual_error).max(self.error_of_one(&residuals));
                let error = shared * one / (residuals.len() as f64).sqrt();
                let certain = effect.abs() > SMALLEST.max(CERTAIN * error);
                found |= certain;
                if certain { effect } else { 0.0 }
            })
            .collect();
        found.then_some(effects)
    }

    /// The standard error of an effect that is fitted to one of these residuals: their deviation
    /// after clipping, divided by the share that is not clipped (Huber, section 7.6). The more of
    /// them are clipped, the less each tells. Infinite if all are.
    fn error_of_one(&self, residuals: &[f64]) -> f64 {
        let reach = CLIPPED * self.sd;
        let squares = residuals.iter().map(|r| r.clamp(-reach, reach).powi(2));
        let deviation = (squares.sum::<f64>() / residuals.len() as f64).sqrt();
        let unclipped = residuals.iter().filter(|r| r.abs() <= reach).count();
        deviation * residuals.len() as f64 / unclipped as f64
    }
}

/// The median of the values of each group; 0 for an empty one.
fn medians(values: impl Iterator<Item = (usize, f64)>, groups: usize) -> Vec<f64> {
    let mut all: Vec<Vec<f64>> = vec![Vec::new(); groups];
    values.for_each(|(group, value)| all[group].push(value));
    all.iter().map(|xs| if xs.is_empty() { 0.0 } else { median(xs) }).collect()
}

/// The mean of the values of each group; 0 for an empty one.
fn means(values: impl Iterator<Item = (usize, f64)>, groups: usize) -> Vec<f64> {
    let mut sums = vec![(0.0, 0_u32); groups];
    values.for_each(|(group, value)| {
        sums[group].0 += value;
        sums[group].1 += 1;
    });
    sums.into_iter()
        .map(|(sum, count)| if count == 0 { 0.0 } else { sum / f64::from(count) })
        .collect()
}

fn add(effects: &mut [f64], steps: &[f64]) {
    effects.iter_mut().zip(steps).for_each(|(effect, step)| *effect += step);
}
