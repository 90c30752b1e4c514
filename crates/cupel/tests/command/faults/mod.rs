//! Whatever a contender does, it fails alone and with a reason; the others get their answer.

mod clocks;
#[cfg(target_os = "linux")]
mod resources;
mod runners;
#[cfg(target_os = "linux")]
mod signals;
#[cfg(target_os = "linux")]
mod stores;

use crate::support::{Cells, Home, WATCHDOG, children, number, value_of};
use cupel_base::packages;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A home with two honest contenders.
fn honest() -> Home {
    let home = Home::with(json!([
        { "name": "a", "primitives": ["siphash-2-4"], "fixed_ns": 100, "per_byte_ns": 1 },
        { "name": "b", "primitives": ["siphash-2-4"], "fixed_ns": 200, "per_byte_ns": 2 },
    ]));
    home.suite("[64, 1024]", "baseline = \"sham/a\"");
    home
}

/// Honest contenders whose slices take a millisecond of real time from the rounds on, so that a
/// signal comes in the middle of something.
fn honest_and_slow() -> Home {
    let home = honest();
    let script = std::fs::read_to_string(home.path("sham.json")).unwrap();
    let mut script: Value = serde_json::from_str(&script).unwrap();
    for contender in script["contenders"].as_array_mut().unwrap() {
        contender["fault"] =
            json!({ "kind": "slow-answers", "at": "slice", "delay_ms": 1, "after": 100 });
    }
    home.write("sham.json", script.to_string());
    home
}

/// A home with two honest contenders, and a third in its own family with this fault.
fn home(fault: &Value) -> Home {
    let home = honest();
    let bad = json!({ "seed": 3, "contenders": [{
        "name": "x", "primitives": ["siphash-2-4"], "fixed_ns": 50, "per_byte_ns": 1,
        "fault": fault, "warm_up": if fault["kind"] == "wrong-after-warm-up" {
            json!({ "slow_factor": 2, "for_ms": 5 })
        } else {
            json!({})
        },
    }] });
    home.family("bad", &bad, DECLARED);
    home
}

/// The facts about the contender even if its runner cannot be asked.
const DECLARED: &str = "[[contender]]\nname = \"x\"\noffers = [\"siphash-2-4:mac\"]\n";

fn others_are_answered(cells: &Cells) {
    for (name, verdict) in [("sham/a", "baseline"), ("sham/b", "slower")] {
        assert_eq!(cells.all(name).len(), 2, "{:#?}", cells.0);
        for row in cells.all(name) {
            assert_eq!(row["verdict"], verdict, "{row:#}");
            assert_eq!(row["forks"], 3, "{row:#}");
            assert!(number(row, "rounds") >= 20.0, "{row:#}");
        }
    }
}

fn assert_says(reason: &str, words: &[&str]) {
    for word in words {
        assert!(reason.contains(word), "no \"{word}\" in: {reason}");
    }
}

/// As OpenSSL with a provider that offers nothing: a pipeline must not take that for success.
#[test]
fn a_verification_that_verified_nothing_is_no_success() {
    let contender = |name: &str, lacking: Value| json!({ "name": name, "primitives": ["siphash-2-4", "sha256", "hmac-sha256"], "lacking": lacking });
    let home = Home::with(json!([
        contender("good", Value::Null),
        contender("bare", json!("the provider offers nothing")),
    ]));
    let said = home.cupel(&["verify", "sham/bare"]);
    assert_eq!(said.status, Some(3), "{}", said.out);
    assert!(said.err.contains("nothing was verified"), "{}", said.err);
    assert_eq!(said.out.matches("the provider offers nothing").count(), 1, "{}", said.out);
    let said = home.cupel(&["verify", "sham/empty"]);
    assert_eq!(said.status, Some(3), "{}", said.out);
    assert!(said.err.contains("sham/empty has no result to verify"), "{}", said.err);
    let said = home.cupel(&["verify", "sham/*"]);
    assert_eq!(said.status, Some(0), "another one was: {}", said.err);
}

