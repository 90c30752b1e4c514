//! Export and import: the same figures in every format, and files that are not trusted.

use crate::support::{Home, number};
use cupel_base::text::field;
use serde_json::{Value, json};

/// The characters that a contender's name may contain without harming a file.
const ODD: &str = "x,\"<b>\"\u{202e};=1+1";

fn home() -> Home {
    let home = Home::with(json!([
        { "name": "a", "primitives": ["siphash-2-4"], "allocated_per_call": 48.5 },
        { "name": ODD, "primitives": ["siphash-2-4"], "fixed_ns": 300 },
        { "name": "gone", "primitives": ["siphash-2-4"], "missing": "libgone is not installed" },
    ]));
    home.suite("[64, 1024]", "baseline = \"sham/a\"");
    let said = home.cupel(&["run", "q"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    home
}

fn jsonl(home: &Home, what: &[&str]) -> Vec<Value> {
    let said = home.cupel(&[&["show", "all", "--format", "jsonl"], what].concat());
    assert_eq!(said.status, Some(0), "{}", said.err);
    said.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn every_form_has_every_row_with_the_same_figures() {
    let home = home();
    let stored = home.count("select count(*) from slice");
    for (what, rows) in [(&["--slices"][..], stored), (&[], 6)] {
        let lines = jsonl(&home, what);
        assert_eq!(lines.len() as i64, rows);
        let csv = home.cupel(&[&["show", "all", "--format", "csv"], what].concat()).out;
        let file = home.path("out.csv");
        let said = home.cupel(&[&["show", "all", "-o", file.to_str().unwrap()], what].concat());
        assert_eq!(said.status, Some(0), "{}", said.err);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), csv, "the file's name is its format");
        let mut csv = csv::Reader::from_reader(csv.as_bytes());
        let heads = csv.headers().unwrap().clone();
        let mut read = 0;
        for (line, csv) in lines.iter().zip(csv.records()) {
            let csv = csv.unwrap();
            read += 1;
            for (name, text) in heads.iter().zip(&csv) {
                match &line[name] {
                    Value::Null => assert_eq!(text, "", "{name}"),
                    Value::String(other) => assert_eq!(text, field(other), "{name}"),
                    Value::Bool(other) => assert_eq!(text, other.to_string(), "{name}"),
                    other => {
                        // serde_json reads a number correctly except for the last digit.
                        let (a, b) = (text.parse::<f64>().unwrap(), other.as_f64().unwrap());
                        assert!((a - b).abs() <= 1e-12 * a.abs(), "{name}: {text} and {other}");
                    }
                }
            }
        }
        assert_eq!(read, rows);
        assert!(csv.records().next().is_none(), "CSV has as many rows");
        assert!(lines.iter().any(|l| l["contender"] == format!("sham/{ODD}")), "names are kept");
    }
    // The rows come from the store.
    let sum: f64 = jsonl(&home, &["--slices"]).iter().map(|l| number(l, "elapsed_ns")).sum();
    let stored: f64 = home
        .database()
        .query_row("select sum(elapsed_ns) from slice", [], |row| row.get(0))
        .unwrap();
    assert!((sum / stored - 1.0).abs() < 1e-9, "{sum} and {stored}");
    assert_eq!(home.cupel(&["show", "9", "--format", "csv"]).status, Some(3));
}

#[test]
fn what_a_call_allocates_is_in_every_form_and_crosses_stores() {
    let home = home();
    let there = home_elsewhere();
    let file = home.store();
    let said = there.cupel(&["import", file.to_str().unwrap()]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let run = there.count("select max(id) from run").to_string();
    for (home, run) in [(&home, "1"), (&there, &run)] {
        let said = home.cupel(&["show", run, "--format", "json"]);
        let document: Value = serde_json::from_str(&said.out).expect("JSON");
        for row in document["cells"].as_array().unwrap() {
            let expected = if row["contender"] == "sham/a" { json!(48.5) } else { Value::Null };
            assert_eq!(row["allocated_per_call"], expected, "{row:#}");
        }
        let said = home.cupel(&["show", "-v", run]);
        assert!(
            said.out.replace("\n    ", " ").contains("48 B allocated per call"),
            "{}",
            said.out
        );
        let slices = "select count(*) from slice where allocated_per_call = 48.5";
        assert!(home.count(slices) > 0);
    }
}

#[test]
fn another_stores_runs_come_in_once_and_show_the_same() {
    let (home, other) = (home(), home_elsewhere());
    let file = other.store();
    let import = |home: &Home| home.cupel(&["import", file.to_str().unwrap()]);
    let said = import(&home);
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert!(said.out.contains("1 run added"), "{}", said.out);
    let remembered = home.count("select count(*) from remembered where run = 2");
    assert_eq!(remembered, 0, "what another store remembers is not believed");
    let cells = |home: &Home, run: &str| {
        let said = home.cupel(&["show", run, "--format", "json"]);
        let document: Value = serde_json::from_str(&said.out).expect("JSON");
        document["cells"].clone()
    };
    assert_eq!(cells(&home, "2"), cells(&other, "1"));
    let rows = jsonl(&home, &[]);
    assert!((1..=2).all(|run| rows.iter().any(|row| row["run"] == run)), "{rows:#?}");
    let slices = home.cupel(&["show", "2", "--slices", "--format", "jsonl"]).out.lines().count();
    assert_eq!(slices as i64, other.count("select count(*) from slice"));
    let before = home.count("select count(*) from slice");
    let said = import(&home);
    assert!(said.out.contains("0 runs added, 1 was already here"), "{}", said.out);
    assert_eq!(home.count("select count(*) from slice"), before);
    let own = home.cupel(&["import", home.store().to_str().unwrap()]);
    assert!(own.out.contains("0 runs added, 2 were already here"), "{} {}", own.out, own.err);
}

#[test]
fn the_last_run_is_the_one_that_was_begun_last_wherever_it_is_stored() {
    let (home, other) = (home(), home_elsewhere());
    let begun = |home: &Home, year: u32, run: i64| {
        let sql = format!("update run set started = '{year}-05-06T07:08:09Z' where id = {run}");
        assert_eq!(home.database().execute(&sql, []).unwrap(), 1);
    };
    begun(&home, 2020, 1);
    begun(&other, 2010, 1);
    let said = home.cupel(&["import", other.store().to_str().unwrap()]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let last = || {
        let said = home.cupel(&["show", "--format", "json"]);
        let document: Value = serde_json::from_str(&said.out).expect("JSON");
        let list = home.cupel(&["list", "runs"]).out;
        let first = list.lines().next().unwrap().split_whitespace().next().unwrap().to_string();
        (document["run"].as_i64().unwrap(), first)
    };
    assert_eq!(last(), (1, "1".to_string()), "an import from before");
    begun(&home, 2021, 2);
    assert_eq!(last(), (2, "2".to_string()), "an import from after");
    let coming = home_elsewhere();
    begun(&coming, 2999, 1);
    let said = home_elsewhere().cupel(&["import", coming.store().to_str().unwrap()]);
    assert!(said.out.contains(", 1 of them in the future by this machine's clock"), "{}", said.out);
    // `--resume` continues the last unfinished run.
    home.database().execute("update run set finished = null", []).unwrap();
    begun(&home, 2022, 1);
    let said = home.cupel(&["run", "q", "--resume"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert_eq!(home.count("select id from run where finished is not null"), 1);
}

fn home_elsewhere() -> Home {
    let home = Home::with(json!([
        { "name": "a", "primitives": ["siphash-2-4"] },
        { "name": "z", "primitives": ["siphash-2-4"], "fixed_ns": 200 },
    ]));
    home.suite("[64]", "baseline = \"sham/a\"");
    assert_eq!(home.cupel(&["run", "q"]).status, Some(0));
    home
}

#[test]
fn a_file_that_is_not_what_it_says_leaves_the_store_as_it_was() {
    let home = home();
    let all = "select (select count(*) from run) * 1000000 + (select count(*) from fork) * 100000
               + (select count(*) from round) + (select count(*) from slice)";
    let before = home.count(all);
    let refused = |file: &std::path::Path, words: &str| {
        let said = home.cupel(&["import", file.to_str().unwrap()]);
        assert_eq!(said.status, Some(3), "{words}: {} {}", said.out, said.err);
        assert!(said.err.contains(words), "no \"{words}\" in {}", said.err);
        assert_eq!(home.count(all), before, "{words}");
    };
    refused(&home.path("none.sqlite"), "there is no file");
    home.write("text", "no database at all, however long it may be ".repeat(200));
    refused(&home.path("text"), "in no known format");
    let other = home_elsewhere();
    other
        .database()
        .execute_batch("pragma wal_checkpoint(truncate); pragma journal_mode = delete")
        .unwrap();
    let whole = std::fs::read(other.store()).unwrap();
    // Each statement makes another store claim something impossible, after valid rows.
    for (change, words) in [
        (
            "update slice set cell = 99 where cell = 0 and round =
                (select max(round) from slice where cell = 0)",
            "cell 99",
        ),
        (
            "update slice set iterations = 0 where round = (select max(round) from slice)",
            "is impossible",
        ),
        (
            "update slice set elapsed_ns = -1.0 where round = (select max(round) from slice)",
            "is impossible",
        ),
        (
            "update slice set elapsed_ns = 1e-320 where round = (select max(round) from slice)",
            "is impossible",
        ),
        (
            "update slice set elapsed_ns = 1e308 where round = (select max(round) from slice)",
            "is impossible",
        ),
        (
            "update slice set allocated_per_call = -8 where round = (select max(round) from slice)",
            "is impossible",
        ),
        (
            "update slice set gc_ns = -5 where round = (select max(round) from slice)",
            "is impossible",
        ),
        ("update fork set ordinal = -1", "a fork's number"),
        ("update round set comparison = 7 where id = (select max(id) from round)", "comparison 7"),
        ("update run set plan = '{}'", "plan of run 1"),
        ("update run set machine = '[]'", "machine of run 1"),
        ("update run set fingerprint = 'me'", "fingerprint"),
        ("update run set measured_ns = -1", "took an impossible time"),
        ("update contender set verified = -1", "the cases of contender"),
        ("update contender set code_path = 'avx2'", "the code paths of contender"),
        ("update fork set started = 'tomorrow'", "the starting time of a fork"),
        ("update warm_up set recompiled = -1", "a warm-up of cell"),
        ("update warm_up set level = 1 << 32", "a warm-up of cell"),
        ("update warm_up set first_call_ns = -1.0", "a warm-up of cell"),
        ("update run set started = 'tomorrow'", "run 1 has an impossible starting time"),
        ("update run set plan = json_set(plan, '$.options.margin', -1.0)", "contradicts itself"),
        ("update run set plan = json_set(plan, '$.cells[0].contender', 99)", "contradicts itself"),
        ("update run set plan = json_set(plan, '$.options.alpha', 0.0)", "contradicts itself"),
        ("pragma user_version = 99", "has schema 99"),
        ("pragma application_id = 1", "not a store of cupel"),
        ("drop table slice", "it has no table"),
    ] {
        other.database().execute_batch(change).unwrap();
        refused(&other.store(), words);
        std::fs::write(other.store(), &whole).unwrap();
    }
    for part in [2, 3] {
        home.write("cut.sqlite", &whole[..whole.len() / part]);
        refused(&home.path("cut.sqlite"), "cut.sqlite");
    }
    // A run that only its own machine could continue stays there.
    other.database().execute("update run set finished = null", []).unwrap();
    let said = home.cupel(&["import", other.store().to_str().unwrap()]);
    assert!(said.out.contains("1 unfinished"), "{} {}", said.out, said.err);
    assert_eq!(home.count(all), before);
}

#[test]
fn nothing_is_written_over_a_store() {
    let home = home();
    let store = home.store();
    let path = store.to_str().unwrap();
    for verb in [
        &["show", "--format", "csv", "-o", path][..],
        &["show", "-o", path],
        &["show", "--format", "html", "-o", path],
    ] {
        let said = home.cupel(verb);
        assert_eq!(said.status, Some(3), "{verb:?}: {}", said.out);
        assert!(said.err.contains("is a store and would be overwritten"), "{}", said.err);
    }
    assert_eq!(home.count("select count(*) from run"), 1);
}
