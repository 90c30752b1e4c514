//! `audit` of this crate finds no contradiction in a gate, and finds each that is planted.

use crate::support::{Home, Said};
use serde_json::{Value, json};
use std::process::Command;

const AUDIT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../questions/gate/audit");

/// Audits documents, one in each line.
fn audit(home: &Home, documents: &[Value]) -> Said {
    let lines: Vec<String> = documents.iter().map(Value::to_string).collect();
    home.write("gates.json", lines.join("\n"));
    Command::new(AUDIT).arg(home.path("gates.json")).output().expect("python3").into()
}

/// The document of the last gate of a home.
fn document(home: &Home) -> Value {
    let shown = home.cupel(&["show", "--gate", "--format", "json"]);
    serde_json::from_str(&shown.out).expect(&shown.err)
}

/// The contradictions between a home's last gate and its executions; none if it was refused.
pub fn contradictions(home: &Home, said: &Said) -> String {
    if said.status == Some(3) {
        return String::new();
    }
    let audited = audit(home, &[document(home)]);
    assert!(matches!(audited.status, Some(0 | 1)), "{}", audited.err);
    audited.out
}

/// Prints benchmarks as lines. The times differ by up to 2 % between executions. With a word, it is
/// the new build: `longer` takes 10 % longer, `rare` takes ten times as long in each third
/// execution, `often` has no time in each seventh, and each eleventh execution fails.
const ODD: &str = r#"
n=$(cat "$COUNT" 2>/dev/null || echo 0)
n=$(( n + 1 ))
echo "$n" >"$COUNT"
noise=$(( n * 7919 % 20 ))
longer=1000; rare=2000
if [ -n "$1" ]; then
    longer=1100
    [ $(( n % 3 )) = 0 ] && rare=20000
    [ $(( n % 11 )) = 0 ] && exit 4
fi
echo "longer $(( longer + noise )) ns"
echo "rare $(( rare + noise )) ns"
echo "same $(( 1500 + noise )) ns"
echo "coarse $(( 4 + n % 2 )) ns"
[ $(( n % 7 )) = 0 ] || echo "often $(( 1200 + noise )) ns"
[ -n "$1" ] && echo "fresh 5 ns" || echo "gone 5 ns"
echo '{"title": "other", "calls": 7, "time_unit": "us"}'
"#;

fn odd() -> Home {
    let home = Home::empty();
    home.write("odd", ODD);
    let [old, new, bench] = ["old", "new", "odd"].map(|name| home.path(name).display().to_string());
    let (base, new) = (format!("COUNT={old} sh {bench}"), format!("COUNT={new} sh {bench} new"));
    let said = home
        .cupel(&["gate", "--base", &base, "--new", &new, "--reads", "lines", "--budget", "12s"]);
    assert_eq!(said.status, Some(1), "{}{}", said.out, said.err);
    home
}

/// The document with another value at a place.
fn with(document: &Value, place: &str, to: Value) -> Value {
    let mut changed = document.clone();
    *changed.pointer_mut(place).expect(place) = to;
    changed
}

/// The document with another figure of a benchmark.
fn with_figure(document: &Value, name: &str, figure: &str, to: Value) -> Value {
    let all = document["benchmarks"].as_array().unwrap();
    let place = all.iter().position(|one| one["name"] == name).expect(name);
    with(document, &format!("/benchmarks/{place}/{figure}"), to)
}

/// The lines below the answer, without those that begin so.
fn notes_without(document: &Value, word: &str) -> Value {
    let notes = document["notes"].as_array().unwrap();
    let left = notes.iter().filter(|note| !note.as_str().unwrap().starts_with(word));
    json!(left.collect::<Vec<_>>())
}

