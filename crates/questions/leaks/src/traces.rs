//! Whether the instructions that a contender executes, the addresses that they touch, or operands
//! that their time depends on, depend on a secret. No clock is read: calls with one secret are
//! traced ([`cupel_steps::trace`]), and again with others, each in a fresh process. A step
//! that is not in all traces depends on the secret, if the same secret twice gives the same trace.
//!
//! Code that gives another trace each time is timed instead (`by_time`).
//!
//! "None seen" is a result, not a proof: other secrets may take another way.

use crate::secrets::{Inputs, Question, Secret};
use cupel_contender::State;
use cupel_protocol::workload::Operation;
use cupel_runner::Start;
use cupel_steps::Unseen;
use cupel_steps::places::Place;
use cupel_steps::trace::{self, Clock, Step, Stretch, Trace};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The operations that are examined, if none is named: `seal-open` is two of them, and the input of
/// `digest-many` and `digest-file` is public more often than not.
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

/// The result of a contender's traces.
#[derive(Clone, Debug, PartialEq)]
pub struct Examined {
    /// The leaks; none if all traces were the same.
    pub leaks: Vec<Leak>,
    /// Which calls of a task were traced with each secret, from 1 on.
    pub calls: Vec<u64>,
    /// How many instructions these calls executed with the first secret.
    pub instructions: u64,
    /// How many other keys that one was compared with.
    pub keys: usize,
    /// How many other sets of messages.
    pub messages: usize,
    /// The bytes in which tags were forged.
    pub tags: Vec<u8>,
}

/// Traces of more instructions take too long: a step takes about 10 us.
const MOST: u64 = 1_000_000;

/// Short calls that follow each other are traced, each with its own message, if together they do
/// not have more instructions than this. At most this many.
const TOGETHER: u64 = 30_000;
const CALLS: u64 = 8;

/// Calls of up to this many instructions are traced again later, by these numbers: work that a task
/// does only once it has made some calls (a table that is filled then, a counter that overflows)
/// shows there.
const LATER: [(u64, &[u64]); 2] = [(20_000, &[17, 64, 257, 1000]), (100_000, &[17])];

/// From this number of a call on, each bit of the lower half of its nonce is one.
const LAST: u64 = 1000;
const LAST_INDEX: u64 = (1 << 52) - 16;

/// Why nothing is known of a contender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// It is not there, or fails.
    Missing(String),
    /// It is there, and its traces cannot be compared. Its times can.
    Undecided(String),
    /// Its traces cannot be compared, because something that was not stepped may have done the
    /// work. Its times show little, too: the time of a hand-over hides the rest.
    HandedOn(String),
}

/// How many of the secrets that differ are traced again, and how often the first of them and the
/// usual secret then take turns: a state that a process has by chance would hardly come each time.
const REPEATS: usize = 3;
const TURNS: usize = 3;

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
    let base = question.inputs(0);
    let (clock, lead) = trace::clock(&start, &question.ask(&base, 1), MOST)?;
    let mut stepped = Stepped { question, start, pool: 1, stretches: stretches(1), clock };
    let one = stepped.instructions(&stepped.trace(&base)?, lead);
    (stepped.pool, stepped.stretches) = planned(one);
    let first = stepped.trace(&base)?;
    let instructions = stepped.instructions(&first, lead);
    let calls: Vec<u64> = stepped.stretches.iter().flat_map(numbers).collect();
    // A call, its dispatch and the loop around it are more than this.
    if instructions < 20 * calls.len() as u64 {
        return Err(Unseen::NoClock.into());
    }
    let compared = compared(question, &first, &|inputs| stepped.trace(inputs))?;
    Ok(Examined { calls, instructions, ..compared })
}

/// This many calls from the first one on.
fn stretches(calls: u64) -> Vec<Stretch> {
    vec![Stretch { after: 0, calls, first: 0 }]
}

/// How many messages are traced, and which calls, if one has this many instructions.
fn planned(one: u64) -> (u64, Vec<Stretch>) {
    let mut calls = 1;
    while calls < CALLS && 2 * calls * one <= TOGETHER {
        calls *= 2;
    }
    let later = LATER.iter().find(|(most, _)| one <= *most);
    let Some((_, numbers)) = later else { return (calls, stretches(calls)) };
    let mut all = stretches(calls.max(2));
    all.extend(numbers.iter().map(|&number| {
        let after = number - 1;
        Stretch { after, calls: 1, first: if number == LAST { LAST_INDEX } else { after } }
    }));
    (calls.max(2), all)
}

/// The numbers of the calls of a stretch, from 1 on.
fn numbers(stretch: &Stretch) -> std::ops::RangeInclusive<u64> {
    stretch.after + 1..=stretch.after + stretch.calls
}

impl From<Unseen> for Unknown {
    fn from(why: Unseen) -> Unknown {
        match why {
            Unseen::HandedOn(_) => Unknown::HandedOn(why.to_string()),
            _ => Unknown::Undecided(why.to_string()),
        }
    }
}

