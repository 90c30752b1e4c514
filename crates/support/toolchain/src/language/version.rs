//! A language whose versions are toolchains, how these are named, and the found ones.

use crate::absent::Absent;
use crate::naming::numbers;
use cupel_base::home::Home;
use cupel_contender::family::Sources;
use std::ffi::OsString;
use std::path::PathBuf;

/// A language whose versions are toolchains.
#[derive(Debug)]
pub struct Language {
    /// Its word in the names of its toolchains, and its program: `go` in `go-1.24`.
    pub word: &'static str,
    /// Its name: `Node.js`.
    pub title: &'static str,
    /// How many numbers of a version distinguish its toolchains: 2 in `go-1.24`, 1 in `node-22`.
    pub numbers: usize,
    /// The oldest version that the runner and its libraries support.
    pub oldest: (u32, u32),
    /// The version that stands for it if there is none.
    pub newest: &'static str,
    /// The arguments with which its program prints its version.
    pub asks: &'static [&'static str],
    /// The files that may be its program, those on the path first.
    pub(crate) places: fn(&Home) -> Vec<PathBuf>,
    /// The runner's command line on a toolchain, or on the usual one, built if needed.
    pub(crate) ready: Ready,
    /// How to install it, whichever version.
    pub remedy: &'static str,
}

type Ready = fn(&Need) -> Result<Vec<OsString>, Absent>;

/// A runner that is needed.
pub(crate) struct Need<'a> {
    pub(crate) home: &'a Home,
    pub(crate) sources: &'a Sources,
    /// Its toolchain; `None` for the usual one.
    pub(crate) found: Option<&'a Found>,
    /// Whether to build it if it is not built.
    pub(crate) build: bool,
    /// Reports everything that takes long.
    pub(crate) say: &'a dyn Fn(&str),
}

/// A toolchain of a language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its name: `go-1.24`, or with the full version if a newer one has that name.
    pub name: String,
    /// Its full version: `1.24.11`.
    pub version: String,
    /// Its program.
    pub program: PathBuf,
}

impl Language {
    /// The name of the toolchain of a version, as short as such names are: `go-1.24` for `1.24.11`.
    pub fn short_name(&self, version: &str) -> String {
        let some = numbers(version).into_iter().take(self.numbers);
        let some: Vec<String> = some.map(|number| number.to_string()).collect();
        format!("{}-{}", self.word, some.join("."))
    }

    /// The version that a toolchain's name has, if it is a possible name of one of this language,
    /// installed or not.
    pub(crate) fn version_in<'t>(&self, toolchain: &'t str) -> Option<&'t str> {
        let version = toolchain.strip_prefix(self.word)?.strip_prefix('-')?;
        let mut parts = version.split('.');
        let fits = (self.numbers..=3).contains(&parts.clone().count())
            && parts.all(|p| !p.is_empty() && p.chars().all(|c| c.is_ascii_digit()));
        fits.then_some(version)
    }

    /// Whether the runner supports a version.
    pub fn supports(&self, version: &str) -> bool {
        match numbers(version)[..] {
            [] => false,
            [major] if self.numbers == 1 => major >= self.oldest.0,
            [major] => (major, 0) >= self.oldest,
            [major, minor, ..] => (major, minor) >= self.oldest,
        }
    }

    /// The oldest version that the runner supports, in words: `Go 1.21`.
    pub fn least(&self) -> String {
        format!("{} {}.{}", self.title, self.oldest.0, self.oldest.1)
    }
}
