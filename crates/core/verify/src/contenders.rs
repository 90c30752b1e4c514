//! Verifies every contender of a draft before anything is timed, in parallel on all processors:
//! nothing is measured yet, so nothing is disturbed.

use super::{Depth, Failure, Unfit, Verified, cases, reference, verify};
use cupel_base::primitives::EMPTY;
use cupel_contender::Contender;
use cupel_plan::{Draft, Plan, WrongAnswer};
use cupel_protocol::message::{Answer, Case, Compute, Input, Offer, Outcome};
use cupel_protocol::workload::{Bytes, Contract, Operation, Workload};
use cupel_runner::{Fault, Host, Process, Start};
use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, mpsc};
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
    /// The features that it lacks, in words; empty if nothing.
    pub notes: String,
    /// Why it is not measured, if it is not: of a wrong answer, with the smallest failing input.
    pub unfit: Option<Unfit>,
    /// If the contract restricts the messages: the fault without the restriction.
    pub limit: Option<String>,
}

impl Proof {
    /// Whether it applies to a cell. A contender that opens wrongly cannot make round trips;
    /// refusals are checked only for `open`.
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

/// The offer of a contender to verify.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The contender's position.
    pub contender: usize,
    /// Its offer.
    pub offer: Offer,
    /// The contract.
    pub contract: Contract,
    /// Sizes in addition to the lists'.
    pub sizes: Vec<u64>,
}

impl Claim {
    /// A proof of no case.
    fn proof(&self, unfit: Option<Unfit>) -> Proof {
        let Claim { contender, offer, contract, .. } = self;
        Proof {
            contender: *contender,
            primitive: offer.primitive.clone(),
            operation: offer.operation,
            contract: contract.clone(),
            cases: 0,
            notes: String::new(),
            unfit,
            limit: None,
        }
    }
}

/// How contenders are asked.
#[derive(Clone, Copy)]
pub struct Asking<'a> {
    /// The folder of generated files.
    pub cache: &'a Path,
    /// How long a runner may take to answer.
    pub patience: Duration,
    /// When the last one must have answered; `None` if all may take as long as they need.
    pub until: Option<Instant>,
}

impl Asking<'_> {
    /// Limits the patience to the remaining time; `None` if it is over.
    fn in_time(&self) -> Option<Self> {
        let left = self
            .until
            .map_or(self.patience, |until| until.saturating_duration_since(Instant::now()));
        (!left.is_zero()).then(|| Asking { patience: self.patience.min(left), ..*self })
    }

    /// A proof, unless the contender could not answer because the time was over.
    fn judged(&self, claim: &Claim, proof: Proof) -> Proof {
        let is_over = self.until.is_some_and(|until| Instant::now() >= until);
        match proof.unfit {
            Some(Unfit::Unmeasured(_) | Unfit::Unasked(_)) if is_over => {
                claim.proof(Some(too_late()))
            }
            _ => proof,
        }
    }
}

fn too_late() -> Unfit {
    Unfit::Unmeasured(TOO_LATE.to_string())
}

/// Why a contender is not measured that the time was too short to verify.
const TOO_LATE: &str = "the time was too short to verify it";

/// Whether a contender's code is compiled before it runs: its process starts in no time.
fn is_compiled_ahead(contender: &Contender) -> bool {
    ["c", "rust"].contains(&contender.name.language())
}

/// The claims of a draft's contenders about the work that it measures, and the proofs that need no
/// question.
pub struct Claimed {
    /// The claims to verify.
    pub claims: Vec<Claim>,
    /// The proofs of claims that cannot be verified.
    pub unproven: Vec<Proof>,
}

/// The claims to verify before a draft is measured, for each of its contenders.
pub fn claimed(draft: &Draft) -> Claimed {
    let mut claims: Vec<Claim> = Vec::new();
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
            let same = claims.iter_mut().find(|claim| {
                (claim.contender, &claim.offer, &claim.contract) == (member, offer, &work.contract)
            });
            match same {
                Some(claim) => claim.sizes.extend(work.some_sizes()),
                None => claims.push(Claim {
                    contender: member,
                    offer: offer.clone(),
                    contract: work.contract.clone(),
                    sizes: work.some_sizes(),
                }),
            }
        }
    }
    Claimed { claims, unproven }
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

