//! For contenders whose true costs are known, the answers are the truth.

use crate::support::{Home, number};
use serde_json::{Value, json};

const SIZES: [u64; 4] = [16, 256, 1024, 4096];

/// Name, fixed cost in ns and cost per byte in ns.
const COSTS: [(&str, f64, f64); 4] =
    [("a", 100.0, 1.0), ("b", 60.0, 1.5), ("c", 130.0, 0.5), ("d", 101.0, 1.0)];

fn true_ns(name: &str, size: u64) -> f64 {
    let (_, fixed, byte) = COSTS.into_iter().find(|(n, ..)| *n == name).expect("a contender");
    fixed + byte * size as f64
}

/// The contenders of [`COSTS`] in this world, measured at [`SIZES`] and compared with `sham/a`.
fn measured(world: &Value, budget: &str) -> (Home, Vec<Value>) {
    let contenders: Vec<Value> = COSTS
        .iter()
        .map(|(name, fixed, byte)| {
            json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": fixed,
                    "per_byte_ns": byte, "fork_sd": 0.001 })
        })
        .collect();
    let home = Home::empty();
    home.family("sham", &json!({ "seed": 5, "world": world, "contenders": contenders }), "");
    home.suite(&format!("{SIZES:?}"), "baseline = \"sham/a\"");
    let (status, cells, _) = home.run(&["--forks", "3", "--budget", budget, "--precision", "0%"]);
    assert_eq!(status, Some(0), "{:#?}", cells.0);
    assert_eq!(cells.0.len(), 16);
    (home, cells.0)
}

fn name(row: &Value) -> &str {
    row["contender"].as_str().unwrap().trim_start_matches("sham/")
}

fn size(row: &Value) -> u64 {
    row["size"].as_u64().unwrap()
}

/// Every interval contains the truth, as in 95 % of all runs; the seeds are fixed.
fn ratios_hold_the_truth(rows: &[Value]) {
    for row in rows.iter().filter(|row| name(row) != "a") {
        let truth = true_ns(name(row), size(row)) / true_ns("a", size(row));
        let (low, high) = (number(row, "ratio_low"), number(row, "ratio_high"));
        assert!((low..=high).contains(&truth), "{truth} is not in {low} .. {high}: {row:#}");
        assert!(high / low < 1.1, "an interval that says nothing: {row:#}");
        let expected = match truth {
            r if r < 0.9 => "faster",
            r if r > 1.1 => "slower",
            r if (r - 1.0).abs() < 0.015 => "not separated",
            _ => continue,
        };
        assert_eq!(row["verdict"], expected, "the true ratio is {truth}: {row:#}");
    }
}

#[test]
fn in_a_quiet_world_times_ratios_and_lines_are_the_true_ones() {
    let (_, rows) = measured(&json!({ "noise_sd": 0.005 }), "2s");
    ratios_hold_the_truth(&rows);
    for row in &rows {
        let (_, fixed, byte) = COSTS.into_iter().find(|(n, ..)| *n == name(row)).unwrap();
        let near = |column: &str, truth: f64, share: f64| {
            let found = number(row, column);
            assert!(
                (found / truth - 1.0).abs() < share,
                "{column} {found}, truly {truth}: {row:#}"
            );
        };
        near("ns_median", true_ns(name(row), size(row)), 0.01);
        near("per_byte_ns", byte, 0.02);
        near("fixed_ns", fixed, 0.05);
        near("first_call_ns", true_ns(name(row), size(row)), 0.3);
        assert_eq!(row["forks"], 3);
        assert_eq!(row["dropped"], 0);
    }
}

#[test]
fn drift_and_a_neighbour_do_not_move_the_ratios() {
    let world = json!({ "noise_sd": 0.005, "drift_per_s": 0.05,
        "swing": { "amplitude": 0.1, "period_s": 0.7 },
        "bursts": { "per_s": 1.0, "mean_ms": 60, "factor_low": 1.3, "factor_high": 1.8 } });
    let (_, rows) = measured(&world, "5s");
    ratios_hold_the_truth(&rows);
}

