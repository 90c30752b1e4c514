//! When a fork is warm enough to be timed: the detector of AndroidX Benchmark's `WarmupManager`.

use crate::quantile::median;

const FAST: f64 = 0.1;
const SLOW: f64 = 0.005;
const CLOSE: f64 = 0.04;
const SLICES: u32 = 40;

/// The slow average is capped at this multiple of the fast one. Code that a compiler made fifty
/// times faster is at a new level, and so is a processor that a neighbour has left. To forget the
/// old level completely would take up to 1400 slices; to see whether the new one still falls takes
/// 190. The cap is well above the limit for close, so a falling time is still detected.
const REMEMBERED: f64 = 1.1;

/// The averages start at the median of this many slices. If they started at the first slice and a
/// neighbour hit it, the slow average would need hundreds of slices to forget it.
const FIRST: usize = 5;

/// The state of a cell's warm-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is not over.
    Warming,
    /// The averages agree, and have agreed for long enough.
    Settled,
    /// The time limit is over, but the averages do not agree. This is reported.
    GaveUp,
}

/// Compares a fast and a slow moving average of the time per call. A falling time keeps them apart.
/// Once they have stayed within 4 % of each other for 40 slices, the fall is over.
#[derive(Clone, Debug)]
pub struct Detector {
    min_ns: f64,
    max_ns: f64,
    spent_ns: f64,
    first: Vec<f64>,
    averages: Option<(f64, f64)>,
    alike: u32,
    state: State,
}

impl Detector {
    /// A detector that settles after `min_ns` at the earliest and gives up after `max_ns`.
    pub fn new(min_ns: f64, max_ns: f64) -> Self {
        Detector {
            min_ns,
            max_ns,
            spent_ns: 0.0,
            first: Vec::new(),
            averages: None,
            alike: 0,
            state: State::Warming,
        }
    }

    /// The current state.
    pub fn state(&self) -> State {
        self.state
    }

    /// Adds one slice: its time per call, and its total time. The answer is final once it is not
    /// [`State::Warming`].
    pub fn push(&mut self, ns_per_call: f64, elapsed_ns: f64) -> State {
        if self.state != State::Warming {
            return self.state;
        }
        self.spent_ns += elapsed_ns;
        if let Some((fast, slow)) = &mut self.averages {
            *fast += FAST * (ns_per_call - *fast);
            *slow += SLOW * (ns_per_call - *slow);
            *slow = slow.min(REMEMBERED * *fast);
            let alike = (*fast / *slow - 1.0).abs() < CLOSE;
            self.alike = if alike { self.alike + 1 } else { 0 };
        } else {
            self.first.push(ns_per_call);
            if self.first.len() == FIRST {
                let middle = median(&self.first);
                self.averages = Some((middle, middle));
                // They agreed in all slices from which they were made.
                self.alike = FIRST as u32 - 1;
            }
        }
        if self.alike >= SLICES && self.spent_ns >= self.min_ns {
            self.state = State::Settled;
        } else if self.spent_ns >= self.max_ns {
            self.state = State::GaveUp;
        }
        self.state
    }
}
