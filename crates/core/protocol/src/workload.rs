//! The measured workload: primitive, operation, size, contract and shape.

use crate::bytes;
use crate::histogram::Histogram;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A complete description of one piece of work. Two figures are comparable only if these are equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Workload {
    /// The function by its standard name: `sha256`, `siphash-2-4`, `aes-256-gcm`.
    pub primitive: String,
    /// The operation on it.
    pub operation: Operation,
    /// The message length in bytes: the plaintext for `seal`, `open` and `seal-open`, the file for
    /// `digest-file`, each message or the longest one for `digest-many`, the longest one if sizes
    /// are drawn.
    pub size: u64,
    /// The work inside the timed call.
    pub contract: Contract,
    /// Whether a call waits for the previous one.
    pub shape: Shape,
}

impl Workload {
    /// Primitive and operation, for example `sha256 digest`.
    pub fn name(&self) -> String {
        format!("{} {}", self.primitive, self.operation)
    }

    /// The message bytes of one call. If the lengths are spread, this is the mean over one batch.
    /// The pool of hot inputs is one batch, except for small batches of short messages. If they are
    /// drawn, it is the mean of their distribution.
    pub fn bytes_per_call(&self) -> f64 {
        let Contract { batch, lengths, .. } = &self.contract;
        let batch = *batch;
        if let Lengths::Drawn(histogram) = lengths {
            return histogram.mean();
        }
        let pool = u64::from(batch).next_power_of_two();
        let all: u64 = (0..pool).map(|j| lengths.length(j, self.size)).sum();
        all as f64 / pool as f64 * f64::from(batch)
    }

    /// Sizes of its calls in bytes, ascending: its own, or if they are drawn, up to 16 of the drawn
    /// ones, with the smallest and the largest. A check at these covers all.
    pub fn some_sizes(&self) -> Vec<u64> {
        const MOST: usize = 16;
        let Some(histogram) = self.contract.lengths.drawn() else { return vec![self.size] };
        let all = histogram.sizes();
        let count = all.len().min(MOST);
        (0..count).map(|number| all[number * (all.len() - 1) / (count - 1).max(1)].0).collect()
    }

    /// This workload on one thread.
    #[must_use]
    pub fn on_one_thread(&self) -> Workload {
        let contract = Contract { threads: 1, shared: Shared::None, ..self.contract.clone() };
        Workload { contract, ..self.clone() }
    }

    /// Whether it differs from another at most in size or shape: the same code with the same
    /// contract.
    pub fn same_work(&self, other: &Workload) -> bool {
        (&self.primitive, self.operation, &self.contract)
            == (&other.primitive, other.operation, &other.contract)
    }
}

/// An operation of a primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// From a message to its digest.
    Digest,
    /// From a batch of messages to as many digests, in one call.
    DigestMany,
    /// From a file's content to its digest; the file is read inside the call.
    DigestFile,
    /// From a key and a message to a tag (also for keyed hashes such as SipHash).
    Mac,
    /// From key, nonce, associated data and plaintext to the ciphertext followed by the tag.
    Seal,
    /// The inverse of `seal`, which verifies the tag and refuses altered input.
    Open,
    /// A round trip: `seal`, and `open` of its output, in one call. Its output is both outputs, one
    /// after the other.
    SealOpen,
}

impl Operation {
    /// Every operation, in the order in which they are shown.
    pub const ALL: [Operation; 7] = [
        Operation::Digest,
        Operation::DigestMany,
        Operation::DigestFile,
        Operation::Mac,
        Operation::Seal,
        Operation::Open,
        Operation::SealOpen,
    ];

    /// Whether it takes nonces and associated data.
    pub fn is_aead(self) -> bool {
        matches!(self, Operation::Seal | Operation::Open | Operation::SealOpen)
    }

    /// Whether it seals, and so needs a different nonce for every call.
    pub fn seals(self) -> bool {
        matches!(self, Operation::Seal | Operation::SealOpen)
    }

    /// Whether it has the latency shape: whether its input can depend on the last output.
    pub fn has_latency(self) -> bool {
        matches!(self, Operation::Digest | Operation::Mac | Operation::Seal)
    }

    /// Whether its messages may be restricted to some bytes. Its input must be the message itself:
    /// ciphertexts have all bytes, and files have their own.
    pub fn restricts_bytes(self) -> bool {
        matches!(self, Operation::Digest | Operation::DigestMany | Operation::Mac)
    }