#[test]
fn wrong_outputs_are_found_before_anything_is_timed() {
    let home = home(&json!({ "kind": "wrong-output" }));
    let (status, cells, _) = home.run(&[]);
    assert_eq!(status, Some(1));
    others_are_answered(&cells);
    let reason = cells.all("bad/x")[0]["reason"].as_str().unwrap();
    assert_says(reason, &["answers wrongly", "siphash-2-4", "expected", "got", "cases are wrong"]);
    let timed = "select count(*) from warm_up join fork on fork.id = fork where cell in
                 (select cell from cell_failure)";
    assert_eq!(home.count(timed), 0, "it was timed although it was known to be wrong");
}

#[test]
fn a_verification_says_its_seed_and_a_seed_repeats_it() {
    let home = Home::with(json!([{ "name": "a", "primitives": ["siphash-2-4"] }]));
    home.overhear("sham");
    let first = home.cupel(&["verify"]);
    let seed = first.err.split("seed ").nth(1).and_then(|rest| rest.lines().next()).unwrap();
    assert!(seed.parse::<u64>().is_ok(), "{}", first.err);
    let again = home.cupel(&["verify", "--seed", seed]);
    assert!(again.err.contains(&format!("seed {seed}")), "{}", again.err);
    assert_eq!((again.status, again.out), (Some(0), first.out));
    let asked: Vec<String> = home.requests().iter().map(Value::to_string).collect();
    for size in cupel_verify::cases::drawn(seed.parse().unwrap()) {
        let has = |request: &&String| request.contains(&format!("\"size\":{size}}}"));
        assert!(asked.iter().filter(has).count() >= 2, "{size}");
    }
}

#[test]
fn a_time_longer_than_any_is_found_and_adds_up_to_nothing() {
    let home = home(&Value::Null);
    let endless = json!({ "seed": 3, "contenders": [
        { "name": "x", "primitives": ["siphash-2-4"], "fixed_ns": 1e19 }] });
    home.family("bad", &endless, DECLARED);
    let (status, cells, said) = home.run(&[]);
    assert_eq!(status, Some(1), "{said}");
    others_are_answered(&cells);
    for row in cells.all("bad/x") {
        assert_says(row["reason"].as_str().unwrap(), &["e19 ns for", "which cannot be true"]);
    }
}

#[test]
fn a_bad_tag_that_is_accepted_is_found() {
    let home = Home::with(json!([
        { "name": "a", "primitives": ["aes-256-gcm"] },
        { "name": "b", "primitives": ["aes-256-gcm"], "fixed_ns": 300 },
    ]));
    let bad = json!({ "contenders": [{
        "name": "x", "primitives": ["aes-256-gcm"], "fault": { "kind": "accepts-bad-tag" },
    }] });
    home.family("bad", &bad, "");
    home.write(
        "suites/q.toml",
        "question = \"?\"\nforks = 2\nbudget = \"100ms\"\n[[workload]]\nprimitive = \"aes-256-gcm\"\n\
         operation = \"open\"\nsizes = [64]\nbaseline = \"sham/a\"\n",
    );
    let (status, cells, _) = home.run(&[]);
    assert_eq!(status, Some(1));
    assert_eq!(cells.verdict("bad/x"), "failed");
    assert_says(cells.reason("bad/x"), &["answers wrongly", "open", "expected a refusal"]);
    assert_eq!(cells.verdict("sham/a"), "baseline");
    assert_eq!(cells.verdict("sham/b"), "slower");
}

#[test]
fn what_is_missing_is_no_failure_and_comes_with_its_remedy() {
    let home = home(&json!({ "kind": "slow-answers", "delay_ms": 0 }));
    let script = json!({ "contenders": [
        { "name": "gone", "primitives": ["siphash-2-4"], "missing": "libgone is not installed" },
    ] });
    let declared = "[missing]\nreason = \"no libgone\"\nremedy = \"apt-get install libgone\"\n";
    home.family("away", &script, declared);
    let (status, cells, _) = home.run(&[]);
    assert_eq!(status, Some(0), "{:#?}", cells.0);
    others_are_answered(&cells);
    for row in cells.all("away/gone") {
        assert_eq!(row["verdict"], "missing");
        let reason = row["reason"].as_str().unwrap();
        assert_says(
            reason,
            &["libgone is not installed", &packages::remedy("apt-get install libgone")],
        );
    }
}

