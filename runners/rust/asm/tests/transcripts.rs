//! The runner reproduces every golden transcript of the protocol.

use cupel_protocol::transcript;
use std::process::Command;

#[test]
fn every_golden_transcript_is_held() {
    for (name, text) in transcript::ALL {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cupel-runner-rust-asm"));
        transcript::replay(&mut command, text).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
}
