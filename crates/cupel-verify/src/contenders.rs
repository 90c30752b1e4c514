//! Verifies every contender of a draft before anything is timed, in parallel on all processors:
//! nothing is measured yet, so nothing is disturbed.

use super::{Depth, Failure, Unfit, Verified, cases, reference, verify};
use cupel_base::primitives::EMPTY;
use cupel_host::contender::Contender;
use cupel_host::runner::{Fault, Host, Process, Start};
use cupel_plan::{Draft, Plan, WrongAnswer};
use cupel_protocol::message::{Answer, Case, Compute, Input, Offer, Outcome};
use cupel_protocol::workload::{Bytes, Contract, Operation, Workload};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// The result for one offer of a contender.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The position of the contender in the list that was verified.
    pub contender: usize,
    /// The primitive.
    pub primitive: String,
    /// The operation.
    pub operation: Operation,
    /// The contract under which it was verified.
    pub contract: Contract,
    /// Cases checked.
    pub cases: usize,
    /// What it does not support, in words; empty if nothing.
    pub notes: String,
    /// Why it is not measured, if it is not: of a wrong answer, with the smallest failing input.
    pub unfit: Option<Unfit>,
    /// If the contract restricts the messages: what is wrong without the restriction.
    pub limit: Option<String>,
}

impl Proof {
    /// Whether it applies to a cell. A contender that opens wrongly cannot make round trips; what
    /// it must refuse is checked only for `open`.
    pub fn concerns(&self, plan: &Plan, cell: usize) -> bool {
        plan.cells[cell].contender == self.contender && self.is_of(plan.workload_of(cell))
    }

    /// The wrong answer that it found, if there is one.
    pub fn wrong_answer(&self) -> Option<(WrongAnswer<'_>, &Failure)> {
        let Proof { contender, primitive, contract, unfit, .. } = self;
        let wrong = WrongAnswer { contender: *contender, primitive, contract };
        unfit.as_ref()?.wrong_answer().map(|failure| (wrong, failure))
    }

    /// Whether it applies to a workload.
    pub fn is_of(&self, work: &Workload) -> bool {
        let of_half = self.operation == Operation::Open && work.operation == Operation::SealOpen;
        (work.operation == self.operation || of_half)
            && (&work.primitive, &work.contract) == (&self.primitive, &self.contract)
    }
}

/// What to verify: the position of a contender, its offer, the contract, and additional sizes.
pub type Claimed = (usize, Offer, Contract, Vec<u64>);

/// Verifies every contender of a draft for what it is to be measured on. The draft's seed draws
/// sizes that are in no list.
pub fn verify_all(
    draft: &Draft,
    cache: &Path,
    patience: Duration,
    say: &dyn Fn(&str),
) -> Vec<Proof> {
    let mut claimed: Vec<Claimed> = Vec::new();
    let mut unproven: Vec<Proof> = Vec::new();
    let members = draft.comparisons().iter().flat_map(|c| c.members.iter().map(move |&m| (c, m)));
    for (comparison, member) in members {
        let work = comparison.workload_of(member);
        let member = member.contender;
        let contender = &draft.contenders()[member];
        let with_its_halves: &[Operation] = match work.operation {
            Operation::SealOpen => &[Operation::SealOpen, Operation::Open],
            _ => &[work.operation],
        };
        for &operation in with_its_halves {
            let Some(offer) = contender.offer(&work.primitive, operation, &work.contract) else {
                if operation == Operation::Open {
                    unproven.push(never_opens(member, &work.primitive, &work.contract));
                }
                continue;
            };
            let same = |(position, o, contract, _): &&mut Claimed| {
                *position == member && o == offer && *contract == work.contract
            };
            match claimed.iter_mut().find(same) {
                Some((_, _, _, sizes)) => sizes.extend(work.some_sizes()),
                None => {
                    let (offer, contract) = (offer.clone(), work.contract.clone());
                    claimed.push((member, offer, contract, work.some_sizes()));
                }
            }
        }
    }
    let mut proofs = verify_offers(draft.contenders(), claimed, draft.seed(), cache, patience, say);
    proofs.extend(unproven);
    proofs
}

/// The result for a contender that makes round trips but does not offer `open`, for which alone
/// refusals are checked: it could return the message that it was given.
fn never_opens(contender: usize, primitive: &str, contract: &Contract) -> Proof {
    Proof {
        contender,
        primitive: primitive.to_string(),
        operation: Operation::SealOpen,
        contract: contract.clone(),
        cases: 0,
        notes: String::new(),
        unfit: Some(Unfit::Unasked(
            "does not offer `open` under this contract, which is needed to verify its round trip"
                .into(),
        )),
        limit: None,
    }
}

