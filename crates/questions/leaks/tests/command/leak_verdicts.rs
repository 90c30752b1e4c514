//! The result of a contender's leak test is shown wherever its speed is: of this build on this
//! machine, and of no other. Where nothing was tested, nothing is said to be safe.

use crate::support::{Cells, Home, value_of};
use cupel_store::{LeakTest, LeakVerdict, SeenLeak, Store};
use serde_json::{Value, json};
use std::process::Command;
use std::sync::OnceLock;

const CLAIM: &str = "[[claim]]\nsource = \"x\"\nquote = \"y\"\nsays = ";

/// `quick` is the fastest, then `clean`, then `slow`; the suite `q` is measured at two sizes.
fn home() -> Home {
    static MEASURED: OnceLock<Vec<u8>> = OnceLock::new();
    let home = Home::with(json!([
        { "name": "slow", "primitives": ["siphash-2-4"], "fixed_ns": 3_000 },
        { "name": "clean", "primitives": ["siphash-2-4"], "fixed_ns": 1_500 },
        { "name": "quick", "primitives": ["siphash-2-4"], "fixed_ns": 500 },
    ]));
    home.suite("[64, 1024]", "baseline = \"sham/slow\"");
    home.measured_once(&MEASURED, |home| assert_eq!(home.cupel(&["run", "q"]).status, Some(0)))
}

/// A test of a contender of the newest run.
fn test(home: &Home, contender: &str, size: u64, verdict: LeakVerdict) -> LeakTest {
    let recorded = Store::open(&home.store()).unwrap().load(None).unwrap();
    let plan = &recorded.plan;
    let is_it =
        |cell: &usize| *plan.name_of(*cell) == *contender && plan.workload_of(*cell).size == size;
    let cell = (0..plan.cells.len()).find(is_it).expect(contender);
    let work = plan.workload_of(cell);
    let leak = |secret: &str| SeenLeak {
        kind: "address".to_string(),
        secret: secret.to_string(),
        place: "libx.so at 0x1234 (table)".to_string(),
    };
    let leaks = verdict == LeakVerdict::Leaks;
    LeakTest {
        tested: String::new(),
        code: plan.code_of(cell),
        primitive: work.primitive.clone(),
        operation: work.operation,
        size,
        contract: work.contract.clone(),
        method: "trace".to_string(),
        seed: 1,
        verdict,
        reason: None,
        leaks: if leaks { vec![leak("key"), leak("message")] } else { vec![] },
        compared: Some("calls 1 to 8 and 17".to_string()),
    }
}

fn keep(home: &Home, test: &LeakTest) {
    let mut store = Store::open(&home.store()).unwrap();
    let machine = store.load(None).unwrap().machine;
    store.keep_leak_test(&machine.fingerprint(), test).unwrap();
}

/// The day on which the tests of this store were made.
fn day(home: &Home) -> String {
    let sql = "select substr(max(tested), 1, 10) from leak_test";
    home.database().query_row(sql, [], |row| row.get(0)).unwrap()
}

fn shown(home: &Home, more: &[&str]) -> String {
    let said = home.cupel(&[&["show"], more].concat());
    assert_eq!(said.status, Some(0), "{}", said.err);
    said.out
}

/// The words of a text, without its line breaks.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn where_nothing_was_tested_nothing_is_said_but_in_files() {
    let home = home();
    for format in ["table", "markdown"] {
        let said = shown(&home, &["--format", format]);
        assert!(!said.contains("leak") && !said.contains("tested"), "{said}");
    }
    let document: Value = serde_json::from_str(&shown(&home, &["--format", "json"])).unwrap();
    assert_eq!(document["leak_tests"], json!([]));
    for cell in document["cells"].as_array().unwrap() {
        assert_eq!(
            (&cell["leaks"], value_of(cell, "leaks_tested")),
            (&json!("not tested"), &Value::Null)
        );
    }
    assert!(shown(&home, &["--format", "csv"]).lines().nth(1).unwrap().ends_with(",not tested,"));
}

