//! Randomness that depends only on the values hashed into it, so that processes that share a script
//! and a clock see one machine.

/// A generator: SplitMix64 from a state that is a hash of its parts.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The generator for these parts.
    pub fn from_parts(parts: &[u64]) -> Random {
        Random(parts.iter().fold(0, |hash, &part| mix(hash ^ mix(part.wrapping_add(STEP)))))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix(self.0)
    }

    /// Uniform between 0 and 1, both excluded, so that its logarithm is finite.
    pub fn uniform(&mut self) -> f64 {
        ((self.next() >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }

    /// Exponential with mean 1.
    pub fn exponential(&mut self) -> f64 {
        -self.uniform().ln()
    }

    /// Standard normal, by the method of Box and Muller (1958).
    pub fn normal(&mut self) -> f64 {
        let radius = (2.0 * self.exponential()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