#[test]
fn disturbed_slices_are_counted_as_dropped_and_move_nothing() {
    let (home, rows) = measured(&json!({ "noise_sd": 0.005, "contamination": 0.05 }), "6s");
    ratios_hold_the_truth(&rows);
    // A ratio loses a round with either of two slices: one in ten. A time loses one in twenty.
    let total = |column: &str| rows.iter().map(|row| number(row, column)).sum::<f64>();
    let share = total("dropped") / (total("rounds") + total("dropped"));
    assert!((0.04..0.16).contains(&share), "{share} of all rounds were dropped");
    for row in &rows {
        let truth = true_ns(name(row), size(row));
        assert!((number(row, "ns_median") / truth - 1.0).abs() < 0.01, "{row:#}");
    }
    let stored = home.count("select count(*) from slice where disturbed is not null");
    let all = home.count("select count(*) from slice");
    assert!((0.02..0.08).contains(&(stored as f64 / all as f64)), "{stored} of {all} disturbed");
    let reason = "select count(*) from slice where disturbed like 'waited % us for a processor'";
    assert_eq!(home.count(reason), stored);
}

#[test]
fn without_rounds_that_count_nothing_is_separated_and_nothing_failed() {
    let home = Home::with(json!([
        { "name": "a", "primitives": ["siphash-2-4"] },
        { "name": "b", "primitives": ["siphash-2-4"], "fixed_ns": 300 },
    ]));
    home.suite("[64]", "baseline = \"sham/a\"");
    assert_eq!(home.cupel(&["run", "q"]).status, Some(0));
    home.change("update slice set disturbed = 'x'");
    let said = home.cupel(&["show"]).out;
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("too few rounds that count, so no verdicts"), "{said}");
    assert!(words.contains("not separated sham/b: too few rounds"), "{said}");
    assert!(!words.contains("failed"), "{said}");
}

#[test]
fn a_contender_that_is_missing_is_not_why_a_busy_machine_gives_no_answer() {
    let home = Home::with(json!([
        { "name": "a", "primitives": ["siphash-2-4"] },
        { "name": "b", "primitives": ["siphash-2-4"], "fixed_ns": 300 },
        { "name": "gone", "primitives": ["siphash-2-4"], "missing": "libgone is not installed" },
    ]));
    home.suite("[64]", "baseline = \"sham/a\"");
    home.run(&[]);
    let document = home.cupel(&["show", "--format", "json"]).out;
    let document: Value = serde_json::from_str(&document).unwrap();
    let mut findings = document["findings"].as_array().unwrap().iter();
    let control = findings.find(|finding| finding["kind"] == "control").expect("a control");
    let baseline = &control["contender"]["cell"];
    home.change(&format!("update slice set disturbed = 'x' where cell = {baseline}"));
    let said = home.cupel(&["show"]).out;
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("64 B: no answer: too few rounds that count "), "{said}");
    assert!(words.contains("missing sham/gone: libgone is not installed"), "{said}");
}

#[test]
fn what_warms_without_end_is_shown_as_warming_and_what_is_steady_as_flat() {
    let home = Home::empty();
    let contenders = json!([
        { "name": "steady", "primitives": ["siphash-2-4"] },
        { "name": "warming", "primitives": ["siphash-2-4"], "drift_per_s": -0.3 },
        { "name": "slowing", "primitives": ["siphash-2-4"], "drift_per_s": 0.4 },
    ]);
    let world = json!({ "noise_sd": 0.003 });
    home.family("sham", &json!({ "seed": 5, "world": world, "contenders": contenders }), "");
    home.suite("[1024]", "baseline = \"sham/steady\"");
    let (status, cells, _) = home.run(&["--budget", "1200ms", "--precision", "0%"]);
    assert_eq!(status, Some(0));
    for (name, class) in
        [("sham/steady", "flat flat"), ("sham/warming", "warming"), ("sham/slowing", "slowing")]
    {
        let steadiness = cells.of_contender(name)["steadiness"].as_str().unwrap();
        assert!(steadiness.contains(class), "{name} is {steadiness}");
    }
    let said = home.cupel(&["show"]).out;
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = words.split_once("not steady while measured: ").expect(&said).1;
    assert!(!told.contains("sham/steady ("), "{told}");
    for name in ["sham/warming (", "sham/slowing ("] {
        assert!(told.contains(name), "{told}");
    }
}

