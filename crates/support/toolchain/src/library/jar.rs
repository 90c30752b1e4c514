//! Releases that are a jar of Maven's: nothing is built, the jar takes the place of the usual one.

use super::step::{is_recorded, run};
use anyhow::{Context, Result};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Downloads the artefact with these coordinates: `group:artefact:version`. Returns the folder with
/// its jar alone.
pub(super) fn copy(
    coordinates: &str,
    sha256: &str,
    work: &Path,
    what: &str,
    say: &dyn Fn(&str),
) -> Result<PathBuf> {
    let folder = work.join("jar");
    let mut command = Command::new("mvn");
    command
        .args(["--quiet", "--batch-mode"])
        .arg("org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy")
        .arg(format!("-Dartifact={coordinates}"))
        .arg(format!("-DoutputDirectory={}", folder.display()))
        .current_dir(work);
    run(&mut command, &format!("downloading {what}"), say)?;
    is_recorded(&jar_in(&folder)?, sha256)?;
    Ok(folder)
}

fn jar_in(folder: &Path) -> Result<PathBuf> {
    let mut jars = jars(folder);
    jars.pop().with_context(|| format!("there is no jar in {}", folder.display()))
}

fn jars(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut jars: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    jars.retain(|path| path.extension().is_some_and(|e| e == "jar"));
    jars.sort();
    jars
}

/// The class path of the runner with a release in the place of the usual jar: of two jars with one
/// class, the first would be used, and of a class that only one of them has, that one.
pub(crate) fn class_path(runner: &Path, release: &Path, usual: &str) -> Option<OsString> {
    let mut all = vec![runner.to_path_buf(), jar_in(release).ok()?];
    let mut libraries = jars(&runner.with_file_name("lib"));
    libraries.retain(|jar| !jar.to_string_lossy().contains(usual));
    all.extend(libraries);
    std::env::join_paths(all).ok()
}
