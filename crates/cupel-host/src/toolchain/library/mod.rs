//! Releases of libraries as toolchains: `c/openssl-reused@1.1.1w`,
//! `jvm/bouncycastle@temurin-25+1.70`. Each is installed once into the cache, from a package with a
//! recorded checksum, and each runs in its own process. The usual contenders of the family are
//! there without it.

mod jar;
mod sources;
mod step;

use self::sources::Sources;
use crate::toolchain::builds::installed;
use crate::toolchain::family::Native;
use crate::toolchain::language::places;
use crate::toolchain::{Family, Wanted};
use anyhow::{Context, Result};
use cupel_base::home::Home;
use cupel_base::name::{ContenderName, Pattern};
use serde::Deserialize;
use std::path::PathBuf;
use std::sync::OnceLock;

pub(crate) use jar::class_path;

/// A library of which releases can be installed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Library {
    /// Its word in `cupel install`, and the first part of its contenders' names: `openssl`.
    pub name: String,
    /// Its name in sentences.
    pub title: String,
    /// The family that has its contenders.
    family: String,
    /// SPDX expression of its licence, today.
    licence: String,
    /// What an installation costs, in words.
    cost: String,
    /// What the name of the usual jar contains, of a library that is one.
    #[serde(default)]
    pub(crate) usual_jar: String,
    /// Ascending.
    releases: Vec<Release>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Release {
    version: String,
    /// The package that has it: a crate and its version, or an artefact's coordinates.
    package: String,
    sha256: String,
    /// Options of its configuration besides the usual ones, if it is built.
    #[serde(default)]
    options: Vec<String>,
}

/// A release that can be installed.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The library.
    pub library: &'static Library,
    release: &'static Release,
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

/// The library of a contender, if releases of it can be installed: what its name begins with.
pub fn of_contender(name: &ContenderName) -> Option<&'static Library> {
    with_word(name.implementation().split('-').next()?)
}

impl Library {
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

    /// What it is and what it costs, in words.
    pub fn words(&self) -> String {
        let Library { title, licence, cost, .. } = self.library;
        format!("{title} {} ({licence}; {cost})", self.version())
    }

    /// The folder in which it is or would be installed.
    pub fn folder(&self, home: &Home) -> PathBuf {
        places::kept(home, &self.library.name).join(self.version())
    }

    /// Downloads, checks and, if it is sources, builds it, unless it is installed. Returns whether
    /// it was installed now.
    ///
    /// # Errors
    /// If a step fails; nothing is left behind then.
    pub fn add(&self, home: &Home, say: &dyn Fn(&str)) -> Result<bool> {
        let folder = self.folder(home);
        let what = format!("{} {}", self.library.title, self.version());
        let Release { package, sha256, options, .. } = self.release;
        installed::add(home, &folder, &|work| match package.split_once(' ') {
            Some((name, version)) => {
                let sources = Sources { name, version, sha256, options, what: &what, say };
                sources.build(work, &folder)
            }
            None => jar::copy(package, sha256, work, &what, say),
        })
    }
}

/// A family with an installed release in the place of its usual library.
pub(crate) struct OnRelease {
    pub(crate) family: Family,
    pub(crate) known: Known,
    pub(crate) folder: PathBuf,
    /// Whether to build what is not built yet.
    pub(crate) build: bool,
}

/// The family with each installed release that is named, on `host` if it needs one.
pub(crate) fn named(
    home: &Home,
    family: &Family,
    host: Option<&str>,
    wanted: &Wanted,
) -> Vec<OnRelease> {
    let mut all = Vec::new();
    let of_family = libraries().iter().filter(|library| library.family == family.name);
    for known in of_family.flat_map(Library::known) {
        let folder = known.folder(home);
        let version = known.version();
        let toolchain =
            host.map_or(version.to_string(), |host| ContenderName::on_host(host, version));
        let mut own = family.on(&toolchain);
        own.contenders.retain(|c| c.name.split('-').next() == Some(&*known.library.name));
        let means = |texts: &[String]| {
            texts.iter().map(Pattern::new).any(|pattern| {
                pattern.may_mean_toolchain(&toolchain)
                    && own.contenders.iter().any(|c| {
                        let name = own.full_name(&c.name);
                        pattern.may_name_build_of(name.code()) || pattern.may_shorten(&c.name)
                    })
            })
        };
        if means(&wanted.named) && folder.is_dir() {
            let build = wanted.build && (wanted.narrow.is_empty() || means(&wanted.narrow));
            all.push(OnRelease { family: own, known, folder, build });
        }
    }
    all
}

