//! Claims are decided from the store according to the scripted truth, and every mistake in one is
//! shown with its line.

use crate::support::{Home, Said};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Marks in each bad suite the line that the message must name.
const HERE: &str = "# here";

/// At 1024 B: `base` 1124 ns, `half` 562 ns, `even` as `base`, `slow` 1.5 times `base`. At 16 B
/// `half` takes 1.5 times as long as `base`, so that the two cross between the sizes.
fn home_in(world: Value) -> Home {
    let home = Home::empty();
    let contender = |name: &str, fixed: f64, byte: f64| json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": fixed, "per_byte_ns": byte });
    let contenders = json!([
        contender("base", 100.0, 1.0),
        contender("half", 168.0, 0.384_765_625),
        contender("even", 100.0, 1.0),
        contender("slow", 150.0, 1.5),
        { "name": "wrong", "primitives": ["siphash-2-4"], "fixed_ns": 1, "fault": { "kind": "wrong-fold" } },
        { "name": "gone", "primitives": ["siphash-2-4"], "missing": "libgone is not installed" },
    ]);
    home.family("sham", &json!({ "seed": 5, "world": world, "contenders": contenders }), "");
    home
}

fn home() -> Home {
    home_in(json!({ "noise_sd": 0.003 }))
}

/// A suite with these claims; each has further lines.
fn suite(home: &Home, claims: &[(&str, &str)]) {
    let mut text = "question = \"?\"\nforks = 11\nbudget = \"1s\"\n\n[[workload]]\n\
                    primitive = \"siphash-2-4\"\nsizes = [16, 1024]\nbaseline = \"sham/base\"\n"
        .to_string();
    for (says, more) in claims {
        text += &format!(
            "\n[[claim]]\nsource = \"a document, line 1\"\nquote = \"said so\"\n\
             says = \"{says}\"\n{more}\n"
        );
    }
    home.write("suites/q.toml", text);
}

fn measured(home: &Home) {
    let said = home.cupel(&["run", "q", "--precision", "0%"]);
    assert!(said.status == Some(0) || said.status == Some(1), "{}", said.err);
}

fn decided(home: &Home, more: &[&str]) -> (Option<i32>, Vec<Value>) {
    let said = home.cupel(&[&["check", "q", "--format", "json"], more].concat());
    let document: Value = serde_json::from_str(&said.out).unwrap_or_else(|e| {
        panic!("no JSON ({e}): {} {}", said.out, said.err);
    });
    (said.status, document["claims"].as_array().expect("claims").clone())
}

fn document(home: &Home, words: &[&str]) -> Value {
    let said = home.cupel(words);
    serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("no JSON ({e}): {}", said.err))
}

fn verdicts(claims: &[Value]) -> Vec<&str> {
    claims.iter().map(|c| c["verdict"].as_str().unwrap()).collect()
}

#[test]
fn true_claims_are_held_and_the_exit_status_says_so() {
    let home = home();
    suite(
        &home,
        &[
            ("sham/half is faster than sham/base", "sizes = [1024]"),
            ("sham/half is 2x as fast as sham/base within 5%", "sizes = [1024]"),
            ("sham/half takes 1.5x as long as sham/base", "sizes = [16]"),
            // Neither is the baseline: the true factor is 3.
            ("sham/half is 3.0x as fast as sham/slow within 5%", "sizes = [1024]"),
            ("sham/even equals sham/base within 3%", ""),
            ("sham/even is not slower than sham/base", ""),
            ("sham/slow takes 1.5x as long as sham/even", "sizes = [\"0 .. 1 KiB\"]"),
        ],
    );
    measured(&home);
    let (status, claims) = decided(&home, &[]);
    assert_eq!(verdicts(&claims), ["held"; 7], "{claims:#?}");
    assert_eq!(status, Some(0));
    assert_eq!(claims[6]["sizes"].as_array().unwrap().len(), 2, "a range is every size in it");
    for (place, truth) in [(1, 2.0), (2, 1.5), (3, 3.0), (6, 1.5)] {
        for point in claims[place]["sizes"].as_array().unwrap() {
            let number = |name: &str| point[name].as_f64().expect(name);
            let (low, high) = (number("ratio_low"), number("ratio_high"));
            assert!((low..=high).contains(&truth), "{truth} is not in {low} .. {high}");
            assert!(high / low < 1.1, "an interval that says nothing: {point:#}");
            assert!((low..=high).contains(&number("ratio")));
        }
    }
    assert_eq!(claims[1]["claimed_ratio"], 2.0);
    assert_eq!(claims[1]["source"], "a document, line 1");
    assert_eq!(claims[1]["line"], 16, "where it stands in the suite");
}

#[test]
fn false_claims_are_refuted_each_with_its_own_reason() {
    let home = home();
    suite(
        &home,
        &[
            ("sham/slow is faster than sham/base", "sizes = [1024]"),
            ("sham/half is faster than sham/base", ""), // not at 16
            ("sham/half is 3x as fast as sham/base", "sizes = [1024]"),
            ("sham/half equals sham/base", "sizes = [1024]"),
            ("sham/even is faster than sham/base", ""), // a sure tie
            ("sham/slow is not slower than sham/even by more than 10%", ""),
            ("sham/half is 2x as fast as sham/slow", "sizes = [1024]"),
        ],
    );
    measured(&home);
    let (status, claims) = decided(&home, &[]);
    assert_eq!(verdicts(&claims), ["refuted"; 7], "{claims:#?}");
    assert_eq!(status, Some(1));
    let of = |claim: usize, at: usize, name: &str| claims[claim]["sizes"][at][name].clone();
    assert_eq!((of(1, 0, "verdict"), of(1, 1, "verdict")), (json!("refuted"), json!("held")));
    assert_eq!((of(2, 0, "direction"), of(2, 0, "factor")), (json!("held"), json!("refuted")));
    let shown = home.cupel(&["check", "q"]);
    let words = shown.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("the direction is correct, the factor is not"), "{}", shown.out);
    assert!(shown.out.contains("0 held, 7 refuted, 0 undecided"), "{}", shown.out);
}

