//! Runners in languages that have their own build tool: their common parts. `go.rs`, `node.rs` and
//! `python.rs` have the needs of their languages.

pub mod found;
pub mod go;
pub mod newest;
pub mod node;
pub mod places;
pub mod python;
pub mod releases;
pub mod version;
pub mod versions;
pub mod wheel;

use self::version::{Found, Language};
use crate::absent::Absent;
use crate::builds::artefact::Artefact;
use crate::builds::cargo;
use crate::builds::fingerprint::fingerprint;
use crate::builds::registry;
use crate::c::cc;
use cupel_base::disk::real;
use cupel_base::home::Home;
use cupel_base::packages;
use cupel_protocol::message::Refusal;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The toolchain that a runner is built with, or runs on.
pub struct Host {
    /// Its program.
    pub program: PathBuf,
    /// Changes when another version takes its place.
    pub identity: String,
    /// Its name, if it is not the usual one of its language.
    name: Option<String>,
}

impl Host {
    /// The toolchain that was found, or the usual one of the language: its program on the path, or
    /// the newest that Cupel installed.
    ///
    /// # Errors
    /// If there is none that the runner supports, with the remedy.
    pub fn find(home: &Home, language: &Language, given: Option<&Found>) -> Result<Host, Absent> {
        if let Some(given) = given {
            return Ok(Host::new(given.program.clone(), Some(given.name.clone())));
        }
        let Language { word, remedy, .. } = *language;
        let first = cc::located(Path::new(word));
        let version = first.as_deref().and_then(|first| found::asked(home, language, first));
        if let (Some(first), Some(version)) = (&first, &version)
            && language.supports(version)
        {
            return Ok(Host::new(first.clone(), None));
        }
        let kept = places::kept(home, word);
        let own = found::found(home, language).into_iter().rfind(|f| f.program.starts_with(&kept));
        match (own, first) {
            (Some(own), _) => Ok(Host::new(own.program, None)),
            (None, None) => Err(missing(word, "is not there", remedy)),
            (None, Some(_)) => {
                let version = version.and_then(|version| version_in(&version));
                Err(missing(word, &is_old(version), remedy))
            }
        }
    }

    fn new(program: PathBuf, name: Option<String>) -> Host {
        Host { identity: identity(&program), program, name }
    }

    /// The file that is built for it: each toolchain but the usual one has its own folder.
    pub fn product(&self, file: &str) -> String {
        self.name.as_ref().map_or_else(|| file.to_string(), |name| format!("{name}/{file}"))
    }

    /// The name of a build for it, in messages.
    pub fn named(&self, what: &str) -> String {
        self.name.as_ref().map_or_else(|| what.to_string(), |name| format!("{what} on {name}"))
    }
}

/// A program on the path.
///
/// # Errors
/// If there is none, with the remedy.
pub fn located(name: &str, remedy: &str) -> Result<PathBuf, Absent> {
    cc::located(Path::new(name)).ok_or_else(|| missing(name, "is not there", remedy))
}

/// The refusal because a program is missing or does not suffice.
pub fn missing(name: &str, why: &str, remedy: &str) -> Absent {
    Absent::Missing(Refusal {
        reason: format!("{name} {why}"),
        remedy: Some(packages::remedy(remedy)),
    })
}

/// The real file of a program, with its size and time.
pub fn identity(path: &Path) -> String {
    let real = real(path);
    let data = fs::metadata(&real).ok().map(|data| (data.len(), data.modified().ok()));
    format!("{} {data:?}", real.display())
}

/// The inputs of a runner's build, and its file.
pub struct Recipe<'a> {
    /// The name of the built artefact, in messages.
    pub name: &'a str,
    /// The folder of its sources.
    pub sources: &'a Path,
    /// The endings of the files that it is built from.
    pub extensions: &'a [&'a str],
    /// Its other inputs, such as the language's version.
    pub with: &'a str,
    /// The file, relative to the folder that it is built in.
    pub product: &'a str,
    /// Its folder below a package's folder, if packages have it.
    pub shipped: Option<&'a str>,
}

