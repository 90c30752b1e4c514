//! The remembered results of a run always equal the results from its rows.

use crate::support::{Cells, Home};
use serde_json::json;

fn home() -> Home {
    let home = Home::with(json!([
        { "name": "a", "primitives": ["siphash-2-4"] },
        { "name": "b", "primitives": ["siphash-2-4"], "fixed_ns": 300 },
    ]));
    home.suite("[64, 1024]", "baseline = \"sham/a\"");
    assert_eq!(home.cupel(&["run", "q"]).status, Some(0));
    home
}

fn show(home: &Home) -> String {
    let said = home.cupel(&["show", "--format", "json"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    said.out
}

fn page(home: &Home) -> String {
    let said = home.cupel(&["show", "--format", "html"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    said.out
}

const KNOWN: &str = "select count(*) from remembered where run = 1";

#[test]
fn a_finished_run_is_remembered_and_shown_as_its_rows_give_it() {
    let home = home();
    assert_eq!(home.count(KNOWN), 1, "the analysis, as the run ended");
    let (remembered, drawn) = (show(&home), page(&home));
    assert_eq!(home.count(KNOWN), 2, "and the page, once it was asked for");
    assert_eq!(page(&home), drawn);
    home.database().execute("delete from remembered", []).unwrap();
    assert_eq!((show(&home), page(&home)), (remembered, drawn));
}

/// As after a kill in the last fork, but with all that was remembered of the whole run.
const INTERRUPTED: &str = "
    delete from slice where round in (select id from round where fork = 3);
    delete from round where fork = 3;
    delete from warm_up where fork = 3;
    delete from fork where id = 3;
    update run set finished = null";

#[test]
fn a_run_that_went_on_is_not_shown_as_it_was_remembered() {
    let home = home();
    let before = show(&home);
    page(&home);
    home.database().execute_batch(INTERRUPTED).unwrap();
    assert_eq!(home.cupel(&["run", "q", "--resume"]).status, Some(0));
    assert_eq!(home.count("select count(*) from fork"), 3);
    let (shown, drawn) = (show(&home), page(&home));
    assert_ne!(Cells::parse(&shown), Cells::parse(&before), "its last fork is another one");
    home.database().execute("delete from remembered", []).unwrap();
    assert_eq!((show(&home), page(&home)), (shown, drawn));
}

#[test]
fn what_another_build_remembered_or_what_is_garbled_is_made_again() {
    let home = home();
    let before = show(&home);
    let lie = home
        .database()
        .query_row("select body from remembered where run = 1", [], |row| row.get::<_, Vec<u8>>(0))
        .unwrap();
    // The analysis of a cheaper contender, as an earlier build might have stored it.
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(text(&lie).contains("sham/b"));
    let lie: Vec<u8> = {
        let mut lie = lie;
        let at = lie.windows(6).position(|w| w == b"sham/b").unwrap();
        lie[at + 5] = b'x';
        lie
    };
    let put = |key: &str, body: &[u8]| {
        let sql = format!("update remembered set key = {key}, body = ? where run = 1");
        assert_eq!(home.database().execute(&sql, [body]).unwrap(), 1);
    };
    // With the right key the lie is believed, so the test can detect it.
    put("key", &lie);
    assert!(show(&home).contains("sham/x"));
    put("'0123456789abcdef' || substr(key, 17)", &lie);
    assert_eq!(show(&home), before);
    put("key", b"\xc1 no message");
    assert_eq!(show(&home), before);
    assert_eq!(home.count(KNOWN), 1);
}

#[test]
fn a_run_that_may_go_on_is_not_remembered() {
    let home = home();
    home.database().execute("update run set finished = null", []).unwrap();
    home.database().execute("delete from remembered", []).unwrap();
    show(&home);
    page(&home);
    assert_eq!(home.count(KNOWN), 0);
}
