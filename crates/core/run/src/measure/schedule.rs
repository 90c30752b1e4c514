//! Which comparison has the next round, and which cells still take part. Time goes to open
//! questions. Both decisions use intervals that are valid whenever one stops, so another look adds
//! no error. But its work grows with the number of rounds so far, so looks become rare.

use super::Estimate;
use super::values::Values;
use cupel_plan::Plan;
use cupel_stats::dependence::inefficiency;
use cupel_stats::eprocess::confidence_sequence;
use cupel_stats::quantile::median;
use cupel_stats::{FEWEST_ROUNDS, FEWEST_ROUNDS_IF_COMPILED, Interval};
use cupel_store::Recorded;
use std::collections::HashMap;

/// The most rounds that are tried until a fork is a sample of every cell. On a machine that
/// disturbs most of them, the rest is not waited for.
pub const MOST_TRIES: u64 = 10 * FEWEST_ROUNDS_IF_COMPILED as u64;

/// The first looks at a comparison in a fork are this many rounds apart.
const LOOK_STEP: u64 = 4;

/// The last of these looks comes after this many rounds. From then on, each look comes after a
/// tenth more rounds than the look before.
const LAST_EVEN_LOOK: u64 = 52;

/// A cell may sit out the rest of a fork if it is surely this far behind the leader.
const HOPELESS: f64 = 0.05;

/// This many of the leading cells never sit out, nor do the baseline and the control.
const LEADERS: usize = 3;

/// The largest error that "surely" allows for one cell. The report computes the intervals again,
/// with the correction for all comparisons, so a wrong omission costs precision and never truth.
const SURELY: f64 = 0.001;

/// The numbers of rounds in a fork after which a comparison is looked at.
fn looks() -> impl Iterator<Item = u64> {
    std::iter::successors(Some(FEWEST_ROUNDS as u64), |&look| {
        Some(if look < LAST_EVEN_LOOK { look + LOOK_STEP } else { (11 * look).div_ceil(10) })
    })
}

/// The state of all comparisons, from all forks, and the choice of the next rounds.
pub struct Scheduler<'a> {
    plan: &'a Plan,
    comparisons: Vec<Known>,
    /// The numbers of the forks that have begun, in the plan.
    ordinals: Vec<u32>,
    precision: f64,
    /// The error that each interval is allowed. The report allows at least as much to the rounds,
    /// so a pair that is settled here is not open there.
    allowed: f64,
}

/// The state of one comparison.
#[derive(Default)]
struct Known {
    /// Log-ratios to the baseline, by cell and fork, of the rounds in which both count.
    ratios: HashMap<usize, Vec<Vec<f64>>>,
    /// Times in ns per call, by cell, of the slices that count.
    times: HashMap<usize, Vec<f64>>,
    /// The rounds of each fork, in the order in which forks began.
    rounds: Vec<u64>,
    /// Whether all its intervals were narrow enough at the last look.
    settled: bool,
    /// The estimate of its last look.
    so_far: Option<Estimate>,
}

/// The ratio of a cell and the baseline by the rounds so far, in logarithms.
struct RatioSoFar {
    cell: usize,
    estimate: f64,
    low: f64,
    high: f64,
    is_narrow: bool,
}

