//! Advice on a fleet weighs what each machine says by the user's calls, and says what a single choice
//! costs. Each machine is its own node whose contenders have the speeds that the test gives them.

use crate::support::{Home, Said, WATCHDOG};
use serde_json::{Value, json};

/// Measures a machine on which `a` takes 100 ns, and `b` and `c` what the test says.
fn machine(home: &Home, node: &str, b: f64, c: f64) {
    let one = |name: &str, fixed: f64| json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": fixed, "per_byte_ns": 0.0 });
    let contenders = [one("a", 100.0), one("b", b), one("c", c)];
    let world = json!({ "noise_sd": 0.003 });
    home.family("sham", &json!({ "seed": 5, "world": world, "contenders": contenders }), "");
    let mut command = assert_cmd::Command::from_std(home.command());
    command.env("CUPEL_NODE", node).timeout(WATCHDOG);
    let said = Said::from(command.args(["run", "q", "--seed", "1"]).output().expect("it starts"));
    assert_eq!(said.status, Some(0), "{}", said.err);
}

fn home() -> Home {
    let home = Home::empty();
    home.write(
        "suites/q.toml",
        "question = \"?\"\nforks = 11\nbudget = \"1s\"\n\n[[workload]]\n\
         primitive = \"siphash-2-4\"\nsizes = [64]\nbaseline = \"sham/a\"\n",
    );
    machine(&home, "n1", 50.0, 70.0);
    machine(&home, "n2", 150.0, 70.0);
    home
}

fn weights(home: &Home, of: &[(&str, f64)]) -> String {
    let kind = |(node, weight): &(&str, f64)| {
        format!("[[machine]]\nnode = \"{node}\"\nweight = {weight:?}\n")
    };
    home.write("weights.toml", of.iter().map(kind).collect::<String>());
    home.path("weights.toml").to_str().unwrap().to_string()
}

fn advice(home: &Home, of: &[(&str, f64)], more: &[&str]) -> (Option<i32>, Value) {
    let file = weights(home, of);
    let said = home.cupel(&[&["advise", "--fleet", &file, "--format", "json"], more].concat());
    let document: Value = serde_json::from_str(&said.out)
        .unwrap_or_else(|e| panic!("no JSON ({e}): {} {}", said.out, said.err));
    let advice = document["advice"].as_array().unwrap();
    assert_eq!(advice.len(), 1, "{document:#}");
    (said.status, advice[0].clone())
}

fn holds(ratio: &Value, truth: f64) -> bool {
    let end = |name: &str| ratio[name].as_f64().unwrap();
    end("high") / end("low") < 1.05 && (end("low")..=end("high")).contains(&truth)
}

#[test]
fn one_choice_for_all_is_the_best_over_the_calls_and_not_on_most_machines() {
    let home = home();
    // Over as many calls on each, b gains nothing; c is the best on one machine only.
    let (status, even) = advice(&home, &[("n1", 1.0), ("n2", 1.0)], &[]);
    assert_eq!((status, &even["use"]), (Some(0), &json!("sham/c")), "{even:#}");
    assert!(holds(&even["ratio"], 0.70), "{even:#}");
    assert!(holds(&even["ratio_each"], 0.60), "{even:#}");
    let machines = even["machines"].as_array().unwrap();
    let used: Vec<&Value> = machines.iter().map(|one| &one["use"]).collect();
    assert_eq!(used, [&json!("sham/b"), &json!("sham/c")], "{even:#}");
    // Nine calls of ten on the first: 9 x 50 + 150 next to 10 x 70.
    let (_, most) = advice(&home, &[("n1", 9.0), ("n2", 1.0)], &["--have", "sham/a"]);
    assert_eq!(most["use"], "sham/b", "{most:#}");
    assert!(holds(&most["ratio"], 0.60) && holds(&most["ratio_each"], 0.52), "{most:#}");
    // It is a loss on the second, and the answer says so.
    let note = most["notes"][0].as_str().unwrap();
    let loss = note.starts_with("sham/b takes 1.5") || note.starts_with("sham/b takes 1.49");
    assert!(loss && note.ends_with("node n2"), "{most:#}");

    let file = weights(&home, &[("n1", 1.0), ("n2", 1.0)]);
    let shown = home.cupel(&["advise", "--fleet", &file, "--have", "sham/a"]);
    assert_eq!(shown.status, Some(1), "a change pays: {}", shown.err);
    let words = shown.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for said in [
        "SipHash-2-4, 64 B: use sham/c on all 2 machines, 1.43x as fast as sham/a over all calls",
        "a choice for each machine is 1.67x as fast: the single one costs 16.",
        "50 % of the calls: sham/b, 2.00x as fast; run 1,",
        "50 % of the calls: sham/c, 1.43x as fast; run 2,",
    ] {
        assert!(words.contains(said), "{said}: {}", shown.out);
    }
    assert!(shown.out.lines().all(|line| line.chars().count() <= 80), "{}", shown.out);
}

#[test]
fn what_no_machine_loses_by_is_kept() {
    let home = home();
    machine(&home, "n3", 300.0, 101.0);
    // On the third, c is not a gain, and b a loss.
    let (status, kept) = advice(&home, &[("n3", 1.0)], &["--have", "sham/a"]);
    assert_eq!((status, &kept["keep"]), (Some(0), &json!(true)), "{kept:#}");
    // For all of them it stays, and yet a change pays on the first.
    let (status, mostly) = advice(&home, &[("n3", 99.0), ("n1", 1.0)], &["--have", "sham/a"]);
    assert_eq!((status, &mostly["keep"]), (Some(1), &json!(true)), "{mostly:#}");
    let machines = mostly["machines"].as_array().unwrap();
    assert_eq!((&machines[0]["use"], &machines[1]["use"]), (&json!("sham/a"), &json!("sham/b")));
}

