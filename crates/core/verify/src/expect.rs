//! The fold that a slice must return. The tool computes it while the runner computes its own.

use super::reference::Ready;
use cupel_base::primitives::TAG;
use cupel_protocol::bytes::CallNonce;
use cupel_protocol::fold;
use cupel_protocol::message::Refusal;
use cupel_protocol::workload::{Contract, Operation, Shape, Workload};
use std::collections::HashMap;
use std::path::Path;

/// The expected folds of the slices of one prepared cell. It is built once for a comparison; a
/// worker thread then uses it while the slices run.
pub struct Expected(Calls);

enum Calls {
    /// Call `i` returns the outputs of the messages from `i * batch mod pool` on, independent of
    /// the calls before it. A slice is a number of rounds through the pool and a remainder:
    /// `sums[j]` is the sum of the first `j` words.
    Periodic { sums: Vec<u64>, batch: u64 },
    /// Each call has its own nonce, so each must be computed. `opened`: the plaintext follows.
    Sealed { ready: Ready, pool: Vec<Vec<u8>>, ad: Vec<u8>, opened: bool },
    /// Call `i` seals this many bytes from the beginning of one message, with its own nonce.
    SealedDrawn { ready: Ready, message: Vec<u8>, lengths: Vec<u32>, ad: Vec<u8>, opened: bool },
    /// Each input depends on the previous output.
    Chained { ready: Ready, pool: Vec<Vec<u8>>, sealed_with: Option<Vec<u8>> },
}

impl Expected {
    /// The expectation for a cell that is prepared with these values. Message `j` of the pool is
    /// the stream of `seed + j`, cut to the contract's bytes. If lengths are drawn, it is the
    /// beginning of the stream of `seed`, with the length in `drawn`. If the pool determines all
    /// slices to come, it is hashed now.
    ///
    /// # Errors
    /// An undefined workload, a primitive that the tool does not know, a key of the wrong length, a
    /// file that is missing or cannot be read.
    pub fn new(
        workload: &Workload,
        seed: u64,
        (pool, drawn): (u32, &[u32]),
        key: &[u8],
        ad: &[u8],
        file: Option<&Path>,
    ) -> Result<Expected, Refusal> {
        let Workload { primitive, operation, size, shape, .. } = workload;
        let operation = *operation;
        if let Some(why) = workload.contract.undefined_prefix(operation) {
            return Err(Refusal::because(why));
        }
        let prefix = workload.contract.prefix();
        let ready = Ready::new(primitive, operation, key)?.after(prefix);
        if !pool.is_power_of_two() {
            return Err(Refusal::because(format!("pool {pool} is not a power of two")));
        }
        let size = usize::try_from(*size)
            .map_err(|_| Refusal::because(format!("{size} bytes do not fit into memory")))?;
        let Contract { batch, bytes, .. } = workload.contract;
        let lengths = &workload.contract.lengths;
        if operation != Operation::DigestMany && batch != 1 {
            return Err(Refusal::because(format!("{operation} takes one message per call")));
        }
        if let Some(why) = workload.contract.undefined_forgery(operation) {
            return Err(Refusal::because(why));
        }
        if workload.contract.forged.is_some() {
            // A call that refuses its message has no output.
            return Ok(Expected(Calls::periodic([0], 1)));
        }
        if let Some(why) = workload.contract.undefined_lengths(operation, *shape) {
            return Err(Refusal::because(why));
        }
        if lengths.drawn().is_some() {
            if drawn.len() != pool as usize || drawn.iter().any(|&length| length as usize > size) {
                let count = drawn.len();
                let reason = format!("{count} lengths of up to {size} bytes for a pool of {pool}");
                return Err(Refusal::because(reason));
            }
            let message = bytes.stream(seed, size);
            let (opened, ad) = (operation == Operation::SealOpen, ad.to_vec());
            return Ok(Expected(if operation.seals() {
                Calls::SealedDrawn { ready, message, lengths: drawn.to_vec(), ad, opened }
            } else {
                // A size comes thousands of times.
                let mut words: HashMap<u32, u64> = HashMap::new();
                let each = drawn.iter().map(|&length| {
                    let message = &message[..length as usize];
                    *words.entry(length).or_insert_with(|| match operation {
                        Operation::Open => fold::word(message),
                        _ => fold::word(&ready.hash(message)),
                    })
                });
                Calls::periodic(each, 1)
            }));
        }
        if let Some(why) = workload.contract.undefined_bytes(operation, *shape) {
            return Err(Refusal::because(why));
        }
        let messages = (0..u64::from(pool))
            .map(|j| bytes.stream(seed + j, lengths.length(j, size as u64) as usize));
        let calls = match (shape, operation) {
            (Shape::Latency, _) if size == 0 || !operation.has_latency() => {
                return Err(undefined_latency(operation, size));
            }
            (Shape::Latency, _) => Calls::Chained {
                ready,
                pool: messages.collect(),
                sealed_with: (operation == Operation::Seal).then(|| ad.to_vec()),
            },
            (Shape::Throughput, Operation::Seal | Operation::SealOpen) => Calls::Sealed {
                ready,
                pool: messages.collect(),
                ad: ad.to_vec(),
                opened: operation == Operation::SealOpen,
            },
            (Shape::Throughput, Operation::Open) => {
                Calls::periodic(messages.map(|m| fold::word(&m)), 1)
            }
            (Shape::Throughput, Operation::DigestFile) => {
                let file = file.ok_or_else(|| Refusal::because("digest-file without a file"))?;
                Calls::periodic([fold::word(&ready.hash_file(file)?)], 1)
            }
            (Shape::Throughput, Operation::Digest | Operation::DigestMany | Operation::Mac) => {
                Calls::periodic(messages.map(|m| fold::word(&ready.hash(&m))), batch.into())
            }
        };
        Ok(Expected(calls))
    }

