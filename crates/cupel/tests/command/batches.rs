//! Batches of messages, from a suite to the figures: a call processes the whole batch, GB/s and the
//! cost per byte refer to all its bytes, and a wrong batch is rejected at its line.

use crate::support::{Home, number};
use serde_json::json;

fn home(contract: &str, sizes: &str) -> Home {
    let home = Home::with(json!([
        { "name": "a", "primitives": ["sha256"], "fixed_ns": 100, "per_byte_ns": 2 },
        { "name": "b", "primitives": ["sha256"], "fixed_ns": 300, "per_byte_ns": 2 },
    ]));
    let text = format!(
        "question = \"Which takes many the fastest?\"\nforks = 11\nbudget = \"1s\"\n\n[[workload]]\n\
         primitive = \"sha256\"\noperation = \"digest-many\"\nsizes = {sizes}\n{contract}\n"
    );
    home.write("suites/q.toml", text);
    home
}

/// The expected value, in a world of small noise.
fn near(figure: f64, expected: f64) -> bool {
    (figure / expected - 1.0).abs() < 0.03
}

#[test]
fn a_call_is_of_a_whole_batch_and_so_are_its_bytes() {
    for (contract, batch) in [("", 64.0), ("contract = { batch = 5 }", 5.0)] {
        let home = home(contract, "[64, 256, 1024]");
        let (status, cells, err) = home.run(&[]);
        assert_eq!(status, Some(0), "{err}");
        for row in cells.all("sham/a") {
            let (size, ns) = (number(row, "size"), number(row, "ns_median"));
            assert!(near(ns, batch * (100.0 + 2.0 * size)), "{row:#}");
            assert!(near(number(row, "gb_per_s"), batch * size / ns), "{row:#}");
            assert!(near(number(row, "per_byte_ns"), 2.0), "{row:#}");
            let told = row["contract"].as_str().unwrap();
            assert!(told.starts_with(&format!("batches of {batch}, ")), "{told}");
        }
        assert!(cells.all("sham/b").iter().all(|row| row["verdict"] == "slower"), "{cells:#?}");
    }
}

#[test]
fn figures_of_spread_lengths_count_all_their_bytes() {
    let home = home("contract = { lengths = \"spread\" }", "[2048]");
    let (status, cells, err) = home.run(&[]);
    assert_eq!(status, Some(0), "{err}");
    let row = cells.of_contender("sham/a");
    // The golden ratio's first 64 multiples: 66583 bytes.
    let bytes = number(row, "gb_per_s") * number(row, "ns_median");
    assert!((bytes - 66_583.0).abs() < 1.0, "{bytes}");
    let told = row["contract"].as_str().unwrap();
    assert!(told.contains("lengths spread from 0"), "{told}");
}

#[test]
fn a_claim_names_its_workload_by_the_batch() {
    let claim = "[[claim]]\nsource = \"s\"\nquote = \"q\"\n\
                 says = \"sham/a is faster than sham/b\"\ncontract = { batch = 5 }\nsizes = [64]\n";
    let home = home(&format!("contract = {{ batch = 5 }}\n\n{claim}"), "[64]");
    let (status, ..) = home.run(&[]);
    assert_eq!(status, Some(0));
    let said = home.cupel(&["check", "q"]);
    assert_eq!(said.status, Some(0), "{}{}", said.out, said.err);
}

#[test]
fn an_undefined_batch_is_refused_at_its_line() {
    let wrong = [
        ("contract = { batch = 0 }", "[64]", 9, "1 to 4096 messages"),
        ("contract = { batch = 4097 }", "[64]", 9, "1 to 4096 messages"),
        ("contract = { lengths = \"odd\" }", "[64]", 9, "spread"),
        ("contract = { chunk = 8 }", "[64]", 9, "not streamed"),
        ("contract = { bacth = 8 }", "[64]", 9, "did you mean `batch`?"),
        ("shape = \"latency\"", "[64]", 9, "no latency shape"),
        ("", "[\"2 MiB\"]", 8, "0 to 1048576 bytes"),
    ];
    for (contract, sizes, line, words) in wrong {
        let said = home(contract, sizes).cupel(&["run", "q"]);
        assert_eq!(said.status, Some(3), "{contract}: {}", said.err);
        assert!(said.err.contains(&format!("q.toml:{line}: ")), "{contract}: {}", said.err);
        assert!(said.err.contains(words), "{contract}: {}", said.err);
    }
    let one = home("contract = { batch = 2 }", "[64]");
    let suite = std::fs::read_to_string(one.path("suites/q.toml")).unwrap();
    one.write("suites/q.toml", suite.replace("digest-many", "digest"));
    let said = one.cupel(&["run", "q"]);
    assert!(said.err.contains("digest takes one message per call"), "{}", said.err);
}