#[test]
fn a_kind_without_a_machine_and_a_machine_of_two_kinds_are_refused() {
    let home = home();
    let refused = |of: &[(&str, f64)], words: &str| {
        let file = weights(&home, of);
        let said = home.cupel(&["advise", "--fleet", &file]);
        assert_eq!(said.status, Some(3), "{}", said.out);
        assert!(said.err.contains(words), "{words}: {}", said.err);
    };
    refused(
        &[("n1", 1.0), ("n9", 1.0)],
        "line 4: the store has no finished run of a machine \"n9\"",
    );
    refused(&[("n1", 1.0), ("n1", 1.0)], "name each machine once");
    refused(&[("n1", -1.0)], "not above 0");
    // A machine that did not measure the question has no share in its answer.
    home.write(
        "suites/q.toml",
        "question = \"?\"\nforks = 3\nbudget = \"1s\"\n\n[[workload]]\n\
         primitive = \"siphash-2-4\"\nsizes = [64]\nbaseline = \"sham/a\"\nshape = \"latency\"\n",
    );
    machine(&home, "n4", 50.0, 70.0);
    let file = weights(&home, &[("n1", 1.0), ("n4", 1.0)]);
    let said = home.cupel(&["advise", "--fleet", &file]);
    assert_eq!(said.status, Some(2), "{} {}", said.out, said.err);
    assert!(said.out.contains("it was not measured"), "{}", said.out);
}

/// With so few forks, no difference of a tenth is shown: a program may have two speeds.
#[test]
fn few_forks_decide_no_small_difference_on_a_fleet_either() {
    let home = home();
    home.write(
        "suites/q.toml",
        "question = \"?\"\nforks = 3\nbudget = \"1s\"\n\n[[workload]]\n\
         primitive = \"siphash-2-4\"\nsizes = [64]\nbaseline = \"sham/a\"\n",
    );
    for node in ["n5", "n6"] {
        machine(&home, node, 90.0, 120.0);
    }
    let of = [("n5", 1.0), ("n6", 1.0)];
    let (status, open) = advice(&home, &of, &["--have", "sham/a"]);
    assert_eq!((status, &open["keep"]), (Some(2), &json!(true)), "{open:#}");
    assert_eq!(open["open"]["contender"], "sham/b", "{open:#}");
    let shown = home.cupel(&["advise", "--fleet", &weights(&home, &of), "--have", "sham/a"]).out;
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("open: sham/b may be up to 1.1"), "{shown}");
}

#[test]
fn a_node_after_an_update_is_one_machine_and_a_stand_in_is_not_its_processor() {
    let home = home();
    machine(&home, "n1", 60.0, 70.0);
    let was =
        "update run set fingerprint = 'before', started = '2020-01-01T00:00:00Z' where id = 1";
    home.database().execute(was, []).unwrap();
    let (_, one) = advice(&home, &[("n1", 1.0)], &[]);
    let machines = one["machines"].as_array().unwrap();
    assert_eq!(machines.len(), 1, "{one:#}");
    assert_eq!((&machines[0]["run"], &machines[0]["share"]), (&json!(3), &json!(1.0)));

    let masked = "update run set fingerprint = 'masked', machine = json_set(machine,
                  '$.node', 'n9', '$.masked_by', 'CUPEL_CPU=ssse3') where id = 2";
    home.database().execute(masked, []).unwrap();
    let cpu = "update run set machine = json_set(machine, '$.cpu', json('{\"known\":\"Abacus\"}'))";
    home.database().execute(cpu, []).unwrap();
    home.write("cpu.toml", "[[machine]]\ncpu = \"Abacus\"\nweight = 1\n");
    let file = home.path("cpu.toml").to_str().unwrap().to_string();
    let said = home.cupel(&["advise", "--fleet", &file, "--format", "json"]);
    let document: Value = serde_json::from_str(&said.out).unwrap();
    let machines = document["advice"][0]["machines"].as_array().unwrap();
    assert_eq!(machines.len(), 1, "{document:#}");
    assert_eq!(machines[0]["run"], 3, "{document:#}");
    // Without names, no one can say whether two are one; the answer says so.
    let nameless = "update run set machine = json_remove(machine, '$.node') where id != 2";
    home.database().execute(nameless, []).unwrap();
    let said = home.cupel(&["advise", "--fleet", &file]).out;
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("on all 2 machines"), "{said}");
    assert!(words.contains("if they are one machine before and after an update"), "{said}");
}

/// A machine that measured more sizes would answer for calls that the others are not asked about.
#[test]
fn all_machines_answer_for_the_same_sizes() {
    let home = home();
    home.write(
        "suites/q.toml",
        "question = \"?\"\nforks = 11\nbudget = \"1s\"\n\n[[workload]]\n\
         primitive = \"siphash-2-4\"\nsizes = [64, 4096]\nbaseline = \"sham/a\"\n",
    );
    machine(&home, "n7", 50.0, 70.0);
    let file = weights(&home, &[("n7", 1.0), ("n1", 1.0)]);
    let said = home.cupel(&["advise", "--fleet", &file]).out;
    assert!(said.starts_with("SipHash-2-4, 64 B: use sham/b on all 2 machines"), "{said}");
    assert!(said.contains("sizes that only some of the machines measured"), "{said}");
    let file = weights(&home, &[("n7", 1.0)]);
    let said = home.cupel(&["advise", "--fleet", &file]).out;
    assert!(said.starts_with("SipHash-2-4, 64 B to 4 KiB"), "{said}");
    assert!(!said.contains("have no part"), "{said}");
}
