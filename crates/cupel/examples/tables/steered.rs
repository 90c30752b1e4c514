//! Which implementations can be made to take another code path, and by what, as a Markdown table.

use cupel_contender::{Declared, Family, Kind, SecondaryKind};
use std::fmt::Write;

/// The declarations of the families; independent of the installed parts.
pub fn markdown(families: &[Family]) -> String {
    let mut out =
        "| default | library | steered by | forced paths |\n|---|---|---|---|\n".to_string();
    let plain = |family: &&Family| !matches!(family.kind, Kind::Matrix(_));
    for family in families.iter().filter(plain) {
        for default in &family.contenders {
            let name = family.full_name(&default.name);
            let mut ways: Vec<&str> = Vec::new();
            let mut paths: Vec<String> = Vec::new();
            for other in families.iter().filter(plain) {
                let is_path = |c: &&Declared| {
                    let forced = |(kind, of): &(SecondaryKind, String)| {
                        *kind == SecondaryKind::ForcedPath && other.full_name(of) == name
                    };
                    c.secondary.as_ref().is_some_and(forced)
                };
                for path in other.contenders.iter().filter(is_path) {
                    for way in by(path, other) {
                        if !ways.contains(&way) {
                            ways.push(way);
                        }
                    }
                    let full = other.full_name(&path.name);
                    let short = full.as_str().strip_prefix(name.as_str());
                    paths.push(format!("`{}`", short.unwrap_or(full.as_str())));
                }
            }
            if !paths.is_empty() {
                let (library, ways) = (&default.library, ways.join(", "));
                let _ = writeln!(out, "| `{name}` | {library} | {ways} | {} |", paths.join(", "));
            }
        }
    }
    out
}

/// The setting that makes a contender a path of another.
fn by<'a>(path: &'a Declared, family: &Family) -> Vec<&'a str> {
    let variables = path.environment.iter().filter_map(|variable| variable.split('=').next());
    let mut ways: Vec<&str> = variables.collect();
    if !path.hides.is_empty() {
        ways.push("CPUID");
    }
    if matches!(&family.kind, Kind::Rust(package) if !package.cfgs.is_empty()) {
        ways.push("another build");
    }
    if ways.is_empty() {
        ways.push("a call");
    }
    ways
}
