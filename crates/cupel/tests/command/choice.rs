//! A choice between primitives, from a suite to every output: each row has a primitive, and a part
//! about one primitive never reads a choice.

use crate::support::{Cells, Home, number};
use serde_json::{Value, json};

const QUESTION: &str = "question = \"Which MAC?\"\nforks = 11\nfirst-forks = 11\nbudget = \"2s\"\n";
const CHOICE: &str = "\n[[workload]]\nchoice = [\"hmac-sha256\", \"siphash-2-4\"]\nsizes = [64]\nbaseline = \"sham/a\"\n";

/// `a` takes half as long for SipHash, `b` a tenth longer than `a` for both.
fn home(more: &str) -> Home {
    let primitives = json!(["hmac-sha256", "siphash-2-4"]);
    let factors = json!({ "siphash-2-4": 0.5 });
    let home = Home::with(json!([
        { "name": "a", "primitives": primitives, "fixed_ns": 2000, "per_byte_ns": 0, "factors": factors },
        { "name": "b", "primitives": primitives, "fixed_ns": 2200, "per_byte_ns": 0, "factors": factors },
        { "name": "c", "primitives": ["hmac-sha256"], "fixed_ns": 3000, "per_byte_ns": 0 },
    ]));
    home.write("suites/q.toml", format!("{QUESTION}{more}"));
    home
}

fn answer(out: &str) -> String {
    out.split("\nquestion:").next().unwrap().replace("\n  ", " ")
}

