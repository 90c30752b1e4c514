//! What was seen of leaks: a line for each contender, operation and size, and one for each leak.

mod by_time;

pub use by_time::largest;

use super::document::{Colour, Document, Emphasis};
use super::print;
use super::style::{Format, Style};
use cupel_base::text;
use cupel_protocol::workload::Operation;
use cupel_store::LeakVerdict;
use cupel_verify::leaks::by_time::{Decision, Timed};
use cupel_verify::leaks::{Examined, Inputs, Kind, Leak, Secret, Unknown, in_words};
use serde_json::{Value, json};

/// One contender at one size.
#[derive(Debug)]
pub struct Line {
    /// Its full name.
    pub contender: String,
    /// The primitive.
    pub primitive: String,
    /// The operation.
    pub operation: Operation,
    /// The length of the messages in bytes.
    pub size: u64,
    /// What was seen, or why nothing is known.
    pub found: Result<Examined, Unknown>,
    /// What its times say, if its calls could not be compared otherwise.
    pub timed: Option<Timed>,
}

impl Line {
    /// Whether a leak was seen.
    pub fn leaks(&self) -> bool {
        match &self.timed {
            Some(timed) => timed.decision() == Decision::Leaks,
            None => self.found.as_ref().is_ok_and(|examined| !examined.leaks.is_empty()),
        }
    }

    /// Whether the contender is not there.
    pub fn is_missing(&self) -> bool {
        matches!(self.found, Err(Unknown::Missing(_)))
    }

    /// What the test says; `None` if there was no test, because the contender is not there.
    pub fn tested(&self) -> Option<LeakVerdict> {
        match (&self.timed, &self.found) {
            (Some(timed), _) => Some(by_time::tested(timed)),
            (None, Ok(_)) if self.leaks() => Some(LeakVerdict::Leaks),
            (None, Ok(_)) => Some(LeakVerdict::NoneSeen),
            (None, Err(Unknown::Undecided(_))) => Some(LeakVerdict::Undecided),
            (None, Err(Unknown::Missing(_))) => None,
        }
    }

    /// Whether it is known if it leaks, as far as this is known of anything.
    pub fn is_decided(&self) -> bool {
        matches!(self.tested(), Some(LeakVerdict::Leaks | LeakVerdict::NoneSeen))
    }

    /// What was found, in a line.
    pub fn in_words(&self) -> String {
        let Line { contender, primitive, operation, size, .. } = self;
        let what = format!("{contender} {primitive} {operation}, {}", text::bytes(*size));
        format!("{}: {what}: {}", self.verdict(), why(self))
    }

    fn verdict(&self) -> String {
        match &self.timed {
            Some(timed) => by_time::verdict(timed),
            None => self.tested().map_or("missing", LeakVerdict::words).to_string(),
        }
    }

    /// Why nothing is known.
    pub fn reason(&self) -> Option<String> {
        match (&self.timed, &self.found) {
            (Some(timed), _) => by_time::reason(timed),
            (None, Ok(_)) => None,
            (None, Err(Unknown::Undecided(why) | Unknown::Missing(why))) => Some(why.clone()),
        }
    }

    /// What was compared, if anything was.
    pub fn method(&self) -> Option<&'static str> {
        match (&self.timed, &self.found) {
            (Some(_), _) => Some("time"),
            (None, Ok(_)) => Some("trace"),
            (None, Err(_)) => None,
        }
    }
}

/// What "none seen" means.
const MEANING: &str = "none seen: with each of these secrets, the calls executed the same instructions \
and touched the same addresses. That is a test of these secrets, not a proof; docs/leaks.md";

/// Writes them in the given format.
pub fn present(lines: &[Line], format: Format, style: Style) -> String {
    match format {
        Format::Json => {
            print::json(&json!({ "leaks": lines.iter().map(as_json).collect::<Vec<_>>() }))
        }
        _ => print::text(&document(lines), style),
    }
}

