//! For how long this process has built something: the time that a user gives for an answer does not
//! contain the first build of its contenders.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The builds that run, and the time during which any did.
struct Watch {
    running: u32,
    since: Option<Instant>,
    before: Duration,
}

static WATCH: Mutex<Watch> = Mutex::new(Watch { running: 0, since: None, before: Duration::ZERO });

/// A build that runs, until it is dropped.
pub struct Running;

/// A build begins.
#[must_use]
pub fn start() -> Running {
    let mut watch = lock();
    watch.running += 1;
    watch.since.get_or_insert_with(Instant::now);
    Running
}

/// For how long at least one build has run in this process.
pub fn building() -> Duration {
    let watch = lock();
    watch.before + watch.since.map_or(Duration::ZERO, |since| since.elapsed())
}

fn lock() -> MutexGuard<'static, Watch> {
    WATCH.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut watch = lock();
        watch.running -= 1;
        if watch.running == 0
            && let Some(since) = watch.since.take()
        {
            watch.before += since.elapsed();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_that_run_at_once_count_once() {
        let pause = Duration::from_millis(20);
        let before = building();
        let (one, other) = (start(), start());
        std::thread::sleep(pause);
        drop(one);
        let halfway = building();
        std::thread::sleep(pause);
        drop(other);
        let all = building();
        assert!(halfway - before >= pause && all - halfway >= pause);
        std::thread::sleep(pause);
        // Other tests build, too, but not for ever.
        assert!(building() >= all);
    }
}
