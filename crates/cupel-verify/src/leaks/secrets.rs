//! The secrets that a contender is asked about, and how it is asked.

use cupel_base::primitives;
use cupel_host::contender::Contender;
use cupel_protocol::bytes;
use cupel_protocol::message::{Offer, Prepare};
use cupel_protocol::workload::{Contract, Operation, Shape, Workload};
use std::time::Duration;

/// What is kept secret.
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

/// The bytes in which tags are forged for traces. All have as many digits: with a longer request, the
/// runner may have its memory elsewhere.
pub const TRACED: [u8; 3] = [0, 8, 9];

/// The same for times, where the first and the last byte differ most.
pub const TIMED: [u8; 3] = [0, 8, 15];

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
                contract: Contract { forged: inputs.forged, ..offer.contract() },
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

    /// The same messages, with tags of which one of these bytes is wrong. They are compared with each
    /// other: that a message is refused is public.
    pub fn forgeries(&self, base: &Inputs, bytes: [u8; 3]) -> Vec<Inputs> {
        if self.offer.operation != Operation::Open {
            return vec![];
        }
        bytes.map(|byte| Inputs { forged: Some(byte), ..base.clone() }).to_vec()
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

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_base::name::ContenderName;
    use cupel_host::contender::State;

    #[test]
    fn all_requests_that_are_traced_have_one_length() {
        let contender = Contender::new(ContenderName::from("c/a"), State::Unbuilt);
        let offer = Offer::new("aes-256-gcm", Operation::Open);
        let patience = Duration::from_secs(1);
        let question =
            Question { contender: &contender, offer: &offer, size: 64, seed: 7, patience };
        let base = question.inputs(0);
        let length =
            |inputs: &Inputs| serde_json::to_string(&question.ask(inputs, 8)).unwrap().len();
        let others = [question.other_keys(&base), question.other_messages(&base)].concat();
        assert!(others.iter().all(|inputs| length(inputs) == length(&base)));
        let forged = question.forgeries(&base, TRACED);
        assert!(forged.iter().all(|inputs| length(inputs) == length(&forged[0])));
    }
}
