//! What a package of the tool brings along, so that a machine needs no compiler: runners, and
//! objects for the native runner that load their library by its name. It is in `lib/cupel` next to
//! the folder of the program, as in `/usr/lib/cupel`. Each file has the digest of its sources next
//! to it, and one that was made from other sources than the tool embeds is not used.

use super::artefact::stamp;
use super::{Built, Family, Kind, Wanted, families, go, maven, native, ready};
use anyhow::{Context, Result, bail};
use cupel_base::home::Home;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of this program's package, whether or not it has one.
pub fn folder() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?.canonicalize().ok()?;
    Some(program.parent()?.parent()?.join("lib/cupel"))
}

/// A file of the package, if it was made from the sources with this digest.
pub fn file(name: &str, digest: &str) -> Option<PathBuf> {
    let file = folder()?.join(name);
    let made_of = fs::read_to_string(stamp(&file)).ok()?;
    (file.is_file() && made_of == digest).then_some(file)
}

/// Whether a runner's command line has something of the package in it.
pub fn is_used_by(command: &[OsString]) -> bool {
    folder().is_some_and(|folder| command.iter().any(|word| Path::new(word).starts_with(&folder)))
}

/// The compilers that the package was built with.
pub fn built_with() -> Option<String> {
    let text = fs::read_to_string(folder()?.join(BUILT_WITH)).ok()?;
    Some(text.lines().collect::<Vec<_>>().join("; "))
}

/// The file of a package that names these compilers, a line for each.
const BUILT_WITH: &str = "built-with";

/// The name of a family's object in the package.
pub fn object(family: &Family) -> String {
    format!("objects/{}.so", family.name)
}

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
    let word = |place: usize| command.get(place).map(PathBuf::from).unwrap_or_default();
    match &family.kind {
        Kind::Native(native) => {
            let content = native::content(home, native).map_err(|why| anyhow::anyhow!("{why}"))?;
            keep(&word(0), &folder.join("runners/release/cupel-runner-native"), None)?;
            keep(&word(1), &folder.join(object(family)), Some(&native::hex(content)))?;
        }
        Kind::Rust(package) if package.cfgs.is_empty() => {
            keep(&word(0), &folder.join("runners/release").join(&package.package), None)?;
        }
        Kind::Go(sources) => {
            keep(&word(0), &folder.join(go::SHIPPED), Some(&go::digest(home, sources)))?
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
