//! Runners that Cargo builds. Their sources' content shows whether one is up to date, so listing
//! contenders does not start a build tool.

use super::fingerprint::fingerprint;
use super::{Absent, cc};
use crate::home::Home;
use cupel_protocol::message::Refusal;
use sha2::{Digest, Sha256};
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
    let protocol = real(home.root.join("crates/cupel-protocol"));
    let wanted = fingerprint(&[folder, &protocol], &["rs", "toml", "lock"], &["target", "tests"]);
    let targets = targets(home, folder);
    for target in &targets {
        let Artefact { program, stamp } = Artefact::of(target, package);
        if program.is_file() && std::fs::read_to_string(stamp).is_ok_and(|built| built == wanted) {
            return Ok(program);
        }
    }
    if !build {
        return Err(Absent::Unbuilt);
    }
    let Some(target) = targets.iter().find(|target| takes_files(target)) else {
        let tried: Vec<String> = targets.iter().map(|t| t.display().to_string()).collect();
        return Err(Absent::Failed(Refusal {
            reason: format!("{package} has no folder to be built in: tried {}", tried.join(", ")),
            remedy: Some("set CUPEL_CACHE to a folder that you may write".into()),
        }));
    };
    let Artefact { program, stamp } = Artefact::of(target, package);
    say(&format!("building {package} (the first time takes minutes)"));
    let output = Command::new("cargo")
        .args(["build", "--release", "--locked", "--quiet", "-p", package, "--manifest-path"])
        .arg(&manifest)
        // Otherwise CARGO_TARGET_DIR or a configuration file may say where it goes.
        .arg("--target-dir")
        .arg(target)
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

/// What Cargo makes of a package, and the digest of what it was made from.
struct Artefact {
    program: PathBuf,
    stamp: PathBuf,
}

impl Artefact {
    fn of(target: &Path, package: &str) -> Artefact {
        let folder = target.join("release");
        Artefact {
            program: folder.join(package),
            stamp: folder.join(format!("{package}.cupel-stamp")),
        }
    }
}

/// Where a workspace may be built: beside its sources, or in the cache if those are read-only.
fn targets(home: &Home, folder: &Path) -> [PathBuf; 2] {
    let mut digest = Sha256::new();
    digest.update(folder.as_os_str().as_encoded_bytes());
    let key = hex::encode(digest.finalize());
    [folder.join("target"), home.cache.join("runners").join(&key[..16])]
}

/// Whether files can be made in a folder, which is made if it is not there.
fn takes_files(folder: &Path) -> bool {
    let probe = folder.join(format!(".cupel-{}", std::process::id()));
    let made = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&probe, ""));
    let _ = std::fs::remove_file(&probe);
    made.is_ok()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_that_cannot_be_written_are_built_in_the_cache() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("cache");
        // A file where the folder should be: not even root can make a folder there.
        std::fs::write(folder.path().join("target"), "").unwrap();
        let home = Home { root: "/".into(), cache: cache.clone(), store: "/".into() };
        let targets = targets(&home, folder.path());
        let first = targets.iter().find(|target| takes_files(target)).unwrap();
        assert!(first.starts_with(&cache), "{}", first.display());
        assert_eq!(std::fs::read_dir(first).unwrap().count(), 0, "nothing is left there");
    }
}
