//! Makes the content of a package of the tool ([`crate::builds::shipped`]).

use crate::builds::shipped::{BUILT_WITH, object, stamp};
use crate::built::Built;
use crate::c::{native, wasm};
use crate::jvm::maven;
use crate::language::{go, node, python};
use crate::ready::ready;
use crate::wanted::Wanted;
use anyhow::{Result, bail};
use cupel_base::disk::{copy, copy_all_but};
use cupel_base::home::Home;
use cupel_contender::Family;
use cupel_contender::Kind;
use cupel_contender::families;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds the content of a package and copies it into a folder, which becomes `lib/cupel`. Returns
/// the families that are in it.
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

/// The first line that each compiler prints about itself, with its flags, and the system's name.
fn compilers() -> String {
    let mut lines = String::new();
    for (program, arguments, flags) in [
        ("cc", "--version", " with the flags of each family"),
        ("rustc", "--version", " -C opt-level=3 -C lto=fat -C codegen-units=1"),
        ("go", "version", " -trimpath, without cgo"),
        ("javac", "-version", ""),
    ] {
        let Ok(output) = Command::new(program).arg(arguments).output() else { continue };
        let said = String::from_utf8_lossy(&output.stdout);
        lines.extend(said.lines().next().map(|line| format!("{line}{flags}\n")));
    }
    let system = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = system.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    lines.extend(name.map(|name| format!("on {}\n", name.trim_matches('"'))));
    lines
}

/// Copies the files of one family. `false` if a package has nothing of it.
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
        Kind::Node(_) => {
            let built = argument.parent().unwrap_or(&argument);
            copy_all_but(built, &folder.join(node::SHIPPED), &[".cupel-lock"])?;
            add_module(home, command, folder)?;
        }
        // Its libraries depend on the version of Python. `scripts/package` adds them.
        Kind::Python(sources) => {
            let sources = sources.real(home);
            let to = folder.join(python::SHIPPED);
            copy_all_but(&sources, &to, &["target"])?;
            fs::write(stamp(&to.join(python::MAIN)), python::digest(&sources))?;
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

/// Copies the WebAssembly module that a runner's command line names, if it has one.
fn add_module(home: &Home, command: &[OsString], folder: &Path) -> Result<()> {
    let Some(at) = command.iter().position(|word| word == "--wasm") else { return Ok(()) };
    let module = command.get(at + 1).map(PathBuf::from).unwrap_or_default();
    keep(&module, &folder.join(wasm::SHIPPED), Some(&wasm::content(home)))
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
