//! When a claim is held, and when it is refuted: pure functions of an interval.
//!
//! A claim says that the log-ratio of two times lies in some region. It is held if the whole
//! interval lies inside the region, refuted if the whole interval lies outside, and otherwise
//! undecided. The floor is the smallest difference that the forks can show. Few processes may all
//! have the same one of two speeds, so a difference below the floor is never taken for a
//! difference, nor for equality:
//!
//! - a ratio *apart* from a bound must be apart by more than the floor,
//! - a ratio *within* a bound can be seen to be so only if the floor is within it too.
//!
//! "At least 1.5 times as fast" has its own bound, the logarithm of the ratio, and nothing on
//! either side of it. So both its answers must be apart from that bound: held if the interval
//! begins at least a floor above it, refuted if it ends more than a floor below. "At most" is its
//! mirror image, and "between" is both. No two of them contradict each other.
//!
//! "Faster" means ahead by more than the tie zone, as in every table. So "a is faster than b" and
//! "b is not slower than a by more than the tie zone" are opposites: one is held exactly if the
//! other is refuted.

use super::Relation;
use cupel_stats::Interval;
use serde::{Deserialize, Serialize};

/// The decision on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// The measurement shows that it is so.
    Held,
    /// The measurement shows that it is not so.
    Refuted,
    /// The measurement shows neither, or there is none.
    Undecided,
}

impl Decision {
    /// The word for tables and files.
    pub fn word(self) -> &'static str {
        match self {
            Decision::Held => "held",
            Decision::Refuted => "refuted",
            Decision::Undecided => "undecided",
        }
    }

    /// The decision on several claims that must all be so. One that is refuted refutes them all.
    pub fn all(decisions: impl IntoIterator<Item = Decision>) -> Decision {
        let mut all = Decision::Held;
        for decision in decisions {
            match decision {
                Decision::Refuted => return Decision::Refuted,
                Decision::Undecided => all = Decision::Undecided,
                Decision::Held => {}
            }
        }
        all
    }

    fn contrary(self) -> Decision {
        match self {
            Decision::Held => Decision::Refuted,
            Decision::Refuted => Decision::Held,
            Decision::Undecided => Decision::Undecided,
        }
    }
}

/// The evidence of a run about two contenders.
#[derive(Clone, Copy, Debug)]
pub struct Evidence {
    /// The interval of `ln t(a) - ln t(b)`.
    pub interval: Interval,
    /// The smallest difference that the forks can show, a logarithm; infinite without a control.
    pub floor: f64,
    /// The tie zone, a ratio less one.
    pub tie_zone: f64,
}

/// A claim's two parts: which side is ahead, and by how much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decided {
    /// Which of the two is ahead, or that neither is. If a claim has only one part, the decision on
    /// that part.
    pub direction: Decision,
    /// The factor, if one is claimed.
    pub factor: Option<Decision>,
}

impl Decided {
    /// The decision on both parts together.
    pub fn decision(&self) -> Decision {
        Decision::all([Some(self.direction), self.factor].into_iter().flatten())
    }
}

/// Decides a relation of `a` to `b` at one size. A claim of overtaking is none: it is decided by
/// its relation at each size ([`Relation::at`]), and by itself it stays undecided; and so does a
/// claim that no time decides.
pub fn decide(relation: Relation, evidence: &Evidence) -> Decided {
    let mirrored = Evidence { interval: mirror(&evidence.interval), ..*evidence };
    match relation {
        Relation::Faster(factor) => Decided {
            direction: not_slower(&mirrored, evidence.tie_zone).contrary(),
            factor: factor.map(|f| about(&mirrored, f.ratio.ln(), f.tolerance)),
        },
        Relation::Slower(factor) => Decided {
            direction: not_slower(evidence, evidence.tie_zone).contrary(),
            factor: factor.map(|f| about(evidence, f.ratio.ln(), f.tolerance)),
        },
        Relation::Equal(margin) => alone(about(evidence, 0.0, margin)),
        Relation::NotSlower(margin) => alone(not_slower(evidence, margin)),
        Relation::AtLeast(ratio) => alone(at_least(&mirrored, ratio.ln())),
        Relation::AtMost(ratio) => alone(at_least(evidence, -ratio.ln())),
        Relation::Between { low, high } => {
            alone(Decision::all([at_least(&mirrored, low.ln()), at_least(evidence, -high.ln())]))
        }
        Relation::About(factor) => alone(about(&mirrored, factor.ratio.ln(), factor.tolerance)),
        Relation::Overtakes(_) | Relation::NoLeak => alone(Decision::Undecided),
    }
}

