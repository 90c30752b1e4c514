//! The answer about leaks: a line for each contender, operation and size, and one for each leak.

mod by_time;

pub use by_time::largest;

use crate::by_time::{Decision, Timed};
use crate::secrets::{Inputs, Secret};
use crate::traces::{Examined, Kind, Leak, Unknown, in_words};
use cupel_base::text;
use cupel_print::document::{Colour, Document, Emphasis};
use cupel_print::{Format, Style, print};
use cupel_protocol::workload::Operation;
use cupel_steps::places::Place;
use cupel_store::LeakVerdict;
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
    /// The length of the associated data in bytes.
    pub ad: u32,
    /// The findings, or why nothing is known.
    pub found: Result<Examined, Unknown>,
    /// The result of its times, if its calls could not be compared otherwise.
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

    /// The verdict of the test; `None` if there was no test, because the contender is not there.
    pub fn tested(&self) -> Option<LeakVerdict> {
        match (&self.timed, &self.found) {
            (Some(timed), _) => Some(by_time::tested(timed)),
            (None, Ok(_)) if self.leaks() => Some(LeakVerdict::Leaks),
            (None, Ok(_)) => Some(LeakVerdict::NoneSeen),
            (None, Err(Unknown::Undecided(_) | Unknown::HandedOn(_))) => {
                Some(LeakVerdict::Undecided)
            }
            (None, Err(Unknown::Missing(_))) => None,
        }
    }

    /// Whether it is known if it leaks, as far as this is known of anything.
    pub fn is_decided(&self) -> bool {
        matches!(self.tested(), Some(LeakVerdict::Leaks | LeakVerdict::NoneSeen))
    }

    /// The findings, in a line.
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
            (None, Err(why)) => Some(words(why).to_string()),
        }
    }

    /// Why its calls were not stepped, if they were timed instead.
    pub fn not_stepped(&self) -> Option<&str> {
        self.timed.as_ref()?;
        self.found.as_ref().err().map(words)
    }

    /// The compared traces or times, the limit of the answer; `None` if nothing was compared.
    pub fn compared(&self) -> Option<String> {
        let how = match (&self.timed, &self.found) {
            (Some(timed), _) => format!("times ({})", by_time::verdict(timed)),
            (None, Ok(examined)) => {
                let word = if examined.calls.len() == 1 { "call" } else { "calls" };
                format!("{word} {}", text::several(&ranges(&examined.calls)))
            }
            (None, Err(_)) => return None,
        };
        Some(format!("{how}; {}", self.secrets()))
    }

    /// How it was compared, if it was.
    pub fn method(&self) -> Option<&'static str> {
        match (&self.timed, &self.found) {
            (Some(_), _) => Some("time"),
            (None, Ok(_)) => Some("trace"),
            (None, Err(_)) => None,
        }
    }

    /// Between which secrets, and with which associated data.
    fn secrets(&self) -> String {
        let (keys, messages, tags) = match (&self.timed, &self.found) {
            (Some(timed), _) => (timed.keys, timed.messages, &timed.tags[..]),
            (None, Ok(examined)) => (examined.keys, examined.messages, &examined.tags[..]),
            (None, Err(_)) => (0, 0, &[][..]),
        };
        let secrets = [(keys, "other key"), (messages, "other set")];
        let secrets = secrets.map(|(n, what)| text::count(n, what)).join(" and ");
        let bytes: Vec<String> = tags.iter().map(u8::to_string).collect();
        let tags =
            (!tags.is_empty()).then(|| format!("tags forged in bytes {}", text::several(&bytes)));
        let has_ad = matches!(self.operation, Operation::Seal | Operation::Open);
        let ad = has_ad.then(|| match self.ad {
            0 => "no associated data".to_string(),
            length => format!("associated data of {}", text::bytes(u64::from(length))),
        });
        let parts = [format!("{secrets} of messages")].into_iter().chain(tags).chain(ad);
        parts.collect::<Vec<_>>().join("; ")
    }
}

/// The meaning of "none seen".
const MEANING: &str = "none seen: with each of these secrets, these calls executed the same instructions \
and touched the same addresses. That is a test of these secrets, not a proof. Not compared: other calls, \
lengths, keys and messages, forged ciphertexts, subnormal numbers, and what a processor does by itself \
with equal instructions; docs/guide/leaks.md";

/// The words of a reason.
fn words(why: &Unknown) -> &str {
    let (Unknown::Missing(why) | Unknown::Undecided(why) | Unknown::HandedOn(why)) = why;
    why
}

/// Increasing numbers, those that follow each other as a range: `1 to 8`, `17`.
fn ranges(numbers: &[u64]) -> Vec<String> {
    let follow = |a: &u64, b: &u64| a + 1 == *b;
    let ranges = numbers.chunk_by(follow).map(|range| match range {
        [one] => vec![one.to_string()],
        [one, other] => vec![one.to_string(), other.to_string()],
        [first, .., last] => vec![format!("{first} to {last}")],
        [] => vec![],
    });
    ranges.flatten().collect()
}

/// Writes them in the given format.
pub fn present(lines: &[Line], format: Format, style: Style) -> String {
    match format {
        Format::Json => {
            print::json(&json!({ "leaks": lines.iter().map(as_json).collect::<Vec<_>>() }))
        }
        _ => print::text(&document(lines, style), style),
    }
}

