//! Two builds of one runner in one run. A slower build is detected, an equal one is not, and a
//! difference that the machine cannot resolve is undecided.

use crate::support::{Home, Said, sham};
use serde_json::{Value, json};

fn contenders(a: f64, b: f64) -> Value {
    let one = |name: &str, factor: f64| {
        json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": 100.0 * factor,
                "per_byte_ns": factor, "fork_sd": 0.002 })
    };
    json!([one("a", a), one("b", b), { "name": "c", "primitives": ["siphash-2-4"] }])
}

/// The factors by which this build's times differ from the other's. The other build has no `c`.
fn home(seed: u64, a: f64, b: f64) -> (Home, String) {
    let home = Home::empty();
    let world = json!({ "noise_sd": 0.01 });
    let script = |contenders| json!({ "seed": seed, "world": world, "contenders": contenders });
    home.family("sham", &script(contenders(a, b)), "");
    let mut other = contenders(1.0, 1.0);
    other.as_array_mut().unwrap().pop();
    home.write("other.json", script(other).to_string());
    home.suite("[64, 1024]", "contenders = \"sham/*\"\nbaseline = \"sham/c\"");
    let program = format!(
        "{} --script {} --clock {}",
        sham().display(),
        home.path("other.json").display(),
        home.path("clock").display()
    );
    (home, program)
}

fn gate(home: &Home, program: &str, more: &[&str]) -> (Said, Value) {
    // Two forks say little about how forks differ; eleven detect a difference of a twentieth.
    let arguments = ["gate", "q", "--against", program, "--format", "json", "--precision", "0%"];
    let arguments = [&arguments[..], &["--forks", "11", "--budget", "1s", "--may-differ"]].concat();
    let said = home.cupel(&[&arguments, more].concat());
    let document = serde_json::from_str(&said.out).unwrap_or(Value::Null);
    (said, document)
}

#[test]
fn identical_builds_raise_no_alarm_and_a_slower_one_does() {
    for seed in 0..2 {
        let (home, program) = home(seed, 1.0, 1.0);
        let (said, document) = gate(&home, &program, &["--margin", "3%"]);
        assert_ne!(document["gate"]["undecided"], Value::Null, "{}", said.err);
        assert_eq!(document["gate"]["refuted"], 0, "seed {seed}: {:#}", document["gate"]);
        assert!(said.status == Some(0) || said.status == Some(2), "{:?}", said.status);
        let (home, program) = self::home(seed, 1.0, 1.05);
        let (said, document) = gate(&home, &program, &[]);
        assert_eq!(said.status, Some(1), "seed {seed}: {:#}", document["gate"]);
        let claims = document["gate"]["claims"].as_array().unwrap();
        assert_eq!(claims.len(), 2, "{claims:#?}");
        for claim in claims {
            let slower = claim["a"] == "sham/b";
            assert_eq!(claim["verdict"] == "refuted", slower, "seed {seed}: {claim:#}");
            assert_eq!(claim["b"], format!("{}@against", claim["a"].as_str().unwrap()));
        }
    }
}

#[test]
fn both_builds_are_verified_and_run_in_the_same_rounds() {
    let (home, program) = home(1, 1.0, 1.0);
    let (_, document) = gate(&home, &program, &["--margin", "10%"]);
    let names: std::collections::BTreeSet<&str> = document["cells"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["contender"].as_str().unwrap())
        .collect();
    let expected = ["sham/a", "sham/a@against", "sham/b", "sham/b@against"];
    assert_eq!(names.into_iter().collect::<Vec<_>>(), expected, "only what has two builds");
    for row in document["cells"].as_array().unwrap() {
        assert_eq!(row["baseline"], "sham/a@against");
    }
    let together =
        "select count(*) from (select round from slice group by round having count(*) = 5)";
    let rounds = home.count("select count(*) from round where comparison < 2");
    assert!(rounds > 20 && home.count(together) == rounds, "{rounds} rounds");
    // A wrong build is reported as failed, not as slow.
    let script = std::fs::read_to_string(home.path("sham.json")).unwrap();
    let mut script: Value = serde_json::from_str(&script).unwrap();
    script["contenders"][1]["fault"] = json!({ "kind": "wrong-output" });
    home.write("sham.json", script.to_string());
    let (said, document) = gate(&home, &program, &["--margin", "10%"]);
    assert_eq!(said.status, Some(1), "{}", said.err);
    assert_eq!(document["gate"]["refuted"], 0, "{:#}", document["gate"]);
}

