//! Interrupts of the processor at regular moments: a timer's interrupt, or another program.

use crate::script::Tick;

/// The time that ticks took from some work.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lost {
    /// All of it, in ns.
    pub ns: f64,
    /// For this much of it, in ns, the work waited for its processor, as the system reports.
    pub waited_ns: f64,
}

/// The time that these ticks take from work that begins at `from_ns` and would end at `until_ns`
/// without them. Ticks come at multiples of their periods, while the delayed work continues, too.
pub fn lost(ticks: &[Tick], from_ns: f64, until_ns: f64) -> Lost {
    let mut lost = Lost::default();
    loop {
        let mut now = Lost::default();
        for tick in ticks {
            let before = |ns: f64| (ns / (tick.every_ms * 1e6)).floor();
            let ns = (before(until_ns + lost.ns) - before(from_ns)) * tick.takes_us * 1e3;
            now.ns += ns;
            now.waited_ns += if tick.preempts { ns } else { 0.0 };
        }
        if now == lost {
            return lost;
        }
        lost = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tick_takes_its_time_and_delays_what_meets_the_next_one() {
        let timer = Tick { every_ms: 4.0, takes_us: 10.0, preempts: false };
        let other = Tick { every_ms: 10.0, takes_us: 3000.0, preempts: true };
        assert_eq!(lost(std::slice::from_ref(&timer), 1e6, 3e6), Lost::default());
        assert_eq!(lost(std::slice::from_ref(&timer), 1e6, 9e6), Lost { ns: 20e3, waited_ns: 0.0 });
        // It would end at 11 ms, so it meets the timer at 12 ms, too.
        let both = lost(&[timer, other], 9e6, 11e6);
        assert_eq!(both, Lost { ns: 3.01e6, waited_ns: 3e6 });
    }
}
