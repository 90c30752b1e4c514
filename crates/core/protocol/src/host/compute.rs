//! Computes outputs for verification, untimed, and detects faults that the output alone does not
//! show: bytes written beyond it, a changed input, plaintext left behind by a refused message, a
//! forged tag that is accepted after a right one.

use super::call::{Call, CallError, Io};
use super::library::{Common, Library, Refused, Task};
use super::pool::{LINE, Pool, room};
use super::{Host, NOT_STREAMED, lock};
use crate::message::{Answer, Case, Compute, Computed, Input};
use crate::workload::{MAX_BATCH, Operation, Shape};

impl<L: Library> Host<L> {
    pub(super) fn try_compute(&mut self, ask: &Compute) -> Result<Computed, Refused> {
        self.choose(&ask.contender)?;
        let shape = Shape::Throughput;
        self.check(&ask.contender, &ask.primitive, ask.operation, &ask.contract, shape)?;
        let answers: Result<_, _> = ask.cases.iter().map(|case| self.answer(ask, case)).collect();
        Ok(Computed { answers: answers? })
    }

    /// The answer to a case. A refusal because the machine lacks something is not an answer: it
    /// holds for every case.
    fn answer(&mut self, ask: &Compute, case: &Case) -> Result<Answer, Refused> {
        let mut file = None;
        let input = match &case.input {
            Input::Hex(bytes) => bytes.clone(),
            Input::Stream { seed, size } => ask.contract.bytes.stream(*seed, *size as usize),
            Input::File(path) => {
                file = Some(path.clone());
                vec![]
            }
        };
        let chunk = ask.contract.chunk;
        let chunks = match (&case.chunks[..], chunk) {
            ([], 0) => vec![],
            ([], n) => vec![n],
            (own, _) => own.to_vec(),
        };
        let task = Task {
            primitive: ask.primitive.clone(),
            operation: ask.operation,
            contract: ask.contract.clone(),
            key: case.key.clone(),
            chunks,
            file,
            common: Common::default(),
        };
        let mut contender = match lock(&self.library).open(&ask.contender, &task) {
            Ok(contender) => contender,
            Err(Refused::Unsupported(r)) => return Ok(Answer::Unsupported(r.reason)),
            Err(Refused::Failed(r)) => return Ok(Answer::Failed(r.reason)),
            Err(missing @ Refused::Missing(_)) => return Err(missing),
        };
        if ask.operation == Operation::DigestMany {
            if !case.chunks.is_empty() {
                return Ok(Answer::Unsupported(NOT_STREAMED.to_string()));
            }
            return Ok(answer_many(&mut contender, case, &input));
        }
        let mut memory = vec![0; input.len() + 2 * LINE];
        let start = memory.as_ptr().align_offset(LINE) + (case.offset as usize % LINE);
        memory[start..start + input.len()].copy_from_slice(&input);
        let before = memory.clone();
        let shown = &memory[start..start + input.len()];

        let mut guarded = Guarded::new(room(ask.operation, input.len(), 1));
        let io = Io { nonce: &case.nonce, ad: &case.ad, input: shown };
        if ask.contract.prefix > 0 {
            // A copy that shares memory with its original is correct once.
            let mut again = Guarded::new(guarded.room);
            let made = contender.call(&io, again.output());
            let first = checked(made, again, memory == before);
            let made = contender.call(&io, guarded.output());
            let second = checked(made, guarded, memory == before);
            return Ok(match (&first, &second) {
                (Answer::Output(_), Answer::Output(_)) if first != second => {
                    Answer::Failed(DIFFERENT.to_string())
                }
                (Answer::Output(_), _) => second,
                _ => first,
            });
        }
        let made = contender.call(&io, guarded.output());
        let answer = match made {
            Err(CallError::Refused) if left_after_refusing(guarded.output(), &input) => {
                Answer::Failed(LEFT.to_string())
            }
            made => checked(made, guarded, memory == before),
        };
        let is_opened = ask.operation == Operation::Open && matches!(answer, Answer::Output(_));
        if is_opened && accepts_forged(&mut contender, &io) {
            return Ok(Answer::Failed(ACCEPTED.to_string()));
        }
        Ok(answer)
    }
}

/// The byte that fills output buffers before an untimed call, so that writes outside the output are
/// detected.
const CANARY: u8 = 0xa5;

/// An output buffer between canaries.
struct Guarded {
    memory: Vec<u8>,
    /// The length of the buffer.
    room: usize,
}

impl Guarded {
    fn new(room: usize) -> Guarded {
        Guarded { memory: vec![CANARY; LINE + room + LINE], room }
    }

    fn output(&mut self) -> &mut [u8] {
        &mut self.memory[LINE..LINE + self.room]
    }
}

/// The failure of a contender that does not continue with a copy of a state.
const DIFFERENT: &str = "two digests of one message after the prefix differ";

/// The failure of a contender that refuses a message but still writes its plaintext.
const LEFT: &str = "refused the message and left bytes in its output: a caller who looks there \
     sees plaintext that is not authenticated";

/// The failure of a contender that checks no tag once it has opened a message.
const ACCEPTED: &str = "opened a message, and then the same one with a forged tag";

