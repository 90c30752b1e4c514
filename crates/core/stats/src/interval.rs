//! A closed interval of real numbers.

/// All numbers from `low` to `high`. An end is infinite if the data give no bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end; negative infinity if unbounded.
    pub low: f64,
    /// The upper end; infinity if unbounded.
    pub high: f64,
}

/// The side of a zone around zero on which a whole interval lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Every value lies below the zone.
    Below,
    /// Every value lies above the zone.
    Above,
}

impl Interval {
    /// The interval that contains everything.
    pub const EVERYTHING: Interval = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };

    /// The smallest interval that contains these values.
    pub(crate) fn around(values: impl IntoIterator<Item = f64>) -> Interval {
        let empty = Interval { low: f64::INFINITY, high: f64::NEG_INFINITY };
        values.into_iter().fold(empty, |hull, x| hull.hull(&Interval { low: x, high: x }))
    }

    /// Whether `x` lies inside or at an end.
    pub fn contains(&self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }

    /// The side on which the whole interval lies beyond the zone from `-zone` to `zone`. `None` if
    /// it touches the zone, or if an end or the zone is NaN.
    pub fn excludes(&self, zone: f64) -> Option<Side> {
        if self.high < -zone {
            Some(Side::Below)
        } else if self.low > zone {
            Some(Side::Above)
        } else {
            None
        }
    }

    /// Half the distance between the ends.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// The intersection of both intervals; `None` if it is empty.
    pub fn intersect(&self, other: &Interval) -> Option<Interval> {
        let both = Interval { low: self.low.max(other.low), high: self.high.min(other.high) };
        (both.low <= both.high).then_some(both)
    }

    /// The smallest interval that contains both.
    #[must_use]
    pub fn hull(&self, other: &Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The interval of the numbers with the opposite sign.
    #[must_use]
    pub fn negated(&self) -> Interval {
        Interval { low: -self.high, high: -self.low }
    }

    /// Converts an interval of logarithms to one of ratios.
    #[must_use]
    pub fn exp(&self) -> Interval {
        Interval { low: self.low.exp(), high: self.high.exp() }
    }
}
