//! `cupel ask --history`: the release that made an implementation slower is found, and equal
//! releases have no step.

use crate::audit::audit_of;
use crate::support::{Home, value_of};
use serde_json::{Value, json};

/// A home with releases of contenders, each with its time in ns.
fn home(releases: &[(&str, f64)]) -> Home {
    home_with(releases, &Value::Null)
}

/// A home in which some releases have the faults of these names.
fn home_with(releases: &[(&str, f64)], faults: &Value) -> Home {
    let home = Home::empty();
    let primitives = json!(["siphash-2-4"]);
    let scripted = releases.iter().map(|(name, ns)| {
        json!({
            "name": name, "primitives": primitives, "fixed_ns": ns, "per_byte_ns": 0,
            "fork_sd": 0.003, "fault": faults[name],
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

/// The slices of a home's runs do not contradict a document.
fn is_true(home: &Home, document: &Value) {
    if *document != Value::Null {
        let said = audit_of(home, std::slice::from_ref(document));
        assert_eq!((said.status, said.out.as_str()), (Some(0), ""), "{} {document:#}", said.err);
    }
}

#[test]
fn the_auditor_finds_a_wrong_step() {
    let home = sixteen(7);
    let (_, truth) = bisected(&home, "one@1..16", 0);
    let releases = releases_of(&truth);
    let step = releases.iter().position(|one| one["change"] == json!("slower")).expect("a step");
    let step = format!("/history/0/releases/{step}");
    for (place, to, says) in [
        (
            format!("{step}/to_release_before/ratio"),
            json!(1.5),
            "takes 1.5 times as long as sham/one@",
        ),
        (format!("{step}/change"), json!("faster"), "is faster; the slices show nothing"),
        (format!("{step}/change"), json!("same"), "is same; the slices show nothing"),
        (format!("{step}/ns_per_call"), json!(99.0), "takes 99 ns at 64 B"),
        (format!("{step}/contender"), json!("sham/one@17"), "no fork of both"),
    ] {
        let mut changed = truth.clone();
        *changed.pointer_mut(&place).expect(&place) = to;
        let said = audit_of(&home, &[changed]);
        assert!(said.out.contains(says), "{place}: {}{}", said.out, said.err);
    }
}

/// The exit status, and of each release its change.
fn history(home: &Home, seed: u64) -> (Option<i32>, Vec<Value>, String) {
    let seed = seed.to_string();
    let said = home.cupel(&[&ASKED[..], &["--seed", &seed, "--format", "json"]].concat());
    let document: Value = serde_json::from_str(&said.out).unwrap_or(Value::Null);
    is_true(home, &document);
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
        assert!(value_of(&releases[0], "change").is_null());
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

/// The words of a question about a range of releases.
fn of_range<'a>(range: &'a str, seed: &'a str) -> Vec<&'a str> {
    let asked = ["ask", "siphash-2-4", "64", "--forks", "24", "--budget", "2s", "--history"];
    [&asked[..], &[range, "--seed", seed]].concat()
}

/// Sixteen releases, of which those from `place` on take 5 % more time; none does from 16 on.
fn sixteen(place: usize) -> Home {
    let names: Vec<String> = (1..=16).map(|number| format!("one@{number}")).collect();
    let ns = |number| if number >= place { 1050.0 } else { 1000.0 };
    let releases: Vec<(&str, f64)> =
        names.iter().enumerate().map(|(number, name)| (name.as_str(), ns(number))).collect();
    home(&releases)
}

/// The document of a bisected history.
fn bisected(home: &Home, range: &str, seed: u64) -> (Option<i32>, Value) {
    let seed = seed.to_string();
    let said = home.cupel(&[&of_range(range, &seed)[..], &["--format", "json"]].concat());
    let document = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{}", said.err));
    is_true(home, &document);
    (said.status, document)
}

fn releases_of(document: &Value) -> &Vec<Value> {
    document["history"][0]["releases"].as_array().unwrap()
}

#[test]
fn a_step_in_a_range_of_sixteen_is_found_by_measuring_few() {
    for seed in 0..runs() {
        // Each place in turn, and in two runs the first and the middle one.
        let place = 1 + (seed as usize * 7) % 15;
        let home = sixteen(place);
        let (status, document) = bisected(&home, "one@1..16", seed);
        assert_eq!(status, Some(1), "{document:#}");
        let measured = releases_of(&document);
        assert!(measured.len() <= 7, "{document:#}");
        let steps: Vec<&Value> =
            measured.iter().filter(|one| one["change"] == json!("slower")).collect();
        let [step] = steps[..] else { panic!("{document:#}") };
        assert_eq!(step["release"], json!((place + 1).to_string()), "{document:#}");
        let before = measured.iter().position(|one| one == step).unwrap() - 1;
        assert_eq!(measured[before]["release"], json!(place.to_string()), "{document:#}");
        assert!(measured.iter().all(|one| one["change"] != json!("faster")), "{document:#}");
        let others = document["not_measured"].as_array().unwrap();
        assert_eq!(measured.len() + others.len(), 16);
    }
}

#[test]
fn a_range_of_equal_releases_has_no_step_and_only_its_ends_are_measured() {
    let home = sixteen(16);
    for seed in 0..runs() {
        let (status, document) = bisected(&home, "one@..", seed);
        assert!(matches!(status, Some(0 | 2)), "{document:#}");
        let changes = releases_of(&document).iter().map(|one| &one["change"]);
        assert!(
            changes.clone().all(|c| *c != json!("slower") && *c != json!("faster")),
            "{document:#}"
        );
        assert_eq!((changes.count(), document["runs"].as_array().unwrap().len()), (2, 1));
    }
    let said = home.cupel(&[&of_range("one@..", "1")[..], &["--format", "markdown"]].concat());
    assert!(said.out.starts_with("- 64 B: 16 is as fast as 1, so no step remains"), "{}", said.out);
    assert!(said.out.contains("| at 64 B | per call | step |"), "{}", said.out);
    assert!(said.out.contains("- 2 of 16 releases were measured, in 1 run: "), "{}", said.out);
    // A run of the history is a run like any other, which decides with all of the error.
    let (_, document) = bisected(&home, "one@..", 1);
    let part = &releases_of(&document)[1]["to_release_before"];
    let shown = home.cupel(&["show", "last", "--format", "json"]);
    let shown: Value = serde_json::from_str(&shown.out).unwrap();
    let all = &shown["claims"]["claims"][0]["sizes"][0];
    assert_eq!(part["ratio"], all["ratio"]);
    let width = |low: &Value, high: &Value| high.as_f64().unwrap() / low.as_f64().unwrap();
    let (part, all) =
        (width(&part["low"], &part["high"]), width(&all["ratio_low"], &all["ratio_high"]));
    assert!(part.ln() > 1.2 * all.ln(), "a fifth of the error: {part} {all}");
}

#[test]
fn a_release_in_the_middle_that_is_wrong_is_replaced_by_the_one_next_to_it() {
    // The second is wrong only while it is timed.
    let in_the_run = json!({ "kind": "wrong-above-size", "at": "slice", "size": 10 });
    for (fault, runs) in [(json!({ "kind": "wrong-output" }), 3), (in_the_run, 4)] {
        let names: Vec<String> = (1..=6).map(|number| format!("one@{number}")).collect();
        let ns = [1000.0, 1000.0, 1200.0, 1200.0, 1200.0, 1200.0];
        let releases: Vec<(&str, f64)> = names.iter().map(String::as_str).zip(ns).collect();
        let home = home_with(&releases, &json!({ "one@4": fault }));
        let (status, document) = bisected(&home, "one@..", 1);
        assert_eq!(status, Some(1), "{document:#}");
        assert_eq!(document["left_out"][0]["contender"], json!("sham/one@4"), "{document:#}");
        let measured = releases_of(&document);
        let step = measured.iter().find(|one| one["change"] == json!("slower")).unwrap();
        assert_eq!(step["release"], json!("3"), "{document:#}");
        assert_eq!(document["runs"].as_array().unwrap().len(), 3, "{document:#}");
        let stored = home.cupel(&["list", "runs"]);
        assert_eq!(stored.out.matches("ask").count(), runs, "{}", stored.out);
    }
}

/// Two steps, each too small to be one: the ends differ, and neither half does.
#[test]
fn a_difference_that_lies_in_no_step_is_bounded() {
    let ns = [1000.0, 1000.0, 1016.0, 1032.0, 1032.0];
    let names: Vec<String> = (1..=5).map(|number| format!("one@{number}")).collect();
    let home = home(&names.iter().map(String::as_str).zip(ns).collect::<Vec<_>>());
    let (status, document) = bisected(&home, "one@..", 1);
    assert_eq!(status, Some(1), "{document:#}");
    let unlocated = &document["history"][0]["unlocated"];
    assert_eq!(unlocated[0]["earlier"], json!("sham/one@1"), "{document:#}");
    assert_eq!(unlocated[0]["later"], json!("sham/one@5"), "{document:#}");
    assert_eq!(releases_of(&document).len(), 3, "neither half is split: {document:#}");
    let said = home.cupel(&of_range("one@..", "1"));
    assert!(said.out.starts_with("64 B: 5 takes 3."), "{}", said.out);
    let first = said.out.split("\n\n").next().unwrap().replace("\n  ", " ");
    assert!(first.contains(", and where between the two is not decided"), "{first}");
    assert!(!first.contains("in all"), "{first}");
}

#[test]
fn a_short_range_is_measured_at_once_and_a_plan_measures_nothing() {
    let home = sixteen(2);
    let (status, document) = bisected(&home, "one@2..4", 1);
    assert_eq!(status, Some(1), "{document:#}");
    let labels: Vec<&Value> = releases_of(&document).iter().map(|one| &one["release"]).collect();
    assert_eq!(labels, ["2", "3", "4"]);
    assert!(document["cells"].is_array(), "it is one run, with its figures: {document:#}");
    let planned = home.cupel(&[&of_range("one@..", "1")[..], &["--dry-run"]].concat());
    assert_eq!(planned.status, Some(0), "{}", planned.err);
    assert!(planned.out.starts_with("16 releases: 1, 2, 3, "), "{}", planned.out);
    assert!(planned.out.contains("in at most 4 more steps"), "{}", planned.out);
    for (range, said) in [
        ("one@1..17", "17 is not a release of sham/one that is installed or can be"),
        ("one@4..2", "2 comes before 4: a range begins with its oldest release"),
        ("two@..", "no contender or library is called two"),
        ("one@4..4", "a history needs two releases, and this range has 1"),
    ] {
        let refused = home.cupel(&of_range(range, "1"));
        assert_eq!(refused.status, Some(3), "{}", refused.out);
        assert!(refused.err.contains(said), "{}", refused.err);
    }
    let rows = home.cupel(&[&of_range("one@..", "1")[..], &["--format", "csv"]].concat());
    assert!(rows.err.contains("is of several runs, which this format cannot hold"), "{}", rows.err);
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
    assert_eq!(
        (&usual["contender"], value_of(usual, "change")),
        (&json!("sham/openssl"), &Value::Null)
    );
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