fn document(lines: &[Line], style: Style) -> Document {
    let mut document = Document::default();
    for line in lines {
        let leaks = Emphasis::Word(LeakVerdict::Leaks.words(), Colour::Red);
        document.line(None, line.in_words(), if line.leaks() { leaks } else { Emphasis::None });
        for leaks in line.found.iter().flat_map(|examined| alike(&examined.leaks)) {
            document.item(1, sentence(&leaks));
            let shown = if style.verbose { leaks.len() } else { SHOWN };
            for leak in leaks.iter().take(shown) {
                document.item(2, in_a_line(leak));
            }
            if leaks.len() > shown {
                let more = text::count(leaks.len() - shown, "other function");
                document.item(2, format!("{more}: --verbose names all"));
            }
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
        let not_stepped = line.not_stepped().unwrap_or_default();
        let (times, secrets) = (by_time::why(timed), line.secrets());
        return format!("{times}; {secrets}; timed, because {not_stepped}");
    }
    let compared = line.compared().unwrap_or_default();
    match &line.found {
        Ok(examined) => format!("{} instructions of {compared}", examined.instructions),
        Err(why) => words(why).to_string(),
    }
}

/// How many functions are named of each kind of leak.
const SHOWN: usize = 3;

/// The leaks of one secret that show alike, in the order in which they were found; those with the
/// most instructions first.
fn alike(leaks: &[Leak]) -> Vec<Vec<&Leak>> {
    let mut groups: Vec<Vec<&Leak>> = Vec::new();
    for leak in leaks {
        let same =
            |group: &&mut Vec<&Leak>| (group[0].secret, group[0].kind) == (leak.secret, leak.kind);
        match groups.iter_mut().find(same) {
            Some(group) => group.push(leak),
            None => groups.push(vec![leak]),
        }
    }
    for group in &mut groups {
        group.sort_by_key(|leak| std::cmp::Reverse(leak.instructions));
    }
    groups
}

/// The steps of the code that show a secret, and where: `looks up tables at addresses that depend
/// on the key: 248 instructions in libwolfssl`.
fn sentence(alike: &[&Leak]) -> String {
    let does = match alike[0].kind {
        Kind::Branch => "takes branches that depend on",
        Kind::Address => "looks up tables at addresses that depend on",
        Kind::Operand => "divides numbers that depend on",
    };
    let secret = match alike[0].secret {
        Secret::Key => "the key",
        Secret::Message => "the message",
        Secret::Tag => "how far a forged tag is right",
    };
    let mut files: Vec<(String, usize)> = Vec::new();
    for leak in alike {
        let name = library(&leak.place);
        match files.iter_mut().find(|(known, _)| *known == name) {
            Some((_, instructions)) => *instructions += leak.instructions,
            None => files.push((name, leak.instructions)),
        }
    }
    let files: Vec<String> = files
        .into_iter()
        .map(|(name, instructions)| {
            format!("{} in {name}", text::count(instructions, "instruction"))
        })
        .collect();
    format!("{does} {secret}: {}", files.join(", "))
}

/// The name of a library without its version: `libwolfssl` of `libwolfssl.so.35`.
fn library(place: &Place) -> String {
    let Some(name) = place.file.file_name() else { return "code in no file".to_string() };
    let name = name.to_string_lossy();
    name.split_once(".so").map_or(&*name, |(before, _)| before).to_string()
}

/// Where, and which two secrets it tells apart.
fn in_a_line(leak: &Leak) -> String {
    let [base, other] = leak.apart.each_ref().map(|inputs| shortened(&value(leak.secret, inputs)));
    let instructions = text::count(leak.instructions, "instruction");
    format!("{}: {instructions}, with {base} or {other}", in_words(&leak.place))
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
        "not_stepped": line.not_stepped(),
        "compared": line.compared(),
        "ad": line.ad,
        "calls": examined.map(|examined| &examined.calls),
        "instructions": examined.map(|examined| examined.instructions),
        "keys": examined.map(|examined| examined.keys),
        "messages": examined.map(|examined| examined.messages),
        "tags": examined.map(|examined| &examined.tags),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn leak(secret: Secret, kind: Kind, file: &str, function: &str, instructions: usize) -> Leak {
        let inputs = |key| Inputs { key: vec![key; 2], seed: 1, forged: None };
        let place =
            Place { file: file.into(), address: 0x1234, function: Some(function.to_string()) };
        Leak { secret, kind, place, instructions, apart: [inputs(0), inputs(255)] }
    }

    #[test]
    fn a_leak_is_what_the_code_does_and_where() {
        let wolfssl = "/usr/lib/libwolfssl.so.35";
        let all = [
            leak(Secret::Key, Kind::Address, wolfssl, "wc_AesSetKey", 24),
            leak(Secret::Key, Kind::Address, wolfssl, "AesEncrypt", 224),
            leak(Secret::Key, Kind::Address, "/usr/lib/libc.so.6", "memcpy", 1),
            leak(Secret::Key, Kind::Branch, "/tmp/planted", "compares", 1),
            leak(Secret::Tag, Kind::Branch, wolfssl, "compares", 2),
            leak(Secret::Message, Kind::Operand, "", "divides", 3),
        ];
        let said: Vec<String> = alike(&all).iter().map(|group| sentence(group)).collect();
        assert_eq!(
            said,
            [
                "looks up tables at addresses that depend on the key: 248 instructions in \
                 libwolfssl, 1 instruction in libc",
                "takes branches that depend on the key: 1 instruction in planted",
                "takes branches that depend on how far a forged tag is right: 2 instructions in \
                 libwolfssl",
                "divides numbers that depend on the message: 3 instructions in code in no file",
            ]
        );
        assert_eq!(
            in_a_line(alike(&all)[0][0]),
            "libwolfssl.so.35 at 0x1234 (AesEncrypt): 224 instructions, with 0000 or ffff"
        );
    }
}
