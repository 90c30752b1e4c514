//! Whether the instructions that a contender executes, the addresses that they touch, or operands
//! that their time depends on, depend on a secret. No clock is read: calls with one secret are traced
//! ([`cupel_host::steps::trace`]), and again with others, each in a fresh process. What is not in all
//! traces depends on the secret, if the same secret twice gives the same trace.
//!
//! Code that gives another trace each time is timed instead ([`by_time`]).
//!
//! "None seen" is what a test says, not a proof: other secrets may take another way.

pub mod by_time;
mod secrets;

pub use secrets::{Inputs, Question, Secret};

use cupel_host::contender::State;
use cupel_host::runner::Start;
use cupel_host::steps::Unseen;
use cupel_host::steps::places::Place;
use cupel_host::steps::trace::{self, Clock, Trace};
use cupel_protocol::workload::Operation;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The operations that are examined, if none is named: `seal-open` is two of them, and what
/// `digest-many` and `digest-file` read is public more often than not.
pub const OPERATIONS: [Operation; 4] =
    [Operation::Digest, Operation::Mac, Operation::Seal, Operation::Open];

/// How a secret shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Other instructions follow, or an instruction that repeats itself does so more often.
    Branch,
    /// An instruction touches memory at another address.
    Address,
    /// An instruction gets other operands, on which its time depends.
    Operand,
}

impl Kind {
    /// The word for tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Branch => "branch",
            Kind::Address => "address",
            Kind::Operand => "operand",
        }
    }
}

/// An instruction that a secret shows at.
#[derive(Clone, Debug, PartialEq)]
pub struct Leak {
    /// The secret.
    pub secret: Secret,
    /// How it shows.
    pub kind: Kind,
    /// The first instruction of this kind in this function.
    pub place: Place,
    /// How many instructions of this function do so.
    pub instructions: usize,
    /// Two secrets that it tells apart.
    pub apart: [Inputs; 2],
}

/// What the traces of a contender say.
#[derive(Clone, Debug, PartialEq)]
pub struct Examined {
    /// The leaks; none if all traces were the same.
    pub leaks: Vec<Leak>,
    /// How many calls were traced with each secret, each with its own message.
    pub calls: u64,
    /// How many instructions these calls executed with the first secret.
    pub instructions: u64,
    /// How many other keys that one was compared with.
    pub keys: usize,
    /// How many other sets of messages.
    pub messages: usize,
    /// How many forged tags.
    pub tags: usize,
}

/// Traces of more instructions take too long: a step takes about 10 us.
const MOST: u64 = 1_000_000;

/// Short calls are traced together, if they do not have more instructions than this.
const TOGETHER: u64 = 30_000;

/// The most calls that are traced together.
const CALLS: u64 = 8;

/// Why nothing is known of a contender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// It is not there, or fails.
    Missing(String),
    /// It is there, and cannot be decided here.
    Undecided(String),
}

/// How many of the secrets that differ are traced again: a state that a process has by chance would
/// hardly come each time.
const REPEATS: usize = 3;

/// Examines a contender.
///
/// # Errors
/// Why nothing is known of it.
pub fn examine(question: &Question<'_>) -> Result<Examined, Unknown> {
    let Question { contender, patience, .. } = *question;
    let (simulated, jit) = match &contender.state {
        State::Ready { simulated, jit, .. } => (*simulated, *jit),
        State::Missing(why) | State::Failed(why) => {
            return Err(Unknown::Missing(why.reason.clone()));
        }
        State::Unbuilt => return Err(Unknown::Missing("it is not built".to_string())),
    };
    if simulated {
        return Err(Unknown::Undecided("it is simulated, and has no code of its own".to_string()));
    }
    if jit {
        return Err(Unknown::Undecided("its code is compiled while it runs".to_string()));
    }
    let command = contender.command().unwrap_or_default();
    // Many times as slow as usual: a step is a change between processes.
    let patience = patience.max(Duration::from_secs(300));
    let start = Start { confined: !contender.unconfined, ..Start::plain(command, patience) };
    let mut tracing = Tracing { question, start, calls: 1, clock: None };
    tracing.examined()
}

