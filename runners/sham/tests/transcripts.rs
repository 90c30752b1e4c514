//! The sham reproduces the golden transcripts, and a runner that deviates is caught at the correct
//! line.

use cupel_protocol::transcript::{self, Mismatch};
use std::process::Command;

fn replay(name: &str, script: &str) -> Result<(), Mismatch> {
    let (_, text) = transcript::ALL.iter().find(|(n, _)| *n == name).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_cupel-sham"));
    transcript::replay(command.args(["--script", script]), text)
}

#[test]
fn the_sham_holds_every_talk() {
    for (name, _) in transcript::ALL {
        if let Err(mismatch) = replay(name, "{}") {
            panic!("{name}: {mismatch}");
        }
    }
}

fn spoiled(fault: &str) -> String {
    format!(r#"{{"contenders": [{{"name": "empty", "primitives": ["empty"], "fault": {fault}}}]}}"#)
}

#[test]
fn a_departure_is_named_with_its_line() {
    let cases = [
        ("slice", r#"{"kind": "wrong-fold"}"#, 9, "reply.fold is \"0000000000000001\""),
        ("slice", r#"{"kind": "wrong-fold", "after": 1}"#, 11, "fold"),
        ("slice", r#"{"kind": "lies-about-iterations"}"#, 9, "reply.iterations is 40000"),
        ("slice", r#"{"kind": "takes-no-time"}"#, 9, "elapsed_ns is 0"),
        ("slice", r#"{"kind": "stdout-noise", "at": "prepare"}"#, 5, "libsham"),
        ("slice", r#"{"kind": "fails", "at": "prepare", "after": 1}"#, 7, "the script says so"),
        ("compute", r#"{"kind": "wrong-output"}"#, 5, "reply.answers[0].output is \"01\""),
        ("compute", r#"{"kind": "half-line"}"#, 5, "in the middle of a line"),
        ("compute", r#"{"kind": "crash"}"#, 5, "the stream ended"),
        ("handshake", r#"{"kind": "rubbish", "at": "hello"}"#, 3, "line:"),
        ("handshake", r#"{"kind": "early-exit", "at": "hello"}"#, 3, "the stream ended"),
    ];
    for (name, fault, line, words) in cases {
        let mismatch = replay(name, &spoiled(fault)).expect_err(fault);
        assert_eq!(mismatch.line, line, "{fault}: {mismatch}");
        assert!(mismatch.found.contains(words), "{fault}: {mismatch}");
    }
}

#[test]
fn a_program_that_does_not_start_is_named() {
    let mismatch = transcript::replay(&mut Command::new("no-such-runner"), "").unwrap_err();
    assert_eq!(mismatch.line, 0);
    assert!(mismatch.found.contains("no-such-runner"), "{mismatch}");
}