impl Recipe<'_> {
    /// The file, made if it is not up to date.
    ///
    /// # Errors
    /// The errors of `make`; if it is not to be built, or there is no folder for it.
    pub fn ready(
        &self,
        home: &Home,
        build: bool,
        say: &dyn Fn(&str),
        make: &dyn Fn(&Path) -> Result<(), Absent>,
    ) -> Result<PathBuf, Absent> {
        let &Recipe { name, sources, extensions, with, product, shipped } = self;
        let digest = fingerprint(&[sources], extensions, &["target", "node_modules"]);
        let wanted = format!("{digest} {with}");
        let artefact = Artefact { name, sources, product: product.into(), wanted, shipped };
        artefact.ready(home, build, &|target| {
            say(&format!("building {name}"));
            make(target)
        })
    }
}

/// Runs a build tool to its end.
///
/// # Errors
/// If it fails, with the first error of its log and the command to repeat it. If it could not get
/// the libraries, those are missing.
pub fn run(command: &mut Command, name: &str) -> Result<(), Absent> {
    let why = match command.stdin(Stdio::null()).output() {
        Ok(output) if output.status.success() => return Ok(()),
        Ok(output) => {
            let log = [output.stderr, output.stdout].concat();
            let log = String::from_utf8_lossy(&log);
            if let Some(trouble) = registry::trouble(&log) {
                return Err(Absent::Missing(trouble.refusal(name)));
            }
            cargo::first_error(&log)
        }
        Err(e) => e.to_string(),
    };
    let reason = format!("{name} does not build: {why}");
    Err(Absent::Failed(Refusal { reason, remedy: Some(shown(command)) }))
}

/// The command as one would type it.
fn shown(command: &Command) -> String {
    let words = [command.get_program()].into_iter().chain(command.get_args());
    let line = words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    match command.get_current_dir() {
        Some(folder) => format!("cd {} && {line}", folder.display()),
        None => line,
    }
}

/// The version that a program prints, as numbers: `v20.19.1` is 20 and 19. `None` if it prints
/// none.
pub fn version(program: &Path, arguments: &[&str]) -> Option<(u32, u32)> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output().ok()?;
    if !output.status.success() {
        return None;
    }
    version_in(&String::from_utf8_lossy(&output.stdout))
}

/// Why a version does not suffice.
pub fn is_old(found: Option<(u32, u32)>) -> String {
    match found {
        Some((major, minor)) => format!("is too old: {major}.{minor}"),
        None => "does not say which version it is".to_string(),
    }
}

/// The first number with a point in a text, as two numbers.
fn version_in(text: &str) -> Option<(u32, u32)> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let mut parts = text[start..].split(|c: char| !c.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_they_are_printed() {
        assert_eq!(version_in("v20.19.1\n"), Some((20, 19)));
        assert_eq!(version_in("go version go1.26.8 linux/amd64"), Some((1, 26)));
        assert_eq!(version_in("Python 3.9.2\n"), Some((3, 9)));
        assert_eq!(version_in("pyenv: python3.12: command not found"), Some((3, 12)));
        assert_eq!(version_in("none"), None);
    }

    #[test]
    fn a_build_that_fails_says_why_and_how_to_repeat_it() {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "echo building; echo x.go:1: error: no >&2; exit 1"]);
        command.current_dir(folder.path());
        let Err(Absent::Failed(refusal)) = run(&mut command, "the Go runner") else {
            panic!("it failed");
        };
        assert_eq!(refusal.reason, "the Go runner does not build: x.go:1: error: no");
        let remedy = refusal.remedy.unwrap();
        assert!(remedy.starts_with(&format!("cd {} && sh -c", folder.path().display())));
    }

    #[test]
    fn another_program_in_the_same_place_has_another_identity() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("go");
        fs::write(&path, "one").unwrap();
        let first = identity(&path);
        assert_eq!(identity(&path), first);
        fs::write(&path, "another").unwrap();
        assert_ne!(identity(&path), first);
    }
}