/// The decision on a claim that has only one part.
pub fn alone(decision: Decision) -> Decided {
    Decided { direction: decision, factor: None }
}

fn mirror(interval: &Interval) -> Interval {
    Interval { low: -interval.high, high: -interval.low }
}

/// Decides whether the log-ratio is at most `ln(1 + margin)`.
fn not_slower(evidence: &Evidence, margin: f64) -> Decision {
    let Evidence { interval, floor, .. } = *evidence;
    let bound = margin.ln_1p();
    if interval.low > bound.max(floor) {
        Decision::Refuted
    } else if (interval.high <= bound && floor <= bound) || interval.high < -floor {
        Decision::Held
    } else {
        Decision::Undecided
    }
}

/// Decides whether the log-ratio is `bound` or more.
fn at_least(evidence: &Evidence, bound: f64) -> Decision {
    let Evidence { interval, floor, .. } = *evidence;
    let known = [interval.low, interval.high, floor, bound].iter().all(|x| x.is_finite());
    if known && interval.low - bound >= floor {
        Decision::Held
    } else if known && interval.high - bound < -floor {
        Decision::Refuted
    } else {
        Decision::Undecided
    }
}

/// Decides whether the log-ratio is `centre`, give or take `ln(1 + share)`.
fn about(evidence: &Evidence, centre: f64, share: f64) -> Decision {
    let Evidence { interval, floor, .. } = *evidence;
    let around = Interval { low: interval.low - centre, high: interval.high - centre };
    let bound = share.ln_1p();
    if around.excludes(bound.max(floor)).is_some() {
        Decision::Refuted
    } else if around.low >= -bound && around.high <= bound && floor <= bound {
        Decision::Held
    } else {
        Decision::Undecided
    }
}

#[cfg(test)]
mod tests {
    use super::super::Factor;
    use super::*;
    use Decision::{Held, Refuted, Undecided};
    use proptest::prelude::*;

    /// The times are ratios: `a` divided by `b`.
    fn evidence(low: f64, high: f64, floor: f64) -> Evidence {
        let interval = Interval { low: low.ln(), high: high.ln() };
        Evidence { interval, floor: floor.ln_1p(), tie_zone: 0.02 }
    }

    fn decided(relation: Relation, low: f64, high: f64, floor: f64) -> Decision {
        decide(relation, &evidence(low, high, floor)).decision()
    }

    #[test]
    fn faster_is_ahead_by_more_than_the_tie_zone() {
        let faster = Relation::Faster(None);
        assert_eq!(decided(faster, 0.80, 0.90, 0.005), Held);
        assert_eq!(decided(faster, 0.80, 0.99, 0.005), Undecided, "touches the tie zone");
        assert_eq!(decided(faster, 1.10, 1.20, 0.005), Refuted);
        assert_eq!(decided(faster, 0.99, 1.01, 0.005), Refuted, "surely a tie");
        assert_eq!(decided(faster, 0.99, 1.10, 0.005), Refuted, "surely not ahead by 2 %");
    }

