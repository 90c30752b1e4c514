//! The runner of Rust crates, through the protocol.

use cupel_rust_checks as checks;
use std::path::{Path, PathBuf};

const RUNNER: &str = env!("CARGO_BIN_EXE_cupel-runner-rust");

fn beside(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

#[test]
fn the_family_file_agrees_with_the_runner() {
    checks::family_file_agrees(RUNNER, &beside("../../contenders/rust.toml"));
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
#[cfg(target_os = "linux")]
fn code_is_moved_to_pages_of_the_process() {
    checks::code_is_moved_to_pages_of_the_process(RUNNER);
}

#[test]
fn what_is_not_authentic_is_refused() {
    checks::what_is_not_authentic_is_refused(RUNNER);
}

#[test]
fn files_are_digested_whole_every_time() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    checks::files_are_digested_whole_every_time(RUNNER, folder);
}

/// Feature unification would give this runner the assembly if both runners were built together.
#[test]
#[cfg(target_os = "linux")]
fn the_assembly_of_sha1_and_sha2_is_not_linked() {
    for symbol in ["sha1_compress", "sha256_compress", "sha512_compress"] {
        assert!(!checks::links(RUNNER, symbol), "{symbol}: was this built with --workspace?");
    }
}
