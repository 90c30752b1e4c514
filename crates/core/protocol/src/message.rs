//! Requests and replies. Each is one JSON object on one line. Unknown fields are ignored, so that
//! either side can be newer.

use crate::line;
use crate::workload::{Completion, Contract, Key, Operation, Workload};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io::{self, Write};
use std::str::FromStr;

/// A request with the number that its reply repeats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Chosen by the tool, ascending.
    pub id: u64,
    /// The request.
    #[serde(flatten)]
    pub ask: Ask,
}

impl Request {
    /// Writes the request as one line and flushes it. Not generic, so that this crate compiles it:
    /// verification asks for megabytes of hex, and a debug build optimises this crate most.
    ///
    /// # Errors
    /// The errors of the stream.
    pub fn write(&self, mut to: &mut dyn Write) -> io::Result<()> {
        line::write(&mut to, self)
    }
}

/// A request of the tool to a runner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case")]
pub enum Ask {
    /// Which runner is this? This is the first request.
    Hello {
        /// The protocol version that the tool speaks.
        protocol: u32,
        /// The tool's name and version, for the runner's log.
        tool: String,
    },
    /// Which contenders do you host?
    List,
    /// Prepare a cell to be timed.
    Prepare(Prepare),
    /// Compute outputs of given inputs (verification).
    Compute(Compute),
    /// Run one timed batch of a prepared cell.
    Slice(Slice),
    /// Run one whose time is audited. A runner reads it as [`Ask::Slice`], and may fold all
    /// outputs.
    #[serde(rename = "slice", skip_deserializing)]
    Audit(Audit),
    /// End. The runner exits with status 0 after its reply.
    Bye,
}

/// Prepares a cell. A runner process hosts only one contender: the one of the first `prepare` or
/// `compute`. Another contender is answered with `failed`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prepare {
    /// The number by which slices name this cell.
    pub cell: u32,
    /// The contender's name, as listed.
    pub contender: String,
    /// The work to time.
    pub workload: Workload,
    /// Message `j` of the pool is the stream of `seed + j` ([`crate::bytes`]). It is below 2^52,
    /// because not every JSON reader keeps larger integers exact.
    pub seed: u64,
    /// The number of messages; a power of two.
    pub pool: u32,
    /// If the contract's lengths are drawn: the length of each message of the pool, in bytes.
    /// Message `j` then is the beginning of the stream of `seed`. Otherwise empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lengths: Vec<u32>,
    /// The distance of every buffer from the start of a cache line, 0 to 63 bytes.
    pub offset: u32,
    /// The key, in hex; empty if the operation has none.
    #[serde(with = "in_hex", default)]
    pub key: Vec<u8>,
    /// The associated data, in hex.
    #[serde(with = "in_hex", default)]
    pub ad: Vec<u8>,
    /// The file to read, for `digest-file`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// Asks for outputs of given inputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compute {
    /// The contender's name, as listed.
    pub contender: String,
    /// The primitive's standard name.
    pub primitive: String,
    /// The operation on it.
    pub operation: Operation,
    /// How the timed call does it. A case's own chunks replace `chunk`.
    pub contract: Contract,
    /// The inputs. The answers are in this order.
    pub cases: Vec<Case>,
}

/// One input of a `compute`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// The message: plaintext for `seal`, ciphertext followed by the tag for `open`.
    pub input: Input,
    /// The key, in hex.
    #[serde(with = "in_hex", default, skip_serializing_if = "Vec::is_empty")]
    pub key: Vec<u8>,
    /// The nonce, in hex.
    #[serde(with = "in_hex", default, skip_serializing_if = "Vec::is_empty")]
    pub nonce: Vec<u8>,
    /// The associated data, in hex.
    #[serde(with = "in_hex", default, skip_serializing_if = "Vec::is_empty")]
    pub ad: Vec<u8>,
    /// The distance of the input buffer from the start of a cache line, 0 to 63 bytes.
    #[serde(default)]
    pub offset: u32,
    /// Stream the message in chunks of these lengths, repeated until it ends; empty for one call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chunks: Vec<u32>,
    /// For `digest-many`: the lengths of the messages, which fill the input one after the other;
    /// empty for everything else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lengths: Vec<u32>,
}

impl Case {
    /// A message in one call, with nothing else.
    pub fn plain(input: Input) -> Case {
        Case {
            input,
            key: vec![],
            nonce: vec![],
            ad: vec![],
            offset: 0,
            chunks: vec![],
            lengths: vec![],
        }
    }
}

/// Where a message's bytes come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Input {
    /// These bytes, in hex.
    Hex(#[serde(with = "in_hex")] Vec<u8>),
    /// The stream of this seed, with this length in bytes.
    Stream {
        /// The seed of [`crate::bytes::stream`].
        seed: u64,
        /// The length in bytes.
        size: u64,
    },
    /// The content of this file.
    File(String),
}

