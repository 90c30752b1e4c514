//! The file of a family of contenders.
#![no_main]

use cupel_contender::Family;
use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;
use std::sync::LazyLock;

/// Families are read from files: one for this process.
static FILE: LazyLock<(tempfile::TempDir, PathBuf)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("fuzzed.toml");
    (folder, path)
});

fuzz_target!(|text: &[u8]| {
    std::fs::write(&FILE.1, text).expect("a temporary file");
    if let Err(problem) = Family::load(&FILE.1) {
        assert!(!problem.to_string().is_empty());
    }
});
