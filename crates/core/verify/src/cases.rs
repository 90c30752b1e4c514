//! The questions to a contender: official vectors, every critical size, aligned and unaligned,
//! streamed in odd chunks, and for `open` every way to alter an input.

use super::reference;
use super::vectors::{self, Vector};
use cupel_base::primitives::{self, Primitive};
use cupel_protocol::bytes::CallNonce;
use cupel_protocol::workload::{Bytes, Contract, Lengths, Operation};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The message sizes in bytes at which implementations are known to fail:
/// `docs/trust/verification.md`, "The full check".
#[rustfmt::skip] // one number per line would fill a screen
pub const SIZES: [u64; 36] = [
    0, 1, 8, 16, 31, 32, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 255, 256, 511, 512, 576, 1023,
    1024, 1025, 1350, 1500, 2048, 4096, 7680, 8191, 8192, 8193, 16384, 65536, 1 << 20, 16 << 20,
];

/// Distances from a cache line, in bytes.
const OFFSETS: [u32; 6] = [0, 1, 7, 8, 31, 63];

/// The lengths of streamed chunks, repeated.
const CHUNKS: [&[u32]; 5] = [&[1], &[3, 61, 7], &[64], &[127, 1], &[4096, 13]];

/// Lengths of associated data: around a TLS record's, a block, and more than a few blocks.
const AD: [u32; 6] = [0, 1, 13, 16, 20, 1000];

/// Up to this size, every size is asked at every offset in every way of streaming.
const SMALL: u64 = 257;

/// How many sizes are drawn by the seed, because code may break at a size in no list.
const DRAWN: usize = 6;

/// Lengths in bytes to which tags are cut: those that NIST SP 800-38D, section 5.2.1.2 allows. A
/// contender must not accept them in place of a tag of 16 bytes.
const SHORT_TAGS: [u64; 6] = [4, 8, 12, 13, 14, 15];

/// How many tags with one wrong bit are asked in a row of one message. If a check is left out once
/// in this many calls, it is found with certainty, in each process of a fork.
const FORGERIES: u32 = 1024;

/// Above this size a case takes so long that only a few are asked.
const LARGE: u64 = 65536;

/// The largest message of `seal-open`, unless a larger one is measured.
const LARGEST_ROUND_TRIP: u64 = 1 << 20;

/// Numbers of messages in a batch, in addition to the contract's: around the numbers of lanes.
const COUNTS: [u32; 14] = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 100];

/// The longest message that is asked in a batch, unless a longer one is measured. Longer messages
/// would only repeat the same loop over blocks.
const LONGEST_OF_MANY: u64 = 16384;

/// The longest message for which batches of every number are asked, and the longest official one
/// that is repeated through a batch.
const LONGEST_REPEATED: usize = 1025;

/// The most official vectors that a warm contender is asked.
const WARM_VECTORS: usize = 256;

/// How many checkpoints of a Monte Carlo chain a cold contender computes, with a thousand digests
/// each. All hundred would take longer than everything else together.
const CHECKPOINTS: usize = 2;

/// The largest message of a glance.
const GLANCED: u64 = 1 << 20;

/// The largest measured size whose neighbours are asked.
const LARGEST_NEIGHBOUR: u64 = 1 << 20;

/// Sizes in bytes from `SMALL` to `LARGE` that are in no list, each octave as likely as another.
/// One seed always draws the same sizes, so that a failure can be repeated.
pub fn drawn(seed: u64) -> Vec<u64> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (least, most) = (SMALL as f64 + 1.0, LARGE as f64);
    (0..DRAWN).map(|_| (least * (most / least).powf(random.random::<f64>())) as u64).collect()
}

/// The sizes next to the measured ones up to `largest`: one of them may take another way through
/// the code.
fn neighbours(measured: &[u64], largest: u64) -> impl Iterator<Item = u64> {
    let near = measured.iter().filter(move |&&size| size <= largest);
    near.flat_map(|&size| [size.saturating_sub(1), size + 1])
}

/// How much is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Everything, before a contender is timed.
    Full,
    /// One message of each measured size: an obvious fault shows before the warm-up.
    Glance,
    /// The cases that can be asked again in every fork, of the code that was timed: some of the
    /// vectors, the sizes up to 64 KiB and the measured ones, a few altered inputs.
    Warm,
}