impl From<Unseen> for Unknown {
    fn from(why: Unseen) -> Unknown {
        Unknown::Undecided(why.to_string())
    }
}

/// A contender whose calls are traced.
struct Tracing<'a> {
    question: &'a Question<'a>,
    start: Start,
    calls: u64,
    clock: Option<Clock>,
}

impl Tracing<'_> {
    fn examined(&mut self) -> Result<Examined, Unknown> {
        let base = self.question.inputs(0);
        let (clock, lead) = trace::clock(&self.start, &self.question.ask(&base, 1), MOST)?;
        self.clock = Some(clock);
        let one = (self.trace(&base)?.steps.len() as u64).saturating_sub(lead);
        while self.calls < CALLS && 2 * self.calls * one <= TOGETHER {
            self.calls *= 2;
        }
        let first = self.trace(&base)?;
        let instructions = (first.steps.len() as u64).saturating_sub(lead);
        // A call, its dispatch and the loop around it are more than this.
        if instructions < 20 * self.calls {
            return Err(Unseen::NoClock.into());
        }
        self.again(&base, &first)?;
        let mut leaks = Vec::new();
        let question = self.question;
        let (keys, messages) = (question.other_keys(&base), question.other_messages(&base));
        for (secret, others) in [(Secret::Key, &keys), (Secret::Message, &messages)] {
            leaks.extend(self.leaks(secret, &base, &first, others)?);
        }
        self.again(&base, &first)?;
        let tags = question.forgeries(&base, secrets::TRACED);
        if let Some((early, others)) = tags.split_first() {
            let refused = self.trace(early)?;
            self.again(early, &refused)?;
            leaks.extend(self.leaks(Secret::Tag, early, &refused, others)?);
        }
        let (keys, messages, tags) = (keys.len(), messages.len(), tags.len());
        Ok(Examined { leaks, calls: self.calls, instructions, keys, messages, tags })
    }

    /// The control: the same secret gives the same trace.
    fn again(&self, inputs: &Inputs, first: &Trace) -> Result<(), Unknown> {
        let again = self.trace(inputs)?;
        match differences(first, &again).first_key_value() {
            None => Ok(()),
            Some((_, places)) => {
                let place = first.places.place(places.first().copied().unwrap_or_default());
                let at = in_words(&place);
                let why = format!("the same secret twice gives another trace, from {at} on");
                Err(Unknown::Undecided(why))
            }
        }
    }

    /// What shows if one secret is replaced by others. What is found must be found again.
    fn leaks(
        &self,
        secret: Secret,
        base: &Inputs,
        first: &Trace,
        others: &[Inputs],
    ) -> Result<Vec<Leak>, Unknown> {
        let mut found: BTreeMap<(Kind, u64), &Inputs> = BTreeMap::new();
        let mut repeats = 0..REPEATS;
        for other in others {
            let trace = self.trace(other)?;
            let differing = differences(first, &trace);
            if !differing.is_empty() && repeats.next().is_some() {
                self.again(other, &trace)?;
            }
            for (kind, places) in differing {
                for at in places {
                    found.entry((kind, at)).or_insert(other);
                }
            }
        }
        Ok(by_function(secret, base, first, &found))
    }

    fn trace(&self, inputs: &Inputs) -> Result<Trace, Unseen> {
        let clock = self.clock.ok_or(Unseen::NoClock)?;
        let ask = self.question.ask(inputs, self.calls as u32);
        trace::calls(&self.start, &ask, self.calls, clock, MOST)
    }
}

/// The addresses of the instructions at which two traces differ, by the kind of the difference. What
/// follows the first other instruction is not compared.
fn differences(one: &Trace, other: &Trace) -> BTreeMap<Kind, BTreeSet<u64>> {
    let mut found: BTreeMap<Kind, BTreeSet<u64>> = BTreeMap::new();
    let mut note = |kind, at| {
        found.entry(kind).or_default().insert(at);
    };
    let mut last = None;
    for (own, others) in one.steps.iter().zip(&other.steps) {
        if own.at != others.at {
            note(Kind::Branch, last.unwrap_or(own.at));
            return found;
        }
        if own.touched.addresses != others.touched.addresses {
            note(Kind::Address, own.at);
        }
        if own.touched.operands != others.touched.operands {
            note(Kind::Operand, own.at);
        }
        last = Some(own.at);
    }
    if one.steps.len() != other.steps.len() {
        note(Kind::Branch, last.unwrap_or_default());
    }
    found
}

