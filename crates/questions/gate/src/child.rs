//! One process of a command, to its end: with a time limit, with its output in bounded memory, and
//! without the processes that it left running.
//!
//! A command is over when its shell is. Processes that it started in the background are then killed
//! with their process group, and do not count. A process that has left the group (a daemon) may
//! continue, but Cupel does not wait for it, although it may hold the output open. If this process
//! is killed, a shell that it has started kills the group.

use cupel_base::git;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// The most bytes of an output that are kept. No benchmark prints more.
pub const MOST_OUTPUT: usize = 64 << 20;

/// How many bytes of the standard error are kept: the last ones.
const MOST_ERRORS: usize = 64 << 10;

/// How much of an output may be left to read when its command has ended: more than a pipe holds.
const LEFT: usize = 1 << 21;

/// The group of the command that runs, by the number of its shell.
static RUNNING: Mutex<Option<u32>> = Mutex::new(None);

/// The input of the shell that kills the group of the command that runs when this process ends.
static GUARD: OnceLock<Option<Mutex<ChildStdin>>> = OnceLock::new();

/// The script of that shell. It reads a line for each command: its group when it begins, and none
/// when it has ended.
const GUARDING: &str =
    "while read -r group; do last=$group; done; [ -z \"$last\" ] || kill -s KILL -- \"-$last\"";

/// The consequence for a command that prints more than [`MOST_OUTPUT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Excess {
    /// It is killed: its output is the result, and cannot be read.
    Ends,
    /// None: the rest of its output is dropped.
    Dropped,
}

/// How a command ended.
#[derive(Debug)]
pub struct Ended {
    /// Its status. `None` if it was killed because it took too long; a signal's if it printed too
    /// much.
    pub status: Option<ExitStatus>,
    /// Its standard output, up to [`MOST_OUTPUT`].
    pub out: Vec<u8>,
    /// Whether it printed more than that.
    pub is_cut: bool,
    /// The end of its standard error.
    pub err: Vec<u8>,
    /// How long it took, in s.
    pub seconds: f64,
    /// The processor time of it and of its children that it waited for, in ns, if known.
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
pub fn run(mut command: Command, limit: Option<Duration>, excess: Excess) -> io::Result<Ended> {
    git::forget_repository(&mut command);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Its own group, so that the processes that it starts end with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    cupel_machine::end_with_this_process(&mut command);
    let (began, before) = (Instant::now(), cupel_machine::children_ns());
    let mut child = command.spawn()?;
    *running() = Some(child.id());
    guard(Some(child.id()));
    let ends = (excess == Excess::Ends).then(|| child.id());
    let out = child.stdout.take().map(|pipe| Kept::read_from(pipe, MOST_OUTPUT, false, ends));
    let err = child.stderr.take().map(|pipe| Kept::read_from(pipe, MOST_ERRORS, true, None));
    let is_late = watched(&mut child, limit);
    let seconds = began.elapsed().as_secs_f64();
    {
        let mut running = running();
        cupel_machine::kill_group(child.id());
        *running = None;
        guard(None);
    }
    let status = child.wait()?;
    let processor_ns = before.zip(cupel_machine::children_ns()).map(|(a, b)| b.saturating_sub(a));
    let (out, is_cut) = out.map(|kept| kept.taken()).unwrap_or_default();
    let (err, _) = err.map(|kept| kept.taken()).unwrap_or_default();
    let status = (!is_late).then_some(status);
    Ok(Ended { status, out, is_cut, err, seconds, processor_ns })
}

/// Kills the command that runs, with its group, if there is one.
pub fn end() {
    if let Some(leader) = *running() {
        cupel_machine::kill_group(leader);
    }
}

/// Names the group to kill when this process ends, however that happens. The system ends only the
/// shell of the command.
fn guard(group: Option<u32>) {
    let shell = GUARD.get_or_init(|| {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", GUARDING]).stdin(Stdio::piped());
        shell.stdout(Stdio::null()).stderr(Stdio::null());
        // A terminal sends Ctrl-C to the group of this process.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut shell, 0);
        let mut shell = shell.spawn().ok()?;
        shell.stdin.take().map(Mutex::new)
    });
    if let Some(input) = shell {
        let group = group.map_or(String::new(), |group| group.to_string());
        let mut input = input.lock().unwrap_or_else(PoisonError::into_inner);
        // Without that shell, only the command's own ends with this process.
        let _ = writeln!(input, "{group}");
    }
}

/// Kills this command, with its group, if it is the one that runs. Returns whether it was.
fn end_this(leader: u32) -> bool {
    let running = running();
    let is_this = *running == Some(leader);
    if is_this {
        cupel_machine::kill_group(leader);
    }
    is_this
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
            cupel_machine::kill_group(leader);
        }
        is_late
    });
    await_end(child);
    drop(ended);
    guard.join().unwrap_or_default()
}

