//! Makes what a package of the tool brings along ([`crate::toolchain::builds::shipped`]).

use crate::toolchain::Built;
use crate::toolchain::Family;
use crate::toolchain::Kind;
use crate::toolchain::Wanted;
use crate::toolchain::builds::shipped::{BUILT_WITH, object, stamp};
use crate::toolchain::c::native;
use crate::toolchain::families;
use crate::toolchain::jvm::maven;
use crate::toolchain::language::go;
use crate::toolchain::ready;
use anyhow::{Context, Result, bail};
use cupel_base::home::Home;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds what a package brings along and copies it into a folder, which becomes `lib/cupel`.
/// Returns the families that are in it.
///
/// # Errors
/// If a file cannot be copied, or nothing could be built.
pub fn fill(home: &Home, folder: &Path, say: &dyn Fn(&str)) -> Result<Vec<String>> {
    let mut filled = Vec::new();
    for family in families(home)? {
        let built = ready(home, &family, &Wanted::plain(true), say);
        let Some(command) = built.into_iter().find_map(|built: Built| built.command.ok()) else {
            say(&format!("{} is not built here, so it is left out", family.name));
            continue;
        };
        if add(home, &family, &command, folder)? {
            filled.push(family.name);
        }
    }
    if filled.is_empty() {
        bail!("no runner could be built here; `cupel doctor --build` says why");
    }
    fs::write(folder.join(BUILT_WITH), compilers())?;
    Ok(filled)
}

/// The first line that each compiler prints about itself.
fn compilers() -> String {
    let mut lines = String::new();
    for (program, arguments) in
        [("cc", "--version"), ("rustc", "--version"), ("go", "version"), ("javac", "-version")]
    {
        let Ok(output) = Command::new(program).arg(arguments).output() else { continue };
        let said = String::from_utf8_lossy(&output.stdout);
        lines.extend(said.lines().next().map(|line| format!("{line}\n")));
    }
    lines
}

/// Copies what one family needs. `false` if a package has nothing of it.
fn add(home: &Home, family: &Family, command: &[OsString], folder: &Path) -> Result<bool> {
    let [program, argument] =
        [0, 1].map(|place| command.get(place).map(PathBuf::from).unwrap_or_default());
    match &family.kind {
        Kind::Native(native) => {
            let content = native::content(home, native).map_err(|why| anyhow::anyhow!("{why}"))?;
            keep(&program, &folder.join("runners/release/cupel-runner-native"), None)?;
            keep(&argument, &folder.join(object(family)), Some(&native::hex(content)))?;
        }
        Kind::Rust(package) if package.cfgs.is_empty() => {
            keep(&program, &folder.join("runners/release").join(&package.package), None)?;
        }
        Kind::Go(sources) => {
            keep(&program, &folder.join(go::SHIPPED), Some(&go::digest(home, sources)))?
        }
        Kind::Jvm(_) => {
            let jar = command.last().map(PathBuf::from).unwrap_or_default();
            let to = folder.join(maven::SHIPPED);
            keep(&jar, &to, Some(&maven::wanted(home)))?;
            for library in fs::read_dir(jar.with_file_name("lib"))?.flatten() {
                copy(&library.path(), &to.with_file_name("lib").join(library.file_name()))?;
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Copies a file with its stamp: this digest, or that which it has already.
fn keep(from: &Path, to: &Path, digest: Option<&str>) -> Result<()> {
    copy(from, to)?;
    match digest {
        Some(digest) => fs::write(stamp(to), digest)?,
        None => copy(&stamp(from), &stamp(to))?,
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    let explain = || format!("cannot copy {} to {}", from.display(), to.display());
    fs::create_dir_all(to.parent().unwrap_or(to)).with_context(explain)?;
    fs::copy(from, to).map(|_| ()).with_context(explain)
}