#[test]
fn what_lacks_a_feature_of_the_cpu_is_missing_and_neither_wrong_nor_a_baseline() {
    let home = home(&json!({ "kind": "slow-answers", "delay_ms": 0 }));
    let lacking = "the CPU lacks AVX-512";
    let script = json!({ "contenders": [
        { "name": "wide", "primitives": ["siphash-2-4"], "lacking": lacking },
    ] });
    home.family("fast", &script, "");
    home.suite("[64, 1024]", "baseline = [\"fast/wide\", \"sham/a\"]");
    let (status, cells, _) = home.run(&[]);
    assert_eq!(status, Some(0), "{:#?}", cells.0);
    for row in cells.all("fast/wide") {
        assert_eq!((&row["verdict"], &row["reason"]), (&json!("missing"), &json!(lacking)));
    }
    assert!(cells.all("sham/b").iter().all(|row| row["baseline"] == "sham/a"));

    let said = home.cupel(&["verify", "fast/*"]);
    assert_eq!(said.status, Some(3), "nothing else was verified: {said:?}");
    let line = format!("missing  fast/wide siphash-2-4 mac: {lacking}\n");
    assert!(said.out.contains(&line), "{said:?}");
}

#[test]
fn a_wrong_baseline_is_followed_by_the_next() {
    let home = home(&json!({ "kind": "wrong-output" }));
    home.suite("[64, 1024]", "baseline = [\"bad/x\", \"sham/a\"]");
    let (status, cells, _) = home.run(&[]);
    assert_eq!(status, Some(1));
    others_are_answered(&cells);
    assert!(cells.all("bad/x").iter().all(|row| row["verdict"] == "failed"));
    assert!(cells.all("sham/b").iter().all(|row| row["baseline"] == "sham/a"));
}

/// The first line names the cause, and no command that would not remove it.
#[test]
fn a_baseline_that_is_lost_while_it_is_timed_is_why_there_is_no_answer() {
    let home = home(&json!({ "kind": "crash", "at": "slice" }));
    home.suite("[64]", "baseline = \"bad/x\"");
    let said = home.cupel(&["run", "q"]);
    assert_eq!(said.status, Some(1), "{}", said.out);
    let (answer, _) = said.out.split_once("question:").unwrap();
    let answer = answer.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = "SipHash-2-4, 64 B: no answer: the baseline bad/x failed: ";
    assert!(answer.starts_with(expected), "{answer}");
    assert!(!answer.contains("to decide it"), "{answer}");
    assert!(said.out.contains("sham/b"), "the others have their times: {}", said.out);
}

/// It accepts forged messages, but seals them correctly.
#[test]
fn a_contender_that_is_wrong_at_one_offer_has_failed_at_the_others() {
    let home = Home::with(json!([{ "name": "a", "primitives": ["aes-256-gcm"] }]));
    let bad = json!({ "contenders": [{
        "name": "x", "primitives": ["aes-256-gcm"], "fault": { "kind": "accepts-bad-tag" },
    }] });
    home.family("bad", &bad, "");
    let group = |operation: &str| {
        format!(
            "[[workload]]\nprimitive = \"aes-256-gcm\"\noperation = \"{operation}\"\n\
             sizes = [64]\nbaseline = [\"bad/x\", \"sham/a\"]\n"
        )
    };
    let text = "question = \"?\"\nforks = 2\nbudget = \"100ms\"\n";
    home.write("suites/q.toml", format!("{text}{}{}", group("seal"), group("open")));
    let (status, cells, _) = home.run(&[]);
    assert_eq!(status, Some(1));
    let baseline = |operation: &str| {
        let of = |row: &&&Value| row["operation"] == operation;
        cells.all("sham/a").iter().find(of).expect("a row")["baseline"].clone()
    };
    assert_eq!((baseline("seal"), baseline("open")), (json!("sham/a"), json!("sham/a")));
    assert!(cells.all("bad/x").iter().all(|row| row["verdict"] == "failed"), "{:#?}", cells.0);
}

