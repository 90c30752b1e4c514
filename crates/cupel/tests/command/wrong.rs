//! A contender that answers wrongly anywhere has no figure anywhere that the same code could have
//! made: not at another size, not by another operation, not under another contract, not in another
//! run.

use crate::support::{Home, sham};
use serde_json::{Value, json};

const SEAL: &str =
    "[[workload]]\nprimitive = \"aes-256-gcm\"\noperation = \"seal\"\nsizes = [64]\n";
const OPEN: &str =
    "[[workload]]\nprimitive = \"aes-256-gcm\"\noperation = \"open\"\nsizes = [64]\n";
const HASH: &str = "[[workload]]\nprimitive = \"sha256\"\nsizes = [64]\n";
const LONG: &str =
    "[[workload]]\nprimitive = \"sha256\"\nsizes = [4096]\ncontract = { align = \"line\" }\n";
const CLAIM: &str =
    "[[claim]]\nsource = \"x\"\nquote = \"y\"\nsays = \"sham/bad is faster than sham/base\"\n";

/// `bad` is by far the fastest, and wrong as `fault` says. The suite `q` has these workloads. Calls
/// take microseconds, because the sham and the tool really seal each message of a slice.
fn home(fault: &Value, workloads: &[&str]) -> Home {
    let primitives = ["aes-256-gcm", "sha256"];
    let home = Home::with(json!([
        { "name": "base", "primitives": primitives, "fixed_ns": 20_000 },
        { "name": "other", "primitives": primitives, "fixed_ns": 100_000 },
        { "name": "bad", "primitives": primitives, "fixed_ns": 4_000, "per_byte_ns": 0, "fault": fault },
    ]));
    home.write("suites/q.toml", suite(&workloads.join("\n")));
    home
}

fn suite(workloads: &str) -> String {
    format!("question = \"?\"\nforks = 3\nbudget = \"1s\"\n\n{workloads}")
}

/// It opens forged messages, and seals correctly. Its size matters only if it has another kind.
fn forges() -> Value {
    json!({ "kind": "accepts-bad-tag", "size": 1_000_000_000 })
}

#[test]
fn it_has_failed_in_every_comparison_of_the_primitive_and_is_marked_in_the_others() {
    let in_folds = json!({ "kind": "wrong-above-size", "at": "slice", "size": 1000 });
    let found_by_verification = (forges(), [SEAL, OPEN, HASH], "the smallest is aes-256-gcm open");
    let found_in_rounds =
        (in_folds, [HASH, LONG, SEAL], "sha256 digest at 4 KiB: answers wrongly while timed");
    for (fault, workloads, found) in [found_by_verification, found_in_rounds] {
        let home = home(&fault, &workloads);
        let (status, cells, err) = home.run(&[]);
        assert_eq!(status, Some(1), "{err}");
        let [elsewhere, here, other] = &cells.all("sham/bad")[..] else { panic!("{cells:?}") };
        for (row, words) in [(here, found), (elsewhere, "no figure of it counts")] {
            assert_eq!(row["verdict"], "failed", "{row:#}");
            let reason = row["reason"].as_str().unwrap();
            assert!(reason.contains("answers wrongly") && reason.contains(words), "{row:#}");
        }
        let mark = format!("answers wrongly for {}", here["primitive"].as_str().unwrap());
        assert_eq!(other["verdict"], "faster", "other code: {other:#}");
        assert_eq!(other["reason"], mark.as_str(), "{other:#}");
        let shown = home.cupel(&["show"]).out;
        assert!(shown.contains(&format!("\n  sham/bad: {mark}\n")), "{shown}");
        let first = shown.lines().next().unwrap();
        assert!(first.contains("64 B: sham/base 0.1.0 is the fastest"), "{shown}");
    }
}

#[test]
fn advice_and_claims_from_other_runs_know_it() {
    let home = home(&forges(), &[SEAL, OPEN]);
    home.write("suites/r.toml", suite(&format!("{SEAL}\n{CLAIM}")));
    assert_eq!(home.cupel(&["run", "r"]).status, Some(0), "not caught there");
    let claims = |more: &[&str]| home.cupel(&[&["check", "r"], more].concat());
    let advised = || home.cupel(&["advise", "--have", "sham/base"]).out;
    assert_eq!(claims(&[]).status, Some(0), "nothing is known yet");
    assert!(home.cupel(&["show"]).out.starts_with("held: "));
    assert!(advised().contains("use sham/bad"), "{}", advised());

    assert_eq!(home.cupel(&["run", "q", "--operation", "open"]).status, Some(1));
    for more in [&[][..], &["--run", "1"]] {
        let said = claims(more);
        assert_eq!(said.status, Some(2), "{}", said.out);
        let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("failed sham/bad: in run 2: answers wrongly"), "{words}");
    }
    assert!(home.cupel(&["show", "1"]).out.starts_with("undecided: "), "not as it was remembered");
    assert!(!advised().contains("use sham/bad"), "{}", advised());
    assert!(advised().contains("why not sham/bad: failed: "), "{}", advised());
}

/// Corrected code is different code, even if its version stays.
#[test]
fn another_program_of_the_same_version_is_not_blamed() {
    let home = home(&forges(), &[SEAL, OPEN]);
    home.write("suites/r.toml", suite(&format!("{SEAL}\n{CLAIM}")));
    // The script is a part of the program.
    let (script, clock) = (home.path("sham.json"), home.path("clock"));
    let command =
        format!("command = [{:?}, \"--script\", {script:?}, \"--clock\", {clock:?}]", sham());
    let family = format!("runner = \"program\"\nprefix = \"sham\"\n{command}\n");
    home.write("contenders/sham.toml", family);
    assert_eq!(home.cupel(&["run", "q"]).status, Some(1));
    let text = std::fs::read_to_string(&script).unwrap();
    std::fs::write(&script, text.replace("accepts-bad-tag", "wrong-above-size")).unwrap();
    assert_eq!(home.cupel(&["run", "r"]).status, Some(0));
    assert_eq!(home.cupel(&["check", "r"]).status, Some(0));
}

/// It takes as long for 256 KiB as for 64 B: it remembers its answers.
#[test]
fn what_is_too_fast_at_one_size_has_no_figure_at_another() {
    let home = Home::with(json!([
        { "name": "base", "primitives": ["siphash-2-4"], "fixed_ns": 200, "per_byte_ns": 0.5 },
        { "name": "memo", "primitives": ["siphash-2-4"], "fixed_ns": 100, "per_byte_ns": 0 },
    ]));
    let work = "[[workload]]\nprimitive = \"siphash-2-4\"\nsizes = [64, 262144]\n";
    home.write("suites/q.toml", suite(work));
    let (_, cells, err) = home.run(&[]);
    let [short, long] = &cells.all("sham/memo")[..] else { panic!("{cells:?} {err}") };
    for (row, words) in [(short, "at 256 KiB, "), (long, "more than a processor can load")] {
        assert_eq!(row["verdict"], "failed", "{row:#}");
        assert!(row["reason"].as_str().unwrap().contains(words), "{row:#}");
    }
    let base = cells.all("sham/base");
    assert!(base.iter().all(|row| row["verdict"] != "failed"), "{base:#?}");
}