#[test]
fn the_gate_is_shown_with_the_run_in_every_form() {
    let (home, program) = home(1, 1.0, 1.2);
    for format in ["table", "markdown", "csv"] {
        let said =
            home.cupel(&["gate", "q", "--against", &program, "--format", format, "--may-differ"]);
        assert_eq!(said.status, Some(1), "{}", said.err);
        let all = format!("{}{}", said.out, said.err);
        assert!(all.contains("sham/b is not slower than sham/b@against by more"), "{all}");
        assert!(all.contains("1 refuted"), "{all}");
    }
    // The stored run says the same, as a claim of the suite.
    let path = home.path("suites/q.toml");
    let text = std::fs::read_to_string(&path).unwrap()
        + "\n[[claim]]\nsource = \"us\"\nquote = \"no slower\"\n\
           says = \"sham/b is not slower than sham/b@against\"\n";
    std::fs::write(&path, text).unwrap();
    let said = home.cupel(&["check", "q"]);
    assert_eq!(said.status, Some(1), "{} {}", said.out, said.err);
}

/// Two builds, of which the other has `sham/gone` as well.
fn home_without_gone() -> (Home, String) {
    let (home, program) = home(1, 1.0, 1.0);
    let text = std::fs::read_to_string(home.path("other.json")).unwrap();
    let mut script: Value = serde_json::from_str(&text).unwrap();
    let gone = json!({ "name": "gone", "primitives": ["siphash-2-4"] });
    script["contenders"].as_array_mut().unwrap().push(gone);
    home.write("other.json", script.to_string());
    (home, program)
}

#[test]
fn what_only_the_other_build_has_is_named_and_not_claimed_about() {
    let (home, program) = home_without_gone();
    let (said, document) = gate(&home, &program, &["--margin", "20%"]);
    let words = said.err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("only one build has sham/gone, sham/c: nothing"), "{words}");
    assert_eq!(document["gate"]["claims"].as_array().unwrap().len(), 2);
    assert_eq!(said.status, Some(0), "{:#}", document["gate"]);
}

#[test]
fn a_contender_of_one_build_only_leaves_the_gate_open() {
    let (home, program) = home_without_gone();
    let words = ["gate", "q", "--against", &program, "--margin", "20%", "--forks", "11"];
    let said = home.cupel(&[&words[..], &["--budget", "1s"]].concat());
    assert_eq!(said.status, Some(2), "{}{}", said.out, said.err);
    let shown = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "4 claims: 2 held, 0 refuted, 2 undecided",
        "undecided: sham/gone is not slower than sham/gone@against",
        "only the other build has it",
        "undecided: sham/c is not slower than sham/c@against",
        "only this build has it, not the other one: --may-differ says",
    ] {
        assert!(shown.contains(words), "no \"{words}\" in {shown}");
    }
}

#[test]
fn a_workload_that_one_build_offers_is_refused_or_named() {
    let (home, program) = home(1, 1.0, 1.0);
    let (own, other) = (home.path("sham.json"), home.path("other.json"));
    let [less, plain] = [&own, &other].map(|path| std::fs::read_to_string(path).unwrap());
    let of = |text: &str| {
        let mut script: Value = serde_json::from_str(text).unwrap();
        script["contenders"][1]["primitives"] = json!(["siphash-2-4", "sha256"]);
        script.to_string()
    };
    let second = "contenders = \"sham/*\"\n[[workload]]\nprimitive = \"sha256\"\nsizes = [64]\n\
                  contenders = \"sham/*\"";
    home.suite("[64, 1024]", second);
    for (own_text, other_text) in [(of(&less), plain.clone()), (less.clone(), of(&plain))] {
        std::fs::write(&own, own_text).unwrap();
        std::fs::write(&other, other_text).unwrap();
        let said = home.cupel(&["gate", "q", "--against", &program]);
        assert_eq!(said.status, Some(3), "{}{}", said.out, said.err);
        let words = "error: only one build offers digest of sha256 by sham/b\n  help: --may-differ";
        assert!(said.err.contains(words), "{}", said.err);
        let (said, document) = gate(&home, &program, &["--margin", "20%"]);
        assert_eq!(said.status, Some(0), "{} {:#}", said.err, document["gate"]);
        let words = "only one build offers digest of sha256 by sham/b: nothing is claimed";
        assert!(said.err.contains(words), "{}", said.err);
        assert_eq!(document["gate"]["claims"].as_array().unwrap().len(), 2);
    }
}

