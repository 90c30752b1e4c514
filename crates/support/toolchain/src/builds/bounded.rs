//! Runs a program to its end, with a time limit and a limit on its output: a program that the user
//! names may be anything.

use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How much of an output is kept. The rest is read and dropped.
const MOST_OUTPUT: usize = 1 << 20;

/// The output of a program.
pub struct Output {
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output.
    pub out: String,
    /// Its standard error.
    pub err: String,
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// It did not start.
    #[error("cannot be started: {0}")]
    Start(#[from] std::io::Error),
    /// It was killed.
    #[error("did not end within {} s", .0.as_secs_f64())]
    Slow(Duration),
}

/// Runs a program without input.
///
/// # Errors
/// If it does not start, or does not end in time. It is then killed.
pub fn run(command: &mut Command, patience: Duration) -> Result<Output, Trouble> {
    // Its own process group, so that children of a driver end with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        let out = scope.spawn(move || out.map(text).unwrap_or_default());
        let err = scope.spawn(move || err.map(text).unwrap_or_default());
        let status = wait(&mut child, patience);
        // Even after success: a child that stays may keep its output open for ever.
        end(&mut child);
        let (out, err) = (out.join().unwrap_or_default(), err.join().unwrap_or_default());
        Ok(Output { status: status?, out, err })
    })
}

fn wait(child: &mut Child, patience: Duration) -> Result<ExitStatus, Trouble> {
    let began = Instant::now();
    let mut pause = Duration::from_micros(500);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if began.elapsed() >= patience {
            return Err(Trouble::Slow(patience));
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    }
}

fn end(child: &mut Child) {
    #[cfg(unix)]
    if let Ok(group) = libc::pid_t::try_from(child.id()) {
        // SAFETY: a signal to the group that was made for this child.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
    let _ = child.kill();
    let _ = child.wait();
}

fn text(mut from: impl Read) -> String {
    let mut bytes = Vec::new();
    let mut piece = [0; 1 << 14];
    while let Ok(n) = from.read(&mut piece) {
        if n == 0 {
            break;
        }
        let room = MOST_OUTPUT.saturating_sub(bytes.len());
        bytes.extend_from_slice(&piece[..n.min(room)]);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_never_ends_is_killed() {
        let began = Instant::now();
        let endless =
            run(Command::new("sh").args(["-c", "yes & wait"]), Duration::from_millis(200));
        assert!(matches!(endless, Err(Trouble::Slow(_))));
        assert!(began.elapsed() < Duration::from_secs(20), "and so is what it has started");
    }

    #[test]
    fn both_streams_and_the_status_are_returned() {
        let mut command = Command::new("sh");
        let said = run(command.args(["-c", "echo a; echo b >&2; exit 3"]), Duration::from_secs(20));
        let said = said.unwrap();
        assert_eq!(
            (said.out.as_str(), said.err.as_str(), said.status.code()),
            ("a\n", "b\n", Some(3))
        );
    }
}