    #[test]
    fn nothing_is_decided_within_the_floor() {
        for (low, high) in [(0.90, 0.95), (0.99, 1.01), (1.05, 1.09)] {
            for relation in [Relation::Faster(None), Relation::Slower(None), Relation::Equal(0.02)]
            {
                assert_eq!(decided(relation, low, high, 0.15), Undecided, "{relation:?}");
            }
        }
        assert_eq!(decided(Relation::Faster(None), 0.70, 0.80, 0.15), Held);
        assert_eq!(decided(Relation::Slower(None), 0.70, 0.80, 0.15), Refuted);
    }

    #[test]
    fn nothing_is_decided_without_a_control_or_a_finite_interval() {
        for relation in [
            Relation::Faster(None),
            Relation::Slower(Some(Factor { ratio: 2.0, tolerance: 0.2 })),
            Relation::Equal(0.02),
            Relation::NotSlower(0.05),
            Relation::AtLeast(1.5),
            Relation::AtLeast(5.0),
            Relation::AtMost(1.5),
            Relation::AtMost(5.0),
            Relation::Between { low: 1.5, high: 5.0 },
            Relation::Between { low: 4.0, high: 5.0 },
            Relation::About(Factor { ratio: 2.6, tolerance: 4.0 }),
            Relation::About(Factor { ratio: 8.0, tolerance: 0.1 }),
        ] {
            let interval = Interval { low: -1.0, high: -0.9 };
            let seen = Evidence { interval, floor: 0.0, tie_zone: 0.02 };
            assert_ne!(decide(relation, &seen).decision(), Undecided, "{relation:?}: clear");
            let blind = Evidence { interval, floor: f64::INFINITY, tie_zone: 0.02 };
            assert_eq!(decide(relation, &blind).decision(), Undecided, "{relation:?}");
            let open = Evidence { interval: Interval::EVERYTHING, floor: 0.01, tie_zone: 0.02 };
            assert_eq!(decide(relation, &open).decision(), Undecided, "{relation:?}");
            let nan = Interval { low: f64::NAN, high: f64::NAN };
            let broken = Evidence { interval: nan, floor: 0.01, tie_zone: 0.02 };
            assert_eq!(decide(relation, &broken).decision(), Undecided, "{relation:?}");
            for (low, high) in [(-1.0, f64::INFINITY), (f64::NEG_INFINITY, -0.9)] {
                let half = Evidence { interval: Interval { low, high }, ..broken };
                let decision = decide(relation, &half).decision();
                let bounded = relation.range() != (None, None);
                assert!(!bounded || decision == Undecided, "{relation:?}");
            }
        }
    }

    #[test]
    fn a_factor_is_held_within_its_tolerance_and_refuted_beyond() {
        let twice = Relation::Faster(Some(Factor { ratio: 2.0, tolerance: 0.1 }));
        let parts = |low, high| decide(twice, &evidence(low, high, 0.01));
        assert_eq!(parts(0.48, 0.52).decision(), Held);
        assert_eq!(parts(0.44, 0.52).decision(), Undecided, "2.27 is beyond 2.2");
        let slower = parts(0.60, 0.70);
        assert_eq!((slower.direction, slower.factor), (Held, Some(Refuted)));
        assert_eq!(parts(1.90, 2.10).direction, Refuted, "the other way round");
        assert_eq!(parts(1.90, 2.10).factor, Some(Refuted));
    }

    #[test]
    fn a_factor_is_not_held_if_the_direction_is_undecided() {
        let little = Relation::Faster(Some(Factor { ratio: 1.03, tolerance: 0.2 }));
        let decided = decide(little, &evidence(0.95, 1.04, 0.01));
        assert_eq!(decided.factor, Some(Held));
        assert_eq!(decided.decision(), Undecided);
    }

