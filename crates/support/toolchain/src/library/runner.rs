//! Releases that are a crate which the Rust runner hosts. The runner is built once more, with this
//! version of the crate in the place of the usual one and without the other libraries. All else is
//! as in the usual runner: sources, profile, and locked crates. It is built again when these or the
//! compiler change, so that compared releases are built alike.

use super::known::{Hosted, Known};
use super::step::{c_compiler, rejected_unless, run, variable, version};
use crate::builds::{cargo, installed};
use anyhow::{Context, Result};
use cupel_base::disk::{copy, copy_all_but, real};
use cupel_base::home::Home;
use cupel_contender::family::Package;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use toml::{Table, Value};

/// The runner with a release of a crate.
pub(super) struct Runner<'a> {
    pub(super) home: &'a Home,
    pub(super) package: &'a Package,
    pub(super) hosted: &'a Hosted,
    pub(super) known: Known,
}

impl Runner<'_> {
    /// The program, if it is built of today's sources by today's compilers.
    pub(super) fn program(&self) -> Option<PathBuf> {
        Some(self.folder().join(&self.package.package)).filter(|program| program.is_file())
    }

    /// Builds it, unless it is built. Builds of older sources are deleted then.
    pub(super) fn add(&self, say: &dyn Fn(&str)) -> Result<bool> {
        let folder = self.folder();
        let is_new = installed::add(self.home, &folder, &|work| self.build(work, say))?;
        let release = self.known.folder(self.home);
        let all = fs::read_dir(release).into_iter().flatten().flatten();
        for other in all.map(|entry| entry.path()).filter(|path| is_new && *path != folder) {
            installed::remove(&other)?;
        }
        Ok(is_new)
    }

    fn folder(&self) -> PathBuf {
        let rustc = std::env::var_os("RUSTC").unwrap_or("rustc".into());
        let mut digest = Sha256::new();
        for part in [
            cargo::sources(self.home, self.package),
            version(Path::new(&rustc)),
            variable("RUSTFLAGS"),
            c_compiler(),
            self.known.release.sha256.clone(),
        ] {
            digest.update(part);
            digest.update([0]);
        }
        self.known.folder(self.home).join(&hex::encode(digest.finalize())[..16])
    }

    fn build(&self, work: &Path, say: &dyn Fn(&str)) -> Result<PathBuf> {
        let (what, package) = (self.known.title(), &self.package.package);
        let manifest = self.copy_sources(work)?;
        let cargo = |words: &[&str]| {
            let mut command = Command::new("cargo");
            command.args(words).arg("--quiet").arg("--manifest-path").arg(&manifest);
            // Not in the user's, as for every build (builds/cargo.rs).
            command.current_dir(manifest.parent().unwrap_or(work));
            command
        };
        // Only packages that this version needs and the usual one does not are looked up.
        let resolving = format!("looking up {what}");
        run(&mut cargo(&["update", "--workspace"]), &resolving, say).or_else(|error| {
            run(&mut cargo(&["update", "--workspace", "--offline"]), &resolving, say)
                .map_err(|_| error)
        })?;
        let lock = manifest.with_file_name("Cargo.lock");
        self.is_recorded(&lock)?;
        let mut build = cargo(&["build", "--release", "--locked", "--no-default-features"]);
        let features = std::slice::from_ref(&self.hosted.feature);
        let features = [features, &self.known.release.options].concat().join(",");
        build.args(["--features", &features, "-p", package, "--target-dir"]);
        build.arg(work.join("target"));
        run(&mut build, &format!("building {what}"), say)?;
        let made = work.join("made");
        copy(&work.join("target/release").join(package), &made.join(package))?;
        copy(&lock, &made.join("Cargo.lock"))?;
        Ok(made)
    }

    /// Copies the workspace of the runner, where it depends on this version of the crate. Returns
    /// its manifest.
    fn copy_sources(&self, work: &Path) -> Result<PathBuf> {
        let usual = cargo::manifest(self.home, self.package);
        let folder = usual.parent().unwrap_or(&self.home.root);
        let into = work.join("runner");
        copy_all_but(folder, &into, &["target"])?;
        let manifest = into.join("Cargo.toml");
        let mut file = table(&manifest)?;
        let workspace = file.get_mut("workspace").and_then(Value::as_table_mut);
        let workspace = workspace.with_context(|| format!("{} has none", usual.display()))?;
        let mut members = Vec::new();
        for member in workspace.get("members").and_then(Value::as_array).into_iter().flatten() {
            let own = into.join(member.as_str().unwrap_or_default()).join("Cargo.toml");
            if self.keeps(&own)? {
                members.push(member.clone());
            }
        }
        workspace.insert("members".into(), Value::Array(members));
        let dependencies = workspace.get_mut("dependencies").and_then(Value::as_table_mut);
        for (_, dependency) in dependencies.into_iter().flatten() {
            let Some(path) = dependency.get_mut("path") else { continue };
            let from = real(&folder.join(path.as_str().unwrap_or_default()));
            // Files outside the workspace are not copied.
            if !from.starts_with(folder) {
                *path = Value::String(from.display().to_string());
            }
        }
        fs::write(&manifest, file.to_string())?;
        Ok(manifest)
    }

    /// Whether a package of the workspace belongs to the runner. Another runner may need another
    /// version of the crate. The runner's own manifest is changed to depend on this one.
    fn keeps(&self, manifest: &Path) -> Result<bool> {
        let mut file = table(manifest)?;
        let name = file.get("package").and_then(|package| package.get("name")?.as_str());
        if name != Some(&self.package.package) {
            return Ok(!manifest.with_file_name("src").join("main.rs").is_file());
        }
        let key = &self.hosted.dependency;
        let dependency = file.get_mut("dependencies").and_then(|all| all.get_mut(key));
        let version = dependency.and_then(|dependency| dependency.get_mut("version"));
        *version.with_context(|| format!("{} does not depend on {key}", manifest.display()))? =
            Value::String(format!("={}", self.known.version()));
        fs::write(manifest, file.to_string())?;
        Ok(true)
    }

    /// Rejects a lock file that does not have the crate with the recorded checksum: Cargo rejects a
    /// crate that has not the one of the lock file.
    fn is_recorded(&self, lock: &Path) -> Result<()> {
        let release = self.known.release;
        let (name, version) = release.package.split_once(' ').unwrap_or_default();
        let table = table(lock)?;
        let mut all = table["package"].as_array().into_iter().flatten();
        let is_it = |package: &&Value| {
            package["name"].as_str() == Some(name) && package["version"].as_str() == Some(version)
        };
        let locked = all.find(is_it).and_then(|package| package.get("checksum")?.as_str());
        rejected_unless(locked.unwrap_or("none"), &release.sha256, lock)
    }
}

fn table(file: &Path) -> Result<Table> {
    let text =
        fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    text.parse().with_context(|| format!("{} is not TOML", file.display()))
}