/// Asks for one timed batch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slice {
    /// The prepared cell.
    pub cell: u32,
    /// The index of the first call. Calls are numbered from here, pre-roll first. Call `i` takes
    /// message `i mod pool` and nonce `i`. The tool never lets the ranges of two slices of a cell
    /// overlap.
    pub first: u64,
    /// The untimed calls before the clock starts.
    pub preroll: u64,
    /// The timed calls. Several threads divide them, and the untimed ones, into contiguous ranges:
    /// [`crate::threads::range`].
    pub iterations: u64,
}

/// Asks for one timed batch whose time is audited, and for the fold of its last output: if a runner
/// folded all of them after its clock has stopped, that time would look like calls that it leaves
/// out of its time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Audit {
    /// The batch.
    #[serde(flatten)]
    pub slice: Slice,
    fold: &'static str,
}

impl From<Slice> for Audit {
    fn from(slice: Slice) -> Audit {
        Audit { slice, fold: "last" }
    }
}

/// A reply: the request's number, and its outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply<T> {
    /// The number of the request.
    pub id: u64,
    /// The outcome.
    #[serde(flatten)]
    pub outcome: Outcome<T>,
}

/// The outcome of a request. All but `ok` have a reason that a person can act on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "kebab-case")]
pub enum Outcome<T> {
    /// Done.
    Ok(T),
    /// This contender cannot do this by its nature.
    Unsupported(Refusal),
    /// Something is not installed here. The reason or the remedy names it.
    Missing(Refusal),
    /// It should have worked but did not.
    Failed(Refusal),
}

/// Why a request was not fulfilled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The fault, in words.
    pub reason: String,
    /// What to do about it, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

impl Refusal {
    /// A refusal without a remedy.
    pub fn because(reason: impl Into<String>) -> Refusal {
        Refusal { reason: reason.into(), remedy: None }
    }
}

/// The reason, and after a colon what to do about it.
impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.remedy {
            Some(remedy) => write!(f, "{}: {remedy}", self.reason),
            None => f.write_str(&self.reason),
        }
    }
}

/// The reply to `hello`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hello {
    /// The protocol version that the runner speaks.
    pub protocol: u32,
    /// The runner's name: `native`, `rust`, `sham`.
    pub runner: String,
    /// The runner's own version.
    pub version: String,
    /// The clock that its times are read from.
    pub clock: Clock,
    /// Whether code is compiled at run time and so needs a longer warm-up.
    #[serde(default)]
    pub jit: bool,
    /// The system's number of the thread that makes the calls. If it is given, only that thread is
    /// pinned to the measuring processor, and the runtime's own threads (compilers, collectors) run
    /// elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<u32>,
}

/// A runner's clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clock {
    /// Its name: `CLOCK_MONOTONIC`, `System.nanoTime`, `simulated`.
    pub name: String,
    /// The smallest step between two readings, in ns: measured at start, not looked up.
    pub resolution_ns: f64,
    /// Whether time is simulated. Simulated and real time are never mixed in one run.
    #[serde(default)]
    pub simulated: bool,
}

/// The reply to `list`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct List {
    /// All contenders of this runner, including those that are missing here.
    pub contenders: Vec<Listed>,
}

/// One contender of a runner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Listed {
    /// The implementation's name, unique within the runner: `openssl-reused`.
    pub name: String,
    /// The library that it comes from: `OpenSSL`.
    pub library: String,
    /// The library's full version, reported by the library itself if it can.
    pub version: String,
    /// SPDX expression of the library's licence.
    #[serde(default)]
    pub licence: String,
    /// How the library is called, in a few words.
    #[serde(default)]
    pub summary: String,
    /// Its offers.
    #[serde(default)]
    pub offers: Vec<Offer>,
    /// Why it is not available here; absent if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Refusal>,
}

/// A primitive and operation that a contender offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// The primitive's standard name.
    pub primitive: String,
    /// The operation of the primitive.
    pub operation: Operation,
    /// The only key that it takes, in hex, if its key cannot be chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed_key: Option<String>,
    /// Where its key schedule must be, if it supports only one of the two: a call that takes the
    /// key itself always has the schedule inside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Key>,
    /// When its result is there, if it supports only one of the two: a function that returns a
    /// promise is always awaited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Completion>,
}

impl Offer {
    /// An offer without a restriction.
    pub fn new(primitive: impl Into<String>, operation: Operation) -> Offer {
        Offer { primitive: primitive.into(), operation, fixed_key: None, key: None, result: None }
    }

    /// Whether it can have its key schedule where the contract requires it, and its result when.
    pub fn fits(&self, contract: &Contract) -> bool {
        self.key.is_none_or(|key| key == contract.key)
            && self.result.is_none_or(|result| result == contract.result)
    }

