//! A question in one line: its words, its answer, and the command that asks it again.

use crate::support::{Cells, Home, Said};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Times in ns: `base` 100 + n, `long` 400 + n / 2, `twin` as `base`.
fn home() -> Home {
    let one = |name: &str, fixed: f64, byte: f64| json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": fixed, "per_byte_ns": byte });
    Home::with(json!([
        one("base", 100.0, 1.0),
        one("long", 400.0, 0.5),
        one("base-twin", 100.0, 1.0),
    ]))
}

fn ask(home: &Home, words: &[&str]) -> Said {
    home.cupel(&[&["ask", "--seed", "1", "--budget", "1s"], words].concat())
}

#[test]
fn the_first_line_is_the_answer() {
    let home = home();
    let said = ask(&home, &["siphash-2-4", "64", "base", "long", "--forks", "11"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let (answer, _) = said.out.split_once("question:").unwrap();
    let answer: Vec<&str> = answer.split_whitespace().collect();
    let answer = answer.join(" ");
    let expected = "SipHash-2-4, 64 B: sham/base 0.1.0 is the fastest; sham/long 0.1.0 takes ";
    let ratio = answer.strip_prefix(expected).expect(&said.out);
    let ratio = ratio.strip_suffix(" times as long").expect(&said.out);
    let truth = (400.0 + 64.0 / 2.0) / (100.0 + 64.0);
    assert!((ratio.parse::<f64>().unwrap() / truth - 1.0).abs() < 0.01, "{}", said.out);
    // The fastest is the baseline. Repeated alone, it would be compared with nothing.
    let (_, again) = said.out.split_once("repeat one cell:").unwrap();
    let again = again.replace('\\', "").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(again.starts_with("cupel ask siphash-2-4 mac 64 sham/base sham/long "), "{again}");
    // Every question has the same name, so the list of runs has its words.
    let list = home.cupel(&["list", "runs"]).out;
    assert!(list.contains("  cupel ask --seed 1 --budget 1s siphash-2-4 64 base long"), "{list}");
}

#[test]
fn an_answer_without_contenders_that_the_budget_left_out_says_so() {
    let home = home();
    let left_out = |names: &Value| {
        let found = json!({ "left_out": names }).to_string();
        home.change(&format!("update run set circumstances = '{found}'"));
    };
    let flat = |out: &str| out.split_whitespace().collect::<Vec<_>>().join(" ");
    for (words, all, without) in [
        (
            ["long", "--forks=11"],
            "sham/base 0.1.0 is the fastest;",
            "is the fastest of those without a JIT;",
        ),
        (
            ["base-twin", "--forks=11"],
            "tie for the fastest, within",
            "the fastest of those without a JIT, within",
        ),
        (
            ["base-twin", "--forks=3"],
            "the fastest is one of",
            "the fastest of those without a JIT is one of",
        ),
    ] {
        let said = ask(&home, &[&["siphash-2-4", "64", "base"], &words[..]].concat());
        assert!(flat(&said.out).contains(all) && !said.out.contains("JIT"), "{}", said.out);
        left_out(&json!(["jvm/a", "jvm/b", "jvm/c", "jvm/d", "node/e"]));
        for format in ["table", "markdown", "svg"] {
            let shown = home.cupel(&["show", "--format", format]).out;
            assert!(flat(&shown).contains(without), "{format}: {shown}");
        }
    }
    let line = "LEFT OUT: jvm/a, jvm/b, jvm/c and 2 more, because a budget of 1 s is too short for \
                them. With a longer --budget, they take part.";
    for format in ["table", "markdown"] {
        let shown = flat(&home.cupel(&["show", "--format", format]).out);
        let (answer, _) = shown.split_once("question:").expect(&shown);
        assert!(answer.contains(line), "{format}: {shown}");
    }
    let document = home.cupel(&["show", "--format", "json"]).out;
    let document: Value = serde_json::from_str(&document).unwrap();
    let answer = document["answers"][0]["answer"].as_str().unwrap();
    assert!(answer.contains("the fastest of those without a JIT"), "{answer}");
    assert_eq!(document["circumstances"]["lines"], json!([line]));
}

#[test]
fn the_json_has_the_answer_of_each_size() {
    let home = home();
    let said = ask(&home, &["siphash-2-4", "64,4K", "--forks", "11", "--format", "json"]);
    let document: Value = serde_json::from_str(&said.out).expect(&said.err);
    let answers = document["answers"].as_array().unwrap();
    let sizes: Vec<u64> = answers.iter().map(|a| a["size"].as_u64().unwrap()).collect();
    assert_eq!(sizes, [64, 4096]);
    assert_eq!(answers[1]["fastest"], json!(["sham/long"]), "{answers:#?}");
    assert_eq!(answers[1]["decided"], true);
    let tied = answers[0]["fastest"].as_array().unwrap();
    assert!(tied.contains(&json!("sham/base")) && tied.contains(&json!("sham/base-twin")));
    let words = answers[0]["answer"].as_str().unwrap();
    assert!(words.contains("tie for the fastest of 3 (sham), within"), "{words}");
    let words = answers[1]["answer"].as_str().unwrap();
    assert!(words.contains("0.1.0 is the fastest of 3 (sham);"), "{words}");
}

#[test]
fn an_open_answer_says_why_and_which_command_decides_it() {
    let home = home();
    let said =
        ask(&home, &["siphash-2-4", "64", "base", "base-twin", "--forks", "3", "--format", "json"]);
    let document: Value = serde_json::from_str(&said.out).expect(&said.err);
    let answer = &document["answers"][0];
    // Three forks cannot show that two programs are equally fast: both may have two speeds.
    assert_eq!(answer["decided"], false, "{answer:#}");
    let words = answer["answer"].as_str().unwrap();
    assert!(words.contains("the fastest is one of sham/base"), "{words}");
    assert!(answer["cause"].as_str().unwrap().contains("fewer than 11 forks"), "{answer:#}");
    let command = answer["command"].as_str().unwrap();
    assert!(command.starts_with("cupel ask siphash-2-4 mac 64 sham/base"), "{command}");
    assert!(command.ends_with("--forks 11"), "{command}");
}

#[test]
fn the_command_below_the_table_asks_the_same_again() {
    let home = home();
    let said =
        ask(&home, &["siphash-2-4", "64", "base", "long", "--shape", "latency", "--forks", "3"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let (_, command) = said.out.split_once("repeat one cell:").expect("a command");
    let command = command.replace("\\\n", " ");
    let words: Vec<&str> = command.split_whitespace().collect();
    assert_eq!(words[..2], ["cupel", "ask"], "{command}");
    let again = home.cupel(&[&words[1..], &["--format", "json"]].concat());
    assert_eq!(again.status, Some(0), "{}", again.err);
    let cells = Cells::parse(&again.out);
    assert_eq!(cells.of_contender("sham/base")["shape"], "latency");
    assert_eq!(cells.of_contender("sham/base")["size"], 64);
}

#[test]
fn a_mistake_names_what_is_nearest_and_measures_nothing() {
    let home = home();
    for (words, expected) in [
        (&["siphahs-2-4", "64"][..], "unknown primitive siphahs-2-4; did you mean siphash-2-4?"),
        (&["AES-GCM", "64"], "unknown primitive AES-GCM; write aes-128-gcm or aes-256-gcm"),
        (&["shake256", "64"], "unknown primitive shake256; `cupel list primitives` lists"),
        (&["siphash-2-4", "64", "lnog"], "no contender is called lnog; did you mean long?"),
        (&["siphash-2-4", "digset"], "did you mean digest?"),
        (&["siphash-2-4", "seal"], "siphash-2-4 has no operation \"seal\""),
        (&["siphash-2-4", "64", "bas"], "bas may be sham/base or sham/base-twin: name one"),
        (&["siphash-2-4", "64", "base", "base"], "named twice"),
        (&["siphash-2-4", "64", "lo"], "a short name has at least 3 letters"),
        (&["siphash-2-4", "4KB"], "\"4KB\" is ambiguous: 4K is 4096 bytes, 4kB is 4000"),
        (&["siphash-2-4", "64", "--contract", "key=never"], "in the contract"),
        (&["siphash-2-4", "0", "--shape", "latency"], "size 0 has no latency shape"),
        (&["sha256", "64"], "no contender offers digest of sha256"),
    ] {
        let said = ask(&home, words);
        assert_eq!(said.status, Some(3), "{words:?}: {} {}", said.out, said.err);
        assert!(said.err.contains(expected), "{words:?}: {}", said.err);
        assert!(!said.err.contains(":0:") && !said.err.contains("error: :"), "{}", said.err);
    }
    assert_eq!(home.count("select count(*) from run"), 0);
}

#[test]
fn a_family_alone_means_all_that_it_has() {
    let home = home();
    let other = json!({ "name": "far", "primitives": ["siphash-2-4"], "fixed_ns": 900.0 });
    home.family("other", &json!({ "seed": 7, "contenders": [other] }), "");
    let words = ["siphash-2-4", "64", "--forks", "3", "--format", "json"];
    let named = |family: &str| {
        let said = ask(&home, &[&words[..], &[family]].concat());
        assert_eq!(said.status, Some(0), "{}", said.err);
        let document: Value = serde_json::from_str(&said.out).unwrap();
        let cells = document["cells"].as_array().unwrap();
        let names = cells.iter().map(|cell| cell["contender"].as_str().unwrap().to_string());
        // Two of them are equally fast: chance decides which row is above the other.
        names.collect::<BTreeSet<String>>()
    };
    assert_eq!(named("sham"), named("sham/*"));
    assert_eq!(named("sham").len(), 3);
    assert_eq!(named("other"), BTreeSet::from(["other/far".to_string()]));
}

#[test]
fn a_misspelt_name_builds_nothing_unless_a_family_may_yet_know_it() {
    let home = home();
    let unbuilt = |declared: &str| {
        home.write(
            "contenders/unbuilt.toml",
            format!(
                "runner = \"rust\"\nprefix = \"unbuilt\"\nmanifest = \"none/Cargo.toml\"\n\
                 package = \"none\"\n{declared}"
            ),
        );
        let said = ask(&home, &["siphash-2-4", "64", "lnog"]);
        assert_eq!(said.status, Some(3), "{}", said.out);
        assert!(said.err.contains("did you mean long?"), "{}", said.err);
        said.err
    };
    let one = "[[contender]]\nname = \"x\"\noffers = [\"siphash-2-4:mac\"]\n";
    assert!(!unbuilt(one).contains("building"), "its file says what it has");
    assert!(unbuilt("").contains("building none"), "only its runner knows what it has");
}

/// A family of which every build fails; the command that builds it says so.
fn unbuilt(home: &Home) {
    let family = "runner = \"rust\"\nprefix = \"unbuilt\"\nmanifest = \"none/Cargo.toml\"\n\
                  package = \"none\"\n";
    let one = "[[contender]]\nname = \"x\"\noffers = [\"siphash-2-4:mac\"]\n";
    home.write("contenders/unbuilt.toml", format!("{family}{one}"));
}

/// Every verb takes the same names, and refuses the others before it builds, or waits, or measures.
#[test]
fn every_verb_takes_the_same_names_and_builds_nothing_for_others() {
    let home = home();
    home.suite("[64]", "contenders = [\"*\"]\nbaseline = \"sham/base\"");
    home.write("app.mix", "this is not read");
    unbuilt(&home);
    let verbs: [&[&str]; 8] = [
        &["ask", "siphash-2-4", "64"],
        &["ask", "siphash-2-4", "64", "--why", "base"],
        &["check", "base >= 2x NAME", "siphash-2-4", "64"],
        &["run", "q", "--contender"],
        &["gate", "q", "--kept", "--contender"],
        &["verify"],
        &["verify", "--leaks", "siphash-2-4", "64"],
        &["advise", "--mix", "app.mix", "--have"],
    ];
    for (name, refusal) in [
        ("lnog", "no contender is called lnog; did you mean long?"),
        ("sham/lnog", "no contender is called sham/lnog; did you mean sham/long?"),
        ("bas", "bas may be sham/base or sham/base-twin: name one"),
        ("lo", "a short name has at least 3 letters"),
    ] {
        for verb in verbs {
            let mut words: Vec<String> = verb.iter().map(|w| w.replace("NAME", name)).collect();
            if !verb.iter().any(|word| word.contains("NAME")) {
                words.push(name.to_string());
            }
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let said = home.cupel(&words);
            assert_eq!((said.status, &*said.out), (Some(3), ""), "{words:?}: {}", said.err);
            assert!(said.err.contains(refusal), "{words:?}: {}", said.err);
            assert!(!said.err.contains("building"), "{words:?}: {}", said.err);
        }
    }
    for verb in [&["verify", "long"][..], &["run", "q", "--contender", "long"]] {
        let said = home.cupel(verb);
        assert_eq!(said.status, Some(0), "{verb:?}: {}", said.err);
        assert!(said.out.contains("sham/long"), "{verb:?}: {}", said.out);
        assert!(!said.err.contains("building"), "{verb:?}: {}", said.err);
    }
    // A pattern that means contenders, but none of the suite.
    home.suite("[64]", "contenders = [\"sham/*\"]\nbaseline = \"sham/base\"");
    let said = home.cupel(&["run", "q", "--dry-run", "--contender", "unb*"]);
    assert!(said.err.contains("no contender of q matches unb*, so it selects"), "{}", said.err);
    assert!(home.cupel(&["verify", "unbuilt"]).err.contains("building"), "it would be said");
}

/// A JDK that no machine has: whether it is here is known before the runner of the JVMs is built.
#[test]
fn what_is_known_to_be_missing_is_said_before_anything_is_built() {
    let home = home();
    let family = "runner = \"jvm\"\nprefix = \"jvm\"\nmajors = [99]\n";
    let one = "[[contender]]\nname = \"far\"\noffers = [\"siphash-2-4:mac\"]\n";
    home.write("contenders/jvm.toml", format!("{family}{one}"));
    home.write("app.mix", "this is not read");
    let verbs: [(&[&str], i32); 4] = [
        (&["ask", "siphash-2-4", "64", "far@99", "base"], 3),
        (&["ask", "siphash-2-4", "64", "--why", "far@99", "base"], 3),
        (&["check", "far@99 > base", "siphash-2-4", "64"], 2),
        (&["advise", "--mix", "app.mix", "--have", "far@99"], 3),
    ];
    for (words, status) in verbs {
        let said = home.cupel(words);
        assert_eq!(said.status, Some(status), "{words:?}: {} {}", said.out, said.err);
        let why = said.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(why.contains("JDK 99 is not installed"), "{words:?}: {why}");
        assert!(!said.err.contains("verify") && !said.err.contains("build"), "{}", said.err);
    }
    assert_eq!(home.count("select count(*) from run"), 0);
}

#[test]
fn a_dry_question_counts_what_is_not_built_yet() {
    let home = home();
    unbuilt(&home);
    let said = ask(&home, &["siphash-2-4", "64", "--dry-run"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert!(said.out.contains("unbuilt/x"), "{}", said.out);
    assert!(said.out.contains("\nbuilds first, which can take minutes: unbuilt\n"), "{}", said.out);
}

#[test]
fn nothing_is_measured_if_no_two_are_left_to_compare() {
    let home = home();
    let wrong = json!({ "name": "wrong", "primitives": ["siphash-2-4"], "fault": { "kind": "wrong-output" } });
    home.family("bad", &json!({ "seed": 7, "contenders": [wrong] }), "");
    let lacks = json!([{ "name": "x", "primitives": ["siphash-2-4"], "missing": "no libx" }]);
    let declared = "[[contender]]\nname = \"x\"\noffers = [\"siphash-2-4:mac\"]\n";
    home.family("lacking", &json!({ "seed": 7, "contenders": lacks }), declared);
    let nothing = "nothing is measured: no two contenders are left to compare\n";
    // A missing contender has not failed, but then the question could not be asked.
    for (words, expected, status) in [
        (["bad/wrong", "base"], "bad/wrong failed: answers wrongly", 1),
        (["base", "bad/wrong"], "bad/wrong failed: answers wrongly", 1),
        (["base", "lacking/x"], "no libx", 3),
    ] {
        let why = [&["siphash-2-4", "64", "--why"][..], &words].concat();
        for words in [[&["siphash-2-4", "64"][..], &words].concat(), why] {
            let said = ask(&home, &words);
            assert_eq!(said.status, Some(status), "{words:?}: {}", said.out);
            assert_eq!(said.out, if status == 1 { nothing } else { "" }, "{words:?}");
            assert!(status == 1 || said.err.contains(&format!("error: {nothing}")), "{}", said.err);
            assert!(said.err.contains(expected), "{words:?}: {}", said.err);
            let read = ask(&home, &[&words[..], &["--format", "json"]].concat());
            assert_eq!((read.status, &*read.out), (Some(status), ""), "no JSON: {words:?}");
            assert!(read.err.contains(nothing), "{words:?}: {}", read.err);
        }
    }
    for absent in ["bad/wrong", "lacking/x"] {
        let said = home.cupel(&["check", &format!("base > {absent}"), "siphash-2-4", "64"]);
        assert_eq!(said.status, Some(2), "{}", said.out);
        let undecided = format!("undecided: sham/base is faster than {absent} ");
        assert!(said.out.starts_with(&undecided), "{}", said.out);
        let claim = format!("base > {absent}");
        let read = home.cupel(&["check", &claim, "siphash-2-4", "64", "--format", "json"]);
        assert_eq!((read.status, &*read.out), (Some(2), ""), "no JSON");
        assert!(read.err.contains(&undecided), "{}", read.err);
    }
    assert_eq!(home.count("select count(*) from run"), 0);
    // Two of three are left; and a question about one alone, or a pattern, gets those that are
    // there.
    for words in [&["base", "wrong", "long"][..], &["base"], &["sham"]] {
        let said = ask(&home, &[&["siphash-2-4", "64", "--forks", "2"], words].concat());
        assert!(!said.out.contains("nothing is measured"), "{}", said.out);
    }
    assert_eq!(home.count("select count(*) from run"), 3);
    // The cause is printed even if no progress is.
    let said = ask(&home, &["siphash-2-4", "64", "bad", "-q"]);
    assert_eq!(said.status, Some(1), "{}", said.out);
    assert_eq!(said.out, "nothing is measured: no contender can be measured here\n");
    assert!(said.err.contains("answers wrongly"), "{}", said.err);
    assert_eq!(home.count("select count(*) from run"), 3);
}

#[test]
fn where_nothing_is_ready_a_run_ends_before_it_starts_with_each_cause_once() {
    let home = home();
    let lacks =
        |name: &str| json!({ "name": name, "primitives": ["siphash-2-4"], "missing": "no libx" });
    let declared = ["x", "y"]
        .map(|name| format!("[[contender]]\nname = \"{name}\"\noffers = [\"siphash-2-4:mac\"]\n"));
    let script = json!({ "seed": 7, "contenders": [lacks("x"), lacks("y")] });
    home.family("lacking", &script, &declared.concat());
    home.suite("[64, 1024]", "contenders = [\"lacking/*\"]");
    for words in [
        &["ask", "siphash-2-4", "64", "lacking/x", "-q"][..],
        &["ask", "siphash-2-4", "64", "lacking"],
        &["run", "q"],
    ] {
        let said = home.cupel(words);
        assert_eq!((said.status, &*said.out), (Some(3), ""), "{words:?}: {}", said.err);
        assert_eq!(said.err.matches("no libx").count(), 1, "{words:?}: {}", said.err);
        assert!(said.err.contains("error: nothing is ready to be measured: "), "{}", said.err);
    }
    assert_eq!(home.count("select count(*) from run"), 0);
}

#[test]
fn what_is_missing_is_printed_once_for_all_charts() {
    let home = home();
    let lacks =
        |name: &str| json!({ "name": name, "primitives": ["siphash-2-4"], "missing": "no libx" });
    let script = json!({ "seed": 7, "contenders": [lacks("x"), lacks("y")] });
    let declared = ["x", "y"]
        .map(|name| format!("[[contender]]\nname = \"{name}\"\noffers = [\"siphash-2-4:mac\"]\n"));
    home.family("lacking", &script, &declared.concat());
    let more = "baseline = \"sham/base\"\n[[workload]]\nprimitive = \"siphash-2-4\"\n\
                sizes = [64]\ncontract = { key = \"per-call\" }\nbaseline = \"sham/base\"";
    home.suite("[64]", more);
    let out = home.cupel(&["run", "q", "--budget", "100ms"]).out;
    assert_eq!(out.matches("\ncontract: ").count(), 2, "{out}");
    assert_eq!(out.matches("no libx").count(), 1, "{out}");
    assert!(out.contains("missing lacking/x and 1 more of its family: no libx"), "{out}");
}

#[test]
fn a_dry_claim_is_shown_as_it_was_read() {
    let home = home();
    let said = home.cupel(&[
        "check",
        "base at least 2 times as fast as long",
        "siphash-2-4",
        "64",
        "--dry-run",
    ]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let read = "the claim: sham/base is at least 2 times as fast as sham/long (SipHash-2-4, 64 B)";
    assert!(words.starts_with(read), "{words}");
    assert_eq!(home.count("select count(*) from run"), 0);
}

#[test]
fn the_run_before_a_question_is_one_that_measured_the_same() {
    let home = home();
    for size in ["64", "64", "4K"] {
        let said = ask(&home, &["siphash-2-4", size, "base", "long", "--forks", "3"]);
        assert_eq!(said.status, Some(0), "{}", said.err);
    }
    let said = home.cupel(&["show", "previous", "last"]);
    assert_eq!(said.status, Some(3), "{}", said.out);
    assert!(
        said.err.contains("run 3, the last, asked what no other run of ask has"),
        "{}",
        said.err
    );
    let said = ask(&home, &["siphash-2-4", "64", "base", "long", "--forks", "3"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let said = home.cupel(&["show", "previous", "last", "--format", "json"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert_eq!(home.cupel(&["show", "2", "4", "--format", "json"]).out, said.out);
}

#[test]
fn a_suite_is_asked_at_a_size_and_in_a_shape_that_it_lacks() {
    let home = home();
    home.suite("[64]", "baseline = \"sham/base\"");
    let (status, cells, err) = home.run(&["--size", "100,64"]);
    assert_eq!(status, Some(0), "{err}");
    let sizes: Vec<u64> =
        cells.all("sham/long").iter().map(|c| c["size"].as_u64().unwrap()).collect();
    assert_eq!(sizes, [64, 100]);
    let (status, cells, err) = home.run(&["--shape", "latency"]);
    assert_eq!(status, Some(0), "{err}");
    assert_eq!(cells.of_contender("sham/long")["shape"], "latency");
    let said = home.cupel(&["run", "q", "--size", "2000000000"]);
    assert_eq!(said.status, Some(3));
    assert!(said.err.contains("size 2000000000 is out of range"), "{}", said.err);
}

#[test]
fn a_name_of_another_kind_says_what_it_is() {
    let home = home();
    home.suite("[64]", "");
    let refused = |words: &[&str], expected: &str| {
        let said = home.cupel(words);
        assert_eq!(said.status, Some(3), "{words:?}: {}", said.err);
        assert!(said.err.contains(expected), "{words:?}: {}", said.err);
    };
    refused(&["ask", "q", "64"], "q is a suite; `cupel run q` runs it");
    // A suite may have the name of its primitive: then another word is the mistake.
    home.write("suites/sha256.toml", std::fs::read(home.path("suites/q.toml")).unwrap());
    for (size, wrong) in [
        ("4KB", "4K is 4096 bytes, 4kB is 4000"),
        ("4kb", "4K is 4096 bytes, 4kB is 4000"),
        ("-5", "a size cannot be negative"),
        ("64X", "is not a size"),
    ] {
        refused(&["ask", "sha256", size], wrong);
    }
    refused(&["run", "sha512"], "it is a primitive; `cupel ask sha512` asks about it");
    refused(&["run", "q", "--primitive", "aes-256-gmc"], "did you mean aes-256-gcm?");
    let declared = "[[contender]]\nname = \"base\"\noffers = [\"siphash-2-4:mac\"]\n";
    let script =
        json!({ "seed": 7, "contenders": [{ "name": "base", "primitives": ["siphash-2-4"] }] });
    home.family("sham", &script, declared);
    refused(
        &["run", "sham/base"],
        "it is a contender; `cupel ask siphash-2-4 sham/base` asks about it",
    );
}

#[test]
fn a_claim_in_one_line_is_decided_and_its_status_says_how() {
    let home = home();
    let claim = |words: &[&str]| {
        home.cupel(&[&["check", "--seed", "1", "--budget", "1s", "--forks", "11"], words].concat())
    };
    let held = claim(&["base >= 2x long", "siphash-2-4", "64"]);
    assert_eq!(held.status, Some(0), "{}", held.err);
    let first = held.out.split_whitespace().take(12).collect::<Vec<_>>().join(" ");
    assert_eq!(first, "held: sham/base is at least 2 times as fast as sham/long (SipHash-2-4,");
    assert!(!held.out.contains("0.1.0 is the fastest"), "not asked: {}", held.out);
    let refuted = claim(&["base >= 3x long", "siphash-2-4", "64"]);
    assert_eq!(refuted.status, Some(1), "{}", refuted.out);
    assert!(refuted.out.starts_with("refuted: "), "{}", refuted.out);
    // Faster at 64 bytes only.
    let mixed = claim(&["base > long", "siphash-2-4", "64,4K"]);
    assert_eq!(mixed.status, Some(1), "{}", mixed.out);
    let undecided = home.cupel(&[
        "check",
        "base = base-twin +-5%",
        "siphash-2-4",
        "64",
        "--forks",
        "3",
        "--budget",
        "1s",
    ]);
    assert_eq!(undecided.status, Some(2), "three forks show no equality: {}", undecided.out);
    let words = undecided.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("cupel check 'base = base-twin +-5%' siphash-2-4 64 --forks 11"),
        "{words}"
    );
    for (words, expected) in [
        (&["base over long", "siphash-2-4"][..], "is not a claim"),
        (&["base > lnog", "siphash-2-4"], "did you mean long?"),
        (&["base > long", "siphash-2-4", "twin"], "neither a primitive nor an operation"),
        (&["base > base", "siphash-2-4"], "compares base with itself"),
    ] {
        let said = claim(words);
        assert_eq!(said.status, Some(3), "{words:?}: {}", said.out);
        assert!(said.err.contains(expected), "{words:?}: {}", said.err);
    }
}

/// `c` is the fastest, and its code is compiled again all the time, so it has no time.
#[test]
fn who_has_no_time_leaves_the_answer_open_and_is_measured_again() {
    let one = |name: &str, ns: f64| json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": ns, "per_byte_ns": 0 });
    let mut restless = one("c", 100.0);
    let tier = json!({ "slow_factor": 3, "calls": 1000, "compile_ms": 1 });
    restless["jit"] = json!({ "tiers": [tier], "discards_per_s": 300 });
    let home = Home::with(json!([one("a", 200.0), one("b", 300.0), restless]));
    let said = ask(&home, &["siphash-2-4", "64", "a", "b", "c", "--forks", "11"]);
    let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let answer = "sham/a 0.1.0 has the shortest time of 2 (sham) open: sham/c has no time";
    assert!(words.contains(answer), "{} {}", said.out, said.err);
    let command = words.split("to decide it: ").nth(1).unwrap().split(" question:").next().unwrap();
    assert!(command.contains("sham/a") && command.contains("sham/c"), "{command}");
    assert!(!words.contains("sham/a 0.1.0 is the fastest"), "{}", said.out);
    assert!(words.contains("fastest of those with a time: sham/a"), "{}", said.out);
}

/// `jit/far` takes 2.5 times as long as `aot/best`, and `jit/near` 1.2 times.
fn with_jits(jits: &[(&str, f64)]) -> Home {
    let home = Home::empty();
    let family = |name: &str, contenders: &[(&str, f64)], jit: &Value| {
        let one = |&(name, ns): &(&str, f64)| {
            json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": ns, "per_byte_ns": 0,
                "jit": jit })
        };
        let contenders: Vec<Value> = contenders.iter().map(one).collect();
        home.family(name, &json!({ "world": { "noise_sd": 0.003 }, "contenders": contenders }), "");
    };
    family("aot", &[("best", 200.0), ("base", 400.0)], &Value::Null);
    family("jit", jits, &json!({ "tiers": [] }));
    home
}

#[test]
fn who_is_far_behind_leaves_after_three_forks_and_its_interval_is_said() {
    let document = |home: &Home| -> Value {
        serde_json::from_str(&home.cupel(&["show", "--format", "json"]).out).unwrap()
    };
    let forks = |home: &Home, name: &str| {
        let document = document(home);
        let cells = document["cells"].as_array().unwrap();
        let cell = cells.iter().find(|cell| cell["contender"] == name);
        cell.expect("a row")["forks"].as_u64().unwrap()
    };
    let home = with_jits(&[("far", 500.0)]);
    let said = ask(&home, &["siphash-2-4", "64"]);
    let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let others = "other languages: jit/far takes about 2.4 to 2.6 times as long";
    assert!(words.contains("aot/best 0.1.0 is the fastest"), "{} {}", said.out, said.err);
    assert!(words.contains(others), "{} {}", said.out, said.err);
    assert!(words.contains("in 3 if they surely take over 1.5 times as long"), "{}", said.out);
    assert!(forks(&home, "aot/best") >= 11, "{}", said.out);
    assert_eq!(forks(&home, "jit/far"), 3, "{}", said.out);
    let behind = &document(&home)["findings"][0]["others"];
    let far = behind.as_array().unwrap().iter().find(|one| one["contender"]["name"] == "jit/far");
    assert_eq!(far.unwrap()["left_early"], json!(true), "{behind}");
    // Who is named is what the question is about.
    ask(&home, &["siphash-2-4", "64", "best", "far"]);
    assert_eq!(forks(&home, "jit/far"), 6, "clear after five, and back in the last");
    // With one that stays, each has the forks that it needs.
    let home = with_jits(&[("lost", 900.0), ("far", 500.0), ("near", 240.0)]);
    let said = ask(&home, &["siphash-2-4", "64"]);
    let forks = ["jit/lost", "jit/far", "jit/near"].map(|name| forks(&home, name));
    assert_eq!(forks, [1, 3, 11], "{}", said.out);
    let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("in 1 if they took over 4 times as long"), "{}", said.out);
    assert!(words.contains("aot/best 0.1.0 is the fastest"), "{} {}", said.out, said.err);
    // 4.5 times, and a process of it may be three times as fast.
    let document = document(&home);
    let cells = document["cells"].as_array().unwrap();
    let lost = cells.iter().find(|cell| cell["contender"] == "jit/lost").unwrap();
    let [low, high] = ["ratio_low", "ratio_high"].map(|end| lost[end].as_f64().unwrap());
    assert!((8.9..9.1).contains(&(high / low)), "{lost}");
    assert_eq!(lost["verdict"], json!("slower"), "4.5 times, of which 3 may be chance");
    let behind = document["findings"][0]["others"].as_array().unwrap().iter();
    let lost = behind.clone().find(|one| one["contender"]["name"] == "jit/lost").unwrap();
    assert!((4.3..4.7).contains(&lost["times"].as_f64().unwrap()), "{lost}");
    assert!(lost["low"].as_f64().unwrap() > 1.4, "{lost}");
    // With nothing else behind, its single figure is in the sentence.
    let home = with_jits(&[("lost", 900.0)]);
    let words =
        ask(&home, &["siphash-2-4", "64"]).out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("times as long (in the only fork of both)"), "{words}");
}
