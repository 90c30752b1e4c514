//! The README says what the sources say.

use cupel::home::Home;
use cupel::{report, toolchain};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What a page has between the marks.
fn between_marks(page: &str) -> String {
    let text = std::fs::read_to_string(root().join(page)).expect(page);
    let (_, after) = text.split_once("<!-- coverage").expect("the table begins");
    let (_, after) = after.split_once("-->").expect("the end of the mark");
    let (found, _) = after.split_once("<!-- end of coverage -->").expect("the table ends");
    found.trim().to_string()
}

#[test]
fn the_tables_of_what_is_compared_are_fresh() {
    let nowhere = PathBuf::from("/nonexistent");
    let home = Home { root: root(), own: vec![], cache: nowhere.clone(), store: nowhere };
    let families = toolchain::families(&home).expect("families");
    let table = report::coverage::markdown(&families);
    assert!(table.contains("| SHA-256 |") && table.contains("OpenSSL"), "{table}");
    assert_eq!(
        between_marks("docs/coverage.md"),
        table.trim(),
        "docs/coverage.md: put the output of `cupel list coverage` between the marks"
    );
    let languages = report::coverage::by_language(&families);
    assert!(languages.contains("| Rust |") && languages.contains("ring"), "{languages}");
    assert_eq!(
        between_marks("README.md"),
        languages.trim(),
        "README.md: put the output of `cupel list languages` between the marks"
    );
}

#[test]
fn the_readme_fits_two_screens() {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("README.md");
    let lines = readme.lines().count();
    assert!(lines <= 150, "{lines} lines: move something to docs/");
}