/// A contender whose calls are stepped.
struct Stepped<'a> {
    question: &'a Question<'a>,
    start: Start,
    pool: u64,
    stretches: Vec<Stretch>,
    clock: Clock,
}

impl Stepped<'_> {
    fn trace(&self, inputs: &Inputs) -> Result<Trace, Unseen> {
        let ask = self.question.ask(inputs, self.pool as u32);
        trace::calls(&self.start, &ask, &self.stretches, self.clock, MOST)
    }

    /// How many instructions the calls have, if a request without any has this many.
    fn instructions(&self, trace: &Trace, lead: u64) -> u64 {
        let all = trace.stretches.iter();
        all.map(|steps| (steps.len() as u64).saturating_sub(lead)).sum()
    }
}

/// Traces calls with these secrets, in a fresh process.
type Traces<'a> = &'a dyn Fn(&Inputs) -> Result<Trace, Unseen>;

/// Compares the traces of a question with the first one.
fn compared(
    question: &Question<'_>,
    first: &Trace,
    traces: Traces<'_>,
) -> Result<Examined, Unknown> {
    let base = question.inputs(0);
    again(traces, &base, first)?;
    let mut leaks = Vec::new();
    let (keys, messages) = (question.other_keys(&base), question.other_messages(&base));
    for (secret, others) in [(Secret::Key, &keys), (Secret::Message, &messages)] {
        leaks.extend(seen(traces, secret, &base, first, others)?);
    }
    again(traces, &base, first)?;
    let forged = question.forgeries(&base);
    if let Some((early, others)) = forged.split_first() {
        let refused = traces(early)?;
        again(traces, early, &refused)?;
        leaks.extend(seen(traces, Secret::Tag, early, &refused, others)?);
    }
    let tags = forged.iter().filter_map(|inputs| inputs.forged).collect();
    let (keys, messages) = (keys.len(), messages.len());
    Ok(Examined { leaks, calls: vec![], instructions: 0, keys, messages, tags })
}

