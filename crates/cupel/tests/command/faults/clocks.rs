//! False times are found by the tool's own clocks. These tests read the real clock.

use super::{DECLARED, assert_says};
use crate::support::{Cells, Home, number};
use serde_json::{Value, json};

/// The result of a contender next to an honest one, in real time.
fn on_the_real_clock(fault: &str) -> String {
    on_the_real_clock_with(&json!({ "kind": fault }), &json!({}))
}

/// The result of a contender with this fault next to an honest one, both with this warm-up, in real
/// time.
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
        if let Some(cpu) = cupel_machine::measuring_cpu() {
            cupel_machine::move_process(neighbour.0.id(), None, cpu);
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