    /// The contract that it promises to keep: the operation's usual one, with the key schedule and
    /// the result where the offer has them.
    pub fn contract(&self) -> Contract {
        let usual = Contract::usual(self.operation);
        Contract {
            key: self.key.unwrap_or(usual.key),
            result: self.result.unwrap_or(usual.result),
            ..usual
        }
    }
}

/// `sha256:digest`, or `hmac-sha256:mac:key-per-call`: the form used in `cupel_contender.h` and in
/// families' files.
impl fmt::Display for Offer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.primitive, self.operation)?;
        match self.key {
            Some(Key::PerCall) => f.write_str(":key-per-call")?,
            Some(Key::Prepared) => f.write_str(":key-prepared")?,
            _ => {}
        }
        match self.result {
            Some(Completion::Awaited) => f.write_str(":awaited"),
            Some(Completion::Returned) => f.write_str(":returned"),
            None => Ok(()),
        }
    }
}

impl FromStr for Offer {
    type Err = String;

    fn from_str(word: &str) -> Result<Offer, String> {
        let mut parts = word.split(':');
        let primitive = parts.next().filter(|p| !p.is_empty());
        let operation =
            parts.next().and_then(|o| Operation::ALL.into_iter().find(|a| a.name() == o));
        let wrong = format!(
            "\"{word}\" is not PRIMITIVE:OPERATION, with :key-per-call, :key-prepared, :awaited or \
             :returned behind it"
        );
        let (Some(primitive), Some(operation)) = (primitive, operation) else {
            return Err(wrong);
        };
        let mut offer = Offer::new(primitive, operation);
        for restriction in parts {
            let (key, result) = match restriction {
                "key-per-call" => (Some(Key::PerCall), None),
                "key-prepared" => (Some(Key::Prepared), None),
                "awaited" => (None, Some(Completion::Awaited)),
                "returned" => (None, Some(Completion::Returned)),
                _ => return Err(wrong),
            };
            // The key schedule comes first, and each at most once.
            if offer.result.is_some() || (key.is_some() && offer.key.is_some()) {
                return Err(wrong);
            }
            offer.key = key.or(offer.key);
            offer.result = result;
        }
        Ok(offer)
    }
}

/// The reply to `prepare`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prepared {
    /// The code path that was selected, in the library's own words if it reports one, otherwise
    /// with a note on how the runner determined it. See [`knows_its_code`].
    pub code_path: String,
    /// The system's numbers of the threads that make the calls, in the order of their ranges; the
    /// first is [`Hello::thread`]. Empty if the contract has one thread. The tool gives each its
    /// own processor.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<u32>,
}

/// Whether a code path in the words of a runner names the code: not if it is empty or begins with
/// `unknown`, after which a runner may list the paths from which its library selects.
pub fn knows_its_code(code_path: &str) -> bool {
    !code_path.is_empty() && !code_path.starts_with("unknown")
}

/// The reply to `compute`: one answer for each case, in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Computed {
    /// The answers.
    pub answers: Vec<Answer>,
}

/// The answer to one case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// The output, in hex: digest, tag, ciphertext followed by the tag, or plaintext.
    Output(#[serde(with = "in_hex")] Vec<u8>),
    /// `open` refused the input as not authentic, and returned no plaintext.
    Refused(String),
    /// The contender cannot take this case by its nature (a nonce length, streaming).
    Unsupported(String),
    /// It should have answered but did not.
    Failed(String),
}

/// The reply to `slice`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sliced {
    /// The timed calls that were made, by all threads together.
    pub iterations: u64,
    /// The time of all timed calls together, in ns, by the runner's clock. With several threads:
    /// from the moment at which all may begin to the end of the last.
    pub elapsed_ns: f64,
    /// The sum of [`crate::fold::word`] over the timed outputs, as 16 hex digits.
    #[serde(with = "hex64")]
    pub fold: u64,
    /// The disturbances of the slice, as far as the system reports them.
    #[serde(default)]
    pub noise: crate::noise::Noise,
    /// Bytes allocated per call, if the runner can know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allocated_per_call: Option<f64>,
    /// The work of a run-time compiler, if the runner can know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compilation: Option<Compilation>,
}

/// The work of a process's compiler since the process began, without code that only the runner
/// itself executes. The counts never decrease.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compilation {
    /// How often code was installed, discarded or left to the interpreter, at any level.
    pub events: u64,
    /// How often code of the highest level was installed.
    pub installed: u64,
    /// How often code of the highest level was discarded. Its calls are then counted again before
    /// it is recompiled.
    pub discarded: u64,
    /// The compilations for the highest level that are queued or in progress now.
    pub pending: u64,
    /// The level of the loop that makes this cell's calls, in the runtime's numbering; 0 if it is
    /// interpreted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u32>,
}

/// A reply with only a status.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Done {}