#[test]
fn the_first_line_names_the_fastest_row_and_the_best_of_each_other_primitive() {
    let home = home(CHOICE);
    let said = home.cupel(&["run", "q"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let first = answer(&said.out);
    assert!(
        first.starts_with(
            "HMAC-SHA-256 or SipHash-2-4, 64 B: sham/a 0.1.0 with siphash-2-4 is the fastest"
        ),
        "{first}"
    );
    assert!(first.contains("; sham/b 0.1.0 with siphash-2-4 takes 1.1"), "{first}");
    assert!(first.contains("; the best hmac-sha256 (sham/a 0.1.0) takes 2.0"), "{first}");
    let head = said.out.lines().find(|line| line.starts_with(" at 64 B")).expect(&said.out);
    assert!(head.contains("primitive"), "{head}");
    let rows = |name: &str, primitive: &str| {
        let is = |line: &&str| line.trim_start().starts_with(name) && line.contains(primitive);
        said.out.lines().filter(is).count()
    };
    for (name, primitive, count) in
        [("sham/a", "siphash-2-4", 1), ("sham/a", "hmac-sha256", 1), ("sham/c", "siphash-2-4", 0)]
    {
        assert_eq!(rows(name, primitive), count, "{name} {primitive}: {}", said.out);
    }
    // Never a faster primitive without its promise.
    let flat = said.out.replace("\n    ", " ").replace("\n  ", "\n");
    for line in ["security of hmac-sha256: ", "security of siphash-2-4: "] {
        assert_eq!(flat.matches(line).count(), 1, "{line}: {}", said.out);
    }
}

/// `c` has only the slower primitive, and its time is not known.
#[test]
fn who_has_no_time_leaves_open_which_primitive_is_the_fastest() {
    let home = home(CHOICE);
    let (status, _, err) = home.run(&[]);
    assert_eq!(status, Some(0), "{err}");
    let document = || -> Value {
        serde_json::from_str(&home.cupel(&["show", "--format", "json"]).out).unwrap()
    };
    let known = document();
    let mut others = known["findings"][0]["others"].as_array().expect("the others").iter();
    let lost = others.find(|one| one["contender"]["name"] == "sham/c with hmac-sha256");
    let cell = &lost.expect("a time of c")["contender"]["cell"];
    home.change(&format!("update slice set disturbed = 'x' where cell = {cell}"));
    let found = document();
    let finding = &found["findings"][0];
    assert_eq!(finding["kind"], "open", "{finding:#}");
    assert_eq!(finding["because"]["reason"], "no-time", "{finding:#}");
    assert_eq!(found["answers"][0]["decided"], json!(false), "{finding:#}");
    let said = answer(&home.cupel(&["show"]).out);
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("sham/a 0.1.0 with siphash-2-4 has the shortest time"), "{words}");
    assert!(words.contains("open: sham/c with hmac-sha256 has no time: "), "{words}");
    assert!(!words.contains("is the fastest"), "{words}");
}

#[test]
fn two_primitives_without_contenders_are_a_choice() {
    let home = home("");
    let said = home.cupel(&["ask", "hmac-sha256", "siphash-2-4", "64", "--dry-run"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert!(
        said.out.contains("6 cells") && said.out.contains("hmac-sha256 or siphash-2-4"),
        "{}",
        said.out
    );
}

#[test]
fn two_primitives_of_named_contenders_are_a_choice_as_well() {
    let home = home("");
    let words = ["ask", "hmac-sha256", "siphash-2-4", "64", "sham/c", "sham/b", "--dry-run"];
    let said = home.cupel(&words);
    assert_eq!(said.status, Some(0), "{}", said.err);
    // Only one of c, and the control.
    assert!(said.out.contains("4 cells"), "{}", said.out);
    assert!(said.out.contains("hmac-sha256 or siphash-2-4"), "{}", said.out);
}

#[test]
fn every_format_says_which_primitive_a_row_has() {
    let home = home(CHOICE);
    let (status, cells, err) = home.run(&[]);
    assert_eq!(status, Some(0), "{err}");
    for (name, primitive, truth) in [
        ("sham/a with hmac-sha256", "hmac-sha256", None),
        ("sham/a with siphash-2-4", "siphash-2-4", Some(0.5)),
        ("sham/b with siphash-2-4", "siphash-2-4", Some(0.55)),
        ("sham/c with hmac-sha256", "hmac-sha256", Some(1.5)),
    ] {
        let row = cells.of_contender(name);
        assert_eq!(row["primitive"], primitive);
        assert_eq!(row["baseline"], "sham/a with hmac-sha256");
        let Some(truth) = truth else { continue };
        // One interval in twenty misses, and this is one run.
        assert!((number(row, "ratio") / truth - 1.0).abs() < 0.002, "{row:#}");
    }
    assert_eq!(cells.0.len(), 5);
    let document: Value =
        serde_json::from_str(&home.cupel(&["show", "--format", "json"]).out).unwrap();
    assert_eq!(document["security"].as_object().unwrap().len(), 2);
    assert_eq!(document["answers"][0]["fastest"], json!(["sham/a with siphash-2-4"]));
    let markdown = home.cupel(&["show", "--format", "markdown"]).out;
    assert!(markdown.contains("| sham/b | siphash-2-4 |"), "{markdown}");
    assert!(markdown.contains("- security of siphash-2-4: "), "{markdown}");
    let csv = home.cupel(&["show", "--format", "csv"]).out;
    assert!(csv.contains(",sham/a with siphash-2-4,siphash-2-4,mac,"), "{csv}");
    let said = home.cupel(&["show", "all", "--slices", "--format", "csv"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let text = said.out;
    let of = |words: &str| text.lines().filter(|line| line.contains(words)).count();
    assert!(of("sham/b with siphash-2-4,false,siphash-2-4,mac") > 0, "{}", &text[..400]);
    assert_eq!(of("|"), 0, "a slice is of one primitive");
}

#[test]
fn all_rows_of_a_contender_share_its_process() {
    let home = home(CHOICE);
    home.overhear("sham");
    assert_eq!(home.cupel(&["run", "q"]).status, Some(0));
    let asked = home.asked();
    let kind = |kind: &str| asked.iter().filter(|ask| *ask == kind).count();
    // In each of eleven forks five rows, a control, and the empty operation with its own.
    assert_eq!(kind("prepare") % 11, 0, "{}", kind("prepare"));
    let prepared: Vec<Value> = home
        .requests()
        .into_iter()
        .filter(|r| r["ask"] == "prepare" && r["workload"]["primitive"] != "empty")
        .collect();
    assert_eq!(prepared.len(), 6 * 11);
    for ask in &prepared {
        let bytes = if ask["workload"]["primitive"] == "hmac-sha256" { 32 } else { 16 };
        assert_eq!(ask["key"].as_str().unwrap().len(), 2 * bytes, "{ask:#}");
    }
}

#[test]
fn a_plain_workload_beside_a_choice_stays_a_table_of_its_own() {
    let plain = "\n[[workload]]\nprimitive = \"hmac-sha256\"\nsizes = [64]\n";
    let home = home(&format!("{CHOICE}{plain}"));
    let (status, cells, err) = home.run(&[]);
    assert_eq!(status, Some(0), "{err}");
    let plain: Vec<&Value> = cells
        .0
        .iter()
        .filter(|row| !row["contender"].as_str().unwrap().contains(" with "))
        .collect();
    assert_eq!(plain.len(), 3, "{plain:#?}");
    for row in plain {
        assert_eq!(
            (&row["primitive"], &row["table_intervals"]),
            (&json!("hmac-sha256"), &json!(3))
        );
        assert!(!row["baseline"].as_str().unwrap().contains("with"), "{row:#}");
    }
    // Advice reads the plain table, and says why not the choice.
    let advised = home.cupel(&["advise", "hmac-sha256", "--format", "json"]);
    let document: Value = serde_json::from_str(&advised.out).unwrap();
    assert_eq!(document["advice"].as_array().unwrap().len(), 1, "{document:#}");
    assert_eq!(document["advice"][0]["primitive"], "hmac-sha256");
    let reasons = document["no_advice"].to_string();
    assert!(reasons.contains("a choice between primitives"), "{reasons}");
    let one = "cupel run q --primitive hmac-sha256 --operation mac --size 64";
    assert!(reasons.contains(one), "{reasons}");
}

#[test]
fn what_is_left_of_a_choice_is_measured_as_that() {
    let home = home(CHOICE);
    let said = home.cupel(&["run", "q", "--primitive", "siphash-2-4", "--format", "json"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let cells = Cells::parse(&said.out);
    assert_eq!(cells.0.len(), 2, "no choice any more");
    assert_eq!(cells.verdict("sham/a"), "baseline");
    let both = ["run", "q", "--primitive", "siphash-2-4,hmac-sha256", "--format", "json"];
    assert_eq!(Cells::parse(&home.cupel(&both).out).0.len(), 5);
}

#[test]
fn claims_compare_rows_of_a_choice() {
    let claim =
        |says: &str| format!("\n[[claim]]\nsource = \"s\"\nquote = \"q\"\nsays = \"{says}\"\n");
    let claims = claim("sham/a with siphash-2-4 is faster than sham/a with hmac-sha256")
        + &claim("sham/b with hmac-sha256 is faster than sham/b with siphash-2-4");
    let home = home(&format!("{CHOICE}{claims}"));
    let said = home.cupel(&["run", "q"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let said = home.cupel(&["check", "q", "--format", "json"]);
    let document: Value = serde_json::from_str(&said.out).expect(&said.err);
    let verdict = |at: usize| document["claims"][at]["verdict"].as_str().unwrap().to_string();
    assert_eq!([verdict(0), verdict(1)], ["held", "refuted"], "{document:#}");
    assert_eq!(said.status, Some(1));
}

#[test]
fn mistakes_in_a_choice_are_named_with_their_line() {
    let claim = |a: &str, b: &str| {
        format!("{CHOICE}[[claim]]\nsource = \"s\"\nquote = \"q\"\nsays = \"{a} > {b}\"\n")
    };
    let choice = |list: &str| format!("\n[[workload]]\nchoice = {list}\nsizes = [64]\n");
    for (text, line, what, help) in [
        (choice("[\"hmac-sha256\"]"), 7, "a choice is between two or more", "primitive ="),
        (choice("[\"hmac-sha256\", \"hmac-sha256\"]"), 7, "is listed twice", ""),
        (choice("[\"hmac-sha256\", \"siphash-2-5\"]"), 7, "unknown primitive", "cupel list primitives"),
        (choice("[\"hmac-sha256\", \"sha256\"]"), 7, "no operation in common", "sha256 has digest"),
        (
            "\n[[workload]]\nprimitive = \"sha256\"\nchoice = [\"sha1\", \"sha256\"]\nsizes = [64]\n".into(),
            8,
            "both `primitive` and `choice`",
            "",
        ),
        ("\n[[workload]]\nsizes = [64]\n".into(), 6, "no primitive", "choice = ["),
        (claim("sham/a", "sham/b with siphash-2-4"), 13, "with which primitive?", "sham/a with hmac-sha256"),
        (claim("sham/a with hmac-sha265", "sham/b with siphash-2-4"), 13, "is not in the choice", "it has hmac-sha256"),
    ] {
        let said = home(&text).cupel(&["run", "q"]);
        assert_eq!(said.status, Some(3), "{text}: {}", said.out);
        let err = said.err.replace("\n  ", " ");
        assert!(err.contains(&format!("q.toml:{line}: ")), "{text}: {err}");
        assert!(err.contains(what) && err.contains(help), "{text}: {err}");
    }
}

#[test]
fn a_question_in_one_line_may_be_a_choice() {
    let home = home(CHOICE);
    let said = home.cupel(&["ask", "hmac-sha256|siphash-2-4", "64", "--dry-run"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let out = said.out.replace("\n  ", " ");
    let line = "hmac-sha256 or siphash-2-4 mac 64 B throughput: sham/a (2 of 2), sham/b (2 of 2), sham/c (1 of 2)";
    assert!(out.contains(line), "{out}");
    let said = home.cupel(&["ask", "hmac-sha256|siphash-2-5", "64", "--dry-run"]);
    assert_eq!(said.status, Some(3));
    assert!(said.err.contains("unknown primitive siphash-2-5"), "{}", said.err);
    let said = home.cupel(&["check", "a is faster than b", "hmac-sha256|siphash-2-4", "64"]);
    assert_eq!(said.status, Some(3));
    assert!(said.err.contains("about one primitive"), "{}", said.err);
    let said =
        home.cupel(&["check", "a with hmac-sha256 > b with siphash-2-4", "hmac-sha256", "64"]);
    assert_eq!(said.status, Some(3));
    assert!(said.err.contains("about one primitive"), "{}", said.err);
}

/// Runs of two different choices share no question, so nothing of them is compared.
#[test]
fn runs_of_one_choice_are_compared_row_by_row() {
    let home = home(CHOICE);
    for _ in 0..2 {
        assert_eq!(home.cupel(&["run", "q"]).status, Some(0));
    }
    let said = home.cupel(&["show", "1", "2", "--format", "json"]);
    let document: Value = serde_json::from_str(&said.out).expect("JSON");
    let text = document.to_string();
    assert!(text.contains("sham/b with siphash-2-4"), "{text}");
    assert_eq!(home.cupel(&["run", "q", "--primitive", "hmac-sha256"]).status, Some(0));
    let said = home.cupel(&["show", "1", "3"]);
    assert_eq!(said.status, Some(3));
    assert!(said.err.contains("only in run 1"), "{}{}", said.out, said.err);
}