#[test]
fn a_known_leak_is_in_the_answer_below_the_table_and_in_every_format() {
    let home = home();
    let page = shown(&home, &["--format", "html"]);
    keep(&home, &test(&home, "sham/quick", 64, LeakVerdict::Leaks));
    keep(&home, &test(&home, "sham/clean", 64, LeakVerdict::NoneSeen));
    let day = day(&home);

    let said = words(&shown(&home, &[]));
    let answer = "64 B: sham/quick 0.1.0 is the fastest";
    let clause = "sham/quick leaks (its addresses depend on the key and the message); of those without a known leak, \
                  sham/clean (none seen) has the shortest time";
    let first = said.split(" at 64 B ").next().unwrap();
    assert!(first.contains(answer) && first.contains(clause), "{said}");
    // At the other size it is known, too, and that none was seen at this one is not.
    let other = "sham/quick leaks (its addresses depend on the key and the message in mac of 64 B); of those without a \
                 known leak, sham/clean (not tested) has the shortest time";
    assert!(first.contains(other), "{said}");
    let below = format!(
        "leaks: sham/quick (its addresses depend on the key and the message, tested {day}) no leak seen: \
         sham/clean (tested {day}; compared: calls 1 to 8 and 17); not tested for leaks: sham/slow"
    );
    assert!(said.contains(&below), "{below} in {said}");
    assert!(shown(&home, &[]).lines().all(|line| line.chars().count() <= 80));

    let markdown = shown(&home, &["--format", "markdown"]);
    let row = |name: &str| markdown.lines().find(|l| l.starts_with(&format!("| {name} "))).unwrap();
    assert!(row("sham/quick").ends_with("| **leaks** |"), "{markdown}");
    assert!(row("sham/clean").ends_with("| none seen |"), "{markdown}");
    assert!(row("sham/slow").ends_with("| not tested |"), "{markdown}");

    let document: Value = serde_json::from_str(&shown(&home, &["--format", "json"])).unwrap();
    let [newest, first] = &document["leak_tests"].as_array().unwrap()[..] else { panic!() };
    assert_eq!(
        (&newest["verdict"], &newest["contender"]),
        (&json!("none seen"), &json!("sham/clean"))
    );
    assert_eq!(
        (&first["verdict"], &first["leaks"][1]["secret"]),
        (&json!("leaks"), &json!("message"))
    );
    let cells = Cells::parse(&document.to_string());
    let cell = |name: &str, size: u64| {
        let row = cells.all(name).into_iter().find(|row| row["size"] == size).unwrap();
        (row["leaks"].clone(), row["leaks_tested"].as_str().unwrap_or_default().starts_with(&day))
    };
    assert_eq!(cell("sham/quick", 1024), (json!("leaks"), true));
    assert_eq!(cell("sham/clean", 64), (json!("none seen"), true));
    assert_eq!(cell("sham/clean", 1024), (json!("not tested"), false));
    let again = shown(&home, &["--format", "html"]);
    assert!(page.contains("\"leaks\":\"not tested\"") && !page.contains("\"leaks\":\"leaks\""));
    assert!(again.contains("\"leaks\":\"leaks\""), "the page is not as it was remembered");
}

/// The extent of the comparison is a part of the finding, and audited.
#[test]
fn that_no_leak_was_seen_is_said_with_what_was_compared() {
    let home = home();
    keep(&home, &test(&home, "sham/clean", 64, LeakVerdict::NoneSeen));
    let mut document: Value = serde_json::from_str(&shown(&home, &["--format", "json"])).unwrap();
    assert_eq!(document["leak_tests"][0]["compared"], "calls 1 to 8 and 17");
    let findings = document["findings"].as_array().unwrap();
    let number = findings.iter().position(|finding| finding["kind"] == "none-seen").unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/audit");
    for (compared, status) in [("calls 1 to 8 and 17", 0), ("calls 1 to 1000", 1)] {
        document["findings"][number]["compared"] = json!(compared);
        home.write("shown.json", document.to_string());
        let (file, store) = (home.path("shown.json"), home.store());
        let done = Command::new(script).arg("--json").args([file, store]).output().unwrap();
        let said = String::from_utf8_lossy(&done.stdout);
        assert_eq!(done.status.code(), Some(status), "{said}");
        assert_eq!(said.contains("no such test in the store"), status == 1, "{said}");
    }
}

