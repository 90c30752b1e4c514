//! The runner reproduces every golden transcript of the protocol.

mod common;

use common::Family;
use cupel_protocol::transcript;
use std::process::Command;

#[test]
fn every_golden_transcript_is_held() {
    let empty = Family::read("empty").build();
    for (name, text) in transcript::ALL {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cupel-runner-native"));
        command.arg(&empty);
        transcript::replay(&mut command, text).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
}
