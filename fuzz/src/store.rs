//! The import of another store, which may be any file, and the analysis of the imported runs.
#![no_main]

use cupel_analyse::analyse;
use cupel_store::Store;
use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;
use std::sync::LazyLock;

/// Stores are read from files: one for this process.
static FILE: LazyLock<(tempfile::TempDir, PathBuf)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("other.sqlite");
    (folder, path)
});

fuzz_target!(|bytes: &[u8]| {
    std::fs::write(&FILE.1, bytes).expect("a temporary file");
    let mut store = Store::in_memory().expect("a store in memory");
    let imported = store.import_parts(&FILE.1);
    let runs = store.runs().expect("its own runs can be read");
    assert!(imported.is_ok() || runs.is_empty(), "a file that was refused has added a run");
    for run in runs {
        // Damage that only its rounds have is reported when they are read.
        let Ok(mut recorded) = store.load(Some(run.id)) else { continue };
        if store.read_rounds(&mut recorded).is_ok() {
            let _ = analyse(&recorded);
        }
    }
});
