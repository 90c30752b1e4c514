//! Runners that Cargo builds. Their sources' content shows whether one is up to date, so listing
//! contenders does not start a build tool.

use super::fingerprint::fingerprint;
use super::{Absent, cc};
use crate::home::Home;
use cupel_protocol::message::Refusal;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The program of a package, built if needed.
pub fn ready(
    home: &Home,
    manifest: &Path,
    package: &str,
    build: bool,
    say: &dyn Fn(&str),
) -> Result<PathBuf, Absent> {
    // Real paths, so that a home made of links shares what is built.
    let real = |path: PathBuf| path.canonicalize().unwrap_or(path);
    let manifest = real(home.root.join(manifest));
    let folder = manifest.parent().unwrap_or(&home.root);
    let program = folder.join("target/release").join(package);
    let stamp = folder.join("target/release").join(format!("{package}.cupel-stamp"));
    let protocol = real(home.root.join("crates/cupel-protocol"));
    let wanted = fingerprint(&[folder, &protocol], &["rs", "toml", "lock"], &["target", "tests"]);
    let built = std::fs::read_to_string(&stamp).unwrap_or_default();
    if program.is_file() && built == wanted {
        return Ok(program);
    }
    if !build {
        return Err(Absent::Unbuilt);
    }
    say(&format!("building {package} (the first time takes minutes)"));
    let output = Command::new("cargo")
        .args(["build", "--release", "--locked", "--quiet", "-p", package, "--manifest-path"])
        .arg(&manifest)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| {
            Absent::Missing(Refusal {
                reason: format!("cargo cannot be started: {e}"),
                remedy: Some("install Rust: https://rustup.rs".into()),
            })
        })?;
    if !output.status.success() {
        let log = String::from_utf8_lossy(&output.stderr);
        if cc::misses_linker(&log) {
            return Err(Absent::Missing(cc::missing()));
        }
        return Err(Absent::Failed(Refusal {
            reason: format!("{package} does not build: {}", first_error(&log)),
            remedy: Some(format!(
                "cargo build --release --locked -p {package} --manifest-path {}",
                manifest.display()
            )),
        }));
    }
    // If the stamp cannot be written, Cargo is merely asked again next time.
    let _ = std::fs::write(&stamp, wanted);
    Ok(program)
}

/// The first line of a compiler's output that names an error, otherwise its first line.
pub fn first_error(log: &str) -> String {
    let line = log
        .lines()
        .find(|line| line.contains("error") || line.contains("not found"))
        .or_else(|| log.lines().find(|line| !line.trim().is_empty()))
        .unwrap_or("no message");
    line.trim().chars().take(300).collect()
}
