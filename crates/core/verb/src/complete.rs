//! The completions of the shell besides verbs and options: suites, contenders, primitives and runs.
//! Only files are read. Nothing is started or built, and an error completes nothing.

use clap_complete::engine::{
    ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter,
};
use cupel_base::home::Home;
use cupel_base::primitives;
use cupel_contender::Kind;
use cupel_protocol::workload::Operation;
use cupel_toolchain::{debian, jre, library, releases, versions};
use std::collections::BTreeSet;
use std::ffi::OsStr;

/// The variable with which the script of a shell asks for completions.
pub const VARIABLE: &str = "CUPEL_COMPLETE";

/// The names of the suites, and files.
pub fn suites() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let names = Home::find(None).map(|home| home.suites()).unwrap_or_default();
        let mut found = starting(names, current);
        found.extend(PathCompleter::file().complete(current));
        found
    })
}

/// The subjects of `cupel list`, and the names of suites and contenders.
pub fn listed() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let what = ["contenders", "suites", "primitives", "toolchains", "runs"].map(String::from);
        let suites = Home::find(None).map(|home| home.suites()).unwrap_or_default();
        candidates(what.into_iter().chain(suites).chain(names()))
    })
}

/// The toolchains that `cupel install` can install.
pub fn toolchains() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let words =
            ["jdk", "zig"].into_iter().chain(releases::KNOWN.iter().map(|r| r.language.word));
        let words: BTreeSet<&str> = words.collect();
        let compilers = debian::known().iter().map(|known| known.name.as_str());
        let libraries = library::libraries().iter().map(|library| library.name.as_str());
        candidates(words.into_iter().chain(compilers).chain(libraries).map(String::from))
    })
}

/// The versions of anything that `cupel install` can install.
pub fn toolchain_versions() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let jres = jre::KNOWN.iter().map(|jre| jre.major.to_string());
        let of_libraries = library::libraries().iter().flat_map(library::Library::known);
        let of_libraries = of_libraries.map(|known| known.version().to_string());
        let of_languages = releases::KNOWN.iter().map(|r| r.short().to_string());
        candidates(jres.chain(of_languages).chain(of_libraries))
    })
}

/// The names of the contenders: on JDKs once for each JDK and as the newest; for Go, Node.js and
/// Python also on each version that was ever asked for.
pub fn contenders() -> ArgValueCandidates {
    ArgValueCandidates::new(|| candidates(names()))
}

/// The names of the primitives.
pub fn primitives() -> ArgValueCandidates {
    ArgValueCandidates::new(|| candidates(primitives::all().iter().map(|p| p.name.to_string())))
}

/// The operations.
pub fn operations() -> ArgValueCandidates {
    ArgValueCandidates::new(|| candidates(Operation::ALL.iter().map(|o| o.name().to_string())))
}

/// The words that mean a run.
pub fn runs() -> ArgValueCandidates {
    ArgValueCandidates::new(|| candidates(["last", "previous"].map(String::from)))
}

/// The words of a question: primitives, operations and, if it has `contenders`, their names.
pub fn question(contenders: bool) -> ArgValueCandidates {
    ArgValueCandidates::new(move || {
        let mut words: Vec<String> = primitives::all().iter().map(|p| p.name.to_string()).collect();
        words.extend(Operation::ALL.iter().map(|o| o.name().to_string()));
        if contenders {
            words.extend(names());
        }
        candidates(words)
    })
}

/// The full names of the contenders that the families declare. Builds of a compiler matrix are left
/// out: there are hundreds.
fn names() -> Vec<String> {
    let Ok(home) = Home::find(None) else { return vec![] };
    let jdks: Vec<String> =
        cupel_toolchain::jdks(&home).into_iter().map(|(name, _)| name).collect();
    let mut names = Vec::new();
    for family in cupel_contender::families(&home).unwrap_or_default() {
        let found;
        let toolchains: Vec<Option<&str>> = match family.kind {
            Kind::Matrix(_) => vec![],
            Kind::Jvm(_) => {
                ["newest"].into_iter().chain(jdks.iter().map(|n| &**n)).map(Some).collect()
            }
            _ => match versions::language_of(&family.kind) {
                Some(language) => {
                    found = cupel_toolchain::on_known_versions(&home, language);
                    let names = found.iter().map(|one| one.name.as_str());
                    [None, Some("newest")].into_iter().chain(names.map(Some)).collect()
                }
                None => vec![None],
            },
        };
        for contender in &family.contenders {
            let name = family.full_name(&contender.name);
            names.extend(toolchains.iter().map(|toolchain| match toolchain {
                Some(toolchain) => format!("{name}@{toolchain}"),
                None => name.to_string(),
            }));
        }
    }
    names
}

fn candidates(words: impl IntoIterator<Item = String>) -> Vec<CompletionCandidate> {
    words.into_iter().map(CompletionCandidate::new).collect()
}

fn starting(words: impl IntoIterator<Item = String>, current: &OsStr) -> Vec<CompletionCandidate> {
    let current = current.to_string_lossy();
    candidates(words.into_iter().filter(|word| word.starts_with(&*current)))
}
