//! The secrets that a contender is asked about, and how it is asked.

use cupel_base::primitives;
use cupel_contender::Contender;
use cupel_protocol::bytes;
use cupel_protocol::message::{Offer, Prepare};
use cupel_protocol::workload::{Contract, Operation, Shape, Workload};
use std::time::Duration;

/// A kind of secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Secret {
    /// The key.
    Key,
    /// The message: of `open`, the plaintext. Its ciphertext differs with it, though it is public.
    Message,
    /// The right tag of a forged message: how far the tag that came with it agrees.
    Tag,
}

impl Secret {
    /// The word for tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Secret::Key => "key",
            Secret::Message => "message",
            Secret::Tag => "tag",
        }
    }
}

/// The secrets of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inputs {
    /// The key; empty if there is none.
    pub key: Vec<u8>,
    /// Message `j` is the stream of this plus `j`.
    pub seed: u64,
    /// The byte in which each tag differs from the right one; `None` if the messages are valid.
    pub forged: Option<u8>,
}

/// The work to examine.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The contender.
    pub contender: &'a Contender,
    /// Its offer. It is called under the contract that is usual for it.
    pub offer: &'a Offer,
    /// The length of the messages in bytes.
    pub size: u64,
    /// The seed of the secrets.
    pub seed: u64,
    /// The length of the associated data in bytes.
    pub ad: u32,
    /// How long its runner may take to answer, if it is not stepped.
    pub patience: Duration,
}

/// The bytes in which tags are forged: the ends, and the ends and middles of words of 4 and 8
/// bytes.
pub const FORGED: [u8; 6] = [0, 3, 8, 10, 12, 15];

/// The first seed of all messages. Each `--seed` has a million seeds from here on.
const MESSAGES: u64 = 1_000_000_000_000_000;

/// The first seed of all keys: no search for a message comes near it.
const KEYS: u64 = 2_000_000_000_000_000;

/// The seed of the associated data, which is public.
const AD: u64 = 3_000_000_000_000_000;

/// How many bytes of a message are to be the key's, and among how many seeds such a message is
/// looked for: one in 65536 has them.
const ALIKE: usize = 2;
const TRIES: u64 = 1 << 20;

/// How many sets of messages are compared with the first one.
const SETS: u64 = 5;

