//! One process of a command, to its end: with a time limit, with its output in bounded memory, and
//! without what it left running.
//!
//! A command is over when its shell is. What it has started in the background is killed then, with
//! its process group, and does not count. If something has left the group (a daemon), it may go
//! on, but no one waits for it, although it may hold the output open.

use cupel_base::{git, machine};
use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The most bytes of an output that are kept. No benchmark prints more.
pub const MOST_OUTPUT: usize = 64 << 20;

/// How many bytes of the standard error are kept: the last ones.
const MOST_ERRORS: usize = 64 << 10;

/// How long the output of an ended command may take to arrive. A pipe holds 64 KiB, so all of it
/// is there, unless something else holds the pipe open.
const LATE: Duration = Duration::from_millis(500);

/// The group of the command that runs, by the number of its shell.
static RUNNING: Mutex<Option<u32>> = Mutex::new(None);

/// How a command ended.
#[derive(Debug)]
pub struct Ended {
    /// Its status. `None` if it was killed because it took too long.
    pub status: Option<ExitStatus>,
    /// Its standard output, up to [`MOST_OUTPUT`].
    pub out: Vec<u8>,
    /// Whether it printed more than that.
    pub is_cut: bool,
    /// The end of its standard error.
    pub err: Vec<u8>,
    /// How long it took, in s.
    pub seconds: f64,
    /// The processor time of it and of what it waited for, in ns, if it is known.
    pub processor_ns: Option<u64>,
}

impl Ended {
    /// Whether it ended in time and well.
    pub fn is_well(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }
}

/// Runs a command without input and without the variables of a Git repository. It ends with this
/// process.
///
/// # Errors
/// If it does not start.
pub fn run(mut command: Command, limit: Option<Duration>) -> io::Result<Ended> {
    git::forget_repository(&mut command);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Its own group, so that what it starts ends with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    machine::end_with_this_process(&mut command);
    let (began, before) = (Instant::now(), machine::children_ns());
    let mut child = command.spawn()?;
    *running() = Some(child.id());
    let out = child.stdout.take().map(|pipe| Kept::of(pipe, MOST_OUTPUT, false));
    let err = child.stderr.take().map(|pipe| Kept::of(pipe, MOST_ERRORS, true));
    let is_late = watched(&mut child, limit);
    let seconds = began.elapsed().as_secs_f64();
    {
        let mut running = running();
        machine::kill_group(child.id());
        *running = None;
    }
    let status = child.wait()?;
    let processor_ns = before.zip(machine::children_ns()).map(|(a, b)| b.saturating_sub(a));
    let (out, is_cut) = out.map(|kept| kept.taken()).unwrap_or_default();
    let (err, _) = err.map(|kept| kept.taken()).unwrap_or_default();
    let status = (!is_late).then_some(status);
    Ok(Ended { status, out, is_cut, err, seconds, processor_ns })
}

/// Kills the command that runs, with its group, if there is one.
pub fn end() {
    if let Some(leader) = *running() {
        machine::kill_group(leader);
    }
}

fn running() -> MutexGuard<'static, Option<u32>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for the end of a command, and leaves it unread. Returns whether it had to be killed.
fn watched(child: &mut Child, limit: Option<Duration>) -> bool {
    let Some(limit) = limit else {
        await_end(child);
        return false;
    };
    let leader = child.id();
    let (ended, has_ended) = channel::<()>();
    // The thread that started the child must be the one that waits: see `end_with_this_process`.
    let guard = std::thread::spawn(move || {
        let is_late = has_ended.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
        if is_late {
            // The child is not yet waited for, so the number is still its own.
            machine::kill_group(leader);
        }
        is_late
    });
    await_end(child);
    drop(ended);
    guard.join().unwrap_or_default()
}

fn await_end(child: &mut Child) {
    // A signal may end the wait.
    while machine::end_of(child) == machine::End::NotYet {
        machine::await_end(child);
    }
}

/// What is kept of an output that another thread reads.
struct Kept {
    bytes: Arc<Mutex<Bytes>>,
    end: Receiver<()>,
}

#[derive(Default)]
struct Bytes {
    kept: Vec<u8>,
    is_cut: bool,
    /// No one wants more.
    is_over: bool,
}

impl Kept {
    fn of(mut pipe: impl Read + Send + 'static, most: usize, is_tail: bool) -> Kept {
        let bytes = Arc::new(Mutex::new(Bytes::default()));
        let (ended, end) = channel();
        let shared = Arc::clone(&bytes);
        std::thread::spawn(move || {
            let mut piece = vec![0; 1 << 16];
            while let Ok(n) = pipe.read(&mut piece) {
                let mut bytes = shared.lock().unwrap_or_else(PoisonError::into_inner);
                if n == 0 || bytes.is_over {
                    break;
                }
                bytes.add(&piece[..n], most, is_tail);
            }
            drop(ended);
        });
        Kept { bytes, end }
    }

    /// The bytes, and whether there were more.
    fn taken(self) -> (Vec<u8>, bool) {
        let _ = self.end.recv_timeout(LATE);
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        bytes.is_over = true;
        (std::mem::take(&mut bytes.kept), bytes.is_cut)
    }
}

impl Bytes {
    fn add(&mut self, piece: &[u8], most: usize, is_tail: bool) {
        if is_tail {
            self.kept.extend_from_slice(piece);
            if self.kept.len() > 2 * most {
                self.kept.drain(..self.kept.len() - most);
            }
            return;
        }
        let room = most - self.kept.len();
        self.is_cut |= piece.len() > room;
        self.kept.extend_from_slice(&piece[..piece.len().min(room)]);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Option<Duration>) -> Ended {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", script]);
        run(shell, limit).expect("a shell")
    }

    #[test]
    fn a_command_that_does_not_end_is_killed_with_what_it_started() {
        let began = Instant::now();
        let ended = shell("echo a; sleep 9999 | sleep 9999", Some(Duration::from_millis(300)));
        assert!(ended.status.is_none() && ended.out == b"a\n", "{ended:?}");
        assert!(began.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn what_a_command_leaves_running_is_not_waited_for() {
        for left in ["sleep 9999 &", "setsid sleep 120 &"] {
            let began = Instant::now();
            let ended = shell(&format!("{left} echo a; echo b >&2"), None);
            assert!(ended.is_well() && ended.out == b"a\n" && ended.err == b"b\n", "{ended:?}");
            assert!(ended.seconds < 60.0 && began.elapsed() < Duration::from_secs(60));
        }
    }

    #[test]
    fn an_output_has_an_end() {
        let more = MOST_OUTPUT + 5;
        let ended = shell(&format!("head -c {more} /dev/zero; echo last >&2"), None);
        assert!(ended.is_cut && ended.out.len() == MOST_OUTPUT);
        assert_eq!(ended.err, b"last\n");
        let ended = shell("head -c 1000000 /dev/zero >&2; echo last >&2", None);
        assert!(ended.err.len() <= 2 * MOST_ERRORS && ended.err.ends_with(b"last\n"));
    }
}
