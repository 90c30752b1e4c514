//! A fleet on this machine: two nodes of Slurm, and hosts in two network namespaces. Contenders are
//! scripted ones on a simulated clock. Only root can have these, so for other users the tests say
//! that they were left out. `CUPEL_TEST_WITHOUT` leaves out `slurm` or `ssh`.
#![cfg(target_os = "linux")]

#[path = "../../../cupel/tests/command/support.rs"]
#[allow(dead_code)]
mod support;

#[path = "fleet/by_slurm.rs"]
mod by_slurm;
#[path = "fleet/by_ssh.rs"]
mod by_ssh;
#[path = "fleet/rounds.rs"]
mod rounds;

use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};
use support::{CUPEL, Home, WATCHDOG, sham};

/// Whether a test can run here. If a program is missing, it fails.
fn can_run(name: &str, programs: &[&str]) -> bool {
    let without = std::env::var("CUPEL_TEST_WITHOUT").unwrap_or_default();
    // SAFETY: it only returns a number.
    let root = unsafe { libc::geteuid() } == 0;
    if without.split_whitespace().any(|one| one == name) || !root {
        let why = if root { "CUPEL_TEST_WITHOUT" } else { "only root can do it" };
        println!("LEFT OUT: the test of fleets by {name} ({why})");
        return false;
    }
    for program in programs {
        let there = Command::new("sh").args(["-c", &format!("command -v {program}")]).output();
        assert!(there.unwrap().status.success(), "no {program}: run scripts/setup test");
    }
    true
}

/// A home with two scripted contenders, whose rounds take some real time. Each machine has its own
/// clock.
fn home(delay_ms: u32) -> Home {
    let home = Home::empty();
    let slow = format!(
        r#""fault": {{ "kind": "slow-answers", "at": "slice", "delay_ms": {delay_ms}, "after": 60 }}"#
    );
    let script = format!(
        r#"{{ "seed": 7, "world": {{ "noise_sd": 0.003 }}, "contenders": [
            {{ "name": "a", "primitives": ["siphash-2-4"], "fixed_ns": 100, {slow} }},
            {{ "name": "b", "primitives": ["siphash-2-4"], "fixed_ns": 300, {slow} }} ] }}"#
    );
    home.write("sham.json", script);
    let line = format!(
        "exec {} --script {} --clock $CUPEL_DATA/clock",
        sham().display(),
        home.path("sham.json").display()
    );
    home.write(
        "contenders/sham.toml",
        format!(
            "runner = \"program\"\nprefix = \"sham\"\ncommand = [\"/bin/sh\", \"-c\", {line:?}]\n"
        ),
    );
    home.suite("[64]", "baseline = \"sham/a\"");
    std::fs::create_dir(home.path("work")).unwrap();
    home
}

/// `cupel` in the home's folder `work`.
fn cupel(home: &Home, arguments: &[&str]) -> Command {
    let mut command = home.command();
    command.env_remove("CUPEL_STORE").current_dir(home.path("work")).args(arguments);
    command
}

/// Its output on both, with its status.
fn said(output: &Output) -> (Option<i32>, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(!said.contains("panicked"), "{said}");
    (output.status.code(), said)
}

fn run(home: &Home, arguments: &[&str]) -> (Option<i32>, String) {
    said(&cupel(home, arguments).output().expect("cupel starts"))
}

/// Waits for something that must happen.
fn until(what: &str, mut happened: impl FnMut() -> bool) {
    let began = Instant::now();
    while !happened() {
        assert!(began.elapsed() < WATCHDOG / 4, "this did not happen: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The processes whose command line has these words.
fn processes(words: &[&str]) -> Vec<i32> {
    let all = std::fs::read_dir("/proc").expect("/proc").flatten();
    all.filter_map(|entry| {
        let id = entry.file_name().to_str()?.parse().ok()?;
        let line = std::fs::read(entry.path().join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        words.iter().all(|word| line.contains(word)).then_some(id)
    })
    .collect()
}

fn kill(process: i32, signal: i32) {
    // SAFETY: kill() takes two numbers and touches no memory.
    unsafe { libc::kill(process, signal) };
}

/// Runs a program that must succeed.
fn must(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().expect(program);
    let (status, said) = said(&output);
    assert_eq!(status, Some(0), "{program} {arguments:?}: {said}");
    said
}

fn exists(path: &Path) -> bool {
    assert!(Path::new(CUPEL).exists());
    path.exists()
}
