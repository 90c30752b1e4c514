//! Languages whose versions are toolchains: Go, Node.js and Python. A family in one of them is
//! there once on the usual toolchain of the language, as `go/std`, and once on each version that a
//! pattern names, as `go/std@go-1.24`.

use super::found;
use super::go;
use super::node;
use super::python;
use super::releases;
use super::version::{Found, Language, Need};
use crate::absent::Absent;
use crate::built::Built;
use crate::wanted::Wanted;
use cupel_base::home::Home;
use cupel_base::name::Pattern;
use cupel_contender::Family;
use cupel_contender::Kind;
use cupel_contender::family::Sources;
use cupel_protocol::message::Refusal;
use std::collections::BTreeSet;
/// The languages whose versions are toolchains.
pub static ALL: [&Language; 3] = [&go::LANGUAGE, &node::LANGUAGE, &python::LANGUAGE];

/// The language of a family, if its versions are toolchains.
pub fn language_of(kind: &Kind) -> Option<&'static Language> {
    match kind {
        Kind::Go(_) => Some(&go::LANGUAGE),
        Kind::Node(_) => Some(&node::LANGUAGE),
        Kind::Python(_) => Some(&python::LANGUAGE),
        _ => None,
    }
}

/// The language with this word.
pub fn with_word(word: &str) -> Option<&'static Language> {
    ALL.into_iter().find(|language| language.word == word)
}

/// The language of a toolchain with this name, and its version, if it is a possible name of one.
pub fn named(toolchain: &str) -> Option<(&'static Language, &str)> {
    ALL.into_iter().find_map(|language| Some((language, language.version_in(toolchain)?)))
}

/// Whether code is compiled at run time on a toolchain of this name.
pub fn is_jit(toolchain: &str) -> bool {
    named(toolchain).is_some_and(|(language, _)| language.word == node::LANGUAGE.word)
}

