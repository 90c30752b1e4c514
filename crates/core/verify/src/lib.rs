//! Checks whether a contender answers correctly, before it is timed and again after it is warm.
//!
//! [`cases`] and [`vectors`] have its questions, and [`reference`] the correct answers.
//! [`contenders`] verifies every contender of a draft. It times nothing; `cupel-run` decides when a
//! live process is verified.

mod answer;
pub mod cases;
pub mod contenders;
pub mod expect;
mod failure;
pub mod reference;
mod smallest;
#[cfg(test)]
mod tests;
mod unfit;
pub mod vectors;

pub use answer::Files;
pub use cases::{Depth, SIZES};
pub use failure::Failure;
pub use unfit::Unfit;

use answer::{Examiner, Right};
use cases::Question;
use cupel_base::primitives::{self, Primitive};
use cupel_protocol::bytes;
use cupel_protocol::message::{Answer, Case, Compute, Computed, Offer, Outcome, Refusal};
use cupel_protocol::workload::{Contract, Lengths, Operation};
use failure::Wrong;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// The most hex digits in a request or its reply, approximately, if it has more than one case.
const BATCH: usize = 1 << 20;

/// The most cases in one request.
const BATCH_CASES: usize = 256;

/// The stream from which verification keys are made; no measured key comes from it.
const KEY_SEED: u64 = 0x6b65_7900;

/// From this message size on, contenders that are verified in parallel take turns: a sealed message
/// of 16 MiB is 34 MB in hex, and the tool must stay small.
const HUGE_BYTES: u64 = 1 << 20;

static HUGE: Mutex<()> = Mutex::new(());

fn huge(question: &Question) -> bool {
    match question {
        Question::Message(message) | Question::Altered(message, _) => {
            message.size * u64::from(message.batch) > HUGE_BYTES
        }
        Question::Vector(_) | Question::Step { .. } => false,
    }
}

/// The result of a verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The number of compared answers. None if the contender cannot do this contract by its nature;
    /// it is then not measured.
    pub cases: usize,
    /// The distinct reasons why cases were declined, which is not a failure: streaming, a nonce
    /// of another length than the primitive's usual one.
    pub unsupported: Vec<String>,
    /// Why it is not to be measured, if it answered wrongly, or nothing.
    pub unfit: Option<Unfit>,
}

impl Verified {
    /// Nothing was compared, for this reason.
    fn nothing(why: Unfit) -> Verified {
        Verified { cases: 0, unsupported: vec![], unfit: Some(why) }
    }
}

/// Verifies an offer by asking `ask`, in batches. `measured_sizes` are asked in addition to the
/// usual ones.
///
/// # Errors
/// The errors of `ask`. A wrong answer is a [`Failure`].
pub fn verify<E>(
    ask: &mut dyn FnMut(Compute) -> Result<Outcome<Computed>, E>,
    contender: &str,
    offer: &Offer,
    contract: &Contract,
    depth: Depth,
    measured_sizes: &[u64],
) -> Result<Verified, E> {
    let Offer { primitive, operation, fixed_key, .. } = offer;
    let Some(primitive) = primitives::named(primitive).filter(|p| p.operations.contains(operation))
    else {
        // The tool lacks the reference; the contender is not at fault. It is not measured either.
        let unsupported = vec![format!("the tool has no reference for {primitive} {operation}")];
        return Ok(Verified { cases: 0, unsupported, unfit: None });
    };
    let fixed = match fixed_key.as_deref().map(hex::decode).transpose() {
        Ok(fixed) => fixed,
        Err(e) => {
            let why = format!("the offer's fixed key is not hex: {e}");
            return Ok(Verified::nothing(Unfit::Unasked(why)));
        }
    };
    let key = fixed.clone().unwrap_or_else(|| bytes::stream(KEY_SEED, primitive.key));
    let examiner = match Examiner::new(primitive, *operation, key, contract) {
        Ok(examiner) => examiner,
        Err(reason) => return Ok(Verified::nothing(Unfit::Unasked(reason))),
    };
    let questions =
        cases::questions(primitive, *operation, fixed.as_deref(), contract, depth, measured_sizes);
    let (operation, promised) = (*operation, offer.contract());
    let exam = Exam { ask, contender, primitive, operation, contract, promised, examiner };
    exam.verified(offer, &questions)
}

/// One offer, and how its contender is asked.
struct Exam<'a, E> {
    ask: &'a mut dyn FnMut(Compute) -> Result<Outcome<Computed>, E>,
    contender: &'a str,
    primitive: &'static Primitive,
    operation: Operation,
    contract: &'a Contract,
    promised: Contract,
    examiner: Examiner,
}

/// A question whose case was sent.
struct Asked<'q> {
    question: &'q Question,
    right: Right,
    may_decline: bool,
}

/// The results of the questions so far.
#[derive(Default)]
struct Results {
    right: usize,
    /// Sizes and ways of passing of the messages that were answered correctly.
    right_messages: Vec<cases::Message>,
    wrong: Vec<Wrong>,
    /// Plain cases that the contender declined.
    not_taken: Vec<Wrong>,
    answered_plain: bool,
    unsupported: BTreeSet<String>,
    missing: Option<Refusal>,
}

impl Results {
    fn cases(&self) -> usize {
        self.right + self.wrong.len()
    }
}

