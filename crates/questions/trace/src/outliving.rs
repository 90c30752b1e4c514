//! Processes that still run when the program has ended, such as daemons. Their calls until then are
//! counted.

use std::path::Path;

/// Parts of the names of files in which calls are counted.
const COUNTED: [&str; 3] = ["/libcrypto.so.3", "/libgcrypt.so.20", "/libjvm.so"];

/// The programs that still have counts in this folder, and a library whose calls are counted.
pub fn outliving(folder: &Path) -> Vec<String> {
    let folder = folder.canonicalize().unwrap_or(folder.to_path_buf());
    let folder = folder.to_string_lossy();
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut all: Vec<String> = processes
        .filter_map(|process| {
            let maps = std::fs::read(process.path().join("maps")).ok()?;
            let maps = String::from_utf8_lossy(&maps);
            let is_counted = COUNTED.iter().any(|library| maps.contains(library));
            if !maps.contains(&*folder) || !is_counted {
                return None;
            }
            let program = std::fs::read_link(process.path().join("exe")).ok()?;
            let name = program.file_name()?.to_string_lossy().into_owned();
            Some(format!("the later calls of {name} (it still runs)"))
        })
        .collect();
    all.sort();
    all.dedup();
    all
}
