//! The matrix of a machine's lacks: the tool says what, and blames no contender for it.

use super::{honest, processes_of};
use crate::support::{CUPEL, Cells, Home, Said, WATCHDOG};
use std::process::Command;

/// A lack, and the message about it.
struct Case {
    name: &'static str,
    /// The shell's commands before the command.
    shell: &'static str,
    verb: &'static [&'static str],
    status: i32,
    says: &'static [&'static str],
}

/// The command after a shell has taken something away. Its user may not take it back.
fn lacking(home: &Home, case: &Case) -> Said {
    let verb = case.verb.join(" ");
    let line = format!("{}\nexec {CUPEL} {verb}", case.shell);
    // SAFETY: geteuid has no preconditions.
    let mut command = if unsafe { libc::geteuid() } == 0 && case.shell.contains("-u") {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=54321", "--regid=54321", "--clear-groups", "bash"]);
        let mut chown = Command::new("chown");
        chown.args(["-R", "54321:54321"]).arg(home.path(""));
        assert!(chown.status().unwrap().success());
        command
    } else {
        Command::new("bash")
    };
    home.set_up(command.args(["-c", &line]).current_dir(home.path("")));
    let mut command = assert_cmd::Command::from_std(command);
    Said::from(command.timeout(WATCHDOG).output().expect("bash starts"))
}

#[test]
fn what_the_machine_lacks_is_named_and_blamed_on_no_contender() {
    let run = &["run", "q", "--seed", "1", "--format", "json"][..];
    let case = |name, shell, status, says| Case { name, shell, verb: run, status, says };
    let cases = [
        case("no descriptors", "ulimit -n 8", 3, &["no more descriptors", "ulimit -n"][..]),
        case("few descriptors", "ulimit -n 20", 3, &["no more descriptors", "ulimit -n"]),
        case("files of no size", "ulimit -f 0", 3, &["runs.sqlite", "name another file"]),
        case("files of some size", "ulimit -f 200", 3, &["runs.sqlite", "name another file"]),
        case("little memory", "ulimit -v 60000", 3, &["no more memory", "--resume goes on"]),
        case("no processes", "ulimit -u 1", 3, &["no more processes", "ulimit -u"]),
        case("few processes", "ulimit -u 8", 3, &["no more processes", "ulimit -u"]),
        case("no output", "exec >&-", 0, &[]),
        case("a full output", "exec >/dev/full", 3, &["standard output: No space left on device"]),
        case("no folder", "mkdir gone; cd gone; rmdir ../gone", 0, &[]),
        case("no temporary folder", "export TMPDIR=/nowhere", 0, &[]),
    ];
    let mut faults = Vec::new();
    for case in cases {
        let home = honest();
        let said = lacking(&home, &case);
        if said.status != Some(case.status) {
            faults.push(format!("{}: ends with {:?}: {}", case.name, said.status, said.err));
        }
        let lacking = case.says.iter().find(|words| !said.err.contains(*words));
        faults
            .extend(lacking.map(|words| format!("{}: no \"{words}\" in: {}", case.name, said.err)));
        if home.count("select count(*) from cell_failure where kind = 'failed'") > 0 {
            faults.push(format!("{}: a contender is blamed: {}", case.name, said.err));
        }
        let left = processes_of(home.store().to_str().unwrap());
        if !left.is_empty() {
            faults.push(format!("{}: left {left:?}", case.name));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Its store says that the run began in a year that has not come.
#[test]
fn a_clock_that_was_set_back_changes_no_figure_and_loses_no_run() {
    let home = honest();
    assert_eq!(home.run(&[]).0, Some(0));
    let shown = home.cupel(&["show", "--format", "json"]).out;
    home.change(
        "update run set started = '2091-01-01T00:00:00Z', finished = '2091-01-01T00:01:00Z'",
    );
    let later = home.cupel(&["show", "--format", "json"]);
    assert_eq!(Cells::parse(&later.out), Cells::parse(&shown), "{}", later.err);
    assert_eq!(home.run(&[]).0, Some(0), "the next run is earlier than the last");
    assert_eq!(home.count("select count(*) from run where finished is not null"), 2);
    assert_eq!(home.cupel(&["show", "2"]).status, Some(0));
}
