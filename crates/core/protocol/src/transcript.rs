//! Golden transcripts: conversations that every runner must reproduce in its tests, whatever
//! language it is written in. They use only the contender `empty`, which every runner offers.
//!
//! Each line is a JSON object with one field:
//!
//! | field | meaning |
//! |---|---|
//! | `note` | for the reader |
//! | `send` | this request, as one line |
//! | `send_raw` | this text, as one line |
//! | `end_input` | close the runner's standard input |
//! | `expect` | the runner's next line is an object that contains at least this |
//! | `expect_exit` | the runner writes nothing more and exits with this status |
//!
//! In an expected object, a field that is not named may have any value or be absent. A value may be
//! a wildcard: `"$any"`, `"$string"` (not empty), `"$number"`, `"$integer"`, `"$positive"`,
//! `"$hex16"`, `{"$one-of": [...]}`, and, for an array, `{"$contains": ...}`.

use crate::line::{self, LineError};
use serde::Deserialize;
use serde_json::Value;
use std::io::{BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long a runner may take for one reply, and for its exit.
pub const DEADLINE: Duration = Duration::from_secs(10);

macro_rules! transcripts {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../transcripts/", $name, ".jsonl")))),*]
    };
}

/// Every transcript: its name and its text.
pub const ALL: &[(&str, &str)] = transcripts![
    "handshake",
    "wrong-version",
    "unknown-field",
    "unknown-request",
    "malformed",
    "list",
    "slice",
    "unprepared",
    "second-contender",
    "unknown-contender",
    "unknown-primitive",
    "unknown-contract",
    "threads",
    "compute",
    "bye",
    "end-of-input",
];

/// Where a runner deviated from a transcript.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the transcript ({note}): expected {expected}, but {found}")]
pub struct Mismatch {
    /// The line of the transcript, from 1.
    pub line: usize,
    /// The note before that line.
    pub note: String,
    /// The line that the transcript expects there.
    pub expected: String,
    /// The event there.
    pub found: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Step {
    Note(String),
    Send(Value),
    SendRaw(String),
    EndInput {},
    Expect(Value),
    ExpectExit(i32),
}

/// Starts `command` as a runner and replays this transcript. Its standard input and output are
/// replaced; the rest of the command is used as given.
///
/// # Errors
/// The first line of the transcript from which the runner deviates. Line 0 if the command does not
/// start.
pub fn replay(command: &mut Command, transcript: &str) -> Result<(), Mismatch> {
    replay_within(command, transcript, DEADLINE)
}

/// [`replay`] with this time limit for each reply and for the exit.
///
/// # Errors
/// The errors of [`replay`].
pub fn replay_within(
    command: &mut Command,
    transcript: &str,
    patience: Duration,
) -> Result<(), Mismatch> {
    let mut talk = Talk::start(command, patience).map_err(|e| Mismatch {
        line: 0,
        note: "start".to_string(),
        expected: "a runner".to_string(),
        found: format!("{}: {e}", command.get_program().display()),
    })?;
    let mut note = String::new();
    for (at, text) in transcript.lines().enumerate() {
        let held = match serde_json::from_str(text) {
            Ok(Step::Note(text)) => {
                note = text;
                continue;
            }
            Ok(Step::Send(request)) => talk.send(&request.to_string()),
            Ok(Step::SendRaw(text)) => talk.send(&text),
            Ok(Step::EndInput {}) => {
                talk.input = None;
                Ok(())
            }
            Ok(Step::Expect(wanted)) => talk.expect(&wanted).map_err(|e| (wanted.to_string(), e)),
            Ok(Step::ExpectExit(status)) => {
                talk.expect_exit(status).map_err(|e| (format!("an exit with status {status}"), e))
            }
            Err(e) => Err(("a line of a transcript".to_string(), format!("this one: {e}"))),
        };
        held.map_err(|(expected, found)| Mismatch {
            line: at + 1,
            note: note.clone(),
            expected,
            found,
        })?;
    }
    Ok(())
}

/// A running runner, killed at the end of the replay.
struct Talk {
    runner: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Result<Vec<u8>, LineError>>,
    patience: Duration,
}

impl Talk {
    fn start(command: &mut Command, patience: Duration) -> std::io::Result<Talk> {
        let mut runner = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = runner.stdin.take();
        let mut output = BufReader::new(runner.stdout.take().expect("it was asked for"));
        let (sender, lines) = channel();
        // A read has no timeout; waiting for the reading thread has one.
        std::thread::spawn(move || {
            loop {
                let mut line = Vec::new();
                let read = line::read(&mut output, &mut line).map(|()| line);
                let last = read.is_err();
                if sender.send(read).is_err() || last {
                    return;
                }
            }
        });
        Ok(Talk { runner, input, lines, patience })
    }

    fn send(&mut self, text: &str) -> Result<(), (String, String)> {
        let sent = match &mut self.input {
            Some(input) => input.write_all(format!("{text}\n").as_bytes()),
            None => Err(std::io::ErrorKind::BrokenPipe.into()),
        };
        sent.map_err(|e| ("a runner that reads".to_string(), format!("sending failed: {e}")))
    }

    fn expect(&mut self, wanted: &Value) -> Result<(), String> {
        let line = match self.lines.recv_timeout(self.patience) {
            Ok(Ok(line)) => line,
            Ok(Err(e)) => return Err(e.to_string()),
            Err(RecvTimeoutError::Timeout) => {
                return Err(format!("nothing came within {} s", self.patience.as_secs_f64()));
            }
            Err(RecvTimeoutError::Disconnected) => return Err(LineError::End.to_string()),
        };
        let found: Value = line::parse(&line).map_err(|e| e.to_string())?;
        differs(wanted, &found, "reply").map_or(Ok(()), Err)
    }