/// Everything that contenders offer, each under the operation's usual contract.
pub fn every_offer(contenders: &[Contender]) -> Vec<Claimed> {
    let all = contenders.iter().enumerate().flat_map(|(position, contender)| {
        contender
            .offers
            .iter()
            .map(move |offer| (position, offer.clone(), offer.contract(), vec![]))
    });
    all.filter(|(_, o, _, _)| o.primitive != EMPTY).collect()
}

/// How often progress is reported: some contenders take seconds.
const REPORTS: Duration = Duration::from_secs(3);

/// Verifies several contenders in parallel, each in one process for everything claimed for it: a
/// JVM takes longer to start and to compile its protocol code than to answer. Contenders that are
/// not ready are left out. All are asked the same sizes in addition to the lists, drawn by `seed`.
pub fn verify_offers(
    contenders: &[Contender],
    claimed: Vec<Claimed>,
    seed: u64,
    cache: &Path,
    patience: Duration,
    say: &dyn Fn(&str),
) -> Vec<Proof> {
    let ready = |c: &Claimed| contenders[c.0].is_ready();
    let claimed: Vec<Claimed> = claimed.into_iter().filter(ready).collect();
    let plural = if claimed.len() == 1 { "" } else { "s" };
    say(&format!("verifying {} implementation{plural}, seed {seed}", claimed.len()));
    let drawn = cases::drawn(seed);
    let positions: BTreeSet<usize> = claimed.iter().map(|(position, ..)| *position).collect();
    let positions: Vec<usize> = positions.into_iter().collect();
    let next = AtomicUsize::new(0);
    let (done, finished) = mpsc::channel();
    let mut proofs: Vec<(usize, Proof)> = Vec::new();
    let mut said = Instant::now();
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let done = done.clone();
            let (next, claimed, positions, drawn) = (&next, &claimed, &positions, &drawn);
            scope.spawn(move || {
                loop {
                    let turn = next.fetch_add(1, Ordering::Relaxed);
                    let Some(&position) = positions.get(turn) else { return };
                    let mut process = None;
                    let mine = claimed.iter().enumerate().filter(|(_, claim)| claim.0 == position);
                    for (number, claim) in mine {
                        let contender = &contenders[position];
                        let proof = prove(&mut process, contender, claim, drawn, cache, patience);
                        if done.send((number, proof)).is_err() {
                            return;
                        }
                    }
                    if let Some(process) = process {
                        process.bye();
                    }
                }
            });
        }
        drop(done);
        for (number, proof) in finished {
            let last = &contenders[proof.contender].name;
            let what = format!("{last} {} {}", proof.primitive, proof.operation);
            proofs.push((number, proof));
            if said.elapsed() >= REPORTS {
                said = Instant::now();
                say(&format!("{} of {} verified, last {what}", proofs.len(), claimed.len()));
            }
        }
    });
    proofs.sort_by_key(|(number, _)| *number);
    proofs.into_iter().map(|(_, proof)| proof).collect()
}

/// Verifies one offer in the contender's process. It is started if there is none; after a fault it
/// is dropped, so that the next offer gets a fresh one.
fn prove(
    kept: &mut Option<Process>,
    contender: &Contender,
    claim: &Claimed,
    drawn: &[u64],
    cache: &Path,
    patience: Duration,
) -> Proof {
    let (position, offer, contract, sizes) = claim;
    let proof = Proof {
        contender: *position,
        primitive: offer.primitive.clone(),
        operation: offer.operation,
        contract: contract.clone(),
        cases: 0,
        notes: String::new(),
        unfit: None,
        limit: None,
    };
    let start = Start {
        command: contender.command().unwrap_or_default(),
        cpu: None,
        fork: 0,
        padding: 0,
        patience,
        compilation_log: None,
    };
    let started = kept.take().map_or_else(|| Process::start(&start), Ok);
    let found = started.and_then(|mut process| {
        let (verified, limit) = if offer.operation == Operation::DigestFile {
            (by_file(&mut process, contender, offer, contract, cache)?, None)
        } else {
            let sizes = [&sizes[..], drawn].concat();
            let mut verified = |contract: &Contract| {
                let (ask, name) = (&mut |ask| process.compute(ask), &contender.implementation);
                verify(ask, name, offer, contract, Depth::Full, &sizes)
            };
            let here = verified(contract)?;
            let mut limit = None;
            if contract.bytes != Bytes::Any && here.unfit.is_none() && here.cases > 0 {
                let any = Contract { bytes: Bytes::Any, ..contract.clone() };
                limit = verified(&any)?.unfit.map(|unfit| beyond(&unfit, contract.bytes));
            }
            (here, limit)
        };
        *kept = Some(process);
        Ok((verified, limit))
    });
    match found {
        Ok((Verified { cases, unsupported, unfit }, limit)) => {
            Proof { cases, notes: unsupported.join("; "), unfit, limit, ..proof }
        }
        Err(fault) => Proof { unfit: Some(fault.into()), ..proof },
    }
}

