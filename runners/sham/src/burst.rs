//! The neighbour: alternating quiet and slow stretches of the machine's time.

use crate::random::Random;
use crate::script::Bursts;

/// One stretch of the machine's time, and the generator of the next.
#[derive(Clone, Debug)]
pub struct Neighbour {
    script: Bursts,
    seed: u64,
    random: Random,
    begins_ns: f64,
    ends_ns: f64,
    /// The factor by which this stretch slows; 1 if it is quiet.
    factor: f64,
}

impl Neighbour {
    /// The neighbour that this seed gives a machine.
    pub fn new(script: &Bursts, seed: u64) -> Neighbour {
        let mut neighbour = Neighbour {
            script: script.clone(),
            seed,
            random: Random::from_parts(&[seed, u64::from_le_bytes(*b"neighbor")]),
            begins_ns: 0.0,
            ends_ns: 0.0,
            factor: 1.0,
        };
        neighbour.ends_ns = neighbour.quiet_ns();
        neighbour
    }

    /// The moment at which `work_ns` of work on a quiet machine are done, if they begin at
    /// `now_ns`.
    pub fn finish(&mut self, mut now_ns: f64, mut work_ns: f64) -> f64 {
        loop {
            self.move_to(now_ns);
            let needed = work_ns * self.factor;
            if now_ns + needed <= self.ends_ns {
                return now_ns + needed;
            }
            work_ns -= (self.ends_ns - now_ns) / self.factor;
            now_ns = self.ends_ns;
        }
    }

    /// Moves to the stretch that contains this moment.
    fn move_to(&mut self, now_ns: f64) {
        if now_ns < self.begins_ns {
            *self = Neighbour::new(&self.script, self.seed);
        }
        while self.ends_ns <= now_ns {
            self.begins_ns = self.ends_ns;
            if self.factor > 1.0 {
                self.factor = 1.0;
                self.ends_ns += self.quiet_ns();
            } else {
                let Bursts { mean_ms, factor_low, factor_high, .. } = self.script;
                self.factor = factor_low + (factor_high - factor_low) * self.random.uniform();
                self.ends_ns += mean_ms * 1e6 * self.random.exponential();
            }
        }
    }

    fn quiet_ns(&mut self) -> f64 {
        match self.script.per_s {
            0.0 => f64::INFINITY,
            per_s => 1e9 / per_s * self.random.exponential(),
        }
    }
}
