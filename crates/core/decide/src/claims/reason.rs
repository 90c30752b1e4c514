//! Why a claim has its decision at one size: the reason why it is decided or open. Every format
//! prints these words.

use super::{Decision, Measured, Point, Uncovered};
use cupel_analyse::Verdict;
use cupel_base::text;
use cupel_store::LeakVerdict;
use cupel_suite::{Claim, Factor, Relation};
use serde::{Deserialize, Serialize};

/// The reason why a claim is decided or open at one size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The whole interval lies inside the claimed range, or outside.
    Interval,
    /// The interval includes values inside the claimed range, and values outside.
    BothSides,
    /// The interval would decide if it had more forks.
    TooFewForks {
        /// How many there are.
        forks: usize,
        /// The smallest difference that they can show, as a share.
        floor: f64,
    },
    /// With garbage collection and without it, the decisions differ. In words.
    Collection(String),
    /// In no round both contenders ran undisturbed.
    NoRounds,
    /// The run measured both, but not next to each other.
    NotCompared,
    /// One of the two has no verdict in its table.
    NoVerdict {
        /// The contender.
        contender: String,
        /// The verdict in its table in place of a figure.
        verdict: Verdict,
        /// Why.
        why: String,
    },
    /// The table has no verdicts. In words.
    Doubt(String),
    /// The control of the run is off, and not by chance.
    ControlOff,
    /// Nothing shows the noise of the run.
    NoControl,
    /// The result of a leak test.
    LeakTest {
        /// Its verdict.
        verdict: LeakVerdict,
        /// Its finding, or why it decides nothing; empty if there is nothing to add.
        how: String,
        /// When it was.
        day: String,
    },
    /// No run of the store has it.
    NotMeasured,
    /// The run that was asked for does not have it.
    NotInRun(i64),
    /// The run that was asked for isolates its cells in another way than the suite asks.
    OtherIsolation {
        /// The run.
        run: i64,
        /// The question of the suite.
        asked: String,
    },
    /// Only a run of another machine has it.
    OtherMachine(i64),
    /// The run that has it is not finished.
    NotFinished {
        /// The run.
        run: i64,
        /// Its suite.
        suite: String,
    },
    /// A contender was not available in the run.
    Absent {
        /// Whether it failed: otherwise it was missing.
        failed: bool,
        /// The contender.
        contender: String,
        /// Why, with the remedy if there is one.
        why: String,
    },
    /// A contender's toolchain is not here. In words.
    NotInstalled(String),
    /// There is no leak test for this work.
    NotTested {
        /// Where the contender leaks, if another test saw that.
        leaks_in: Option<String>,
    },
    /// Leaks are not tested under this contract.
    OtherContract,
}

impl Reason {
    /// Its name in files.
    pub fn name(&self) -> &'static str {
        match self {
            Reason::Interval => "interval",
            Reason::BothSides => "both-sides",
            Reason::TooFewForks { .. } => "too-few-forks",
            Reason::Collection(_) => "garbage-collection",
            Reason::NoRounds => "no-rounds",
            Reason::NotCompared => "not-compared",
            Reason::NoVerdict { .. } => "no-verdict",
            Reason::Doubt(_) => "doubt",
            Reason::ControlOff => "control-off",
            Reason::NoControl => "no-control",
            Reason::LeakTest { .. } => "leak-test",
            Reason::NotMeasured => "not-measured",
            Reason::NotInRun(_) => "not-in-run",
            Reason::OtherIsolation { .. } => "other-isolation",
            Reason::OtherMachine(_) => "other-machine",
            Reason::NotFinished { .. } => "not-finished",
            Reason::Absent { .. } => "absent",
            Reason::NotInstalled(_) => "not-installed",
            Reason::NotTested { .. } => "not-tested",
            Reason::OtherContract => "other-contract",
        }
    }

    /// Whether more forks may decide it: not if the run has no figure for another cause.
    pub fn needs_evidence(&self) -> bool {
        matches!(
            self,
            Reason::BothSides
                | Reason::TooFewForks { .. }
                | Reason::Collection(_)
                | Reason::NoRounds
                | Reason::Doubt(_)
                | Reason::ControlOff
                | Reason::NoControl
        )
    }

    /// Its words. The interval alone needs no words.
    pub fn words(&self) -> Option<String> {
        Some(match self {
            Reason::Interval => return None,
            Reason::BothSides => {
                "the interval includes values on both sides of the claim".to_string()
            }
            Reason::TooFewForks { floor, .. } if floor.is_finite() => {
                format!("too few forks for differences below {:.0} %", floor * 100.0)
            }
            Reason::TooFewForks { .. } => "too few forks for any difference".to_string(),
            Reason::Collection(words) | Reason::Doubt(words) | Reason::NotInstalled(words) => {
                words.clone()
            }
            Reason::NoRounds => "no round has both of them undisturbed".to_string(),
            Reason::NotCompared => "the run does not compare it".to_string(),
            Reason::NoVerdict { contender, verdict, why } => {
                format!("{} {contender}: {why}", verdict.words())
            }
            Reason::Absent { contender, failed: true, why } => format!("failed {contender}: {why}"),
            Reason::Absent { contender, why, .. } => format!("missing {contender}: {why}"),
            Reason::ControlOff => {
                "the run's control is over 1 % off, and its interval excludes 1: run again".into()
            }
            Reason::NoControl => "the run has no control that shows its noise: run again".into(),
            Reason::LeakTest { verdict, how, day } => {
                format!("{}{how}, tested {day}", verdict.words())
            }
            Reason::NotMeasured => "no run measures it yet".to_string(),
            Reason::NotInRun(run) => format!("run {run} does not measure it"),
            Reason::OtherIsolation { run, asked } => format!(
                "run {run} does not measure it with isolation = \"{asked}\", as its suite asks"
            ),
            Reason::OtherMachine(run) => format!(
                "measured on another machine only, or before this one changed: --run {run} \
                 decides by that run"
            ),
            Reason::NotFinished { run, suite } => {
                format!("run {run} is not finished: `cupel run {suite} --resume` goes on")
            }
            Reason::NotTested { leaks_in: None } => "not tested".to_string(),
            Reason::NotTested { leaks_in: Some(place) } => {
                format!("not tested, but leaks in {place}")
            }
            Reason::OtherContract => {
                "not tested: leaks are tested under the usual contract only".to_string()
            }
        })
    }
}

