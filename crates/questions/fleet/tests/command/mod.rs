//! Fleets without Slurm and ssh: merged stores, refusals, and messages. The tests with Slurm and
//! ssh are in `tests/fleet.rs`.

use crate::support::{Home, Said, WATCHDOG};
use rusqlite::Connection;
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A home whose folder `fleet-q` is a fleet of two machines that have measured with one seed, and
/// have begun at the same time.
fn home() -> Home {
    let home = Home::with(json!([
        { "name": "a", "primitives": ["siphash-2-4"], "fixed_ns": 100 },
        { "name": "b", "primitives": ["siphash-2-4"], "fixed_ns": 300 },
    ]));
    home.suite("[64]", "baseline = \"sham/a\"");
    for node in ["n1", "n2"] {
        std::fs::create_dir_all(home.path(&format!("fleet-q/machines/{node}"))).unwrap();
        let said = at(&home, node, &["run", "q", "--seed", "1"]);
        assert_eq!(said.status, Some(0), "{}", said.err);
        change(&store(&home, node), "update run set started = '2026-11-23T12:00:00Z'");
    }
    home.write(
        "fleet-q/fleet.toml",
        "version = 1\nsuite = \"q\"\narguments = []\ntool = \"0.1.0\"\nengine = \"ssh\"\n\
         began_in = \".\"\n[[machine]]\nname = \"n1\"\n[[machine]]\nname = \"n2\"\n",
    );
    home
}

/// The command on a node, with the node's store.
fn at(home: &Home, node: &str, arguments: &[&str]) -> Said {
    let mut command = home.command();
    command.env("CUPEL_NODE", node).env("CUPEL_STORE", store(home, node));
    output(command, arguments)
}

/// `cupel fleet` in the home's folder.
fn fleet(home: &Home, arguments: &[&str]) -> Said {
    let mut command = home.command();
    command.env_remove("CUPEL_STORE").current_dir(home.path("")).arg("fleet");
    output(command, arguments)
}

fn output(command: std::process::Command, arguments: &[&str]) -> Said {
    let mut command = assert_cmd::Command::from_std(command);
    Said::from(command.args(arguments).timeout(WATCHDOG).output().expect("cupel starts"))
}

fn store(home: &Home, node: &str) -> PathBuf {
    home.path(&format!("fleet-q/machines/{node}/runs.sqlite"))
}

fn change(store: &Path, sql: &str) {
    Connection::open(store).unwrap().execute_batch(sql).unwrap();
}

/// Every row of every run, with the numbers of rows left out: two copies of one run are equal.
fn rows(store: &Path, node: &str) -> Vec<String> {
    let db = Connection::open(store).unwrap();
    let mut all = Vec::new();
    for sql in [
        "select suite_text || plan || machine || started || finished || measured_ns from run
         where json_extract(machine, '$.node') = ?1",
        "select fork.ordinal || ' ' || comparison || ' ' || round.ordinal || ' ' || cell || ' ' ||
                position || ' ' || iterations || ' ' || elapsed_ns
         from slice join round on round.id = round join fork on fork.id = round.fork
         join run on run.id = fork.run where json_extract(machine, '$.node') = ?1
         order by round.id, cell",
        "select cell || ' ' || elapsed_ns from warm_up join fork on fork.id = fork
         join run on run.id = fork.run where json_extract(machine, '$.node') = ?1
         order by fork.id, cell",
    ] {
        let mut select = db.prepare(sql).unwrap();
        let texts = select.query_map([node], |row| row.get::<_, Option<String>>(0)).unwrap();
        all.extend(texts.map(|text| text.unwrap().unwrap_or_default()));
    }
    all
}

/// Makes a finished run one that was killed after its first fork.
const KILLED: &str = "
    delete from slice where round in (select id from round where fork > 1);
    delete from round where fork > 1;
    delete from warm_up where fork > 1;
    delete from fork where id > 1;
    update run set finished = null, measured_ns = 1;";

