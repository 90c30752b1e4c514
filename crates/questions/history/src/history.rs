//! Which release of an implementation made it slower. A *step* is a decided difference between two
//! neighbours. Releases that are measured in one run are each compared with the one before it and
//! with the oldest. In a longer range (`range`), a bisection (`bisection`) finds the steps with
//! few of the releases, in several runs. All intervals of a history are joint.

use crate::releases::{Pair, Releases};
use cupel_analyse::{Analysis, Ratio};
use cupel_base::name::ContenderName;
use cupel_base::problem::Problem;
use cupel_decide::claims::{self, Answered, Claimant, Decision, Measured, Scope};
use cupel_run::seen::Seen;
use cupel_steps::Executed;
use cupel_store::{Recorded, Store, StoreError};
use cupel_suite::{Asked, Options, Suite};
use cupel_verb::how::LeftOut;
use std::collections::BTreeMap;

/// How a release compares with an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It takes more time.
    Slower,
    /// It takes less time.
    Faster,
    /// Neither, within the margin.
    Same,
    /// It is not decided.
    Open,
}

impl Change {
    /// The decision about the claim that nothing changed.
    pub fn decide(measured: &Measured) -> Change {
        match (measured.decided.decision(), measured.ratio) {
            (Decision::Refuted, Some(ratio)) if ratio.estimate > 1.0 => Change::Slower,
            (Decision::Refuted, Some(_)) => Change::Faster,
            (Decision::Held, _) => Change::Same,
            (Decision::Refuted, None) | (Decision::Undecided, _) => Change::Open,
        }
    }

    /// Whether they are decided to differ.
    pub fn is_step(self) -> bool {
        matches!(self, Change::Slower | Change::Faster)
    }

    /// The word for tables and files.
    pub fn word(self) -> &'static str {
        match self {
            Change::Slower => "slower",
            Change::Faster => "faster",
            Change::Same => "same",
            Change::Open => "open",
        }
    }
}

/// The results of a history's runs.
#[derive(Default)]
pub struct History {
    /// The releases that were measured.
    pub releases: Releases,
    /// The numbers of the runs, in the order in which they were measured.
    pub runs: Vec<i64>,
    /// The sizes, in bytes.
    pub sizes: Vec<u64>,
    /// The instructions of the releases, by run.
    pub seen: Vec<Seen>,
    /// Releases that could not be measured.
    pub left_out: Vec<LeftOut>,
    /// Releases of a range that were not measured, because they are not between ends that differ.
    pub not_measured: Vec<ContenderName>,
    /// The releases that Cupel has installed. Builds of others may differ in more than the release.
    pub installed: Vec<ContenderName>,
    /// Whether a range is bisected.
    pub is_bisection: bool,
    answered: Vec<Answered>,
    /// In ns per call.
    times: BTreeMap<(ContenderName, u64), f64>,
    versions: BTreeMap<ContenderName, String>,
}

impl History {
    /// The question about some of the releases, as a suite. The oldest of them is the baseline.
    ///
    /// # Errors
    /// If the question is wrong.
    pub fn suite(&self, asked: &Asked, releases: &Releases) -> Result<Suite, Problem> {
        // The fewer questions a look has, the more certain is each.
        let to_oldest = releases.to_oldest().filter(|_| !self.is_bisection);
        let margin = Options::default().tie_zone;
        let contenders: Vec<String> = releases.all().map(ContenderName::to_string).collect();
        let asked = Asked {
            claims: releases.steps().chain(to_oldest).map(|pair| pair.claim(margin)).collect(),
            baseline: contenders.first().cloned(),
            contenders,
            ..asked.clone()
        };
        asked.suite()
    }

