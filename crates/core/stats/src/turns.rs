//! Compares two builds of a program whose executions take turns: in each round, one of them runs
//! once and the other twice, in an order that was drawn at random. In every six rounds, from the
//! first on, the one that runs once has each position equally often ([`crate::order::williams`] of
//! three). If the builds swap these parts from round to round, both run equally often.
//!
//! If two builds are equal, any other order would have given the same times to other programs. So
//! the distribution of a statistic under equality is known from the times themselves: draw the
//! orders again in the same way, many times, and compute it for each. That is exact whatever the
//! noise is: steps, drifts, neighbours, levels of processes (Fisher, "The Design of Experiments",
//! 1935). It is joint over all benchmarks too, because one order covers all benchmarks of an
//! execution: the largest statistic among them counts (Westfall & Young, "Resampling-Based Multiple
//! Testing", 1993).
//!
//! The statistic uses aligned ranks (Hodges & Lehmann, "Rank methods for combination of independent
//! experiments in analysis of variance", 1962). An execution that took twice its time has the
//! highest rank, and no more weight than that. The estimate is the shift at which the statistic is
//! 0, and the interval has all shifts at which it is below the limit.
//!
//! One may look several times ([`Looks`]). Each look spends a part of the error, and the redrawn
//! orders that crossed the limit at an earlier look have spent theirs.

use crate::interval::Interval;
use crate::quantile::median;

/// How often the orders are drawn again. A limit that one in twenty exceeds is then met within
/// 0.2 % of all draws.
const REDRAWS: usize = 10_000;

/// The rounds in which a program has each position equally often.
const BLOCK: usize = 6;

/// A shift (a logarithm) beyond which no interval is searched: a factor of a million.
const FARTHEST: f64 = 14.0;

/// How far an end of an interval may be off.
const NEAR: f64 = 1e-5;

/// The fewest rounds that have an interval. The limit is for the times as they were measured; the
/// scores of shifted times differ a little, and with fewer rounds not only a little.
const FEWEST: usize = 6;

/// One round of one benchmark.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// The number of the round: the same for all benchmarks of an execution.
    pub ordinal: usize,
    /// The logarithms of the times, in the order of execution.
    pub times: Vec<f64>,
    /// The position of the build that ran once. The others are executions of the other build.
    pub own: usize,
    /// Whether the build that ran once is the base, and not the new one.
    pub is_base: bool,
}

/// The shift that the rounds of one benchmark show, at a look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// By how much the new build's times are longer than the base's, as a logarithm.
    pub estimate: f64,
    /// Its interval, jointly with the other benchmarks and the other looks. Its ends are infinite
    /// if there are too few rounds.
    pub interval: Interval,
}

/// A sequence of looks at the same benchmarks.
#[derive(Clone, Debug)]
pub struct Looks {
    error: f64,
    /// The redrawn orders that were beyond the limit at an earlier look.
    crossed: Vec<bool>,
}

impl Round {
    /// Whether the new build ran at a position.
    pub(crate) fn is_new(&self, place: usize) -> bool {
        (place == self.own) != self.is_base
    }
}

/// The sign of the scores of a round: where the base ran once, it takes less time if the new build
/// is slower.
pub(crate) fn sign(is_base: bool) -> f64 {
    if is_base { -1.0 } else { 1.0 }
}

impl Shift {
    /// Before the first look.
    pub const UNKNOWN: Shift = Shift { estimate: f64::NAN, interval: Interval::EVERYTHING };
}

impl Looks {
    /// Looks that are wrong about any benchmark with this probability, all together.
    pub fn new(error: f64) -> Looks {
        Looks { error, crossed: vec![false; REDRAWS] }
    }

