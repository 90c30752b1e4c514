//! A slice of several threads. Each makes its range of the untimed calls, they meet, and the first
//! thread reads the clock and lets all of them begin at once. The time ends with the last of them.

use super::call::{Call, CallError};
use super::cell::Cell;
use crate::message::{Slice, Sliced};
use crate::noise::{Meter, Noise};
use crate::threads;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::Receiver;
use std::time::Instant;

/// A slice that is divided between threads.
pub(super) struct Together {
    ask: Slice,
    threads: u32,
    /// All have made their untimed calls.
    warm: Gate,
    /// All have read their counters, and wait for the first thread.
    start: Gate,
}

/// The work of one thread.
pub(super) struct Part {
    /// The sum of the words of its outputs.
    fold: Result<u64, CallError>,
    /// When it had made its calls.
    ended: Instant,
    noise: Noise,
}

impl Together {
    pub(super) fn new(ask: &Slice, threads: u32) -> Together {
        Together { ask: ask.clone(), threads, warm: Gate::default(), start: Gate::default() }
    }

    pub(super) fn threads(&self) -> u32 {
        self.threads
    }

    /// The part of the first thread, which reads the clock, and with it the answer. `others` are
    /// the parts of the other threads.
    pub(super) fn lead<C: Call>(
        &self,
        cell: &mut Cell<C>,
        meter: &Meter,
        others: &Receiver<Part>,
    ) -> Result<Sliced, CallError> {
        let mut begun = None;
        let own = self.part(0, cell, meter, || {
            self.start.wait_for(self.threads - 1);
            begun = Some(Instant::now());
            self.start.open();
        });
        let mut parts = vec![own];
        parts.extend(others.iter().take(self.threads as usize - 1));
        let begun = begun.expect("it has begun the calls");
        let mut fold = 0_u64;
        for part in &parts {
            fold = fold.wrapping_add(part.fold?);
        }
        let longest = parts.iter().map(|part| part.ended.saturating_duration_since(begun)).max();
        Ok(Sliced {
            iterations: self.ask.iterations,
            elapsed_ns: longest.unwrap_or_default().as_nanos() as f64,
            fold,
            noise: Noise::together(parts.iter().map(|part| part.noise)),
            allocated_per_call: None,
            compilation: None,
        })
    }

    /// The part of another thread.
    pub(super) fn follow<C: Call>(&self, index: u32, cell: &mut Cell<C>, meter: &Meter) -> Part {
        self.part(index, cell, meter, || self.start.pass())
    }

    fn part<C: Call>(
        &self,
        index: u32,
        cell: &mut Cell<C>,
        meter: &Meter,
        start: impl FnOnce(),
    ) -> Part {
        let Slice { first, preroll, iterations, .. } = self.ask;
        let (from, count) = threads::range(first, preroll, index, self.threads);
        let warm = cell.calls(from, count);
        if index == 0 {
            self.warm.wait_for(self.threads - 1);
            self.warm.open();
        } else {
            self.warm.pass();
        }
        let (from, count) =
            threads::range(first.wrapping_add(preroll), iterations, index, self.threads);
        let slept = meter.sleeps();
        let before = meter.read();
        start();
        let began = Instant::now();
        // After a failure the others must not wait for this thread.
        let fold = warm.and_then(|_| cell.calls(from, count));
        let ended = Instant::now();
        let mut noise = meter.read().since(&before);
        let ran = noise.cpu_ns.filter(|_| slept.is_some() && slept == meter.sleeps());
        noise.off_ns = ran.map(|ran| ((ended - began).as_nanos() as u64).saturating_sub(ran));
        Part { fold, ended, noise }
    }
}

/// Holds threads until the first one opens it. They spin: to wake a thread takes longer than many a
/// slice. If they do not have processors of their own, they let others run after a while.
#[derive(Default)]
struct Gate {
    arrived: AtomicU32,
    open: AtomicBool,
}

/// So often a thread looks before it lets others run.
const LOOKS: u32 = 1 << 12;

impl Gate {
    /// Arrives, and waits until it is open.
    fn pass(&self) {
        self.arrived.fetch_add(1, Ordering::AcqRel);
        until(|| self.open.load(Ordering::Acquire));
    }

    /// Waits until this many threads have arrived.
    fn wait_for(&self, threads: u32) {
        until(|| self.arrived.load(Ordering::Acquire) == threads);
    }

    fn open(&self) {
        self.open.store(true, Ordering::Release);
    }
}

fn until(done: impl Fn() -> bool) {
    loop {
        for _ in 0..LOOKS {
            if done() {
                return;
            }
            std::hint::spin_loop();
        }
        std::thread::yield_now();
    }
}
