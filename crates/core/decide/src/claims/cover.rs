//! Which run decides a claim: the newest finished run of this machine that measured both contenders
//! on the claim's workload.

use super::{Claimant, Reason};
use cupel_base::name::ContenderName;
use cupel_base::primitives;
use cupel_contender::State;
use cupel_plan::Plan;
use cupel_protocol::message::Refusal;
use cupel_store::Planned;
use cupel_suite::Claim;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Which runs may decide claims.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Only this run, whatever its machine.
    pub run: Option<i64>,
    /// Runs of the machine with this fingerprint; if `None`, of any machine.
    pub fingerprint: Option<String>,
    /// Into how many parts the error is divided, if other decisions have the other parts; 0 means
    /// that there are none.
    pub parts: usize,
    /// Contenders on toolchains that are not here, each with the reason and the remedy.
    pub elsewhere: BTreeMap<ContenderName, Refusal>,
}

/// A run that covers a claim at one size.
#[derive(Clone, Copy, Debug)]
pub struct Covered {
    /// The run's number.
    pub run: i64,
    /// The cells of `a` and `b`.
    pub cells: (usize, usize),
}

impl Covered {
    /// The question that it answers. "a is faster than b" and "b is slower than a" are the same
    /// question.
    pub fn question(&self) -> (i64, usize, usize) {
        let (a, b) = self.cells;
        (self.run, a.min(b), a.max(b))
    }
}

/// Why no run decides a claim at one size, and which command would measure it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Uncovered {
    /// The reason.
    pub reason: Reason,
    /// What to do before a run can measure it.
    pub first: Option<String>,
    /// The words of the command line that would measure it.
    pub command: Vec<String>,
}

/// The newest run that covers a claim at one size. `plans` are sorted, newest first.
pub fn find(
    plans: &[Planned],
    claimant: &Claimant<'_>,
    claim: &Claim,
    size: u64,
    scope: &Scope,
) -> Result<Covered, Uncovered> {
    let mut reason: Option<Reason> = None;
    // A JIT compiles different code if other cells share its process, so the isolation must match.
    let isolation = claimant.options.isolation;
    for planned in plans.iter().filter(|p| p.plan.options.isolation == isolation) {
        let found = match cells(&planned.plan, claim, size) {
            Ok(Some(cells)) => cells,
            Ok(None) => continue,
            Err(absent) => {
                reason = reason.or(Some(absent));
                continue;
            }
        };
        let id = planned.run.id;
        let here = scope.fingerprint.as_ref().is_none_or(|f| *f == planned.fingerprint);
        if !here && scope.run.is_none() {
            reason = reason.or(Some(Reason::OtherMachine(id)));
        } else if planned.run.finished.is_none() {
            let suite = planned.run.suite.clone();
            reason = reason.or(Some(Reason::NotFinished { run: id, suite }));
        } else {
            return Ok(Covered { run: id, cells: found });
        }
    }
    let absent = [&claim.a, &claim.b]
        .into_iter()
        .find_map(|name| scope.elsewhere.get(&name.without_primitive().without_against()));
    let reason = reason.unwrap_or_else(|| match (scope.run, absent) {
        (Some(run), _) if plans.iter().any(|p| p.plan.options.isolation != isolation) => {
            Reason::OtherIsolation { run, asked: isolation.name().to_string() }
        }
        (Some(run), _) => Reason::NotInRun(run),
        (None, Some(absent)) => Reason::NotInstalled(absent.reason.clone()),
        (None, None) => Reason::NotMeasured,
    });
    let first = absent.and_then(|absent| absent.remedy.clone());
    // Another run would not measure a contender that failed either.
    let has_failed = matches!(reason, Reason::Absent { failed: true, .. });
    let command = if has_failed { vec![] } else { command(claimant.name, claim, size) };
    Err(Uncovered { reason, first, command })
}

/// The cells of a claim's contenders in a plan; `None` if the plan does not measure them; an error
/// if one of them was not available.
pub(super) fn cells(
    plan: &Plan,
    claim: &Claim,
    size: u64,
) -> Result<Option<(usize, usize)>, Reason> {
    let workload = claim.workload(size);
    let Some(comparison) = plan.comparisons.iter().find(|c| !c.overhead && c.workload == workload)
    else {
        return Ok(None);
    };
    let [a, b] = [&claim.a, &claim.b].map(|name| {
        let mut cells = comparison.cells.iter().filter(|&&c| !plan.cells[c].control);
        cells.find(|&&c| plan.name_of(c) == *name).copied()
    });
    let (Some(a), Some(b)) = (a, b) else { return Ok(None) };
    for cell in [a, b] {
        let contender = plan.contender_of(cell);
        let (failed, refusal) = match &contender.state {
            State::Ready { .. } => continue,
            State::Missing(refusal) => (false, refusal),
            State::Failed(refusal) => (true, refusal),
            State::Unbuilt => return Ok(None),
        };
        let contender = contender.name.to_string();
        return Err(Reason::Absent { failed, contender, why: refusal.to_string() });
    }
    Ok(Some((a, b)))
}

/// The command that measures a claim of a suite at one size.
pub fn command(suite: &str, claim: &Claim, size: u64) -> Vec<String> {
    let has_two_builds = claim.a.is_against() || claim.b.is_against();
    let verb = if has_two_builds { "gate" } else { "run" };
    let mut words: Vec<String> = ["cupel", verb, suite].map(String::from).to_vec();
    let operation = claim.operation.name().to_string();
    let primitives = primitives::choice(&claim.primitive).join(",");
    for (key, value) in
        [("--primitive", primitives), ("--operation", operation), ("--size", size.to_string())]
    {
        words.extend([key.to_string(), value]);
    }
    let a = claim.a.without_primitive();
    let b = Some(claim.b.without_primitive()).filter(|b| *b != a);
    for name in [Some(a), b].into_iter().flatten() {
        if !name.is_against() {
            words.extend(["--contender".to_string(), name.to_string()]);
        }
    }
    if has_two_builds {
        words.extend(["--against", "PROGRAM"].map(String::from));
    }
    words
}
