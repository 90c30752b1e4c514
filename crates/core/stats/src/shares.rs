//! Rare slowness and levels: the share of a program's executions that take far longer than its
//! others, in two builds whose executions take turns, and whether that share changed.
//!
//! A median, and a test of ranks, do not show one execution in six that takes ten times as long. So
//! the executions of a benchmark are divided into fast and slow ones ([`Flagged::levels`]), as if
//! no one knew which build they belong to, and the slow ones are counted. Whether their share
//! changed is decided as in [`crate::turns`]: the orders are drawn again, and the largest change of
//! all benchmarks counts. The interval is Newcombe's, of two scores of Wilson ("Interval estimation
//! for the difference between independent proportions", 1998), as wide as the limit of that test
//! asks.

use crate::change::squares_of_parts;
use crate::interval::Interval;
use crate::quantile::{median, robust_sd, squares};
use crate::turns::{Looks, Round, Scored, sign, step};

/// Two groups that leave less than this share of the variance (of logarithms) are two levels. The
/// best division of normal values leaves 36 %, of uniform ones 25 %.
const LEFT: f64 = 0.15;

/// Levels that are closer than this (a ratio minus one) are no matter here: the ratio of the builds
/// has them.
const APART: f64 = 0.15;

/// Levels are this many steps of the clock apart, or they are its steps.
const STEPS: f64 = 3.0;

/// Without two clear levels, an execution that takes this many times its median is slow, if that is
/// also beyond the scatter of the others.
const FAR: f64 = 2.0;

/// How many robust standard deviations are beyond the scatter.
const SCATTERS: f64 = 6.0;

/// If almost all executions of one build are fast and almost all of the other are slow, the builds
/// differ, and not their shares.
const ALMOST_ALL: f64 = 0.9;

/// The normal quantile of half the error that shares have ([`ERROR`]). An interval is never
/// narrower.
const NARROWEST: f64 = 2.576;

/// The part of the joint error that is for changes of shares, of all benchmarks.
pub const ERROR: f64 = 0.01;

/// The rounds of one benchmark, with a mark for some executions.
#[derive(Clone, Debug, PartialEq)]
pub struct Flagged {
    /// How many times as long the marked ones take; not a number if that is unknown.
    pub factor: f64,
    rounds: Vec<Flags>,
}

/// One round: which executions are marked, in their order, and the position of the build that ran
/// once.
#[derive(Clone, Debug, PartialEq)]
pub struct Flags {
    /// The number of the round.
    pub ordinal: usize,
    /// Which are marked.
    pub marked: Vec<bool>,
    /// That position.
    pub own: usize,
    /// Whether that build is the base, and not the new one.
    pub is_base: bool,
}

/// How many executions are marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// This many.
    pub marked: usize,
    /// The number of executions.
    pub of: usize,
}

/// The shares of both builds, and by how much they differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShareChange {
    /// How many times as long the marked ones take; not a number if that is unknown.
    pub factor: f64,
    /// The base and its copy.
    pub base: Share,
    /// The new build.
    pub new: Share,
    /// The interval of the new build's share less the base's.
    pub interval: Interval,
}

impl Share {
    /// As a number from 0 to 1.
    pub fn share(self) -> f64 {
        if self.of == 0 { 0.0 } else { self.marked as f64 / self.of as f64 }
    }
}

impl ShareChange {
    /// The new build's share less the base's.
    pub fn change(&self) -> f64 {
        self.new.share() - self.base.share()
    }

    /// Whether the new build's share is certainly larger.
    pub fn grew(&self) -> bool {
        self.interval.low > 0.0
    }

    /// Whether it looks larger, but may be so by chance: over twice the base's, in two executions
    /// at least.
    pub fn is_open(&self) -> bool {
        !self.grew() && self.new.marked >= 2 && self.new.share() > 2.0 * self.base.share()
    }

    /// Whether more rounds could show that it grew.
    pub fn may_grow(&self) -> bool {
        !self.grew() && self.change() > 0.0 && self.interval.high > SETTLED
    }
}

/// A share that grew by less than this at most is settled: a tenth of all executions.
const SETTLED: f64 = 0.1;

impl Flagged {
    /// Executions that are marked for another reason than their time.
    pub fn by(rounds: Vec<Flags>) -> Flagged {
        Flagged { factor: f64::NAN, rounds }
    }

