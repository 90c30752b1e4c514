//! What a runner gets of the tool's environment: what decides where programs and libraries are found
//! and how runtimes work, and nothing that is none of its business, such as tokens of a pipeline.

use std::process::Command;

/// The variables that a runner gets.
const NAMES: [&str; 14] = [
    "HOME",
    "LANG",
    "LANGUAGE",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TEMP",
    "TERM",
    "TMP",
    "TMPDIR",
    "TZ",
    "USER",
    "VIRTUAL_ENV",
    "_JAVA_OPTIONS",
];

/// The beginnings of names of further ones: those of the loader, of allocators, of the tool itself,
/// and of the runtimes and libraries that are measured. `GO` is more than `GODEBUG` and `GOMAXPROCS`,
/// because Go has many of these.
const PREFIXES: [&str; 20] = [
    "ASAN_",
    "BOTAN_",
    "CUPEL_",
    "DYLD_",
    "GLIBC_",
    "GO",
    "JAVA_",
    "JDK_",
    "LC_",
    "LD_",
    "LIBGCRYPT_",
    "LSAN_",
    "MALLOC_",
    "NODE_",
    "OPENSSL_",
    "PYTHON",
    "RUST_",
    "SYSTEMROOT",
    "UV_",
    "XDG_",
];

/// Leaves out everything else. What the tool sets for this runner comes afterwards.
pub fn clean(command: &mut Command) {
    command.env_clear();
    command.envs(std::env::vars_os().filter(|(name, _)| {
        let name = name.to_string_lossy();
        NAMES.contains(&&*name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
    }));
}
