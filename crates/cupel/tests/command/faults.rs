//! Whatever a contender does, it fails alone and with a reason; the others get their answer.

use crate::support::{Cells, Home, WATCHDOG, children, number};
use cupel_base::packages;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A home with two honest contenders, and a third in its own family with this fault.
fn home(fault: &Value) -> Home {
    let home = Home::with(json!([
        { "name": "a", "primitives": ["siphash-2-4"], "fixed_ns": 100, "per_byte_ns": 1 },
        { "name": "b", "primitives": ["siphash-2-4"], "fixed_ns": 200, "per_byte_ns": 2 },
    ]));
    let bad = json!({ "seed": 3, "contenders": [{
        "name": "x", "primitives": ["siphash-2-4"], "fixed_ns": 50, "per_byte_ns": 1,
        "fault": fault, "warm_up": if fault["kind"] == "wrong-after-warm-up" {
            json!({ "slow_factor": 2, "for_ms": 5 })
        } else {
            json!({})
        },
    }] });
    home.family("bad", &bad, DECLARED);
    home.suite("[64, 1024]", "baseline = \"sham/a\"");
    home
}

/// What is known of the contender even if its runner cannot be asked.
const DECLARED: &str = "[[contender]]\nname = \"x\"\noffers = [\"siphash-2-4:mac\"]\n";

/// Runs a suite with a faulty contender; asserts that it fails alone, and returns its reason.
fn reason_of_the_one_that_fails(fault: &Value, more: &[&str]) -> String {
    let home = home(fault);
    let (status, cells, _) = home.run(more);
    assert_eq!(status, Some(1), "a failed contender must show in the exit status");
    others_are_answered(&cells);
    let mut reasons: Vec<&str> =
        cells.all("bad/x").iter().filter_map(|row| row["reason"].as_str()).collect();
    assert_eq!(cells.all("bad/x").len(), 2, "{:#?}", cells.0);
    for row in cells.all("bad/x") {
        assert_eq!(row["verdict"], "failed", "{row:#}");
        assert!(row["ns_median"].is_null(), "a failed contender has no time: {row:#}");
        assert!(row["ratio"].is_null(), "a failed contender has no ratio: {row:#}");
    }
    assert_eq!(home.count("select count(*) from run where finished is not null"), 1);
    reasons.dedup();
    reasons.join("\n")
}

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
fn an_answer_that_is_wrong_from_some_size_on_is_shown_at_the_smallest() {
    let fault = json!({ "kind": "wrong-above-size", "size": 64 });
    let reason = reason_of_the_one_that_fails(&fault, &[]);
    assert_says(&reason, &["answers wrongly", "65 bytes"]);
}

#[test]
fn an_answer_that_becomes_wrong_once_warm_is_found() {
    // In the timed slices, by their fold.
    let fault = json!({ "kind": "wrong-after-warm-up", "at": "slice" });
    let reason = reason_of_the_one_that_fails(&fault, &[]);
    assert_says(&reason, &["answers wrongly while timed", "fold"]);
    // And where the timed calls do not go, after the rounds.
    let fault = json!({ "kind": "wrong-after-warm-up", "at": "compute" });
    let reason = reason_of_the_one_that_fails(&fault, &[]);
    assert_says(&reason, &["after its rounds: answers wrongly", "expected", "no figure of it"]);
}

#[test]
fn a_wrong_fold_is_found_while_it_is_timed() {
    let reason = reason_of_the_one_that_fails(&json!({ "kind": "wrong-fold" }), &[]);
    assert_says(&reason, &["answers wrongly while timed", "fold"]);
}

#[test]
fn a_contender_that_is_wrong_at_one_timed_size_gets_no_figure_at_any() {
    // In verification it answers correctly at every size, and the slices of 64 bytes are correct.
    let fault = json!({ "kind": "wrong-above-size", "at": "slice", "size": 64 });
    let reason = reason_of_the_one_that_fails(&fault, &[]);
    assert_says(&reason, &["answers wrongly while timed"]);
}

