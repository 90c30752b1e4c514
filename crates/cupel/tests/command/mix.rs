//! A mix is measured as its calls come. What is best at each size alone may not be best for them, and
//! what is best for none may be.

use crate::support::Home;
use serde_json::{Value, json};

/// `sham/steady` is behind `sham/sharp` at each size alone, by 20 %; but a call of `sharp` takes 600
/// ns more after one of another size. `sham/short` and `sham/long` are each the fastest at one of the
/// sizes, and `sham/both` at neither.
fn home() -> Home {
    let home = Home::empty();
    let one = |name: &str, primitive: &str, fixed: f64, byte: f64, changed: f64| {
        json!({
            "name": name, "primitives": [primitive],
            "fixed_ns": fixed, "per_byte_ns": byte, "changed_ns": changed,
        })
    };
    let script = json!({ "seed": 5, "world": { "noise_sd": 0.003 }, "contenders": [
        one("sharp", "sha256", 100.0, 1.0, 600.0),
        one("steady", "sha256", 120.0, 1.2, 0.0),
        one("old", "sha256", 200.0, 2.0, 0.0),
        one("short", "siphash-2-4", 50.0, 2.0, 0.0),
        one("both", "siphash-2-4", 150.0, 1.0, 0.0),
        one("long", "siphash-2-4", 900.0, 0.5, 0.0),
        { "name": "plain", "primitives": ["siphash-2-4"], "fixed_ns": 10, "one_length": true },
    ] });
    home.family("sham", &script, "");
    home
}

/// Half of the calls have 64 bytes, the others 1024.
fn mix(home: &Home, primitive: &str, operation: &str, more: &str) -> String {
    let text = format!(
        "format = 1\nprogram = \"app\"\n{more}\n[[calls]]\nprimitive = \"{primitive}\"\n\
         operation = \"{operation}\"\nsizes = [[64, 500], [1024, 500]]\n"
    );
    home.write("app.mix", text);
    home.path("app.mix").to_str().unwrap().to_string()
}

fn advice(home: &Home, mix: &str, more: &[&str]) -> Value {
    let said = home.cupel(&[&["advise", "--mix", mix, "--forks", "5", "--json"], more].concat());
    assert!(matches!(said.status, Some(0..=2)), "{}", said.err);
    serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {}{}", said.out, said.err))
}