/// One question of a verification. It stays small until it is sent.
#[derive(Clone, Debug)]
pub enum Question {
    /// An official vector.
    Vector(&'static Vector),
    /// A step of a Monte Carlo chain.
    Step {
        /// The file of the chain.
        file: &'static str,
        /// The number of the checkpoint that it leads to, and of the step, both from 0.
        at: (usize, usize),
        /// The message.
        message: Vec<u8>,
        /// Its digest; for the last step, the official checkpoint.
        digest: Vec<u8>,
    },
    /// A message made from a seed.
    Message(Message),
    /// An altered sealed message, which must be refused.
    Altered(Message, Alteration),
}

/// A message made from a seed, and how it is passed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Message {
    /// Bytes of plaintext.
    pub size: u64,
    /// Bytes of associated data.
    pub ad: u32,
    /// The nonce, if the operation uses one.
    pub nonce: Vec<u8>,
    /// The distance from a cache line, in bytes.
    pub offset: u32,
    /// The chunks in which it is streamed; empty for one call.
    pub chunks: &'static [u32],
    /// The number of messages of its batch; 1 except for `digest-many`.
    pub batch: u32,
    /// The lengths of those messages.
    pub lengths: Lengths,
}

impl Message {
    /// The lengths of the messages of its batch, or its own if it is not in a batch.
    pub fn all_lengths(&self) -> impl Iterator<Item = u64> {
        (0..u64::from(self.batch)).map(|j| self.lengths.length(j, self.size))
    }
}

/// How a sealed message was altered. Bytes count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alteration {
    /// This bit of the tag flipped. The first is the top bit of the first byte.
    TagBit(u32),
    /// A bit of this byte of the ciphertext flipped.
    Ciphertext(u64),
    /// A bit of this byte of the nonce flipped.
    Nonce(usize),
    /// A bit of this byte of the associated data flipped.
    Ad(usize),
    /// The last byte of the associated data removed.
    AdShorter,
    /// A zero byte added to the associated data.
    AdLonger,
    /// Cut to this many bytes.
    Truncated(u64),
    /// The first byte removed.
    Beheaded,
    /// A zero byte added.
    Longer,
}

/// Everything that is asked about an offer. `key` is the only key that the contender takes, if it
/// has one.
pub fn questions(
    primitive: &'static Primitive,
    operation: Operation,
    key: Option<&[u8]>,
    contract: &Contract,
    depth: Depth,
    measured: &[u64],
) -> Vec<Question> {
    let Contract { ad: contract_ad, batch, .. } = *contract;
    let nonce = primitive.nonce;
    let mut maker = Maker { operation, nonce, depth, contract_ad, batch, made: 0 };
    if depth == Depth::Glance {
        return maker.glance(measured);
    }
    // Published digests cover whole messages.
    let mut all = match contract.prefix {
        0 => published(primitive, operation, key, contract.bytes, depth),
        _ => vec![],
    };
    if operation == Operation::DigestMany {
        maker.batches(&mut all, measured);
        return all;
    }
    maker.messages(&mut all, measured);
    if operation == Operation::Open {
        maker.altered(&mut all, measured);
    }
    all
}

fn published(
    primitive: &Primitive,
    operation: Operation,
    key: Option<&[u8]>,
    bytes: Bytes,
    depth: Depth,
) -> Vec<Question> {
    let vectors: Vec<_> = vectors::for_operation(primitive.name, operation)
        .iter()
        .filter(|v| key.is_none_or(|key| key == v.key))
        .filter(|v| bytes.contain(&v.input))
        .filter(|v| operation != Operation::DigestMany || v.input.len() <= LONGEST_REPEATED)
        .collect();
    let step = match depth {
        Depth::Full | Depth::Glance => 1,
        Depth::Warm => vectors.len().div_ceil(WARM_VECTORS).max(1),
    };
    let mut all: Vec<_> = vectors.into_iter().step_by(step).map(Question::Vector).collect();
    // The messages of a chain are digests, so they have any bytes.
    if depth == Depth::Full
        && operation == Operation::Digest
        && bytes == Bytes::Any
        && let Some(chain) = vectors::monte_carlo(primitive.name)
    {
        let ready = reference::Ready::new(primitive.name, operation, &[]).expect("a known hash");
        for checkpoint in 0..CHECKPOINTS {
            let mut steps = chain.steps(checkpoint, |message| ready.hash(message));
            let last = steps.len() - 1;
            // The chain is computed by the reference; its end is NIST's.
            steps[last].1.clone_from(&chain.checkpoints[checkpoint]);
            all.extend(steps.into_iter().enumerate().map(|(step, (message, digest))| {
                Question::Step { file: chain.file, at: (checkpoint, step), message, digest }
            }));
        }
    }
    all
}