#[test]
fn two_machines_of_one_kind_that_begin_at_once_are_two() {
    let home = home();
    let said = fleet(&home, &["collect"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert!(said.out.starts_with("2 runs added; "), "{}", said.out);
    let collected = home.path("fleet-q/collected.sqlite");
    for node in ["n1", "n2"] {
        assert_eq!(rows(&collected, node), rows(&store(&home, node), node), "{node}");
    }
    let said = fleet(&home, &["collect"]);
    assert!(said.out.starts_with("0 runs added, 2 already there; "), "{}", said.out);
}

#[test]
fn what_is_unfinished_comes_as_far_as_it_is_and_the_rest_later() {
    let home = home();
    let (one, whole) = (store(&home, "n1"), home.path("whole.sqlite"));
    std::fs::copy(&one, &whole).unwrap();
    change(&one, KILLED);
    let collected = home.path("fleet-q/collected.sqlite");
    let said = fleet(&home, &["collect"]);
    assert_eq!(said.status, Some(1), "one has stopped");
    assert!(said.out.starts_with("2 runs added, 1 not finished yet; "), "{}", said.out);
    assert_eq!(rows(&collected, "n1"), rows(&one, "n1"));
    // An ordinary import leaves unfinished runs out.
    let said = home.cupel(&["import", &one.display().to_string()]);
    assert!(said.out.contains("0 runs added, 1 unfinished and not added"), "{}", said.out);

    std::fs::copy(&whole, &one).unwrap();
    let said = fleet(&home, &["collect"]);
    assert!(said.out.starts_with("0 runs added, 1 continued, 1 already there; "), "{}", said.out);
    for node in ["n1", "n2"] {
        assert_eq!(rows(&collected, node), rows(&store(&home, node), node), "{node}");
    }
    // An older copy takes nothing away.
    change(&one, KILLED);
    let said = fleet(&home, &["collect"]);
    assert!(
        said.out.starts_with("0 runs added, 2 already there, 1 not finished yet"),
        "{}",
        said.out
    );
    assert_eq!(rows(&collected, "n1"), rows(&whole, "n1"));
}

#[test]
fn a_store_with_other_rounds_is_left_out_as_a_whole() {
    let home = home();
    let (one, whole) = (store(&home, "n1"), home.path("whole.sqlite"));
    std::fs::copy(&one, &whole).unwrap();
    change(&one, KILLED);
    fleet(&home, &["collect"]);
    let collected = home.path("fleet-q/collected.sqlite");
    let before = rows(&collected, "n1");
    std::fs::copy(&whole, &one).unwrap();
    change(&one, "update slice set elapsed_ns = elapsed_ns * 2 where round = 3");
    let said = fleet(&home, &["collect"]);
    assert_eq!(said.status, Some(1), "{}", said.out);
    assert!(said.out.starts_with("0 runs added, 1 already there; "), "{}", said.out);
    assert!(
        said.out.contains("  n1  left out: ") && said.out.contains("other rounds"),
        "{}",
        said.out
    );
    assert!(said.out.contains("machines/n1/runs.sqlite"), "the store has its name: {}", said.out);
    assert_eq!(rows(&collected, "n1"), before);
}

#[test]
fn a_run_never_goes_on_on_another_node() {
    let home = home();
    change(&store(&home, "n1"), KILLED);
    std::fs::copy(store(&home, "n1"), store(&home, "n2")).unwrap();
    let said = at(&home, "n2", &["run", "q", "--resume"]);
    assert_eq!(said.status, Some(3), "{}", said.out);
    assert!(said.err.contains("begun on n1 of a fleet, and this is n2"), "{}", said.err);
    let said = at(&home, "n1", &["run", "q", "--resume"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
}

#[test]
fn a_masked_machine_is_another_one_and_says_so() {
    let home = home();
    let mut command = home.command();
    command.env("OPENSSL_ia32cap", "~0x200000000000000");
    let said = output(command, &["run", "q"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let masked = "STANDS IN FOR ANOTHER CPU: code paths are masked by OPENSSL_ia32cap=~0x2";
    assert!(words.contains(masked), "{words}");
    home.cupel(&["run", "q"]);
    assert_eq!(home.count("select count(distinct fingerprint) from run"), 2);
}

#[test]
fn the_status_says_what_stopped_and_nothing_steers_the_terminal() {
    let home = home();
    change(&store(&home, "n2"), KILLED);
    home.write("fleet-q/task-1.log", "more\nerror: \u{1b}[2Jno memory\n  help: buy some\n\n");
    let file = home.path("fleet-q/fleet.toml");
    let two = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, two + "[[machine]]\nname = \"another\"\n").unwrap();
    let said = fleet(&home, &["status", "fleet-q"]);
    assert_eq!(said.status, Some(1));
    assert!(said.out.starts_with("1 of 3 machines is finished, 2 stopped\n"), "{}", said.out);
    assert!(said.out.contains("\n  n1       finished; 3 forks, "), "{}", said.out);
    let stopped = "\n  n2       stopped: error: \\u{1b}[2Jno memory; 1 fork, ";
    assert!(said.out.contains(stopped), "{}", said.out);
    assert!(said.out.contains("`cupel fleet run --resume fleet-q`"), "{}", said.out);
}

#[test]
fn a_mistake_is_said_before_anything_begins() {
    let home = home();
    home.write("hosts.toml", "[[host]]\naddress = \"-oProxyCommand=id\"\n");
    let wrong: [(&[&str], &str); 8] = [
        (
            &["run", "q", "--ssh", "hosts.toml", "--dir", "f"],
            "hosts.toml:2: \"-oProxyCommand=id\" is not an address",
        ),
        (&["run", "nothing"], "nothing"),
        (&["run", "q", "--", "--forks", "1"], "after `--`: invalid value '1' for '--forks <N>'"),
        (&["run", "q", "--", "--resume"], "--resume is not for the runs of a fleet"),
        (&["run", "q", "--env", "CUPEL_CPU=none"], "write FEATURE:NAME=VALUE"),
        (&["run", "--resume", "elsewhere"], "has no fleet.toml"),
        (&["status", "elsewhere"], "has no fleet.toml"),
        (&["task", "fleet-q"], "SLURM_ARRAY_TASK_ID is not set"),
    ];
    for (arguments, expected) in wrong {
        let said = fleet(&home, arguments);
        assert_eq!(said.status, Some(3), "{arguments:?}: {}{}", said.out, said.err);
        assert!(said.err.contains(expected), "{arguments:?}: {}", said.err);
    }
    assert!(!home.path("f").exists(), "nothing has begun");
    // Without Slurm: what to do.
    let mut command = home.command();
    command.env("PATH", home.path("nothing")).current_dir(home.path(""));
    let said = output(command, &["fleet", "run", "q", "--dir", "f"]);
    assert_eq!(said.status, Some(3));
    assert!(
        said.err.contains("cannot start sinfo") && said.err.contains("--ssh hosts.toml"),
        "{}",
        said.err
    );
    // Its commands are here, and it does not run.
    let folder = home.path("silent");
    std::fs::create_dir(&folder).unwrap();
    let sinfo = folder.join("sinfo");
    std::fs::write(&sinfo, "#!/bin/sh\necho unknown host >&2\nexit 1\n").unwrap();
    std::fs::set_permissions(&sinfo, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = home.command();
    command.env("PATH", folder).current_dir(home.path(""));
    let said = output(command, &["fleet", "run", "q", "--dir", "f"]);
    assert!(
        said.err.contains("sinfo failed: unknown host") && said.err.contains("--ssh hosts.toml"),
        "{}",
        said.err
    );
    assert!(!home.path("f").exists(), "nothing has begun");
}
