//! The matrix of signals: whatever ends the tool, no runner is left, every stored round is kept,
//! and the run can be resumed.

use super::{honest_and_slow, processes_of};
use crate::support::{Home, WATCHDOG};
use std::os::unix::process::CommandExt;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

const FINISHED: &str = "select count(*) from run where finished is not null";

/// A run that gets signals after its first rounds, and how the tool ended.
fn ended_by(signals: &[i32]) -> (Home, Output) {
    let home = honest_and_slow();
    let mut command = home.command();
    command.args(["run", "q", "--format", "json"]).stdout(Stdio::null());
    // Whatever started the tests may ignore signals, as shells do for jobs in the background.
    // SAFETY: the calls take numbers and a constant.
    unsafe {
        command.pre_exec(|| {
            for signal in [libc::SIGINT, libc::SIGQUIT, libc::SIGHUP] {
                libc::signal(signal, libc::SIG_DFL);
            }
            Ok(())
        });
    }
    let child = command.stderr(Stdio::piped()).spawn().expect("cupel starts");
    let began = Instant::now();
    while home.count("select count(*) from round") < 3 {
        assert!(began.elapsed() < WATCHDOG, "no round came");
        std::thread::sleep(Duration::from_millis(2));
    }
    for signal in signals {
        // SAFETY: kill() takes two numbers and touches no memory; the child is not waited for.
        unsafe { libc::kill(child.id() as i32, *signal) };
    }
    (home, child.wait_with_output().unwrap())
}

#[test]
fn every_signal_ends_the_tool_with_its_runners_and_the_run_goes_on() {
    use libc::{SIGHUP, SIGINT, SIGKILL, SIGQUIT, SIGTERM};
    let once = "goes on";
    let mut faults = Vec::new();
    for (name, signals, status, says) in [
        ("Ctrl-C", &[SIGINT][..], Some(130), once),
        ("Ctrl-C twice", &[SIGINT, SIGINT], Some(130), ""),
        ("SIGTERM", &[SIGTERM], Some(130), once),
        ("SIGHUP", &[SIGHUP], Some(130), once),
        ("SIGQUIT", &[SIGQUIT], None, ""),
        ("SIGKILL", &[SIGKILL], None, ""),
    ] {
        // On a busy machine, the run may be over before the signals come.
        let (home, output) = std::iter::repeat_with(|| ended_by(signals))
            .take(20)
            .find(|(home, _)| home.count(FINISHED) == 0)
            .expect("it is tried until one comes in time");
        let err = String::from_utf8_lossy(&output.stderr);
        if output.status.code() != status || !err.contains(says) || err.contains("panicked") {
            faults.push(format!("{name}: ends with {:?}: {err}", output.status));
        }
        let left = processes_of(home.store().to_str().unwrap());
        if !left.is_empty() {
            faults.push(format!("{name}: left {left:?}"));
        }
        let kept = home.count("select count(*) from round");
        let sum = "select cast(sum(elapsed_ns) as integer) from slice where round <= ";
        let before = home.count(&format!("{sum}{kept}"));
        let (status, cells, err) = home.run(&["--resume"]);
        if status != Some(0) || cells.all("sham/b").iter().any(|row| row["verdict"] != "slower") {
            faults.push(format!("{name}: does not go on: {status:?} {err}"));
        }
        if kept < 3 || home.count(&format!("{sum}{kept}")) != before {
            faults.push(format!("{name}: rounds were lost or changed"));
        }
        if home.count(FINISHED) != 1 {
            faults.push(format!("{name}: another run was begun"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
