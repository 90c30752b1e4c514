//! The golden transcripts, which every runner must hold.

use super::{Finding, Program, Section, Verdict};
use crate::primitives::EMPTY;
use cupel_protocol::message::Listed;
use cupel_protocol::transcript;
use std::process::{Command, Stdio};

/// What to do about a departure from each transcript.
const REMEDIES: &[(&str, &str)] = &[
    ("handshake", "answer hello with protocol, runner, version and clock"),
    ("wrong-version", "answer a hello of another version `unsupported`, and go on"),
    ("unknown-field", "ignore fields that it does not know, everywhere but in a contract"),
    ("unknown-request", "answer a request that it does not know `unsupported`, and go on"),
    (
        "malformed",
        "answer a line that is no request `failed`, with its id or else 0, and read the next",
    ),
    ("list", "list every contender with name, library, version and offers"),
    ("slice", "make `preroll` calls, then time `iterations`, and fold the timed outputs"),
    ("unprepared", "answer a slice of a cell that was not prepared `failed`"),
    ("second-contender", "keep to the first contender; answer every other name `failed`"),
    ("unknown-contender", "answer the name of a contender that it does not host `failed`"),
    ("unknown-primitive", "answer what the contender does not offer `unsupported`"),
    (
        "unknown-contract",
        "refuse a contract with a field that it does not know: it would time other work",
    ),
    ("compute", "answer every case, in order"),
    ("bye", "reply to bye, then leave with status 0"),
    ("end-of-input", "leave with status 0 when the input ends"),
];

/// What a line says that needs the contender `empty`.
const NEEDS_EMPTY: [&str; 2] = [r#""contender": "empty""#, r#""name": "empty""#];

/// Replays all. Of a program that is known not to host `empty`, what does not need it.
pub fn examine(program: &Program, listed: Option<&[Listed]>) -> Vec<Finding> {
    let hosts_empty =
        listed.is_none_or(|listed| listed.iter().any(|l| l.name == EMPTY && l.missing.is_none()));
    let each = transcript::ALL.iter();
    let each = each.map(|(name, text)| {
        let verdict =
            if hosts_empty { replay(program, name, text) } else { part(program, name, text) };
        Finding::new(&Section::Transcripts, *name, Ok(verdict))
    });
    each.collect()
}

/// Replays a transcript up to the first line that needs `empty`.
fn part(program: &Program, name: &str, text: &str) -> Verdict {
    let needs_empty = |line: &&str| NEEDS_EMPTY.iter().any(|sign| line.contains(sign));
    let lines: Vec<&str> = text.lines().collect();
    let kept = lines.iter().position(needs_empty).unwrap_or(lines.len());
    let expected = |from: &[&str]| from.iter().filter(|l| l.starts_with(r#"{"expect"#)).count();
    // Of many the greeting alone would be left, which is no check of what they are about.
    if kept < lines.len() && expected(&lines[..kept]) <= 1 {
        return Verdict::Skipped(format!("it is a talk about the contender `{EMPTY}`"));
    }
    replay(program, name, &lines[..kept].join("\n"))
}

fn replay(program: &Program, name: &str, text: &str) -> Verdict {
    let mut command = Command::new(&program.command[0]);
    command.args(&program.command[1..]).stderr(Stdio::null());
    match transcript::replay_within(&mut command, text, program.patience) {
        Ok(()) => Verdict::Well,
        Err(mismatch) => {
            let remedy = REMEDIES.iter().find(|(n, _)| *n == name).map_or("", |(_, r)| r);
            Verdict::wrong(mismatch.to_string(), remedy)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_transcript_has_a_remedy() {
        let names = |pairs: &[(&'static str, &str)]| pairs.iter().map(|p| p.0).collect::<Vec<_>>();
        assert_eq!(names(REMEDIES), names(transcript::ALL));
    }
}
