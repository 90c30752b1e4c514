//! The runner of RustCrypto's hashes with assembly, through the protocol.

use cupel_rust_checks as checks;

checks::check_runner!("cupel-runner-rust-asm", "rust-asm":
    known_answers_are_given,
    chunks_change_nothing,
    a_prefix_comes_before_every_message,
    what_is_not_offered_is_unsupported,
    the_fold_of_a_slice_is_that_of_its_outputs,
);

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
