//! Packs the files that the tool reads at run time into one file, which `build.rs` embeds.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs::File;
use std::io::{Error, Result, Write};
use std::path::{Path, PathBuf};

/// The files that the tool reads at run time, relative to the checkout: folders with everything in
/// them, and files.
const CONTENT: [&str; 36] = [
    "contenders",
    "suites",
    "vectors",
    "protocol",
    "tracer",
    "web/dist/page.html",
    "crates/core/protocol/Cargo.toml",
    "crates/core/protocol/src",
    "crates/core/protocol/transcripts",
    "runners/native/Cargo.toml",
    "runners/native/Cargo.lock",
    "runners/native/src",
    "runners/native/contenders",
    "runners/hide",
    "runners/rust/Cargo.toml",
    "runners/rust/Cargo.lock",
    "runners/rust/contender",
    "runners/rust/checks",
    "runners/rust/main",
    "runners/rust/asm",
    "runners/rust/wide",
    "runners/go",
    "runners/node",
    "runners/python",
    "runners/jvm/pom.xml",
    "runners/jvm/src",
    "runners/uefi/include",
    "runners/uefi/src",
    "kernels/include",
    "kernels/src",
    "java/pom.xml",
    "java/src",
    "pom.xml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "rustfmt.toml",
];

/// Folders in which something is built. Cargo looks at everything in a folder that it watches, and
/// would pack again after each build of a runner. So of these only the files are watched.
const BUILT_IN: [&str; 5] =
    ["tracer", "tracer/java", "runners/go", "runners/node", "runners/python"];

/// The entries of a folder, sorted.
pub fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let inside = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut inside = inside.collect::<Result<Vec<PathBuf>>>()?;
    inside.sort();
    Ok(inside)
}

/// Packs the content of a checkout. Equal files give equal bytes. `seen` gets every file on
/// which the result depends, and every folder in which nothing is built.
pub fn pack(root: &Path, to: &Path, seen: &dyn Fn(&Path)) -> Result<()> {
    let mut tar = tar::Builder::new(GzEncoder::new(File::create(to)?, Compression::best()));
    for path in CONTENT {
        add(&mut tar, root, Path::new(path), seen)?;
    }
    let manifest = root.join("Cargo.toml");
    seen(&manifest);
    append(&mut tar, Path::new("Cargo.toml"), workspace(&manifest)?.as_bytes())?;
    tar.into_inner()?.finish()?;
    Ok(())
}

/// Names of the entries left out: builds, and tests next to the sources.
const SKIPPED: [&str; 5] = ["target", "node_modules", "__pycache__", ".ruff_cache", "tests"];

fn add(
    tar: &mut tar::Builder<impl Write>,
    root: &Path,
    path: &Path,
    seen: &dyn Fn(&Path),
) -> Result<()> {
    let from = root.join(path);
    if !BUILT_IN.iter().any(|folder| path == Path::new(folder)) {
        seen(&from);
    }
    if from.is_dir() {
        for entry in entries(&from)? {
            let name = entry.file_name().unwrap_or_default();
            if !SKIPPED.iter().any(|skipped| name == *skipped) {
                add(tar, root, &path.join(name), seen)?;
            }
        }
        return Ok(());
    }
    append(tar, path, &std::fs::read(&from)?)
}

fn append(tar: &mut tar::Builder<impl Write>, path: &Path, bytes: &[u8]) -> Result<()> {
    let mut header = tar::Header::new_gnu();
    header.set_size(bytes.len() as u64);
    header.set_mode(0o644);
    tar.append_data(&mut header, path, bytes)
}

/// The manifest of a workspace with nothing but the crate on which the runners depend: the common
/// settings of this one's crates, without its members and profiles.
fn workspace(manifest: &Path) -> Result<String> {
    let text = std::fs::read_to_string(manifest)?;
    let mut made =
        String::from("[workspace]\nresolver = \"3\"\nmembers = [\"crates/core/protocol\"]\n");
    let mut is_shared = false;
    for line in text.lines() {
        if line.starts_with('[') {
            is_shared = line.starts_with("[workspace.");
        }
        if is_shared {
            made += line;
            made += "\n";
        }
    }
    if !made.contains("[workspace.dependencies]") {
        return Err(Error::other("Cargo.toml has no [workspace.dependencies]"));
    }
    Ok(made)
}