/// Files with lengths around every buffer that a reader may have.
const FILE_SIZES: [u64; 11] = [0, 1, 55, 64, 1023, 1024, 1025, 8191, 8192, 8193, 1_000_003];

fn by_file(
    process: &mut Process,
    contender: &Contender,
    offer: &Offer,
    contract: &Contract,
    cache: &Path,
) -> Result<Verified, Fault> {
    let found = |cases, unsupported, unfit| Ok(Verified { cases, unsupported, unfit });
    let files = FILE_SIZES.iter().map(|size| cupel_base::files::ready(cache, *size));
    let files: Vec<PathBuf> = match files.collect::<anyhow::Result<_>>() {
        Ok(files) => files,
        Err(e) => return found(0, vec![], Some(Unfit::Unasked(format!("was not asked: {e:#}")))),
    };
    let case = |path: &PathBuf| Case {
        input: Input::File(path.to_string_lossy().into_owned()),
        key: vec![],
        nonce: vec![],
        ad: vec![],
        offset: 0,
        chunks: vec![],
        lengths: vec![],
    };
    let ask = Compute {
        contender: contender.implementation.clone(),
        primitive: offer.primitive.clone(),
        operation: offer.operation,
        contract: contract.clone(),
        cases: files.iter().map(case).collect(),
    };
    let computed = match process.compute(ask)? {
        Outcome::Ok(computed) => computed,
        Outcome::Unsupported(refusal) => return found(0, vec![refusal.reason], None),
        Outcome::Missing(refusal) => return found(0, vec![], Some(Unfit::Missing(refusal))),
        Outcome::Failed(refusal) => {
            let why = format!("gives an error for every file: {}", refusal.reason);
            return found(0, vec![], Some(Unfit::Unasked(why)));
        }
    };
    let ready = reference::Ready::new(&offer.primitive, Operation::DigestFile, &[])
        .map_err(|refusal| Fault::Refused { during: "compute", refusal })?;
    for (path, size) in files.iter().zip(FILE_SIZES) {
        let position = FILE_SIZES.iter().position(|s| *s == size).unwrap_or(0);
        let expected = ready
            .hash_file(path)
            .map_err(|refusal| Fault::Refused { during: "compute", refusal })?;
        let right =
            matches!(computed.answers.get(position), Some(Answer::Output(o)) if *o == expected);
        if !right {
            let answer = computed.answers.get(position);
            let failure = Failure {
                case: format!("{} {} of a file of {size} bytes", offer.primitive, offer.operation),
                size,
                expected: hex::encode(&expected),
                got: in_words(answer),
                common: None,
                wrong: 1,
                of: FILE_SIZES.len(),
                error: match answer {
                    Some(Answer::Failed(reason)) => Some(reason.clone()),
                    _ => None,
                },
                answered: matches!(answer, Some(Answer::Output(_) | Answer::Refused(_))),
            };
            return found(FILE_SIZES.len(), vec![], Some(Unfit::Wrong(failure)));
        }
    }
    found(FILE_SIZES.len(), vec![], None)
}

/// What shows only for bytes that the contract leaves out, in a few words.
fn beyond(unfit: &Unfit, bytes: Bytes) -> String {
    match bytes {
        Bytes::Any => unfit.in_words(),
        Bytes::SevenBit => "wrong for bytes above 0x7f".to_string(),
    }
}

/// A contender's answer, in words.
fn in_words(answer: Option<&Answer>) -> String {
    match answer {
        Some(Answer::Output(output)) => hex::encode(output),
        Some(Answer::Refused(reason)) => format!("a refusal ({reason})"),
        Some(Answer::Unsupported(reason)) => format!("\"not supported\" ({reason})"),
        Some(Answer::Failed(reason)) => format!("a failure ({reason})"),
        None => "no answer".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_answer_is_described_in_words() {
        assert_eq!(in_words(Some(&Answer::Output(vec![0xab, 1]))), "ab01");
        let failed = Answer::Failed("cannot open it".to_string());
        assert_eq!(in_words(Some(&failed)), "a failure (cannot open it)");
        assert_eq!(in_words(None), "no answer");
    }
}
