//! The contenders that Cupel can compare, as Markdown tables: the libraries of each language, and
//! for each primitive the libraries by language.

use cupel_base::primitives::{self, EMPTY};
use cupel_contender::{Declared, Family, SecondaryKind};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The languages in the order of the columns: the title, and the first part of the families'
/// contenders' names.
const LANGUAGES: [(&str, &[&str]); 6] = [
    ("C", &["c"]),
    ("Rust", &["rust", "rust-asm", "rust-new", "rust-wide"]),
    ("Java 17, 21, 25", &["jvm"]),
    ("Go", &["go"]),
    ("Node.js", &["node"]),
    ("Python", &["python"]),
];

/// A forced path has its own contender's offers.
fn is_forced(contender: &Declared) -> bool {
    contender.secondary.as_ref().is_some_and(|(kind, _)| *kind == SecondaryKind::ForcedPath)
}

/// The libraries of each primitive, by the column of their language.
fn libraries(families: &[Family]) -> BTreeMap<(&str, usize), Vec<&str>> {
    let mut table: BTreeMap<(&str, usize), Vec<&str>> = BTreeMap::new();
    for family in families {
        let column = LANGUAGES.iter().position(|(_, p)| p.contains(&family.prefix.as_str()));
        let Some(column) = column else { continue };
        for contender in family.contenders.iter().filter(|c| !is_forced(c)) {
            for offer in contender.offers.iter().filter(|offer| offer.primitive != EMPTY) {
                let known = table.entry((&offer.primitive, column)).or_default();
                if !known.contains(&contender.library.as_str()) {
                    known.push(&contender.library);
                }
            }
        }
    }
    table
}

/// The libraries of each language, whatever they compute. As [`markdown`], it does not depend on
/// the installed parts.
pub fn by_language(families: &[Family]) -> String {
    let table = libraries(families);
    let mut out = "| language | libraries |\n|---|---|\n".to_string();
    for (column, (title, _)) in LANGUAGES.iter().enumerate() {
        let of_column = table.iter().filter(|((_, at), _)| *at == column);
        let mut names: Vec<&str> = of_column.flat_map(|(_, names)| names).copied().collect();
        names.sort_by_key(|name| name.to_lowercase());
        names.dedup();
        let _ = writeln!(out, "| {title} | {} |", names.join(", "));
    }
    out
}

/// The libraries that the families declare, for each primitive and language.
pub fn markdown(families: &[Family]) -> String {
    let table = libraries(families);
    let titles: Vec<&str> = LANGUAGES.iter().map(|(title, _)| *title).collect();
    let rule = "---|".repeat(titles.len());
    let mut out = format!("| primitive | {} |\n|---|{rule}\n", titles.join(" | "));
    for primitive in primitives::all() {
        let of = |column: usize| {
            let mut names = table.get(&(primitive.name, column)).cloned().unwrap_or_default();
            names.sort_by_key(|name| name.to_lowercase());
            if names.is_empty() { "-".to_string() } else { names.join(", ") }
        };
        let cells: Vec<String> = (0..LANGUAGES.len()).map(of).collect();
        if cells.iter().any(|cell| cell != "-") {
            let _ = writeln!(out, "| {} | {} |", primitive.title, cells.join(" | "));
        }
    }
    out
}
