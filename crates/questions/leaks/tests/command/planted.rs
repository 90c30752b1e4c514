//! `cupel verify --leaks`: planted leaks are found, each by its kind, and code of the same use that
//! does not leak gives no finding.

use crate::support::{Cells, Home, Said, value_of};
use serde_json::{Value, json};
use std::os::unix::fs::symlink;
use std::path::Path;

/// A home with the planted contenders and this checkout's native runner.
fn home() -> Home {
    home_with(include_str!("../fixtures/leaks/planted.c"))
}

/// A home with contenders of this source.
fn home_with(source: &str) -> Home {
    let home = Home::empty();
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).canonicalize().unwrap();
    for name in ["crates", "kernels", "protocol", "runners", "vectors"] {
        symlink(root.join(name), home.path(name)).unwrap();
    }
    home.write("planted.c", source);
    let family = "runner = \"native\"\nprefix = \"c\"\nsource = \"planted.c\"\n";
    home.write("contenders/planted.toml", family);
    home
}

fn examined(home: &Home, contenders: &[&str]) -> (Said, Vec<Value>) {
    examined_of(home, &[&["hmac-sha256"], contenders].concat())
}

fn examined_of(home: &Home, question: &[&str]) -> (Said, Vec<Value>) {
    // A step takes many times as long on a busy machine.
    let words = ["verify", "--leaks", "64", "--format", "json", "--patience", "20m"];
    let said = home.cupel(&[&words, question].concat());
    let document: Value = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said:?}"));
    let lines = document["leaks"].as_array().unwrap().clone();
    (said, lines)
}

/// The kinds of a contender's leaks, with the secret and the function of each.
fn kinds(line: &Value) -> Vec<[&str; 3]> {
    let text = |leak: &'_ Value, key: &str| leak[key].as_str().unwrap_or_default().to_string();
    let leaks = line["leaks"].as_array().unwrap();
    leaks
        .iter()
        .map(|leak| ["kind", "secret", "function"].map(|key| text(leak, key).leak() as &str))
        .collect()
}

#[track_caller]
fn leaks(home: &Home, contender: &str, expected: &[[&str; 3]]) {
    let (said, lines) = examined(home, &[&format!("c/{contender}")]);
    assert_eq!((said.status, &lines[0]["verdict"]), (Some(1), &json!("leaks")), "{lines:#?}");
    assert_eq!(kinds(&lines[0]), expected, "{lines:#?}");
}

#[track_caller]
fn leaks_nothing(home: &Home, contender: &str) {
    let (said, lines) = examined(home, &[&format!("c/{contender}")]);
    assert_eq!((said.status, &lines[0]["verdict"]), (Some(0), &json!("none seen")), "{lines:#?}");
    assert_eq!(lines[0]["leaks"], json!([]));
    assert!(lines[0]["instructions"].as_u64() > Some(100), "{lines:#?}");
}

#[test]
fn a_look_up_by_a_secret_is_found_and_a_scan_is_clean() {
    let home = home();
    let [key, message] = ["key", "message"].map(|secret| ["address", secret, "looks_up"]);
    leaks(&home, "looks-up", &[key, message]);
    leaks_nothing(&home, "scans");
    let words = ["verify", "--leaks", "64", "--patience", "20m", "hmac-sha256", "looks-up"];
    let said = home.cupel(&words).out.split_whitespace().collect::<Vec<_>>().join(" ");
    for secret in ["key", "message"] {
        let sentence = format!("looks up tables at addresses that depend on the {secret}: ");
        assert!(said.contains(&sentence), "{said}");
    }
    assert!(said.contains(" (looks_up): "), "the function is named below it: {said}");
}

#[test]
fn a_tag_that_is_compared_up_to_the_first_wrong_byte_is_found() {
    let home = home_with(include_str!("../fixtures/leaks/opens.c"));
    let (said, lines) = examined_of(&home, &["aes-256-gcm", "open", "c/early", "c/whole"]);
    assert_eq!(said.status, Some(1), "{said:?}");
    let [early, whole] = &lines[..] else { panic!("{lines:#?}") };
    assert_eq!(kinds(early), [["branch", "tag", "compares"]], "{early:#}");
    assert_eq!(early["leaks"][0]["apart"], json!(["forged in byte 0", "forged in byte 3"]));
    let tags = json!([0, 3, 8, 10, 12, 15]);
    assert_eq!((&whole["verdict"], &whole["tags"]), (&json!("none seen"), &tags), "{whole:#}");
}

