//! Describes a wrong answer in words, so that its author can fix it.

use super::answer::Examiner;
use super::cases::{Alteration, Message, Question};
use cupel_protocol::message::{Answer, Offer};
use cupel_protocol::workload::Lengths;
use std::collections::BTreeSet;
use std::fmt;

/// The wrong answers of a contender: the smallest failing input that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The smallest failing case: operation, message, and how it was passed.
    pub case: String,
    /// The size of its message (for `seal` and `open`, of the plaintext), in bytes.
    pub size: u64,
    /// The correct answer, shortened if it is long.
    pub expected: String,
    /// The contender's answer, shortened if it is long.
    pub got: String,
    /// The common feature of all wrong cases, if that is informative.
    pub common: Option<&'static str>,
    /// The sizes of the messages of all wrong cases, ascending.
    pub sizes: Vec<u64>,
    /// The number of wrong cases.
    pub wrong: usize,
    /// The number of compared cases.
    pub of: usize,
    /// The error of the smallest case, if there are only errors and no wrong answers.
    pub error: Option<String>,
    /// Whether an answer is wrong. Otherwise none was given.
    pub answered: bool,
}

impl Failure {
    pub(super) fn describe(offer: &Offer, smallest: &Wrong, all: &[Wrong], of: usize) -> Failure {
        Failure {
            case: format!("{} {} of {}", offer.primitive, offer.operation, smallest.question),
            size: smallest.question.size(),
            expected: smallest.expected.clone(),
            got: smallest.got.clone(),
            common: common(all),
            sizes: BTreeSet::from_iter(all.iter().map(|wrong| wrong.question.size()))
                .into_iter()
                .collect(),
            wrong: all.len(),
            of,
            error: smallest.error.clone().filter(|_| all.iter().all(|wrong| wrong.error.is_some())),
            // The smallest case has the worst kind.
            answered: smallest.gravity != Gravity::Error,
        }
    }

    /// Why another comparison of the same contender counts no figure of it.
    pub fn elsewhere(&self) -> String {
        format!("answers wrongly at {} bytes: no figure of it counts", self.size)
    }

    /// The failure as a sentence. An error is not a wrong answer.
    pub fn in_words(&self) -> String {
        match &self.error {
            Some(why) => {
                format!(
                    "gives an error for {} ({} of {} cases): {why}",
                    self.case, self.wrong, self.of
                )
            }
            None => format!("answers wrongly: {self}"),
        }
    }
}

/// How many of the sizes that fail are listed.
const LISTED: usize = 4;

impl fmt::Display for Failure {
    /// First how many cases are wrong and at which sizes, then the smallest of them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.of > 0 {
            let cases = if self.of == 1 { "case" } else { "cases" };
            let are = if self.wrong == 1 { "is" } else { "are" };
            write!(f, "{} of {} {cases} {are} wrong, at ", self.wrong, self.of)?;
            let sizes: Vec<String> = self.sizes.iter().map(u64::to_string).collect();
            match &sizes[..] {
                [one] => write!(f, "{one} bytes")?,
                [some @ .., last] if sizes.len() <= LISTED => {
                    write!(f, "{} and {last} bytes", some.join(", "))?;
                }
                [first, .., last] => {
                    write!(f, "{} sizes from {first} to {last} bytes", sizes.len())?;
                }
                [] => f.write_str("no size")?,
            }
            if let Some(common) = self.common {
                write!(f, ", {common}")?;
            }
            let is_one = self.sizes.contains(&self.size);
            f.write_str(if is_one { "; the smallest is " } else { "; a smaller one is " })?;
        }
        write!(f, "{}: expected {}, got {}", self.case, self.expected, self.got)
    }
}

fn common(all: &[Wrong]) -> Option<&'static str> {
    if all.iter().all(|wrong| matches!(wrong.question, Question::Altered(..))) {
        return Some("all of altered messages that must be refused");
    }
    let messages: Option<Vec<_>> = all.iter().map(|wrong| wrong.question.message()).collect();
    let messages = messages?;
    if messages.iter().all(|message| !message.chunks.is_empty()) {
        return Some("all streamed");
    }
    messages.iter().all(|m| m.offset != 0).then_some("all unaligned to a cache line")
}

/// A question that was answered wrongly.
#[derive(Clone, Debug)]
pub(super) struct Wrong {
    pub question: Question,
    pub expected: String,
    pub got: String,
    /// The error that was returned instead of an answer.
    pub error: Option<String>,
    pub gravity: Gravity,
}

/// How bad it is, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gravity {
    /// A message that must be refused was accepted.
    Forgery,
    /// A wrong answer.
    Answer,
    /// No answer, although there must be one.
    Error,
}

impl Wrong {
    /// A question that was not answered at all.
    pub fn new(question: &Question, expected: String, got: String) -> Wrong {
        let gravity = Gravity::Error;
        Wrong { question: question.clone(), expected, got, error: None, gravity }
    }

    pub fn from_answer(examiner: &Examiner, question: &Question, answer: &Answer) -> Wrong {
        let right = examiner.in_full(question);
        let expected = right.as_deref().map_or("a refusal".to_string(), shortened);
        let got = match answer {
            Answer::Output(got) => match right.as_deref().and_then(|r| first_difference(r, got)) {
                Some(at) if got.len() > SHOWN => {
                    format!("{}, wrong from byte {at} on", shortened(got))
                }
                _ => shortened(got),
            },
            Answer::Refused(why) => format!("a refusal: {why}"),
            Answer::Unsupported(why) => format!("\"unsupported: {why}\" although it offers this"),
            Answer::Failed(why) => format!("an error: {why}"),
        };
        let error = match answer {
            Answer::Failed(why) => Some(why.clone()),
            _ => None,
        };
        let gravity = match answer {
            Answer::Output(_) if right.is_none() => Gravity::Forgery,
            Answer::Output(_) | Answer::Refused(_) => Gravity::Answer,
            Answer::Unsupported(_) | Answer::Failed(_) => Gravity::Error,
        };
        Wrong { error, gravity, ..Wrong::new(question, expected, got) }
    }

