//! The runner of RustCrypto's hashes with assembly, through the protocol.

use cupel_rust_checks as checks;
use std::path::{Path, PathBuf};

const RUNNER: &str = env!("CARGO_BIN_EXE_cupel-runner-rust-asm");

fn beside(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

#[test]
fn the_family_file_agrees_with_the_runner() {
    checks::family_file_agrees(RUNNER, &beside("../../contenders/rust-asm.toml"));
}

#[test]
fn versions_and_licences_are_the_packages_own() {
    checks::versions_and_licences_are_the_packages_own(RUNNER, &beside("Cargo.toml"));
}

#[test]
fn known_answers_are_given() {
    checks::known_answers_are_given(RUNNER);
}

#[test]
fn chunks_change_nothing() {
    checks::chunks_change_nothing(RUNNER);
}

#[test]
fn a_prefix_comes_before_every_message() {
    checks::a_prefix_comes_before_every_message(RUNNER);
}

#[test]
fn what_is_not_offered_is_unsupported() {
    checks::what_is_not_offered_is_unsupported(RUNNER);
}

#[test]
fn the_fold_of_a_slice_is_that_of_its_outputs() {
    checks::the_fold_of_a_slice_is_that_of_its_outputs(RUNNER);
}

#[test]
#[cfg(all(target_os = "linux", any(target_arch = "x86", target_arch = "x86_64")))]
fn the_assembly_of_sha1_and_sha2_is_linked() {
    for symbol in ["sha1_compress", "sha256_compress", "sha512_compress"] {
        assert!(checks::links(RUNNER, symbol), "{symbol}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn code_is_moved_to_pages_of_the_process() {
    checks::code_is_moved_to_pages_of_the_process(RUNNER);
}
