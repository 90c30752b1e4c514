//! Claims over several machines of one store. Each machine is its own node whose contenders have
//! the speeds that the test gives them; the test writes its other facts.

use crate::support::{Home, Said, WATCHDOG};
use serde_json::{Value, json};

/// The contenders on every machine: `a` takes 100 ns, `b` the machine's value. Processes of `b`
/// differ by `fork_sd`, a ratio less one.
fn contenders(home: &Home, b: f64, code_path: &str, fork_sd: f64) {
    let contender = |name: &str, fixed: f64, code_path: &str| json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": fixed, "code_path": code_path });
    let mut contenders = [contender("a", 100.0, "portable"), contender("b", b, code_path)];
    contenders[1]["fork_sd"] = json!(fork_sd);
    home.family(
        "sham",
        &json!({ "seed": 5, "world": { "noise_sd": 0.003 }, "contenders": contenders }),
        "",
    );
}

fn machine(home: &Home, node: &str, b: f64, code_path: &str) {
    contenders(home, b, code_path, 0.0);
    measure(home, node);
}

fn measure(home: &Home, node: &str) {
    let mut command = assert_cmd::Command::from_std(home.command());
    command.env("CUPEL_NODE", node).timeout(WATCHDOG);
    let said = Said::from(command.args(["run", "q", "--seed", "1"]).output().expect("it starts"));
    assert_eq!(said.status, Some(0), "{}", said.err);
}

/// A home whose suite claims that `b` is faster than `a`.
fn home() -> Home {
    let home = Home::empty();
    home.write(
        "suites/q.toml",
        "question = \"?\"\nforks = 11\nbudget = \"1s\"\n\n[[workload]]\n\
         primitive = \"siphash-2-4\"\nsizes = [64]\nbaseline = \"sham/a\"\n\n\
         [[claim]]\nsource = \"a document\"\nquote = \"b wins\"\n\
         says = \"sham/b is faster than sham/a\"\n",
    );
    home
}

/// Changes a fact in the records of a node; `null` is one that it did not record.
fn record(home: &Home, node: &str, fact: &str, value: Option<&str>) {
    let reading = match value {
        Some(value) => json!({ "known": value }),
        None => json!({ "not-available": "no" }),
    };
    let changed = home.database().execute(
        "update run set machine = json_set(machine, '$.' || ?1, json(?2))
         where json_extract(machine, '$.node') = ?3",
        (fact, reading.to_string(), node),
    );
    assert!(changed.expect("a fact") > 0, "{node} has no run");
}

fn decided(home: &Home) -> (Option<i32>, Value) {
    let said = home.cupel(&["check", "q", "--fleet", "--format", "json"]);
    let document = serde_json::from_str(&said.out);
    (said.status, document.unwrap_or_else(|e| panic!("no JSON ({e}): {} {}", said.out, said.err)))
}

fn facts(document: &Value) -> Vec<&str> {
    let separating = document["claims"][0]["separating"].as_array().expect("a list");
    separating.iter().map(|fact| fact["fact"].as_str().unwrap()).collect()
}

fn verdicts(document: &Value) -> Vec<&str> {
    let machines = document["claims"][0]["machines"].as_array().expect("a list");
    machines.iter().map(|on| on["verdict"].as_str().unwrap()).collect()
}

#[test]
fn a_claim_that_depends_names_every_fact_that_separates_and_no_other() {
    let home = home();
    machine(&home, "n1", 50.0, "vector");
    machine(&home, "n2", 60.0, "vector");
    machine(&home, "n3", 200.0, "portable");
    for (node, kernel, microcode) in [("n1", "6.1", "7"), ("n2", "6.1", "7"), ("n3", "5.4", "8")] {
        record(&home, node, "kernel", Some(kernel));
        record(&home, node, "microcode", Some(microcode));
    }
    // One machine did not record it, so it cannot separate them.
    record(&home, "n2", "microcode", None);
    let (status, document) = decided(&home);
    assert_eq!(status, Some(1), "it is refuted on a machine");
    assert_eq!((&document["depends"], &document["held"]), (&json!(1), &json!(0)));
    assert_eq!(verdicts(&document), ["held", "held", "refuted"]);
    assert_eq!(facts(&document), ["code path of sham/b", "kernel"]);
    let shown = home.cupel(&["check", "q", "--fleet"]).out;
    assert!(
        shown.starts_with("1 claim on 3 machines: 0 held, 0 refuted, 1 depends, 0 undecided.\n"),
        "{shown}"
    );
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    for said in [
        "held on m1 m2; refuted on m3",
        "code path of sham/b: vector where held; portable where refuted",
        "kernel: 6.1 where held; 5.4 where refuted",
        "these 2 facts separate them; the data cannot tell which",
        "node n3",
    ] {
        assert!(words.contains(said), "{said}: {shown}");
    }

    // All machines keep one record: nothing is guessed.
    for node in ["n1", "n2", "n3"] {
        record(&home, node, "kernel", Some("6.1"));
    }
    home.database()
        .execute("update contender set code_path = '{\"sha1 digest\": \"x\"}'", ())
        .unwrap();
    assert_eq!(facts(&decided(&home).1), [""; 0]);
    let shown = home.cupel(&["check", "q", "--fleet"]).out;
    assert!(shown.contains("no recorded fact separates them"), "{shown}");
}