    /// The results of a run about the releases of this suite, with one of this many `parts` of the
    /// error.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn decide(
        store: &Store,
        run: i64,
        suite: &Suite,
        parts: usize,
    ) -> Result<Vec<Answered>, StoreError> {
        let scope = Scope { run: Some(run), parts, ..Scope::default() };
        Ok(claims::decide(store, &[Claimant::from(suite)], &scope)?.0)
    }

    /// Takes in a run and its results. Returns whether each of its releases but the first differs
    /// from the one before it, at any size.
    pub fn take(
        &mut self,
        recorded: &Recorded,
        analysis: &Analysis,
        releases: Releases,
        answered: Vec<Answered>,
    ) -> Vec<bool> {
        self.runs.push(recorded.run.id);
        for answer in &analysis.comparisons {
            let size = answer.workload.size;
            if !self.sizes.contains(&size) {
                self.sizes.push(size);
            }
            for row in &answer.rows {
                if let Some(ns) = row.ns {
                    self.times.insert((row.contender.clone(), size), ns.median);
                }
                self.versions.insert(row.contender.clone(), row.version.clone());
            }
        }
        self.answered.extend(answered);
        let differs = |pair| self.sizes.iter().any(|&size| self.change(pair, size).is_step());
        let differs = releases.steps().map(differs).collect();
        self.releases.merge(releases);
        differs
    }

    /// The finding about two releases at a size, if they were compared.
    fn between(&self, Pair { later, earlier }: Pair<'_>, size: u64) -> Option<&Measured> {
        let is_it = |one: &&Answered| one.claim.a == *later && one.claim.b == *earlier;
        let one = self.answered.iter().find(is_it)?;
        one.points.iter().find(|point| point.size == size)?.measured.as_ref().ok()
    }

    /// The time of the later of two releases divided by the time of the earlier, from rounds that
    /// had both.
    pub fn ratio(&self, pair: Pair<'_>, size: u64) -> Option<Ratio> {
        self.between(pair, size)?.ratio
    }

    /// How a release compares with an earlier one.
    pub fn change(&self, pair: Pair<'_>, size: u64) -> Change {
        self.between(pair, size).map_or(Change::Open, Change::decide)
    }

    /// The newest and the oldest release that were measured.
    pub fn ends(&self) -> Option<Pair<'_>> {
        let [earlier, .., later] = &self.releases.chain[..] else { return None };
        Some(Pair { later, earlier })
    }

    /// Releases that differ at a size although no step between them is decided, each time the
    /// closest that do.
    pub fn unlocated(&self, size: u64) -> Vec<Pair<'_>> {
        let chain = &self.releases.chain;
        let mut found: Vec<(usize, usize)> = Vec::new();
        for to in 2..chain.len() {
            for from in (0..to - 1).rev() {
                let pair = Pair { later: &chain[to], earlier: &chain[from] };
                let is_inside = |&(a, b): &(usize, usize)| from <= a && b <= to;
                if self.change(pair, size).is_step()
                    && !found.iter().any(is_inside)
                    && !chain[from..=to].windows(2).any(|pair| {
                        let pair = Pair { later: &pair[1], earlier: &pair[0] };
                        self.change(pair, size).is_step()
                    })
                {
                    found.push((from, to));
                }
            }
        }
        found.iter().map(|&(from, to)| Pair { later: &chain[to], earlier: &chain[from] }).collect()
    }

    /// Every change that was asked about: at each size, the steps and the intervals between others.
    pub fn changes(&self) -> impl Iterator<Item = Change> {
        self.sizes.iter().flat_map(move |&size| {
            let pairs = self.releases.steps().chain(self.unlocated(size));
            pairs.map(move |pair| self.change(pair, size))
        })
    }

    /// The steps between a release that Cupel has installed and one that it has not: the difference
    /// may be one of the packages.
    pub fn between_packages(&self) -> impl Iterator<Item = Pair<'_>> {
        let of_two = |pair: &Pair<'_>| {
            self.installed.contains(pair.later) != self.installed.contains(pair.earlier)
        };
        let is_step = |pair: &Pair<'_>| self.sizes.iter().any(|&n| self.change(*pair, n).is_step());
        self.releases.steps().filter(of_two).filter(is_step)
    }

    /// A release's time, in ns per call, in the newest run that has it.
    pub fn ns(&self, name: &ContenderName, size: u64) -> Option<f64> {
        self.times.get(&(name.clone(), size)).copied()
    }

    /// The instructions of a release's call, if known.
    pub fn executed(&self, name: &ContenderName, size: u64) -> Option<&Executed> {
        self.seen.iter().find_map(|seen| seen.by_size(name)?.get(&size))
    }

    /// A release as tables name it: by its version where all run on one host.
    pub fn label(&self, name: &ContenderName) -> String {
        let version = || self.versions.get(name).cloned().unwrap_or_default();
        let hosted = self.releases.chain.iter().any(|name| name.host_of_release().is_some());
        match name.release() {
            Some(release) if !hosted => release.to_string(),
            Some(_) => version(),
            None => format!("{} of the system", version()),
        }
    }
}

