//! The tables of the stored runs, line by line, for 80, 120 and 160 columns. After an
//! intended change, write them again, and read the difference before you commit it:
//! `INSTA_UPDATE=always scripts/linted cargo test --workspace --test command snapshots`

use crate::support::Home;
use std::path::Path;

/// The output of `cupel show` for a stored run at each width, with the date and the machine of that
/// run left out.
fn shown(store: &str, widths: [usize; 3]) -> [String; 3] {
    let home = Home::empty();
    let stored = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/test").join(store);
    std::fs::copy(stored, home.store()).expect("the stored run");
    widths.map(|columns| {
        let mut command = home.command();
        let output = command.arg("show").env("COLUMNS", columns.to_string()).output();
        let output = output.expect("cupel starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let said = String::from_utf8(output.stdout).expect("UTF-8");
        let widest = said.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(columns), "{widest:?} columns of {columns}");
        without_date(&said)
    })
}

fn without_date(said: &str) -> String {
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
    let [narrow, wide, wider] = shown("run.sqlite", [80, 120, 160]);
    insta::assert_snapshot!("run-80", narrow);
    insta::assert_snapshot!("run-120", wide);
    insta::assert_snapshot!("run-160", wider);
}

#[test]
fn a_matrix_of_compilers_and_flags() {
    let [narrow, wide, wider] = shown("matrix.sqlite", [80, 120, 160]);
    assert!(!wider.contains('…'), "a name is cut: {wider}");
    insta::assert_snapshot!("matrix-80", narrow);
    insta::assert_snapshot!("matrix-120", wide);
    insta::assert_snapshot!("matrix-160", wider);
}
