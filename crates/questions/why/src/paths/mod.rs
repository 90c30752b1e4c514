//! Whether an implementation's own choice of a code path is the best of those that it has. A
//! library that misses its fast code does not report it; here each forced path is measured next to
//! the default.
//!
//! A finding needs two things: the claim that the default is not slower is refuted, and the two ran
//! different code. A switch without effect would compare the default with itself.

mod named;
mod proof;
mod verb;
mod words;

pub use verb::run;

use cupel_analyse::Analysis;
use cupel_contender::{Contender, State, contract_to_add};
use cupel_decide::claims::{Answered, Decision, Point};
use cupel_protocol::workload::{Contract, Operation};
use cupel_run::seen::Seen;
use cupel_suite::Relation;
use cupel_suite::said::Said;
use proof::Proof;
use std::collections::BTreeSet;

/// An implementation's default, and one of the paths that can be forced. Full names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The contender that selects its path by itself.
    pub default: String,
    /// The contender that is made to take another.
    pub forced: String,
}

/// The pairs that offer this primitive and whose default is ready here, in the order of
/// `all`; those whose forced path is not, or that need another contract, with the reason.
pub fn pairs(
    all: &[Contender],
    primitive: &str,
    operation: Operation,
    contract: &Contract,
) -> (Vec<Pair>, Vec<(Pair, String)>) {
    let (mut ready, mut absent) = (Vec::new(), Vec::new());
    for forced in all {
        let default_name = forced.forced_path_of();
        let default = all.iter().find(|c| Some(c.name.as_str()) == default_name);
        let Some(default) = default.filter(|c| c.is_ready()) else { continue };
        let both_offer = |contract: &Contract| {
            [default, forced].iter().all(|c| c.offers_one_of(primitive, operation, contract))
        };
        let help = contract_to_add(contract, both_offer);
        let pair = Pair { default: default.name.to_string(), forced: forced.name.to_string() };
        match (&forced.state, both_offer(contract), help) {
            (_, false, None) | (State::Unbuilt, ..) => {}
            (State::Missing(why) | State::Failed(why), ..) => {
                absent.push((pair, why.reason.clone()));
            }
            (State::Ready { .. }, false, Some(help)) => absent.push((pair, help.to_string())),
            (State::Ready { .. }, true, _) => ready.push(pair),
        }
    }
    (ready, absent)
}

impl Pair {
    /// The claim that is put to the test. Within `margin`, a share, the two count as equally fast.
    pub fn claim(&self, margin: f64) -> Said {
        let (a, b) = (self.default.clone(), self.forced.clone());
        let text = format!("{a} is not slower than its path {b}");
        Said { a, relation: Relation::NotSlower(margin), b, text }
    }
}

/// A pair with its decision.
#[derive(Clone, Debug)]
pub struct Judged<'a> {
    /// The claim and its decisions.
    pub answered: &'a Answered,
    /// The code that ran.
    pub proof: Proof,
    /// The sizes at which both were seen to run the same code: their times there compare it with
    /// itself.
    pub same_at: BTreeSet<u64>,
}

impl Judged<'_> {
    /// The sizes at which the default is slower than another path of its own.
    pub fn findings(&self) -> Vec<&Point> {
        if !matches!(self.proof, Proof::Different(..)) {
            return vec![];
        }
        self.compared().filter(|point| point.decision() == Decision::Refuted).collect()
    }

    /// The sizes at which they may have run different code.
    fn compared(&self) -> impl Iterator<Item = &Point> {
        self.answered.points.iter().filter(|point| !self.same_at.contains(&point.size))
    }

    /// Its verdict on the default: held if it is not slower, whichever code ran; undecided if that
    /// is open, or if it is slower and it is not known which code ran. `None` if both ran the same
    /// code.
    pub fn decision(&self) -> Option<Decision> {
        if matches!(self.proof, Proof::Same(_)) {
            None
        } else if !self.findings().is_empty() {
            Some(Decision::Refuted)
        } else if self.compared().all(|point| point.decision() == Decision::Held) {
            Some(Decision::Held)
        } else {
            Some(Decision::Undecided)
        }
    }

    /// Whether the default is slower, but may have run the same code.
    pub fn is_slower_by_unknown_code(&self) -> bool {
        matches!(self.proof, Proof::Unknown)
            && self.compared().any(|point| point.decision() == Decision::Refuted)
    }
}

/// The pairs with the facts about their code: reported by the run, and `seen`.
pub fn judge<'a>(analysis: &Analysis, answered: &'a [Answered], seen: &Seen) -> Vec<Judged<'a>> {
    let mut judged = Vec::new();
    for answered in answered {
        let both = [&answered.claim.a, &answered.claim.b];
        let [default, forced] = both.map(|name| reported_paths(analysis, name));
        let [own, other] = both.map(|name| seen.by_size(name));
        let sizes = answered.points.iter().map(|point| point.size).collect();
        judged.push(Judged {
            answered,
            proof: Proof::reported(&default, &forced).unless(&sizes, own, other),
            same_at: proof::same_at(own, other),
        });
    }
    judged
}

fn reported_paths<'a>(analysis: &'a Analysis, name: &str) -> BTreeSet<&'a str> {
    let rows = analysis.comparisons.iter().flat_map(|answer| &answer.rows);
    rows.filter(|row| row.contender.as_str() == name).map(|row| row.code_path.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_contender::SecondaryKind;
    use cupel_contender::{Secondary, State};
    use cupel_protocol::message::Offer;
    use cupel_protocol::workload::Key;

    /// A path is never left out in silence because its contract differs from the usual one.
    #[test]
    fn a_path_under_another_contract_says_which() {
        let ready = State::Ready { command: vec![], simulated: true, jit: false, resolution_ns: 1 };
        let offering = |name: &str, key: Option<Key>| Contender {
            offers: vec![Offer { key, ..Offer::new("aes-256-gcm", Operation::Seal) }],
            ..Contender::new(name.into(), ready.clone())
        };
        let forced = |name: &str, of: &str, key: Option<Key>| {
            let secondary = Secondary {
                kind: SecondaryKind::ForcedPath,
                of: of.into(),
                asked_for: false,
                same_code: true,
            };
            Contender { secondary: Some(secondary), ..offering(name, key) }
        };
        let all = [
            offering("c/any", None),
            forced("c/any-noaes", "c/any", None),
            offering("node/crypto", Some(Key::PerCall)),
            forced("node/crypto-noaes", "node/crypto", Some(Key::PerCall)),
        ];
        let usual = Contract::usual(Operation::Seal);
        let asked = |contract: &Contract, primitive: &str| {
            let (ready, absent) = pairs(&all, primitive, Operation::Seal, contract);
            let ready: Vec<String> = ready.into_iter().map(|pair| pair.forced).collect();
            let absent: Vec<(String, String)> =
                absent.into_iter().map(|(pair, why)| (pair.forced, why)).collect();
            (ready, absent)
        };
        let (ready, absent) = asked(&usual, "aes-256-gcm");
        assert_eq!(ready, ["c/any-noaes"]);
        let why = "it takes the key in every call: add --contract key=per-call";
        assert_eq!(absent, [("node/crypto-noaes".to_string(), why.to_string())]);
        let per_call = Contract { key: Key::PerCall, ..usual.clone() };
        let both = vec!["c/any-noaes".to_string(), "node/crypto-noaes".to_string()];
        assert_eq!(asked(&per_call, "aes-256-gcm"), (both, vec![]));
        assert_eq!(asked(&usual, "aes-128-gcm"), (vec![], vec![]));
    }
}
