//! Workloads whose results are awaited: their own table, from which advice never comes.

use crate::support::Home;
use serde_json::json;

/// `b` takes half of the time of `a`.
fn home(contract: &str) -> Home {
    let home = Home::with(json!([
        { "name": "a", "primitives": ["sha256"], "fixed_ns": 300 },
        { "name": "b", "primitives": ["sha256"], "fixed_ns": 150 },
    ]));
    let suite = format!(
        "question = \"What does an awaited call cost?\"\nforks = 11\nbudget = \"1s\"\n\
         [[workload]]\nprimitive = \"sha256\"\noperation = \"digest\"\nsizes = [64]\n{contract}\n\
         baseline = \"sham/a\"\n"
    );
    home.write("suites/q.toml", suite);
    home
}

#[test]
fn the_table_says_that_results_are_awaited_and_advice_leaves_it_out() {
    let awaited = home("contract = { result = \"awaited\" }");
    let run = awaited.cupel(&["run", "q"]);
    assert_eq!(run.status, Some(0), "{}{}", run.out, run.err);
    let table = awaited.cupel(&["show"]).out;
    assert!(table.contains("result awaited"), "{table}");
    let advice = awaited.cupel(&["advise"]);
    assert!(!advice.out.contains("use sham/b"), "{}", advice.out);
    let all = advice.out + &advice.err;
    assert!(all.contains("advice is for calls that return their result"), "{all}");

    let returned = home("");
    assert_eq!(returned.cupel(&["run", "q"]).status, Some(0));
    let table = returned.cupel(&["show"]).out;
    assert!(!table.contains("result"), "{table}");
    assert!(returned.cupel(&["advise"]).out.contains("sham/b"));
}

#[test]
fn a_result_that_is_neither_returned_nor_awaited_is_a_mistake_of_the_suite() {
    let said = home("contract = { result = \"later\" }").cupel(&["run", "q"]);
    assert_eq!(said.status, Some(3), "{}", said.err);
    assert!(said.err.contains("`returned` or `awaited`"), "{}", said.err);
}
