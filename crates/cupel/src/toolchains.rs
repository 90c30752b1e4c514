//! The toolchains of this machine: JDKs, versions of languages and C compilers.

use cupel_base::home::Home;
use cupel_base::text::plain;
use cupel_toolchain::version::{Found, Language};
use cupel_toolchain::{compiler, debian, jre, library, releases, versions, zig};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// One toolchain.
struct Toolchain {
    name: String,
    /// Its version, or why it cannot be used.
    version: Result<String, String>,
    path: String,
}

impl Toolchain {
    fn new(name: &str, version: &str, path: &Path) -> Toolchain {
        let path = path.display().to_string();
        Toolchain { name: name.into(), version: Ok(version.into()), path }
    }

    fn json(&self) -> Value {
        let Toolchain { name, version, path } = self;
        match version {
            Ok(version) => json!({ "name": name, "version": version, "path": path }),
            Err(reason) => json!({ "name": name, "reason": reason, "path": path }),
        }
    }
}

/// The toolchains of one language, and the message if there are none.
struct Group {
    none: String,
    all: Vec<Toolchain>,
}

/// All toolchains. `given` are paths of additional C compilers.
fn groups(home: &Home, given: &[PathBuf]) -> Vec<Group> {
    let jdks = cupel_toolchain::jdks(home);
    let jdks = jdks.iter().map(|(name, jdk)| Toolchain::new(name, &jdk.version, &jdk.home));
    let mut groups = vec![Group { none: "no JDK was found".into(), all: jdks.collect() }];
    for language in versions::ALL {
        let found = cupel_toolchain::on_versions(home, language);
        let all = found.iter().map(|one| Toolchain::new(&one.name, &one.version, &one.program));
        let none = format!("no {} or later was found", language.least());
        groups.push(Group { none, all: all.collect() });
    }
    let compilers = compiler::found(home, given).into_iter().map(|compiler| {
        let one = Toolchain::new(&compiler.name, &compiler.version, &compiler.launch.program);
        match compiler.refusal {
            Some(refusal) => Toolchain { version: Err(refusal.reason), ..one },
            None => one,
        }
    });
    groups.push(Group { none: "no C compiler was found".into(), all: compilers.collect() });
    let known = library::libraries().iter().flat_map(library::Library::known);
    let releases = known.map(|known| (known, known.folder(home)));
    let releases = releases.filter(|(_, folder)| folder.is_dir()).map(|(known, folder)| {
        let version = known.version();
        Toolchain::new(&format!("{}@{version}", known.library.name), version, &folder)
    });
    groups.push(Group { none: String::new(), all: releases.collect() });
    if let Some(program) = zig::installed(home) {
        let all = vec![Toolchain::new("zig", zig::VERSION, &program)];
        groups.push(Group { none: String::new(), all });
    }
    groups
}

/// One line for each, with its full version and its place. `given` are paths of additional C
/// compilers.
pub fn list(home: &Home, given: &[PathBuf]) -> String {
    let mut out = String::new();
    for Group { none, all } in groups(home, given) {
        for Toolchain { name, version, path } in &all {
            let (Ok(what) | Err(what)) = version;
            out += &(plain(&format!("{name:<18} {what:<12} {path}")) + "\n");
        }
        if all.is_empty() && !none.is_empty() {
            out += &(none + "\n");
        }
    }
    out
}

/// The toolchains as JSON.
pub fn json(home: &Home, given: &[PathBuf]) -> Vec<Value> {
    groups(home, given).iter().flat_map(|group| &group.all).map(Toolchain::json).collect()
}

/// One line for each language: the names of its toolchains and the command that installs another;
/// if `full`, also their versions, and what to do where Cupel cannot install one.
pub fn by_language(home: &Home, full: bool) -> Vec<(&'static str, String)> {
    let jdks = cupel_toolchain::jdks(home);
    let lacks = jre::KNOWN.iter().rfind(|jre| !jdks.iter().any(|(_, jdk)| jdk.major == jre.major));
    let more = lacks.map(|jre| format!("cupel install jdk {}", jre.major));
    let here = jdks.iter().map(|(name, jdk)| shown(name, &jdk.version, full)).collect();
    let mut all = vec![("JDK", line(here, more))];
    for language in versions::ALL {
        let found = cupel_toolchain::on_versions(home, language);
        let here = found.iter().map(|one| shown(&one.name, &one.version, full)).collect();
        all.push((language.title, line(here, more_of(language, &found, full))));
    }
    let compilers = compiler::found(home, &[]);
    let more = debian::known()
        .iter()
        .rfind(|known| !compilers.iter().any(|compiler| compiler.name == known.name));
    let more = more.map(|known| format!("cupel install {}", known.name));
    all.push(("compilers", line(compilers.iter().map(|c| c.name.clone()).collect(), more)));
    all
}

/// How to add a version of a language that is not here; if not `full`, only a command of Cupel's.
fn more_of(language: &Language, found: &[Found], full: bool) -> Option<String> {
    let has = |short: &str| found.iter().any(|one| language.short_name(&one.version) == short);
    let mut releases: Vec<_> = releases::known(language).collect();
    releases.retain(|release| !has(&language.short_name(release.version)));
    match releases.last() {
        Some(release) => Some(format!("cupel install {} {}", language.word, release.short())),
        None => full.then(|| releases::by_hand(language, language.newest)),
    }
}

/// `go-1.24`; if `full`, `go-1.24 (1.24.11)`, unless the full version is in the name already.
fn shown(name: &str, version: &str, full: bool) -> String {
    if !full || name.ends_with(version) { name.to_string() } else { format!("{name} ({version})") }
}

fn line(here: Vec<String>, more: Option<String>) -> String {
    let here = if here.is_empty() { "none".to_string() } else { here.join(", ") };
    match more {
        Some(more) => plain(&format!("{here}; another: {more}")),
        None => plain(&here),
    }
}