/// One leak for each kind and function.
fn by_function(
    secret: Secret,
    base: &Inputs,
    first: &Trace,
    found: &BTreeMap<(Kind, u64), &Inputs>,
) -> Vec<Leak> {
    let mut leaks: Vec<Leak> = Vec::new();
    for (&(kind, at), &other) in found {
        let place = first.places.place(at);
        let same = |leak: &&mut Leak| {
            let names = (&leak.place.file, &leak.place.function);
            leak.kind == kind && names == (&place.file, &place.function)
        };
        match leaks.iter_mut().find(same) {
            Some(leak) => leak.instructions += 1,
            None => leaks.push(Leak {
                secret,
                kind,
                place,
                instructions: 1,
                apart: [base.clone(), other.clone()],
            }),
        }
    }
    leaks
}

/// `libcrypto.so.3 at 0x1234 (AES_encrypt)`.
pub fn in_words(place: &Place) -> String {
    let file = place.file.file_name().map(|name| name.to_string_lossy().into_owned());
    let file = file.unwrap_or_else(|| "code in no file".to_string());
    let function = place.function.as_ref().map(|name| format!(" ({name})"));
    format!("{file} at {:#x}{}", place.address, function.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupel_host::steps::places::Places;
    use cupel_host::steps::trace::{Step, Touched};

    fn trace(steps: &[(u64, u64, u64)]) -> Trace {
        let step =
            |&(at, addresses, operands)| Step { at, touched: Touched { addresses, operands } };
        Trace { steps: steps.iter().map(step).collect(), places: Places::default() }
    }

    fn found(one: &[(u64, u64, u64)], other: &[(u64, u64, u64)]) -> Vec<(Kind, Vec<u64>)> {
        let found = differences(&trace(one), &trace(other)).into_iter();
        found.map(|(kind, places)| (kind, places.into_iter().collect())).collect()
    }

    #[test]
    fn each_kind_of_difference_is_found_where_it_is() {
        let base = [(1, 0, 0), (2, 64, 0), (3, 0, 7), (4, 0, 0)];
        assert_eq!(found(&base, &base), []);
        let mut other = base;
        other[1].1 = 128;
        assert_eq!(found(&base, &other), [(Kind::Address, vec![2])]);
        other[2].2 = 8;
        assert_eq!(found(&base, &other), [(Kind::Address, vec![2]), (Kind::Operand, vec![3])]);
        other[3].0 = 9;
        assert_eq!(found(&base, &other)[0], (Kind::Branch, vec![3]));
        assert_eq!(found(&base, &base[..3]), [(Kind::Branch, vec![3])], "one ends earlier");
    }

    #[test]
    fn what_follows_another_branch_is_not_compared() {
        let (one, other) = ([(1, 0, 0), (2, 5, 0), (3, 5, 0)], [(1, 0, 0), (3, 6, 0), (3, 6, 0)]);
        assert_eq!(found(&one, &other), [(Kind::Branch, vec![1])]);
    }

    #[test]
    fn an_instruction_counts_once_and_leaks_are_grouped_by_function() {
        let (one, other) = ([(1, 5, 0), (1, 5, 0)], [(1, 6, 0), (1, 7, 0)]);
        assert_eq!(found(&one, &other), [(Kind::Address, vec![1])]);
        let base = Inputs { key: vec![], seed: 1, forged: None };
        let other = Inputs { seed: 2, ..base.clone() };
        let found = [((Kind::Address, 1), &other), ((Kind::Address, 2), &other)].into();
        let leaks = by_function(Secret::Message, &base, &trace(&[]), &found);
        // Both are in no file, so in no function of one.
        assert_eq!((leaks.len(), leaks[0].instructions, leaks[0].place.address), (1, 2, 1));
        assert_eq!(in_words(&leaks[0].place), "code in no file at 0x1");
    }
}