    /// The name used in suites, columns and messages.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Digest => "digest",
            Operation::DigestMany => "digest-many",
            Operation::DigestFile => "digest-file",
            Operation::Mac => "mac",
            Operation::Seal => "seal",
            Operation::Open => "open",
            Operation::SealOpen => "seal-open",
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Whether the calls of a slice are independent. The two shapes never share a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// Independent messages: the processor can overlap one call with the next.
    Throughput,
    /// The first bytes of each input are mixed with the last output, so calls cannot overlap.
    Latency,
}

impl Shape {
    /// The name used in suites, columns and messages.
    pub fn name(self) -> &'static str {
        match self {
            Shape::Throughput => "throughput",
            Shape::Latency => "latency",
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The work inside the timed call. How a library is called for it is not part of the contract: each
/// way is its own contender.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Contract {
    /// Where the key schedule happens.
    pub key: Key,
    /// Where nonces come from. `seal` never uses a nonce twice with one key.
    pub nonce: Nonce,
    /// The length of the associated data in bytes.
    pub ad: u32,
    /// How the message is passed: 0 for one call with the whole message, otherwise streamed in
    /// chunks of this many bytes.
    pub chunk: u32,
    /// Where the output goes.
    pub output: Output,
    /// Which memory the inputs come from.
    pub inputs: Inputs,
    /// Where the buffers lie.
    pub align: Align,
    /// The number of messages in one call of `digest-many`. For all other operations it is 1 and is
    /// not written, so that runners without batches need not know the field.
    #[serde(skip_serializing_if = "is_one")]
    pub batch: u32,
    /// The lengths of the messages: within a batch, or of successive calls.
    #[serde(skip_serializing_if = "Lengths::are_equal")]
    pub lengths: Lengths,
    /// Which bytes the messages consist of. It is not written if they have any, so that runners
    /// need not know the field; one that does not know it must refuse it.
    #[serde(skip_serializing_if = "Bytes::are_any")]
    pub bytes: Bytes,
    /// When a call's result is there. It is not written if the call returns it, so that runners
    /// need not know the field; one that does not know it must refuse it.
    #[serde(skip_serializing_if = "Completion::is_returned")]
    pub result: Completion,
    /// The number of threads that make the calls of a slice, each on its own processor. It is
    /// not written if it is 1, so that runners need not know the field; one that does not know it
    /// must refuse it.
    #[serde(skip_serializing_if = "is_one")]
    pub threads: u32,
    /// The sharing of the threads.
    #[serde(skip_serializing_if = "Shared::is_none")]
    pub shared: Shared,
    /// Which byte of its tag is changed in each message of `open`: all of them must be refused. It
    /// is not written if they are valid, so that runners need not know the field; one that does not
    /// know it must refuse it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forged: Option<u8>,
    /// The number of bytes that come before every message of `digest`. Their state is computed
    /// before the calls, and each call continues with a copy of it. It is not written if it is 0,
    /// so that runners need not know the field; one that does not know it must refuse it.
    #[serde(skip_serializing_if = "is_zero")]
    pub prefix: u32,
}

/// The longest prefix in bytes.
pub const MAX_PREFIX: u32 = 1 << 16;

/// The stream that prefixes are the beginning of: `prefix` in ASCII.
const PREFIX_SEED: u64 = 0x7072_6566_6978;

/// The length of a tag in bytes.
pub const TAG: usize = 16;

/// The most threads of a workload.
pub const MAX_THREADS: u32 = 1024;

/// The batch of `digest-many` if a suite does not give one: four times the 16 lanes of the widest
/// kernels, and small enough that messages of 256 bytes fit into half of a first-level cache.
pub const BATCH: u32 = 64;

/// The largest batch.
pub const MAX_BATCH: u32 = 4096;

fn is_one(number: &u32) -> bool {
    *number == 1
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Where the key schedule happens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Key {
    /// The operation has no key.
    #[default]
    None,
    /// Before the timed call.
    Prepared,
    /// Inside the timed call.
    PerCall,
}

/// Where nonces come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Nonce {
    /// The operation has no nonce.
    #[default]
    None,
    /// A counter that advances by one with each call.
    Counter,
}

/// Where the output goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Output {
    /// Into a buffer of the caller's, the same for every call.
    #[default]
    Given,
    /// Into memory that the call allocates.
    Fresh,
    /// Over the input.
    InPlace,
}