struct Maker {
    operation: Operation,
    /// Bytes of a nonce.
    nonce: usize,
    depth: Depth,
    contract_ad: u32,
    batch: u32,
    made: u64,
}

impl Maker {
    fn aead(&self) -> bool {
        self.operation.is_aead()
    }

    /// A message with its own nonce. If `ad` is `None`, its associated data has one of the
    /// lengths in turn.
    fn message(
        &mut self,
        size: u64,
        ad: Option<u32>,
        offset: u32,
        chunks: &'static [u32],
    ) -> Message {
        self.made += 1;
        if !self.aead() {
            let (nonce, batch) = (vec![], self.batch);
            return Message { size, ad: 0, nonce, offset, chunks, batch, lengths: Lengths::Equal };
        }
        // `seal` never repeats a nonce, not even one of a slice: those begin with four zeros.
        let mut nonce = CallNonce::new(self.made, self.nonce).to_vec();
        nonce[..4].copy_from_slice(match self.depth {
            Depth::Full => b"cold",
            Depth::Glance => b"look",
            Depth::Warm => b"warm",
        });
        let ad = ad.unwrap_or(AD[self.made as usize % AD.len()]);
        Message { size, ad, nonce, offset, chunks, batch: 1, lengths: Lengths::Equal }
    }

    /// One message of each size, passed as in the timed calls.
    fn glance(&mut self, sizes: &[u64]) -> Vec<Question> {
        let ad = Some(self.contract_ad);
        let quick = sizes.iter().filter(|&&size| size <= GLANCED);
        quick.map(|&size| Question::Message(self.message(size, ad, 0, &[]))).collect()
    }

    fn messages(&mut self, all: &mut Vec<Question>, measured: &[u64]) {
        let file = self.operation == Operation::DigestFile;
        let (warm, aead) = (self.depth == Depth::Warm, self.aead());
        let mut sizes: Vec<u64> = SIZES.to_vec();
        if warm {
            sizes.retain(|&size| size <= LARGE);
        } else {
            // Hand-written code fails at tails, and short messages are cheap.
            sizes.extend(0..=SMALL);
        }
        if self.operation == Operation::SealOpen {
            // The answer to the largest would exceed the limit of a line, and would show nothing
            // that `seal` and `open` do not show.
            sizes.retain(|&size| size <= LARGEST_ROUND_TRIP);
        }
        sizes.extend(measured);
        if !warm {
            sizes.extend(neighbours(measured, LARGEST_NEIGHBOUR));
        }
        sizes.sort_unstable();
        sizes.dedup();
        let mut messages = Vec::new();
        for (i, &size) in sizes.iter().enumerate() {
            let turn = OFFSETS[i % OFFSETS.len()];
            let ad = Some(self.contract_ad);
            messages.push(self.message(size, ad, if warm && !file { turn } else { 0 }, &[]));
            if warm && aead && size <= LARGE {
                messages.push(self.message(size, None, turn, &[]));
            }
            if warm || file {
                continue;
            }
            let small = size <= SMALL && SIZES.contains(&size);
            if size <= LARGE {
                for offset in &OFFSETS[1..] {
                    messages.push(self.message(size, None, *offset, &[]));
                }
            }
            for (j, chunks) in CHUNKS.into_iter().enumerate() {
                if small {
                    for offset in OFFSETS {
                        messages.push(self.message(size, None, offset, chunks));
                    }
                } else if (chunks != [1] || size <= 8193) && (size <= LARGE || j == 4) {
                    let offset = OFFSETS[(i + j) % OFFSETS.len()];
                    messages.push(self.message(size, None, offset, chunks));
                }
            }
        }
        all.extend(messages.into_iter().map(Question::Message));
    }