#[test]
fn a_steady_contender_is_not_called_unsteady_because_the_median_one_is() {
    let one = |name: &str, ns: f64, drift: f64| json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": ns, "per_byte_ns": 0, "drift_per_s": drift });
    let home = Home::empty();
    // With the baseline's copy there are five, and the time in the middle is always the unsteady
    // one's.
    let contenders = json!([
        one("a", 1000.0, 0.0),
        one("restless", 1500.0, -0.3),
        one("slow", 3000.0, 0.0),
        one("slower", 5000.0, 0.0)
    ]);
    let world = json!({ "noise_sd": 0.003 });
    home.family("sham", &json!({ "seed": 5, "world": world, "contenders": contenders }), "");
    home.suite("[64]", "baseline = \"sham/a\"");
    let (_, cells, _) = home.run(&["--budget", "1200ms", "--precision", "0%"]);
    for (name, class) in [
        ("sham/a", "flat flat"),
        ("sham/restless", "warming"),
        ("sham/slow", "flat flat"),
        ("sham/slower", "flat flat"),
    ] {
        let steadiness = cells.of_contender(name)["steadiness"].as_str().unwrap();
        assert!(steadiness.contains(class), "{name} is {steadiness}");
    }
}

#[test]
fn a_slow_start_is_over_before_anything_is_compared() {
    let home = Home::empty();
    let contenders = json!([
        { "name": "a", "primitives": ["siphash-2-4"] },
        { "name": "late", "primitives": ["siphash-2-4"], "fixed_ns": 50,
          "warm_up": { "slow_factor": 5, "for_ms": 120 } },
    ]);
    let world = json!({ "noise_sd": 0.003 });
    home.family("sham", &json!({ "seed": 5, "world": world, "contenders": contenders }), "");
    home.suite("[1024]", "baseline = \"sham/a\"");
    let (status, cells, _) = home.run(&["--precision", "0%"]);
    assert_eq!(status, Some(0));
    let row = cells.of_contender("sham/late");
    let truth = (50.0 + 1024.0) / (100.0 + 1024.0);
    let (low, high) = (number(row, "ratio_low"), number(row, "ratio_high"));
    assert!((low..=high).contains(&truth), "{truth} is not in {low} .. {high}");
    let first = number(row, "first_call_ns");
    assert!((3.5..6.5).contains(&(first / 1074.0)), "the first call takes {first} ns: {row:#}");
    let (slices, settled) = (
        home.count("select min(slices) from warm_up where cell = 1"),
        home.count("select min(settled) from warm_up"),
    );
    assert_eq!(settled, 1);
    assert!(slices > 400, "250 ms in slices of 250 us are more than {slices}");
}

#[test]
fn code_that_verification_discarded_is_not_measured() {
    let home = Home::empty();
    // Its compiler discards its code whenever it is asked for something other than the timed calls:
    // more often than there are slices in the few rounds of such a small budget.
    let contenders = json!([
        { "name": "a", "primitives": ["siphash-2-4"] },
        { "name": "undone", "primitives": ["siphash-2-4"], "fixed_ns": 90,
          "warm_up": { "slow_factor": 3, "for_ms": 50, "after_compute_ms": 50 } },
    ]);
    let world = json!({ "noise_sd": 0.003 });
    home.family("sham", &json!({ "seed": 5, "world": world, "contenders": contenders }), "");
    home.suite("[1024]", "baseline = \"sham/a\"");
    let (status, cells, _) = home.run(&["--budget", "100ms"]);
    assert_eq!(status, Some(0));
    let row = cells.of_contender("sham/undone");
    let truth = (90.0 + 1024.0) / (100.0 + 1024.0);
    assert!((number(row, "ratio") / truth - 1.0).abs() < 0.02, "{row:#}");
    assert!(number(row, "rounds") < 70.0, "enough rounds to outlast it: {row:#}");
}

#[test]
fn two_copies_of_one_program_are_not_separated() {
    let home = Home::empty();
    let copy =
        |name: &str| json!({ "name": name, "primitives": ["siphash-2-4"], "fork_sd": 0.004 });
    let copies = ["a", "b", "c", "d"].map(copy);
    let world = json!({ "noise_sd": 0.01, "autocorrelation": 0.3 });
    home.family("sham", &json!({ "seed": 11, "world": world, "contenders": copies }), "");
    home.suite("[64, 1024]", "baseline = \"sham/a\"");
    let (status, cells, _) = home.run(&["--forks", "3"]);
    assert_eq!(status, Some(0));
    for row in cells.0.iter().filter(|row| row["contender"] != "sham/a") {
        assert_eq!(row["verdict"], "not separated", "{row:#}");
    }
    assert!(home.cupel(&["show"]).out.contains("not separated"));
}

