//! The libraries of which releases can be installed, and these releases.

use super::sources::Recipe;
use super::wheels::Places;
use crate::language::places;
use anyhow::{Context, Result};
use cupel_base::home::Home;
use cupel_base::name::ContenderName;
use serde::Deserialize;
use std::path::PathBuf;
use std::sync::OnceLock;

/// A library of which releases can be installed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Library {
    /// Its word in `cupel install`, and the first part of its contenders' names: `openssl`.
    pub name: String,
    /// Its name in sentences.
    pub title: String,
    /// The family that has its contenders.
    pub(super) family: String,
    /// SPDX expression of its licence, today.
    licence: String,
    /// The cost of an installation, in words.
    cost: String,
    /// The form of its releases.
    pub(super) form: Form,
    /// Ascending.
    releases: Vec<Release>,
}

/// The form of a library's releases, and so how they are installed.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Form {
    /// A jar, which takes the place of the usual one, with a part of the usual one's name.
    Jar(String),
    /// Sources, from which the library's own build makes an archive.
    Sources(Recipe),
    /// Wheels of PyPI with headers and an archive.
    Wheels(Places),
    /// A crate that the Rust runner hosts.
    Crate(Hosted),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Release {
    version: String,
    /// The package that has it: a crate and its version, or an artefact's coordinates.
    pub(super) package: String,
    pub(super) sha256: String,
    /// More options of its configuration, features of the runner that hosts it, or wheels, as pip
    /// reads them.
    #[serde(default)]
    pub(super) options: Vec<String>,
}

/// The runner's name for a library.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Hosted {
    /// The key of its dependency.
    pub(super) dependency: String,
    /// The feature that has its contenders and no others.
    pub(super) feature: String,
}

/// A release that can be installed.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The library.
    pub library: &'static Library,
    pub(super) release: &'static Release,
}

/// The libraries of which releases can be installed.
pub fn libraries() -> &'static [Library] {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        library: Vec<Library>,
    }
    static ALL: OnceLock<Vec<Library>> = OnceLock::new();
    ALL.get_or_init(|| {
        let file: File = toml::from_str(include_str!("libraries.toml")).expect("tested");
        file.library
    })
}

/// The library with this word.
pub fn with_word(word: &str) -> Option<&'static Library> {
    libraries().iter().find(|library| library.name == word)
}

/// The library of a contender, if releases of it can be installed: by the longest name with which
/// the implementation's begins.
pub fn of_contender(name: &ContenderName) -> Option<&'static Library> {
    let own = libraries().iter().filter(|library| library.is_of(name));
    own.max_by_key(|library| library.name.len())
}

impl Library {
    fn is_of(&self, name: &ContenderName) -> bool {
        // Crates have the names of libraries in other languages.
        let in_language =
            !matches!(self.form, Form::Crate(_)) || name.family() == Some(&self.family);
        let rest = name.implementation().strip_prefix(&*self.name);
        in_language && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    }

    /// Whether the usual one is the system's, which others have built. The usual crates are in one
    /// program with many more.
    pub fn is_of_the_system(&self) -> bool {
        matches!(self.form, Form::Sources(_))
    }

    /// A part of the name of the usual jar of a library.
    pub(crate) fn usual_jar(&self) -> &str {
        match &self.form {
            Form::Jar(usual) => usual,
            Form::Sources(_) | Form::Wheels(_) | Form::Crate(_) => "",
        }
    }

    /// All its releases that can be installed, ascending.
    pub fn known(&'static self) -> impl DoubleEndedIterator<Item = Known> {
        self.releases.iter().map(move |release| Known { library: self, release })
    }

    /// The release with this version.
    ///
    /// # Errors
    /// If it cannot be installed, with those that can.
    pub fn release(&'static self, version: Option<&str>) -> Result<Known> {
        let found = self.known().find(|known| Some(known.version()) == version);
        found.with_context(|| {
            let versions: Vec<&str> = self.releases.iter().map(|r| &*r.version).collect();
            let (title, versions) = (&self.title, versions.join(", "));
            match version {
                Some(version) => {
                    format!("{title} {version} cannot be installed this way, but {versions} can")
                }
                None => format!("which {title}? {versions} can be installed"),
            }
        })
    }

    /// The command that installs a release that is not here: the oldest.
    pub fn remedy(&'static self, home: &Home) -> Option<String> {
        let absent = self.known().find(|known| !known.folder(home).is_dir())?;
        Some(format!("cupel install {} {}", self.name, absent.version()))
    }
}

impl Known {
    /// Its version: `1.1.1w`.
    pub fn version(&self) -> &'static str {
        &self.release.version
    }

    /// Its name, licence and cost, in words.
    pub fn words(&self) -> String {
        let Library { title, licence, cost, .. } = self.library;
        format!("{title} {} ({licence}; {cost})", self.version())
    }

    /// The folder in which it is or would be installed.
    pub fn folder(&self, home: &Home) -> PathBuf {
        places::kept(home, &self.library.name).join(self.version())
    }

    /// `OpenSSL 1.1.1w`
    pub(super) fn title(&self) -> String {
        format!("{} {}", self.library.title, self.version())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_release_has_a_checksum_and_is_in_the_order_of_the_versions() {
        for known in libraries().iter().flat_map(Library::known) {
            assert_eq!(known.release.sha256.len(), 64, "{}", known.title());
            assert_ne!(
                known.release.package.split_once(' ').is_some(),
                known.library.usual_jar() != ""
            );
        }
        let numbers = |known: &Known| crate::naming::numbers(known.version());
        for library in libraries() {
            assert!(
                library
                    .known()
                    .is_sorted_by(|a, b| { (numbers(a), a.version()) < (numbers(b), b.version()) }),
                "{}",
                library.name
            );
        }
        let said =
            |version| with_word("openssl").unwrap().release(version).unwrap_err().to_string();
        assert!(
            said(Some("9.9")).starts_with("OpenSSL 9.9 cannot be installed this way, but 1.1.1w,")
        );
        assert!(said(None).starts_with("which OpenSSL? 1.1.1w,"));
        for (name, title, remedy) in [
            ("c/openssl-fetch@3.5.0", "OpenSSL 3.5.0", "cupel install openssl 3.5.0"),
            ("c/libsodium@1.0.20", "libsodium 1.0.20", "cupel install libsodium 1.0.20"),
            (
                "jvm/bouncycastle@temurin-25+1.70",
                "BouncyCastle 1.70",
                "cupel install bouncycastle 1.70",
            ),
        ] {
            let absent = crate::elsewhere::elsewhere(&name.into()).unwrap();
            assert_eq!(absent.reason, format!("{title} is not installed"));
            assert_eq!(absent.remedy.as_deref(), Some(remedy));
        }
    }

    #[test]
    fn a_crate_s_contenders_are_those_of_the_longest_name_in_its_own_language() {
        let of = |name: &str| of_contender(&name.into()).map(|library| library.name.as_str());
        for (name, library) in [
            ("rust/ring-nosha@0.16.20", Some("ring")),
            ("rust/sha2-0.10-nosha", Some("sha2-0.10")),
            ("rust/sha2-0.11", None),
            ("python/blake3", None),
            ("rust/ringer", None),
            ("c/openssl-reused", Some("openssl")),
        ] {
            assert_eq!(of(name), library, "{name}");
        }
        let is_aside = |name: &str| of_contender(&name.into()).unwrap().is_of_the_system();
        assert!(is_aside("c/openssl-reused") && !is_aside("rust/ring"));
    }
}
