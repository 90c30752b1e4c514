//! `cupel ask --history`: the release that made an implementation slower is found, and equal
//! releases have no step.

use crate::support::Home;
use serde_json::{Value, json};

/// A home with releases of contenders, each with its time in ns.
fn home(releases: &[(&str, f64)]) -> Home {
    let home = Home::empty();
    let primitives = json!(["siphash-2-4"]);
    let scripted = releases.iter().map(|(name, ns)| {
        json!({
            "name": name, "primitives": primitives, "fixed_ns": ns, "per_byte_ns": 0,
            "fork_sd": 0.003,
        })
    });
    let script =
        json!({ "world": { "noise_sd": 0.02 }, "contenders": scripted.collect::<Vec<_>>() });
    let declared = releases.iter().map(|(name, _)| {
        format!("\n[[contender]]\nname = \"{name}\"\noffers = [\"siphash-2-4:mac\"]\n")
    });
    home.family("sham", &script, &declared.collect::<String>());
    home
}

const ASKED: [&str; 9] =
    ["ask", "siphash-2-4", "64", "--budget", "2s", "--forks", "24", "--history", "one"];

/// The exit status, and of each release its change.
fn history(home: &Home, seed: u64) -> (Option<i32>, Vec<Value>, String) {
    let seed = seed.to_string();
    let said = home.cupel(&[&ASKED[..], &["--seed", &seed, "--format", "json"]].concat());
    let document: Value = serde_json::from_str(&said.out).unwrap_or(Value::Null);
    let releases = document["history"][0]["releases"].as_array().cloned().unwrap_or_default();
    (said.status, releases, said.err)
}

fn runs() -> u64 {
    if std::env::var_os("CUPEL_EVIDENCE").is_some() { 20 } else { 2 }
}

#[test]
fn a_step_between_two_of_several_releases_is_found_and_no_other() {
    // Not in the order of their versions, and 1.10 comes after 1.9.
    let home = home(&[
        ("one@1.10", 1050.0),
        ("one@1.2", 1000.0),
        ("one@1.9", 1050.0),
        ("one@1.1", 1000.0),
        ("other@1.1", 500.0),
    ]);
    for seed in 0..runs() {
        let (status, releases, err) = history(&home, seed);
        assert_eq!(status, Some(1), "{err}");
        let names: Vec<&str> = releases.iter().filter_map(|one| one["release"].as_str()).collect();
        assert_eq!(names, ["1.1", "1.2", "1.9", "1.10"]);
        assert_eq!(releases[2]["change"], "slower", "{releases:#?}");
        let step = &releases[2]["to_release_before"];
        assert!((step["ratio"].as_f64().unwrap() / 1.05 - 1.0).abs() < 0.01, "{step}");
        assert_eq!(releases[0]["change"], Value::Null);
        for other in [1, 3] {
            let change = releases[other]["change"].as_str().unwrap();
            assert!(["same", "open"].contains(&change), "{releases:#?}");
        }
    }
    let said = home.cupel(&[&ASKED[..], &["--seed", "1"]].concat());
    let first = said.out.lines().next().unwrap();
    assert!(
        first.starts_with("64 B: 1.9 takes 5.") || first.starts_with("64 B: 1.9 takes 4."),
        "{first}"
    );
    assert!(first.contains(" % more time than 1.2 ["), "{first}");
    // A line for each release, and none that is folded.
    let line = said.out.lines().find(|line| line.trim_start().starts_with("1.9 "));
    assert!(line.is_some_and(|line| line.contains(" slower ")), "{}", said.out);
    // The run has no other answer: no one asks which release is the fastest.
    assert!(!said.out.contains("is the fastest"), "{}", said.out);
}

#[test]
fn equal_releases_have_no_step() {
    let names = ["one@1", "one@2", "one@3", "one@4", "one@5", "one@6"];
    let home = home(&names.map(|name| (name, 1000.0)));
    for seed in 0..runs() {
        let (status, releases, err) = history(&home, seed);
        assert!(matches!(status, Some(0 | 2)), "{status:?} {err}");
        let changes = releases[1..].iter().map(|one| one["change"].as_str().unwrap_or_default());
        assert!(changes.clone().all(|change| ["same", "open"].contains(&change)), "{releases:#?}");
        assert_eq!(changes.count(), 5);
    }
}

/// Others have built it, so a difference may be one of their flags.
#[test]
fn the_system_s_library_is_in_no_step() {
    let home = home(&[("openssl", 1500.0), ("openssl@1", 1000.0), ("openssl@2", 1000.0)]);
    let words = ["ask", "siphash-2-4", "64", "--budget", "2s", "--history", "openssl"];
    let said = home.cupel(&[&words[..], &["--format", "json"]].concat());
    assert!(matches!(said.status, Some(0 | 2)), "{}", said.err);
    let document: Value = serde_json::from_str(&said.out).unwrap();
    let usual = &document["history"][0]["releases"][2];
    assert_eq!((&usual["contender"], &usual["change"]), (&json!("sham/openssl"), &Value::Null));
    assert!(usual["to_oldest"]["ratio"].as_f64().unwrap() > 1.4, "{usual}");
}

#[test]
fn what_has_no_two_releases_is_refused_with_the_remedy() {
    let home = home(&[("one@1", 1000.0), ("two", 1000.0), ("two-way", 1000.0), ("openssl@1", 1.0)]);
    let said = |words: &[&str]| {
        let said = home.cupel(&[&["ask", "siphash-2-4", "64"], words].concat());
        assert_eq!(said.status, Some(3), "{}", said.out);
        said.err
    };
    let one = said(&["--history", "one"]);
    assert!(
        one.contains("a history needs two releases, and only sham/one@1 is installed"),
        "{one}"
    );
    let openssl = said(&["--history", "openssl"]);
    assert!(openssl.contains("; cupel install openssl 1.1.1w"), "{openssl}");
    let none = said(&["--history", "two"]);
    assert!(none.contains("no release of sham/two that offers mac of siphash-2-4"), "{none}");
    let wrong = said(&["--history", "opnessl"]);
    assert!(wrong.contains("did you mean openssl"), "{wrong}");
    let many = said(&["--history", "one", "two"]);
    assert!(many.contains("two is one word too many"), "{many}");
}
