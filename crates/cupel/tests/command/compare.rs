//! Two runs compared by their ratios to a common reference, never by their times.

use crate::audit::audit;
use crate::support::{Home, number};
use serde_json::{Value, json};

/// A home whose contender `b` takes this factor of its time, on a machine where everything takes
/// `machine` times as long.
fn describe(home: &Home, b: f64, machine: f64) {
    let one = |name: &str, factor: f64| {
        json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": 100.0 * factor * machine,
                "per_byte_ns": factor * machine })
    };
    let script = json!({ "seed": 3, "world": { "noise_sd": 0.003 },
        "contenders": [one("a", 1.0), one("b", b), one("same", 1.3)] });
    home.family("sham", &script, "");
}

fn run(home: &Home) {
    let said = home.cupel(&["run", "q", "--forks", "11", "--precision", "0%"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
}

fn compared(home: &Home) -> Value {
    let said = home.cupel(&["show", "1", "2", "--format", "json"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    serde_json::from_str(&said.out).expect("JSON")
}

/// What the auditor says of a document.
fn audited(home: &Home, document: &Value) -> String {
    home.write("compared.json", document.to_string());
    let (file, store) = (home.path("compared.json"), home.store());
    audit(&["--compared", file.to_str().unwrap(), store.to_str().unwrap()]).out
}

#[test]
fn the_auditor_finds_what_the_slices_of_two_runs_contradict() {
    let home = Home::empty();
    home.suite("[64, 1024]", "baseline = \"sham/a\"");
    describe(&home, 1.0, 1.0);
    run(&home);
    describe(&home, 1.2, 1.5);
    home.suite("[64]", "baseline = \"sham/a\"");
    run(&home);
    let truth = compared(&home);
    assert_eq!(audited(&home, &truth), "", "{truth:#}");
    for (place, to, says) in [
        ("/answer", json!("from run 1 to run 2, no change is certain in 2 comparisons"), "1 of 2"),
        ("/answer", json!("1 of 2 comparisons changed: sham/b is slower at 64 B (1.4)"), "(1.4)"),
        ("/first/started", json!("2026-01-01T00:00:00Z"), "started: 2026-01-01"),
        ("/second/fingerprint", json!("another"), "fingerprint: another"),
        ("/second/method", json!(1), "method: 1"),
        ("/machines_differ_in", json!(["kernel: 6 / 7"]), "one machine"),
        ("/intervals_are_joint", json!(1), "1 intervals are joint"),
        ("/not_compared/0/run", json!(2), "only in run 1"),
        ("/workloads/0/changes/0/first/ratio", json!(1.4), "1.4 times sham/a in run 1"),
        ("/workloads/0/changes/0/second/ratio", json!(1.4), "1.4 times sham/a in run 2"),
        ("/workloads/0/changes/0/change/ratio", json!(1.3), "a change of 1.3"),
        ("/workloads/0/changes/0/change/low", json!(1.25), "it is outside"),
        ("/workloads/0/changes/0/verdict", json!("faster"), "it is not beyond 1.02"),
        ("/workloads/0/reference", json!("sham/same"), "times sham/same in run 1"),
    ] {
        let mut changed = truth.clone();
        *changed.pointer_mut(place).expect(place) = to;
        let said = audited(&home, &changed);
        assert!(said.contains(says), "{place}: {said}");
    }
    let mut more = truth.clone();
    more["new"] = json!(1);
    assert!(audited(&home, &more).contains("new: it; the slices show nothing: it has no rule"));
}

#[test]
fn a_change_shows_in_the_ratios_and_a_slower_day_does_not() {
    let home = Home::empty();
    home.suite("[64, 1024]", "baseline = \"sham/a\"");
    describe(&home, 1.0, 1.0);
    run(&home);
    // Everything takes half as long again, as with a neighbour or at a lower frequency. Only `b`
    // has changed.
    describe(&home, 1.2, 1.5);
    run(&home);
    let document = compared(&home);
    let workloads = document["workloads"].as_array().unwrap();
    assert_eq!(workloads.len(), 2);
    for workload in workloads {
        assert_eq!(workload["reference"], "sham/a");
        for change in workload["changes"].as_array().unwrap() {
            let (verdict, truth) = match change["contender"].as_str().unwrap() {
                "sham/b" => ("slower", 1.2),
                _ => ("not separated", 1.0),
            };
            assert_eq!(change["verdict"], verdict, "{change:#}");
            let (low, high) = (number(&change["change"], "low"), number(&change["change"], "high"));
            assert!((low..=high).contains(&truth) && high / low < 1.1, "{change:#}");
        }
    }
    assert_eq!(document["machines_differ_in"], json!([]));
    let said = home.cupel(&["show", "1", "2"]);
    let told = said.out.split_once("slower        sham/b: ").expect(&said.out).1;
    let (first, then) = told.split_once(" then ").unwrap();
    let (then, _) = then.split_once(',').unwrap();
    assert!((0.99..1.01).contains(&first.parse::<f64>().unwrap()), "{}", said.out);
    assert!((1.18..1.22).contains(&then.parse::<f64>().unwrap()), "{}", said.out);
    assert!(said.out.lines().all(|line| line.chars().count() <= 80), "{}", said.out);
}

#[test]
fn what_may_not_be_compared_is_left_out_with_its_reason() {
    let home = Home::empty();
    home.suite("[64, 1024]", "baseline = \"sham/a\"");
    describe(&home, 1.0, 1.0);
    run(&home);
    home.suite("[64, 2048]", "baseline = \"sham/a\"");
    run(&home);
    let document = compared(&home);
    assert_eq!(audited(&home, &document), "");
    let left_out = document["not_compared"].to_string();
    assert!(left_out.contains("1024 B") && left_out.contains("only in run 1"), "{left_out}");
    assert!(left_out.contains("2048 B") && left_out.contains("only in run 2"), "{left_out}");
    // Another contract is another workload.
    home.suite("[64]", "baseline = \"sham/a\"\ncontract = { key = \"per-call\" }");
    run(&home);
    let said = home.cupel(&["show", "1", "3"]);
    assert_eq!(said.status, Some(3));
    assert!(said.err.contains("nothing in common"), "{}", said.err);
    // Another machine is reported, with the differences.
    let change =
        "update run set machine = json_set(machine, '$.cpu.known', 'Other 9000') where id = 2";
    assert_eq!(home.database().execute(change, []).unwrap(), 1);
    let differ = compared(&home)["machines_differ_in"].to_string();
    assert!(differ.contains("processor: ") && differ.contains("Other 9000"), "{differ}");
    let said = home.cupel(&["show", "1", "2"]).out;
    assert!(said.contains("THE MACHINES DIFFER") && !said.contains("THE METHODS"), "{said}");
    // So is another method.
    let change = "update run set plan = json_set(plan, '$.method', 1) where id = 2";
    assert_eq!(home.database().execute(change, []).unwrap(), 1);
    assert_eq!(compared(&home)["second"]["method"], json!(1));
    let said = home.cupel(&["show", "1", "2"]).out;
    assert!(said.contains("THE METHODS DIFFER"), "{said}");
    // A reference that has changed itself is not a reference.
    let change = "update run set plan = replace(plan, '\"version\":\"0.1.0\"', '\"version\":\"9\"') where id = 2";
    assert_eq!(home.database().execute(change, []).unwrap(), 1);
    let said = home.cupel(&["show", "1", "2"]);
    assert!(said.err.contains("the reference sham/a itself changed"), "{}", said.err);
    assert_eq!(home.cupel(&["show", "1", "1"]).status, Some(3));
    assert_eq!(home.cupel(&["show", "1", "9"]).status, Some(3));
}

#[test]
fn a_rebuilt_reference_is_mentioned_with_what_depends_on_it() {
    let home = Home::empty();
    home.suite("[64]", "baseline = \"sham/a\"");
    describe(&home, 1.0, 1.0);
    run(&home);
    run(&home);
    let warning = "the program of the reference sham/a is not the same in both runs";
    assert!(!home.cupel(&["show", "1", "2"]).out.contains(warning));
    let anew = "update run set plan = json_set(plan, '$.programs',
        json((select json_group_object(key, 'another')
            from json_each(run.plan, '$.programs')))) where id = 2";
    assert_eq!(home.database().execute(anew, []).unwrap(), 1);
    let document = compared(&home);
    assert_eq!(document["not_compared"], json!([]), "it is compared");
    assert_eq!(document["workloads"][0]["reference_is_rebuilt"], true, "{document:#}");
    let said = home.cupel(&["show", "1", "2"]).out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains(warning), "{said}");
}

#[test]
fn runs_are_named_by_number_day_place_or_suite() {
    let home = Home::empty();
    home.suite("[64]", "baseline = \"sham/a\"");
    describe(&home, 1.0, 1.0);
    run(&home);
    run(&home);
    home.database()
        .execute("update run set started = '2026-11-21T08:00:00Z' where id = 1", [])
        .unwrap();
    let compared = |words: &[&str]| -> Vec<String> {
        let said = home.cupel(&[&["show"], words].concat());
        assert_eq!(said.status, Some(0), "{}", said.err);
        let heads = said.out.lines().filter_map(|line| line.split_once(" of 20"));
        heads.map(|(run, _)| run.to_string()).collect()
    };
    let runs: Vec<Vec<String>> = vec![
        compared(&["1", "2"]),
        compared(&["previous", "last"]),
        compared(&["2026-11-21", "q"]),
    ];
    assert_eq!(runs, vec![vec!["run 1".to_string(), "run 2".to_string()]; 3]);
    let refused = |words: &[&str], said_words: &str| {
        let said = home.cupel(&[&["show"], words].concat());
        assert_eq!(said.status, Some(3));
        assert!(said.err.contains(said_words), "{}", said.err);
    };
    refused(
        &["last", "q"],
        "run 2 is compared with itself: name two runs, such as previous and last",
    );
    refused(&["2026-11-20", "last"], "no finished run began on 2026-11-20");
    refused(&["yesterday", "last"], "1 (2026-11-21, q)");
}

#[test]
fn a_contender_of_one_run_only_is_said_not_to_be_compared() {
    let home = Home::empty();
    home.suite("[64]", "baseline = \"sham/a\"");
    describe(&home, 1.0, 1.0);
    run(&home);
    let two = ["--contender", "sham/a", "--contender", "sham/same"];
    let said = home.cupel(&[&["run", "q", "--forks", "2"][..], &two].concat());
    assert_eq!(said.status, Some(0), "{}", said.err);
    let shown = home.cupel(&["show", "1", "2"]).out;
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains(": only run 1 has times of sham/b"), "{shown}");
    let truth = compared(&home);
    assert_eq!(audited(&home, &truth), "", "{truth:#}");
    for false_of in ["sham/a", "sham/x"] {
        let mut document = truth.clone();
        document["not_compared"][0]["contenders"] = json!([false_of]);
        assert!(audited(&home, &document).contains("that runs [1, 2] have it"), "{document:#}");
    }
}
