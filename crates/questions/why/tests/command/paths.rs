//! `cupel ask --paths`: a default that misses its fast code is found, and equal paths give no
//! finding.

use crate::audit::audit_of;
use crate::support::{Home, value_of};
use serde_json::{Value, json};

/// A default that takes `default_ns` by the code `slow`, and its own path that takes 1000 ns by
/// the code `code`.
fn home(default_ns: u32, code: &str) -> Home {
    home_with(default_ns, code, "")
}

/// A home with further keys for the path.
fn home_with(default_ns: u32, code: &str, keys: &str) -> Home {
    let primitives = json!(["siphash-2-4"]);
    let home = Home::empty();
    let script = json!({ "world": { "noise_sd": 0.02 }, "contenders": [
        { "name": "own", "primitives": primitives, "fixed_ns": default_ns, "per_byte_ns": 0, "fork_sd": 0.005, "code_path": "slow" },
        { "name": "own-fast", "primitives": primitives, "fixed_ns": 1000, "per_byte_ns": 0, "fork_sd": 0.005, "code_path": code },
        { "name": "alone", "primitives": primitives, "fixed_ns": 1000, "per_byte_ns": 0 },
    ]});
    let declared = |name: &str, more: &str| {
        format!(
            "\n[[contender]]\nname = \"{name}\"\n{more}library = \"sham\"\nlicence = \"MIT\"\n\
             summary = \"a sham\"\noffers = [\"siphash-2-4:mac\"]\n"
        )
    };
    let declared = declared("own", "")
        + &declared("own-fast", &format!("forced_path_of = \"own\"\n{keys}"))
        + &declared("alone", "");
    home.family("sham", &script, &declared);
    home
}

fn paths(home: &Home, seed: u64) -> (Option<i32>, Value, String) {
    let seed = seed.to_string();
    let said = home.cupel(&[
        "ask",
        "--paths",
        "siphash-2-4",
        "64",
        "--budget",
        "2s",
        "--forks",
        "11",
        "--seed",
        &seed,
        "--format",
        "json",
    ]);
    let document = serde_json::from_str(&said.out).unwrap_or(Value::Null);
    if document != Value::Null {
        assert_eq!(audit_of(home, std::slice::from_ref(&document)).out, "", "{document:#}");
    }
    (said.status, document, said.err)
}

/// How many runs are tried out: 20 in `make evidence`.
fn runs() -> u64 {
    if std::env::var_os("CUPEL_EVIDENCE").is_some() { 20 } else { 2 }
}

#[test]
fn a_default_that_misses_its_fast_code_is_found() {
    let home = home(1300, "fast");
    for seed in 0..runs() {
        let (status, document, err) = paths(&home, seed);
        assert_eq!(status, Some(1), "{err}");
        let found = &document["paths"][0];
        assert_eq!((&found["default"], &found["finding"]), (&json!("sham/own"), &json!(true)));
        assert_eq!(
            (&found["code_path"], &found["forced_code_path"]),
            (&json!("slow"), &json!("fast"))
        );
        let ratio = found["sizes"][0]["ratio"].as_f64().unwrap();
        assert!((ratio / 1.3 - 1.0).abs() < 0.02, "{found:#}");
    }
    let said = home.cupel(&[
        "ask",
        "--paths",
        "siphash-2-4",
        "64",
        "--budget",
        "2s",
        "--forks",
        "11",
        "--seed",
        "1",
    ]);
    let first = said.out.lines().next().unwrap();
    assert!(
        first.starts_with("sham/own misses its fast code: sham/own-fast is faster, 1."),
        "{first}"
    );
    assert!(said.out.contains("sham/own and sham/own-fast: slow against fast"), "{}", said.out);
    assert!(said.out.contains("64 B: slower, 1."), "{}", said.out);
    assert!(said.out.contains("times the forced path's time"), "{}", said.out);
    // The run has no other answer: no one asks which of the paths is the fastest.
    assert!(
        said.out.contains("\nquestion: Does each") && !said.out.contains("is the fastest"),
        "{}",
        said.out
    );
}

#[test]
fn the_auditor_finds_a_path_that_is_not_missed() {
    let home = home(1300, "fast");
    let (_, truth, _) = paths(&home, 1);
    for (place, to, says) in [
        ("/paths/0/sizes/0/ratio", json!(2.0), "paths: sham/own takes 2 times as long"),
        ("/paths/0/sizes/0/default_is_not_slower", json!("held"), "sham/own is not slower"),
        ("/paths/0/same_code_path", json!(true), "sham/own misses sham/own-fast"),
        ("/paths/0/forced", json!("sham/alone"), "no fork of both"),
    ] {
        let mut changed = truth.clone();
        *changed.pointer_mut(place).expect(place) = to;
        let said = audit_of(&home, &[changed]);
        assert!(said.out.contains(says), "{place}: {}{}", said.out, said.err);
    }
}

#[test]
fn paths_that_are_equally_fast_give_no_finding() {
    let home = home(1000, "fast");
    for seed in 0..runs() {
        let (status, document, err) = paths(&home, seed);
        assert!(matches!(status, Some(0 | 2)), "{status:?} {err}");
        assert_eq!(document["paths"][0]["finding"], json!(false), "{document:#}");
    }
}