    fn expect_exit(&mut self, status: i32) -> Result<(), String> {
        match self.lines.recv_timeout(self.patience) {
            Ok(Ok(line)) => return Err(format!("it wrote {}", line::excerpt(&line))),
            Err(RecvTimeoutError::Timeout) => return Err("it does not exit".to_string()),
            Ok(Err(LineError::End)) | Err(RecvTimeoutError::Disconnected) => {}
            Ok(Err(e)) => return Err(e.to_string()),
        }
        let start = Instant::now();
        loop {
            match self.runner.try_wait() {
                Ok(Some(left)) if left.code() == Some(status) => return Ok(()),
                Ok(Some(left)) => return Err(format!("it exited with {left}")),
                Ok(None) if start.elapsed() < self.patience => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Ok(None) => return Err("it closed its output but does not exit".to_string()),
                Err(e) => return Err(e.to_string()),
            }
        }
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        // Fails only if it has exited already.
        let _ = self.runner.kill();
        let _ = self.runner.wait();
    }
}

/// How `found` differs from `wanted`, in words; `location` is its place in the reply.
fn differs(wanted: &Value, found: &Value, location: &str) -> Option<String> {
    let unless = |holds: bool| (!holds).then(|| format!("{location} is {found}"));
    match wanted {
        Value::String(wildcard) if wildcard.starts_with('$') => match wildcard.as_str() {
            "$any" => None,
            "$string" => unless(found.as_str().is_some_and(|s| !s.is_empty())),
            "$number" => unless(found.is_number()),
            "$integer" => unless(found.is_u64() || found.is_i64()),
            "$positive" => unless(found.as_f64().is_some_and(|n| n > 0.0)),
            "$hex16" => unless(found.as_str().is_some_and(|s| {
                s.len() == 16 && s.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
            })),
            unknown => Some(format!("{unknown} is not a wildcard")),
        },
        Value::Object(fields) => {
            if let Some(Value::Array(values)) = fields.get("$one-of") {
                return unless(
                    values.iter().any(|value| differs(value, found, location).is_none()),
                );
            }
            if let Some(element) = fields.get("$contains") {
                let elements = found.as_array().map_or(&[][..], Vec::as_slice);
                return unless(elements.iter().any(|e| differs(element, e, location).is_none()));
            }
            let Value::Object(there) = found else { return unless(false) };
            fields.iter().find_map(|(name, wanted)| match there.get(name) {
                Some(found) => differs(wanted, found, &format!("{location}.{name}")),
                None => Some(format!("{location} has no {name}: {found}")),
            })
        }
        Value::Array(wanted) => {
            let Value::Array(there) = found else { return unless(false) };
            if wanted.len() != there.len() {
                return unless(false);
            }
            let mut pairs = wanted.iter().zip(there).enumerate();
            pairs.find_map(|(i, (w, f))| differs(w, f, &format!("{location}[{i}]")))
        }
        _ => unless(wanted == found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn matches(wanted: Value, found: Value) -> bool {
        differs(&wanted, &found, "it").is_none()
    }

    #[test]
    fn a_named_field_must_be_there_and_others_may() {
        assert!(matches(json!({"a": 1}), json!({"a": 1, "b": 2})));
        assert!(!matches(json!({"a": 1}), json!({"b": 2})));
        assert!(!matches(json!({"a": {"b": 1}}), json!({"a": {"b": 2}})));
        assert!(!matches(json!({"a": 1}), json!(1)));
    }

    #[test]
    fn arrays_match_in_order_and_length_or_by_one_element() {
        assert!(matches(json!([1, {"a": 1}]), json!([1, {"a": 1, "b": 1}])));
        assert!(!matches(json!([1, 2]), json!([2, 1])));
        assert!(!matches(json!([1]), json!([1, 2])));
        assert!(matches(json!({"$contains": {"a": 2}}), json!([{"a": 1}, {"a": 2}])));
        assert!(!matches(json!({"$contains": {"a": 3}}), json!([{"a": 1}, {"a": 2}])));
        assert!(!matches(json!({"$contains": 1}), json!({"a": 1})));
    }

    #[test]
    fn each_wildcard_takes_its_kind_and_no_other() {
        let kinds = [
            ("$string", json!("x"), json!("")),
            ("$number", json!(1.5), json!("1.5")),
            ("$integer", json!(2), json!(2.5)),
            ("$positive", json!(0.1), json!(0)),
            ("$hex16", json!("00112233445566ff"), json!("00112233445566FF")),
        ];
        for (wildcard, taken, refused) in kinds {
            assert!(matches(json!(wildcard), taken), "{wildcard}");
            assert!(!matches(json!(wildcard), refused), "{wildcard}");
        }
        assert!(matches(json!("$any"), json!(null)));
        assert!(!matches(json!("$strnig"), json!("x")), "a misspelt wildcard matches nothing");
        assert!(matches(json!({"$one-of": ["a", "b"]}), json!("b")));
        assert!(!matches(json!({"$one-of": ["a", "b"]}), json!("c")));
    }

    #[test]
    fn every_file_among_the_transcripts_is_embedded() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../protocol/transcripts");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort();
        let mut embedded: Vec<String> =
            ALL.iter().map(|(name, _)| format!("{name}.jsonl")).collect();
        embedded.sort();
        assert_eq!(files, embedded);
    }
}
