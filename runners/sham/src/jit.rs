//! A compiler that works at run time: it counts calls, compiles while they run, and may discard its
//! code.

use crate::script::Jit;
use cupel_protocol::message::Compilation;

/// The most calls before the state of the compiler is updated, so that a compilation that ends in a
/// long slice takes effect within it.
const STEP: u64 = 64;

/// The state of one process's compiler.
#[derive(Clone, Debug)]
pub struct Tiered {
    script: Jit,
    /// The index of its code's tier; the number of tiers is the highest level.
    tier: usize,
    /// The calls made in it.
    calls: u64,
    /// The moment at which the next tier's code is ready, while it is being compiled.
    compiled_ns: Option<f64>,
    /// The moment at which code of the highest level is discarded next.
    discard_ns: Option<f64>,
    done: Compilation,
}

impl Tiered {
    /// The compiler of a new process.
    pub fn new(script: &Jit) -> Tiered {
        Tiered {
            script: script.clone(),
            tier: 0,
            calls: 0,
            compiled_ns: None,
            discard_ns: None,
            done: Compilation::default(),
        }
    }

    /// Begins a slice. `chance` draws a number from 0 to 1.
    pub fn begin(&mut self, now_ns: f64, mut chance: impl FnMut() -> f64) {
        if self.discard_ns.is_some() {
            return;
        }
        let at_random = match self.script.discards_per_s {
            rate if rate > 0.0 => -chance().max(1e-12).ln() / rate * 1e9,
            _ => f64::INFINITY,
        };
        let once = match self.script.discard_at_ms {
            at if at > 0.0 => at * 1e6,
            _ => f64::INFINITY,
        };
        self.discard_ns = Some(now_ns + at_random.min(once));
    }

    /// Does everything that is due by now.
    pub fn look(&mut self, now_ns: f64) {
        let highest = self.script.tiers.len();
        if self.discard_ns.is_some_and(|at| at <= now_ns) {
            if self.script.discard_at_ms > 0.0 {
                self.script.discard_at_ms = 0.0;
            }
            // Drawn again with the next slice.
            self.discard_ns = None;
            if self.tier == highest && highest > 0 {
                (self.tier, self.calls, self.compiled_ns) = (0, 0, None);
                self.done.events += 1;
                self.done.discarded += 1;
            }
        }
        if self.compiled_ns.is_some_and(|at| at <= now_ns) {
            (self.tier, self.calls, self.compiled_ns) = (self.tier + 1, 0, None);
            self.done.events += 1;
            self.done.installed += u64::from(self.tier == highest);
        }
        self.done.pending = u64::from(self.compiled_ns.is_some() && self.tier + 1 == highest);
        self.done.level = Some(self.tier as u32);
    }

    /// The number of calls before the next update.
    pub fn calls_left(&self) -> u64 {
        match self.script.tiers.get(self.tier) {
            Some(_) if self.compiled_ns.is_some() => STEP,
            Some(tier) => tier.calls.saturating_sub(self.calls).max(1),
            // Discarding happens between slices, and every few calls within.
            None if self.script.discards_per_s > 0.0 || self.script.discard_at_ms > 0.0 => STEP,
            None => u64::MAX,
        }
    }

    /// The factor by which a call takes longer than at the highest level.
    pub fn factor(&self) -> f64 {
        self.script.tiers.get(self.tier).map_or(1.0, |tier| tier.slow_factor)
    }

    /// Records that calls were made.
    pub fn called(&mut self, calls: u64, now_ns: f64) {
        self.calls = self.calls.saturating_add(calls);
        if let Some(tier) = self.script.tiers.get(self.tier)
            && self.compiled_ns.is_none()
            && self.calls >= tier.calls
        {
            self.compiled_ns = Some(now_ns + tier.compile_ms * 1e6);
        }
        self.look(now_ns);
    }

    /// The work that it reports.
    pub fn compilation(&self) -> Option<Compilation> {
        (!self.script.silent).then_some(self.done)
    }
}