impl<'a> Scheduler<'a> {
    /// A scheduler that knows nothing yet.
    pub fn new(plan: &'a Plan) -> Scheduler<'a> {
        let comparisons = plan.comparisons.iter().map(|_| Known::default()).collect();
        let options = &plan.options;
        let allowed = SURELY.min(options.alpha / plan.cells.len().max(1) as f64 / 2.0);
        let ordinals = vec![];
        Scheduler { plan, comparisons, ordinals, precision: options.precision, allowed }
    }

    /// A fork begins: number `ordinal` of the plan.
    pub fn begin_fork(&mut self, ordinal: u32) {
        self.ordinals.push(ordinal);
        self.comparisons.iter_mut().for_each(|known| known.rounds.push(0));
    }

    /// Adds the rounds of a run that is resumed, and looks at every comparison.
    pub fn recall(&mut self, before: &Recorded) {
        let mut fork = None;
        for round in &before.rounds {
            if fork.replace(round.fork) != Some(round.fork) {
                let begun = before.forks.iter().find(|row| row.id == round.fork);
                self.begin_fork(begun.map_or(u32::MAX, |row| row.ordinal));
            }
            let slices: Vec<(usize, f64)> = round
                .slices
                .iter()
                .filter(|slice| slice.counts)
                .map(|slice| (slice.cell as usize, slice.ns_per_call))
                .collect();
            self.add(round.comparison, &slices);
        }
        for comparison in 0..self.comparisons.len() {
            self.judge(comparison);
        }
    }

    /// The log-ratios of each cell and the baseline of its comparison in those forks of the plan
    /// whose numbers `of` accepts.
    pub fn values(&self, of: &dyn Fn(u32) -> bool) -> Values {
        let mut values = Values::new();
        for (&cell, forks) in self.comparisons.iter().flat_map(|known| &known.ratios) {
            let fewest = self.plan.fewest_rounds(cell);
            let forks = forks.iter().zip(&self.ordinals).filter(|(_, ordinal)| of(**ordinal));
            let forks = forks.map(|(rounds, _)| (rounds.len() >= fewest).then(|| median(rounds)));
            values.insert(cell, forks.collect());
        }
        values
    }

    /// Adds one round: the cells that count in it, with their times in ns per call.
    pub fn add(&mut self, comparison: usize, slices: &[(usize, f64)]) {
        let baseline = self.plan.comparisons[comparison].baseline;
        let known = &mut self.comparisons[comparison];
        if let Some(rounds) = known.rounds.last_mut() {
            *rounds += 1;
        }
        let reference = slices.iter().find(|(cell, _)| Some(*cell) == baseline);
        let reference = reference.map(|(_, ns)| ns.ln());
        for &(cell, ns) in slices {
            known.times.entry(cell).or_default().push(ns);
            if let Some(reference) = reference.filter(|_| Some(cell) != baseline) {
                let forks = known.ratios.entry(cell).or_default();
                forks.resize(known.rounds.len().max(1), Vec::new());
                forks.last_mut().expect("at least one").push(ns.ln() - reference);
            }
        }
    }

    /// Forgets the rounds of a cell in the current fork: they ran other code.
    pub fn forget(&mut self, cell: usize) {
        let is_baseline = self.plan.is_baseline(cell);
        let known = &mut self.comparisons[self.plan.cells[cell].comparison];
        let fork = known.rounds.len();
        for (&other, forks) in &mut known.ratios {
            if (is_baseline || other == cell) && forks.len() == fork {
                forks.last_mut().expect("a fork has begun").clear();
            }
        }
        if let Some(rounds) = known.rounds.last_mut() {
            *rounds = 0;
        }
    }

    /// Looks at a comparison if one is due after this many rounds in the current fork. Returns the
    /// cells that need not go on in this fork.
    pub fn look(&mut self, comparison: usize, rounds: u64) -> Vec<usize> {
        let due = looks().find(|&look| look >= rounds) == Some(rounds);
        if due { self.judge(comparison) } else { vec![] }
    }

    fn judge(&mut self, comparison: usize) -> Vec<usize> {
        let (precision, allowed) = (self.precision, self.allowed);
        self.comparisons[comparison].so_far = self.estimate(comparison);
        let known = &mut self.comparisons[comparison];
        let mut ratios = Vec::new();
        for (&cell, forks) in &known.ratios {
            let all = forks.concat();
            let Interval { low, high } = confidence_sequence(&all, allowed, inefficiency(forks));
            let estimate = median(&all);
            // A factor of two needs no interval of 1 %: a ratio far from 1 may have an interval of
            // a thirtieth of its distance.
            let is_narrow = (high - low) / 2.0 <= precision.max(estimate.abs() / 30.0);
            ratios.push(RatioSoFar { cell, estimate, low, high, is_narrow });
        }
        ratios.sort_by(|a, b| a.estimate.total_cmp(&b.estimate).then(a.cell.cmp(&b.cell)));
        known.settled = !ratios.is_empty() && ratios.iter().all(|ratio| ratio.is_narrow);
        let best = ratios.iter().map(|ratio| ratio.high).fold(0.0, f64::min);
        let hopeless = ratios.iter().skip(LEADERS).filter(|ratio| {
            !self.plan.cells[ratio.cell].control
                && ratio.low > best + HOPELESS.ln_1p()
                && ratio.is_narrow
        });
        hopeless.map(|ratio| ratio.cell).collect()
    }

    /// The estimate of a comparison, by the times of its rounds. Controls take no part, nor do
    /// cells that the tables leave out.
    fn estimate(&self, comparison: usize) -> Option<Estimate> {
        let takes_part = |cell: &usize| {
            !self.plan.cells[*cell].control && self.plan.contender_of(*cell).stood_for().is_none()
        };
        let times = self.comparisons[comparison].times.iter();
        let mut ranked: Vec<(usize, f64)> = times
            .filter(|(cell, _)| takes_part(cell))
            .map(|(&cell, times)| (cell, median(times)))
            .collect();
        // Always the same one of equals.
        ranked.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        let &(leader, ns) = ranked.first()?;
        let second = ranked.get(1).map(|&(cell, other)| (cell, other / ns));
        Some(Estimate { leader, ns, second })
    }

    /// Whether all intervals of a comparison were narrow enough at the last look, and the current
    /// fork has as many rounds as those before it: the report infers from forks, and a fork of few
    /// rounds hardly counts. After the first forks, empty calls have their fewest rounds: they then
    /// only show whether the machine changes.
    pub fn is_settled(&self, comparison: usize) -> bool {
        let known = &self.comparisons[comparison];
        if self.plan.comparisons[comparison].overhead
            && self.ordinals.last() >= Some(&self.plan.options.first_forks())
        {
            return true;
        }
        let most = known.rounds.iter().max();
        known.settled && known.rounds.last() == most
    }

    /// The estimate of a comparison at the last look.
    pub fn so_far(&self, comparison: usize) -> Option<Estimate> {
        self.comparisons[comparison].so_far
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    /// The rounds below `rounds` in which a comparison was looked at. Its times grow from round to
    /// round, so each look sees another median.
    fn looked_at(rounds: u64) -> Vec<u64> {
        let plan = fixture::plan(&["a", "b"], &[64]);
        let mut scheduler = Scheduler::new(&plan);
        scheduler.begin_fork(0);
        let ns = |scheduler: &Scheduler<'_>| scheduler.so_far(0).map(|estimate| estimate.ns);
        let mut seen = Vec::new();
        for round in 1..=rounds {
            let before = ns(&scheduler);
            scheduler.add(0, &[(0, round as f64), (1, round as f64 + 1.0)]);
            scheduler.look(0, round);
            if ns(&scheduler) != before {
                seen.push(round);
            }
        }
        seen
    }

    #[test]
    fn a_comparison_is_looked_at_every_four_rounds_and_then_ever_more_rarely() {
        let first = [10, 14, 18, 22, 26, 30, 34, 38, 42, 46, 50, 54, 60, 66, 73, 81, 90, 99, 109];
        assert_eq!(looked_at(110), first);
        let due: Vec<u64> = looks().take(first.len()).collect();
        assert_eq!(due, first);
    }

    #[test]
    fn the_number_of_looks_grows_with_the_logarithm_of_the_rounds() {
        let seen = looked_at(4000);
        let until = |rounds: u64| seen.iter().filter(|&&look| look <= rounds).count();
        // A factor of ten takes ln 10 / ln 1.1 = 24.2 looks, up to rounding. Every four rounds
        // would be 90 and 900 looks.
        assert_eq!((until(400) - until(40), until(4000) - until(400)), (24, 24));
        let many = |rounds: u64| looks().take_while(|&look| look <= rounds).count();
        assert_eq!(many(4000), seen.len());
        assert_eq!(many(4_000_000) - many(400_000), 24);
    }

    #[test]
    fn an_estimate_is_that_of_the_last_look_without_controls() {
        let plan = fixture::plan(&["a", "b"], &[64]);
        let control = plan.cells.iter().position(|cell| cell.control).unwrap();
        let mut scheduler = Scheduler::new(&plan);
        scheduler.begin_fork(0);
        for _ in 0..10 {
            scheduler.add(0, &[(0, 108.0), (1, 90.0), (control, 80.0)]);
        }
        assert_eq!(scheduler.so_far(0), None);
        scheduler.look(0, 10);
        let expected = Estimate { leader: 1, ns: 90.0, second: Some((0, 1.2)) };
        assert_eq!(scheduler.so_far(0), Some(expected));
    }
}
