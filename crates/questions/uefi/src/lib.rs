//! The kernels without an operating system: a UEFI application is built ([`build`]) and booted
//! under QEMU ([`qemu`]) or on hardware, and its results are read by [`cupel_store::boot`]. They
//! are counts of instructions or cycles, stored and shown apart from runs; the analysis never sees
//! them. `verb` reads the command line of `cupel kernels`, and `words` has its output. The command
//! lists [`VERB`].

pub mod build;
mod image;
pub mod qemu;
mod verb;
mod volume;
mod words;

pub use image::write as write_image;
pub use verb::VERB;

use anyhow::{Context, Result};
use cupel_base::packages;
use std::path::PathBuf;

/// A program on the search path.
fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|p| p.is_file())
}

/// A program on the search path, which a package of Debian has.
///
/// # Errors
/// If it is not there, with the command that installs it.
fn needed(program: &str, package: &str) -> Result<PathBuf> {
    on_path(program).with_context(|| missing(&format!("{program} is not installed"), package))
}

/// The message that something of a Debian package is missing, with the command that installs it.
fn missing(what: &str, package: &str) -> String {
    format!("{what}: {}", packages::remedy(&format!("apt-get install {package}")))
}
