//! The steps of an installation: programs that must succeed, downloads that must be the recorded
//! ones, and the compiler that built something.

use crate::builds::{cargo, watched};
use crate::c::cc;
use anyhow::{Context, Result, bail, ensure};
use cupel_base::packages;
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// Runs a step of an installation, and requires success.
pub(super) fn run(command: &mut Command, what: &str, say: &dyn Fn(&str)) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = watched::run(command, what, say).with_context(|| {
        let remedy = packages::remedy("apt-get install perl make gcc libc6-dev maven cargo");
        format!("{program} cannot be started ({remedy})")
    })?;
    if !output.status.success() {
        // Maven's errors are among its output.
        let log = [output.stderr, output.stdout].concat();
        bail!("{what}: {program}: {}", cargo::first_error(&String::from_utf8_lossy(&log)));
    }
    Ok(())
}

/// Rejects a file that has another SHA-256.
pub(super) fn is_recorded(file: &Path, sha256: &str) -> Result<()> {
    let content = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    rejected_unless(&hex::encode(Sha256::digest(content)), sha256, file)
}

pub(super) fn rejected_unless(found: &str, recorded: &str, file: &Path) -> Result<()> {
    ensure!(
        found == recorded,
        "{} has the SHA-256 {found}, not the recorded {recorded}: rejected",
        file.display()
    );
    Ok(())
}

/// The C compiler's words about itself, and the user's flags for it.
pub(super) fn c_compiler() -> String {
    let flags = ["CFLAGS", "CPPFLAGS", "LDFLAGS"].map(variable);
    [&[version(&cc::compiler())], &flags[..]].concat().join("\n")
}

/// The first line that a compiler prints about itself.
pub(super) fn version(program: &Path) -> String {
    let output = Command::new(program).arg("--version").output().map(|output| output.stdout);
    let output = output.unwrap_or_default();
    String::from_utf8_lossy(&output).lines().next().unwrap_or("none").to_string()
}

/// A variable of the environment, with its name.
pub(super) fn variable(name: &str) -> String {
    let value: OsString = std::env::var_os(name).unwrap_or_default();
    format!("{name}={}", value.to_string_lossy())
}