/// Which memory the inputs come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Inputs {
    /// Distinct messages that fit the first-level cache together, if the size allows it.
    #[default]
    Hot,
    /// Distinct messages that fill twice the last-level cache.
    Cold,
}

/// Where the buffers lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Align {
    /// At an offset of 0 to 63 bytes from a cache line, a different one in every fork.
    #[default]
    Varied,
    /// At the start of a cache line.
    Line,
}

/// The lengths of messages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lengths {
    /// All have the workload's size.
    #[default]
    Equal,
    /// The messages of a batch have lengths from 0 to the size, evenly distributed.
    Spread,
    /// Successive calls have lengths drawn from a program's calls, in random order. The tool draws,
    /// and passes the lengths in [`crate::message::Prepare::lengths`].
    Drawn(Histogram),
}

impl Lengths {
    /// The length in bytes of message `j` of a pool.
    ///
    /// Spread by the golden ratio (Weyl's sequence): any run of messages has lengths that are
    /// evenly spaced between 0 and the size, in an order that favours no number of lanes. Every
    /// fork has the same lengths.
    ///
    /// Where lengths are drawn, this is the longest: each `prepare` has the drawn lengths.
    pub fn length(&self, j: u64, size: u64) -> u64 {
        const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
        match self {
            Lengths::Equal | Lengths::Drawn(_) => size,
            Lengths::Spread => {
                let fraction = u128::from((j.wrapping_add(1)).wrapping_mul(GOLDEN));
                ((fraction * (u128::from(size) + 1)) >> 64) as u64
            }
        }
    }

    /// Their distribution, if they are drawn.
    pub fn drawn(&self) -> Option<&Histogram> {
        match self {
            Lengths::Drawn(histogram) => Some(histogram),
            Lengths::Equal | Lengths::Spread => None,
        }
    }

    fn are_equal(&self) -> bool {
        *self == Lengths::Equal
    }
}

/// Which bytes the messages consist of. Keys have any bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Bytes {
    /// Any.
    #[default]
    #[serde(rename = "any")]
    Any,
    /// Only bytes below 0x80, as in ASCII text: for contenders that are wrong for others.
    #[serde(rename = "7-bit")]
    SevenBit,
}

impl Bytes {
    /// Whether a message consists of them.
    pub fn contain(self, message: &[u8]) -> bool {
        self == Bytes::Any || message.is_ascii()
    }

    /// Fills a message with the stream of `seed`, without the bits that it must not have.
    pub fn fill(self, seed: u64, message: &mut [u8]) {
        bytes::fill(seed, message);
        if self == Bytes::SevenBit {
            message.iter_mut().for_each(|byte| *byte &= 0x7f);
        }
    }

    /// A message of `len` bytes from the stream of `seed`.
    pub fn stream(self, seed: u64, len: usize) -> Vec<u8> {
        let mut message = vec![0; len];
        self.fill(seed, &mut message);
        message
    }

    fn are_any(&self) -> bool {
        *self == Bytes::Any
    }
}

/// When a call's result is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Completion {
    /// When the call returns.
    #[default]
    Returned,
    /// When its promise is fulfilled. The runner awaits each before it makes the next call.
    Awaited,
}

impl Completion {
    fn is_returned(&self) -> bool {
        *self == Completion::Returned
    }
}

/// The objects that the threads of a workload share besides the library itself. Buffers are never
/// shared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shared {
    /// Nothing: each thread has a context and its own prepared key.
    #[default]
    None,
    /// One prepared object, made once, which all threads use at the same time. Only where the
    /// library's documentation allows that.
    Context,
}

impl Shared {
    fn is_none(&self) -> bool {
        *self == Shared::None
    }
}

impl Default for Contract {
    fn default() -> Self {
        Contract::usual(Operation::Digest)
    }
}

impl Contract {
    /// The contract of an operation if a suite does not change it.
    pub fn usual(operation: Operation) -> Contract {
        let (key, nonce) = match operation {
            Operation::Digest | Operation::DigestMany | Operation::DigestFile => {
                (Key::None, Nonce::None)
            }
            Operation::Mac => (Key::Prepared, Nonce::None),
            Operation::Seal | Operation::Open | Operation::SealOpen => {
                (Key::Prepared, Nonce::Counter)
            }
        };
        Contract {
            key,
            nonce,
            ad: 0,
            chunk: 0,
            output: Output::Given,
            inputs: Inputs::Hot,
            align: Align::Varied,
            batch: if operation == Operation::DigestMany { BATCH } else { 1 },
            lengths: Lengths::Equal,
            bytes: Bytes::Any,
            result: Completion::Returned,
            threads: 1,
            shared: Shared::None,
            forged: None,
            prefix: 0,
        }
    }