/// A contender that sits out early has times of a younger machine than those that stay. They say
/// nothing about its rank.
#[test]
fn on_a_drifting_machine_a_contender_that_sat_out_is_ranked_by_shared_rounds() {
    let one = |name: &str, ns: f64| json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": ns, "per_byte_ns": 0 });
    let home = Home::empty();
    let script = json!({
        "seed": 1,
        "world": { "noise_sd": 0.003, "drift_per_s": 0.4 },
        "contenders": [one("a", 100.0), one("b", 101.0), one("c", 102.0), one("d", 112.0), one("e", 114.0)],
    });
    home.family("sham", &script, "");
    home.suite("[64]", "baseline = \"sham/a\"");
    let (_, cells, _) = home.run(&["--precision", "0.05%", "--budget", "4s"]);
    let said = home.cupel(&["show"]);
    let place = |name: &str| said.out.find(&format!(" {name} ")).expect(name);
    assert!(place("sham/a") < place("sham/d") && place("sham/d") < place("sham/e"), "{}", said.out);
    let fewer = cells.of_contender("sham/e");
    assert!(number(fewer, "rounds") < 0.8 * number(cells.of_contender("sham/b"), "rounds"));
    let ratio = number(fewer, "ratio");
    assert!((ratio / 1.14 - 1.0).abs() < 0.005, "{ratio}");
    let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("fastest") && !words.contains("sham/d 0.1.0 is the fastest"), "{words}");
}

/// A compiler with a plateau that is level for longer than any test of times waits, and that must
/// discard its code in the rounds: only the highest level counts, and the event is reported.
#[test]
fn a_lower_tier_is_never_a_figure() {
    let home = Home::empty();
    let tiers = json!([
        { "slow_factor": 40, "calls": 200, "compile_ms": 1 },
        { "slow_factor": 8, "calls": 5000, "compile_ms": 300 },
    ]);
    let contenders = json!([
        { "name": "a", "primitives": ["siphash-2-4"] },
        { "name": "tiered", "primitives": ["siphash-2-4"], "fixed_ns": 50,
          "jit": { "tiers": tiers, "discard_at_ms": 2500 } },
    ]);
    let world = json!({ "noise_sd": 0.003 });
    home.family("sham", &json!({ "seed": 5, "world": world, "contenders": contenders }), "");
    home.suite("[1024]", "baseline = \"sham/a\"");
    let (status, cells, _) = home.run(&["--budget", "12s", "--precision", "0%"]);
    assert_eq!(status, Some(0));
    let row = cells.of_contender("sham/tiered");
    let truth = (50.0 + 1024.0) / (100.0 + 1024.0);
    let (low, high) = (number(row, "ratio_low"), number(row, "ratio_high"));
    assert!((low..=high).contains(&truth) && high < 1.1 * low, "{truth}: {low} .. {high}");
    assert_eq!((&row["compile_level"], &row["levels"]), (&json!(2), &json!("")), "{row:#}");
    assert!(row["recompiled"].as_u64() > Some(0), "discarded in the rounds: {row:#}");
    let wrong = "select count(*) from slice where disturbed is null
                 and elapsed_ns / iterations > 4 * 1074";
    assert_eq!(home.count(wrong), 0);
    let voided =
        "select count(*) from slice where disturbed = 'before its code was compiled again'";
    assert!(home.count(voided) > 0, "what was measured before counts no more");
    let told = home.cupel(&["show", "--verbose"]).out;
    let words = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("code at level 2 2 2 by fork, steady after"), "{told}");
}

#[test]
fn what_is_faster_than_its_bytes_can_be_read_is_marked() {
    let contender = |name: &str, fixed: f64, byte: f64| json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": fixed, "per_byte_ns": byte });
    let home = Home::with(json!([
        contender("honest", 100.0, 0.2),
        // Its call costs as much as half of the bytes.
        contender("slow", 6000.0, 0.2),
        contender("fast", 30.0, 0.01),
        contender("cached", 300.0, 0.0),
    ]));
    home.suite("[16, 65536]", "baseline = \"sham/honest\"");
    let shown = home.cupel(&["run", "q", "--forks", "11", "--budget", "2s"]).out;
    let marked = |l: &str| l.contains("sham/cached takes 300 ns for 64 KiB, and 300 ns for 16 B");
    assert!(shown.lines().any(marked), "{shown}");
    assert_eq!(shown.matches("no processor reads").count(), 1, "{shown}");
}