/// The releases that have no time at any size of a run.
pub fn timeless(releases: &Releases, analysis: &Analysis) -> Vec<LeftOut> {
    let mut found = Vec::new();
    for name in releases.all() {
        let rows = analysis.comparisons.iter().flat_map(|answer| &answer.rows);
        let mut own = rows.filter(|row| row.contender == *name).peekable();
        let reason = own.peek().and_then(|row| row.reason.clone());
        if own.all(|row| row.ns.is_none()) {
            let why = reason.unwrap_or_else(|| "it has no time".to_string());
            found.push(LeftOut { name: name.clone(), why });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_decide::claims::{Point, Reason};
    use cupel_protocol::workload::{Contract, Operation, Shape};
    use cupel_suite::rule::Decided;
    use cupel_suite::{Claim, Relation};

    /// The finding of a run about two neighbours at 64 B: whether they differ.
    fn compared(later: &str, earlier: &str, decision: Decision) -> Answered {
        let estimate = if decision == Decision::Refuted { 1.1 } else { 1.0 };
        let measured = Measured {
            run: 1,
            started: String::new(),
            fingerprint: String::new(),
            machine: String::new(),
            command: String::new(),
            versions: Default::default(),
            code_paths: Default::default(),
            ratio: Some(Ratio { estimate, low: estimate, high: estimate }),
            floor: 0.0,
            decided: Decided { direction: decision, factor: None },
            reason: Reason::Interval,
            rounds: 24,
            forks: 24,
        };
        let claim = Claim {
            line: 0,
            source: String::new(),
            quote: String::new(),
            note: None,
            a: later.into(),
            relation: Relation::Equal(0.02),
            b: earlier.into(),
            primitive: "sha256".to_string(),
            operation: Operation::Digest,
            contract: Contract::default(),
            shape: Shape::Throughput,
            sizes: vec![64],
        };
        let points = vec![Point { size: 64, measured: Ok(measured) }];
        Answered { suite: String::new(), claim, points }
    }

    #[test]
    fn a_step_from_a_release_of_cupel_s_to_one_of_another_may_be_the_package_s() {
        let history = History {
            releases: Releases {
                chain: ["x@1", "x@2", "x@3", "x@4"].map(ContenderName::from).to_vec(),
                aside: None,
            },
            sizes: vec![64],
            installed: vec!["x@1".into(), "x@4".into()],
            answered: vec![
                compared("x@2", "x@1", Decision::Refuted),
                compared("x@3", "x@2", Decision::Refuted),
                compared("x@4", "x@3", Decision::Held),
            ],
            ..History::default()
        };
        let pairs: Vec<String> =
            history.between_packages().map(|pair| pair.later.to_string()).collect();
        assert_eq!(pairs, ["x@2"], "x@3 is of the same origin as x@2, and x@4 is as fast as x@3");
    }
}
