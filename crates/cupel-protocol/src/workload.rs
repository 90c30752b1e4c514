//! What is measured: primitive, operation, size, contract and dependency shape.

use serde::{Deserialize, Serialize};
use std::fmt;

/// One piece of work, stated completely: two figures may be compared only where these are equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Workload {
    /// The function by its standard name: `sha256`, `siphash-2-4`, `aes-256-gcm`.
    pub primitive: String,
    /// What is done with it.
    pub operation: Operation,
    /// Message length in bytes: the plaintext for `seal`, `open` and `seal-open`, the file for
    /// `digest-file`.
    pub size: u64,
    /// What is inside the timed call.
    pub contract: Contract,
    /// Whether a call waits for the one before it.
    pub shape: Shape,
}

impl Workload {
    /// Primitive and operation, as in `sha256 digest`.
    pub fn name(&self) -> String {
        format!("{} {}", self.primitive, self.operation)
    }

    /// Whether it differs from another in size or shape at most: the same code with the same contract.
    pub fn same_work(&self, other: &Workload) -> bool {
        (&self.primitive, self.operation, &self.contract)
            == (&other.primitive, other.operation, &other.contract)
    }
}

/// What is done with a primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// Message to digest.
    Digest,
    /// Content of a file to digest; the file is read inside the call.
    DigestFile,
    /// Key and message to tag (also keyed hashes such as SipHash).
    Mac,
    /// Key, nonce, associated data and plaintext to ciphertext followed by the tag.
    Seal,
    /// The inverse of `seal`, with the tag verified; refuses what was altered.
    Open,
    /// A round trip: `seal`, and `open` of what it gave, in one call. Its output is both outputs, one
    /// behind the other.
    SealOpen,
}

impl Operation {
    /// Every operation, in the order in which they are shown.
    pub const ALL: [Operation; 6] = [
        Operation::Digest,
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

    /// Whether it seals, and so needs a nonce of its own for every call.
    pub fn seals(self) -> bool {
        matches!(self, Operation::Seal | Operation::SealOpen)
    }

    /// Whether the latency shape is defined for it: whether its input can depend on the last output.
    pub fn has_latency(self) -> bool {
        !matches!(self, Operation::Open | Operation::SealOpen | Operation::DigestFile)
    }

    /// The name used in suites, columns and messages.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Digest => "digest",
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

/// Whether the calls of a slice are independent. The two are never shown in one chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// Independent messages: the processor may overlap one call with the next.
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

/// What is inside the timed call. How a library is called to do it is not part of the contract: it
/// makes a contender of its own name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Contract {
    /// Where the key schedule happens.
    pub key: Key,
    /// Where nonces come from; one is never used twice with a key by `seal`.
    pub nonce: Nonce,
    /// Associated data in bytes.
    pub ad: u32,
    /// How the message is passed: 0 for one call over the whole of it, else streamed in chunks of
    /// this many bytes.
    pub chunk: u32,
    /// Where the output goes.
    pub output: Output,
    /// Which memory the inputs come from.
    pub inputs: Inputs,
    /// Where the buffers lie.
    pub align: Align,
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
    /// A counter, one step a call.
    Counter,
}

/// Where the output goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Output {
    /// Into a buffer that the caller gives, the same for every call.
    #[default]
    Given,
    /// Into memory allocated by the call.
    Fresh,
    /// Over the input.
    InPlace,
}

/// Which memory the inputs come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Inputs {
    /// Distinct messages that together fit the first-level cache where the size allows it.
    #[default]
    Hot,
    /// Distinct messages over twice the last-level cache.
    Cold,
}

/// Where the buffers lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Align {
    /// At an offset of 0 to 63 bytes from a cache line, another in every fork.
    #[default]
    Varied,
    /// At the start of a cache line.
    Line,
}

impl Default for Contract {
    fn default() -> Self {
        Contract::of(Operation::Digest)
    }
}

impl Contract {
    /// The contract that an operation has where a suite does not say otherwise.
    pub fn of(operation: Operation) -> Contract {
        let (key, nonce) = match operation {
            Operation::Digest | Operation::DigestFile => (Key::None, Nonce::None),
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
        }
    }
}

/// The contract in words, the same for equal contracts and for no others.
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
        })
    }
}