/// Bytes in hex, written piece by piece, so that the hex form of a sealed message of 16 MiB is
/// never in memory as a whole.
mod in_hex {
    use hex::FromHexError;
    use serde::de::{self, Deserializer, Visitor};
    use serde::ser::Serializer;
    use std::fmt;

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        from.deserialize_str(Digits)
    }

    struct Digits;

    impl Visitor<'_> for Digits {
        type Value = Vec<u8>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a hex encoded string")
        }

        fn visit_str<E: de::Error>(self, digits: &str) -> Result<Vec<u8>, E> {
            bytes(digits).map_err(E::custom)
        }
    }

    /// Not generic, so that this crate compiles it: verification reads megabytes of hex, and a
    /// debug build optimises this crate but not each one that reads messages.
    fn bytes(digits: &str) -> Result<Vec<u8>, FromHexError> {
        let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
        let values = pairs.iter().map(|&[high, low]| [VALUES[high as usize], VALUES[low as usize]]);
        // Random digits cannot be predicted, so there is one branch for all.
        if !rest.is_empty() || values.clone().fold(0, |all, [high, low]| all | high | low) > 15 {
            return hex::decode(digits);
        }
        Ok(values.map(|[high, low]| high << 4 | low).collect())
    }

    /// The value of each hex digit; 255 for any other byte.
    const VALUES: [u8; 256] = {
        let mut values = [u8::MAX; 256];
        let mut value = 0;
        while value < 16 {
            values[b"0123456789abcdef"[value] as usize] = value as u8;
            values[b"0123456789ABCDEF"[value] as usize] = value as u8;
            value += 1;
        }
        values
    };

    struct Hex<'a>(&'a [u8]);

    impl fmt::Display for Hex<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            const PIECE: usize = 1024;
            let mut digits = [0; 2 * PIECE];
            for piece in self.0.chunks(PIECE) {
                let digits = &mut digits[..2 * piece.len()];
                hex::encode_to_slice(piece, digits).map_err(|_| fmt::Error)?;
                f.write_str(std::str::from_utf8(digits).map_err(|_| fmt::Error)?)?;
            }
            Ok(())
        }
    }

    pub fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&Hex(bytes))
    }
}

/// 64-bit numbers as 16 hex digits: not every language reads JSON numbers beyond 2^53 exactly.
mod hex64 {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(value: &u64, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&format!("{value:016x}"))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<u64, D::Error> {
        let text = String::deserialize(d)?;
        u64::from_str_radix(&text, 16)
            .map_err(|_| D::Error::custom(format!("\"{text}\" is not up to 16 hex digits")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_in_hex_are_read_as_they_are_written_and_nothing_else_is() {
        for length in [0, 1, 1023, 1024, 1025] {
            let answer = Answer::Output((0..length).map(|i| i as u8).collect());
            let text = serde_json::to_string(&answer).unwrap();
            assert_eq!(serde_json::from_str::<Answer>(&text).unwrap(), answer);
            assert_eq!(
                serde_json::from_str::<Answer>(&text.to_uppercase().replace("OUTPUT", "output"))
                    .unwrap(),
                answer
            );
        }
        for (digits, why) in [
            ("\"abc\"", "Odd"),
            ("\"0g\"", "Invalid character 'g' at position 1"),
            ("7", "a hex encoded string"),
        ] {
            let text = format!("{{\"output\":{digits}}}");
            let error = serde_json::from_str::<Answer>(&text).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn an_offer_reads_as_it_is_written() {
        for word in [
            "sha256:digest",
            "hmac-sha256:mac:key-per-call",
            "aes-256-gcm:seal:key-prepared",
            "sha256:digest:awaited",
            "hmac-sha256:mac:key-prepared:awaited",
            "hmac-sha256:mac:key-per-call:returned",
        ] {
            assert_eq!(word.parse::<Offer>().unwrap().to_string(), word);
        }
        for word in [
            "sha256",
            ":digest",
            "sha256:dig",
            "sha256:digest:key",
            "a:mac:key-per-call:x",
            "a:mac:key-per-call:key-prepared",
            "a:mac:awaited:key-per-call",
            "a:digest:awaited:returned",
        ] {
            assert!(word.parse::<Offer>().is_err(), "{word}");
        }
    }

    #[test]
    fn an_offer_that_is_always_awaited_fits_no_other_contract() {
        let usual = Contract::usual(Operation::Digest);
        let awaited = Contract { result: Completion::Awaited, ..usual.clone() };
        let offer: Offer = "sha256:digest:awaited".parse().unwrap();
        assert_eq!(offer.contract(), awaited);
        assert!(offer.fits(&awaited) && !offer.fits(&usual));
        let either = Offer::new("sha256", Operation::Digest);
        assert_eq!(either.contract(), usual);
        assert!(either.fits(&awaited) && either.fits(&usual));
    }
}
