//! Work on several processes at once, one on each of the stage's processors.

use super::Stage;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

/// Does these jobs with one thread on each of the stage's processors, while `listen` receives their
/// messages and results. `stop` begins no further job.
pub fn side_by_side<J: Send, R: Send, T>(
    stage: &dyn Stage,
    stop: &AtomicBool,
    jobs: Vec<J>,
    work: impl Fn(J, Option<usize>, &Sender<R>) -> R + Sync,
    listen: impl FnOnce(Receiver<R>) -> T,
) -> T {
    let open = Mutex::new(jobs.into_iter());
    let next = || open.lock().ok()?.next().filter(|_| !stop.load(Ordering::Relaxed));
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        for cpu in stage.lanes() {
            let (sender, next, work) = (sender.clone(), &next, &work);
            scope.spawn(move || {
                // Next to the process that it talks to, because waking up is quickest there.
                if let Some(cpu) = cpu {
                    cupel_machine::go_to(cpu);
                }
                while let Some(job) = next() {
                    // If the store failed, nothing listens any more.
                    if sender.send(work(job, cpu, &sender)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        listen(receiver)
    })
}
