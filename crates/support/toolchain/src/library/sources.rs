//! Releases that are sources of C or C++ inside a crate: OpenSSL, libsodium, Mbed TLS, Botan,
//! wolfSSL. Cargo downloads and checks the crate, and the library's own build makes an archive, which
//! is linked statically.

use super::step::{c_compiler, rejected_unless, run};
use crate::absent::Absent;
use crate::builds::installed;
use anyhow::{Context, Result, ensure};
use cupel_base::disk::{copy, copy_all_but};
use cupel_base::home::Home;
use cupel_protocol::message::Refusal;
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How a library is built of its sources: the same for all its releases.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Recipe {
    /// The folder of the sources in the crate. A crate without it has an archive of them.
    sources: String,
    /// The command lines. `{arch}`, `{jobs}` and `{prefix}` are replaced.
    steps: Vec<Vec<String>>,
    /// The folder of the headers after that.
    include: String,
    /// The archive.
    archive: String,
    /// The libraries linked with it.
    #[serde(default)]
    pub(super) libs: Vec<String>,
}

/// A crate that has the sources of a library.
pub(super) struct Sources<'a> {
    /// How it is built.
    pub(super) recipe: &'a Recipe,
    /// The crate and its version.
    pub(super) package: (&'a str, &'a str),
    /// SHA-256 of the crate.
    pub(super) sha256: &'a str,
    /// Options of this release: more words of the first command line.
    pub(super) options: &'a [String],
    /// The library, in messages.
    pub(super) what: &'a str,
    /// Receives a message about long steps.
    pub(super) say: &'a dyn Fn(&str),
}

/// The archive of a release. It is linked by its path: a name would also find the system's.
pub(super) const ARCHIVE: &str = "lib/library.a";

/// The file that says which compiler built a release.
const BUILT_BY: &str = "built-by";

impl Sources<'_> {
    /// Builds the library into a folder, unless that is there.
    pub(super) fn add(&self, home: &Home, folder: &Path) -> Result<bool> {
        installed::add(home, folder, &|work| self.build(work, folder))
    }

    fn build(&self, work: &Path, prefix: &Path) -> Result<PathBuf> {
        let Sources { what, recipe, .. } = self;
        ensure!(cfg!(target_os = "linux"), "{what} is built only on Linux");
        let sources = self.sources(work)?;
        let jobs = std::thread::available_parallelism().map_or(1, usize::from).to_string();
        for (at, words) in recipe.steps.iter().enumerate() {
            let mut words = words.iter().map(|word| {
                word.replace("{arch}", std::env::consts::ARCH)
                    .replace("{jobs}", &jobs)
                    .replace("{prefix}", &prefix.display().to_string())
            });
            let mut command = Command::new(words.next().context("a step is a command")?);
            command.args(words).current_dir(&sources);
            command.args(self.options.iter().filter(|_| at == 0));
            run(&mut command, &format!("building {what}, which takes minutes"), self.say)?;
        }
        let made = work.join("made");
        gather(recipe, &sources, &made)?;
        fs::write(made.join(BUILT_BY), c_compiler())?;
        Ok(made)
    }

    /// The sources in the crate, which Cargo has checked and which has the recorded checksum.
    fn sources(&self, work: &Path) -> Result<PathBuf> {
        let (name, version) = self.package;
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
        let sources = folder.join(&self.recipe.sources);
        if sources.is_dir() {
            return Ok(sources);
        }
        let packed = files(&folder, &|name| name.ends_with(".tar.gz"));
        let packed = packed.first().with_context(|| {
            format!("{} has no folder {} and no archive", folder.display(), self.recipe.sources)
        })?;
        let unpacked = work.join("sources");
        fs::create_dir(&unpacked)?;
        let mut tar = Command::new("tar");
        tar.args(["--strip-components=1", "-xf"]).arg(packed).current_dir(&unpacked);
        run(&mut tar, &format!("unpacking {}", self.what), self.say)?;
        Ok(unpacked)
    }
}

/// Copies a contender's files out of the built sources: headers, archive and licence.
fn gather(recipe: &Recipe, sources: &Path, into: &Path) -> Result<()> {
    copy_all_but(&sources.join(&recipe.include), &into.join("include"), &[])?;
    copy(&sources.join(&recipe.archive), &into.join(ARCHIVE))?;
    keep_licences(sources, into)
}

/// Copies the texts of licences.
pub(super) fn keep_licences(from: &Path, into: &Path) -> Result<()> {
    for text in files(from, &|name| name.to_lowercase().starts_with("licen")) {
        copy(&text, &into.join(text.file_name().unwrap_or_default()))?;
    }
    Ok(())
}

fn files(folder: &Path, is_wanted: &dyn Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let wanted = entries.filter(|entry| entry.file_name().to_str().is_some_and(is_wanted));
    let mut all: Vec<PathBuf> = wanted.map(|entry| entry.path()).collect();
    all.retain(|path| path.is_file());
    all.sort();
    all
}

/// Rejects a release that another compiler built than the one that is here: the next release would
/// be built by this one, and a step between the two could be the compiler's.
pub(super) fn is_built_alike(folder: &Path, what: &str, remedy: String) -> Result<(), Absent> {
    let built = fs::read_to_string(folder.join(BUILT_BY)).unwrap_or_default();
    if built == c_compiler() {
        return Ok(());
    }
    let by = built.lines().next().unwrap_or("a compiler that is not recorded");
    Err(Absent::Missing(Refusal {
        reason: format!("{what} was built by {by}, and the compiler or its flags are now others"),
        remedy: Some(remedy),
    }))
}