#[test]
fn a_program_that_is_not_another_build_is_refused_before_anything_runs() {
    let (home, program) = home(1, 1.0, 1.0);
    let refused = |home: &Home, program: &str, words: &[&str]| {
        let (said, _) = gate(home, program, &[]);
        assert_eq!(said.status, Some(3), "{}", said.err);
        for word in words {
            assert!(said.err.contains(word), "no \"{word}\" in {}", said.err);
        }
        assert_eq!(home.count("select count(*) from run"), 0);
    };
    for program in ["/no/such/program", "sham=/no/such/program", "/no/such/program --of it"] {
        refused(&home, program, &["--against ", "there is no file /no/such/program"]);
    }
    let other = json!({ "contenders": [{ "name": "z", "primitives": ["siphash-2-4"] }] });
    home.write("z.json", other.to_string());
    refused(&home, &program.replace("other.json", "z.json"), &["has z", "no contender here"]);
    let script = std::fs::read_to_string(home.path("sham.json")).unwrap();
    home.family("second", &serde_json::from_str(&script).unwrap(), "");
    refused(&home, &program, &["another build of second or of sham", "--against second="]);
    let (said, document) = gate(&home, &format!("sham={program}"), &["--margin", "20%"]);
    assert_eq!(said.status, Some(0), "{} {:#}", said.err, document["gate"]);
}

#[test]
fn a_resumed_gate_has_the_margin_that_it_was_begun_with() {
    let (home, program) = home(0, 1.0, 1.05);
    let (said, document) = gate(&home, &program, &["--margin", "20%"]);
    assert_eq!(said.status, Some(0), "{:#}", document["gate"]);
    let resume = |more: &[&str]| {
        home.database().execute("update run set finished = null", []).unwrap();
        let said = home.cupel(&[&["run", "q", "--resume", "--format", "json"], more].concat());
        let document: Value = serde_json::from_str(&said.out).unwrap_or(Value::Null);
        (said, document["gate"].clone())
    };
    let (said, gate) = resume(&[]);
    assert_eq!(said.status, Some(0), "{} {gate:#}", said.err);
    assert_eq!(gate["claims"][0]["margin"], 0.2);
    // The margin cannot be chosen once the times are known.
    let (said, _) = resume(&["--margin", "3%"]);
    assert_eq!(said.status, Some(3), "{}", said.out);
    assert!(said.err.contains("--margin"), "{}", said.err);
}

/// The other build of a forced path would run without its forcing, and be compared with it.
#[test]
fn a_gate_compares_defaults_and_a_forced_path_only_if_it_is_named() {
    let (home, program) = home(1, 1.0, 1.0);
    let text = std::fs::read_to_string(home.path("contenders/sham.toml")).unwrap();
    let own = "\n[[contender]]\nname = \"a\"\nlibrary = \"sham\"\noffers = [\"siphash-2-4:mac\"]\n";
    let forced = own.replace(
        "name = \"a\"",
        "name = \"a-forced\"\nforced_path_of = \"a\"\nhosted_as = \"a\"\nenvironment = { CAP = \"0\" }",
    );
    home.write("contenders/sham.toml", text + own + &forced);
    let names = |home: &Home| -> Vec<String> {
        let said = home.cupel(&["gate", "q", "--against", &program, "--dry-run", "--may-differ"]);
        assert_eq!(said.status, Some(0), "{}", said.err);
        let words = said.out.split(|c: char| c.is_whitespace() || c == ',');
        let mut names: Vec<String> = words
            .filter(|word| word.starts_with("sham/") && *word != "sham/empty")
            .map(ToString::to_string)
            .collect();
        names.sort();
        names.dedup();
        names
    };
    let usual = ["sham/a", "sham/a@against", "sham/b", "sham/b@against"];
    assert_eq!(names(&home), usual);

    home.suite("[64]", "contenders = [\"sham/a-forced\"]");
    assert_eq!(names(&home), ["sham/a-forced", "sham/a-forced@against"]);
    let (said, _) = gate(&home, &program, &["--margin", "20%"]);
    assert!(said.status.is_some_and(|status| status < 3), "{}", said.err);
    let words = r#"["env","CAP=0""#;
    let forced = home.count(&format!(
        "select (length(plan) - length(replace(plan, '{words}', ''))) / length('{words}') from run"
    ));
    assert_eq!(forced, 2, "both builds have the variable");
}
