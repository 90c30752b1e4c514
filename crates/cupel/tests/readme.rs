//! The README says what the sources say.

use cupel::home::Home;
use cupel::{report, toolchain};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_table_of_what_is_compared_is_fresh() {
    let nowhere = PathBuf::from("/nonexistent");
    let home = Home { root: root(), own: vec![], cache: nowhere.clone(), store: nowhere };
    let table = report::coverage::markdown(&toolchain::families(&home).expect("families"));
    assert!(table.contains("| SHA-256 |") && table.contains("OpenSSL"), "{table}");
    let readme = std::fs::read_to_string(root().join("README.md")).expect("README.md");
    let (_, after) = readme.split_once("<!-- coverage").expect("the table begins");
    let (_, after) = after.split_once("-->").expect("the end of the mark");
    let (found, _) = after.split_once("<!-- end of coverage -->").expect("the table ends");
    assert_eq!(
        found.trim(),
        table.trim(),
        "README.md: put the output of `cupel list coverage` between the marks"
    );
}

#[test]
fn the_readme_fits_two_screens() {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("README.md");
    let lines = readme.lines().count();
    assert!(lines <= 150, "{lines} lines: move something to docs/");
}
