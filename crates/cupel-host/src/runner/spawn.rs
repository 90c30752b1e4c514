//! Starts runners so that none outlives the tool, however the tool ends.
//!
//! On Linux, the system kills a runner when the *thread* that started it ends. Runners are started
//! by threads that end before them, so one thread starts them all: it ends only with the tool.
//! Elsewhere, a runner loses its input when the tool ends, and [`end_all`] kills those that the
//! tool leaves on purpose.

use cupel_base::machine;
use std::collections::BTreeSet;
use std::io;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, SyncSender, channel, sync_channel};
use std::sync::{Mutex, OnceLock};

/// A command to start, and where to send the outcome.
type Request = (Command, SyncSender<io::Result<Child>>);

/// The runners that live, by their process numbers. Each leads its own process group.
static LIVE: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Whether the tool is about to end, and kills its runners.
static LEAVING: AtomicBool = AtomicBool::new(false);

/// Starts a runner in its own process group.
///
/// # Errors
/// Those of the system.
pub fn spawn(mut command: Command) -> io::Result<Child> {
    // The terminal sends Ctrl-C to the whole group, but it is meant for the tool, which then
    // finishes its round.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    machine::end_with_this_process(&mut command);
    let (answer, answered) = sync_channel(1);
    let sent = starter().send((command, answer));
    let started = sent.ok().and_then(|()| answered.recv().ok());
    let child = started.ok_or(io::Error::other("the thread that starts runners has ended"))??;
    with_live(|live| live.insert(child.id()));
    Ok(child)
}

/// The thread that starts all runners.
fn starter() -> &'static Sender<Request> {
    static STARTER: OnceLock<Sender<Request>> = OnceLock::new();
    STARTER.get_or_init(|| {
        let (requests, requested) = channel::<Request>();
        std::thread::spawn(move || {
            for (mut command, answer) in requested {
                // Who asked may have ended.
                let _ = answer.send(command.spawn());
            }
        });
        requests
    })
}

/// Kills a runner with all that it has started, and waits for its end.
pub fn end(child: &mut Child) {
    // Once it has been waited for, its number may belong to another process.
    if matches!(child.try_wait(), Ok(None)) {
        machine::kill_group(child.id());
        let _ = child.kill();
    }
    let _ = child.wait();
    with_live(|live| live.remove(&child.id()));
}

/// Kills every runner. The caller must end this process next: a thread that meets a dead runner
/// stops ([`stay_if_leaving`]).
pub fn end_all() {
    LEAVING.store(true, Ordering::SeqCst);
    with_live(|live| live.iter().copied().for_each(machine::kill_group));
}

/// Does not return if the tool kills its runners. That a runner ended then says nothing about its
/// contender, and must not be stored as a failure.
pub fn stay_if_leaving() {
    while LEAVING.load(Ordering::SeqCst) {
        std::thread::park();
    }
}

fn with_live<T>(change: impl FnOnce(&mut BTreeSet<u32>) -> T) -> T {
    change(&mut LIVE.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
}
