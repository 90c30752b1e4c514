//! Seeded noise as on noisy machines, so that a failing run can be repeated.

// Each test file uses its own part of this.
#![allow(dead_code)]

use cupel_stats::Pair;
use cupel_stats::quantile::median;
use std::f64::consts::TAU;

/// SplitMix64 (Steele, Lea & Flood 2014).
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform, from 0 to below 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Standard normal (Box & Muller 1958).
    pub fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.unit()).ln()).sqrt() * (TAU * self.unit()).cos()
    }
}

/// A machine's noise, in logarithms of time.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// The standard deviation of a round's log-ratio, without bursts.
    pub sd: f64,
    /// Correlation of neighbouring rounds.
    pub ar1: f64,
    /// Standard deviation of the effect of a fork on a pair.
    pub between: f64,
    /// The probability that one side of a fork is 15 % slow throughout: a process with a bad
    /// layout.
    pub stray: f64,
    /// The probability that a burst of 1.6x to 2x begins in a round, on one side or on both.
    pub burst: f64,
    /// How much both sides slow down over a fork.
    pub drift: f64,
}

impl Machine {
    /// The log-ratios of a pair whose true log-ratio is `truth`, fork by fork.
    pub fn pair(
        &self,
        truth: f64,
        forks: usize,
        rounds: usize,
        random: &mut Random,
    ) -> Vec<Vec<f64>> {
        (0..forks).map(|_| self.fork(truth, rounds, random)).collect()
    }

    fn fork(&self, truth: f64, rounds: usize, random: &mut Random) -> Vec<f64> {
        let mut truth = truth + self.between * random.normal();
        if random.unit() < self.stray {
            truth += if random.bits().is_multiple_of(2) { 0.14 } else { -0.14 };
        }
        // Each side has half of the variance.
        let sd = self.sd / 2f64.sqrt();
        let mut noise = [random.normal(), random.normal()];
        (0..rounds)
            .map(|round| {
                let common = self.drift * round as f64 / rounds as f64;
                let mut times = [common + truth, common];
                for (time, noise) in times.iter_mut().zip(&mut noise) {
                    *noise =
                        self.ar1 * *noise + (1.0 - self.ar1 * self.ar1).sqrt() * random.normal();
                    *time += sd * *noise;
                }
                if random.unit() < self.burst {
                    let slower = (1.6 + 0.4 * random.unit()).ln();
                    match random.bits() % 3 {
                        0 => times.iter_mut().for_each(|t| *t += slower),
                        1 => times[0] += slower,
                        _ => times[1] += slower,
                    }
                }
                times[0] - times[1]
            })
            .collect()
    }
}

/// The values of a pair's forks, from the rounds of each.
pub fn pair(forks: &[Vec<f64>]) -> Pair {
    Pair {
        forks: forks.iter().map(|rounds| median(rounds)).collect(),
        rounds: forks.iter().map(Vec::len).sum(),
    }
}
