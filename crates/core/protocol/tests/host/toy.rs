//! A library of toys, whose answers a test computes itself, and the requests for them.

use cupel_protocol::bytes;
use cupel_protocol::host::{Call, CallError, Host, Io, Library, Refused, Task};
use cupel_protocol::message::{Listed, Outcome, Prepare, Prepared, Refusal, Slice, Sliced};
use cupel_protocol::serve::Runner;
use cupel_protocol::workload::{Contract, Operation, Shape, Workload};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// A digest: FNV-1a, forwards and backwards.
pub fn digest(message: &[u8]) -> Vec<u8> {
    let fnv = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    let forwards = message.iter().fold(0xcbf2_9ce4_8422_2325, fnv);
    let backwards = message.iter().rev().fold(message.len() as u64, fnv);
    [forwards.to_le_bytes(), backwards.to_le_bytes()].concat()
}

/// A sealed message: the plaintext under a stream of key and nonce, and a digest of everything.
pub fn seal(key: &[u8], nonce: &[u8], ad: &[u8], plaintext: &[u8]) -> Vec<u8> {
    let of = u64::from_le_bytes(digest(&[key, nonce].concat())[..8].try_into().unwrap());
    let mask = bytes::stream(of, plaintext.len());
    let sealed: Vec<u8> = plaintext.iter().zip(mask).map(|(byte, mask)| byte ^ mask).collect();
    let tag = digest(&[key, nonce, ad, &sealed].concat());
    [sealed, tag].concat()
}

/// The library's record of its use.
#[derive(Default)]
pub struct Seen {
    /// How often each nonce was sealed with.
    pub sealed: BTreeMap<Vec<u8>, usize>,
    /// The threads that opened a cell.
    pub threads: Vec<std::thread::ThreadId>,
}

/// The toys. `toy` works; the others fail as their names say.
#[derive(Default)]
pub struct Toys {
    pub seen: Arc<Mutex<Seen>>,
    /// How many objects were made for threads to share.
    pub made: Arc<AtomicUsize>,
}

/// A toy that is prepared for a task.
pub struct Toy {
    name: String,
    task: Task,
    seen: Arc<Mutex<Seen>>,
    /// The number of the object that the threads share.
    shared: Option<Arc<usize>>,
    /// The prefix of its messages.
    before: RefCell<Vec<u8>>,
    /// Whether it has opened a message.
    opened: Cell<bool>,
}

impl Library for Toys {
    type Cell = Toy;

    fn list(&mut self) -> Vec<Listed> {
        let text = String::new;
        vec![Listed {
            name: "toy".to_string(),
            library: "toys".to_string(),
            version: "1".to_string(),
            licence: text(),
            summary: text(),
            offers: vec![],
            missing: None,
        }]
    }

    fn open(&mut self, contender: &str, task: &Task) -> Result<Toy, Refused> {
        match contender {
            "unsupported" => return Err(Refused::unsupported("by its nature")),
            "missing" => return Err(Refused::Missing(Refusal::because("not here"))),
            "broken" => return Err(Refused::failed("it does not open")),
            _ => {}
        }
        self.seen.lock().unwrap().threads.push(std::thread::current().id());
        let shares = task.contract.shared == cupel_protocol::workload::Shared::Context;
        let make = || Ok::<_, Refused>(self.made.fetch_add(1, Ordering::SeqCst));
        let shared = if shares { Some(task.common.get(make)?) } else { None };
        let (name, task, seen) = (contender.to_string(), task.clone(), Arc::clone(&self.seen));
        let before = RefCell::new(task.contract.prefix());
        Ok(Toy { name, task, seen, shared, before, opened: Cell::new(false) })
    }

    fn shares(&self, contender: &str, _: &str, operation: Operation, _: &Contract) -> bool {
        contender == "toy" && operation == Operation::Seal
    }
}