#[test]
fn the_best_at_every_size_alone_is_not_the_best_for_the_mix() {
    let home = home();
    home.write(
        "suites/q.toml",
        "question = \"Which is the fastest?\"\n[[workload]]\nprimitive = \"sha256\"\n\
         sizes = [64, 1024]\nbaseline = \"sham/steady\"\n",
    );
    let said = home.cupel(&["run", "q", "--forks", "5", "--precision", "0%"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let said = home.cupel(&["advise", "--json", "--sizes", "64:50%,1024:50%"]);
    let alone: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(alone["advice"][0]["use"], "sham/sharp", "{alone:#}");

    let file = mix(&home, "sha256", "digest", "cpu_seconds = 10.0\ncall_seconds = 2.0");
    let asked = ["--have", "sham/sharp", "--language", "all", "--per-core-hour", "0.04"];
    let mixed = advice(&home, &file, &asked);
    let one = &mixed["advice"][0];
    assert_eq!((&one["use"], &one["calls"]), (&json!("sham/steady"), &json!(1000)), "{mixed:#}");
    // Half of the calls are of another size than the one before.
    let (sharp, steady) = (100.0 + 544.0 + 300.0, 120.0 + 544.0 * 1.2);
    let truth = steady / sharp;
    let of = |value: &Value, name: &str| value[name].as_f64().unwrap();
    // The slices of five forks have a few thousand of the drawn calls: the share that changes its size
    // is a half, give or take 1 %, so `sharp` is known to 6 ns. A sum over the sizes gives 1.2.
    let holds = |low: f64, high: f64, from: f64, to: f64| low <= to && from <= high;
    let (least, most) = (steady / (sharp + 6.0), steady / (sharp - 6.0));
    let (low, high) = (of(one, "ratio_low"), of(one, "ratio_high"));
    assert!(holds(low, high, least, most), "{truth} {mixed:#}");
    assert!((of(one, "ns_per_call_now") / sharp - 1.0).abs() < 0.02, "{mixed:#}");
    // A fifth of the program's time is in these calls, and a year has 8766 hours.
    let saving = &mixed["saving_of_program"];
    let (least, most) = (0.2 * (1.0 - most), 0.2 * (1.0 - least));
    let (low, high) = (of(saving, "low"), of(saving, "high"));
    assert!(holds(low, high, least, most), "{least} to {most} {mixed:#}");
    let money = of(&mixed["money_per_core_year"], "estimate");
    assert!((money / (of(saving, "estimate") * 8766.0 * 0.04) - 1.0).abs() < 1e-9, "{money}");
    // The same mix is not measured twice, and the text says the same in 80 columns.
    let again =
        home.cupel(&["advise", "--mix", &file, "--have", "sham/sharp", "--language", "all"]);
    assert_eq!(again.status, Some(1), "{}", again.err);
    assert!(again.err.contains("has measured this mix"), "{}", again.err);
    assert!(
        again.out.starts_with("app: change its one kind of call, and save 3."),
        "{}",
        again.out
    );
    assert!(
        again.out.contains("SHA-256, a mix of 64 B to 1 KiB: use sham/steady"),
        "{}",
        again.out
    );
    assert!(again.out.lines().all(|line| line.chars().count() <= 80), "{}", again.out);
    // What is used already and suits the mix is kept.
    let kept =
        home.cupel(&["advise", "--mix", &file, "--have", "sham/steady", "--language", "all"]);
    assert_eq!(kept.status, Some(0), "{} {}", kept.out, kept.err);
    assert!(kept.out.starts_with("app: keep what it uses"), "{}", kept.out);
    // Advice without the mix is not about it, and the table names it.
    let without = home.cupel(&["advise", "--primitive", "sha256"]);
    assert!(without.out.contains("SHA-256, 64 B to 1 KiB"), "{}", without.out);
    assert!(without.out.contains("cupel advise --mix FILE"), "{}", without.out);
    let shown = home.cupel(&["show"]);
    assert!(shown.out.contains("SHA-256, a mix of 64 B to 1 KiB"), "{}", shown.out);
}

#[test]
fn the_best_for_the_mix_may_be_the_best_at_none_of_its_sizes() {
    let home = home();
    let file = mix(&home, "siphash-2-4", "mac", "");
    let mixed = advice(&home, &file, &["--have", "sham/short", "--language", "all"]);
    let one = &mixed["advice"][0];
    assert_eq!(one["use"], "sham/both", "{mixed:#}");
    // The mix does not say what share of its time the program spends in the calls.
    assert!(mixed["saving_of_program"].is_null() && mixed["saving_of_calls"]["low"].is_number());
    let why = one["why_not"].as_array().unwrap();
    let plain = why.iter().find(|one| one["contender"] == "sham/plain").expect("a reason");
    assert!(plain["reason"].as_str().unwrap().contains("one length"), "{plain}");
    // Without a word on what is used, there is nothing to save.
    let ranked = advice(&home, &file, &[]);
    assert!(ranked["saving_of_calls"].is_null(), "{ranked:#}");
}

#[test]
fn a_mix_with_a_mistake_is_refused_with_its_line() {
    let home = home();
    let file = mix(&home, "sha256", "digest", "cpu_secs = 1.0");
    let said = home.cupel(&["advise", "--mix", &file]);
    assert_eq!(said.status, Some(3), "{}", said.out);
    assert!(said.err.contains("app.mix:3: unknown field `cpu_secs`"), "{}", said.err);
    let file = mix(&home, "sha256", "digest", "");
    let said = home.cupel(&["advise", "--mix", &file, "--have", "sham/none"]);
    assert_eq!(said.status, Some(3), "{}", said.out);
    assert!(said.err.contains("sham/none"), "{}", said.err);
}
