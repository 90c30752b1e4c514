//! Workloads whose messages have 7-bit bytes: their own table, in which a contender that is
//! wrong for other bytes has figures, and its fault next to them. Advice never comes from there.

use crate::support::{Home, value_of};
use serde_json::{Value, json};

const HEAD: &str = "question = \"Which is the fastest for text?\"\nforks = 11\nbudget = \"1s\"\n";

fn workload(contract: &str) -> String {
    format!(
        "\n[[workload]]\nprimitive = \"siphash-2-4\"\noperation = \"mac\"\nsizes = [64]\n{contract}\n\
         baseline = \"sham/a\"\n"
    )
}

const RESTRICTED: &str = "contract = { bytes = \"7-bit\" }";

/// `a` is honest; `b` has this fault and takes half of the time.
fn home(fault: &str, workloads: &str) -> Home {
    let home = Home::with(json!([
        { "name": "a", "primitives": ["siphash-2-4"], "fixed_ns": 300 },
        { "name": "b", "primitives": ["siphash-2-4"], "fixed_ns": 150, "fault": { "kind": fault } },
    ]));
    home.write("suites/q.toml", format!("{HEAD}{workloads}"));
    home
}

fn of_contract<'a>(rows: &[&'a Value], restricted: bool) -> &'a Value {
    let is = |row: &&&Value| row["contract"].as_str().unwrap().contains("7-bit") == restricted;
    rows.iter().find(is).unwrap()
}

#[test]
fn a_contender_that_is_wrong_for_other_bytes_has_figures_only_in_a_table_of_its_own() {
    let home = home("wrong-beyond-ascii", &(workload(RESTRICTED) + &workload("")));
    let (status, cells, err) = home.run(&[]);
    assert_eq!(status, Some(1), "{err}");
    let rows = cells.all("sham/b");
    let (low, any) = (of_contract(&rows, true), of_contract(&rows, false));
    assert_eq!((&low["verdict"], &low["reason"]), (&json!("faster"), &json!(WRONG)), "{low:#}");
    assert_eq!(any["verdict"], "failed", "{any:#}");
    assert!(cells.all("sham/a").iter().all(|row| value_of(row, "reason").is_null()), "{cells:#?}");
    let table = home.cupel(&["show"]).out;
    let line = format!("sham/b: {WRONG}");
    assert_eq!(table.matches(&line).count(), 1, "{table}");
    assert!(table.contains("7-bit bytes"), "{table}");
    let markdown = home.cupel(&["show", "--format", "markdown"]).out;
    assert!(markdown.contains(&format!("- {line}")), "{markdown}");
}

const WRONG: &str = "wrong for bytes above 0x7f";

#[test]
fn advice_is_never_from_messages_of_7_bit_bytes() {
    let home = home("wrong-beyond-ascii", &workload(RESTRICTED));
    assert_eq!(home.cupel(&["run", "q"]).status, Some(0));
    let said = home.cupel(&["advise"]);
    assert!(!said.out.contains("use sham/b"), "{}", said.out);
    let all = said.out + &said.err;
    assert!(all.contains("advice is for messages of any bytes"), "{all}");
}

#[test]
fn a_claim_asks_for_7_bit_bytes_by_its_contract() {
    let claim = format!(
        "\n[[claim]]\nsource = \"s\"\nquote = \"q\"\n\
         says = \"sham/b is faster than sham/a\"\n{RESTRICTED}\n"
    );
    let home = home("wrong-beyond-ascii", &(workload(RESTRICTED) + &workload("") + &claim));
    assert_eq!(home.cupel(&["run", "q"]).status, Some(1));
    let said = home.cupel(&["check", "q"]);
    assert_eq!(said.status, Some(0), "{}{}", said.out, said.err);
    assert!(said.out.contains("throughput, 7-bit"), "{}", said.out);
}

#[test]
fn a_runner_that_ignores_the_restriction_fails() {
    for at in ["compute", "prepare"] {
        let home = home("ignores-bytes", &workload(RESTRICTED));
        let script = std::fs::read_to_string(home.path("sham.json")).unwrap();
        let one = format!("\"kind\":\"ignores-bytes\",\"at\":\"{at}\"");
        home.write("sham.json", script.replace("\"kind\":\"ignores-bytes\"", &one));
        let (status, cells, err) = home.run(&[]);
        assert_eq!(status, Some(1), "{at}: {err}");
        assert_eq!(cells.of_contender("sham/b")["verdict"], "failed", "{at}: {cells:#?}");
        assert_eq!(cells.of_contender("sham/a")["verdict"], "baseline", "{at}: {cells:#?}");
    }
}

#[test]
fn bytes_that_cannot_be_restricted_are_refused_at_their_line() {
    let wrong = [
        ("contract = { bytes = \"8-bit\" }", "mac", "7-bit"),
        ("contract = { bytes = \"7-bit\" }\nshape = \"latency\"", "mac", "any bytes"),
        ("contract = { bytes = \"7-bit\" }", "seal", "takes any bytes"),
    ];
    for (contract, operation, words) in wrong {
        let mut text = workload(contract).replace("\"mac\"", &format!("\"{operation}\""));
        if operation == "seal" {
            text = text.replace("siphash-2-4", "aes-256-gcm");
        }
        let said = home("wrong-beyond-ascii", &text).cupel(&["run", "q"]);
        assert_eq!(said.status, Some(3), "{contract}: {}", said.err);
        assert!(said.err.contains("q.toml:9: "), "{contract}: {}", said.err);
        assert!(said.err.contains(words), "{contract}: {}", said.err);
    }
}