/// One report for both may be coarse, such as the name of the library: they are not called the
/// same, and a default that is slower is not a finding.
#[test]
fn one_report_for_both_is_no_finding_and_not_the_same_code() {
    let home = home(1300, "slow");
    let (status, document, err) = paths(&home, 1);
    assert_eq!(status, Some(2), "{err}");
    let one = &document["paths"][0];
    assert_eq!((&one["finding"], value_of(one, "same_code_path")), (&json!(false), &Value::Null));
    let said =
        home.cupel(&["ask", "--paths", "siphash-2-4", "64", "--budget", "2s", "--forks", "11"]);
    let first = said.out.lines().next().unwrap();
    assert!(
        first.starts_with("sham/own: slower than a forced path, but it is not known"),
        "{first}"
    );
}

/// A default that is not slower misses nothing, whichever code ran.
#[test]
fn a_faster_default_needs_no_proof() {
    let home = home(800, "unknown: the library does not report it");
    let (status, document, err) = paths(&home, 1);
    assert_eq!(status, Some(0), "{err}");
    assert!(value_of(&document["paths"][0], "same_code_path").is_null());
    let said =
        home.cupel(&["ask", "--paths", "siphash-2-4", "64", "--budget", "2s", "--forks", "11"]);
    assert!(said.out.starts_with("no default is slower than one of its forced"), "{}", said.out);
    let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("whichever it was, the default is not slower"), "{}", said.out);
}

#[test]
fn code_that_is_not_reported_decides_nothing() {
    let home = home(1300, "unknown");
    let (status, document, err) = paths(&home, 1);
    assert_eq!(status, Some(2), "{err}");
    assert_eq!(document["paths"][0]["finding"], json!(false));
}

#[test]
fn a_word_means_a_default_a_forced_path_or_a_library() {
    let home = home(1000, "fast");
    for word in ["own", "sham/own", "own-fast", "sham", "sham/*"] {
        let said = home.cupel(&["ask", "--paths", "siphash-2-4", "64", "--dry-run", word]);
        assert_eq!(said.status, Some(0), "{word}: {}", said.err);
        assert!(said.out.contains("sham/own-fast"), "{word}: {}", said.out);
    }
    let family = "runner = \"rust\"\nprefix = \"unbuilt\"\nmanifest = \"none/Cargo.toml\"\n\
                  package = \"none\"\n";
    let one = "[[contender]]\nname = \"x\"\noffers = [\"siphash-2-4:mac\"]\n";
    home.write("contenders/unbuilt.toml", format!("{family}{one}"));
    let said = home.cupel(&["ask", "--paths", "siphash-2-4", "64", "onw"]);
    assert_eq!(said.status, Some(3));
    let words = "no contender or library is called onw; did you mean own?";
    assert!(said.err.contains(words), "{}", said.err);
    assert!(!said.err.contains("building"), "{}", said.err);
}

#[test]
fn what_has_no_forced_path_is_named() {
    let home = home(1000, "fast");
    let said = home.cupel(&["ask", "--paths", "siphash-2-4", "64", "alone"]);
    assert_eq!(said.status, Some(3));
    let words =
        "sham/alone has no forced path for mac of siphash-2-4 here; these have one: sham/own";
    assert!(said.err.contains(words), "{}", said.err);
    let said = home.cupel(&["ask", "--paths", "sha256", "64"]);
    assert_eq!(said.status, Some(3));
    assert!(said.err.contains("no implementation here has a forced path"), "{}", said.err);
}

/// Such a path is the default's own code under another name.
#[test]
fn a_path_that_needs_what_the_cpu_lacks_is_not_measured() {
    let home = home_with(1300, "fast", "needs = [\"no_such_feature\"]\n");
    let said = home.cupel(&["ask", "--paths", "siphash-2-4", "64"]);
    assert_eq!(said.status, Some(3), "{}", said.out);
    let why = "sham/own-fast is not forced here: this CPU has no no_such_feature";
    assert!(said.err.contains(why), "{}", said.err);
    let listed = home.cupel(&["list", "sham/*"]);
    let row = listed.out.lines().find(|line| line.contains("sham/own-fast")).unwrap();
    assert!(row.contains("missing"), "{}", listed.out);
}

/// Whether a library can take a path at all, it says itself: such a path leaves nothing open.
#[test]
fn a_path_that_the_library_refuses_here_is_no_open_question() {
    let home = home(1000, "fast");
    let file = home.path("sham.json");
    let mut script: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    script["contenders"][1]["lacking"] = json!("the CPU lacks AVX-512");
    home.write("sham.json", script.to_string());
    let (status, document, err) = paths(&home, 1);
    assert_eq!(status, Some(0), "{err}");
    assert_eq!(document["paths"], json!([]));
    let absent = json!([{ "forced": "sham/own-fast", "reason": "the CPU lacks AVX-512" }]);
    assert_eq!(document["not_forced"], absent);
    let said =
        home.cupel(&["ask", "--paths", "siphash-2-4", "64", "--budget", "2s", "--forks", "2"]);
    let first = said.out.lines().next().unwrap();
    assert_eq!(first, "nothing was compared: this CPU cannot take any of the forced paths");
}
