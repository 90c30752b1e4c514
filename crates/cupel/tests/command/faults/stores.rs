//! The matrix of accidents of a store: each command ends with the reason and what to do, and
//! earlier rows are still there.

use super::honest;
use crate::support::{Home, Said, WATCHDOG};
use std::process::Command;

/// An accident of a store, and the message about it.
struct Case {
    name: &'static str,
    /// The accident of a finished run's store.
    befalls: fn(&Home),
    /// The command that is run then.
    verb: &'static [&'static str],
    says: &'static [&'static str],
}

/// A page in the middle, of which nothing is left but noise.
fn spoil_pages(home: &Home) {
    home.database().execute_batch("pragma journal_mode = delete").unwrap();
    let mut bytes = std::fs::read(home.store()).unwrap();
    for page in bytes.chunks_mut(4096).skip(2) {
        page.fill(0xa5);
    }
    home.write("runs.sqlite", bytes);
}

fn make(home: &Home, what: impl FnOnce(&std::path::Path) -> std::io::Result<()>) {
    std::fs::remove_file(home.store()).unwrap();
    what(&home.store()).unwrap();
}

fn a_folder(home: &Home) {
    make(home, |store| std::fs::create_dir(store));
}

fn a_loop(home: &Home) {
    make(home, |store| std::os::unix::fs::symlink("runs.sqlite", store));
}

fn a_pipe(home: &Home) {
    make(home, |store| Command::new("mkfifo").arg(store).status().map(drop));
}

fn a_device(home: &Home) {
    make(home, |store| std::os::unix::fs::symlink("/dev/full", store));
}

fn below_a_file(home: &Home) {
    make(home, |store| std::os::unix::fs::symlink("suites/q.toml/runs", store));
}

fn newer(home: &Home) {
    home.database().execute_batch("pragma user_version = 99").unwrap();
}

const RUN: &[&str] = &["run", "q"];
const SHOW: &[&str] = &["show"];