#[test]
fn calls_that_are_timed_and_not_made_are_found() {
    let reason = reason_of_the_one_that_fails(&json!({ "kind": "skips-calls" }), &[]);
    assert_says(&reason, &["answers wrongly while timed"]);
}

#[test]
fn a_false_number_of_calls_is_found() {
    let reason = reason_of_the_one_that_fails(&json!({ "kind": "lies-about-iterations" }), &[]);
    assert_says(&reason, &["timed calls where", "were asked"]);
}

#[test]
fn a_slice_that_takes_no_time_is_found() {
    let reason = reason_of_the_one_that_fails(&json!({ "kind": "takes-no-time" }), &[]);
    assert_says(&reason, &["ns for", "calls, which cannot be true"]);
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

/// The result of a contender next to an honest one, in real time.
fn on_the_real_clock(fault: &str) -> String {
    on_the_real_clock_with(&json!({ "kind": fault }), &json!({}))
}

/// The same for contenders with this warm-up.
fn on_the_real_clock_with(fault: &Value, warm_up: &Value) -> String {
    let home = Home::empty();
    for (name, fault) in [("honest", &Value::Null), ("bad", fault)] {
        let contender = json!({
            "name": "x", "primitives": ["siphash-2-4"], "fixed_ns": 50_000, "per_byte_ns": 0,
            "fault": fault, "warm_up": warm_up,
        });
        let script = json!({ "world": { "real": true }, "contenders": [contender] });
        home.family(name, &script, DECLARED);
    }
    home.suite("[64]", "baseline = \"honest/x\"");
    let (status, cells, _) = home.run(&["--forks", "2", "--budget", "least"]);
    assert_eq!(status, Some(1), "{:#?}", cells.0);
    assert_eq!(cells.verdict("honest/x"), "baseline", "{:#?}", cells.0);
    assert_eq!(cells.verdict("bad/x"), "failed", "{:#?}", cells.0);
    cells.reason("bad/x").to_string()
}

#[test]
#[ignore = "on the real clock, which a busy machine disturbs: make test-all"]
fn a_false_unit_is_found_by_the_tool_s_own_clock() {
    let reason = on_the_real_clock("counts-microseconds");
    assert_says(&reason, &["reports 50.000 ns a call", "is the time in ns"]);
    let reason = on_the_real_clock("counts-ticks");
    assert_says(&reason, &["whose answer came after", "is the time in ns"]);
}

#[test]
#[ignore = "on the real clock, which a busy machine disturbs: make test-all"]
fn calls_outside_the_time_are_found_by_the_tool_s_own_clock() {
    let reason = on_the_real_clock("times-half");
    assert_says(&reason, &["reports 25000.000 ns a call", "are all calls inside it"]);
    let reason = on_the_real_clock("times-most");
    assert_says(&reason, &["reports 47500.000 ns a call", "are all calls inside it"]);
}

/// A program that computes without end, on the processor on which all rounds run.
struct Neighbour(std::process::Child);

impl Neighbour {
    fn start() -> Neighbour {
        let mut shell = std::process::Command::new("sh");
        let mut neighbour = Neighbour(shell.args(["-c", "while :; do :; done"]).spawn().unwrap());
        if let Some(cpu) = cupel_base::machine::measuring_cpu() {
            cupel_base::machine::move_process(neighbour.0.id(), None, cpu);
        }
        assert!(neighbour.0.try_wait().unwrap().is_none(), "it has ended");
        neighbour
    }
}

impl Drop for Neighbour {
    fn drop(&mut self) {
        self.0.kill().and_then(|()| self.0.wait()).expect("it runs until it is killed");
    }
}

/// The wall clock tolerates 3 %, the clock of the thread 1 %.
#[test]
#[ignore = "on the real clock, which a busy machine disturbs: make test-all"]
fn a_small_part_of_the_calls_outside_the_time_is_found_by_the_clock_of_the_thread() {
    for share in [0.9, 0.95, 0.98] {
        let fault = json!({ "kind": "times-most", "share": share });
        let reason = on_the_real_clock_with(&fault, &json!({}));
        assert_says(&reason, &["reports 4", "are all calls inside it"]);
        if share == 0.98 {
            assert_says(&reason, &["reports 49000.000 ns a call", "its thread ran "]);
        }
    }
}

#[test]
#[ignore = "on the real clock, which a busy machine disturbs: make test-all"]
fn later_forks_are_audited_too() {
    let fault = json!({ "kind": "times-most", "share": 0.95, "from_fork": 2 });
    let reason = on_the_real_clock_with(&fault, &json!({}));
    assert_says(&reason, &["reports 47500.000 ns a call", "its thread ran "]);
}

#[test]
#[ignore = "on the real clock, which a busy machine disturbs: make test-all"]
fn beside_a_neighbour_lies_are_found_and_honest_runners_are_not_blamed() {
    let _neighbour = Neighbour::start();
    for share in [0.9, 0.95] {
        // The honest one next to it is the baseline.
        let fault = json!({ "kind": "times-most", "share": share });
        let reason = on_the_real_clock_with(&fault, &json!({}));
        assert_says(&reason, &["reports 4", "are all calls inside it"]);
    }
}

/// Contenders on the real clock whose calls take 6 ms at 64 bytes and 20 ms at 256: an honest one,
/// and one with this fault.
fn of_long_calls(fault: &Value) -> (Option<i32>, Cells, String) {
    let home = Home::empty();
    for (name, fault) in [("honest", &Value::Null), ("bad", fault)] {
        let contender = json!({
            "name": "x", "primitives": ["siphash-2-4"], "fixed_ns": 1_333_333, "per_byte_ns": 72_917,
            "fault": fault,
        });
        let script = json!({ "world": { "real": true }, "contenders": [contender] });
        home.family(name, &script, DECLARED);
    }
    home.suite("[64, 256]", "baseline = \"honest/x\"");
    home.run(&["--forks", "2", "--budget", "least"])
}

#[test]
#[ignore = "on the real clock, which a busy machine disturbs: make test-all"]
fn long_calls_that_are_honest_pass() {
    let (status, cells, said) = of_long_calls(&Value::Null);
    assert_eq!(status, Some(0), "{said} {:#?}", cells.0);
    for row in cells.all("bad/x").into_iter().chain(cells.all("honest/x")) {
        assert!(number(row, "ns_median") > 5e6, "{row:#}");
    }
}

#[test]
#[ignore = "on the real clock, which a busy machine disturbs: make test-all"]
fn a_lie_about_long_calls_is_reported_once_with_its_size() {
    let (status, cells, said) = of_long_calls(&json!({ "kind": "times-half" }));
    assert_eq!(status, Some(1), "{said} {:#?}", cells.0);
    let rows = cells.all("bad/x");
    assert_eq!(rows.len(), 2, "{:#?}", cells.0);
    for row in rows {
        assert_eq!(row["verdict"], "failed", "{row:#}");
        let reason = row["reason"].as_str().unwrap();
        assert_says(reason, &["are all calls inside it"]);
        // The first size is random.
        let seen = ["at 64 B: reports 3000", "at 256 B: reports 1000"];
        assert!(
            seen.iter().any(|at| reason.starts_with(&format!("siphash-2-4 mac {at}"))),
            "{reason}"
        );
    }
    assert_eq!(said.matches("bad/x failed").count(), 1, "{said}");
    assert!(cells.all("honest/x").iter().all(|row| row["verdict"] == "baseline"), "{:#?}", cells.0);
}

#[test]
#[ignore = "on the real clock, which a busy machine disturbs: make test-all"]
fn code_that_is_compiled_at_run_time_is_audited_too() {
    let warm_up = json!({ "slow_factor": 2, "for_ms": 1 });
    let reason = on_the_real_clock_with(&json!({ "kind": "counts-ticks" }), &warm_up);
    assert_says(&reason, &["whose answer came after", "is the time in ns"]);
    let reason = on_the_real_clock_with(&json!({ "kind": "times-half" }), &warm_up);
    assert_says(&reason, &["reports 25000.000 ns a call", "are all calls inside it"]);
}

#[test]
fn an_abort_is_reported_with_its_signal_and_its_request() {
    for stage in ["list", "prepare", "compute", "slice"] {
        let fault = json!({ "kind": "crash", "at": stage });
        let reason = reason_of_the_one_that_fails(&fault, &[]);
        assert_says(&reason, &["its runner ended by signal 6", &format!("during `{stage}`")]);
    }
}

#[test]
fn an_abort_in_the_middle_of_the_rounds_fails_alone() {
    let fault = json!({ "kind": "crash", "at": "slice", "after": 268 });
    let home = home(&fault);
    let (status, cells, _) = home.run(&[]);
    assert_eq!(status, Some(1));
    others_are_answered(&cells);
    let failed: Vec<_> = cells.all("bad/x");
    assert!(failed.iter().all(|row| row["verdict"] == "failed"), "{failed:#?}");
    let crashed = "select count(*) from slice where cell in (select cell from cell_failure)";
    assert!(home.count(crashed) > 0, "it crashed before the rounds: choose another `after`");
}

/// The reason of a contender that gives no answer at this stage, and the patience in s that it was
/// given. On a busy machine an honest answer may take as long, so the test tries again with more
/// patience.
fn reason_of_the_silent(fault: &Value, stage: &str) -> (String, u64) {
    let mut last = Cells(Vec::new());
    for patience in [2, 8, 32, 128] {
        let home = home(fault);
        let (status, cells, _) = home.run(&["--patience", &format!("{patience}s")]);
        let reason = cells.all("bad/x")[0]["reason"].as_str().unwrap_or_default().to_string();
        let mut honest = cells.0.iter().filter(|row| row["contender"] != "bad/x");
        if honest.all(|row| row["verdict"] != "failed") && reason.contains(stage) {
            assert_eq!(status, Some(1), "a failed contender must show in the exit status");
            others_are_answered(&cells);
            for row in cells.all("bad/x") {
                assert_eq!(row["verdict"], "failed", "{row:#}");
                assert!(row["ns_median"].is_null(), "{row:#}");
            }
            return (reason, patience);
        }
        last = cells;
    }
    panic!("with two minutes of patience: {:#?}", last.0);
}

#[test]
fn silence_is_not_waited_for_longer_than_patience() {
    for stage in ["prepare", "compute", "slice"] {
        let fault = json!({ "kind": "hang", "at": stage });
        let (reason, patience) = reason_of_the_silent(&fault, stage);
        assert_says(&reason, &[&format!("gave no answer to `{stage}` within {patience} s")]);
    }
}

#[test]
fn answers_that_come_too_late_are_silence_and_those_in_time_are_not() {
    let slow = |delay| json!({ "kind": "slow-answers", "at": "prepare", "delay_ms": delay });
    let (reason, _) = reason_of_the_silent(&slow(600_000), "prepare");
    assert_says(&reason, &["gave no answer to `prepare`"]);
    let (status, cells, _) = home(&slow(100)).run(&[]);
    assert_eq!(status, Some(0));
    others_are_answered(&cells);
}

#[test]
fn rubbish_is_quoted_without_its_control_characters() {
    let fault = json!({ "kind": "rubbish", "at": "compute" });
    let reason = reason_of_the_one_that_fails(&fault, &[]);
    assert_says(&reason, &["did not answer `compute` with a reply", "not an answer"]);
    assert!(!reason.chars().any(char::is_control), "{reason:?}");
}

#[test]
fn half_an_answer_is_distinguished_from_none() {
    let half = json!({ "kind": "half-line", "at": "slice" });
    let reason = reason_of_the_one_that_fails(&half, &[]);
    assert_says(&reason, &["`slice`", "stat"]);
    let none = json!({ "kind": "early-exit", "at": "slice" });
    let reason = reason_of_the_one_that_fails(&none, &[]);
    assert_says(&reason, &["its runner ended with status 0 during `slice`"]);
}

#[test]
fn a_line_of_a_hundred_megabytes_is_refused() {
    let reason =
        reason_of_the_one_that_fails(&json!({ "kind": "long-line", "at": "compute" }), &[]);
    assert_says(&reason, &["answer `compute`", "long"]);
    assert!(reason.len() < 500, "the line is quoted at length: {} bytes", reason.len());
}

#[test]
fn a_refusal_is_reported_in_the_words_of_the_runner() {
    for stage in ["list", "prepare", "compute", "slice"] {
        let fault = json!({ "kind": "fails", "at": stage });
        assert_says(&reason_of_the_one_that_fails(&fault, &[]), &["the script says so"]);
    }
}

#[test]
fn chatter_on_the_output_is_quoted() {
    let fault = json!({ "kind": "stdout-noise", "at": "prepare" });
    let reason = reason_of_the_one_that_fails(&fault, &[]);
    assert_says(&reason, &["with a reply", "libsham: using the reference implementation"]);
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

/// The first line names the cause, and no command that would not mend it.
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
    let home = home(&json!({ "kind": "crash", "at": "slice", "after": 268 }));
    home.suite("[64, 1024]", "baseline = \"bad/x\"");
    let (status, cells, _) = home.run(&[]);
    assert_eq!(status, Some(1));
    assert!(
        home.count("select count(*) from slice where cell in (select cell from cell_failure)") > 0
    );
    for name in ["sham/a", "sham/b"] {
        for row in cells.all(name) {
            assert_eq!(row["verdict"], "not separated", "{row:#}");
            assert!(row["ratio"].is_null(), "a ratio to what failed: {row:#}");
            assert!(row["ns_median"].is_f64(), "{row:#}");
            assert_eq!(row["forks"], 3, "{row:#}");
        }
    }
    let table = home.cupel(&["show"]).out;
    assert!(table.contains("no verdict"), "{table}");
}

#[test]
fn a_runner_that_is_killed_from_outside_fails_alone() {
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
    assert_eq!(child.wait().unwrap().code(), Some(1));
    let cells = Cells::of(&out);
    others_are_answered(&cells);
    for row in cells.all("bad/x") {
        assert_eq!(row["verdict"], "failed");
        assert_says(row["reason"].as_str().unwrap(), &["ended by signal 9 (killed)"]);
    }
}

/// The processes whose environment has this text.
fn processes_of(text: &str) -> Vec<String> {
    let all = std::fs::read_dir("/proc").expect("/proc").flatten().map(|entry| entry.path());
    let of = |path: &std::path::PathBuf| {
        let environment = std::fs::read(path.join("environ")).unwrap_or_default();
        String::from_utf8_lossy(&environment).contains(text)
    };
    let named = all.filter(of).map(|path| std::fs::read(path.join("cmdline")).unwrap_or_default());
    named.map(|name| String::from_utf8_lossy(&name).replace('\0', " ")).collect()
}

/// They hold the runner's output, and one of them has left its process group.
#[test]
fn what_a_runner_has_started_ends_with_it_however_it_ends() {
    let quits = json!({ "kind": "early-exit", "at": "slice", "after": 3 });
    for fault in [Value::Null, quits] {
        let home = home(&fault);
        let path = home.path("contenders/bad.toml");
        let text = std::fs::read_to_string(&path).unwrap();
        let more = "sleep 86400 & setsid sh -c 'sleep 86400; :' & exec ";
        std::fs::write(&path, text.replace("exec ", more)).unwrap();
        let said = home.cupel(&["run", "q", "--quiet"]);
        assert_eq!(said.status, Some(i32::from(!fault.is_null())), "{fault}: {}", said.err);
        let left = processes_of(home.store().to_str().unwrap());
        assert_eq!(left, [""; 0], "{fault}");
    }
}

#[test]
fn a_process_from_which_nothing_is_hidden_is_not_measured_under_a_false_name() {
    let home = home(&json!({ "kind": "slow-answers", "delay_ms": 0 }));
    let script = json!({ "contenders": [{ "name": "own", "primitives": ["siphash-2-4"] }] });
    let own = "\n[[contender]]\nname = \"own\"\nlibrary = \"x\"\noffers = [\"siphash-2-4:mac\"]\n";
    // What the tool sets for a path with `hides`. The loader only warns of such an object.
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
