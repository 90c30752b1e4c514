//! Workloads that continue with a copied state: their own table, and refused where there is no
//! state.

use crate::support::Home;
use serde_json::json;

fn home(contract: &str, operation: &str) -> Home {
    let home = Home::with(json!([
        { "name": "a", "primitives": ["sha256", "hmac-sha256"], "fixed_ns": 300 },
        { "name": "b", "primitives": ["sha256", "hmac-sha256"], "fixed_ns": 150 },
    ]));
    let primitive = if operation == "mac" { "hmac-sha256" } else { "sha256" };
    let suite = format!(
        "question = \"Which copies fastest?\"\nforks = 11\nbudget = \"1s\"\n\n[[workload]]\n\
         primitive = \"{primitive}\"\noperation = \"{operation}\"\nsizes = [64]\n{contract}\n\
         baseline = \"sham/a\"\n"
    );
    home.write("suites/q.toml", suite);
    home
}

#[test]
fn a_copied_state_is_measured_in_a_table_of_its_own() {
    let home = home("contract = { prefix = 100 }", "digest");
    let (status, cells, err) = home.run(&[]);
    assert_eq!(status, Some(0), "{err}");
    let row = cells.of_contender("sham/b");
    assert_eq!(row["verdict"], "faster", "{row:#}");
    let table = home.cupel(&["show"]).out;
    assert!(table.contains("after a copied state of 100 B"), "{table}");
}

#[test]
fn a_prefix_that_cannot_be_is_refused_at_its_line() {
    for (contract, operation, words) in [
        ("contract = { prefix = 100 }", "mac", "unknown key `prefix` in the contract"),
        ("contract = { prefix = 65537 }", "digest", "a prefix has up to 65536 bytes, not 65537"),
    ] {
        let said = home(contract, operation).cupel(&["run", "q"]);
        assert_eq!(said.status, Some(3), "{contract}: {}", said.err);
        assert!(said.err.contains("q.toml:9: "), "{contract}: {}", said.err);
        assert!(said.err.contains(words), "{contract}: {}", said.err);
    }
}