    /// The bytes that come before every message; mostly none.
    pub fn prefix(&self) -> Vec<u8> {
        bytes::stream(PREFIX_SEED, self.prefix as usize)
    }

    /// Why the messages of this operation have no prefix as the contract says, if they have none.
    pub fn undefined_prefix(&self, operation: Operation) -> Option<String> {
        if self.prefix == 0 {
            return None;
        }
        if operation != Operation::Digest {
            return Some(format!("{operation} has no prefix"));
        }
        let is_too_long = self.prefix > MAX_PREFIX;
        is_too_long.then(|| format!("a prefix has up to {MAX_PREFIX} bytes, not {}", self.prefix))
    }

    /// Why a runner without promises cannot keep the contract, if it asks for them.
    pub fn awaits(&self) -> Option<&'static str> {
        let awaits = self.result == Completion::Awaited;
        awaits.then_some("nothing is awaited here: every call returns its result")
    }

    /// Why its lengths are undefined for this operation and shape, if they are.
    pub fn undefined_lengths(&self, operation: Operation, shape: Shape) -> Option<String> {
        let why = match (&self.lengths, operation) {
            (Lengths::Equal, _) | (Lengths::Spread, Operation::DigestMany) => return None,
            (Lengths::Spread, _) => "takes one message per call",
            (Lengths::Drawn(_), Operation::DigestMany | Operation::DigestFile) => {
                "takes no sizes that are drawn for each call"
            }
            (Lengths::Drawn(_), _) if shape == Shape::Latency => {
                "has no latency of sizes that are drawn for each call"
            }
            (Lengths::Drawn(_), _) if self.threads > 1 => {
                "draws sizes for each call on one thread only"
            }
            (Lengths::Drawn(_), _) if self.inputs == Inputs::Cold => {
                "draws sizes for each call of hot messages only: all are the beginning of one"
            }
            (Lengths::Drawn(_), _) => return None,
        };
        Some(format!("{operation} {why}"))
    }

    /// Why this number of threads is undefined for this operation and shape, if it is.
    pub fn undefined_threads(&self, operation: Operation, shape: Shape) -> Option<String> {
        let Contract { threads, shared, .. } = *self;
        if !(1..=MAX_THREADS).contains(&threads) {
            return Some(format!("{threads} threads: there are 1 to {MAX_THREADS}"));
        }
        if threads == 1 {
            return (shared != Shared::None).then(|| "one thread shares nothing".to_string());
        }
        if shape == Shape::Latency {
            return Some("latency is that of one thread: no call waits for another thread".into());
        }
        (operation == Operation::DigestFile)
            .then(|| "the threads would read one file: digest-file has one thread".into())
    }

    /// Why no tags can be forged as the contract says, if they cannot.
    pub fn undefined_forgery(&self, operation: Operation) -> Option<String> {
        let byte = self.forged?;
        if operation != Operation::Open {
            return Some(format!("{operation} takes no forged messages"));
        }
        if usize::from(byte) >= TAG {
            return Some(format!("a tag has {TAG} bytes, and none with the number {byte}"));
        }
        let is_plain = self.threads == 1 && self.lengths.are_equal();
        (!is_plain).then(|| "forged messages have one length and one thread".to_string())
    }

    /// Why the messages of this operation cannot be restricted as the contract says, if they
    /// cannot.
    pub fn undefined_bytes(&self, operation: Operation, shape: Shape) -> Option<String> {
        if self.bytes == Bytes::Any {
            return None;
        }
        if !operation.restricts_bytes() {
            return Some(format!("{operation} takes any bytes"));
        }
        (shape == Shape::Latency).then(|| {
            "outputs are mixed into the messages of latency, so they have any bytes".into()
        })
    }
}

