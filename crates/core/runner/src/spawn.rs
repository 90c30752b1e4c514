//! Starts runners so that none outlives the tool, however the tool ends.
//!
//! On Linux, the system kills a runner when the *thread* that started it ends. Runners are started
//! by threads that end before them, so one thread starts them all: it ends only with the tool.
//! Elsewhere, a runner loses its input when the tool ends, and [`end_all`] kills those that the
//! tool leaves on purpose.
//!
//! The children of a runner end with it. They are in the runner's process group, unless they leave
//! that as a daemon does. On Linux, such a process is a child of the runner while that lives, and
//! then of the tool. It is known by its filter of system calls, by a limit that only root can raise,
//! or by a variable of the environment that each runner has. Only if the tool itself is killed, the
//! children of runners may remain.

use cupel_machine::End;
use std::collections::BTreeSet;
use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, SyncSender, channel, sync_channel};
use std::sync::{Mutex, OnceLock};

/// A command to start, and where to send the outcome.
type Request = (Command, SyncSender<io::Result<Child>>);

/// The runners that live, by their process numbers. Each leads its own process group.
static LIVE: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Whether the tool is about to end, and kills its runners.
static LEAVING: AtomicBool = AtomicBool::new(false);

/// The variable of a runner's environment that has the number of its fork. It marks the children of
/// a runner.
pub const FORK: &str = "CUPEL_FORK";

/// Starts a runner in its own process group. Its environment must have [`FORK`].
///
/// # Errors
/// The errors of the system.
pub fn spawn(mut command: Command) -> io::Result<Child> {
    // The terminal sends Ctrl-C to the whole group, but it is meant for the tool, which then
    // finishes its round.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    cupel_machine::end_with_this_process(&mut command);
    cupel_machine::confine(&mut command);
    let (answer, answered) = sync_channel(1);
    let sent = starter().send((command, answer));
    let started = sent.ok().and_then(|()| answered.recv().ok());
    let mut child =
        started.ok_or(io::Error::other("the thread that starts runners has ended"))??;
    if let Some(stdin) = &mut child.stdin {
        cupel_machine::never_block(stdin);
    }
    Ok(child)
}

/// The thread that starts all runners.
fn starter() -> &'static Sender<Request> {
    static STARTER: OnceLock<Sender<Request>> = OnceLock::new();
    STARTER.get_or_init(|| {
        cupel_machine::adopt_orphans();
        let (requests, requested) = channel::<Request>();
        std::thread::spawn(move || {
            for (mut command, answer) in requested {
                // In one step, so that no thread takes a new runner for an orphan of another.
                let child =
                    with_live(|live| command.spawn().inspect(|child| _ = live.insert(child.id())));
                // The thread that asked may have ended.
                let _ = answer.send(child);
            }
        });
        requests
    })
}

/// Kills a runner with all that it has started, and waits for its end.
pub fn end(child: &mut Child) {
    if cupel_machine::end_of(child) != End::Read {
        let _ = read_end(child);
    }
    with_live(|live| {
        live.remove(&child.id());
        cupel_machine::end_orphans(FORK, live);
    });
}

/// How a runner ended, if it has. The rest of its group is killed then.
///
/// # Errors
/// The errors of the system.
pub fn ended(child: &mut Child) -> io::Result<Option<ExitStatus>> {
    match cupel_machine::end_of(child) {
        End::NotYet => Ok(None),
        End::Read => child.try_wait(),
        End::Unread => read_end(child).map(Some),
    }
}

/// Kills a runner's group and reads how the runner ended. Until it is read, the runner's number,
/// which is also the group's, belongs to no other process; and no new runner gets it before the
/// rest of the group has ended.
fn read_end(child: &mut Child) -> io::Result<ExitStatus> {
    cupel_machine::kill_group(child.id());
    let _ = child.kill();
    cupel_machine::await_end(child);
    with_live(|_| {
        let status = child.wait();
        cupel_machine::await_group(child.id());
        status
    })
}

/// Kills every runner. The caller must end this process next: a thread that meets a dead runner
/// stops ([`stay_if_leaving`]).
pub fn end_all() {
    LEAVING.store(true, Ordering::SeqCst);
    with_live(|live| {
        live.iter().copied().for_each(cupel_machine::kill_group);
        cupel_machine::end_orphans(FORK, live);
    });
}

/// Does not return if the tool kills its runners. The end of a runner then does not count against
/// its contender, and must not be stored as a failure.
pub fn stay_if_leaving() {
    while LEAVING.load(Ordering::SeqCst) {
        std::thread::park();
    }
}

fn with_live<T>(change: impl FnOnce(&mut BTreeSet<u32>) -> T) -> T {
    change(&mut LIVE.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
}
