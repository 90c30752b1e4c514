//! Claims, decided from the store: each at each of its sizes, from the newest run that covers it.
//!
//! All intervals of one decision are joint: every pair of cells that is asked about counts,
//! whatever its result. Two claims about one pair are one question.

mod claimant;
mod cover;
mod gate;
mod leaks;
mod of_run;
mod reason;

pub use claimant::Claimant;
pub use cover::{Scope, Uncovered};
pub use cupel_suite::rule::{Decided, Decision};
pub use of_run::{Asked, Verdicts, asked};
pub use reason::Reason;

use cover::Covered;
use cupel_analyse::{
    Analysis, Answer, Evidence as Shown, Ratio, Row, Verdict, analyse_with, with_and_without,
};
use cupel_stats::Interval;
use cupel_store::{Planned, Recorded, Store, StoreError};
use cupel_suite::rule::{self, Evidence};
use cupel_suite::{Claim, Relation};
use gate::gate;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Claims that were decided together.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Decisions {
    /// Each with its decision.
    pub answered: Vec<Answered>,
    /// How many intervals are joint.
    pub intervals: usize,
}

/// A claim with its decision.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Answered {
    /// Name of its suite.
    pub suite: String,
    /// The claim.
    pub claim: Claim,
    /// One for each of its sizes, ascending.
    pub points: Vec<Point>,
}

impl Answered {
    /// The decision for the whole claim: it is held only if it is held at every size.
    pub fn decision(&self) -> Decision {
        Decision::all(self.points.iter().map(|p| p.decision()))
    }
}

/// A claim at one size.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Point {
    /// Message length in bytes.
    pub size: u64,
    /// The figures that decide it, or why no run does.
    pub measured: Result<Measured, Uncovered>,
}

impl Point {
    /// The decision at this size.
    pub fn decision(&self) -> Decision {
        match &self.measured {
            Ok(measured) => measured.decided.decision(),
            Err(_) => Decision::Undecided,
        }
    }
}

/// The figures of a run for a claim at one size.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measured {
    /// The run's number in the store.
    pub run: i64,
    /// When it began, UTC.
    pub started: String,
    /// Fingerprint of its machine.
    pub fingerprint: String,
    /// Its machine, in one line.
    pub machine: String,
    /// The command line that made it.
    pub command: String,
    /// Versions of the two libraries, `a` first.
    pub versions: (String, String),
    /// The code paths that the two selected for this work, `a` first; empty if unknown.
    pub code_paths: (String, String),
    /// The time of `a` divided by the time of `b`, if both were measured.
    pub ratio: Option<Ratio>,
    /// The smallest difference that the forks can show, as a share. Infinite if there is no
    /// control.
    pub floor: f64,
    /// The decision that follows.
    pub decided: Decided,
    /// The reason why it is decided or open.
    pub reason: Reason,
    /// Rounds that count, in which both contenders ran undisturbed.
    pub rounds: usize,
    /// Forks with such a round.
    pub forks: usize,
}

