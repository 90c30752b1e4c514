//! The part of the tool's environment that a runner gets: the variables that decide where programs
//! and libraries are found and how runtimes work, and nothing that is none of its business, such as
//! tokens of a pipeline.

use std::fs::DirBuilder;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::PathBuf;
use std::process::Command;

/// The variables that a runner gets. Only some of a runtime's variables are here: others that begin
/// like `NODE_` or `UV_` have tokens.
const NAMES: [&str; 24] = [
    "GODEBUG",
    "GOGC",
    "GOMAXPROCS",
    "GOMEMLIMIT",
    "GOTRACEBACK",
    "HOME",
    "LANG",
    "LANGUAGE",
    "LOGNAME",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PATH",
    "SHELL",
    "SYSTEMROOT",
    "TEMP",
    "TERM",
    "TMP",
    "TMPDIR",
    "TZ",
    "USER",
    "UV_THREADPOOL_SIZE",
    "UV_USE_IO_URING",
    "VIRTUAL_ENV",
    "_JAVA_OPTIONS",
];

/// The beginnings of further names: variables of the loader, the allocators, the tool, and the
/// measured runtimes and libraries.
const PREFIXES: [&str; 15] = [
    "ASAN_",
    "BOTAN_",
    "CUPEL_",
    "DYLD_",
    "GLIBC_",
    "JAVA_",
    "JDK_",
    "LC_",
    "LD_",
    "LIBGCRYPT_",
    "LSAN_",
    "MALLOC_",
    "OPENSSL_",
    "PYTHON",
    "RUST_",
];

/// Leaves out everything else. The tool sets this runner's own variables afterwards.
pub fn clean(command: &mut Command) {
    command.env_clear();
    command.envs(std::env::vars_os().filter(|(name, _)| {
        let name = name.to_string_lossy();
        NAMES.contains(&&*name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
    }));
}

/// Lets libraries of a confined runner put their caches where it may write. JNA takes a folder in
/// `~/.cache` if an earlier program has made it, and then fails. Libraries load code from there, so
/// it is a folder of this user alone; without one, nothing is changed.
pub fn move_caches(command: &mut Command) {
    if let Some(folder) = private_folder() {
        command.env("XDG_CACHE_HOME", folder);
    }
}

/// A folder in the temporary one that only this user can enter.
fn private_folder() -> Option<PathBuf> {
    // SAFETY: geteuid has no preconditions.
    let user = unsafe { libc::geteuid() };
    let folder = std::env::temp_dir().join(format!("cupel-caches-{user}"));
    let _ = DirBuilder::new().mode(0o700).create(&folder);
    let found = std::fs::symlink_metadata(&folder).ok()?;
    let is_private = found.is_dir() && found.uid() == user && found.mode() & 0o077 == 0;
    is_private.then_some(folder)
}