/// The longest input whose tag is forged after it was opened: longer ones show nothing more.
const MOST_FORGED: usize = 4096;

/// Whether a contender that has just opened this input opens it again with another tag: a prepared
/// object may not trust the next message because of the last one.
fn accepts_forged(contender: &mut impl Call, io: &Io<'_>) -> bool {
    let Io { nonce, ad, input } = *io;
    if input.len() > MOST_FORGED {
        return false;
    }
    let mut forged = input.to_vec();
    let Some(last) = forged.last_mut() else { return false };
    *last ^= 1;
    let mut guarded = Guarded::new(room(Operation::Open, forged.len(), 1));
    contender.call(&Io { nonce, ad, input: &forged }, guarded.output()).is_ok()
}

/// Whether a call that refused `input` left bytes of its own in `output`. Three outputs are
/// harmless: an unchanged one, a copy of the input (made by code that decrypts in place), and one
/// that is filled with a single byte value.
fn left_after_refusing(output: &[u8], input: &[u8]) -> bool {
    let mut own = output
        .iter()
        .enumerate()
        .filter(|&(i, byte)| *byte != CANARY && input.get(i) != Some(byte))
        .map(|(_, byte)| byte);
    let first = own.next();
    own.any(|byte| Some(byte) != first)
}

/// The answer to a case of `digest-many`.
fn answer_many(contender: &mut impl Call, case: &Case, input: &[u8]) -> Answer {
    let lengths: Vec<usize> = match &case.lengths[..] {
        [] => vec![input.len()],
        lengths => lengths.iter().map(|&n| n as usize).collect(),
    };
    if lengths.iter().sum::<usize>() != input.len() || lengths.len() > MAX_BATCH as usize {
        return Answer::Failed(format!(
            "{} messages of {} bytes in an input of {}",
            lengths.len(),
            lengths.iter().sum::<usize>(),
            input.len()
        ));
    }
    let count = lengths.len() as u32;
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let offset = case.offset as usize % LINE;
    let mut pool = Pool::new(count.next_power_of_two(), longest, offset);
    let mut rest = input;
    for (j, &length) in lengths.iter().enumerate() {
        let (message, others) = rest.split_at(length);
        let from = pool.at(j as u64).start;
        pool.memory[from..from + length].copy_from_slice(message);
        rest = others;
    }
    let before = pool.memory.clone();
    let length = |j: u64| lengths.get(j as usize).copied().unwrap_or(0);
    let batches = pool.batches(count.next_power_of_two(), length, count);
    let mut guarded = Guarded::new(room(Operation::DigestMany, longest, count));
    let made = contender.call_many(&batches.batch(0), guarded.output());
    checked(made, guarded, pool.memory == before)
}

/// The answer for a call that was given a buffer.
fn checked(
    made: Result<usize, CallError>,
    Guarded { memory, room }: Guarded,
    input_unchanged: bool,
) -> Answer {
    let (before, output) = memory.split_at(LINE);
    match made {
        Ok(n) if n > room => Answer::Failed(format!("{n} bytes of output for a buffer of {room}")),
        Ok(_) if before.iter().any(|&b| b != CANARY) => {
            Answer::Failed("wrote before the start of its output".to_string())
        }
        Ok(n) if output[n..].iter().any(|&b| b != CANARY) => {
            Answer::Failed(format!("wrote beyond the {n} bytes of its output"))
        }
        Ok(_) if !input_unchanged => Answer::Failed("changed its input".to_string()),
        Ok(n) => Answer::Output(output[..n].to_vec()),
        Err(CallError::Refused) => Answer::Refused("not authentic".to_string()),
        Err(CallError::Unsupported(why)) => Answer::Unsupported(why.to_string()),
        Err(CallError::Failed(why)) => Answer::Failed(why.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_on_either_side_of_the_output_is_a_failure() {
        for (at, said) in [(LINE - 1, "before the start"), (LINE + 32, "beyond the 32 bytes")] {
            let mut guarded = Guarded::new(40);
            guarded.output()[..32].fill(1);
            guarded.memory[at] = 1;
            let Answer::Failed(why) = checked(Ok(32), guarded, true) else {
                panic!("a write at {at} is not detected");
            };
            assert!(why.contains(said), "{why}");
        }
    }

    #[test]
    fn only_plaintext_is_left_after_refusing() {
        let input: Vec<u8> = (0..40).collect();
        let untouched = vec![CANARY; 232];
        assert!(!left_after_refusing(&untouched, &input));
        let mut wiped = untouched.clone();
        wiped[..24].fill(0);
        assert!(!left_after_refusing(&wiped, &input), "wiped");
        let mut copied = untouched.clone();
        copied[..24].copy_from_slice(&input[..24]);
        assert!(!left_after_refusing(&copied, &input), "never decrypted in place");
        let mut leaked = untouched;
        for (byte, sealed) in leaked.iter_mut().zip(&input[..24]) {
            *byte = sealed ^ 0x5c;
        }
        assert!(left_after_refusing(&leaked, &input), "decrypted before it was authenticated");
        leaked[2..24].fill(0);
        assert!(left_after_refusing(&leaked, &input), "two bytes are enough");
    }
}