    /// Batches: of the contract's number of messages and of numbers around every number of lanes,
    /// of equal and of different lengths.
    fn batches(&mut self, all: &mut Vec<Question>, measured: &[u64]) {
        let warm = self.depth == Depth::Warm;
        let mut sizes: Vec<u64> =
            SIZES.into_iter().filter(|&size| size <= LONGEST_OF_MANY).collect();
        if !warm {
            sizes.extend(0..=SMALL);
            sizes.extend(neighbours(measured, LONGEST_OF_MANY));
        }
        sizes.extend(measured);
        sizes.sort_unstable();
        sizes.dedup();
        for (i, &size) in sizes.iter().enumerate() {
            let turn = OFFSETS[i % OFFSETS.len()];
            let equal = self.message(size, None, turn, &[]);
            let spread = Message { lengths: Lengths::Spread, ..equal.clone() };
            let is_repeated = !warm && SIZES.contains(&size) && size <= LONGEST_REPEATED as u64;
            let counts: &[u32] = if is_repeated { &COUNTS } else { &[] };
            let others = counts.iter().filter(|&&batch| batch != self.batch).flat_map(|&batch| {
                [Message { batch, ..equal.clone() }, Message { batch, ..spread.clone() }]
            });
            all.extend(others.map(Question::Message));
            all.extend([equal, spread].map(Question::Message));
        }
    }