/// True claims and false ones, in the relations that name a ratio or a size.
const BOUNDS: [(&str, &str, &str); 16] = [
    ("sham/half is at least 1.8x as fast as sham/base", "sizes = [1024]", "held"),
    ("sham/slow is at least 0.6x as fast as sham/base", "", "held"),
    ("sham/half is at most 2.2x as fast as sham/base", "sizes = [1024]", "held"),
    ("sham/half is at most 2.2x as fast as sham/base", "", "held"),
    ("sham/half is between 1.8x and 2.2x as fast as sham/base", "sizes = [1024]", "held"),
    ("sham/half is about 2x as fast as sham/base within 5%", "sizes = [1024]", "held"),
    ("sham/slow is about 0.667x as fast as sham/base within 5%", "", "held"),
    ("sham/half overtakes sham/base at 1 KiB", "", "held"),
    ("sham/half is at least 2.2x as fast as sham/base", "sizes = [1024]", "refuted"),
    ("sham/half is at least 1.8x as fast as sham/base", "", "refuted"), // not at 16
    ("sham/half is at most 1.8x as fast as sham/base", "sizes = [1024]", "refuted"),
    ("sham/half is between 2.1x and 3x as fast as sham/base", "sizes = [1024]", "refuted"),
    ("sham/half is about 3x as fast as sham/base within 20%", "sizes = [1024]", "refuted"),
    ("sham/slow is about 1.5x as fast as sham/base", "", "refuted"), // the other way round
    ("sham/base overtakes sham/half at 1024", "", "refuted"),
    ("sham/even overtakes sham/base at 1024", "", "refuted"), // never
];

#[test]
fn ratios_and_overtaking_are_decided_by_the_truth() {
    let home = home();
    suite(&home, &BOUNDS.map(|(says, more, _)| (says, more)));
    measured(&home);
    let (status, claims) = decided(&home, &[]);
    assert_eq!(verdicts(&claims), BOUNDS.map(|claim| claim.2), "{claims:#?}");
    assert_eq!(status, Some(1));
    // A figure is in the terms of the claim: times as fast, at every size.
    let at = |claim: usize, place: usize, name: &str| claims[claim]["sizes"][place][name].clone();
    let near = |claim: usize, place: usize, truth: f64| {
        let ratio = at(claim, place, "ratio").as_f64().expect("a ratio");
        assert!((ratio / truth - 1.0).abs() < 0.05, "{ratio} and {truth}: {:#}", claims[claim]);
    };
    [0, 2, 4, 5].iter().for_each(|&claim| near(claim, 0, 2.0));
    near(1, 0, 0.667);
    near(7, 0, 0.666);
    near(7, 1, 2.0);
    assert_eq!((at(7, 0, "is"), at(7, 1, "is")), (json!("slower"), json!("faster")));
    assert_eq!((at(14, 0, "verdict"), at(14, 1, "verdict")), (json!("refuted"), json!("refuted")));
    for claim in &claims {
        assert_eq!(claim["ratio_of"], "speed");
    }
    let numbers = ["claimed_ratio", "claimed_low", "claimed_high", "tolerance", "overtakes_at"];
    let of = |claim: usize| numbers.map(|name| claims[claim][name].clone());
    let null = || Value::Null;
    assert_eq!(of(0), [json!(1.8), json!(1.8), null(), null(), null()]);
    assert_eq!(of(2), [json!(2.2), null(), json!(2.2), null(), null()]);
    assert_eq!(of(4), [null(), json!(1.8), json!(2.2), null(), null()]);
    assert_eq!(of(5), [json!(2.0), null(), null(), json!(0.05), null()]);
    assert_eq!(of(7), [null(), null(), null(), null(), json!(1024)]);
    let shown = home.cupel(&["check", "q"]).out;
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    for sentence in [
        "held sham/half is at least 1.8 times as fast as sham/base",
        "held sham/half is between 1.8 and 2.2 times as fast as sham/base",
        "held sham/slow is about 0.667 times as fast as sham/base within 5 %",
        "held sham/half overtakes sham/base at or below 1 KiB",
        "16 B (slower): held: 0.66",
        "1 KiB (faster): held: ",
        " times as fast [",
    ] {
        assert!(words.contains(sentence), "no {sentence} in {shown}");
    }
    let page = home.cupel(&["check", "q", "--format", "markdown"]).out;
    assert!(page.contains("16 B (slower): 0.66"), "{page}");
    assert!(!page.contains("the direction is correct"), "no claim has a second part: {page}");
}