    /// The rank of a failing case; the lowest is shown first. An accepted forgery comes before a
    /// wrong answer, and that before an error. Among equals, a shorter message comes first, then
    /// one call before chunks, then aligned before unaligned, then an official vector.
    pub fn rank(&self) -> (Gravity, u64, bool, bool, u8) {
        let message = self.question.message();
        let kind = match self.question {
            Question::Vector(_) => 0,
            Question::Message(_) => 1,
            Question::Step { .. } => 2,
            Question::Altered(..) => 3,
        };
        (
            self.gravity,
            self.question.size(),
            message.is_some_and(|m| !m.chunks.is_empty()),
            message.is_some_and(|m| m.offset != 0),
            kind,
        )
    }
}

/// Up to how many bytes are shown in full. If there are more, half as many are.
const SHOWN: usize = 16;

fn shortened(bytes: &[u8]) -> String {
    match bytes.len() {
        0 => "no bytes".to_string(),
        n if n <= SHOWN => hex::encode(bytes),
        _ => format!("{}...", hex::encode(&bytes[..SHOWN / 2])),
    }
}

fn first_difference(right: &[u8], got: &[u8]) -> Option<usize> {
    let shared = right.len().min(got.len());
    (0..shared).find(|&i| right[i] != got[i]).or((right.len() != got.len()).then_some(shared))
}

impl Question {
    /// The size of the message in bytes; for an AEAD, of the plaintext.
    pub(super) fn size(&self) -> u64 {
        match self {
            Question::Vector(v) if v.nonce.is_empty() => v.input.len() as u64,
            Question::Vector(v) => {
                let output = v.output.as_ref().map_or(0, Vec::len);
                v.input.len().min(output.max(v.input.len().saturating_sub(16))) as u64
            }
            Question::Step { message, .. } => message.len() as u64,
            Question::Message(message) | Question::Altered(message, _) => message.size,
        }
    }

    fn message(&self) -> Option<&Message> {
        match self {
            Question::Message(message) | Question::Altered(message, _) => Some(message),
            Question::Vector(_) | Question::Step { .. } => None,
        }
    }
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.size();
        match self {
            Question::Vector(v) => {
                write!(f, "{size} bytes ({} record {}", v.file, v.record)?;
                for (name, bytes) in [("key", &v.key), ("nonce", &v.nonce), ("ad", &v.ad)] {
                    if !bytes.is_empty() {
                        write!(f, ", {name} {}", shortened(bytes))?;
                    }
                }
                write!(f, ", input {})", shortened(&v.input))
            }
            Question::Step { file, at: (checkpoint, step), message, .. } => write!(
                f,
                "{size} bytes ({file} step {step} to checkpoint {checkpoint}, input {})",
                shortened(message)
            ),
            Question::Message(message) => write!(f, "{message}"),
            Question::Altered(message, alteration) => write!(f, "{message}, {alteration}"),
        }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.batch, &self.lengths) {
            (1, Lengths::Equal | Lengths::Drawn(_)) => {}
            (batch, Lengths::Equal | Lengths::Drawn(_)) => write!(f, "{batch} messages of ")?,
            (batch, Lengths::Spread) => write!(f, "{batch} messages of 0 to ")?,
        }
        write!(f, "{} bytes at offset {}", self.size, self.offset)?;
        match self.chunks {
            [] => f.write_str(" in one call")?,
            chunks => write!(f, " streamed in chunks of {chunks:?}")?,
        }
        if !self.nonce.is_empty() {
            write!(f, ", nonce {}, {} bytes of ad", hex::encode(&self.nonce), self.ad)?;
        }
        Ok(())
    }
}

impl fmt::Display for Alteration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Alteration::TagBit(bit) => write!(f, "bit {bit} of its tag flipped"),
            Alteration::Ciphertext(at) => write!(f, "byte {at} of its ciphertext altered"),
            Alteration::Nonce(at) => write!(f, "byte {at} of its nonce altered"),
            Alteration::Ad(at) => write!(f, "byte {at} of its associated data altered"),
            Alteration::AdShorter => f.write_str("its associated data one byte shorter"),
            Alteration::AdLonger => f.write_str("its associated data one byte longer"),
            Alteration::Truncated(len) => write!(f, "cut to {len} bytes with the tag"),
            Alteration::Beheaded => f.write_str("its first byte removed"),
            Alteration::Longer => f.write_str("one byte longer"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_below_the_sizes_that_failed_is_said_to_be_a_smaller_one() {
        let words = |size| {
            let [case, expected, got] = ["a case", "1", "2"].map(String::from);
            let sizes = vec![511, 1024];
            let (common, error, answered) = (None, None, true);
            Failure { case, size, expected, got, common, sizes, wrong: 2, of: 9, error, answered }
                .in_words()
        };
        assert!(words(511).contains("at 511 and 1024 bytes; the smallest is a case:"));
        assert!(words(501).contains("at 511 and 1024 bytes; a smaller one is a case:"));
    }
}