fn await_end(child: &mut Child) {
    // A signal may end the wait.
    while cupel_machine::end_of(child) == cupel_machine::End::NotYet {
        cupel_machine::await_end(child);
    }
}

/// The part of an output that is kept. Another thread reads it while the command runs; the rest is
/// read at its end, without waiting for whatever else holds the pipe open.
struct Kept(Arc<(File, Mutex<Bytes>)>);

struct Bytes {
    kept: Vec<u8>,
    most: usize,
    /// Whether the last bytes are kept, and not the first ones.
    is_tail: bool,
    is_cut: bool,
    /// No one wants more.
    is_over: bool,
}

impl Kept {
    /// `ends` is the command that is killed once it has printed more than `most`.
    fn read_from(pipe: impl Into<OwnedFd>, most: usize, is_tail: bool, ends: Option<u32>) -> Kept {
        let bytes = Bytes { kept: Vec::new(), most, is_tail, is_cut: false, is_over: false };
        let shared = Arc::new((File::from(pipe.into()), Mutex::new(bytes)));
        cupel_machine::never_block(&shared.0);
        let read = Arc::clone(&shared);
        std::thread::spawn(move || {
            let (pipe, bytes) = &*read;
            loop {
                cupel_machine::await_input(pipe, None);
                let mut bytes = bytes.lock().unwrap_or_else(PoisonError::into_inner);
                if bytes.read(pipe) == Some(0) {
                    return;
                }
                let ends = ends.filter(|_| bytes.is_cut);
                drop(bytes);
                if ends.is_some_and(end_this) {
                    return;
                }
            }
        });
        Kept(shared)
    }

    /// The bytes, and whether there were more.
    fn taken(self) -> (Vec<u8>, bool) {
        let (pipe, bytes) = &*self.0;
        let mut bytes = bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let mut left = LEFT;
        while let Some(read) = bytes.read(pipe).filter(|read| (1..=left).contains(read)) {
            left -= read;
        }
        bytes.is_over = true;
        (std::mem::take(&mut bytes.kept), bytes.is_cut)
    }
}

impl Bytes {
    /// Reads the next piece. Returns its length: 0 at the end, `None` if there is nothing now.
    fn read(&mut self, mut pipe: &File) -> Option<usize> {
        if self.is_over {
            return Some(0);
        }
        let mut piece = [0; 1 << 14];
        match pipe.read(&mut piece) {
            Ok(read) => {
                self.add(&piece[..read]);
                Some(read)
            }
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => None,
            Err(_) => Some(0),
        }
    }

    fn add(&mut self, piece: &[u8]) {
        if self.is_tail {
            self.kept.extend_from_slice(piece);
            if self.kept.len() > 2 * self.most {
                self.kept.drain(..self.kept.len() - self.most);
            }
            return;
        }
        let room = self.most - self.kept.len();
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
        run(shell, limit, Excess::Dropped).expect("a shell")
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