    /// The slow executions of a benchmark, if it has some: the slower of two levels, or the
    /// executions that are far from the others.
    pub fn levels(rounds: &[Round]) -> Option<Flagged> {
        let found = divided(rounds);
        if let Some(found) = found.as_ref().filter(|found| !found.is_shift()) {
            return Some(found.clone());
        }
        // The builds may differ: without that, does either have two levels?
        let medians = [true, false].map(|is_new| {
            let times = rounds.iter().flat_map(|round| {
                let places = (0..round.times.len()).filter(|place| round.is_new(*place) == is_new);
                places.map(|place| round.times[place]).collect::<Vec<f64>>()
            });
            median(&times.collect::<Vec<f64>>())
        });
        if found.is_none() && (medians[0] - medians[1]).abs() < APART.ln_1p() {
            return None;
        }
        let mut aligned = rounds.to_vec();
        for round in &mut aligned {
            for place in 0..round.times.len() {
                if round.is_new(place) {
                    round.times[place] -= medians[0] - medians[1];
                }
            }
        }
        divided(&aligned).filter(|found| !found.is_shift())
    }

    fn counts(&self) -> [Share; 2] {
        let mut shares = [Share::default(); 2];
        for round in &self.rounds {
            for (place, is_marked) in round.marked.iter().enumerate() {
                let share = &mut shares[usize::from((place == round.own) != round.is_base)];
                share.of += 1;
                share.marked += usize::from(*is_marked);
            }
        }
        shares
    }

    fn is_shift(&self) -> bool {
        let [base, new] = self.counts().map(Share::share);
        (base - new).abs() >= ALMOST_ALL
    }

    fn scored(&self) -> Scored {
        let rounds = self.rounds.iter().map(|round| {
            let sign = sign(round.is_base);
            let scores = round.marked.iter().map(|marked| if *marked { sign } else { 0.0 });
            (round.ordinal, scores.collect::<Vec<f64>>(), round.own)
        });
        Scored::from_scores(rounds.collect())
    }
}

/// The slow executions, as if all belonged to one build.
fn divided(rounds: &[Round]) -> Option<Flagged> {
    let mut sorted: Vec<f64> = rounds.iter().flat_map(|round| round.times.clone()).collect();
    sorted.sort_by(f64::total_cmp);
    let bound = bound(&sorted)?;
    let above = sorted.partition_point(|time| *time <= bound);
    let distance = median(&sorted[above..]) - median(&sorted[..above]);
    let rounds = rounds.iter().map(|round| Flags {
        ordinal: round.ordinal,
        marked: round.times.iter().map(|time| *time > bound).collect(),
        own: round.own,
        is_base: round.is_base,
    });
    Some(Flagged { factor: distance.exp(), rounds: rounds.collect() })
}

/// The longest of the fast times, if there are slow ones.
fn bound(sorted: &[f64]) -> Option<f64> {
    if sorted.len() < 2 {
        return None;
    }
    let divisions = squares_of_parts(sorted);
    let (above, left) = divisions.into_iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let (fast, slow) = (median(&sorted[..above]), median(&sorted[above..]));
    let clock = step(sorted).unwrap_or(0.0);
    let is_apart = slow - fast >= APART.ln_1p() && slow.exp() - fast.exp() >= STEPS * clock;
    if is_apart && left < LEFT * squares(sorted) {
        return Some(sorted[above - 1]);
    }
    let bound = median(sorted) + FAR.ln().max(SCATTERS * robust_sd(sorted));
    let last = sorted.iter().rfind(|time| **time <= bound)?;
    (sorted[sorted.len() - 1] > bound).then_some(*last)
}

/// A look at shares, with the limit of all looks so far.
pub fn look(looks: &mut Looks, all: &[Flagged], share: f64) -> Vec<ShareChange> {
    let scored: Vec<Scored> = all.iter().map(Flagged::scored).collect();
    let limit = looks.limit(&scored, share);
    let changes = all.iter().zip(&scored).map(|(flagged, scored)| {
        let [base, new] = flagged.counts();
        let mut interval = difference(new, base, limit.max(NARROWEST));
        // Both must agree: the test whatever the noise, and the interval, for few executions.
        if scored.statistic().abs() <= limit {
            interval = interval.hull(&Interval { low: 0.0, high: 0.0 });
        }
        ShareChange { factor: flagged.factor, base, new, interval }
    });
    changes.collect()
}

/// The interval of a difference of two shares.
fn difference(of: Share, from: Share, z: f64) -> Interval {
    if of.of == 0 || from.of == 0 {
        return Interval { low: -1.0, high: 1.0 };
    }
    let (p, q) = (of.share(), from.share());
    let (one, other) = (score(of, z), score(from, z));
    let low = (p - one.low).hypot(other.high - q);
    let high = (one.high - p).hypot(q - other.low);
    Interval { low: p - q - low, high: p - q + high }
}

