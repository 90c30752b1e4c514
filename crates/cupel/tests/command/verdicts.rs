//! A run's questions are shown first, with their verdicts, wherever the run is shown; and no two
//! comparisons of a run have one label.

use crate::audit::audit_of;
use crate::support::{Home, sham};
use serde_json::{Value, json};

/// `fast` takes half the time of `base`. Calls take microseconds, because the sham and the tool
/// really seal each message of a slice.
fn contenders() -> Value {
    json!([
        { "name": "base", "primitives": ["aes-256-gcm", "sha256"], "fixed_ns": 100_000, "per_byte_ns": 0 },
        { "name": "fast", "primitives": ["aes-256-gcm", "sha256"], "fixed_ns": 50_000, "per_byte_ns": 0 },
    ])
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first words of a run in every form, and its document.
fn shown(home: &Home) -> (Vec<String>, Value) {
    let table = home.cupel(&["show"]).out;
    let markdown = home.cupel(&["show", "--format", "markdown"]).out.replace(['\\', '*', '-'], "");
    let svg = home.cupel(&["show", "--format", "svg"]).out;
    let title = svg.split_once("<title>").unwrap().1.to_string();
    let csv = home.cupel(&["show", "--format", "csv"]).err;
    let document = home.cupel(&["show", "--format", "json"]).out;
    let first = [table, markdown, title, csv].map(|text| one_line(&text)).into();
    (first, serde_json::from_str(&document).unwrap())
}

#[test]
fn a_claim_of_the_command_line_stays_the_answer_of_its_run() {
    let home = Home::with(contenders());
    let asked = ["check", "sham/fast >= 3x sham/base", "sha256", "64", "--seed", "1"];
    let said = home.cupel(&asked);
    assert_eq!(said.status, Some(1), "{}", said.err);
    let claim = "refuted: sham/fast is at least 3 times as fast as sham/base (SHA256, 64 B)";
    assert!(one_line(&said.out).replace("SHA-", "SHA").starts_with(claim), "{}", said.out);
    let (first, document) = shown(&home);
    for text in first {
        let text = text.replace("SHA-", "SHA").replace("&gt;", ">");
        assert!(text.starts_with(claim), "{text}");
        assert!(text.contains("64 B: refuted: 2.00"), "the figure: {text}");
    }
    let rows = home.cupel(&["show", "--format", "csv"]).err;
    let line = rows.lines().next().unwrap_or_default();
    assert!(line.starts_with("refuted: ") && line.contains("64 B: refuted: 2.00"), "{rows}");
    assert_eq!(document["claims"]["refuted"], 1, "{document:#}");
    assert_eq!(document["claims"]["claims"][0]["verdict"], "refuted");
    let table = home.cupel(&["show"]).out;
    assert!(!table.contains("is the fastest"), "that was not asked: {table}");
}

#[test]
fn the_claims_of_a_suite_come_before_its_answers_and_the_refuted_ones_first() {
    let home = Home::with(contenders());
    let claim = |is: &str| {
        format!(
            "[[claim]]\nsource = \"x\"\nquote = \"y\"\nsays = \"sham/fast is {is} than sham/base\"\n"
        )
    };
    let text = format!(
        "question = \"?\"\nforks = 11\nbudget = \"1s\"\n\n[[workload]]\nprimitive = \"sha256\"\n\
         sizes = [64, 1024]\n\n{}\n{}",
        claim("faster"),
        claim("slower")
    );
    home.write("suites/q.toml", text);
    let said = home.cupel(&["run", "q"]);
    assert_eq!(said.status, Some(0), "its figures are measured: {}", said.err);
    let words = one_line(&said.out);
    let (refuted, held) =
        ("refuted: sham/fast is slower than sham/base", "held: sham/fast is faster than sham/base");
    assert!(words.starts_with("2 claims: 1 held, 1 refuted, 0 undecided refuted: "), "{words}");
    let place = |what: &str| words.find(what).unwrap_or_else(|| panic!("no {what}: {words}"));
    assert!(place(refuted) < place(held), "{words}");
    assert!(place(held) < place("sham/fast 0.1.0 is the fastest"), "{words}");
    assert_eq!(said.out, home.cupel(&["show"]).out);
    // A part of the suite has the claims that it can decide.
    let part = home.cupel(&["run", "q", "--size", "64", "--contender", "sham/base"]).out;
    assert!(!part.contains("claim"), "{part}");
}

#[test]
fn a_gate_is_the_headline_of_its_run() {
    let home = Home::empty();
    let script = |contenders: Value| json!({ "seed": 7, "world": {}, "contenders": contenders });
    home.family("sham", &script(contenders()), "");
    let faster =
        json!([{ "name": "fast", "primitives": ["sha256"], "fixed_ns": 25_000, "per_byte_ns": 0 }]);
    home.write("other.json", script(faster).to_string());
    let (other, clock) = (home.path("other.json"), home.path("clock"));
    let program =
        format!("{} --script {} --clock {}", sham().display(), other.display(), clock.display());
    let text = "question = \"?\"\nforks = 11\nbudget = \"1s\"\n\n[[workload]]\n\
                primitive = \"sha256\"\nsizes = [64]\n";
    home.write("suites/q.toml", text);
    let said = home.cupel(&["gate", "q", "--may-differ", "--against", &program]);
    assert_eq!(said.status, Some(1), "{}{}", said.out, said.err);
    let gate = "gate: refuted: sham/fast is not slower than sham/fast@against";
    assert!(one_line(&said.out).starts_with(gate), "{}", said.out);
    let (first, document) = shown(&home);
    for text in first {
        assert!(text.starts_with(gate), "{text}");
    }
    assert_eq!(document["gate"]["refuted"], 1, "{document:#}");
}

/// Two contracts of one suite have two labels, in the plan, in the answers and in advice; and the
/// commands that are printed ask under the same contract.
#[test]
fn comparisons_that_differ_in_contract_only_have_labels_of_their_own() {
    let home = Home::with(contenders());
    let group = |contract: &str| {
        format!(
            "[[workload]]\nprimitive = \"aes-256-gcm\"\noperation = \"seal\"\nsizes = [1200]\n\
             contract = {{ ad = 20, {contract} }}\n\n"
        )
    };
    let groups = [group("inputs = \"cold\""), group("key = \"per-call\"")].concat();
    home.write(
        "suites/q.toml",
        format!("question = \"?\"\nforks = 3\nbudget = \"1s\"\n\n{groups}"),
    );
    let (cold, per_call) = ("key prepared, inputs cold", "key per call, inputs hot");
    let plan = one_line(&home.cupel(&["run", "q", "--dry-run"]).out);
    for words in [cold, per_call] {
        let line = format!("aes-256-gcm seal 1200 B throughput, {words}: sham/base, sham/fast");
        assert!(plan.contains(&line), "{plan}");
    }
    let said = home.cupel(&["run", "q"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let words = one_line(&said.out);
    for contract in [cold, per_call] {
        let line = format!("AES-256-GCM seal, {contract}, 1200 B: sham/fast 0.1.0 is the fastest");
        assert!(words.contains(&line), "{words}");
    }
    let repeat = words.split("repeat one cell: ").nth(1).expect("a command").replace(" \\", "");
    assert!(repeat.contains("--contract ad=20,inputs=cold "), "{repeat}");
    let again: Vec<&str> = repeat.split(' ').skip(1).collect();
    let again = home.cupel(&again);
    assert_eq!(again.status, Some(0), "{repeat}: {}", again.err);
    let words = one_line(&again.out);
    assert!(words.contains("inputs cold"), "{words}");
    assert!(!words.contains("key per call"), "only that one: {words}");

    let advised = one_line(&home.cupel(&["advise", "--have", "sham/base"]).out);
    for contract in ["inputs cold", "key per call"] {
        let found = advised.match_indices("AES-256-GCM seal, ").any(|(at, _)| {
            advised[at..].split(':').next().is_some_and(|label| label.contains(contract))
        });
        assert!(found, "{contract}: {advised}");
    }
}

/// `a` takes as long as `b`, and from fork 7 on three times as long.
#[test]
fn one_that_changed_is_not_said_to_have_two_speeds() {
    let home = Home::empty();
    for (file, ns) in [("script0.json", 100), ("script1.json", 300)] {
        let contenders = json!([
            { "name": "a", "primitives": ["siphash-2-4"], "fixed_ns": ns, "per_byte_ns": 0 },
            { "name": "b", "primitives": ["siphash-2-4"], "fixed_ns": 100, "per_byte_ns": 0 },
        ]);
        let script = json!({ "seed": 7, "world": { "noise_sd": 0.003 }, "contenders": contenders });
        home.write(file, script.to_string());
    }
    let line = format!(
        "V=$((CUPEL_FORK >= 7)); exec {} --script {}$V.json --clock {}",
        sham().display(),
        home.path("script").display(),
        home.path("clock").display()
    );
    let family = "runner = \"program\"\nprefix = \"sham\"\n";
    home.write(
        "contenders/sham.toml",
        format!("{family}command = [\"/bin/sh\", \"-c\", {line:?}]\n"),
    );
    for baseline in ["a", "b"] {
        home.suite("[64]", &format!("baseline = \"sham/{baseline}\""));
        let said = home.cupel(&["run", "q", "--forks", "24", "--first-forks", "24"]);
        let answer = one_line(&said.out);
        assert!(answer.contains(" open: sham/a changed at fork 7: "), "{answer}");
        let document = home.cupel(&["show", "--format", "json"]).out;
        let document: Value = serde_json::from_str(&document).unwrap();
        let because = &document["findings"][0]["because"];
        assert_eq!(because["reason"], "changed", "{because:#}");
        assert_eq!(because["whose"]["name"], "sham/a", "{because:#}");
        assert_eq!(audit_of(&home, &[document]).out, "");
    }
    // Such a run after two of its forks: it can be resumed.
    home.suite("[64]", "baseline = \"sham/b\"");
    home.cupel(&["run", "q", "--forks", "2"]);
    home.change(
        "update run set finished = null, plan = json_replace(plan, '$.options.forks', 24) \
         where id = (select max(id) from run)",
    );
    let shown = one_line(&home.cupel(&["show", "3"]).out);
    assert!(shown.contains(" open: with fewer than 11 forks, "), "{shown}");
    assert!(!shown.contains("to decide it:"), "it is resumed: {shown}");
}

#[test]
fn forks_that_do_not_count_are_no_forks_that_it_left_out() {
    let home = Home::empty();
    let one =
        |name: &str| json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": 100.0 });
    let script = json!({ "seed": 5, "world": { "noise_sd": 0.003 }, "contenders": [one("base"), one("even")] });
    home.family("sham", &script, "");
    home.suite("[64]", "baseline = \"sham/base\"");
    let forks = ["--forks", "24", "--first-forks", "5", "--precision", "0%"];
    let said = home.cupel(&[&["run", "q"][..], &forks].concat());
    assert_eq!(said.status, Some(0), "{}", said.err);
    let plan: String =
        home.database().query_row("select plan from run", [], |row| row.get(0)).unwrap();
    let plan: Value = serde_json::from_str(&plan).unwrap();
    let cells = plan["cells"].as_array().unwrap();
    let even = cells.iter().position(|cell| cell["contender"] == 1).expect("a cell");
    let disturbs = format!(
        "update slice set disturbed = 'other' where cell = {even} and round in (select round.id
         from round join fork on fork.id = round.fork where fork.ordinal >= 8)"
    );
    home.database().execute_batch(&format!("{disturbs}; delete from remembered")).unwrap();
    let shown = home.cupel(&["show"]).out;
    assert!(!shown.contains("with a clear answer after"), "{shown}");
}