    /// The next look, once this share of the effort is spent: it may use the square of that share
    /// of the error. The share must not depend on which program took how long, only on their sum.
    pub fn look(&mut self, benchmarks: &[Vec<Round>], share: f64) -> Vec<Shift> {
        let smooth: Vec<Vec<Round>> = benchmarks.iter().map(|rounds| smoothed(rounds)).collect();
        let scored: Vec<Scored> = smooth.iter().map(|rounds| Scored::at(rounds, 0.0)).collect();
        let limit = self.limit(&scored, share);
        let limit_of = |rounds: &[Round]| if rounds.len() < FEWEST { f64::INFINITY } else { limit };
        smooth.iter().map(|rounds| shift(rounds, limit_of(rounds))).collect()
    }

    /// The limit that no more than the allowed number of redrawn orders cross, at this or an
    /// earlier look.
    pub(crate) fn limit(&mut self, scored: &[Scored], share: f64) -> f64 {
        let allowed = (self.error * share.clamp(0.0, 1.0).powi(2) * REDRAWS as f64) as usize;
        let last = scored.iter().flat_map(|one| &one.rounds).map(|round| round.0).max();
        let largest: Vec<f64> = (0..REDRAWS)
            .map(|draw| {
                let order = redrawn(draw, last.map_or(0, |last| last + 1));
                scored.iter().map(|s| s.redrawn(&order).abs()).fold(0.0, f64::max)
            })
            .collect();
        let spent = self.crossed.iter().filter(|crossed| **crossed).count();
        let mut left: Vec<f64> =
            (0..REDRAWS).filter(|&draw| !self.crossed[draw]).map(|draw| largest[draw]).collect();
        left.sort_by(|a, b| b.total_cmp(a));
        // Ties count as crossed only if all of them may be.
        let limit = left.get(allowed.saturating_sub(spent)).copied().unwrap_or(0.0);
        for (crossed, largest) in self.crossed.iter_mut().zip(largest) {
            *crossed |= largest > limit;
        }
        limit
    }
}

/// The times of a clock with few steps, each somewhere within its step, drawn at random: as its
/// program might have measured them with a finer clock. Otherwise most times would be equal, and
/// their shift would be one step or none. Times that are equal within each program stay as they
/// are: they have a shift.
fn smoothed(rounds: &[Round]) -> Vec<Round> {
    let of = |is_new: bool| {
        rounds.iter().flat_map(move |round| {
            let places = (0..round.times.len()).filter(move |at| round.is_new(*at) == is_new);
            places.map(|at| round.times[at])
        })
    };
    let constant = |is_new: bool| {
        let all = Interval::around(of(is_new));
        all.half_width() < NEAR
    };
    let mut smooth = rounds.to_vec();
    let mut sorted: Vec<f64> = of(true).chain(of(false)).collect();
    sorted.sort_by(f64::total_cmp);
    let Some(step) = step(&sorted).filter(|_| !(constant(true) && constant(false))) else {
        return smooth;
    };
    for round in &mut smooth {
        for (place, time) in round.times.iter_mut().enumerate() {
            let drawn = mixed(REDRAWS + 1 + place, round.ordinal) as f64 / (1u64 << 56) as f64;
            *time = (time.exp() + step * (drawn - 0.5)).ln();
        }
    }
    smooth
}

/// The step of the clock that measured these times, which are logarithms in their order: neighbours
/// differ by one, all are multiples of it, and at most half of them are distinct. `None` if the
/// clock has finer steps, or if they are not known because all times are equal.
pub fn step(sorted: &[f64]) -> Option<f64> {
    let mut distinct: Vec<f64> = sorted.iter().map(|time| time.exp()).collect();
    distinct.dedup_by(|b, a| *b - *a < 1e-9 * *a);
    if distinct.len() < 2 || 2 * distinct.len() > sorted.len() {
        return None;
    }
    let step = distinct.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    let is_whole = |time: &f64| {
        let steps = time / step;
        (steps - steps.round()).abs() < 1e-3 && steps >= 0.5
    };
    distinct.iter().all(is_whole).then_some(step)
}

/// The scores of a benchmark's executions, after the new build's times were divided by a shift.
pub(crate) struct Scored {
    /// The number of the round, the scores in the order of execution, less their mean, and the
    /// position of the build that ran once.
    rounds: Vec<(usize, Vec<f64>, usize)>,
    /// The standard deviation of the statistic, over all orders.
    sd: f64,
}