#[test]
fn a_test_of_another_build_version_or_machine_says_nothing() {
    let home = home();
    let known = test(&home, "sham/quick", 64, LeakVerdict::Leaks);
    let mut version = known.clone();
    version.code.version = "0.2.0".to_string();
    keep(&home, &version);
    let mut build = known.clone();
    build.code.programs = vec!["0".repeat(64)];
    keep(&home, &build);
    Store::open(&home.store()).unwrap().keep_leak_test("another", &known).unwrap();
    assert!(!shown(&home, &[]).contains("leak"), "{}", shown(&home, &[]));
    keep(&home, &known);
    assert!(shown(&home, &[]).contains("leaks: sham/quick"));
}

/// Tests of earlier versions overlooked the work of other threads, among other things.
#[test]
fn that_none_was_seen_does_not_count_if_it_is_not_said_what_was_compared() {
    let home = home();
    let none = test(&home, "sham/clean", 64, LeakVerdict::NoneSeen);
    keep(&home, &LeakTest { compared: None, ..none });
    assert!(!shown(&home, &[]).contains("leak"), "{}", shown(&home, &[]));
}

#[test]
fn advice_names_the_fastest_without_a_known_leak() {
    let home = home();
    let advised = |have: &str| words(&home.cupel(&["advise", "--have", have]).out);
    assert!(advised("sham/slow").contains("use sham/quick 0.1.0, "), "{}", advised("sham/slow"));
    keep(&home, &test(&home, "sham/quick", 64, LeakVerdict::Leaks));
    let said = advised("sham/slow");
    assert!(said.contains("use sham/clean 0.1.0, the fastest without a known leak, "), "{said}");
    let why = "why not sham/quick: leaks (its addresses depend on the key and the message in mac of 64 B, tested ";
    assert!(said.contains(why), "{said}");
    let said = advised("sham/clean");
    assert!(said.contains("keep sham/clean 0.1.0; nothing without a known leak is"), "{said}");
    let said = advised("sham/quick");
    assert!(said.contains("keep sham/quick 0.1.0, which leaks; nothing is"), "{said}");
    let warning = "WARNING: sham/quick, which you use: leaks (its addresses depend on the key and the message in mac of \
                   64 B, tested ";
    assert!(said.contains(warning), "{said}");
    assert!(said.contains("; the fastest without a known leak: sham/clean"), "{said}");

    keep(&home, &test(&home, "sham/clean", 64, LeakVerdict::NoneSeen));
    let out = home.cupel(&["advise", "64", "--have", "sham/slow", "--format", "json"]).out;
    let advice = &serde_json::from_str::<Value>(&out).unwrap()["advice"][0];
    assert_eq!(advice["faster_but_leaks"], json!(["sham/quick"]));
    assert_eq!(advice["terms"]["sham/clean"]["leaks"], "none seen");
    assert_eq!(advice["terms"]["sham/slow"]["leaks"], "not tested");
}