/// The control: the same secret gives the same trace.
fn again(traces: Traces<'_>, inputs: &Inputs, first: &Trace) -> Result<(), Unknown> {
    let again = traces(inputs)?;
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

/// The differences if one secret is replaced by others. They must be found again.
fn seen(
    traces: Traces<'_>,
    secret: Secret,
    base: &Inputs,
    first: &Trace,
    others: &[Inputs],
) -> Result<Vec<Leak>, Unknown> {
    let mut found: BTreeMap<(Kind, u64), &Inputs> = BTreeMap::new();
    let mut differing: Vec<(&Inputs, Trace)> = Vec::new();
    for other in others {
        let trace = traces(other)?;
        let differences = differences(first, &trace);
        if !differences.is_empty() && differing.len() < REPEATS {
            again(traces, other, &trace)?;
            differing.push((other, trace));
        }
        for (kind, places) in differences {
            for at in places {
                found.entry((kind, at)).or_insert(other);
            }
        }
    }
    if let Some((other, trace)) = differing.first() {
        for _ in 0..TURNS {
            again(traces, base, first)?;
            again(traces, other, trace)?;
        }
    }
    Ok(by_function(secret, base, first, &found))
}

/// The addresses of the instructions at which two traces differ, by the kind of the difference. The
/// rest of a stretch after its first other instruction is not compared.
fn differences(one: &Trace, other: &Trace) -> BTreeMap<Kind, BTreeSet<u64>> {
    let mut found = BTreeMap::new();
    for (own, others) in one.stretches.iter().zip(&other.stretches) {
        compare(own, others, &mut found);
    }
    found
}

fn compare(one: &[Step], other: &[Step], found: &mut BTreeMap<Kind, BTreeSet<u64>>) {
    let mut note = |kind, at| {
        found.entry(kind).or_default().insert(at);
    };
    let mut last = None;
    for (own, others) in one.iter().zip(other) {
        if (own.at, own.code) != (others.at, others.code) {
            note(Kind::Branch, last.unwrap_or(own.at));
            return;
        }
        if own.touched.addresses != others.touched.addresses {
            note(Kind::Address, own.at);
        }
        if own.touched.operands != others.touched.operands {
            note(Kind::Operand, own.at);
        }
        last = Some(own.at);
    }
    if one.len() != other.len() {
        note(Kind::Branch, last.unwrap_or_default());
    }
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
    use cupel_base::name::ContenderName;
    use cupel_contender::Contender;
    use cupel_protocol::bytes;
    use cupel_protocol::message::Offer;
    use cupel_steps::places::Places;
    use cupel_steps::trace::Touched;
    use std::cell::Cell;

    fn trace(steps: &[(u64, u64, u64)]) -> Trace {
        let step = |&(at, addresses, operands)| {
            let touched = Touched { addresses, operands };
            Step { at, code: 0, touched }
        };
        Trace { stretches: vec![steps.iter().map(step).collect()], places: Places::default() }
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

    #[test]
    fn later_calls_are_traced_if_they_are_short() {
        let calls = |one| planned(one).1.iter().flat_map(numbers).collect::<Vec<u64>>();
        assert_eq!(calls(1_000), [1, 2, 3, 4, 5, 6, 7, 8, 17, 64, 257, 1000]);
        assert_eq!(calls(20_000), [1, 2, 17, 64, 257, 1000]);
        assert_eq!(calls(50_000), [1, 2, 17]);
        assert_eq!(calls(500_000), [1]);
        let (pool, all) = planned(1_000);
        assert_eq!((pool, all[4].after), (8, 999));
        assert_eq!(all[4].first & 0xffff_ffff, 0xffff_fff0, "its nonce has other bits, too");
    }

    #[test]
    fn another_instruction_at_the_same_address_is_a_branch() {
        let one = trace(&[(1, 0, 0), (2, 0, 0)]);
        let mut other = trace(&[(1, 0, 0), (2, 0, 0)]);
        assert_eq!(differences(&one, &other), BTreeMap::new());
        other.stretches[0][1].code = 7;
        assert_eq!(differences(&one, &other), [(Kind::Branch, [1].into())].into());
    }

    #[test]
    fn a_branch_in_one_stretch_leaves_the_others_to_be_compared() {
        let both = |second: u64, third: u64| {
            let mut trace = trace(&[(1, 0, 0), (second, 0, 0)]);
            trace.stretches.push(vec![Step {
                at: 9,
                code: 0,
                touched: Touched { addresses: third, operands: 0 },
            }]);
            trace
        };
        let found = differences(&both(2, 5), &both(3, 6));
        assert_eq!(found, [(Kind::Branch, [1].into()), (Kind::Address, [9].into())].into());
    }

    /// How many of this many questions about a contender end as `leaks`, and as `none seen`: `of`
    /// makes the trace of a process from its secrets and a number that the process draws.
    fn rates(questions: u64, of: fn(&Inputs, f64) -> u64) -> [f64; 2] {
        let contender = Contender::new(ContenderName::from("c/a"), State::Unbuilt);
        let offer = Offer::new("hmac-sha256", Operation::Mac);
        let question = Question {
            contender: &contender,
            offer: &offer,
            // Too short to be searched for.
            size: 2,
            seed: 1,
            ad: 0,
            patience: Duration::ZERO,
        };
        let drawn = Cell::new(1);
        let draw = || {
            drawn.set(drawn.get() + 1);
            let bytes = bytes::stream(drawn.get() << 20, 4).try_into().unwrap_or_default();
            f64::from(u32::from_le_bytes(bytes)) / 4_294_967_296.0
        };
        let mut ends = [0.0; 2];
        for _ in 0..questions {
            let traces = |inputs: &Inputs| -> Result<Trace, Unseen> {
                Ok(trace(&[(1, of(inputs, draw()), 0)]))
            };
            let first = traces(&question.inputs(0)).unwrap();
            match compared(&question, &first, &traces) {
                Ok(examined) if examined.leaks.is_empty() => ends[1] += 1.0,
                Ok(_) => ends[0] += 1.0,
                Err(_) => {}
            }
        }
        ends.map(|count| count / questions as f64)
    }

    fn key(inputs: &Inputs) -> u64 {
        u64::from(inputs.key[0])
    }

    /// docs/trust/evidence/leaks.md has these rates.
    #[test]
    fn contenders_that_differ_by_themselves_are_seldom_said_to_leak() {
        // A coin for each process, independent of the secret.
        let [half, fifth, tenth] = [
            rates(20_000, |_, drawn| u64::from(drawn < 0.5)),
            rates(20_000, |_, drawn| u64::from(drawn < 0.2)),
            rates(20_000, |_, drawn| u64::from(drawn < 0.1)),
        ];
        println!("clean: {half:?} {fifth:?} {tenth:?}");
        for [leaks, _] in [half, fifth, tenth] {
            assert!(leaks < 0.002, "{leaks}");
        }
        // A leak of the key in some processes only.
        let [half, tenth, hundredth] = [
            rates(20_000, |inputs, drawn| if drawn < 0.5 { key(inputs) } else { 0 }),
            rates(20_000, |inputs, drawn| if drawn < 0.1 { key(inputs) } else { 0 }),
            rates(20_000, |inputs, drawn| if drawn < 0.01 { key(inputs) } else { 0 }),
        ];
        println!("leaks: {half:?} {tenth:?} {hundredth:?}");
        assert!(half[1] < 0.001 && (0.1..0.4).contains(&tenth[1]), "{half:?} {tenth:?}");
        assert!(hundredth[1] > 0.8, "{hundredth:?}");
        // One that all processes have is always found.
        assert_eq!(rates(100, |inputs, _| key(inputs)), [1.0, 0.0]);
    }
}