impl<E> Exam<'_, E> {
    /// Whether the contract is the one that the offer promises, as far as it matters here.
    fn must_answer(&self) -> bool {
        let promised = &self.promised;
        let Contract { key, output, chunk, bytes, result, shared, prefix, .. } = self.contract;
        (*key, *output, *chunk, *bytes, *result, *shared, *prefix)
            == (
                promised.key,
                promised.output,
                promised.chunk,
                promised.bytes,
                promised.result,
                promised.shared,
                promised.prefix,
            )
    }

    /// Asks the questions, and finds the smallest failure, if there is one.
    fn verified(mut self, offer: &Offer, questions: &[Question]) -> Result<Verified, E> {
        let mut results = Results::default();
        self.put(questions, &mut results)?;
        if self.must_answer() || results.answered_plain {
            results.wrong.append(&mut results.not_taken);
        }
        let smallest = smallest::find(&mut self, &results)?;
        let cases = results.cases();
        let wrong = smallest
            .map(|wrong| Unfit::Wrong(Failure::describe(offer, &wrong, &results.wrong, cases)));
        Ok(Verified {
            cases,
            unsupported: results.unsupported.into_iter().collect(),
            unfit: wrong.or(results.missing.map(Unfit::Missing)),
        })
    }

    /// Asks all questions and judges the answers.
    fn put(&mut self, questions: &[Question], results: &mut Results) -> Result<(), E> {
        let mut rest = questions;
        while let Some(next) = rest.first() {
            let _turn = huge(next).then(|| HUGE.lock().unwrap_or_else(PoisonError::into_inner));
            let (mut asked, mut cases, mut weight) = (Vec::new(), Vec::new(), 0);
            while let Some((question, others)) = rest.split_first() {
                let (case, right) = match self.examiner.put(question) {
                    Ok(put) => put,
                    Err(e) => {
                        let got = format!("not asked: cannot write its file: {e}");
                        results.wrong.push(Wrong::new(question, "an answer".to_string(), got));
                        rest = others;
                        continue;
                    }
                };
                let more = weight_of(&case) + 2 * right.len();
                if !cases.is_empty() && (weight + more > BATCH || cases.len() == BATCH_CASES) {
                    break;
                }
                weight += more;
                asked.push(Asked { question, right, may_decline: self.declinable(&case) });
                cases.push(case);
                rest = others;
            }
            if !cases.is_empty() {
                self.batch(asked, cases, results)?;
            }
            if results.missing.is_some() {
                break;
            }
        }
        Ok(())
    }

    fn batch(
        &mut self,
        asked: Vec<Asked<'_>>,
        cases: Vec<Case>,
        results: &mut Results,
    ) -> Result<(), E> {
        let outcome = (self.ask)(Compute {
            contender: self.contender.to_string(),
            primitive: self.primitive.name.to_string(),
            operation: self.operation,
            contract: self.contract.clone(),
            cases,
        })?;
        let answers = match outcome {
            Outcome::Ok(computed) => computed.answers,
            Outcome::Unsupported(r) => vec![Answer::Unsupported(r.reason); asked.len()],
            Outcome::Failed(r) => vec![Answer::Failed(r.reason); asked.len()],
            // Nothing has been answered, so nothing is wrong.
            Outcome::Missing(r) if results.cases() == 0 && results.unsupported.is_empty() => {
                results.missing = Some(r);
                return Ok(());
            }
            Outcome::Missing(r) => {
                vec![Answer::Failed(format!("missing: {}", r.reason)); asked.len()]
            }
        };
        if answers.len() != asked.len() {
            let got = format!("{} answers to {} cases", answers.len(), asked.len());
            results.wrong.extend(asked.iter().map(|asked| {
                Wrong::new(asked.question, "one answer for each case".to_string(), got.clone())
            }));
            return Ok(());
        }
        for (Asked { question, right, may_decline }, answer) in asked.into_iter().zip(answers) {
            let is_right = right.is(&answer);
            if let (Answer::Unsupported(reason), false) = (&answer, is_right) {
                results.unsupported.insert(reason.clone());
                if !may_decline {
                    results.not_taken.push(Wrong::from_answer(&self.examiner, question, &answer));
                }
                continue;
            }
            // Where a refusal is right, so is this one, but it answers nothing: a contender that
            // does not do the contract gives it to everything.
            if matches!(answer, Answer::Unsupported(_)) {
                continue;
            }
            results.answered_plain |= !may_decline;
            if is_right {
                results.right += 1;
                if let Question::Message(message) = question {
                    results.right_messages.push(message.clone());
                }
            } else {
                results.wrong.push(Wrong::from_answer(&self.examiner, question, &answer));
            }
        }
        Ok(())
    }

    /// Whether a contender may answer `unsupported` to this without breaking its offer.
    fn declinable(&self, case: &Case) -> bool {
        let aead = self.operation.is_aead();
        let Contract { batch, lengths, .. } = self.contract;
        let another_batch = self.operation == Operation::DigestMany
            && (case.lengths.len() != *batch as usize
                || (*lengths == Lengths::Equal
                    && case.lengths.iter().any(|n| *n != case.lengths[0])));
        !case.chunks.is_empty()
            || (aead && case.nonce.len() != self.primitive.nonce)
            || case.key.len() != self.primitive.key
            || another_batch
    }
}

/// The approximate number of characters of a case on the wire.
fn weight_of(case: &Case) -> usize {
    let input = match &case.input {
        cupel_protocol::message::Input::Hex(bytes) => 2 * bytes.len(),
        _ => 64,
    };
    let short = 2 * (case.key.len() + case.nonce.len() + case.ad.len());
    input + short + 6 * case.lengths.len() + 96
}