#[test]
fn that_no_leak_is_seen_can_be_claimed() {
    let home = home();
    let suite = std::fs::read_to_string(home.path("suites/q.toml")).unwrap();
    home.write("suites/q.toml", format!("{suite}\n{CLAIM}\"no leak of sham/clean is seen\"\n"));
    assert_eq!(home.cupel(&["run", "q"]).status, Some(0));
    let asked = "select count(*) from run where plan like '%no-leak%'";
    assert_eq!(home.count(asked), 0, "no time decides it, so nothing is measured for it");
    let decided = || {
        let said = home.cupel(&["check", "q"]);
        // With the run of its suite it is shown as it is now, not as it was remembered.
        let shown = shown(&home, &[]);
        let word = ["held", "refuted", "undecided"][said.status.unwrap() as usize];
        assert!(shown.starts_with(&format!("{word}: no leak of sham/clean is seen")), "{shown}");
        (said.status, words(&said.out))
    };
    let (status, said) = decided();
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("undecided no leak of sham/clean is seen (siphash-2-4 mac"), "{said}");
    assert!(said.contains("64 B: not tested"), "{said}");
    let command = "cupel verify --leaks siphash-2-4 mac 64,1024 sham/clean";
    assert!(said.ends_with(command), "{said}");
    keep(&home, &test(&home, "sham/clean", 64, LeakVerdict::NoneSeen));
    assert_eq!(decided().0, Some(2), "one size of two");
    keep(&home, &test(&home, "sham/clean", 1024, LeakVerdict::NoneSeen));
    let (status, said) = decided();
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains(&format!("64 B: held: none seen, tested {}", day(&home))), "{said}");
    keep(&home, &test(&home, "sham/clean", 64, LeakVerdict::Leaks));
    let (status, said) = decided();
    assert_eq!(status, Some(1), "{said}");
    assert!(
        said.contains(
            "64 B: refuted: leaks (its addresses depend on the key and the message), tested "
        ),
        "{said}"
    );
    let out = home.cupel(&["check", "q", "--format", "json"]).out;
    let document: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(document["intervals_are_joint"], 0);
    let claim = &document["claims"][0];
    assert_eq!((&claim["is"], value_of(claim, "b")), (&json!("no-leak"), &Value::Null));
    assert_eq!(claim["sizes"][1]["verdict"], "held");
}

#[test]
fn such_a_claim_is_about_one_contender() {
    let home = home();
    let suite = std::fs::read_to_string(home.path("suites/q.toml")).unwrap();
    for (claim, said) in [
        ("no leak of sham/clean is seen by sham/slow", "\"by sham/slow\" at its end"),
        ("sham/clean no-leak", "write \"no leak of sham/clean is seen\""),
        ("no leak of sham/none is seen", "no contender is called \"sham/none\""),
    ] {
        home.write("suites/q.toml", format!("{suite}\n{CLAIM}\"{claim}\"\n"));
        let err = home.cupel(&["check", "q"]).err;
        assert!(err.contains(said), "{err}");
    }
    let err = home.cupel(&["check", "no leak of clean is seen", "siphash-2-4"]).err;
    assert!(err.contains("`cupel verify --leaks` tests it"), "{err}");
}

#[test]
fn tests_come_with_the_store_of_another_machine_and_only_whole_ones() {
    let home = home();
    keep(&home, &test(&home, "sham/quick", 64, LeakVerdict::Leaks));
    let other = Home::empty();
    let from = home.store();
    let import = || other.cupel(&["import", from.to_str().unwrap()]);
    assert!(import().out.contains("1 run added; 1 leak test added"), "{:?}", import());
    assert!(import().out.trim_end().ends_with("1 was already here"), "{:?}", import());
    assert!(shown(&other, &[]).contains("leaks: sham/quick"));
    for damage in ["tested = 'today'", "test = '{}'", "fingerprint = char(7)"] {
        let kept = std::fs::read(&from).unwrap();
        home.database().execute(&format!("update leak_test set {damage}"), []).unwrap();
        let said = import();
        assert!(said.status == Some(3) && said.err.contains("a leak test"), "{damage}: {said:?}");
        std::fs::write(&from, kept).unwrap();
    }
    assert_eq!(other.count("select count(*) from leak_test"), 1);
}

/// Stores are older than these tests.
#[test]
fn a_store_without_the_table_is_read_and_imported() {
    let home = home();
    home.database().execute("drop table leak_test", []).unwrap();
    assert!(!shown(&home, &[]).contains("leak"));
    let other = Home::empty();
    let said = other.cupel(&["import", home.store().to_str().unwrap()]);
    assert_eq!(said.status, Some(0), "{said:?}");
    keep(&home, &test(&home, "sham/quick", 64, LeakVerdict::Leaks));
    assert!(shown(&home, &[]).contains("leaks: sham/quick"));
}