#[test]
fn each_machine_answers_by_its_own_newest_run_whatever_its_clock_says() {
    let home = home();
    machine(&home, "n1", 200.0, "portable");
    machine(&home, "n1", 50.0, "vector");
    machine(&home, "n2", 50.0, "vector");
    // The clock of n1 is a century ahead of n2's.
    for (run, began) in [(1, "2099-01-01"), (2, "2099-01-02"), (3, "1999-01-01")] {
        let sql = "update run set started = ?1 || 'T00:00:00Z' where id = ?2";
        home.database().execute(sql, (began, run)).unwrap();
    }
    let (status, document) = decided(&home);
    assert_eq!((status, &document["held"]), (Some(0), &json!(1)));
    assert_eq!(verdicts(&document), ["held", "held"]);
    let runs = |place: usize| document["claims"][0]["machines"][place]["sizes"][0]["run"].clone();
    assert_eq!((runs(0), runs(1)), (json!(2), json!(3)));
}

#[test]
fn one_undecided_machine_leaves_the_whole_undecided_and_intervals_pay_for_all_machines() {
    let home = home();
    machine(&home, "n1", 50.0, "vector");
    let alone = decided(&home).1;
    assert_eq!((&alone["held"], &alone["intervals_are_joint"]), (&json!(1), &json!(1)));
    machine(&home, "n2", 50.0, "vector");
    // Its processes differ far more than the two contenders do.
    contenders(&home, 98.0, "portable", 0.1);
    measure(&home, "n3");
    let (status, document) = decided(&home);
    assert_eq!(verdicts(&document), ["held", "held", "undecided"]);
    assert_eq!((status, &document["undecided"]), (Some(2), &json!(1)));
    assert_eq!(document["intervals_are_joint"], 3);
    let width = |document: &Value| {
        let size = &document["claims"][0]["machines"][0]["sizes"][0];
        size["ratio_high"].as_f64().unwrap() / size["ratio_low"].as_f64().unwrap()
    };
    assert!(width(&document) > width(&alone), "{} and {}", width(&document), width(&alone));

    // A run that is not finished decides nothing, and its machine is not left out.
    let sql = "update run set finished = null where json_extract(machine, '$.node') = 'n2'";
    home.database().execute(sql, ()).unwrap();
    let (_, document) = decided(&home);
    assert_eq!(verdicts(&document), ["held", "undecided", "undecided"]);
}

#[test]
fn refuted_everywhere_is_refuted_and_no_machine_at_all_is_undecided() {
    let home = home();
    contenders(&home, 200.0, "portable", 0.0);
    assert_eq!(home.cupel(&["check", "q", "--fleet"]).status, Some(2), "nothing is measured");
    for node in ["n1", "n2"] {
        machine(&home, node, 200.0, "portable");
    }
    let (status, document) = decided(&home);
    assert_eq!((status, &document["refuted"]), (Some(1), &json!(1)));
    assert_eq!(facts(&document), [""; 0]);
    let said = home.cupel(&["check", "q", "--fleet", "--format", "markdown"]);
    assert_eq!(said.status, Some(3));
    assert!(said.err.contains("--format table"), "{}", said.err);
}

#[test]
fn what_a_machine_says_of_itself_is_escaped() {
    let home = home();
    machine(&home, "n1", 50.0, "vector");
    machine(&home, "n2", 200.0, "vector\u{1b}[2J");
    record(&home, "n2", "cpu", Some("evil\u{1b}]0;x"));
    let shown = home.cupel(&["check", "q", "--fleet"]).out;
    assert!(shown.contains("1 depends") && shown.contains("evil"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
}

/// A runner that cannot know its code path says "unknown", which is neither equal nor different.
#[test]
fn a_code_path_that_is_unknown_separates_nothing() {
    let home = home();
    machine(&home, "n1", 50.0, "vector");
    machine(&home, "n2", 200.0, "unknown");
    let (_, document) = decided(&home);
    assert_eq!(document["depends"], 1);
    assert_eq!(facts(&document), [""; 0]);
}