fn document(lines: &[Line]) -> Document {
    let mut document = Document::default();
    for line in lines {
        let leaks = Emphasis::Word(LeakVerdict::Leaks.words(), Colour::Red);
        document.line(None, line.in_words(), if line.leaks() { leaks } else { Emphasis::None });
        for leak in line.found.iter().flat_map(|examined| &examined.leaks) {
            document.item(1, in_a_line(leak));
        }
        for difference in line.timed.iter().flat_map(by_time::largest) {
            document.item(1, by_time::in_a_line(difference));
        }
    }
    if lines.iter().any(|line| line.verdict() == LeakVerdict::NoneSeen.words()) {
        document.gap();
        document.paragraph(MEANING);
    }
    if lines.iter().any(|line| line.verdict().starts_with(by_time::NONE_ABOVE)) {
        document.gap();
        document.paragraph(by_time::MEANING);
    }
    document
}

/// How much was compared, or why nothing was.
fn why(line: &Line) -> String {
    if let Some(timed) = &line.timed {
        return by_time::why(timed);
    }
    match &line.found {
        Ok(examined) => {
            let calls = text::count(examined.calls as usize, "call");
            let pairs = [(examined.keys, "other key"), (examined.messages, "other set")];
            let pairs = pairs.map(|(n, what)| text::count(n, what)).join(" and ");
            let tags = match examined.tags {
                0 => String::new(),
                tags => format!(", {}", text::count(tags, "forged tag")),
            };
            format!("{} instructions of {calls}, {pairs} of messages{tags}", examined.instructions)
        }
        Err(Unknown::Undecided(why) | Unknown::Missing(why)) => why.clone(),
    }
}

fn in_a_line(leak: &Leak) -> String {
    let others = leak.instructions - 1;
    let more = match others {
        0 => String::new(),
        _ => format!(" and {} of it", text::count(others, "other instruction")),
    };
    let what = match leak.kind {
        Kind::Branch => "takes other ways",
        Kind::Address => "touches other addresses",
        Kind::Operand => "divides other numbers",
    };
    let [base, other] = leak.apart.each_ref().map(|inputs| shortened(&value(leak.secret, inputs)));
    let secret = leak.secret.name();
    format!("{}{more} {what} by the {secret}: {base} or {other}", in_words(&leak.place))
}

/// The ends of a long value: the special keys differ there.
fn shortened(value: &str) -> String {
    match value.len() {
        ..=40 => value.to_string(),
        length => format!("{}..{}", &value[..8], &value[length - 8..]),
    }
}

fn value(secret: Secret, inputs: &Inputs) -> String {
    match secret {
        Secret::Key => hex::encode(&inputs.key),
        Secret::Message => format!("seed {}", inputs.seed),
        Secret::Tag => match inputs.forged {
            Some(byte) => format!("forged in byte {byte}"),
            None => "valid".to_string(),
        },
    }
}

fn as_json(line: &Line) -> Value {
    let examined = line.found.as_ref().ok();
    json!({
        "contender": line.contender,
        "primitive": line.primitive,
        "operation": line.operation,
        "size": line.size,
        "verdict": line.verdict(),
        "reason": line.reason(),
        "method": line.method(),
        "calls": examined.map(|examined| examined.calls),
        "instructions": examined.map(|examined| examined.instructions),
        "keys": examined.map(|examined| examined.keys),
        "messages": examined.map(|examined| examined.messages),
        "tags": examined.map(|examined| examined.tags),
        "leaks": examined.map_or(&[][..], |examined| &examined.leaks).iter().map(leak_as_json)
            .collect::<Vec<_>>(),
        "times": line.timed.as_ref().map(by_time::as_json),
    })
}

fn leak_as_json(leak: &Leak) -> Value {
    json!({
        "kind": leak.kind.name(),
        "secret": leak.secret.name(),
        "file": leak.place.file,
        "address": leak.place.address,
        "function": leak.place.function,
        "instructions": leak.instructions,
        "apart": leak.apart.each_ref().map(|inputs| value(leak.secret, inputs)),
    })
}
