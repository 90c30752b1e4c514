//! The saving of a change in a program's processor time.

use cupel_analyse::Ratio;

/// Weeks of a year. A core that is always busy has 24 x 7 hours in each.
const WEEKS: f64 = 365.25 / 7.0;

/// A part of something, with the interval that holds it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Saving {
    /// The estimate.
    pub estimate: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl Saving {
    /// The share of all calls' time that is saved. Each part has the time that its calls take now,
    /// and its new time divided by that. The ends of the sum are the sums of the ends: if all
    /// intervals are correct, this one is.
    pub fn of_parts(parts: &[(f64, Ratio)]) -> Saving {
        let all: f64 = parts.iter().map(|(now, _)| now).sum();
        let mut saved = Saving::default();
        for (now, ratio) in parts {
            saved.estimate += now * (1.0 - ratio.estimate);
            saved.low += now * (1.0 - ratio.high);
            saved.high += now * (1.0 - ratio.low);
        }
        Saving { estimate: saved.estimate / all, low: saved.low / all, high: saved.high / all }
    }

    /// The saving as a share of something larger, of which this is the share `share`.
    pub fn scaled_by(self, share: f64) -> Saving {
        Saving { estimate: self.estimate * share, low: self.low * share, high: self.high * share }
    }

    /// The saving if up to this share of the whole was not measured.
    #[must_use]
    pub fn with_unmeasured(self, rest: f64) -> Saving {
        Saving { low: self.low * (1.0 - rest), ..self }
    }

    /// Money for a year of one core that is always busy, at this price of an hour.
    pub fn money(self, per_core_hour: f64) -> Saving {
        self.scaled_by(per_core_hour * 24.0 * 7.0 * WEEKS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_saving_is_weighed_by_the_time_that_calls_take() {
        // Three quarters of the time fall to a half, the rest stays.
        let parts = [
            (3.0, Ratio { estimate: 0.5, low: 0.4, high: 0.6 }),
            (1.0, Ratio { estimate: 1.0, low: 1.0, high: 1.0 }),
        ];
        let saving = Saving::of_parts(&parts);
        assert!((saving.estimate - 0.375).abs() < 1e-12);
        assert!((saving.low - 0.3).abs() < 1e-12 && (saving.high - 0.45).abs() < 1e-12);
        // The calls are a tenth of the program. A year has 8766 hours.
        let money = saving.scaled_by(0.1).money(2.0);
        assert!((money.estimate - 0.0375 * 17532.0).abs() < 1e-9);
    }
}
