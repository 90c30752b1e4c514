//! What the store remembers of a run is always exactly what its rows give.

use crate::support::Home;
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
    let said = home.cupel(&["report", "--output", "-"]);
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

#[test]
fn a_row_that_changes_takes_the_answer_with_it() {
    let home = home();
    let (before, drawn) = (show(&home), page(&home));
    let slower = "update slice set elapsed_ns = elapsed_ns * 3
                  where cell = (select max(cell) from slice where cell < 3)";
    home.database().execute(slower, []).unwrap();
    assert_ne!(show(&home), before);
    assert_ne!(page(&home), drawn);
    let back = slower.replace("* 3", "/ 3");
    home.database().execute(&back, []).unwrap();
    assert_eq!((show(&home), page(&home)), (before, drawn));
}

#[test]
fn whatever_changes_drops_what_is_remembered_of_that_run_alone() {
    let home = home();
    assert_eq!(home.cupel(&["run", "q"]).status, Some(0));
    for change in [
        "update run set plan = plan || ' ' where id = 1",
        "update run set finished = null where id = 1",
        "update contender set notes = 'x' where run = 1",
        "insert into contender (run, place) values (1, 99)",
        "delete from contender where run = 1",
        "insert into cell_failure values (1, 0, 'failed', 'x')",
        "insert into fork (run, ordinal, padding) values (1, 9, 0)",
        "update fork set run = 1 where run = 1",
        "update warm_up set settled = 0 where fork in (select id from fork where run = 1)",
        "delete from warm_up where fork in (select id from fork where run = 1)",
        "update round set stolen_ns = 1 where fork in (select id from fork where run = 1)",
        "insert into round (fork, comparison, ordinal, started_ns)
         values ((select id from fork where run = 1), 0, 9999, 0)",
        "update slice set disturbed = 'x' where round =
            (select min(round.id) from round join fork on fork.id = fork where run = 1)",
        "delete from slice where round =
            (select min(round.id) from round join fork on fork.id = fork where run = 1)",
        "insert into slice (round, cell, position, iterations, elapsed_ns) values
            ((select min(round.id) from round join fork on fork.id = fork where run = 1), 99, 9, 1, 1)",
    ] {
        // The effect of the previous statement on the run is undone, so that each stands alone.
        let mut database = home.database();
        let transaction = database.transaction().unwrap();
        let count = |run: i64| -> i64 {
            let sql = "select count(*) from remembered where run = ?";
            transaction.query_row(sql, [run], |row| row.get(0)).unwrap()
        };
        assert_eq!((count(1), count(2)), (1, 1));
        assert!(transaction.execute(change, []).unwrap() > 0, "{change}");
        assert_eq!((count(1), count(2)), (0, 1), "{change}");
        drop(transaction);
    }
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
    show(&home);
    page(&home);
    assert_eq!(home.count(KNOWN), 0);
}

#[test]
fn a_store_of_the_first_schema_is_brought_up_and_shows_the_same() {
    let home = home();
    let before = show(&home);
    let triggers: Vec<String> = {
        let database = home.database();
        let mut select =
            database.prepare("select name from sqlite_master where type = 'trigger'").unwrap();
        select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    assert_eq!(triggers.len(), 21, "three for each table that answers come from");
    for trigger in triggers {
        home.database().execute_batch(&format!("drop trigger {trigger}")).unwrap();
    }
    home.database()
        .execute_batch(
            "alter table slice drop column gc_ns; alter table slice drop column compile_ns;
         alter table slice drop column allocated_per_call;
         alter table warm_up drop column level; alter table warm_up drop column events;
         alter table warm_up drop column recompiled; alter table warm_up drop column unsteady;
         drop table remembered; drop table foreign_result; drop table foreign_file; drop table boot;
         alter table run drop column circumstances; alter table fork drop column started;
         drop index run_by_start; pragma user_version = 1",
        )
        .unwrap();
    assert_eq!(show(&home), before);
    assert_eq!(home.count(KNOWN), 1);
    home.database().execute("update slice set elapsed_ns = 2 * elapsed_ns", []).unwrap();
    assert_eq!(home.count(KNOWN), 0);
}
