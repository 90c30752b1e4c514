//! The page, the rows and the tables of a store that came from somebody else.
#![no_main]

use cupel_show::export::{What, export};
use cupel_show::report::{Format, page};
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
    let _ = store.import_parts(&FILE.1);
    for run in store.runs().expect("its own runs can be read") {
        if let Ok((_, page)) = page::write(&store, Some(run.id), &[]) {
            // The data cannot end its script and begin another.
            assert_eq!(page.matches("</script").count(), page.matches("<script").count());
        }
        for format in [Format::Csv, Format::Jsonl] {
            for what in [What::Cells, What::Slices] {
                let mut rows = Vec::new();
                let _ = export(&store, Some(run.id), what, format, Box::new(&mut rows));
                let text = String::from_utf8(rows).expect("UTF-8");
                assert!(!text.contains(|c: char| c.is_control() && !"\r\n".contains(c)));
            }
        }
    }
});
