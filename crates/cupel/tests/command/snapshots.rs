//! The tables of the stored runs, line by line, for terminals of 80 and of 160 columns. After an
//! intended change, write them anew, and read the difference before you commit it:
//! `INSTA_UPDATE=always scripts/linted cargo test --workspace --test command snapshots`

use crate::support::Home;
use std::path::Path;

/// What `cupel show` prints of a stored run, with the date and the machine of that run left out.
fn shown(store: &str, columns: &str) -> String {
    let home = Home::empty();
    let stored = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/test").join(store);
    std::fs::copy(stored, home.store()).expect("the stored run");
    let output = home.command().arg("show").env("COLUMNS", columns).output().expect("cupel starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    let mut machine_is_next = false;
    let line = |line: &str| {
        let is_machine = std::mem::take(&mut machine_is_next);
        let dated = line.strip_prefix("run 1 of ").and_then(|rest| rest.split_once(", "));
        machine_is_next = dated.is_some();
        match dated {
            _ if is_machine => "(its machine)".to_string(),
            Some((_, rest)) => format!("run 1 of (its date), {rest}"),
            None => line.trim_end().to_string(),
        }
    };
    let said: String = said.lines().map(line).map(|line| line + "\n").collect();
    assert!(said.contains("(its date)") && said.contains("(its machine)"), "{said}");
    said
}

#[test]
fn a_run_of_odd_names_with_a_failure_and_what_is_missing() {
    insta::assert_snapshot!("run-80", shown("run.sqlite", "80"));
    insta::assert_snapshot!("run-160", shown("run.sqlite", "160"));
}

#[test]
fn a_matrix_of_compilers_and_flags() {
    insta::assert_snapshot!("matrix-80", shown("matrix.sqlite", "80"));
    insta::assert_snapshot!("matrix-160", shown("matrix.sqlite", "160"));
}
