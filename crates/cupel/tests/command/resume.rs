//! A run may be killed at any moment: the store keeps its rows, and `--resume` finishes the run as
//! if nothing had happened.

use crate::support::{CUPEL, Cells, Home, WATCHDOG, number};
use serde_json::json;
use std::collections::BTreeMap;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// Contenders whose slices take a millisecond of real time from the rounds on, so that a kill comes
/// in the middle of something.
fn home() -> Home {
    let slow = json!({ "kind": "slow-answers", "at": "slice", "delay_ms": 1, "after": 100 });
    let home = Home::with(json!([
        { "name": "a", "primitives": ["siphash-2-4"], "fixed_ns": 100, "fault": slow },
        { "name": "b", "primitives": ["siphash-2-4"], "fixed_ns": 300, "fault": slow },
    ]));
    home.suite("[64, 1024]", "baseline = \"sham/a\"");
    home
}

/// A round in the store: fork, comparison, ordinal and its slices.
type Rounds = BTreeMap<i64, (i64, i64, i64, Vec<(i64, i64, i64, f64, Option<String>)>)>;

fn rounds(home: &Home) -> Rounds {
    let mut rounds = Rounds::new();
    if home.count("select count(*) from sqlite_master where name = 'round'") == 0 {
        return rounds;
    }
    let store = home.database();
    let mut select = store
        .prepare(
            "select round.id, fork, comparison, ordinal, cell, position, iterations, elapsed_ns,
                    disturbed
             from round left join slice on slice.round = round.id order by round.id, position",
        )
        .unwrap();
    let mut rows = select.query([]).unwrap();
    while let Some(row) = rows.next().unwrap() {
        let get = |column: usize| row.get::<_, i64>(column).unwrap();
        let round = rounds.entry(get(0)).or_insert((get(1), get(2), get(3), Vec::new()));
        round.3.push((get(4), get(5), get(6), row.get(7).unwrap(), row.get(8).unwrap()));
    }
    rounds
}

/// Starts a run and returns at once.
fn start(home: &Home, more: &[&str]) -> Child {
    let mut command = home.command();
    command.args(["run", "q", "--format", "json"]).args(more);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("cupel starts")
}

