//! The golden transcripts, which every runner must reproduce.

use super::{Finding, Program, Section, Verdict};
use cupel_base::primitives::EMPTY;
use cupel_protocol::message::Listed;
use cupel_protocol::transcript;
use std::process::{Command, Stdio};

/// What to do about a deviation from each transcript.
const REMEDIES: &[(&str, &str)] = &[
    ("handshake", "answer hello with protocol, runner, version and clock"),
    ("wrong-version", "answer `unsupported` to a hello of another version, and continue"),
    ("unknown-field", "ignore unknown fields, everywhere but in a contract"),
    ("unknown-request", "answer `unsupported` to an unknown request, and continue"),
    (
        "malformed",
        "answer `failed` to a line that is not a request, with its id or else 0, and read the next",
    ),
    ("list", "list every contender with name, library, version and offers"),
    ("slice", "make `preroll` calls, then time `iterations`, and fold the timed outputs"),
    ("unprepared", "answer `failed` to a slice of a cell that was not prepared"),
    ("second-contender", "keep to the first contender; answer `failed` to every other name"),
    (
        "unknown-contender",
        "answer `failed` to the name of a contender that the program does not host",
    ),
    ("unknown-primitive", "answer `unsupported` to what the contender does not offer"),
    (
        "unknown-contract",
        "refuse a contract with an unknown field: the program would time other work",
    ),
    (
        "threads",
        "refuse threads that you do not have, and answer the next request (SPEC.md, \"Threads\")",
    ),
    ("compute", "answer every case, in order"),
    ("bye", "reply to bye, then exit with status 0"),
    ("end-of-input", "exit with status 0 when the input ends"),
];

/// The text that marks a line as one that needs the contender `empty`.
const NEEDS_EMPTY: [&str; 2] = [r#""contender": "empty""#, r#""name": "empty""#];

/// Replays all transcripts. For a program that does not host `empty`, the parts that do not need
/// it.
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
    let kept: Vec<&str> = text
        .lines()
        .take_while(|line| !NEEDS_EMPTY.iter().any(|sign| line.contains(sign)))
        .collect();
    let replies = kept.iter().filter(|line| line.starts_with(r#"{"expect"#)).count();
    // Often only the greeting would remain, which does not check the transcript's subject.
    if kept.len() < text.lines().count() && replies <= 1 {
        return Verdict::Skipped(format!("it is about the contender `{EMPTY}`"));
    }
    replay(program, name, &kept.join("\n"))
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
        assert!(REMEDIES.iter().all(|(_, remedy)| !remedy.is_empty()), "{REMEDIES:?}");
    }
}