/// The contract in words: two contracts are equal exactly if their words are.
impl fmt::Display for Contract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.key {
            Key::None => {}
            Key::Prepared => f.write_str("key prepared, ")?,
            Key::PerCall => f.write_str("key per call, ")?,
        }
        if self.nonce == Nonce::Counter {
            write!(f, "nonce counter, ad {} B, ", self.ad)?;
        } else if self.ad != 0 {
            write!(f, "ad {} B, ", self.ad)?;
        }
        if self.batch != 1 {
            write!(f, "batches of {}, ", self.batch)?;
        }
        match &self.lengths {
            Lengths::Equal => {}
            Lengths::Spread => f.write_str("lengths spread from 0, ")?,
            Lengths::Drawn(histogram) => write!(f, "sizes drawn: {histogram}, ")?,
        }
        match self.chunk {
            0 => f.write_str("one-shot")?,
            n => write!(f, "chunks of {n} B")?,
        }
        f.write_str(match self.output {
            Output::Given => ", output given",
            Output::Fresh => ", output fresh",
            Output::InPlace => ", in place",
        })?;
        f.write_str(match self.inputs {
            Inputs::Hot => ", inputs hot",
            Inputs::Cold => ", inputs cold",
        })?;
        f.write_str(match self.align {
            Align::Varied => "",
            Align::Line => ", line aligned",
        })?;
        f.write_str(match self.bytes {
            Bytes::Any => "",
            Bytes::SevenBit => ", 7-bit bytes",
        })?;
        f.write_str(match self.result {
            Completion::Returned => "",
            Completion::Awaited => ", result awaited",
        })?;
        if self.threads != 1 {
            write!(f, ", {} threads", self.threads)?;
        }
        f.write_str(match self.shared {
            Shared::None => "",
            Shared::Context => " that share a context",
        })?;
        if let Some(byte) = self.forged {
            write!(f, ", byte {byte} of each tag forged")?;
        }
        match self.prefix {
            0 => Ok(()),
            prefix => write!(f, ", after a copied state of {prefix} B"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contract_without_batches_is_written_as_it_was_before_there_were_any() {
        for operation in Operation::ALL {
            let contract = Contract::usual(operation);
            let text = serde_json::to_string(&contract).unwrap();
            assert_eq!(text.contains("batch"), operation == Operation::DigestMany, "{text}");
            assert!(!text.contains("lengths") && !text.contains("bytes"), "{text}");
            assert_eq!(serde_json::from_str::<Contract>(&text).unwrap(), contract);
        }
    }

    #[test]
    fn a_contract_of_7_bit_bytes_is_written_and_named() {
        let contract = Contract { bytes: Bytes::SevenBit, ..Contract::usual(Operation::Mac) };
        let text = serde_json::to_string(&contract).unwrap();
        assert!(text.contains("\"bytes\":\"7-bit\""), "{text}");
        assert_eq!(serde_json::from_str::<Contract>(&text).unwrap(), contract);
        assert!(contract.to_string().ends_with("7-bit bytes"), "{contract}");
    }

    #[test]
    fn only_a_forged_tag_is_written_and_named_and_only_open_has_one() {
        let valid = Contract::usual(Operation::Open);
        assert!(!serde_json::to_string(&valid).unwrap().contains("forged"));
        let forged = Contract { forged: Some(8), ..valid };
        let text = serde_json::to_string(&forged).unwrap();
        assert!(text.contains("\"forged\":8"), "{text}");
        assert_eq!(serde_json::from_str::<Contract>(&text).unwrap(), forged);
        assert!(forged.to_string().ends_with(", byte 8 of each tag forged"), "{forged}");
        assert_eq!(forged.undefined_forgery(Operation::Open), None);
        assert!(forged.undefined_forgery(Operation::Seal).is_some());
        let beyond = Contract { forged: Some(16), ..forged.clone() };
        let many = Contract { threads: 2, ..forged };
        for undefined in [beyond, many] {
            assert!(undefined.undefined_forgery(Operation::Open).is_some(), "{undefined}");
        }
    }

    #[test]
    fn only_a_prefix_is_written_and_named_and_only_digest_has_one() {
        let whole = Contract::usual(Operation::Digest);
        assert!(!serde_json::to_string(&whole).unwrap().contains("prefix"));
        assert!(whole.prefix().is_empty());
        let prefixed = Contract { prefix: 64, ..whole };
        let text = serde_json::to_string(&prefixed).unwrap();
        assert!(text.contains("\"prefix\":64"), "{text}");
        assert_eq!(serde_json::from_str::<Contract>(&text).unwrap(), prefixed);
        assert!(prefixed.to_string().ends_with(", after a copied state of 64 B"), "{prefixed}");
        assert_eq!(prefixed.prefix(), bytes::stream(PREFIX_SEED, 64));
        for operation in Operation::ALL {
            let defined = prefixed.undefined_prefix(operation).is_none();
            assert_eq!(defined, operation == Operation::Digest, "{operation}");
        }
        let long = |prefix| Contract { prefix, ..prefixed.clone() };
        assert_eq!(long(MAX_PREFIX).undefined_prefix(Operation::Digest), None);
        assert!(long(MAX_PREFIX + 1).undefined_prefix(Operation::Digest).is_some());
    }

    #[test]
    fn only_an_awaited_result_is_written_and_named() {
        let returned = Contract::usual(Operation::Digest);
        assert!(!serde_json::to_string(&returned).unwrap().contains("result"));
        assert!(returned.awaits().is_none() && !returned.to_string().contains("result"));
        let awaited = Contract { result: Completion::Awaited, ..returned };
        let text = serde_json::to_string(&awaited).unwrap();
        assert!(text.contains("\"result\":\"awaited\""), "{text}");
        assert_eq!(serde_json::from_str::<Contract>(&text).unwrap(), awaited);
        assert!(awaited.awaits().is_some() && awaited.to_string().ends_with(", result awaited"));
    }

    #[test]
    fn a_contract_of_one_thread_is_written_as_it_was_before_there_were_more() {
        let text = serde_json::to_string(&Contract::usual(Operation::Seal)).unwrap();
        assert!(!text.contains("threads") && !text.contains("shared"), "{text}");
        let shared = Contract { shared: Shared::Context, ..Contract::usual(Operation::Seal) };
        let many = Contract { threads: 4, ..shared };
        let text = serde_json::to_string(&many).unwrap();
        assert!(text.contains(r#""threads":4,"shared":"context""#), "{text}");
        assert_eq!(serde_json::from_str::<Contract>(&text).unwrap(), many);
        assert!(many.to_string().ends_with(", 4 threads that share a context"), "{many}");
    }

    /// Tables are told apart by these words.
    #[test]
    fn each_field_of_a_contract_changes_its_words() {
        let usual = Contract::usual(Operation::Digest);
        let drawn = Lengths::Drawn(Histogram::new(vec![(64, 1)]).unwrap());
        let all = [
            usual.clone(),
            Contract { key: Key::Prepared, ..usual.clone() },
            Contract { key: Key::PerCall, ..usual.clone() },
            Contract { nonce: Nonce::Counter, ..usual.clone() },
            Contract { ad: 13, ..usual.clone() },
            Contract { ad: 13, nonce: Nonce::Counter, ..usual.clone() },
            Contract { chunk: 16, ..usual.clone() },
            Contract { output: Output::Fresh, ..usual.clone() },
            Contract { output: Output::InPlace, ..usual.clone() },
            Contract { inputs: Inputs::Cold, ..usual.clone() },
            Contract { align: Align::Line, ..usual.clone() },
            Contract { batch: 2, ..usual.clone() },
            Contract { lengths: Lengths::Spread, ..usual.clone() },
            Contract { lengths: drawn, ..usual.clone() },
            Contract { bytes: Bytes::SevenBit, ..usual.clone() },
            Contract { result: Completion::Awaited, ..usual.clone() },
            Contract { threads: 2, ..usual.clone() },
            Contract { forged: Some(0), ..usual.clone() },
            Contract { prefix: 64, ..usual.clone() },
            Contract { threads: 2, shared: Shared::Context, ..usual },
        ];
        let words: std::collections::BTreeSet<String> =
            all.iter().map(Contract::to_string).collect();
        assert_eq!(words.len(), all.len(), "{words:?}");
    }

    #[test]
    fn threads_without_a_meaning_are_refused() {
        let why = |threads, shared, operation, shape| {
            let contract = Contract { threads, shared, ..Contract::usual(operation) };
            contract.undefined_threads(operation, shape)
        };
        let (none, seal, throughput) = (Shared::None, Operation::Seal, Shape::Throughput);
        for threads in [1, 2, MAX_THREADS] {
            assert_eq!(why(threads, none, seal, throughput), None, "{threads}");
        }
        assert!(why(0, none, seal, throughput).is_some());
        assert!(why(MAX_THREADS + 1, none, seal, throughput).is_some());
        assert!(why(2, none, seal, Shape::Latency).is_some());
        assert!(why(2, none, Operation::DigestFile, throughput).is_some());
        assert!(why(1, Shared::Context, seal, throughput).is_some());
        assert_eq!(why(2, Shared::Context, seal, throughput), None);
    }

    #[test]
    fn messages_of_7_bit_bytes_are_the_stream_without_its_top_bits() {
        let any = Bytes::Any.stream(7, 1000);
        assert_eq!(any, bytes::stream(7, 1000));
        let low = Bytes::SevenBit.stream(7, 1000);
        assert!(low.iter().zip(&any).all(|(low, any)| *low == any & 0x7f));
        assert!(Bytes::SevenBit.contain(&low) && !Bytes::SevenBit.contain(&any));
    }

    #[test]
    fn drawn_lengths_are_written_and_named_and_are_those_of_single_calls() {
        let histogram = |sizes: &[(u64, u64)]| Histogram::new(sizes.to_vec()).unwrap();
        let drawn = |sizes: &[(u64, u64)]| Lengths::Drawn(histogram(sizes));
        let of = |lengths: Lengths| Contract { lengths, ..Contract::usual(Operation::Mac) };
        let contract = of(drawn(&[(64, 3), (4096, 1)]));
        let text = serde_json::to_string(&contract).unwrap();
        assert!(text.contains(r#""lengths":{"drawn":[[64,3],[4096,1]]}"#), "{text}");
        assert_eq!(serde_json::from_str::<Contract>(&text).unwrap(), contract);
        let words = contract.to_string();
        assert!(words.contains("sizes drawn: 2 from 64 to 4096 B"), "{words}");
        assert_ne!(words, of(drawn(&[(64, 3), (4096, 2)])).to_string());
        let work = Workload {
            primitive: "siphash-2-4".into(),
            operation: Operation::Mac,
            size: 4096,
            contract: contract.clone(),
            shape: Shape::Throughput,
        };
        assert_eq!(work.bytes_per_call(), 1072.0);
        assert_eq!(work.some_sizes(), [64, 4096]);
        let many: Vec<(u64, u64)> = (0..100).map(|size| (size, 1)).collect();
        let many = Workload { contract: of(drawn(&many)), size: 99, ..work };
        let some = many.some_sizes();
        assert_eq!((some.len(), some[0], some[15]), (16, 0, 99));
        assert!(some.is_sorted_by(|a, b| a < b), "{some:?}");
        let undefined = |operation: Operation, shape| {
            let lengths = contract.lengths.clone();
            Contract { lengths, ..Contract::usual(operation) }.undefined_lengths(operation, shape)
        };
        for operation in Operation::ALL {
            let single = !matches!(operation, Operation::DigestMany | Operation::DigestFile);
            assert_eq!(undefined(operation, Shape::Throughput).is_none(), single, "{operation}");
            assert!(undefined(operation, Shape::Latency).is_some(), "{operation}");
        }
        let threads = Contract { threads: 2, ..contract.clone() };
        let cold = Contract { inputs: Inputs::Cold, ..contract };
        for undefined in [threads, cold] {
            assert!(undefined.undefined_lengths(Operation::Mac, Shape::Throughput).is_some());
        }
        let spread = of(Lengths::Spread);
        assert!(spread.undefined_lengths(Operation::Mac, Shape::Throughput).is_some());
        assert!(spread.undefined_lengths(Operation::DigestMany, Shape::Throughput).is_none());
    }

    #[test]
    fn spread_lengths_lie_evenly_from_0_to_the_size_in_any_run_of_them() {
        for size in [0, 1, 7, 2048] {
            for first in [0, 64, 1 << 40] {
                let lengths: Vec<u64> =
                    (first..first + 64).map(|j| Lengths::Spread.length(j, size)).collect();
                assert!(lengths.iter().all(|&n| n <= size));
                let (mean, middle) = (lengths.iter().sum::<u64>() as f64 / 64.0, size as f64 / 2.0);
                assert!((mean - middle).abs() <= 0.25 + 0.02 * size as f64, "{mean} of {size}");
                let widest = (size + 1).div_ceil(16);
                for quarter in 0..4 {
                    let from = size * quarter / 4;
                    let inside = lengths.iter().any(|n| (from..=from + widest).contains(n));
                    assert!(inside, "none of {lengths:?} is about {from}");
                }
            }
        }
        assert!((0..9).all(|j| Lengths::Equal.length(j, 5) == 5));
    }
}