impl Point {
    /// The reason why it is decided or open.
    pub fn reason(&self) -> &Reason {
        match &self.measured {
            Ok(Measured { reason, .. }) | Err(Uncovered { reason, .. }) => reason,
        }
    }

    /// The remark on the decision besides the figure and the interval: that a tolerance decided it,
    /// and why it is open.
    pub fn why(&self, claim: &Claim) -> Option<String> {
        let part = self.measured.as_ref().ok().and_then(|m| part(m, claim.relation_at(self.size)));
        let said = [part, self.reason().words()];
        let said: Vec<String> = said.into_iter().flatten().collect();
        (!said.is_empty()).then(|| said.join(": "))
    }
}

/// The decision of a tolerance.
fn part(measured: &Measured, relation: Relation) -> Option<String> {
    let decided = &measured.decided;
    let about = |factor: &Factor| {
        let share = text::share(factor.tolerance).replace('%', " %");
        format!("within {share} of {}", factor.ratio)
    };
    if let Relation::About(factor) = &relation {
        return match decided.direction {
            Decision::Held => Some(about(factor)),
            Decision::Refuted => Some(format!("not {}", about(factor))),
            Decision::Undecided => None,
        };
    }
    let (factor, within) = (relation.factor()?, decided.factor?);
    match (decided.direction, within) {
        (Decision::Held, Decision::Held) => Some(about(&factor)),
        (Decision::Held, Decision::Refuted) => {
            Some(format!("the direction is correct, the factor is not {}", about(&factor)))
        }
        (Decision::Held, Decision::Undecided) => {
            Some("the direction is correct, the factor is undecided".to_string())
        }
        (Decision::Refuted, _) => Some("the direction is not as claimed".to_string()),
        (Decision::Undecided, Decision::Refuted) => Some(format!("not {}", about(&factor))),
        (Decision::Undecided, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_stats::Interval;
    use cupel_suite::rule::{self, Evidence};

    fn reason(
        relation: Relation,
        ends: [f64; 2],
        gc: Option<[[f64; 2]; 2]>,
        forks: usize,
    ) -> Reason {
        let interval = |[low, high]: [f64; 2]| Interval { low: low.ln(), high: high.ln() };
        let evidence = Evidence {
            interval: interval(ends),
            floor: cupel_stats::floor_of(forks),
            tie_zone: 0.02,
        };
        let gc = gc.map(|both| both.map(interval));
        let decided = rule::decide(relation, &evidence);
        super::super::reason_of(relation, &evidence, decided.decision(), gc, forks, || "GC".into())
    }

    /// The claim is that they are equal within 5 %.
    #[test]
    fn the_reason_is_what_would_have_decided() {
        let equal = Relation::Equal(0.05);
        let few = Reason::TooFewForks { forks: 5, floor: 0.15 };
        let same = |one: &Reason, other: &Reason| one.name() == other.name();
        for (ends, gc, forks, expected) in [
            ([0.976, 1.019], None, 24, Reason::Interval),
            ([0.976, 1.019], None, 5, few.clone()),
            ([0.976, 1.069], None, 5, Reason::BothSides),
            ([0.976, 1.069], None, 24, Reason::BothSides),
            ([1.2, 1.3], None, 5, Reason::Interval), // certainly not equal
            // The interval of a pair with garbage collection reaches over both.
            ([0.976, 1.2], Some([[1.1, 1.2], [0.976, 1.019]]), 24, Reason::Collection("GC".into())),
            (
                [0.976, 1.069],
                Some([[1.0, 1.069], [0.976, 1.019]]),
                24,
                Reason::Collection("GC".into()),
            ),
            ([0.976, 1.019], Some([[0.99, 1.019], [0.976, 1.0]]), 5, few.clone()),
            ([0.976, 1.069], Some([[0.99, 1.069], [0.976, 1.069]]), 24, Reason::BothSides),
        ] {
            let found = reason(equal, ends, gc, forks);
            assert!(same(&found, &expected), "{ends:?} {gc:?} of {forks}: {found:?}");
        }
        let found = reason(equal, [0.976, 1.019], None, 5);
        assert_eq!(found.words().unwrap(), "too few forks for differences below 15 %");
        assert_eq!(Reason::Interval.words(), None);
        let one = reason(equal, [0.0, f64::INFINITY], None, 1);
        assert_eq!(one.words().unwrap(), "too few forks for any difference");
    }
}
