//! The cells that share a process: all cells of a contender, or none.

use crate::support::Home;
use serde_json::json;

/// A home whose contender `b` ends when its process is prepared for a second cell.
fn home() -> Home {
    let b = json!({ "name": "b", "primitives": ["siphash-2-4"], "fixed_ns": 200,
                    "fault": { "kind": "crash", "at": "prepare", "after": 1 } });
    let a = json!({ "name": "a", "primitives": ["siphash-2-4"], "fixed_ns": 100 });
    Home::with(json!([a, b]))
}

fn suite(home: &Home, isolation: &str) {
    let text = format!(
        "question = \"Who is the fastest?\"\nforks = 11\nbudget = \"1s\"\n{isolation}\n\
         [[workload]]\nprimitive = \"siphash-2-4\"\nsizes = [64, 1024]\nbaseline = \"sham/a\"\n"
    );
    home.write("suites/q.toml", text);
}

#[test]
fn a_contender_s_cells_share_a_process_unless_they_are_isolated() {
    let home = home();
    for shared in ["", "isolation = \"contender\""] {
        suite(&home, shared);
        let (status, cells, _) = home.run(&[]);
        assert_eq!(status, Some(1), "{shared}");
        assert!(cells.all("sham/b").iter().all(|row| row["verdict"] == "failed"), "{shared}");
    }
    suite(&home, "isolation = \"cell\"");
    let (status, cells, _) = home.run(&[]);
    assert_eq!(status, Some(0));
    assert!(cells.all("sham/b").iter().all(|row| row["verdict"] == "slower"), "{cells:?}");
}

#[test]
fn runs_of_different_isolation_are_not_compared() {
    let home = home();
    for isolation in ["", "isolation = \"cell\""] {
        suite(&home, isolation);
        home.run(&[]);
    }
    let said = home.cupel(&["show", "1", "2"]);
    assert_eq!(said.status, Some(3));
    let reason = "isolation = contender in run 1, cell in run 2";
    assert!(said.err.contains(reason), "{}", said.err);
}

#[test]
fn a_claim_is_decided_by_a_run_of_its_suite_s_isolation_only() {
    let home = Home::with(json!([
        { "name": "a", "primitives": ["siphash-2-4"], "fixed_ns": 100 },
        { "name": "b", "primitives": ["siphash-2-4"], "fixed_ns": 200 },
    ]));
    let claim =
        "[[claim]]\nsource = \"s\"\nquote = \"q\"\nsays = \"sham/a is faster than sham/b\"\n";
    let decide = |isolation: &str| {
        suite(&home, &format!("{isolation}\n"));
        let text = std::fs::read_to_string(home.path("suites/q.toml")).unwrap();
        home.write("suites/q.toml", text + claim);
        home.cupel(&["check", "q"])
    };
    suite(&home, "");
    home.run(&[]);
    assert_eq!(decide("").status, Some(0));
    let said = decide("isolation = \"cell\"");
    assert_eq!(said.status, Some(2), "{} {}", said.out, said.err);
    assert!(said.out.contains("no run measures it yet"), "{}", said.out);
}

#[test]
fn a_misspelt_isolation_is_corrected() {
    let home = home();
    suite(&home, "isolation = \"cels\"");
    let said = home.cupel(&["run", "q"]);
    assert_eq!(said.status, Some(3));
    assert!(said.err.contains("suites/q.toml:4") && said.err.contains("cell"), "{}", said.err);
}