/// The family: on the usual toolchain of its language, on each that a pattern names, and as missing
/// on each that is named in full and is not here.
pub fn ready(
    home: &Home,
    family: &Family,
    (language, sources): (&'static Language, &Sources),
    wanted: &Wanted,
    say: &dyn Fn(&str),
) -> Vec<Built> {
    let make = |host: Option<&Found>, build: bool| {
        (language.ready)(&Need { home, sources, found: host, build, say })
            .map_err(|absent| absent.explained_by(family))
    };
    let build = wanted.builds(&family.prefix)
        && may_mean_usual(&wanted.named, family)
        && may_mean_usual(&wanted.narrow, family);
    let mut all = vec![Built::alone(family.clone(), make(None, build), None)];
    let named = on_toolchains(family, &wanted.named);
    if named.is_empty() {
        return all;
    }
    let narrow = on_toolchains(family, &wanted.narrow);
    let found = found::found(home, language);
    for host in &found {
        if named.iter().any(|p| p.may_mean_toolchain(&host.name)) {
            let build = wanted.build
                && (wanted.narrow.is_empty()
                    || narrow.iter().any(|p| p.may_mean_toolchain(&host.name)));
            all.push(Built::alone(family.on(&host.name), make(Some(host), build), None));
        }
    }
    let mut absent = BTreeSet::new();
    for pattern in &named {
        if found.iter().any(|host| pattern.may_mean_toolchain(&host.name)) {
            continue;
        }
        let Some(asked) = pattern.toolchain() else { continue };
        // In `std@1.24` the language's word is left out.
        let forms = [asked.to_string(), format!("{}-{asked}", language.word)];
        absent.extend(forms.into_iter().find(|name| language.version_in(name).is_some()));
    }
    for name in absent {
        let refusal = absence(language, language.version_in(&name).unwrap_or_default(), &found);
        all.push(Built::alone(family.on(&name), Err(Absent::Missing(refusal)), None));
    }
    all
}

/// Whether one of these patterns, if there are any, may mean a family on its usual toolchain.
fn may_mean_usual(texts: &[String], family: &Family) -> bool {
    let mut patterns = texts.iter().map(Pattern::new);
    texts.is_empty() || patterns.any(|p| !p.names_toolchain() && p.may_name_family(&family.prefix))
}

/// The patterns that name a toolchain of a contender of this family. A pattern without a family
/// means those families that declare something of that name.
fn on_toolchains(family: &Family, texts: &[String]) -> Vec<Pattern> {
    let mut patterns: Vec<Pattern> = texts.iter().map(Pattern::new).collect();
    patterns.retain(|pattern| {
        pattern.names_toolchain()
            && pattern.may_name_family(&family.prefix)
            && (pattern.names_family()
                || family.contenders.iter().any(|c| pattern.may_shorten(&c.name)))
    });
    patterns
}

/// Why there is no toolchain of a version, given those that are here.
pub fn absence(language: &Language, version: &str, found: &[Found]) -> Refusal {
    let Language { word, title, .. } = language;
    let (reason, remedy) = if !language.supports(version) {
        let least = language.least();
        let remedy = "`cupel list toolchains` shows what is here".to_string();
        (format!("{title} {version} is too old: the runner needs {least}"), remedy)
    } else if let Some(Found { name, .. }) = found.iter().find(|host| host.version == version) {
        (format!("{title} {version} is called {name} here"), format!("name {name}"))
    } else {
        let remedy = match releases::find_version(language, version) {
            Ok(_) => format!("cupel install {word} {version}"),
            Err(_) => releases::by_hand(language, version),
        };
        (format!("{title} {version} is not installed"), remedy)
    };
    Refusal { reason, remedy: Some(remedy) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_languages_word_with_as_many_numbers_as_distinguish_it() {
        let short = |word: &str, version: &str| with_word(word).unwrap().short_name(version);
        assert_eq!(short("go", "1.24.11"), "go-1.24");
        assert_eq!(short("go", "1.27rc1"), "go-1.27");
        assert_eq!(short("node", "22.20.0"), "node-22");
        assert_eq!(short("python", "3.12.1"), "python-3.12");
    }

    #[test]
    fn a_toolchain_that_may_exist_is_distinguished_from_a_misspelt_one() {
        let of = |name| named(name).map(|(language, version)| (language.word, version));
        assert_eq!(of("go-1.24"), Some(("go", "1.24")));
        assert_eq!(of("go-1.24.11"), Some(("go", "1.24.11")));
        assert_eq!(of("node-22"), Some(("node", "22")));
        assert_eq!(of("python-3.12"), Some(("python", "3.12")));
        for wrong in ["go-1", "go1.24", "go-1.24rc1", "node-", "nod-22", "python-3", "gcc-12-O2"] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
        assert!(is_jit("node-22") && !is_jit("go-1.24") && !is_jit("python-3.13"));
    }

    #[test]
    fn what_is_absent_comes_with_the_command_that_adds_it_or_the_name_that_it_has() {
        let host = |name: &str, version: &str| Found {
            name: name.into(),
            version: version.into(),
            program: "/x".into(),
        };
        let said = |word: &str, version: &str, found: &[Found]| {
            let refusal = absence(with_word(word).unwrap(), version, found);
            format!("{}; {}", refusal.reason, refusal.remedy.unwrap())
        };
        let add = said("go", "1.24", &[]);
        assert_eq!(add, "Go 1.24 is not installed; cupel install go 1.24");
        let add = said("node", "22", &[]);
        assert_eq!(add, "Node.js 22 is not installed; cupel install node 22");
        let full = said("go", "1.24.11", &[host("go-1.24", "1.24.11")]);
        assert_eq!(full, "Go 1.24.11 is called go-1.24 here; name go-1.24");
        assert!(
            said("go", "1.20", &[]).starts_with("Go 1.20 is too old: the runner needs Go 1.21")
        );
        let node = said("node", "20.18.0", &[]);
        assert!(node.contains("too old: the runner needs Node.js 20.19"), "{node}");
        assert!(said("node", "20", &[]).contains("Node.js 20 is not installed; install"));
        let python = said("python", "3.13", &[]);
        assert!(python.contains("uv python install 3.13"), "{python}");
    }
}