/// The length of a message, in bytes, whose number of bits needs more than 32 bits. It is a block
/// longer than the shortest such message, so that a counter that overflows is wrong and not zero.
const LONG: u64 = (1 << 29) + 64;

/// Everything that contenders offer, each under the operation's usual contract. If `long`, digests
/// and MACs are asked about a message of half a GiB as well. The other operations answer with as
/// many bytes, which exceed a line of the protocol.
pub fn every_offer(contenders: &[Contender], long: bool) -> Vec<Claim> {
    let mut claims = Vec::new();
    for (position, contender) in contenders.iter().enumerate() {
        for offer in contender.offers.iter().filter(|offer| offer.primitive != EMPTY) {
            let (offer, contract) = (offer.clone(), offer.contract());
            let is_short = matches!(offer.operation, Operation::Digest | Operation::Mac);
            let sizes = if long && is_short { vec![LONG] } else { vec![] };
            claims.push(Claim { contender: position, offer, contract, sizes });
        }
    }
    claims
}

/// How often progress is reported: some contenders take seconds.
const REPORTS: Duration = Duration::from_secs(3);

/// Verifies several contenders in parallel, each in one process for everything claimed for it: a
/// JVM takes longer to start and to compile its protocol code than to answer. Contenders that are
/// not ready are left out. Nothing is asked after `until`. All are asked the same sizes in addition
/// to the lists, drawn by `seed`: those are in no list.
pub fn verify_offers(
    contenders: &[Contender],
    mut claims: Vec<Claim>,
    seed: u64,
    asking: &Asking<'_>,
    say: &dyn Fn(&str),
) -> Vec<Proof> {
    claims.retain(|claim| contenders[claim.contender].is_ready());
    let plural = if claims.len() == 1 { "" } else { "s" };
    say(&format!("verifying {} implementation{plural}, seed {seed}", claims.len()));
    let drawn = cases::drawn(seed);
    let positions: BTreeSet<usize> = claims.iter().map(|claim| claim.contender).collect();
    let (quick, slow): (Vec<usize>, Vec<usize>) =
        positions.into_iter().partition(|&position| is_compiled_ahead(&contenders[position]));
    let positions = Mutex::new(VecDeque::from([quick, slow].concat()));
    let (done, finished) = mpsc::channel();
    let mut proofs: Vec<(usize, Proof)> = Vec::new();
    let mut said = Instant::now();
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let done = done.clone();
            let (claims, positions, drawn) = (&claims, &positions, &drawn);
            scope.spawn(move || {
                while let Some(position) = next(positions, worker) {
                    let mut process = None;
                    let own = claims.iter().enumerate().filter(|(_, c)| c.contender == position);
                    for (number, claim) in own {
                        let contender = &contenders[position];
                        let proof = match asking.in_time() {
                            Some(asking) => {
                                let proof = prove(&mut process, contender, claim, drawn, &asking);
                                asking.judged(claim, proof)
                            }
                            None => claim.proof(Some(too_late())),
                        };
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
                say(&format!("{} of {} verified, last {what}", proofs.len(), claims.len()));
            }
        }
    });
    proofs.sort_by_key(|(number, _)| *number);
    proofs.into_iter().map(|(_, proof)| proof).collect()
}

/// The contender that a worker verifies next. The first worker begins with the quick ones, so that
/// most are verified if the time is short. The others begin with the slow ones, so that all are done
/// at about the same time.
fn next(positions: &Mutex<VecDeque<usize>>, worker: usize) -> Option<usize> {
    let mut positions = positions.lock().unwrap_or_else(PoisonError::into_inner);
    if worker == 0 { positions.pop_front() } else { positions.pop_back() }
}