/// Wilson's interval of a share.
fn score(share: Share, z: f64) -> Interval {
    let (n, p) = (share.of as f64, share.share());
    let scale = 1.0 + z * z / n;
    let centre = (p + z * z / (2.0 * n)) / scale;
    let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt() / scale;
    Interval { low: (centre - half).max(0.0), high: (centre + half).min(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::Random;

    /// Programs whose executions take longer by a factor in a share of cases.
    #[derive(Clone, Copy)]
    struct Rare {
        share: f64,
        factor: f64,
    }

    fn uniform(random: &mut Random) -> f64 {
        (random.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Rounds in random order, with one percent of noise.
    fn simulated(rounds: usize, base: Rare, new: Rare, seed: u64) -> Vec<Round> {
        let mut random = Random::new(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) + 99);
        let round = |ordinal: usize| {
            let own = (random.next() % 3) as usize;
            let is_base = ordinal % 2 == 1;
            let time = |place: usize| {
                let is_new = (place == own) != is_base;
                let Rare { share, factor } = if is_new { new } else { base };
                let is_slow = uniform(&mut random) < share;
                let noise = (0..6).map(|_| uniform(&mut random) - 0.5).sum::<f64>();
                4.6 + 0.014 * noise + if is_slow { factor.ln() } else { 0.0 }
            };
            Round { ordinal, times: (0..3).map(time).collect(), own, is_base }
        };
        (0..rounds).map(round).collect()
    }

    /// As a gate looks: at 12 rounds, at 24, and at the end.
    fn looked(rounds: &[Round]) -> Option<ShareChange> {
        let mut looks = Looks::new(ERROR);
        let mut last = None;
        for upto in [12, 24, rounds.len()] {
            let flagged = Flagged::levels(&rounds[..upto]);
            let share = upto as f64 / rounds.len() as f64;
            let all: Vec<Flagged> = flagged.into_iter().collect();
            last = look(&mut looks, &all, share).first().copied();
        }
        last
    }

    const SIXTH: f64 = 1.0 / 6.0;

    #[test]
    fn equal_builds_with_rare_slowness_or_two_levels_are_alike() {
        let kinds = [(SIXTH, 10.0), (0.5, 1.3), (0.05, 3.0), (0.9, 2.0)];
        for (share, factor) in kinds {
            let rare = Rare { share, factor };
            let wrong = (0..100).filter(|&seed| {
                let change = looked(&simulated(60, rare, rare, seed));
                change.is_some_and(|change| !change.interval.contains(0.0))
            });
            let wrong = wrong.count();
            assert!(wrong <= 4, "{share} of executions {factor} times: {wrong} of 100");
        }
    }

    #[test]
    fn one_execution_in_six_that_takes_ten_times_as_long_is_found_in_19_of_20() {
        let (none, rare) = (Rare { share: 0.0, factor: 1.0 }, Rare { share: SIXTH, factor: 10.0 });
        let (mut found, mut contained) = (0, 0);
        for seed in 0..200 {
            let Some(change) = looked(&simulated(60, none, rare, seed)) else { continue };
            found += usize::from(change.grew() && change.base.marked == 0);
            contained += usize::from(change.interval.contains(SIXTH));
            assert!((change.factor / 10.0 - 1.0).abs() < 0.05, "{change:?}");
        }
        assert!(found >= 190 && contained >= 190, "{found} and {contained} of 200");
    }

    #[test]
    fn builds_that_differ_have_no_levels_but_those_within_a_build_are_seen() {
        let none = Rare { share: 0.0, factor: 1.0 };
        let all = Rare { share: 1.0, factor: 2.0 };
        assert_eq!(Flagged::levels(&simulated(30, none, all, 1)), None);
        assert_eq!(Flagged::levels(&simulated(30, none, none, 1)), None);
        let mut rounds = simulated(40, none, all, 2);
        for round in rounds.iter_mut().step_by(4) {
            round.times[round.own] += 10.0_f64.ln();
        }
        let found = Flagged::levels(&rounds).expect("slow executions of the new build");
        assert_eq!(found.counts()[1], Share { marked: 10, of: 60 });
        assert_eq!(found.counts()[0].marked, 0);
    }

    #[test]
    fn steps_of_a_clock_are_not_levels() {
        let round = |ordinal: usize| {
            let ms = |place: usize| if (ordinal + place).is_multiple_of(3) { 5.0_f64 } else { 4.0 };
            let times = (0..3).map(|place| (1e6 * ms(place)).ln()).collect();
            Round { ordinal, times, own: ordinal % 3, is_base: false }
        };
        let rounds: Vec<Round> = (0..20).map(round).collect();
        assert_eq!(Flagged::levels(&rounds), None);
        let mut rounds = rounds;
        rounds[3].times[0] = 60e6_f64.ln();
        assert_eq!(Flagged::levels(&rounds).expect("one").counts().map(|s| s.marked), [0, 1]);
    }
}