impl Scored {
    fn at(rounds: &[Round], shift: f64) -> Scored {
        let mut aligned: Vec<(f64, usize, usize)> = Vec::new();
        for (at, round) in rounds.iter().enumerate() {
            let times = shifted(round, shift);
            let middle = median(&times);
            let sign = sign(round.is_base);
            let aligned_ones = times.iter().map(|time| sign * (time - middle)).enumerate();
            aligned.extend(aligned_ones.map(|(place, time)| (time, at, place)));
        }
        aligned.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut scores: Vec<Vec<f64>> = rounds.iter().map(|r| vec![0.0; r.times.len()]).collect();
        let mut first = 0;
        for tied in aligned.chunk_by(|a, b| a.0 == b.0) {
            let rank = first as f64 + (tied.len() - 1) as f64 / 2.0;
            first += tied.len();
            for &(_, at, place) in tied {
                scores[at][place] = rank;
            }
        }
        let rounds = rounds.iter().zip(scores).map(|(r, scores)| (r.ordinal, scores, r.own));
        Scored::from_scores(rounds.collect())
    }

    /// From scores: for each round its number, the scores in the order of execution, and the
    /// position of the build that ran once. A score counts for the new build, so it has the other
    /// [`sign`] in a round in which the base ran once.
    pub(crate) fn from_scores(mut rounds: Vec<(usize, Vec<f64>, usize)>) -> Scored {
        let mut variance = 0.0;
        for (_, scores, _) in &mut rounds {
            let mean = scores.iter().sum::<f64>() / scores.len() as f64;
            scores.iter_mut().for_each(|score| *score -= mean);
            variance += scores.iter().map(|score| score * score).sum::<f64>() / scores.len() as f64;
        }
        Scored { rounds, sd: variance.sqrt() }
    }

    /// The statistic, in standard deviations.
    pub(crate) fn statistic(&self) -> f64 {
        self.scaled(self.rounds.iter().map(|(_, scores, own)| scores[*own]).sum())
    }

    /// The statistic for a redrawn order.
    fn redrawn(&self, order: &[usize]) -> f64 {
        let drawn = self.rounds.iter().map(|(at, scores, _)| scores[order[*at] % scores.len()]);
        self.scaled(drawn.sum())
    }

    fn scaled(&self, sum: f64) -> f64 {
        if self.sd > 0.0 { sum / self.sd } else { 0.0 }
    }
}

/// The times of a round, the new build's divided by a shift.
fn shifted(round: &Round, shift: f64) -> Vec<f64> {
    let own = |place: usize| if round.is_new(place) { shift } else { 0.0 };
    round.times.iter().enumerate().map(|(place, time)| time - own(place)).collect()
}

/// The estimate and the interval, given the limit of the statistic.
fn shift(rounds: &[Round], limit: f64) -> Shift {
    let at = |shift: f64| Scored::at(rounds, shift).statistic();
    // The statistic falls as the shift rises. Between these two it crosses a level.
    let crossing = |level: f64| {
        let (mut low, mut high) = (-FARTHEST, FARTHEST);
        if at(low) <= level {
            return [f64::NEG_INFINITY; 2];
        }
        if at(high) > level {
            return [f64::INFINITY; 2];
        }
        while high - low > NEAR {
            let middle = (low + high) / 2.0;
            if at(middle) > level { low = middle } else { high = middle }
        }
        [low, high]
    };
    let mut interval = Interval { low: crossing(limit)[0], high: crossing(-limit)[1] };
    let equal = at(0.0);
    // The search is near; the test of equal programs is exact, also where their times are equal.
    if equal.abs() <= limit {
        interval = interval.hull(&Interval { low: 0.0, high: 0.0 });
    } else if equal > 0.0 {
        interval.low = interval.low.max(f64::MIN_POSITIVE);
    } else {
        interval.high = interval.high.min(-f64::MIN_POSITIVE);
    }
    let [low, high] = crossing(0.0);
    let estimate = if equal == 0.0 { 0.0 } else { (low + high) / 2.0 };
    // Rounding may leave an estimate next to an end.
    let estimate = estimate.max(interval.low).min(interval.high);
    Shift { estimate, interval }
}