    /// The fold of the slice that starts at call `first`, with `preroll` untimed and `iterations`
    /// timed calls.
    pub fn fold(&self, first: u64, preroll: u64, iterations: u64) -> u64 {
        self.folds(first, &[(preroll, iterations)])[0]
    }

    /// The folds of several slices that start at call `first`, each given by its untimed and timed
    /// calls. It takes about as long as the longest slice for `seal` and the `latency` shape, and
    /// next to nothing for everything else.
    pub fn folds(&self, first: u64, slices: &[(u64, u64)]) -> Vec<u64> {
        if let Calls::Periodic { sums, batch } = &self.0 {
            let pool = sums.len() as u64 - 1;
            let folds = slices.iter().map(|(preroll, iterations)| {
                // Both ends lie in [0, pool) + whole rounds, so the difference is exact mod 2^64.
                let start = first.wrapping_add(*preroll).wrapping_mul(*batch) & (pool - 1);
                let until = start.wrapping_add(iterations.wrapping_mul(*batch));
                let rounds = sums[pool as usize].wrapping_mul(until / pool);
                rounds
                    .wrapping_add(sums[(until % pool) as usize])
                    .wrapping_sub(sums[start as usize])
            });
            return folds.collect();
        }
        let count = slices.iter().map(|(preroll, timed)| preroll + timed).max().unwrap_or(0);
        let sums = self.sums(first, count);
        let folds = slices.iter().map(|&(preroll, timed)| {
            sums[(preroll + timed) as usize].wrapping_sub(sums[preroll as usize])
        });
        folds.collect()
    }

    /// Element `n` is the sum of the words of the first `n` calls from `first` on.
    fn sums(&self, first: u64, count: u64) -> Vec<u64> {
        let indices = (0..count).map(|n| first.wrapping_add(n));
        let mut text = Vec::new();
        let words: Vec<u64> = match &self.0 {
            Calls::Periodic { .. } => unreachable!("answered from its sums"),
            Calls::Sealed { ready, pool, ad, opened } => indices
                .map(|index| {
                    let message = &pool[index as usize & (pool.len() - 1)];
                    sealed(ready, ad, index, message, *opened, &mut text)
                })
                .collect(),
            Calls::SealedDrawn { ready, message, lengths, ad, opened } => indices
                .map(|index| {
                    let length = lengths[index as usize & (lengths.len() - 1)];
                    let message = &message[..length as usize];
                    sealed(ready, ad, index, message, *opened, &mut text)
                })
                .collect(),
            Calls::Chained { ready, pool, sealed_with } => {
                let mut last = 0_u64;
                let mut input = Vec::new();
                indices
                    .map(|index| {
                        let message = &pool[index as usize & (pool.len() - 1)];
                        input.clear();
                        input.extend_from_slice(message);
                        let mixed = (fold::head(message) ^ last).to_le_bytes();
                        let n = input.len().min(8);
                        input[..n].copy_from_slice(&mixed[..n]);
                        match sealed_with {
                            Some(ad) => seal(ready, ad, index, &input, &mut text),
                            None => text = ready.hash(&input),
                        }
                        last = fold::head(&text);
                        fold::word(&text)
                    })
                    .collect()
            }
        };
        running_sums(words)
    }
}

/// Element `n` is the sum of the first `n` words, modulo 2^64.
fn running_sums(words: impl IntoIterator<Item = u64>) -> Vec<u64> {
    let mut sums = vec![0_u64];
    for word in words {
        sums.push(sums[sums.len() - 1].wrapping_add(word));
    }
    sums
}

impl Calls {
    fn periodic(words: impl IntoIterator<Item = u64>, batch: u64) -> Calls {
        Calls::Periodic { sums: running_sums(words), batch }
    }
}

/// The word of a call that seals, and opens the result if `opened`.
fn sealed(
    ready: &Ready,
    ad: &[u8],
    index: u64,
    message: &[u8],
    opened: bool,
    text: &mut Vec<u8>,
) -> u64 {
    seal(ready, ad, index, message, text);
    if opened {
        text.extend_from_slice(message);
    }
    fold::word(text)
}

fn seal(ready: &Ready, ad: &[u8], index: u64, message: &[u8], text: &mut Vec<u8>) {
    text.clear();
    text.reserve(message.len() + TAG);
    text.extend_from_slice(message);
    ready
        .seal_in_place(&CallNonce::new(index, ready.nonce_length()), ad, text)
        .expect("prepared to seal, with a nonce of the primitive's length");
}

fn undefined_latency(operation: Operation, size: usize) -> Refusal {
    Refusal::because(format!("latency is not defined for {operation} of {size} bytes"))
}