#[test]
fn a_run_asks_what_overtaking_says_at_each_size_and_nothing_between() {
    let home = home();
    suite(&home, &[("sham/half overtakes sham/base at 1 KiB", "")]);
    let text = std::fs::read_to_string(home.path("suites/q.toml")).unwrap();
    home.write("suites/q.toml", text.replace("[16, 1024]", "[16, 512, 1024, 4096]"));
    measured(&home);
    let plan: String =
        home.database().query_row("select plan from run", [], |row| row.get(0)).unwrap();
    let plan: Value = serde_json::from_str(&plan).unwrap();
    let asked: Vec<(u64, String)> = plan["comparisons"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|comparison| comparison["claimed"].is_array())
        .map(|comparison| {
            let relation = &comparison["claimed"][0]["relation"];
            (comparison["workload"]["size"].as_u64().unwrap(), relation.to_string())
        })
        .collect();
    let (slower, faster) = (r#"{"slower":null}"#.to_string(), r#"{"faster":null}"#.to_string());
    assert_eq!(asked, [(16, slower), (1024, faster.clone()), (4096, faster)]);
    let (status, claims) = decided(&home, &[]);
    assert_eq!((status, verdicts(&claims)), (Some(0), vec!["held"]), "{claims:#?}");
    assert_eq!(claims[0]["sizes"].as_array().unwrap().len(), 3);
}

#[test]
fn a_claim_about_several_primitives_is_one_about_each() {
    let home = Home::empty();
    let primitives = ["sha256", "siphash-2-4"];
    let contenders = json!([
        { "name": "a", "primitives": primitives, "fixed_ns": 100 },
        { "name": "b", "primitives": primitives, "fixed_ns": 200 },
    ]);
    home.family(
        "sham",
        &json!({ "seed": 5, "world": { "noise_sd": 0.003 }, "contenders": contenders }),
        "",
    );
    let write = |primitive: &str| {
        let mut text = "question = \"?\"\nforks = 11\nbudget = \"1s\"\n".to_string();
        for primitive in primitives {
            text += &format!("[[workload]]\nprimitive = \"{primitive}\"\nsizes = [16]\n");
        }
        text += "[[claim]]\nsource = \"s\"\nquote = \"q\"\n";
        let says = "says = \"sham/a is faster than sham/b\"";
        home.write("suites/q.toml", text + &format!("{says}\nprimitive = {primitive}\n"));
    };
    write("[\"siphash-2-4\", \"sha256\"]");
    measured(&home);
    let (status, claims) = decided(&home, &[]);
    assert_eq!((status, verdicts(&claims)), (Some(0), vec!["held", "held"]), "{claims:#?}");
    let of = |claim: &Value| (claim["primitive"].clone(), claim["line"].clone());
    assert_eq!(of(&claims[0]), (json!("siphash-2-4"), json!(10)));
    assert_eq!(of(&claims[1]), (json!("sha256"), json!(10)));
    for (primitive, words) in [
        ("[\"siphash-2-4\",\n \"siphash-4-8\"]", "q.toml:15: unknown primitive \"siphash-4-8\""),
        (
            "[\"siphash-2-4\", \"siphash-2-4\"]",
            "q.toml:14: primitive \"siphash-2-4\" is listed twice",
        ),
        ("[]", "q.toml:14: no primitives"),
        ("\"siphash-4-8\"", "q.toml:14: unknown primitive \"siphash-4-8\""),
        (
            "[\"siphash-2-4\", \"sha512\"]",
            "q.toml:10: no [[workload]] of this suite measures sha512 as the claim says",
        ),
    ] {
        write(primitive);
        let said = home.cupel(&["check", "q"]);
        assert_eq!(said.status, Some(3), "{}", said.err);
        assert!(said.err.contains(words), "no {words} in {}", said.err);
    }
}

#[test]
fn what_the_store_does_not_cover_is_undecided_with_the_command_that_measures_it() {
    let home = home();
    let claims = [
        ("sham/half is faster than sham/base", "sizes = [1024]"),
        ("sham/half is faster than sham/base", "sizes = [16]"),
        ("sham/gone is faster than sham/base", "sizes = [1024]"),
        ("sham/wrong is faster than sham/base", "sizes = [1024]"),
    ];
    suite(&home, &claims);
    let (status, none) = decided(&home, &[]);
    assert_eq!(status, Some(2), "an empty store");
    assert_eq!(verdicts(&none), ["undecided"; 4]);
    assert_eq!(none[0]["sizes"][0]["reason"], "no run measures it yet");
    let said = home.cupel(&["run", "q", "--size", "1024", "--precision", "0%"]);
    assert_eq!(said.status, Some(1), "{}", said.err);
    let (status, claims) = decided(&home, &[]);
    assert_eq!(status, Some(2));
    assert_eq!(verdicts(&claims), ["held", "undecided", "undecided", "undecided"]);
    let reason = |place: usize| claims[place]["sizes"][0]["reason"].as_str().unwrap().to_string();
    assert!(reason(2).contains("missing sham/gone: libgone is not installed"), "{}", reason(2));
    assert!(reason(3).contains("failed sham/wrong"), "{}", reason(3));
    let command: Vec<&str> = claims[1]["sizes"][0]["command"]
        .as_array()
        .unwrap()
        .iter()
        .map(|word| word.as_str().unwrap())
        .collect();
    assert_eq!(&command[..3], ["cupel", "run", "q"]);
    // The printed command measures it.
    let said = home.cupel(&[&command[1..], &["--precision", "0%"]].concat());
    assert_eq!(said.status, Some(0), "{}", said.err);
    let (_, claims) = decided(&home, &[]);
    assert_eq!(claims[1]["verdict"], "refuted", "half is slower at 16 bytes");
    let said = home.cupel(&["check", "q"]);
    assert!(said.out.contains("To measure the rest:\n  cupel run q"), "{}", said.out);
}

#[test]
fn in_a_noisy_world_nothing_is_decided_wrongly() {
    let noisy = json!({ "noise_sd": 0.08, "bursts": { "per_s": 2.0, "mean_ms": 60, "factor_low": 1.3,
        "factor_high": 1.9 }, "contamination": 0.05 });
    let home = home_in(noisy);
    let claims = [
        ("sham/even is faster than sham/base", ""),
        ("sham/even is slower than sham/base", ""),
        ("sham/base is not slower than sham/even by more than 1%", ""),
        ("sham/half is faster than sham/base", "sizes = [1024]"),
        ("sham/half is slower than sham/base", "sizes = [16]"),
    ];
    suite(&home, &claims);
    measured(&home);
    let (_, claims) = decided(&home, &[]);
    let verdicts = verdicts(&claims);
    // That one copy is ahead by more than the tie zone may be refuted; it is not so.
    assert!(!verdicts[..2].contains(&"held"), "they tie: {claims:#?}");
    assert_ne!(verdicts[2], "refuted", "they tie: {claims:#?}");
    assert!(!verdicts[3..].contains(&"refuted"), "both are true: {claims:#?}");
}

#[test]
fn the_newest_run_of_this_machine_decides() {
    let home = home();
    suite(&home, &[("sham/half is faster than sham/base", "sizes = [1024]")]);
    measured(&home);
    measured(&home);
    let run = |claims: &[Value]| claims[0]["sizes"][0]["run"].as_i64();
    assert_eq!(run(&decided(&home, &[]).1), Some(2));
    assert_eq!(run(&decided(&home, &["--run", "1"]).1), Some(1));
    // An interrupted run is skipped.
    home.database().execute("update run set finished = null where id = 2", []).unwrap();
    assert_eq!(run(&decided(&home, &[]).1), Some(1));
    // Another machine's run does not decide for this one, unless it is named.
    home.database().execute("update run set fingerprint = 'another'", []).unwrap();
    let (status, claims) = decided(&home, &[]);
    assert_eq!((status, run(&claims)), (Some(2), None));
    let reason = claims[0]["sizes"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("another machine"), "{reason}");
    assert_eq!(run(&decided(&home, &["--run", "1"]).1), Some(1));
    assert_eq!(home.cupel(&["check", "q", "--run", "9"]).status, Some(3));
}

#[test]
fn more_claims_make_wider_intervals_and_the_same_pair_counts_once() {
    let home = home();
    let one = ("sham/half is faster than sham/base", "sizes = [1024]");
    let width = |claims: &[(&str, &str)]| {
        suite(&home, claims);
        let said = home.cupel(&["check", "q", "--format", "json"]);
        let document: Value = serde_json::from_str(&said.out).expect("JSON");
        let point = &document["claims"][0]["sizes"][0];
        let end = |name: &str| point[name].as_f64().unwrap();
        (document["intervals_are_joint"].clone(), end("ratio_high") / end("ratio_low"))
    };
    suite(&home, &[one]);
    measured(&home);
    let (alone, narrow) = width(&[one]);
    let turned = ("sham/base is slower than sham/half", "sizes = [1024]");
    let (twice, same) = width(&[one, turned]);
    let more = ("sham/slow is slower than sham/even", "");
    let (three, wider) = width(&[one, turned, more, ("sham/slow is slower than sham/half", "")]);
    assert_eq!((alone, twice, three), (json!(1), json!(1), json!(5)));
    assert_eq!(narrow, same);
    assert!(wider > narrow, "{wider} and {narrow}");
}

fn refused(claim: &str, words: &[&str]) {
    let text = format!(
        "question = \"?\"\n\n[[workload]]\nprimitive = \"siphash-2-4\"\nsizes = [16, 1024]\n\
         contenders = [\"sham/base\", \"sham/half\"]\n\n[[workload]]\nprimitive = \"siphash-2-4\"\n\
         shape = \"latency\"\nsizes = [16]\n\n[[claim]]\n{claim}\n"
    );
    let line = 1 + text.lines().position(|l| l.contains(HERE)).expect("a line with the mistake");
    let home = home();
    home.write("suites/q.toml", &text);
    for verb in ["check", "run"] {
        let said = home.cupel(&[verb, "q"]);
        let place = format!("error: {}:{line}: ", home.path("suites/q.toml").display());
        assert!(said.err.contains(&place), "{verb}: not at line {line}:\n{}\n{text}", said.err);
        for word in words {
            assert!(said.err.contains(word), "{verb}: no \"{word}\" in {}", said.err);
        }
        assert_eq!((said.status, said.out.as_str()), (Some(3), ""), "{}", said.err);
    }
    assert_eq!(home.count("select count(*) from run"), 0);
}

/// The lines of a good claim, with one replaced or added.
fn with(key: &str, line: &str) -> String {
    let mut lines = vec![
        ("source", "source = \"s\""),
        ("quote", "quote = \"q\""),
        ("says", "says = \"sham/half is faster than sham/base\""),
        ("shape", "shape = \"throughput\""),
    ];
    lines.retain(|(k, _)| *k != key);
    lines.push((key, line));
    lines.iter().map(|(_, line)| *line).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_mistake_in_a_claim_is_shown_at_its_line() {
    refused(&with("x", "source_ = \"\" # here"), &["unknown field `source_`", "`source`?"]);
    refused(&with("source", "source = \" \" # here"), &["empty"]);
    for (says, words) in [
        ("sham/half fastre than sham/base", &["is not a claim", "mean faster?"][..]),
        ("sham/half is faster than sham/half", &["with itself"]),
        ("sham/half is faster than sham/*", &["not a pattern"]),
        ("sham/half > sham/bass", &["not among the contenders", "\"sham/base\"?"]),
        ("sham/half > sham/slow", &["not among", "the workload of line 3"]),
        ("sham/half is about 2x as fast as sham/base within 500%", &["up to \"400%\""]),
        (
            "sham/half overtakes sham/base at 16",
            &["workload of line 3", "no size of the claim below 16", "16, 1024", "\"faster than\""],
        ),
        ("sham/half overtakes sham/base at 1025", &["from 1025 bytes on", "16, 1024"]),
    ] {
        refused(&with("says", &format!("says = \"{says}\" # here")), words);
    }
    refused(&with("sizes", "sizes = [64] # here"), &["not measured at \"64\"", "16, 1024"]);
    refused(&with("sizes", "sizes = [\"17..1023\"] # here"), &["not measured at"]);
    refused(&with("sizes", "sizes = [16,\n 16] # here"), &["twice"]);
    refused(&with("sizes", "sizes = [] # here"), &["no sizes"]);
    let overtakes = "says = \"sham/half overtakes sham/base at 64\" # here\nsizes = [1024]";
    refused(&with("says", overtakes), &["no size of the claim below 64 bytes"]);
    refused(&with("primitive", "primitive = \"siphash48\" # here"), &["unknown primitive"]);
    refused(&with("operation", "operation = \"max\" # here"), &["unknown operation"]);
    refused(&with("contract", "contract = { kee = 1 } # here"), &["unknown key `kee`"]);
}

#[test]
fn a_claim_is_about_one_workload_of_its_suite() {
    let claim = with("shape", "").replacen("source", "# here\nsource", 1);
    // The line is the claim's, whose header is one line above.
    let text = |claim: &str| claim.replace("# here\n", "");
    let home = home();
    let suite = format!(
        "question = \"?\"\n[[workload]]\nprimitive = \"siphash-2-4\"\nsizes = [16]\n[[workload]]\n\
         primitive = \"siphash-2-4\"\nshape = \"latency\"\nsizes = [16]\n[[claim]]\n{}\n",
        text(&claim)
    );
    home.write("suites/q.toml", &suite);
    let said = home.cupel(&["check", "q"]);
    assert!(said.err.contains("q.toml:9: which workload"), "{}", said.err);
    assert!(said.err.contains("line 2 or of line 5"), "{}", said.err);
    home.write("suites/q.toml", suite + "primitive = \"sha256\"\n");
    let said = home.cupel(&["check", "q"]);
    assert!(said.err.contains("q.toml:9: no [[workload]] of this suite"), "{}", said.err);
}

#[test]
fn more_forks_are_no_remedy_for_one_that_failed() {
    let home = home();
    suite(&home, &[("sham/wrong is faster than sham/base", "")]);
    let said = home.cupel(&["run", "q", "--forks", "2"]);
    assert!(said.out.starts_with("undecided: sham/wrong is faster than sham/base"), "{}", said.out);
    assert!(!said.out.contains("more evidence:"), "{}", said.out);
}

#[test]
fn a_claim_about_an_unknown_contender_is_refused() {
    let home = home();
    suite(&home, &[("sham/half is faster than sham/bsae", "")]);
    for verb in ["check", "run"] {
        let said: Said = home.cupel(&[verb, "q"]);
        assert_eq!(said.status, Some(3), "{}", said.err);
        assert!(
            said.err.contains("q.toml:10: no contender is called \"sham/bsae\""),
            "{}",
            said.err
        );
        assert!(said.err.contains("did you mean \"sham/base\"?"), "{}", said.err);
    }
}

/// A claim of one line is measured; claims of suites are decided from the store. An option for one
/// of them is refused for the other, and measures nothing.
#[test]
fn what_is_for_the_other_kind_of_claim_is_refused() {
    let home = home();
    suite(&home, &[("sham/half is faster than sham/base", "")]);
    let line = ["check", "half > base", "siphash-2-4", "1024"];
    for (words, why) in [
        (&["check", "--budget", "1s"][..], "--budget measures what a suite claims: name the suite"),
        (&["check", "q", "--run", "1", "--budget", "1s"], "neither --run nor --fleet"),
        (&["check", "--size", "64"], "--size is for a claim of one line"),
        (&["check", "q", "--format", "csv"], "written as table, json or markdown"),
        (&[&line[..], &["--run", "1"]].concat(), "a claim of one line is measured"),
        (&[&line[..], &["--fleet"]].concat(), "a claim of one line is measured"),
    ] {
        let said = home.cupel(words);
        assert_eq!(said.status, Some(3), "{words:?}: {}", said.out);
        assert!(said.err.contains(why), "{words:?}: {}", said.err);
        assert!(!home.store().exists(), "{words:?}");
    }
    let said = home.cupel(&[&line[..], &["--budget", "1s", "--forks", "11"]].concat());
    assert_eq!(said.status, Some(0), "{} {}", said.out, said.err);
}

/// Only the contenders and sizes of claims that nothing decides are measured, and decided claims
/// are not measured again.
#[test]
fn with_a_budget_what_is_undecided_is_measured_and_decided() {
    let home = home();
    suite(
        &home,
        &[
            ("sham/half is faster than sham/base", "sizes = [1024]"),
            ("sham/even equals sham/base within 3%", "sizes = [1024]"),
        ],
    );
    let (status, claims) = decided(&home, &[]);
    assert_eq!((status, verdicts(&claims)), (Some(2), vec!["undecided"; 2]));
    let (status, claims) = decided(&home, &["--budget", "2s"]);
    assert_eq!((status, verdicts(&claims)), (Some(0), vec!["held"; 2]), "{claims:#?}");
    let run = document(&home, &["show", "--format", "json"]);
    let cells: BTreeSet<(&str, u64)> = run["cells"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cell| (cell["contender"].as_str().unwrap(), cell["size"].as_u64().unwrap()))
        .collect();
    let wanted = ["base", "half", "even"].map(|name| format!("sham/{name}"));
    assert_eq!(cells, wanted.iter().map(|name| (&**name, 1024)).collect());
    let runs = || document(&home, &["list", "runs", "--format", "json"]).as_array().unwrap().len();
    assert_eq!(runs(), 1);
    let again = home.cupel(&["check", "q", "--budget", "2s"]);
    assert_eq!((again.status, runs()), (Some(0), 1), "{}", again.err);
    assert!(again.err.contains("q: every claim is decided"), "{}", again.err);
}

#[test]
fn a_command_line_that_is_wrong_is_never_taken_for_undecided() {
    let home = home();
    suite(&home, &[("sham/half is faster than sham/base", "")]);
    assert_eq!(home.cupel(&["check", "q", "--formt", "json"]).status, Some(3));
    assert_eq!(home.cupel(&["check", "nothing"]).status, Some(3));
    suite(&home, &[]);
    let said = home.cupel(&["check", "q"]);
    assert_eq!(said.status, Some(3));
    assert!(said.err.contains("there is no [[claim]]"), "{}", said.err);
    assert_eq!(home.cupel(&["check", "--help"]).status, Some(0));
}

#[test]
fn what_a_claim_quotes_does_not_steer_the_terminal() {
    let home = home();
    suite(&home, &[("sham/half is slower than sham/base", "sizes = [1024]")]);
    measured(&home);
    let path = home.path("suites/q.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let hostile = "\"said \\u001b[2J\\u202e<b>\\nroot\"";
    home.write("suites/q.toml", text.replace("\"said so\"", hostile));
    let said = home.cupel(&["check", "q", "--verbose"]);
    assert_eq!(said.status, Some(1), "{}", said.err);
    assert!(!said.out.contains(['\u{1b}', '\u{202e}']), "{}", said.out);
    assert!(!said.out.lines().any(|line| line.starts_with("root")), "{}", said.out);
    assert!(said.out.lines().all(|line| line.chars().count() <= 80), "{}", said.out);
    let (_, claims) = decided(&home, &[]);
    assert_eq!(claims[0]["quote"], "said \u{1b}[2J\u{202e}<b>\nroot", "JSON keeps it");
}

#[test]
fn many_claims_that_lack_the_same_are_one_line() {
    let home = home();
    let claims = vec![("sham/half is faster than sham/base", "sizes = [1024]"); 5];
    suite(&home, &claims);
    let said = home.cupel(&["check", "q"]);
    assert_eq!(said.status, Some(2), "{}", said.err);
    assert!(said.out.contains("undecided 5 claims: no run measures it yet"), "{}", said.out);
    assert_eq!(said.out.matches("no run measures it yet").count(), 1, "{}", said.out);
    assert_eq!(said.out.matches("cupel run q").count(), 1, "{}", said.out);
    let each = home.cupel(&["--verbose", "check", "q"]).out;
    assert_eq!(each.matches("no run measures it yet").count(), 5, "{each}");
}

#[test]
fn on_the_page_only_a_claim_that_is_not_held_has_its_note() {
    let home = home();
    suite(
        &home,
        &[
            (
                "sham/half is faster than sham/base",
                "sizes = [1024]\nnote = \"a note on what holds\"",
            ),
            (
                "sham/slow is faster than sham/base",
                "sizes = [1024]\nnote = \"of <another> processor\"",
            ),
            (
                "sham/gone is faster than sham/base",
                "sizes = [1024]\nnote = \"a note on what is open\"",
            ),
        ],
    );
    let text = std::fs::read_to_string(home.path("suites/q.toml")).unwrap();
    let more = "\n[[unclaimed]]\nsource = \"a document, line 9\"\nquote = \"it is safe\"\n\
                because = \"no matter of time\"\n";
    home.write("suites/q.toml", text + more);
    measured(&home);
    let said = home.cupel(&["check", "q", "--format", "markdown"]);
    assert_eq!(said.status, Some(1), "{}", said.err);
    let page = said.out;
    for words in [
        "| q | 3 | 1 | 1 | 1 |",
        "- of \\<another\\> processor (a document, line 1)",
        "missing sham/gone: libgone is not installed",
        "\"it is safe\": no matter of time",
        "All claims of the table are about siphash-2-4 mac, throughput.",
        "| a document | what it says |",
        "| line 1 | said so | sham/half is faster than sham/base |",
        "`cupel run --seed 1 q --precision 0%`",
    ] {
        assert!(page.contains(words), "no {words} in\n{page}");
    }
    assert!(!page.contains("a note on"), "{page}");
    let document: Value =
        serde_json::from_str(&home.cupel(&["check", "q", "--format", "json"]).out).unwrap();
    assert_eq!(document["unclaimed"][0]["because"], "no matter of time");
}

#[test]
fn a_contender_on_a_toolchain_that_is_not_here_is_undecided_and_a_misspelt_one_is_refused() {
    let home = home();
    let script =
        json!({ "contenders": [{ "name": "jdk@temurin-25", "primitives": ["siphash-2-4"] }] });
    home.family("jvm", &script, "");
    let with = |name: &str| {
        let text = format!(
            "question = \"?\"\n[[workload]]\nprimitive = \"siphash-2-4\"\nsizes = [16]\n\
             [[claim]]\nsource = \"s\"\nquote = \"q\"\n\
             says = \"jvm/jdk@temurin-25 is faster than jvm/{name}\"\n"
        );
        home.write("suites/q.toml", text);
        home.cupel(&["check", "q"])
    };
    let said = with("jdk@temurin-17");
    assert_eq!(said.status, Some(2), "{}", said.err);
    assert!(said.out.contains("temurin-17 is not installed"), "{}", said.out);
    assert!(said.out.contains("cupel install jdk 17"), "{}", said.out);
    assert_eq!(home.cupel(&["run", "q", "--dry-run"]).status, Some(0), "the rest is measured");
    for wrong in ["jdk@temuirn-17", "jkd@temurin-17"] {
        let said = with(wrong);
        assert_eq!(said.status, Some(3), "{wrong}: {}", said.out);
        assert!(said.err.contains("no contender is called"), "{}", said.err);
    }
    let said = with("jdk@newest");
    assert_eq!(said.status, Some(3), "{}", said.out);
    assert!(said.err.contains("q.toml:8") && said.err.contains("@newest"), "{}", said.err);
}

#[test]
fn the_tie_zone_of_a_claim_is_that_of_its_own_suite() {
    let home = Home::with(json!([
        { "name": "a", "primitives": ["siphash-2-4"], "fixed_ns": 100 },
        { "name": "b", "primitives": ["siphash-2-4"], "fixed_ns": 108 },
    ]));
    let suite = |name: &str, zone: &str| {
        let text = format!(
            "question = \"?\"\nforks = 11\nbudget = \"1s\"\n{zone}\n[[workload]]\nprimitive = \"siphash-2-4\"\n\
             sizes = [0]\nbaseline = \"sham/a\"\n[[claim]]\nsource = \"s\"\nquote = \"q\"\n\
             says = \"sham/a is faster than sham/b\"\n"
        );
        home.write(&format!("suites/{name}.toml"), text);
    };
    suite("strict", "tie-zone = \"20%\"");
    suite("lax", "");
    assert_eq!(home.cupel(&["run", "lax"]).status, Some(0));
    assert_eq!(home.cupel(&["check", "lax"]).status, Some(0), "8 % is ahead");
    assert_eq!(home.cupel(&["check", "strict"]).status, Some(1), "and within 20 %");
}

#[test]
fn only_what_the_claims_compare_is_measured_for_them() {
    let home = home();
    suite(&home, &[("sham/half is faster than sham/slow", "sizes = [1024]")]);
    let said = home.cupel(&["check", "q", "--budget", "2s"]);
    assert_eq!(said.status, Some(0), "{}{}", said.out, said.err);
    let shown = home.cupel(&["show", "--format", "json"]).out;
    let document: Value = serde_json::from_str(&shown).unwrap();
    let cells = document["cells"].as_array().unwrap().iter();
    let names: BTreeSet<&str> = cells.map(|c| c["contender"].as_str().unwrap()).collect();
    // The baseline is measured in any case.
    assert_eq!(names, BTreeSet::from(["sham/base", "sham/half", "sham/slow"]), "{}", said.err);
}

/// Few forks are the reason only where more of them with the same interval would decide.
#[test]
fn few_forks_are_a_reason_only_where_they_decide() {
    let home = Home::empty();
    let contender = |name: &str, fork_sd: f64| json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": 1000.0, "per_byte_ns": 0, "fork_sd": fork_sd });
    let contenders =
        json!([contender("base", 0.0), contender("even", 0.0), contender("wild", 0.2)]);
    let script = json!({ "seed": 5, "world": { "noise_sd": 0.003 }, "contenders": contenders });
    home.family("sham", &script, "");
    suite(
        &home,
        &[
            ("sham/even equals sham/base", "sizes = [16]"),
            ("sham/wild equals sham/base", "sizes = [16]"),
        ],
    );
    let said = home.cupel(&["run", "q", "--precision", "0%", "--forks", "5", "--first-forks", "5"]);
    assert!(said.status == Some(0) || said.status == Some(1), "{}", said.err);
    let shown = home.cupel(&["check", "q"]);
    let lines: Vec<&str> = shown.out.lines().filter(|line| line.contains("16 B:")).collect();
    let [even, wild] = &lines[..] else { panic!("{}", shown.out) };
    let words = shown.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(even.contains("undecided") && wild.contains("undecided"), "{}", shown.out);
    assert_eq!(words.matches("too few forks for differences below 15 %").count(), 1, "{words}");
    let (before, _) = words.split_once("too few forks").unwrap();
    assert!(!before.contains("wild"), "it is said of the copy: {words}");
}

/// The reason that decided is the same in every format, and in a run as in `cupel check`.
#[test]
fn every_format_says_the_reason_that_decided() {
    let home = Home::empty();
    let contender = |name: &str, ns: f64, fork_sd: f64| json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": ns, "per_byte_ns": 0, "fork_sd": fork_sd });
    let contenders = json!([
        contender("base", 1000.0, 0.0),
        contender("even", 1000.0, 0.0),
        contender("wild", 1000.0, 0.2),
        contender("half", 500.0, 0.0),
    ]);
    let script = json!({ "seed": 5, "world": { "noise_sd": 0.003 }, "contenders": contenders });
    home.family("sham", &script, "");
    let measured = |says: &str| {
        suite(&home, &[(says, "sizes = [16]")]);
        let text = std::fs::read_to_string(home.path("suites/q.toml")).unwrap();
        home.write("suites/q.toml", text.replace("forks = 11", "forks = 5\nfirst-forks = 5"));
        let run = home.cupel(&["run", "q", "--precision", "0%"]);
        assert_eq!(run.status, Some(0), "{}", run.err);
        let page = home.path("page.html");
        let shown = home.cupel(&["show", "last", "-o", page.to_str().unwrap()]);
        assert_eq!(shown.status, Some(0), "{}", shown.err);
        let texts = [
            run.out,
            home.cupel(&["check", "q"]).out,
            home.cupel(&["show", "--format", "markdown"]).out,
            home.cupel(&["check", "q", "--format", "markdown"]).out,
            home.cupel(&["check", "q", "--fleet"]).out,
            std::fs::read_to_string(page).unwrap(),
        ];
        let flat = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let (_, claims) = decided(&home, &[]);
        (texts.map(flat), claims[0]["sizes"][0].clone())
    };
    let both_sides = "the interval includes values on both sides of the claim";
    let few = "too few forks for differences below 15 %";
    for (says, verdict, reason, kind) in [
        ("sham/even = sham/base +-5%", "undecided", few, "too-few-forks"),
        ("sham/wild = sham/base +-20%", "undecided", both_sides, "both-sides"),
        ("sham/half 1.7x as fast as sham/base", "held", "within 20 % of 1.7", "interval"),
        ("sham/half ~ 1.7x sham/base", "held", "within 20 % of 1.7", "interval"),
        (
            "sham/half 4x as fast as sham/base",
            "refuted",
            "the direction is correct, the factor is not within 20 % of 4",
            "interval",
        ),
        ("sham/half ~ 4x sham/base", "refuted", "not within 20 % of 4", "interval"),
    ] {
        let (texts, point) = measured(says);
        assert_eq!(point["verdict"], verdict, "{point:#}");
        assert_eq!(point["reason"], reason, "{point:#}");
        assert_eq!(point["reason_kind"], kind, "{point:#}");
        for text in texts {
            assert!(text.contains(reason), "no {reason} in {text}");
            let others = [few, both_sides].into_iter().filter(|other| *other != reason);
            for other in others {
                assert!(!text.contains(other), "{other} in {text}");
            }
        }
    }
}

#[test]
fn what_one_line_asked_is_shown_where_claims_and_runs_are_listed() {
    let home = home();
    let ask = |claim: &str, forks: &str| {
        let line = ["check", claim, "siphash-2-4", "1024", "--seed", "1", "--budget", "1s"];
        home.cupel(&[&line[..], &["--forks", forks]].concat()).status
    };
    assert_eq!(ask("half >= 1.5x base", "11"), Some(0));
    assert_eq!(ask("eve = base +-5%", "3"), Some(2));
    assert_eq!(ask("base >= 3x half", "11"), Some(1));
    // Asked again, with as many forks as decide it.
    assert_eq!(ask("eve = base +-5%", "11"), Some(0));
    let said = home.cupel(&["check"]);
    assert_eq!(said.status, Some(1), "{}", said.err);
    assert!(said.out.starts_with("3 claims: 2 held, 1 refuted, 0 undecided"), "{}", said.out);
    let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for sentence in [
        "held sham/half is at least 1.5 times as fast as sham/base",
        " equals sham/base within 5 %",
        "refuted sham/base is at least 3 times as fast as sham/half",
        "asked in one line are decided each by its own run",
    ] {
        assert!(words.contains(sentence), "no {sentence} in {words}");
    }
    for format in ["json", "markdown"] {
        let said = home.cupel(&["check", "--format", format]);
        assert_eq!(said.status, Some(1), "{}", said.err);
        assert_eq!(said.out.matches(" equals sham/base ").count(), 1, "{}", said.out);
    }
    let list = home.cupel(&["list", "runs"]).out;
    let ends: Vec<&str> = list.lines().filter_map(|line| line.rsplit(": ").next()).collect();
    assert_eq!(ends, ["held", "refuted", "undecided", "held"], "{list}");
    let runs = home.cupel(&["list", "runs", "--format", "json"]).out;
    let runs: Value = serde_json::from_str(&runs).unwrap();
    assert_eq!(runs[1]["verdict"], "refuted", "{runs:#}");
    // A suite's own claims are still those that are named.
    suite(&home, &[("sham/half is faster than sham/base", "sizes = [1024]")]);
    assert!(home.cupel(&["check", "q"]).out.starts_with("1 claim: "));
    let said = home.cupel(&["check", "--run", "1"]);
    assert!(said.out.starts_with("2 claims: 2 held, "), "the run decides both: {}", said.out);
}
