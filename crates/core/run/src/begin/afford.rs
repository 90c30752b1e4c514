//! The part of a plan that a time until the answer pays for. Code that is compiled ahead of time comes first: a
//! fork of it takes a second, one of a JIT several. What does not fit is left out, and the answer says
//! so.

use crate::forecast::Forecast;
use cupel_plan::Draft;
use std::time::Duration;

/// The fewest forks of a contender with a JIT. It has as many as fit: its processes differ more
/// than its slices, and many short forks give a narrower interval than a few long ones.
const FEWEST_FORKS: u32 = 3;

/// The share of the time that the forks in which all contenders run may take. In the rest,
/// contenders without a JIT have further forks.
const SHARE: f64 = 0.75;

/// How much of the time a contender with a JIT leaves to the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Afforded {
    /// Everything is measured as planned.
    All,
    /// Contenders with a JIT have this many forks.
    JitForks(u32),
    /// They have none.
    WithoutJit,
}

/// The part of a draft that this time pays for. `forecast_of` forecasts a draft.
pub fn afforded(
    draft: &Draft,
    left: Duration,
    forecast_of: &dyn Fn(&Draft) -> Forecast,
) -> Afforded {
    let planned = forecast_of(draft);
    if planned.jit == 0 {
        return Afforded::All;
    }
    let fits = |forks: u32| {
        // They are also started once to be verified.
        let all = f64::from(forks + 1) * planned.ready + f64::from(forks) * planned.rounds;
        all <= SHARE * left.as_secs_f64()
    };
    if fits(planned.forks) {
        return Afforded::All;
    }
    let fewer = (FEWEST_FORKS..planned.forks).rev().find(|&forks| fits(forks));
    fewer.map_or(Afforded::WithoutJit, Afforded::JitForks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_suite::Options;

    fn forecast(jit: usize) -> Forecast {
        Forecast {
            ready: 3.0,
            rounds: 1.0,
            least: 1.0,
            forks: 11,
            further: 5.0,
            least_further: 2.0,
            jit,
            native: 3,
            cells: 9,
            budget: 20.0,
        }
    }

    fn afforded_by(jit: usize, seconds: u64) -> Afforded {
        let draft = Draft::new("", "", Options::default(), 1, vec![], vec![]);
        afforded(&draft, Duration::from_secs(seconds), &|_| forecast(jit))
    }

    /// Eleven forks and a start take 47 s, ten 43 s, five 23 s, three 15 s.
    #[test]
    fn code_compiled_at_run_time_has_the_forks_that_the_time_pays_for() {
        assert_eq!(afforded_by(2, 63), Afforded::All);
        assert_eq!(afforded_by(2, 62), Afforded::JitForks(10));
        assert_eq!(afforded_by(2, 31), Afforded::JitForks(5));
        assert_eq!(afforded_by(2, 30), Afforded::JitForks(4));
        assert_eq!(afforded_by(2, 20), Afforded::JitForks(3));
        assert_eq!(afforded_by(2, 19), Afforded::WithoutJit);
        assert_eq!(afforded_by(0, 1), Afforded::All, "nothing has a JIT");
    }
}