#[test]
fn the_auditor_finds_what_the_executions_contradict_and_nothing_in_a_true_document() {
    let home = odd();
    let truth = document(&home);
    let said = audit(&home, std::slice::from_ref(&truth));
    assert_eq!((said.status, said.out.as_str()), (Some(0), ""), "{}\n{truth:#}", said.err);

    for (document, says) in mistakes(&truth) {
        let said = audit(&home, &[document]);
        assert_eq!(said.status, Some(1), "{says}: {}{}", said.out, said.err);
        assert!(said.out.contains(says), "{says}: {}", said.out);
    }
    let mut more = truth.clone();
    more["new part"] = json!(1);
    let said = audit(&home, &[more]);
    assert!(said.out.contains("new part: it; the executions show nothing: it has no rule"));
    assert_eq!(audit(&home, &[json!({})]).status, Some(3));
}

/// Documents with a mistake, and the auditor's words about it.
fn mistakes(truth: &Value) -> Vec<(Value, &'static str)> {
    let fewer = truth["benchmarks"].as_array().unwrap()[1..].to_vec();
    vec![
        (
            with(truth, "/answer", json!("not slower: none of 5 benchmarks by more than 2 %")),
            "answer: ",
        ),
        (with(truth, "/benchmarks", json!(fewer)), "benchmarks: "),
        (with_figure(truth, "longer", "verdict", json!("no slowdown")), "that it is slower"),
        (with_figure(truth, "longer", "base_ns", json!(900.0)), "the base takes 900 ns"),
        (with_figure(truth, "longer", "new_ns", json!(900.0)), "it takes 900 ns"),
        (with_figure(truth, "longer", "rounds", json!(1)), "1 rounds"),
        (
            with_figure(truth, "longer", "change/ratio", json!(1.3)),
            "the new build takes 1.3 times as long",
        ),
        (with_figure(truth, "longer", "change/low", json!(1.2)), "nothing: it is outside"),
        (
            with_figure(truth, "longer", "control/ratio", json!(1.2)),
            "the copy takes 1.2 times as long",
        ),
        (with_figure(truth, "longer", "untrusted", json!(true)), "two copies differ: True"),
        (with_figure(truth, "same", "verdict", json!("slower")), "same: slower"),
        (with_figure(truth, "coarse", "step_ns", json!(3.0)), "times are multiples of 3 ns"),
        (
            with_figure(truth, "rare", "levels/factor", json!(2.0)),
            "slow executions take 2 times as long",
        ),
        (with_figure(truth, "rare", "levels/new/executions", json!(1)), "a share grew by"),
        (with_figure(truth, "rare", "levels/grew", json!(false)), "a share grew: False"),
        (with_figure(truth, "rare", "levels/base/of", json!(5)), "of 5 slow"),
        (with(truth, "/failures", json!(null)), "failures: None"),
        (with(truth, "/failures/new/executions", json!(1)), "executions of the new: 1"),
        (with(truth, "/failures/new/why", json!("a ghost")), "the reason is: a ghost"),
        (with(truth, "/failures/change/points", json!(0.5)), "a share grew by 0.5"),
        (with(truth, "/joint", json!(0.99)), "joint: 0.99"),
        (with(truth, "/missing", json!([])), "missing: "),
        (with(truth, "/missing/0/executions", json!(1)), "executions: 1 without a time"),
        (with(truth, "/only_base", json!([])), "only_base: "),
        (with(truth, "/only_new", json!(["gone"])), "only_new: gone"),
        (with(truth, "/outcome", json!("well")), "outcome: well"),
        (with(truth, "/verified", json!(true)), "verified: it is"),
        (with(truth, "/notes", notes_without(truth, "FAILED")), "nothing of FAILED"),
        (with(truth, "/notes", notes_without(truth, "LOST")), "nothing of LOST"),
        (with(truth, "/notes", notes_without(truth, "LEVELS")), "nothing of LEVELS"),
        (with(truth, "/notes", notes_without(truth, "NOT COMPARED")), "notes: not compared: "),
        (with(truth, "/notes", notes_without(truth, "NOT READ")), "nothing of NOT READ"),
        (
            with(truth, "/notes/0", json!("NOT READ the base: 3 entries")),
            "notes: NOT READ the base",
        ),
        (
            with(truth, "/notes/0", json!("LOST same: 5 of 9 executions gave no time")),
            "notes: LOST same",
        ),
        (with(truth, "/notes/0", json!("all is well")), "notes: all is well"),
    ]
}