    /// All alterations of one short message, and a few of every size.
    fn altered(&mut self, all: &mut Vec<Question>, measured: &[u64]) {
        use Alteration::{
            Ad, AdLonger, AdShorter, Beheaded, Ciphertext, Longer, TagBit, Truncated,
        };
        let tag = primitives::TAG as u64;
        let size = 40;
        let short = self.message(size, Some(13), 0, &[]);
        let every = if self.depth == Depth::Full { 1 } else { 13 };
        let mut alterations: Vec<Alteration> =
            (0..FORGERIES).map(|forgery| TagBit(forgery % 128)).collect();
        alterations.extend((0..size).step_by(every).map(Ciphertext));
        alterations.extend((0..self.nonce).step_by(every).map(Alteration::Nonce));
        alterations.extend((0..13).step_by(every).map(Ad));
        alterations.extend((0..size + tag).step_by(every).map(Truncated));
        alterations.extend([AdShorter, AdLonger, Beheaded, Longer]);
        all.extend(alterations.into_iter().map(|a| Question::Altered(short.clone(), a)));

        let mut sizes: Vec<u64> = match self.depth {
            Depth::Full => SIZES.into_iter().filter(|&size| size <= 1 << 20).collect(),
            Depth::Warm | Depth::Glance => vec![0, 16, 1024],
        };
        sizes.extend(measured.iter().filter(|&&size| size <= 1 << 20));
        sizes.sort_unstable();
        sizes.dedup();
        for (i, &size) in sizes.iter().enumerate() {
            let offset = OFFSETS[i % OFFSETS.len()];
            let message = self.message(size, None, offset, &[]);
            let bit = TagBit(i as u32 * 37 % 128);
            let mut alterations = vec![bit];
            alterations.extend(SHORT_TAGS.map(|length| Truncated(size + length)));
            alterations.push(AdLonger);
            if size > 0 {
                alterations.extend([Ciphertext(size - 1), Ciphertext(size / 2)]);
            }
            all.extend(alterations.into_iter().map(|a| Question::Altered(message.clone(), a)));
            if self.depth == Depth::Full {
                // The tag must also be checked when the ciphertext comes in chunks.
                let streamed = self.message(size, None, offset, CHUNKS[1 + i % 4]);
                all.push(Question::Altered(streamed, bit));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(name: &str, operation: Operation, depth: Depth) -> Vec<Question> {
        let primitive = primitives::named(name).unwrap();
        questions(primitive, operation, None, &Contract::usual(operation), depth, &[])
    }

    #[test]
    fn every_critical_size_is_asked_whatever_the_vectors_contain() {
        for primitive in primitives::all() {
            for &operation in primitive.operations {
                let (most, warm) = match operation {
                    Operation::SealOpen => (1 << 20, LARGE),
                    Operation::DigestMany => (LONGEST_OF_MANY, LONGEST_OF_MANY),
                    _ => (16 << 20, LARGE),
                };
                for (depth, largest) in [(Depth::Full, most), (Depth::Warm, warm)] {
                    let asked = all(primitive.name, operation, depth);
                    for size in [0, 1, 55, 56, 111, 112, 1025, 7680, 8191, 16384, largest] {
                        let is = |q: &Question| matches!(q, Question::Message(m) if m.size == size);
                        assert!(asked.iter().any(is), "{} {size} {depth:?}", primitive.name);
                    }
                }
            }
        }
    }

    #[test]
    fn a_glance_is_a_message_of_each_measured_size() {
        let primitive = primitives::named("aes-256-gcm").unwrap();
        let contract = Contract::usual(Operation::Open);
        let asked = questions(primitive, Operation::Open, None, &contract, Depth::Glance, &[64, 9]);
        let sizes: Vec<u64> = asked
            .iter()
            .map(|question| match question {
                Question::Message(message) => message.size,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(sizes, [64, 9]);
    }

    #[test]
    fn each_bit_of_a_tag_and_each_shorter_length_is_asked_of_one_message() {
        let asked = all("aes-256-gcm", Operation::Open, Depth::Full);
        let of_short = |wanted: Alteration| {
            let is = |q: &&Question| matches!(q, Question::Altered(m, a) if m.size == 40 && *a == wanted);
            asked.iter().filter(is).count()
        };
        assert!((0..128).all(|bit| of_short(Alteration::TagBit(bit)) == 8));
        assert!((0..56).all(|len| of_short(Alteration::Truncated(len)) == 1));
        assert!((0..40).all(|byte| of_short(Alteration::Ciphertext(byte)) == 1));
        assert!((0..12).all(|byte| of_short(Alteration::Nonce(byte)) == 1));
        assert!((0..13).all(|byte| of_short(Alteration::Ad(byte)) == 1));
    }

    #[test]
    fn what_is_measured_is_asked_with_its_neighbours_and_with_short_tags() {
        let primitive = primitives::named("aes-256-gcm").unwrap();
        let contract = Contract::usual(Operation::Open);
        let asked =
            questions(primitive, Operation::Open, None, &contract, Depth::Full, &[700, 3000]);
        for size in [699, 700, 701, 2999, 3000, 3001] {
            let is = |q: &Question| matches!(q, Question::Message(m) if m.size == size);
            assert!(asked.iter().any(is), "{size}");
        }
        for (size, length) in [(700, 12), (3000, 4), (3000, 15)] {
            let is = |q: &Question| {
                matches!(q, Question::Altered(m, a)
                    if m.size == size && *a == Alteration::Truncated(size + length))
            };
            assert!(asked.iter().any(is), "{size} bytes with a tag of {length}");
        }
    }

    #[test]
    fn the_neighbours_of_what_is_measured_are_asked_in_batches_too() {
        let primitive = primitives::named("sha256").unwrap();
        let operation = Operation::DigestMany;
        let contract = Contract::usual(operation);
        let asked = questions(primitive, operation, None, &contract, Depth::Full, &[700]);
        for size in [699, 700, 701] {
            let is = |q: &Question| matches!(q, Question::Message(m) if m.size == size);
            assert!(asked.iter().any(is), "{size}");
        }
    }

    #[test]
    fn drawn_sizes_depend_on_the_seed_alone_and_lie_between_the_small_and_the_large() {
        assert_eq!(drawn(7), drawn(7));
        let many: std::collections::BTreeSet<u64> = (0..100).flat_map(drawn).collect();
        assert!(many.iter().all(|size| (SMALL..=LARGE).contains(size)), "{many:?}");
        assert!(many.len() > 200, "{}", many.len());
    }

    #[test]
    fn no_nonce_is_sealed_with_twice() {
        let mut nonces = std::collections::HashSet::new();
        for depth in [Depth::Full, Depth::Glance, Depth::Warm] {
            for question in all("aes-256-gcm", Operation::Seal, depth) {
                if let Question::Message(message) = question {
                    assert!(nonces.insert(message.nonce.clone()), "{message}");
                }
            }
        }
        assert!(nonces.len() > 500);
    }
}
