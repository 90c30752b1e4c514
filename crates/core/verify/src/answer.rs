//! Turns a question into its case on the wire and the correct answer, and judges answers.

use super::cases::{Alteration, Message, Question};
use super::reference::Ready;
use cupel_base::primitives::{Primitive, TAG};
use cupel_protocol::bytes;
use cupel_protocol::message::{Answer, Case, Input};
use cupel_protocol::workload::{Bytes, Contract, Operation};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::{fs, io};
use tempfile::TempDir;

/// Longer outputs are kept and compared as their BLAKE3 hash.
const KEPT: usize = 1024;

/// Message `size` is the stream of this plus `size`, so that no two sizes share bytes.
const SEED: u64 = 0x6375_7065_6c00;

/// The correct answer to a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Right {
    /// This output.
    Output(Vec<u8>),
    /// An output of this length with this hash.
    Hashed(usize, [u8; 32]),
    /// Not authentic.
    Refused,
    /// Anything but an output: the input is undefined, so `unsupported` and `failed` are correct
    /// too.
    NoOutput,
}

impl Right {
    fn output(output: Vec<u8>) -> Right {
        if output.len() <= KEPT {
            return Right::Output(output);
        }
        Right::Hashed(output.len(), *blake3::hash(&output).as_bytes())
    }

    /// Whether this answer is correct. The caller judges `unsupported`, unless the correct answer
    /// is not an output.
    pub fn is(&self, answer: &Answer) -> bool {
        match (self, answer) {
            (Right::Output(right), Answer::Output(got)) => right == got,
            (Right::Hashed(len, hash), Answer::Output(got)) => {
                *len == got.len() && hash == blake3::hash(got).as_bytes()
            }
            (Right::NoOutput, answer) => !matches!(answer, Answer::Output(_)),
            (Right::Refused, Answer::Refused(_)) => true,
            _ => false,
        }
    }

    /// The length of the expected output, in bytes.
    pub fn len(&self) -> usize {
        match self {
            Right::Output(output) => output.len(),
            Right::Hashed(len, _) => *len,
            Right::Refused | Right::NoOutput => 0,
        }
    }
}

/// Turns the questions about one offer into cases.
pub struct Examiner {
    primitive: &'static Primitive,
    operation: Operation,
    key: Vec<u8>,
    /// The number of messages of a batch; 1 except for `digest-many`.
    batch: u32,
    /// Which bytes its messages consist of.
    bytes: Bytes,
    /// The number of bytes before every message.
    prefix: u32,
    ready: Ready,
    files: Option<Files>,
}

impl Examiner {
    /// An examiner for an operation that the reference implements. For `digest-file` it creates a
    /// folder.
    ///
    /// # Errors
    /// In words, if the key does not fit the primitive or the folder cannot be created.
    pub fn new(
        primitive: &'static Primitive,
        operation: Operation,
        key: Vec<u8>,
        contract: &Contract,
    ) -> Result<Examiner, String> {
        let ready = Ready::new(primitive.name, operation, &key).map_err(|r| r.reason)?;
        let ready = ready.after(contract.prefix());
        let files = match operation {
            Operation::DigestFile => Some(Files::new().map_err(|e| e.to_string())?),
            _ => None,
        };
        let Contract { batch, bytes, prefix, .. } = *contract;
        Ok(Examiner { primitive, operation, key, batch, bytes, prefix, ready, files })
    }

    /// The case of a question, and its correct answer.
    ///
    /// # Errors
    /// If a file for `digest-file` cannot be written.
    pub fn put(&self, question: &Question) -> io::Result<(Case, Right)> {
        Ok(match question {
            Question::Vector(v) if self.operation == Operation::DigestMany => {
                let batch = self.batch as usize;
                let lengths = vec![v.input.len() as u32; batch];
                let output =
                    v.output.as_ref().map_or(Right::NoOutput, |o| Right::output(o.repeat(batch)));
                (Case { lengths, ..self.plain(Input::Hex(v.input.repeat(batch))) }, output)
            }
            Question::Vector(v) => {
                let input = self.bytes(v.input.clone())?;
                let (key, nonce, ad) = (v.key.clone(), v.nonce.clone(), v.ad.clone());
                let right = match &v.output {
                    Some(output) => Right::output(output.clone()),
                    None if v.nonce.is_empty() => Right::NoOutput,
                    None => Right::Refused,
                };
                (Case { key, nonce, ad, ..Case::plain(input) }, right)
            }
            Question::Step { message, digest, .. } => {
                (self.plain(self.bytes(message.clone())?), Right::output(digest.clone()))
            }
            Question::Message(message) => {
                let right = self.right(message);
                (self.case(message, self.input(message)?), right)
            }
            Question::Altered(message, alteration) => {
                let case = self.case(message, Input::Hex(self.sealed(message)));
                (alter(case, *alteration), Right::Refused)
            }
        })
    }

    /// The full correct output of a question, to show next to a wrong one.
    pub fn in_full(&self, question: &Question) -> Option<Vec<u8>> {
        match question {
            Question::Vector(v) => Some(v.output.as_ref()?.repeat(self.batch as usize)),
            Question::Step { digest, .. } => Some(digest.clone()),
            Question::Message(message) => Some(self.output(message)),
            Question::Altered(..) => None,
        }
    }

