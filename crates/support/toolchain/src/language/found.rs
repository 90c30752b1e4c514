//! The toolchains of a language on this machine. Each program is asked for its version once; the
//! answer is kept in the cache until another file is in its place.

use super::version::{Found, Language};
use crate::builds::bounded;
use crate::c::cc;
use crate::naming;
use cupel_base::disk::write_whole;
use cupel_base::home::Home;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The time limit for an answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// All that the runner supports, by ascending version. Programs that were never asked for their
/// version are asked.
pub fn found(home: &Home, language: &Language) -> Vec<Found> {
    named(language, each(home, language, &|program| asked(home, language, program)))
}

/// The versions that were asked before: nothing is started.
pub fn known(home: &Home, language: &Language) -> Vec<Found> {
    named(language, each(home, language, &|program| remembered(home, language, program)))
}

/// The version of each program that is not a version manager's, in the order of their places.
fn each(
    home: &Home,
    language: &Language,
    version: &dyn Fn(&Path) -> Option<String>,
) -> Vec<(String, PathBuf)> {
    let mut seen = BTreeSet::new();
    let mut programs = (language.places)(home);
    programs.retain(|program| program.is_file() && !is_shim(program));
    programs.retain(|program| program.canonicalize().is_ok_and(|real| seen.insert(real)));
    programs.into_iter().filter_map(|program| Some((version(&program)?, program))).collect()
}

fn named(language: &Language, mut found: Vec<(String, PathBuf)>) -> Vec<Found> {
    found.retain(|(version, _)| language.supports(version));
    found.sort_by_cached_key(|(version, _)| (naming::numbers(version), version.clone()));
    // Two copies of one version would give one contender two names. The first place counts.
    found.dedup_by(|later, first| later.0 == first.0);
    let names = naming::unique(found.iter().map(|(version, _)| {
        (language.short_name(version), format!("{}-{version}", language.word))
    }));
    let pairs = names.into_iter().zip(found);
    pairs.map(|(name, (version, program))| Found { name, version, program }).collect()
}

/// The version of a program.
pub fn asked(home: &Home, language: &Language, program: &Path) -> Option<String> {
    if let Some(version) = remembered(home, language, program) {
        return Some(version);
    }
    let mut command = Command::new(program);
    command.args(language.asks);
    alone(&mut command);
    let output = bounded::run(&mut command, PATIENCE).ok().filter(|o| o.status.success())?;
    let version = version_in(&output.out)?;
    if !is_shim(program) {
        let path = kept(home, language, program);
        // An answer that cannot be kept is asked for again.
        let _ = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        let _ = write_whole(&path, &version);
    }
    Some(version)
}

/// Makes a program of Go be the one that was called, whatever the environment and the working
/// directory ask for.
pub fn alone(command: &mut Command) {
    command.env("GOTOOLCHAIN", "local").env_remove("GOROOT");
}

fn remembered(home: &Home, language: &Language, program: &Path) -> Option<String> {
    if is_shim(program) {
        return None;
    }
    std::fs::read_to_string(kept(home, language, program)).ok().filter(|text| !text.is_empty())
}

fn kept(home: &Home, language: &Language, program: &Path) -> PathBuf {
    let mut digest = Sha256::new();
    // One program may have several names and act by them.
    let own = program.to_string_lossy();
    for part in [language.word, &language.asks.concat(), &own, &cc::identity(program)] {
        digest.update(part);
        digest.update([0]);
    }
    home.cache.join("versions").join(hex::encode(&digest.finalize()[..16]))
}

/// Whether a program is a version manager's, which starts one of several versions, depending on the
/// working directory. Those are found where the manager keeps them.
fn is_shim(program: &Path) -> bool {
    let in_shims = program.parent().is_some_and(|folder| folder.ends_with("shims"));
    let real = program.canonicalize().unwrap_or_default();
    in_shims || real.file_name().is_some_and(|name| name == "volta-shim")
}

/// The first version in a text: `1.26.8` in `go version go1.26.8 linux/amd64`.
fn version_in(text: &str) -> Option<String> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let rest = &text[start..];
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(rest.len());
    Some(rest[..end].trim_end_matches('.').to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_read_as_it_is_printed() {
        let of = |text| version_in(text).unwrap_or_default();
        assert_eq!(of("go version go1.26.8 linux/amd64"), "1.26.8");
        assert_eq!(of("go version go1.27rc1 linux/amd64"), "1.27rc1");
        assert_eq!(of("v22.20.0\n"), "22.20.0");
        assert_eq!(of("Python 3.12.1\n"), "3.12.1");
        assert_eq!(of("none"), "");
    }

    #[test]
    fn one_version_has_one_name_and_the_newest_of_a_kind_the_short_one() {
        let language = |word: &'static str| Language {
            word,
            title: word,
            numbers: if word == "node" { 1 } else { 2 },
            oldest: if word == "node" { (20, 19) } else { (1, 21) },
            newest: "",
            asks: &[],
            places: |_| vec![],
            ready: |_| panic!("nothing is built"),
            remedy: "",
        };
        let names = |word: &'static str, versions: &[&str]| {
            let all = versions.iter().enumerate();
            let all = all.map(|(n, v)| (v.to_string(), PathBuf::from(n.to_string()))).collect();
            let found = named(&language(word), all);
            found
                .into_iter()
                .map(|f| format!("{} {}", f.name, f.program.display()))
                .collect::<Vec<_>>()
        };
        assert_eq!(names("go", &["1.26.8", "1.9.1", "1.24.11"]), ["go-1.24 2", "go-1.26 0"]);
        assert_eq!(names("python", &["3.11.7", "3.11.2"]), ["python-3.11.2 1", "python-3.11 0"]);
        assert_eq!(names("node", &["22.20.0", "22.20.0"]), ["node-22 0"], "the first place counts");
    }
}