/// Decides every claim of the claimants. Also returns the number of joint intervals.
///
/// # Errors
/// If the store cannot be read, or does not have the run in `scope`.
pub fn decide(
    store: &Store,
    claimants: &[Claimant<'_>],
    scope: &Scope,
) -> Result<(Vec<Answered>, usize), StoreError> {
    let plans = store.plans(scope.run)?;
    let (mut answered, intervals) = decide_each(store, claimants, &[&plans], scope)?;
    Ok((answered.pop().expect("one answer for one group"), intervals))
}

/// Decides every claim once for each group of runs, by the runs of that group. The intervals of all
/// groups together are joint, and their number is returned.
///
/// # Errors
/// If the store cannot be read.
pub fn decide_each(
    store: &Store,
    claimants: &[Claimant<'_>],
    groups: &[&[Planned]],
    scope: &Scope,
) -> Result<(Vec<Vec<Answered>>, usize), StoreError> {
    let claims: Vec<(&Claimant<'_>, &Claim)> =
        claimants.iter().flat_map(|s| s.claims.iter().map(move |c| (s, c))).collect();
    // By group, claim and size.
    let mut covers: Vec<Vec<Vec<Result<Covered, Uncovered>>>> = Vec::new();
    for plans in groups {
        let of_claims = claims.iter().map(|(claimant, claim)| {
            let sizes = claim.sizes.iter();
            sizes.map(|&size| cover::find(plans, claimant, claim, size, scope)).collect()
        });
        covers.push(of_claims.collect());
    }
    let of_times = covers.iter().flat_map(|covers| covers.iter().zip(&claims));
    let of_times = of_times.filter(|(_, (_, claim))| claim.relation.is_of_times());
    let covered = of_times.flat_map(|(points, _)| points).filter_map(|c| c.as_ref().ok());
    let asked = covered.map(Covered::question).collect::<BTreeSet<_>>().len() * scope.parts.max(1);
    let mut answered = Vec::new();
    for (plans, covers) in groups.iter().zip(covers) {
        answered.push(answer(store, &claims, plans, covers, asked)?);
    }
    Ok((answered, asked))
}

/// Decides claims by the runs that cover them, as a part of `asked` questions.
fn answer(
    store: &Store,
    claims: &[(&Claimant<'_>, &Claim)],
    plans: &[Planned],
    covers: Vec<Vec<Result<Covered, Uncovered>>>,
    asked: usize,
) -> Result<Vec<Answered>, StoreError> {
    let covered = covers.iter().flatten().filter_map(|c| c.as_ref().ok());
    let runs: BTreeSet<i64> = covered.map(|c| c.run).collect();
    let mut measured: BTreeMap<(usize, usize), Result<Measured, Uncovered>> = BTreeMap::new();
    for run in runs {
        // One run at a time, because all its slices are in memory.
        let source = Source::gather(plans, store.load_with_doubts(run)?);
        for (index, (claimant, claim)) in claims.iter().enumerate() {
            for (point, cover) in covers[index].iter().enumerate() {
                if let Ok(covered) = cover
                    && covered.run == run
                {
                    let found = if claim.relation.is_of_times() {
                        Ok(source.measured(claimant, claim, covered, asked))
                    } else {
                        source.tested(claim, covered.cells.0)
                    };
                    measured.insert((index, point), found);
                }
            }
        }
    }
    let mut answered = Vec::new();
    for (index, ((claimant, claim), covers)) in claims.iter().zip(covers).enumerate() {
        let mut points = Vec::new();
        for (point, (&size, cover)) in claim.sizes.iter().zip(covers).enumerate() {
            let measured = cover.and_then(|_| {
                measured.remove(&(index, point)).expect("every covering run was read")
            });
            points.push(Point { size, measured });
        }
        let suite = claimant.name.to_string();
        answered.push(Answered { suite, claim: (*claim).clone(), points });
    }
    Ok(answered)
}

/// A run that claims are decided from.
struct Source {
    recorded: Recorded,
    analysis: Analysis,
    shown: Shown,
    fingerprint: String,
}

impl Source {
    fn gather(plans: &[Planned], recorded: Recorded) -> Source {
        let planned = plans.iter().find(|p| p.run.id == recorded.run.id);
        let fingerprint = planned.map(|p| p.fingerprint.clone()).unwrap_or_default();
        let shown = Shown::gather(&recorded);
        Source { analysis: analyse_with(&recorded, &shown), recorded, shown, fingerprint }
    }

    fn measured(
        &self,
        claimant: &Claimant<'_>,
        claim: &Claim,
        covered: &Covered,
        asked: usize,
    ) -> Measured {
        let plan = &self.recorded.plan;
        let (a, b) = covered.cells;
        let workload = &plan.comparisons[plan.cells[a].comparison].workload;
        let relation = claim.relation_at(workload.size);
        let answer = self.analysis.comparisons.iter().find(|c| c.workload == *workload);
        let no_verdict =
            answer.map_or(Some(Reason::NotCompared), |answer| why_not(answer, covered.cells));
        let compared = self.shown.between(a, b, asked).filter(|_| no_verdict.is_none());
        let forks = compared.map_or(0, |compared| compared.forks);
        let of_control = answer.map_or(f64::INFINITY, |a| a.floor.ln_1p());
        let floor = cupel_stats::floor_of(forks).max(of_control);
        // The claimant's tie zone, whichever run answers.
        let tie_zone = claimant.options.tie_zone;
        let nothing = Decided {
            direction: Decision::Undecided,
            factor: relation.factor().map(|_| Decision::Undecided),
        };
        let (decided, reason) = match (no_verdict, compared) {
            (Some(reason), _) => (nothing, reason),
            (None, None) => (nothing, Reason::NoRounds),
            (None, Some(compared)) => {
                let evidence = Evidence { interval: compared.interval, floor, tie_zone };
                let decided = rule::decide(relation, &evidence);
                let without = compared.without;
                let of_collection = || {
                    without.map_or(String::new(), |without| with_and_without(&compared, &without))
                };
                let both = without.map(|without| [without.with, without.interval]);
                let decision = decided.decision();
                let reason = reason_of(relation, &evidence, decision, both, forks, of_collection);
                (decided, reason)
            }
        };
        Measured {
            run: self.recorded.run.id,
            started: self.recorded.run.started.clone(),
            fingerprint: self.fingerprint.clone(),
            machine: self.recorded.machine.line(),
            command: self.recorded.run.command.clone(),
            versions: (plan.contender_of(a).version.clone(), plan.contender_of(b).version.clone()),
            code_paths: (self.code_path(a), self.code_path(b)),
            ratio: compared.map(Ratio::from),
            floor: floor.exp_m1(),
            decided,
            reason,
            rounds: compared.map_or(0, |c| c.rounds),
            forks: compared.map_or(0, |c| c.forks),
        }
    }

    fn code_path(&self, cell: usize) -> String {
        let work = self.recorded.plan.workload_of(cell).name();
        let row = self.recorded.contenders.get(&self.recorded.plan.cells[cell].contender);
        row.map(|row| row.code_paths.path(&work).to_string()).unwrap_or_default()
    }
}

/// The reason why a claim is decided or open, given the interval of its pair. `both` has those with
/// garbage collection and without it, over which the interval reaches.
fn reason_of(
    relation: Relation,
    evidence: &Evidence,
    decision: Decision,
    both: Option<[Interval; 2]>,
    forks: usize,
    of_collection: impl Fn() -> String,
) -> Reason {
    if decision != Decision::Undecided {
        return Reason::Interval;
    }
    let decided = |evidence: Evidence| rule::decide(relation, &evidence).decision();
    // After one fork there is no interval.
    let has_none = !evidence.interval.half_width().is_finite();
    if has_none || decided(Evidence { floor: 0.0, ..*evidence }) != Decision::Undecided {
        let floor = if has_none { f64::INFINITY } else { evidence.floor.exp_m1() };
        return Reason::TooFewForks { forks, floor };
    }
    let alone = both.map(|both| both.map(|interval| decided(Evidence { interval, ..*evidence })));
    match alone {
        Some([with, without]) if with != without => Reason::Collection(of_collection()),
        _ => Reason::BothSides,
    }
}

/// Why a run gives no verdict on two of its cells, however far apart their times are.
fn why_not(answer: &Answer, (a, b): (usize, usize)) -> Option<Reason> {
    for cell in [a, b] {
        let row: &Row = answer.rows.iter().find(|r| r.cell == cell)?;
        if row.verdict.is_absent() {
            return Some(Reason::NoVerdict {
                contender: row.contender.to_string(),
                verdict: row.verdict,
                why: row.reason.clone().unwrap_or_else(|| "no reason is known".to_string()),
            });
        }
        if row.verdict == Verdict::NotSeparated
            && !answer.floor.is_finite()
            && let Some(words) = &row.reason
        {
            return Some(Reason::Doubt(words.clone()));
        }
    }
    if answer.untrusted {
        return Some(Reason::ControlOff);
    }
    (!answer.floor.is_finite()).then_some(Reason::NoControl)
}
