//! Replays transcripts against shell scripts: each departure is named with its line.
#![cfg(unix)]

use cupel_protocol::transcript::{Mismatch, replay, replay_within};
use std::process::Command;
use std::time::Duration;

const TRANSCRIPT: &str = r#"{"note": "It lists."}
{"send": {"id": 1, "ask": "list"}}
{"expect": {"id": 1, "name": "$string", "all": {"$contains": {"n": "$positive"}}}}
{"note": "It ends."}
{"send_raw": "bye"}
{"expect": {"id": 2}}
{"end_input": {}}
{"expect_exit": 0}
"#;

const FIRST: &str = r#"read ask; echo '{"id": 1, "name": "x", "all": [{"n": 0}, {"n": 7}]}'; "#;
const SECOND: &str = r#"read ask; [ "$ask" = bye ] && echo '{"id": 2, "more": null}'; "#;

fn replayed(script: &str) -> Result<(), Mismatch> {
    replay(Command::new("sh").args(["-c", script]), TRANSCRIPT)
}

#[test]
fn a_runner_that_keeps_to_a_transcript_passes() {
    assert_eq!(replayed(&format!("{FIRST}{SECOND}read ask; exit 0")), Ok(()));
}

#[test]
fn a_departure_has_its_line_its_note_and_what_was_found() {
    let other = FIRST.replace("\"x\"", "\"\"");
    let none = FIRST.replace("\"n\": 7", "\"n\": -7");
    for (script, line, note, words) in [
        (format!("{other}{SECOND}read ask"), 3, "It lists.", "reply.name is \"\""),
        (format!("{none}{SECOND}read ask"), 3, "It lists.", "reply.all"),
        (format!("{FIRST}exec >&-; read ask; read end"), 6, "It ends.", "the stream ended"),
        (format!("{FIRST}read ask; echo no"), 6, "It ends.", "in the line: no"),
        (format!("{FIRST}{SECOND}read ask; exit 3"), 8, "It ends.", "exit status: 3"),
        (format!("{FIRST}{SECOND}read ask; echo more"), 8, "It ends.", "it wrote more"),
    ] {
        let found = replayed(&script).expect_err(&script);
        assert_eq!((found.line, &*found.note), (line, note), "{script}: {found}");
        assert!(found.found.contains(words), "{script}: {found}");
    }
}

#[test]
fn a_silent_runner_and_a_wrong_transcript_are_named() {
    let within = |script: &str, transcript: &str| {
        let patience = Duration::from_millis(50);
        replay_within(Command::new("sh").args(["-c", script]), transcript, patience).unwrap_err()
    };
    let silent = within("exec sleep 60", "{\"expect\": {}}\n");
    assert!(silent.found.starts_with("nothing came within 0.05 s"), "{silent}");
    let stays = within("exec sleep 60 >/dev/null", "{\"expect_exit\": 0}\n");
    assert!(stays.found.contains("does not exit"), "{stays}");
    let wrong = within("exec sleep 60", "{\"note\": \"x\"}\n{\"expcet\": {}}\n");
    assert_eq!((wrong.line, &*wrong.expected), (2, "a line of a transcript"), "{wrong}");
    let closed = within("read x", "{\"end_input\": {}}\n{\"send\": {}}\n");
    assert!(closed.found.starts_with("sending failed"), "{closed}");
}
