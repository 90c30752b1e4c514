//! No runner outlives the tool, and Ctrl-C ends the tool at once, whatever a runner does.

use crate::support::{Home, WATCHDOG, children};
use serde_json::json;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// A contender that stops answering in the rounds, with a tool that would wait for an hour.
fn hanging() -> (Home, Child) {
    let hang = json!({ "kind": "hang", "at": "slice", "after": 250 });
    let home = Home::with(json!([
        { "name": "a", "primitives": ["siphash-2-4"], "fixed_ns": 100 },
        { "name": "b", "primitives": ["siphash-2-4"], "fixed_ns": 300, "fault": hang },
    ]));
    home.suite("[64]", "baseline = \"sham/a\"");
    let mut command = home.command();
    command
        .args(["run", "q", "--patience", "1h", "--precision", "0%", "--budget", "60s"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("cupel starts");
    // It hangs once the number of rounds stays.
    let began = Instant::now();
    let mut last = (0, Instant::now());
    while last.0 == 0 || last.1.elapsed() < Duration::from_millis(500) {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        assert!(began.elapsed() < WATCHDOG, "no round came");
        let rounds = home.count("select count(*) from round");
        if rounds != last.0 {
            last = (rounds, Instant::now());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    (home, child)
}

fn runners(home: &Home, child: &Child) -> Vec<i32> {
    let found = children(child.id(), home.path("sham.json").to_str().unwrap());
    assert!(found.len() >= 3, "two contenders and a control, not {found:?}");
    found
}

/// Waits until these processes have ended; fails if they stay.
fn have_ended(processes: &[i32]) {
    let began = Instant::now();
    // Those that no one waits for any more may be zombies.
    let lives = |process: &&i32| {
        let stat =
            std::fs::read_to_string(Path::new("/proc").join(process.to_string()).join("stat"));
        stat.is_ok_and(|stat| !stat.contains(") Z ") && !stat.contains(") X "))
    };
    while let Some(process) = processes.iter().find(lives) {
        assert!(began.elapsed() < Duration::from_secs(10), "runner {process} lives on");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
#[ignore = "says how soon a process ends, in real time: make test-all"]
fn ctrl_c_ends_the_tool_and_a_runner_that_does_not_answer() {
    let (home, mut child) = hanging();
    let runners = runners(&home, &child);
    let began = Instant::now();
    // SAFETY: kill() takes two numbers and touches no memory; the child is not waited for yet.
    unsafe { libc::kill(child.id() as i32, libc::SIGINT) };
    let status = child.wait().unwrap();
    // A second, and the delay of a busy machine.
    assert!(began.elapsed() < Duration::from_secs(5), "it took {:?}", began.elapsed());
    assert_eq!(status.code(), Some(130));
    have_ended(&runners);
    let mut said = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut said).unwrap();
    assert!(said.contains("`cupel run q --resume` goes on"), "{said}");
    // That the tool killed a runner is not a failure of its contender.
    assert_eq!(home.count("select count(*) from cell_failure"), 0);
}

#[test]
#[ignore = "says how soon a process ends, in real time: make test-all"]
fn a_runner_that_does_not_answer_ends_with_a_killed_tool() {
    let (home, mut child) = hanging();
    let runners = runners(&home, &child);
    child.kill().unwrap();
    child.wait().unwrap();
    have_ended(&runners);
    assert_eq!(home.count("select count(*) from cell_failure"), 0);
}