/// A redrawn order: a number below [`BLOCK`] for each round, each of them once in a block. The
/// program's position is its remainder by the number of executions in a round.
fn redrawn(draw: usize, rounds: usize) -> Vec<usize> {
    let blocks = (0..rounds).step_by(BLOCK);
    blocks.flat_map(|first| redrawn_block(draw, first)).take(rounds).collect()
}

/// A redrawn order for the block of rounds from `first` on.
fn redrawn_block(draw: usize, first: usize) -> [usize; BLOCK] {
    let drawn: [u64; BLOCK] = std::array::from_fn(|place| mixed(draw, first + place));
    drawn.map(|own| drawn.iter().filter(|other| **other < own).count())
}

/// A number that is as good as random (the finaliser of SplitMix64), the same for all benchmarks
/// and at all looks.
fn mixed(draw: usize, round: usize) -> u64 {
    let mut x = (draw as u64) << 32 ^ round as u64;
    for factor in [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb] {
        x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
        x = (x ^ x >> 30).wrapping_mul(factor);
    }
    (x ^ x >> 31) >> 8
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uniform numbers between 0 and 1.
    struct Draws(u64);

    impl Draws {
        fn uniform(&mut self) -> f64 {
            self.0 += 1;
            (mixed(self.0 as usize, 7) as f64 + 0.5) / (1u64 << 56) as f64
        }

        /// The positions of a program of this many in a round, balanced as [`redrawn`] ones.
        fn positions(&mut self, rounds: usize, of: usize) -> Vec<usize> {
            let draw = REDRAWS + (self.uniform() * 1e9) as usize;
            redrawn(draw, rounds).into_iter().map(|number| number % of).collect()
        }

        fn normal(&mut self) -> f64 {
            let length = (-2.0 * self.uniform().ln()).sqrt();
            length * (std::f64::consts::TAU * self.uniform()).cos()
        }
    }

    /// How the times of equal programs differ.
    #[derive(Clone, Copy, Debug)]
    enum Noise {
        /// As processes do.
        Normal,
        /// One execution in seven meets a neighbour, which costs it a quarter on average.
        Neighbours,
        /// A machine that becomes slower and faster, by 0.3 % from execution to execution.
        Drift,
        /// Half of all processes are 5 % slower.
        TwoLevels,
    }

    const NOISES: [Noise; 4] = [Noise::Normal, Noise::Neighbours, Noise::Drift, Noise::TwoLevels];

    /// Rounds of four benchmarks, in the first of which the program takes longer by this factor.
    fn simulated(noise: Noise, rounds: usize, factor: f64, seed: u64) -> Vec<Vec<Round>> {
        // `mixed` takes 32 bits of a draw, and the redrawn orders take the first of them.
        let mut draws = Draws((seed + 1) << 20);
        let mut drift = 0.0;
        let mut benchmarks = vec![Vec::new(); 4];
        for (ordinal, own) in draws.positions(rounds, 3).into_iter().enumerate() {
            // As in a gate.
            let is_base = matches!(ordinal % 4, 1 | 2);
            let mut times = vec![vec![0.0; 3]; 4];
            for place in 0..3 {
                // An effect on a process moves all of its benchmarks.
                let process = draws.normal();
                drift += 0.003 * draws.normal();
                for (benchmark, times) in times.iter_mut().enumerate() {
                    let own_noise = 0.6 * process + 0.8 * draws.normal();
                    let chance = draws.uniform();
                    let is_new = (place == own) != is_base;
                    let longer = if benchmark == 0 && is_new { factor.ln() } else { 0.0 };
                    times[place] = longer
                        + match noise {
                            Noise::Normal => 0.025 * own_noise,
                            Noise::Neighbours if chance < 0.15 => -0.25 * draws.uniform().ln(),
                            Noise::Neighbours => 0.015 * own_noise,
                            Noise::Drift => 0.015 * own_noise + drift,
                            Noise::TwoLevels if chance < 0.5 => 0.05 + 0.01 * own_noise,
                            Noise::TwoLevels => 0.01 * own_noise,
                        };
                }
            }
            for (all, times) in benchmarks.iter_mut().zip(times) {
                all.push(Round { ordinal, times, own, is_base });
            }
        }
        benchmarks
    }

    /// Two looks: at 12 rounds, and at the end.
    fn looked(benchmarks: &[Vec<Round>]) -> [Vec<Shift>; 2] {
        let mut looks = Looks::new(0.05);
        let rounds = benchmarks[0].len();
        [12, rounds].map(|upto| {
            let part: Vec<Vec<Round>> = benchmarks.iter().map(|all| all[..upto].to_vec()).collect();
            looks.look(&part, upto as f64 / rounds as f64)
        })
    }

    /// At most one comparison of equal programs in twenty has an interval without 0, of any
    /// benchmark at any look; here 27 of 400, which chance exceeds once in twenty-five such tests.
    #[test]
    fn equal_programs_are_different_once_in_twenty_comparisons_at_most() {
        for noise in NOISES {
            let wrong = (0..400).filter(|seed| {
                let looks = looked(&simulated(noise, 24, 1.0, *seed));
                looks.iter().flatten().any(|shift| !shift.interval.contains(0.0))
            });
            let wrong = wrong.count();
            assert!(wrong <= 27, "{noise:?}: {wrong} of 400");
        }
    }

    #[test]
    fn a_slowdown_of_a_twentieth_is_seen_and_its_interval_contains_it() {
        for noise in NOISES {
            let (mut seen, mut contained) = (0, 0);
            for seed in 0..100 {
                let [_, last] = looked(&simulated(noise, 30, 1.05, seed));
                seen += usize::from(last[0].interval.low > 0.0);
                contained += usize::from(last[0].interval.contains(1.05_f64.ln()));
            }
            assert!(seen >= 95, "{noise:?}: {seen} of 100");
            assert!(contained >= 95, "{noise:?}: {contained} of 100");
        }
    }

    /// It would move a mean by a sixth.
    #[test]
    fn one_execution_that_took_very_long_moves_an_estimate_little() {
        for seed in 0..50 {
            let mut rounds = simulated(Noise::Normal, 24, 1.0, seed).remove(0);
            let before = shift(&rounds, 3.0);
            let own = rounds[5].own;
            rounds[5].times[own] += 4.0;
            let after = shift(&rounds, 3.0);
            let moved = (after.estimate - before.estimate).abs();
            let raised = after.interval.high - before.interval.high;
            assert!(moved < 0.01 && raised < 0.01, "{seed}: {before:?} {after:?}");
        }
    }

    /// As the orders that are measured, which a draw of each round by itself would not resemble.
    #[test]
    fn a_redrawn_order_has_each_position_equally_often_in_six_rounds() {
        let orders: Vec<Vec<usize>> = (0..500).map(|draw| redrawn(draw, 12)).collect();
        for block in orders.iter().flat_map(|order| order.chunks(BLOCK)) {
            let mut sorted = block.to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4, 5]);
        }
        let first = orders.iter().filter(|order| order[0] == 0).count();
        assert!((50..120).contains(&first), "a sixth of 500: {first}");
    }

    fn of_times(rounds: usize, time: impl Fn(usize, bool) -> f64) -> Vec<Round> {
        let own = |ordinal: usize| redrawn(REDRAWS + 7, rounds)[ordinal] % 3;
        let round = |ordinal: usize| {
            let (own, is_base) = (own(ordinal), ordinal % 3 == 1);
            let is_new = |place: usize| (place == own) != is_base;
            let times = (0..3).map(|place| time(3 * ordinal + place, is_new(place)).ln());
            Round { ordinal, times: times.collect(), own, is_base }
        };
        (0..rounds).map(round).collect()
    }

    #[test]
    fn constants_are_equal_or_differ_by_what_they_differ() {
        let equal = of_times(12, |_, _| 12e6);
        let found = Looks::new(0.05).look(&[equal], 1.0)[0];
        assert!(found.estimate == 0.0 && found.interval.contains(0.0), "{found:?}");
        assert!(found.interval.half_width() < 1e-4, "{found:?}");
        let slower = of_times(12, |_, is_new| if is_new { 13e6 } else { 12e6 });
        let found = Looks::new(0.05).look(&[slower], 1.0)[0];
        assert!((found.estimate.exp() - 13.0 / 12.0).abs() < 1e-3, "{found:?}");
        assert!(found.interval.low > 0.07 && found.interval.high < 0.09, "{found:?}");
    }

    #[test]
    fn steps_of_a_clock_are_found_and_constants_and_levels_have_none() {
        let step = |times: &[f64]| step(&times.iter().map(|time| time.ln()).collect::<Vec<_>>());
        let near = |times: &[f64], wanted: f64| {
            step(times).is_some_and(|found| (found / wanted - 1.0).abs() < 1e-6)
        };
        assert!(near(&[12e6, 12e6, 12e6, 13e6, 13e6, 15e6, 15e6], 1e6));
        assert_eq!(step(&[12e6; 9]), None);
        assert_eq!(step(&[100.0, 100.0, 100.0, 1050.0, 1050.0, 1050.0]), None);
        assert_eq!(step(&[12.0, 13.0, 14.0, 15.0]), None, "each is another");
    }

    /// A clock of 1 ms, and times of 12 to 15 ms. They scatter by a third of a ms, so rounding moves the
    /// mean of a build by up to 0.04 ms, and the ratio of two that differ by up to 0.6 %.
    #[test]
    fn a_coarse_clock_hides_no_slowdown_and_makes_none() {
        for (factor, moved) in [(1.0_f64, 0.0), (1.06, 0.006)] {
            let (mut wrong, mut seen) = (0, 0);
            for seed in 0..100 {
                let rounds = simulated(Noise::Normal, 60, factor, seed).remove(0);
                let whole = |ln: &f64| (13.0 * ln.exp()).round().ln();
                let coarse = rounds
                    .into_iter()
                    .map(|round| Round { times: round.times.iter().map(whole).collect(), ..round });
                let Interval { low, high } =
                    Looks::new(0.05).look(&[coarse.collect()], 1.0)[0].interval;
                wrong += usize::from(low > factor.ln() + moved || high < factor.ln() - moved);
                seen += usize::from(low > 0.0);
            }
            assert!(wrong <= 7, "{factor}: {wrong} of 100 wrong");
            assert!(factor == 1.0 || seen >= 95, "{factor}: {seen} of 100 seen");
        }
    }

    #[test]
    fn few_rounds_have_no_interval() {
        let benchmarks = simulated(Noise::Normal, FEWEST - 1, 1.5, 1);
        let found = Looks::new(0.05).look(&benchmarks, 1.0);
        assert_eq!(found[0].interval, Interval::EVERYTHING);
        assert_eq!(Looks::new(0.05).look(&[vec![]], 1.0)[0].interval, Interval::EVERYTHING);
    }

    #[test]
    fn two_programs_in_turns_are_compared_too() {
        let mut draws = Draws(5);
        let positions = draws.positions(20, 2).into_iter().enumerate();
        let round = |(ordinal, own): (usize, usize)| {
            let mut times = vec![0.01 * draws.normal(), 0.01 * draws.normal()];
            times[own] += 0.05;
            Round { ordinal, times, own, is_base: false }
        };
        let rounds: Vec<Round> = positions.map(round).collect();
        let found = Looks::new(0.05).look(&[rounds], 1.0)[0];
        assert!(found.interval.low > 0.0 && found.interval.contains(0.05), "{found:?}");
    }
}