#[test]
fn a_baseline_that_crashes_in_the_rounds_leaves_no_verdict_behind() {
    // The two sizes take turns: at one of them at least it has rounds before it fails.
    let home = home(&json!({ "kind": "crash", "at": "slice", "after": 108 }));
    home.suite("[64, 1024]", "baseline = \"bad/x\"");
    let (status, cells, _) = home.run(&[]);
    assert_eq!(status, Some(1));
    assert!(
        home.count("select count(*) from slice where cell in (select cell from cell_failure)") > 0
    );
    for name in ["sham/a", "sham/b"] {
        for row in cells.all(name) {
            assert_eq!(row["verdict"], "not separated", "{row:#}");
            assert!(value_of(row, "ratio").is_null(), "a ratio to what failed: {row:#}");
            assert!(row["ns_median"].is_f64(), "{row:#}");
            assert_eq!(row["forks"], 3, "{row:#}");
        }
    }
    let table = home.cupel(&["show"]).out;
    assert!(table.contains("no verdict"), "{table}");
}

#[test]
fn a_runner_that_is_killed_from_outside_is_not_measured() {
    let home = home(&json!({ "kind": "slow-answers", "at": "slice", "after": 60, "delay_ms": 20 }));
    let mut child = home
        .command()
        .args(["run", "q", "--format", "json", "--quiet"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while home.count("select count(*) from round") == 0 {
        assert!(began.elapsed() < WATCHDOG, "no round came");
        std::thread::sleep(Duration::from_millis(5));
    }
    let script = home.path("bad.json");
    let victims = children(child.id(), script.to_str().unwrap());
    assert!(!victims.is_empty(), "no runner to kill");
    for victim in victims {
        // SAFETY: kill() takes two numbers and touches no memory.
        unsafe { libc::kill(victim, libc::SIGKILL) };
    }
    let mut out = String::new();
    std::io::Read::read_to_string(&mut child.stdout.take().unwrap(), &mut out).unwrap();
    // The contender is not at fault.
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let cells = Cells::parse(&out);
    others_are_answered(&cells);
    for row in cells.all("bad/x") {
        assert_eq!(row["verdict"], "not measured");
        assert_says(row["reason"].as_str().unwrap(), &["ended by signal 9 (killed)"]);
    }
}

/// The processes with this text in their environment or their command that are left after a minute:
/// the system takes its time to end them, if it is busy.
fn processes_of(text: &str) -> Vec<String> {
    let began = std::time::Instant::now();
    loop {
        let left = processes_now(text);
        if left.is_empty() || began.elapsed() > std::time::Duration::from_secs(60) {
            return left;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// The processes whose environment or command has this text.
fn processes_now(text: &str) -> Vec<String> {
    let all = std::fs::read_dir("/proc").expect("/proc").flatten().map(|entry| entry.path());
    let of = |path: &std::path::PathBuf| {
        ["environ", "cmdline"].iter().any(|part| {
            let bytes = std::fs::read(path.join(part)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).contains(text)
        })
    };
    let named = all.filter(of).map(|path| std::fs::read(path.join("cmdline")).unwrap_or_default());
    named.map(|name| String::from_utf8_lossy(&name).replace('\0', " ")).collect()
}

#[test]
fn a_process_from_which_nothing_is_hidden_is_not_measured_under_a_false_name() {
    let home = home(&json!({ "kind": "slow-answers", "delay_ms": 0 }));
    let script = json!({ "contenders": [{ "name": "own", "primitives": ["siphash-2-4"] }] });
    let own = "\n[[contender]]\nname = \"own\"\nlibrary = \"x\"\noffers = [\"siphash-2-4:mac\"]\n";
    // The variable that the tool sets for a path with `hides`.
    let hides = "environment = { CUPEL_HIDE = \"aes\", LD_PRELOAD = \"/nowhere/hide.so\" }";
    let forced = own.replace(
        "name = \"own\"",
        &format!("name = \"own-noaes\"\nforced_path_of = \"own\"\nhosted_as = \"own\"\n{hides}"),
    );
    home.family("hid", &script, &(own.to_string() + &forced));
    let said = home.cupel(&["verify", "hid/own", "hid/own-noaes"]);
    assert_eq!(said.status, Some(1), "{}", said.out);
    assert!(said.out.contains("correct  hid/own siphash-2-4 mac"), "{}", said.out);
    let line = "FAILED   hid/own-noaes siphash-2-4 mac: its runner cannot be started: it has not \
                loaded /nowhere/hide.so, so no feature of the CPU is hidden";
    assert!(said.out.contains(line), "{}", said.out);
}
