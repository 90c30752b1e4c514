//! Zig, which Cupel installs from PyPI's ziglang wheel for the C compiler in it: it compiles for
//! WebAssembly on a machine whose own compilers cannot.

use crate::language::wheel::Wheel;
use anyhow::Result;
use cupel_base::home::Home;
use std::path::{Path, PathBuf};

/// Its version.
pub const VERSION: &str = "0.15.2";

/// Folders below `lib` that nothing here needs: sources of other targets' C libraries. Half of all.
const UNUSED: [&str; 3] = ["libc", "libcxx", "libtsan"];

/// The folder in which it is or would be installed.
pub fn folder(home: &Home) -> PathBuf {
    home.cache.join("toolchains").join(format!("zig-{VERSION}"))
}

/// The program, if it was installed.
pub fn installed(home: &Home) -> Option<PathBuf> {
    Some(folder(home).join("zig")).filter(|program| program.is_file())
}

/// Downloads, checks and unpacks it, unless it is installed. Returns whether it was installed now.
///
/// # Errors
/// If a step fails; nothing is left behind then.
pub fn add(home: &Home) -> Result<bool> {
    let wheel = Wheel {
        package: "ziglang",
        version: VERSION,
        sha256: "806316453d1ede7174ed3fefb8e5348154629089c3bb5fe812dfd0e172fac130",
        inside: "ziglang",
        programs: &["zig"],
    };
    wheel.add(home, &folder(home), "clang and lld", &without_unused)
}

/// Deletes the parts that nothing here needs.
fn without_unused(unpacked: &Path) -> Result<()> {
    for name in UNUSED {
        std::fs::remove_dir_all(unpacked.join("lib").join(name))?;
    }
    Ok(())
}
