//! Other programs on the machine while a run measures are named below its tables.

use crate::support::{CUPEL, Home};
use serde_json::{Value, json};
use std::process::{Child, Command};

/// A program of this name that never sleeps, until it is dropped.
struct Hungry(Child);

impl Hungry {
    fn start(home: &Home, name: &str) -> Hungry {
        let program = home.path(name);
        std::fs::copy("/bin/sh", &program).expect("a shell");
        let child = Command::new(program).args(["-c", "while :; do :; done"]).spawn();
        Hungry(child.expect("a busy loop"))
    }
}

impl Drop for Hungry {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A contender whose calls take this time.
fn contender(name: &str, ns: u32) -> Value {
    json!({ "name": name, "primitives": ["siphash-2-4"], "fixed_ns": ns, "per_byte_ns": 0 })
}

/// A home with these contenders, on the real or on a simulated clock.
fn home_of(contenders: &[Value], real: bool) -> Home {
    let home = Home::empty();
    home.family("sham", &json!({ "world": { "real": real }, "contenders": contenders }), "");
    let baseline = contenders[0]["name"].as_str().unwrap();
    home.suite("[64]", &format!("baseline = \"sham/{baseline}\""));
    home
}

/// A home with two contenders.
fn home(real: bool) -> Home {
    home_of(&[contender("a", 50_000), contender("b", 70_000)], real)
}

const LONG: [&str; 7] = ["run", "q", "--forks", "2", "--budget", "3s", "--precision=0%"];

#[test]
#[ignore = "on the real clock: on a machine that is busy with others, the share of this one is small"]
fn a_busy_program_is_named_in_every_format() {
    let home = home(true);
    let hungry = Hungry::start(&home, "hungry");
    let table = home.cupel(&LONG).out;
    drop(hungry);
    let line = "Other programs used processors during this run:";
    let flat = table.replace('\n', " ");
    assert!(flat.contains(line) && flat.contains("hungry "), "{table}");
    for format in ["table", "markdown"] {
        let shown = home.cupel(&["show", "--format", format]).out.replace('\n', " ");
        assert!(shown.contains(line) && shown.contains("hungry "), "{format}: {shown}");
    }
    let document = home.cupel(&["show", "--format", "json"]).out;
    let document: Value = serde_json::from_str(&document).unwrap();
    let company = &document["circumstances"]["company"];
    assert!(company["programs"]["hungry"].as_f64().is_some_and(|s| s > 0.0), "{company:#}");
    assert!(company["seconds"].as_f64().is_some_and(|s| s >= 1.0), "{company:#}");
}

#[test]
fn a_simulated_machine_has_no_company() {
    let home = home(false);
    let _hungry = Hungry::start(&home, "hungry");
    let table = home.cupel(&LONG).out;
    assert!(!table.contains("hungry") && !table.contains("Other programs"), "{table}");
    let stored = "select count(*) from run where circumstances not like '%programs%'";
    assert_eq!(home.count(stored), 1);
    let document = home.cupel(&["show", "--format", "json"]).out;
    let document: Value = serde_json::from_str(&document).unwrap();
    assert!(document.get("circumstances").is_none(), "there are none");
}

#[test]
fn messages_that_no_memory_holds_are_refused_before_anything_starts() {
    let contenders: Vec<Value> = (0..1000).map(|n| contender(&format!("c{n}"), 100)).collect();
    let home = home_of(&contenders, true);
    // Each of them holds two messages of 1 GiB.
    let said = home.cupel(&["run", "q", "--size", "1024M", "--budget", "least"]);
    assert_eq!(said.status, Some(3), "{}", said.out);
    assert!(said.err.contains("processes that live at once"), "{}", said.err);
    assert!(said.err.contains("name fewer contenders or smaller sizes"), "{}", said.err);
    assert_eq!(home.count("select count(*) from run"), 0);
}

#[test]
fn a_limit_of_address_space_is_named_and_nothing_panics() {
    let home = home(true);
    let line = format!("ulimit -v 1500000; exec '{CUPEL}' run q --size 512M --budget least");
    let mut limited = Command::new("sh");
    home.set_up(limited.args(["-c", &line]).current_dir(home.path("")));
    let ended = limited.output().expect("a shell");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(3), "{said}");
    assert!(said.contains("ulimit -v") && !said.contains("panicked"), "{said}");
}
