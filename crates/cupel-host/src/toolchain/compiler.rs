//! The C compilers of this machine: on the path, installed by Cupel, or named by their path. Each
//! is asked what it is; a name alone (`cc`) says nothing.

use super::debian;
use super::launch::{Identity, Launch, identify};
use cupel_base::home::Home;
use cupel_protocol::message::Refusal;
use std::path::{Path, PathBuf};

/// A compiler, or a program that should be one.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// Its name in contenders: `gcc-12`, `clang-16`, or with the full version if there are two of
    /// one major version.
    pub name: String,
    /// The line with which it names itself: `gcc (Debian 12.2.0-14+deb12u1) 12.2.0`.
    pub version: String,
    /// How it is started.
    pub launch: Launch,
    /// Why it cannot be used.
    pub refusal: Option<Refusal>,
}

type Asked = (Launch, Result<Identity, Refusal>);

/// All compilers: those that Cupel installed, those on the path, and the given ones, which are
/// returned even if they are not compilers. Each is listed once.
pub fn found(home: &Home, given: &[PathBuf]) -> Vec<Compiler> {
    let mut here: Vec<Asked> = Vec::new();
    for launch in debian::installed(home) {
        let identity = identify(&launch);
        here.push((launch, identity));
    }
    for launch in on_path().into_iter().map(Launch::plain) {
        // A program on the path that is not a compiler is skipped: the user did not name it.
        let Ok(identity) = identify(&launch) else { continue };
        if !here.iter().any(|(_, known)| known.as_ref() == Ok(&identity)) {
            here.push((launch, Ok(identity)));
        }
    }
    let mut additional: Vec<Asked> = Vec::new();
    for path in given {
        let known = |(launch, _): &Asked| real(&launch.program) == real(path);
        if !here.iter().chain(&additional).any(known) {
            let launch = Launch::plain(path.clone());
            let identity = identify(&launch);
            additional.push((launch, identity));
        }
    }
    named(here, additional)
}

/// Gives every compiler a unique name. The names of the machine's own compilers do not depend on
/// the given ones.
fn named(here: Vec<Asked>, additional: Vec<Asked>) -> Vec<Compiler> {
    let short = |i: &Identity| format!("{}-{}", i.vendor, i.major);
    let long = |i: &Identity| format!("{}-{}", i.vendor, i.number);
    let file = |launch: &Launch| {
        let file = launch.program.file_name().unwrap_or(launch.program.as_os_str());
        file.to_string_lossy().into_owned()
    };
    let count = |name: &dyn Fn(&Identity) -> String, wanted: &str| {
        here.iter().filter_map(|(_, i)| i.as_ref().ok()).filter(|i| name(i) == wanted).count()
    };
    let mut compilers: Vec<Compiler> = Vec::new();
    for (position, (launch, identity)) in here.iter().chain(&additional).enumerate() {
        // A given compiler counts itself, because it is not among the machine's own.
        let alone = usize::from(position < here.len());
        let name = match identity {
            Ok(i) if count(&short, &short(i)) == alone => short(i),
            Ok(i) if count(&long, &long(i)) == alone => long(i),
            Ok(i) => format!("{}-{}", long(i), file(launch)),
            Err(_) => file(launch),
        };
        let taken = |name: &str| compilers.iter().any(|c| c.name == name);
        let free = (2..).map(|n| format!("{name}-{n}")).find(|name| !taken(name));
        compilers.push(Compiler {
            name: if taken(&name) { free.unwrap_or_default() } else { name },
            version: identity.as_ref().map_or_else(|_| String::new(), |i| i.version.clone()),
            launch: launch.clone(),
            refusal: identity.as_ref().err().cloned(),
        });
    }
    compilers.sort_by_key(|c| order(&c.name));
    compilers
}

/// Vendors together, versions ascending by number.
fn order(name: &str) -> (String, Vec<u32>, String) {
    let (vendor, rest) = name.split_once('-').unwrap_or((name, ""));
    let numbers =
        rest.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect();
    (vendor.to_string(), numbers, rest.to_string())
}

/// The compilers on the path: `cc`, `gcc`, `clang`, and those followed by a version.
fn on_path() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut all: Vec<PathBuf> = Vec::new();
    for folder in std::env::split_paths(&path) {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let named = entries.filter(|e| e.file_name().to_str().is_some_and(is_compiler));
        all.extend(named.map(|e| e.path()));
    }
    // One name for each real file, the longest: `gcc-12` says more than `cc`.
    all.sort_by_key(|p| (real(p), usize::MAX - p.as_os_str().len()));
    all.dedup_by_key(|p| real(p));
    all
}

fn is_compiler(name: &str) -> bool {
    let versioned = |vendor: &str| {
        name.strip_prefix(vendor).and_then(|rest| rest.strip_prefix('-')).is_some_and(|version| {
            !version.is_empty() && version.chars().all(|c| c.is_ascii_digit() || c == '.')
        })
    };
    matches!(name, "cc" | "gcc" | "clang") || versioned("gcc") || versioned("clang")
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &str, vendor: &'static str, number: &str) -> Asked {
        let major = number.split('.').next().unwrap().parse().unwrap();
        let version = format!("{vendor} {number} of {path}");
        let identity = Identity { vendor, major, number: number.into(), version };
        (Launch::plain(path.into()), Ok(identity))
    }

    fn names(here: Vec<Asked>, additional: Vec<Asked>) -> Vec<String> {
        named(here, additional).into_iter().map(|c| c.name).collect()
    }

    #[test]
    fn a_compiler_name_has_as_much_of_the_version_as_makes_it_unique() {
        let all =
            vec![at("/a", "gcc", "12.2.0"), at("/b", "gcc", "9.3.0"), at("/c", "clang", "16.0.6")];
        assert_eq!(names(all, vec![]), ["clang-16", "gcc-9", "gcc-12"]);
        let all = vec![at("/a", "gcc", "12.2.0"), at("/b", "gcc", "12.3.0")];
        assert_eq!(names(all, vec![]), ["gcc-12.2.0", "gcc-12.3.0"]);
    }

    #[test]
    fn a_given_compiler_takes_no_name_of_an_installed_one() {
        let here = || vec![at("/a/gcc", "gcc", "12.2.0")];
        assert_eq!(names(here(), vec![at("/b/own", "gcc", "5.4.0")]), ["gcc-5", "gcc-12"]);
        assert_eq!(names(here(), vec![at("/b/own", "gcc", "12.3.0")]), ["gcc-12", "gcc-12.3.0"]);
        let same = || at("/b/own", "gcc", "12.2.0");
        assert_eq!(
            names(here(), vec![same(), same()]),
            ["gcc-12", "gcc-12.2.0-own", "gcc-12.2.0-own-2"]
        );
    }

    #[test]
    fn tools_whose_names_begin_like_a_compilers_are_ignored() {
        for name in ["cc", "gcc", "gcc-12", "clang", "clang-16", "gcc-4.8"] {
            assert!(is_compiler(name), "{name}");
        }
        for name in ["gcc-ar", "gcc-ar-12", "clang-format", "clang++-16", "clang-cpp-16", "gcc-"] {
            assert!(!is_compiler(name), "{name}");
        }
    }
}
