//! Releases that are sources of C inside a crate: OpenSSL. Cargo downloads and checks the crate,
//! and the library's own build makes an archive. A shared library needs files that newer crates do
//! not have.

use super::step::{rejected_unless, run};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A crate that has the sources of a library.
pub(super) struct Sources<'a> {
    /// The crate.
    pub(super) name: &'a str,
    /// The crate's version.
    pub(super) version: &'a str,
    /// SHA-256 of the crate.
    pub(super) sha256: &'a str,
    /// Options of the configuration.
    pub(super) options: &'a [String],
    /// The library, in messages.
    pub(super) what: &'a str,
    /// Hears what takes long.
    pub(super) say: &'a dyn Fn(&str),
}

impl Sources<'_> {
    /// Builds the library for the folder `prefix`. Returns the folder, below the one to work in,
    /// that becomes it.
    pub(super) fn build(&self, work: &Path, prefix: &Path) -> Result<PathBuf> {
        let Sources { what, say, .. } = self;
        // Releases before 3.0 do not find out by themselves for what they are built.
        let target = match (std::env::consts::OS, std::env::consts::ARCH) {
            ("linux", "x86_64") => "linux-x86_64",
            ("linux", "aarch64") => "linux-aarch64",
            (os, arch) => bail!("{what} is built only on Linux, not for {os} on {arch}"),
        };
        let sources = self.download(work)?;
        let mut configure = Command::new("perl");
        configure.current_dir(&sources).args(["Configure", target, "no-shared", "no-tests"]);
        configure.args(self.options);
        for (option, below) in [("prefix", ""), ("openssldir", "ssl")] {
            configure.arg(format!("--{option}={}", prefix.join(below).display()));
        }
        run(&mut configure, &format!("configuring {what}"), say)?;
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        for goal in ["build_generated", ARCHIVE] {
            let mut make = Command::new("make");
            make.current_dir(&sources).args(["-s", "-j", &jobs.to_string(), goal]);
            run(&mut make, &format!("building {what}, which takes minutes"), say)?;
        }
        gather(&sources, &work.join("made"))
    }

    /// The sources in the crate, which Cargo has checked and which has the recorded checksum.
    fn download(&self, work: &Path) -> Result<PathBuf> {
        let Sources { name, version, .. } = self;
        // A package that needs the crate and nothing else.
        let manifest = format!(
            "[package]\nname = \"download\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\
             [dependencies]\n{name} = \"={version}\"\n[workspace]\n"
        );
        fs::create_dir(work.join("src"))?;
        fs::write(work.join("src/lib.rs"), "")?;
        fs::write(work.join("Cargo.toml"), manifest)?;
        let mut vendor = Command::new("cargo");
        vendor.args(["vendor", "--quiet", "vendor"]).current_dir(work);
        run(&mut vendor, &format!("downloading {}", self.what), self.say)?;
        let folder = work.join("vendor").join(name);
        let list = folder.join(".cargo-checksum.json");
        let text = fs::read(&list).with_context(|| format!("cannot read {}", list.display()))?;
        let sums: serde_json::Value = serde_json::from_slice(&text)?;
        rejected_unless(sums["package"].as_str().unwrap_or("none"), self.sha256, &folder)?;
        Ok(folder.join("openssl"))
    }
}

/// The archive, relative to the sources.
const ARCHIVE: &str = "libcrypto.a";

/// Copies what a contender needs out of the built sources: headers, archive and licence.
fn gather(sources: &Path, into: &Path) -> Result<PathBuf> {
    let (headers, libraries) = (into.join("include/openssl"), into.join("lib"));
    for folder in [&headers, &libraries] {
        fs::create_dir_all(folder)?;
    }
    copy(&sources.join("include/openssl"), &headers, |name| name.ends_with(".h"))?;
    copy(sources, &libraries, |name| name == ARCHIVE)?;
    copy(sources, into, |name| name.starts_with("LICENSE"))?;
    Ok(into.to_path_buf())
}

/// Copies the files of a folder with these names.
fn copy(from: &Path, into: &Path, is_wanted: impl Fn(&str) -> bool) -> Result<()> {
    let entries = fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))?;
    for entry in entries {
        let entry = entry?;
        if entry.file_name().to_str().is_some_and(&is_wanted) {
            let to = into.join(entry.file_name());
            fs::copy(entry.path(), &to)
                .with_context(|| format!("cannot copy to {}", to.display()))?;
        }
    }
    Ok(())
}
