//! The toolchains of this machine: JDKs, versions of languages and C compilers.

use cupel_base::home::Home;
use cupel_base::text::plain;
use cupel_host::toolchain::version::{Found, Language};
use cupel_host::toolchain::{self, compiler, debian, jre, releases, versions, zig};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// One line for each, with its full version and its place. `given` are paths of additional C
/// compilers.
pub fn list(home: &Home, given: &[PathBuf]) -> String {
    let mut out = String::new();
    let row = |name: &str, version: &str, path: String| {
        plain(&format!("{name:<18} {version:<12} {path}")) + "\n"
    };
    let jdks = toolchain::jdks(home);
    for (name, jdk) in &jdks {
        out += &row(name, &jdk.version, jdk.home.display().to_string());
    }
    if jdks.is_empty() {
        out.push_str("no JDK was found\n");
    }
    for language in versions::ALL {
        let found = toolchain::on_versions(home, language);
        for Found { name, version, program } in &found {
            out += &row(name, version, program.display().to_string());
        }
        if found.is_empty() {
            let _ = writeln!(out, "no {} or later was found", language.least());
        }
    }
    let compilers = compiler::found(home, given);
    for compiler in &compilers {
        let what = match &compiler.refusal {
            Some(refusal) => &refusal.reason,
            None => &compiler.version,
        };
        let path = compiler.launch.program.display();
        let _ = writeln!(out, "{}", plain(&format!("{:<18} {what}  {path}", compiler.name)));
    }
    if compilers.is_empty() {
        out.push_str("no C compiler was found\n");
    }
    if let Some(program) = zig::installed(home) {
        out += &row("zig", zig::VERSION, program.display().to_string());
    }
    out
}

/// The same as JSON. A compiler that cannot be used has a reason in the place of its version.
pub fn json(home: &Home, given: &[PathBuf]) -> Vec<Value> {
    let one = |name: &str, version: &str, path: &Path| json!({ "name": name, "version": version, "path": path.display().to_string() });
    let mut all: Vec<Value> = Vec::new();
    all.extend(toolchain::jdks(home).iter().map(|(name, jdk)| one(name, &jdk.version, &jdk.home)));
    for language in versions::ALL {
        let found = toolchain::on_versions(home, language);
        all.extend(found.iter().map(|found| one(&found.name, &found.version, &found.program)));
    }
    for compiler in compiler::found(home, given) {
        let program = compiler.launch.program.display().to_string();
        all.push(match &compiler.refusal {
            Some(refusal) => {
                json!({ "name": compiler.name, "reason": refusal.reason, "path": program })
            }
            None => one(&compiler.name, &compiler.version, &compiler.launch.program),
        });
    }
    all.extend(zig::installed(home).map(|program| one("zig", zig::VERSION, &program)));
    all
}

/// One line for each language: the names of its toolchains and the command that installs another;
/// if `full`, also their versions, and what to do where Cupel cannot install one.
pub fn by_language(home: &Home, full: bool) -> Vec<(&'static str, String)> {
    let jdks = toolchain::jdks(home);
    let lacks = jre::KNOWN.iter().rfind(|jre| !jdks.iter().any(|(_, jdk)| jdk.major == jre.major));
    let more = lacks.map(|jre| format!("cupel install jdk {}", jre.major));
    let here = jdks.iter().map(|(name, jdk)| shown(name, &jdk.version, full)).collect();
    let mut all = vec![("JDK", line(here, more))];
    for language in versions::ALL {
        let found = toolchain::on_versions(home, language);
        let here = found.iter().map(|one| shown(&one.name, &one.version, full)).collect();
        all.push((language.title, line(here, more_of(language, &found, full))));
    }
    let compilers = compiler::found(home, &[]);
    let has = |name: &str| compilers.iter().any(|compiler| compiler.name == name);
    let more = debian::known().iter().rfind(|known| !has(&known.name));
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
