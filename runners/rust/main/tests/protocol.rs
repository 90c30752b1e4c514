//! The runner of Rust crates, through the protocol.

use cupel_rust_checks as checks;
use std::path::Path;

checks::check_runner!("cupel-runner-rust", "rust":
    known_answers_are_given,
    chunks_change_nothing,
    a_prefix_comes_before_every_message,
    what_is_not_offered_is_unsupported,
    the_fold_of_a_slice_is_that_of_its_outputs,
    what_is_not_authentic_is_refused,
);

#[test]
#[cfg(target_os = "linux")]
fn code_is_moved_to_pages_of_the_process() {
    checks::code_is_moved_to_pages_of_the_process(RUNNER);
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