    #[test]
    fn equality_needs_an_interval_and_a_floor_within_the_margin() {
        let equal = Relation::Equal(0.03);
        assert_eq!(decided(equal, 0.98, 1.02, 0.01), Held);
        assert_eq!(decided(equal, 0.98, 1.02, 0.05), Undecided, "the floor hides 5 %");
        assert_eq!(decided(equal, 0.98, 1.05, 0.01), Undecided);
        assert_eq!(decided(equal, 1.04, 1.09, 0.01), Refuted);
        assert_eq!(decided(equal, 0.90, 0.96, 0.01), Refuted);
    }

    #[test]
    fn a_gate_alarms_only_where_the_whole_interval_is_beyond_its_margin() {
        let gate = Relation::NotSlower(0.03);
        assert_eq!(decided(gate, 0.97, 1.02, 0.01), Held);
        assert_eq!(decided(gate, 0.50, 0.60, 0.10), Held, "surely faster");
        assert_eq!(decided(gate, 1.01, 1.06, 0.01), Undecided);
        assert_eq!(decided(gate, 1.04, 1.06, 0.01), Refuted);
        assert_eq!(decided(gate, 1.04, 1.06, 0.08), Undecided, "the floor hides 6 %");
    }

    #[test]
    fn slower_is_faster_seen_from_the_other_side() {
        let factor = Some(Factor { ratio: 1.5, tolerance: 0.1 });
        for (low, high) in [(0.5, 0.6), (0.97, 1.0), (1.2, 1.4), (1.45, 1.55), (0.9, 1.2)] {
            for floor in [0.001, 0.03, 0.3] {
                let forth = decide(Relation::Slower(factor), &evidence(low, high, floor));
                let back =
                    decide(Relation::Faster(factor), &evidence(1.0 / high, 1.0 / low, floor));
                assert_eq!(forth, back, "{low} .. {high}, floor {floor}");
            }
        }
    }

    #[test]
    fn a_least_ratio_is_apart_from_its_bound_by_the_floor_on_either_side() {
        // The ratio is the time of a divided by the time of b: 0.5 is twice as fast.
        let least = Relation::AtLeast(1.5);
        assert_eq!(decided(least, 0.50, 0.60, 0.0), Held, "1.67 and more");
        assert_eq!(decided(least, 0.50, 0.60, 0.10), Held, "1.67 is 11 % above 1.5");
        assert_eq!(decided(least, 0.50, 0.60, 0.15), Undecided, "too few forks for 11 %");
        assert_eq!(decided(least, 0.60, 0.70, 0.0), Undecided, "1.5 is inside");
        assert_eq!(decided(least, 0.70, 0.80, 0.0), Refuted, "1.43 at most");
        assert_eq!(decided(least, 0.70, 0.80, 0.15), Undecided, "1.5 is 5 % above 1.43");
        assert_eq!(decided(least, 0.90, 0.95, 0.15), Refuted, "1.5 is 35 % above 1.11");
        assert_eq!(decided(least, 1.40, 1.60, 0.0), Refuted, "the other way round");
        let most = Relation::AtMost(1.5);
        assert_eq!(decided(most, 0.70, 0.80, 0.0), Held, "1.43 at most");
        assert_eq!(decided(most, 1.40, 1.60, 0.15), Held, "slower");
        assert_eq!(decided(most, 0.60, 0.70, 0.0), Undecided);
        assert_eq!(decided(most, 0.50, 0.60, 0.0), Refuted);
        assert_eq!(decided(most, 0.50, 0.60, 0.15), Undecided);
        let nearly = Relation::AtLeast(0.5);
        assert_eq!(decided(nearly, 1.50, 1.60, 0.0), Held, "below 1: not half as fast or slower");
        assert_eq!(decided(nearly, 2.50, 2.60, 0.0), Refuted);
    }