/// Waits until the store has this many more rounds than before, or the run ends.
fn wait_for_rounds(home: &Home, child: &mut Child, rounds: i64) {
    let began = Instant::now();
    let before = home.count("select count(*) from round");
    while home.count("select count(*) from round") < before + rounds {
        if child.try_wait().unwrap().is_some() {
            return;
        }
        assert!(began.elapsed() < WATCHDOG, "no round came");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn signal(child: &Child, signal: i32) {
    // SAFETY: kill() takes two numbers and touches no memory; the child is not waited for yet.
    unsafe { libc::kill(child.id() as i32, signal) };
}

/// The live runners of this home.
fn runners(home: &Home) -> usize {
    let file = home.path("sham.json");
    let alive = |entry: &std::fs::DirEntry| {
        let command = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let command = String::from_utf8_lossy(&command).into_owned();
        command.contains(file.to_str().unwrap()) && !command.starts_with(CUPEL)
    };
    std::fs::read_dir("/proc").expect("/proc").flatten().filter(alive).count()
}

fn no_runner_is_left(home: &Home) {
    let began = Instant::now();
    while runners(home) > 0 {
        assert!(began.elapsed() < WATCHDOG, "{} runners live on", runners(home));
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Everything that must be true of the store of a run that was interrupted and finished.
fn is_whole(home: &Home, cells: &Cells) {
    assert_eq!(home.count("select count(*) from run"), 1, "a resumed run is the same run");
    assert_eq!(home.count("select count(*) from run where finished is not null"), 1);
    assert_eq!(home.count("select count(*) from fork where finished = 1"), 3);
    let twice = "select count(*) from (select 1 from round group by fork, comparison, ordinal
                 having count(*) > 1)";
    assert_eq!(home.count(twice), 0, "a round was stored twice");
    let halves = "select count(*) from round where comparison < 2
                  and (select count(*) from slice where slice.round = round.id) != 3";
    assert_eq!(home.count(halves), 0, "half a round was stored");
    for (comparison, size) in [(0, 64), (1, 1024)] {
        let stored =
            home.count(&format!("select count(*) from round where comparison = {comparison}"));
        for name in ["sham/a", "sham/b"] {
            let row = cells.all(name).into_iter().find(|row| row["size"] == size).unwrap();
            let analysed = number(row, "rounds") + number(row, "dropped");
            assert_eq!(analysed as i64, stored, "rounds analysed and stored: {row:#}");
        }
        let row = cells.all("sham/b").into_iter().find(|row| row["size"] == size).unwrap();
        assert_eq!(row["verdict"], "slower");
        let truth = (300.0 + size as f64) / (100.0 + size as f64);
        assert!((number(row, "ratio") / truth).ln().abs() < 0.02, "{row:#}");
    }
}

/// Runs are killed until there were this many kills; a run that ends before is followed by another.
#[test]
fn a_run_survives_being_killed_at_any_moment() {
    let wanted = if std::env::var_os("CUPEL_EVIDENCE").is_some() { 100 } else { 5 };
    let mut lottery = 0x5eed_u64;
    let mut kills = Kills::default();
    while kills.all < wanted {
        let now = one_run_is_killed(wanted - kills.all, &mut lottery);
        kills = Kills { all: kills.all + now.all, in_rounds: kills.in_rounds + now.in_rounds };
    }
    let Kills { all, in_rounds } = kills;
    println!("{all} kills, {in_rounds} of them in rounds: no round lost, no process left");
    assert!(in_rounds >= all / 4, "only {in_rounds} of {all} kills came in the rounds");
}

#[derive(Default)]
struct Kills {
    all: usize,
    in_rounds: usize,
}

/// Kills a run and resumes it, at most this many times, and then lets it end.
fn one_run_is_killed(most: usize, lottery: &mut u64) -> Kills {
    let home = home();
    let mut kept = Rounds::new();
    let mut kills = Kills::default();
    while kills.all < most {
        let resume: &[&str] =
            if home.count("select count(*) from run") == 0 { &[] } else { &["--resume"] };
        let mut child = start(&home, resume);
        *lottery =
            lottery.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Every third run is killed while it starts or warms up, the others somewhere in the
        // rounds.
        if kills.all % 3 == 1 {
            std::thread::sleep(Duration::from_millis(*lottery >> 57));
        } else {
            wait_for_rounds(&home, &mut child, 1);
            std::thread::sleep(Duration::from_micros(*lottery >> 50));
        }
        let ended = child.try_wait().unwrap().is_some();
        signal(&child, libc::SIGKILL);
        child.wait().unwrap();
        no_runner_is_left(&home);
        if ended {
            break;
        }
        let now = rounds(&home);
        for (id, round) in &kept {
            assert_eq!(now.get(id), Some(round), "round {id} changed at kill {}", kills.all);
        }
        kills.all += 1;
        kills.in_rounds += usize::from(now.len() > kept.len());
        kept = now;
    }
    let unfinished = home.count("select count(*) from run where finished is null") == 1;
    let (status, cells, _) = home.run(if unfinished { &["--resume"] } else { &[] });
    assert_eq!(status, Some(0));
    let now = rounds(&home);
    for (id, round) in &kept {
        assert_eq!(now.get(id), Some(round), "round {id} changed");
    }
    if unfinished {
        is_whole(&home, &cells);
        assert_eq!(Cells::parse(&home.cupel(&["show", "--format", "json"]).out).0.len(), 4);
    }
    kills
}

#[test]
fn an_interrupt_ends_the_round_prints_the_table_and_can_be_resumed() {
    let home = home();
    let mut child = start(&home, &[]);
    wait_for_rounds(&home, &mut child, 5);
    signal(&child, libc::SIGINT);
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{err}");
    assert!(err.contains("`cupel run q --resume` goes on"), "{err}");
    let cells = Cells::parse(&String::from_utf8_lossy(&output.stdout));
    assert_eq!(cells.0.len(), 4);
    assert_eq!(home.count("select count(*) from run where finished is null"), 1);
    let shown = home.cupel(&["show"]).out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.starts_with("NOT FINISHED: "), "the first words say so: {shown}");
    assert!(shown.contains(" were finished. `cupel run q --resume` goes on"), "{shown}");
    let markdown = home.cupel(&["show", "--format", "markdown"]).out;
    assert!(markdown.starts_with("**NOT FINISHED: "), "{markdown}");
    no_runner_is_left(&home);
    let before = rounds(&home);
    let (status, cells, _) = home.run(&["--resume"]);
    assert_eq!(status, Some(0));
    let after = rounds(&home);
    assert!(before.iter().all(|(id, round)| after.get(id) == Some(round)));
    is_whole(&home, &cells);
}

/// A dozen contenders at three sizes make a hundred lines, with intervals of two forks.
#[test]
fn who_ends_a_run_gets_the_answer_so_far_a_short_table_and_one_command() {
    // On a busy machine, the round in flight may take longer than the user waits.
    let late = "the round in flight did not end at once";
    let tries = std::iter::repeat_with(ended_in_its_third_fork);
    let (home, out, err) = tries.take(20).find(|(_, _, err)| !err.contains(late)).expect(late);
    assert!(out.starts_with("NOT FINISHED: 2 of 24 forks were finished. "), "{out}{err}");
    assert_eq!(out.matches("cupel run").count(), 1, "one command: {out}");
    assert!(out.contains("`cupel run q --resume`"), "{out}");
    assert_eq!(out.lines().filter(|line| line.contains(" ns ")).count(), 9, "{out}");
    assert!(out.contains("27 lines more: cupel show"), "{out}");
    assert!(out.lines().count() < 30, "{out}");
    // Two forks that far apart have no interval.
    assert!(out.contains("too few forks") && !out.contains("0.000"), "{out}");
    assert!(home.cupel(&["show"]).out.lines().count() > 60, "all of it is there");
}

/// A run of a dozen contenders that is ended in its third fork: its output and its messages.
fn ended_in_its_third_fork() -> (Home, String, String) {
    let slow = json!({ "kind": "slow-answers", "at": "slice", "delay_ms": 1, "after": 100 });
    let one = |n: usize| json!({ "name": format!("c{n:02}"), "primitives": ["siphash-2-4"], "fixed_ns": 100 + n, "fork_sd": 0.4, "fault": slow });
    let home = Home::with((0..12).map(one).collect());
    home.suite("[64, 1024, 4096]", "baseline = \"sham/c00\"");
    let mut command = home.command();
    command.args(["run", "q", "--forks", "24", "--budget", "600s"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("cupel starts");
    let began = Instant::now();
    while home.count("select count(distinct fork) from round") < 3 {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was ended");
        assert!(began.elapsed() < WATCHDOG, "no third fork came");
        std::thread::sleep(Duration::from_millis(1));
    }
    signal(&child, libc::SIGINT);
    let output = child.wait_with_output().unwrap();
    let (out, err) =
        [output.stdout, output.stderr].map(|b| String::from_utf8(b).expect("UTF-8")).into();
    assert_eq!(output.status.code(), Some(130), "{err}");
    (home, out, err)
}

#[test]
fn where_nothing_is_unfinished_resume_says_so() {
    let home = home();
    let said = home.cupel(&["run", "q", "--resume"]);
    assert_eq!(said.status, Some(3));
    assert!(said.err.contains("no run of q is unfinished; leave out --resume"), "{}", said.err);
    assert_eq!(home.count("select count(*) from run"), 0);
}

#[test]
fn a_run_does_not_go_on_with_other_programs() {
    let home = home();
    // The family again, but through its own program.
    let family = std::fs::read_to_string(home.path("contenders/sham.toml")).unwrap();
    let (before, line) = family.split_once("\"exec ").unwrap();
    let (line, after) = line.split_once('"').unwrap();
    home.write("runner.sh", format!("#!/bin/sh\nexec {line}\n"));
    let before = before.replace("\"-c\", ", "");
    let program = home.path("runner.sh");
    home.write("contenders/sham.toml", format!("{before}{program:?}{after}"));
    let mut child = start(&home, &[]);
    wait_for_rounds(&home, &mut child, 3);
    signal(&child, libc::SIGKILL);
    child.wait().unwrap();
    let kept = rounds(&home);
    let text = std::fs::read_to_string(&program).unwrap();
    home.write("runner.sh", format!("{text}# a newer build\n"));
    let said = home.cupel(&["run", "q", "--resume"]);
    assert_eq!(said.status, Some(3), "{}", said.err);
    assert!(
        said.err.contains("runner.sh has changed, or a library that it loads; leave out"),
        "{}",
        said.err
    );
    assert_eq!(rounds(&home), kept);
    home.write("runner.sh", text);
    let method = |sign: &str| {
        let set = format!("json_extract(plan, '$.method') {sign} 1");
        home.change(&format!("update run set plan = json_set(plan, '$.method', {set})"));
    };
    method("-");
    let said = home.cupel(&["run", "q", "--resume"]);
    assert_eq!(said.status, Some(3), "{}", said.err);
    assert!(said.err.contains("was begun by a Cupel that measures in another way"), "{}", said.err);
    assert_eq!(rounds(&home), kept);
    method("+");
    assert_eq!(home.run(&["--resume"]).0, Some(0), "the same program again");
}

#[test]
fn a_run_that_another_process_measures_is_not_taken_over() {
    let home = home();
    // Enough forks that it is still running when the other asks.
    let mut child = start(&home, &["--forks", "12", "--first-forks", "12"]);
    wait_for_rounds(&home, &mut child, 3);
    let said = home.cupel(&["run", "q", "--resume"]);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(said.status, Some(3), "{}", said.err);
    assert!(said.err.contains("is being measured by another process"), "{}", said.err);
    assert_eq!(home.count("select count(*) from fork"), 12);
}

#[test]
fn a_failed_cell_stays_failed_when_the_run_is_resumed() {
    let home = home();
    let bad = json!({ "contenders": [{
        "name": "x", "primitives": ["siphash-2-4"], "fault": { "kind": "wrong-fold" },
    }] });
    home.family("bad", &bad, "");
    let mut child = start(&home, &[]);
    wait_for_rounds(&home, &mut child, 6);
    signal(&child, libc::SIGKILL);
    child.wait().unwrap();
    assert!(home.count("select count(*) from cell_failure") > 0);
    let (status, cells, _) = home.run(&["--resume"]);
    assert_eq!(status, Some(1), "the failure is forgotten");
    assert!(cells.all("bad/x").iter().all(|row| row["verdict"] == "failed"), "{:#?}", cells.0);
}

#[test]
fn two_runs_at_a_time_share_one_store() {
    let home = home();
    // Both start on a store that does not exist yet.
    let children = [start(&home, &[]), start(&home, &[]), start(&home, &["--forks", "4"])];
    for child in children {
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{err}");
        let cells = Cells::parse(&String::from_utf8_lossy(&output.stdout));
        assert!(cells.all("sham/b").iter().all(|row| row["verdict"] == "slower"), "{:#?}", cells.0);
    }
    assert_eq!(home.count("select count(*) from run where finished is not null"), 3);
    assert_eq!(home.count("select count(*) from fork where finished = 1"), 10);
}
