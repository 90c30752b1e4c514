//! One run at a time: a second one waits for the first, exits, or measures next to it and says so.

use crate::support::{Home, WATCHDOG};
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// A run of at least some seconds of real time: the contender is slow in the rounds.
fn home() -> Home {
    let slow = json!({ "kind": "slow-answers", "at": "slice", "delay_ms": 10, "after": 100 });
    let home = Home::with(json!([
        { "name": "a", "primitives": ["siphash-2-4"], "fixed_ns": 100, "fault": slow },
        { "name": "b", "primitives": ["siphash-2-4"], "fixed_ns": 300 },
    ]));
    home.suite("[64]", "baseline = \"sham/a\"");
    // The second run takes no time.
    home.write("suites/short.toml", short());
    home
}

fn short() -> String {
    "question = \"Which?\"\nforks = 2\nbudget = \"100ms\"\n[[workload]]\n\
     primitive = \"siphash-2-4\"\nsizes = [16]\ncontenders = [\"sham/b\"]\n"
        .to_string()
}

fn start(command: &mut Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("cupel starts")
}

/// Starts the long run, and waits until it measures.
fn measuring(home: &Home) -> Child {
    let mut first =
        start(home.command().args(["run", "q", "--budget", "60s", "--precision", "0%"]));
    let began = Instant::now();
    let of_it = "select count(*) from round join fork on fork.id = round.fork
        join run on run.id = fork.run where suite = 'q'";
    while home.count(of_it) == 0 {
        assert!(first.try_wait().unwrap().is_none(), "the first run has ended");
        assert!(began.elapsed() < WATCHDOG, "no round came");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    first
}

fn end(mut first: Child) {
    first.kill().expect("it lives");
    first.wait().expect("it ends");
}

#[test]
fn a_second_run_waits_for_the_first_and_says_for_which() {
    let home = home();
    let first = measuring(&home);
    let mut second = start(home.command().args(["run", "short"]));
    let mut lines = BufReader::new(second.stderr.take().unwrap()).lines();
    let said = lines.next().expect("a line").unwrap();
    let holder = format!("cupel: waiting for run 1 of q (process {}, since ", first.id());
    assert!(said.starts_with(&holder), "{said}");
    assert_eq!(home.count("select count(*) from run"), 1, "it has not begun");
    // A killed run leaves no lock.
    end(first);
    assert!(second.wait().unwrap().success());
    assert_eq!(
        home.count("select count(*) from run where suite = 'short' and finished is not null"),
        1
    );
    let shown = home.cupel(&["show"]).out;
    assert!(!shown.contains("measured at the same time as"), "{shown}");
}

#[test]
fn no_wait_exits_with_a_message_and_a_dry_run_needs_no_turn() {
    let home = home();
    let first = measuring(&home);
    let said = home.cupel(&["run", "short", "--no-wait"]);
    assert_eq!(said.status, Some(3), "{}", said.err);
    for words in ["run 1 of q (process ", "is being measured on this machine", "--anyway"] {
        assert!(said.err.contains(words), "no \"{words}\" in {}", said.err);
    }
    assert_eq!(home.cupel(&["run", "short", "--dry-run", "--no-wait"]).status, Some(0));
    assert_eq!(home.count("select count(*) from run"), 1);
    end(first);
    let said = home.cupel(&["run", "short", "--no-wait"]);
    assert_eq!(said.status, Some(0), "a killed run left its lock: {}", said.err);
}

#[test]
fn a_run_that_did_not_wait_says_beside_which_it_was_measured() {
    let home = home();
    let first = measuring(&home);
    let said = home.cupel(&["run", "short", "--anyway"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    end(first);
    for format in ["table", "markdown"] {
        let shown = home.cupel(&["show", "2", "--format", format]).out;
        assert!(shown.contains("measured at the same time as run 1 of q"), "{format}: {shown}");
    }
    let json = home.cupel(&["show", "2", "--format", "json"]).out;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let beside = json["options"]["beside"].as_str().expect("a text");
    assert!(beside.starts_with("run 1 of q"), "{beside}");
    // With no one next to it, there is nothing to say.
    assert_eq!(home.cupel(&["run", "short", "--anyway"]).status, Some(0));
    assert!(!home.cupel(&["show"]).out.contains("measured at the same time as"));
}

#[test]
fn a_run_that_goes_on_beside_another_says_so() {
    let home = home();
    assert_eq!(home.cupel(&["run", "short"]).status, Some(0));
    home.change("update run set finished = null where id = 1");
    let first = measuring(&home);
    let said = home.cupel(&["run", "short", "--resume", "--anyway"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    end(first);
    let shown = home.cupel(&["show", "1"]).out;
    assert!(shown.contains("measured at the same time as run 2 of q"), "{shown}");
}
