//! The C compilers of this machine: on the path, installed by Cupel, or named by their path. Each
//! is asked for its identity, because a name alone (`cc`) does not show it.

use super::debian;
use super::launch::{Identity, Launch, identify};
use cupel_base::disk::real;
use cupel_base::home::Home;
use cupel_protocol::message::Refusal;
use std::path::PathBuf;

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
        let mut known = here.iter().chain(&additional);
        if !known.any(|(launch, _)| real(&launch.program) == real(path)) {
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
    let mut compilers: Vec<Compiler> = Vec::new();
    for (position, (launch, identity)) in here.iter().chain(&additional).enumerate() {
        let others = here.iter().enumerate().filter(|(other, _)| *other != position);
        let others: Vec<_> = others.filter_map(|(_, (_, other))| other.as_ref().ok()).collect();
        let file = launch.program.file_name().unwrap_or(launch.program.as_os_str());
        let name = match identity {
            Ok(own) if others.iter().all(|other| short(other) != short(own)) => short(own),
            Ok(own) if others.iter().all(|other| long(other) != long(own)) => long(own),
            Ok(own) => format!("{}-{}", long(own), file.display()),
            Err(_) => file.display().to_string(),
        };
        let numbered = (2..).map(|n| format!("{name}-{n}"));
        let mut names = [name.clone()].into_iter().chain(numbered);
        let free = names.find(|name| !compilers.iter().any(|c| c.name == *name));
        compilers.push(Compiler {
            name: free.unwrap_or_default(),
            version: identity.as_ref().map_or_else(|_| String::new(), |i| i.version.clone()),
            launch: launch.clone(),
            refusal: identity.as_ref().err().cloned(),
        });
    }
    compilers.sort_by_key(|c| order(&c.name));
    compilers
}

/// `gcc-12`
fn short(identity: &Identity) -> String {
    format!("{}-{}", identity.vendor, identity.major)
}

/// `gcc-12.2.0`
fn long(identity: &Identity) -> String {
    format!("{}-{}", identity.vendor, identity.number)
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
    // One name for each real file, the longest: `gcc-12` is more precise than `cc`.
    all.sort_by_key(|p| (real(p), usize::MAX - p.as_os_str().len()));
    all.dedup_by_key(|p| real(p));
    all
}

fn is_compiler(name: &str) -> bool {
    let version = ["gcc-", "clang-"].iter().find_map(|vendor| name.strip_prefix(vendor));
    let version = version.unwrap_or_default();
    matches!(name, "cc" | "gcc" | "clang")
        || !version.is_empty() && version.chars().all(|c| c.is_ascii_digit() || c == '.')
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
