//! A suite with its claims.
#![no_main]

use cupel_suite::Suite;
use libfuzzer_sys::fuzz_target;
use std::path::Path;

fuzz_target!(|text: &str| {
    match Suite::parse(Path::new("fuzzed.toml"), text.to_string()) {
        Ok(suite) => assert!(!suite.workloads.is_empty()),
        Err(problem) => assert!(!problem.to_string().is_empty()),
    }
});