/// Verifies one offer in the contender's process. It is started if there is none; after a fault it
/// is dropped, so that the next offer gets a fresh one.
fn prove(
    kept: &mut Option<Process>,
    contender: &Contender,
    claim: &Claim,
    drawn: &[u64],
    asking: &Asking<'_>,
) -> Proof {
    let Claim { offer, contract, .. } = claim;
    let proof = claim.proof(None);
    let command = contender.command().unwrap_or_default();
    let start = Start { confined: !contender.unconfined, ..Start::plain(command, asking.patience) };
    let started = kept.take().map_or_else(|| Process::start(&start), Ok);
    let found = started.and_then(|mut process| {
        let (verified, limit) = if offer.operation == Operation::DigestFile {
            (by_file(&mut process, contender, offer, contract, asking.cache)?, None)
        } else {
            let sizes = [&claim.sizes[..], drawn].concat();
            let here = by_bytes(&mut process, contender, offer, contract, &sizes, asking.until)?;
            let mut limit = None;
            if contract.bytes != Bytes::Any && here.unfit.is_none() && here.cases > 0 {
                let any = Contract { bytes: Bytes::Any, ..contract.clone() };
                let there = by_bytes(&mut process, contender, offer, &any, &sizes, asking.until)?;
                limit = there.unfit.map(|unfit| beyond(&unfit, contract.bytes));
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

fn by_bytes(
    process: &mut Process,
    contender: &Contender,
    offer: &Offer,
    contract: &Contract,
    sizes: &[u64],
    until: Option<Instant>,
) -> Result<Verified, Fault> {
    let name = &contender.implementation;
    let mut compute = |ask| match until {
        Some(until) if Instant::now() >= until => Err(Fault::OutOfTime),
        _ => process.compute(ask),
    };
    verify(&mut compute, name, offer, contract, Depth::Full, sizes)
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
    let files = FILE_SIZES.iter().map(|size| cupel_base::files::ready(cache, *size));
    let files: Vec<PathBuf> = match files.collect::<anyhow::Result<_>>() {
        Ok(files) => files,
        Err(e) => return Ok(Verified::nothing(Unfit::Unasked(format!("was not asked: {e:#}")))),
    };
    let inputs = files.iter().map(|path| Input::File(path.to_string_lossy().into_owned()));
    let ask = Compute {
        contender: contender.implementation.clone(),
        primitive: offer.primitive.clone(),
        operation: offer.operation,
        contract: contract.clone(),
        cases: inputs.map(Case::plain).collect(),
    };
    let computed = match process.compute(ask)? {
        Outcome::Ok(computed) => computed,
        Outcome::Unsupported(refusal) => {
            return Ok(Verified { cases: 0, unsupported: vec![refusal.reason], unfit: None });
        }
        Outcome::Missing(refusal) => return Ok(Verified::nothing(Unfit::Missing(refusal))),
        Outcome::Failed(refusal) => {
            let why = format!("gives an error for every file: {}", refusal.reason);
            return Ok(Verified::nothing(Unfit::Unasked(why)));
        }
    };
    let ready = reference::Ready::new(&offer.primitive, Operation::DigestFile, &[])
        .map_err(|refusal| Fault::Refused { during: "compute", refusal })?;
    let mut unfit = None;
    for (index, (path, size)) in files.iter().zip(FILE_SIZES).enumerate() {
        let expected = ready
            .hash_file(path)
            .map_err(|refusal| Fault::Refused { during: "compute", refusal })?;
        let answer = computed.answers.get(index);
        if !matches!(answer, Some(Answer::Output(output)) if *output == expected) {
            unfit = Some(Unfit::Wrong(Failure {
                case: format!("{} {} of a file of {size} bytes", offer.primitive, offer.operation),
                size,
                expected: hex::encode(&expected),
                got: in_words(answer),
                common: None,
                sizes: vec![size],
                wrong: 1,
                of: FILE_SIZES.len(),
                error: match answer {
                    Some(Answer::Failed(reason)) => Some(reason.clone()),
                    _ => None,
                },
                answered: matches!(answer, Some(Answer::Output(_) | Answer::Refused(_))),
            }));
            break;
        }
    }
    Ok(Verified { cases: FILE_SIZES.len(), unsupported: vec![], unfit })
}

/// A fault only at bytes that the contract leaves out, in a few words.
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
    fn one_worker_begins_with_the_quick_ones_and_the_others_with_the_slow_ones() {
        let positions = Mutex::new(VecDeque::from([0, 1, 2, 3, 4]));
        let order: Vec<usize> =
            [0, 1, 2, 0].into_iter().filter_map(|worker| next(&positions, worker)).collect();
        assert_eq!(order, [0, 4, 3, 1]);
        assert_eq!([next(&positions, 1), next(&positions, 0)], [Some(2), None]);
    }

    #[test]
    fn a_wrong_answer_is_described_in_words() {
        assert_eq!(in_words(Some(&Answer::Output(vec![0xab, 1]))), "ab01");
        let failed = Answer::Failed("cannot open it".to_string());
        assert_eq!(in_words(Some(&failed)), "a failure (cannot open it)");
        assert_eq!(in_words(None), "no answer");
    }
}
