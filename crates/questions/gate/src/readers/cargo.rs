//! The output of `cargo bench` around the results of each program.

/// The source of the program that `cargo bench` begins to run: `Running benches/aead.rs (target/...)`
pub fn running(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("Running ")?.split_once(" (")?.0.split_whitespace().last()
}
