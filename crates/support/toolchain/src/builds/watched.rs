//! Runs a build to its end, and reports now and then that it continues.

use std::io;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How often a build gives a sign of life.
const EVERY: Duration = Duration::from_secs(10);

/// Runs a command without input. Prints `what`, then every ten seconds how long it has taken.
///
/// # Errors
/// If it cannot be started, or its output cannot be read.
pub fn run(command: &mut Command, what: &str, say: &dyn Fn(&str)) -> io::Result<Output> {
    run_every(EVERY, command, what, say)
}

fn run_every(
    every: Duration,
    command: &mut Command,
    what: &str,
    say: &dyn Fn(&str),
) -> io::Result<Output> {
    say(what);
    let began = Instant::now();
    let child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (sender, ended) = channel();
    // It reads the output, which would otherwise fill its pipe.
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    loop {
        match ended.recv_timeout(every) {
            Ok(output) => return output,
            Err(RecvTimeoutError::Timeout) => {
                say(&format!("{what}, {:.0} s so far", began.elapsed().as_secs_f64()));
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(io::Error::other("its output was lost"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn a_build_that_lasts_gives_signs_of_life() {
        let folder = tempfile::tempdir().unwrap();
        let seen = folder.path().join("seen");
        let said = RefCell::new(Vec::new());
        let say = |line: &str| {
            said.borrow_mut().push(line.to_string());
            if line.ends_with(" s so far") {
                std::fs::write(&seen, "").unwrap();
            }
        };
        // It ends after the first report that it continues.
        let script = "until test -e seen; do sleep 0.01; done; echo done";
        let mut command = Command::new("sh");
        let command = command.args(["-c", script]).current_dir(folder.path());
        let output = run_every(Duration::from_millis(1), command, "building x", &say).unwrap();
        assert_eq!(output.stdout, b"done\n");
        assert_eq!(said.borrow()[0], "building x");
        assert_eq!(said.borrow()[1], "building x, 0 s so far");
    }
}