impl OnRelease {
    /// How the family is built with the release: with its folders and without pkg-config, which
    /// knows the system's.
    pub(crate) fn native(&self, native: &Native) -> Native {
        let at = |folder: &str| self.folder.join(folder).display().to_string();
        let mut own = native.clone();
        own.cflags.push(format!("-I{}", at("include")));
        own.libs.push(format!("-L{}", at("lib")));
        let packages = std::mem::take(&mut own.pkg_config);
        let names = packages.iter().filter_map(|package| package.split_whitespace().next());
        own.libs.extend(names.map(|name| format!("-l{}", name.trim_start_matches("lib"))));
        // Its functions are its own, whatever else the process has loaded.
        own.libs.extend(["-Wl,--exclude-libs,ALL", "-ldl", "-pthread"].map(String::from));
        own
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolchain::Kind;
    use std::fs;

    #[test]
    fn every_release_has_a_checksum_and_a_version_that_no_other_library_has() {
        let all: Vec<Known> = libraries().iter().flat_map(Library::known).collect();
        for known in &all {
            assert_eq!(known.release.sha256.len(), 64, "{}", known.version());
            let same = all.iter().filter(|other| other.version() == known.version());
            assert_eq!(same.count(), 1, "{}", known.version());
        }
        let numbers = |known: &Known| crate::toolchain::numbers(known.version());
        assert!(
            libraries().iter().all(|library| library.known().is_sorted_by_key(|k| numbers(&k)))
        );
        let said =
            |version| with_word("openssl").unwrap().release(version).unwrap_err().to_string();
        assert!(
            said(Some("9.9")).starts_with("OpenSSL 9.9 cannot be installed this way, but 1.1.1w,")
        );
        assert!(said(None).starts_with("which OpenSSL? 1.1.1w,"));
        for (toolchain, title, remedy) in [
            ("1.1.1w", "OpenSSL 1.1.1w", "cupel install openssl 1.1.1w"),
            ("temurin-25+1.70", "BouncyCastle 1.70", "cupel install bouncycastle 1.70"),
        ] {
            let absent = crate::toolchain::elsewhere(toolchain).unwrap();
            assert_eq!(absent.reason, format!("{title} is not installed"));
            assert_eq!(absent.remedy.as_deref(), Some(remedy));
        }
    }

    /// A home with an empty cache, and a family of this text.
    fn family(name: &str, text: &str) -> (tempfile::TempDir, Home, Family) {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().to_path_buf();
        let path = at.join(format!("{name}.toml"));
        fs::write(&path, text).unwrap();
        let family = Family::load(&path).unwrap();
        let home = Home { root: at.clone(), own: vec![], cache: at.join("cache"), store: at };
        (folder, home, family)
    }

    fn found(home: &Home, family: &Family, host: Option<&str>, name: &str) -> Vec<OnRelease> {
        let wanted = Wanted { named: vec![name.to_string()], ..Wanted::default() };
        named(home, family, host, &wanted)
    }

    #[test]
    fn an_installed_release_is_there_where_it_is_named_and_replaces_the_system_s_library() {
        let text = "runner = \"native\"\nprefix = \"c\"\nsource = \"x.c\"\n\
                    pkg_config = [\"libcrypto >= 3.0\"]\n[[contender]]\n\
                    name = \"openssl-reused\"\noffers = [\"sha256:digest\"]\n";
        let (_folder, home, family) = family("openssl", text);
        assert!(found(&home, &family, None, "c/*@*").is_empty(), "none is installed");
        let known = with_word("openssl").unwrap().release(Some("1.1.1w")).unwrap();
        fs::create_dir_all(known.folder(&home)).unwrap();
        for named in ["c/*", "openssl-reused", "c/*@3*", "rust/*@*"] {
            assert!(found(&home, &family, None, named).is_empty(), "{named}");
        }
        for named in ["c/*@*", "openssl@1.1.1w"] {
            assert_eq!(found(&home, &family, None, named).len(), 1, "{named}");
        }
        let release = found(&home, &family, None, "c/*@*").remove(0);
        assert_eq!(release.family.full_name("openssl-reused"), "c/openssl-reused@1.1.1w");
        assert!(release.family.is_versioned() && !family.is_versioned());
        let Kind::Native(native) = &family.kind else { panic!("it is native") };
        let own = release.native(native);
        let at = release.folder.display();
        assert_eq!(own.pkg_config, [""; 0]);
        assert_eq!(own.cflags, [format!("-I{at}/include")]);
        assert_eq!(own.libs[..2], [format!("-L{at}/lib"), "-lcrypto".into()]);
    }

    #[test]
    fn a_release_on_a_jdk_has_only_the_contenders_of_its_library_and_the_jar_is_in_its_place() {
        let one = |name: &str| {
            format!("[[contender]]\nname = \"{name}\"\noffers = [\"sha256:digest\"]\n")
        };
        let text = "runner = \"jvm\"\nprefix = \"jvm\"\nmajors = []\n".to_string()
            + &one("jdk")
            + &one("bouncycastle")
            + &one("bouncycastle-jce");
        let (_folder, home, family) = family("jvm", &text);
        let known = with_word("bouncycastle").unwrap().release(Some("1.70")).unwrap();
        let folder = known.folder(&home);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("bcprov-1.70.jar"), "").unwrap();
        let host = Some("temurin-25");
        for named in ["jvm/*@*", "jvm/jdk@*+*", "jdk@1.70"] {
            assert!(found(&home, &family, host, named).is_empty(), "{named}");
        }
        let release = found(&home, &family, host, "bouncycastle@1.70").remove(0);
        let names = release.family.contenders.iter().map(|c| release.family.full_name(&c.name));
        assert_eq!(
            names.map(|name| name.to_string()).collect::<Vec<_>>(),
            ["jvm/bouncycastle@temurin-25+1.70", "jvm/bouncycastle-jce@temurin-25+1.70"]
        );
        let runner = home.root.join("run/runner.jar");
        let libraries = home.root.join("run/lib");
        fs::create_dir_all(&libraries).unwrap();
        for name in ["org.bouncycastle.bcprov-1.86.jar", "gson.jar"] {
            fs::write(libraries.join(name), "").unwrap();
        }
        let path = class_path(&runner, &folder, "bcprov").unwrap();
        let expected = [runner, folder.join("bcprov-1.70.jar"), libraries.join("gson.jar")];
        assert_eq!(std::env::split_paths(&path).collect::<Vec<_>>(), expected);
    }
}
