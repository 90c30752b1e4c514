//! The kernels without an operating system: a UEFI application is built ([`build`]) and booted
//! under QEMU ([`qemu`]) or on hardware, and its results are read by [`cupel_store::boot`]. They
//! are counts of instructions or cycles, stored and shown apart from runs; the analysis never sees
//! them.

pub mod build;
mod image;
pub mod qemu;
mod volume;

pub use image::write as write_image;

use std::path::PathBuf;

/// A program on the search path.
fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|p| p.is_file())
}
