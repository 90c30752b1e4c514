//! Verification of contenders with known faults, and the expected fold compared with the runner's.

mod batches;
mod faults;
mod folds;
mod forgeries;
mod prefix;
mod requests;

use super::expect::Expected;
use super::reference::Ready;
use super::*;
use cupel_protocol::histogram::Histogram;
use cupel_protocol::host::{Call, CallError, Host, Io, Library, Refused, Task};
use cupel_protocol::message::{Input, Listed, Prepare, Slice};
use cupel_protocol::serve::Runner;
use cupel_protocol::workload::{Bytes, Shape, Shared, Workload};
use std::convert::Infallible;
use std::path::Path;

/// A library that answers like the reference.
struct Honest;

/// A library that decrypts before it verifies the tag, and leaves the plaintext of a refused
/// message.
struct Leaky;

struct LeakyCell {
    honest: Cell,
    key: Vec<u8>,
}

impl Library for Leaky {
    type Cell = LeakyCell;

    fn list(&mut self) -> Vec<Listed> {
        vec![]
    }

    fn open(&mut self, name: &str, task: &Task) -> Result<LeakyCell, Refused> {
        Ok(LeakyCell { honest: Honest.open(name, task)?, key: task.key.clone() })
    }
}

impl Call for LeakyCell {
    fn call(&mut self, io: &Io<'_>, output: &mut [u8]) -> Result<usize, CallError> {
        self.honest.call(io, output).inspect_err(|error| {
            if *error == CallError::Refused {
                let plaintext = unauthenticated(&self.key, io.nonce, io.ad, io.input);
                output[..plaintext.len()].copy_from_slice(&plaintext);
            }
        })
    }

    fn code_path(&self) -> String {
        self.honest.code_path()
    }
}

struct Cell {
    ready: Ready,
    operation: Operation,
    file: Option<String>,
}

impl Library for Honest {
    type Cell = Cell;

    fn list(&mut self) -> Vec<Listed> {
        vec![]
    }

    fn open(&mut self, _: &str, task: &Task) -> Result<Cell, Refused> {
        let ready = Ready::new(&task.primitive, task.operation, &task.key)
            .map_err(|r| Refused::failed(r.reason))?
            .after(task.contract.prefix());
        Ok(Cell { ready, operation: task.operation, file: task.file.clone() })
    }
}

impl Call for Cell {
    fn call(&mut self, io: &Io<'_>, output: &mut [u8]) -> Result<usize, CallError> {
        let made = match self.operation {
            Operation::Digest | Operation::DigestMany | Operation::Mac => self.ready.hash(io.input),
            Operation::DigestFile => {
                let file = self.file.as_deref().ok_or(CallError::Failed("no file"))?;
                self.ready.hash_file(Path::new(file)).map_err(|_| CallError::Failed("file"))?
            }
            operation if operation.is_aead() && io.nonce.len() != self.ready.nonce_length() => {
                return Err(CallError::Unsupported("nonces of the usual length only"));
            }
            Operation::Seal => self
                .ready
                .seal(io.nonce, io.ad, io.input)
                .map_err(|_| CallError::Failed("cannot seal"))?,
            Operation::SealOpen => self
                .ready
                .seal_open(io.nonce, io.ad, io.input)
                .map_err(|_| CallError::Failed("cannot seal"))?,
            Operation::Open => {
                self.ready.open(io.nonce, io.ad, io.input).map_err(|_| CallError::Refused)?
            }
        };
        output[..made.len()].copy_from_slice(&made);
        Ok(made.len())
    }

    fn code_path(&self) -> String {
        "reference".to_string()
    }
}

fn offer(primitive: &str, operation: Operation) -> Offer {
    Offer::new(primitive, operation)
}

impl Verified {
    /// The fault, if any; a missing offer is not one.
    fn failure(&self) -> Option<Failure> {
        match &self.unfit {
            Some(Unfit::Wrong(failure)) => Some(failure.clone()),
            Some(Unfit::Unasked(why) | Unfit::Unmeasured(why)) => panic!("{why}"),
            Some(Unfit::Missing(_)) | None => None,
        }
    }
}

