//! From a draft to a plan: every contender is verified before one of them may become a baseline.

use super::remembered::Remembered;
use anyhow::Result;
use cupel_base::files;
use cupel_base::text;
use cupel_contender::State;
use cupel_plan::{Draft, FailureKind, Judged, Plan};
use cupel_verify::contenders::{Asking, Claimed, Proof, claimed, verify_offers};

/// A plan, and the proofs that it is based on.
#[derive(Clone, Debug)]
pub struct Proven {
    /// The plan.
    pub plan: Plan,
    /// The result of the verification of each offer that it measures.
    pub proofs: Vec<Proof>,
    /// The most members of one comparison that can be measured.
    pub comparable: usize,
}

/// Verifies a draft's contenders, except those that are remembered to be right on the machine with
/// this fingerprint, and makes a plan of the draft.
///
/// # Errors
/// If a file cannot be made. A fault of a contender is not an error: it is in the contender's
/// proof.
pub fn prove(
    draft: Draft,
    machine: &str,
    asking: &Asking<'_>,
    say: &dyn Fn(&str),
) -> Result<Proven> {
    files::make(draft.file_sizes(), asking.cache, say)?;
    let contenders = draft.contenders();
    let mut remembered = Remembered::open(asking.cache, machine, contenders);
    let Claimed { mut claims, unproven } = claimed(&draft);
    claims.retain(|claim| contenders[claim.contender].is_ready());
    let (mut proofs, mut asked) = (Vec::new(), Vec::new());
    for claim in claims {
        match remembered.proof(contenders, &claim, draft.seed()) {
            Some(proof) => proofs.push(proof),
            None => asked.push(claim),
        }
    }
    if !proofs.is_empty() {
        let before = text::count(proofs.len(), "implementation");
        say(&format!("{before} answered correctly here before, and did not change"));
    }
    if !asked.is_empty() {
        let found = verify_offers(contenders, asked.clone(), draft.seed(), asking, say);
        remembered.learn(contenders, &asked, &found);
        remembered.save();
        proofs.extend(found);
    }
    proofs.extend(unproven);
    let judged = judged(&draft, &proofs);
    let comparable = comparable(&draft, &judged);
    Ok(Proven { plan: draft.elect(&judged, remembered.into_programs()), proofs, comparable })
}

fn comparable(draft: &Draft, judged: &Judged) -> usize {
    let comparisons = draft.comparisons().iter().enumerate().filter(|(_, c)| !c.overhead);
    let fit = comparisons.map(|(number, comparison)| {
        let members = comparison.members.iter().enumerate();
        let fit = members.filter(|(position, member)| {
            let contender = &draft.contenders()[member.contender];
            contender.is_ready() && !judged.unfit.contains(&(number, *position))
        });
        fit.count()
    });
    fit.max().unwrap_or(0)
}

fn judged(draft: &Draft, proofs: &[Proof]) -> Judged {
    let mut judged = Judged::default();
    for proof in proofs {
        for member in members(draft, proof) {
            if proof.unfit.is_some() {
                judged.unfit.insert(member);
            }
            if let Some(limit) = &proof.limit {
                judged.limits.insert(member, limit.clone());
            }
        }
        if let Some((wrong, _)) = proof.wrong_answer() {
            judged.unfit.extend(wrong.members(draft));
        }
    }
    judged
}

/// The members that a proof covers: the numbers of comparisons, and the positions in them.
fn members(draft: &Draft, proof: &Proof) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (number, comparison) in draft.comparisons().iter().enumerate() {
        for (position, &member) in comparison.members.iter().enumerate() {
            if member.contender == proof.contender && proof.is_of(comparison.workload_of(member)) {
                found.push((number, position));
            }
        }
    }
    found
}

impl Proven {
    /// The contenders that could not be verified, because this machine lacks something for them or
    /// they cannot be built: each with the kind of the reason, and the reason.
    pub fn absent(&self) -> impl Iterator<Item = (&str, FailureKind, String)> {
        let absent = self.plan.contenders.iter().filter_map(|contender| {
            let (kind, refusal) = match &contender.state {
                State::Missing(refusal) => (FailureKind::Missing, refusal),
                State::Failed(refusal) => (FailureKind::Failed, refusal),
                State::Ready { .. } | State::Unbuilt => return None,
            };
            Some((contender.name.as_str(), kind, refusal.to_string()))
        });
        let unasked = self.proofs.iter().filter_map(|proof| {
            let unfit = proof.unfit.as_ref().filter(|unfit| !unfit.is_failure())?;
            Some((
                self.plan.contenders[proof.contender].name.as_str(),
                unfit.kind(),
                unfit.in_words(),
            ))
        });
        absent.chain(unasked)
    }

    /// The contenders that failed, each with the reason, once for each offer.
    pub fn failed(&self) -> impl Iterator<Item = (&str, String)> {
        self.proofs.iter().filter_map(|proof| {
            let name = self.plan.contenders[proof.contender].name.as_str();
            Some((name, proof.unfit.as_ref().filter(|unfit| unfit.is_failure())?.in_words()))
        })
    }
}
