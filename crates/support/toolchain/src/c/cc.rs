//! The system's own C compiler, which also links the objects of other compilers.

use cupel_base::packages;
use cupel_protocol::message::Refusal;
use std::path::{Path, PathBuf};

/// Its path, or its name on the path.
pub fn compiler() -> PathBuf {
    std::env::var_os("CC").filter(|cc| !cc.is_empty()).map_or_else(|| "cc".into(), PathBuf::from)
}

/// Where a program is, if it is anywhere.
pub fn located(program: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return program.is_file().then(|| program.to_path_buf());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|p| p.is_file())
}

/// The identity of compilers without starting them, and of archives: path, length and modification
/// time.
pub fn identity(file: &Path) -> String {
    let Some(real) = located(file).and_then(|p| p.canonicalize().ok()) else {
        return file.display().to_string();
    };
    let meta = std::fs::metadata(&real).ok();
    format!("{} {:?}", real.display(), meta.map(|m| (m.len(), m.modified().ok())))
}

/// The refusal if there is no C compiler, the same for all that needs one.
pub fn missing() -> Refusal {
    Refusal {
        reason: format!("no C compiler: {} does not exist", compiler().display()),
        remedy: Some(packages::remedy("apt-get install gcc libc6-dev, or set CC")),
    }
}

/// Whether the log of a build reports that there is no linker.
pub(crate) fn misses_linker(log: &str) -> bool {
    log.contains("linker `") && log.contains("` not found")
}