/// Verifies a contender that is honest except for `fault`, which may change an answer.
fn with_fault(
    offer: &Offer,
    depth: Depth,
    measured: &[u64],
    fault: impl Fn(&Case, &mut Answer),
) -> Verified {
    let contract = Contract::usual(offer.operation);
    let Ok(verified) = verify(&mut answering(fault), "honest", offer, &contract, depth, measured);
    verified
}

fn answering(
    fault: impl Fn(&Case, &mut Answer),
) -> impl FnMut(Compute) -> Result<Outcome<Computed>, Infallible> {
    let mut host = Host::new("test", "0", Honest);
    move |compute| {
        let Outcome::Ok(mut computed) = host.compute(&compute) else {
            panic!("the honest library answers");
        };
        for (case, answer) in compute.cases.iter().zip(&mut computed.answers) {
            fault(case, answer);
        }
        Ok(Outcome::Ok(computed))
    }
}

/// The failure of an opener at full depth, without the sizes that take a debug build minutes.
fn failure_to_open(fault: impl Fn(&Case, &mut Answer)) -> Failure {
    let primitive = primitives::named(OPEN.0).unwrap();
    let contract = Contract::usual(OPEN.1);
    let mut questions = cases::questions(primitive, OPEN.1, None, &contract, Depth::Full, &[]);
    questions.retain(|question| question.size() <= 1024);
    let key = bytes::stream(1, primitive.key);
    let examiner = Examiner::new(primitive, OPEN.1, key, &contract).unwrap();
    let (ask, contender) = (&mut answering(fault), "honest");
    let (operation, contract, promised) = (OPEN.1, &contract, contract.clone());
    let exam = Exam { ask, contender, primitive, operation, contract, promised, examiner };
    let Ok(verified) = exam.verified(&offer(OPEN.0, OPEN.1), &questions);
    verified.failure().expect("a fault was put in")
}

fn size_of(case: &Case) -> u64 {
    match &case.input {
        Input::Hex(bytes) => bytes.len() as u64,
        Input::Stream { size, .. } => *size,
        Input::File(path) => std::fs::metadata(path).unwrap().len(),
    }
}

fn spoil(answer: &mut Answer) {
    if let Answer::Output(output) = answer
        && let Some(last) = output.last_mut()
    {
        *last ^= 1;
    }
}

const MAC: (&str, Operation) = ("siphash-2-4", Operation::Mac);
const OPEN: (&str, Operation) = ("aes-256-gcm", Operation::Open);
const MANY: (&str, Operation) = ("sha256", Operation::DigestMany);

fn failure_of(
    (primitive, operation): (&str, Operation),
    depth: Depth,
    fault: impl Fn(&Case, &mut Answer),
) -> Failure {
    with_fault(&offer(primitive, operation), depth, &[], fault)
        .failure()
        .expect("a fault was put in")
}

/// Opens without checking the tag.
fn plaintext_of(case: &Case) -> Vec<u8> {
    let Input::Hex(sealed) = &case.input else { panic!("a sealed message") };
    unauthenticated(&case.key, &case.nonce, &case.ad, sealed)
}

fn unauthenticated(key: &[u8], nonce: &[u8], ad: &[u8], sealed: &[u8]) -> Vec<u8> {
    // CTR mode is its own inverse: sealing the ciphertext gives the plaintext.
    let ciphertext = &sealed[..sealed.len().saturating_sub(16)];
    let ready = Ready::new("aes-256-gcm", Operation::Seal, key).unwrap();
    let mut plaintext = ready.seal(nonce, ad, ciphertext).unwrap();
    plaintext.truncate(ciphertext.len());
    plaintext
}

/// The usual contract of an operation with messages of 7-bit bytes.
fn restricted(operation: Operation) -> Contract {
    Contract { bytes: Bytes::SevenBit, ..Contract::usual(operation) }
}