    #[test]
    fn a_range_is_refuted_on_either_side_of_it() {
        let between = Relation::Between { low: 1.5, high: 2.0 };
        assert_eq!(decided(between, 0.55, 0.60, 0.0), Held);
        assert_eq!(decided(between, 0.55, 0.60, 0.15), Undecided, "too near to both ends");
        assert_eq!(decided(between, 0.45, 0.60, 0.0), Undecided);
        assert_eq!(decided(between, 0.40, 0.45, 0.0), Refuted, "2.2 times and more");
        assert_eq!(decided(between, 0.70, 0.80, 0.0), Refuted, "1.43 times and less");
        assert_eq!(decided(between, 1.70, 1.80, 0.0), Refuted, "slower by that much");
    }

    #[test]
    fn about_has_no_direction() {
        let about = |ratio, tolerance| Relation::About(Factor { ratio, tolerance });
        assert_eq!(decided(about(1.03, 0.2), 0.95, 1.04, 0.01), Held, "whichever is ahead");
        assert_eq!(decided(about(0.5, 0.1), 1.95, 2.05, 0.01), Held, "half as fast");
        assert_eq!(decided(about(0.5, 0.1), 0.48, 0.52, 0.01), Refuted, "twice as fast");
        assert_eq!(decided(about(2.0, 1.0), 0.30, 0.90, 0.01), Held, "100 % either way");
        assert_eq!(decided(about(2.0, 0.1), 0.48, 0.52, 0.15), Undecided, "the floor hides 10 %");
        let parts = decide(about(2.0, 0.1), &evidence(0.48, 0.52, 0.0));
        assert_eq!((parts.direction, parts.factor), (Held, None));
    }

    #[test]
    fn overtaking_is_not_decided_at_one_size() {
        for (low, high) in [(0.5, 0.6), (1.5, 1.6)] {
            assert_eq!(decided(Relation::Overtakes(16), low, high, 0.0), Undecided);
        }
    }

    /// Whether a decision is at least as good for the claim as another.
    fn rank(decision: Decision) -> u8 {
        match decision {
            Refuted => 0,
            Undecided => 1,
            Held => 2,
        }
    }

    proptest! {
        #[test]
        fn bounds_never_contradict_each_other(
            middle in -3.0..3.0_f64,
            width in 0.0..1.0_f64,
            floor in 0.0..0.3_f64,
            one in 0.1..10.0_f64,
            other in 0.1..10.0_f64,
        ) {
            let interval = Interval { low: middle - width, high: middle + width };
            let evidence = Evidence { interval, floor, tie_zone: 0.02 };
            let decision = |relation| decide(relation, &evidence).decision();
            let (low, high) = (one.min(other), one.max(other));
            let (least, most) = (decision(Relation::AtLeast(one)), decision(Relation::AtMost(one)));
            prop_assert!(least != Refuted || most != Refuted, "one of them must be so");
            prop_assert!(least != Held || most != Held || width == 0.0, "not both, at one");
            // The less is claimed, the better it holds.
            let (less, more) = (decision(Relation::AtLeast(low)), decision(Relation::AtLeast(high)));
            prop_assert!(rank(less) >= rank(more), "{less:?} {more:?}");
            let (tight, loose) = (decision(Relation::AtMost(low)), decision(Relation::AtMost(high)));
            prop_assert!(rank(loose) >= rank(tight), "{loose:?} {tight:?}");
            prop_assert_eq!(
                decision(Relation::Between { low, high }),
                Decision::all([less, loose])
            );
            // Without a floor, a tolerance is a range.
            let sharp = Evidence { floor: 0.0, ..evidence };
            let share = 0.25;
            let about = decide(Relation::About(Factor { ratio: one, tolerance: share }), &sharp);
            let range = Relation::Between { low: one / (1.0 + share), high: one * (1.0 + share) };
            prop_assert_eq!(about.decision(), decide(range, &sharp).decision());
        }
    }

    #[test]
    fn one_refuted_size_refutes_and_one_undecided_size_leaves_undecided() {
        assert_eq!(Decision::all([Held, Held]), Held);
        assert_eq!(Decision::all([Held, Undecided]), Undecided);
        assert_eq!(Decision::all([Undecided, Refuted, Held]), Refuted);
    }
}