impl Toy {
    /// The right answer.
    fn answer(&self, io: &Io<'_>) -> Result<Vec<u8>, CallError> {
        let key = &self.task.key;
        match self.task.operation {
            Operation::Seal => {
                let mut seen = self.seen.lock().unwrap();
                *seen.sealed.entry(io.nonce.to_vec()).or_default() += 1;
                Ok(seal(key, io.nonce, io.ad, io.input))
            }
            Operation::Open => {
                let (sealed, _) = io.input.split_last_chunk::<16>().ok_or(CallError::Refused)?;
                // The mask is its own inverse.
                let plaintext = seal(key, io.nonce, io.ad, sealed)[..sealed.len()].to_vec();
                let is_known = self.name == "checks-once" && self.opened.get();
                let right = is_known || seal(key, io.nonce, io.ad, &plaintext) == io.input;
                self.opened.set(right);
                if right { Ok(plaintext) } else { Err(CallError::Refused) }
            }
            Operation::DigestFile => {
                let path = self.task.file.as_ref().ok_or(CallError::Unsupported("no file"))?;
                std::fs::read(path)
                    .map(|content| digest(&content))
                    .map_err(|_| CallError::Failed("unreadable"))
            }
            _ => {
                let mut before = self.before.borrow_mut();
                let whole = [&self.task.key[..], &before[..], io.input].concat();
                if self.name == "copies-nothing" {
                    before.extend_from_slice(io.input);
                }
                Ok(digest(&whole))
            }
        }
    }
}

impl Call for Toy {
    fn call(&mut self, io: &Io<'_>, output: &mut [u8]) -> Result<usize, CallError> {
        let made = match self.answer(io) {
            Err(CallError::Refused) if self.name == "leaves-plaintext" => {
                for (left, sealed) in output.iter_mut().zip(&io.input[..io.input.len() - 16]) {
                    *left = sealed ^ 0x5c;
                }
                return Err(CallError::Refused);
            }
            Err(CallError::Refused) if self.name == "accepts" => return Ok(0),
            made => made?,
        };
        // The nonce of a call ends in its number.
        if self.name == "fails-at-40" && io.nonce.last() == Some(&40) {
            return Err(CallError::Failed("call 40"));
        }
        output[..made.len()].copy_from_slice(&made);
        match &*self.name {
            "writes-beyond" => output[made.len()] ^= 1,
            "too-long" => return Ok(output.len() + 1),
            _ => {}
        }
        Ok(made.len())
    }

    fn code_path(&self) -> String {
        match &self.shared {
            Some(number) => format!("shares object {number}"),
            None => format!("chunks {:?}", self.task.chunks),
        }
    }
}

/// A host of the toys.
pub fn host() -> Host<Toys> {
    Host::new("toys", "1", Toys::default())
}

/// A request for a cell 1 of `toy`: 4 messages of 100 bytes, on as many threads.
pub fn prepare(operation: Operation, threads: u32) -> Prepare {
    let contract = Contract { threads, ..Contract::usual(operation) };
    let primitive = "aes-128-gcm".to_string();
    let shape = Shape::Throughput;
    Prepare {
        cell: 1,
        contender: "toy".to_string(),
        workload: Workload { primitive, operation, size: 100, contract, shape },
        seed: 1000,
        pool: 4,
        lengths: vec![],
        offset: 5,
        key: b"key".to_vec(),
        ad: b"ad".to_vec(),
        file: None,
    }
}

/// Calls 30 to 36 untimed, and 37 to 37 + 24 timed.
pub const SLICE: Slice = Slice { cell: 1, first: 30, preroll: 7, iterations: 25 };

/// The numbers of its timed calls.
pub fn timed() -> std::ops::Range<u64> {
    SLICE.first + SLICE.preroll..SLICE.first + SLICE.preroll + SLICE.iterations
}

/// A host's answer to a request that it must fulfil.
pub fn ok<T: Debug>(outcome: Outcome<T>) -> T {
    match outcome {
        Outcome::Ok(value) => value,
        other => panic!("{other:?}"),
    }
}

/// The slice of a cell that has been prepared by this request.
pub fn sliced(host: &mut Host<Toys>, ask: &Prepare) -> (Prepared, Sliced) {
    let prepared = ok(host.prepare(ask));
    let sliced = ok(host.slice(&SLICE));
    assert_eq!(sliced.iterations, SLICE.iterations);
    assert!(sliced.elapsed_ns > 0.0, "{sliced:?}");
    (prepared, sliced)
}

/// The reason of a refusal, after its kind.
pub fn refusal<T: Debug>(outcome: Outcome<T>) -> String {
    match outcome {
        Outcome::Ok(value) => panic!("not refused: {value:?}"),
        Outcome::Unsupported(r) => format!("unsupported: {}", r.reason),
        Outcome::Missing(r) => format!("missing: {}", r.reason),
        Outcome::Failed(r) => format!("failed: {}", r.reason),
    }
}
