//! The secrets that a contender is asked about, and how it is asked.

use cupel_base::primitives;
use cupel_host::contender::Contender;
use cupel_protocol::bytes;
use cupel_protocol::message::{Offer, Prepare};
use cupel_protocol::workload::{Shape, Workload};
use std::time::Duration;

/// What is kept secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Secret {
    /// The key.
    Key,
    /// The message: of `open`, the plaintext. Its ciphertext differs with it, though it is public.
    Message,
}

impl Secret {
    /// The word for tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Secret::Key => "key",
            Secret::Message => "message",
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
}

/// What is examined.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The contender.
    pub contender: &'a Contender,
    /// Its offer. It is called under the contract that is usual for it.
    pub offer: &'a Offer,
    /// The length of the messages in bytes.
    pub size: u64,
    /// What the secrets are drawn by.
    pub seed: u64,
    /// How long its runner may take to answer, if it is not stepped.
    pub patience: Duration,
}

/// How many sets of messages are compared with the first one.
const MESSAGES: u64 = 5;

impl Question<'_> {
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
                contract: offer.contract(),
                shape: Shape::Throughput,
            },
            seed: inputs.seed,
            pool,
            lengths: vec![],
            offset: 0,
            key: inputs.key.clone(),
            ad: vec![],
            file: None,
        }
    }

    /// The secrets with this number. All seeds have as many digits.
    pub fn inputs(&self, number: u64) -> Inputs {
        const FIRST: u64 = 1_000_000_000_000_000;
        let seed = FIRST + self.seed % 1_000_000 * 1_000_000 + number * 1_000;
        let key = bytes::stream(seed + 999, self.key_length());
        Inputs { key: self.fixed_key().unwrap_or(key), seed }
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

    /// Sets of messages that are drawn.
    pub fn other_messages(&self, base: &Inputs) -> Vec<Inputs> {
        if self.size == 0 {
            return vec![];
        }
        let seeds = (1..=MESSAGES).map(|number| self.inputs(number).seed);
        seeds.map(|seed| Inputs { seed, ..base.clone() }).collect()
    }
}