    fn plain(&self, input: Input) -> Case {
        Case { key: self.key.clone(), ..Case::plain(input) }
    }

    fn case(&self, message: &Message, input: Input) -> Case {
        let (offset, chunks) = (message.offset, message.chunks.to_vec());
        let case = Case { offset, chunks, ..self.plain(input) };
        match self.operation {
            operation if operation.is_aead() => {
                Case { nonce: message.nonce.to_vec(), ad: ad(message), ..case }
            }
            Operation::DigestMany => {
                Case { lengths: message.all_lengths().map(|n| n as u32).collect(), ..case }
            }
            _ => case,
        }
    }

    fn input(&self, message: &Message) -> io::Result<Input> {
        let seed = SEED + message.size;
        Ok(match (self.operation, &self.files) {
            (Operation::Open, _) => Input::Hex(self.sealed(message)),
            (_, Some(files)) => Input::File(files.write(&self.plaintext(message))?),
            _ => Input::Stream { seed, size: message.all_lengths().sum() },
        })
    }

    /// Published bytes: in the request, or in a file.
    fn bytes(&self, bytes: Vec<u8>) -> io::Result<Input> {
        Ok(match &self.files {
            Some(files) => Input::File(files.write(&bytes)?),
            None => Input::Hex(bytes),
        })
    }

    fn sealed(&self, message: &Message) -> Vec<u8> {
        self.ready
            .seal(&message.nonce, &ad(message), &self.plaintext(message))
            .expect("altered and opened messages belong to an AEAD, with a nonce of its length")
    }

    fn output(&self, message: &Message) -> Vec<u8> {
        match self.operation {
            Operation::Seal => self.sealed(message),
            Operation::Open => self.plaintext(message),
            Operation::SealOpen => [self.sealed(message), self.plaintext(message)].concat(),
            Operation::DigestMany => {
                let (all, mut digests, mut at) = (self.plaintext(message), Vec::new(), 0);
                for length in message.all_lengths() {
                    digests.extend(self.ready.hash(&all[at..at + length as usize]));
                    at += length as usize;
                }
                digests
            }
            _ => self.ready.hash(&self.plaintext(message)),
        }
    }

    /// The correct answer to a message, from memory if the tool has computed it for another
    /// contender or fork.
    fn right(&self, message: &Message) -> Right {
        type Known = HashMap<(&'static str, Operation, Vec<u8>, Bytes, u32, Message), Right>;
        static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);
        let same = Message { offset: 0, chunks: &[], ..message.clone() };
        let key = self.key.clone();
        let at = (self.primitive.name, self.operation, key, self.bytes, self.prefix, same);
        if let Some(right) = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get(&at) {
            return right.clone();
        }
        let right = Right::output(self.output(message));
        KNOWN.lock().unwrap_or_else(PoisonError::into_inner).insert(at, right.clone());
        right
    }

    fn plaintext(&self, message: &Message) -> Vec<u8> {
        let len = message.all_lengths().sum::<u64>() as usize;
        self.bytes.stream(SEED + message.size, len)
    }
}

fn ad(message: &Message) -> Vec<u8> {
    bytes::stream(SEED ^ u64::from(message.ad), message.ad as usize)
}

fn alter(mut case: Case, alteration: Alteration) -> Case {
    let Input::Hex(sealed) = &mut case.input else {
        unreachable!("a sealed message is in the request");
    };
    let tag_at = sealed.len() - TAG;
    match alteration {
        Alteration::TagBit(bit) => sealed[tag_at + bit as usize / 8] ^= 0x80 >> (bit % 8),
        Alteration::Ciphertext(at) => sealed[at as usize] ^= 1 << (at % 8),
        Alteration::Nonce(at) => case.nonce[at] ^= 1 << (at % 8),
        Alteration::Ad(at) => case.ad[at] ^= 1 << (at % 8),
        Alteration::AdShorter => drop(case.ad.pop()),
        Alteration::AdLonger => case.ad.push(0),
        Alteration::Truncated(len) => sealed.truncate(len as usize),
        Alteration::Beheaded => drop(sealed.remove(0)),
        Alteration::Longer => sealed.push(0),
    }
    case
}

/// A temporary folder for the files of `digest-file`, deleted with its owner.
pub struct Files {
    folder: TempDir,
    written: AtomicU64,
}

impl Files {
    /// An empty folder.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn new() -> io::Result<Files> {
        let folder = tempfile::Builder::new().prefix("cupel-verify-").tempdir()?;
        Ok(Files { folder, written: AtomicU64::new(0) })
    }

    /// The path of a new file with this content.
    ///
    /// # Errors
    /// If it cannot be written, or its path is not UTF-8.
    pub fn write(&self, content: &[u8]) -> io::Result<String> {
        let number = self.written.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.path().join(number.to_string());
        fs::write(&path, content)?;
        path.into_os_string()
            .into_string()
            .map_err(|_| io::Error::other("the path of the temporary folder is not UTF-8"))
    }
}
