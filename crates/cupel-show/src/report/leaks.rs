//! What was seen of leaks: a line for each contender, operation and size, and one for each leak.

use super::document::{Colour, Document, Emphasis};
use super::print;
use super::style::{Format, Style};
use cupel_base::text;
use cupel_protocol::workload::Operation;
use cupel_store::LeakVerdict;
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
}

impl Line {
    /// Whether a leak was seen.
    pub fn leaks(&self) -> bool {
        self.found.as_ref().is_ok_and(|examined| !examined.leaks.is_empty())
    }

    /// Whether the contender is not there.
    pub fn is_missing(&self) -> bool {
        matches!(self.found, Err(Unknown::Missing(_)))
    }

    /// What the test says; `None` if there was no test, because the contender is not there.
    pub fn tested(&self) -> Option<LeakVerdict> {
        match &self.found {
            Ok(_) if self.leaks() => Some(LeakVerdict::Leaks),
            Ok(_) => Some(LeakVerdict::NoneSeen),
            Err(Unknown::Undecided(_)) => Some(LeakVerdict::Undecided),
            Err(Unknown::Missing(_)) => None,
        }
    }

    fn verdict(&self) -> &'static str {
        self.tested().map_or("missing", LeakVerdict::words)
    }

    /// Why nothing is known.
    pub fn reason(&self) -> Option<&str> {
        match &self.found {
            Ok(_) => None,
            Err(Unknown::Undecided(why) | Unknown::Missing(why)) => Some(why),
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
        let Line { contender, primitive, operation, size, .. } = line;
        let what = format!("{contender} {primitive} {operation}, {}", text::bytes(*size));
        let said = format!("{}: {what}{}", line.verdict(), why(line));
        let leaks = Emphasis::Word(LeakVerdict::Leaks.words(), Colour::Red);
        document.line(None, said, if line.leaks() { leaks } else { Emphasis::None });
        for leak in line.found.iter().flat_map(|examined| &examined.leaks) {
            document.item(1, in_a_line(leak));
        }
    }
    if lines.iter().any(|line| line.tested() == Some(LeakVerdict::NoneSeen)) {
        document.gap();
        document.paragraph(MEANING);
    }
    document
}

/// How much was compared, or why nothing was.
fn why(line: &Line) -> String {
    match &line.found {
        Ok(examined) => {
            let calls = text::count(examined.calls as usize, "call");
            let pairs = [(examined.keys, "other key"), (examined.messages, "other set")];
            let pairs = pairs.map(|(n, what)| text::count(n, what)).join(" and ");
            format!(": {} instructions of {calls}, {pairs} of messages", examined.instructions)
        }
        Err(Unknown::Undecided(why) | Unknown::Missing(why)) => format!(": {why}"),
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
        "calls": examined.map(|examined| examined.calls),
        "instructions": examined.map(|examined| examined.instructions),
        "keys": examined.map(|examined| examined.keys),
        "messages": examined.map(|examined| examined.messages),
        "leaks": examined.map_or(&[][..], |examined| &examined.leaks).iter().map(leak_as_json)
            .collect::<Vec<_>>(),
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
