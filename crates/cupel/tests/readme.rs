//! The README says what the sources say.

#[path = "../examples/tables/coverage.rs"]
mod coverage;
#[path = "../examples/tables/steered.rs"]
mod steered;

use cupel_base::home::Home;
use cupel_host::toolchain;
use cupel_host::toolchain::Family;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What a page has between the marks of this name.
fn between_marks(page: &str, name: &str) -> String {
    let text = std::fs::read_to_string(root().join(page)).expect(page);
    let (_, after) = text.split_once(&format!("<!-- {name}")).expect("the table begins");
    let (_, after) = after.split_once("-->").expect("the end of the mark");
    let end = format!("<!-- end of {name} -->");
    let (found, _) = after.split_once(&end).expect("the table ends");
    found.trim().to_string()
}

fn families() -> Vec<Family> {
    let nowhere = PathBuf::from("/nonexistent");
    let home = Home { root: root(), own: vec![], cache: nowhere.clone(), store: nowhere };
    toolchain::families(&home).expect("families")
}

#[test]
fn the_tables_of_what_is_compared_are_fresh() {
    let families = families();
    let table = coverage::markdown(&families);
    assert!(table.contains("| SHA-256 |") && table.contains("OpenSSL"), "{table}");
    assert_eq!(
        between_marks("docs/coverage.md", "coverage"),
        table.trim(),
        "docs/coverage.md: put the output of `cargo run --example tables -- coverage` between the marks"
    );
    let languages = coverage::by_language(&families);
    assert!(languages.contains("| Rust |") && languages.contains("ring"), "{languages}");
    assert_eq!(
        between_marks("README.md", "coverage"),
        languages.trim(),
        "README.md: put the output of `cargo run --example tables -- languages` between the marks"
    );
}

#[test]
fn every_library_can_be_steered_or_the_page_says_why_not() {
    let families = families();
    let table = steered::markdown(&families);
    assert_eq!(
        between_marks("docs/paths.md", "paths"),
        table.trim(),
        "docs/paths.md: put the output of `cargo run --example tables -- paths` between the marks"
    );
    let column = |line: &str, number: usize| {
        line.split('|').nth(number + 1).unwrap_or_default().trim().to_string()
    };
    let steered: Vec<String> = table.lines().map(|line| column(line, 1)).collect();
    let cannot = between_marks("docs/paths.md", "what cannot");
    let cannot: Vec<String> = cannot
        .lines()
        .flat_map(|line| column(line, 0).split(", ").map(str::to_string).collect::<Vec<_>>())
        .collect();
    let all = families.iter().flat_map(|family| &family.contenders);
    for library in all.map(|c| &c.library).filter(|library| *library != "cupel") {
        let places = [&steered, &cannot].map(|place| place.contains(library));
        assert_ne!(places[0], places[1], "{library}: steered, or in the table of what cannot be");
    }
}

#[test]
fn the_readme_fits_two_screens() {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("README.md");
    let lines = readme.lines().count();
    assert!(lines <= 150, "{lines} lines: move something to docs/");
}
