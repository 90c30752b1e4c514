//! The runner of crates for a newer Rust, through the protocol.

use cupel_rust_checks as checks;
use std::path::{Path, PathBuf};

const RUNNER: &str = env!("CARGO_BIN_EXE_cupel-runner-rust-new");

fn beside(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

#[test]
fn the_family_file_agrees_with_the_runner() {
    checks::family_file_agrees(RUNNER, &beside("../../contenders/rust-new.toml"));
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
fn what_is_not_authentic_is_refused() {
    checks::what_is_not_authentic_is_refused(RUNNER);
}

#[test]
fn the_fold_of_a_slice_is_that_of_its_outputs() {
    checks::the_fold_of_a_slice_is_that_of_its_outputs(RUNNER);
}
