//! Merging the stores of many machines: exact, whatever their order, and whole or not at all.

use crate::stores::{Runs, store};
use crate::support::Home;
use cupel_store::Store;
use rusqlite::Connection;
use std::path::PathBuf;
use std::time::Duration;

/// As short as a run can be.
const SHORT: Runs = Runs { each: 2, forks: 2, budget: Duration::from_millis(20), questions: 2 };

/// A home with the stores of this many machines next to its own.
fn machines(count: u64) -> (Home, Vec<PathBuf>) {
    let home = Home::empty();
    let file = |machine: u64| {
        let file = home.path(&format!("{machine}.sqlite"));
        store(&file, machine, SHORT);
        file
    };
    let files = (0..count).map(file).collect();
    (home, files)
}

fn import(home: &Home, files: &[PathBuf]) -> String {
    let files: Vec<&str> = files.iter().map(|file| file.to_str().unwrap()).collect();
    let said = home.cupel(&[&["import"], &files[..]].concat());
    assert_eq!(said.status, Some(0), "{}", said.err);
    said.out
}

/// All that was measured, whatever the numbers of its rows.
fn measured(home: &Home) -> Vec<String> {
    let sql = "select fingerprint || plan || fork.ordinal || ' ' || comparison || ' '
                   || round.ordinal || ' ' || cell || ' ' || position || ' ' || iterations || ' '
                   || elapsed_ns || ' ' || coalesce(disturbed, '')
               from run join fork on fork.run = run.id join round on round.fork = fork.id
               join slice on slice.round = round.id order by 1";
    let database = home.database();
    let mut select = database.prepare(sql).unwrap();
    select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

#[test]
fn machines_merge_to_the_same_in_any_order_and_once() {
    let (home, mut files) = machines(4);
    import(&home, &files);
    let once = measured(&home);
    let there: i64 = files
        .iter()
        .map(|file| {
            let count = "select count(*) from slice";
            Connection::open(file)
                .unwrap()
                .query_row(count, [], |row| row.get::<_, i64>(0))
                .unwrap()
        })
        .sum();
    assert_eq!(once.len() as i64, there, "every slice, once");
    let again = import(&home, &files);
    assert_eq!(again.matches("0 runs added, 2 were already here").count(), 4, "{again}");
    assert!(measured(&home) == once, "twice is another result than once");
    // The other way round, by way of a store that was itself merged.
    files.reverse();
    let other = Home::empty();
    import(&other, &files[..2]);
    let third = Home::empty();
    import(&third, &[other.store(), files[2].clone(), files[1].clone(), files[3].clone()]);
    assert!(measured(&third) == once, "another order is another result");
}

#[test]
fn what_no_store_has_is_refused_whole() {
    let endless = "with recursive n(i) as (select 1 union all select i + 1 from n)";
    let in_place = format!(
        "drop table slice; create view slice as {endless} select i as round, i as cell from n"
    );
    let check = "pragma writable_schema = on; update sqlite_master set sql =
        replace(sql, 'reason text not null', 'reason text not null check (length(reason) < 99)')
        where name = 'cell_failure'";
    let huge = format!("update run set suite_text = cast(zeroblob({}) as text)", 65 << 20);
    let mut wrong = Vec::new();
    for (change, words) in [
        ("create table more (x)", "it has the table \"more\", which no store has"),
        ("create view v as select * from run", "it has the view \"v\""),
        ("create index i on slice (elapsed_ns)", "it has the index \"i\""),
        (
            "create trigger t after insert on run begin delete from slice; end",
            "it has the trigger \"t\"",
        ),
        (&in_place, "it has the view \"slice\", which no store has"),
        (check, "its table \"cell_failure\" is not that of a store"),
        ("alter table run add column more text", "its table \"run\" is not that of a store"),
        ("drop index run_by_start", "it has no index"),
        (&huge, "too big"),
        ("update run set suite = 'a' || char(27) || '[2J'", "a name with control characters"),
        (
            "update run set plan = replace(plan, 'sham/library-a', 'sham/\\u001b[2J')",
            "a name with control characters",
        ),
        ("update run set finished = 'soon'", "an impossible time of its end"),
        (
            "update slice set position = 65536 where round = (select max(round) from slice)",
            "is impossible",
        ),
    ] {
        let (home, files) = machines(1);
        Connection::open(&files[0]).unwrap().execute_batch(change).unwrap();
        let said = home.cupel(&["import", files[0].to_str().unwrap()]);
        let refused = said.status == Some(3)
            && said.err.contains(words)
            && said.err.contains("0.sqlite")
            && !said.err.contains('\u{1b}')
            && home.count("select count(*) from run") == 0;
        if !refused {
            wrong.push(format!("{change}: {}{}", said.out, said.err));
        }
    }
    assert!(wrong.is_empty(), "not refused, or not for its reason:\n{}", wrong.join("\n"));
}

#[test]
fn a_run_with_other_measurements_than_the_one_here_is_refused() {
    let mut wrong = Vec::new();
    for (change, part) in [
        ("update slice set elapsed_ns = elapsed_ns / 2 where cell = 0", "its slices differ"),
        ("update slice set disturbed = 'waited' where cell = 0", "its slices differ"),
        ("delete from slice where round = (select max(round) from slice)", "its slices differ"),
        ("update round set started_ns = started_ns + 1", "its rounds differ"),
        ("update warm_up set first_call_ns = 1.0", "its warm-ups differ"),
        ("insert into cell_failure select id, 0, 'failed', '' from run", "its failures differ"),
        ("update contender set verified = 7", "its contenders differ"),
        ("update run set measured_ns = 1", "its own row differ"),
    ] {
        let (home, files) = machines(1);
        import(&home, &files);
        let before = measured(&home);
        // The first run is now a new one, before the changed one, and does not come in either.
        let database = Connection::open(&files[0]).unwrap();
        let new = "update run set started = '2000-01-01T00:00:00Z' where id = 1";
        database.execute_batch(new).unwrap();
        database.execute_batch(change).unwrap();
        let said = home.cupel(&["import", files[0].to_str().unwrap()]);
        let refused = [part, "one of the two was changed", "run 2 of "]
            .iter()
            .all(|words| said.err.contains(words))
            && said.status == Some(3)
            && measured(&home) == before;
        if !refused {
            wrong.push(format!("{change}: {}{}", said.out, said.err));
        }
    }
    assert!(wrong.is_empty(), "not refused, or not for its reason:\n{}", wrong.join("\n"));
}

#[test]
fn a_clock_that_is_ahead_is_reported_and_the_run_is_kept() {
    let (home, files) = machines(2);
    for (file, year) in files.iter().zip(["2099", "1970"]) {
        let change = format!("update run set started = '{year}' || substr(started, 5)");
        Connection::open(file).unwrap().execute_batch(&change).unwrap();
    }
    let said = import(&home, &files);
    assert!(
        said.contains("2 runs added, 2 of them in the future by this machine's clock"),
        "{said}"
    );
    assert_eq!(said.matches("future").count(), 1, "{said}");
    assert!(import(&home, &files).matches("0 runs added, 2 were already here").count() == 2);
}

/// A copy of an unfinished run may continue where ours ends, and may not be another run until
/// there.
#[test]
fn an_unfinished_run_is_not_continued_by_one_whose_cells_have_swapped_their_times() {
    let swap =
        "create temp table was as select round, cell, elapsed_ns from slice where cell in (0, 1);
                update slice set elapsed_ns = (select was.elapsed_ns from was
                    where was.round = slice.round and was.cell = 1 - slice.cell)
                where cell in (0, 1) and round in
                    (select round from was group by round having count(*) = 2)";
    for (change, refused) in [("select 1", false), (swap, true)] {
        let (home, files) = machines(1);
        import(&home, &files);
        // Ours has all rounds but the end.
        home.database().execute("update run set finished = null", []).unwrap();
        let before = measured(&home);
        Connection::open(&files[0]).unwrap().execute_batch(change).unwrap();
        let said = home.cupel(&["import", files[0].to_str().unwrap()]);
        assert_eq!(said.status, Some(if refused { 3 } else { 0 }), "{} {}", said.out, said.err);
        assert_eq!(said.err.contains("but with other rounds"), refused, "{}", said.err);
        assert!(measured(&home) == before);
    }
}

/// Its plan says so from then on.
#[test]
fn a_run_that_goes_on_next_to_another_is_still_the_same_run() {
    let (home, files) = machines(1);
    let theirs = Connection::open(&files[0]).unwrap();
    theirs.execute_batch("update run set finished = null").unwrap();
    let mut own = Store::open(&home.store()).unwrap();
    assert_eq!(own.import_parts(&files[0]).unwrap().runs, 2);
    let goes_on = "update run set finished = '2026-01-02T03:04:05Z',
                       plan = json_set(plan, '$.options.beside', 'run 7')";
    theirs.execute_batch(goes_on).unwrap();
    let imported = own.import_parts(&files[0]).unwrap();
    assert_eq!((imported.runs, imported.continued), (0, 2));
    assert_eq!(home.count("select count(*) from run"), 2);
    let says_so = "select count(*) from run where plan like '%\"beside\":\"run 7\"%'";
    assert_eq!(home.count(says_so), 2);
}