/// A contender of known truth, by its row in the source.
struct Known<'a> {
    name: &'a str,
    /// The required words: the constant of the source.
    says: &'a str,
    is_mac: bool,
}

const KNOWN: &str = include_str!("../fixtures/leaks/known.c");

fn known() -> Vec<Known<'static>> {
    let (_, table) = KNOWN.split_once("static const known all[]").unwrap();
    let rows = table.lines().filter(|line| line.contains('"'));
    let rows = rows.take_while(|line| !line.contains("hmac-sha256"));
    rows.flat_map(|row| {
        let [before, name, after, ..] = row.split('"').collect::<Vec<_>>()[..] else { panic!() };
        let says = after.trim_matches([',', ' ', ')']).split(',').next().unwrap();
        let is_mac = before.contains("BOTH") || after.contains("MAC");
        let of = |name, says| Known { name, says, is_mac };
        if !before.contains("BOTH") {
            return vec![of(name, says)];
        }
        let [leaks, clean] = ["leaks", "clean"].map(|word| format!("{word}-{name}"));
        vec![of(leaks.leak(), says), of(clean.leak(), "NONE")]
    })
    .collect()
}

/// Asks about contenders of known truth, and compares the answers.
#[track_caller]
fn is_known(home: &Home, question: &[&str], all: &[Known<'_>]) {
    let names: Vec<String> = all.iter().map(|one| format!("c/{}", one.name)).collect();
    let names = names.iter().map(String::as_str).collect::<Vec<_>>();
    let (said, lines) = examined_of(home, &[question, &names].concat());
    let mut wrong = Vec::new();
    for one in all {
        let line = lines.iter().find(|line| line["contender"] == format!("c/{}", one.name));
        let line = line.unwrap_or_else(|| panic!("{}: {said:?}", one.name));
        let verdict = line["verdict"].as_str().unwrap();
        let leaks = line["leaks"].as_array().unwrap();
        let is_of = |kind: &str| leaks.iter().any(|leak| leak["kind"] == kind);
        let is_right = match one.says {
            "NONE" => verdict == "none seen",
            "UNDECIDED" => {
                verdict == "cannot be decided here" && value_of(line, "method").is_null()
            }
            "TIMED" => is_true_by_time(one, line),
            "SLOWER" => is_true_by_time(one, line) && !verdict.starts_with("none above"),
            "LEAKS" => verdict == "leaks",
            kind => verdict == "leaks" && is_of(&kind.to_lowercase()),
        };
        if !is_right && verdict != "missing" {
            wrong.push(format!("{} is {}: {line:#}", one.name, one.says));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether a verdict by time is true, however busy the machine is: on a busy one, less is decided.
/// These contenders leak their key.
fn is_true_by_time(one: &Known<'_>, line: &Value) -> bool {
    let verdict = line["verdict"].as_str().unwrap();
    let differences = line["times"]["differences"].as_array();
    let are_compared = differences.is_some_and(|all| !all.is_empty());
    let says_enough = match verdict {
        "leaks" => one.name.starts_with("leaks-") && names_only_the_key(line),
        "undecided" => {
            let why = line["reason"].as_str().unwrap_or_default();
            why.contains("may differ") || why.contains("too few")
        }
        "cannot be decided here" => !value_of(line, "reason").is_null(),
        _ => line["times"]["none_above_share"].as_f64().is_some_and(|share| share < 0.05),
    };
    line["method"] == "time" && are_compared && says_enough
}

/// Whether only other keys have times that certainly differ.
fn names_only_the_key(line: &Value) -> bool {
    let all = line["times"]["differences"].as_array().unwrap();
    let is_certain = |one: &&Value| {
        let [low, high] = [0, 1].map(|end| one["interval"][end].as_f64().unwrap());
        one["repeated"] == true && (low > 0.0 || high < 0.0)
    };
    let mut certain = all.iter().filter(is_certain).peekable();
    certain.peek().is_some() && certain.all(|one| one["secret"] == "key")
}

/// Leaks that a trace of the first calls of one thread does not show; the others are below.
#[test]
fn what_is_out_of_sight_is_seen_or_said_to_be() {
    const SOME: [&str; 13] = [
        "leaks-repeats",
        "leaks-divides-a-mask",
        "leaks-thread-waits",
        "leaks-thread-reads",
        "leaks-child-spins",
        "leaks-clears",
        "leaks-from-900",
        "leaks-writes-addresses",
        "leaks-breaks",
        "leaks-waits-for",
        "leaks-unwatched",
        "clean-wakes",
        "clean-grows",
    ];
    let mut some = known();
    some.retain(|one| SOME.contains(&one.name));
    assert_eq!(some.len(), SOME.len());
    is_known(&home_with(KNOWN), &["hmac-sha256"], &some);
}

#[test]
#[ignore = "times six contenders: make test-all"]
fn what_may_notice_that_it_is_stepped_is_timed() {
    const SOME: [&str; 6] = [
        "leaks-unseen-coarsely",
        "leaks-restarts",
        "leaks-asks-flags",
        "leaks-between-steps",
        "leaks-ignores-steps",
        "leaks-holds-steps-back",
    ];
    let mut some = known();
    some.retain(|one| SOME.contains(&one.name));
    assert_eq!(some.len(), SOME.len());
    is_known(&home_with(KNOWN), &["hmac-sha256"], &some);
}

/// All that are timed are in scripts/evidence/leak_truth.py.
#[test]
#[ignore = "steps ninety contenders: make test-all"]
fn contenders_of_known_truth_are_told_apart() {
    let home = home_with(KNOWN);
    let (mut macs, mut others) = (known(), known());
    let leaks = |one: &&Known| one.name.starts_with("leaks-");
    assert!(macs.iter().filter(leaks).count() >= 40, "{}", macs.iter().filter(leaks).count());
    assert!(macs.len() - macs.iter().filter(leaks).count() >= 40);
    macs.retain(|one| one.is_mac && !["TIMED", "SLOWER"].contains(&one.says));
    is_known(&home, &["hmac-sha256"], &macs);
    others.retain(|one| !one.is_mac);
    let (opens, seals): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|one| one.name.contains("tag"));
    is_known(&home, &["aes-256-gcm", "open"], &opens);
    is_known(&home, &["aes-256-gcm", "seal", "--contract", "ad=20"], &seals);
    // Without associated data, code that depends on it alone is not run, and that is said.
    let (said, lines) = examined_of(&home, &["aes-256-gcm", "seal", "c/leaks-ad"]);
    assert_eq!(lines[0]["verdict"], "none seen", "{said:?}");
    let compared = lines[0]["compared"].as_str().unwrap();
    let expected = "calls 1 to 8, 17, 64, 257 and 1000; 6 other keys and 5 other sets of messages; no associated data";
    assert_eq!(compared, expected);
}

#[test]
#[ignore = "steps a dozen contenders: make test-all"]
fn every_planted_leak_is_found_by_its_kind_and_no_other_is_seen() {
    let home = home();
    let both = |kind, function| ["key", "message"].map(|secret| [kind, secret, function]);
    leaks(&home, "compares", &both("branch", "compares"));
    leaks(&home, "branches", &[["branch", "key", "branches"]]);
    leaks(&home, "divides", &[["operand", "key", "divides"]]);
    leaks(&home, "roots", &[["operand", "key", "roots"]]);
    leaks(&home, "message", &[["branch", "message", "branches_on_the_message"]]);
    for clean in ["compares-all", "selects", "multiplies"] {
        leaks_nothing(&home, clean);
    }
    if std::arch::is_x86_feature_detected!("avx2") {
        leaks(&home, "masks", &[["address", "key", "masks"]]);
        leaks(&home, "gathers", &[["address", "key", "gathers"]]);
        leaks_nothing(&home, "gathers-none");
    }
    if std::arch::is_x86_feature_detected!("avx512f") {
        leaks(&home, "gathers-wide", &[["address", "key", "gather_wide"]]);
        leaks_nothing(&home, "gathers-wide-none");
    }
}

#[test]
#[ignore = "measures by the real clock: make test-all"]
fn the_verdict_is_next_to_the_speed_of_the_same_build() {
    let home = home();
    let source = include_str!("../fixtures/leaks/siphash.c");
    home.write("siphash.c", source);
    let family = "runner = \"native\"\nprefix = \"c\"\nsource = \"siphash.c\"\n";
    home.write("contenders/planted.toml", family);
    leaks_in_a_run(&home, ["not tested", "not tested"]);
    let said = home.cupel(&["verify", "--leaks", "siphash-2-4", "64"]);
    assert_eq!(said.status, Some(1), "{said:?}");
    leaks_in_a_run(&home, ["leaks", "none seen"]);
    // Another build of the same name and version.
    home.write("siphash.c", format!("{source}\nint another_build = 1;\n"));
    leaks_in_a_run(&home, ["not tested", "not tested"]);
}

/// Measures the two contenders, and compares the words about their leaks.
#[track_caller]
fn leaks_in_a_run(home: &Home, expected: [&str; 2]) {
    let words = ["ask", "siphash-2-4", "64", "c/looks-up", "c/plain", "--format", "json"];
    let said = home.cupel(&[&words[..], &["--forks", "2", "--budget", "least"]].concat());
    assert!(said.out.starts_with('{'), "{said:?}");
    let cells = Cells::parse(&said.out);
    let said = ["c/looks-up", "c/plain"].map(|name| cells.of_contender(name)["leaks"].clone());
    assert_eq!(said, expected.map(Value::from));
}

/// A contender that never does the same twice: whatever differs says nothing about a secret, and
/// its times do not depend on one.
#[test]
#[ignore = "times calls for 20 s: make test-all"]
fn what_differs_without_a_secret_is_timed() {
    let (said, lines) = examined(&home(), &["c/clock"]);
    assert!(said.err.contains("the same secret twice gives another trace"), "{}", said.err);
    assert!(said.err.contains("branches_on_the_clock"), "{}", said.err);
    let clock = Known { name: "clean-clock", says: "TIMED", is_mac: true };
    assert!(is_true_by_time(&clock, &lines[0]), "{lines:#?}");
}

#[test]
fn a_contender_without_code_of_its_own_is_timed() {
    let home = Home::with(json!([{ "name": "alpha", "primitives": ["siphash-2-4"] }]));
    let said = home.cupel(&["verify", "--leaks", "siphash-2-4", "64", "--format", "json"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let document: Value = serde_json::from_str(&said.out).unwrap();
    let line = &document["leaks"][0];
    assert_eq!(
        (&line["method"], value_of(line, "reason")),
        (&json!("time"), &json!(null)),
        "{line:#}"
    );
    let verdict = line["verdict"].as_str().unwrap();
    assert!(verdict.starts_with("none above ") && verdict.ends_with(" % of a call"), "{verdict}");
    let times = &line["times"];
    let bound = times["none_above_ns"].as_f64().unwrap();
    assert!(bound < 0.01 * times["call_ns"]["hot"].as_f64().unwrap(), "{times:#}");
    // Three keys and four sets of messages, hot only: its caches are simulated, too.
    assert_eq!(times["differences"].as_array().unwrap().len(), 2 * 7, "{times:#}");
    // Each verdict is said as soon as it is known.
    assert!(
        said.err.contains(&format!("{verdict}: sham/alpha siphash-2-4 mac, 64 B")),
        "{}",
        said.err
    );
}

#[test]
fn what_is_no_question_about_leaks_is_refused() {
    let home = Home::with(json!([{ "name": "alpha", "primitives": ["siphash-2-4"] }]));
    let said = home.cupel(&["verify", "--leaks", "alpha", "siphash-2-4"]);
    assert!(said.status == Some(3) && said.err.contains("unknown primitive alpha"), "{}", said.err);
    let said = home.cupel(&["verify", "--format", "json"]);
    assert!(said.status == Some(3) && said.err.contains("--leaks"), "{}", said.err);
}