#[test]
fn whatever_befalls_a_store_is_said_with_what_to_do() {
    let named = &["runs.sqlite", "--store"][..];
    let case = |name, befalls, verb, says| Case { name, befalls, verb, says };
    let cases = [
        case("spoiled pages, read", spoil_pages, SHOW, &["damaged", "use a copy of it"][..]),
        case("spoiled pages, written", spoil_pages, RUN, &["damaged", "use a copy of it"]),
        case("a newer schema, read", newer, SHOW, &["schema 99", "use the cupel that made it"]),
        case("a newer schema, written", newer, RUN, &["schema 99", "use the cupel that made it"]),
        case("a folder", a_folder, RUN, &["is a folder", "--store"]),
        case("a link to itself", a_loop, RUN, named),
        case("a pipe, read", a_pipe, SHOW, named),
        case("a pipe, written", a_pipe, RUN, named),
        case("a device", a_device, RUN, named),
        case("a file for a folder", below_a_file, RUN, named),
    ];
    let first = honest();
    assert_eq!(first.run(&[]).0, Some(0));
    first.database().execute_batch("pragma wal_checkpoint(truncate)").unwrap();
    let store = std::fs::read(first.store()).unwrap();
    let mut faults = Vec::new();
    for case in cases {
        let home = honest();
        home.write("runs.sqlite", &store);
        (case.befalls)(&home);
        let said = home.cupel(case.verb);
        let err = said.err.trim_end();
        if said.status != Some(3) || err.lines().count() > 3 {
            faults.push(format!("{}: ends with {:?}: {err}", case.name, said.status));
        }
        let lacking = case.says.iter().find(|words| !err.contains(*words));
        faults.extend(lacking.map(|words| format!("{}: no \"{words}\" in: {err}", case.name)));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Runs a shell's commands where they may mount file systems that no one else sees.
fn in_own_mounts(home: &Home, script: &str) -> Said {
    let mut command = Command::new("unshare");
    // SAFETY: geteuid has no preconditions.
    if unsafe { libc::geteuid() } != 0 {
        command.arg("--map-root-user");
    }
    home.set_up(command.args(["--mount", "sh", "-c", script]));
    command.env("CUPEL", crate::support::CUPEL).env("DISK", home.path("disk"));
    let mut command = assert_cmd::Command::from_std(command);
    Said::from(command.timeout(WATCHDOG).output().expect("unshare starts"))
}

#[test]
fn a_full_disk_costs_the_round_in_flight() {
    let home = honest();
    let run = "$CUPEL run q --format json --store $DISK/runs.sqlite";
    let fill = |free: u32, then: &str| {
        let full = 8 * 1024 - free;
        let script = format!(
            "mkdir -p $DISK; mount -t tmpfs -o size=8m none $DISK || exit 99
             head -c {full}k /dev/zero >$DISK/others || exit 98
             {run} --seed 1; echo \"ended with $?\" >&2
             rm $DISK/others; {then}"
        );
        in_own_mounts(&home, &script)
    };
    let full = "is full: free some space on it; finished forks are safe, and `cupel run SUITE \
                --resume` goes on";
    // There is no room for the store, or for the store and not for all rounds.
    let said = fill(64, &format!("{run} --seed 1"));
    assert!(said.err.contains(full) && said.err.contains("ended with 3"), "{}", said.err);
    assert_eq!(said.status, Some(0), "with room for it: {}", said.err);
    let said = fill(900, &format!("{run} --resume && $CUPEL list runs --store $DISK/runs.sqlite"));
    assert!(said.err.contains(full) && said.err.contains("ended with 3"), "{}", said.err);
    assert_eq!(said.status, Some(0), "it goes on: {}", said.err);
    assert!(said.out.contains("\"verdict\": \"slower\""), "{}", said.out);
}

#[test]
fn a_disk_that_is_read_only_is_read_and_not_written() {
    let home = honest();
    assert_eq!(home.run(&[]).0, Some(0));
    home.database().execute_batch("pragma journal_mode = delete").unwrap();
    std::fs::create_dir(home.path("disk")).unwrap();
    std::fs::copy(home.store(), home.path("disk/runs.sqlite")).unwrap();
    let read_only = "mount --bind $DISK $DISK && mount -o remount,bind,ro $DISK || exit 99";
    let said = in_own_mounts(&home, &format!("{read_only}; $CUPEL show --store $DISK/runs.sqlite"));
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert!(said.out.contains("sham/b 0.1.0 takes"), "{}", said.out);
    let said =
        in_own_mounts(&home, &format!("{read_only}; $CUPEL run q --store $DISK/runs.sqlite"));
    assert_eq!(said.status, Some(3), "{}", said.err);
    assert!(said.err.contains("runs.sqlite") && said.err.contains("--store"), "{}", said.err);
}

#[test]
#[ignore = "waits 10 s of real time: make test-all"]
fn a_locked_store_is_waited_for_and_then_named() {
    let home = honest();
    assert_eq!(home.run(&[]).0, Some(0));
    let other = home.database();
    other.execute_batch("begin exclusive").unwrap();
    let said = home.cupel(&["run", "q"]);
    assert_eq!(said.status, Some(3), "{}", said.err);
    assert!(said.err.contains("another process has it: wait for its end"), "{}", said.err);
    drop(other);
    assert_eq!(home.run(&[]).0, Some(0));
}

#[test]
fn a_store_that_is_deleted_while_it_is_written_is_said() {
    let home = super::honest_and_slow();
    let mut command = home.command();
    command.args(["run", "q"]).stdout(std::process::Stdio::null());
    let child = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
    let began = std::time::Instant::now();
    while home.count("select count(*) from round") < 3 {
        assert!(began.elapsed() < WATCHDOG, "no round came");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(home.path(&format!("runs.sqlite{end}")));
    }
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.status, Some(3), "{}", said.err);
    assert!(said.err.contains("was moved or deleted while it was written"), "{}", said.err);
}

#[test]
fn one_broken_row_is_left_out_and_said() {
    let home = honest();
    for _ in 0..2 {
        assert_eq!(home.run(&[]).0, Some(0));
    }
    for broken in ["plan = '{'", "suite = cast(x'ff' as text)", "machine = 'x'"] {
        let database = home.database();
        let before = "create table if not exists kept as select * from run";
        database.execute_batch(before).unwrap();
        home.change(&format!("update run set {broken} where id = 1"));
        for verb in [&["show"][..], &["list", "runs"], &["advise", "sha256", "64"]] {
            let said = home.cupel(verb);
            assert!(!said.err.contains("disk can be written"), "{broken}, {verb:?}: {}", said.err);
            let is_open = verb[0] == "advise" || said.status == Some(0);
            assert!(is_open, "{broken}, {verb:?}: {}", said.err);
        }
        let said = home.cupel(&["show", "1"]);
        assert_eq!(said.status, Some(3), "{broken}: {}", said.out);
        assert!(said.err.contains("damaged"), "{broken}: {}", said.err);
        let back = "update run set (plan, suite, machine) =
            (select plan, suite, machine from kept where kept.id = run.id); drop table kept";
        database.execute_batch(back).unwrap();
    }
}

#[test]
fn a_row_that_cannot_be_is_damage_and_no_figure() {
    let first = "(select min(id) from round)";
    for broken in [
        format!("update slice set cell = 999 where cell = 0 and round = {first}"),
        format!("update slice set elapsed_ns = -1.0 where cell = 0 and round = {first}"),
        format!("update slice set elapsed_ns = 1e300 where cell = 0 and round = {first}"),
        "update warm_up set cell = 999 where cell = 0".to_string(),
        "update contender set position = 999 where position = 0".to_string(),
    ] {
        let home = honest();
        assert_eq!(home.run(&[]).0, Some(0));
        home.change(&broken);
        for format in ["table", "json", "markdown"] {
            let said = home.cupel(&["show", "--format", format]);
            assert_eq!(said.status, Some(3), "{broken}, {format}: {} {}", said.out, said.err);
            assert!(said.err.contains("damaged"), "{broken}, {format}: {}", said.err);
        }
    }
}

/// A folder of somebody else, as a pipeline keeps it.
#[test]
fn a_store_in_a_folder_of_others_is_shown() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    // SAFETY: geteuid has no preconditions.
    if unsafe { libc::geteuid() } != 0 {
        return;
    }
    let home = honest();
    assert_eq!(home.run(&[]).0, Some(0));
    home.database().execute_batch("pragma wal_checkpoint(truncate)").unwrap();
    for (path, mode) in [("", 0o755), ("runs.sqlite", 0o644)] {
        std::fs::set_permissions(home.path(path), PermissionsExt::from_mode(mode)).unwrap();
    }
    let mut command = home.command();
    let said = Said::from(command.args(["show"]).uid(65534).gid(65534).output().unwrap());
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert!(said.out.contains("sham/b 0.1.0 takes"), "{}", said.out);
}