impl Question<'_> {
    /// The contract under which it is called.
    pub fn contract(&self) -> Contract {
        Contract { ad: self.ad, ..self.offer.contract() }
    }

    /// Prepares calls with these secrets and this many messages as cell 0.
    pub fn ask(&self, inputs: &Inputs, pool: u32) -> Prepare {
        let Question { contender, offer, size, .. } = *self;
        Prepare {
            cell: 0,
            contender: contender.implementation.clone(),
            workload: Workload {
                primitive: offer.primitive.clone(),
                operation: offer.operation,
                size,
                contract: Contract { forged: inputs.forged, ..self.contract() },
                shape: Shape::Throughput,
            },
            seed: inputs.seed,
            pool,
            lengths: vec![],
            offset: 0,
            key: inputs.key.clone(),
            ad: bytes::stream(AD, self.ad as usize),
            file: None,
        }
    }

    /// The secrets with this number. All seeds have as many digits.
    pub fn inputs(&self, number: u64) -> Inputs {
        let number = self.seed % 1_000_000 * 1_000_000 + number * 1_000;
        let (seed, key) = (MESSAGES + number, bytes::stream(KEYS + number, self.key_length()));
        Inputs { key: self.fixed_key().unwrap_or(key), seed, forged: None }
    }

    fn key_length(&self) -> usize {
        primitives::named(&self.offer.primitive).map_or(0, |primitive| primitive.key)
    }

    fn fixed_key(&self) -> Option<Vec<u8>> {
        hex::decode(self.offer.fixed_key.as_ref()?).ok()
    }

    /// Keys that are special, and keys that are not.
    pub fn other_keys(&self, base: &Inputs) -> Vec<Inputs> {
        let length = self.key_length();
        if length == 0 || self.fixed_key().is_some() {
            return vec![];
        }
        let with = |first: u8, between: u8, last: u8| {
            let mut key = vec![between; length];
            (key[0], key[length - 1]) = (first, last);
            key
        };
        let special = [with(0, 0, 0), with(0xff, 0xff, 0xff), with(0x80, 0, 0), with(0, 0, 1)];
        let drawn = (1..=2).map(|number| self.inputs(number).key);
        special.into_iter().chain(drawn).map(|key| Inputs { key, ..base.clone() }).collect()
    }

    /// These messages with tags in which one of these bytes is wrong. They are compared with each
    /// other: the refusal of a message is public.
    pub fn forgeries(&self, base: &Inputs) -> Vec<Inputs> {
        if self.offer.operation != Operation::Open {
            return vec![];
        }
        FORGED.map(|byte| Inputs { forged: Some(byte), ..base.clone() }).to_vec()
    }

    /// The seed of a message for a MAC that begins with two bytes of the key, and with no more:
    /// code that compares the two and stops where they differ runs longer.
    pub fn begins_as(&self, base: &Inputs) -> Option<u64> {
        let is_mac = self.offer.operation == Operation::Mac && self.size > ALIKE as u64;
        let key = base.key.get(..=ALIKE).filter(|_| is_mac)?;
        let mut seeds = base.seed + 1..=base.seed + TRIES;
        seeds.find(|&seed| {
            let begin = bytes::stream(seed, ALIKE + 1);
            begin[..ALIKE] == key[..ALIKE] && begin[ALIKE] != key[ALIKE]
        })
    }

    /// Sets of messages that are drawn, and for a MAC one that begins as the key does.
    pub fn other_messages(&self, base: &Inputs) -> Vec<Inputs> {
        if self.size == 0 {
            return vec![];
        }
        let drawn = (1..=SETS).map(|number| self.inputs(number).seed);
        drawn.chain(self.begins_as(base)).map(|seed| Inputs { seed, ..base.clone() }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_time;
    use cupel_base::name::ContenderName;
    use cupel_contender::State;
    use cupel_steps::trace;

    fn contender() -> Contender {
        Contender::new(ContenderName::from("c/a"), State::Unbuilt)
    }

    fn asked<T>(primitive: &str, operation: Operation, ask: impl Fn(&Question<'_>) -> T) -> T {
        let (contender, offer) = (contender(), Offer::new(primitive, operation));
        let patience = Duration::from_secs(1);
        ask(&Question { contender: &contender, offer: &offer, size: 64, seed: 7, ad: 13, patience })
    }

    #[test]
    fn all_requests_that_are_traced_have_one_length() {
        asked("aes-256-gcm", Operation::Open, |question| {
            let base = question.inputs(0);
            let length =
                |inputs: &Inputs| trace::request(&question.ask(inputs, 8)).to_string().len();
            let others = [question.other_keys(&base), question.other_messages(&base)].concat();
            assert!(others.iter().all(|inputs| length(inputs) == length(&base)));
            let forged = question.forgeries(&base);
            assert!(forged.iter().all(|inputs| length(inputs) == length(&forged[0])));
        });
    }

    /// Whatever is compared with a key: no message has more of it than the two bytes that one is to
    /// have.
    #[test]
    fn one_message_begins_with_two_bytes_of_the_key_and_no_other_has_any_of_it() {
        for (primitive, operation) in
            [("hmac-sha256", Operation::Mac), ("aes-256-gcm", Operation::Seal)]
        {
            asked(primitive, operation, |question| {
                let base = question.inputs(0);
                let timed = by_time::classes(question).into_iter().map(|class| class.inputs);
                let all: Vec<Inputs> = [
                    vec![base.clone()],
                    question.other_keys(&base),
                    question.other_messages(&base),
                    timed.collect(),
                ]
                .concat();
                let keys: Vec<&Vec<u8>> = all.iter().map(|inputs| &inputs.key).collect();
                let mut begin = 0;
                for message in all.iter().flat_map(messages) {
                    for key in &keys {
                        let alike = key.iter().zip(&message).take_while(|(a, b)| a == b).count();
                        begin = begin.max(if **key == base.key { alike } else { 0 });
                        assert!(alike <= 2, "{alike} bytes of a key");
                        let part = |part: &[u8]| key.windows(4).any(|other| other == part);
                        assert!(!message.windows(4).any(part), "a part of a key");
                    }
                }
                assert_eq!(begin == 2, operation == Operation::Mac, "{operation}");
            });
        }
    }

    /// The messages that calls with these secrets take.
    fn messages(inputs: &Inputs) -> Vec<Vec<u8>> {
        (0..8).map(|number| bytes::stream(inputs.seed + number, 64)).collect()
    }
}
