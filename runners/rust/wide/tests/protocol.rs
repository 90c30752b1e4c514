//! The runner of RustCrypto's wider code, through the protocol.

cupel_rust_checks::check_runner!("cupel-runner-rust-wide", "rust-wide":
    known_answers_are_given,
    what_is_not_authentic_is_refused,
    the_fold_of_a_slice_is_that_of_its_outputs,
);
