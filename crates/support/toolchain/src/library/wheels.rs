//! Releases that are wheels of PyPI with a C library inside: headers and an archive, which others
//! have compiled. pip downloads and checks them; nothing is built.

use super::sources::{ARCHIVE, keep_licences};
use super::step::run;
use crate::builds::installed;
use anyhow::{Context, Result, ensure};
use cupel_base::disk::{copy, copy_all_but};
use cupel_base::home::Home;
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where a library is in the data of its wheels: the same for all its releases.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Places {
    /// The folder of the headers.
    include: String,
    /// The archive.
    archive: String,
}

/// The wheels of a release.
pub(super) struct Wheels<'a> {
    pub(super) places: &'a Places,
    /// The packages that pip is to install, one a line, each with its digest.
    pub(super) wanted: String,
    /// The library, in messages.
    pub(super) what: &'a str,
    /// Receives a message about long steps.
    pub(super) say: &'a dyn Fn(&str),
}

impl Wheels<'_> {
    /// Puts the library into a folder, unless that is there.
    pub(super) fn add(&self, home: &Home, folder: &Path) -> Result<bool> {
        installed::add(home, folder, &|work| self.fetch(work))
    }

    fn fetch(&self, work: &Path) -> Result<PathBuf> {
        let (list, wheels, made) = (work.join("wanted"), work.join("wheels"), work.join("made"));
        fs::write(&list, &self.wanted)?;
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"])
            .args(["--require-hashes", "--disable-pip-version-check", "--dest"])
            .arg(&wheels)
            .arg("--requirement")
            .arg(&list)
            .current_dir(work);
        run(&mut pip, &format!("downloading {}", self.what), self.say)?;
        // pip installs a library's files only into an environment of Python's.
        let unpacked = work.join("unpacked");
        for wheel in inside(&wheels)? {
            let mut unpack = Command::new("python3");
            unpack.args(["-m", "zipfile", "-e"]).arg(&wheel).arg(&unpacked).current_dir(work);
            run(&mut unpack, &format!("unpacking {}", self.what), self.say)?;
        }
        for folder in inside(&unpacked)? {
            let data = folder.join("data");
            if data.join(&self.places.include).is_dir() {
                copy_all_but(&data.join(&self.places.include), &made.join("include"), &[])?;
            }
            if data.join(&self.places.archive).is_file() {
                copy(&data.join(&self.places.archive), &made.join(ARCHIVE))?;
            }
            keep_licences(&folder, &made)?;
        }
        ensure!(
            made.join(ARCHIVE).is_file(),
            "no wheel of {} has {}",
            self.what,
            self.places.archive
        );
        Ok(made)
    }
}

/// The entries of a folder.
fn inside(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    Ok(entries.flatten().map(|entry| entry.path()).collect())
}
